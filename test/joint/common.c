/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of joints share. */
#include "tests.h"

void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g (by %g)\n", got, want, tolerance, got - want);
    _fail(file, line);
}

void assert_below_at(double got, double bound, const char *file, int line) {
    if (got < bound) {
        return;
    }
    print_error("%g is not below %g\n", got, bound);
    _fail(file, line);
}

void assert_vec3_at(AfxVec3 got, AfxVec3 want, double tolerance, const char *file, int line) {
    if (v3_distance(got, want) <= tolerance) {
        return;
    }
    print_error("(%.12g, %.12g, %.12g) is not (%.12g, %.12g, %.12g) within %g (by %g)\n", got.x, got.y, got.z, want.x,
                want.y, want.z, tolerance, v3_distance(got, want));
    _fail(file, line);
}

Rig rig_make(AfxVec3 gravity) {
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    def.gravity = gravity;
    assert_ok(afx_scene_create(&def, &rig.scene));
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
    if (!rig->model) {
        AfxError error;
        AfxStatus status = afx_model_create(rig->scene, &rig->model, &error);
        if (status) {
            print_error("%s: %s\n", error.element, error.text);
        }
        assert_ok(status);
    }
    afx_sim_destroy(rig->sim);
    rig->sim = NULL;
    assert_ok(afx_sim_create(rig->model, def, &rig->sim));
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
    const double *q = afx_sim_coordinates(rig->sim), *v = afx_sim_velocities(rig->sim);
    for (size_t k = 0; k < 12 * (size_t)afx_model_body_count(rig->model); k++) {
        if (!isfinite(q[k]) || !isfinite(v[k])) {
            return false;
        }
    }
    return true;
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

AfxBodyDef rigid_def(double mass, double ixx, double iyy, double izz) {
    AfxBodyDef def = afx_default_body();
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = mass;
    def.inertia[0] = ixx;
    def.inertia[1] = iyy;
    def.inertia[2] = izz;
    def.young = INFINITY;
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

double slope(double coarse, double fine) {
    return log2(coarse / fine);
}

double random_unit(uint64_t *seed) {
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

AfxVec3 random_vec3(uint64_t *seed, double size) {
    double x = random_unit(seed), y = random_unit(seed), z = random_unit(seed);
    return v3(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

AfxQuat random_quat(uint64_t *seed) {
    AfxVec3 axis = random_vec3(seed, 1);
    return q_about(v3_norm(axis) > 0.1 ? axis : v3(0, 0, 1), 6 * random_unit(seed));
}

AfxPose random_pose(uint64_t *seed, double size) {
    AfxVec3 position = random_vec3(seed, size);
    return (AfxPose){position, random_quat(seed)};
}
