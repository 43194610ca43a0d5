/* SPDX-License-Identifier: Apache-2.0 */
/* Friction: the force of sliding, rolling and torsional friction at the rates of their closed forms, a conveyor belt,
 * and restitution. */
#include "tests.h"

/* A box that slides on the level: every contact has mu times its normal force against the motion. */
static void test_sliding_force(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    material.friction = 0.3;
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.4, 0.4, 0.1);
    def.pose.position.z = 0.05;
    def.linear_velocity = v3(3, 4, 0);
    uint32_t body = world_add(&world, &def, &box);
    world_start(&world, NULL);
    world_run(&world, 0.5);
    uint32_t touching = 0;
    for (uint32_t k = 0; k < afx_sim_contact_count(world.sim); ++k) {
        AfxContact contact;
        assert_ok(afx_sim_contact(world.sim, k, &contact));
        if (contact.force > 0) {
            ++touching;
            assert_true(contact.sliding);
            assert_vec3(contact.friction, v3_scale(-0.3 * contact.force, v3(0.6, 0.8, 0)), 1e-2 * contact.force);
        }
    }
    assert_int_equal(touching, 4);
    AfxWrench push;
    double weight = mass_of(&world, body) * GRAVITY;
    assert_ok(afx_sim_body_contact(world.sim, body, &push));
    assert_vec3(push.force, v3(-0.18 * weight, -0.24 * weight, weight), 1e-3 * weight);
    assert_vec3(twist_of(&world, body).linear, v3_scale(1 - 0.3 * GRAVITY * 0.5 / 5, v3(3, 4, 0)), 0.01);
    world_run(&world, 2.5); /* 1.7 s are enough to stop */
    assert_vec3(twist_of(&world, body).linear, v3(0, 0, 0), 1e-9);
    double way = 25 / (2 * 0.3 * GRAVITY);
    assert_vec3(pose_of(&world, body).position, v3(0.6 * way, 0.8 * way, 0.05), 0.02);
    world_free(&world);
}

/* A ball that rolls against rolling friction c: (m + 2/5 m) dv/dt = -c m g / r. */
static void test_rolling_friction(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    material.rolling_friction = 0.01;
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.5);
    def.pose.position.z = 0.5;
    def.linear_velocity.x = 1;
    def.angular_velocity.y = 2;
    uint32_t body = world_add(&world, &def, &ball);
    double slowing = 0.01 * GRAVITY / (1.4 * 0.5);
    world_start(&world, NULL);
    world_run(&world, 2);
    double first = twist_of(&world, body).linear.x;
    assert_near(first, 1 - 2 * slowing, 2e-3);
    world_run(&world, 2);
    assert_near(twist_of(&world, body).linear.x, first - 2 * slowing, 1e-3);
    assert_near(0.5 * twist_of(&world, body).angular.y, twist_of(&world, body).linear.x, 1e-3);
    world_run(&world, 5); /* it stops after 7.14 s */
    assert_near(twist_of(&world, body).linear.x, 0, 1e-6);
    assert_near(twist_of(&world, body).angular.y, 0, 1e-6);
    assert_near(pose_of(&world, body).position.x, 1 / (2 * slowing), 0.02);
    world_free(&world);
}

/* A ball that spins about the normal: 2/5 m r^2 dw/dt = -t m g. The moment is that of the speed one step ago. */
static void test_torsional_friction(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    material.torsional_friction = 0.01;
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.5);
    def.pose.position.z = 0.5;
    def.angular_velocity.z = 2;
    uint32_t body = world_add(&world, &def, &ball);
    double slowing = 0.01 * GRAVITY / (0.4 * 0.25);
    world_start(&world, NULL);
    world_run(&world, 0.5);
    double first = twist_of(&world, body).angular.z;
    assert_near(first, 2 - 0.5 * slowing, 0.02);
    world_run(&world, 1);
    assert_near(twist_of(&world, body).angular.z, first - slowing, 0.02 * slowing);
    world_run(&world, 1.5);
    assert_near(twist_of(&world, body).angular.z, 0, 1e-6);
    assert_vec3(pose_of(&world, body).position, v3(0, 0, 0.5), 1e-4);
    world_free(&world);
}

/* A belt of constant speed takes a box with it: first with mu g, then with its own speed. */
static void test_conveyor(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    material.friction = 0.3;
    World world = world_ground(&material);
    AfxBodyDef belt = afx_default_body(), def = afx_default_body();
    AfxShapeDef band = afx_default_box(8, 1, 0.2), box = afx_default_box(0.4, 0.4, 0.2);
    belt.kind = AFX_BODY_KINEMATIC;
    belt.pose.position.z = 1;
    belt.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 1}};
    def.pose.position.z = 1.2;
    world_add(&world, &belt, &band);
    uint32_t body = world_add(&world, &def, &box);
    world_start(&world, NULL);
    world_run(&world, 0.1);
    double first = twist_of(&world, body).linear.x;
    world_run(&world, 0.2);
    assert_near(twist_of(&world, body).linear.x - first, 0.3 * GRAVITY * 0.2, 5e-3);
    world_run(&world, 1.7);
    assert_near(twist_of(&world, body).linear.x, 1, 1e-6);
    double start = 1 / (0.3 * GRAVITY); /* s until it has the belt's speed */
    assert_near(pose_of(&world, body).position.x, 2 - 0.5 * start, 0.01);
    assert_near(pose_of(&world, body).position.z, 1.2, 1e-4);
    world_free(&world);
}

/* The same of a mesh whose vertices move, to the side and upwards: it takes a box along and lifts it. */
static void test_deforming_mesh(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    material.friction = 0.3;
    World world = world_ground(&material);
    AfxBodyDef sheet = afx_default_body(), def = afx_default_body();
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    double frames[2][12] = {{-4, -1, 0, 4, -1, 0, 4, 1, 0, -4, 1, 0}};
    for (int k = 0; k < 12; k++) {
        frames[1][k] = frames[0][k] + (k % 3 == 0 ? 4 : k % 3 == 2 ? 0.8 : 0);
    }
    AfxShapeDef mesh = afx_default_mesh(frames[0], 4, triangles, 2), box = afx_default_box(0.4, 0.4, 0.01);
    mesh.vertex_frames = frames[0];
    mesh.frame_count = 2;
    mesh.frame_rate = 0.25; /* 1 m/s to the side and 0.2 m/s up */
    sheet.kind = AFX_BODY_FIXED;
    sheet.pose.position.z = 1;
    def.pose.position.z = 1.005;
    def.linear_velocity.z = 0.2;
    world_add(&world, &sheet, &mesh);
    uint32_t body = world_add(&world, &def, &box);
    world_start(&world, NULL);
    world_run(&world, 0.1);
    double first = twist_of(&world, body).linear.x;
    world_run(&world, 0.2);
    assert_near(twist_of(&world, body).linear.x - first, 0.3 * GRAVITY * 0.2, 5e-3);
    world_run(&world, 1.7);
    assert_vec3(twist_of(&world, body).linear, v3(1, 0, 0.2), 1e-5);
    assert_near(pose_of(&world, body).position.z, 1.405, 1e-4);
    world_free(&world);
}

/* A ball leaves the plane with e times the speed it came with. */
static void test_restitution(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        AfxMaterialDef material = afx_default_material();
        material.restitution = 0.4 * k;
        World world = world_ground(&material);
        AfxBodyDef def = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.1);
        def.pose.position.z = 0.1 + 0.5 * GRAVITY * 0.25; /* it lands after 0.5 s */
        uint32_t body = world_add(&world, &def, &ball);
        double highest = 0;
        world_start(&world, NULL);
        world_run(&world, 0.55);
        for (int step = 0; step < 100; ++step) {
            world_run(&world, afx_sim_dt(world.sim));
            highest = fmax(highest, pose_of(&world, body).position.z - 0.1);
        }
        double speed = material.restitution * GRAVITY * 0.5;
        assert_near(highest, speed * speed / (2 * GRAVITY), 0.06 * speed + 1e-4); /* a step of flight, more or less */
        world_free(&world);
    }
}

/* The speed after a bounce is that of the fall, wherever in a step the ball lands. */
static void test_bounce_within_a_step(void **state) {
    (void)state;
    for (int phase = 0; phase < 5; ++phase) {
        AfxMaterialDef material = afx_default_material();
        AfxSimDef sim = afx_default_sim();
        material.restitution = 0.8;
        sim.dt = 0.02;
        World world = world_ground(&material);
        AfxBodyDef def = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.1);
        double time = 0.5 + 0.2 * phase * sim.dt;
        def.pose.position.z = 0.1 + 0.5 * GRAVITY * time * time;
        uint32_t body = world_add(&world, &def, &ball);
        world_start(&world, &sim);
        AfxStepReport report = {0};
        for (int step = 0; step < 40 && !(report.flags & AFX_STEP_IMPACT); ++step) {
            assert_ok(afx_step(world.sim, &report));
        }
        assert_true(report.flags & AFX_STEP_IMPACT);
        assert_near(twist_of(&world, body).linear.z, 0.8 * GRAVITY * time, 0.01 * GRAVITY * time);
        world_free(&world);
    }
}

/* A ball on the axis of a table that turns: torsional friction takes it along. */
static void test_turntable(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxMaterialDef material = afx_default_material();
    material.torsional_friction = 0.02;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    AfxBodyDef ball = afx_default_body(), table = afx_default_body();
    AfxShapeDef sphere = afx_default_sphere(0.1), box = afx_default_box(1, 1, 0.2);
    ball.pose.position.z = 0.2;
    table.kind = AFX_BODY_KINEMATIC;
    table.motion.axis = v3(0, 0, 1);
    table.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 2}};
    world_add(&world, &ball, &sphere);
    world_add(&world, &table, &box);
    world_start(&world, NULL);
    world_run(&world, 1);
    assert_vec3(twist_of(&world, 0).angular, v3(0, 0, 2), 1e-3);
    world_free(&world);
}

/* A box that rides on a belt, with a whip of balls and bars on it, for which the first step is done in parts. The
 * velocity of the box relative to the belt after it comes back. */
static double ride(AfxIntegrator integrator, double speed) {
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxBodyDef belt = afx_default_body();
    AfxShapeDef ground = afx_default_box(6, 6, 1);
    AfxBodyId before = {0};
    belt.kind = AFX_BODY_KINEMATIC;
    belt.pose.position.z = -0.5;
    belt.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, speed}};
    world_add(&world, &belt, &ground);
    for (int k = 0; k < 9; ++k) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef box = k ? afx_default_box(0.02, 0.02, 0.2) : afx_default_box(1, 1, 1);
        AfxJointDef ball = afx_default_joint(AFX_JOINT_SPHERICAL);
        AfxJointId joint;
        def.pose.position.z = k ? 0.9 + 0.2 * k : 0.5;
        def.linear_velocity.x = speed;
        def.angular_velocity.y = k ? (k % 2 ? 320 : -320) : 0;
        def.young = INFINITY;
        box.contact_mask = k ? 0 : box.contact_mask;
        box.contact_group = k ? 2 : box.contact_group;
        AfxBodyId body = afx_scene_body(world.scene, world_add(&world, &def, &box));
        ball.base = before;
        ball.follower = body;
        ball.spring.stiffness = v3(0.1, 0.1, 0.1);
        if (k) {
            assert_ok(afx_joint_place(world.scene, &ball, afx_frame_along(v3(0, 0, 0.8 + 0.2 * k), v3(0, 1, 0))));
            assert_ok(afx_scene_add_joint(world.scene, &ball, &joint));
        }
        before = body;
    }
    AfxSimDef def = afx_default_sim();
    AfxStepReport report;
    def.dt = 0.0835;
    def.integrator = integrator;
    world_start(&world, &def);
    assert_ok(afx_step(world.sim, &report));
    assert_true(report.flags & AFX_STEP_HALVED);
    double relative = twist_of(&world, 1).linear.x - speed;
    world_free(&world);
    return relative;
}

static void test_belt_in_parts(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1};
    for (size_t k = 0; k < COUNT(integrators); ++k) {
        assert_near(ride(integrators[k], 3), ride(integrators[k], 0), 1e-9);
    }
}

int run_friction_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_belt_in_parts),
        cmocka_unit_test(test_sliding_force),
        cmocka_unit_test(test_rolling_friction),
        cmocka_unit_test(test_torsional_friction),
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_deforming_mesh),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_bounce_within_a_step),
    };
    return cmocka_run_group_tests_name("contact_step/friction", tests, NULL, NULL);
}
