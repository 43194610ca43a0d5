/* SPDX-License-Identifier: Apache-2.0 */
/* Which order of elimination a graph gets. All paths but the iterations are orders of one Cholesky factorisation:
 *
 *     dense   as the blocks come, all in one supernode
 *     tree    from the leaves to the root (structure.c), which fills nothing in
 *     schur   the same with what closes loops last, so that the trailing part is its Schur complement
 *     graph   a fill-reducing order of the whole
 *
 * Auto takes the cheapest for each component. A block that touches high-degree bodies alone has nothing on its diagonal
 * before one of them is eliminated: the orders from the leaves to the root see to that, in the others it goes last, or
 * right after the first of them in graphs of hubs. */
#include "model/order.h"

#include <string.h>

#include "base/memory.h"
#include "model/graph.h"
#include "model/plan.h"
#include "model/tuning.h"
#include "sparse/plan.h"

static AfxStatus plan_given(const AfxAllocator *allocator, const AfxiBlockGraph *blocks, const uint32_t *order,
                            AfxiBlockPlan *out) {
    AfxiBlockGraph wanted = *blocks;
    wanted.order = AFXI_ORDER_GIVEN;
    wanted.given = order;
    return afxi_block_plan_create(allocator, &wanted, out);
}

/* Whether a block touches high-degree bodies alone. */
static bool is_alone(const AfxiGraph *graph, const uint32_t *high_degree, uint32_t block) {
    bool alone = block < afxi_graph_planned_blocks(graph);
    for (uint32_t e = 0; alone && e < graph->block[block].entry_count; e++) {
        uint32_t body = graph->entry[graph->block[block].first_entry + e].dof.index;
        alone = afxi_graph_high_degree(graph, high_degree, body) != UINT32_MAX;
    }
    return alone;
}

/* Whether one of the high-degree bodies of a block has been eliminated. */
static bool is_ready(const AfxiGraph *graph, const uint32_t *high_degree, const uint8_t *gone, uint32_t block) {
    bool ready = false;
    for (uint32_t e = 0; e < graph->block[block].entry_count; e++) {
        uint32_t body = graph->entry[graph->block[block].first_entry + e].dof.index;
        ready |= gone[afxi_graph_planned_blocks(graph) + afxi_graph_high_degree(graph, high_degree, body)];
    }
    return ready;
}

/* Graphs of hubs: the order of the plan, but blocks that touch hubs alone wait for the first of these. At the end they
 * would meet in one dense block. */
static AfxStatus delay_joints(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                              const AfxiBlockGraph *blocks) {
    size_t bytes = (size_t)blocks->count * (sizeof(uint32_t) + 1);
    uint32_t *order = afxi_allocate(allocator, bytes), count = 0, delayed = 0;
    uint8_t *gone = (uint8_t *)(order + blocks->count);
    if (!order) {
        return AFX_E_MEMORY;
    }
    memset(gone, 0, blocks->count);
    for (uint32_t k = 0; k < blocks->count; k++) {
        uint32_t block = graph->plan.order[k];
        if (is_alone(graph, high_degree, block) && !is_ready(graph, high_degree, gone, block)) {
            delayed++;
            continue;
        }
        order[count++] = block;
        gone[block] = 1;
        uint32_t planned = afxi_graph_planned_blocks(graph), body = block < planned ? 0 : high_degree[block - planned];
        uint32_t x = graph->body_start[body], end = x + afxi_graph_planned_entries(graph, body);
        for (; block >= planned && x < end; x++) { /* those that waited for it */
            uint32_t joint = graph->entry[graph->body_entry[x]].block;
            if (!gone[joint] && graph->plan.place[joint] < k && is_alone(graph, high_degree, joint)) {
                order[count++] = joint;
                gone[joint] = 1;
            }
        }
    }
    AfxStatus status = AFX_OK;
    if (delayed) {
        afxi_block_plan_destroy(&graph->plan);
        status = plan_given(allocator, blocks, order, &graph->plan);
    }
    afxi_release(allocator, order, bytes);
    return status;
}

/* Plans anew in the order of the plan, with blocks that touch high-degree bodies alone at the end. */
static AfxStatus put_last(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                          const AfxiBlockGraph *blocks) {
    size_t bytes = 2 * (size_t)blocks->count * sizeof(uint32_t);
    uint32_t *order = afxi_allocate(allocator, bytes), *last = order + blocks->count, count = 0, late = 0;
    if (!order) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < blocks->count; k++) {
        uint32_t block = graph->plan.order[k];
        if (is_alone(graph, high_degree, block)) {
            last[late++] = block;
        } else {
            order[count++] = block;
        }
    }
    memcpy(order + count, last, late * sizeof *last);
    AfxStatus status = AFX_OK;
    if (late) {
        AfxiBlockGraph wanted = *blocks;
        uint32_t ends[2] = {0, blocks->count};
        if (blocks->order == AFXI_ORDER_DENSE) {
            wanted.clique_count = 1;
            wanted.clique_start = ends;
            wanted.member = order;
        }
        afxi_block_plan_destroy(&graph->plan);
        status = plan_given(allocator, &wanted, order, &graph->plan);
    }
    afxi_release(allocator, order, bytes);
    return status;
}

/* The order that the sparse room finds, or its dense one. */
static AfxStatus plan_found(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                            AfxiBlockOrder order, const AfxiBlockGraph *blocks) {
    AfxiBlockGraph wanted = *blocks;
    wanted.order = order;
    AfxStatus status = afxi_block_plan_create(allocator, &wanted, &graph->plan);
    if (status == AFX_OK && graph->hub_width) {
        return delay_joints(allocator, graph, high_degree, &wanted);
    }
    return status == AFX_OK && graph->high_degree_count ? put_last(allocator, graph, high_degree, &wanted) : status;
}

void afxi_structure_name(AfxiStructure *s, AfxSolver solver) {
    for (uint32_t c = 0; c < s->component_count; c++) {
        s->component[c].solver = solver;
    }
}

/* ---- auto ---- */

typedef struct Choice {
    uint32_t *order;  /* [blocks] */
    uint32_t *cursor; /* [components] */
    double *cost[2];  /* [components] flops in the order found, and in that from the leaves */
    void *raw;
    size_t raw_size;
} Choice;

static void take_choice(Choice *choice, AfxiArena *arena, uint32_t blocks, uint32_t components) {
    choice->order = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    choice->cursor = afxi_arena_take(arena, components, sizeof(uint32_t));
    choice->cost[0] = afxi_arena_take(arena, components, sizeof(double));
    choice->cost[1] = afxi_arena_take(arena, components, sizeof(double));
}

static AfxStatus make_choice(const AfxAllocator *allocator, uint32_t blocks, uint32_t components, Choice *out) {
    AfxiArena arena = {0};
    take_choice(out, &arena, blocks, components);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &out->raw, &out->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_choice(out, &arena, blocks, components);
    return AFX_OK;
}

static bool from_leaves(const AfxComponent *component) {
    return component->solver == AFX_SOLVER_TREE || component->solver == AFX_SOLVER_SCHUR;
}

/* Component by component: from the leaves where its solver says so, else as `found` has it. */
static void mix(const AfxiStructure *s, const AfxiBlockPlan *found, Choice *choice) {
    memcpy(choice->order, s->order, found->count * sizeof *choice->order);
    memcpy(choice->cursor, s->start, s->component_count * sizeof *choice->cursor);
    for (uint32_t k = 0; k < found->count; k++) {
        uint32_t c = s->of[found->order[k]];
        if (!from_leaves(&s->component[c])) {
            choice->order[choice->cursor[c]++] = found->order[k];
        }
    }
}

/* Gives components back to the order found where that is cheaper; how many, and how many stay. */
static void compare(AfxiStructure *s, const Choice *choice, uint32_t *out_back, uint32_t *out_stay) {
    *out_back = *out_stay = 0;
    for (uint32_t c = 0; c < s->component_count; c++) {
        AfxComponent *component = &s->component[c];
        if (!from_leaves(component)) {
            continue;
        }
        double found = choice->cost[0][c], leaves = choice->cost[1][c];
        bool stays = component->solver == AFX_SOLVER_TREE ? leaves <= found : leaves < found;
        component->solver = stays ? component->solver : AFX_SOLVER_GRAPH;
        *out_stay += stays;
        *out_back += !stays;
    }
}

/* graph->plan is the one found; replaces it where orders from the leaves are cheaper. */
static AfxStatus improve(const AfxAllocator *allocator, AfxiGraph *graph, const AfxiBlockGraph *blocks,
                         AfxiStructure *s, Choice *choice) {
    AfxiBlockPlan other;
    uint32_t back, stay;
    mix(s, &graph->plan, choice);
    AfxStatus status = plan_given(allocator, blocks, choice->order, &other);
    if (status != AFX_OK) {
        return status;
    }
    afxi_block_plan_flops(&graph->plan, s->of, choice->cost[0]);
    afxi_block_plan_flops(&other, s->of, choice->cost[1]);
    compare(s, choice, &back, &stay);
    if (back && stay) {
        afxi_block_plan_destroy(&other);
        mix(s, &graph->plan, choice);
        status = plan_given(allocator, blocks, choice->order, &other);
        if (status != AFX_OK) {
            return status;
        }
    }
    if (stay) {
        afxi_block_plan_destroy(&graph->plan);
        graph->plan = other;
    } else {
        afxi_block_plan_destroy(&other);
    }
    return AFX_OK;
}

static AfxStatus plan_auto(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                           const AfxiBlockGraph *blocks, AfxiStructure *s) {
    uint32_t trees = 0, loops = 0;
    for (uint32_t c = 0; c < s->component_count; c++) {
        AfxComponent *component = &s->component[c];
        bool few = component->structure == AFX_STRUCTURE_LOOPS && component->loop_rows <= AFXI_DENSE_ROWS_MOST;
        component->solver = component->loop_rows == 0 ? AFX_SOLVER_TREE : few ? AFX_SOLVER_SCHUR : AFX_SOLVER_GRAPH;
        trees += component->loop_rows == 0;
        loops += few;
    }
    if (trees == s->component_count && graph->high_degree_count == 0) {
        return plan_given(allocator, blocks, s->order, &graph->plan); /* no fill: nothing is cheaper */
    }
    AfxStatus status = plan_found(allocator, graph, high_degree, AFXI_ORDER_AUTO, blocks);
    if (status != AFX_OK || trees + loops == 0) {
        return status;
    }
    Choice choice = {0};
    status = make_choice(allocator, blocks->count, s->component_count, &choice);
    status = status ? status : improve(allocator, graph, blocks, s, &choice);
    afxi_release(allocator, choice.raw, choice.raw_size);
    return status;
}

/* ---- what was asked for ---- */

/* The largest number of rows that close loops in one component. */
static uint32_t most_loop_rows(const AfxiStructure *s) {
    uint32_t most = 0;
    for (uint32_t c = 0; c < s->component_count; c++) {
        most = s->component[c].loop_rows > most ? s->component[c].loop_rows : most;
    }
    return most;
}

AfxStatus afxi_graph_order(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                           const AfxiBlockGraph *blocks, AfxiStructure *structure) {
    uint32_t loop_rows = most_loop_rows(structure);
    afxi_structure_name(structure, graph->solver);
    switch (graph->solver) {
    case AFX_SOLVER_DENSE:
        return graph->row_count > AFXI_DENSE_ROWS_MOST
                   ? AFX_E_LIMIT
                   : plan_found(allocator, graph, high_degree, AFXI_ORDER_DENSE, blocks);
    case AFX_SOLVER_TREE:
        return loop_rows ? AFX_E_INPUT : plan_given(allocator, blocks, structure->order, &graph->plan);
    case AFX_SOLVER_SCHUR:
        return loop_rows > AFXI_DENSE_ROWS_MOST ? AFX_E_LIMIT
                                                : plan_given(allocator, blocks, structure->order, &graph->plan);
    case AFX_SOLVER_GRAPH:
    case AFX_SOLVER_CG:
    case AFX_SOLVER_GS:
        return plan_found(allocator, graph, high_degree, graph->order, blocks);
    default:
        return plan_auto(allocator, graph, high_degree, blocks, structure);
    }
}
