/* SPDX-License-Identifier: Apache-2.0 */
/* One update of the broad phase: near pairs of live items (broad_near.c), pairs of links, and the last test, which
 * alone decides. Near pairs are kept sorted, so that what passes the test is sorted too. */
#include <string.h>

#include "base/memory.h"
#include "contact/broad.h"
#include "contact/broad_inner.h"

enum {
    GROUP_GRAIN = 64,   /* groups of links of a part */
    TEST_GRAIN = 16384, /* near pairs of a part of the last test, at least */
    TEST_PARTS = 64,    /* parts of the last test, at most */
    AHEAD = 24,         /* pairs between asking for a box and testing it */
    ROOM_LEAST = 4096,
};

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

/* The scratch list is as long. */
static void sort_pairs(AfxiBroad *broad, AfxiKeys *keys) {
    if (keys != &broad->touching && keys->count > broad->dense_count) { /* dense numbers, several to a bucket */
        afxi_sort_by_bucket(keys->key, broad->scratch.key, keys->count, (uint32_t *)(void *)broad->work,
                            broad->dense_count);
        broad->scratch.count = keys->count;
        swap_keys(keys, &broad->scratch);
        return;
    }
    uint32_t bits = broad->count > 1 ? 32 - (uint32_t)__builtin_clz(broad->count - 1) : 1;
    afxi_sort_keys(keys->key, broad->scratch.key, keys->count, bits, bits);
}

/* Runs the kernel over [0, count), and leaves what it finds in `keys`, sorted. Parts do not allocate: one that finds
 * more than it has room for is done again with more. */
AfxStatus afxi_broad_collect(AfxiBroad *broad, AfxiKeys *keys, AfxiBroadKernel *kernel, uint32_t count, uint32_t grain,
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
            wave.sink[k] = (AfxiKeySink){start, broad->room, 0, broad->near_limit};
        }
        afxi_parallel_for(tasks, threads, parts, 1, run_sink, &wave);
        for (uint32_t k = 0; k < parts; k++) {
            if (wave.sink[k].count > broad->near_limit) {
                return AFX_E_LIMIT;
            }
        }
        if (close_wave(broad, &wave, parts, keys)) {
            wave.first += parts;
        }
        if (keys->count > broad->near_limit) {
            return AFX_E_LIMIT;
        }
    }
    AfxStatus status = afxi_keys_reserve(broad, &broad->scratch, keys->count);
    if (status != AFX_OK) {
        return status;
    }
    sort_pairs(broad, keys);
    return AFX_OK;
}

static AfxStatus find_touching(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads) {
    afxi_tree_build(&broad->driven_tree, broad->box, broad->driven, broad->driven_count, broad->work);
    return afxi_broad_collect(broad, &broad->touching, broad->kernels.links, broad->group_count, GROUP_GRAIN, tasks,
                              threads);
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
        if (end - k > AHEAD) {
            __builtin_prefetch(&broad->box[(uint32_t)broad->near.key[k + AHEAD]]);
        }
        const AfxiItemBox *x = &broad->box[key >> 32], *y = &broad->box[(uint32_t)key];
        to[count] = (AfxiPair){x->item, y->item};
        count += broad_overlap(&x->box, &y->box);
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

/* Merges the pairs of links into `pair`, which has `count` of its own, from the end; returns how many there are then.
 */
static uint32_t merge_touching(const AfxiKeys *touching, AfxiPair *pair, uint32_t count) {
    uint32_t left = touching->count, total = count + left;
    for (uint32_t to = total; left > 0;) {
        uint64_t key = touching->key[left - 1];
        if (count && ((uint64_t)pair[count - 1].a << 32 | pair[count - 1].b) > key) {
            pair[--to] = pair[--count];
        } else {
            pair[--to] = (AfxiPair){(uint32_t)(key >> 32), (uint32_t)key};
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
    uint32_t count = test_all(broad, tasks, threads);
    count = merge_touching(&broad->touching, array, count);
    if (count > broad->limit) {
        return AFX_E_LIMIT;
    }
    broad->pair_count = count;
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
        afxi_broad_still(broad);
    }
    AfxStatus status = afxi_broad_near(broad, tasks, threads);
    if (status == AFX_OK) {
        status = find_touching(broad, tasks, threads);
    }
    if (status == AFX_OK) {
        status = publish(broad, tasks, threads);
    }
    broad->lower = broad->upper = NULL;
    return status;
}
