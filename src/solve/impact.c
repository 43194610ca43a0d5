/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump after a step: of lots in which a limit was met, and of islands with contacts that bounce. Only
 * bodies that joints hold to the struck one change (engine/project.c). The history of all these no longer fits, and
 * the next limit may be met in the next step already: they go by BDF1. */
#include "solve/impact.h"

#include "constraint/bounce.h"
#include "constraint/drive.h"
#include "solve/tuning.h"
#include "state/pace.h"

/* ---- limits ---- */

/* Whether the drive of a row is a limit that was met in this step. */
static bool struck(const AfxiLot *lot, uint32_t row) {
    const AfxiWorld *world = lot->rows.world;
    uint32_t drive = lot->rows.graph->row[row].index;
    return world->model->drives[drive].kind == AFX_DRIVE_LIMIT && world->branch_begin[drive] == AFXI_BRANCH_FREE &&
           world->state.drive_branch[drive] != AFXI_BRANCH_FREE;
}

bool afxi_impact(AfxiSolver *solver, const double *before) {
    AfxiState *state = &solver->world->state;
    bool any = false;
    for (uint32_t g = 0; g < solver->world->model->graph_count; g++) {
        const AfxiRun *run = &solver->run[g];
        const AfxiGraph *graph = run->lot->rows.graph;
        bool own = false;
        for (uint32_t k = 0; k < graph->drive_count; k++) {
            uint32_t row = graph->drive_row[k], drive = graph->row[row].index;
            bool met = struck(run->lot, row);
            afxi_trace_limit(met ? solver->world->trace : NULL, solver->world->model->drives[drive].joint);
            own |= met;
        }
        if (own) {
            run->engine->between->project(run->data, &(AfxiJump){.before = before});
            for (uint32_t k = 0; k < graph->body_count; k++) {
                afxi_pace_reduce(state, graph->body[k], AFXI_IMPACT_STEPS - 1); /* this step is finished */
            }
            any = true;
        }
    }
    return any;
}

/* ---- contacts ---- */

/* A point that comes to push at the very end of a step is found by the solve, not by the look before it, so that the
 * step itself may not have been one of BDF1. */
static bool bounce_run(AfxiContactSet *set, AfxiRun *run) {
    const AfxiGraph *graph = run->lot->rows.graph;
    const AfxiActiveSet *active = &run->island[0].active;
    bool any = false;
    for (uint32_t k = 0; k < active->count && !any; k++) {
        any = afxi_bounce_speed(set, &set->now.point[active->point[k]]) > 0;
    }
    if (!any || !run->accepted[0] || run->lot->rows.graph->pooled) {
        return false;
    }
    run->engine->between->project(
        run->data,
        &(AfxiJump){.before = set->world->state.v, .set = set, .point = active->point, .point_count = active->count});
    for (uint32_t k = 0; k < graph->body_count; k++) {
        afxi_pace_reduce(&set->world->state, graph->body[k], AFXI_IMPACT_STEPS);
    }
    return true;
}

bool afxi_contacts_bounce(AfxiSolver *solver) {
    bool any = false;
    for (uint32_t k = 0; solver->collide && k < solver->world->model->graph_count; k++) {
        any |= !solver->run[k].lot->rows.graph->pooled && bounce_run(solver->set, &solver->run[k]);
    }
    for (uint32_t k = 0; solver->collide && k < solver->island_count; k++) {
        any |= bounce_run(solver->set, solver->island[k]);
    }
    return any;
}
