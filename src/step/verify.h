/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the stages of a step to the oracle of solve/residual.h, where the sim is told to. */
#ifndef AFXI_STEP_VERIFY_H
#define AFXI_STEP_VERIFY_H

#include "solve/stage.h"
#include "step/sim.h"

typedef struct AfxiVerify AfxiVerify;

/** Notes what a stage starts from; `first`: of a step, or of a try to do late bodies in parts of it, so that what was
 * found of the try before is dropped. */
void afxi_verify_begin(AfxSim *sim, const AfxiStageDef *def, bool first);
/** Evaluates the stage for the bodies that were accepted, each by the plan that it was solved with. */
void afxi_verify_end(AfxSim *sim, const AfxiStageDef *def);
void afxi_verify_destroy(AfxSim *sim);

#endif
