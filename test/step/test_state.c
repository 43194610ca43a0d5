/* SPDX-License-Identifier: Apache-2.0 */
/* Poses, velocities and raw state: what is set is got, for bodies whose principal frame is not their own; a run from a
 * set state is the run of a body defined there. */
#include "tests.h"

enum { BODIES = 3 };

static World odd_world(const AfxSimDef *def) {
    World world = world_make(v3(0, 0, -9.81));
    for (int k = 0; k < BODIES; k++) {
        AfxBodyDef body = odd_def();
        body.center.x += 0.1 * k;
        body.young = k == 2 ? 1e9 : INFINITY;
        world_add(&world, &body);
    }
    world_start(&world, def);
    return world;
}

static void assert_pose(AfxPose got, AfxPose want, double tolerance) {
    assert_vec3(got.position, want.position, tolerance);
    assert_below(q_distance(got.rotation, want.rotation), tolerance);
}

static void assert_twist(AfxTwist got, AfxTwist want, double tolerance) {
    assert_vec3(got.linear, want.linear, tolerance);
    assert_vec3(got.angular, want.angular, tolerance);
}

static void a_sim_starts_as_defined(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    AfxBodyDef body = odd_def();
    for (uint32_t k = 0; k < BODIES; k++) {
        assert_pose(pose_of(&world, k), body.pose, 1e-14);
        assert_twist(twist_of(&world, k), (AfxTwist){body.linear_velocity, body.angular_velocity}, 1e-14);
    }
    assert_near(afx_sim_time(world.sim), 0, 0);
    assert_ptr_equal(afx_sim_model(world.sim), world.model);
    world_free(&world);
}

static void what_is_set_is_got(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        uint32_t body = (uint32_t)trial % BODIES, other = (body + 1) % BODIES;
        AfxPose pose = random_pose(&seed, 5), other_pose = pose_of(&world, other);
        AfxTwist twist = {random_vec3(&seed, 5), random_vec3(&seed, 5)}, other_twist = twist_of(&world, other);
        assert_ok(afx_sim_set_body_twist(world.sim, body, twist));
        assert_twist(twist_of(&world, body), twist, 1e-13);
        assert_ok(afx_sim_set_body_pose(world.sim, body, pose));
        assert_pose(pose_of(&world, body), pose, 1e-13);
        assert_twist(twist_of(&world, body), twist, 1e-12); /* its velocity stays */
        assert_pose(pose_of(&world, other), other_pose, 1e-15);
        assert_twist(twist_of(&world, other), other_twist, 1e-15);
        twist.angular = random_vec3(&seed, 2);
        assert_ok(afx_sim_set_body_twist(world.sim, body, twist));
        assert_twist(twist_of(&world, body), twist, 1e-13);
        assert_pose(pose_of(&world, body), pose, 1e-13);
    }
    world_free(&world);
}

static void all_poses_and_twists_at_once(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    uint64_t seed = 6;
    AfxPose poses[BODIES], got[BODIES];
    AfxTwist twists[BODIES], got_twists[BODIES];
    for (int k = 0; k < BODIES; k++) {
        poses[k] = random_pose(&seed, 5);
        twists[k] = (AfxTwist){random_vec3(&seed, 3), random_vec3(&seed, 3)};
    }
    assert_ok(afx_sim_set_poses(world.sim, poses));
    assert_ok(afx_sim_set_twists(world.sim, twists));
    assert_ok(afx_sim_poses(world.sim, got));
    assert_ok(afx_sim_twists(world.sim, got_twists));
    for (uint32_t k = 0; k < BODIES; k++) {
        assert_pose(got[k], poses[k], 1e-13);
        assert_twist(got_twists[k], twists[k], 1e-13);
        assert_pose(pose_of(&world, k), poses[k], 1e-13);
        assert_twist(twist_of(&world, k), twists[k], 1e-13);
    }
    world_free(&world);
}

static void raw_state_round_trips(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    const double *address = afx_sim_coordinates(world.sim), *rates = afx_sim_velocities(world.sim);
    double *start = state_copy(&world);
    world_run(&world, 20);
    double *later = state_copy(&world);
    assert_ok(afx_sim_set_state(world.sim, start, NULL));
    assert_memory_equal(address, start, 12 * BODIES * sizeof *start);
    assert_memory_equal(rates, later + 12 * BODIES, 12 * BODIES * sizeof *start);
    assert_ok(afx_sim_set_state(world.sim, NULL, start + 12 * BODIES));
    assert_true(state_equal(&world, start));
    assert_ok(afx_sim_set_state(world.sim, address, rates)); /* its own memory */
    assert_true(state_equal(&world, start));
    assert_ptr_equal(afx_sim_coordinates(world.sim), address); /* stable */
    assert_ptr_equal(afx_sim_velocities(world.sim), rates);
    world_run(&world, 20);
    assert_true(state_equal(&world, later));
    free(start);
    free(later);
    world_free(&world);
}

/* Defined elsewhere and then put there: the same motion. */
static void a_set_state_runs_like_a_defined_one(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.005);
        AfxBodyDef there = odd_def(), here = odd_def();
        here.pose = afx_pose_identity();
        here.linear_velocity = here.angular_velocity = v3(0, 0, 0);
        World defined = world_make(v3(0, 0, -9.81)), put = world_make(v3(0, 0, -9.81));
        world_add(&defined, &there);
        world_add(&put, &here);
        world_start(&defined, &sim);
        world_start(&put, &sim);
        world_run(&put, 7);
        assert_ok(afx_sim_set_body_pose(put.sim, 0, there.pose));
        assert_ok(afx_sim_set_body_twist(put.sim, 0, (AfxTwist){there.linear_velocity, there.angular_velocity}));
        world_run(&put, 100);
        world_run(&defined, 100);
        assert_pose(pose_of(&put, 0), pose_of(&defined, 0), 1e-11);
        assert_twist(twist_of(&put, 0), twist_of(&defined, 0), 1e-11);
        world_free(&defined);
        world_free(&put);
    }
}

int run_state_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sim_starts_as_defined),
        cmocka_unit_test(what_is_set_is_got),
        cmocka_unit_test(all_poses_and_twists_at_once),
        cmocka_unit_test(raw_state_round_trips),
        cmocka_unit_test(a_set_state_runs_like_a_defined_one),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
