/* SPDX-License-Identifier: Apache-2.0 */
/* The symbolic factor: order, structure of each column, and where its values stand. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/block.h"
#include "sparse/order.h"

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static AfxStatus take_arrays(AfxiBlockPlan *plan) {
    const AfxAllocator *allocator = &plan->allocator;
    size_t n = plan->count, word = sizeof(uint32_t), entries = plan->entry_count;
    plan->order = afxi_allocate(allocator, n * word);
    plan->place = afxi_allocate(allocator, n * word);
    plan->size = afxi_allocate(allocator, n * word);
    plan->start = afxi_allocate(allocator, (n + 1) * word);
    plan->row = afxi_allocate(allocator, (entries + 1) * word);
    plan->offset = afxi_allocate(allocator, (entries + 1) * word);
    plan->height = afxi_allocate(allocator, n * word);
    plan->panel = afxi_allocate(allocator, n * sizeof *plan->panel);
    plan->diagonal = afxi_allocate(allocator, n * sizeof *plan->diagonal);
    bool all = plan->order && plan->place && plan->size && plan->start && plan->row && plan->offset && plan->height &&
               plan->panel && plan->diagonal;
    return all ? AFX_OK : AFX_E_MEMORY;
}

static void fill_column(AfxiBlockPlan *plan, const AfxiElimination *e, uint32_t k) {
    uint32_t node = plan->order[k], begin = plan->start[k], count = e->length[node], height = 0;
    for (uint32_t i = 0; i < count; i++) {
        plan->row[begin + i] = plan->place[e->list[node][i]];
    }
    qsort(plan->row + begin, count, sizeof *plan->row, compare);
    for (uint32_t i = 0; i < count; i++) {
        plan->offset[begin + i] = height;
        height += plan->size[plan->row[begin + i]];
    }
    uint32_t m = plan->size[k];
    plan->height[k] = height;
    plan->start[k + 1] = begin + count;
    plan->panel[k] = plan->panel_length;
    plan->diagonal[k] = plan->diagonal_length;
    plan->panel_length += (size_t)height * m;
    plan->diagonal_length += (size_t)m * m;
    plan->largest = m > plan->largest ? m : plan->largest;
    plan->tallest = height > plan->tallest ? height : plan->tallest;
    plan->flops += (double)m * ((double)height * height + (double)height * m + (double)m * m);
}

AfxStatus afxi_block_plan_create(const AfxAllocator *allocator, uint32_t count, const uint32_t *size,
                                 uint32_t edge_count, const uint32_t *edge, AfxiBlockPlan *out) {
    memset(out, 0, sizeof *out);
    out->allocator = *allocator;
    out->count = count;
    if (!count) {
        return AFX_OK;
    }
    AfxiElimination elimination;
    AfxStatus status = afxi_minimum_degree(allocator, count, edge_count, edge, &elimination);
    if (status != AFX_OK) {
        out->count = 0;
        return status;
    }
    uint64_t entries = 0;
    for (uint32_t k = 0; k < count; k++) {
        entries += elimination.length[k];
    }
    out->entry_count = entries < UINT32_MAX / 2 ? (uint32_t)entries : 0;
    status = entries < UINT32_MAX / 2 ? take_arrays(out) : AFX_E_LIMIT;
    if (status == AFX_OK) {
        for (uint32_t k = 0; k < count; k++) {
            out->order[k] = elimination.order[k];
            out->place[out->order[k]] = k;
            out->size[k] = size[out->order[k]];
        }
        for (uint32_t k = 0; k < count; k++) {
            fill_column(out, &elimination, k);
        }
    }
    afxi_elimination_destroy(allocator, &elimination);
    if (status != AFX_OK) {
        afxi_block_plan_destroy(out);
    }
    return status;
}

void afxi_block_plan_destroy(AfxiBlockPlan *plan) {
    const AfxAllocator allocator = plan->allocator;
    size_t n = plan->count, word = sizeof(uint32_t), entries = (size_t)plan->entry_count + 1;
    afxi_release(&allocator, plan->row, entries * word);
    afxi_release(&allocator, plan->offset, entries * word);
    afxi_release(&allocator, plan->start, (n + 1) * word);
    afxi_release(&allocator, plan->order, n * word);
    afxi_release(&allocator, plan->place, n * word);
    afxi_release(&allocator, plan->size, n * word);
    afxi_release(&allocator, plan->height, n * word);
    afxi_release(&allocator, plan->panel, n * sizeof *plan->panel);
    afxi_release(&allocator, plan->diagonal, n * sizeof *plan->diagonal);
    memset(plan, 0, sizeof *plan);
}
