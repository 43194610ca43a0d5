/* SPDX-License-Identifier: Apache-2.0 */
/* Near pairs: a list that lasts.
 *
 * Each live item has a loose box, larger than its fat one; near pairs are those whose loose boxes overlap (as the lists
 * of Verlet 1967). As long as no item leaves its loose box, all that an update has to do is to test the near pairs' fat
 * boxes. Items that did leave, strays, get new loose boxes and look for partners in the tree of loose boxes, which is
 * made to fit; when there are many strays, all is found anew.
 *
 * The other design measured, which finds everything anew at each update (sort along the curve, tree, search, sort of
 * the pairs), needs eight to ten times as long for a pile of 1e5 boxes at rest, five times when each goes up to 1 % of
 * its size per update, and about four times for one that falls 5 % of its size per update (bench/broad.c). */
#include <math.h>
#include <string.h>

#include "contact/broad_inner.h"

enum {
    BOX_GRAIN = 4096,   /* items of a part when boxes are taken over */
    LEAF_GRAIN = 32,    /* leaf packets of a part of a search for all pairs */
    STRAY_GRAIN = 128,  /* strays of a part */
    STRAYS_AT_ONCE = 8, /* when more than 1/8 of the live items are strays, all is found anew */
    STRAYS_IN_ALL = 2,  /* and when more than 1/2 have been since the tree was built: it has grown loose */
};
#define AHEAD_MOST 0.5 /* of an item's size: how far ahead its loose box may reach */
#define SLACK 0.06     /* of an item's size: how far it may move any way before it is a stray */

static bool contains(const AfxiBox *outer, const AfxiBox *inner) {
    return (inner->lower[0] >= outer->lower[0]) & (inner->upper[0] <= outer->upper[0]) &
           (inner->lower[1] >= outer->lower[1]) & (inner->upper[1] <= outer->upper[1]) &
           (inner->lower[2] >= outer->lower[2]) & (inner->upper[2] <= outer->upper[2]);
}

static void take_boxes(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    AfxiBroad *broad = context;
    (void)part;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t at = broad->live[k];
        AfxiBox box = broad_fat_box(broad, broad->dense[at]);
        broad->box[at].box = box;
        bool empty = !(box.lower[0] <= box.upper[0]);
        broad->is_stray[at] = !empty && !contains(&broad->loose[at].box, &box);
    }
}

static void list_strays(AfxiBroad *broad) {
    broad->stray_count = 0;
    for (uint32_t k = 0; k < broad->live_count; k++) {
        broad->stray[broad->stray_count] = broad->live[k];
        broad->stray_count += broad->is_stray[broad->live[k]];
    }
}

static void copy_tags(const AfxiBroad *broad, AfxiBoxTree *tree) {
    for (uint32_t k = 0; k < tree->count; k++) {
        tree->tag[k] = broad->tag[broad->dense[tree->order[k]]];
    }
}

void afxi_broad_still(AfxiBroad *broad) {
    for (uint32_t k = 0; k < broad->still_count; k++) {
        broad->box[broad->still[k]].box = broad_fat_box(broad, broad->dense[broad->still[k]]);
    }
    afxi_tree_build(&broad->still_tree, broad->box, broad->still, broad->still_count, broad->work);
    copy_tags(broad, &broad->still_tree);
    broad->have_still = true;
}

static double finite_side(const AfxiBox *box) {
    double side = 0;
    for (int k = 0; k < 3; k++) {
        double length = box->upper[k] - box->lower[k];
        side = length > side && length < HUGE_VAL ? length : side;
    }
    return side;
}

static double mean_side(const AfxiBroad *broad) {
    double sum = 0;
    for (uint32_t k = 0; k < broad->live_count; k++) {
        sum += finite_side(&broad->box[broad->live[k]].box);
    }
    return broad->live_count ? sum / broad->live_count : 0;
}

/* The loose box: some slack all around, and twice as far again ahead as the item has come from the middle of its last
 * one, up to half its size. What goes on as it did is then a stray less often. */
static void loosen(AfxiBroad *broad, uint32_t at, bool moved) {
    const AfxiBox *box = &broad->box[at].box;
    AfxiBox *loose = &broad->loose[at].box;
    double size = finite_side(box);
    size = size < broad->typical ? size : broad->typical;
    for (int k = 0; k < 3; k++) {
        /* After an empty or from an infinite box it is not a number, which the first comparison ends. */
        double way = moved ? box->lower[k] - loose->lower[k] + (box->upper[k] - loose->upper[k]) : 0;
        way = way < AHEAD_MOST * size ? way : AHEAD_MOST * size;
        way = way > -AHEAD_MOST * size ? way : -AHEAD_MOST * size;
        loose->lower[k] = box->lower[k] - SLACK * size + (way < 0 ? way : 0);
        loose->upper[k] = box->upper[k] + SLACK * size + (way > 0 ? way : 0);
    }
}

/* All near pairs from nothing. */
static AfxStatus find_all(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    broad->typical = mean_side(broad);
    for (uint32_t k = 0; k < broad->live_count; k++) {
        loosen(broad, broad->live[k], broad->have_live);
    }
    AfxiBoxTree *tree = &broad->live_tree;
    afxi_tree_build(tree, broad->loose, broad->live, broad->live_count, broad->work);
    copy_tags(broad, tree);
    for (uint32_t k = 0; k < broad->live_count; k++) {
        broad->place[tree->order[k]] = k;
    }
    broad->strays_since = 0;
    uint32_t leaves = afxi_part_count(broad->live_count, BOX_LANES);
    AfxStatus status = afxi_broad_collect(broad, &broad->near, broad->kernels.all, leaves, LEAF_GRAIN, tasks, threads);
    broad->have_live = status == AFX_OK;
    return status;
}

/* Near pairs without those of strays, and their new ones. */
static AfxStatus merge_fresh(AfxiBroad *broad) {
    const AfxiKeys *near = &broad->near, *fresh = &broad->fresh;
    AfxStatus status = afxi_keys_reserve(broad, &broad->scratch, (uint64_t)near->count + fresh->count);
    if (status != AFX_OK) {
        return status;
    }
    uint64_t *to = broad->scratch.key;
    uint32_t count = 0, next = 0;
    for (uint32_t k = 0; k < near->count; k++) {
        uint64_t key = near->key[k];
        while (next < fresh->count && fresh->key[next] < key) {
            to[count++] = fresh->key[next++];
        }
        to[count] = key;
        count += !(broad->is_stray[key >> 32] | broad->is_stray[(uint32_t)key]);
    }
    if (next < fresh->count) { /* else there may be no memory at all */
        memcpy(to + count, fresh->key + next, (fresh->count - next) * sizeof *to);
    }
    broad->scratch.count = count + fresh->count - next;
    swap_keys(&broad->near, &broad->scratch);
    return AFX_OK;
}

static AfxStatus find_fresh(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    for (uint32_t k = 0; k < broad->stray_count; k++) {
        uint32_t at = broad->stray[k];
        loosen(broad, at, true);
        afxi_tree_refit(&broad->live_tree, broad->place[at], &broad->loose[at].box);
    }
    broad->strays_since += broad->stray_count;
    broad->have_live = false; /* until all of it has worked */
    AfxStatus status = afxi_broad_collect(broad, &broad->fresh, broad->kernels.strays, broad->stray_count, STRAY_GRAIN,
                                          tasks, threads);
    status = status == AFX_OK ? merge_fresh(broad) : status;
    broad->have_live = status == AFX_OK;
    return status;
}

AfxStatus afxi_broad_near(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    afxi_parallel_for(tasks, threads, broad->live_count, BOX_GRAIN, take_boxes, broad);
    if (!broad->have_live) {
        return find_all(broad, tasks, threads);
    }
    list_strays(broad);
    if (broad->stray_count > broad->live_count / STRAYS_AT_ONCE ||
        broad->strays_since > broad->live_count / STRAYS_IN_ALL) {
        return find_all(broad, tasks, threads);
    }
    return broad->stray_count ? find_fresh(broad, tasks, threads) : AFX_OK;
}
