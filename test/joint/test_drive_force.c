/* SPDX-License-Identifier: Apache-2.0 */
/* Force drives accelerate a body as Newton says, from data or from input, and keep to their limit. */
#include "driven.h"

/* theta" = tau / I with tau a sine: theta in closed form. */
static double force_error(AfxJointKind kind, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, 0));
    double w = 2 * PI * 0.9, f = 2.5, i = driven_inertia(kind), error = 0;
    AfxJointId joint = driven_add(&rig, kind, 0.2, -0.5);
    uint32_t drive = add_target(&rig, AFX_DRIVE_FORCE, joint, 0, signal_sine(0, f, 0.9, 0));
    AfxSimDef sim = accurate_def(integrator, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(2 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), want = 0.2 - 0.5 * t + f / i / w * (t - sin(w * t) / w);
        error = fmax(error, fabs(rig_coordinate(&rig, joint, 0) - want));
        assert_near(effort_of(&rig, drive), f * sin(w * t), integrator == AFX_BDF2 ? 1e-9 : f * w * dt);
    }
    rig_free(&rig);
    return error;
}

static void forces_accelerate(void **state) {
    (void)state;
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double coarse = force_error(driven_both[k & 1], methods[k >> 1], 4e-3);
        double fine = force_error(driven_both[k & 1], methods[k >> 1], 2e-3);
        assert_below(fine, 1e-3);
        assert_true(slope(coarse, fine) > 1.8);
    }
}

/* A force from input, and one that its limit clips. */
static void forces_take_input_and_limits(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_PRISMATIC, 0, 0);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_FORCE);
    def.joint = joint;
    def.from_input = true;
    def.effort = 3;
    uint32_t drive = add_drive(&rig, &def);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    assert_ok(afx_sim_set_drive_target(rig.sim, drive, -50, 0));
    rig_run(&rig, 20, NULL);
    double begin = rate_of(&rig, joint);
    rig_run(&rig, 100, NULL);
    assert_near(effort_of(&rig, drive), -3, 1e-12);
    assert_near(rate_of(&rig, joint) - begin, -3 / DRIVEN_MASS, 1e-9);
    rig_free(&rig);
}

int run_drive_force_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_accelerate),
        cmocka_unit_test(forces_take_input_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
