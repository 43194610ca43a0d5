/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of boxes, and their pairs by comparing all with all. */
#include "contact/broad.h"
#include "tests.h"

static void *zeroed(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    assert_non_null(block);
    return block;
}

Boxes boxes_make(uint32_t count) {
    Boxes boxes = {.count = count};
    boxes.item = zeroed(count, sizeof *boxes.item);
    boxes.lower = zeroed(count, sizeof *boxes.lower);
    boxes.upper = zeroed(count, sizeof *boxes.upper);
    boxes.start_lower = zeroed(count, sizeof *boxes.lower);
    boxes.start_upper = zeroed(count, sizeof *boxes.upper);
    boxes.velocity = zeroed(count, sizeof *boxes.velocity);
    boxes.excluded = zeroed(count, sizeof *boxes.excluded);
    for (uint32_t k = 0; k < count; k++) {
        boxes.item[k] = (AfxiBroadItem){k, 1, 1, true, false};
    }
    return boxes;
}

void boxes_free(Boxes *boxes) {
    free(boxes->item);
    free(boxes->lower);
    free(boxes->upper);
    free(boxes->start_lower);
    free(boxes->start_upper);
    free(boxes->velocity);
    free(boxes->excluded);
}

void boxes_set(Boxes *boxes, uint32_t item, const double center[3], const double half[3]) {
    for (int k = 0; k < 3; k++) {
        boxes->lower[item][k] = center[k] - half[k];
        boxes->upper[item][k] = center[k] + half[k];
    }
}

AfxiBroadDef boxes_def(Boxes *boxes) {
    return (AfxiBroadDef){.allocator = test_allocator(&boxes->counts),
                          .items = boxes->item,
                          .count = boxes->count,
                          .excluded = boxes->excluded,
                          .excluded_count = boxes->excluded_count,
                          .margin = boxes->margin};
}

AfxiBroad *boxes_broad(Boxes *boxes, uint32_t lanes) {
    AfxiBroadDef def = boxes_def(boxes);
    AfxiBroad *broad = NULL;
    def.lanes = lanes;
    assert_ok(afxi_broad_create(&def, &broad));
    return broad;
}

void boxes_start(Boxes *boxes) {
    memcpy(boxes->start_lower, boxes->lower, boxes->count * sizeof *boxes->lower);
    memcpy(boxes->start_upper, boxes->upper, boxes->count * sizeof *boxes->upper);
}

void boxes_move(Boxes *boxes) {
    for (uint32_t k = 0; k < boxes->count; k++) {
        for (int axis = 0; axis < 3 && !boxes->item[k].still; axis++) {
            boxes->lower[k][axis] += boxes->velocity[k][axis];
            boxes->upper[k][axis] += boxes->velocity[k][axis];
        }
    }
}

/* The box that counts: that of the first update for still items; fat; NaN when it is empty. */
static void fat_box(const Boxes *boxes, uint32_t item, double lower[3], double upper[3]) {
    bool still = boxes->item[item].still, empty = false;
    for (int k = 0; k < 3; k++) {
        double from = still ? boxes->start_lower[item][k] : boxes->lower[item][k];
        double to = still ? boxes->start_upper[item][k] : boxes->upper[item][k];
        empty = empty || !(from <= to);
        lower[k] = from - boxes->margin;
        upper[k] = to + boxes->margin;
    }
    if (empty) {
        lower[0] = upper[0] = NAN;
    }
}

static bool wanted(const Boxes *boxes, const AfxiBroadItem *x, const AfxiBroadItem *y) {
    uint32_t low = x->owner < y->owner ? x->owner : y->owner, high = x->owner < y->owner ? y->owner : x->owner;
    for (uint32_t k = 0; k < boxes->excluded_count; k++) {
        if (boxes->excluded[k].a == low && boxes->excluded[k].b == high) {
            return false;
        }
    }
    return x->owner != y->owner && (x->moving || y->moving) && ((x->group & y->mask) || (y->group & x->mask));
}

uint32_t boxes_check(const Boxes *boxes, const AfxiBroad *broad) {
    uint32_t count;
    const AfxiPair *pair = afxi_broad_pairs(broad, &count);
    return boxes_check_pairs(boxes, pair, count);
}

uint32_t boxes_check_pairs(const Boxes *boxes, const AfxiPair *pair, uint32_t count) {
    uint32_t found = 0;
    double(*lower)[3] = zeroed(boxes->count, sizeof *lower), (*upper)[3] = zeroed(boxes->count, sizeof *upper);
    for (uint32_t k = 0; k < boxes->count; k++) {
        fat_box(boxes, k, lower[k], upper[k]);
    }
    for (uint32_t a = 0; a < boxes->count; a++) {
        for (uint32_t b = a + 1; b < boxes->count; b++) {
            bool meet = true;
            for (int k = 0; k < 3 && meet; k++) {
                meet = lower[a][k] <= upper[b][k] && lower[b][k] <= upper[a][k];
            }
            if (meet && wanted(boxes, &boxes->item[a], &boxes->item[b])) {
                if (found == count || pair[found].a != a || pair[found].b != b) {
                    print_error("pair %u of %u is not (%u, %u)\n", found, count, a, b);
                }
                assert_true(found < count && pair[found].a == a && pair[found].b == b);
                found++;
            }
        }
    }
    assert_int_equal(found, count);
    free(lower);
    free(upper);
    return found;
}
