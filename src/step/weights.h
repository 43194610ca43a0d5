/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of multipliers (affix/weights.h) in a sim. */
#ifndef AFXI_STEP_WEIGHTS_H
#define AFXI_STEP_WEIGHTS_H

#include "affix/weights.h"
#include "solve/share.h"

typedef struct AfxiWeights {
    AfxiShare *share;
    double left; /* of the last step (afx_sim_weights_residual) */
} AfxiWeights;

/** lambda, laid out as that of the state, of the present positions: shares by the weights, where the sim has some. */
void afxi_weights_apply(AfxSim *sim, double *lambda);
void afxi_weights_destroy(AfxSim *sim);

#endif
