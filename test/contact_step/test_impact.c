/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts make no energy, with any integrator, at any phase of a step: balls head-on, balls that drop, boxes on boxes.
 */
#include "tests.h"

#define DROPS 200
#define BOXES 10

/* All integrators; generalised-alpha from no damping of high frequencies to all of it. */
static const struct {
    const char *name;
    AfxIntegrator integrator;
    double rho;
} methods[] = {{"bdf2", AFX_BDF2, 0},
               {"bdf1", AFX_BDF1, 0},
               {"sdirk2", AFX_SDIRK2, 0},
               {"alpha, rho .8", AFX_ALPHA, 0.8},
               {"alpha, rho 0", AFX_ALPHA, 0},
               {"alpha, rho .2", AFX_ALPHA, 0.2},
               {"alpha, rho .5", AFX_ALPHA, 0.5},
               {"alpha, rho 1", AFX_ALPHA, 1}};

static void start_method(World *world, size_t method, double dt) {
    AfxSimDef def = afx_default_sim();
    def.integrator = methods[method].integrator;
    def.rho = methods[method].rho;
    def.dt = dt;
    world_start(world, &def);
}

static double energy_of(const World *world) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world->sim, &energy));
    return energy.total;
}

/* One of two equal balls moves, and meets the other in the middle of a step. */
static World make_pair(double restitution) {
    World world = world_make(v3(0, 0, 0));
    AfxMaterialDef material = afx_default_material();
    material.restitution = restitution;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    AfxBodyDef a = afx_default_body(), b = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.2);
    a.linear_velocity.x = 1;
    b.pose.position.x = 0.5034;
    world_add(&world, &a, &ball);
    world_add(&world, &b, &ball);
    return world;
}

/* With e = 0 they go on together, with e = 1 they exchange their velocities. */
static void test_head_on(void **state) {
    (void)state;
    const double dt[] = {0.01, 0.005, 0.001};
    for (int bounces = 0; bounces < 2; ++bounces) {
        World world = make_pair(bounces);
        for (size_t k = 0; k < COUNT(methods) * COUNT(dt); ++k) {
            start_method(&world, k / COUNT(dt), dt[k % COUNT(dt)]);
            double begin = energy_of(&world), most = begin;
            while (afx_sim_time(world.sim) < 0.2) {
                assert_ok(afx_step(world.sim, NULL));
                most = fmax(most, energy_of(&world));
            }
            double v[2] = {twist_of(&world, 0).linear.x, twist_of(&world, 1).linear.x};
            bool met = fabs(v[0] - (bounces ? 0 : 0.5)) < 1e-3 && fabs(v[1] - (bounces ? 1 : 0.5)) < 1e-3;
            if (!met || !(most <= begin * (1 + 1e-9))) {
                fail_msg("%s, dt %g, e = %d: velocities %g and %g, %g of the energy", methods[k / COUNT(dt)].name,
                         dt[k % COUNT(dt)], bounces, v[0], v[1], most / begin);
            }
        }
        world_free(&world);
    }
}

static double drop_height(uint32_t k) {
    return k ? 0.5 + (double)k / DROPS : 0.99325; /* the first one strikes just before the end of a step */
}

/* How much higher than e² h the highest and the lowest of all balls come after they struck, of h. */
static void drop_all(World *world, double restitution, double *out_most, double *out_least) {
    double top[DROPS] = {0};
    while (afx_sim_time(world->sim) < 1.2) {
        assert_ok(afx_step(world->sim, NULL));
        for (uint32_t k = 0; k < DROPS; ++k) {
            bool struck = afx_sim_time(world->sim) > sqrt(2 * drop_height(k) / GRAVITY) + afx_sim_dt(world->sim);
            top[k] = struck ? fmax(top[k], pose_of(world, k + 1).position.z - 0.1) : 0;
        }
    }
    *out_most = -INFINITY;
    *out_least = INFINITY;
    for (uint32_t k = 0; k < DROPS; ++k) {
        double off = top[k] / drop_height(k) - restitution * restitution;
        *out_most = fmax(*out_most, off);
        *out_least = fmin(*out_least, off);
    }
}

static void test_drops(void **state) {
    (void)state;
    for (int e = 0; e < 3; ++e) {
        AfxMaterialDef material = afx_default_material();
        material.restitution = 0.5 * e;
        World world = world_ground(&material);
        AfxShapeDef ball = afx_default_sphere(0.1);
        for (uint32_t k = 0; k < DROPS; ++k) {
            AfxBodyDef def = afx_default_body();
            def.pose.position = v3(k, 0, drop_height(k) + 0.1);
            world_add(&world, &def, &ball);
        }
        for (size_t k = 0; k < 4; ++k) {
            start_method(&world, k, 0.01);
            double most, least, lost = methods[k].integrator == AFX_BDF1 ? 0.07 : 0.01; /* BDF1 damps a free fall */
            drop_all(&world, material.restitution, &most, &least);
            if (!(most < 0.02) || !(least > -lost)) {
                fail_msg("%s, e = %g: from %g to %g of the height too high", methods[k].name, material.restitution,
                         least, most);
            }
        }
        world_free(&world);
    }
}

/* Boxes on each other stay where they are. AFFIX_TEST_LONG: for a minute. */
static void test_stack(void **state) {
    (void)state;
    const double dt[] = {0.01, 0.005, 0.001}, seconds = getenv("AFFIX_TEST_LONG") ? 60 : 2;
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxShapeDef box = afx_default_box(0.4, 0.4, 0.2);
    for (int k = 0; k < BOXES; ++k) {
        AfxBodyDef def = afx_default_body();
        def.pose.position.z = 0.1 + 0.2 * k;
        world_add(&world, &def, &box);
    }
    for (size_t k = 0; k < COUNT(methods) * COUNT(dt); ++k) {
        bool short_step = k % COUNT(dt) == 2;
        if (short_step && seconds < 60 && k / COUNT(dt) != 3) { /* the default of generalised-alpha alone */
            continue;
        }
        start_method(&world, k / COUNT(dt), dt[k % COUNT(dt)]);
        world_run(&world, seconds);
        for (uint32_t b = 1; b <= BOXES; ++b) {
            double off = v3_distance(pose_of(&world, b).position, v3(0, 0, 0.2 * b - 0.1));
            if (!(off < 1e-4) || !(v3_norm(twist_of(&world, b).linear) < 1e-3)) {
                fail_msg("%s, dt %g: box %u is off by %g m", methods[k / COUNT(dt)].name, dt[k % COUNT(dt)], b, off);
            }
        }
    }
    world_free(&world);
}

/* Links that hang on each other, whose limits throw them about (e = 1). Where several limits are met at once the law of
 * restitution may gain a few joules by itself; a start from accelerations after each of them made thousands. */
static World make_limited(void) {
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxBodyId before = afx_world();
    assert_ok(afx_scene_set_contact(world.scene, false));
    for (int k = 0; k < 5; ++k) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef box = afx_default_box(0.2, 0.05, 0.05);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxDriveId drive;
        def.pose.position.x = 0.2 * k + 0.1;
        joint.base = before;
        assert_ok(afx_scene_add_body(world.scene, &def, &before));
        assert_ok(afx_scene_add_shape(world.scene, before, &box));
        joint.follower = before;
        assert_ok(afx_joint_place(world.scene, &joint, afx_frame_along(v3(0.2 * k, 0, 0), v3(0, 1, 0))));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &limit.joint));
        limit.lower = -0.3;
        limit.upper = 0.3;
        limit.restitution = 1;
        if (k) {
            assert_ok(afx_scene_add_drive(world.scene, &limit, &drive));
        }
    }
    return world;
}

static void test_limits(void **state) {
    (void)state;
    World world = make_limited();
    for (size_t k = 0; k < 8; ++k) {
        start_method(&world, k / 2, k % 2 ? 0.005 : 0.01);
        double begin = energy_of(&world), most = begin;
        while (afx_sim_time(world.sim) < 3) {
            assert_ok(afx_step(world.sim, NULL));
            most = fmax(most, energy_of(&world));
        }
        if (!(most - begin < 50)) {
            fail_msg("%s, dt %g: %g J from nothing", methods[k / 2].name, afx_sim_dt(world.sim), most - begin);
        }
    }
    world_free(&world);
}

int run_impact_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("contact_step/impact", tests, NULL, NULL);
}
