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

static const double turn_tolerance[] = {[AFX_FAST] = AFXI_TURN_TOLERANCE_FAST,
                                        [AFX_ACCURATE] = AFXI_TURN_TOLERANCE_ACCURATE,
                                        [AFX_CONVERGED] = AFXI_TURN_TOLERANCE_CONVERGED};

AfxiTolerances afxi_judge_tolerances(AfxAccuracy accuracy, double size, double h_squared) {
    double length = fmax(1, size), row = AFXI_ROW_TOLERANCE * length;
    if (accuracy != AFX_FAST) { /* a residual r is an error m r / h² in a multiplier */
        row = fmax(AFXI_ROW_ROUNDING * length, fmin(row, AFXI_ROW_ACCELERATION * h_squared));
    }
    return (AfxiTolerances){.turn = turn_tolerance[accuracy],
                            .turn_near = turn_tolerance[accuracy],
                            .turn_most = accuracy == AFX_CONVERGED ? AFXI_TURN_MOST_CONVERGED : AFXI_TURN_MOST,
                            .share = accuracy == AFX_ACCURATE ? AFXI_TURN_SHARE_ACCURATE : 0,
                            .exact = accuracy == AFX_CONVERGED,
                            .row = row,
                            .row_singular = AFXI_ROW_TOLERANCE_SINGULAR * length,
                            .loose = AFXI_ROW_TOLERANCE_LOOSE * length};
}

/* What the error of a solve may be. The first turn leads from where the past has put a body to where the step does: it
 * is the third difference of the motion, as the integrator's own error is, and a few times as large. */
static double error_most(const AfxiJudge *judge) {
    const AfxiTolerances *tolerances = &judge->tolerances;
    double share = fmax(AFXI_TURN_FINE, tolerances->share * judge->turn_first);
    return tolerances->share > 0 ? fmin(tolerances->turn, share) : tolerances->turn;
}

/* Turns up to which the last one may leave a strain. */
static double turn_most(const AfxiJudge *judge, uint32_t solve, bool slow, bool rounding) {
    const AfxiTolerances *tolerances = &judge->tolerances;
    if (tolerances->exact) {
        return rounding ? AFXI_TURN_STALLED : tolerances->turn_most;
    }
    return fmax(solve >= AFXI_STRAINED_SOLVES ? AFXI_TURN_WILD : slow ? AFXI_TURN_SLOWED : 0, tolerances->turn_most);
}

bool afxi_judge(AfxiJudge *judge, uint32_t solve, const AfxiTally *tally) {
    const AfxiTolerances *tolerances = &judge->tolerances;
    double error = tally->error, turn = tally->turn, before = judge->turn_before;
    if (solve > 1) {
        error = turn < before ? turn * turn / (before - turn) : INFINITY;
        error = fmax(error, tally->stiff_error); /* no rate tells of these */
        error = turn < AFXI_TURN_ROUNDING ? 0 : error;
    }
    bool slow = solve > 1 && turn > AFXI_TURN_SLOW * before;
    bool stalls = solve > 2 && turn < AFXI_TURN_STALLED && tally->residual > AFXI_ROW_STALLED * judge->residual_before;
    bool held = tally->residual <= (stalls ? tolerances->row_singular : tolerances->row);
    bool rounding = tolerances->exact && solve > 2 && turn < AFXI_TURN_STALLED &&
                    turn > (turn < AFXI_TURN_MOST_CONVERGED ? AFXI_TURN_SLOW : AFXI_TURN_NOISE) * before;
    judge->turn_before = turn;
    judge->turn_first = solve == 1 ? turn : judge->turn_first;
    judge->residual_before = tally->residual;
    bool strained = turn > turn_most(judge, solve, slow, rounding);
    bool near = error <= error_most(judge) || rounding;
    judge->turning = held && !strained && (!near || tally->jump);
    bool balanced = error <= (tolerances->share > 0 ? error_most(judge) : tolerances->turn_near);
    judge->unmet = balanced && turn <= AFXI_TURN_FINISHED && !tally->jump && (!held || strained || !near);
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
