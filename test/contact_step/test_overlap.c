/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing goes into another thing: corners of boxes and centres of balls are looked at in every step by code of this
 * test alone, from the state; the reported depth agrees with it. What starts inside comes out without being thrown. */
#include "tests.h"

#define BOXES 9
#define BALLS 7
#define RADIUS 0.1

/* How far the lowest corner of a box (half edges given) is below z = 0, its strain included. */
static double box_depth(const World *world, uint32_t body, AfxVec3 half) {
    double lowest = INFINITY;
    for (int side = -1; side <= 1; side += 2) {
        AfxVec3 corner[4], at[4];
        for (int k = 0; k < 4; ++k) {
            corner[k] = v3(side * half.x, k & 1 ? half.y : -half.y, k & 2 ? half.z : -half.z);
        }
        assert_ok(afx_sim_control_points(world->sim, body, corner, at, NULL));
        for (int k = 0; k < 4; ++k) {
            lowest = fmin(lowest, at[k].z);
        }
    }
    return -lowest;
}

/* Boxes thrown on the plane at all attitudes, far from each other. */
static void test_boxes_on_plane(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxShapeDef box = afx_default_box(0.4, 0.3, 0.2);
    uint32_t body[BOXES];
    for (int k = 0; k < BOXES; ++k) {
        AfxBodyDef def = afx_default_body();
        def.pose = (AfxPose){v3(3.0 * k, 0, 0.5 + 0.1 * k), q_about(v3(1, 0.3 * k, 2 - 0.5 * k), 0.7 * k)};
        def.linear_velocity = v3(0.5 * k - 2, 1, -2);
        def.angular_velocity = v3(k - 4, 3, 2 - k);
        body[k] = world_add(&world, &def, &box);
    }
    world_start(&world, NULL);
    double deepest = 0;
    for (int step = 0; step < 300; ++step) {
        AfxStepReport report;
        double depth = 0;
        assert_ok(afx_step(world.sim, &report));
        for (int k = 0; k < BOXES; ++k) {
            depth = fmax(depth, box_depth(&world, body[k], v3(0.2, 0.15, 0.1)));
        }
        /* gaps of points are good to 1e-4 of half the thickness; a strike strains a box by as much again, or twice */
        assert_near(report.depth, depth, 4e-5);
        deepest = fmax(deepest, depth);
    }
    assert_true(deepest > 1e-8); /* something touched */
    assert_below(deepest, 1e-3);
    for (int k = 0; k < BOXES; ++k) {
        assert_below(v3_norm(twist_of(&world, body[k]).linear), 1e-3);
    }
    world_free(&world);
}

/* Balls fall one after the other into a funnel of four planes. */
static void test_balls_in_funnel(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxBodyDef ground = afx_default_body();
    AfxShapeDef plane = afx_default_plane(), ball = afx_default_sphere(RADIUS);
    AfxVec3 normal[4];
    uint32_t body[BALLS];
    ground.kind = AFX_BODY_FIXED;
    for (int k = 0; k < 4; ++k) {
        plane.pose.rotation = q_about(v3(sin(k * PI / 2), -cos(k * PI / 2), 0), 0.6);
        normal[k] = q_rotate(plane.pose.rotation, v3(0, 0, 1));
        world_add(&world, &ground, &plane);
    }
    for (int k = 0; k < BALLS; ++k) {
        AfxBodyDef def = afx_default_body();
        def.pose.position = v3(0.02 * sin(2.0 * k), 0.02 * cos(3.0 * k), 0.3 + 0.25 * k);
        body[k] = world_add(&world, &def, &ball);
    }
    world_start(&world, NULL);
    double deepest = 0;
    for (int step = 0; step < 300; ++step) {
        assert_ok(afx_step(world.sim, NULL));
        for (int k = 0; k < BALLS; ++k) {
            AfxVec3 at = pose_of(&world, body[k]).position;
            for (int p = 0; p < 4; ++p) {
                deepest = fmax(deepest, RADIUS - v3_dot(normal[p], at));
            }
            for (int other = 0; other < k; ++other) {
                deepest = fmax(deepest, 2 * RADIUS - v3_distance(at, pose_of(&world, body[other]).position));
            }
        }
    }
    assert_true(deepest > 1e-8);
    assert_below(deepest, 1e-3);
    world_free(&world);
}

/* A cube that starts inside the ground comes out as fast as it has to be to get there against gravity, whatever the
 * step; then it lies on the ground. `energy`: what it may gain, of what lifting it needs. */
static void check_recovery(double depth, double dt, double young, double gravity, double energy) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxShapeDef box = afx_default_box(0.3, 0.3, 0.3);
    AfxBodyDef def = afx_default_body();
    AfxSimDef sim = afx_default_sim();
    AfxEnergy before, after;
    double fastest = 0, most = 0, acceleration = fmax(gravity, 0.1);
    assert_ok(afx_scene_set_gravity(world.scene, v3(0, 0, -gravity)));
    def.pose.position = v3(0, 0, 0.15 - depth);
    def.young = young;
    uint32_t body = world_add(&world, &def, &box);
    sim.dt = dt;
    world_start(&world, &sim);
    assert_ok(afx_sim_energy(world.sim, &before));
    double end = 4 * sqrt(2 * depth / acceleration);
    while (afx_sim_time(world.sim) < end) {
        assert_ok(afx_step(world.sim, NULL));
        assert_ok(afx_sim_energy(world.sim, &after));
        fastest = fmax(fastest, twist_of(&world, body).linear.z);
        most = fmax(most, after.total - before.total);
    }
    assert_below(most, energy * mass_of(&world, body) * acceleration * depth);
    assert_below(fastest, sqrt(energy * 2 * acceleration * depth));
    assert_true(pose_of(&world, body).position.z > 0.15 - 1e-5);
    world_free(&world);
}

static void test_recovery(void **state) {
    (void)state;
    static const double step[] = {1e-4, 1e-3, 2e-3, 5e-3, 1e-2};
    for (int k = 0; k < 5; ++k) {
        check_recovery(0.1, step[k], INFINITY, GRAVITY, 1.01);
        check_recovery(0.1, step[k], afx_default_body().young, GRAVITY, 2.05); /* the jolt leaves it swinging */
        check_recovery(0.05, step[k], afx_default_body().young, GRAVITY, 2.05);
    }
    check_recovery(0.1, 0.01, INFINITY, 0, 1.01);
}

/* Overlaps are told by bodies and depths, and asking changes no bit of the motion. */
static void test_overlaps_are_told(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    const double height[4] = {0.1, 0.28, 0.48, 3}; /* touches the ground; lies in the first; touches; far away */
    for (int k = 0; k < 4; ++k) {
        AfxBodyDef def = afx_default_body();
        def.pose.position = v3(0, 0, height[k]);
        world_add(&world, &def, &box);
    }
    AfxOverlap overlap[2];
    uint32_t count = 9;
    world_start(&world, NULL);
    world_run(&world, 0.2);
    double *copy = state_copy(&world);
    world_start(&world, NULL);
    assert_ok(afx_sim_overlaps(world.sim, NULL, 0, &count));
    assert_int_equal(count, 1);
    assert_ok(afx_sim_overlaps(world.sim, overlap, 2, &count));
    assert_true(overlap[0].body_a == 1 && overlap[0].body_b == 2);
    assert_near(overlap[0].depth, 0.02, 1e-12);
    world_run(&world, 0.1);
    assert_ok(afx_sim_overlaps(world.sim, overlap, 2, &count));
    world_run(&world, 0.1);
    assert_true(state_equal(&world, copy));
    assert_int_equal(afx_sim_overlaps(world.sim, NULL, 1, &count), AFX_E_ARGUMENT);
    free(copy);
    world_free(&world);
}

/* A crowd whose solves would take minutes is refused before memory is taken for them, and named. */
static void a_crowd_is_refused(void **state) {
    (void)state;
    enum { CROWD = 1000 };
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.2);
    uint32_t first = UINT32_MAX;
    for (int k = 0; k < CROWD; k++) {
        body.pose.position = v3(1e-4 * (k % 10), 1e-4 * (k / 10 % 10), 5 + 1e-4 * (k / 100));
        uint32_t added = world_add(&world, &body, &ball);
        first = first == UINT32_MAX ? added : first;
    }
    world_start(&world, NULL);
    double *before = state_copy(&world);
    AfxStepReport report;
    assert_int_equal(afx_step(world.sim, &report), AFX_E_LIMIT);
    assert_true(report.body >= first && report.body < first + CROWD);
    assert_true(state_equal(&world, before));
    free(before);
    world_free(&world);
}

/* What a solver iteration may take is a setting: flops, and memory. What is refused is told with its numbers, which as
 * limits let it pass. */
static void limits_are_settings(void **state) {
    (void)state;
    enum { CROWD = 12 };
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.2);
    for (int k = 0; k < CROWD; k++) {
        body.pose.position = v3(0.01 * k, 0, 5);
        world_add(&world, &body, &ball);
    }
    AfxSimDef def = afx_default_sim();
    AfxStepReport report;
    AfxCrowd crowd, other;
    def.flops_most = 1000;
    world_start(&world, &def);
    assert_ok(afx_sim_crowd(world.sim, &crowd));
    assert_int_equal(crowd.bodies, 0);
    assert_int_equal(afx_step(world.sim, &report), AFX_E_LIMIT);
    assert_ok(afx_sim_crowd(world.sim, &crowd));
    assert_int_equal(crowd.bodies, CROWD);
    assert_int_equal(crowd.touching, CROWD - 1);
    assert_int_equal(crowd.body, report.body);
    double rows = 12 * CROWD; /* all of them dense */
    assert_near(crowd.flops, rows * rows * rows / 3, 1e-9 * crowd.flops);
    def.flops_most = 0.99 * crowd.flops;
    world_start(&world, &def);
    assert_int_equal(afx_step(world.sim, &report), AFX_E_LIMIT);
    def.flops_most = 2 * crowd.flops;
    def.bytes_most = 1000;
    world_start(&world, &def);
    assert_int_equal(afx_step(world.sim, &report), AFX_E_LIMIT);
    assert_ok(afx_sim_crowd(world.sim, &other));
    assert_true(other.bytes > 8 * rows * rows / 2 && other.bodies == CROWD);
    assert_in_range(other.flops, (unsigned long)(0.9 * crowd.flops), (unsigned long)(1.5 * crowd.flops));
    def.bytes_most = other.bytes;
    world_start(&world, &def);
    assert_ok(afx_step(world.sim, &report));
    assert_ok(afx_sim_crowd(world.sim, &other));
    assert_int_equal(other.bodies, 0);
    assert_int_equal(afx_sim_crowd(NULL, &other), AFX_E_ARGUMENT);
    world_free(&world);
}

/* A heavy box falls fast on a heap of light ones, askew: a step that is cut into parts is begun with the whole island
 * that did not settle, not with one body after another. */
static void a_heap_is_cut_at_once(void **state) {
    (void)state;
    enum { HEAP = 12, EVENTS = 4096 };
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.3, 0.3, 0.3);
    AfxSimDef sim = afx_default_sim();
    uint32_t cuts = 0, most = 0;
    for (int k = 0; k < HEAP; ++k) {
        def.pose.position = v3(0.12 * (k % 3), 0.1 * (k % 2), 0.2 + 0.31 * k);
        def.pose.rotation = afx_quat_from_axis_angle(v3(0.3 * (k % 2), 1, 0.2 * k), 0.5 * k);
        def.linear_velocity.z = k + 1 < HEAP ? 0 : -30;
        def.mass = k + 1 < HEAP ? 1 : 50;
        world_add(&world, &def, &box);
    }
    world_start(&world, &sim);
    assert_ok(afx_sim_trace(world.sim, EVENTS));
    for (int step = 0; step < 60; ++step) {
        uint32_t halves = 0;
        assert_ok(afx_step(world.sim, NULL));
        for (uint32_t k = 0; k < afx_sim_trace_count(world.sim); ++k) {
            AfxTraceEvent event;
            assert_ok(afx_sim_trace_event(world.sim, k, &event));
            halves += event.kind == AFX_TRACE_CUT && event.parts == 2;
        }
        cuts += halves;
        most = halves > most ? halves : most;
        afx_sim_trace_clear(world.sim);
    }
    print_message("the heap is cut %u times, at most %u in a step\n", cuts, most);
    assert_true(cuts > 0);
    assert_true(most <= 3);
    world_free(&world);
}

int run_overlap_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_on_plane),   cmocka_unit_test(test_balls_in_funnel),
        cmocka_unit_test(test_recovery),         cmocka_unit_test(test_overlaps_are_told),
        cmocka_unit_test(a_crowd_is_refused),    cmocka_unit_test(limits_are_settings),
        cmocka_unit_test(a_heap_is_cut_at_once),
    };
    return cmocka_run_group_tests_name("contact_step/overlap", tests, NULL, NULL);
}
