/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of fold.h. */
#include "dual/fold.h"

#include "dual/system.h"

/* Lists the rows of a block, coordinate by coordinate; in the first pass of an arena only counts them. */
static void list_block(AfxiFold *fold, const AfxiGraph *graph, const AfxiGraphBlock *block, uint32_t *rows) {
    const uint32_t solved = block->row_count - block->folded;
    for (uint32_t lead = 0; block->folded && lead < solved; lead++) {
        uint32_t first = *rows;
        for (uint32_t r = solved; r < block->row_count; r++) {
            if (graph->row[block->first_row + r].lead != lead) {
                continue;
            }
            for (uint32_t own = *rows == first ? lead : r; own != UINT32_MAX; own = own == lead ? r : UINT32_MAX) {
                if (fold->row) {
                    fold->row[*rows].row = block->first_row + own;
                }
                (*rows)++;
            }
        }
        if (*rows > first) {
            if (fold->first) {
                fold->first[fold->count] = first;
                fold->first[fold->count + 1] = *rows;
            }
            fold->count++;
        }
    }
}

static uint32_t list(AfxiFold *fold, const AfxiGraph *graph) {
    uint32_t rows = 0;
    fold->count = 0;
    for (uint32_t k = 0; graph->recursion.on && k < graph->block_count; k++) {
        list_block(fold, graph, &graph->block[k], &rows);
    }
    return rows;
}

void afxi_fold_take(AfxiSystem *system, AfxiArena *arena) {
    AfxiFold *fold = &system->fold, counted = {0};
    uint32_t rows = list(&counted, system->graph);
    fold->first = afxi_arena_take(arena, (size_t)counted.count + (counted.count > 0), sizeof *fold->first);
    fold->row = afxi_arena_take(arena, rows, sizeof *fold->row);
    fold->count = counted.count;
    if (arena->base && counted.count) {
        list(fold, system->graph);
    }
}

/* What the rows of a coordinate come to together. */
typedef struct Sum {
    double stiffness, force;      /* of those that give way, with what others are fixed to */
    const AfxiFoldedRow *holding; /* the one that holds; NULL: none */
} Sum;

static Sum sum_of(const AfxiFoldedRow *row, uint32_t count) {
    Sum sum = {0, 0, NULL};
    for (uint32_t k = 0; k < count; k++) {
        if (!row[k].active) {
            sum.force += row[k].fixed;
        } else if (row[k].compliance == 0) {
            sum.holding = sum.holding ? sum.holding : &row[k];
        } else {
            sum.stiffness += 1 / row[k].compliance;
            sum.force += row[k].value / row[k].compliance;
        }
    }
    return sum;
}

void afxi_fold(AfxiSystem *system) {
    const AfxiFold *fold = &system->fold;
    for (uint32_t k = 0; k < fold->count; k++) {
        AfxiFoldedRow *row = fold->row + fold->first[k];
        uint32_t count = fold->first[k + 1] - fold->first[k], lead = row->row;
        for (uint32_t r = 0; r < count; r++) {
            uint32_t own = row[r].row;
            row[r] = (AfxiFoldedRow){system->value[own], system->compliance[own], system->fixed[own], own,
                                     system->active[own] != 0};
            system->value[own] = system->compliance[own] = system->fixed[own] = system->lambda[own] = 0;
            system->active[own] = 0;
        }
        Sum sum = sum_of(row, count);
        bool yields = !sum.holding && sum.stiffness > 0;
        system->active[lead] = sum.holding || yields;
        system->fixed[lead] = system->active[lead] ? 0 : sum.force;
        system->compliance[lead] = yields ? 1 / sum.stiffness : 0;
        system->value[lead] = sum.holding ? sum.holding->value : yields ? sum.force / sum.stiffness : 0;
    }
}

void afxi_unfold(AfxiSystem *system) {
    const AfxiFold *fold = &system->fold;
    for (uint32_t k = 0; k < fold->count; k++) {
        const AfxiFoldedRow *row = fold->row + fold->first[k];
        uint32_t count = fold->first[k + 1] - fold->first[k], lead = row->row;
        Sum sum = sum_of(row, count);
        double all = system->lambda[lead], others = 0;
        double change = sum.holding ? -sum.holding->value : sum.stiffness > 0 ? (all - sum.force) / sum.stiffness : 0;
        for (uint32_t r = 0; r < count; r++) {
            uint32_t own = row[r].row;
            bool yields = row[r].active && row[r].compliance != 0;
            double lambda = yields ? (row[r].value + change) / row[r].compliance : row[r].active ? 0 : row[r].fixed;
            system->value[own] = row[r].value;
            system->compliance[own] = row[r].compliance;
            system->fixed[own] = row[r].fixed;
            system->active[own] = row[r].active;
            system->lambda[own] = lambda;
            others += lambda;
        }
        if (sum.holding) {
            system->lambda[sum.holding->row] = all - others;
        }
    }
}
