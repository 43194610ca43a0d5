/* SPDX-License-Identifier: Apache-2.0 */
/* Position drives are exact and turn as often as they are told, from data or from input; their effort, and that of
 * velocity drives, is what the motion takes. */
#include "driven.h"

static const double gravity = 9.81;

/* A drive whose data the body starts with, at default settings: the coordinate is the signal's, turns and all. */
static void check_position(AfxJointKind kind, AfxSignal signal, uint32_t steps) {
    Rig rig = rig_make(v3(0.3, 0, -gravity));
    double value, rate;
    uint32_t flags;
    assert_ok(afx_signal_evaluate(&signal, 0, &value, &rate, NULL));
    AfxJointId joint = driven_add(&rig, kind, value, rate);
    add_target(&rig, AFX_DRIVE_POSITION, joint, 0, signal);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    assert_near(rig_coordinate(&rig, joint, 0), value, 1e-12);
    for (uint32_t n = 1; n <= steps; n++) {
        assert_below(rig_run(&rig, 1, &flags), 1e-10);
        assert_false(flags & (AFX_STEP_ASSEMBLED | AFX_STEP_HALVED | AFX_STEP_CAPPED));
        assert_ok(afx_signal_evaluate(&signal, afx_sim_time(rig.sim), &value, NULL, NULL));
        assert_near(rig_coordinate(&rig, joint, 0), value, 1e-10);
    }
    rig_free(&rig);
}

static void position_drives_are_exact(void **state) {
    (void)state;
    static const double times[] = {0, 0.3, 0.7, 1.2, 2, 2.5}, values[] = {0.4, 0.1, 0.9, 0.5, -0.6, 0.2};
    AfxSignal table = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = COUNT(times)};
    for (int k = 0; k < 2; k++) {
        check_position(driven_both[k], signal_constant(0), 100);
        check_position(driven_both[k], signal_constant(-1.3), 100);
        check_position(driven_both[k], signal_polynomial(0.2, -1, 0.7, 0.4), 300);
        check_position(driven_both[k], signal_sine(0.1, 0.8, 1.5, 0.6), 300);
        check_position(driven_both[k], table, 300);
    }
}

/* Starts at half a turn and at several turns; up to more than half a radian in a step, for many turns. */
static void position_drives_turn_many_times(void **state) {
    (void)state;
    static const double starts[] = {0, PI, -PI, 3 * PI, -7 * PI, 20};
    static const double rates[] = {7, -7, 60, -60};
    for (size_t k = 0; k < COUNT(starts); k++) {
        for (size_t r = 0; r < COUNT(rates); r++) {
            check_position(AFX_JOINT_REVOLUTE, signal_polynomial(starts[k], rates[r], 0, 0), 300);
        }
    }
    check_position(AFX_JOINT_REVOLUTE, signal_sine(PI, 30, 0.2, 0), 500);
    check_position(AFX_JOINT_REVOLUTE, signal_sine(-PI, 0.01, 2, 0), 100);
}

/* Targets from input: exact at the end of every step. */
static void position_drives_follow_input(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = driven_add(&rig, driven_both[k], 0.5, 0);
        AfxDriveDef def = afx_default_drive(AFX_DRIVE_POSITION);
        def.joint = joint;
        def.from_input = true;
        uint32_t drive = add_drive(&rig, &def);
        AfxSimDef sim = afx_default_sim();
        rig_start(&rig, &sim);
        for (int n = 1; n <= 400; n++) {
            double t = n * sim.dt, want = 0.5 + 4 * (1 - cos(2 * t)), rate = 8 * sin(2 * t);
            if (n <= 300) { /* then it holds */
                assert_ok(afx_sim_set_drive_target(rig.sim, drive, want, rate));
            } else if (n == 301) {
                assert_ok(afx_sim_set_drive_target(rig.sim, drive, 0.5 + 4 * (1 - cos(6.0)), 0));
            }
            assert_below(rig_run(&rig, 1, NULL), 1e-10);
            assert_near(rig_coordinate(&rig, joint, 0), n <= 300 ? want : 0.5 + 4 * (1 - cos(6.0)), 1e-10);
        }
        assert_int_equal(afx_sim_set_drive_target(rig.sim, drive + 1, 0, 0), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_drive_target(rig.sim, drive, NAN, 0), AFX_E_ARGUMENT);
        rig_free(&rig);
    }
}

/* A drive from data takes no input. */
static void data_is_not_overridden(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_REVOLUTE, 0, 0);
    uint32_t drive = add_target(&rig, AFX_DRIVE_POSITION, joint, 0, signal_constant(0));
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    assert_int_equal(afx_sim_set_drive_target(rig.sim, drive, 1, 0), AFX_E_ARGUMENT);
    rig_free(&rig);
}

/* Both axes of a cylindrical joint, each with its own. */
static void one_joint_takes_several_drives(void **state) {
    (void)state;
    Rig rig = rig_make(v3(1, 2, -gravity));
    uint64_t seed = 12;
    AfxBodyDef def = odd_def(&seed);
    def.pose = random_pose(&seed, 1);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_CYLINDRICAL, afx_world(), body, random_pose(&seed, 1));
    AfxSignal slide = signal_polynomial(0, 0, 0.5, -0.1), turn = signal_sine(0, 5, 0.5, 0);
    add_target(&rig, AFX_DRIVE_POSITION, joint, 0, slide);
    add_target(&rig, AFX_DRIVE_POSITION, joint, 1, turn);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int n = 0; n < 300; n++) {
        double want[2];
        rig_run(&rig, 1, NULL);
        assert_ok(afx_signal_evaluate(&slide, afx_sim_time(rig.sim), &want[0], NULL, NULL));
        assert_ok(afx_signal_evaluate(&turn, afx_sim_time(rig.sim), &want[1], NULL, NULL));
        assert_near(rig_coordinate(&rig, joint, 0), want[0], 1e-10);
        assert_near(rig_coordinate(&rig, joint, 1), want[1], 1e-10);
    }
    rig_free(&rig);
}

/* The largest difference of the effort from inertia times acceleration less gravity: up to 0.2 s, where the start of a
 * multistep method still shows, and after that. */
typedef struct EffortErrors {
    double early, late;
} EffortErrors;

static EffortErrors effort_errors(AfxJointKind kind, AfxDriveKind drive_kind, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxSignal signal = signal_sine(0.3, 0.6, 0.8, 0.4);
    double value, rate, bend, w = 2 * PI * 0.8;
    EffortErrors e = {0};
    assert_ok(afx_signal_evaluate(&signal, 0, &value, &rate, NULL));
    bool position = drive_kind == AFX_DRIVE_POSITION;
    AfxJointId joint = driven_add(&rig, kind, position ? value : 0, position ? rate : value);
    uint32_t drive = add_target(&rig, drive_kind, joint, 0, signal);
    AfxSimDef sim = accurate_def(integrator, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(1 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), x, a, *worst = t < 0.2 ? &e.early : &e.late;
        assert_ok(afx_signal_evaluate(&signal, t, &value, &rate, &bend));
        x = position ? value : 0.3 * t + 0.6 / w * (cos(0.4) - cos(w * t + 0.4));
        a = position ? bend : rate;
        *worst =
            fmax(*worst, fabs(effort_of(&rig, drive) - (driven_inertia(kind) * a - driven_weight(kind, x, gravity))));
    }
    rig_free(&rig);
    return e;
}

static void their_effort_is_what_the_motion_takes(void **state) {
    (void)state;
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 8; k++) {
        AfxDriveKind drive = k & 4 ? AFX_DRIVE_VELOCITY : AFX_DRIVE_POSITION;
        EffortErrors coarse = effort_errors(driven_both[k & 1], drive, methods[k >> 1 & 1], 4e-3);
        EffortErrors fine = effort_errors(driven_both[k & 1], drive, methods[k >> 1 & 1], 2e-3);
        print_message("effort, %s, %s, %s: early %.2g %.2g, late %.2g %.2g\n", k & 4 ? "velocity" : "position",
                      k & 1 ? "slide" : "turn", k & 2 ? "alpha" : "bdf2", coarse.early, fine.early, coarse.late,
                      fine.late);
        assert_below(fine.early, 0.5); /* the first steps have order one where the acceleration is changing */
        assert_true(slope(coarse.early, fine.early) > 0.9);
        assert_below(fine.late, 4e-3);
        assert_true(slope(coarse.late, fine.late) > 1.8);
    }
}

/* All three angles of a ball are held next to where the middle one is a right angle: the first and the last one turn
 * about one axis there, and holding both holds once too often. A tree notices as a dense matrix does. */
static void rows_of_lost_angles_are_redundant(void **state) {
    (void)state;
    static const AfxSolver solvers[] = {AFX_SOLVER_AUTO, AFX_SOLVER_DENSE};
    const double off = 1e-4;
    for (int n = 0; n < 2; n++) {
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxBodyId base = afx_world();
        for (int k = 0; k < 3; k++) { /* an arm of three, the joint of the second is the one */
            AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
            AfxJointDef joint = afx_default_joint(k == 1 ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE);
            def.pose.position = v3(k + 0.5, 0, 0);
            joint.base = base;
            joint.follower = base = rig_body(&rig, &def);
            assert_ok(afx_joint_place(rig.scene, &joint, afx_frame_along(v3(k, 0, 0), v3(0, 1, 0))));
            if (k == 1) { /* the base's frame, back by the angle about its second axis */
                AfxQuat back = afx_quat_from_axis_angle(v3(0, 1, 0), off - PI / 2);
                joint.base_frame.rotation = afx_quat_multiply(joint.base_frame.rotation, back);
            }
            AfxJointId id = rig_joint_def(&rig, &joint);
            for (uint32_t axis = 0; k == 1 && axis < 3; axis++) {
                add_target(&rig, AFX_DRIVE_POSITION, id, axis, signal_constant(axis == 1 ? PI / 2 - off : 0));
            }
        }
        AfxModelDef model = afx_default_model();
        AfxSimDef sim = afx_default_sim();
        AfxStepReport report;
        model.solver = solvers[n];
        assert_ok(afx_model_create_with(rig.scene, &model, &rig.model, NULL));
        rig_start(&rig, &sim);
        (void)afx_step(rig.sim, &report); /* whether it can do with that is not asked here */
        assert_true(report.flags & AFX_STEP_REGULARISED);
        rig_free(&rig);
    }
}

int run_drive_position_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(position_drives_are_exact),         cmocka_unit_test(position_drives_turn_many_times),
        cmocka_unit_test(position_drives_follow_input),      cmocka_unit_test(data_is_not_overridden),
        cmocka_unit_test(one_joint_takes_several_drives),    cmocka_unit_test(their_effort_is_what_the_motion_takes),
        cmocka_unit_test(rows_of_lost_angles_are_redundant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
