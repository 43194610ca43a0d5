/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of the joint graph before and after their solves, one per lane: what a stage makes of the past, the frames to
 * solve in, and the new state. */
#ifndef AFXI_DUAL_MOTION_H
#define AFXI_DUAL_MOTION_H

#include "body/free.h"
#include "body/phase.h"
#include "dual/chain.h"

/** Arrays of state are by body of the model, all others by body of the graph. */
typedef struct AfxiMotion {
    AfxiFreeMode mode;
    AfxiStageWeights weights;
    double predict;           /* s, to the stage's end */
    double parabola[2];       /* what of v - x3, and of x3, bends the tangent */
    bool damped;              /* some class has damping */
    bool alpha;               /* qhat is wanted */
    const uint32_t *body;     /* of the model */
    const uint32_t *class_of; /* [bodies of the model] */
    const double *constants;  /* [classes][AFXI_CHAIN_SIZE] */
    uint8_t *curved;          /* [bodies of the model] predicted along a parabola */
    double *q, *v, *x2, *x3, *previous_q, *previous_v;
    double *qhat, *qv, *target; /* [12] */
    AfxiMat3 *frame;
    AfxVec3 *origin;
    double *at;                 /* [at_end][12] where rows are linearised */
    uint32_t at_end;            /* it is wanted of the first bodies alone, or of none */
    double *next;               /* [12] */
    const double *phase_row;    /* [slots][AFXI_PHASE_SIZE] what is added to the past (state/phase.h); NULL: nothing */
    const uint32_t *phase_slot; /* [bodies of the model] */
    double *gap, *last_gap;     /* which a commit brings up to date; NULL: they stay */
    bool has_past;              /* qv of all bodies is that of the stage */
} AfxiMotion;

/** Bodies begin ... end of the graph. */
typedef void AfxiMotionPass(const AfxiMotion *motion, uint32_t begin, uint32_t end);

typedef struct AfxiMotionKernel {
    AfxiMotionPass *predict; /* qhat, qv, target; frame and origin where the body is expected */
    AfxiMotionPass *advance; /* frame and origin from next */
    AfxiMotionPass *commit;  /* next into the state, and which predictor would have been better */
} AfxiMotionKernel;

const AfxiMotionKernel *afxi_motion_kernel(uint32_t lanes);
/** Whether what A of a body is expected to be, beside its rotation, is a strain: rows of a first solve are linearised
 * there then. */
bool afxi_motion_strained(const double expected[9], const double rotation[9]);

#endif
