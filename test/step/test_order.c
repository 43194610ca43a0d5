/* SPDX-License-Identifier: Apache-2.0 */
/* The order of each integrator: a driven, tumbling body whose frame is neither principal nor at its centre of mass,
 * against the Runge-Kutta reference, with the step halved three times. */
#include "tests.h"

static const AfxVec3 gravity = {0.5, -1, -9.81};
enum { RUNS = 4 };

static void set_wrenches(AfxWrenchDef out[2]) {
    out[0] = out[1] = afx_default_wrench();
    out[0].frame = AFX_FRAME_WORLD;
    out[0].point = v3(0.5, 0.3, -0.2);
    out[0].force = v3(1.5, -2, 1);
    out[0].torque = v3(0.4, 0.2, -0.6);
    out[1].frame = AFX_FRAME_BODY;
    out[1].point = v3(-0.3, 0.4, 0.1);
    out[1].force = v3(-1, 0.7, 2);
    out[1].torque = v3(-0.5, 1.2, 0.8);
}

static World driven_world(const AfxBodyDef *def) {
    AfxWrenchDef wrenches[2];
    World world = world_make(gravity);
    uint32_t body = world_add(&world, def);
    set_wrenches(wrenches);
    world_load(&world, body, &wrenches[0]);
    world_load(&world, body, &wrenches[1]);
    return world;
}

static RigidReference driven_reference(const AfxBodyDef *def, double time) {
    AfxWrenchDef wrenches[2];
    RigidReference body = rigid_reference_make(def, gravity);
    set_wrenches(wrenches);
    rigid_reference_load(&body, &wrenches[0]);
    rigid_reference_load(&body, &wrenches[1]);
    rigid_reference_run(&body, time, 2e-4);
    return body;
}

/* Gaps at t = 1 s for steps of 1/64 s, halved three times. */
static void measure(const AfxBodyDef *body, AfxSimDef def, Gap out[RUNS]) {
    World world = driven_world(body);
    RigidReference reference = driven_reference(body, 1);
    for (int k = 0; k < RUNS; k++) {
        uint32_t steps = 64u << k;
        def.dt = 1.0 / steps;
        world_start(&world, &def);
        world_run(&world, steps);
        out[k] = gap_between(&world, 0, &reference);
    }
    world_free(&world);
}

static void print_gaps(const char *name, const Gap gap[RUNS]) {
    for (int k = 0; k < RUNS; k++) {
        print_message("  %-12s h = 1/%-4d angle %.3e spin %.3e position %.3e velocity %.3e\n", name, 64 << k,
                      gap[k].angle, gap[k].spin, gap[k].position, gap[k].velocity);
    }
}

static void assert_order(const char *name, const Gap gap[RUNS], double order, double tolerance) {
    print_gaps(name, gap);
    for (int k = 2; k < RUNS; k++) { /* the first halving is not yet in the limit */
        assert_near(slope(gap[k - 1].angle, gap[k].angle), order, tolerance);
        assert_near(slope(gap[k - 1].spin, gap[k].spin), order, tolerance);
        assert_near(slope(gap[k - 1].position, gap[k].position), order, tolerance);
        assert_near(slope(gap[k - 1].velocity, gap[k].velocity), order, tolerance);
    }
}

static void check_order(const char *name, AfxIntegrator integrator, double rho, AfxAccuracy accuracy, double order) {
    Gap gap[RUNS];
    AfxBodyDef body = odd_def();
    AfxSimDef def = afx_default_sim();
    def.integrator = integrator;
    def.rho = rho;
    def.accuracy = accuracy;
    measure(&body, def, gap);
    assert_order(name, gap, order, 0.25);
}

static void bdf1_is_of_order_1(void **state) {
    (void)state;
    check_order("bdf1", AFX_BDF1, 0.8, AFX_ACCURATE, 1);
}

static void bdf2_is_of_order_2(void **state) {
    (void)state;
    check_order("bdf2", AFX_BDF2, 0.8, AFX_ACCURATE, 2);
}

static void generalised_alpha_is_of_order_2(void **state) {
    (void)state;
    check_order("alpha 0.8", AFX_ALPHA, 0.8, AFX_ACCURATE, 2);
    check_order("alpha 0.5", AFX_ALPHA, 0.5, AFX_ACCURATE, 2);
    check_order("alpha 0", AFX_ALPHA, 0, AFX_ACCURATE, 2);
}

static void sdirk2_is_at_least_of_order_1(void **state) {
    (void)state;
    Gap gap[RUNS];
    AfxBodyDef body = odd_def();
    AfxSimDef def = accurate_def(&methods[3], 1);
    measure(&body, def, gap);
    print_gaps("sdirk2", gap);
    for (int k = 2; k < RUNS; k++) {
        assert_true(slope(gap[k - 1].angle, gap[k].angle) > 0.75);
        assert_true(slope(gap[k - 1].spin, gap[k].spin) > 0.75);
    }
}

/* The default accuracy solves once in smooth motion: that must not cost the order. */
static void the_default_accuracy_keeps_the_order(void **state) {
    (void)state;
    check_order("bdf2 fast", AFX_BDF2, 0.8, AFX_FAST, 2);
    check_order("bdf1 fast", AFX_BDF1, 0.8, AFX_FAST, 1);
    check_order("alpha fast", AFX_ALPHA, 0.8, AFX_FAST, 2);
}

/* The error of a second-order method is small already at moderate steps, not only of the right slope. */
static void second_order_methods_beat_the_first(void **state) {
    (void)state;
    AfxBodyDef body = odd_def();
    Gap gap[METHODS][RUNS];
    for (int m = 0; m < METHODS; m++) {
        measure(&body, accurate_def(&methods[m], 1), gap[m]);
    }
    for (int k = 0; k < RUNS; k++) {
        assert_below(gap[0][k].angle, gap[1][k].angle / 3);
        assert_below(gap[2][k].angle, gap[1][k].angle / 3);
    }
}

/* The step changes at half time; history of the old step must not spoil the order. */
static void a_change_of_step_keeps_the_order(void **state) {
    (void)state;
    AfxBodyDef body = odd_def();
    RigidReference reference = driven_reference(&body, 1);
    World world = driven_world(&body);
    const int which[] = {0, 2};
    for (int m = 0; m < 2; m++) {
        Gap gap[RUNS];
        for (int k = 0; k < RUNS; k++) {
            uint32_t steps = 32u << k;
            AfxSimDef def = accurate_def(&methods[which[m]], 0.5 / steps);
            world_start(&world, &def);
            world_run(&world, steps);
            assert_ok(afx_sim_set_dt(world.sim, def.dt / 4));
            world_run(&world, 2 * steps);
            assert_ok(afx_sim_set_dt(world.sim, def.dt * 2));
            world_run(&world, steps / 4);
            assert_near(afx_sim_time(world.sim), 1, 1e-12);
            gap[k] = gap_between(&world, 0, &reference);
        }
        assert_order("new step", gap, 2, 0.35);
    }
    world_free(&world);
}

/* Of a mass on a slide and a spring of 10 rad/s after 0.64 s, in steps of dt. */
static double slide_error(double dt) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef body = rigid_def(1, 0.01, 0.01, 0.01);
    AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
    AfxSimDef def = accurate_def(&methods[3], dt);
    AfxDriveId id;
    double x = 0;
    AfxBodyId follower = afx_scene_body(world.scene, world_add(&world, &body));
    spring.joint =
        scene_joint(world.scene, AFX_JOINT_PRISMATIC, afx_world(), follower, (AfxPose){{0, 0, 0}, {1, 0, 0, 0}});
    spring.stiffness = 100;
    spring.rest = 0.3;
    assert_ok(afx_scene_add_drive(world.scene, &spring, &id));
    world_start(&world, &def);
    world_run(&world, (uint32_t)lround(0.64 / dt));
    assert_ok(afx_sim_joint_coordinate(world.sim, 0, 0, &x, NULL));
    world_free(&world);
    return fabs(x - 0.3 * (1 - cos(6.4)));
}

/* The same method on a point at the end of a rod of 1 m, in its two coordinates, from the horizontal, 0.64 s: what
 * stages of first order keep where constraints bend. */
static AfxVec3 plain_pendulum(uint32_t steps) {
    double h = 0.64 / steps, c = h * sqrt(0.5), d = h - c;
    AfxVec3 q = v3(1, 0, 0), v = v3(0, 0, 0), fall = v3(0, 0, -9.81 * d * d);
    for (uint32_t k = 0; k < steps; k++) {
        AfxVec3 first = v3_add(v3_add(q, v3_scale(d, v)), fall);
        AfxVec3 v_1 = v3_scale(1 / d, v3_sub(v3_scale(1 / v3_norm(first), first), q));
        AfxVec3 last = v3_add(v3_add(v3_add(q, v3_scale(2 * c, v_1)), v3_scale(d - c, v)), fall);
        last = v3_scale(1 / v3_norm(last), last);
        v = v3_scale(1 / d, v3_sub(last, v3_add(q, v3_scale(c, v_1))));
        q = last;
    }
    return q;
}

static void sdirk2_has_the_order_of_its_stages_where_something_turns(void **state) {
    (void)state;
    double slides = log2(slide_error(0.005) / slide_error(0.0025));
    AfxVec3 exact = plain_pendulum(400000);
    double turns = log2(v3_distance(plain_pendulum(128), exact) / v3_distance(plain_pendulum(256), exact));
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef body = rigid_def(1, 1e-9, 1e-9, 1e-9);
    AfxSimDef def = accurate_def(&methods[3], 0.005);
    body.pose.position = v3(1, 0, 0);
    AfxBodyId follower = afx_scene_body(world.scene, world_add(&world, &body));
    scene_joint(world.scene, AFX_JOINT_SPHERICAL, afx_world(), follower, (AfxPose){{0, 0, 0}, {1, 0, 0, 0}});
    world_start(&world, &def);
    world_run(&world, 128);
    print_message("  order %.2f on a slide, %.2f of a plain pendulum, off that by %.1e\n", slides, turns,
                  v3_distance(pose_of(&world, 0).position, plain_pendulum(128)));
    assert_true(slides > 1.9 && slides < 2.1 && turns > 0.9 && turns < 1.1);
    assert_below(v3_distance(pose_of(&world, 0).position, plain_pendulum(128)), 1e-6);
    world_free(&world);
}

int run_order_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdf1_is_of_order_1),
        cmocka_unit_test(bdf2_is_of_order_2),
        cmocka_unit_test(generalised_alpha_is_of_order_2),
        cmocka_unit_test(sdirk2_is_at_least_of_order_1),
        cmocka_unit_test(sdirk2_has_the_order_of_its_stages_where_something_turns),
        cmocka_unit_test(the_default_accuracy_keeps_the_order),
        cmocka_unit_test(second_order_methods_beat_the_first),
        cmocka_unit_test(a_change_of_step_keeps_the_order),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
