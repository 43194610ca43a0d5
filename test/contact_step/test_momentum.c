/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that collide in free space: forces of contact are equal and opposite, so momentum stays. */
#include "tests.h"

static AfxMomentum momentum_of(const World *world) {
    AfxMomentum momentum;
    assert_ok(afx_sim_momentum(world->sim, &momentum));
    return momentum;
}

static void check_collision(const AfxShapeDef *first, const AfxShapeDef *second) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef a = afx_default_body(), b = afx_default_body();
    a.linear_velocity = v3(1, 0.1, 0);
    a.angular_velocity = v3(0.3, -0.2, 0.5);
    b.pose = (AfxPose){v3(0.8, 0.1, 0.05), q_about(v3(1, 2, 3), 0.7)};
    b.linear_velocity = v3(-0.5, 0, 0.05);
    world_add(&world, &a, first);
    world_add(&world, &b, second);
    world_start(&world, NULL);
    AfxMomentum start = momentum_of(&world);
    AfxVec3 before = twist_of(&world, 0).linear;
    bool touched = false;
    for (int step = 0; step < 100; ++step) {
        AfxStepReport report;
        assert_ok(afx_step(world.sim, &report));
        touched |= report.contacts > 0;
    }
    AfxMomentum end = momentum_of(&world);
    assert_true(touched);
    assert_true(v3_distance(twist_of(&world, 0).linear, before) > 0.1);
    assert_vec3(end.linear, start.linear, 1e-9 * start.mass);
    /* the shock acts at one end of the step in which it happens: its lever is off by what the bodies move in it */
    double shock = mass_of(&world, 0) * v3_distance(twist_of(&world, 0).linear, before);
    assert_vec3(end.angular, start.angular, 2 * 1.5 * afx_sim_dt(world.sim) * shock);
    world_free(&world);
}

static void test_momentum(void **state) {
    (void)state;
    AfxShapeDef ball = afx_default_sphere(0.2), box = afx_default_box(0.3, 0.4, 0.5);
    AfxShapeDef rod = afx_default_capsule(0.15, 0.3);
    check_collision(&ball, &ball);
    check_collision(&box, &ball);
    check_collision(&box, &box);
    check_collision(&rod, &box);
}

/* Two equal balls in line: with e = 1 they exchange their velocities, with e = 0 they go on together. */
static void test_central_impact(void **state) {
    (void)state;
    for (int bounces = 0; bounces < 2; ++bounces) {
        World world = world_make(v3(0, 0, 0));
        AfxMaterialDef material = afx_default_material();
        material.restitution = bounces;
        assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
        AfxBodyDef a = afx_default_body(), b = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.2);
        a.linear_velocity.x = 2;
        b.pose.position.x = 0.9;
        world_add(&world, &a, &ball);
        world_add(&world, &b, &ball);
        world_start(&world, NULL);
        world_run(&world, 0.5);
        double va = twist_of(&world, 0).linear.x, vb = twist_of(&world, 1).linear.x;
        assert_near(va + vb, 2, 1e-9);
        assert_near(vb - va, bounces ? 2 : 0, 0.02);
        world_free(&world);
    }
}

/* A ball at rest that a moving wall strikes leaves it with e times the wall's speed. */
static void test_moving_wall(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        World world = world_make(v3(0, 0, 0));
        AfxMaterialDef material = afx_default_material();
        material.restitution = 0.5 * (k + 1);
        assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
        AfxBodyDef ball = afx_default_body(), wall = afx_default_body();
        AfxShapeDef sphere = afx_default_sphere(0.1), box = afx_default_box(0.2, 2, 2);
        ball.pose.position.x = 0.303;
        wall.kind = AFX_BODY_KINEMATIC;
        wall.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 2}};
        world_add(&world, &ball, &sphere);
        world_add(&world, &wall, &box);
        world_start(&world, NULL);
        world_run(&world, 0.2);
        assert_vec3(twist_of(&world, 0).linear, v3(2 * (1 + material.restitution), 0, 0), 1e-3);
        world_free(&world);
    }
}

static void add_drifting_ball(World *world, double x, double y, double z, double speed_x, double speed_z) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.05);
    body.pose.position = v3(x, y, z);
    body.linear_velocity = v3(speed_x, 1, speed_z);
    body.young = INFINITY;
    world_add(world, &body, &ball);
}

/* Ten links along x, which do not touch each other. */
static void add_drifting_chain(World *world, double y) {
    AfxBodyId before = {0};
    for (int k = 0; k < 10; ++k) {
        AfxBodyDef body = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.05);
        AfxBodyId link;
        AfxJointId joint;
        body.pose.position = v3(0.2 * k, y, 0);
        body.linear_velocity.y = 1;
        body.young = INFINITY;
        ball.contact_group = 2;
        ball.contact_mask = 1;
        assert_ok(afx_scene_add_body(world->scene, &body, &link));
        assert_ok(afx_scene_add_shape(world->scene, link, &ball));
        if (k) {
            AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
            def.base = before;
            def.follower = link;
            assert_ok(afx_joint_place(world->scene, &def, afx_frame_along(v3(0.2 * k - 0.1, y, 0), v3(1, 0, 0))));
            assert_ok(afx_scene_add_joint(world->scene, &def, &joint));
        }
        before = link;
    }
}

/* Whatever balls do to each other and to a ball chain in one plane, all of it drifts on across that plane. In the same
 * step one ball is knocked into a link that it did not touch before, or away from one; another chain is far away. */
static void test_drift(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_SDIRK2, AFX_ALPHA};
    for (size_t k = 0; k < 4 * COUNT(integrators); ++k) {
        bool away = k % 4 == 3;
        double gap = 0.005 * (double)(1 + k % 4);
        World world = world_make(v3(0, 0, 0));
        AfxMaterialDef material = afx_default_material();
        AfxSimDef def = afx_default_sim();
        material.friction = 0;
        assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
        add_drifting_chain(&world, 0);
        add_drifting_chain(&world, 50);
        if (away) {
            add_drifting_ball(&world, 1.8, 0, 0.1004, 0, 0);
            add_drifting_ball(&world, 1.33, 0, 0.1004, 8, 0);
            add_drifting_ball(&world, 1.8914, 0, 0.1704, 0, 0);
        } else {
            add_drifting_ball(&world, 0.87, 0, 0.0714 + gap, 0, 0);
            add_drifting_ball(&world, 0.87, 0, 0.1814 + gap, 0, -8);
        }
        def.dt = 0.01;
        def.integrator = integrators[k / 4];
        world_start(&world, &def);
        for (int step = 1; step <= 10; ++step) {
            assert_ok(afx_step(world.sim, NULL));
            for (uint32_t body = 0; body < afx_model_body_count(world.model); ++body) {
                double start = body >= 10 && body < 20 ? 50 : 0;
                assert_near(pose_of(&world, body).position.y, start + 0.01 * step, 1e-9);
            }
        }
        world_free(&world);
    }
}

int run_momentum_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_central_impact),
        cmocka_unit_test(test_moving_wall),
        cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests_name("contact_step/momentum", tests, NULL, NULL);
}
