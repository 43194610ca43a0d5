/* SPDX-License-Identifier: Apache-2.0 */
/* Soups: boxes, capsules and rings in a pit, kicked again and again; no step may end with an intersection, by the
 * independent test. AFFIX_TEST_LONG: 10,000 steps. Equal bits when a snapshot is put back. */
#include "tests.h"

#define RING 6

/* A ring of square section, not convex: 4 x RING vertices. */
static AfxShapeDef ring_shape(double vertices[4 * RING * 3], uint32_t triangles[8 * RING * 3]) {
    for (int k = 0; k < RING; k++) {
        for (int c = 0; c < 4; c++) {
            double r = 0.12 + (c == 1 || c == 2 ? 0.02 : -0.02), angle = 2 * PI * k / RING;
            double *v = vertices + 3 * (4 * k + c);
            v[0] = r * cos(angle);
            v[1] = r * sin(angle);
            v[2] = c < 2 ? -0.02 : 0.02;
        }
        for (int c = 0; c < 4; c++) {
            uint32_t next = (uint32_t)((k + 1) % RING), a = 4 * (uint32_t)k + (uint32_t)c, b = 4 * next + (uint32_t)c;
            uint32_t d = 4 * (uint32_t)k + (uint32_t)((c + 1) % 4), e = 4 * next + (uint32_t)((c + 1) % 4);
            uint32_t *t = triangles + 3 * (8 * k + 2 * c);
            uint32_t corner[6] = {a, b, e, a, e, d};
            memcpy(t, corner, sizeof corner);
        }
    }
    return afx_default_mesh(vertices, 4 * RING, triangles, 8 * RING);
}

static void wall(World *world, AfxVec3 place, double x, double y, double z) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(x, y, z);
    def.kind = AFX_BODY_FIXED;
    def.pose.position = place;
    world_add(world, &def, &box);
}

static World soup(uint32_t count) {
    static double vertices[4 * RING * 3];
    static uint32_t triangles[8 * RING * 3];
    World world = world_make(GRAVITY, 0.4);
    world_plane(&world);
    for (int k = -1; k <= 1; k += 2) {
        wall(&world, v3(0.55 * k, 0, 1), 0.1, 1.2, 2);
        wall(&world, v3(0, 0.55 * k, 1), 1, 0.1, 2);
    }
    AfxShapeDef shapes[3] = {afx_default_box(0.16, 0.12, 0.1), ring_shape(vertices, triangles),
                             afx_default_capsule(0.05, 0.2)};
    uint64_t seed = 11;
    for (uint32_t k = 0; k < count; k++) {
        AfxPose pose = {v3(0.3 * (k % 2) - 0.15, 0.3 * (k / 2 % 2) - 0.15, 0.3 + 0.3 * (k / 4)), random_quat(&seed)};
        world_put(&world, &shapes[k % 3], pose, k % 2);
    }
    return world;
}

/* Kicks all bodies, and steps. A step may fail, as long as it says so and is rare; none may end with an intersection.
 */
static void run(World *world, uint32_t steps, uint64_t seed) {
    AfxWrench *wrenches = calloc(afx_model_body_count(world->model), sizeof *wrenches);
    uint32_t failed = 0, count;
    for (uint32_t n = 0; n < steps; n++) {
        for (uint32_t k = 0; k < afx_model_body_count(world->model); k++) {
            double push = n % 40 < 2 ? 60 : 0;
            wrenches[k] = (AfxWrench){random_vec3(&seed, push), random_vec3(&seed, 0.002 * push)};
        }
        assert_ok(afx_sim_set_body_wrenches(world->sim, wrenches));
        AfxStepReport report;
        AfxStatus status = afx_step(world->sim, &report);
        assert_true(status == AFX_OK || (status == AFX_E_NUMERIC && report.body != UINT32_MAX));
        failed += status != AFX_OK;
        assert_ok(afx_sim_intersections(world->sim, NULL, 0, &count));
        assert_int_equal(count, 0);
    }
    assert_true(failed <= steps / 10);
    free(wrenches);
}

static void a_soup_never_intersects(void **state) {
    (void)state;
    World world = soup(test_long() ? 24 : 8);
    world_start(&world, AFX_BDF1, 0.01);
    run(&world, test_long() ? 10000 : 60, 1);
    world_free(&world);
}

static void a_snapshot_goes_on_with_the_same_bits(void **state) {
    (void)state;
    World world = soup(6);
    world_start(&world, AFX_BDF2, 0.01);
    run(&world, 45, 2);
    size_t size = afx_sim_snapshot_size(world.sim);
    size_t bytes = 12 * sizeof(double) * afx_model_body_count(world.model);
    void *snapshot = malloc(size);
    double *kept = malloc(bytes);
    assert_ok(afx_sim_snapshot(world.sim, snapshot, size));
    run(&world, 10, 3);
    memcpy(kept, afx_sim_coordinates(world.sim), bytes);
    assert_ok(afx_sim_restore(world.sim, snapshot, size));
    run(&world, 10, 3);
    assert_memory_equal(kept, afx_sim_coordinates(world.sim), bytes);
    free(kept);
    free(snapshot);
    world_free(&world);
}

int run_soup_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soup_never_intersects),
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests_name("barrier: soups", tests, NULL, NULL);
}
