/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters: whatever is put together, the pairs are those of comparing all with all, and boxes that nobody comes near
 * are not asked for. */
#include "contact/cluster.h"

#include "tests.h"

/* Boxes that are made when they are asked for; the others are not a number. */
typedef struct Lazy {
    const Boxes *boxes;
    const AfxiClusters *clusters;
    double (*lower)[3], (*upper)[3];
    double slack; /* by which bounds are larger than they must be */
    uint32_t updates;
    uint32_t *asked;
    const uint8_t *unbounded; /* half-spaces below the upper end of their boxes; may be NULL */
} Lazy;

static void make_boxes(void *context, const uint32_t *item, uint32_t count) {
    const Lazy *lazy = context;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(lazy->lower[item[k]], lazy->boxes->lower[item[k]], sizeof *lazy->lower);
        memcpy(lazy->upper[item[k]], lazy->boxes->upper[item[k]], sizeof *lazy->upper);
        if (lazy->boxes->item[item[k]].still && lazy->updates > 1) { /* that of the first update counts */
            lazy->lower[item[k]][0] -= 1;
        }
        for (int axis = 0; lazy->unbounded && lazy->unbounded[item[k]] && axis < 3; axis++) {
            lazy->lower[item[k]][axis] = -HUGE_VAL;
            lazy->upper[item[k]][axis] = HUGE_VAL;
        }
        lazy->asked[item[k]]++;
    }
}

static bool reaches(void *context, uint32_t item, const double lower[3], const double upper[3]) {
    const Lazy *lazy = context;
    assert_true(lazy->unbounded[item] && lower[0] <= upper[0]);
    return lower[2] <= lazy->boxes->upper[item][2];
}

static void make_bound(void *context, uint32_t cluster, double lower[3], double upper[3]) {
    const Lazy *lazy = context;
    uint32_t count;
    const uint32_t *item = afxi_cluster_items(lazy->clusters, cluster, &count);
    assert_true(count > 0);
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = HUGE_VAL;
        upper[axis] = -HUGE_VAL;
        for (uint32_t k = 0; k < count; k++) {
            lower[axis] = fmin(lower[axis], lazy->boxes->lower[item[k]][axis] - lazy->slack);
            upper[axis] = fmax(upper[axis], lazy->boxes->upper[item[k]][axis] + lazy->slack);
        }
    }
}

static Lazy lazy_make(Boxes *boxes, const uint32_t *whole, const uint8_t *unbounded, double slack, AfxiClusters **out) {
    AfxiClusterDef def = {.allocator = test_allocator(&boxes->counts),
                          .items = boxes->item,
                          .whole = whole,
                          .unbounded = unbounded,
                          .count = boxes->count,
                          .excluded = boxes->excluded,
                          .excluded_count = boxes->excluded_count};
    assert_ok(afxi_clusters_create(&def, out));
    Lazy lazy = {.boxes = boxes, .clusters = *out, .slack = slack, .unbounded = unbounded};
    lazy.lower = calloc(boxes->count, sizeof *lazy.lower);
    lazy.upper = calloc(boxes->count, sizeof *lazy.upper);
    lazy.asked = calloc(boxes->count, sizeof *lazy.asked);
    return lazy;
}

static AfxStatus update(AfxiClusters *clusters, Lazy *lazy, uint32_t threads) {
    AfxiBoxSource source = {
        lazy, make_boxes, make_bound, reaches, (const double(*)[3])lazy->lower, (const double(*)[3])lazy->upper};
    lazy->updates++;
    for (uint32_t k = 0; k < lazy->boxes->count; k++) {
        lazy->lower[k][0] = lazy->upper[k][0] = NAN;
        lazy->asked[k] = 0;
    }
    return afxi_clusters_update(clusters, &source, NULL, threads);
}

static void lazy_free(Lazy *lazy) {
    free(lazy->lower);
    free(lazy->upper);
    free(lazy->asked);
}

/* Mechanisms of some twenty items each in a row, of three kinds that want others but not themselves, and loose items.
 */
static Boxes mechanisms(uint32_t count, uint32_t *whole, uint64_t *seed) {
    static const uint32_t groups[] = {1, 2, 4, 8}, masks[] = {2 | 8, 4, 8, 15};
    Boxes boxes = boxes_make(count);
    double space = 1.6 * cbrt(count), center[3], velocity[3];
    uint32_t common = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t any = (uint32_t)(4 * random_unit(seed));
        common = k % 23 == 0 ? any : common;
        uint32_t kind = random_unit(seed) < 0.1 && k / 23 % 2 ? any : common; /* mixed in every other one */
        bool loose = random_unit(seed) < 0.1;
        for (int axis = 0; axis < 3; axis++) {
            bool begins = k % 23 == 0 || loose;
            center[axis] = begins ? space * (2 * random_unit(seed) - 1) : center[axis] + 0.4 * (axis == 0);
            velocity[axis] = k % 23 == 0 ? 0.3 * (2 * random_unit(seed) - 1) : velocity[axis];
            boxes.velocity[k][axis] = velocity[axis];
        }
        boxes_set(&boxes, k, center, (double[3]){0.3, 0.2, 0.2});
        boxes.item[k] = (AfxiBroadItem){k / 2, groups[kind], masks[kind], true, false};
        if (loose && kind == 3) {
            boxes.item[k].moving = false;
            boxes.item[k].still = random_unit(seed) < 0.5;
        }
        whole[k] = loose ? UINT32_MAX : k / 23;
    }
    for (uint32_t k = 0; k + 9 < count; k += 7) {
        boxes.excluded[boxes.excluded_count++] = (AfxiPair){k / 2, (k + 9) / 2};
    }
    boxes_start(&boxes);
    return boxes;
}

static void pairs_of_clusters_in_motion(void **state) {
    (void)state;
    uint64_t seed = 11, pairs = 0, unasked = 0;
    const uint32_t counts[] = {2, 30, 200, 700};
    for (uint32_t k = 0; k < 2 * COUNT(counts); k++) {
        uint32_t count = counts[k / 2], *whole = calloc(count, sizeof *whole), found;
        Boxes boxes = mechanisms(count, whole, &seed);
        uint8_t *unbounded = calloc(count, 1);
        if (k % 4 > 1) { /* a ground that rises */
            boxes_set(&boxes, 0, (double[3]){0, 0, -HUGE_VAL}, (double[3]){HUGE_VAL, HUGE_VAL, 0});
            boxes.upper[0][2] = -2;
            boxes.velocity[0][2] = 0.1;
            boxes.item[0] = (AfxiBroadItem){count, 2, 15, false, false};
            unbounded[0] = 1;
        }
        AfxiClusters *clusters[2];
        Lazy lazy[2] = {lazy_make(&boxes, k % 2 ? whole : NULL, unbounded, 0, &clusters[0]),
                        lazy_make(&boxes, whole, unbounded, 0.3, &clusters[1])};
        assert_true(count < 30 || afxi_clusters_count(clusters[1]) > 0);
        for (uint32_t step = 0; step < 40; step++) {
            for (int which = 0; which < 2; which++) {
                assert_ok(update(clusters[which], &lazy[which], 1 + which));
                const AfxiPair *pair = afxi_clusters_pairs(clusters[which], &found);
                pairs += boxes_check_pairs(&boxes, pair, found);
            }
            for (uint32_t item = 0; item < count; item++) {
                unasked += lazy[1].asked[item] == 0;
                assert_true(lazy[1].asked[item] < 2);
            }
            boxes_move(&boxes);
        }
        for (int which = 0; which < 2; which++) {
            afxi_clusters_destroy(clusters[which]);
            lazy_free(&lazy[which]);
        }
        assert_int_equal(boxes.counts.live, 0);
        assert_int_equal(boxes.counts.errors, 0);
        boxes_free(&boxes);
        free(whole);
        free(unbounded);
    }
    assert_true(pairs > 1000 && unasked > 1000);
}

/* One mechanism and a far ball: no box of the mechanism is made until the ball comes near. */
static void far_items_are_not_asked_for(void **state) {
    (void)state;
    Boxes boxes = boxes_make(201);
    uint32_t whole[201] = {0}, count;
    for (uint32_t k = 0; k < 200; k++) {
        boxes.item[k] = (AfxiBroadItem){k, 1, 2, true, false};
        boxes_set(&boxes, k, (double[3]){k, 0, 0}, (double[3]){0.5, 0.5, 0.5});
    }
    whole[200] = UINT32_MAX;
    boxes.item[200] = (AfxiBroadItem){200, 2, 2, true, false};
    AfxiClusters *clusters;
    Lazy lazy = lazy_make(&boxes, whole, NULL, 0, &clusters);
    assert_int_equal(afxi_clusters_count(clusters), 4);
    for (int near = 0; near < 2; near++) {
        boxes_set(&boxes, 200, (double[3]){100, near ? 0 : 50, 0}, (double[3]){1, 1, 1});
        assert_ok(update(clusters, &lazy, 1));
        const AfxiPair *pair = afxi_clusters_pairs(clusters, &count);
        boxes_check_pairs(&boxes, pair, count);
        assert_int_equal(count, near ? 3 : 0);
        assert_int_equal(lazy.asked[0], 0);
        assert_int_equal(lazy.asked[100], near);
    }
    afxi_clusters_destroy(clusters);
    lazy_free(&lazy);
    boxes_free(&boxes);
}

/* Each allocation fails once: the pairs stay those of the update before, and the next update is right. */
static void every_allocation_of_clusters_fails_once(void **state) {
    (void)state;
    uint32_t failures = 0;
    for (uint64_t at = 1; at < 40; at++) {
        uint64_t seed = 5;
        uint32_t whole[300], before = 0, count;
        Boxes boxes = mechanisms(300, whole, &seed);
        AfxiClusterDef def = {
            .allocator = test_allocator(&boxes.counts), .items = boxes.item, .whole = whole, .count = boxes.count};
        boxes.excluded_count = 0;
        boxes.counts.fail_at = at;
        AfxiClusters *clusters = NULL;
        AfxStatus status = afxi_clusters_create(&def, &clusters);
        assert_true(status == AFX_OK ? clusters != NULL : status == AFX_E_MEMORY && !clusters);
        failures += status != AFX_OK;
        if (!clusters) {
            boxes.counts.fail_at = 0;
            assert_int_equal(boxes.counts.live, 0);
            boxes_free(&boxes);
            continue;
        }
        Lazy lazy = {.boxes = &boxes, .clusters = clusters};
        lazy.lower = calloc(boxes.count, sizeof *lazy.lower);
        lazy.upper = calloc(boxes.count, sizeof *lazy.upper);
        lazy.asked = calloc(boxes.count, sizeof *lazy.asked);
        for (uint32_t step = 0; step < 6; step++) {
            status = update(clusters, &lazy, 1);
            if (status != AFX_OK) {
                assert_int_equal(status, AFX_E_MEMORY);
                afxi_clusters_pairs(clusters, &count);
                assert_int_equal(count, before);
                failures++;
                assert_ok(update(clusters, &lazy, 1));
            }
            const AfxiPair *pair = afxi_clusters_pairs(clusters, &count);
            before = boxes_check_pairs(&boxes, pair, count);
            boxes_move(&boxes);
        }
        afxi_clusters_destroy(clusters);
        lazy_free(&lazy);
        assert_int_equal(boxes.counts.live, 0);
        assert_int_equal(boxes.counts.errors, 0);
        boxes_free(&boxes);
    }
    assert_true(failures > 6);
}

int run_clusters_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_clusters_in_motion),
        cmocka_unit_test(far_items_are_not_asked_for),
        cmocka_unit_test(every_allocation_of_clusters_fails_once),
    };
    return cmocka_run_group_tests_name("contact clusters", tests, NULL, NULL);
}
