/* SPDX-License-Identifier: Apache-2.0 */
/* A forest that is eliminated from the leaves (dual/climb.h) has no plan for its matrix and no room for gradients. A
 * sim that needs them, because a body of it is held, gets a copy of the graph with both, and a workspace over it, when
 * the hold is set: a step allocates nothing. */
#include "step/beside.h"
#include "step/holds.h"

void afxi_graded_destroy(AfxSim *sim) {
    if (sim->graded) {
        afxi_beside_release(&sim->def.allocator, sim->graded);
        afxi_release(&sim->def.allocator, sim->graded, sizeof *sim->graded);
        sim->graded = NULL;
    }
}

AfxStatus afxi_graded_create(AfxSim *sim) {
    const AfxAllocator *allocator = &sim->def.allocator;
    if (sim->graded || !sim->model->graph.climb.on) {
        return AFX_OK;
    }
    sim->graded = afxi_allocate(allocator, sizeof *sim->graded);
    if (!sim->graded) {
        return AFX_E_MEMORY;
    }
    afxi_beside_begin(sim, sim->graded);
    AfxStatus status = afxi_graph_plan(allocator, &sim->graded->model.graph);
    status = status ? status : afxi_beside_take(sim, allocator, sim->graded);
    if (status != AFX_OK) {
        afxi_graded_destroy(sim);
    }
    return status;
}

void afxi_graded_attach(AfxSim *sim, bool on) {
    if (sim->graded) {
        afxi_beside_attach(sim, sim->graded, on);
    }
}
