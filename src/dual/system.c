/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly, factorisation and refined solution of the dual system. */
#include "dual/system.h"

#include <math.h>
#include <string.h>

/* Added to the unit diagonal where the graph has loops: redundant rows disagree at the predicted frame, and a smaller
 * value would let their multipliers grow. */
#define REGULARISATION 1e-8
/* Rows that disagree must not be refined long: what they cannot agree on would pile up in their multipliers. */
#define REFINEMENTS_FEW 2
#define REFINEMENTS_MOST 8
#define ROUNDING 1e-15

void afxi_system_take(AfxiSystem *system, AfxiArena *arena, const AfxiGraph *graph) {
    size_t rows = graph->row_count, bodies = graph->body_count;
    system->graph = graph;
    system->inverse = afxi_arena_take(arena, bodies, sizeof *system->inverse);
    system->start = afxi_arena_take(arena, 12 * bodies, sizeof(double));
    system->delta = afxi_arena_take(arena, 12 * bodies, sizeof(double));
    system->value = afxi_arena_take(arena, rows, sizeof(double));
    system->compliance = afxi_arena_take(arena, rows, sizeof(double));
    system->active = afxi_arena_take(arena, rows, sizeof *system->active);
    system->given = afxi_arena_take(arena, rows, sizeof(double));
    system->lambda = afxi_arena_take(arena, rows, sizeof(double));
    system->rhs = afxi_arena_take(arena, rows, sizeof(double));
    system->residual = afxi_arena_take(arena, rows, sizeof(double));
    system->scale = afxi_arena_take(arena, rows, sizeof(double));
    system->jacobian = afxi_arena_take(arena, 12 * graph->jacobian_rows, sizeof(double));
    system->image = afxi_arena_take(arena, 12 * graph->jacobian_rows, sizeof(double));
    afxi_block_take(&system->factor, arena, &graph->plan);
}

double afxi_dual_dot(const double a[12], const double b[12]) {
    double sum = 0;
    for (int k = 0; k < 12; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

uint32_t afxi_dual_entry_rows(const AfxiGraph *graph, const AfxiGraphEntry *entry) {
    return graph->block[entry->block].row_count;
}

void afxi_dual_images(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        const AfxiGraphEntry *entry = &graph->entry[e];
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            size_t at = 12 * (entry->jacobian + r);
            afxi_body_apply(&system->inverse[entry->body], system->jacobian + at, system->image + at);
        }
    }
}

/* K_(a,b) += J_a H^-1 J_b^T for two entries on one body. */
static void add_pair(AfxiSystem *system, const AfxiGraphEntry *a, const AfxiGraphEntry *b) {
    const AfxiGraph *graph = system->graph;
    AfxiBlockSpot spot;
    if (!afxi_block_spot(&graph->plan, a->block, b->block, &spot)) {
        return;
    }
    for (uint32_t c = 0; c < afxi_dual_entry_rows(graph, b); c++) {
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, a); r++) {
            system->factor.value[spot.at + (size_t)r * spot.row_step + (size_t)c * spot.column_step] +=
                afxi_dual_dot(system->jacobian + 12 * (a->jacobian + r), system->image + 12 * (b->jacobian + c));
        }
    }
}

static void assemble(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    afxi_block_clear(&graph->plan, &system->factor);
    for (uint32_t body = 0; body < graph->body_count; body++) {
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiGraphEntry *a = &graph->entry[graph->body_entry[x]];
            for (uint32_t y = graph->body_start[body]; y < graph->body_start[body + 1]; y++) {
                const AfxiGraphEntry *b = &graph->entry[graph->body_entry[y]];
                if (a->block >= b->block) {
                    add_pair(system, a, b);
                }
            }
        }
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        AfxiBlockSpot spot;
        if (!afxi_block_spot(&graph->plan, k, k, &spot)) {
            continue;
        }
        for (uint32_t r = 0; r < block->row_count; r++) {
            system->factor.value[spot.at + r * ((size_t)spot.row_step + spot.column_step)] +=
                system->compliance[block->first_row + r];
        }
    }
}

/* To unit diagonal; rows that are switched off become rows of the identity. */
static void find_scale(AfxiSystem *system) {
    afxi_block_diagonal(&system->graph->plan, &system->factor, system->scale);
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        double pivot = system->scale[row];
        system->scale[row] = system->active[row] && pivot > 0 ? 1 / sqrt(pivot) : 0;
    }
}

void afxi_dual_factor(AfxiSystem *system, AfxiDualReport *out) {
    AfxiBlockReport report;
    afxi_dual_images(system);
    assemble(system);
    find_scale(system);
    out->regularised = system->graph->loop_rows > 0;
    afxi_block_factor(&system->graph->plan, &system->factor, system->scale, out->regularised ? REGULARISATION : 0, NULL,
                      &report);
    out->pivot = report.pivot;
}

/* delta = start - H^-1 J^T lambda for every body. */
static void primal(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    memcpy(system->delta, system->start, 12 * (size_t)graph->body_count * sizeof(double));
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        const AfxiGraphEntry *entry = &graph->entry[e];
        double *delta = system->delta + 12 * (size_t)entry->body;
        const double *lambda = system->lambda + graph->block[entry->block].first_row;
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            const double *image = system->image + 12 * (entry->jacobian + r);
            for (int k = 0; k < 12; k++) {
                delta[k] -= image[k] * lambda[r];
            }
        }
    }
}

/* residual = scaled (C + J delta - compliance lambda) of the active rows: what the rows still lack. */
static double row_residual(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    double largest = 0;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        system->residual[row] = system->value[row] - system->compliance[row] * system->lambda[row];
    }
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        const AfxiGraphEntry *entry = &graph->entry[e];
        uint32_t first = graph->block[entry->block].first_row;
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            system->residual[first + r] +=
                afxi_dual_dot(system->jacobian + 12 * (entry->jacobian + r), system->delta + 12 * (size_t)entry->body);
        }
    }
    for (uint32_t row = 0; row < graph->row_count; row++) {
        system->residual[row] *= system->scale[row];
        double size = fabs(system->residual[row]);
        largest = size > largest || isnan(size) ? size : largest;
    }
    return largest;
}

/* lambda += S K'^-1 residual */
static void correct(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    afxi_block_solve(&graph->plan, &system->factor, system->residual);
    for (uint32_t row = 0; row < graph->row_count; row++) {
        system->lambda[row] += system->scale[row] * system->residual[row];
    }
}

void afxi_dual_solve(AfxiSystem *system, bool consistent, AfxiDualReport *out) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        system->lambda[row] = system->active[row] ? 0 : system->given[row];
    }
    primal(system);
    double residual = row_residual(system), first = residual;
    out->refinements = 0;
    uint32_t most = consistent ? REFINEMENTS_MOST : REFINEMENTS_FEW;
    for (uint32_t pass = 0; pass <= most && residual > ROUNDING * first; pass++) {
        correct(system);
        primal(system);
        double next = row_residual(system);
        out->refinements = pass;
        bool stalled = pass > 0 && !(next < 0.9 * residual);
        residual = next;
        if (stalled) {
            break;
        }
    }
    out->residual = residual;
}
