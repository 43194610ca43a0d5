/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the trace from what the Newton loop knows of an island. */
#include "solve/traced.h"

#include <math.h>

/* Bodies of the graph of a lot that are those of its island k. */
static const AfxiGraphPart *part_of(const AfxiRun *run, uint32_t k) {
    return &run->lot->rows.graph->part[k];
}

uint32_t afxi_traced_first(const AfxiRun *run, uint32_t k) {
    uint32_t first = UINT32_MAX;
    if (run->chains) {
        const AfxiChains *chains = &run->chains->world->model->chains;
        const AfxiChain *chain = &chains->chain[k];
        for (uint32_t n = 0; n < chain->link_count; n++) {
            uint32_t body = chains->link[chain->first_link + n].body;
            first = body < first ? body : first;
        }
        return first;
    }
    for (uint32_t b = part_of(run, k)[0].first_body; b < part_of(run, k)[1].first_body; b++) {
        uint32_t body = run->lot->rows.graph->body[b];
        first = body < first ? body : first;
    }
    return first;
}

static AfxTraceEngine engine_of(const AfxiRun *run) {
    return run->engine == &afxi_engine_chain       ? AFX_TRACE_CHAIN
           : run->engine == &afxi_engine_tree      ? AFX_TRACE_TREE
           : run->engine == &afxi_engine_iterative ? AFX_TRACE_ITERATIVE
                                                   : AFX_TRACE_GRAPH;
}

/* The body that turned most. Where a whole stage is solved at once nothing is kept of single bodies. */
static uint32_t worst_body(const AfxiRun *run, uint32_t k) {
    const AfxiLot *lot = run->lot;
    uint32_t worst = UINT32_MAX;
    if (!lot || !afxi_lot_knows_turns(lot) || lot->rows.graph->pooled) {
        return UINT32_MAX;
    }
    for (uint32_t b = part_of(run, k)[0].first_body; b < part_of(run, k)[1].first_body; b++) {
        bool further = worst == UINT32_MAX || lot->turn[b] > lot->turn[worst] || isnan(lot->turn[b]);
        worst = further ? b : worst;
    }
    return worst == UINT32_MAX ? UINT32_MAX : lot->rows.graph->body[worst];
}

/* With a fixed number of solves nothing else decides. */
static AfxTraceReason reason_of(const AfxiRun *run, const AfxiIsland *island) {
    const AfxSimDef *def = run->lot ? &run->lot->rows.world->def : &run->chains->world->def;
    bool judged = island->verdict == AFXI_ACCEPT || island->verdict == AFXI_NEW_FRAMES;
    return def->solves && judged ? AFX_TRACE_FIXED_COUNT : island->judge.reason;
}

void afxi_traced_put_solve(const AfxiRun *run, uint32_t k, AfxTraceMethod method) {
    static const AfxTraceVerdict verdicts[] = {
        [AFXI_ACCEPT] = AFX_TRACE_ACCEPT,
        [AFXI_SAME_FRAMES] = AFX_TRACE_SAME_FRAMES,
        [AFXI_NEW_FRAMES] = AFX_TRACE_NEW_FRAMES,
        [AFXI_ESCALATE] = AFX_TRACE_ESCALATE,
        [AFXI_RECOLLIDE] = AFX_TRACE_RECOLLIDE,
        [AFXI_CUT_STEP] = AFX_TRACE_CUT_STEP,
        [AFXI_LOST] = AFX_TRACE_LOST,
    };
    const AfxiIsland *island = &run->island[k];
    const AfxiTally *tally = &run->tally[k];
    bool judged = !isnan(island->judge.error);
    AfxTraceEvent event = {
        .solve = island->spent + island->solves,
        .engine = engine_of(run),
        .method = run->chains && island->solves > 1 ? AFX_TRACE_EXACT : method,
        .island = afxi_traced_first(run, k),
        .bodies = island->body_count,
        .rotation = island->judge.error,
        .turn = tally->turn,
        .residual = judged ? tally->residual : NAN,
        .excess = judged && run->lot ? afxi_lot_excess(run->lot) : NAN,
        .rotation_tolerance = island->judge.tolerances.turn,
        .residual_tolerance = island->judge.tolerances.row,
        .verdict = verdicts[island->verdict],
        .reason = reason_of(run, island),
        .body = tally->finite ? worst_body(run, k) : tally->body,
        .joint = UINT32_MAX,
    };
    afxi_trace_put_solve(afxi_traced_of(run), &event);
}
