/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse/validate.h"

#include <math.h>

#include "base/assert.h"
#include "sparse/tree.h"

/* The rows below a front are pivots of its ancestors: after its own, rising, as many as its separator is high. */
static void validate_separator(const AfxiBlockTree *tree, const AfxiFront *front) {
    uint32_t rows = 0, after = front->first_row + front->width;
    for (uint32_t k = front->run_start; k < front->run_start + front->run_count; k++) {
        AFXI_ASSERT(tree->run[k].row >= after && tree->run[k].row + tree->run[k].length <= tree->row_count);
        after = tree->run[k].row + tree->run[k].length;
        rows += tree->run[k].length;
    }
    AFXI_ASSERT(rows == front->height);
}

/* What it hands on, and the right-hand side, have places in the panel of its parent. */
static void validate_map(const AfxiBlockTree *tree, const AfxiFront *front) {
    uint32_t rows = 0;
    const AfxiFront *parent = &tree->front[front->parent];
    for (uint32_t k = front->map_start; k < front->map_start + front->map_count; k++) {
        AFXI_ASSERT(tree->map[k].row + tree->map[k].length <= parent->leading);
        rows += tree->map[k].length;
    }
    AFXI_ASSERT(rows == front->height + 1);
}

void afxi_block_plan_validate(const AfxiBlockPlan *plan) {
    const AfxiBlockTree *tree = plan->tree;
    uint32_t row = 0;
    AFXI_ASSERT(tree->row_count == plan->row_count && tree->front_count == plan->front_count);
    for (uint32_t k = 0; k < plan->count; k++) {
        AFXI_ASSERT(plan->order[k] < plan->count && plan->place[plan->order[k]] == k);
        AFXI_ASSERT(tree->owner[k] < tree->front_count);
    }
    for (uint32_t f = 0; f < tree->front_count; f++) {
        const AfxiFront *front = &tree->front[f];
        AFXI_ASSERT(front->first_row == row && front->width > 0 && (front->sign == 1 || front->sign == -1));
        AFXI_ASSERT(front->below >= front->width && front->below + front->height < front->leading + 1);
        AFXI_ASSERT(front->parent == AFXI_NO_FRONT || (front->parent > f && front->parent < tree->front_count));
        AFXI_ASSERT(front->parent != AFXI_NO_FRONT || front->height == 0);
        validate_separator(tree, front);
        if (front->parent != AFXI_NO_FRONT) {
            validate_map(tree, front);
        }
        row += front->width;
    }
    AFXI_ASSERT(row == plan->row_count);
}

void afxi_block_factor_validate(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor,
                                const AfxiBlockReport *report) {
    const AfxiBlockTree *tree = plan->tree;
    AFXI_ASSERT(report->wrong > 0 || report->pivot > 0);
    for (uint32_t f = 0; report->wrong == 0 && f < tree->front_count; f++) {
        const AfxiFront *front = &tree->front[f];
        for (uint32_t c = 0; c < front->width; c++) { /* those of sign -1 were turned over */
            double pivot = factor->value[front->panel + (size_t)c * front->leading + c];
            AFXI_ASSERT(isfinite(pivot) && pivot >= 0); /* 0: of an infinite one */
        }
    }
}
