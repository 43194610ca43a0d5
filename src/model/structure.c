/* SPDX-License-Identifier: Apache-2.0 */
/* What the joint graph looks like: connected components of moving bodies, a spanning tree of each, what closes loops,
 * and the elimination of the rows from the leaves to the root.
 *
 * Two blocks of rows meet in the dual matrix where they share a moving body. So what stands still is no node here, and
 * a chain that hangs on the ground by both ends is a chain. Blocks between the same two bodies are one edge. A block on
 * more than two bodies, and one between bodies that the tree joins on another way, closes a loop.
 *
 * A body is done when all below it are: first, where it is a high-degree body, its own block (plan.c), then what ties
 * it to the ground, then the edge to its parent. Its children's edges are gone by then, so this fills nothing in. */
#include "model/structure.h"

#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "model/graph.h"

#define NONE UINT32_MAX

static uint32_t first_body(const AfxiGraph *graph, uint32_t block) {
    return graph->entry[graph->block[block].first_entry].dof.index;
}

static uint32_t block_of(const AfxiGraph *graph, uint32_t place) {
    return graph->entry[graph->body_entry[place]].block;
}

/* The other body of a block on two, NONE for other blocks. */
static uint32_t across(const AfxiGraph *graph, uint32_t block, uint32_t body) {
    const AfxiGraphBlock *own = &graph->block[block];
    if (own->entry_count != 2) {
        return NONE;
    }
    uint32_t a = graph->entry[own->first_entry].dof.index, b = graph->entry[own->first_entry + 1].dof.index;
    return a == body ? b : a;
}

void afxi_graph_join(const AfxiGraph *graph, uint32_t blocks, uint32_t *parent) {
    for (uint32_t k = 0; k < graph->body_count; k++) {
        parent[k] = k;
    }
    for (uint32_t k = 0; k < blocks; k++) {
        for (uint32_t e = 1; e < graph->block[k].entry_count; e++) {
            afxi_forest_join(parent, first_body(graph, k), graph->entry[graph->block[k].first_entry + e].dof.index);
        }
    }
}

/* Numbers the components by their first body; returns how many. of [bodies], parent is work. */
static uint32_t number_components(const AfxiGraph *graph, uint32_t *parent, uint32_t *of) {
    uint32_t count = 0;
    afxi_graph_join(graph, graph->block_count, parent);
    for (uint32_t k = 0; k < graph->body_count; k++) { /* a root is the first of its component */
        uint32_t root = afxi_forest_root(parent, k);
        of[k] = root == k ? count++ : of[root];
    }
    return count;
}

static void take(const AfxiGraph *graph, AfxiStructure *s, AfxiArena *arena) {
    size_t bodies = (size_t)graph->body_count + 1, blocks = (size_t)graph->block_count + graph->high_degree_count + 1;
    s->component = afxi_arena_take(arena, s->component_count, sizeof *s->component);
    s->start = afxi_arena_take(arena, (size_t)s->component_count + 1, sizeof(uint32_t));
    s->block_start = afxi_arena_take(arena, (size_t)s->component_count + 1, sizeof(uint32_t));
    s->of = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    s->order = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    s->block_list = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    s->place = afxi_arena_take(arena, bodies, sizeof(uint32_t));
    s->parent = afxi_arena_take(arena, bodies, sizeof(uint32_t));
    s->list = afxi_arena_take(arena, bodies, sizeof(uint32_t));
    s->queue = afxi_arena_take(arena, bodies, sizeof(uint32_t));
    s->cursor = afxi_arena_take(arena, bodies, sizeof(uint32_t));
    s->high_degree_of = afxi_arena_take(arena, bodies, sizeof(uint32_t));
}

/* list <- the items [count] by component of[], start [components + 1] where each begins. */
static void sort_by_component(uint32_t count, const uint32_t *of, uint32_t components, uint32_t *start,
                              uint32_t *list) {
    memset(start, 0, ((size_t)components + 1) * sizeof *start);
    for (uint32_t k = 0; k < count; k++) {
        start[of[k] + 1]++;
    }
    for (uint32_t k = 0; k < components; k++) {
        start[k + 1] += start[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        list[start[of[k]]++] = k;
    }
    for (uint32_t k = components; k > 0; k--) { /* the starts moved to the ends */
        start[k] = start[k - 1];
    }
    start[0] = 0;
}

/* How good a root a body is. Below a body that the ground holds not all motions are left, and a joint between such a
 * body and a high-degree body that is yet to come might find none: so the ground is at the root. */
static int fitness(const AfxiGraph *graph, const AfxiStructure *s, uint32_t body) {
    bool grounded = false;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1] && !grounded; x++) {
        grounded = graph->block[block_of(graph, x)].entry_count == 1;
    }
    return 2 * grounded + (s->high_degree_of[body] != NONE);
}

/* Visits all bodies that blocks on two bodies lead to, breadth first; `end` of the queue comes back. */
static uint32_t visit(const AfxiGraph *graph, AfxiStructure *s, uint32_t root, uint32_t end) {
    uint32_t at = end;
    s->parent[root] = NONE;
    s->place[root] = end;
    s->queue[end++] = root;
    while (at < end) {
        uint32_t body = s->queue[at++];
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            uint32_t other = across(graph, block_of(graph, x), body);
            if (other != NONE && s->place[other] == NONE) {
                s->parent[other] = body;
                s->place[other] = end;
                s->queue[end++] = other;
            }
        }
    }
    return end;
}

/* A tree of each part of a component that blocks on two bodies join; the number of parts comes back. */
static uint32_t span(const AfxiGraph *graph, AfxiStructure *s, const uint32_t *bodies, uint32_t count, uint32_t begin) {
    uint32_t root = bodies[0], end = begin, parts = 0;
    int best = -1;
    for (uint32_t k = 0; k < count; k++) {
        int own = fitness(graph, s, bodies[k]);
        root = own > best ? bodies[k] : root;
        best = own > best ? own : best;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t body = k == 0 ? root : bodies[k];
        if (s->place[body] == NONE) {
            end = visit(graph, s, body, end);
            parts++;
        }
    }
    if (s->place[bodies[0]] == NONE) { /* its turn went to the root */
        visit(graph, s, bodies[0], end);
        parts++;
    }
    return parts;
}

static bool closes(const AfxiGraph *graph, const AfxiStructure *s, uint32_t block) {
    const AfxiGraphBlock *own = &graph->block[block];
    uint32_t a = first_body(graph, block), b = across(graph, block, a);
    return (own->entry_count > 2 && !own->flywheel) ||
           (own->entry_count == 2 && s->parent[a] != b && s->parent[b] != a);
}

/* Appends the blocks of a body that are its own to eliminate: on the ground, or with `edge` to its parent. */
static uint32_t emit(const AfxiGraph *graph, AfxiStructure *s, uint32_t body, bool edge, uint32_t at) {
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        uint32_t block = block_of(graph, x), other = across(graph, block, body);
        const AfxiGraphBlock *own = &graph->block[block];
        bool ground = own->entry_count == 1 || (own->flywheel && own->entry_count > 2 && own->carried == body);
        if (edge ? other != NONE && other == s->parent[body] : ground) {
            s->order[at++] = block;
        }
    }
    return at;
}

/* The order of one component, and what it looks like. */
static void arrange(const AfxiGraph *graph, AfxiStructure *s, uint32_t c, uint32_t begin, uint32_t end,
                    uint32_t parts) {
    AfxComponent *component = &s->component[c];
    uint32_t at = s->start[c], closing = 0, branches = 0;
    component->bodies = end - begin;
    for (uint32_t k = begin; k < end; k++) {
        s->cursor[s->queue[k]] = 0; /* edges of the tree */
    }
    for (uint32_t k = end; k-- > begin;) {
        uint32_t body = s->queue[k];
        if (s->parent[body] != NONE) {
            s->cursor[body]++;
            s->cursor[s->parent[body]]++;
        }
        if (s->high_degree_of[body] != NONE) {
            s->of[graph->block_count + s->high_degree_of[body]] = c;
            s->order[at++] = graph->block_count + s->high_degree_of[body];
        }
        at = emit(graph, s, body, false, at);
        at = emit(graph, s, body, true, at);
    }
    for (uint32_t k = begin; k < end; k++) {
        branches += s->cursor[s->queue[k]] > 2;
    }
    for (uint32_t k = s->block_start[c]; k < s->block_start[c + 1]; k++) {
        uint32_t block = s->block_list[k], rows = graph->block[block].row_count;
        component->joints++;
        component->rows += rows;
        if (closes(graph, s, block)) {
            s->order[at++] = block;
            component->loop_rows += rows;
            closing++;
        }
    }
    s->start[c + 1] = at;
    bool path = branches == 0 && parts == 1;
    bool few = closing == 1 || (uint64_t)4 * component->loop_rows <= component->rows;
    component->structure = closing ? (few ? AFX_STRUCTURE_LOOPS : AFX_STRUCTURE_GRAPH)
                           : path  ? AFX_STRUCTURE_CHAIN
                                   : AFX_STRUCTURE_TREE;
}

/* body_start [components + 1] is work. */
static void fill(const AfxiGraph *graph, const uint32_t *high_degree, const uint32_t *body_component,
                 uint32_t *body_start, AfxiStructure *s) {
    memset(s->place, 0xff, ((size_t)graph->body_count + 1) * sizeof *s->place);
    memset(s->high_degree_of, 0xff, ((size_t)graph->body_count + 1) * sizeof *s->high_degree_of);
    for (uint32_t k = 0; k < graph->high_degree_count; k++) {
        s->high_degree_of[high_degree[k]] = k;
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        s->of[k] = body_component[first_body(graph, k)];
    }
    sort_by_component(graph->block_count, s->of, s->component_count, s->block_start, s->block_list);
    sort_by_component(graph->body_count, body_component, s->component_count, body_start, s->list);
    for (uint32_t c = 0; c < s->component_count; c++) {
        uint32_t begin = body_start[c], end = body_start[c + 1];
        arrange(graph, s, c, begin, end, span(graph, s, s->list + begin, end - begin, begin));
    }
}

AfxStatus afxi_structure_create(const AfxAllocator *allocator, const AfxiGraph *graph, const uint32_t *high_degree,
                                AfxiStructure *out) {
    size_t bytes = 2 * ((size_t)graph->body_count + 1) * sizeof(uint32_t);
    uint32_t *of = afxi_allocate(allocator, bytes), *work = of + graph->body_count + 1;
    memset(out, 0, sizeof *out);
    if (!of) {
        return AFX_E_MEMORY;
    }
    out->component_count = number_components(graph, work, of);
    AfxiArena arena = {0};
    take(graph, out, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &out->raw, &out->raw_size);
    if (arena.base) {
        arena.used = 0;
        take(graph, out, &arena);
        fill(graph, high_degree, of, work, out);
    }
    afxi_release(allocator, of, bytes);
    return arena.base ? AFX_OK : AFX_E_MEMORY;
}

void afxi_structure_destroy(const AfxAllocator *allocator, AfxiStructure *structure) {
    afxi_release(allocator, structure->raw, structure->raw_size);
}

/* ---- paths to sweep along ---- */

static uint32_t walk(const AfxiGraph *graph, uint32_t body, uint32_t *cursor, uint8_t *seen, uint32_t *out,
                     uint32_t at) {
    while (body != NONE) {
        uint32_t *next = &cursor[body];
        while (*next < graph->body_start[body + 1] && seen[block_of(graph, *next)]) {
            (*next)++;
        }
        if (*next == graph->body_start[body + 1]) {
            break;
        }
        uint32_t block = block_of(graph, *next);
        seen[block] = 1;
        out[at++] = block;
        body = across(graph, block, body);
    }
    return at;
}

void afxi_structure_sweep(const AfxiGraph *graph, uint32_t *cursor, uint8_t *seen, uint32_t *out) {
    uint32_t at = 0;
    memset(seen, 0, graph->block_count);
    memcpy(cursor, graph->body_start, graph->body_count * sizeof *cursor);
    for (int pass = 0; pass < 2; pass++) { /* ends first */
        for (uint32_t body = 0; body < graph->body_count; body++) {
            uint32_t before = NONE;
            while ((pass || graph->body_start[body + 1] - graph->body_start[body] == 1) && at != before) {
                before = at;
                at = walk(graph, body, cursor, seen, out, at);
            }
        }
    }
}
