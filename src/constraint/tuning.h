/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of constraint rows: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_CONSTRAINT_TUNING_H
#define AFXI_CONSTRAINT_TUNING_H

/* Share of its stiffness that friction keeps along the slip when it slides: makes the system definite along the slip.
 * The force along the slip does not grow with it, only the path of the iteration depends on it. */
#define AFXI_SLIDING_SHARE 0.01
/* A drive that changes its branch more often than this in one step keeps the one it has: laws that go round in circles
 * end. */
#define AFXI_BRANCH_CHANGES_MOST 6u
/* A spring stiffer than so many m/h² of its body holds no better: rounding of the positions (1e-16, and m/h² of it a
 * force) is all that is left (docs/step.md, held points). */
#define AFXI_HOLD_STIFFEST 1e13
/* Slower than this a coordinate is at rest, per second: friction sticks. */
#define AFXI_STILL 1e-9
/* Of the size: how far a drive's coordinate may be off and still count as on its branch: rounding of what a row
 * measures. */
#define AFXI_BRANCH_ROUNDING 1e-12
/* The same for a limit that is not met, of the size (at least 1 m): a step leaves what stands at its end off by 1e-11
 * of it (AFXI_ROW_TOLERANCE), and friction that holds it there must not be told that it is beyond. With 1e-12, limit
 * and friction of a joint took turns until neither might change. */
#define AFXI_LIMIT_SLACK 2e-11
/* So many times that, a coordinate that a limit holds may seem to go the other way before friction changes its side:
 * first solves leave rows off by 1e-9, and at rest either side is right. */
#define AFXI_LIMIT_AT_REST 500.0
/* How far the force of a spring with tables may be from its tables, of the larger of both. Newton's step from where the
 * past leads leaves a few millionths of it where the table is smooth; at a kink or a stop it may leave all of it.
 * `accurate` and `converged`: as their turns. */
#define AFXI_TABLE_TOLERANCE_FAST 1e-3
#define AFXI_TABLE_TOLERANCE_ACCURATE 1e-6
#define AFXI_TABLE_TOLERANCE_CONVERGED 1e-12
/* Cosine below which the two sides of a joint's axis no longer point the same way: 78 degrees apart, which no converged
 * solve leaves, and well before rows that are met at 180 degrees draw the joint over. */
#define AFXI_CONSISTENT_COSINE 0.2
/* Slower than this many times g dt nothing bounces: it would never come to rest. */
#define AFXI_BOUNCE_LEAST 2
/* Rows of bounces are met to about one over this. */
#define AFXI_BOUNCE_STIFFNESS 1e8

/* Bounds of an impedance, and 1 less this: MuJoCo's mjMINIMP and mjMAXIMP. */
#define AFXI_IMPEDANCE_LEAST 1e-4

#endif
