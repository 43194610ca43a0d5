/* SPDX-License-Identifier: Apache-2.0 */
/* When the solves of a stage are enough. A solve is accepted when
 *     first:  error <= tol,     later:  r/(1-r) |w| <= tol,  r = |w| / |w before|,
 * where the error of a first solve is |w| and what the bound gamma on the geometric stiffness spoils (engine/lot.c; in
 * chains and trees only where |w| (1 + gamma h²/I) does not pass), |w| itself is small, the rows hold to rounding, and
 * no body's new stiffness is more than twice what the solve knew (a chain that snaps taut). w is a body's rotation away
 * from its frame. Where that strain is taken out afterwards, |w| may be larger, and turns of bodies that hold next to
 * no energy do not count (engine/full_newton.c). */
#include "solve/judge.h"

#include <math.h>

#include "solve/tuning.h"

static const double turn_tolerance[] = {
    [AFX_FAST] = AFXI_TURN_TOLERANCE_FAST, [AFX_ACCURATE] = AFXI_TURN_TOLERANCE_ACCURATE};

AfxiTolerances afxi_judge_tolerances(AfxAccuracy accuracy, double size, double h_squared) {
    double length = fmax(1, size), row = AFXI_ROW_TOLERANCE * length;
    if (accuracy == AFX_ACCURATE) { /* a residual r is an error m r / h² in a multiplier */
        row = fmax(AFXI_ROW_ROUNDING * length, fmin(row, AFXI_ROW_ACCELERATION * h_squared));
    }
    return (AfxiTolerances){.turn = turn_tolerance[accuracy],
                            .turn_near = turn_tolerance[accuracy],
                            .turn_most = AFXI_TURN_MOST,
                            .row = row,
                            .row_singular = AFXI_ROW_TOLERANCE_SINGULAR * length,
                            .loose = AFXI_ROW_TOLERANCE_LOOSE * length};
}

bool afxi_judge(AfxiJudge *judge, uint32_t solve, const AfxiTally *tally) {
    const AfxiTolerances *tolerances = &judge->tolerances;
    double error = tally->error, turn = tally->turn, before = judge->turn_before;
    if (solve > 1) {
        error = turn < before ? turn * turn / (before - turn) : INFINITY;
        error = turn < AFXI_TURN_ROUNDING ? 0 : error;
    }
    bool slow = solve > 1 && turn > AFXI_TURN_SLOW * before;
    bool stalls = solve > 2 && turn < AFXI_TURN_STALLED && tally->residual > AFXI_ROW_STALLED * judge->residual_before;
    bool held = tally->residual <= (stalls ? tolerances->row_singular : tolerances->row);
    judge->turn_before = turn;
    judge->residual_before = tally->residual;
    double most = solve >= AFXI_STRAINED_SOLVES ? AFXI_TURN_WILD : slow ? AFXI_TURN_MOST : 0;
    bool strained = turn > fmax(most, tolerances->turn_most);
    bool near = error <= tolerances->turn;
    judge->turning = held && !strained && (!near || tally->jump);
    judge->unmet = error <= tolerances->turn_near && !tally->jump && (!held || strained || !near);
    judge->error = error;
    judge->reason = !near         ? AFX_TRACE_ROTATION
                    : tally->jump ? AFX_TRACE_JUMP
                    : strained    ? AFX_TRACE_TURN
                    : held        ? AFX_TRACE_FINE
                                  : AFX_TRACE_RESIDUAL;
    return judge->reason == AFX_TRACE_FINE;
}

AfxTraceReason afxi_judge_reason(AfxTraceReason reason, bool converged, bool branches_changed) {
    bool fine = reason == AFX_TRACE_FINE || reason == AFX_TRACE_LIGHT;
    return branches_changed ? AFX_TRACE_ACTIVE_SET : fine && !converged ? AFX_TRACE_FLIPPED : reason;
}
