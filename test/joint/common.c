/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of joints share. */
#include "tests.h"

Rig rig_make(AfxVec3 gravity) {
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    def.gravity = gravity;
    assert_ok(afx_scene_create(&def, &rig.scene));
    assert_ok(afx_scene_set_contact(rig.scene, false)); /* bodies overlap as they like */
    return rig;
}

static void assert_scene_ok(const Rig *rig, AfxStatus status) {
    if (status) {
        print_error("%s: %s\n", afx_scene_error(rig->scene)->element, afx_scene_error(rig->scene)->text);
    }
    assert_ok(status);
}

AfxBodyId rig_body(Rig *rig, const AfxBodyDef *def) {
    AfxBodyId id = {0};
    assert_scene_ok(rig, afx_scene_add_body(rig->scene, def, &id));
    return id;
}

AfxJointId rig_joint_def(Rig *rig, const AfxJointDef *def) {
    AfxJointId id = {0};
    assert_scene_ok(rig, afx_scene_add_joint(rig->scene, def, &id));
    return id;
}

AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame) {
    AfxJointDef def = afx_default_joint(kind);
    def.base = base;
    def.follower = follower;
    assert_scene_ok(rig, afx_joint_place(rig->scene, &def, frame));
    return rig_joint_def(rig, &def);
}

void rig_start(Rig *rig, const AfxSimDef *def) {
    sim_start(rig->scene, &rig->model, &rig->sim, def);
}

double rig_run(Rig *rig, uint32_t steps, uint32_t *out_flags) {
    double residual = 0;
    uint32_t flags = 0;
    for (uint32_t n = 0; n < steps; n++) {
        AfxStepReport report;
        AfxStatus status = afx_step(rig->sim, &report);
        if (status) {
            print_error("step %llu: %s, flags %x\n", (unsigned long long)report.step, afx_status_name(status),
                        report.flags);
        }
        assert_ok(status);
        residual = report.residual <= residual ? residual : report.residual; /* also takes a NaN */
        flags |= report.flags;
    }
    if (out_flags) {
        *out_flags = flags;
    }
    return residual;
}

void rig_free(Rig *rig) {
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
    *rig = (Rig){0};
}

AfxPose rig_pose(const Rig *rig, AfxBodyId body) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(rig->sim, body.index, &pose));
    return pose;
}

AfxTwist rig_twist(const Rig *rig, AfxBodyId body) {
    AfxTwist twist;
    assert_ok(afx_sim_body_twist(rig->sim, body.index, &twist));
    return twist;
}

AfxWrench rig_reaction(const Rig *rig, AfxJointId joint) {
    AfxWrench reaction;
    assert_ok(afx_sim_joint_reaction(rig->sim, joint.index, &reaction));
    return reaction;
}

double rig_coordinate(const Rig *rig, AfxJointId joint, uint32_t axis) {
    double value;
    assert_ok(afx_sim_joint_coordinate(rig->sim, joint.index, axis, &value, NULL));
    return value;
}

double rig_energy(const Rig *rig) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(rig->sim, &energy));
    return energy.total;
}

bool rig_finite(const Rig *rig) {
    return sim_finite(rig->sim);
}

AfxSimDef sim_def(AfxIntegrator integrator, double dt) {
    AfxSimDef def = afx_default_sim();
    def.integrator = integrator;
    def.dt = dt;
    return def;
}

AfxSimDef accurate_def(AfxIntegrator integrator, double dt) {
    AfxSimDef def = sim_def(integrator, dt);
    def.accuracy = AFX_ACCURATE;
    return def;
}

AfxBodyDef odd_def(uint64_t *seed) {
    AfxBodyDef def = rigid_def(0.5 + 2 * random_unit(seed), 0, 0, 0);
    double s[3] = {0.1 + random_unit(seed), 0.1 + random_unit(seed), 0.1 + random_unit(seed)};
    double principal[6] = {0.1 * (s[1] + s[2]), 0.1 * (s[0] + s[2]), 0.1 * (s[0] + s[1]), 0, 0, 0};
    tensor_turn(principal, random_quat(seed), def.inertia);
    def.center = random_vec3(seed, 0.4);
    return def;
}
