/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients on S K S, preconditioned with the factor of an older K (Hestenes and Stiefel 1952). K is applied
 * body by body and never assembled; the scale S is the older one, too.
 *
 * The older matrix is part of the state of a sim, so that a run goes on bit for bit after a snapshot: the factor is
 * made from it again when it was lost, by a restore or by a solve apart from the step. It is replaced when the rows
 * that are active change, when the iteration took long, and in every solve while rows are redundant: what such rows
 * cannot agree on would grow in the iteration. */
#include "dual/cg.h"

#include <math.h>
#include <string.h>

#include "dual/apply.h"
#include "dual/primal.h"
#include "dual/tuning.h"
#include "sparse/factor.h"
#include "sparse/solve.h"

void afxi_cg_take_state(AfxiSystem *system, AfxiArena *arena, const AfxiGraph *graph) {
    AfxiOlderFactor *older = &system->older;
    if (graph->solver != AFX_SOLVER_CG) {
        return;
    }
    older->valid = afxi_arena_take(arena, 1, sizeof *older->valid);
    older->matrix = afxi_arena_take(arena, graph->plan.clear_length, sizeof(double));
    older->scale = afxi_arena_take(arena, graph->plan.row_count, sizeof(double));
    older->active = afxi_arena_take(arena, graph->row_count, sizeof *older->active);
}

void afxi_cg_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiGraph *graph = system->graph;
    size_t rows = graph->plan.row_count > graph->row_count ? graph->plan.row_count : graph->row_count;
    system->older.direction = afxi_arena_take(arena, rows, sizeof(double));
    system->older.left = afxi_arena_take(arena, rows, sizeof(double));
    system->older.image = afxi_arena_take(arena, rows, sizeof(double));
}

void afxi_cg_keep(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    AfxiOlderFactor *older = &system->older;
    memcpy(older->matrix, system->factor.value, graph->plan.clear_length * sizeof(double));
    memcpy(older->scale, system->scale, graph->plan.row_count * sizeof(double));
    memcpy(older->active, system->active, graph->row_count);
    older->stale = false;
}

/* Makes the factor of the kept matrix again. */
static void refresh(AfxiSystem *system) {
    AfxiOlderFactor *older = &system->older;
    AfxiBlockReport report;
    memcpy(system->factor.value, older->matrix, system->graph->plan.clear_length * sizeof(double));
    memset(system->residual, 0, system->graph->plan.row_count * sizeof *system->residual);
    afxi_block_factor(&system->graph->plan, &system->factor, older->scale, 0, system->residual, &report);
    older->stale = false;
}

/* image = S K S direction; delta is work. */
static void apply(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    const double *direction = system->older.direction, *scale = system->scale;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        double force[AFXI_AFFINE_WIDTH] = {0};
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
            uint32_t first = graph->block[entry->block].first_row;
            const double *g = system->jacobian + entry->jacobian;
            for (uint32_t r = 0; r < graph->block[entry->block].row_count; r++, g += AFXI_AFFINE_WIDTH) {
                double size = scale[first + r] * direction[first + r];
                for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                    force[k] += g[k] * size;
                }
            }
        }
        afxi_system_apply(system, body, force, system->delta + AFXI_AFFINE_WIDTH * (size_t)body);
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        double own[AFXI_LEADING_MOST];
        for (uint32_t r = 0; r < block->leading; r++) {
            own[r] = scale[block->first_row + r] * direction[block->first_row + r];
        }
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t row = block->first_row + r;
            double sum = r < block->leading ? afxi_dual_compliance(system, block, r, own)
                                            : system->compliance[row] * scale[row] * direction[row];
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                const AfxiGraphEntry *entry = &graph->entry[e];
                sum += afxi_dual_dot(system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r,
                                     system->delta + AFXI_AFFINE_WIDTH * (size_t)entry->dof.index);
            }
            system->older.image[row] = scale[row] * sum;
        }
    }
}

static double dot(const double *a, const double *b, uint32_t count) {
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* residual = what the factor makes of `left`. */
static void precondition(AfxiSystem *system) {
    memcpy(system->residual, system->older.left, system->graph->plan.row_count * sizeof(double));
    afxi_block_solve(&system->graph->plan, &system->factor, system->residual);
}

/* Iterates until `left` is below the target; false when that takes too long or a number is not finite. */
static bool iterate(AfxiSystem *system, double target, uint32_t *out_iterations) {
    AfxiOlderFactor *older = &system->older;
    uint32_t rows = system->graph->row_count;
    precondition(system);
    memcpy(older->direction, system->residual, rows * sizeof(double));
    double square = dot(older->left, system->residual, rows);
    for (*out_iterations = 1; *out_iterations <= AFXI_CG_ITERATIONS_MOST; ++*out_iterations) {
        apply(system);
        double length = square / dot(older->direction, older->image, rows), largest = 0;
        if (!isfinite(length)) {
            return false;
        }
        for (uint32_t row = 0; row < rows; row++) {
            system->lambda[row] += length * system->scale[row] * older->direction[row];
            older->left[row] -= length * older->image[row];
            largest = fmax(largest, fabs(older->left[row]));
        }
        if (largest <= target) {
            return true;
        }
        precondition(system);
        double next = dot(older->left, system->residual, rows);
        for (uint32_t row = 0; row < rows; row++) {
            older->direction[row] = system->residual[row] + next / square * older->direction[row];
        }
        square = next;
    }
    return false;
}

bool afxi_cg_solve(AfxiSystem *system, AfxiDualReport *out) {
    const AfxiGraph *graph = system->graph;
    AfxiOlderFactor *older = &system->older;
    if (!*older->valid || *system->regularise || memcmp(older->active, system->active, graph->row_count) != 0) {
        return false;
    }
    if (older->stale) {
        refresh(system);
    }
    memcpy(system->scale, older->scale, graph->plan.row_count * sizeof(double));
    afxi_dual_begin(system);
    double first = afxi_dual_residual(system, false);
    memcpy(older->left, system->residual, graph->plan.row_count * sizeof(double));
    bool fine = first == 0 || iterate(system, 0.5 * AFXI_RESIDUAL_ENOUGH * first, &out->iterations);
    if (!fine) {
        return false;
    }
    afxi_dual_primal(system);
    out->residual = afxi_dual_residual(system, false);
    *older->valid = out->iterations <= AFXI_CG_ITERATIONS_FEW;
    return true;
}
