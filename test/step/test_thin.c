/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies without extent in some direction: plates (one second moment 0), rods (two) and point masses (all). */
#include "tests.h"

/* Inertia (1, 2, 3) has second moments (2, 1, 0): a plate. */
static void a_plate_follows_the_reference(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1.5, 1, 2, 3);
    AfxWrenchDef wrench = afx_default_wrench();
    def.angular_velocity = v3(2, -1, 1.5);
    def.center = v3(0.1, 0.2, -0.3);
    wrench.frame = AFX_FRAME_BODY;
    wrench.torque = v3(1, -0.5, 2);
    wrench.force = v3(0, 0.5, 1);
    wrench.point = v3(0.5, 0, 0);
    world_load(&world, world_add(&world, &def), &wrench);
    RigidReference reference = rigid_reference_make(&def, v3(0, 0, 0));
    rigid_reference_load(&reference, &wrench);
    rigid_reference_run(&reference, 2, 2e-4);
    for (int m = 0; m < METHODS; m++) {
        Gap gap[2];
        for (int k = 0; k < 2; k++) {
            AfxSimDef sim = accurate_def(&methods[m], 2e-3 / (1 << k));
            world_start(&world, &sim);
            world_run(&world, 1000u << k);
            gap[k] = gap_between(&world, 0, &reference);
        }
        assert_below(gap[0].angle, methods[m].order == 2 ? 1e-3 : 0.2);
        assert_below(gap[1].angle, gap[0].angle / (methods[m].order == 2 ? 3.4 : 1.7));
        assert_below(gap[1].spin, gap[0].spin / (methods[m].order == 2 ? 3.4 : 1.7));
    }
    assert_false(afx_model_body_floored(world.model, 0));
    world_free(&world);
}

/* Elastic plates, rods and points: the missing second moments must not let the shape go. */
static void thin_elastic_bodies_keep_their_shape(void **state) {
    (void)state;
    static const double inertia[][3] = {{1, 2, 3}, {0, 1, 1}, {0, 0, 0}};
    World world = world_make(v3(0, 0, -9.81));
    for (size_t k = 0; k < COUNT(inertia); k++) {
        AfxBodyDef def = rigid_def(1000, inertia[k][0], inertia[k][1], inertia[k][2]);
        def.young = 1e8;
        def.angular_velocity = v3(0, 1, 2);
        world_add(&world, &def);
    }
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        world_run(&world, 500);
        assert_true(state_finite(&world));
        const double *q = afx_sim_coordinates(world.sim);
        for (size_t k = 0; k < 3 * COUNT(inertia); k++) {
            const double *column = q + 12 * (k / 3) + 3 * (k % 3);
            assert_near(v3_norm(v3(column[0], column[1], column[2])), 1, 1e-4);
        }
    }
    world_free(&world);
}

/* A rod along x of its own frame, turned about, spun across its axis. */
static AfxBodyDef rod_def(AfxVec3 *out_axis, AfxVec3 *out_spin) {
    AfxBodyDef def = rigid_def(1, 0, 1.0 / 12, 1.0 / 12);
    def.pose.rotation = q_about(v3(1, 2, 3), 0.7);
    *out_axis = q_rotate(def.pose.rotation, v3(1, 0, 0));
    AfxVec3 across = v3_cross(*out_axis, v3(0.3, -1, 0.5));
    *out_spin = v3_scale(5 / v3_norm(across), across);
    def.angular_velocity = *out_spin;
    def.linear_velocity = v3(1, 0, 0);
    return def;
}

static double rod_error(World *world, const AfxSimDef *def, AfxVec3 axis, AfxVec3 spin) {
    double worst = 0;
    AfxStepReport report;
    world_start(world, def);
    for (int n = 1; n <= (int)lround(10 / def->dt); n++) {
        assert_ok(afx_step(world->sim, &report));
        assert_true(report.flags & AFX_STEP_INERTIA_FLOOR);
        double t = n * def->dt;
        AfxVec3 tip, want = q_rotate(q_about(spin, v3_norm(spin) * t), v3_scale(0.5, axis));
        assert_ok(afx_sim_marker(world->sim, 0, &tip, NULL));
        worst = fmax(worst, v3_distance(tip, v3_add(want, v3(t, 0, 0))));
    }
    assert_true(state_finite(world));
    return worst;
}

static void a_rod_tumbles_for_ten_seconds(void **state) {
    (void)state;
    AfxVec3 axis, spin;
    AfxBodyDef def = rod_def(&axis, &spin);
    World world = world_make(v3(0, 0, 0));
    world_mark(&world, world_add(&world, &def), v3(0.5, 0, 0));
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef coarse = accurate_def(&methods[m], 2e-3), fine = accurate_def(&methods[m], 1e-3);
        double error = rod_error(&world, &coarse, axis, spin), half = rod_error(&world, &fine, axis, spin);
        print_message("  %-6s rod tip off by %.2e (h = 2e-3), %.2e (1e-3)\n", methods[m].name, error, half);
        if (methods[m].order == 2) { /* a first-order method has lost the phase after ten seconds */
            assert_below(half, 5e-3);
            assert_below(half, fmax(error / 3.4, 1e-9)); /* BDF2 is exact: it turns evenly */
        }
        assert_true(afx_model_body_floored(world.model, 0));
    }
    world_free(&world);
}

/* A rod may be given a spin about its own axis, and a torque about it: nothing may become infinite. */
static void a_rod_spun_about_itself_stays_finite(void **state) {
    (void)state;
    AfxVec3 axis, spin;
    AfxBodyDef def = rod_def(&axis, &spin);
    def.angular_velocity = v3_add(spin, v3_scale(20, axis));
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.frame = AFX_FRAME_BODY;
    wrench.torque = v3(1e-14, 0, 0);
    World world = world_make(v3(0, 0, 0));
    world_load(&world, world_add(&world, &def), &wrench);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        world_run(&world, 1000);
        assert_true(state_finite(&world));
        assert_below(v3_norm(twist_of(&world, 0).angular), 1e4);
    }
    world_free(&world);
}

static void a_point_mass_falls(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(2, 0, 0, 0), ball = rigid_def(2, 1, 1, 1);
    def.linear_velocity = v3(3, 0, 4);
    world_add(&world, &def);
    world_add(&world, &ball);
    for (int m = 0; m < METHODS; m++) {
        double h = 0.01, late = methods[m].integrator == AFX_BDF1 ? h : 0;
        AfxSimDef sim = sim_def(&methods[m], h);
        AfxStepReport report;
        world_start(&world, &sim);
        assert_ok(afx_step(world.sim, &report));
        assert_true(report.flags & AFX_STEP_INERTIA_FLOOR);
        world_run(&world, 199);
        assert_vec3(pose_of(&world, 0).position, v3(6, 0, 8 - 9.81 * (2 + late)), 1e-10);
        assert_vec3(twist_of(&world, 0).linear, v3(3, 0, 4 - 9.81 * 2), 1e-10);
        assert_below(q_distance(pose_of(&world, 0).rotation, (AfxQuat){1, 0, 0, 0}), 1e-12);
    }
    assert_true(afx_model_body_floored(world.model, 0));
    assert_false(afx_model_body_floored(world.model, 1));
    world_free(&world);
}

/* No thin body, no flag. */
static void the_flag_is_for_floored_bodies_only(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef plate = rigid_def(1, 1, 2, 3);
    world_add(&world, &plate);
    AfxSimDef sim = sim_def(&methods[0], 0.01);
    AfxStepReport report;
    world_start(&world, &sim);
    assert_ok(afx_step(world.sim, &report));
    assert_false(report.flags & AFX_STEP_INERTIA_FLOOR);
    assert_int_equal(report.body, UINT32_MAX);
    world_free(&world);
}

int run_thin_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_follows_the_reference),
        cmocka_unit_test(thin_elastic_bodies_keep_their_shape),
        cmocka_unit_test(a_rod_tumbles_for_ten_seconds),
        cmocka_unit_test(a_rod_spun_about_itself_stays_finite),
        cmocka_unit_test(a_point_mass_falls),
        cmocka_unit_test(the_flag_is_for_floored_bodies_only),
    };
    return cmocka_run_group_tests_name("thin bodies", tests, NULL, NULL);
}
