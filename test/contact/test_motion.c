/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold whatever the shapes are: swapping them, moving both, moving one by a little. */
#include "contact/geometry.h"
#include "tests.h"

#define PLACES 60

typedef struct Scene {
    Shape a, b;
    AfxiPlace pa, pb;
    double size;
} Scene;

static void make_scene(uint64_t *seed, int ka, int kb, Scene *out) {
    random_shape(seed, (AfxiGeometryKind)ka, 1, &out->a);
    random_shape(seed, (AfxiGeometryKind)kb, 1, &out->b);
    out->pa = random_place(seed, 1.5);
    out->pb = random_place(seed, 0.3);
    out->size = size_of(&out->a.g) + size_of(&out->b.g);
}

static void drop_scene(Scene *scene) {
    drop_shape(&scene->a);
    drop_shape(&scene->b);
}

/* Calls `check` for all pairs of convex kinds at random places. */
static void for_all(void (*check)(Scene *scene, uint64_t *seed)) {
    for (int ka = AFXI_GEOMETRY_SPHERE; ka <= AFXI_GEOMETRY_CONVEX; ka++)
        for (int kb = AFXI_GEOMETRY_SPHERE; kb <= AFXI_GEOMETRY_CONVEX; kb++) {
            uint64_t seed = 100 * (uint64_t)ka + (uint64_t)kb;
            for (int k = 0; k < PLACES; k++) {
                Scene scene;
                make_scene(&seed, ka, kb, &scene);
                check(&scene, &seed);
                drop_scene(&scene);
            }
        }
}

static double gap_of(const Scene *s, double margin, AfxiTouch *out) {
    AfxiTouch points[AFXI_TOUCH_MAX];
    uint32_t count = afxi_touch(&s->a.g, &s->pa, &s->b.g, &s->pb, margin, points);
    assert_true(count > 0);
    if (out)
        *out = *deepest_of(points, count);
    return deepest_of(points, count)->gap;
}

static void check_swap(Scene *s, uint64_t *seed) {
    (void)seed;
    AfxiTouch one, other;
    Scene swapped = {s->b, s->a, s->pb, s->pa, s->size};
    double gap = gap_of(s, 10, &one);
    assert_near(gap_of(&swapped, 10, &other), gap, 1e-7 * s->size); /* depths: equally good local ones */
    if (gap > 0)
        assert_vec3(vec3_load(one.normal), vec3_scale(-1, vec3_load(other.normal)), 1e-6);
}

static void check_common_motion(Scene *s, uint64_t *seed) {
    AfxiPlace by = random_place(seed, 1);
    AfxiMat3 turn = mat3_load(by.r);
    Scene moved = *s;
    for (int side = 0; side < 2; side++) {
        AfxiPlace *place = side ? &moved.pb : &moved.pa;
        AfxiMat3 r = mat3_load(place->r), both = mat3_multiply(&turn, &r);
        for (int k = 0; k < 9; k++)
            place->r[k] = both.m[k];
        vec3_store(place->t, vec3_add(mat3_apply(&turn, vec3_load(place->t)), vec3_load(by.t)));
    }
    AfxiTouch one, other;
    double gap = gap_of(s, 10, &one);
    assert_near(gap_of(&moved, 10, &other), gap, 1e-7 * s->size);
    if (gap > 0)
        assert_vec3(vec3_load(other.normal), mat3_apply(&turn, vec3_load(one.normal)), 1e-6);
}

/* Moving a by d changes the gap by |d| at most; along its normal by just |d|. */
static void check_lipschitz(Scene *s, uint64_t *seed) {
    AfxiTouch before, after;
    Scene moved = *s;
    double gap = gap_of(s, 10, &before);
    AfxVec3 d = random_vec3(seed, pow(10, -4 * random_unit(seed) - 1));
    vec3_store(moved.pa.t, vec3_add(vec3_load(s->pa.t), d));
    assert_true(fabs(gap_of(&moved, 10, NULL) - gap) <= vec3_length(d) + 1e-7 * s->size);
    vec3_store(moved.pa.t, vec3_mad(vec3_load(s->pa.t), 0.01, vec3_load(before.normal)));
    if (gap > 0)
        assert_near(gap_of(&moved, 10, &after), gap + 0.01, 1e-8 * s->size);
}

/* Features of resting shapes stay when they move by a little, and their points move by as little. */
static void check_features(Scene *s, uint64_t *seed) {
    AfxiTouch before[AFXI_TOUCH_MAX], after[AFXI_TOUCH_MAX], first;
    double gap = gap_of(s, 10, &first);
    if (gap < 0) /* where depth counts, the best direction may change */
        return;
    Scene moved = *s;
    vec3_store(s->pa.t, vec3_mad(vec3_load(s->pa.t), 0.01 - gap, vec3_load(first.normal)));
    AfxVec3 d = random_vec3(seed, 1e-9);
    vec3_store(moved.pa.t, vec3_add(vec3_load(s->pa.t), d));
    uint32_t n0 = afxi_touch(&s->a.g, &s->pa, &s->b.g, &s->pb, 0.02, before);
    uint32_t n1 = afxi_touch(&moved.a.g, &moved.pa, &moved.b.g, &moved.pb, 0.02, after);
    assert_int_equal(n0, n1);
    for (uint32_t k = 0; k < n0; k++) {
        uint32_t j = 0;
        while (j < n1 && after[j].feature != before[k].feature)
            j++;
        assert_true(j < n1);
        assert_near(after[j].gap, before[k].gap, 1e-7);
        assert_vec3(vec3_load(after[j].normal), vec3_load(before[k].normal), 1e-5);
        assert_vec3(vec3_load(after[j].point_b), vec3_load(before[k].point_b), 1e-4);
    }
}

static void test_swap(void **state) {
    (void)state;
    for_all(check_swap);
}
static void test_common_motion(void **state) {
    (void)state;
    for_all(check_common_motion);
}
static void test_lipschitz(void **state) {
    (void)state;
    for_all(check_lipschitz);
}
static void test_features(void **state) {
    (void)state;
    for_all(check_features);
}

/* A box slides on a larger one, tilted by rounding only: the four corners keep their names all the way. */
static void test_sliding_box(void **state) {
    (void)state;
    AfxiGeometry small = box_of(0.1, 0.1, 0.1), large = box_of(1, 1, 1);
    AfxiPlace floor = place_at(0, 0, 0);
    AfxiTouch first[AFXI_TOUCH_MAX], points[AFXI_TOUCH_MAX];
    AfxiPlace at = place_at(-0.5, 0, 1.0999);
    assert_int_equal(afxi_touch(&small, &at, &large, &floor, 0.01, first), 4);
    uint64_t seed = 1;
    for (int k = 0; k < 200; k++) {
        AfxiMat3 r = afxi_mat3_rotation(random_vec3(&seed, 1e-12));
        for (int j = 0; j < 9; j++)
            at.r[j] = r.m[j];
        at.t[0] += 0.005;
        assert_int_equal(afxi_touch(&small, &at, &large, &floor, 0.01, points), 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(points[i].feature, first[i].feature);
        at.t[0] = at.t[0] > 0.5 ? -0.5 : at.t[0];
    }
}

/* Equal boxes on each other, moved by rounding: corners, not crossings of edges that nearly coincide. */
static void test_stacked_boxes(void **state) {
    (void)state;
    AfxiGeometry box = box_of(0.5, 0.5, 0.5);
    AfxiPlace floor = place_at(0, 0, 0);
    AfxiTouch points[AFXI_TOUCH_MAX];
    uint64_t seed = 1;
    uint32_t names[4] = {0};
    for (int k = 0; k < 200; k++) {
        AfxVec3 d = random_vec3(&seed, 1e-9);
        AfxiPlace at = place_at(d.x, d.y, 0.9999 + d.z);
        assert_int_equal(afxi_touch(&box, &at, &box, &floor, 0.01, points), 4);
        for (int i = 0; i < 4; i++) {
            assert_true(k == 0 || points[i].feature == names[i]);
            names[i] = points[i].feature;
        }
    }
}

/* A coin on a table, tilted by rounding: its points stay. */
static void test_resting_coin(void **state) {
    (void)state;
    AfxiGeometry coin = cylinder_of(0.5, 0.05), table = box_of(1, 1, 1);
    AfxiPlace floor = place_at(0, 0, 0);
    AfxiTouch first[AFXI_TOUCH_MAX], points[AFXI_TOUCH_MAX];
    AfxiPlace at = place_at(0.1, 0.2, 1.0499);
    assert_int_equal(afxi_touch(&coin, &at, &table, &floor, 0.01, first), 8);
    uint64_t seed = 1;
    for (int k = 0; k < 200; k++) {
        AfxiMat3 r = afxi_mat3_rotation(random_vec3(&seed, 1e-8));
        for (int j = 0; j < 9; j++)
            at.r[j] = r.m[j];
        uint32_t count = afxi_touch(&coin, &at, &table, &floor, 0.01, points), same = 0;
        for (uint32_t i = 0; i < count; i++)
            for (int j = 0; j < 8; j++)
                same += points[i].feature == first[j].feature &&
                        vec3_length(vec3_sub(vec3_load(points[i].point_b), vec3_load(first[j].point_b))) < 1e-7;
        assert_int_equal(same, 8);
        assert_int_equal(count, 8);
    }
}

int run_motion_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swap),         cmocka_unit_test(test_common_motion), cmocka_unit_test(test_lipschitz),
        cmocka_unit_test(test_features),     cmocka_unit_test(test_sliding_box),   cmocka_unit_test(test_stacked_boxes),
        cmocka_unit_test(test_resting_coin),
    };
    return cmocka_run_group_tests_name("motion", tests, NULL, NULL);
}
