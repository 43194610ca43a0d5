/* SPDX-License-Identifier: Apache-2.0 */
/* Points held in the world by a spring and a damper, inside the solve.
 *
 * A hold pulls the point p = A x + t of its body by -k (p - target) - c p'. A stage has p' = (p - p_v) / h, p_v where
 * qv puts the point, so this is
 *     -K (p - T),   K = k + c / h,   T = (k target + c/h p_v) / K:
 * three rows in the body's own block (body/woodbury.h), whatever the body is part of.
 *
 * They are linear in q, but a solve knows turns to first order only. To second order a pull f at x, both in the body's
 * frame, resists a turn w by
 *     1/2 w . G w,   G = (f . x) I - (f x^T + x f^T) / 2.
 * Without it, solves overshoot where the pull is far longer than x. So a hold has two more rows, of turns: the positive
 * part of G, which has two axes, for the pull of the last solve; in a first solve for the one that would move the body
 * alone. They are zero at the frames of a solve: once these are right, nothing is left of them. */
#ifndef AFXI_STATE_HOLDS_H
#define AFXI_STATE_HOLDS_H

#include "body/woodbury.h"
#include "state/world.h"

#define AFXI_HOLD_ROWS 5u

typedef struct AfxiHold {
    uint32_t body;             /* of the model */
    AfxVec3 point;             /* x, in the principal frame */
    AfxVec3 target;            /* at the end of the next step; in parts of it the target moves evenly from ... */
    AfxVec3 from;              /* ... the last one, or from where the point is when it is taken */
    bool fresh;                /* no step yet */
    double stiffness, damping; /* k, c */
    double pull;               /* K of the stage */
    AfxVec3 rest;              /* T of the stage */
    AfxiWoodburyRow *row;      /* [AFXI_HOLD_ROWS] of the stage, in those of the contacts */
    AfxVec3 force;             /* on the body, at the end of the last step */
} AfxiHold;

typedef struct AfxiHolds {
    AfxiHold hold[AFX_HOLDS_MOST];
    uint32_t count;
} AfxiHolds;

/** The hold of a body, or NULL. */
AfxiHold *afxi_hold_of(const AfxiWorld *world, uint32_t body);

#endif
