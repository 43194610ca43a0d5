/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of freedom: six for every moving body, less the rank of the exact rows' Jacobian at the present state.
 *
 * The rank is that of K = J M^-1 J^T of rigid bodies, each taken as a ball of its own extent so that thin bodies do not
 * spoil the condition. */
#include <math.h>

#include "dual/rank.h"
#include "solve/start.h"
#include "step/own.h"
#include "step/sim.h"

/* Square of a length: that of the body's mass, or the longest lever arm of its joints. */
static double body_extent(const AfxiLot *lot, uint32_t k) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiBodyClass *own = afxi_world_class(lot->rows.world, graph->body[k]);
    double extent = (own->s[0] + own->s[1] + own->s[2]) / own->mass / 3;
    for (uint32_t x = graph->body_start[k]; x < graph->body_start[k + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < graph->block[entry->block].row_count; r++) {
            const double *g = lot->rows.jacobian + 12 * (entry->jacobian + r);
            double arm = 0, force = vec3_length(vec3_load(g + 9));
            for (int e = 0; e < 9; e++) {
                arm += g[e] * g[e];
            }
            extent = force > 0.5 && arm > extent ? arm : extent;
        }
    }
    return extent;
}

/* Rows and their rank of one lot. */
static AfxStatus lot_rank(AfxiLot *lot, const AfxAllocator *allocator, uint32_t *out_rows, uint32_t *out_rank) {
    const AfxiGraph *graph = lot->rows.graph;
    AfxiSystem *system = &lot->system;
    double position, rate;
    afxi_lot_violation(lot, &position, &rate); /* leaves rigid inverses, gradients and only exact rows active */
    for (uint32_t k = 0; graph->loop_rows && k < graph->body_count; k++) { /* a forest has independent rows */
        double extent = body_extent(lot, k);
        AfxiBodyClass ball = {.mass = 1, .s = {extent, extent, extent}, .volume = 1, .young = INFINITY};
        system->inverse[k].blocks = afxi_body_blocks(&ball, (AfxiScale){1, 1}, 0);
    }
    *out_rows = 0;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        *out_rows += system->active[row];
    }
    return afxi_dual_rank(system, allocator, out_rank);
}

AfxStatus afx_sim_mobility(AfxSim *sim, int64_t *out_freedom, uint32_t *out_redundant) {
    if (!sim || !out_freedom || !out_redundant) {
        return AFX_E_ARGUMENT;
    }
    *out_freedom = 6 * (int64_t)sim->model->dynamic_count - afxi_chains_rows(&sim->solver.chains);
    *out_redundant = 0;
    afxi_classes_refresh(sim);
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < sim->model->graph_count && status == AFX_OK; k++) {
        uint32_t rank = 0, rows = 0;
        status = lot_rank(&sim->solver.lot[k], &sim->def.allocator, &rows, &rank);
        *out_freedom -= rank;
        *out_redundant += rows - rank;
    }
    return status;
}
