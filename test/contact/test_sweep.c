/* SPDX-License-Identifier: Apache-2.0 */
/* Swept queries: closed forms, and no touch before the time that is returned. */
#include "contact/field.h"
#include "contact/geometry.h"
#include "contact/sweep.h"
#include "contact/triangles.h"
#include "tests.h"

static void test_spheres(void **state) {
    (void)state;
    AfxiGeometry a = sphere_of(0.1), b = sphere_of(0.2);
    AfxiPlace pa = place_at(-5, 0.1, 0), pb = place_at(5, 0, 0);
    const double right[3] = {10, 0, 0}, left[3] = {-10, 0, 0}, still[3] = {0, 0, 0};
    AfxiTouch touch;
    double s, target = 0.001, want = (10 - sqrt(0.301 * 0.301 - 0.01)) / 20;
    assert_true(afxi_sweep(&a, &pa, right, &b, &pb, left, target, &s, &touch));
    assert_near(s, want, 1e-7);
    assert_true(s <= want);
    assert_near(touch.gap, target, 1e-8);
    assert_false(afxi_sweep(&a, &pa, left, &b, &pb, right, target, &s, &touch)); /* apart */
    assert_true(s == 1);
    assert_false(afxi_sweep(&a, &pa, still, &b, &pb, still, target, &s, &touch));
    pa = place_at(4.7, 0, 0); /* touching: s = 0 when it approaches */
    assert_true(afxi_sweep(&a, &pa, right, &b, &pb, still, target, &s, &touch));
    assert_true(s == 0);
    assert_false(afxi_sweep(&a, &pa, left, &b, &pb, still, target, &s, &touch));
}

/* A bullet through a thin plate, of boxes and of triangles. */
static void test_thin_plate(void **state) {
    (void)state;
    double heights[9] = {0};
    AfxAllocator allocator = afx_default_allocator();
    AfxiTriangles mesh;
    assert_ok(afxi_triangles_create_field(&allocator, heights, 3, 3, 1, 1, &mesh));
    AfxiGeometry bullet = sphere_of(0.001), plate = box_of(1, 1, 0.0005);
    AfxiGeometry field = {.kind = AFXI_GEOMETRY_HEIGHT_FIELD, .mesh = &mesh};
    AfxiPlace at = place_at(0.1, 0.2, 10), floor = place_at(0, 0, -0.0005), level = place_at(0, 0, 0);
    const double down[3] = {0.5, 0, -20}, still[3] = {0, 0, 0};
    AfxiTouch touch;
    double s, want = (10 - 0.0011) / 20;
    assert_true(afxi_sweep(&bullet, &at, down, &plate, &floor, still, 0.0001, &s, &touch));
    assert_near(s, want, 1e-9);
    assert_vec3(vec3_load(touch.normal), vec3(0, 0, 1), 1e-9);
    assert_true(afxi_sweep(&bullet, &at, down, &field, &level, still, 0.0001, &s, &touch));
    assert_near(s, want, 1e-7);
    assert_true(s <= want + 1e-12);
    /* along the ground, a little above the target: no hit; and in a flat dive, one */
    const double along[3] = {1.6, 0, 0}, dive[3] = {1.6, 0, -0.1};
    at = place_at(-0.8, 0.1, 0.001 + 0.00015);
    assert_false(afxi_sweep(&bullet, &at, along, &field, &level, still, 0.0001, &s, &touch));
    at = place_at(-0.8, 0.1, 0.0511);
    assert_true(afxi_sweep(&bullet, &at, dive, &field, &level, still, 0.0001, &s, &touch));
    assert_true(s > 0.45 && s <= 0.5);
    afxi_triangles_destroy(&allocator, &mesh);
}

static double cliff(double x, double y) {
    (void)y;
    return x > 0.55 ? 0.5 : 0; /* a ramp from (0.5, 0) to (0.6, 0.5) */
}

/* Away from the ground, which is nearest at first, and into a wall. */
static void test_leaves_and_hits(void **state) {
    (void)state;
    AfxiTriangles mesh = field_of(cliff);
    AfxiGeometry ball = sphere_of(0.05), field = {.kind = AFXI_GEOMETRY_HEIGHT_FIELD, .mesh = &mesh};
    AfxiPlace at = place_at(-0.8, 0.03, 0.06), level = place_at(0, 0, 0);
    const double move[3] = {1.6, 0, 0.02}, still[3] = {0, 0, 0};
    double s, target = 0.001, steep = sqrt(0.26), want = (0.656 - steep * (0.05 + target)) / 0.798;
    AfxiTouch touch;
    assert_true(afxi_sweep(&ball, &at, move, &field, &level, still, target, &s, &touch));
    assert_near(s, want, 1e-6);
    assert_vec3(vec3_load(touch.normal), vec3(-0.5 / steep, 0, 0.1 / steep), 1e-9);
    drop_mesh(&mesh);
}

/* Whatever the shapes: before s the gap is above the target, at s it is the target, never: it never is. */
static void test_all_kinds(void **state) {
    (void)state;
    uint64_t seed = 77;
    uint32_t hits = 0;
    for (int k = 0; k < 400; k++) {
        Shape a, b;
        random_shape(&seed, (AfxiGeometryKind)(AFXI_GEOMETRY_SPHERE + k % 6), 0.5, &a);
        random_shape(&seed, (AfxiGeometryKind)(AFXI_GEOMETRY_SPHERE + k / 6 % 6), 0.5, &b);
        AfxiPlace pa = random_place(&seed, 1), pb = random_place(&seed, 1);
        double move_a[3], move_b[3], s, target = 0.01;
        pa.t[0] -= 3;
        vec3_store(move_a, vec3_add(vec3(3, 0, 0), random_vec3(&seed, 1)));
        vec3_store(move_b, random_vec3(&seed, 1));
        AfxiTouch touch, points[AFXI_TOUCH_MAX];
        bool hit = afxi_sweep(&a.g, &pa, move_a, &b.g, &pb, move_b, target, &s, &touch);
        hits += hit;
        for (int j = 0; j < 50; j++) {
            AfxiPlace qa = pa, qb = pb;
            for (int i = 0; i < 3; i++) {
                qa.t[i] += s * j / 50 * move_a[i];
                qb.t[i] += s * j / 50 * move_b[i];
            }
            uint32_t count = afxi_touch(&a.g, &qa, &b.g, &qb, 10, points);
            if (j > 0 || s > 0)
                assert_true(deepest_of(points, count)->gap >= target * (1 - 1e-6) ||
                            (!hit && vec3_dot(vec3_load(deepest_of(points, count)->normal),
                                              vec3_sub(vec3_load(move_a), vec3_load(move_b))) >= 0));
        }
        if (hit && s > 0)
            assert_near(touch.gap, target, 1e-6);
        drop_shape(&a);
        drop_shape(&b);
    }
    assert_true(hits > 50 && hits < 390);
}

int run_sweep_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spheres), cmocka_unit_test(test_thin_plate),
                                       cmocka_unit_test(test_leaves_and_hits), cmocka_unit_test(test_all_kinds)};
    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
