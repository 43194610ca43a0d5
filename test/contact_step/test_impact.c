/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts make no energy, with any integrator, at any phase of a step: balls head-on, balls that drop, boxes on boxes.
 */
#include "tests.h"

#define DROPS_MOST 2000
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

static uint32_t drop_count(void) {
    return getenv("AFFIX_TEST_LONG") ? DROPS_MOST : 200;
}

static double drop_height(uint32_t k) {
    return k ? 0.5 + (double)k / drop_count() : 0.99325; /* the first one strikes just before the end of a step */
}

/* How much higher than e² h the highest and the lowest of all balls come after they struck, of h. */
static void drop_all(World *world, double restitution, double *out_most, double *out_least) {
    double top[DROPS_MOST] = {0};
    while (afx_sim_time(world->sim) < 1.2) {
        assert_ok(afx_step(world->sim, NULL));
        for (uint32_t k = 0; k < drop_count(); ++k) {
            bool struck = afx_sim_time(world->sim) > sqrt(2 * drop_height(k) / GRAVITY) + afx_sim_dt(world->sim);
            top[k] = struck ? fmax(top[k], pose_of(world, k + 1).position.z - 0.1) : 0;
        }
    }
    *out_most = -INFINITY;
    *out_least = INFINITY;
    for (uint32_t k = 0; k < drop_count(); ++k) {
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
        for (uint32_t k = 0; k < drop_count(); ++k) {
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

/* ---- many at once ---- */

/* Five balls in a row, `gap` apart; the first comes with 1 m/s. */
static World make_row(double gap, double restitution) {
    World world = world_make(v3(0, 0, 0));
    AfxMaterialDef material = afx_default_material();
    AfxShapeDef ball = afx_default_sphere(0.1);
    material.restitution = restitution;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    for (int k = 0; k < 5; ++k) {
        AfxBodyDef def = afx_default_body();
        def.pose.position.x = (0.2 + gap) * k - (k ? 0 : 0.0531);
        def.linear_velocity.x = k == 0;
        world_add(&world, &def, &ball);
    }
    return world;
}

/* With e = 1 the last ball takes all of it; with less the energy falls, and momentum stays. */
static void test_row(void **state) {
    (void)state;
    for (int k = 0; k < 3 * (int)COUNT(methods); ++k) {
        double e = k % 3 == 2 ? 0.6 : 1, sum = 0;
        World world = make_row(k % 3 == 1 ? 1e-3 : 0, e);
        start_method(&world, (size_t)k / 3, 0.01);
        double begin = energy_of(&world), most = 0;
        while (afx_sim_time(world.sim) < 0.3) {
            assert_ok(afx_step(world.sim, NULL));
            most = fmax(most, energy_of(&world));
        }
        for (uint32_t b = 0; b < 5; ++b) {
            double v = twist_of(&world, b).linear.x;
            sum += v;
            if (e == 1 && !(fabs(v - (b == 4)) < 1e-3)) {
                fail_msg("%s: ball %u of the row has %g m/s", methods[k / 3].name, b, v);
            }
        }
        assert_near(sum, 1, 1e-6);
        assert_true(most <= begin * (1 + 1e-9));
        world_free(&world);
    }
}

/* Newton's cradle: five balls on hinges touch; the first is let go at 0.5 rad. */
static World make_cradle(void) {
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxMaterialDef material = afx_default_material();
    AfxShapeDef ball = afx_default_sphere(0.1);
    material.restitution = 1;
    material.friction = 0;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    for (int k = 0; k < 5; ++k) {
        AfxBodyDef def = afx_default_body();
        AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId id;
        double angle = k ? 0 : 0.5;
        def.pose = (AfxPose){v3(0.2 * k - sin(angle), 0, -cos(angle)), q_about(v3(0, 1, 0), angle)};
        joint.base = afx_world();
        assert_ok(afx_scene_add_body(world.scene, &def, &joint.follower));
        assert_ok(afx_scene_add_shape(world.scene, joint.follower, &ball));
        assert_ok(afx_joint_place(world.scene, &joint, afx_frame_along(v3(0.2 * k, 0, 0), v3(0, 1, 0))));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &id));
    }
    return world;
}

static void test_cradle(void **state) {
    (void)state;
    World world = make_cradle();
    for (size_t k = 0; k < COUNT(methods); ++k) {
        start_method(&world, k, 0.005);
        double begin = energy_of(&world), most = begin, fast = 0;
        double swing = mass_of(&world, 0) * GRAVITY * (1 - cos(0.5)), ideal = sqrt(2 * GRAVITY * (1 - cos(0.5)));
        double lost = methods[k].integrator == AFX_BDF1 ? 0.07 : 0.01; /* BDF1 damps */
        while (afx_sim_time(world.sim) < 0.9) {
            assert_ok(afx_step(world.sim, NULL));
            most = fmax(most, energy_of(&world));
            fast = fmax(fast, twist_of(&world, 4).linear.x);
        }
        if (!(most - begin < 1e-3 * swing) || !(begin - energy_of(&world) < lost * swing) ||
            !(fabs(fast - ideal) < 0.02 * ideal) || !(fabs(twist_of(&world, 0).linear.x) < 0.02)) {
            fail_msg("%s: last ball %g of %g m/s, first %g, energy lost %g of the swing", methods[k].name, fast, ideal,
                     twist_of(&world, 0).linear.x, (begin - energy_of(&world)) / swing);
        }
    }
    world_free(&world);
}

/* A ball strikes a plane at an angle: it slides through the impact, or rolls at its end. */
static void test_oblique(void **state) {
    (void)state;
    const double cases[][4] = {
        {1, 1, 0.8, 0}, {3, 1, 0.8, 0.2}, {1, 3, 0.5, 0.3}, {1, 1, 1, 1}}; /* along, down, e, mu */
    for (size_t k = 0; k < COUNT(cases) * COUNT(methods) * 7; ++k) {
        const double *own = cases[k % COUNT(cases)];
        size_t method = k / COUNT(cases) % COUNT(methods);
        double phase = 1.0 / 7 * (double)(k / (COUNT(cases) * COUNT(methods)));
        AfxMaterialDef material = afx_default_material();
        material.restitution = own[2];
        material.friction = own[3];
        World world = world_ground(&material);
        AfxBodyDef def = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.1);
        def.gravity = false;
        def.pose.position.z = 0.2 + 0.01 * own[1] * phase;
        def.linear_velocity = v3(own[0], 0, -own[1]);
        world_add(&world, &def, &ball);
        start_method(&world, method, 0.01);
        world_run(&world, 0.2);
        AfxVec3 v = twist_of(&world, 1).linear;
        double lost = fmin(own[3] * (1 + own[2]) * own[1], 2.0 / 7 * own[0]);
        if (!(fabs(v.x - (own[0] - lost)) < 0.01) || !(fabs(v.z - own[2] * own[1]) < 1e-3)) {
            fail_msg("%s, phase %g: %g along and %g up, not %g and %g m/s", methods[method].name, phase, v.x, v.z,
                     own[0] - lost, own[2] * own[1]);
        }
        world_free(&world);
    }
}

/* Links that hang on each other, whose limits throw them about; each hinge once, or twice, which is redundant. */
static World make_limited(double restitution, double young, bool twice) {
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxBodyId before = afx_world();
    assert_ok(afx_scene_set_contact(world.scene, false));
    for (int k = 0; k < 5; ++k) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef box = afx_default_box(0.2, 0.05, 0.05);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxDriveId drive;
        AfxJointId other;
        def.young = young;
        def.pose.position.x = 0.2 * k + 0.1;
        joint.base = before;
        assert_ok(afx_scene_add_body(world.scene, &def, &before));
        assert_ok(afx_scene_add_shape(world.scene, before, &box));
        joint.follower = before;
        assert_ok(afx_joint_place(world.scene, &joint, afx_frame_along(v3(0.2 * k, 0, 0), v3(0, 1, 0))));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &limit.joint));
        if (twice) {
            assert_ok(afx_joint_place(world.scene, &joint, afx_frame_along(v3(0.2 * k, 0.03, 0), v3(0, 1, 0))));
            assert_ok(afx_scene_add_joint(world.scene, &joint, &other));
        }
        limit.lower = -0.3;
        limit.upper = 0.3;
        limit.restitution = restitution;
        if (k) {
            assert_ok(afx_scene_add_drive(world.scene, &limit, &drive));
        }
    }
    return world;
}

/* No limit makes energy, many at once neither. Elastic links ring: BDF2 and alpha gain some mJ of that for a while. */
static void test_limits(void **state) {
    (void)state;
    const struct {
        double restitution, young;
        bool twice;
    } chains[] = {{1, 1e9, false}, {1, INFINITY, false}, {0.88, 1e9, true}, {1, 1e9, true}};
    for (size_t c = 0; c < COUNT(chains); ++c) {
        World world = make_limited(chains[c].restitution, chains[c].young, chains[c].twice);
        for (size_t k = 0; k < 2 * COUNT(methods); ++k) {
            start_method(&world, k / 2, k % 2 ? 0.005 : 0.01);
            double begin = energy_of(&world), most = begin;
            while (afx_sim_time(world.sim) < 2) {
                assert_ok(afx_step(world.sim, NULL));
                most = fmax(most, energy_of(&world));
            }
            if (!(most - begin < 0.01)) {
                fail_msg("%s, dt %g, chain %u: %g J from nothing", methods[k / 2].name, afx_sim_dt(world.sim),
                         (unsigned)c, most - begin);
            }
        }
        world_free(&world);
    }
}

/* A beam falls flat on two supports near its middle, of which only the right one bounces: that throws its left end up
 * as well, and the left support does not hold it down, which would make energy. */
static void test_nothing_pulls(void **state) {
    (void)state;
    const double half = 1, support = 0.3, speed = 2, radius = 0.1, gap = 0.0213;
    for (size_t k = 0; k < COUNT(methods); ++k) {
        World world = world_make(v3(0, 0, 0));
        AfxMaterialDef material = afx_default_material();
        AfxMaterialId bouncing;
        AfxBodyDef def = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(radius), beam = afx_default_box(2 * half, 0.2, 0.1);
        material.friction = 0;
        assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
        material.restitution = 1;
        assert_ok(afx_scene_add_material(world.scene, &material, &bouncing));
        def.linear_velocity.z = -speed;
        world_add(&world, &def, &beam);
        def.kind = AFX_BODY_FIXED;
        def.linear_velocity.z = 0;
        for (int side = -1; side < 2; side += 2) {
            def.pose.position = v3(side * support, 0, -0.05 - radius - gap);
            ball.material = side > 0 ? bouncing : ball.material;
            world_add(&world, &def, &ball);
        }
        start_method(&world, k, 0.002);
        world_run(&world, 0.014);
        /* m = 1: an impulse 2 v / (1 + support²/I) at the right one, I that of the beam about its middle */
        double inertia = (4 * half * half + 0.01) / 12, impulse = 2 * speed / (1 + support * support / inertia);
        double up = impulse - speed, turn = -support * impulse / inertia;
        AfxTwist got = twist_of(&world, 0);
        if (!(fabs(got.linear.z - up) < 0.02 * speed) || !(fabs(got.angular.y - turn) < 0.02 * fabs(turn))) {
            fail_msg("%s: the beam rises at %g, not %g m/s and turns at %g, not %g rad/s", methods[k].name,
                     got.linear.z, up, got.angular.y, turn);
        }
        world_free(&world);
    }
}

/* A ball that slides on the first of a row of balls comes to the end of its way and pushes that one, which pushes the
 * others: without restitution all go on together. */
static void test_limit_pushes_a_row(void **state) {
    (void)state;
    enum { BALLS = 5 };
    for (size_t k = 0; k < COUNT(methods); ++k) {
        World world = world_make(v3(0, 0, 0));
        AfxBodyDef def = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.1);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_PRISMATIC);
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxDriveId drive;
        double mean = 0, least = INFINITY, most = -INFINITY;
        for (int n = 0; n < BALLS; ++n) {
            def.pose.position.x = 0.2 * n - (n ? 0 : 0.3);
            def.linear_velocity.x = n ? 0 : 1;
            world_add(&world, &def, &ball);
        }
        joint.base = afx_scene_body(world.scene, 1);
        joint.follower = afx_scene_body(world.scene, 0);
        assert_ok(afx_joint_place(world.scene, &joint, afx_frame_along(v3(0, 0, 0), v3(1, 0, 0))));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &limit.joint));
        limit.upper = 0.0534;
        assert_ok(afx_scene_add_drive(world.scene, &limit, &drive));
        start_method(&world, k, 0.005);
        double begin = energy_of(&world), energy = begin;
        while (afx_sim_time(world.sim) < 0.1) {
            assert_ok(afx_step(world.sim, NULL));
            energy = fmax(energy, energy_of(&world));
        }
        for (uint32_t n = 0; n < BALLS; ++n) {
            double v = twist_of(&world, n).linear.x;
            mean += v / BALLS;
            least = fmin(least, v);
            most = fmax(most, v);
        }
        if (fabs(mean - 1.0 / BALLS) > 1e-9 || most - least > 0.03 || energy > begin * (1 + 1e-9)) {
            fail_msg("%s: velocities %g to %g, mean %g, %g of the energy", methods[k].name, least, most, mean,
                     energy / begin);
        }
        world_free(&world);
    }
}

int run_impact_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_on), cmocka_unit_test(test_drops),         cmocka_unit_test(test_stack),
        cmocka_unit_test(test_row),     cmocka_unit_test(test_cradle),        cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_nothing_pulls), cmocka_unit_test(test_limit_pushes_a_row),
    };
    return cmocka_run_group_tests_name("contact_step/impact", tests, NULL, NULL);
}
