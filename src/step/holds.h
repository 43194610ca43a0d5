/* SPDX-License-Identifier: Apache-2.0 */
/* Points held in the world by a spring and a damper, inside the solve.
 *
 * A hold pulls the point p = A x + t of its body by -k (p - target) - c p'. A stage has p' = (p - p_v) / h, p_v where
 * qv puts the point, so this is
 *     -K (p - T),   K = k + c / h,   T = (k target + c/h p_v) / K:
 * three rows in the body's own block (dual/touch.h), whatever the body is part of.
 *
 * They are linear in q, but a solve knows turns to first order only. To second order a pull f at x, both in the body's
 * frame, resists a turn w by
 *     1/2 w . G w,   G = (f . x) I - (f x^T + x f^T) / 2.
 * Without it, solves overshoot where the pull is far longer than x. So a hold has two more rows, of turns: the positive
 * part of G, which has two axes, for the pull of the last solve; in a first solve for the one that would move the body
 * alone. They are zero at the frames of a solve: once these are right, nothing is left of them. */
#ifndef AFXI_STEP_HOLDS_H
#define AFXI_STEP_HOLDS_H

#include "step/sim.h"

#define AFXI_HOLD_ROWS 5u

/** Where the body of a hold is solved. */
typedef enum AfxiHoldPath { AFXI_HOLD_FREE, AFXI_HOLD_JOINTED, AFXI_HOLD_LINK } AfxiHoldPath;

typedef struct AfxiHold {
    uint32_t body; /* of the model */
    AfxiHoldPath path;
    uint32_t place;            /* body of the graph, or link */
    AfxVec3 point;             /* x, in the principal frame */
    AfxVec3 target;            /* at the end of the next step; in parts of it the target moves evenly from ... */
    AfxVec3 from;              /* ... the last one, or from where the point is when it is taken */
    bool fresh;                /* no step yet */
    double stiffness, damping; /* k, c */
    double pull;               /* K of the stage */
    AfxVec3 rest;              /* T of the stage */
    AfxiTouchRow *row;         /* [AFXI_HOLD_ROWS] of the stage: in `touches` here, or in those of the contacts */
    AfxVec3 force;             /* on the body, at the end of the last step */
} AfxiHold;

typedef struct AfxiHolds {
    AfxiHold hold[AFX_HOLDS_MOST];
    uint32_t count;
    AfxiTouches touches; /* of all holds, in their order, over the arrays that follow */
    AfxiTouchBody body[AFX_HOLDS_MOST];
    AfxiTouchRow row[AFX_HOLDS_MOST * AFXI_HOLD_ROWS];
    double image[AFX_HOLDS_MOST * AFXI_HOLD_ROWS][12];
    uint32_t *touch_of;   /* [bodies of the graph] into touches, or UINT32_MAX */
    uint32_t *link_touch; /* [links] the same */
    void *raw;
    size_t raw_size;
} AfxiHolds;

/** The hold of a body, or NULL. */
AfxiHold *afxi_hold_of(const AfxSim *sim, uint32_t body);
/** Whether any body that is solved so is held. */
bool afxi_holds_any(const AfxSim *sim, AfxiHoldPath path);
/** Marks the beginning of a step. */
void afxi_holds_start(AfxSim *sim);
/** Makes the rows of all holds for the first solve of a stage that ends at `fraction` of the step. `whole`: it is not
 * one of a part of the step. */
void afxi_holds_begin(AfxSim *sim, const AfxiStagePlan *plan, double fraction, bool whole);
/** The dual system reckons with the holds, or no longer; for sims without contacts, whose touches have them too. */
void afxi_holds_attach(AfxSim *sim, bool on);
/** The next solve is at the result q of the last one. */
void afxi_hold_follow(AfxiHold *hold, const double q[12]);
/** The same for all bodies that are solved so: `next` is [bodies of the graph][12], or [bodies][12] for links. */
void afxi_holds_follow(AfxSim *sim, AfxiHoldPath path, const double *next);
/** Solves a stage of the held bodies that nothing else holds; settings are those of other free bodies. */
void afxi_holds_free(AfxSim *sim, const AfxiStagePlan *plan, const AfxiFreeStage *stage, AfxiFreeOutcome *out);
/** Keeps the forces at the end of a step. */
void afxi_holds_finish(AfxSim *sim);
void afxi_holds_destroy(AfxSim *sim);

/** A graph with a plan, and its workspace, for a sim whose model has none; in use between calls of attach. */
AfxStatus afxi_graded_create(AfxSim *sim);
void afxi_graded_destroy(AfxSim *sim);
void afxi_graded_attach(AfxSim *sim, bool on);

#endif
