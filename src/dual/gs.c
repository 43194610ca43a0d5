/* SPDX-License-Identifier: Apache-2.0 */
/* Block Gauss-Seidel in several directions (M-ABD 2026, section 5.5): joint by joint, the multipliers of one block are
 * changed so that its rows hold, and its bodies moved by that,
 *     K_bb x = C_b + J_b delta - compliance lambda_b,   lambda_b += x,   delta -= H^-1 J_b^T x.
 * Sweeps go forward and backward over the blocks as they come, then along paths through the graph and back. Nothing is
 * factored but the blocks K_bb. The number of sweeps grows with the square of the longest way through the graph, which
 * is why there is a cap, and a report of it. */
#include "dual/gs.h"

#include <math.h>
#include <string.h>

#include "dual/apply.h"
#include "dual/primal.h"
#include "dual/square.h"
#include "dual/tuning.h"

#define DIRECTIONS 4u

void afxi_gs_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiGraph *graph = system->graph;
    size_t squares = 0;
    uint32_t most = 0;
    if (graph->solver != AFX_SOLVER_GS) {
        return;
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint32_t rows = graph->block[b].row_count;
        squares += (size_t)rows * rows;
        most = rows > most ? rows : most;
    }
    system->sweeps.square = afxi_arena_take(arena, (size_t)graph->block_count + 1, sizeof(size_t));
    system->sweeps.lower = afxi_arena_take(arena, squares, sizeof(double));
    system->sweeps.image = afxi_arena_take(arena, graph->jacobian_length, sizeof(double));
    system->sweeps.step = afxi_arena_take(arena, most, sizeof(double));
}

/* H^-1 J^T and the factored K_bb of one block; rows that are switched off are left out. */
static void make_block(AfxiSystem *system, const AfxiGraphBlock *block, double *lower) {
    uint32_t n = block->row_count;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        const AfxiGraphEntry *entry = &system->graph->entry[e];
        const double *g = system->jacobian + entry->jacobian;
        for (uint32_t c = 0; c < n; c++) {
            double *image = system->sweeps.image + entry->jacobian + AFXI_AFFINE_WIDTH * c;
            afxi_system_apply(system, entry->dof.index, g + (size_t)AFXI_AFFINE_WIDTH * c, image);
            for (uint32_t r = c; r < n; r++) {
                lower[r * n + c] += afxi_dual_dot(g + (size_t)AFXI_AFFINE_WIDTH * r, image);
            }
        }
    }
    if (block->leading > block->plain) {
        const double *cross = system->rotational_spring +
                              (size_t)AFXI_ROTATIONAL_SPRING_RESULT * block->rotational_spring +
                              AFXI_ROTATIONAL_SPRING_COMPLIANCE + 3;
        double *own = lower + (size_t)block->plain * (n + 1);
        own[n] += cross[0];
        own[2 * n] += cross[1];
        own[2 * n + 1] += cross[2];
    }
    for (uint32_t r = 0; r < n; r++) {
        uint32_t row = block->first_row + r;
        double *pivot = &lower[r * n + r];
        *pivot += system->compliance[row];
        system->scale[row] = system->active[row] && *pivot > 0 ? 1 / sqrt(*pivot) : 0;
        for (uint32_t c = 0; c < n && system->scale[row] == 0; c++) {
            lower[r * n + c] = 0;
            lower[c * n + r] = 0;
        }
    }
    afxi_square_factor(lower, n, AFXI_BLOCK_REDUNDANT_PIVOT);
}

static void make_blocks(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    AfxiSweeps *sweeps = &system->sweeps;
    sweeps->square[0] = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        size_t n = graph->block[b].row_count;
        sweeps->square[b + 1] = sweeps->square[b] + n * n;
        memset(sweeps->lower + sweeps->square[b], 0, n * n * sizeof(double));
        make_block(system, &graph->block[b], sweeps->lower + sweeps->square[b]);
    }
}

static void relax(AfxiSystem *system, uint32_t b) {
    const AfxiGraph *graph = system->graph;
    const AfxiGraphBlock *block = &graph->block[b];
    const AfxiGraphEntry *entry = &graph->entry[block->first_entry];
    double *x = system->sweeps.step;
    for (uint32_t r = 0; r < block->row_count; r++) {
        uint32_t row = block->first_row + r;
        x[r] = system->value[row] - afxi_dual_compliance(system, block, r, system->lambda + block->first_row);
        for (uint32_t e = 0; e < block->entry_count; e++) {
            x[r] += afxi_dual_dot(system->jacobian + entry[e].jacobian + AFXI_AFFINE_WIDTH * r,
                                  system->delta + AFXI_AFFINE_WIDTH * (size_t)entry[e].dof.index);
        }
        x[r] = system->scale[row] > 0 ? x[r] : 0;
    }
    afxi_square_solve(system->sweeps.lower + system->sweeps.square[b], block->row_count, x);
    for (uint32_t r = 0; r < block->row_count; r++) {
        system->lambda[block->first_row + r] += x[r];
    }
    for (uint32_t e = 0; e < block->entry_count; e++) {
        const double *image = system->sweeps.image + entry[e].jacobian;
        double *delta = system->delta + AFXI_AFFINE_WIDTH * (size_t)entry[e].dof.index;
        for (uint32_t r = 0; r < block->row_count; r++, image += AFXI_AFFINE_WIDTH) {
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                delta[k] -= image[k] * x[r];
            }
        }
    }
}

static void sweep(AfxiSystem *system, uint32_t direction) {
    const AfxiGraph *graph = system->graph;
    uint32_t count = graph->block_count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = direction % 2 ? count - 1 - k : k;
        relax(system, direction < 2 ? at : graph->sweep[at]);
    }
}

/* What rounding may leave of the largest row. */
static double noise(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    double largest = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        for (uint32_t r = 0; r < block->row_count; r++) {
            double sum = fabs(system->value[block->first_row + r]);
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                const AfxiGraphEntry *entry = &graph->entry[e];
                for (uint32_t k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                    sum += fabs(system->jacobian[entry->jacobian + AFXI_AFFINE_WIDTH * r + k] *
                                system->delta[AFXI_AFFINE_WIDTH * (size_t)entry->dof.index + k]);
                }
            }
            largest = fmax(largest, sum * system->scale[block->first_row + r]);
        }
    }
    return AFXI_RESIDUAL_FLOOR * largest;
}

void afxi_gs_solve(AfxiSystem *system, AfxiDualReport *out) {
    make_blocks(system);
    afxi_dual_begin(system);
    out->residual = afxi_dual_residual(system, false);
    double enough = fmax(AFXI_RESIDUAL_ENOUGH * out->residual, noise(system));
    while (!(out->residual <= enough) && out->iterations < AFXI_GS_SWEEPS_MOST) {
        for (uint32_t direction = 0; direction < DIRECTIONS; direction++) {
            sweep(system, direction);
        }
        out->iterations += DIRECTIONS;
        afxi_dual_primal(system); /* from the multipliers, so that rounding does not add up */
        out->residual = afxi_dual_residual(system, false);
    }
    out->unconverged = !(out->residual <= enough);
    out->regularised = *system->regularise;
}
