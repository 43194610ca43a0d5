/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of a solve: pure functions of what solves came to, so that they can be replayed from a trace. */
#ifndef AFXI_SOLVE_JUDGE_H
#define AFXI_SOLVE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "affix/sim.h"
#include "affix/trace.h"
#include "engine/engine.h"

typedef enum AfxiVerdict {
    AFXI_ACCEPT,      /* the stage's equations are met */
    AFXI_SAME_FRAMES, /* the active set changed: solve again at the same frames */
    AFXI_NEW_FRAMES,  /* solve again at the frames of the result */
    AFXI_ESCALATE,    /* the next engine takes it */
    AFXI_RECOLLIDE,   /* contact points no longer fit: look for them where the bodies came to be */
    AFXI_CUT_STEP,    /* a smaller step */
    AFXI_LOST         /* not finite */
} AfxiVerdict;

/** How close solves must come. */
typedef struct AfxiTolerances {
    double turn, turn_near, turn_most; /* of the error; from where on it is enough to meet the rows; of the last turn */
    double row, row_singular;          /* of rows; of redundant ones at a singular position */
    double loose;                      /* beyond it the report says so */
    double share;                      /* > 0: of the first turn, which the error is held against as well */
    bool exact;                        /* until nothing but rounding is left */
} AfxiTolerances;

/** What the judgement of an island remembers from solve to solve. */
typedef struct AfxiJudge {
    AfxiTolerances tolerances;
    double turn_before, residual_before; /* of the last solve */
    double turn_first;                   /* of the first one, away from where the past has led it */
    bool turning;                        /* only turns that are not small yet speak against the last solve */
    bool unmet;                          /* the last solve would do but for its rows */
    double error;                        /* of the rotations of the last solve, estimated; NaN: not judged */
    AfxTraceReason reason;               /* why the last solve is enough, or what speaks against it */
} AfxiJudge;

/** Tolerances of an island of size `size` m in a stage of step h. */
AfxiTolerances afxi_judge_tolerances(AfxAccuracy accuracy, double size, double h_squared);
/** Whether solve number `solve` at its frames (from 1) is enough. */
bool afxi_judge(AfxiJudge *judge, uint32_t solve, const AfxiTally *tally);
/** Why a solve that afxi_judge speaks `reason` of is not `converged` after all. */
AfxTraceReason afxi_judge_reason(AfxTraceReason reason, bool converged, bool branches_changed);

#endif
