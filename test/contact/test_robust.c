/* SPDX-License-Identifier: Apache-2.0 */
/* Degenerate placements and extreme sizes: results stay finite, unit and right. */
#include "contact/geometry.h"
#include "tests.h"

static void assert_sound(const AfxiTouch *points, uint32_t count, double margin, double size) {
    assert_true(count <= AFXI_TOUCH_MAX);
    for (uint32_t k = 0; k < count; k++) {
        const AfxiTouch *p = points + k;
        AfxVec3 n = vec3_load(p->normal), a = vec3_load(p->point_a), b = vec3_load(p->point_b);
        assert_true(vec3_finite(n) && vec3_finite(a) && vec3_finite(b) && isfinite(p->gap));
        assert_near(vec3_length(n), 1, 1e-9);
        assert_true(p->gap < margin);
        assert_near(p->gap, vec3_dot(n, vec3_sub(a, b)), 1e-8 * size);
    }
}

/* A place whose numbers are from a few round values: axes parallel, centers equal, faces touching exactly. */
static AfxiPlace round_place(uint64_t *seed) {
    static const double turns[3][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 1, 1, 0, 0}, {0, 0, -1, 0, 1, 0, 1, 0, 0}};
    static const double steps[5] = {0, 0, 0.5, 1, -1};
    AfxiPlace place;
    const double *r = turns[(int)(3 * random_unit(seed))];
    for (int k = 0; k < 9; k++)
        place.r[k] = r[k];
    for (int k = 0; k < 3; k++)
        place.t[k] = steps[(int)(5 * random_unit(seed))];
    return place;
}

static void round_shape(uint64_t *seed, AfxiGeometryKind kind, Shape *out) {
    static const double sizes[3] = {0.5, 1, 0.25};
    random_shape(seed, kind, 1, out);
    out->g.radius = sizes[(int)(3 * random_unit(seed))];
    out->g.half_length = sizes[(int)(3 * random_unit(seed))];
    if (kind == AFXI_GEOMETRY_CAPSULE && random_unit(seed) < 0.3)
        out->g.half_length = 0;
    for (int k = 0; k < 3; k++)
        out->g.half[k] = sizes[(int)(3 * random_unit(seed))];
}

static void test_degenerate(void **state) {
    (void)state;
    for (int ka = AFXI_GEOMETRY_SPHERE; ka <= AFXI_GEOMETRY_CONVEX; ka++)
        for (int kb = AFXI_GEOMETRY_SPHERE; kb <= AFXI_GEOMETRY_CONVEX; kb++) {
            uint64_t seed = 31 * (uint64_t)ka + (uint64_t)kb;
            for (int k = 0; k < 200; k++) {
                Shape a, b;
                AfxiTouch points[AFXI_TOUCH_MAX];
                round_shape(&seed, (AfxiGeometryKind)ka, &a);
                round_shape(&seed, (AfxiGeometryKind)kb, &b);
                AfxiPlace pa = round_place(&seed), pb = round_place(&seed);
                double margin = k % 2 ? 0.5 : 1e-9;
                uint32_t count = afxi_touch(&a.g, &pa, &b.g, &pb, margin, points);
                assert_sound(points, count, margin, 2);
                double want = search_distance(&a.g, &pa, &b.g, &pb);
                if (count > 0) {
                    const AfxiTouch *p = deepest_of(points, count);
                    assert_near(apart_along(&a.g, &pa, &b.g, &pb, vec3_load(p->normal)), p->gap, 1e-8);
                    assert_true(p->gap > want - 1e-8);
                } else {
                    assert_true(want > margin - 0.02);
                }
                drop_shape(&a);
                drop_shape(&b);
            }
        }
}

/* The same scene 1000 times larger or smaller has the same touches. */
static void test_scale(void **state) {
    (void)state;
    for (int ka = AFXI_GEOMETRY_SPHERE; ka <= AFXI_GEOMETRY_ELLIPSOID; ka++)
        for (int kb = ka; kb <= AFXI_GEOMETRY_ELLIPSOID; kb++) {
            uint64_t seed = 17 * (uint64_t)ka + (uint64_t)kb;
            for (int k = 0; k < 40; k++) {
                Shape a, b;
                AfxiTouch points[AFXI_TOUCH_MAX], scaled[AFXI_TOUCH_MAX];
                double scale = k % 2 ? 1024 : 1.0 / 1024;
                random_shape(&seed, (AfxiGeometryKind)ka, 1, &a);
                random_shape(&seed, (AfxiGeometryKind)kb, 1, &b);
                AfxiPlace pa = random_place(&seed, 1.5), pb = random_place(&seed, 0.2);
                uint32_t count = afxi_touch(&a.g, &pa, &b.g, &pb, 0.5, points);
                for (int j = 0; j < 3; j++) {
                    a.g.half[j] *= scale;
                    b.g.half[j] *= scale;
                    pa.t[j] *= scale;
                    pb.t[j] *= scale;
                }
                a.g.radius *= scale;
                a.g.half_length *= scale;
                b.g.radius *= scale;
                b.g.half_length *= scale;
                assert_int_equal(afxi_touch(&a.g, &pa, &b.g, &pb, 0.5 * scale, scaled), count);
                for (uint32_t j = 0; j < count; j++) {
                    assert_near(scaled[j].gap / scale, points[j].gap, 1e-9);
                    assert_vec3(vec3_load(scaled[j].normal), vec3_load(points[j].normal), 1e-7);
                }
            }
        }
}

/* A shape on the top of a box that is 10^4 times as large, and a thin plate: gaps to 1e-10 of the small one's size. */
static void test_ratio(void **state) {
    (void)state;
    uint64_t seed = 5;
    AfxiGeometry ground = box_of(1000, 1000, 10), plate = box_of(10, 10, 0.001);
    AfxiPlace floor = place_at(0, 0, 0);
    for (int k = 0; k < 600; k++) {
        Shape shape;
        AfxiTouch points[AFXI_TOUCH_MAX];
        const AfxiGeometry *large = k % 2 ? &ground : &plate;
        random_shape(&seed, (AfxiGeometryKind)(AFXI_GEOMETRY_SPHERE + k % 6), 0.1, &shape);
        AfxiPlace at = random_place(&seed, 5);
        double want = 0.02 * random_unit(&seed) - 0.002 * (k % 3 == 0), low = -reach_of(&shape.g, &at, vec3(0, 0, -1));
        if (large == &plate)
            want = fabs(want);
        at.t[2] += large->half[2] + want - low;
        uint32_t count = afxi_touch(&shape.g, &at, large, &floor, 0.03, points);
        assert_true(count > 0);
        assert_sound(points, count, 0.03, 10);
        assert_near(deepest_of(points, count)->gap, want, large == &plate ? 1e-12 : 1e-10);
        assert_vec3(vec3_load(deepest_of(points, count)->normal), vec3(0, 0, 1), 1e-9);
        drop_shape(&shape);
    }
}

/* Far from the world's origin nothing is lost but the digits of the places themselves. */
static void test_far_away(void **state) {
    (void)state;
    AfxiTouch points[AFXI_TOUCH_MAX];
    AfxiGeometry box = box_of(0.5, 0.5, 0.5), sphere = sphere_of(0.25);
    AfxiPlace a = place_at(0x1p20, 0x1p20, 0x1p20 + 0.75), b = place_at(0x1p20, 0x1p20, 0x1p20);
    assert_int_equal(afxi_touch(&sphere, &a, &box, &b, 0.01, points), 1);
    assert_true(points[0].gap == 0);
    assert_true(points[0].point_a[2] == 0x1p20 + 0.5);
}

int run_robust_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_degenerate), cmocka_unit_test(test_scale),
                                       cmocka_unit_test(test_ratio), cmocka_unit_test(test_far_away)};
    return cmocka_run_group_tests_name("robust", tests, NULL, NULL);
}
