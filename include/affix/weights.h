/* SPDX-License-Identifier: Apache-2.0 */
/* affix/weights.h: how constraints that repeat each other share their load (docs/joints.md#weights). */
#ifndef AFFIX_WEIGHTS_H
#define AFFIX_WEIGHTS_H

#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What forces and torques cost: of all multipliers that balance the same loads, queries tell those with the least sum
 * of weight times square. Each above 0; NULL: 1 for all. */
typedef struct AfxWeights {
    const double *joint_force;  /* [joints] of a joint's forces, 1/N² */
    const double *joint_torque; /* [joints] of its torques, 1/(Nm)² */
    const double *drive;        /* [drives] of efforts of position and velocity drives */
} AfxWeights;

/** Shares the load of redundant constraints by weights from the next step on: reactions and efforts of exact
 * constraints in mechanisms with loops become the weighted least-norm ones. The motion stays the same but for rounding.
 * NULL: no longer, they come as the solver leaves them. Like wrenches, weights are input: a snapshot does not have
 * them. AFX_E_ARGUMENT: a weight is not above 0 or not finite, or the sim has another formulation than AFX_AFFIX, or an
 * integrator that conserves. */
AFX_API AfxStatus afx_sim_set_weights(AfxSim *sim, const AfxWeights *weights);
/** What the multipliers that were chosen in the last step leave of the forces that they stand for, over the largest of
 * these: rounding. A mechanism with more than 1e-8 left keeps the multipliers of the solver. AFX_E_ARGUMENT without
 * weights. */
AFX_API AfxStatus afx_sim_weights_residual(const AfxSim *sim, double *out_residual);

#ifdef __cplusplus
}
#endif
#endif
