/* SPDX-License-Identifier: Apache-2.0 */
/* A forest that is eliminated from the leaves (dual/climb.h) has no plan for its matrix and no room for gradients. A
 * sim that needs them, because a body of it is held, gets a copy of the graph with both, and a workspace over it, when
 * the hold is set: a step allocates nothing. */
#include <string.h>

#include "step/holds.h"
#include "step/rows.h"

struct AfxiGraded {
    AfxModel model; /* the sim's, with a graph that has a plan */
    AfxiJointed jointed;
    void *raw;
    size_t raw_size;
    const AfxModel *base_model; /* while this one is in use; else NULL */
    AfxiJointed base_jointed;
};

void afxi_graded_destroy(AfxSim *sim) {
    AfxiGraded *graded = sim->graded;
    const AfxAllocator *allocator = &sim->def.allocator;
    if (graded) {
        afxi_block_plan_destroy(&graded->model.graph.plan);
        afxi_release(allocator, graded->model.graph.spots_raw, graded->model.graph.spots_raw_size);
        afxi_release(allocator, graded->raw, graded->raw_size);
        afxi_release(allocator, graded, sizeof *graded);
        sim->graded = NULL;
    }
}

/* Blocks, rows and lists of the graph are those of the model. */
static AfxStatus plan(AfxSim *sim, AfxiGraph *graph) {
    graph->climb = (AfxiClimb){0};
    graph->alike = NULL;
    graph->batch = NULL;
    graph->hub = NULL;
    graph->component = NULL;
    graph->spots_raw = NULL;
    graph->batch_count = graph->hub_count = graph->component_count = 0;
    graph->spots_raw_size = 0;
    return afxi_graph_plan(&sim->def.allocator, graph);
}

/* Takes the workspace with the model that the sim shall have meanwhile. */
static AfxStatus make_workspace(AfxSim *sim, AfxiGraded *graded) {
    const AfxModel *model = sim->model;
    AfxiJointed base = sim->jointed;
    AfxiArena arena = {0};
    sim->model = &graded->model;
    sim->jointed = (AfxiJointed){0};
    afxi_jointed_take(sim, &arena);
    arena.base =
        arena.overflow ? NULL : afxi_allocate_aligned(&sim->def.allocator, arena.used, &graded->raw, &graded->raw_size);
    if (arena.base) {
        arena.used = 0;
        afxi_jointed_take(sim, &arena);
        afxi_turns_begin(sim);
        graded->jointed = sim->jointed;
    }
    sim->model = model;
    sim->jointed = base;
    return arena.base ? AFX_OK : AFX_E_MEMORY;
}

AfxStatus afxi_graded_create(AfxSim *sim) {
    if (sim->graded || !sim->model->graph.climb.on) {
        return AFX_OK;
    }
    sim->graded = afxi_allocate(&sim->def.allocator, sizeof *sim->graded);
    if (!sim->graded) {
        return AFX_E_MEMORY;
    }
    sim->graded->model = *sim->model;
    AfxStatus status = plan(sim, &sim->graded->model.graph);
    status = status ? status : make_workspace(sim, sim->graded);
    if (status != AFX_OK) {
        afxi_graded_destroy(sim);
    }
    return status;
}

void afxi_graded_attach(AfxSim *sim, bool on) {
    AfxiGraded *graded = sim->graded;
    if (!graded) {
        return;
    }
    if (on) {
        AfxiJointed *jointed = &graded->jointed;
        graded->base_model = sim->model;
        graded->base_jointed = sim->jointed;
        jointed->h_rate = sim->jointed.h_rate;
        jointed->held_scale = 0;
        jointed->drive_target = sim->jointed.drive_target;
        jointed->changes = sim->jointed.changes;
        jointed->branch_begin = sim->jointed.branch_begin;
        jointed->turn_constants = sim->jointed.turn_constants;
        sim->model = &graded->model;
        sim->jointed = *jointed;
    } else if (graded->base_model) {
        graded->jointed = sim->jointed;
        sim->jointed = graded->base_jointed;
        sim->model = graded->base_model;
        graded->base_model = NULL;
    }
}
