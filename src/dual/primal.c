/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies from multipliers, and what the rows then lack. */
#include "dual/primal.h"

#include <math.h>
#include <string.h>

#include "dual/apply.h"
#include "dual/climb_hub.h"
#include "dual/closed.h"

void afxi_dual_primal(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    bool closed = system->bodies.on;
    if (closed) {
        afxi_closed_primal(system);
        if (graph->climb.on) {
            afxi_hub_primal(system, &system->bodies.tally);
        }
    }
    for (uint32_t k = 0; k < (closed ? graph->closed.open_body_count : graph->body_count); k++) {
        afxi_dual_primal_body(system, closed ? graph->closed.open_body[k] : k);
    }
}

double afxi_dual_residual(AfxiSystem *system, bool gaps) {
    const AfxiGraph *graph = system->graph;
    bool closed = system->bodies.on;
    double largest = closed ? afxi_closed_residual(system, gaps) : 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        if (closed && block->closed) {
            continue;
        }
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t row = block->first_row + r;
            double sum = system->value[row] - afxi_dual_yield(system, block, r, system->lambda + block->first_row);
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                const AfxiGraphEntry *entry = &graph->entry[e];
                sum += afxi_dual_dot(system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r,
                                     system->delta + (size_t)AFXI_AFFINE_WIDTH * entry->dof.index);
            }
            system->residual[row] = sum * system->scale[row];
            double size = fabs(system->residual[row]);
            largest = size > largest || isnan(size) ? size : largest;
        }
    }
    for (uint32_t row = graph->row_count; row < graph->plan.row_count; row++) {
        system->residual[row] = 0;
    }
    return largest;
}

bool afxi_dual_load_given(AfxiSystem *system) {
    bool loaded = false;
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] = system->active[row] ? 0 : system->given[row];
        loaded |= system->lambda[row] != 0;
    }
    if (loaded) {
        afxi_dual_primal(system);
    }
    return loaded;
}

void afxi_dual_begin(AfxiSystem *system) {
    if (!afxi_dual_load_given(system)) {
        memcpy(system->delta, system->start, AFXI_AFFINE_WIDTH * (size_t)system->graph->body_count * sizeof(double));
    }
}
