/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of fold.h. */
#include "dual/fold.h"

#include "dual/apply.h"
#include "dual/system.h"

/* Notes one more row of the present coordinate; in the first pass of an arena only counts it. */
static void list_row(AfxiFold *fold, uint32_t row, size_t left, uint32_t *rows) {
    if (fold->row) {
        fold->row[*rows].row = row;
        fold->row[*rows].left = left;
        fold->row[*rows].factor = 1;
    }
    (*rows)++;
}

/* Where T and t of a body that a coupling carries are kept. */
static size_t left_of(const AfxiGraph *graph, uint32_t body) {
    const AfxiRecursion *recursion = &graph->recursion;
    const AfxiRecursionJob *job = &recursion->job[recursion->place[body] / AFXI_RECURSION_LANES];
    return job->forward + AFXI_RECURSION_LANES * (size_t)afxi_general_layout(job->inner, job->size, job->stored).left +
           recursion->place[body] % AFXI_RECURSION_LANES;
}

/* Lists the rows of one coordinate, that of row `lead`, where there are several. */
static void list_coordinate(AfxiFold *fold, const AfxiGraph *graph, uint32_t lead, uint32_t *rows) {
    const AfxiGraphBlock *block = &graph->block[graph->row[lead].block];
    uint32_t first = *rows, solved = block->first_row + block->row_count - block->folded;
    list_row(fold, lead, 0, rows);
    for (uint32_t row = solved; row < block->first_row + block->row_count; row++) {
        if (block->first_row + graph->row[row].lead == lead) {
            list_row(fold, row, 0, rows);
        }
    }
    for (uint32_t k = 0; graph->recursion.flywheel_jobs && k < graph->block_count; k++) {
        const AfxiGraphBlock *coupling = &graph->block[k];
        if (coupling->flywheel && coupling->carrier == lead) {
            list_row(fold, coupling->first_row, left_of(graph, coupling->carried), rows);
        }
    }
    if (*rows == first + 1) {
        *rows = first; /* alone */
        return;
    }
    if (fold->first) {
        fold->first[fold->count] = first;
        fold->first[fold->count + 1] = *rows;
    }
    fold->count++;
}

static uint32_t list(AfxiFold *fold, const AfxiGraph *graph) {
    uint32_t rows = 0;
    fold->count = 0;
    for (uint32_t k = 0; graph->recursion.on && k < graph->drive_count; k++) {
        uint32_t row = graph->drive_row[k];
        const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
        bool leads = row < block->first_row + block->row_count - block->folded;
        if (leads && (block->folded || graph->recursion.flywheel_jobs)) {
            list_coordinate(fold, graph, row, &rows);
        }
    }
    return rows;
}

void afxi_fold_take(AfxiSystem *system, AfxiArena *arena) {
    AfxiFold *fold = &system->fold, counted = {0};
    uint32_t rows = list(&counted, system->graph);
    fold->first = afxi_arena_take(arena, (size_t)counted.count + (counted.count > 0), sizeof *fold->first);
    fold->row = afxi_arena_take(arena, rows + (rows > 0), sizeof *fold->row); /* one more while it is filled */
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

/* `correcting`: what multipliers are fixed to is no matter. */
static Sum sum_of(const AfxiFoldedRow *row, uint32_t count, bool correcting) {
    Sum sum = {0, 0, NULL};
    for (uint32_t k = 0; k < count; k++) {
        double factor = row[k].factor;
        if (!row[k].active) {
            sum.force += correcting ? 0 : factor * row[k].fixed;
        } else if (row[k].compliance == 0) {
            sum.holding = sum.holding ? sum.holding : &row[k];
        } else {
            sum.stiffness += factor * factor / row[k].compliance;
            sum.force += factor * row[k].value / row[k].compliance;
        }
    }
    return sum;
}

/* The gradient of a coupling's row in that of the coordinate that it follows. */
static double factor_of(const AfxiSystem *system, uint32_t row, uint32_t lead) {
    const AfxiGraph *graph = system->graph;
    const AfxiGraphBlock *own = &graph->block[graph->row[row].block], *other = &graph->block[graph->row[lead].block];
    double with = 0, square = 0; /* of one body that it moves: the others have the same */
    for (uint32_t e = own->first_entry; e < own->first_entry + own->entry_count && square == 0; e++) {
        for (uint32_t f = other->first_entry; f < other->first_entry + other->entry_count && square == 0; f++) {
            if (graph->entry[e].dof.index == graph->entry[f].dof.index) {
                const double *g =
                    system->jacobian + graph->entry[f].jacobian + (size_t)AFXI_AFFINE_WIDTH * (lead - other->first_row);
                with += afxi_dual_dot(system->jacobian + graph->entry[e].jacobian, g);
                square += afxi_dual_dot(g, g);
            }
        }
    }
    return square > 0 ? with / square : 0;
}

/* The row of a coupling with what it carries. */
static void add_carried(const AfxiSystem *system, AfxiFoldedRow *row, uint32_t lead) {
    const double *left = system->recursion.forward + row->left;
    row->factor = factor_of(system, row->row, lead);
    row->compliance += left[0];
    row->value += left[AFXI_RECURSION_LANES];
}

void afxi_fold(AfxiSystem *system) {
    const AfxiFold *fold = &system->fold;
    for (uint32_t k = 0; k < fold->count; k++) {
        AfxiFoldedRow *row = fold->row + fold->first[k];
        uint32_t count = fold->first[k + 1] - fold->first[k], lead = row->row;
        for (uint32_t r = 0; r < count; r++) {
            uint32_t own = row[r].row;
            row[r].value = row[r].own_value = system->value[own];
            row[r].compliance = row[r].own_compliance = system->compliance[own];
            row[r].fixed = system->fixed[own];
            row[r].active = system->active[own] != 0;
            if (row[r].left) {
                add_carried(system, &row[r], lead);
            }
            system->value[own] = system->compliance[own] = system->fixed[own] = system->lambda[own] = 0;
            system->active[own] = 0;
        }
        Sum sum = sum_of(row, count, system->recursion.correcting);
        bool yields = !sum.holding && sum.stiffness > 0;
        double factor = sum.holding ? sum.holding->factor : 1;
        system->active[lead] = sum.holding || yields;
        system->fixed[lead] = system->active[lead] ? 0 : sum.force;
        system->compliance[lead] = yields ? 1 / sum.stiffness : 0;
        system->value[lead] = sum.holding ? sum.holding->value / factor : yields ? sum.force / sum.stiffness : 0;
    }
}

void afxi_unfold(AfxiSystem *system) {
    const AfxiFold *fold = &system->fold;
    for (uint32_t k = 0; k < fold->count; k++) {
        const AfxiFoldedRow *row = fold->row + fold->first[k];
        uint32_t count = fold->first[k + 1] - fold->first[k], lead = row->row;
        Sum sum = sum_of(row, count, system->recursion.correcting);
        double all = system->lambda[lead], others = 0, lack = system->residual[lead];
        double change = sum.holding         ? -sum.holding->value / sum.holding->factor
                        : sum.stiffness > 0 ? (all - sum.force) / sum.stiffness
                                            : 0;
        for (uint32_t r = 0; r < count; r++) {
            uint32_t own = row[r].row;
            bool yields = row[r].active && row[r].compliance != 0;
            bool given = !row[r].active && !system->recursion.correcting; /* a correction leaves what is fixed alone */
            double lambda = yields  ? (row[r].value + row[r].factor * change) / row[r].compliance
                            : given ? row[r].fixed
                                    : 0;
            system->value[own] = row[r].own_value;
            system->compliance[own] = row[r].own_compliance;
            system->fixed[own] = row[r].fixed;
            system->active[own] = row[r].active;
            system->lambda[own] = lambda;
            others += row[r].factor * lambda;
            if (!system->recursion.correcting) { /* else it is what `lambda` is */
                system->residual[own] = row[r].active ? row[r].factor * lack : 0;
            }
        }
        if (sum.holding) {
            system->lambda[sum.holding->row] = (all - others) / sum.holding->factor;
        }
    }
}
