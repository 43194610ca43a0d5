/* SPDX-License-Identifier: Apache-2.0 */
/* From a graph to a plan: check, order, structure, layout. */
#include "sparse/plan.h"

#include <string.h>

#include "base/assert.h"
#include "sparse/degree.h"
#include "sparse/library.h"
#include "sparse/relabel.h"
#include "sparse/schedule.h"
#include "sparse/symbolic.h"
#include "sparse/tree.h"
#include "sparse/validate.h"
#include "sparse/values.h"
#include "sparse/work.h"

#define ROWS_MOST (UINT32_MAX / 4)

static AfxStatus check(const AfxiBlockGraph *graph) {
    uint64_t rows = 0;
    if (graph->order < AFXI_ORDER_AUTO || graph->order > AFXI_ORDER_METIS || !afxi_block_order_exists(graph->order) ||
        (graph->order == AFXI_ORDER_GIVEN && graph->count && !graph->given)) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; graph->order == AFXI_ORDER_GIVEN && k < graph->count; k++) {
        if (graph->given[k] >= graph->count) {
            return AFX_E_ARGUMENT;
        }
    }
    for (uint32_t k = 0; k < graph->count; k++) {
        rows += graph->size[k];
        if (graph->size[k] == 0 || (graph->sign && graph->sign[k] != 1 && graph->sign[k] != -1)) {
            return AFX_E_ARGUMENT;
        }
    }
    for (uint32_t e = 0; e < graph->clique_count; e++) {
        if (graph->clique_start[e] > graph->clique_start[e + 1] || graph->clique_start[0] != 0) {
            return AFX_E_ARGUMENT;
        }
    }
    for (uint32_t k = 0; graph->clique_count && k < graph->clique_start[graph->clique_count]; k++) {
        if (graph->member[k] >= graph->count) {
            return AFX_E_ARGUMENT;
        }
    }
    return rows > ROWS_MOST ? AFX_E_LIMIT : AFX_OK;
}

/* Copies the given order; seen [count] is zero. */
static AfxStatus copy_given(const AfxiBlockGraph *graph, uint32_t *order, uint32_t *seen) {
    for (uint32_t k = 0; k < graph->count; k++) {
        if (seen[graph->given[k]]++) {
            return AFX_E_ARGUMENT;
        }
        order[k] = graph->given[k];
    }
    return AFX_OK;
}

/* As they come, those of sign -1 last. */
static void order_dense(const AfxiBlockGraph *graph, uint32_t *order) {
    uint32_t at = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (uint32_t k = 0; k < graph->count; k++) {
            if ((graph->sign ? graph->sign[k] : 1) == sign) {
                order[at++] = k;
            }
        }
    }
}

/* One order and its structure; order [count] and zeroed seen [count] are scratch. */
static AfxStatus analyse(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockOrder which,
                         uint32_t *order, uint32_t *seen, AfxiSymbolic *out) {
    AfxStatus status = AFX_OK;
    AfxiBlockGraph dense = *graph;
    uint32_t ends[2] = {0, graph->count};
    switch (which) {
    case AFXI_ORDER_GIVEN:
        status = copy_given(graph, order, seen);
        break;
    case AFXI_ORDER_DENSE:
        order_dense(graph, order);
        dense.clique_count = 1;
        dense.clique_start = ends;
        dense.member = order;
        break;
    case AFXI_ORDER_AMD:
    case AFXI_ORDER_METIS:
        status = afxi_order_library(allocator, graph, which, order);
        break;
    default:
        status = afxi_order_degree(allocator, graph, order);
    }
    memset(out, 0, sizeof *out);
    return status ? status : afxi_symbolic_create(allocator, &dense, order, true, out);
}

/* Whether the factor has no more blocks than the cliques, so that no order is better. */
static bool has_no_fill(const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic) {
    uint64_t pairs = 0;
    for (uint32_t e = 0; e < graph->clique_count; e++) {
        uint64_t n = graph->clique_start[e + 1] - graph->clique_start[e];
        pairs += n ? n * (n - 1) / 2 : 0;
    }
    return symbolic->block_count <= pairs;
}

static AfxStatus choose(const AfxAllocator *allocator, const AfxiBlockGraph *graph, uint32_t *order, uint32_t *seen,
                        AfxiBlockOrder *used, AfxiSymbolic *out) {
    bool automatic = graph->order == AFXI_ORDER_AUTO;
    *used = automatic ? AFXI_ORDER_OWN : graph->order;
    AfxStatus status = analyse(allocator, graph, *used, order, seen, out);
    if (!automatic || status != AFX_OK || has_no_fill(graph, out)) {
        return status;
    }
    static const AfxiBlockOrder others[] = {AFXI_ORDER_METIS, AFXI_ORDER_AMD};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        AfxiSymbolic other;
        if (!afxi_block_order_exists(others[k])) {
            continue;
        }
        status = analyse(allocator, graph, others[k], order, seen, &other);
        if (status == AFX_OK && other.flops < out->flops) {
            afxi_symbolic_destroy(allocator, out);
            *out = other;
            *used = others[k];
        } else if (status == AFX_OK) {
            afxi_symbolic_destroy(allocator, &other);
        } else if (status != AFX_E_LIMIT) { /* a library that cannot take as much is no failure */
            return status;
        }
    }
    return AFX_OK;
}

static AfxStatus take_plan(AfxiBlockPlan *plan) {
    size_t n = plan->count, word = sizeof(uint32_t);
    plan->first_row = afxi_allocate(&plan->allocator, (n + 1) * word);
    plan->order = afxi_allocate(&plan->allocator, (n + 1) * word);
    plan->place = afxi_allocate(&plan->allocator, (n + 1) * word);
    plan->tree = afxi_allocate(&plan->allocator, sizeof *plan->tree);
    return plan->first_row && plan->order && plan->place && plan->tree ? AFX_OK : AFX_E_MEMORY;
}

static AfxStatus build(const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic, AfxiBlockPlan *plan) {
    const AfxAllocator *allocator = &plan->allocator;
    AfxiBlockTree *tree = plan->tree;
    memcpy(plan->order, symbolic->order, plan->count * sizeof *plan->order);
    memcpy(plan->place, symbolic->place, plan->count * sizeof *plan->place);
    plan->flops = symbolic->flops;
    plan->entry_count = symbolic->block_count;
    plan->front_count = symbolic->count;
    AfxStatus status = afxi_tree_fronts(allocator, graph, symbolic, tree);
    status = status ? status : afxi_tree_schedule(allocator, tree);
    if (status != AFX_OK) {
        return status;
    }
    afxi_tree_shape(tree);
    for (uint32_t k = 0; k < tree->front_count; k++) {
        const AfxiFront *front = &tree->front[k];
        uint32_t rows = front->width + front->height;
        plan->tallest = rows > plan->tallest ? rows : plan->tallest;
        plan->factor_length += (uint64_t)front->leading * front->width;
    }
    status = afxi_tree_values(graph, tree, plan);
    return status ? status : afxi_tree_work(allocator, tree, plan);
}

AfxStatus afxi_block_plan_create(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockPlan *out) {
    memset(out, 0, sizeof *out);
    AfxStatus status = check(graph);
    if (status != AFX_OK) {
        return status;
    }
    out->count = graph->count;
    out->allocator = *allocator;
    status = take_plan(out);
    AfxiRelabelled relabelled = {.graph = *graph};
    if (status == AFX_OK && afxi_relabel_wanted(graph)) {
        status = afxi_relabel(allocator, graph, &relabelled);
    }
    if (status == AFX_OK) {
        AfxiSymbolic symbolic = {0};
        status = choose(allocator, &relabelled.graph, out->order, out->place, &out->used, &symbolic);
        status = status ? status : build(&relabelled.graph, &symbolic, out);
        afxi_symbolic_destroy(allocator, &symbolic);
    }
    for (uint32_t k = 0; status == AFX_OK && relabelled.block && k < graph->count;
         k++) { /* the caller's blocks again */
        out->order[k] = relabelled.block[out->order[k]];
        out->place[out->order[k]] = k;
    }
    afxi_relabel_destroy(allocator, &relabelled);
    for (uint32_t k = 0; status == AFX_OK && k < graph->count; k++) {
        out->first_row[k + 1] = out->first_row[k] + graph->size[k];
    }
    if (status != AFX_OK) {
        afxi_block_plan_destroy(out);
        return status;
    }
    out->row_count = out->first_row[out->count];
    AFXI_VALIDATE(afxi_block_plan_validate(out));
    return AFX_OK;
}

void afxi_block_plan_flops(const AfxiBlockPlan *plan, const uint32_t *group, double *flops) {
    for (uint32_t k = 0; k < plan->tree->front_count; k++) {
        const AfxiFront *front = &plan->tree->front[k];
        flops[group[plan->order[front->first_block]]] += afxi_column_flops(front->width, front->height);
    }
}

size_t afxi_block_plan_bytes(const AfxiBlockPlan *plan) {
    const AfxiBlockTree *tree = plan->tree;
    size_t lists = 3 * ((size_t)plan->count + 1) * sizeof(uint32_t);
    return tree ? lists + sizeof *tree + tree->fronts.size + tree->entries.size + tree->schedule.size : 0;
}

void afxi_block_plan_destroy(AfxiBlockPlan *plan) {
    const AfxAllocator allocator = plan->allocator;
    AfxiBlockTree *tree = plan->tree;
    size_t bytes = ((size_t)plan->count + 1) * sizeof(uint32_t);
    if (tree) {
        afxi_release(&allocator, tree->fronts.raw, tree->fronts.size);
        afxi_release(&allocator, tree->entries.raw, tree->entries.size);
        afxi_release(&allocator, tree->schedule.raw, tree->schedule.size);
        afxi_release(&allocator, tree, sizeof *tree);
    }
    afxi_release(&allocator, plan->first_row, bytes);
    afxi_release(&allocator, plan->order, bytes);
    afxi_release(&allocator, plan->place, bytes);
    memset(plan, 0, sizeof *plan);
}
