/* SPDX-License-Identifier: Apache-2.0 */
/* What a stage makes of the past of a body, where the body is expected, and how its result becomes the state. */
#ifndef AFXI_STATE_HISTORY_H
#define AFXI_STATE_HISTORY_H

#include "math/vec3.h"
#include "state/integrator.h"
#include "state/state.h"

/** qhat and qv of a body in a stage. */
void afxi_stage_past(const AfxiState *state, const AfxiStagePlan *plan, uint32_t body, double qhat[AFXI_AFFINE_WIDTH],
                     double qv[AFXI_AFFINE_WIDTH]);
/** The acceleration of coordinate `at` that is known before a stage: q'' itself, or from the last two velocities; 0
 * when neither is. */
static inline double stage_acceleration(const AfxiState *state, const AfxiStagePlan *plan, size_t at) {
    if (plan->mode == AFXI_FREE_ALPHA) {
        return state->x3[at];
    }
    bool velocities = plan->mode == AFXI_FREE_MULTISTEP && plan->weights.qhat[3] != 0;
    return velocities ? (state->v[at] - state->x3[at]) / plan->predict : 0;
}

/** Where it is expected, along the tangent or the parabola. */
static inline double stage_expected(const AfxiState *state, const AfxiStagePlan *plan, size_t at, bool curved) {
    double h = plan->predict, line = state->q[at] + h * state->v[at];
    return curved ? line + 0.5 * h * h * stage_acceleration(state, plan, at) : line;
}
/** A matrix whose rotation is the one nearest to the target in the metric of the mass: for a rigid body that nothing
 * touches one solve from there is exact. Thin bodies get `predicted`. */
AfxiMat3 afxi_free_frame(const AfxiBodyClass *class, const double *target, const AfxiMat3 *predicted);
/** Puts the accepted result of a stage into the state. */
void afxi_commit_body(AfxiState *state, const AfxiStagePlan *plan, uint32_t body, const double next[AFXI_AFFINE_WIDTH],
                      const double qhat[AFXI_AFFINE_WIDTH], const double qv[AFXI_AFFINE_WIDTH]);

#endif
