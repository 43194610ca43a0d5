/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies at the ends of what is possible make no energy where they touch: soft ones that are squashed, or turned inside
 * out, and huge ones; and cylinders stand on slopes as boxes do. */
#include "tests.h"

static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};

static double energy_of(const World *world) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world->sim, &energy));
    return energy.total;
}

/* The most energy that three boxes on top of each other come to in `seconds`, less that of the start, over it. */
static double gain_of(double size, double young, double gap, AfxIntegrator integrator, double dt, double seconds) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxShapeDef box = afx_default_box(size, size, size);
    AfxSimDef def = afx_default_sim();
    for (int k = 0; k < 3; ++k) {
        AfxBodyDef body = afx_default_body();
        body.young = young;
        body.pose.position = v3(0.1 * size * k, 0.06 * size * k, 0.5 * size + size * k + gap * (k + 1));
        body.pose.rotation = q_about(v3(1, 0, 0), gap > 0.1 * size ? 0.2 * k : 0);
        world_add(&world, &body, &box);
    }
    def.integrator = integrator;
    def.dt = dt;
    world_start(&world, &def);
    double begin = energy_of(&world), most = 0;
    while (afx_sim_time(world.sim) < seconds) {
        assert_ok(afx_step(world.sim, NULL));
        most = fmax(most, energy_of(&world) - begin);
    }
    world_free(&world);
    return most / begin;
}

/* E = 1e3 Pa: their own weight turns them inside out. */
static void test_soft(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(integrators) * 6; ++k) {
        double young = pow(10, 3 + (double)(k % 3)), dt = k / 3 % 2 ? 0.005 : 0.01;
        double gain = gain_of(0.5, young, 0.3, integrators[k / 6], dt, 1.5);
        if (!(gain < 1e-6)) {
            fail_msg("integrator %d, E = %g Pa, dt %g: %g of the energy from nothing", integrators[k / 6], young, dt,
                     gain);
        }
    }
}

static void test_huge(void **state) {
    (void)state;
    const double size[] = {1e3, 1e5, 1e6};
    for (size_t k = 0; k < COUNT(integrators) * 2 * COUNT(size); ++k) {
        double young = k % 2 ? INFINITY : 1e9;
        double gain = gain_of(size[k / 2 % 3], young, 0.1, integrators[k / 6], 0.01, 1);
        if (!(gain < 1e-12)) {
            fail_msg("integrator %d, %g m, E = %g Pa: %g of the energy from nothing", integrators[k / 6],
                     size[k / 2 % 3], young, gain);
        }
    }
}

/* A cylinder on its end, flat or tall, on a plane or on a box, as near as 0.6 degrees to where it slides. */
static void test_standing_cylinder(void **state) {
    (void)state;
    for (int k = 0; k < 16; ++k) {
        double height = k & 1 ? 0.7 : 0.2, angle = (k & 2 ? 26 : 22) * PI / 180, way = k & 4 ? PI / 4 : 0.3;
        World world =
            world_make(v3(GRAVITY * sin(angle) * cos(way), GRAVITY * sin(angle) * sin(way), -GRAVITY * cos(angle)));
        AfxMaterialDef material = afx_default_material();
        AfxBodyDef ground = afx_default_body(), def = afx_default_body();
        AfxShapeDef floor = k & 8 ? afx_default_box(3, 3, 1) : afx_default_plane();
        AfxShapeDef cylinder = afx_default_cylinder(0.2, height);
        material.friction = 0.5;
        assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
        ground.kind = AFX_BODY_FIXED;
        ground.pose.position.z = k & 8 ? -0.5 : 0;
        def.pose.position.z = 0.5 * height;
        world_add(&world, &ground, &floor);
        world_add(&world, &def, &cylinder);
        world_start(&world, NULL);
        world_run(&world, 0.5);
        AfxVec3 before = pose_of(&world, 1).position;
        world_run(&world, 2);
        double creep = v3_distance(pose_of(&world, 1).position, before) / 2;
        if (!(creep < 1e-7)) {
            fail_msg("cylinder %d creeps by %g mm/s", k, 1e3 * creep);
        }
        world_free(&world);
    }
}

/* A soft box at rest stands on its strained corners: its weight, at the centre, presses it down by density g h²/E, with
 * h half its height, and what it stands on is at the plane. */
static void test_squashed(void **state) {
    (void)state;
    const double half = 0.25, young = 1e5;
    AfxMaterialDef material = afx_default_material();
    material.friction = 0; /* it may spread */
    World world = world_ground(&material);
    AfxBodyDef body = afx_default_body();
    AfxShapeDef box = afx_default_box(2 * half, 2 * half, 2 * half);
    body.young = young;
    body.linear_damping = 4;
    body.pose.position = v3(0, 0, half);
    world_add(&world, &body, &box);
    world_start(&world, NULL);
    world_run(&world, 3);
    double down = half - pose_of(&world, 1).position.z, want = box.density * GRAVITY * half * half / young;
    print_message("squashed by %.4g m, %.4g by its weight\n", down, want);
    assert_near(down, want, 0.03 * want);
    world_free(&world);
}

int run_soft_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft),
        cmocka_unit_test(test_squashed),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_standing_cylinder),
    };
    return cmocka_run_group_tests_name("contact_step/soft", tests, NULL, NULL);
}
