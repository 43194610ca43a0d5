/* SPDX-License-Identifier: Apache-2.0 */
/* Energy, momentum, centre of mass and markers against values from the definitions by hand. */
#include "tests.h"

static const AfxVec3 gravity = {0.5, 1, -9.81};

static AfxBodyDef second_def(void) {
    AfxBodyDef def = rigid_def(0.7, 0.2, 0.3, 0.4);
    def.inertia[3] = 0.05;
    def.inertia[5] = -0.03;
    def.center = v3(-0.5, 0.1, 0.6);
    def.pose = (AfxPose){v3(-4, 1, 2), q_about(v3(0, 1, 1), -2)};
    def.linear_velocity = v3(-1, 0, 2);
    def.angular_velocity = v3(0.2, 3, -1);
    return def;
}

static AfxBodyDef third_def(void) {
    AfxBodyDef def = rigid_def(5, 2, 2, 2);
    def.center = v3(1, 0, 0);
    def.pose.position = v3(0, 10, 0);
    def.linear_velocity = v3(0, 0, 1);
    def.gravity = false;
    return def;
}

/* Kinetic energy, potential energy, momentum and so on of one body, by Koenig's theorem. */
static void add_by_hand(const AfxBodyDef *def, AfxEnergy *energy, AfxMomentum *sum) {
    AfxQuat q = def->pose.rotation;
    AfxVec3 arm = q_rotate(q, def->center), centre = v3_add(def->pose.position, arm);
    AfxVec3 velocity = v3_add(def->linear_velocity, v3_cross(def->angular_velocity, arm));
    double inertia[6];
    tensor_turn(def->inertia, q, inertia);
    AfxVec3 own = tensor_apply(inertia, def->angular_velocity), linear = v3_scale(def->mass, velocity);
    energy->kinetic += def->mass * v3_dot(velocity, velocity) / 2 + v3_dot(own, def->angular_velocity) / 2;
    energy->potential -= def->gravity ? def->mass * v3_dot(gravity, centre) : 0;
    sum->mass += def->mass;
    sum->center = v3_add(sum->center, v3_scale(def->mass, centre));
    sum->linear = v3_add(sum->linear, linear);
    sum->angular = v3_add(sum->angular, v3_add(own, v3_cross(centre, linear)));
}

static void energy_and_momentum_by_hand(void **state) {
    (void)state;
    AfxBodyDef defs[3] = {odd_def(), second_def(), third_def()}, fixed = second_def();
    AfxEnergy energy = {0}, got;
    AfxMomentum sum = {0}, momentum;
    World world = world_make(gravity);
    for (int k = 0; k < 3; k++) {
        world_add(&world, &defs[k]);
        add_by_hand(&defs[k], &energy, &sum);
    }
    fixed.kind = AFX_BODY_FIXED; /* not among the moving bodies */
    fixed.linear_velocity = fixed.angular_velocity = v3(0, 0, 0);
    world_add(&world, &fixed);
    sum.center = v3_scale(1 / sum.mass, sum.center);
    AfxSimDef def = sim_def(&methods[0], 0.01);
    world_start(&world, &def);
    assert_ok(afx_sim_energy(world.sim, &got));
    assert_near(got.kinetic, energy.kinetic, 1e-12 * energy.kinetic);
    assert_near(got.potential, energy.potential, 1e-12 * fabs(energy.potential));
    assert_near(got.elastic, 0, 1e-12);
    assert_near(got.total, energy.kinetic + energy.potential, 1e-11);
    assert_ok(afx_sim_momentum(world.sim, &momentum));
    assert_near(momentum.mass, 8.2, 1e-14);
    assert_vec3(momentum.center, sum.center, 1e-13);
    assert_vec3(momentum.linear, sum.linear, 1e-12);
    assert_vec3(momentum.angular, sum.angular, 1e-11);
    world_free(&world);
}

/* The same queries along the way: they must follow pose and twist. */
static void queries_follow_the_motion(void **state) {
    (void)state;
    AfxBodyDef defs[2] = {odd_def(), second_def()};
    World world = world_make(gravity);
    for (int k = 0; k < 2; k++) {
        world_add(&world, &defs[k]);
    }
    AfxSimDef def = accurate_def(&methods[2], 1e-3);
    world_start(&world, &def);
    world_run(&world, 700);
    AfxEnergy energy = {0}, got;
    AfxMomentum sum = {0}, momentum;
    for (uint32_t k = 0; k < 2; k++) {
        AfxTwist twist = twist_of(&world, k);
        defs[k].pose = pose_of(&world, k);
        defs[k].linear_velocity = twist.linear;
        defs[k].angular_velocity = twist.angular;
        add_by_hand(&defs[k], &energy, &sum);
    }
    assert_ok(afx_sim_energy(world.sim, &got));
    assert_ok(afx_sim_momentum(world.sim, &momentum));
    assert_near(got.kinetic, energy.kinetic, 1e-6 * energy.kinetic); /* A' is a rotation of A to O(h^2) only */
    assert_near(got.potential, energy.potential, 1e-9 * fabs(energy.potential));
    assert_vec3(momentum.center, v3_scale(1 / sum.mass, sum.center), 1e-9);
    assert_vec3(momentum.linear, sum.linear, 1e-5);
    assert_vec3(momentum.angular, sum.angular, 1e-4);
    world_free(&world);
}

/* Conservation in free flight: energy with gravity, and m g t more of linear momentum. */
static void conservation_in_free_flight(void **state) {
    (void)state;
    AfxBodyDef def = odd_def();
    World world = world_make(gravity);
    world_add(&world, &def);
    AfxSimDef sim = accurate_def(&methods[2], 1e-3);
    AfxEnergy first, last;
    AfxMomentum start, end;
    world_start(&world, &sim);
    assert_ok(afx_sim_energy(world.sim, &first));
    assert_ok(afx_sim_momentum(world.sim, &start));
    world_run(&world, 1000);
    assert_ok(afx_sim_energy(world.sim, &last));
    assert_ok(afx_sim_momentum(world.sim, &end));
    assert_near(last.total, first.total, 1e-5 * fabs(first.total));
    assert_vec3(end.linear, v3_add(start.linear, v3_scale(def.mass, gravity)), 1e-8); /* rounding of q / h */
    world_free(&world);
}

static void markers_move_with_their_body(void **state) {
    (void)state;
    AfxBodyDef defs[2] = {odd_def(), second_def()};
    AfxVec3 points[2] = {v3(0.3, -0.8, 0.5), v3(-1, 2, 0)};
    World world = world_make(gravity);
    for (uint32_t k = 0; k < 2; k++) {
        world_mark(&world, world_add(&world, &defs[k]), points[k]);
    }
    assert_int_equal(afx_scene_marker_count(world.scene), 2);
    AfxSimDef sim = accurate_def(&methods[2], 1e-3);
    world_start(&world, &sim);
    for (int n = 0; n < 500; n++) {
        for (uint32_t k = 0; k < 2; k++) {
            AfxVec3 position, velocity;
            AfxPose pose = pose_of(&world, k);
            AfxTwist twist = twist_of(&world, k);
            AfxVec3 arm = q_rotate(pose.rotation, points[k]);
            assert_ok(afx_sim_marker(world.sim, k, &position, &velocity));
            assert_vec3(position, v3_add(pose.position, arm), 1e-9);
            assert_vec3(velocity, v3_add(twist.linear, v3_cross(twist.angular, arm)), 1e-3);
        }
        world_run(&world, 1);
    }
    world_free(&world);
}

/* The velocity is the rate of the position: central differences over two steps. */
static void marker_velocity_is_the_rate_of_its_position(void **state) {
    (void)state;
    AfxBodyDef def = odd_def();
    World world = world_make(gravity);
    world_mark(&world, world_add(&world, &def), v3(0.3, -0.8, 0.5));
    double h = 1e-3;
    AfxSimDef sim = accurate_def(&methods[2], h);
    world_start(&world, &sim);
    AfxVec3 old, mid, velocity = v3(0, 0, 0), now;
    assert_ok(afx_sim_marker(world.sim, 0, &old, NULL));
    world_run(&world, 1);
    assert_ok(afx_sim_marker(world.sim, 0, &mid, &velocity));
    for (int n = 0; n < 300; n++) {
        world_run(&world, 1);
        assert_ok(afx_sim_marker(world.sim, 0, &now, NULL));
        assert_vec3(v3_scale(0.5 / h, v3_sub(now, old)), velocity, 1e-4);
        old = mid;
        mid = now;
        assert_ok(afx_sim_marker(world.sim, 0, NULL, &velocity));
    }
    world_free(&world);
}

/* The principal frame that the raw coordinates are told in: A x + t from it is the body's own pose. */
static void raw_coordinates_map_the_principal_frame(void **state) {
    (void)state;
    AfxBodyDef def = odd_def();
    World world = world_make(gravity);
    world_add(&world, &def);
    AfxSimDef sim = accurate_def(&methods[2], 1e-2);
    world_start(&world, &sim);
    world_run(&world, 50);
    AfxPose frame, pose = pose_of(&world, 0);
    assert_ok(afx_model_body_frame(world.model, 0, &frame));
    assert_vec3(frame.position, def.center, 1e-14);
    const double *q = afx_sim_coordinates(world.sim), *v = afx_sim_velocities(world.sim);
    AfxTwist twist = twist_of(&world, 0);
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = q_rotate(frame.rotation, v3(k == 0, k == 1, k == 2)),
                column = v3(q[3 * k], q[3 * k + 1], q[3 * k + 2]);
        assert_vec3(column, q_rotate(pose.rotation, axis), 1e-9);
        double moment = v3_dot(axis, tensor_apply(def.inertia, axis)); /* principal: I axis = moment * axis */
        assert_vec3(tensor_apply(def.inertia, axis), v3_scale(moment, axis), 1e-12);
        assert_vec3(v3(v[3 * k], v[3 * k + 1], v[3 * k + 2]), v3_cross(twist.angular, column), 1e-2);
    }
    assert_vec3(v3(q[9], q[10], q[11]), centre_of(&world, 0, def.center), 1e-9);
    world_free(&world);
}

int run_query_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_momentum_by_hand),
        cmocka_unit_test(queries_follow_the_motion),
        cmocka_unit_test(conservation_in_free_flight),
        cmocka_unit_test(markers_move_with_their_body),
        cmocka_unit_test(marker_velocity_is_the_rate_of_its_position),
        cmocka_unit_test(raw_coordinates_map_the_principal_frame),
    };
    return cmocka_run_group_tests_name("queries", tests, NULL, NULL);
}
