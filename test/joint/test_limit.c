/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of joint coordinates: a stop is reached exactly, holds with the force that it takes and lets go when pulled
 * off; with restitution it bounces; no step ends beyond it. */
#include "driven.h"

static const double gravity = 9.81;
static const double mass = 2, moment = 0.3, arm = 0.4;

static uint32_t add_limit(Rig *rig, AfxJointId joint, double lower, double upper, double restitution) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_LIMIT);
    def.joint = joint;
    def.lower = lower;
    def.upper = upper;
    def.restitution = restitution;
    return add_drive(rig, &def);
}

static uint32_t add_push(Rig *rig, AfxJointId joint) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_FORCE);
    def.joint = joint;
    def.from_input = true;
    return add_drive(rig, &def);
}

/* A pendulum about y, level at angle 0 and falling to greater angles. */
static AfxJointId add_pendulum(Rig *rig) {
    AfxBodyDef def = rigid_def(mass, 0.2, moment, 0.25);
    def.pose.position = v3(arm, 0, 0);
    AfxBodyId body = rig_body(rig, &def);
    return rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
}

/* A block on a vertical slide. */
static AfxJointId add_block(Rig *rig, double rate) {
    AfxBodyDef def = rigid_def(mass, 0.2, 0.2, 0.2);
    def.linear_velocity = v3(0, 0, rate);
    AfxBodyId body = rig_body(rig, &def);
    return rig_joint(rig, AFX_JOINT_PRISMATIC, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
}

/* ---- stops ---- */

static void a_stop_holds(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = add_pendulum(&rig);
        uint32_t limit = add_limit(&rig, joint, -1, 0.6, 0), push = add_push(&rig, joint), flags;
        AfxSimDef sim = sim_def(methods[k], 0.01);
        int struck = 0, at = 0;
        rig_start(&rig, &sim);
        for (int n = 1; n <= 500; n++) {
            rig_run(&rig, 1, &flags);
            struck += (flags & AFX_STEP_IMPACT) != 0;
            at = flags & AFX_STEP_IMPACT ? n : at;
            assert_true(rig_coordinate(&rig, joint, 0) <= 0.6 + 1e-9);
            if (!struck) {
                assert_near(effort_of(&rig, limit), 0, 0);
            } else {
                assert_near(rig_coordinate(&rig, joint, 0), 0.6, 1e-10);
                assert_near(rate_of(&rig, joint), 0, 1e-9);
            }
            if (struck && n > at + 20) { /* it bears the weight */
                assert_near(effort_of(&rig, limit), -mass * gravity * arm * cos(0.6), 1e-5);
            }
        }
        assert_int_equal(struck, 1);
        /* a little less than the weight, and it stays; a little more, and it lifts off as if there were none */
        double hold = mass * gravity * arm * cos(0.6);
        assert_ok(afx_sim_set_drive_target(rig.sim, push, -hold + 0.5, 0));
        rig_run(&rig, 100, NULL);
        assert_near(rig_coordinate(&rig, joint, 0), 0.6, 1e-10);
        assert_near(effort_of(&rig, limit), -0.5, 1e-5);
        assert_ok(afx_sim_set_drive_target(rig.sim, push, -hold - 0.5, 0));
        rig_run(&rig, 10, &flags);
        assert_near(effort_of(&rig, limit), 0, 0);
        assert_near(rate_of(&rig, joint), -0.5 / (moment + mass * arm * arm) * 0.1, 0.01);
        rig_free(&rig);
    }
}

/* A body that starts on its limit rests there from the first step on. */
static void a_start_on_the_limit_rests(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_block(&rig, 0);
    uint32_t limit = add_limit(&rig, joint, 0, 1, 0.5);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int n = 0; n < 300; n++) {
        rig_run(&rig, 1, NULL);
        assert_near(rig_coordinate(&rig, joint, 0), 0, 1e-9);
    }
    assert_near(effort_of(&rig, limit), mass * gravity, 1e-5);
    rig_free(&rig);
}

/* Both ends at one place hold like a lock. */
static void equal_limits_lock(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_block(&rig, 0);
    uint32_t limit = add_limit(&rig, joint, 0, 0, 0), push = add_push(&rig, joint);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int n = 0; n < 200; n++) {
        assert_ok(afx_sim_set_drive_target(rig.sim, push, 60 * sin(0.1 * n), 0));
        rig_run(&rig, 1, NULL);
        assert_near(rig_coordinate(&rig, joint, 0), 0, 1e-9);
    }
    assert_ok(afx_sim_set_drive_target(rig.sim, push, 0, 0));
    rig_run(&rig, 100, NULL);
    assert_near(effort_of(&rig, limit), mass * gravity, 1e-5);
    rig_free(&rig);
}

/* ---- bounces ---- */

typedef struct Bounce {
    double speed, height; /* first speed upwards after the impact, and how high it rises, over what it should be */
    double energy;        /* largest energy after the impact over that before */
} Bounce;

/* A block falls 0.7 m onto its lower limit. */
static Bounce bounce(double restitution, double dt, AfxIntegrator integrator) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_block(&rig, 0);
    add_limit(&rig, joint, -0.7, INFINITY, restitution);
    AfxSimDef sim = accurate_def(integrator, dt);
    double fall = 0.7, speed = sqrt(2 * gravity * fall), top = -0.7;
    Bounce b = {0};
    uint32_t flags = 0;
    rig_start(&rig, &sim);
    while (!(flags & AFX_STEP_IMPACT)) {
        rig_run(&rig, 1, &flags);
        assert_true(afx_sim_time(rig.sim) < 1);
    }
    assert_near(rig_coordinate(&rig, joint, 0), -0.7, 1e-9);
    b.speed = rate_of(&rig, joint) / (restitution * speed);
    for (flags = 0; !(flags & AFX_STEP_IMPACT) && afx_sim_time(rig.sim) < 1.6;) {
        top = fmax(top, rig_coordinate(&rig, joint, 0));
        b.energy = fmax(b.energy, (rig_energy(&rig) + mass * gravity * fall) / (mass * gravity * fall));
        rig_run(&rig, 1, &flags);
    }
    assert_true(flags & AFX_STEP_IMPACT); /* it came down again */
    b.height = (top + fall) / (restitution * restitution * fall);
    rig_free(&rig);
    return b;
}

static void bounces_lose_what_they_should(void **state) {
    (void)state;
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double e = k & 1 ? 1 : 0.5;
        Bounce coarse = bounce(e, 4e-3, methods[k >> 1]), fine = bounce(e, 1e-3, methods[k >> 1]);
        print_message("bounce, %g, %s: speed %.4f %.4f, height %.4f %.4f, energy %.4f %.4f\n", e,
                      k & 2 ? "alpha" : "bdf2", coarse.speed, fine.speed, coarse.height, fine.height, coarse.energy,
                      fine.energy);
        /* first order: g h of a speed of 3.7 m/s */
        assert_near(coarse.speed, 1, 1.5e-2);
        assert_near(fine.speed, 1, 4e-3);
        assert_near(fine.height, 1, 1e-2);
        assert_near(fine.energy, e * e, 1e-2);
    }
}

/* A pendulum that bounces without loss keeps bouncing: its energy does not grow and does not run away downwards. */
static void an_elastic_stop_keeps_the_energy(void **state) {
    (void)state;
    double lost[2];
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = add_pendulum(&rig);
        AfxSimDef sim = accurate_def(AFX_ALPHA, k ? 5e-4 : 1e-3);
        uint32_t flags;
        int struck = 0;
        add_limit(&rig, joint, -INFINITY, 0.9, 1);
        rig_start(&rig, &sim);
        double scale = mass * gravity * arm * sin(0.9);
        for (int n = 0; n < (k ? 6000 : 3000); n++) {
            rig_run(&rig, 1, &flags);
            struck += (flags & AFX_STEP_IMPACT) != 0;
            assert_true(rig_coordinate(&rig, joint, 0) <= 0.9 + 1e-9);
        }
        lost[k] = fabs(rig_energy(&rig)) / scale;
        assert_true(struck >= 3);
        rig_free(&rig);
    }
    print_message("elastic stop: %.2g %.2g of the energy\n", lost[0], lost[1]);
    assert_below(lost[0], 3e-2);
    assert_below(lost[1], 1.5e-2);
}

/* What the stop does not stop goes on. Gravity is slanted: a block falls down a slide onto its stop, a rider slides
 * across it on a joint of its own, and another block falls beside them. Rider and other block have v = g t before and
 * after. */
static void a_stop_stops_nothing_else(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    const double across = 2;
    for (size_t k = 0; k < 2 * COUNT(methods); k++) {
        Rig rig = rig_make(v3(across, 0, -gravity));
        AfxBodyDef def = rigid_def(mass, 0.2, 0.2, 0.2);
        AfxBodyId block = rig_body(&rig, &def), rider = rig_body(&rig, &def);
        AfxJointId slide =
            rig_joint(&rig, AFX_JOINT_PRISMATIC, afx_world(), block, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
        AfxJointId cross =
            rig_joint(&rig, AFX_JOINT_PRISMATIC, block, rider, afx_frame_along(v3(0, 0, 0), v3(1, 0, 0)));
        AfxJointId beside = add_block(&rig, 0);
        AfxSimDef sim = sim_def(methods[k / 2], 0.01);
        uint32_t flags;
        int struck = 0;
        add_limit(&rig, slide, -0.3, INFINITY, k % 2 ? 0.5 : 0);
        rig_start(&rig, &sim);
        for (int n = 1; n <= 60; n++) {
            double t = 0.01 * n;
            rig_run(&rig, 1, &flags);
            struck += (flags & AFX_STEP_IMPACT) != 0;
            assert_near(rate_of(&rig, cross), across * t, 1e-9);
            assert_near(rate_of(&rig, beside), -gravity * t, 1e-9);
        }
        assert_true(struck >= 1);
        rig_free(&rig);
    }
}

/* ---- never beyond ---- */

/* A chain of three bars between stops of every restitution, thrown about by its own weight and by shaken targets. */
static void no_step_ends_beyond_a_limit(void **state) {
    (void)state;
    static const double restitutions[3] = {0, 0.5, 1};
    for (uint64_t number = 1; number <= 6; number++) {
        uint64_t seed = number;
        Rig rig = rig_make(v3(2, 0, -gravity));
        AfxBodyId last = afx_world();
        AfxJointId joint[3];
        double lower[3], upper[3];
        uint32_t push[3];
        for (int k = 0; k < 3; k++) {
            AfxBodyDef def = rigid_def(1, 0.05, 0.1, 0.1);
            def.pose.position = v3(k + 0.5, 0, 0);
            AfxBodyId body = rig_body(&rig, &def);
            bool slides = k == 1 && number % 2;
            joint[k] = rig_joint(&rig, slides ? AFX_JOINT_PRISMATIC : AFX_JOINT_REVOLUTE, last, body,
                                 afx_frame_along(v3(k, 0, 0), slides ? v3(1, 0, 0) : v3(0, 1, 0)));
            lower[k] = -0.2 - 0.5 * random_unit(&seed);
            upper[k] = 0.2 + 0.5 * random_unit(&seed);
            add_limit(&rig, joint[k], lower[k], upper[k], restitutions[(k + number) % 3]);
            push[k] = add_push(&rig, joint[k]);
            last = body;
        }
        AfxSimDef sim = afx_default_sim();
        uint32_t flags, all = 0;
        rig_start(&rig, &sim);
        for (int n = 0; n < 300; n++) {
            for (int k = 0; k < 3; k++) {
                assert_ok(afx_sim_set_drive_target(rig.sim, push[k], 20 * (2 * random_unit(&seed) - 1), 0));
            }
            assert_below(rig_run(&rig, 1, &flags), 1e-9);
            all |= flags;
            for (int k = 0; k < 3; k++) {
                double x = rig_coordinate(&rig, joint[k], 0);
                assert_true(x >= lower[k] - 1e-9 && x <= upper[k] + 1e-9);
            }
        }
        assert_true(all & AFX_STEP_IMPACT);
        assert_true(rig_finite(&rig));
        rig_free(&rig);
    }
}

/* A four-bar comes to rest on a stop of its second crank; the first, driven over its dead point by nothing but the
 * loop, stands as well. */
static void a_loop_rests_on_a_stop(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxVec3 y = v3(0, 1, 0), at[4] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 0, 1), v3(1, 0, 1)};
    AfxBodyId bar[3];
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = k == 2 ? v3(0.5, 0, 1) : v3(k, 0, 0.5);
        def.linear_velocity = v3(k == 2 ? 0.2 : 0.1, 0, 0);
        def.angular_velocity = v3(0, k == 2 ? 0 : 0.2, 0);
        bar[k] = rig_body(&rig, &def);
    }
    AfxJointId left = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), bar[0], afx_frame_along(at[0], y));
    AfxJointId right = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), bar[1], afx_frame_along(at[1], y));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, bar[0], bar[2], afx_frame_along(at[2], y));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, bar[1], bar[2], afx_frame_along(at[3], y));
    uint32_t limit = add_limit(&rig, right, -1, 0.7, 0);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int n = 0; n < 400; n++) {
        assert_below(rig_run(&rig, 1, NULL), 1e-9);
        assert_true(rig_coordinate(&rig, right, 0) <= 0.7 + 1e-9);
    }
    assert_near(rig_coordinate(&rig, right, 0), 0.7, 1e-9);
    assert_near(rig_coordinate(&rig, left, 0), 0.7, 1e-9);
    assert_near(rate_of(&rig, left), 0, 1e-7);
    assert_near(effort_of(&rig, limit), -2 * gravity * sin(0.7), 1e-4);
    rig_free(&rig);
}

/* A block slides to a stop by friction, before its limit, at it, or beyond it if there were none; then a force presses
 * it there and draws it back. A step of BDF2 in which it sticks ends a third of the last way further: limit and
 * friction must not take turns over that, nor over what rounding says of a block that stands. */
static void friction_and_a_limit_take_no_turns(void **state) {
    (void)state;
    const double effort = 4, end = 0.05;
    for (int n = 0; n < 200; n++) {
        Rig rig = rig_make(v3(0, 0, 0));
        double speed = sqrt(2 * effort / mass * end) * (0.8 + 0.002 * n);
        AfxJointId joint = add_block(&rig, speed);
        uint32_t limit = add_limit(&rig, joint, -1, end, 0), push = add_push(&rig, joint);
        AfxDriveDef def = afx_default_drive(AFX_DRIVE_FRICTION);
        def.joint = joint;
        def.effort = effort;
        uint32_t friction = add_drive(&rig, &def), most = 0;
        AfxSimDef sim = sim_def(AFX_BDF2, 0.01);
        rig_start(&rig, &sim);
        for (int step = 0; step < 90; step++) {
            double force = step < 50 ? 0 : step < 70 ? 3 * effort : -0.5 * effort;
            AfxStepReport report;
            assert_ok(afx_sim_set_drive_target(rig.sim, push, force, 0));
            assert_ok(afx_step(rig.sim, &report));
            most = report.iterations > most ? report.iterations : most;
            double x = rig_coordinate(&rig, joint, 0);
            assert_true(x < end + 1e-10 && fabs(effort_of(&rig, friction)) <= effort + 1e-9);
            if (step == 69) { /* the two bear what presses */
                assert_near(x, end, 1e-9);
                assert_near(effort_of(&rig, limit) + effort_of(&rig, friction), -force, 1e-6);
            }
            if (step > 75) {
                assert_near(rate_of(&rig, joint), 0, 1e-9);
                assert_near(effort_of(&rig, limit) + effort_of(&rig, friction), -force, 1e-6);
            }
        }
        assert_true(most <= 4);
        rig_free(&rig);
    }
}

int run_limit_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_holds),
        cmocka_unit_test(a_start_on_the_limit_rests),
        cmocka_unit_test(equal_limits_lock),
        cmocka_unit_test(bounces_lose_what_they_should),
        cmocka_unit_test(an_elastic_stop_keeps_the_energy),
        cmocka_unit_test(a_stop_stops_nothing_else),
        cmocka_unit_test(no_step_ends_beyond_a_limit),
        cmocka_unit_test(a_loop_rests_on_a_stop),
        cmocka_unit_test(friction_and_a_limit_take_no_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
