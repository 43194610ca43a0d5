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
/** Where a coordinate is expected at the end of a stage, along the tangent or the parabola. */
double afxi_stage_expected(const AfxiState *state, const AfxiStagePlan *plan, size_t at, bool curved);
/** A matrix whose rotation is the one nearest to the target in the metric of the mass: for a rigid body that nothing
 * touches one solve from there is exact. Thin bodies get `predicted`. */
AfxiMat3 afxi_free_frame(const AfxiBodyClass *class, const double *target, const AfxiMat3 *predicted);
/** Puts the accepted result of a stage into the state. */
void afxi_commit_body(AfxiState *state, const AfxiStagePlan *plan, uint32_t body, const double next[AFXI_AFFINE_WIDTH],
                      const double qhat[AFXI_AFFINE_WIDTH], const double qv[AFXI_AFFINE_WIDTH]);

#endif
