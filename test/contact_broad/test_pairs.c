/* SPDX-License-Identifier: Apache-2.0 */
/* Random scenes in motion: every update gives what comparing all boxes gives, with any threads and lanes. */
#include "contact/broad.h"
#include "tests.h"

static double between(uint64_t *seed, double low, double high) {
    return low + (high - low) * random_unit(seed);
}

static uint32_t below(uint64_t *seed, uint32_t count) {
    return (uint32_t)(random_unit(seed) * count);
}

static int compare_pairs(const void *x, const void *y) {
    const AfxiPair *a = x, *b = y;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b != b->b ? (a->b < b->b ? -1 : 1) : 0;
}

/* Neighbouring owners, others at random, and one owner with very many. */
static void exclude_some(Boxes *boxes, uint64_t *seed) {
    uint32_t owners = boxes->count / 2 + 1, made = 0, kept = 0;
    for (uint32_t k = 0; made + 1 < boxes->count && owners > 2; k++) {
        uint32_t low = k % 4 == 0 ? 1 : below(seed, owners - 1);
        uint32_t other = random_unit(seed) < 0.5 ? low + 1 : low + 1 + below(seed, owners - low - 1);
        boxes->excluded[made++] = (AfxiPair){low, other};
    }
    qsort(boxes->excluded, made, sizeof *boxes->excluded, compare_pairs);
    for (uint32_t k = 0; k < made; k++) {
        if (kept == 0 || compare_pairs(&boxes->excluded[kept - 1], &boxes->excluded[k]) != 0) {
            boxes->excluded[kept++] = boxes->excluded[k];
        }
    }
    boxes->excluded_count = kept;
}

typedef enum Filters { PLAIN, MIXED, LINKS } Filters;

static AfxiBroadItem random_item(uint32_t k, Filters filters, uint64_t *seed) {
    double kind = random_unit(seed);
    AfxiBroadItem item = {k / 2, 1, 1, true, false};
    if (filters == PLAIN) {
        return item;
    }
    bool moving = filters == LINKS ? kind < 0.9 : kind < 0.6;
    item.moving = moving;
    item.still = !moving && random_unit(seed) < 0.6;
    if (filters == LINKS) {
        /* Links want colliders only; a few balls want all of them. */
        item.group = moving ? (kind < 0.06 ? 4 : 1) : 2;
        item.mask = moving ? (kind < 0.06 ? 2 | 4 : 2) : 0;
    } else {
        item.group = 1u << below(seed, 4);
        item.mask = below(seed, 16);
    }
    return item;
}

static Boxes random_boxes(uint32_t count, Filters filters, double size, double speed, uint64_t *seed) {
    Boxes boxes = boxes_make(count);
    double space = 0.5 * cbrt(count);
    for (uint32_t k = 0; k < count; k++) {
        double center[3], half[3];
        boxes.item[k] = random_item(k, filters, seed);
        for (int axis = 0; axis < 3; axis++) {
            center[axis] = between(seed, -space, space);
            half[axis] = between(seed, 0.2, 0.6) * size;
            boxes.velocity[k][axis] = between(seed, -speed, speed) * (k % 7 == 0 ? 20 : 1);
        }
        boxes_set(&boxes, k, center, half);
    }
    exclude_some(&boxes, seed);
    boxes.margin = between(seed, 0, 0.05);
    boxes_start(&boxes);
    return boxes;
}

/* Some things that happen: a jump, a box that is empty for a while, one that is infinite, one that is not a number. */
static void disturb(Boxes *boxes, uint64_t *seed) {
    uint32_t item = below(seed, boxes->count);
    double space = 0.5 * cbrt(boxes->count), what = random_unit(seed);
    for (int axis = 0; axis < 3; axis++) {
        double at = between(seed, -space, space), half = between(seed, 0.1, 0.7);
        boxes->lower[item][axis] = what < 0.2 ? at + half : what < 0.4 && axis != 1 ? -HUGE_VAL : at - half;
        boxes->upper[item][axis] = what < 0.2 ? at - half : what < 0.3 ? HUGE_VAL : at + half;
    }
    if (what > 0.9) {
        boxes->lower[item][below(seed, 3)] = NAN;
    }
}

static void run_steps(Boxes *boxes, uint32_t steps, bool disturbed, uint64_t *seed) {
    uint32_t lanes[3] = {0, 1, 2}, threads[3] = {1, 2, 2};
    AfxiBroad *broad[3];
    uint64_t pairs = 0;
    for (int k = 0; k < 3; k++) {
        broad[k] = boxes_broad(boxes, lanes[k]);
    }
    for (uint32_t step = 0; step < steps; step++) {
        for (int k = 0; k < 3; k++) {
            /* The third one misses every other update: what came before must not matter. */
            if (k < 2 || step % 2 == 0) {
                assert_ok(afxi_broad_update(broad[k], boxes->lower, boxes->upper, NULL, threads[k]));
                pairs += boxes_check(boxes, broad[k]);
            }
        }
        boxes_move(boxes);
        for (uint32_t k = 0; disturbed && k < step % 5; k++) {
            disturb(boxes, seed);
        }
    }
    assert_true(pairs > 0);
    for (int k = 0; k < 3; k++) {
        afxi_broad_destroy(broad[k]);
    }
    assert_int_equal(boxes->counts.live, 0);
    assert_int_equal(boxes->counts.errors, 0);
}

static void pairs_of_random_scenes(void **state) {
    (void)state;
    uint64_t seed = 1;
    const uint32_t counts[] = {2, 3, 7, 8, 9, 64, 65, 130, 600};
    for (uint32_t k = 0; k < 3 * COUNT(counts); k++) {
        Filters filters = (Filters)(k % 3);
        Boxes boxes = random_boxes(counts[k / 3], filters, counts[k / 3] < 10 ? 4 : 1.2, 0.01, &seed);
        /* A small scene may have no other pair that is wanted. */
        boxes.item[0] = (AfxiBroadItem){boxes.count, 4, 4, true, false};
        boxes.item[1] = (AfxiBroadItem){boxes.count + 1, 4, 4, true, false};
        memcpy(boxes.lower[1], boxes.lower[0], sizeof boxes.lower[0]);
        memcpy(boxes.upper[1], boxes.upper[0], sizeof boxes.upper[0]);
        run_steps(&boxes, 30, filters != PLAIN, &seed);
        boxes_free(&boxes);
    }
}

/* Fast, slow and resting scenes take different ways through an update. */
static void pairs_at_all_speeds(void **state) {
    (void)state;
    uint64_t seed = 2;
    const double speeds[] = {0, 1e-4, 1e-3, 1e-2, 0.3};
    for (uint32_t k = 0; k < COUNT(speeds); k++) {
        Boxes boxes = random_boxes(700, PLAIN, 1, speeds[k], &seed);
        run_steps(&boxes, 25, false, &seed);
        boxes_free(&boxes);
    }
}

static uint32_t thread_runs;

static void run_backwards(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context) {
    (void)user;
    thread_runs++;
    for (uint32_t k = count; k > 0; k--) {
        call(context, k - 1);
    }
}

/* Enough for several parts of everything, run in another order. */
static void parts_in_any_order(void **state) {
    (void)state;
    uint64_t seed = 3;
    AfxTasks tasks = {run_backwards, NULL};
    for (Filters filters = PLAIN; filters <= LINKS; filters++) {
        Boxes boxes = random_boxes(9000, filters, 1.6, 0.004, &seed);
        boxes.excluded_count = 0;
        AfxiBroad *one = boxes_broad(&boxes, 0), *two = boxes_broad(&boxes, 1);
        for (uint32_t step = 0; step < 8; step++) {
            assert_ok(afxi_broad_update(one, boxes.lower, boxes.upper, NULL, 1));
            assert_ok(afxi_broad_update(two, boxes.lower, boxes.upper, &tasks, 2));
            uint32_t count[2];
            const AfxiPair *pair[2] = {afxi_broad_pairs(one, &count[0]), afxi_broad_pairs(two, &count[1])};
            assert_true(count[0] > 1000);
            assert_int_equal(count[0], count[1]);
            assert_memory_equal(pair[0], pair[1], count[0] * sizeof *pair[0]);
            if (step == 7) {
                boxes_check(&boxes, two);
            }
            boxes_move(&boxes);
        }
        afxi_broad_destroy(one);
        afxi_broad_destroy(two);
        boxes_free(&boxes);
    }
    assert_true(thread_runs > 8);
}

/* Still boxes are those of the first update, until a reset. */
static void still_items_are_taken_once(void **state) {
    (void)state;
    Boxes boxes = boxes_make(2);
    boxes.item[1].moving = false;
    boxes.item[1].still = true;
    double center[3] = {0, 0, 0}, half[3] = {1, 1, 1}, away[3] = {5, 0, 0};
    boxes_set(&boxes, 0, center, half);
    boxes_set(&boxes, 1, center, half);
    AfxiBroad *broad = boxes_broad(&boxes, 0);
    uint32_t count;
    assert_ok(afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, 1));
    boxes_set(&boxes, 1, away, half);
    assert_ok(afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, 1));
    afxi_broad_pairs(broad, &count);
    assert_int_equal(count, 1);
    afxi_broad_reset(broad);
    assert_ok(afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, 1));
    afxi_broad_pairs(broad, &count);
    assert_int_equal(count, 0);
    afxi_broad_destroy(broad);
    boxes_free(&boxes);
}

int run_pairs_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_random_scenes),
        cmocka_unit_test(pairs_at_all_speeds),
        cmocka_unit_test(parts_in_any_order),
        cmocka_unit_test(still_items_are_taken_once),
    };
    return cmocka_run_group_tests_name("contact broad pairs", tests, NULL, NULL);
}
