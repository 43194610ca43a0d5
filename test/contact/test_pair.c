/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of convex kinds at random placements, against a search over directions, which is independent of the code
 * under test and never gives too large a distance. The separation along the reported normal is computed anew: it must
 * be the gap, and no direction may have a larger one. That proves gap and normal to rounding. */
#include "contact/geometry.h"
#include "tests.h"

#define PLACES 100

static void check_points(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb,
                         const AfxiTouch *points, uint32_t count, double size) {
    for (uint32_t k = 0; k < count; k++) {
        AfxVec3 x = vec3_load(points[k].point_a), y = vec3_load(points[k].point_b), n = vec3_load(points[k].normal);
        assert_near(vec3_length(n), 1, 1e-12);
        assert_near(points[k].gap, vec3_dot(n, vec3_sub(x, y)), 1e-9 * size);
        assert_true(holds(a, pa, x, 1e-6 * size));
        assert_true(holds(b, pb, y, 1e-6 * size));
        for (uint32_t j = 0; j < k; j++)
            assert_true(points[j].feature != points[k].feature);
    }
}

static void check_pair(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb,
                       double margin) {
    AfxiTouch points[AFXI_TOUCH_MAX];
    double size = size_of(a) + size_of(b), want = search_distance(a, pa, b, pb);
    uint32_t count = afxi_touch(a, pa, b, pb, margin, points);
    if (count == 0) { /* the search stops short of the distance by up to 1 % where edges decide */
        assert_true(want >= margin - 0.01 * size);
        return;
    }
    bool many = (a->kind == b->kind && a->kind == AFXI_GEOMETRY_BOX) || a->kind == AFXI_GEOMETRY_CYLINDER ||
                b->kind == AFXI_GEOMETRY_CYLINDER;
    assert_true(count <= (many ? 9 : 5));
    const AfxiTouch *deepest = deepest_of(points, count);
    double along = apart_along(a, pa, b, pb, vec3_load(deepest->normal));
    if (!(fabs(along - deepest->gap) < 2e-9 * size && deepest->gap > want - 1e-9 * size))
        print_error("kinds %d %d: gap %.12g, along its normal %.12g, searched %.12g\n", a->kind, b->kind, deepest->gap,
                    along, want);
    assert_near(along, deepest->gap, 2e-9 * size);
    assert_true(deepest->gap > want - 1e-9 * size);
    check_points(a, pa, b, pb, points, count, size);
}

static void check_kinds(AfxiGeometryKind ka, AfxiGeometryKind kb, double ratio) {
    uint64_t seed = 1000 * (uint64_t)ka + (uint64_t)kb + (ratio == 1 ? 0 : 77);
    for (int k = 0; k < PLACES; k++) {
        Shape a, b;
        random_shape(&seed, ka, 1, &a);
        random_shape(&seed, kb, ratio, &b);
        AfxiPlace pa = random_place(&seed, 0.2 + 1.8 * random_unit(&seed)), pb = random_place(&seed, 0.2 * ratio);
        if (ratio > 1) /* near the surface, wherever it is */
            vec3_store(pa.t, vec3_scale(ratio, vec3_load(pa.t)));
        check_pair(&a.g, &pa, &b.g, &pb, 0.5);
        drop_shape(&a);
        drop_shape(&b);
    }
}

static void test_all_kinds(void **state) {
    (void)state;
    for (int a = AFXI_GEOMETRY_SPHERE; a <= AFXI_GEOMETRY_CONVEX; a++)
        for (int b = a; b <= AFXI_GEOMETRY_CONVEX; b++)
            check_kinds((AfxiGeometryKind)a, (AfxiGeometryKind)b, 1);
}

static void test_unequal_sizes(void **state) {
    (void)state;
    for (int a = AFXI_GEOMETRY_SPHERE; a <= AFXI_GEOMETRY_CONVEX; a++)
        for (int b = AFXI_GEOMETRY_SPHERE; b <= AFXI_GEOMETRY_CONVEX; b++)
            check_kinds((AfxiGeometryKind)a, (AfxiGeometryKind)b, 20);
}

int run_pair_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_unequal_sizes),
    };
    return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
