/* SPDX-License-Identifier: Apache-2.0 */
/* Events of bodies that nothing holds, and the public functions of the trace. */
#include "step/traced.h"

#include <math.h>

/* Counts the bodies of a list that were solved as free ones in this stage, and finds the smallest. */
static uint32_t count_free(const AfxiSolver *solver, const uint32_t *bodies, uint32_t count, uint32_t *first) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool taken = solver->island_count && solver->taken[bodies[k]] != UINT32_MAX;
        if (!taken && !(solver->any_absent && solver->absent[bodies[k]])) {
            *first = bodies[k] < *first ? bodies[k] : *first;
            sum++;
        }
    }
    return sum;
}

void afxi_traced_put_free(const AfxSim *sim, const AfxiFreeOutcome *out, uint32_t before) {
    const AfxiWorld *world = &sim->world;
    uint32_t first = UINT32_MAX, count = count_free(&sim->solver, world->plain, world->plain_count, &first);
    bool lost = out->failed_body != UINT32_MAX;
    count += count_free(&sim->solver, world->forced, world->forced_count, &first);
    if (count == 0) {
        return;
    }
    AfxTraceEvent event = {
        .solve = out->solves - before,
        .engine = AFX_TRACE_FREE,
        .method = AFX_TRACE_EXACT,
        .island = first,
        .bodies = count,
        .rotation = out->rotation_error,
        .turn = out->rotation_error,
        .residual = NAN,
        .excess = NAN,
        .verdict = lost ? AFX_TRACE_LOST : AFX_TRACE_ACCEPT,
        .reason = lost              ? AFX_TRACE_NOT_FINITE
                  : sim->def.solves ? AFX_TRACE_FIXED_COUNT
                  : out->capped     ? AFX_TRACE_CAP
                                    : AFX_TRACE_FINE,
        .body = out->failed_body,
        .joint = UINT32_MAX,
    };
    afxi_trace_put_solve(world->trace, &event);
}

/* ---- public ---- */

AfxStatus afx_sim_trace(AfxSim *sim, uint32_t capacity) {
    if (!sim || capacity > AFXI_TRACE_MOST) {
        return AFX_E_ARGUMENT;
    }
    afxi_trace_destroy(&sim->def.allocator, sim->world.trace);
    sim->world.trace = capacity ? afxi_trace_create(&sim->def.allocator, capacity) : NULL;
    return capacity && !sim->world.trace ? AFX_E_MEMORY : AFX_OK;
}

uint32_t afx_sim_trace_count(const AfxSim *sim) {
    return sim && sim->world.trace ? sim->world.trace->count : 0;
}

uint64_t afx_sim_trace_dropped(const AfxSim *sim) {
    return sim && sim->world.trace ? sim->world.trace->dropped : 0;
}

AfxStatus afx_sim_trace_event(const AfxSim *sim, uint32_t index, AfxTraceEvent *out_event) {
    bool found = sim && sim->world.trace && out_event && afxi_trace_at(sim->world.trace, index, out_event);
    return found ? AFX_OK : AFX_E_ARGUMENT;
}

AfxTraceReason afx_sim_trace_reason(const AfxSim *sim) {
    return sim && sim->world.trace ? afxi_trace_main_reason(sim->world.trace) : AFX_TRACE_FINE;
}

void afx_sim_trace_clear(AfxSim *sim) {
    if (sim && sim->world.trace) {
        afxi_trace_forget(sim->world.trace);
    }
}
