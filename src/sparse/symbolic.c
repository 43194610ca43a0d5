/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of the factor. Column j of L has the rows
 *     rows(j) = (cliques whose first member is j  u  rows(children of j)) \ j,
 * and the parent of j in the elimination tree is the first of them. A column whose only child has the same rows but for
 * j joins the child's supernode and shares its list, so that a clique of n blocks costs n, not n^2. */
#include "sparse/symbolic.h"

#include <string.h>

#include "base/memory.h"
#include "sparse/relax.h"

#define NONE UINT32_MAX

typedef struct Work {
    const AfxAllocator *allocator;
    const AfxiBlockGraph *graph;
    const uint32_t *order; /* given */
    uint32_t *place;       /* [n] */
    uint32_t *clique;      /* [n] first clique that starts at a column */
    uint32_t *clique_next; /* [cliques] */
    uint32_t *child;       /* [n] supernodes whose parent is this column; afterwards: children of a supernode */
    uint32_t *mark;        /* [n] */
    AfxiNodes nodes;
    uint32_t *list; /* rows of the supernodes, by column */
    uint32_t list_length, list_room;
    uint32_t stamp;
    uint64_t block_count;
} Work;

static void sift(uint32_t *value, size_t root, size_t count) {
    uint32_t moved = value[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && value[child + 1] > value[child];
        if (value[child] <= moved) {
            break;
        }
        value[root] = value[child];
    }
    value[root] = moved;
}

void afxi_sort(uint32_t *value, size_t count) {
    if (count <= 24) {
        for (size_t k = 1; k < count; k++) {
            uint32_t moved = value[k];
            size_t to = k;
            for (; to > 0 && value[to - 1] > moved; to--) {
                value[to] = value[to - 1];
            }
            value[to] = moved;
        }
        return;
    }
    for (size_t k = count / 2; k-- > 0;) {
        sift(value, k, count);
    }
    for (size_t k = count; k-- > 1;) {
        uint32_t largest = value[0];
        value[0] = value[k];
        value[k] = largest;
        sift(value, 0, k);
    }
}

static void take(Work *w, AfxiArena *arena) {
    size_t n = w->graph->count, word = sizeof(uint32_t);
    AfxiNodes *nodes = &w->nodes;
    uint32_t **by_block[] = {&w->place,    &w->clique,      &w->child,     &w->mark,           &nodes->first,
                             &nodes->last, &nodes->next,    &nodes->width, &nodes->height,     &nodes->parent,
                             &nodes->list, &nodes->sibling, &nodes->rows,  &nodes->next_child, &nodes->child};
    for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++) {
        *by_block[k] = afxi_arena_take(arena, n, word);
    }
    nodes->sign = afxi_arena_take(arena, n, sizeof *nodes->sign);
    w->clique_next = afxi_arena_take(arena, w->graph->clique_count, word);
}

static void sort_cliques(Work *w) {
    const AfxiBlockGraph *graph = w->graph;
    memset(w->clique, 0xff, graph->count * sizeof *w->clique);
    for (uint32_t e = graph->clique_count; e-- > 0;) {
        uint32_t first = NONE;
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            uint32_t at = w->place[graph->member[k]];
            first = at < first ? at : first;
        }
        if (first != NONE) {
            w->clique_next[e] = w->clique[first];
            w->clique[first] = e;
        }
    }
}

/* Whether the cliques that start at column j lie in the rows of supernode s. */
static bool cliques_inside(Work *w, uint32_t j, uint32_t s) {
    if (w->clique[j] == NONE) {
        return true;
    }
    uint32_t tag = ++w->stamp;
    for (uint32_t k = 0; k < w->nodes.rows[s]; k++) {
        w->mark[w->list[w->nodes.list[s] + k]] = tag;
    }
    for (uint32_t e = w->clique[j]; e != NONE; e = w->clique_next[e]) {
        for (uint32_t k = w->graph->clique_start[e]; k < w->graph->clique_start[e + 1]; k++) {
            if (w->mark[w->place[w->graph->member[k]]] != tag) {
                return false;
            }
        }
    }
    return true;
}

static AfxStatus push(Work *w, uint32_t row) {
    void *list = w->list;
    AfxStatus status = AFX_OK;
    if (w->mark[row] == w->stamp) {
        return AFX_OK;
    }
    if (w->list_length == w->list_room) {
        if (w->list_length == NONE - 1) {
            return AFX_E_LIMIT;
        }
        status = afxi_array_reserve(w->allocator, &list, &w->list_room, w->list_length + 1, sizeof *w->list);
        w->list = list;
    }
    if (status == AFX_OK) {
        w->mark[row] = w->stamp;
        w->list[w->list_length++] = row;
    }
    return status;
}

/* Rows of a new supernode that starts at column j, sorted. */
static AfxStatus gather_rows(Work *w, uint32_t j, uint32_t s) {
    AfxiNodes *nodes = &w->nodes;
    AfxStatus status = AFX_OK;
    nodes->list[s] = w->list_length;
    w->mark[j] = ++w->stamp;
    for (uint32_t e = w->clique[j]; e != NONE; e = w->clique_next[e]) {
        for (uint32_t k = w->graph->clique_start[e]; k < w->graph->clique_start[e + 1] && status == AFX_OK; k++) {
            status = push(w, w->place[w->graph->member[k]]);
        }
    }
    for (uint32_t c = w->child[j]; c != NONE; c = nodes->sibling[c]) {
        for (uint32_t k = 0; k < nodes->rows[c] && status == AFX_OK; k++) {
            status = push(w, w->list[nodes->list[c] + k]);
        }
        nodes->parent[c] = s;
    }
    nodes->rows[s] = w->list_length - nodes->list[s];
    if (status == AFX_OK && nodes->rows[s]) {
        afxi_sort(w->list + nodes->list[s], nodes->rows[s]);
    }
    nodes->height[s] = 0;
    for (uint32_t k = 0; k < nodes->rows[s]; k++) {
        nodes->height[s] += w->graph->size[w->order[w->list[nodes->list[s] + k]]];
    }
    return status;
}

static AfxStatus add_column(Work *w, uint32_t j) {
    AfxiNodes *nodes = &w->nodes;
    uint32_t block = w->order[j], size = w->graph->size[block], s = w->child[j];
    int8_t sign = w->graph->sign ? w->graph->sign[block] : 1;
    AfxStatus status = AFX_OK;
    bool joins = s != NONE && nodes->sibling[s] == NONE && nodes->sign[s] == sign && cliques_inside(w, j, s);
    if (joins) {
        nodes->next[nodes->last[s]] = j;
        nodes->list[s]++;
        nodes->rows[s]--;
        nodes->height[s] -= size;
        nodes->width[s] += size;
    } else {
        s = nodes->count++;
        nodes->first[s] = j;
        nodes->width[s] = size;
        nodes->sign[s] = sign;
        nodes->parent[s] = NONE;
        status = gather_rows(w, j, s);
    }
    nodes->last[s] = j;
    nodes->next[j] = NONE;
    w->block_count += nodes->rows[s];
    if (status == AFX_OK && nodes->rows[s]) {
        uint32_t parent = w->list[nodes->list[s]];
        nodes->sibling[s] = w->child[parent];
        w->child[parent] = s;
    }
    return status;
}

static void take_out(AfxiSymbolic *out, AfxiArena *arena) {
    size_t n = out->blocks, m = out->count, word = sizeof(uint32_t);
    out->order = afxi_arena_take(arena, n, word);
    out->place = afxi_arena_take(arena, n, word);
    out->first = afxi_arena_take(arena, m + 1, word);
    out->parent = afxi_arena_take(arena, m, word);
    out->start = afxi_arena_take(arena, m + 1, word);
    out->width = afxi_arena_take(arena, m, word);
    out->height = afxi_arena_take(arena, m, word);
}

/* Numbers what is left of the supernodes children first (into nodes->sibling), with an explicit path upwards. */
static void number(AfxiNodes *nodes, uint32_t *numbered) {
    *numbered = 0;
    for (uint32_t root = 0; root < nodes->count; root++) {
        if (nodes->parent[root] != NONE || nodes->first[root] == NONE) {
            continue;
        }
        for (uint32_t s = root;;) {
            uint32_t child = nodes->child[s];
            if (child != NONE) { /* down, and take it off the list */
                nodes->child[s] = nodes->next_child[child];
                s = child;
                continue;
            }
            nodes->sibling[s] = (*numbered)++;
            if (s == root) {
                break;
            }
            s = nodes->parent[s];
        }
    }
}

double afxi_column_flops(double width, double height) {
    double tall = height + width;
    return (tall * (tall + 1) * (2 * tall + 1) - height * (height + 1) * (2 * height + 1)) / 6;
}

static void fill_out(Work *w, AfxiSymbolic *out) {
    AfxiNodes *nodes = &w->nodes;
    uint32_t *node = w->mark, column = 0, at = 0; /* node[k]: the supernode of number k */
    for (uint32_t s = 0; s < nodes->count; s++) {
        if (nodes->first[s] != NONE) {
            node[nodes->sibling[s]] = s;
        }
    }
    for (uint32_t k = 0; k < out->count; k++) {
        uint32_t s = node[k];
        out->first[k] = column;
        out->parent[k] = nodes->parent[s] == NONE ? NONE : nodes->sibling[nodes->parent[s]];
        out->width[k] = nodes->width[s];
        out->height[k] = nodes->height[s];
        out->flops += afxi_column_flops(nodes->width[s], nodes->height[s]);
        for (uint32_t j = nodes->first[s]; j != NONE; j = nodes->next[j]) {
            w->clique[j] = column; /* the new number of a column */
            out->order[column] = w->order[j];
            out->place[w->order[j]] = column++;
        }
    }
    out->first[out->count] = column;
    for (uint32_t k = 0; k < out->count; k++) {
        uint32_t s = node[k];
        out->start[k] = at;
        for (uint32_t r = 0; r < nodes->rows[s]; r++) {
            out->row[at++] = w->clique[w->list[nodes->list[s] + r]];
        }
        if (nodes->rows[s]) {
            afxi_sort(out->row + out->start[k], nodes->rows[s]);
        }
    }
    out->start[out->count] = at;
}

static AfxStatus finish(Work *w, AfxiSymbolic *out) {
    AfxiArena arena = {0};
    uint64_t rows = 0;
    number(&w->nodes, &out->count);
    for (uint32_t s = 0; s < w->nodes.count; s++) {
        rows += w->nodes.first[s] == NONE ? 0 : w->nodes.rows[s];
    }
    out->blocks = w->graph->count;
    out->block_count = w->block_count;
    take_out(out, &arena);
    out->row = afxi_arena_take(&arena, (size_t)rows, sizeof *out->row);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(w->allocator, arena.used, &out->raw, &out->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_out(out, &arena);
    out->row = afxi_arena_take(&arena, (size_t)rows, sizeof *out->row);
    fill_out(w, out);
    return AFX_OK;
}

AfxStatus afxi_symbolic_create(const AfxAllocator *allocator, const AfxiBlockGraph *graph, const uint32_t *order,
                               bool relax, AfxiSymbolic *out) {
    Work w = {.allocator = allocator, .graph = graph, .order = order};
    AfxiArena arena = {0};
    void *raw;
    size_t raw_size;
    memset(out, 0, sizeof *out);
    take(&w, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &raw, &raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(&w, &arena);
    for (uint32_t k = 0; k < graph->count; k++) {
        w.place[order[k]] = k;
        w.child[k] = NONE;
    }
    sort_cliques(&w);
    AfxStatus status = AFX_OK;
    for (uint32_t j = 0; j < graph->count && status == AFX_OK; j++) {
        status = add_column(&w, j);
    }
    if (status == AFX_OK) {
        afxi_nodes_children(&w.nodes);
        if (relax) {
            afxi_nodes_relax(&w.nodes);
        }
        status = finish(&w, out);
    }
    afxi_release(allocator, w.list, w.list_room * sizeof *w.list);
    afxi_release(allocator, raw, raw_size);
    return status;
}

void afxi_symbolic_destroy(const AfxAllocator *allocator, AfxiSymbolic *symbolic) {
    afxi_release(allocator, symbolic->raw, symbolic->raw_size);
    memset(symbolic, 0, sizeof *symbolic);
}
