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
/* Geometric stiffness over the inertia, as a whole, that is made definite: the inverse of more of it, by its cofactors,
 * has too few digits left for rows to be met by it. A point mass on a hinge (the case a01) has some 1e9, and solves
 * stood still at 1.4e-7 m; links that carry a thousand times their own weight have some 1e2. */
#define AFXI_DEFINITE_MOST 1e4
/* How long qhat of A of a rigid body that turns may be, where its size is 1: solves of jointed bodies multiply what a
 * direction is off by at most this less 1. It is 1 + (2 theta/3)² for BDF2, so that bodies are eased from 0.82 rad a
 * step; those on hinges turned too far from about 1.3 without it. */
#define AFXI_PHASE_PULL 1.3
/* rad a step. Bodies that turn less than FEW are not fitted to their turning (body/phase.h): what is missed is of the
 * size of its fourth power. Elastic ones that turn further than MOST_ELASTIC are pulled
 * apart by more than half their size and do not settle. Those that turn further than MOST have no phase that a step of
 * BDF2 could tell: qhat is behind by more than a right angle from 2.4 on. LEAST keeps divisions finite in
 * lanes that are not fitted. */
#define AFXI_PHASE_FEW 1e-4
#define AFXI_PHASE_MOST 2.3
#define AFXI_PHASE_MOST_ELASTIC 1.2
#define AFXI_PHASE_LEAST 1e-12
/* Nor those whose size, the mean square of A, is off by more than this. */
#define AFXI_PHASE_STRAIN 0.05
/* How much less a body whose angular velocity changes by chi of itself in a step is taken to turn on by BDF2: 1 / (1 +
 * this chi²). A box of 1 : 2 : 3 that tumbles at 0.56 rad a step gains 11 % in 200 steps without it. */
#define AFXI_PHASE_UNSTEADY 40.0

#endif
