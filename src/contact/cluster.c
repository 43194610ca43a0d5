/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters over the broad phase. Its units are items that are in no cluster, in their order, then the clusters. */
#include "contact/cluster.h"

#include <string.h>

#include "base/memory.h"
#include "contact/broad_inner.h"

enum {
    CLUSTER_MOST = 64,  /* items: a body's range costs 40 instructions, a unit of the broad phase some 500 */
    BOX_GRAIN = 1024,   /* items of a part */
    CLUSTER_GRAIN = 16, /* clusters of a part */
};

struct AfxiClusters {
    AfxAllocator allocator;
    void *raw;
    size_t raw_size;
    AfxiBroad *broad; /* of the units */
    uint32_t count, single_count, cluster_count, member_count, unit_count;
    uint64_t limit;
    uint32_t *single;      /* [single_count] items */
    uint32_t *start;       /* [cluster_count + 1] into member */
    uint32_t *member;      /* [member_count] items, cluster after cluster */
    AfxiTag *tag;          /* [count] of items */
    uint8_t *is_still;     /* [single_count] */
    bool have_still;       /* boxes of still items were taken */
    uint8_t *is_unbounded; /* [single_count] */
    bool any_unbounded;
    double (*lower)[3], (*upper)[3]; /* [unit_count] */
    uint8_t *is_near;                /* [cluster_count] something comes near it in this update */
    uint32_t *near;                  /* [near_count] these clusters */
    uint32_t near_count;
    AfxiKeys found, scratch; /* pairs with items of clusters */
    AfxiPair *pair, *spare;  /* [.._capacity] */
    uint32_t pair_count, pair_capacity, spare_capacity;
    AfxiPair *reached; /* [reached_capacity] pairs of units without those that an unbounded one does not reach */
    uint32_t reached_capacity;
};

/* Items that have no cluster, and nothing that is unbounded among them: the broad phase is all. */
static bool is_plain(const AfxiClusters *clusters) {
    return !clusters->cluster_count && !clusters->any_unbounded;
}

/* ---- making ---- */

/* An item that does not want others like it may be put together with them. */
static bool is_member(const AfxiClusterDef *def, uint32_t item) {
    const AfxiBroadItem *own = &def->items[item];
    return def->whole && def->whole[item] != UINT32_MAX && own->moving && !(own->group & own->mask) &&
           !(def->unbounded && def->unbounded[item]);
}

static bool is_alike(const AfxiClusterDef *def, uint32_t a, uint32_t b) {
    return def->whole[a] == def->whole[b] && def->items[a].group == def->items[b].group &&
           def->items[a].mask == def->items[b].mask;
}

/* Members are found in one pass with few clusters open at a time: items of one whole follow one another nearly. */
enum { OPEN_MOST = 8 };

typedef struct Open {
    uint32_t cluster[OPEN_MOST], first[OPEN_MOST], size[OPEN_MOST]; /* first: its first item */
    uint32_t count, next;                                           /* next: the one that gives way */
} Open;

/* The cluster that an item goes into; `made` is how many there are. */
static uint32_t choose_cluster(const AfxiClusterDef *def, Open *open, uint32_t item, uint32_t *made) {
    for (uint32_t k = 0; k < open->count; k++) {
        if (is_alike(def, open->first[k], item)) {
            if (open->size[k] == CLUSTER_MOST) {
                open->cluster[k] = (*made)++;
                open->size[k] = 0;
            }
            open->size[k]++;
            return open->cluster[k];
        }
    }
    uint32_t at = open->count < OPEN_MOST ? open->count++ : open->next++ % OPEN_MOST;
    open->cluster[at] = (*made)++;
    open->first[at] = item;
    open->size[at] = 1;
    return open->cluster[at];
}

static void count_clusters(AfxiClusters *clusters, const AfxiClusterDef *def) {
    Open open = {.count = 0};
    for (uint32_t k = 0; k < def->count; k++) {
        if (is_member(def, k)) {
            choose_cluster(def, &open, k, &clusters->cluster_count);
            clusters->member_count++;
        }
    }
    clusters->single_count = def->count - clusters->member_count;
    clusters->unit_count = clusters->single_count + clusters->cluster_count;
}

static void take(AfxiClusters *clusters, AfxiArena *arena) {
    clusters->single = afxi_arena_take(arena, clusters->single_count, sizeof *clusters->single);
    clusters->start = afxi_arena_take(arena, (size_t)clusters->cluster_count + 2, sizeof *clusters->start);
    clusters->member = afxi_arena_take(arena, clusters->member_count, sizeof *clusters->member);
    clusters->tag = afxi_arena_take(arena, clusters->count, sizeof *clusters->tag);
    clusters->is_still = afxi_arena_take(arena, clusters->single_count, sizeof *clusters->is_still);
    clusters->is_unbounded = afxi_arena_take(arena, clusters->single_count, sizeof *clusters->is_unbounded);
    clusters->lower = afxi_arena_take(arena, clusters->unit_count, sizeof *clusters->lower);
    clusters->upper = afxi_arena_take(arena, clusters->unit_count, sizeof *clusters->upper);
    clusters->is_near = afxi_arena_take(arena, clusters->cluster_count, sizeof *clusters->is_near);
    clusters->near = afxi_arena_take(arena, clusters->cluster_count, sizeof *clusters->near);
}

/* A counting sort of the members by cluster, one place ahead. */
static void fill_clusters(AfxiClusters *clusters, const AfxiClusterDef *def) {
    for (int pass = 0; pass < 2; pass++) {
        Open open = {.count = 0};
        uint32_t singles = 0, made = 0;
        for (uint32_t k = 0; k < def->count; k++) {
            uint32_t cluster = is_member(def, k) ? choose_cluster(def, &open, k, &made) : UINT32_MAX;
            if (cluster == UINT32_MAX) {
                clusters->is_still[singles] = def->items[k].still;
                clusters->is_unbounded[singles] = def->unbounded && def->unbounded[k];
                clusters->any_unbounded |= clusters->is_unbounded[singles] != 0;
                clusters->single[singles++] = k;
            } else if (pass == 0) {
                clusters->start[cluster + 2]++;
            } else {
                clusters->member[clusters->start[cluster + 1]++] = k;
            }
        }
        for (uint32_t k = 0; pass == 0 && k < clusters->cluster_count; k++) {
            clusters->start[k + 2] += clusters->start[k + 1];
        }
    }
}

static AfxStatus make_broad(AfxiClusters *clusters, const AfxiClusterDef *def) {
    size_t bytes = clusters->unit_count * sizeof(AfxiBroadItem);
    AfxiBroadItem *unit = afxi_allocate(&def->allocator, bytes);
    if (!unit && bytes) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < clusters->single_count; k++) {
        unit[k] = def->items[clusters->single[k]];
    }
    for (uint32_t k = 0; k < clusters->cluster_count; k++) {
        AfxiBroadItem *own = &unit[clusters->single_count + k];
        *own = def->items[clusters->member[clusters->start[k]]];
        own->owner = UINT32_MAX - k; /* no body's: whose the items are is seen to one by one */
    }
    AfxiBroadDef broad = {.allocator = def->allocator,
                          .items = unit,
                          .count = clusters->unit_count,
                          .excluded = def->excluded,
                          .excluded_count = def->excluded_count};
    AfxStatus status = afxi_broad_create(&broad, &clusters->broad);
    afxi_release(&def->allocator, unit, bytes);
    return status;
}

AfxStatus afxi_clusters_create(const AfxiClusterDef *def, AfxiClusters **out) {
    AfxiClusters *clusters = afxi_allocate(&def->allocator, sizeof *clusters);
    *out = NULL;
    if (!clusters) {
        return AFX_E_MEMORY;
    }
    clusters->allocator = def->allocator;
    clusters->count = def->count;
    clusters->limit = ((uint64_t)1 << 22) + 32 * (uint64_t)def->count;
    count_clusters(clusters, def);
    AfxiArena arena = {0};
    take(clusters, &arena);
    arena.base = arena.overflow ? NULL
                                : afxi_allocate_aligned(&def->allocator, arena.used + AFXI_ALIGNMENT, &clusters->raw,
                                                        &clusters->raw_size);
    AfxStatus status = arena.base ? AFX_OK : AFX_E_MEMORY;
    if (status == AFX_OK) {
        arena.used = 0;
        take(clusters, &arena);
        fill_clusters(clusters, def);
        status = make_broad(clusters, def);
    }
    if (status != AFX_OK) {
        afxi_clusters_destroy(clusters);
        return status;
    }
    for (uint32_t k = 0; k < def->count; k++) {
        clusters->tag[k] = afxi_broad_tag(clusters->broad, &def->items[k]);
    }
    *out = clusters;
    return AFX_OK;
}

void afxi_clusters_destroy(AfxiClusters *clusters) {
    if (!clusters) {
        return;
    }
    AfxAllocator allocator = clusters->allocator;
    afxi_broad_destroy(clusters->broad);
    afxi_release(&allocator, clusters->found.key, clusters->found.capacity * sizeof *clusters->found.key);
    afxi_release(&allocator, clusters->scratch.key, clusters->scratch.capacity * sizeof *clusters->scratch.key);
    afxi_release(&allocator, clusters->pair, clusters->pair_capacity * sizeof *clusters->pair);
    afxi_release(&allocator, clusters->spare, clusters->spare_capacity * sizeof *clusters->spare);
    afxi_release(&allocator, clusters->reached, clusters->reached_capacity * sizeof *clusters->reached);
    afxi_release(&allocator, clusters->raw, clusters->raw_size);
    afxi_release(&allocator, clusters, sizeof *clusters);
}

uint32_t afxi_clusters_count(const AfxiClusters *clusters) {
    return clusters ? clusters->cluster_count : 0;
}

const uint32_t *afxi_cluster_items(const AfxiClusters *clusters, uint32_t cluster, uint32_t *out_count) {
    *out_count = clusters->start[cluster + 1] - clusters->start[cluster];
    return clusters->member + clusters->start[cluster];
}

/* ---- boxes ---- */

typedef struct BoxTask {
    AfxiClusters *clusters;
    const AfxiBoxSource *source;
} BoxTask;

static void make_singles(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const BoxTask *task = context;
    AfxiClusters *clusters = task->clusters;
    (void)part;
    task->source->boxes(task->source->context, clusters->single + begin, end - begin);
    for (uint32_t k = begin; !is_plain(clusters) && k < end; k++) {
        if (!clusters->is_still[k] || !clusters->have_still) {
            memcpy(clusters->lower[k], task->source->lower[clusters->single[k]], sizeof *clusters->lower);
            memcpy(clusters->upper[k], task->source->upper[clusters->single[k]], sizeof *clusters->upper);
        }
    }
}

static void make_bounds(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const BoxTask *task = context;
    AfxiClusters *clusters = task->clusters;
    (void)part;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t unit = clusters->single_count + k;
        task->source->bound(task->source->context, k, clusters->lower[unit], clusters->upper[unit]);
    }
}

static void make_members(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const BoxTask *task = context;
    const AfxiClusters *clusters = task->clusters;
    (void)part;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t count;
        const uint32_t *item = afxi_cluster_items(clusters, clusters->near[k], &count);
        task->source->boxes(task->source->context, item, count);
    }
}

/* ---- unbounded items ---- */

/* Whether one of two units is an unbounded item that does not reach the box of the other. */
static bool is_beyond(const AfxiClusters *clusters, const AfxiBoxSource *source, const AfxiPair *units) {
    for (int side = 0; side < 2; side++) {
        uint32_t own = side ? units->b : units->a, other = side ? units->a : units->b;
        if (own < clusters->single_count && clusters->is_unbounded[own] &&
            !source->reaches(source->context, clusters->single[own], clusters->lower[other], clusters->upper[other])) {
            return true;
        }
    }
    return false;
}

/* Takes out the pairs of units that do not reach each other. */
static AfxStatus drop_beyond(AfxiClusters *clusters, const AfxiBoxSource *source, const AfxiPair **pair,
                             uint32_t *count) {
    AfxStatus status = afxi_array_reserve(&clusters->allocator, (void **)&clusters->reached,
                                          &clusters->reached_capacity, *count, sizeof *clusters->reached);
    uint32_t kept = 0;
    for (uint32_t k = 0; status == AFX_OK && k < *count; k++) {
        clusters->reached[kept] = (*pair)[k];
        kept += !is_beyond(clusters, source, &(*pair)[k]);
    }
    *pair = clusters->reached;
    *count = kept;
    return status;
}

/* ---- pairs with items of clusters ---- */

static void note_near(AfxiClusters *clusters, uint32_t unit) {
    if (unit >= clusters->single_count && !clusters->is_near[unit - clusters->single_count]) {
        clusters->is_near[unit - clusters->single_count] = 1;
        clusters->near[clusters->near_count++] = unit - clusters->single_count;
    }
}

static void list_near(AfxiClusters *clusters, const AfxiPair *pair, uint32_t count) {
    for (uint32_t k = 0; k < clusters->near_count; k++) {
        clusters->is_near[clusters->near[k]] = 0;
    }
    clusters->near_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        note_near(clusters, pair[k].a);
        note_near(clusters, pair[k].b);
    }
}

/* Items of one unit, with their boxes, that meet the box of another. */
typedef struct Meeting {
    uint32_t item[CLUSTER_MOST], count;
    AfxiBox box[CLUSTER_MOST];
} Meeting;

static void meet(const AfxiClusters *clusters, const AfxiBoxSource *source, uint32_t unit, uint32_t other,
                 Meeting *out) {
    uint32_t count = 0;
    AfxiBox bound = broad_box(clusters->lower[other], clusters->upper[other], 0);
    bool half = other < clusters->single_count && clusters->is_unbounded[other];
    out->count = 0;
    if (unit < clusters->single_count) { /* its box is that of the broad phase */
        out->item[0] = clusters->single[unit];
        out->box[0] = broad_box(clusters->lower[unit], clusters->upper[unit], 0);
        out->count = 1;
        return;
    }
    const uint32_t *item = afxi_cluster_items(clusters, unit - clusters->single_count, &count);
    for (uint32_t k = 0; k < count; k++) {
        AfxiBox box = broad_box(source->lower[item[k]], source->upper[item[k]], 0);
        out->item[out->count] = item[k];
        out->box[out->count] = box;
        out->count += broad_overlap(&box, &bound) &&
                      (!half || source->reaches(source->context, clusters->single[other], box.lower, box.upper));
    }
}

/* The pairs of the items of two units. */
static AfxStatus pair_units(AfxiClusters *clusters, const AfxiBoxSource *source, const AfxiPair *units) {
    Meeting a, b;
    meet(clusters, source, units->a, units->b, &a);
    meet(clusters, source, units->b, units->a, &b);
    AfxStatus status =
        afxi_keys_reserve(clusters->broad, &clusters->found, clusters->found.count + (uint64_t)a.count * b.count);
    for (uint32_t i = 0; status == AFX_OK && i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            if (broad_overlap(&a.box[i], &b.box[k]) &&
                broad_wanted(clusters->broad, &clusters->tag[a.item[i]], &clusters->tag[b.item[k]])) {
                uint32_t low = a.item[i] < b.item[k] ? a.item[i] : b.item[k], high = a.item[i] ^ b.item[k] ^ low;
                clusters->found.key[clusters->found.count++] = (uint64_t)low << 32 | high;
            }
        }
    }
    return clusters->found.count > clusters->limit ? AFX_E_LIMIT : status;
}

/* Pairs of units with a cluster among them, item by item; sorted. */
static AfxStatus pair_members(AfxiClusters *clusters, const AfxiBoxSource *source, const AfxiPair *pair,
                              uint32_t count) {
    AfxStatus status = AFX_OK;
    clusters->found.count = 0;
    for (uint32_t k = 0; status == AFX_OK && clusters->near_count && k < count; k++) {
        if (pair[k].b >= clusters->single_count) {
            status = pair_units(clusters, source, &pair[k]);
        }
    }
    status = status ? status : afxi_keys_reserve(clusters->broad, &clusters->scratch, clusters->found.count);
    if (status == AFX_OK) {
        uint32_t bits = clusters->count > 1 ? 32 - (uint32_t)__builtin_clz(clusters->count - 1) : 1;
        afxi_sort_keys(clusters->found.key, clusters->scratch.key, clusters->found.count, bits, bits);
    }
    return status;
}

/* Pairs of singles, and those that were found, in order. */
static AfxStatus publish(AfxiClusters *clusters, const AfxiPair *pair, uint32_t count) {
    uint64_t most = (uint64_t)count + clusters->found.count;
    AfxStatus status = most > UINT32_MAX
                           ? AFX_E_LIMIT
                           : afxi_array_reserve(&clusters->allocator, (void **)&clusters->spare,
                                                &clusters->spare_capacity, (uint32_t)most, sizeof *clusters->spare);
    uint32_t made = 0, next = 0;
    const uint64_t *key = clusters->found.key;
    for (uint32_t k = 0; status == AFX_OK && k < count; k++) {
        if (pair[k].b < clusters->single_count) {
            AfxiPair own = {clusters->single[pair[k].a], clusters->single[pair[k].b]};
            for (; next < clusters->found.count && key[next] < ((uint64_t)own.a << 32 | own.b); next++) {
                clusters->spare[made++] = (AfxiPair){(uint32_t)(key[next] >> 32), (uint32_t)key[next]};
            }
            clusters->spare[made++] = own;
        }
    }
    for (; status == AFX_OK && next < clusters->found.count; next++) {
        clusters->spare[made++] = (AfxiPair){(uint32_t)(key[next] >> 32), (uint32_t)key[next]};
    }
    if (status != AFX_OK || made > clusters->limit) {
        return status ? status : AFX_E_LIMIT;
    }
    AfxiPair *kept = clusters->pair;
    uint32_t capacity = clusters->pair_capacity;
    clusters->pair = clusters->spare;
    clusters->pair_capacity = clusters->spare_capacity;
    clusters->spare = kept;
    clusters->spare_capacity = capacity;
    clusters->pair_count = made;
    return AFX_OK;
}

AfxStatus afxi_clusters_update(AfxiClusters *clusters, const AfxiBoxSource *source, const AfxTasks *tasks,
                               uint32_t threads) {
    BoxTask task = {clusters, source};
    uint32_t count;
    afxi_parallel_for(tasks, threads, clusters->single_count, BOX_GRAIN, make_singles, &task);
    if (is_plain(clusters)) {
        return afxi_broad_update(clusters->broad, source->lower, source->upper, tasks, threads);
    }
    clusters->have_still = true;
    afxi_parallel_for(tasks, threads, clusters->cluster_count, CLUSTER_GRAIN, make_bounds, &task);
    AfxStatus status = afxi_broad_update(clusters->broad, (const double(*)[3])clusters->lower,
                                         (const double(*)[3])clusters->upper, tasks, threads);
    if (status != AFX_OK) {
        return status;
    }
    const AfxiPair *pair = afxi_broad_pairs(clusters->broad, &count);
    if (clusters->any_unbounded) {
        status = drop_beyond(clusters, source, &pair, &count);
    }
    if (status != AFX_OK) {
        return status;
    }
    list_near(clusters, pair, count);
    afxi_parallel_for(tasks, threads, clusters->near_count, CLUSTER_GRAIN, make_members, &task);
    status = pair_members(clusters, source, pair, count);
    return status ? status : publish(clusters, pair, count);
}

const AfxiPair *afxi_clusters_pairs(const AfxiClusters *clusters, uint32_t *out_count) {
    if (is_plain(clusters)) {
        return afxi_broad_pairs(clusters->broad, out_count);
    }
    *out_count = clusters->pair_count;
    return clusters->pair;
}

void afxi_clusters_reset(AfxiClusters *clusters) {
    clusters->have_still = false;
    afxi_broad_reset(clusters->broad);
}
