/* SPDX-License-Identifier: Apache-2.0 */
/* Another graph than the model's, with a workspace over it, that a sim uses for some stages: with rows of touching
 * pairs (contacts_pairs.c), or with the gradients that the model's own has no room for (graded.c). */
#include "step/beside.h"

#include <string.h>

#include "step/rows.h"

void afxi_beside_begin(const AfxSim *sim, AfxiBeside *beside) {
    AfxiGraph *graph = &beside->model.graph;
    beside->model = *sim->model;
    graph->plan = (AfxiBlockPlan){0};
    graph->climb = (AfxiClimb){0};
    graph->alike = NULL;
    graph->batch = NULL;
    graph->hub = NULL;
    graph->component = NULL;
    graph->sweep = NULL;
    graph->spots_raw = graph->raw = NULL;
    graph->spots_raw_size = graph->raw_size = 0;
    graph->batch_count = graph->hub_count = graph->component_count = 0;
}

AfxStatus afxi_beside_take(AfxSim *sim, const AfxAllocator *allocator, AfxiBeside *beside) {
    const AfxModel *model = sim->model;
    AfxiJointed base = sim->jointed;
    AfxiArena arena = {0};
    sim->model = &beside->model;
    sim->jointed = (AfxiJointed){0};
    afxi_jointed_take(sim, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &beside->raw, &beside->raw_size);
    if (arena.base) {
        arena.used = 0;
        afxi_jointed_take(sim, &arena);
        afxi_turns_begin(sim);
        beside->jointed = sim->jointed;
    }
    sim->model = model;
    sim->jointed = base;
    return arena.base ? AFX_OK : AFX_E_MEMORY;
}

void afxi_beside_release(const AfxAllocator *allocator, AfxiBeside *beside) {
    AfxiGraph *graph = &beside->model.graph;
    afxi_block_plan_destroy(&graph->plan);
    afxi_release(allocator, graph->spots_raw, graph->spots_raw_size);
    afxi_release(allocator, graph->raw, graph->raw_size);
    afxi_release(allocator, beside->raw, beside->raw_size);
    *beside = (AfxiBeside){0};
}

void afxi_beside_attach(AfxSim *sim, AfxiBeside *beside, bool on) {
    AfxiJointed *jointed = &beside->jointed;
    if (on) { /* drives and springs go on from where they are */
        beside->base_model = sim->model;
        beside->base_jointed = sim->jointed;
        jointed->h_rate = sim->jointed.h_rate;
        jointed->held_scale = 0;
        jointed->drive_target = sim->jointed.drive_target;
        jointed->changes = sim->jointed.changes;
        jointed->branch_begin = sim->jointed.branch_begin;
        jointed->turn_constants = sim->jointed.turn_constants;
        sim->model = &beside->model;
        sim->jointed = *jointed;
    } else if (beside->base_model) {
        *jointed = sim->jointed;
        sim->jointed = beside->base_jointed;
        sim->model = beside->base_model;
        beside->base_model = NULL;
    }
}
