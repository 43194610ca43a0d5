/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of one body: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_BODY_TUNING_H
#define AFXI_BODY_TUNING_H

/* A rotation about an axis with less than this share of the largest moment of inertia is not predicted but left to the
 * iterations: the prediction divides by that share of the inertia, and loses as many digits. */
#define AFXI_EXACT_FRAME_RATIO 1e-6
/* rad: a solve of a free body that turns it by less has converged to rounding, whatever the ratio of turns says
 * (docs/step.md, 4). */
#define AFXI_FREE_TURN_ROUNDING 1e-15
/* Pivots of I + sqrt(Theta) K sqrt(Theta), or of inertia and stiffness over the inertia, below this are too near to
 * buckling for the exact geometric stiffness: the bound is the safe choice there. Trades solver iterations of bodies
 * near buckling (the bound damps) for steps that overshoot by up to ten times. */
#define AFXI_BUCKLING_PIVOT 0.1

#endif
