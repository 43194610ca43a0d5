/* SPDX-License-Identifier: Apache-2.0 */
/* Motors: position and velocity drives are exact and turn as often as they are told, their effort is what the motion
 * takes; forces and servos move a body as their law says; several work on one mechanism; what they put in is what its
 * energy gains; a snapshot of all of them goes on bit for bit, and no step allocates. */
#include "support/allocator.h"
#include "tests.h"

static const double gravity = 9.81;
static const double mass = 2, moment = 0.3, arm = 0.4; /* of the driven body: its centre off the axis by `arm` */

static AfxSignal constant(double value) {
    return (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {value}};
}

static AfxSignal polynomial(double a, double b, double c, double d) {
    return (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {a, b, c, d}};
}

static AfxSignal sine(double offset, double amplitude, double frequency, double phase) {
    return (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {offset, amplitude, frequency, phase}};
}

static uint32_t add_drive(Rig *rig, const AfxDriveDef *def) {
    AfxDriveId id;
    assert_ok(afx_scene_add_drive(rig->scene, def, &id));
    return id.index;
}

static uint32_t add_target(Rig *rig, AfxDriveKind kind, AfxJointId joint, uint32_t axis, AfxSignal target) {
    AfxDriveDef def = afx_default_drive(kind);
    def.joint = joint;
    def.axis = axis;
    def.target = target;
    return add_drive(rig, &def);
}

static double effort_of(const Rig *rig, uint32_t drive) {
    double effort;
    assert_ok(afx_sim_drive_effort(rig->sim, drive, &effort));
    return effort;
}

static double rate_of(const Rig *rig, AfxJointId joint) {
    double rate;
    assert_ok(afx_sim_joint_coordinate(rig->sim, joint.index, 0, NULL, &rate));
    return rate;
}

/* One body on the world, at coordinate x and rate v of its one free axis: REVOLUTE about y with its centre out at
 * x = arm, or PRISMATIC along z. */
static AfxJointId add_one(Rig *rig, AfxJointKind kind, double x, double v) {
    bool turns = kind == AFX_JOINT_REVOLUTE;
    AfxVec3 axis = turns ? v3(0, 1, 0) : v3(0, 0, 1);
    AfxBodyDef def = rigid_def(mass, 0.2, moment, 0.25);
    AfxJointDef joint = afx_default_joint(kind);
    AfxPose frame = afx_frame_along(v3(0, 0, 0), axis), zero = {v3(arm, 0, 0), {1, 0, 0, 0}};
    AfxPose motion = turns ? (AfxPose){v3(0, 0, 0), q_about(axis, x)} : (AfxPose){v3_scale(x, axis), {1, 0, 0, 0}};
    def.pose = afx_pose_compose(motion, zero);
    def.angular_velocity = v3_scale(turns ? v : 0, axis);
    def.linear_velocity = turns ? v3_cross(def.angular_velocity, def.pose.position) : v3_scale(v, axis);
    joint.base = afx_world();
    joint.follower = rig_body(rig, &def);
    joint.base_frame = frame;
    joint.follower_frame = afx_pose_compose(afx_pose_invert(zero), frame);
    return rig_joint_def(rig, &joint);
}

/* Inertia of that body along its coordinate, and the force of gravity along it. */
static double inertia_of(AfxJointKind kind) {
    return kind == AFX_JOINT_REVOLUTE ? moment + mass * arm * arm : mass;
}

static double weight_of(AfxJointKind kind, double x, double g) {
    return kind == AFX_JOINT_REVOLUTE ? mass * g * arm * cos(x) : -mass * g;
}

static const AfxJointKind both[2] = {AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC};

/* ---- position ---- */

/* A drive whose data the body starts with, at default settings: the coordinate is the signal's, turns and all. */
static void check_position(AfxJointKind kind, AfxSignal signal, uint32_t steps) {
    Rig rig = rig_make(v3(0.3, 0, -gravity));
    double value, rate;
    uint32_t flags;
    assert_ok(afx_signal_evaluate(&signal, 0, &value, &rate, NULL));
    AfxJointId joint = add_one(&rig, kind, value, rate);
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
        check_position(both[k], constant(0), 100);
        check_position(both[k], constant(-1.3), 100);
        check_position(both[k], polynomial(0.2, -1, 0.7, 0.4), 300);
        check_position(both[k], sine(0.1, 0.8, 1.5, 0.6), 300);
        check_position(both[k], table, 300);
    }
}

/* Starts at half a turn and at several turns; up to more than half a radian in a step, for many turns. */
static void position_drives_turn_many_times(void **state) {
    (void)state;
    static const double starts[] = {0, PI, -PI, 3 * PI, -7 * PI, 20};
    static const double rates[] = {7, -7, 60, -60};
    for (size_t k = 0; k < COUNT(starts); k++) {
        for (size_t r = 0; r < COUNT(rates); r++) {
            check_position(AFX_JOINT_REVOLUTE, polynomial(starts[k], rates[r], 0, 0), 300);
        }
    }
    check_position(AFX_JOINT_REVOLUTE, sine(PI, 30, 0.2, 0), 500);
    check_position(AFX_JOINT_REVOLUTE, sine(-PI, 0.01, 2, 0), 100);
}

/* Targets from input: exact at the end of every step. */
static void position_drives_follow_input(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = add_one(&rig, both[k], 0.5, 0);
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
    AfxJointId joint = add_one(&rig, AFX_JOINT_REVOLUTE, 0, 0);
    uint32_t drive = add_target(&rig, AFX_DRIVE_POSITION, joint, 0, constant(0));
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
    AfxSignal slide = polynomial(0, 0, 0.5, -0.1), turn = sine(0, 5, 0.5, 0);
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
    AfxSignal signal = sine(0.3, 0.6, 0.8, 0.4);
    double value, rate, bend, w = 2 * PI * 0.8;
    EffortErrors e = {0};
    assert_ok(afx_signal_evaluate(&signal, 0, &value, &rate, NULL));
    bool position = drive_kind == AFX_DRIVE_POSITION;
    AfxJointId joint = add_one(&rig, kind, position ? value : 0, position ? rate : value);
    uint32_t drive = add_target(&rig, drive_kind, joint, 0, signal);
    AfxSimDef sim = accurate_def(integrator, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(1 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), x, a, *worst = t < 0.2 ? &e.early : &e.late;
        assert_ok(afx_signal_evaluate(&signal, t, &value, &rate, &bend));
        x = position ? value : 0.3 * t + 0.6 / w * (cos(0.4) - cos(w * t + 0.4));
        a = position ? bend : rate;
        *worst = fmax(*worst, fabs(effort_of(&rig, drive) - (inertia_of(kind) * a - weight_of(kind, x, gravity))));
    }
    rig_free(&rig);
    return e;
}

static void their_effort_is_what_the_motion_takes(void **state) {
    (void)state;
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 8; k++) {
        AfxDriveKind drive = k & 4 ? AFX_DRIVE_VELOCITY : AFX_DRIVE_POSITION;
        EffortErrors coarse = effort_errors(both[k & 1], drive, methods[k >> 1 & 1], 4e-3);
        EffortErrors fine = effort_errors(both[k & 1], drive, methods[k >> 1 & 1], 2e-3);
        print_message("effort, %s, %s, %s: early %.2g %.2g, late %.2g %.2g\n", k & 4 ? "velocity" : "position",
                      k & 1 ? "slide" : "turn", k & 2 ? "alpha" : "bdf2", coarse.early, fine.early, coarse.late,
                      fine.late);
        assert_below(fine.early, 0.5); /* the first steps have order one where the acceleration is changing */
        assert_true(slope(coarse.early, fine.early) > 0.9);
        assert_below(fine.late, 4e-3);
        assert_true(slope(coarse.late, fine.late) > 1.8);
    }
}

/* ---- velocity ---- */

/* The coordinate is the integral of the rate, from where the joint is: Simpson's rule has a cubic exactly. */
static void velocity_drives_integrate(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int sort = 0; sort < 3; sort++) {
            Rig rig = rig_make(v3(0, 0, -gravity));
            double start = k == 0 ? PI : 0.4, w = 2 * PI * 0.7;
            AfxSignal signal = sort == 0 ? constant(9) : sort == 1 ? polynomial(1, -2, 0.6, 0.8) : sine(2, 3, 0.7, 0.2);
            double value;
            assert_ok(afx_signal_evaluate(&signal, 0, &value, NULL, NULL));
            AfxJointId joint = add_one(&rig, both[k], start, value);
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
    AfxJointId joint = add_one(&rig, AFX_JOINT_REVOLUTE, 0, 0);
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

/* ---- force ---- */

/* theta" = tau / I with tau a sine: theta in closed form. */
static double force_error(AfxJointKind kind, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, 0));
    double w = 2 * PI * 0.9, f = 2.5, i = inertia_of(kind), error = 0;
    AfxJointId joint = add_one(&rig, kind, 0.2, -0.5);
    uint32_t drive = add_target(&rig, AFX_DRIVE_FORCE, joint, 0, sine(0, f, 0.9, 0));
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
        double coarse = force_error(both[k & 1], methods[k >> 1], 4e-3);
        double fine = force_error(both[k & 1], methods[k >> 1], 2e-3);
        assert_below(fine, 1e-3);
        assert_true(slope(coarse, fine) > 1.8);
    }
}

/* A force from input, and one that its limit clips. */
static void forces_take_input_and_limits(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = add_one(&rig, AFX_JOINT_PRISMATIC, 0, 0);
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
    assert_near(rate_of(&rig, joint) - begin, -3 / mass, 1e-9);
    rig_free(&rig);
}

/* ---- servo ---- */

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
    def.target = constant(servo->target);
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
    AfxJointId joint = add_one(&rig, kind, 0, 0);
    uint32_t drive = add_servo(&rig, joint, &servo);
    AfxSimDef sim = accurate_def(AFX_BDF2, dt);
    servo.inertia = inertia_of(kind);
    servo.load = -mass * g;
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
            e[r] = servo_error(both[k], servo, 4e-3 / (1 << r), 2, &most);
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
        double most, coarse = servo_error(both[k], servo, 2e-3, 3, &most);
        double fine = servo_error(both[k], servo, 1e-3, 3, &most);
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
    AfxJointId joint = add_one(&rig, AFX_JOINT_PRISMATIC, 1, 0);
    Servo servo = {.stiffness = 300, .damping = 40, .target = 1, .effort = 15};
    uint32_t drive = add_servo(&rig, joint, &servo);
    AfxSimDef sim = afx_default_sim();
    double numbers[9], x = 1, v = 0;
    rig_start(&rig, &sim);
    rig_run(&rig, 50, NULL);
    servo.inertia = mass;
    servo.load = -mass * gravity;
    servo_run(&servo, &x, &v, 50 * sim.dt);
    assert_near(effort_of(&rig, drive), 15, 1e-12);
    assert_near(rig_coordinate(&rig, joint, 0), x, 2e-3);
    assert_near(rate_of(&rig, joint), v, 1e-2);
    assert_ok(afx_sim_param(rig.sim, AFX_PARAM_DRIVE, drive, numbers));
    assert_near(numbers[3], 15, 0);
    numbers[3] = 60;
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_DRIVE, drive, numbers));
    rig_run(&rig, 600, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), 1 - mass * gravity / 300, 1e-8);
    assert_near(effort_of(&rig, drive), mass * gravity, 1e-6);
    rig_free(&rig);
}

/* A servo from input follows it with the rate's help: with damping alone it turns at the rate. */
static void servos_take_input(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = add_one(&rig, AFX_JOINT_REVOLUTE, 0, 0);
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

/* ---- several on one mechanism ---- */

/* A parallelogram of three bars of 1 m and 1 kg, both cranks upright at angle 0 about y. */
static void add_bars(Rig *rig, AfxJointId out[4]) {
    AfxVec3 y = v3(0, 1, 0), at[4] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 0, 1), v3(1, 0, 1)};
    AfxBodyId bar[3];
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = k == 2 ? v3(0.5, 0, 1) : v3(k, 0, 0.5);
        bar[k] = rig_body(rig, &def);
    }
    out[0] = rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), bar[0], afx_frame_along(at[0], y));
    out[1] = rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), bar[1], afx_frame_along(at[1], y));
    out[2] = rig_joint(rig, AFX_JOINT_REVOLUTE, bar[0], bar[2], afx_frame_along(at[2], y));
    out[3] = rig_joint(rig, AFX_JOINT_REVOLUTE, bar[1], bar[2], afx_frame_along(at[3], y));
}

/* Two motors that agree share the torque: (2 I + 1) a" - 2 g sin a, I of a bar about its end. */
static void two_motors_drive_a_four_bar(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint[4];
    add_bars(&rig, joint);
    AfxSignal signal = polynomial(0, 0, 0.5, 0.3);
    uint32_t left = add_target(&rig, AFX_DRIVE_POSITION, joint[0], 0, signal);
    uint32_t right = add_target(&rig, AFX_DRIVE_POSITION, joint[1], 0, signal);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 2e-3);
    uint32_t flags;
    rig_start(&rig, &sim);
    for (int n = 0; n < 500; n++) {
        double value, bend, a, b;
        assert_below(rig_run(&rig, 1, &flags), 1e-10);
        assert_false(flags & (AFX_STEP_FAILED | AFX_STEP_HALVED | AFX_STEP_LOOSE));
        assert_ok(afx_signal_evaluate(&signal, afx_sim_time(rig.sim), &value, NULL, &bend));
        a = effort_of(&rig, left);
        b = effort_of(&rig, right);
        assert_near(rig_coordinate(&rig, joint[0], 0), value, 1e-10);
        assert_near(rig_coordinate(&rig, joint[1], 0), value, 1e-10);
        assert_near(a + b, (2 * 0.35 + 1) * bend - 2 * gravity * sin(value), 1e-2);
        assert_below(fabs(a) + fabs(b), 100);
    }
    assert_true(rig_finite(&rig));
    rig_free(&rig);
}

/* ---- energy ---- */

/* Trapezoids under effort times rate of a drive. */
typedef struct Work {
    double sum, power;
} Work;

static void work_add(Work *work, double power, double h) {
    work->sum += h * (power + work->power) / 2;
    work->power = power;
}

/* Two bars under gravity, the first turned by a motor (a force or a prescribed angle), a damper and a spring between
 * them: how far the books are from closing, at any time. */
static double energy_gap(AfxDriveKind motor_kind, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxVec3 y = v3(0, 1, 0);
    AfxBodyDef def = rigid_def(1, 0.02, 0.1, 0.1);
    def.pose.position = v3(0.5, 0, 0);
    AfxBodyId first = rig_body(&rig, &def);
    def.pose.position = v3(1.5, 0, 0);
    AfxBodyId second = rig_body(&rig, &def);
    AfxJointId crank = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), first, afx_frame_along(v3(0, 0, 0), y));
    AfxJointId elbow = rig_joint(&rig, AFX_JOINT_REVOLUTE, first, second, afx_frame_along(v3(1, 0, 0), y));
    bool position = motor_kind == AFX_DRIVE_POSITION;
    uint32_t motor = add_target(&rig, motor_kind, crank, 0, position ? sine(0.8, 0.8, 0.5, -PI / 2) : sine(8, 6, 1, 1));
    AfxDriveDef soft = afx_default_drive(AFX_DRIVE_SPRING);
    soft.joint = elbow;
    soft.stiffness = 20;
    soft.damping = 0.8;
    soft.rest = 0.3;
    add_drive(&rig, &soft);
    AfxSimDef sim = accurate_def(integrator, dt);
    Work in = {0}, lost = {0};
    double gap = 0, begin = 0;
    rig_start(&rig, &sim);
    begin = rig_energy(&rig) + 0.5 * 20 * 0.3 * 0.3;
    in.power = 0; /* at rest */
    for (int n = 0; n < (int)lround(1.5 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double bend = rig_coordinate(&rig, elbow, 0) - 0.3, rate = rate_of(&rig, elbow);
        work_add(&in, effort_of(&rig, motor) * rate_of(&rig, crank), dt);
        work_add(&lost, 0.8 * rate * rate, dt);
        gap = fmax(gap, fabs(rig_energy(&rig) + 10 * bend * bend - begin - in.sum + lost.sum));
    }
    assert_true(fabs(in.sum) > 1 && lost.sum > 0.05); /* there was something to account for */
    rig_free(&rig);
    return gap;
}

static void the_books_of_energy_close(void **state) {
    (void)state;
    static const AfxDriveKind motors[2] = {AFX_DRIVE_FORCE, AFX_DRIVE_POSITION};
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double gap[3];
        for (int r = 0; r < 3; r++) {
            gap[r] = energy_gap(motors[k & 1], methods[k >> 1], 4e-3 / (1 << r));
        }
        print_message("energy, %s, %s: %.2g %.2g %.2g J\n", k & 1 ? "position" : "force", k & 2 ? "alpha" : "bdf2",
                      gap[0], gap[1], gap[2]);
        assert_below(gap[2], 1e-2);
        assert_true(slope(gap[0], gap[1]) > 1.7);
        assert_true(slope(gap[1], gap[2]) > 1.7);
    }
}

/* ---- snapshots and memory ---- */

/* One joint of each: sine-driven, velocity-driven, velocity from input, saturated servo, a stop that is reached, one
 * that bounces, friction, a coupling, a point spring. */
static Rig busy_rig(uint32_t *out_input) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint[8];
    AfxVec3 y = v3(0, 1, 0);
    for (int k = 0; k < 8; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = v3(0.5, 0.1 * k, 0);
        AfxBodyId body = rig_body(&rig, &def);
        joint[k] = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0.1 * k, 0), y));
        if (k == 7) {
            AfxSpringDef spring = afx_default_spring();
            AfxSpringId id;
            spring.body_a = body;
            spring.body_b = afx_world();
            spring.point_b = v3(0, 0.1 * k, 1);
            spring.stiffness = 50;
            spring.damping = 1;
            assert_ok(afx_scene_add_spring(rig.scene, &spring, &id));
        }
    }
    add_target(&rig, AFX_DRIVE_POSITION, joint[0], 0, sine(0, 2, 1, 0));
    add_target(&rig, AFX_DRIVE_VELOCITY, joint[1], 0, sine(1, 5, 1, 0));
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_VELOCITY);
    def.joint = joint[2];
    def.from_input = true;
    *out_input = add_drive(&rig, &def);
    add_servo(&rig, joint[3], &(Servo){.stiffness = 100, .damping = 2, .target = -1, .effort = 6});
    for (int k = 4; k < 6; k++) {
        def = afx_default_drive(AFX_DRIVE_LIMIT);
        def.joint = joint[k];
        def.lower = -0.1;
        def.upper = 0.6;
        def.restitution = k == 4 ? 0 : 0.7;
        add_drive(&rig, &def);
    }
    def = afx_default_drive(AFX_DRIVE_FRICTION);
    def.joint = joint[6];
    def.effort = 1;
    def.coefficient = 0.2;
    def.radius = 0.1;
    add_drive(&rig, &def);
    AfxCouplingDef coupling = afx_default_coupling();
    AfxCouplingId id;
    coupling.term_count = 2;
    coupling.joint[0] = joint[6];
    coupling.joint[1] = joint[7];
    coupling.factor[0] = 2;
    coupling.factor[1] = -1;
    assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
    return rig;
}

static void busy_run(Rig *rig, uint32_t input, int from, int to) {
    for (int n = from; n < to; n++) {
        assert_ok(afx_sim_set_drive_target(rig->sim, input, 3 * sin(0.05 * n), 0));
        assert_below(rig_run(rig, 1, NULL), 1e-10);
    }
}

static void a_snapshot_goes_on_bit_for_bit(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    uint32_t input;
    Rig rig = busy_rig(&input);
    for (size_t k = 0; k < COUNT(methods); k++) {
        AfxSimDef sim = sim_def(methods[k], 0.01);
        rig_start(&rig, &sim);
        size_t size = afx_sim_snapshot_size(rig.sim), numbers = 12 * (size_t)afx_model_body_count(rig.model);
        size_t bytes = 2 * numbers * sizeof(double);
        void *buffer = malloc(size);
        double *want = malloc(bytes), coordinates[2][8], effort[2][8];
        assert_non_null(buffer);
        assert_non_null(want);
        for (int at = 37; at < 140; at += 17) { /* at rest on the stop, in flight, saturated, sliding */
            rig_start(&rig, &sim);
            busy_run(&rig, input, 0, at);
            assert_ok(afx_sim_snapshot(rig.sim, buffer, size));
            busy_run(&rig, input, at, at + 60);
            memcpy(want, afx_sim_coordinates(rig.sim), bytes / 2);
            memcpy(want + numbers, afx_sim_velocities(rig.sim), bytes / 2);
            assert_ok(afx_sim_joint_coordinates(rig.sim, coordinates[0]));
            for (uint32_t d = 0; d < 7; d++) {
                effort[0][d] = effort_of(&rig, d);
            }
            for (int again = 0; again < 2; again++) { /* into the sim that went on, and into a new one */
                if (again) {
                    rig_start(&rig, &sim);
                }
                assert_ok(afx_sim_restore(rig.sim, buffer, size));
                busy_run(&rig, input, at, at + 60);
                assert_memory_equal(afx_sim_coordinates(rig.sim), want, bytes / 2);
                assert_memory_equal(afx_sim_velocities(rig.sim), want + numbers, bytes / 2);
                assert_ok(afx_sim_joint_coordinates(rig.sim, coordinates[1]));
                assert_memory_equal(coordinates[0], coordinates[1], sizeof coordinates[0]);
                for (uint32_t d = 0; d < 7; d++) {
                    effort[1][d] = effort_of(&rig, d);
                }
                assert_memory_equal(effort[0], effort[1], 7 * sizeof effort[0][0]);
            }
        }
        free(buffer);
        free(want);
    }
    rig_free(&rig);
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    TestAllocator counts = {0};
    uint32_t input;
    Rig rig = busy_rig(&input);
    AfxSimDef sim = afx_default_sim();
    sim.allocator = test_allocator(&counts);
    rig_start(&rig, &sim);
    uint64_t calls = counts.calls, frees = counts.frees;
    busy_run(&rig, input, 0, 150);
    assert_int_equal(counts.calls, calls);
    assert_int_equal(counts.frees, frees);
    rig_free(&rig);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

int run_drive_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(position_drives_are_exact),
        cmocka_unit_test(position_drives_turn_many_times),
        cmocka_unit_test(position_drives_follow_input),
        cmocka_unit_test(data_is_not_overridden),
        cmocka_unit_test(one_joint_takes_several_drives),
        cmocka_unit_test(their_effort_is_what_the_motion_takes),
        cmocka_unit_test(velocity_drives_integrate),
        cmocka_unit_test(velocity_drives_take_input),
        cmocka_unit_test(forces_accelerate),
        cmocka_unit_test(forces_take_input_and_limits),
        cmocka_unit_test(servos_respond_as_their_law),
        cmocka_unit_test(servos_saturate_and_recover),
        cmocka_unit_test(servos_settle_at_load_over_stiffness),
        cmocka_unit_test(servos_take_input),
        cmocka_unit_test(two_motors_drive_a_four_bar),
        cmocka_unit_test(the_books_of_energy_close),
        cmocka_unit_test(a_snapshot_goes_on_bit_for_bit),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
