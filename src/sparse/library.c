/* SPDX-License-Identifier: Apache-2.0 */
/* Orders by AMD (amd.h) and METIS (metis.h), each where the build has found it. Both want explicit edges: a small
 * clique gives all its pairs, a large one a star round a node of its own, which is dropped from the order. METIS draws
 * from the C library's rand, which it seeds: its order is the same every time, unless two threads use it at once. */
#include "sparse/library.h"

#include <string.h>

#include "base/memory.h"
#include "sparse/tree.h"
#include "sparse/tuning.h"

#ifdef AFXI_HAVE_AMD
#include <amd.h>
#endif
#ifdef AFXI_HAVE_METIS
#include <metis.h>
#endif

bool afxi_block_order_exists(AfxiBlockOrder order) {
    switch (order) {
    case AFXI_ORDER_AMD:
#ifdef AFXI_HAVE_AMD
        return true;
#else
        return false;
#endif
    case AFXI_ORDER_METIS:
#ifdef AFXI_HAVE_METIS
        return true;
#else
        return false;
#endif
    case AFXI_ORDER_AUTO:
    case AFXI_ORDER_GIVEN:
    case AFXI_ORDER_DENSE:
    case AFXI_ORDER_OWN:
        return true;
    }
    return false;
}

#if defined(AFXI_HAVE_AMD) || defined(AFXI_HAVE_METIS)

/* Neighbours of every node, without itself and without repeats. */
typedef struct Adjacency {
    uint32_t nodes; /* blocks, then the centres of stars */
    uint64_t room;  /* edges, both ways, with repeats */
    int32_t *start; /* [nodes + 1] */
    int32_t *next;  /* [room] */
    int32_t *mark;  /* [nodes] */
    int32_t *rows;  /* [nodes] */
    int32_t *out;   /* [2 nodes] for the library */
} Adjacency;

static void take(Adjacency *a, AfxiArena *arena) {
    size_t n = a->nodes;
    a->start = afxi_arena_take(arena, n + 2, sizeof(int32_t));
    a->next = afxi_arena_take(arena, (size_t)a->room + 1, sizeof(int32_t));
    a->mark = afxi_arena_take(arena, n, sizeof(int32_t));
    a->rows = afxi_arena_take(arena, n, sizeof(int32_t));
    a->out = afxi_arena_take(arena, 2 * n, sizeof(int32_t));
}

/* Calls for every pair of the graph; start[i + 2] counts, or start[i + 1] is where the next neighbour of i goes. */
static void add_pair(Adjacency *a, uint32_t i, uint32_t j, bool counting) {
    if (counting) {
        a->start[i + 2]++;
        a->start[j + 2]++;
    } else {
        a->next[a->start[i + 1]++] = (int32_t)j;
        a->next[a->start[j + 1]++] = (int32_t)i;
    }
}

static void add_pairs(Adjacency *a, const AfxiBlockGraph *graph, bool counting) {
    uint32_t centre = graph->count;
    for (uint32_t e = 0; e < graph->clique_count; e++) {
        const uint32_t *member = graph->member + graph->clique_start[e];
        uint32_t n = graph->clique_start[e + 1] - graph->clique_start[e];
        for (uint32_t i = 0; i < n; i++) {
            if (n > AFXI_CLIQUE_MOST) {
                add_pair(a, centre, member[i], counting);
                continue;
            }
            for (uint32_t j = 0; j < i; j++) {
                add_pair(a, member[i], member[j], counting);
            }
        }
        centre += n > AFXI_CLIQUE_MOST;
    }
}

static void drop_repeats(Adjacency *a) {
    int32_t kept = 0, begin = 0;
    memset(a->mark, 0xff, a->nodes * sizeof *a->mark);
    for (uint32_t i = 0; i < a->nodes; i++) {
        int32_t end = a->start[i + 1];
        a->start[i] = kept;
        a->mark[i] = (int32_t)i;
        for (int32_t k = begin; k < end; k++) {
            int32_t j = a->next[k];
            if (a->mark[j] != (int32_t)i) {
                a->mark[j] = (int32_t)i;
                a->next[kept++] = j;
            }
        }
        begin = end;
    }
    a->start[a->nodes] = kept;
}

static void fill(Adjacency *a, const AfxiBlockGraph *graph) {
    for (uint32_t i = 0; i < a->nodes; i++) {
        a->rows[i] = i < graph->count ? (int32_t)graph->size[i] : 1;
    }
    add_pairs(a, graph, true);
    for (uint32_t i = 0; i < a->nodes; i++) {
        a->start[i + 2] += a->start[i + 1];
    }
    add_pairs(a, graph, false);
    drop_repeats(a);
}

/* out [nodes] <- the nodes in order. */
static AfxStatus run_amd(Adjacency *a) {
#ifdef AFXI_HAVE_AMD
    int status = amd_order((int32_t)a->nodes, a->start, a->next, a->out, NULL, NULL);
    return status == AMD_OK || status == AMD_OK_BUT_JUMBLED ? AFX_OK : AFX_E_MEMORY;
#else
    (void)a;
    return AFX_E_ARGUMENT;
#endif
}

static AfxStatus run_metis(Adjacency *a) {
#ifdef AFXI_HAVE_METIS
    _Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS with 32-bit indices");
    idx_t options[METIS_NOPTIONS], n = (idx_t)a->nodes;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    int status = METIS_NodeND(&n, a->start, a->next, a->rows, options, a->out, a->out + a->nodes);
    return status == METIS_OK ? AFX_OK : AFX_E_MEMORY;
#else
    (void)a;
    return AFX_E_ARGUMENT;
#endif
}

AfxStatus afxi_order_library(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockOrder which,
                             uint32_t *order) {
    uint64_t nodes = graph->count;
    Adjacency a = {0};
    for (uint32_t e = 0; e < graph->clique_count; e++) {
        uint64_t n = graph->clique_start[e + 1] - graph->clique_start[e];
        a.room += n > AFXI_CLIQUE_MOST ? 2 * n : n ? n * (n - 1) : 0;
        nodes += n > AFXI_CLIQUE_MOST;
    }
    if (!afxi_block_order_exists(which)) {
        return AFX_E_ARGUMENT;
    }
    if (a.room > INT32_MAX || nodes > INT32_MAX / 2) {
        return AFX_E_LIMIT;
    }
    if (nodes == 0) {
        return AFX_OK;
    }
    AfxiArena arena = {0};
    void *raw;
    size_t raw_size;
    a.nodes = (uint32_t)nodes;
    take(&a, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &raw, &raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(&a, &arena);
    fill(&a, graph);
    AfxStatus status = which == AFXI_ORDER_AMD ? run_amd(&a) : run_metis(&a);
    uint32_t kept = 0;
    for (uint32_t k = 0; status == AFX_OK && k < a.nodes; k++) {
        if ((uint32_t)a.out[k] < graph->count) {
            order[kept++] = (uint32_t)a.out[k];
        }
    }
    afxi_release(allocator, raw, raw_size);
    return status;
}

#else

AfxStatus afxi_order_library(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockOrder which,
                             uint32_t *order) {
    (void)allocator;
    (void)graph;
    (void)which;
    (void)order;
    return AFX_E_ARGUMENT;
}

#endif
