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
    size_t rows = graph->row_count, bodies = graph->body_count, blocks = graph->block_count;
    const AfxiBlockPlan *plan = &graph->plan;
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
    system->ordered = afxi_arena_take(arena, rows, sizeof(double));
    system->jacobian = afxi_arena_take(arena, 12 * graph->jacobian_rows, sizeof(double));
    system->image = afxi_arena_take(arena, 12 * graph->jacobian_rows, sizeof(double));
    system->factor.panel = afxi_arena_take(arena, plan->panel_length, sizeof(double));
    system->factor.diagonal = afxi_arena_take(arena, plan->diagonal_length, sizeof(double));
    system->factor.link = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    system->factor.next = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    system->factor.first = afxi_arena_take(arena, blocks, sizeof(uint32_t));
    system->factor.map = afxi_arena_take(arena, blocks, sizeof(uint32_t));
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

/* K_(a,b) += J_a H^-1 J_b^T for two entries on one body; a is eliminated with or after b. */
static void add_pair(AfxiSystem *system, const AfxiGraphEntry *a, const AfxiGraphEntry *b) {
    const AfxiGraph *graph = system->graph;
    uint32_t leading;
    double *block = afxi_block_at(&graph->plan, &system->factor, graph->plan.place[a->block],
                                  graph->plan.place[b->block], &leading);
    for (uint32_t c = 0; c < afxi_dual_entry_rows(graph, b); c++) {
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, a); r++) {
            block[(size_t)c * leading + r] +=
                afxi_dual_dot(system->jacobian + 12 * (a->jacobian + r), system->image + 12 * (b->jacobian + c));
        }
    }
}

static void assemble(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    const AfxiBlockPlan *plan = &graph->plan;
    memset(system->factor.panel, 0, plan->panel_length * sizeof(double));
    memset(system->factor.diagonal, 0, plan->diagonal_length * sizeof(double));
    for (uint32_t body = 0; body < graph->body_count; body++) {
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiGraphEntry *a = &graph->entry[graph->body_entry[x]];
            for (uint32_t y = graph->body_start[body]; y < graph->body_start[body + 1]; y++) {
                const AfxiGraphEntry *b = &graph->entry[graph->body_entry[y]];
                if (plan->place[a->block] >= plan->place[b->block]) {
                    add_pair(system, a, b);
                }
            }
        }
    }
}

/* First row of a block, by its place in the elimination. */
static const AfxiGraphBlock *block_at_place(const AfxiGraph *graph, uint32_t place) {
    return &graph->block[graph->plan.order[place]];
}

/* Scales to unit diagonal; rows that are switched off become rows of the identity. */
static void scale_blocks(AfxiSystem *system, double epsilon) {
    const AfxiGraph *graph = system->graph;
    const AfxiBlockPlan *plan = &graph->plan;
    for (uint32_t k = 0; k < plan->count; k++) {
        const AfxiGraphBlock *block = block_at_place(graph, k);
        double *d = system->factor.diagonal + plan->diagonal[k];
        uint32_t m = plan->size[k];
        for (uint32_t r = 0; r < m; r++) {
            uint32_t row = block->first_row + r;
            double pivot = d[r * m + r] + system->compliance[row];
            system->scale[row] = system->active[row] && pivot > 0 ? 1 / sqrt(pivot) : 0;
        }
    }
    for (uint32_t k = 0; k < plan->count; k++) {
        const double *scale_k = system->scale + block_at_place(graph, k)->first_row;
        double *d = system->factor.diagonal + plan->diagonal[k], *panel = system->factor.panel + plan->panel[k];
        uint32_t m = plan->size[k], height = plan->height[k];
        for (uint32_t c = 0; c < m; c++) {
            for (uint32_t r = 0; r < m; r++) {
                d[c * m + r] = r == c ? 1 + epsilon : d[c * m + r] * scale_k[r] * scale_k[c];
            }
            for (uint32_t e = plan->start[k]; e < plan->start[k + 1]; e++) {
                const double *scale_i = system->scale + block_at_place(graph, plan->row[e])->first_row;
                double *column = panel + (size_t)c * height + plan->offset[e];
                for (uint32_t r = 0; r < plan->size[plan->row[e]]; r++) {
                    column[r] *= scale_i[r] * scale_k[c];
                }
            }
        }
    }
}

void afxi_dual_factor(AfxiSystem *system, AfxiDualReport *out) {
    afxi_dual_images(system);
    assemble(system);
    out->regularised = system->graph->loop_rows > 0;
    scale_blocks(system, out->regularised ? REGULARISATION : 0);
    out->pivot = afxi_block_factor(&system->graph->plan, &system->factor);
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
    const AfxiBlockPlan *plan = &graph->plan;
    for (uint32_t k = 0; k < plan->count; k++) {
        const AfxiGraphBlock *block = block_at_place(graph, k);
        memcpy(system->ordered + graph->position[k], system->residual + block->first_row,
               block->row_count * sizeof(double));
    }
    afxi_block_solve(plan, &system->factor, graph->position, system->ordered);
    for (uint32_t k = 0; k < plan->count; k++) {
        const AfxiGraphBlock *block = block_at_place(graph, k);
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t row = block->first_row + r;
            system->lambda[row] += system->scale[row] * system->ordered[graph->position[k] + r];
        }
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
