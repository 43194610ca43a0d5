/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms: free fall, and damping of translation and rotation. */
#include "tests.h"

static const AfxVec3 gravity = {1, -2, -9.81};

static World thrown_world(double linear_damping, bool with_gravity) {
    World world = world_make(gravity);
    AfxBodyDef def = rigid_def(3, 1, 1, 1);
    def.pose.position = v3(1, 2, 3);
    def.linear_velocity = v3(4, -5, 20);
    def.linear_damping = linear_damping;
    def.gravity = with_gravity;
    world_add(&world, &def);
    return world;
}

/* BDF1 is at x0 + v0 t + g t (t + h) / 2, the other methods are exact. */
static void free_fall_is_exact(void **state) {
    (void)state;
    World world = thrown_world(0, true);
    for (int m = 0; m < METHODS; m++) {
        double h = 0.01, late = methods[m].integrator == AFX_BDF1 ? h : 0;
        AfxSimDef def = sim_def(&methods[m], h);
        world_start(&world, &def);
        for (int n = 1; n <= 1000; n++) {
            world_run(&world, 1);
            double t = n * h;
            AfxVec3 want =
                v3_add(v3_add(v3(1, 2, 3), v3_scale(t, v3(4, -5, 20))), v3_scale(t * (t + late) / 2, gravity));
            assert_near(afx_sim_time(world.sim), t, 1e-12 * t);
            assert_vec3(pose_of(&world, 0).position, want, 1e-9 * (1 + v3_norm(want)));
            assert_vec3(twist_of(&world, 0).linear, v3_add(v3(4, -5, 20), v3_scale(t, gravity)), 1e-9 * 100);
            assert_below(q_distance(pose_of(&world, 0).rotation, (AfxQuat){1, 0, 0, 0}), 1e-12);
        }
    }
    world_free(&world);
}

static void gravity_can_be_off_for_a_body(void **state) {
    (void)state;
    World world = thrown_world(0, false);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 0.01);
        world_start(&world, &def);
        world_run(&world, 100);
        assert_vec3(pose_of(&world, 0).position, v3(5, -3, 23), 1e-11);
        assert_vec3(twist_of(&world, 0).linear, v3(4, -5, 20), 1e-11);
    }
    world_free(&world);
}

/* x'' = g - d x': the error at 1 s for steps halved three times. */
static void linear_damping_is_exponential(void **state) {
    (void)state;
    double d = 1.5, decay = exp(-d);
    AfxVec3 v0 = v3(4, -5, 20), end = v3_scale(1 / d, gravity);
    AfxVec3 v = v3_add(end, v3_scale(decay, v3_sub(v0, end)));
    AfxVec3 x = v3_add(v3_add(v3(1, 2, 3), end), v3_scale((1 - decay) / d, v3_sub(v0, end)));
    World world = thrown_world(d, true);
    for (int m = 0; m < METHODS; m++) {
        int order = methods[m].integrator == AFX_SDIRK2 ? 2 : methods[m].order; /* no constraint: its classical order */
        double position[4], velocity[4];
        for (int k = 0; k < 4; k++) {
            uint32_t steps = 50u << k;
            AfxSimDef def = sim_def(&methods[m], 1.0 / steps);
            world_start(&world, &def);
            world_run(&world, steps);
            position[k] = v3_distance(pose_of(&world, 0).position, x);
            velocity[k] = v3_distance(twist_of(&world, 0).linear, v);
            print_message("  %-6s linear damping h = 1/%-4u x %.2e v %.2e\n", methods[m].name, (unsigned)steps,
                          position[k], velocity[k]);
        }
        assert_below(velocity[3], order == 2 ? 1e-3 : 0.1);
        for (int k = 2; k < 4; k++) {
            assert_near(slope(position[k - 1], position[k]), order, 0.25);
            assert_near(slope(velocity[k - 1], velocity[k]), order, 0.25);
        }
    }
    world_free(&world);
}

/* A ball about a fixed axis: the spin is spin0 exp(-d t), the angle spin0 (1 - exp(-d t)) / d. */
static void angular_damping_is_exponential(void **state) {
    (void)state;
    double d = 1.2, decay = exp(-d);
    AfxVec3 spin = v3(1, -0.5, 2);
    World world = world_make(gravity);
    AfxBodyDef def = rigid_def(3, 0.7, 0.7, 0.7);
    def.angular_velocity = spin;
    def.angular_damping = d;
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        double angle[4], rate[4];
        for (int k = 0; k < 4; k++) {
            uint32_t steps = 100u << k;
            AfxSimDef sim = accurate_def(&methods[m], 1.0 / steps);
            world_start(&world, &sim);
            world_run(&world, steps);
            AfxQuat want = q_about(spin, v3_norm(spin) * (1 - decay) / d);
            angle[k] = q_distance(pose_of(&world, 0).rotation, want);
            rate[k] = v3_distance(twist_of(&world, 0).angular, v3_scale(decay, spin));
            print_message("  %-6s angular damping h = 1/%-4u angle %.2e spin %.2e\n", methods[m].name, (unsigned)steps,
                          angle[k], rate[k]);
        }
        assert_below(rate[3], methods[m].order == 2 ? 1e-4 : 0.05);
        for (int k = 2; k < 4; k++) {
            assert_true(slope(angle[k - 1], angle[k]) > methods[m].order - 0.25);
            assert_true(slope(rate[k - 1], rate[k]) > methods[m].order - 0.25);
        }
    }
    world_free(&world);
}

/* Both dampings on the odd body, pushed and turned on, against the reference. */
static void a_damped_tumbling_body_follows_the_reference(void **state) {
    (void)state;
    World world = world_make(gravity);
    AfxBodyDef def = odd_def();
    def.linear_damping = 0.8;
    def.angular_damping = 1.1;
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.point = v3(0.3, 0.5, -0.1);
    wrench.force = v3(2, -3, 1);
    wrench.torque = v3(0.5, 0.7, -1);
    world_load(&world, world_add(&world, &def), &wrench);
    RigidReference reference = rigid_reference_make(&def, gravity);
    rigid_reference_load(&reference, &wrench);
    rigid_reference_run(&reference, 1, 2e-4);
    for (int m = 0; m < METHODS; m++) {
        Gap gap[2];
        for (int k = 0; k < 2; k++) {
            AfxSimDef sim = accurate_def(&methods[m], 1e-3 / (1 << k));
            world_start(&world, &sim);
            world_run(&world, 1000u << k);
            gap[k] = gap_between(&world, 0, &reference);
        }
        double bound = methods[m].order == 2 ? 1e-4 : 5e-2, fall = methods[m].order == 2 ? 3.4 : 1.7;
        assert_below(gap[0].angle, bound);
        assert_below(gap[0].spin, 2 * bound);
        assert_below(gap[0].velocity, 2 * bound);
        assert_below(gap[1].angle, gap[0].angle / fall);
        assert_below(gap[1].spin, gap[0].spin / fall);
        assert_below(gap[1].position, gap[0].position / fall);
        assert_below(gap[1].velocity, gap[0].velocity / fall);
    }
    world_free(&world);
}

/* Strong damping neither reverses nor blows up the motion. */
static void strong_damping_is_stable(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        World world = world_make(v3(0, 0, 0));
        AfxBodyDef def = odd_def();
        def.linear_damping = def.angular_damping = 1000; /* 10 / h */
        world_add(&world, &def);
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        AfxEnergy first, last;
        assert_ok(afx_sim_energy(world.sim, &first));
        world_run(&world, 300);
        assert_true(state_finite(&world));
        assert_ok(afx_sim_energy(world.sim, &last));
        print_message("  %-6s damping 10 / h: energy %.1e of the first after 300 steps\n", methods[m].name,
                      last.kinetic / first.kinetic);
        assert_below(last.kinetic, 1e-3 * first.kinetic);
        world_free(&world);
    }
}

int run_projectile_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(gravity_can_be_off_for_a_body),
        cmocka_unit_test(linear_damping_is_exponential),
        cmocka_unit_test(angular_damping_is_exponential),
        cmocka_unit_test(a_damped_tumbling_body_follows_the_reference),
        cmocka_unit_test(strong_damping_is_stable),
    };
    return cmocka_run_group_tests_name("projectile", tests, NULL, NULL);
}
