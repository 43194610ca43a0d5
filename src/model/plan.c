/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of elimination of the graph, and what assembling it needs: bodies sorted by the numbers of rows that hold
 * them, so that equal ones can be worked on side by side, and where the products of their rows stand in the matrix.
 *
 * The blocks of a body are a clique of the matrix. A body with many rows (a high-degree body) would make that clique
 * large; it gets a block of its own instead: with X = L L^T its inverse and G its rows, [K  G L; L^T G^T  -I]    has
 * the Schur complement K + G X G^T, so its joints meet in these 12 rows alone and the work stays linear in their
 * number. order.c says in which order.
 *
 * Where contacts are no rows (AfxiGraph.hub_width), every body that touches another one has such a block, of 6 or 12
 * rows, and a pair that touches is one product of the two (dual/hubs.h). */
#include "model/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/graph.h"
#include "model/order.h"
#include "model/structure.h"
#include "sparse/values.h"

static uint32_t entry_rows(const AfxiGraph *graph, uint32_t place) {
    return graph->block[graph->entry[graph->body_entry[place]].block].row_count;
}

static uint32_t body_rows(const AfxiGraph *graph, uint32_t body) {
    uint32_t rows = 0, end = graph->body_start[body] + afxi_graph_planned_entries(graph, body);
    for (uint32_t x = graph->body_start[body]; x < end && rows <= AFXI_BODY_ROWS_MOST; x++) {
        rows += entry_rows(graph, x);
    }
    return rows;
}

uint32_t afxi_graph_planned_entries(const AfxiGraph *graph, uint32_t body) {
    uint32_t begin = graph->body_start[body], end = graph->body_start[body + 1];
    while (graph->hub_width && end > begin && graph->entry[graph->body_entry[end - 1]].block >= graph->joint_blocks) {
        end--;
    }
    return end - begin;
}

/* Rows of the block that a body has for itself, 0: it has none. */
static uint32_t own_rows(const AfxiGraph *graph, uint32_t body) {
    if (graph->hub_width) {
        return graph->hub_width[body];
    }
    return body_rows(graph, body) > AFXI_BODY_ROWS_MOST ? AFXI_HUB_WIDEST : 0;
}

/* In a graph of hubs a body that many joints hold is one, too. */
static void widen_hubs(AfxiGraph *graph) {
    for (uint32_t body = 0; graph->hub_width && body < graph->body_count; body++) {
        if (body_rows(graph, body) > AFXI_BODY_ROWS_MOST) {
            graph->hub_width[body] = AFXI_HUB_WIDEST;
        }
    }
}

uint32_t afxi_graph_high_degree(const AfxiGraph *graph, const uint32_t *high_degree, uint32_t body) {
    uint32_t low = 0, high = graph->high_degree_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (high_degree[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < graph->high_degree_count && high_degree[low] == body ? low : UINT32_MAX;
}

bool afxi_graph_all_stored(const AfxiGraph *graph) {
    const AfxiClosedForm *closed_form = &graph->closed_form;
    return !graph->recursion.on || !closed_form->raw || closed_form->general_body_count == graph->body_count;
}

uint32_t afxi_graph_rows_stored(const AfxiGraph *graph) {
    return graph->recursion.on ? graph->closed_form.general_row_end : graph->row_count;
}

uint32_t afxi_graph_bodies_stored(const AfxiGraph *graph) {
    return graph->recursion.on ? graph->closed_form.general_body_end : graph->body_count;
}

size_t afxi_graph_gradients_stored(const AfxiGraph *graph) {
    return graph->recursion.on ? graph->closed_form.general_jacobian_end : graph->jacobian_length;
}

static bool is_closed_form(const AfxiGraph *graph, uint32_t body) {
    return graph->closed_form.body && graph->closed_form.body[body];
}

/* 0, or where a block of a body has a third one, a number that is its alone: of two bodies it does not matter whose
 * product is added first. */
static uint32_t apart(const AfxiGraph *graph, uint32_t body) {
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        if (graph->block[graph->entry[graph->body_entry[x]].block].entry_count > 2) {
            return body + 1;
        }
    }
    return 0;
}

/* Orders bodies by the rows of their entries: number of entries, then each. Those that share places of the matrix with
 * two others are like none: side by side, their products would be added in an order that depends on the lanes. */
static int compare_bodies(const AfxiGraph *graph, uint32_t a, uint32_t b) {
    uint32_t first_a = graph->body_start[a], first_b = graph->body_start[b];
    uint32_t count = graph->body_start[a + 1] - first_a, other = graph->body_start[b + 1] - first_b;
    if (count != other) {
        return count < other ? -1 : 1;
    }
    if (is_closed_form(graph, a) != is_closed_form(graph, b)) {
        return is_closed_form(graph, a) ? 1 : -1;
    }
    uint32_t apart_a = apart(graph, a), apart_b = apart(graph, b);
    if (apart_a != apart_b) {
        return apart_a < apart_b ? -1 : 1;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t x = entry_rows(graph, first_a + k), y = entry_rows(graph, first_b + k);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

/* Merge sort: stable, and it needs the graph. */
static void sort_bodies(const AfxiGraph *graph, uint32_t *list, uint32_t *spare, uint32_t count) {
    if (count < 2) {
        return;
    }
    uint32_t half = count / 2, a = 0, b = half;
    sort_bodies(graph, list, spare, half);
    sort_bodies(graph, list + half, spare, count - half);
    for (uint32_t k = 0; k < count; k++) {
        bool left = b == count || (a < half && compare_bodies(graph, list[a], list[b]) <= 0);
        spare[k] = left ? list[a++] : list[b++];
    }
    memcpy(list, spare, count * sizeof *list);
}

/* Splits bodies into high-degree bodies and the sorted rest; the number of batches comes back. */
static uint32_t split(AfxiGraph *graph, uint32_t *alike, uint32_t *high_degree, uint32_t *spare, uint32_t *out_alike) {
    uint32_t count = 0, batches = 0;
    graph->high_degree_count = 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        if (own_rows(graph, body)) {
            high_degree[graph->high_degree_count++] = body;
        } else {
            alike[count++] = body;
        }
    }
    sort_bodies(graph, alike, spare, count);
    for (uint32_t k = 0; k < count; k++) {
        batches += k == 0 || compare_bodies(graph, alike[k - 1], alike[k]) != 0;
    }
    *out_alike = count;
    return batches;
}

/* Lists of make_plan: cliques and their members; NULL: they are only counted. */
typedef struct Cliques {
    uint32_t *start, *member;
    uint32_t count, members;
} Cliques;

static void begin_clique(Cliques *cliques) {
    if (cliques->start) {
        cliques->start[cliques->count] = cliques->members;
    }
    cliques->count++;
}

static void add_member(Cliques *cliques, uint32_t block) {
    if (cliques->member) {
        cliques->member[cliques->members] = block;
    }
    cliques->members++;
}

/* The blocks of every body, or each with the body's own; pairs of hubs that touch. */
static void list_cliques(const AfxiGraph *graph, const uint32_t *high_degree, Cliques *cliques) {
    uint32_t planned = afxi_graph_planned_blocks(graph), next = 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        bool high = next < graph->high_degree_count && high_degree[next] == body;
        uint32_t begin = graph->body_start[body], end = begin + afxi_graph_planned_entries(graph, body);
        for (uint32_t x = begin; x < end; x++) {
            if (high || x == begin) {
                begin_clique(cliques);
            }
            add_member(cliques, graph->entry[graph->body_entry[x]].block);
            if (high) {
                add_member(cliques, planned + next);
            }
        }
        next += high;
    }
    for (uint32_t block = planned; block < graph->block_count; block++) {
        begin_clique(cliques);
        for (uint32_t e = 0; e < graph->block[block].entry_count; e++) {
            uint32_t body = graph->entry[graph->block[block].first_entry + e].dof.index;
            add_member(cliques, planned + afxi_graph_high_degree(graph, high_degree, body));
        }
    }
    if (cliques->start) {
        cliques->start[cliques->count] = cliques->members;
    }
}

static AfxStatus make_plan(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                           AfxiStructure *structure) {
    uint32_t planned = afxi_graph_planned_blocks(graph), blocks = planned + graph->high_degree_count;
    Cliques counted = {0};
    list_cliques(graph, high_degree, &counted);
    size_t words = 2 * (size_t)blocks + counted.count + 1 + counted.members;
    uint32_t *work = afxi_allocate(allocator, words * sizeof *work);
    if (!work) {
        return AFX_E_MEMORY;
    }
    uint32_t *size = work, *start = work + blocks, *member = start + counted.count + 1;
    int8_t *sign = (int8_t *)(member + counted.members);
    for (uint32_t k = 0; k < blocks; k++) {
        size[k] = k < planned ? graph->block[k].row_count : own_rows(graph, high_degree[k - planned]);
        sign[k] = k < planned ? 1 : -1;
    }
    Cliques cliques = {.start = start, .member = member};
    list_cliques(graph, high_degree, &cliques);
    AfxiBlockGraph wanted = {.count = blocks,
                             .size = size,
                             .sign = sign,
                             .clique_count = cliques.count,
                             .clique_start = start,
                             .member = member,
                             .order = AFXI_ORDER_AUTO};
    AfxStatus status = afxi_graph_order(allocator, graph, high_degree, &wanted, structure);
    afxi_release(allocator, work, words * sizeof *work);
    return status;
}

static void take_spots(AfxiGraph *graph, AfxiArena *arena, uint32_t alike, uint32_t batches, size_t spots) {
    graph->alike = afxi_arena_take(arena, alike, sizeof *graph->alike);
    graph->batch = afxi_arena_take(arena, batches, sizeof *graph->batch);
    graph->high_degree = afxi_arena_take(arena, graph->high_degree_count, sizeof *graph->high_degree);
    size_t planned = !graph->recursion.on; /* else there is no matrix */
    graph->pair_start = afxi_arena_take(arena, planned * graph->body_count, sizeof *graph->pair_start);
    graph->spot = afxi_arena_take(arena, planned * spots, sizeof *graph->spot);
    graph->touch = afxi_arena_take(arena, graph->block_count - afxi_graph_planned_blocks(graph), sizeof *graph->touch);
    graph->diagonal = afxi_arena_take(arena, planned * graph->block_count, sizeof *graph->diagonal);
    graph->component = afxi_arena_take(arena, graph->component_count, sizeof *graph->component);
    graph->sweep =
        graph->solver == AFX_SOLVER_GS ? afxi_arena_take(arena, graph->block_count, sizeof *graph->sweep) : NULL;
}

static size_t body_spots(const AfxiGraph *graph, uint32_t body) {
    size_t entries = afxi_graph_planned_entries(graph, body), pairs = entries * (entries + 1) / 2;
    return own_rows(graph, body) ? entries + 1 : pairs;
}

/* Spots of a body; false when one is not in the plan. */
static bool find_body_spots(AfxiGraph *graph, uint32_t body, uint32_t own, size_t at) {
    const uint32_t *entry = graph->body_entry + graph->body_start[body];
    uint32_t count = afxi_graph_planned_entries(graph, body);
    bool fine = true;
    if (own != UINT32_MAX) {
        for (uint32_t a = 0; a < count; a++) {
            fine &= afxi_block_spot(&graph->plan, graph->entry[entry[a]].block, own, &graph->spot[at++]);
        }
        fine &= afxi_block_spot(&graph->plan, own, own, &graph->spot[at++]);
    }
    for (uint32_t a = 0; own == UINT32_MAX && a < count; a++) {
        for (uint32_t b = 0; b <= a; b++) {
            fine &= afxi_block_spot(&graph->plan, graph->entry[entry[a]].block, graph->entry[entry[b]].block,
                                    &graph->spot[at++]);
        }
    }
    return fine;
}

/* Finds all spots; false when one is not in the plan, which cannot be. */
static bool find_spots(AfxiGraph *graph) {
    bool fine = true;
    size_t at = 0;
    uint32_t next = 0, planned = afxi_graph_planned_blocks(graph);
    for (uint32_t k = 0; k < planned; k++) {
        fine &= afxi_block_spot(&graph->plan, k, k, &graph->diagonal[k]);
    }
    for (uint32_t body = 0; body < graph->body_count; body++) {
        bool high = next < graph->high_degree_count && graph->high_degree[next] == body;
        graph->pair_start[body] = at;
        fine &= find_body_spots(graph, body, high ? planned + next : UINT32_MAX, at);
        at += body_spots(graph, body);
        next += high;
    }
    for (uint32_t k = planned; k < graph->block_count; k++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->block[k].first_entry];
        uint32_t a = afxi_graph_high_degree(graph, graph->high_degree, entry[0].dof.index);
        uint32_t b = afxi_graph_high_degree(graph, graph->high_degree, entry[1].dof.index);
        fine &= afxi_block_spot(&graph->plan, planned + a, planned + b, &graph->touch[k - planned]);
    }
    return fine;
}

AfxStatus afxi_graph_plan(const AfxAllocator *allocator, AfxiGraph *graph) {
    size_t bytes = 3 * ((size_t)graph->body_count + 1) * sizeof(uint32_t), spots = 0;
    uint32_t *work = afxi_allocate(allocator, bytes), alike_count = 0;
    if (!work) {
        return AFX_E_MEMORY;
    }
    widen_hubs(graph);
    uint32_t *alike = work, *high_degree = alike + graph->body_count + 1, *spare = high_degree + graph->body_count + 1;
    uint32_t batches = split(graph, alike, high_degree, spare, &alike_count);
    for (uint32_t body = 0; body < graph->body_count; body++) {
        spots += body_spots(graph, body);
    }
    AfxiStructure structure;
    AfxStatus status = afxi_structure_create(allocator, graph, high_degree, &structure);
    if (status == AFX_OK && graph->recursion.on) {
        afxi_structure_name(&structure, AFX_SOLVER_TREE);
    } else if (status == AFX_OK) {
        status = make_plan(allocator, graph, high_degree, &structure);
    }
    graph->component_count = structure.component_count;
    AfxiArena arena = {0};
    take_spots(graph, &arena, alike_count, batches, spots);
    if (status == AFX_OK) {
        arena.base = arena.overflow
                         ? NULL
                         : afxi_allocate_aligned(allocator, arena.used, &graph->spots_raw, &graph->spots_raw_size);
        status = arena.base ? AFX_OK : AFX_E_MEMORY;
    }
    if (status == AFX_OK) {
        arena.used = 0;
        take_spots(graph, &arena, alike_count, batches, spots);
        memcpy(graph->alike, alike, alike_count * sizeof *alike);
        memcpy(graph->high_degree, high_degree, graph->high_degree_count * sizeof *high_degree);
        for (uint32_t k = 0; k < alike_count; k++) {
            if (k == 0 || compare_bodies(graph, alike[k - 1], alike[k]) != 0) {
                graph->batch[graph->batch_count].first = k;
                graph->batch[graph->batch_count++].closed_form = is_closed_form(graph, alike[k]);
            }
            graph->batch[graph->batch_count - 1].count++;
        }
        memcpy(graph->component, structure.component, structure.component_count * sizeof *graph->component);
        if (graph->sweep) { /* the lists of the structure have done their work */
            afxi_structure_sweep(graph, structure.cursor, (uint8_t *)structure.block_list, graph->sweep);
        }
        status = graph->recursion.on || find_spots(graph) ? AFX_OK : AFX_E_LIMIT;
    }
    afxi_structure_destroy(allocator, &structure);
    afxi_release(allocator, work, bytes);
    return status;
}
