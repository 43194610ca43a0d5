/* SPDX-License-Identifier: Apache-2.0 */
/* Touches that have a closed form. */
#include "contact/geometry.h"
#include "tests.h"

static AfxiTouch points[AFXI_TOUCH_MAX];

static uint32_t touch(AfxiGeometry a, AfxiPlace pa, AfxiGeometry b, AfxiPlace pb, double margin) {
    return afxi_touch(&a, &pa, &b, &pb, margin, points);
}

/* Turns the place by `angle` about the world's axis k, before its translation. */
static AfxiPlace turned(AfxiPlace place, int k, double angle) {
    AfxVec3 w = vec3(k == 0 ? angle : 0, k == 1 ? angle : 0, k == 2 ? angle : 0);
    AfxiMat3 turn = afxi_mat3_rotation(w), r = mat3_load(place.r), both = mat3_multiply(&turn, &r);
    for (int j = 0; j < 9; j++)
        place.r[j] = both.m[j];
    return place;
}

static void test_spheres(void **state) {
    (void)state;
    assert_int_equal(touch(sphere_of(2), place_at(3, 4, 0), sphere_of(1), place_at(0, 0, 0), 2.5), 1);
    assert_near(points[0].gap, 2, 1e-15);
    assert_vec3(vec3_load(points[0].normal), vec3(0.6, 0.8, 0), 1e-15);
    assert_vec3(vec3_load(points[0].point_a), vec3(1.8, 2.4, 0), 1e-15);
    assert_vec3(vec3_load(points[0].point_b), vec3(0.6, 0.8, 0), 1e-15);
    assert_int_equal(touch(sphere_of(2), place_at(3, 4, 0), sphere_of(1), place_at(0, 0, 0), 1.9), 0);
    /* one center in the other: any normal, but the full depth */
    assert_int_equal(touch(sphere_of(2), place_at(7, 7, 7), sphere_of(1), place_at(7, 7, 7), 0), 1);
    assert_near(points[0].gap, -3, 1e-15);
    assert_near(vec3_length(vec3_load(points[0].normal)), 1, 1e-15);
}

/* A rope over a pulley: the capsule lies on the cylinder's side, across it or along it, turned by a little or not. */
static void test_capsule_on_cylinder(void **state) {
    (void)state;
    AfxiGeometry capsule = capsule_of(0.01, 0.2), pulley = cylinder_of(0.5, 0.1), drum = cylinder_of(0.5, 3);
    AfxiPlace across = turned(place_at(0.505, 0, 0.02), 0, 1.5707963267948966);
    assert_int_equal(touch(capsule, across, pulley, place_at(0, 0, 0), 0.01), 1);
    assert_near(points[0].gap, -0.005, 1e-15);
    assert_vec3(vec3_load(points[0].normal), vec3(1, 0, 0), 1e-15);
    assert_vec3(vec3_load(points[0].point_b), vec3(0.5, 0, 0.02), 1e-15);
    assert_int_equal(touch(capsule, place_at(0.512, 0, 1), drum, place_at(0, 0, 0), 0.01), 2);
    for (int k = 0; k < 2; k++) {
        assert_near(points[k].gap, 0.002, 1e-14);
        assert_near(fabs(points[k].point_b[2] - 1), 0.2, 1e-14);
    }
    assert_near(points[0].point_b[2] + points[1].point_b[2], 2, 1e-14);
    /* longer than the pulley is wide: the ends of the common length */
    assert_int_equal(touch(capsule, place_at(0.512, 0, 0.05), pulley, place_at(0, 0, 0), 0.01), 2);
    assert_near(fmax(points[0].point_b[2], points[1].point_b[2]), 0.1, 1e-14);
    assert_near(fmin(points[0].point_b[2], points[1].point_b[2]), -0.1, 1e-14);
    /* flat on the end */
    AfxiPlace on_end = turned(place_at(0.1, 0, 0.108), 0, 1.5707963267948966);
    assert_int_equal(touch(capsule, on_end, pulley, place_at(0, 0, 0), 0.01), 2);
    assert_near(points[0].gap, -0.002, 1e-14);
    assert_near(points[1].gap, -0.002, 1e-14);
}

/* The gap of a capsule that is skew to a cylinder's side is the distance of the two lines. */
static void test_skew_lines(void **state) {
    (void)state;
    for (int k = 2; k < 30; k++) {
        double angle = 0.1 * k;
        AfxiPlace place = turned(place_at(0.61, 0, 0), 0, angle);
        assert_int_equal(touch(capsule_of(0.1, 2), place, cylinder_of(0.5, 5), place_at(0, 0, 0), 0.011), 1);
        assert_near(points[0].gap, 0.01, 1e-14);
        assert_int_equal(touch(capsule_of(0.1, 2), place, capsule_of(0.5, 5), place_at(0, 0, 0), 0.011), 1);
        assert_near(points[0].gap, 0.01, 1e-14);
    }
}

static void test_capsules(void **state) {
    (void)state;
    AfxiGeometry a = capsule_of(0.1, 1), b = capsule_of(0.2, 0.5);
    assert_int_equal(touch(a, place_at(0.25, 0, 0.2), b, place_at(0, 0, 0), 0), 2);
    assert_near(points[0].gap, -0.05, 1e-15);
    assert_near(points[1].gap, -0.05, 1e-15);
    assert_near(points[0].point_a[2] + points[1].point_a[2], 0, 1e-15);
    assert_near(fabs(points[0].point_a[2]), 0.5, 1e-15);
    /* end to end in line */
    assert_int_equal(touch(a, place_at(0, 0, 1.7), b, place_at(0, 0, 0), 0), 1);
    assert_near(points[0].gap, -0.1, 1e-15);
    assert_vec3(vec3_load(points[0].normal), vec3(0, 0, 1), 1e-15);
    /* axes that meet: out along their common normal */
    assert_true(touch(a, turned(place_at(0, 0, 0), 0, 1), b, place_at(0, 0, 0), 0) >= 1);
    assert_near(deepest_of(points, 1)->gap, -0.3, 1e-14);
    assert_near(fabs(points[0].normal[0]), 1, 1e-14);
    /* no length: spheres */
    assert_int_equal(touch(capsule_of(1, 0), place_at(0, 3, 4), capsule_of(2, 0), place_at(0, 0, 0), 3), 1);
    assert_near(points[0].gap, 2, 1e-15);
}

static void test_capsule_on_box(void **state) {
    (void)state;
    AfxiPlace lying = turned(place_at(0.3, 0.1, 1.05), 1, 1.5707963267948966);
    assert_int_equal(touch(capsule_of(0.1, 1), lying, box_of(1, 1, 1), place_at(0, 0, 0), 0), 2);
    for (int k = 0; k < 2; k++) {
        assert_near(points[k].gap, -0.05, 1e-14);
        assert_vec3(vec3_load(points[k].normal), vec3(0, 0, 1), 1e-14);
    }
    assert_near(fmax(points[0].point_b[0], points[1].point_b[0]), 1, 1e-14);
    assert_near(fmin(points[0].point_b[0], points[1].point_b[0]), -0.7, 1e-14);
}

static void test_boxes(void **state) {
    (void)state;
    assert_int_equal(touch(box_of(1, 1, 1), place_at(0.5, 0, 2.01), box_of(1, 1, 1), place_at(0, 0, 0), 0.02), 4);
    for (int k = 0; k < 4; k++) {
        assert_near(points[k].gap, 0.01, 1e-14);
        assert_near(fabs(points[k].point_b[1]), 1, 1e-14);
        assert_true(fabs(points[k].point_b[0] - 1) < 1e-14 || fabs(points[k].point_b[0] + 0.5) < 1e-14);
    }
    /* turned by 45 degrees: an octagon */
    AfxiPlace octagon = turned(place_at(0, 0, 1.99), 2, 0.78539816339744831);
    assert_int_equal(touch(box_of(1, 1, 1), octagon, box_of(1, 1, 1), place_at(0, 0, 0), 0), 8);
    for (int k = 0; k < 8; k++) {
        assert_near(points[k].gap, -0.01, 1e-14);
        double x = fabs(points[k].point_b[0]), y = fabs(points[k].point_b[1]);
        assert_near(fmax(x, y), 1, 1e-14);
        assert_near(fmin(x, y), sqrt(2) - 1, 1e-14);
    }
    /* two edges that cross */
    AfxiPlace upper = turned(turned(place_at(0, 0, 2 * sqrt(2) - 0.1), 0, 0.78539816339744831), 2, 1.5707963267948966);
    AfxiPlace lower = turned(place_at(0, 0, 0), 0, 0.78539816339744831);
    uint32_t count = touch(box_of(1, 1, 1), upper, box_of(1, 1, 1), lower, 0);
    assert_true(count >= 1);
    assert_near(deepest_of(points, count)->gap, -0.1, 1e-13);
    assert_vec3(vec3_load(deepest_of(points, count)->normal), vec3(0, 0, 1), 1e-13);
    assert_vec3(vec3_load(deepest_of(points, count)->point_b), vec3(0, 0, sqrt(2)), 1e-13);
    /* corner to corner: apart along the diagonal */
    assert_int_equal(touch(box_of(1, 1, 1), place_at(2.1, 2.1, 2.1), box_of(1, 1, 1), place_at(0, 0, 0), 1), 1);
    assert_near(points[0].gap, 0.1 * sqrt(3), 1e-14);
}

/* The nearest point of an ellipsoid is where the sphere's center is on the normal; center and scale do not matter. */
static void test_ellipsoid(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 500; k++) {
        double scale = pow(10, 6 * random_unit(&seed) - 3), e[3], u[3], normal[3], at[3];
        for (int j = 0; j < 3; j++) {
            e[j] = scale * (0.1 + random_unit(&seed));
            u[j] = random_unit(&seed) - 0.5;
        }
        double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        AfxVec3 n = vec3(u[0] / length / e[0], u[1] / length / e[1], u[2] / length / e[2]);
        vec3_store(normal, vec3_scale(1 / vec3_length(n), n));
        double away = scale * (0.3 * random_unit(&seed) - 0.005); /* inside by less than any radius of curvature */
        for (int j = 0; j < 3; j++)
            at[j] = u[j] / length * e[j] + away * normal[j];
        double radius = 0.2 * scale;
        assert_int_equal(touch(sphere_of(radius), place_at(at[0], at[1], at[2]), ellipsoid_of(e[0], e[1], e[2]),
                               place_at(0, 0, 0), scale),
                         1);
        assert_near(points[0].gap, away - radius, 1e-12 * scale);
        assert_vec3(vec3_load(points[0].normal), vec3_load(normal), 1e-9);
    }
    /* centers coincide: out along the shortest axis */
    assert_int_equal(touch(sphere_of(1), place_at(0, 0, 0), ellipsoid_of(3, 2, 4), place_at(0, 0, 0), 0), 1);
    assert_near(points[0].gap, -3, 1e-15);
    assert_near(fabs(points[0].normal[1]), 1, 1e-15);
    /* on the long axis, inside the evolute: the nearest point is off that axis */
    assert_int_equal(touch(sphere_of(0.1), place_at(1, 0, 0), ellipsoid_of(3, 1, 1), place_at(0, 0, 0), 0), 1);
    assert_near(points[0].point_b[0], 9.0 / 8, 1e-14);
    assert_near(points[0].gap, -sqrt(1.0 / 64 + 55.0 / 64) - 0.1, 1e-14);
}

static void test_bounds(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int k = 0; k < 200; k++) {
        Shape shape;
        random_shape(&seed, (AfxiGeometryKind)(AFXI_GEOMETRY_SPHERE + k % 6), 1, &shape);
        AfxiPlace place = random_place(&seed, 3);
        double lower[3], upper[3];
        afxi_geometry_bounds(&shape.g, &place, lower, upper);
        for (int j = 0; j < 3; j++) {
            AfxVec3 axis = vec3(j == 0, j == 1, j == 2);
            assert_near(upper[j], reach_of(&shape.g, &place, axis), 1e-14);
            assert_near(lower[j], -reach_of(&shape.g, &place, vec3_scale(-1, axis)), 1e-14);
        }
        drop_shape(&shape);
    }
    AfxiGeometry plane = {.kind = AFXI_GEOMETRY_PLANE};
    AfxiPlace place = place_at(0, 0, 0);
    double lower[3], upper[3];
    afxi_geometry_bounds(&plane, &place, lower, upper);
    assert_true(isinf(lower[2]) && isinf(upper[0]));
}

int run_closed_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres),        cmocka_unit_test(test_capsule_on_cylinder),
        cmocka_unit_test(test_skew_lines),     cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_capsule_on_box), cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_ellipsoid),      cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests_name("closed forms", tests, NULL, NULL);
}
