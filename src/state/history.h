/* SPDX-License-Identifier: Apache-2.0 */
/* What a stage makes of the past of a body, where the body is expected, and how its result becomes the state. */
#ifndef AFXI_STATE_HISTORY_H
#define AFXI_STATE_HISTORY_H

#include "math/vec3.h"
#include "state/integrator.h"
#include "state/world.h"

/** qhat and qv of a body in a stage, with what phase fitting adds for a jointed body (afxi_phase_fill). */
void afxi_stage_past(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body, double qhat[AFXI_AFFINE_WIDTH],
                     double qv[AFXI_AFFINE_WIDTH]);
/** The same, with what `row` adds (state/phase.h); NULL: nothing. */
void afxi_stage_past_with(const AfxiState *state, const AfxiStagePlan *plan, uint32_t body, const double *row,
                          double qhat[AFXI_AFFINE_WIDTH], double qv[AFXI_AFFINE_WIDTH]);
/** The acceleration of coordinate `at` that is known before a stage: q'' itself, or from the last two velocities; 0
 * when neither is. */
static inline double stage_acceleration(const AfxiState *state, const AfxiStagePlan *plan, size_t at) {
    if (plan->mode == AFXI_FREE_ALPHA) {
        return state->x3[at];
    }
    bool velocities = plan->mode == AFXI_FREE_MULTISTEP && plan->weights.qhat[3] != 0;
    return velocities ? (state->v[at] - state->x3[at]) / plan->predict : 0;
}

/** Where it is expected, along the tangent or the parabola, with what `row` adds to coordinate e of its body. */
static inline double stage_expected(const AfxiState *state, const AfxiStagePlan *plan, const double *row, size_t at,
                                    int e, bool curved) {
    double h = plan->predict, line = state->q[at] + h * state->v[at];
    line += row ? row[AFXI_PHASE_LINE + e] : 0;
    double bend = 0.5 * h * h * stage_acceleration(state, plan, at) + (row ? row[AFXI_PHASE_BEND + e] : 0);
    return curved ? line + bend : line;
}
/** A matrix whose rotation is the one nearest to the target in the metric of the mass: for a rigid body that nothing
 * touches one solve from there is exact. Thin bodies get `predicted`. */
AfxiMat3 afxi_free_frame(const AfxiBodyClass *class, const double *target, const AfxiMat3 *predicted);
/** Puts the accepted result of a stage into the state. */
void afxi_commit_body(AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body, const double next[AFXI_AFFINE_WIDTH],
                      const double qhat[AFXI_AFFINE_WIDTH], const double qv[AFXI_AFFINE_WIDTH]);

#endif
