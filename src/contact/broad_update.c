/* SPDX-License-Identifier: Apache-2.0 */
/* One update of the broad phase. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/broad_inner.h"

enum {
    BOX_GRAIN = 4096,   /* items of a part when boxes are taken over */
    LEAF_GRAIN = 32,    /* leaf packets of a part of a search for all pairs */
    STRAY_GRAIN = 128,  /* strays of a part */
    GROUP_GRAIN = 64,   /* groups of links of a part */
    TEST_GRAIN = 16384, /* near pairs of a part of the last test, at least */
    TEST_PARTS = 64,    /* parts of the last test, at most */
    ROOM_LEAST = 4096,
    STRAYS_AT_ONCE = 8, /* when more than 1/8 of the live items are strays, all is found anew */
    STRAYS_IN_ALL = 2,  /* and when more than 1/2 have been since the tree was built: it has grown loose */
};
#define SLACK 0.06 /* of an item's size: how far it may move before it is a stray */

AfxStatus afxi_keys_reserve(const AfxiBroad *broad, AfxiKeys *keys, uint64_t count) {
    void *array = keys->key;
    AfxStatus status = count > UINT32_MAX ? AFX_E_LIMIT
                                          : afxi_array_reserve(&broad->allocator, &array, &keys->capacity,
                                                               (uint32_t)count, sizeof *keys->key);
    keys->key = array;
    return status;
}

/* Parts of a search whose results lie side by side at the end of a list. */
typedef struct Wave {
    const AfxiBroad *broad;
    AfxiBroadKernel *kernel;
    uint32_t count, grain, first; /* of the whole search; first part of this wave */
    AfxiKeySink sink[WAVE];
} Wave;

static void run_sink(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    Wave *wave = context;
    (void)begin;
    (void)end;
    uint32_t from = (wave->first + part) * wave->grain, left = wave->count - from;
    wave->kernel(wave->broad, from, from + (left < wave->grain ? left : wave->grain), &wave->sink[part]);
}

/* Puts the results of the wave's parts together; false when one had too little room. */
static bool close_wave(AfxiBroad *broad, Wave *wave, uint32_t parts, AfxiKeys *keys) {
    uint64_t largest = 0;
    for (uint32_t k = 0; k < parts; k++) {
        largest = wave->sink[k].count > largest ? wave->sink[k].count : largest;
    }
    if (largest > broad->room) {
        largest = largest < broad->limit ? largest : broad->limit;
        while (broad->room < largest) {
            broad->room = broad->room < UINT32_MAX / 2 ? 2 * broad->room : UINT32_MAX;
        }
        return false;
    }
    for (uint32_t k = 0; k < parts; k++) {
        memmove(keys->key + keys->count, wave->sink[k].key, wave->sink[k].count * sizeof *keys->key);
        keys->count += (uint32_t)wave->sink[k].count;
    }
    return true;
}

/* Runs the kernel over [0, count), and leaves what it finds in `keys`, sorted. Parts do not allocate: one that finds
 * more than it has room for is done again with more. */
static AfxStatus collect(AfxiBroad *broad, AfxiKeys *keys, AfxiBroadKernel *kernel, uint32_t count, uint32_t grain,
                         const AfxTasks *tasks, uint32_t threads) {
    Wave wave = {.broad = broad, .kernel = kernel, .count = count, .grain = grain};
    uint32_t all = afxi_part_count(count, grain), most = threads > 1 ? WAVE : 1;
    keys->count = 0;
    broad->room = broad->room ? broad->room : ROOM_LEAST;
    while (wave.first < all) {
        uint32_t parts = all - wave.first < most ? all - wave.first : most;
        AfxStatus status = afxi_keys_reserve(broad, keys, keys->count + (uint64_t)parts * broad->room);
        if (status != AFX_OK) {
            return status;
        }
        for (uint32_t k = 0; k < parts; k++) {
            uint64_t *start = keys->key + keys->count + (size_t)k * broad->room;
            wave.sink[k] = (AfxiKeySink){start, broad->room, 0, broad->limit};
        }
        afxi_parallel_for(tasks, threads, parts, 1, run_sink, &wave);
        for (uint32_t k = 0; k < parts; k++) {
            if (wave.sink[k].count > broad->limit) {
                return AFX_E_LIMIT;
            }
        }
        if (close_wave(broad, &wave, parts, keys)) {
            wave.first += parts;
        }
        if (keys->count > broad->limit) {
            return AFX_E_LIMIT;
        }
    }
    AfxStatus status = afxi_keys_reserve(broad, &broad->scratch, keys->count);
    if (status != AFX_OK) {
        return status;
    }
    uint32_t bits = broad->count > 1 ? 32 - (uint32_t)__builtin_clz(broad->count - 1) : 1;
    afxi_sort_keys(keys->key, broad->scratch.key, keys->count, bits, bits);
    return AFX_OK;
}

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
        broad->box[at] = box;
        bool empty = !(box.lower[0] <= box.upper[0]);
        broad->is_stray[at] = !empty && !contains(&broad->loose[at], &box);
    }
}

static void list_strays(AfxiBroad *broad) {
    broad->stray_count = 0;
    for (uint32_t k = 0; k < broad->live_count; k++) {
        broad->stray[broad->stray_count] = broad->live[k];
        broad->stray_count += broad->is_stray[broad->live[k]];
    }
}

static void build_still(AfxiBroad *broad) {
    for (uint32_t k = 0; k < broad->still_count; k++) {
        broad->box[broad->still[k]] = broad_fat_box(broad, broad->dense[broad->still[k]]);
    }
    afxi_tree_build(&broad->still_tree, broad->box, broad->still, broad->still_count, broad->work);
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
        sum += finite_side(&broad->box[broad->live[k]]);
    }
    return broad->live_count ? sum / broad->live_count : 0;
}

static void loosen(AfxiBroad *broad, uint32_t at) {
    const AfxiBox *box = &broad->box[at];
    double size = finite_side(box);
    double slack = SLACK * (size < broad->typical ? size : broad->typical);
    for (int k = 0; k < 3; k++) {
        broad->loose[at].lower[k] = box->lower[k] - slack;
        broad->loose[at].upper[k] = box->upper[k] + slack;
    }
}

/* All near pairs from nothing. */
static AfxStatus find_all(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    broad->typical = mean_side(broad);
    for (uint32_t k = 0; k < broad->live_count; k++) {
        loosen(broad, broad->live[k]);
    }
    AfxiBoxTree *tree = &broad->live_tree;
    afxi_tree_build(tree, broad->loose, broad->live, broad->live_count, broad->work);
    for (uint32_t k = 0; k < broad->live_count; k++) {
        broad->place[tree->order[k]] = k;
    }
    broad->strays_since = 0;
    uint32_t leaves = afxi_part_count(broad->live_count, BOX_LANES);
    AfxStatus status = collect(broad, &broad->near, broad->kernels.all, leaves, LEAF_GRAIN, tasks, threads);
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
    memcpy(to + count, fresh->key + next, (fresh->count - next) * sizeof *to);
    broad->scratch.count = count + fresh->count - next;
    AfxiKeys swap = broad->near;
    broad->near = broad->scratch;
    broad->scratch = swap;
    return AFX_OK;
}

static AfxStatus find_fresh(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    for (uint32_t k = 0; k < broad->stray_count; k++) {
        uint32_t at = broad->stray[k];
        loosen(broad, at);
        afxi_tree_refit(&broad->live_tree, broad->place[at], &broad->loose[at]);
    }
    broad->strays_since += broad->stray_count;
    broad->have_live = false; /* until all of it has worked */
    AfxStatus status =
        collect(broad, &broad->fresh, broad->kernels.strays, broad->stray_count, STRAY_GRAIN, tasks, threads);
    status = status == AFX_OK ? merge_fresh(broad) : status;
    broad->have_live = status == AFX_OK;
    return status;
}

static AfxStatus find_near(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
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

static AfxStatus find_touching(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    afxi_tree_build(&broad->driven_tree, broad->box, broad->driven, broad->driven_count, broad->work);
    return collect(broad, &broad->touching, broad->kernels.links, broad->group_count, GROUP_GRAIN, tasks, threads);
}

/* The last test: of the near pairs, those whose fat boxes overlap. Each part writes from where its near pairs begin. */
typedef struct Test {
    const AfxiBroad *broad;
    AfxiPair *pair;
    uint32_t kept[TEST_PARTS];
} Test;

static void test_near(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    Test *test = context;
    const AfxiBroad *broad = test->broad;
    AfxiPair *to = test->pair + begin;
    uint32_t count = 0;
    for (uint32_t k = begin; k < end; k++) {
        uint64_t key = broad->near.key[k];
        uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        to[count] = (AfxiPair){broad->dense[a], broad->dense[b]};
        count += broad_overlap(&broad->box[a], &broad->box[b]);
    }
    test->kept[part] = count;
}

static uint32_t test_all(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    Test test = {.broad = broad, .pair = broad->spare};
    uint32_t near = broad->near.count, grain = afxi_part_count(near, threads > 1 ? TEST_PARTS : 1);
    grain = grain > TEST_GRAIN ? grain : TEST_GRAIN;
    afxi_parallel_for(tasks, threads, near, grain, test_near, &test);
    uint32_t count = 0;
    for (uint32_t part = 0; part < afxi_part_count(near, grain); part++) {
        if (count < part * grain) {
            memmove(broad->spare + count, broad->spare + (size_t)part * grain, test.kept[part] * sizeof *broad->spare);
        }
        count += test.kept[part];
    }
    return count;
}

/* Merges the pairs of links into the first `count` spare pairs, from the end. */
static uint32_t merge_touching(AfxiBroad *broad, uint32_t count) {
    const AfxiKeys *touching = &broad->touching;
    uint32_t left = touching->count, total = count + left;
    for (uint32_t to = total; left > 0;) {
        uint64_t key = touching->key[left - 1];
        const AfxiPair *pair = count ? &broad->spare[count - 1] : NULL;
        if (pair && ((uint64_t)pair->a << 32 | pair->b) > key) {
            broad->spare[--to] = *pair;
            count--;
        } else {
            broad->spare[--to] = (AfxiPair){(uint32_t)(key >> 32), (uint32_t)key};
            left--;
        }
    }
    return total;
}

static AfxStatus publish(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    uint64_t most = (uint64_t)broad->near.count + broad->touching.count;
    void *array = broad->spare;
    AfxStatus status = most > UINT32_MAX ? AFX_E_LIMIT
                                         : afxi_array_reserve(&broad->allocator, &array, &broad->spare_capacity,
                                                              (uint32_t)most, sizeof *broad->spare);
    broad->spare = array;
    if (status != AFX_OK) {
        return status;
    }
    broad->pair_count = merge_touching(broad, test_all(broad, tasks, threads));
    AfxiPair *pair = broad->pair;
    broad->pair = broad->spare;
    broad->spare = pair;
    uint32_t capacity = broad->pair_capacity;
    broad->pair_capacity = broad->spare_capacity;
    broad->spare_capacity = capacity;
    return AFX_OK;
}

AfxStatus afxi_broad_update(AfxiBroad *broad, const double (*lower)[3], const double (*upper)[3], const AfxTasks *tasks,
                            uint32_t threads) {
    if (!broad || (broad->count && (!lower || !upper))) {
        return AFX_E_ARGUMENT;
    }
    broad->lower = lower;
    broad->upper = upper;
    if (!broad->have_still) {
        build_still(broad);
    }
    AfxStatus status = find_near(broad, tasks, threads);
    if (status == AFX_OK) {
        status = find_touching(broad, tasks, threads);
    }
    if (status == AFX_OK) {
        status = publish(broad, tasks, threads);
    }
    broad->lower = broad->upper = NULL;
    return status;
}
