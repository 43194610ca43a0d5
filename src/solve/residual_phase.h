/* SPDX-License-Identifier: Apache-2.0 */
/* What phase fitting adds to qhat and qv, for the oracle: from its definition (docs/step.md, 2), with plain matrices,
 * and nothing that the solver made of it. */
#ifndef AFXI_SOLVE_RESIDUAL_PHASE_H
#define AFXI_SOLVE_RESIDUAL_PHASE_H

#include "body/phase.h"
#include "model/model.h"

/** How a body went through a stage. */
typedef struct AfxiResidualPhase {
    AfxiPhase phase;
    double step;
    AfxiStageWeights weights;
} AfxiResidualPhase;

typedef struct AfxiResidualPast {
    const AfxModel *model;
    const double *params;
    const double *const *past; /* q, v, x2, x3, gaps of v and x3 [bodies][12] at the beginning of the stage */
    const uint8_t *joint_active;
    const AfxiResidualPhase *way; /* [bodies] */
    double *more[2];              /* [bodies][12] what is added to qhat and qv */
    double *ease;                 /* [bodies][9] work */
} AfxiResidualPast;

/** For all bodies of the model that are solved for. */
void afxi_residual_phase(const AfxiResidualPast *past);

#endif
