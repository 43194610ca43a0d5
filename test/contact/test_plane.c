/* SPDX-License-Identifier: Apache-2.0 */
/* A plane against every convex kind: the deepest point is as low as the shape reaches, and shapes that stand or lie
 * have the points that hold them. */
#include "contact/geometry.h"
#include "tests.h"

static const AfxiGeometry plane = {.kind = AFXI_GEOMETRY_PLANE};

static void test_lowest_point(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 1200; k++) {
        Shape shape;
        AfxiTouch points[AFXI_TOUCH_MAX];
        random_shape(&seed, (AfxiGeometryKind)(AFXI_GEOMETRY_SPHERE + k % 6), 1, &shape);
        AfxiPlace place = random_place(&seed, 1), floor = random_place(&seed, 1);
        AfxVec3 up = vec3_load(floor.r + 6);
        double want = -reach_of(&shape.g, &place, vec3_scale(-1, up)) - vec3_dot(up, vec3_load(floor.t));
        uint32_t count = afxi_touch(&shape.g, &place, &plane, &floor, 0.5, points);
        assert_int_equal(count > 0, want < 0.5);
        if (count > 0)
            assert_near(deepest_of(points, count)->gap, want, 1e-13);
        for (uint32_t j = 0; j < count; j++) {
            AfxVec3 low = vec3_load(points[j].point_a), foot = vec3_load(points[j].point_b);
            assert_vec3(vec3_load(points[j].normal), up, 1e-15);
            assert_near(points[j].gap, vec3_dot(up, vec3_sub(low, foot)), 1e-14);
            assert_near(vec3_dot(up, vec3_sub(foot, vec3_load(floor.t))), 0, 1e-14);
            assert_true(holds(&shape.g, &place, low, 1e-12));
            assert_true(points[j].gap < 0.5);
        }
        drop_shape(&shape);
    }
}

/* Points that hold a shape at rest: around its middle in all directions. */
static void assert_held(const AfxiTouch *points, uint32_t count, double radius) {
    for (int k = 0; k < 16; k++) {
        double c = cos(0.39269908169872414 * k), s = sin(0.39269908169872414 * k), most = -1;
        for (uint32_t j = 0; j < count; j++)
            most = fmax(most, c * points[j].point_a[0] + s * points[j].point_a[1]);
        assert_true(most >= radius);
    }
}

static void test_at_rest(void **state) {
    (void)state;
    AfxiTouch points[AFXI_TOUCH_MAX];
    AfxiGeometry box = box_of(1, 2, 3), cylinder = cylinder_of(1, 2), capsule = capsule_of(0.5, 1);
    AfxiPlace floor = place_at(0, 0, 0), high = place_at(0, 0, 2.999), middle = place_at(0, 0, 1.999);
    assert_int_equal(afxi_touch(&box, &high, &plane, &floor, 0.01, points), 4);
    assert_held(points, 4, 1);
    uint32_t count = afxi_touch(&cylinder, &middle, &plane, &floor, 0.01, points);
    assert_int_equal(count, 8);
    assert_held(points, count, 0.9);
    /* tilted by 1e-3 it stands on the same points; by 4e-3 on the lowest point of the rim and those near enough */
    for (int far = 0; far < 2; far++) {
        AfxiMat3 tilt = afxi_mat3_rotation(vec3_scale(far ? 4 : 1, vec3(0.8e-3, 0.6e-3, 0)));
        for (int k = 0; k < 9; k++)
            middle.r[k] = tilt.m[k];
        count = afxi_touch(&cylinder, &middle, &plane, &floor, 0.02, points);
        assert_int_equal(count, far ? 9 : 8);
        assert_held(points, count, 0.9);
    }
    /* lying */
    AfxiPlace lying = {{0, 0, -1, 0, 1, 0, 1, 0, 0}, {0, 0, 0.999}};
    assert_int_equal(afxi_touch(&cylinder, &lying, &plane, &floor, 0.01, points), 2);
    assert_near(fabs(points[0].point_a[0] - points[1].point_a[0]), 4, 1e-14);
    lying.t[2] = 0.499;
    assert_int_equal(afxi_touch(&capsule, &lying, &plane, &floor, 0.01, points), 2);
    assert_near(points[0].gap, -0.001, 1e-15);
    assert_near(points[1].gap, -0.001, 1e-15);
    assert_int_equal(afxi_touch(&plane, &floor, &plane, &floor, 1, points), 0);
}

int run_plane_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lowest_point), cmocka_unit_test(test_at_rest)};
    return cmocka_run_group_tests_name("plane", tests, NULL, NULL);
}
