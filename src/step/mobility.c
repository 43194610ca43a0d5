/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of freedom: six for every moving body, less the rank of the exact rows' Jacobian at the present state.
 *
 * The rank is that of K = J M^-1 J^T of rigid bodies, each taken as a ball of its own extent so that thin bodies do not
 * spoil the condition. */
#include <math.h>

#include "step/chains.h"
#include "step/rows.h"

/* Square of a length: that of the body's mass, or the longest lever arm of its joints. */
static double body_extent(const AfxSim *sim, uint32_t k) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiBodyClass *own = afxi_sim_class(sim, graph->body[k]);
    double extent = (own->s[0] + own->s[1] + own->s[2]) / own->mass / 3;
    for (uint32_t x = graph->body_start[k]; x < graph->body_start[k + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < graph->block[entry->block].row_count; r++) {
            const double *g = sim->jointed.system.jacobian + 12 * (entry->jacobian + r);
            double arm = 0, force = vec3_length(vec3_load(g + 9));
            for (int e = 0; e < 9; e++) {
                arm += g[e] * g[e];
            }
            extent = force > 0.5 && arm > extent ? arm : extent;
        }
    }
    return extent;
}

AfxStatus afx_sim_mobility(AfxSim *sim, int64_t *out_freedom, uint32_t *out_redundant) {
    if (!sim || !out_freedom || !out_redundant) {
        return AFX_E_ARGUMENT;
    }
    const AfxiGraph *graph = &sim->model->graph;
    AfxiSystem *system = &sim->jointed.system;
    *out_freedom = 6 * (int64_t)sim->model->dynamic_count - afxi_chains_rows(sim);
    *out_redundant = 0;
    if (graph->body_count == 0) {
        return AFX_OK;
    }
    double position, rate;
    uint32_t rows = 0;
    afxi_classes_refresh(sim);
    afxi_start_violation(sim, &position, &rate); /* leaves rigid inverses, gradients and only exact rows active */
    for (uint32_t k = 0; graph->loop_rows && k < graph->body_count; k++) { /* a forest has independent rows */
        double extent = body_extent(sim, k);
        AfxiBodyClass ball = {.mass = 1, .s = {extent, extent, extent}, .volume = 1, .young = INFINITY};
        system->inverse[k].blocks = afxi_body_blocks(&ball, (AfxiScale){1, 1}, 0);
    }
    for (uint32_t row = 0; row < graph->row_count; row++) {
        rows += system->active[row];
    }
    uint32_t rank;
    AfxStatus status = afxi_dual_rank(system, &sim->def.allocator, &rank);
    *out_freedom -= rank;
    *out_redundant = rows - rank;
    return status;
}
