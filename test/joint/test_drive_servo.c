/* SPDX-License-Identifier: Apache-2.0 */
/* Servos respond as their law says, saturate at their effort and recover, settle at load over stiffness, and follow
 * input. */
#include "driven.h"

static const double gravity = 9.81;

typedef struct Servo {
    double inertia, load, stiffness, damping, target, effort;
} Servo;

static double servo_effort(const Servo *s, double x, double v) {
    double asked = s->stiffness * (s->target - x) - s->damping * v;
    return fmax(-s->effort, fmin(s->effort, asked));
}

static double servo_bend(const Servo *s, double x, double v) {
    return (servo_effort(s, x, v) + s->load) / s->inertia;
}

static void servo_run(const Servo *s, double *x, double *v, double duration) {
    int count = 20;
    double h = duration / count;
    for (int n = 0; n < count; n++) {
        double a1 = *v, b1 = servo_bend(s, *x, *v);
        double a2 = *v + h / 2 * b1, b2 = servo_bend(s, *x + h / 2 * a1, a2);
        double a3 = *v + h / 2 * b2, b3 = servo_bend(s, *x + h / 2 * a2, a3);
        double a4 = *v + h * b3, b4 = servo_bend(s, *x + h * a3, a4);
        *x += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        *v += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
}

static uint32_t add_servo(Rig *rig, AfxJointId joint, const Servo *servo) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SERVO);
    def.joint = joint;
    def.target = signal_constant(servo->target);
    def.stiffness = servo->stiffness;
    def.damping = servo->damping;
    def.effort = servo->effort;
    return add_drive(rig, &def);
}

/* The step response, along a slide with its weight or a turn without; the largest error, and in *out_most the largest
 * effort. */
static double servo_error(AfxJointKind kind, Servo servo, double dt, double duration, double *out_most) {
    double g = kind == AFX_JOINT_PRISMATIC ? gravity : 0, x = 0, v = 0, error = 0;
    Rig rig = rig_make(v3(0, 0, -g));
    AfxJointId joint = driven_add(&rig, kind, 0, 0);
    uint32_t drive = add_servo(&rig, joint, &servo);
    AfxSimDef sim = accurate_def(AFX_BDF2, dt);
    servo.inertia = driven_inertia(kind);
    servo.load = -DRIVEN_MASS * g;
    rig_start(&rig, &sim);
    *out_most = 0;
    for (int n = 0; n < (int)lround(duration / dt); n++) {
        rig_run(&rig, 1, NULL);
        servo_run(&servo, &x, &v, dt);
        error = fmax(error, fabs(rig_coordinate(&rig, joint, 0) - x));
        *out_most = fmax(*out_most, fabs(effort_of(&rig, drive)));
    }
    rig_free(&rig);
    return error;
}

static void servos_respond_as_their_law(void **state) {
    (void)state;
    Servo servo = {.stiffness = 80, .damping = 4, .target = 1, .effort = INFINITY};
    for (int k = 0; k < 2; k++) {
        double most, e[3];
        for (int r = 0; r < 3; r++) {
            e[r] = servo_error(driven_both[k], servo, 4e-3 / (1 << r), 2, &most);
        }
        print_message("servo: %.2g %.2g %.2g\n", e[0], e[1], e[2]);
        assert_below(e[2], 2e-3);
        assert_true(slope(e[0], e[1]) > 1.8);
        assert_true(slope(e[1], e[2]) > 1.8);
    }
}

/* Held down by its limit at first, it follows the same law with the limit and arrives. */
static void servos_saturate_and_recover(void **state) {
    (void)state;
    static const double efforts[2] = {5, 30};
    for (int k = 0; k < 2; k++) {
        Servo servo = {.stiffness = 200, .damping = 20, .target = 1, .effort = efforts[k]};
        double most, coarse = servo_error(driven_both[k], servo, 2e-3, 3, &most);
        double fine = servo_error(driven_both[k], servo, 1e-3, 3, &most);
        print_message("limited servo: %.2g %.2g\n", coarse, fine);
        assert_near(most, servo.effort, 1e-9); /* reached, never passed */
        assert_below(fine, 1e-3);
        assert_true(slope(coarse, fine) > 0.9); /* the corners of the law may cost an order */
    }
}

/* With its limit below the weight it is dragged down; lifted up again by a new limit it stands where it should:
 * load / stiffness below its target. */
static void servos_settle_at_load_over_stiffness(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_PRISMATIC, 1, 0);
    Servo servo = {.stiffness = 300, .damping = 40, .target = 1, .effort = 15};
    uint32_t drive = add_servo(&rig, joint, &servo);
    AfxSimDef sim = afx_default_sim();
    double numbers[9], x = 1, v = 0;
    rig_start(&rig, &sim);
    rig_run(&rig, 50, NULL);
    servo.inertia = DRIVEN_MASS;
    servo.load = -DRIVEN_MASS * gravity;
    servo_run(&servo, &x, &v, 50 * sim.dt);
    assert_near(effort_of(&rig, drive), 15, 1e-12);
    assert_near(rig_coordinate(&rig, joint, 0), x, 2e-3);
    assert_near(rate_of(&rig, joint), v, 1e-2);
    assert_ok(afx_sim_param(rig.sim, AFX_PARAM_DRIVE, drive, numbers));
    assert_near(numbers[3], 15, 0);
    numbers[3] = 60;
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_DRIVE, drive, numbers));
    rig_run(&rig, 600, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), 1 - DRIVEN_MASS * gravity / 300, 1e-8);
    assert_near(effort_of(&rig, drive), DRIVEN_MASS * gravity, 1e-6);
    rig_free(&rig);
}

/* A servo from input follows it with the rate's help: with damping alone it turns at the rate. */
static void servos_take_input(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_REVOLUTE, 0, 0);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SERVO);
    def.joint = joint;
    def.from_input = true;
    def.stiffness = 50;
    def.damping = 20;
    uint32_t drive = add_drive(&rig, &def);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int n = 1; n <= 1000; n++) { /* a ramp through many turns */
        assert_ok(afx_sim_set_drive_target(rig.sim, drive, 5 * n * sim.dt, 5));
        rig_run(&rig, 1, NULL);
    }
    assert_near(rig_coordinate(&rig, joint, 0), 50, 5e-3); /* the method's rate is off by (5 h)² / 3 */
    assert_near(rate_of(&rig, joint), 5, 5e-3);
    rig_free(&rig);
}

/* A disc on a hinge of a shaft that turns at a given rate: a servo without stiffness drags it along,
 * J w' = d (shaft - w). */
static void a_shaft_drags_what_a_damper_holds(void **state) {
    (void)state;
    const double shaft = 2, damping = 0.6, moment = 0.3, duration = 0.5;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, moment, moment, moment);
    AfxBodyId disc = rig_body(&rig, &def);
    def.kind = AFX_BODY_KINEMATIC;
    def.motion = (AfxMotion){.axis = v3(0, 0, 1), .angle = signal_polynomial(0, shaft, 0, 0)};
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_REVOLUTE, rig_body(&rig, &def), disc, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
    add_servo(&rig, joint, &(Servo){.damping = damping, .effort = INFINITY});
    AfxSimDef sim = afx_default_sim();
    sim.dt = 1e-3;
    rig_start(&rig, &sim);
    rig_run(&rig, (uint32_t)lround(duration / sim.dt), NULL);
    assert_near(rig_twist(&rig, disc).angular.z, shaft * (1 - exp(-duration * damping / moment)), 1e-4);
    rig_free(&rig);
}

/* A servo on an angle of a ball keeps up with a target that runs away at a constant rate: its damper knows that rate.
 */
static void servos_of_balls_keep_up_with_their_target(void **state) {
    (void)state;
    const double rate = 0.8, duration = 1.5;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef body = rigid_def(1, 0.3, 0.3, 0.3);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SERVO);
    AfxSimDef sim = afx_default_sim();
    def.joint = rig_joint(&rig, AFX_JOINT_SPHERICAL, afx_world(), rig_body(&rig, &body), afx_pose_identity());
    def.target = signal_polynomial(0, rate, 0, 0);
    def.stiffness = 40;
    def.damping = 10;
    add_drive(&rig, &def);
    rig_start(&rig, &sim);
    rig_run(&rig, (uint32_t)lround(duration / sim.dt), NULL);
    assert_near(rig_coordinate(&rig, def.joint, 0), rate * duration, 2e-3); /* else late by rate damping / stiffness */
    rig_free(&rig);
}

int run_drive_servo_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servos_respond_as_their_law),
        cmocka_unit_test(servos_saturate_and_recover),
        cmocka_unit_test(servos_settle_at_load_over_stiffness),
        cmocka_unit_test(servos_take_input),
        cmocka_unit_test(a_shaft_drags_what_a_damper_holds),
        cmocka_unit_test(servos_of_balls_keep_up_with_their_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
