/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the stages of a step to the oracle of solve/residual.h, where the sim is told to. */
#ifndef AFXI_STEP_VERIFY_H
#define AFXI_STEP_VERIFY_H

#include "solve/residual_stage.h"
#include "solve/stage.h"
#include "step/sim.h"

typedef struct AfxiVerify AfxiVerify;

/** A stage that was accepted, as the oracle is told of it; pointers hold during the call. */
typedef struct AfxiStageSeen {
    const AfxiResidualStage *stage;
    const double *const *past;        /* q, v, x2, x3, gaps of v and x3 [bodies][12] at its beginning */
    const AfxiStagePlan *const *plan; /* [bodies] of those that are not absent */
    const AfxiStagePlan *const *look; /* [bodies] by which those with points of contact were expected when these were
                                         looked for; NULL: they do not move, or a solve had put them there */
    const AfxiPointSlope *slope;      /* [points]; NULL: out of memory */
    double fraction;                  /* of the step, where it ends */
    double dt;                        /* s, of the step or the part of it */
} AfxiStageSeen;

/** Who else wants to see what a step is made of; calls in the order of the step. */
typedef struct AfxiStageWatch {
    void *context;
    void (*advance)(void *context, bool whole); /* a step begins, or another try to do late bodies in parts */
    void (*start)(void *context, const uint8_t *wanted, double dt); /* accelerations were made for these bodies */
    void (*stage)(void *context, const AfxiStageSeen *seen);
} AfxiStageWatch;

/** Shows the stages of steps to somebody, NULL: to nobody any more. The oracle judges them only where the sim was told
 * to (afx_sim_set_verify). */
AfxStatus afxi_verify_watch(AfxSim *sim, const AfxiStageWatch *watch);
/** Notes what a stage starts from; `first`: of a step, or of a try to do late bodies in parts of it, so that what was
 * found of the try before is dropped. */
void afxi_verify_begin(AfxSim *sim, const AfxiStageDef *def, bool first);
/** Evaluates the stage for the bodies that were accepted, each by the plan that it was solved with. */
void afxi_verify_end(AfxSim *sim, const AfxiStageDef *def);
void afxi_verify_destroy(AfxSim *sim);

#endif
