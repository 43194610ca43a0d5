/* SPDX-License-Identifier: Apache-2.0 */
/* Dry friction of joints: below its limit nothing creeps, above it the rest accelerates; what slides slows down, stops
 * and sticks; and friction that follows from the reaction. */
#include "driven.h"

static const double gravity = 9.81;

static uint32_t add_friction(Rig *rig, AfxJointId joint, double effort, double coefficient, double radius) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_FRICTION);
    def.joint = joint;
    def.effort = effort;
    def.coefficient = coefficient;
    def.radius = radius;
    return add_drive(rig, &def);
}

/* A block of `mass` on a slide that points down a slope. */
static AfxJointId add_block(Rig *rig, double mass, double slant, double rate) {
    AfxBodyDef def = rigid_def(mass, 0.2, 0.2, 0.2);
    AfxVec3 down = v3(cos(slant), 0, -sin(slant));
    def.linear_velocity = v3_scale(rate, down);
    AfxBodyId body = rig_body(rig, &def);
    return rig_joint(rig, AFX_JOINT_PRISMATIC, afx_world(), body, afx_frame_along(v3(0, 0, 0), down));
}

/* ---- a given friction ---- */

static void below_its_limit_nothing_creeps(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        double load = 3 * gravity * sin(0.4);
        AfxJointId joint = add_block(&rig, 3, 0.4, 0);
        uint32_t drive = add_friction(&rig, joint, 1.01 * load, 0, 0);
        AfxSimDef sim = sim_def(methods[k], 0.01);
        rig_start(&rig, &sim);
        for (int n = 0; n < 1000; n++) {
            rig_run(&rig, 1, NULL);
            assert_near(rig_coordinate(&rig, joint, 0), 0, 1e-11);
            assert_near(rate_of(&rig, joint), 0, 1e-11);
            assert_near(effort_of(&rig, drive), -load, 1e-7);
        }
        rig_free(&rig);
    }
}

/* From rest with the load above the limit: x = (load - limit) / m t² / 2, up and down the slope. */
static void above_it_the_rest_accelerates(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        double load = 3 * gravity * sin(0.4 * side), limit = 0.7 * fabs(load), a = (load - side * limit) / 3;
        AfxJointId joint = add_block(&rig, 3, 0.4 * side, 0);
        uint32_t drive = add_friction(&rig, joint, limit, 0, 0);
        AfxSimDef sim = sim_def(AFX_ALPHA, 0.01);
        rig_start(&rig, &sim);
        for (int n = 0; n < 200; n++) {
            rig_run(&rig, 1, NULL);
            double t = afx_sim_time(rig.sim);
            assert_near(rig_coordinate(&rig, joint, 0), a * t * t / 2, 1e-4);
            assert_near(rate_of(&rig, joint), a * t, 1e-4);
            assert_near(effort_of(&rig, drive), -side * limit, 1e-9);
        }
        rig_free(&rig);
    }
}

/* It slides v² m / 2 F in v m / F seconds, then stays. */
static double slide_error(AfxIntegrator integrator, double dt, double rate) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    double limit = 5, a = limit / 3, end = fabs(rate) / a, error = 0, rest;
    AfxJointId joint = add_block(&rig, 3, 0, rate);
    uint32_t drive = add_friction(&rig, joint, limit, 0, 0);
    AfxSimDef sim = accurate_def(integrator, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)ceil((end + 0.1) / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = fmin(afx_sim_time(rig.sim), end), size = fabs(rate) * t - a * t * t / 2;
        error = fmax(error, fabs(rig_coordinate(&rig, joint, 0) - copysign(size, rate)));
        if (n > 2 && afx_sim_time(rig.sim) < end - 2 * dt) {
            assert_near(effort_of(&rig, drive), -copysign(limit, rate), 1e-9);
        }
    }
    rig_run(&rig, 200, NULL); /* what a multistep method remembers fades */
    rest = rig_coordinate(&rig, joint, 0);
    rig_run(&rig, (uint32_t)lround(1 / dt), NULL);
    assert_near(rig_coordinate(&rig, joint, 0), rest, 1e-11);
    assert_near(rate_of(&rig, joint), 0, 1e-11);
    assert_near(effort_of(&rig, drive), 0, 1e-7);
    rig_free(&rig);
    return error;
}

static void what_slides_stops_and_sticks(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (size_t k = 0; k < COUNT(methods); k++) {
        double coarse = slide_error(methods[k], 8e-3, 1.7), fine = slide_error(methods[k], 2e-3, 1.7);
        print_message("slide: %.2g %.2g m\n", coarse, fine);
        assert_near(slide_error(methods[k], 8e-3, -1.7), coarse, 1e-9);
        assert_below(fine, 6e-3);
        assert_true(slope(coarse, fine) > 2 * (methods[k] == AFX_BDF1 ? 0.8 : 1.7)); /* halved twice */
    }
}

/* No creep over 10 s after the stop, on a slope where it could. */
static void it_does_not_creep_afterwards(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    double load = 3 * gravity * sin(0.2), limit = 2 * load, rest;
    AfxJointId joint = add_block(&rig, 3, 0.2, 1);
    uint32_t drive = add_friction(&rig, joint, limit, 0, 0);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 100, NULL);
    rest = rig_coordinate(&rig, joint, 0);
    assert_near(rest, 1 / (2 * load / 3), 2e-2);
    rig_run(&rig, 1000, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), rest, 1e-11);
    assert_near(effort_of(&rig, drive), -load, 1e-7);
    rig_free(&rig);
}

/* Between two bodies that nothing else touches it conserves momentum; in the end they turn together. */
static void two_bodies_rub_to_one_rate(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.2, 0.2, 0.4);
    def.angular_velocity = v3(0, 0, 6);
    AfxBodyId one = rig_body(&rig, &def);
    def.inertia[2] = 0.1;
    def.angular_velocity = v3(0, 0, -2);
    AfxBodyId two = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, one, two, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
    add_friction(&rig, joint, 0.5, 0, 0);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 600, NULL); /* 0.4 and 0.1 against 0.5: -8 rad/s takes 1.28 s */
    assert_near(rig_twist(&rig, one).angular.z, 6 - 0.5 / 0.4 * 0.6, 1e-3);
    assert_near(rig_twist(&rig, two).angular.z, -2 + 0.5 / 0.1 * 0.6, 1e-3);
    rig_run(&rig, 1400, NULL);
    assert_near(rate_of(&rig, joint), 0, 1e-10);
    assert_near(rig_twist(&rig, one).angular.z, (0.4 * 6 - 0.1 * 2) / 0.5, 1e-3);
    assert_near(rig_twist(&rig, two).angular.z, (0.4 * 6 - 0.1 * 2) / 0.5, 1e-3);
    rig_free(&rig);
}

/* ---- friction from the reaction ---- */

/* A shaft with its weight on a bearing of radius r: I w' = -mu r m g. */
static double shaft_error(double dt) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    double mass = 4, inertia = 0.05, mu = 0.3, radius = 0.02, a = mu * radius * mass * gravity / inertia, error = 0;
    AfxBodyDef def = rigid_def(mass, 0.1, inertia, 0.1);
    def.angular_velocity = v3(0, 10, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
    uint32_t drive = add_friction(&rig, joint, 0, mu, radius);
    AfxSimDef sim = accurate_def(AFX_BDF2, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(4 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = fmin(afx_sim_time(rig.sim), 10 / a);
        error = fmax(error, fabs(rig_coordinate(&rig, joint, 0) - (10 * t - a * t * t / 2)));
        if (n > 4 && afx_sim_time(rig.sim) < 10 / a - 3 * dt) {
            assert_near(effort_of(&rig, drive), -mu * radius * mass * gravity, 1e-5);
        }
    }
    assert_near(rate_of(&rig, joint), 0, 1e-10); /* 2.1 s and it stands */
    rig_free(&rig);
    return error;
}

static void a_loaded_shaft_runs_down(void **state) {
    (void)state;
    double coarse = shaft_error(4e-3), fine = shaft_error(1e-3);
    print_message("shaft: %.2g %.2g rad\n", coarse, fine);
    assert_below(fine, 1e-2);
    assert_true(slope(coarse, fine) > 2 * 0.8);
}

/* An axial load as well: the friction follows the length of the whole reaction, and adds to a given share. */
static void it_follows_the_whole_reaction(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 3, -4));
    AfxBodyDef def = rigid_def(2, 0.3, 0.5, 0.3);
    def.angular_velocity = v3(0, 10, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
    uint32_t drive = add_friction(&rig, joint, 0.2, 0.5, 0.1);
    AfxSimDef sim = accurate_def(AFX_BDF2, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    assert_near(effort_of(&rig, drive), -(0.2 + 0.5 * 0.1 * 10), 1e-6);
    assert_near(rate_of(&rig, joint), 10 - 0.7 / 0.5, 2e-3);
    rig_free(&rig);
}

/* A block on a slope steeper than its coefficient slides with g (sin - mu cos). */
static void a_slope_slides_by_its_coefficient(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    double slant = 0.5, mu = 0.8 * tan(slant), a = gravity * (sin(slant) - mu * cos(slant));
    AfxJointId joint = add_block(&rig, 3, slant, 0);
    add_friction(&rig, joint, 0, mu, 1);
    AfxSimDef sim = sim_def(AFX_BDF2, 2e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), 2 * a, 2e-2);
    assert_near(rate_of(&rig, joint), 2 * a, 2e-2);
    rig_free(&rig);
}

/* A block on the level, pushed: up to mu m g it stays, beyond that the rest accelerates it. */
/* A coefficient just above the slope's tangent holds from the first step on. */
static void a_slope_holds_by_its_coefficient(void **state) {
    (void)state;
    double slant = 0.5;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_block(&rig, 3, slant, 0);
    add_friction(&rig, joint, 0, 1.02 * tan(slant), 1);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 200, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), 0, 1e-10);
    rig_free(&rig);
}

static void a_push_below_the_coefficient_moves_nothing(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    double most = 0.4 * 3 * gravity;
    AfxJointId joint = add_block(&rig, 3, 0, 0);
    uint32_t drive = add_friction(&rig, joint, 0, 0.4, 1);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_FORCE);
    AfxDriveId push;
    def.joint = joint;
    def.from_input = true;
    assert_ok(afx_scene_add_drive(rig.scene, &def, &push));
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 10, NULL);
    assert_ok(afx_sim_set_drive_target(rig.sim, push.index, 0.98 * most, 0));
    rig_run(&rig, 1000, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), 0, 1e-11);
    assert_near(effort_of(&rig, drive), -0.98 * most, 1e-7);
    assert_ok(afx_sim_set_drive_target(rig.sim, push.index, 1.5 * most, 0));
    rig_run(&rig, 20, NULL);
    double begin = rate_of(&rig, joint);
    rig_run(&rig, 100, NULL);
    assert_near(rate_of(&rig, joint) - begin, 0.5 * most / 3, 1e-6);
    assert_near(effort_of(&rig, drive), -most, 1e-6);
    rig_free(&rig);
}

/* ---- where a limit holds the coordinate ---- */

/* A block is pushed up to its limit by a servo, or falls on it, rubbing all the way: there it rests, and every step
 * takes one solve. Friction and limit share the load: the limit only pushes, friction has no more than it can. */
static void at_a_limit_nothing_goes_round(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (size_t k = 0; k < 6; k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        double push = k % 2 ? 0 : 40, slant = k % 2 ? 0.9 : 0.1, most = 8;
        AfxJointId joint = add_block(&rig, 3, slant, k % 2 ? 0.5 : 0);
        AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), limit = afx_default_drive(AFX_DRIVE_LIMIT);
        servo.joint = limit.joint = joint;
        servo.stiffness = push;
        servo.damping = 0.2 * push;
        servo.target.coefficients[0] = 1;
        limit.upper = 0.3;
        limit.lower = -0.3;
        add_drive(&rig, &servo);
        uint32_t end = add_drive(&rig, &limit), rub = add_friction(&rig, joint, most, 0, 0);
        AfxSimDef sim = sim_def(methods[k / 2], 0.01);
        rig_start(&rig, &sim);
        rig_run(&rig, 300, NULL);
        for (int n = 0; n < 100; n++) {
            AfxStepReport report;
            double held, rubbed;
            assert_ok(afx_step(rig.sim, &report));
            assert_int_equal(report.iterations, 1);
            assert_near(rig_coordinate(&rig, joint, 0), 0.3, 1e-10);
            assert_ok(afx_sim_drive_effort(rig.sim, end, &held));
            assert_ok(afx_sim_drive_effort(rig.sim, rub, &rubbed));
            assert_true(held <= 0 && fabs(rubbed) <= most * (1 + 1e-9));
            assert_near(held + rubbed, -(push * 0.7 + 3 * gravity * sin(slant)), 1e-6);
        }
        rig_free(&rig);
    }
}

/* Two brakes on every hinge of an arm hold it twice over: which of them carries what is not told, both together carry
 * the weight, and the step says that constraints were redundant. */
static void two_brakes_hold_as_one(void **state) {
    (void)state;
    enum { BONES = 3 };
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId before = afx_world();
    uint32_t brake[BONES][2];
    for (int k = 0; k < BONES; k++) {
        AfxBodyDef def = rigid_def(1, 0.01, 0.02, 0.02);
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        def.pose.position = v3(k + 0.5, 0, 0);
        hinge.base = before;
        hinge.follower = before = rig_body(&rig, &def);
        assert_ok(afx_joint_place(rig.scene, &hinge, afx_frame_along(v3(k, 0, 0), v3(0, 1, 0))));
        AfxJointId joint = rig_joint_def(&rig, &hinge);
        for (int n = 0; n < 2; n++) {
            brake[k][n] = add_friction(&rig, joint, 100, 0, 0);
        }
    }
    AfxSimDef def = afx_default_sim();
    rig_start(&rig, &def);
    for (int n = 0; n < 50; n++) {
        AfxStepReport report;
        assert_ok(afx_step(rig.sim, &report));
        assert_true(report.flags & AFX_STEP_REGULARISED);
        for (int k = 0; k < BONES; k++) {
            double one, two, arm = (BONES - k) * (BONES - k) / 2.0;
            assert_ok(afx_sim_drive_effort(rig.sim, brake[k][0], &one));
            assert_ok(afx_sim_drive_effort(rig.sim, brake[k][1], &two));
            assert_near(fabs(one + two), 9.81 * arm, 1e-6);
            assert_true(fabs(one) < 100 && fabs(two) < 100);
        }
        assert_near(rig_pose(&rig, afx_scene_body(rig.scene, BONES - 1)).position.z, 0, 1e-9);
    }
    rig_free(&rig);
}

/* A finger of five hinges with servos, limits and friction that is told new poses, half of them beyond its limits:
 * friction does not take turns with limits, nor are limits struck anew that servos press. */
static void a_finger_takes_few_iterations(void **state) {
    (void)state;
    enum { BONES = 5, STEPS = 1000, HOLD = 50 };
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId before = afx_world();
    uint32_t servos[BONES];
    double at = 0;
    for (int k = 0; k < BONES; k++) {
        double length = k ? 0.045 - 0.007 * k : 0.012, mass = k ? 0.03 - 0.004 * k : 0.008, most = k ? 0.6 : 0.8;
        AfxBodyDef def =
            rigid_def(mass, mass * 3e-5, mass * (3e-5 + length * length / 12), mass * (3e-5 + length * length / 12));
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        def.pose.position = v3(at + length / 2, 0, 0);
        hinge.base = before;
        hinge.follower = before = rig_body(&rig, &def);
        assert_ok(afx_joint_place(rig.scene, &hinge, afx_frame_along(v3(at, 0, 0), v3(0, k > 0, k == 0))));
        AfxJointId joint = rig_joint_def(&rig, &hinge);
        AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), limit = afx_default_drive(AFX_DRIVE_LIMIT);
        servo.joint = limit.joint = joint;
        servo.from_input = true;
        servo.stiffness = servo.effort = most;
        servo.damping = 0.05 * most;
        limit.lower = k ? -0.2 : -0.35;
        limit.upper = k ? 1.5 : 0.35;
        servos[k] = add_drive(&rig, &servo);
        add_drive(&rig, &limit);
        add_friction(&rig, joint, 0.05 * most, 0, 0);
        at += length;
    }
    AfxSimDef def = afx_default_sim();
    uint64_t seed = 7;
    uint32_t iterations = 0, impacts = 0;
    rig_start(&rig, &def);
    for (int n = 0; n < STEPS; n++) {
        AfxStepReport report;
        for (int k = 0; n % HOLD == 0 && k < BONES; k++) {
            double lower = k ? -0.2 : -0.35, range = k ? 1.7 : 0.7;
            double target = lower + range * (2 * random_unit(&seed) - 0.5);
            assert_ok(afx_sim_set_drive_target(rig.sim, servos[k], target, 0));
        }
        assert_ok(afx_step(rig.sim, &report));
        iterations += report.iterations;
        impacts += (report.flags & AFX_STEP_IMPACT) != 0;
    }
    assert_below((double)iterations / STEPS, 3.1); /* 2.9; 3.3 with friction that sticks at limits as well */
    assert_true(impacts < 250);                    /* 170; 392 where a pressed limit is struck anew */
    rig_free(&rig);
}

int run_friction_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_limit_nothing_goes_round),
        cmocka_unit_test(two_brakes_hold_as_one),
        cmocka_unit_test(a_finger_takes_few_iterations),
        cmocka_unit_test(below_its_limit_nothing_creeps),
        cmocka_unit_test(above_it_the_rest_accelerates),
        cmocka_unit_test(what_slides_stops_and_sticks),
        cmocka_unit_test(it_does_not_creep_afterwards),
        cmocka_unit_test(two_bodies_rub_to_one_rate),
        cmocka_unit_test(a_loaded_shaft_runs_down),
        cmocka_unit_test(it_follows_the_whole_reaction),
        cmocka_unit_test(a_slope_slides_by_its_coefficient),
        cmocka_unit_test(a_slope_holds_by_its_coefficient),
        cmocka_unit_test(a_push_below_the_coefficient_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
