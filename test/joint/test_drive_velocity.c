/* SPDX-License-Identifier: Apache-2.0 */
/* Velocity drives: the coordinate is the integral of the rate that they are told, from data or from input. */
#include "driven.h"

static const double gravity = 9.81;

/* The coordinate is the integral of the rate, from where the joint is: Simpson's rule has a cubic exactly. */
static void velocity_drives_integrate(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int sort = 0; sort < 3; sort++) {
            Rig rig = rig_make(v3(0, 0, -gravity));
            double start = k == 0 ? PI : 0.4, w = 2 * PI * 0.7;
            AfxSignal signal = sort == 0   ? signal_constant(9)
                               : sort == 1 ? signal_polynomial(1, -2, 0.6, 0.8)
                                           : signal_sine(2, 3, 0.7, 0.2);
            double value;
            assert_ok(afx_signal_evaluate(&signal, 0, &value, NULL, NULL));
            AfxJointId joint = driven_add(&rig, driven_both[k], start, value);
            add_target(&rig, AFX_DRIVE_VELOCITY, joint, 0, signal);
            AfxSimDef sim = afx_default_sim();
            rig_start(&rig, &sim);
            start = rig_coordinate(&rig, joint, 0);
            for (int n = 0; n < 300; n++) {
                assert_below(rig_run(&rig, 1, NULL), 1e-10);
                double t = afx_sim_time(rig.sim);
                double want = sort == 0   ? 9 * t
                              : sort == 1 ? t - t * t + 0.2 * t * t * t + 0.2 * t * t * t * t
                                          : 2 * t + 3 / w * (cos(0.2) - cos(w * t + 0.2));
                assert_near(rig_coordinate(&rig, joint, 0), start + want, sort == 2 ? 1e-8 : 1e-10);
                assert_ok(afx_signal_evaluate(&signal, t, &value, NULL, NULL));
                assert_near(rate_of(&rig, joint), value, 4e-3 + 4e-5 * fabs(value * value * value)); /* (h x)² x / 3 */
            }
            rig_free(&rig);
        }
    }
}

/* Rates from input are joined by straight lines. */
static void velocity_drives_take_input(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_REVOLUTE, 0, 0);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_VELOCITY);
    def.joint = joint;
    def.from_input = true;
    uint32_t drive = add_drive(&rig, &def);
    AfxSimDef sim = afx_default_sim();
    double want = 0, last = 0;
    rig_start(&rig, &sim);
    for (int n = 1; n <= 300; n++) {
        double rate = 10 * sin(n * sim.dt);
        assert_ok(afx_sim_set_drive_target(rig.sim, drive, rate, 0));
        rig_run(&rig, 1, NULL);
        want += sim.dt * (rate + last) / 2;
        last = rate;
        assert_near(rig_coordinate(&rig, joint, 0), want, 1e-10);
    }
    rig_free(&rig);
}

int run_drive_velocity_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_drives_integrate),
        cmocka_unit_test(velocity_drives_take_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
