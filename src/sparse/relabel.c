/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers blocks depth first and cliques as they are met, so that what belongs together stands together in memory:
 * every later phase of planning walks along the graph. Only for large graphs whose own numbers say nothing about who is
 * next to whom: where they do, they are the better hint for minimum degree, too. */
#include "sparse/relabel.h"

#include <string.h>

#include "sparse/tree.h"
#include "sparse/tuning.h"

#define NONE UINT32_MAX

typedef struct Walk {
    uint32_t *start, *clique; /* [blocks + 1], [entries] cliques of each block */
    uint32_t *cursor;         /* [blocks] where in its cliques a block is */
    uint32_t *inside;         /* [cliques] where in its members a clique is; NONE: not met yet */
    uint32_t *stack;          /* [blocks] */
} Walk;

static void take_walk(Walk *w, AfxiArena *arena, const AfxiBlockGraph *graph, size_t entries) {
    w->start = afxi_arena_take(arena, (size_t)graph->count + 1, sizeof(uint32_t));
    w->clique = afxi_arena_take(arena, entries, sizeof(uint32_t));
    w->cursor = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    w->inside = afxi_arena_take(arena, graph->clique_count, sizeof(uint32_t));
    w->stack = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
}

static void take_out(AfxiRelabelled *out, AfxiArena *arena, const AfxiBlockGraph *graph, size_t entries) {
    out->block = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    out->label = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    out->size = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    out->sign = afxi_arena_take(arena, graph->count, sizeof(int8_t));
    out->start = afxi_arena_take(arena, (size_t)graph->clique_count + 1, sizeof(uint32_t));
    out->member = afxi_arena_take(arena, entries, sizeof(uint32_t));
    out->given = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    out->clique = afxi_arena_take(arena, graph->clique_count, sizeof(uint32_t));
}

static void list_cliques(Walk *w, const AfxiBlockGraph *graph, uint32_t entries) {
    for (uint32_t k = 0; k < entries; k++) {
        w->start[graph->member[k]]++;
    }
    for (uint32_t k = 0, sum = 0; k <= graph->count; k++) {
        sum += k < graph->count ? w->start[k] : 0;
        w->start[k] = sum;
    }
    for (uint32_t e = graph->clique_count; e-- > 0;) {
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            w->clique[--w->start[graph->member[k]]] = e;
        }
    }
    for (uint32_t k = 0; k < graph->count; k++) {
        w->cursor[k] = w->start[k];
    }
    for (uint32_t e = 0; e < graph->clique_count; e++) {
        w->inside[e] = NONE;
    }
}

/* The next block that is reached from `block` and has no label yet; NONE when there is none. */
static uint32_t next_block(Walk *w, const AfxiBlockGraph *graph, AfxiRelabelled *out, uint32_t *cliques,
                           uint32_t block) {
    for (; w->cursor[block] < w->start[block + 1]; w->cursor[block]++) {
        uint32_t e = w->clique[w->cursor[block]];
        if (w->inside[e] == NONE) {
            w->inside[e] = graph->clique_start[e];
            out->clique[(*cliques)++] = e;
        }
        while (w->inside[e] < graph->clique_start[e + 1]) {
            uint32_t other = graph->member[w->inside[e]++];
            if (out->label[other] == NONE) {
                return other;
            }
        }
    }
    return NONE;
}

/* Labels what is reached from a root, depth first. */
static void walk_from(Walk *w, const AfxiBlockGraph *graph, AfxiRelabelled *out, uint32_t *labels, uint32_t *cliques,
                      uint32_t root) {
    uint32_t depth = 0;
    w->stack[depth++] = root;
    out->label[root] = *labels;
    out->block[(*labels)++] = root;
    while (depth) {
        uint32_t next = next_block(w, graph, out, cliques, w->stack[depth - 1]);
        if (next == NONE) {
            depth--;
            continue;
        }
        w->stack[depth++] = next;
        out->label[next] = *labels;
        out->block[(*labels)++] = next;
    }
}

/* The graph in the new labels; cliques without members are left out. */
static void fill_graph(const AfxiBlockGraph *graph, AfxiRelabelled *out, uint32_t cliques) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < graph->count; k++) {
        out->size[k] = graph->size[out->block[k]];
        out->sign[k] = graph->sign ? graph->sign[out->block[k]] : 1;
        if (graph->order == AFXI_ORDER_GIVEN) {
            out->given[k] = out->label[graph->given[k]];
        }
    }
    for (uint32_t e = 0; e < cliques; e++) {
        uint32_t from = out->clique[e];
        out->start[e] = at;
        for (uint32_t k = graph->clique_start[from]; k < graph->clique_start[from + 1]; k++) {
            out->member[at++] = out->label[graph->member[k]];
        }
    }
    out->start[cliques] = at;
    out->graph = (AfxiBlockGraph){.count = graph->count,
                                  .size = out->size,
                                  .sign = out->sign,
                                  .clique_count = cliques,
                                  .clique_start = out->start,
                                  .member = out->member,
                                  .order = graph->order,
                                  .given = graph->order == AFXI_ORDER_GIVEN ? out->given : NULL};
}

bool afxi_relabel_wanted(const AfxiBlockGraph *graph) {
    uint64_t spread = 0;
    for (uint32_t e = 0; e < graph->clique_count; e++) {
        uint32_t least = NONE, most = 0;
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            least = graph->member[k] < least ? graph->member[k] : least;
            most = graph->member[k] > most ? graph->member[k] : most;
        }
        spread += most > least ? most - least : 0;
    }
    return spread > (uint64_t)AFXI_SPREAD_MOST * graph->clique_count;
}

AfxStatus afxi_relabel(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiRelabelled *out) {
    uint32_t entries = graph->clique_count ? graph->clique_start[graph->clique_count] : 0, labels = 0, cliques = 0;
    Walk w;
    AfxiRaw raw;
    AfxiArena walk = {0}, arena = {0};
    memset(out, 0, sizeof *out);
    take_walk(&w, &walk, graph, entries);
    take_out(out, &arena, graph, entries);
    AfxStatus status = afxi_arena_open(allocator, &walk, &raw);
    if (status != AFX_OK) {
        return status;
    }
    status = afxi_arena_open(allocator, &arena, &out->raw);
    if (status == AFX_OK) {
        take_walk(&w, &walk, graph, entries);
        take_out(out, &arena, graph, entries);
        list_cliques(&w, graph, entries);
        memset(out->label, 0xff, graph->count * sizeof *out->label);
        for (uint32_t root = 0; root < graph->count; root++) {
            if (out->label[root] == NONE) {
                walk_from(&w, graph, out, &labels, &cliques, root);
            }
        }
        fill_graph(graph, out, cliques);
    }
    afxi_release(allocator, raw.raw, raw.size);
    return status;
}

void afxi_relabel_destroy(const AfxAllocator *allocator, AfxiRelabelled *relabelled) {
    afxi_release(allocator, relabelled->raw.raw, relabelled->raw.size);
    memset(relabelled, 0, sizeof *relabelled);
}
