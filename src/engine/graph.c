/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of lots: `tree` for forests, `graph` for anything, `iterative` for comparison. They share
 * all but how the dual system is solved, which its graph says (dual/system.c). */
#include <math.h>
#include <string.h>

#include "dual/recursion.h"
#include "dual/system.h"
#include "engine/between.h"
#include "engine/closed_form.h"
#include "engine/engine.h"
#include "engine/full_newton.h"
#include "engine/lot.h"
#include "engine/tuning.h"
#include "model/plan.h"

/* Forests stay in closed form whatever touches them; loops go by their gradients then. */
static bool in_closed_form(const AfxiLot *lot) {
    AfxSolver solver = lot->rows.graph->solver;
    bool plain = !lot->system.woodbury && !lot->is_warm;
    return solver != AFX_SOLVER_CG && solver != AFX_SOLVER_GS && !lot->pairs && lot->rows.graph->closed_form.raw &&
           (plain || !afxi_graph_all_stored(lot->rows.graph));
}

static void begin(void *data, const AfxiStagePlan *plan) {
    AfxiLot *lot = data;
    lot->finishing = false;
    lot->turned_after = 0; /* turns of another stage say nothing of this one */
    afxi_class_table_chain(lot->table, lot->rows.world, plan->weights.scale, false);
    afxi_lot_predict(lot, plan, in_closed_form(lot));
    afxi_lot_linearise(lot);
    afxi_lot_bound(lot);
}

/* A stage in two passes may not be accurate enough, or not possible: pass by pass then. */
static void solve_unfolded(AfxiLot *lot, bool later) {
    afxi_closed_form_unfold(lot);
    afxi_lot_linearise(lot);
    afxi_lot_bound(lot);
    afxi_lot_inverses(lot, lot->full_newton, later);
    afxi_dual_solve(&lot->system, later, &lot->dual);
}

/* Each component of a pooled forest goes by what it came to itself. */
static void tally_parts(const AfxiLot *lot, AfxiTally *tally) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->part_count; k++) {
        const AfxiPartTally *part = &lot->parts[k];
        tally[k] = (AfxiTally){.error = part->error,
                               .turn = part->turn,
                               .residual = part->gap,
                               .body = part->infinite ? graph->body[graph->part[k].first_body] : UINT32_MAX,
                               .jump = part->jump,
                               .finite = !part->infinite,
                               .refused = !afxi_recursion_accurate(part->gap, part->reach)};
    }
}

static void solve(void *data, const AfxiAsk *ask) {
    AfxiLot *lot = data;
    AfxiTally *tally = ask->tally;
    bool pooled = lot->rows.graph->pooled;
    /* a fixed number of solves is for comparing solvers, which do not all know it */
    lot->full_newton = afxi_graph_is_net(lot->rows.graph) && !*lot->regularise && !lot->rows.world->def.solves;
    lot->system.bodies.enough = fmin(ask->fine, AFXI_TURN_FULL_NEWTON);
    lot->system.recursion.fine = ask->fine;
    lot->system.recursion.parts = pooled ? lot->parts : NULL;
    if (!pooled && ask->same && *ask->same && lot->ready) {
        afxi_lot_restart(lot);
    } else {
        afxi_lot_inverses(lot, lot->full_newton, ask->later);
        afxi_lot_start(lot, lot->finishing);
    }
    afxi_dual_solve(&lot->system, ask->later, &lot->dual);
    if (pooled) {
        tally_parts(lot, tally);
        return;
    }
    if (lot->system.bodies.on && lot->system.recursion.refused) {
        solve_unfolded(lot, ask->later);
    }
    if (lot->finishing) {
        afxi_lot_add_fixed(lot);
    }
    *tally = (AfxiTally){.turn = afxi_lot_update(lot),
                         .regularised = lot->dual.regularised,
                         .unconverged = lot->dual.unconverged,
                         .body = UINT32_MAX};
    lot->iterations += lot->dual.iterations;
    tally->finite = afxi_lot_finite(lot, &tally->body);
    lot->able = lot->system.bodies.on && lot->full_newton && lot->dual.factored && !lot->dual.regularised;
}

static void measure(void *data, const AfxiAsk *ask) {
    AfxiLot *lot = data;
    if (lot->rows.graph->pooled) {
        return;
    }
    lot->rows.closed_form_gap = lot->system.bodies.gap;
    afxi_lot_stiffness_next(lot);
    ask->tally->error = afxi_lot_first_error(lot, &ask->tally->jump);
    ask->tally->stiff_error = ask->later && afxi_lot_method(lot) == AFX_TRACE_BOUND ? afxi_lot_stiff_error(lot) : 0;
    ask->tally->residual = afxi_rows_residual(&lot->rows);
}

static void advance(void *data, const AfxiAsk *ask) {
    AfxiLot *lot = data;
    (void)ask;
    afxi_lot_advance(lot);
    afxi_lot_linearise(lot);
    afxi_rows_stiffness(&lot->rows, lot->system.lambda, lot->gamma, lot->stiffness);
}

/* All multipliers of a lot, in one go with keeping those before the step. */
static void exchange_multipliers(AfxiLot *lot, AfxiState *state) {
    uint32_t count = lot->rows.graph->row_count;
    double *restrict now = state->lambda + lot->rows.graph->first_row;
    double *restrict before = (double *)state->saved_rest + lot->rows.graph->first_row; /* lambda is its first part */
    const double *restrict made = lot->system.lambda;
    for (uint32_t row = 0; row < count; row++) {
        before[row] = now[row];
        now[row] = made[row];
    }
    lot->kept = true;
}

static void store_multipliers(AfxiLot *lot, AfxiState *state, uint32_t begin, uint32_t end) {
    if (!lot->row_of && !lot->kept && begin == 0 && end == lot->rows.graph->row_count) {
        exchange_multipliers(lot, state);
        return;
    }
    if (!lot->row_of) {
        afxi_lot_keep_multipliers(lot);
        memcpy(state->lambda + lot->rows.graph->first_row + begin, lot->system.lambda + begin,
               (end - begin) * sizeof(double));
        return;
    }
    for (uint32_t row = begin; row < end; row++) {
        state->lambda[lot->row_of[row]] = lot->row_sign[row] * lot->system.lambda[row];
    }
}

static void commit(void *data, AfxiState *state, const uint8_t *accepted) {
    AfxiLot *lot = data;
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->part_count; k++) {
        const AfxiGraphPart *part = &graph->part[k];
        uint32_t end = k;
        while (end < graph->part_count && (!accepted || accepted[end])) { /* neighbours side by side */
            end++;
        }
        if (end > k) {
            const AfxiGraphPart *behind = &graph->part[end];
            afxi_lot_commit(lot, state, part->first_body, behind->first_body);
            store_multipliers(lot, state, part->first_row, behind->first_row);
            k = end - 1;
        }
    }
}

static void forget(void *data) {
    AfxiLot *lot = data;
    lot->system.older.stale = true;
}

static const AfxiBetweenKind between = {
    .violation = afxi_lot_violation,
    .start = afxi_lot_start_accelerations,
    .close = afxi_lot_close,
    .project = afxi_lot_project,
    .rank = afxi_lot_rank,
    .forget = forget,
};

#define LOT_ENGINE(title, abilities)                                                                                 \
    {                                                                                                                \
        .name = (title), .can = (abilities), .begin = begin, .solve = solve, .measure = measure, .advance = advance, \
        .commit = commit, .between = &between                                                                        \
    }

const AfxiEngineKind afxi_engine_tree = LOT_ENGINE("tree", AFXI_CAN_CONTACT | AFXI_CAN_REPEAT);
const AfxiEngineKind afxi_engine_graph = LOT_ENGINE("graph", AFXI_CAN_CONTACT | AFXI_CAN_PAIRS | AFXI_CAN_REPEAT);
const AfxiEngineKind afxi_engine_iterative = LOT_ENGINE("iterative", AFXI_CAN_CONTACT | AFXI_CAN_REPEAT);
