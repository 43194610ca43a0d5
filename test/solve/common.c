/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include "cases/cases.h"

AfxVec3 at(double x, double y, double z) {
    return (AfxVec3){x, y, z};
}

Rig rig_make(AfxVec3 gravity) {
    return (Rig){.scene = scene_make(gravity, false)};
}

void rig_make_contact_possible(Rig *rig) {
    assert_ok(afx_scene_set_contact(rig->scene, true));
    AfxBodyDef def = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.1);
    AfxBodyId id;
    def.pose.position.x = 500;
    ball.contact_group = 2;
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &ball));
}

void rig_ground(Rig *rig, double z) {
    AfxBodyDef ground = afx_default_body();
    AfxShapeDef plane = afx_default_plane();
    AfxBodyId id;
    ground.kind = AFX_BODY_FIXED;
    ground.pose.position.z = z;
    assert_ok(afx_scene_set_contact(rig->scene, true));
    assert_ok(afx_scene_add_body(rig->scene, &ground, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &plane));
}

Rig rig_case(const char *name, const char *argument) {
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    AfxiCaseArguments args;
    AfxError error = {0};
    AfxStatus status = afxi_case_arguments(afxi_case_find(name), argument ? 1 : 0, &argument, &args, &error);
    status = status ? status : afxi_case_build(&args, &def, &rig.scene, &error);
    if (status != AFX_OK) {
        fail_msg("%s: %s: %s", name, error.element, error.text);
    }
    return rig;
}

void rig_free(Rig *rig) {
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
    *rig = (Rig){0};
}

AfxBodyId rig_body(Rig *rig, AfxVec3 position, double young) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.3, 0.2, 0.1);
    AfxBodyId id;
    def.pose.position = position;
    def.pose.rotation = afx_quat_from_axis_angle(at(0.6, 0, 0.8), 0.4);
    def.young = young;
    box.pose.position = at(0.02, -0.03, 0.01);
    if (!rig->touching) {
        box.contact_mask = 2;
    }
    box.pose.rotation = afx_quat_from_axis_angle(at(0, 0.6, 0.8), 0.7);
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &box));
    return id;
}

AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxVec3 point, AfxVec3 axis) {
    AfxJointDef def = afx_default_joint(kind), other;
    AfxJointId id;
    def.base = base;
    def.follower = follower;
    def.pitch = 0.07;
    assert_ok(afx_joint_place(rig->scene, &def, afx_frame_along(point, axis)));
    if (afx_joint_has_length(kind)) {
        other = def;
        AfxVec3 across = afx_quat_rotate(afx_frame_along(point, axis).rotation, at(0, 0.3, 0));
        point = kind == AFX_JOINT_DISTANCE ? at(point.x, point.y, point.z - 0.3)
                                           : at(point.x + across.x, point.y + across.y, point.z + across.z);
        assert_ok(afx_joint_place(rig->scene, &other, afx_frame_along(point, axis)));
        def.follower_frame = other.follower_frame;
        def.length = 0.3;
    }
    assert_ok(afx_scene_add_joint(rig->scene, &def, &id));
    return id;
}

AfxDriveDef rig_drive(AfxDriveKind kind, AfxJointId joint, uint32_t axis) {
    AfxDriveDef def = afx_default_drive(kind);
    def.joint = joint;
    def.axis = axis;
    return def;
}

void rig_add_drive(Rig *rig, const AfxDriveDef *def) {
    AfxDriveId id;
    assert_ok(afx_scene_add_drive(rig->scene, def, &id));
}

void rig_start(Rig *rig, AfxIntegrator integrator, uint32_t solves) {
    AfxSimDef def = afx_default_sim();
    def.integrator = integrator;
    def.solves = solves;
    def.accuracy = solves ? AFX_ACCURATE : AFX_CONVERGED; /* also for what they ask of friction */
    sim_start(rig->scene, &rig->model, &rig->sim, &def);
    assert_ok(afx_sim_set_verify(rig->sim, true));
}

AfxResidual rig_run(Rig *rig, uint32_t steps) {
    AfxResidual worst = {.body = UINT32_MAX}, now;
    for (uint32_t k = 0; k < steps; k++) {
        AfxStepReport report;
        assert_ok(afx_step(rig->sim, &report));
        rig->flags |= report.flags;
        assert_ok(afx_sim_residual(rig->sim, &now));
        assert_true(now.complete);
        assert_true(now.stages > 0);
        if (now.force > worst.force) {
            worst.force = now.force;
            worst.body = now.body;
        }
        if (now.constraint > worst.constraint) {
            worst.constraint = now.constraint;
            worst.constraint_element = now.constraint_element;
            worst.constraint_index = now.constraint_index;
        }
        if (now.law > worst.law) {
            worst.law = now.law;
            worst.law_element = now.law_element;
            worst.law_index = now.law_index;
        }
        worst.friction = fmax(worst.friction, now.friction);
        worst.stages += now.stages;
    }
    return worst;
}

void assert_met(const char *what, AfxResidual residual, double most) {
    if (!(residual.force <= most && residual.constraint <= most && residual.law <= most)) {
        print_error("%s: force %.2e (body %u), constraint %.2e (element %d, %u), law %.2e (element %d, %u)\n", what,
                    residual.force, residual.body, residual.constraint, residual.constraint_element,
                    residual.constraint_index, residual.law, residual.law_element, residual.law_index);
        fail();
    }
}
