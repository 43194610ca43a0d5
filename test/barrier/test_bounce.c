/* SPDX-License-Identifier: Apache-2.0 */
/* Restitution: speeds after an impact, momentum, heights of bounces, energy that is never gained, joints that hold. */
#include "tests.h"

static World bouncy(double gravity, double friction, double restitution) {
    World world = world_make(gravity, friction);
    AfxMaterialDef material = afx_default_material();
    material.friction = friction;
    material.restitution = restitution;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    return world;
}

static AfxPose at(double x, double y, double z) {
    return (AfxPose){v3(x, y, z), {1, 0, 0, 0}};
}

static void an_impact_gives_its_share_back(void **state) {
    (void)state;
    AfxShapeDef shapes[2] = {afx_default_sphere(0.1), afx_default_box(0.2, 0.2, 0.2)};
    for (int k = 0; k < 8; k++) {
        World world = bouncy(0, 0, 0.6);
        world_plane(&world);
        AfxBodyId id = world_put(&world, &shapes[k % 2], at(0, 0, 0.15), k & 2);
        world_start(&world, k & 4 ? AFX_BDF2 : AFX_BDF1, 0.01);
        assert_ok(afx_sim_set_body_twist(world.sim, id.index, (AfxTwist){v3(0.5, 0, -3), v3(0, 0, 0)}));
        world_run(&world, 6, NULL);
        assert_near(twist_of(&world, id).linear.z, 1.8, 1e-3);
        assert_near(twist_of(&world, id).linear.x, 0.5, 1e-7);
        world_free(&world);
    }
}

static void balls_swap_their_speeds(void **state) {
    (void)state;
    World world = bouncy(0, 0, 1);
    AfxShapeDef ball = afx_default_sphere(0.1);
    AfxBodyId a = world_put(&world, &ball, at(0, 0, 0), true), b = world_put(&world, &ball, at(0.25, 0, 0), true);
    world_start(&world, AFX_BDF1, 0.01);
    assert_ok(afx_sim_set_body_twist(world.sim, a.index, (AfxTwist){v3(4, 0, 0), v3(0, 0, 0)}));
    world_run(&world, 5, NULL);
    assert_near(twist_of(&world, a).linear.x, 0, 1e-4);
    assert_near(twist_of(&world, b).linear.x, 4, 1e-4);
    assert_near(twist_of(&world, a).linear.x + twist_of(&world, b).linear.x, 4, 1e-9);
    world_free(&world);
}

/* e² of the height, but for the step: up to v dt of it is lost; and what bounces less and less comes to rest. */
static void a_ball_bounces_to_its_height_and_comes_to_rest(void **state) {
    (void)state;
    World world = bouncy(GRAVITY, 0, 0.8);
    AfxShapeDef ball = afx_default_sphere(0.1);
    world_plane(&world);
    AfxBodyId id = world_put(&world, &ball, at(0, 0, 0.6), true);
    world_start(&world, AFX_BDF1, 0.001);
    double most = 0;
    for (int k = 0; k < 650; k++) {
        world_run(&world, 1, NULL);
        most = k > 330 ? fmax(most, pose_of(&world, id).position.z) : most;
    }
    assert_near(most - 0.1, 0.64 * 0.5, 0.02 * 0.5);
    for (int k = 0; k < 3; k++) {
        world_run(&world, 800, NULL);
    }
    assert_below(fabs(twist_of(&world, id).linear.z), 0.2);
    world_free(&world);
}

static double energy_of(const World *world) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world->sim, &energy));
    return energy.kinetic;
}

/* Boxes that spin, with e = 1 and many corners at once: Newton's law alone would make energy. */
static void impacts_make_no_energy(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int n = 0; n < 3; n++) {
        World world = bouncy(0, n == 2 ? 0.5 : 0, 1);
        AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
        AfxBodyId ids[4];
        world_plane(&world);
        for (int k = 0; k < 4; k++) {
            ids[k] = world_put(&world, &box, at(0.24 * k, 0.01 * k, 0.25), n == 0);
        }
        world_start(&world, AFX_BDF1, 0.01);
        for (int k = 0; k < 4; k++) {
            AfxTwist twist = {v3(1 - k, random_unit(&seed) - 0.5, -2), v3(4 * random_unit(&seed) - 2, 3, -k)};
            assert_ok(afx_sim_set_body_twist(world.sim, ids[k].index, twist));
        }
        double last = energy_of(&world), start = last;
        for (int k = 0; k < 60; k++) {
            world_run(&world, 1, NULL);
            assert_true(energy_of(&world) <= last * (1 + 1e-6));
            last = energy_of(&world);
        }
        assert_true(last > 0.05 * start); /* and they have bounced */
        assert_true(twist_of(&world, ids[0]).linear.z > 0.2);
        world_free(&world);
    }
}

/* A rod on a ball joint that falls on a plane: what strikes is its end, and the joint holds. */
static void what_is_jointed_bounces_about_its_joint(void **state) {
    (void)state;
    World world = bouncy(0, 0, 0.5);
    AfxShapeDef rod = afx_default_box(0.6, 0.05, 0.05);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxJointId unused;
    world_plane(&world);
    AfxBodyId id = world_put(&world, &rod, at(0.3, 0, 0.1), true);
    joint.base = afx_world();
    joint.follower = id;
    joint.base_frame.position = v3(0, 0, 0.1);
    joint.follower_frame.position = v3(-0.3, 0, 0);
    assert_ok(afx_scene_add_joint(world.scene, &joint, &unused));
    world_start(&world, AFX_BDF1, 0.005);
    assert_ok(afx_sim_set_body_twist(world.sim, id.index, (AfxTwist){v3(0, 0, -0.9), v3(0, 3, 0)}));
    assert_below(world_run(&world, 15, NULL), 1e-12);
    assert_near(twist_of(&world, id).angular.y, -1.5, 2e-2);
    assert_near(twist_of(&world, id).linear.z, 0.45, 2e-2);
    world_free(&world);
}

static AfxBodyId put_bat(World *world, AfxPose pose, AfxMotion motion) {
    AfxShapeDef plate = afx_default_box(0.1, 0.8, 0.8);
    AfxBodyDef def = afx_default_body();
    def.kind = AFX_BODY_KINEMATIC;
    def.pose = pose;
    def.motion = motion;
    return world_add(world, &def, &plate);
}

static AfxSignal line(double rate) {
    return (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, rate}};
}

/* A ball that comes at u at a bat that moves at w leaves it at w + e (w - u): the bat does work. It may lie on a plane
 * that stands still, too. */
static void a_bat_gives_its_speed_too(void **state) {
    (void)state;
    static const double bat[5] = {3, 3, 2, -1, 0}, came[5] = {0, -2, 1, -3, -3}, share[2] = {1, 0.5};
    AfxShapeDef ball = afx_default_sphere(0.1);
    for (int k = 0; k < 40; k++) {
        double w = bat[k % 5], u = came[k % 5], e = share[k / 5 % 2];
        World world = bouncy(0, 0, e);
        if (k / 20) {
            world_plane(&world);
        }
        put_bat(&world, at(-0.25, 0, 0.5), (AfxMotion){.translation = {line(w)}});
        AfxBodyId id = world_put(&world, &ball, at(0, 0, 0.1005), k / 10 % 2);
        world_start(&world, AFX_BDF1, 0.01);
        assert_ok(afx_sim_set_body_twist(world.sim, id.index, (AfxTwist){v3(u, 0, 0), v3(0, 0, 0)}));
        world_run(&world, 20, NULL);
        assert_near(twist_of(&world, id).linear.x, w + e * (w - u), 2e-3);
        world_free(&world);
    }
}

/* One that turns strikes with the speed of its surface, omega r: a ball at rest leaves with (1 + e) of it. */
static void a_bat_that_turns_gives_the_speed_of_its_surface(void **state) {
    (void)state;
    World world = bouncy(0, 0, 1);
    AfxShapeDef ball = afx_default_sphere(0.1);
    AfxMotion motion = {.axis = v3(0, 0, 1), .angle = line(5)};
    put_bat(&world, at(0, 0, 0), motion);
    AfxBodyId id = world_put(&world, &ball, at(-0.1505, 0.3, 0), true);
    world_start(&world, AFX_BDF1, 0.001);
    world_run(&world, 10, NULL);
    AfxVec3 v = twist_of(&world, id).linear;
    assert_near(sqrt(v.x * v.x + v.y * v.y), 2 * 5 * 0.3, 0.01); /* r grows by 0.15 of the turn in a step */
    world_free(&world);
}

/* Boxes that spin and a bat strikes with e = 1 never gain energy in its frame, in which it stands still. */
static void a_bat_makes_no_energy_in_its_frame(void **state) {
    (void)state;
    World world = bouncy(0, 0, 1);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    AfxBodyId ids[3];
    put_bat(&world, at(-0.25, 0, 0), (AfxMotion){.translation = {line(3)}});
    for (int k = 0; k < 3; k++) {
        ids[k] = world_put(&world, &box, at(0, 0.23 * (k - 1), 0.01 * k), true);
    }
    world_start(&world, AFX_BDF1, 0.01);
    double first = 0;
    for (int k = 0; k < 3; k++) {
        AfxTwist twist = {v3(0, 1 - k, 0), v3(3, 2 * k, k - 4)};
        assert_ok(afx_sim_set_body_twist(world.sim, ids[k].index, twist));
    }
    for (int n = 0; n < 40; n++) {
        AfxEnergy energy;
        double momentum = 0, mass = 8;
        assert_ok(afx_sim_energy(world.sim, &energy));
        for (int k = 0; k < 3; k++) {
            momentum += mass * twist_of(&world, ids[k]).linear.x;
        }
        double beside = energy.kinetic - 3 * momentum + 0.5 * 3 * mass * 9;
        first = n ? first : beside;
        assert_true(beside <= first * (1 + 1e-6));
        first = beside;
        world_run(&world, 1, NULL);
    }
    for (int k = 0; k < 3; k++) {
        assert_true(twist_of(&world, ids[k]).linear.x > 3); /* and all have left it */
    }
    world_free(&world);
}

int run_bounce_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_gives_its_share_back),
        cmocka_unit_test(balls_swap_their_speeds),
        cmocka_unit_test(a_ball_bounces_to_its_height_and_comes_to_rest),
        cmocka_unit_test(impacts_make_no_energy),
        cmocka_unit_test(what_is_jointed_bounces_about_its_joint),
        cmocka_unit_test(a_bat_gives_its_speed_too),
        cmocka_unit_test(a_bat_that_turns_gives_the_speed_of_its_surface),
        cmocka_unit_test(a_bat_makes_no_energy_in_its_frame),
    };
    return cmocka_run_group_tests_name("barrier: bounces", tests, NULL, NULL);
}
