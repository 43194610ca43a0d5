/* SPDX-License-Identifier: Apache-2.0 */
/* What the Newton loop and the stages tell the trace: one line each, which gathers what is known of a solve. */
#ifndef AFXI_SOLVE_TRACED_H
#define AFXI_SOLVE_TRACED_H

#include "solve/newton.h"

static inline AfxiTrace *afxi_traced_of(const AfxiRun *run) {
    return run->lot ? run->lot->rows.world->trace : run->chains->world->trace;
}

void afxi_traced_put_solve(const AfxiRun *run, uint32_t k, AfxTraceMethod method);
/** The smallest body of island k: its name in the trace. */
uint32_t afxi_traced_first(const AfxiRun *run, uint32_t k);

/** Which matrix the last solve of a run had; its judgement may change that of the next. */
static inline AfxTraceMethod afxi_traced_method(const AfxiRun *run) {
    return run->lot && run->lot->rows.world->trace ? afxi_lot_method(run->lot) : AFX_TRACE_BOUND;
}

/** A solve of island k has come to its verdict. */
static inline void afxi_traced_solve(const AfxiRun *run, uint32_t k, AfxTraceMethod method) {
    if (afxi_traced_of(run)) {
        afxi_traced_put_solve(run, k, method);
    }
}

/** Contacts with another island speak against the last solve of an island (run NULL: they do not). */
static inline void afxi_traced_overrule(const AfxiRun *run, const AfxiIsland *island) {
    if (run && afxi_traced_of(run)) {
        afxi_trace_overrule(afxi_traced_of(run), afxi_traced_first(run, (uint32_t)(island - run->island)));
    }
}

/** An island with body `first` is struck: it goes by BDF1 for `steps`, if it did not already. */
static inline void afxi_traced_order_reduction(const AfxiWorld *world, bool impact, uint32_t first, uint32_t steps) {
    bool already = (world->state.pace[first] & AFXI_PACE_REDUCED_ORDER) == steps;
    afxi_trace_order(impact && !already ? world->trace : NULL, steps);
}

#endif
