/* SPDX-License-Identifier: Apache-2.0 */
/* Linear relations between joint coordinates: gears, a rack, a differential, all exact over many turns and passing
 * power on without loss; a compliant one; and the screw. */
#include "tests.h"

static const double gravity = 9.81;

static uint32_t couple(Rig *rig, uint32_t count, const AfxJointId *joints, const double *factors, double constant,
                       double compliance) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    def.term_count = count;
    for (uint32_t k = 0; k < count; k++) {
        def.joint[k] = joints[k];
        def.factor[k] = factors[k];
    }
    def.constant = constant;
    def.compliance = compliance;
    assert_ok(afx_scene_add_coupling(rig->scene, &def, &id));
    return id.index;
}

static uint32_t add_target(Rig *rig, AfxDriveKind kind, AfxJointId joint, AfxSignal target) {
    AfxDriveDef def = afx_default_drive(kind);
    AfxDriveId id;
    def.joint = joint;
    def.target = target;
    assert_ok(afx_scene_add_drive(rig->scene, &def, &id));
    return id.index;
}

static double effort_of(const Rig *rig, uint32_t drive) {
    double effort;
    assert_ok(afx_sim_drive_effort(rig->sim, drive, &effort));
    return effort;
}

static double rate_of(const Rig *rig, AfxJointId joint, uint32_t axis) {
    double rate;
    assert_ok(afx_sim_joint_coordinate(rig->sim, joint.index, axis, NULL, &rate));
    return rate;
}

/* A shaft along `axis` at a place, its inertia about that axis given, turning at `rate`. */
static AfxJointId add_shaft(Rig *rig, AfxVec3 at, AfxVec3 axis, double inertia, double rate) {
    AfxBodyDef def = rigid_def(1, inertia, inertia, inertia);
    def.pose.position = at;
    def.angular_velocity = v3_scale(rate / v3_norm(axis), axis);
    AfxBodyId body = rig_body(rig, &def);
    return rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(at, axis));
}

static AfxJointId add_slide(Rig *rig, AfxVec3 axis, double mass, double rate) {
    AfxBodyDef def = rigid_def(mass, 0.1, 0.1, 0.1);
    def.linear_velocity = v3_scale(rate / v3_norm(axis), axis);
    AfxBodyId body = rig_body(rig, &def);
    return rig_joint(rig, AFX_JOINT_PRISMATIC, afx_world(), body, afx_frame_along(v3(0, 0, 0), axis));
}

static const AfxSignal torque = {.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0.6}};

/* ---- gears ---- */

/* Two shafts on askew axes, x + 2.5 y = 0, from rest under a torque on the first: I1 + I2 / 2.5². */
static void a_gear_keeps_its_ratio(void **state) {
    (void)state;
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId shaft[2] = {add_shaft(&rig, v3(0, 0, 0), v3(0, 1, 0), 0.02, 0),
                               add_shaft(&rig, v3(0.5, 0, 0.2), v3(1, 2, 0.5), 0.1, 0)};
        const double factors[2] = {1, 2.5};
        couple(&rig, 2, shaft, factors, 0, 0);
        add_target(&rig, AFX_DRIVE_FORCE, shaft[0], torque);
        AfxSimDef sim = sim_def(methods[k], 2e-3);
        double a = 0.6 / (0.02 + 0.1 / 6.25);
        rig_start(&rig, &sim);
        for (int n = 0; n < 2000; n++) {
            assert_below(rig_run(&rig, 1, NULL), 1e-10);
            assert_near(rig_coordinate(&rig, shaft[0], 0) + 2.5 * rig_coordinate(&rig, shaft[1], 0), 0, 1e-10);
        }
        /* 4 s: 133 rad, 21 turns; the methods' own error grows with the rate */
        assert_near(rig_coordinate(&rig, shaft[0], 0), a * 8, 3);
        assert_true(fabs(rig_coordinate(&rig, shaft[0], 0)) > 20 * 2 * PI);
        rig_free(&rig);
    }
}

/* The order of that, while it is slow. */
static double gear_error(double dt, double *out_gap) {
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId shaft[2] = {add_shaft(&rig, v3(0, 0, 0), v3(0, 1, 0), 0.02, 0),
                           add_shaft(&rig, v3(0.5, 0, 0), v3(0, 0, 1), 0.1, 0)};
    const double factors[2] = {1, -2.5};
    double a = 0.6 / (0.02 + 0.1 / 6.25), error = 0, work = 0, last = 0;
    couple(&rig, 2, shaft, factors, 0, 0);
    add_target(&rig, AFX_DRIVE_FORCE, shaft[0], torque);
    AfxSimDef sim = accurate_def(AFX_ALPHA, dt);
    rig_start(&rig, &sim);
    *out_gap = 0;
    for (int n = 0; n < (int)lround(0.5 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), power = 0.6 * rate_of(&rig, shaft[0], 0);
        work += dt * (power + last) / 2;
        last = power;
        error = fmax(error, fabs(rig_coordinate(&rig, shaft[0], 0) - a * t * t / 2));
        *out_gap = fmax(*out_gap, fabs(rig_energy(&rig) - work));
    }
    rig_free(&rig);
    return error;
}

static void a_gear_passes_power_on(void **state) {
    (void)state;
    double gap[2], error[2] = {gear_error(2e-3, &gap[0]), gear_error(1e-3, &gap[1])};
    print_message("gear: %.2g %.2g rad, %.2g %.2g J\n", error[0], error[1], gap[0], gap[1]);
    assert_below(error[1], 1e-3);
    assert_true(slope(error[0], error[1]) > 1.8);
    assert_below(gap[1], 1e-3);
    assert_true(slope(gap[0], gap[1]) > 1.8);
}

/* A driven gear: what the motor must give is the inertia seen through the ratio, and the held output's load. */
static void a_gear_divides_torque(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId input = add_shaft(&rig, v3(0, 0, 0), v3(0, 1, 0), 0.02, 0);
    AfxBodyDef def = rigid_def(2, 0.1, 0.1, 0.1);
    def.pose.position = v3(1.3, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId shaft[2] = {
        input, rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(1, 0, 0), v3(0, 1, 0)))};
    const double factors[2] = {1, -20};
    couple(&rig, 2, shaft, factors, 0, 0);
    AfxSignal hold = {.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0}};
    uint32_t motor = add_target(&rig, AFX_DRIVE_POSITION, input, hold);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 100, NULL);
    assert_near(effort_of(&rig, motor), -2 * gravity * 0.3 / 20, 1e-7);
    rig_free(&rig);
}

/* A constant: the relation need not go through zero. Both shafts start where it holds. */
static void a_relation_may_have_a_constant(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId shaft[2] = {add_shaft(&rig, v3(0, 0, 0), v3(0, 1, 0), 0.02, 0),
                           add_shaft(&rig, v3(0.5, 0, 0), v3(0, 0, 1), 0.1, 0)};
    const double factors[2] = {1, 3};
    double residual;
    couple(&rig, 2, shaft, factors, 0.4, 0);
    add_target(&rig, AFX_DRIVE_FORCE, shaft[0], torque);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim); /* repaired: neither shaft was where it had to be */
    assert_ok(afx_sim_assemble(rig.sim, &residual));
    assert_below(residual, 1e-12);
    for (int n = 0; n < 200; n++) {
        assert_near(rig_coordinate(&rig, shaft[0], 0) + 3 * rig_coordinate(&rig, shaft[1], 0), 0.4, 1e-10);
        rig_run(&rig, 1, NULL);
    }
    rig_free(&rig);
}

/* ---- rack, differential ---- */

/* A weight on a rack turns a pinion of radius r: a = m g / (m + I / r²). */
static void a_rack_turns_a_pinion(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    double r = 0.08, m = 1.5, inertia = 0.02, a = m * gravity / (m + inertia / r / r);
    AfxJointId joint[2] = {add_slide(&rig, v3(0, 0, -1), m, 0),
                           add_shaft(&rig, v3(0.3, 0, 0), v3(0, 1, 0), inertia, 0)};
    const double factors[2] = {1, -r};
    couple(&rig, 2, joint, factors, 0, 0);
    AfxSimDef sim = sim_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    double begin = rig_energy(&rig);
    for (int n = 0; n < 1000; n++) {
        assert_below(rig_run(&rig, 1, NULL), 1e-10);
        assert_near(rig_coordinate(&rig, joint[0], 0), r * rig_coordinate(&rig, joint[1], 0), 1e-10);
    }
    assert_near(rig_coordinate(&rig, joint[0], 0), a / 2, 1e-3);
    assert_true(rig_coordinate(&rig, joint[1], 0) > 3 * 2 * PI);
    assert_near(rig_energy(&rig), begin, 2e-2);
    rig_free(&rig);
}

/* x + y - 2 z = 0: each half shaft takes half the torque. One held, the other turns twice as fast as the cage. */
static void a_differential_divides_evenly(void **state) {
    (void)state;
    for (int held = 0; held < 2; held++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxJointId shaft[3] = {add_shaft(&rig, v3(0, 0, 0), v3(0, 1, 0), 0.03, 0),
                               add_shaft(&rig, v3(0, 1, 0), v3(0, 1, 0), 0.09, 0),
                               add_shaft(&rig, v3(0, 0.5, 0), v3(0, 1, 0), 0.05, 0)};
        const double factors[3] = {1, 1, -2};
        AfxSignal still = {.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0}};
        couple(&rig, 3, shaft, factors, 0, 0);
        add_target(&rig, AFX_DRIVE_FORCE, shaft[2], torque);
        uint32_t brake = held ? add_target(&rig, AFX_DRIVE_POSITION, shaft[1], still) : 0;
        AfxSimDef sim = sim_def(AFX_ALPHA, 1e-3);
        rig_start(&rig, &sim);
        for (int n = 0; n < 1000; n++) {
            assert_below(rig_run(&rig, 1, NULL), 1e-10);
            double x = rig_coordinate(&rig, shaft[0], 0), y = rig_coordinate(&rig, shaft[1], 0);
            assert_near(x + y, 2 * rig_coordinate(&rig, shaft[2], 0), 1e-10);
        }
        /* free: I1 x" = I2 y" = f, z" = f (1/I1 + 1/I2) / 2, 0.05 z" = 0.6 - 2 f; held: y" = 0, x" = 2 z" */
        double f = 0.6 / (2 + 0.05 * (1 / 0.03 + 1 / 0.09) / 2), g = 0.6 / (2 + 0.05 / 0.03 / 2);
        assert_near(rig_coordinate(&rig, shaft[0], 0), (held ? g : f) / 0.03 / 2, 2e-3);
        assert_near(rig_coordinate(&rig, shaft[1], 0), held ? 0 : f / 0.09 / 2, 2e-3);
        if (held) {
            assert_near(effort_of(&rig, brake), -g, 2e-3);
        }
        rig_free(&rig);
    }
}

/* A coupling of one term is a lock, of the coordinate to constant / factor. */
static void one_term_locks(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId slide = add_slide(&rig, v3(0, 0, 1), 2, 0);
    const double factor = 4;
    couple(&rig, 1, &slide, &factor, 0, 0);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 200, NULL);
    assert_near(rig_coordinate(&rig, slide, 0), 0, 1e-10);
    rig_free(&rig);
}

/* ---- compliance ---- */

/* A compliant coupling is a spring of stiffness 1 / compliance in what it measures: under a constant load it gives
 * compliance * load, and two shafts on it oscillate against each other. */
static void a_compliant_gear_gives(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId shaft[2] = {add_shaft(&rig, v3(0, 0, 0), v3(0, 1, 0), 0.2, 1),
                           add_shaft(&rig, v3(0.5, 0, 0), v3(0, 0, 1), 0.3, 0)};
    const double factors[2] = {1, -2};
    couple(&rig, 2, shaft, factors, 0, 0.05);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    double w = sqrt((1 / 0.2 + 4 / 0.3) / 0.05); /* u = x - 2 y, u" = -(1 / I1 + 4 / I2) u / c */
    rig_start(&rig, &sim);
    for (int n = 0; n < 1000; n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim);
        double u = rig_coordinate(&rig, shaft[0], 0) - 2 * rig_coordinate(&rig, shaft[1], 0);
        assert_near(u, sin(w * t) / w, 1e-3);
    }
    rig_free(&rig);
}

static void a_compliant_coupling_under_load(void **state) {
    (void)state;
    static const double compliances[3] = {1e-2, 1e-5, 1e-9};
    for (size_t k = 0; k < COUNT(compliances); k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId slide = add_slide(&rig, v3(0, 0, 1), 2, 0);
        const double factor = 1;
        couple(&rig, 1, &slide, &factor, 0, compliances[k]);
        AfxSimDef sim = sim_def(AFX_BDF1, 0.01);
        rig_start(&rig, &sim);
        rig_run(&rig, 6000, NULL); /* the method's own damping brings it to rest */
        assert_near(rig_coordinate(&rig, slide, 0), -2 * gravity * compliances[k], 1e-3 * compliances[k] + 1e-10);
        rig_free(&rig);
    }
}

/* ---- the screw ---- */

static AfxJointId add_screw(Rig *rig, double pitch, double mass, double inertia, double rate) {
    AfxBodyDef def = rigid_def(mass, 0.1, 0.1, inertia);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SCREW);
    def.angular_velocity = v3(0, 0, rate);
    def.linear_velocity = v3(0, 0, rate * pitch);
    joint.base = afx_world();
    joint.follower = rig_body(rig, &def);
    joint.pitch = pitch;
    assert_ok(afx_joint_place(rig->scene, &joint, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1))));
    return rig_joint_def(rig, &joint);
}

/* Under its weight alone: (m p² + I) angle" = -m g p. */
static double screw_error(double dt, double *out_gap) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    double p = 0.05, m = 3, inertia = 0.02, a = -m * gravity * p / (m * p * p + inertia), error = 0;
    AfxJointId joint = add_screw(&rig, p, m, inertia, 2);
    AfxSimDef sim = accurate_def(AFX_ALPHA, dt);
    rig_start(&rig, &sim);
    double begin = rig_energy(&rig);
    *out_gap = 0;
    for (int n = 0; n < (int)lround(0.5 / dt); n++) {
        assert_below(rig_run(&rig, 1, NULL), 1e-10);
        double t = afx_sim_time(rig.sim), angle = rig_coordinate(&rig, joint, 1);
        assert_near(rig_coordinate(&rig, joint, 0), p * angle, 1e-10);
        assert_near(rate_of(&rig, joint, 0), p * rate_of(&rig, joint, 1), 1e-2);
        error = fmax(error, fabs(angle - (2 * t + a * t * t / 2)));
        *out_gap = fmax(*out_gap, fabs(rig_energy(&rig) - begin));
    }
    rig_free(&rig);
    return error;
}

static void a_screw_runs_down_by_its_weight(void **state) {
    (void)state;
    double gap[2], error[2] = {screw_error(2e-3, &gap[0]), screw_error(1e-3, &gap[1])};
    print_message("screw: %.2g %.2g rad, %.2g %.2g J\n", error[0], error[1], gap[0], gap[1]);
    assert_below(error[1], 1e-2);
    assert_true(slope(error[0], error[1]) > 1.8);
    assert_below(gap[1], 5e-3);
    assert_true(slope(gap[0], gap[1]) > 1.8);
}

/* Turned by a motor over many turns, either way, it advances by its pitch; the motor lifts the weight: m g p. */
static void a_screw_advances_with_every_turn(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = add_screw(&rig, 0.01 * side, 3, 0.02, 12);
        AfxDriveDef def = afx_default_drive(AFX_DRIVE_POSITION);
        AfxDriveId motor;
        def.joint = joint;
        def.axis = 1;
        def.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 12}};
        assert_ok(afx_scene_add_drive(rig.scene, &def, &motor));
        AfxSimDef sim = afx_default_sim();
        rig_start(&rig, &sim);
        for (int n = 0; n < 1000; n++) {
            assert_below(rig_run(&rig, 1, NULL), 1e-10);
            double t = afx_sim_time(rig.sim);
            assert_near(rig_coordinate(&rig, joint, 1), 12 * t, 1e-10);
            assert_near(rig_coordinate(&rig, joint, 0), 0.01 * side * 12 * t, 1e-10);
        }
        assert_near(effort_of(&rig, motor.index), 3 * gravity * 0.01 * side, 5e-3); /* I w² (w h)³ of the method */
        rig_free(&rig);
    }
}

int run_coupling_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gear_keeps_its_ratio),
        cmocka_unit_test(a_gear_passes_power_on),
        cmocka_unit_test(a_gear_divides_torque),
        cmocka_unit_test(a_relation_may_have_a_constant),
        cmocka_unit_test(a_rack_turns_a_pinion),
        cmocka_unit_test(a_differential_divides_evenly),
        cmocka_unit_test(one_term_locks),
        cmocka_unit_test(a_compliant_gear_gives),
        cmocka_unit_test(a_compliant_coupling_under_load),
        cmocka_unit_test(a_screw_runs_down_by_its_weight),
        cmocka_unit_test(a_screw_advances_with_every_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
