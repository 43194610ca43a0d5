/* SPDX-License-Identifier: Apache-2.0 */
/* Making a broad phase: which items can pair with which others at all, and one block for all that does not grow. */
#include "contact/broad.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/broad_inner.h"
#include "math/variant.h"

/* So many near pairs per pair that is allowed: far more than there are, so that whether an update fails does not depend
 * on what the near pairs come from. */
enum { NEAR_MOST = 4 };

#define DECLARE(isa, lanes)                                                                   \
    extern AfxiBroadKernel afxi_broad_all_##isa##_##lanes, afxi_broad_strays_##isa##_##lanes, \
        afxi_broad_links_##isa##_##lanes
#define KERNELS(isa, lanes)                                                                                        \
    (AfxiBroadKernels) {                                                                                           \
        afxi_broad_all_##isa##_##lanes, afxi_broad_strays_##isa##_##lanes, afxi_broad_links_##isa##_##lanes, lanes \
    }

DECLARE(base, 1);
DECLARE(base, 2);
#ifdef AFXI_X86_VARIANTS
DECLARE(avx2, 1);
DECLARE(avx2, 2);
DECLARE(avx2, 4);
DECLARE(avx2, 8);
DECLARE(avx512, 8);
#endif

bool afxi_broad_kernels(uint32_t lanes, AfxiBroadKernels *out) {
    AfxiBroadKernels found[5] = {KERNELS(base, 2), KERNELS(base, 1)}; /* best first */
    uint32_t count = 2;
#ifdef AFXI_X86_VARIANTS
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX2) {
        AfxiBroadKernels avx2[4] = {KERNELS(avx2, 4), KERNELS(avx2, 8), KERNELS(avx2, 2), KERNELS(avx2, 1)};
        memcpy(found, avx2, sizeof avx2);
        count = 4;
        if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX512) {
            found[count++] = found[0];
            found[0] = KERNELS(avx512, 8);
        }
    }
#endif
    for (uint32_t k = 0; k < count; k++) {
        if (lanes == 0 || lanes == found[k].lanes) {
            *out = found[k];
            return true;
        }
    }
    return false;
}

/* First excluded pair from `begin` on that is not below (low, high). */
static uint32_t find_excluded(const AfxiBroad *broad, uint32_t begin, uint32_t low, uint32_t high) {
    uint64_t wanted = (uint64_t)low << 32 | high;
    for (uint32_t end = broad->excluded_count; begin < end;) {
        uint32_t middle = begin + (end - begin) / 2;
        if (((uint64_t)broad->excluded[middle].a << 32 | broad->excluded[middle].b) < wanted) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

bool afxi_broad_excluded(const AfxiBroad *broad, uint32_t first, uint32_t low, uint32_t high) {
    /* Few bodies have more neighbours than this; for those that do, by halves. */
    uint32_t most = broad->excluded_count - first < 8 ? broad->excluded_count : first + 8;
    while (first < most && broad->excluded[first].a == low && broad->excluded[first].b < high) {
        first++;
    }
    first = first < broad->excluded_count && first == most ? find_excluded(broad, first, low, high) : first;
    return first < broad->excluded_count && broad->excluded[first].a == low && broad->excluded[first].b == high;
}

/* What groups and masks the items have that move, and those that do not. */
typedef struct Wishes {
    uint32_t group[2], mask[2]; /* [moves] */
} Wishes;

typedef enum Part { UNUSED, LIVE, STILL, LINK } Part;

static Part part_of(const AfxiBroadItem *item, const Wishes *wishes) {
    bool with_moving = (item->group & wishes->mask[1]) || (item->mask & wishes->group[1]);
    bool with_others = (item->group & wishes->mask[0]) || (item->mask & wishes->group[0]);
    if (with_moving) {
        return item->still ? STILL : LIVE;
    }
    return item->moving && with_others ? LINK : UNUSED;
}

static bool definition_valid(const AfxiBroadDef *def) {
    if ((def->count && !def->items) || (def->excluded_count && !def->excluded) || !(def->margin >= 0) ||
        !(def->margin < HUGE_VAL) || !def->allocator.reallocate) {
        return false;
    }
    for (uint32_t k = 0; k < def->count; k++) {
        if (def->items[k].moving && def->items[k].still) {
            return false;
        }
    }
    for (uint32_t k = 0; k < def->excluded_count; k++) {
        const AfxiPair *pair = &def->excluded[k];
        if (pair->a >= pair->b || (k && (pair->a < pair[-1].a || (pair->a == pair[-1].a && pair->b <= pair[-1].b)))) {
            return false;
        }
    }
    return true;
}

static Wishes collect_wishes(const AfxiBroadDef *def) {
    Wishes wishes = {{0}, {0}};
    for (uint32_t k = 0; k < def->count; k++) {
        wishes.group[def->items[k].moving] |= def->items[k].group;
        wishes.mask[def->items[k].moving] |= def->items[k].mask;
    }
    return wishes;
}

static void count_parts(AfxiBroad *broad, const AfxiBroadDef *def, const Wishes *wishes) {
    uint64_t last_group = UINT64_MAX;
    for (uint32_t k = 0; k < def->count; k++) {
        Part part = part_of(&def->items[k], wishes);
        broad->live_count += part == LIVE;
        broad->still_count += part == STILL;
        broad->driven_count += part == LIVE && !def->items[k].moving;
        if (part == LINK && k / LINK_GROUP != last_group) {
            last_group = k / LINK_GROUP;
            broad->group_count++;
        }
    }
    broad->dense_count = broad->live_count + broad->still_count;
    broad->driven_count = broad->group_count ? broad->driven_count : 0;
}

static void take_tree(AfxiArena *arena, AfxiBoxTree *tree, uint32_t count) {
    tree->order = afxi_arena_take(arena, count, sizeof *tree->order);
    tree->tag = afxi_arena_take(arena, count, sizeof *tree->tag);
    tree->packet = afxi_arena_take(arena, afxi_tree_packets(count), sizeof *tree->packet);
}

/* Once to count, once to hand out. */
static void take_parts(AfxiBroad *broad, AfxiArena *arena) {
    uint32_t dense = broad->dense_count, live = broad->live_count, still = broad->still_count;
    broad->tag = afxi_arena_take(arena, broad->count, sizeof *broad->tag);
    broad->excluded = afxi_arena_take(arena, broad->excluded_count, sizeof *broad->excluded);
    broad->dense = afxi_arena_take(arena, dense, sizeof *broad->dense);
    broad->live = afxi_arena_take(arena, live, sizeof *broad->live);
    broad->still = afxi_arena_take(arena, still, sizeof *broad->still);
    broad->driven = afxi_arena_take(arena, broad->driven_count, sizeof *broad->driven);
    broad->group = afxi_arena_take(arena, broad->group_count, sizeof *broad->group);
    broad->group_links = afxi_arena_take(arena, broad->group_count, sizeof *broad->group_links);
    broad->box = afxi_arena_take(arena, dense, sizeof *broad->box);
    broad->loose = afxi_arena_take(arena, dense, sizeof *broad->loose);
    broad->place = afxi_arena_take(arena, dense, sizeof *broad->place);
    broad->is_stray = afxi_arena_take(arena, dense, sizeof *broad->is_stray);
    broad->stray = afxi_arena_take(arena, live, sizeof *broad->stray);
    take_tree(arena, &broad->live_tree, live);
    take_tree(arena, &broad->still_tree, still);
    take_tree(arena, &broad->driven_tree, broad->driven_count);
    broad->work = afxi_arena_take(arena, dense, 2 * sizeof *broad->work);
}

static void fill_parts(AfxiBroad *broad, const AfxiBroadDef *def, const Wishes *wishes) {
    uint32_t dense = 0, live = 0, still = 0, driven = 0, groups = 0;
    for (uint32_t k = 0; k < def->count; k++) {
        Part part = part_of(&def->items[k], wishes);
        if (part == LINK) {
            if (groups == 0 || broad->group[groups - 1] != k / LINK_GROUP) {
                broad->group[groups++] = k / LINK_GROUP;
            }
            broad->group_links[groups - 1] |= (uint64_t)1 << k % LINK_GROUP;
        }
        if (part == LIVE || part == STILL) {
            if (part == STILL) {
                broad->still[still++] = dense;
            } else {
                broad->live[live++] = dense;
            }
            if (part == LIVE && !def->items[k].moving && broad->driven_count) {
                broad->driven[driven++] = dense;
            }
            broad->dense[dense++] = k;
        }
    }
}

AfxiTag afxi_broad_tag(const AfxiBroad *broad, const AfxiBroadItem *item) {
    uint32_t first = find_excluded(broad, 0, item->owner, 0);
    bool some = first < broad->excluded_count && broad->excluded[first].a == item->owner;
    return (AfxiTag){item->owner, item->group, item->mask, item->moving, some ? first + 1 : 0};
}

static void fill_tags(AfxiBroad *broad, const AfxiBroadItem *items) {
    for (uint32_t k = 0; k < broad->count; k++) {
        broad->tag[k] = afxi_broad_tag(broad, &items[k]);
    }
    for (uint32_t k = 0; k < broad->dense_count; k++) {
        broad->box[k].item = broad->dense[k];
    }
}

AfxStatus afxi_broad_create(const AfxiBroadDef *def, AfxiBroad **out) {
    if (out) {
        *out = NULL;
    }
    AfxiBroadKernels kernels;
    if (!def || !out || !definition_valid(def) || !afxi_broad_kernels(def->lanes, &kernels)) {
        return AFX_E_ARGUMENT;
    }
    if (def->excluded_count >= INT32_MAX) {
        return AFX_E_LIMIT; /* AfxiTag */
    }
    AfxiBroad *broad = afxi_allocate(&def->allocator, sizeof *broad);
    if (!broad) {
        return AFX_E_MEMORY;
    }
    broad->allocator = def->allocator;
    broad->kernels = kernels;
    broad->margin = def->margin;
    broad->count = def->count;
    broad->excluded_count = def->excluded_count;
    uint64_t limit = def->pair_limit ? def->pair_limit : ((uint64_t)1 << 22) + 32 * (uint64_t)def->count;
    broad->limit = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    broad->near_limit = NEAR_MOST * limit < UINT32_MAX ? (uint32_t)(NEAR_MOST * limit) : UINT32_MAX;
    Wishes wishes = collect_wishes(def);
    count_parts(broad, def, &wishes);
    AfxiArena arena = {0};
    take_parts(broad, &arena);
    arena.base = arena.overflow ? NULL
                                : afxi_allocate_aligned(&def->allocator, arena.used + AFXI_ALIGNMENT, &broad->raw,
                                                        &broad->raw_size);
    if (!arena.base) {
        afxi_broad_destroy(broad);
        return arena.overflow ? AFX_E_LIMIT : AFX_E_MEMORY;
    }
    arena.used = 0;
    take_parts(broad, &arena);
    if (def->excluded_count) {
        memcpy(broad->excluded, def->excluded, def->excluded_count * sizeof *def->excluded);
    }
    fill_parts(broad, def, &wishes);
    fill_tags(broad, def->items);
    *out = broad;
    return AFX_OK;
}

static void release_keys(const AfxiBroad *broad, AfxiKeys *keys) {
    afxi_release(&broad->allocator, keys->key, keys->capacity * sizeof *keys->key);
}

void afxi_broad_destroy(AfxiBroad *broad) {
    if (!broad) {
        return;
    }
    AfxAllocator allocator = broad->allocator;
    release_keys(broad, &broad->near);
    release_keys(broad, &broad->fresh);
    release_keys(broad, &broad->scratch);
    release_keys(broad, &broad->touching);
    afxi_release(&allocator, broad->pair, broad->pair_capacity * sizeof *broad->pair);
    afxi_release(&allocator, broad->spare, broad->spare_capacity * sizeof *broad->spare);
    afxi_release(&allocator, broad->raw, broad->raw_size);
    afxi_release(&allocator, broad, sizeof *broad);
}

const AfxiPair *afxi_broad_pairs(const AfxiBroad *broad, uint32_t *out_count) {
    *out_count = broad->pair_count;
    return broad->pair;
}

void afxi_broad_reset(AfxiBroad *broad) {
    broad->have_still = broad->have_live = false;
}
