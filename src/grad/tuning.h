/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of gradients: tolerances and caps, each with what it rests on or trades off. */
#ifndef AFXI_GRAD_TUNING_H
#define AFXI_GRAD_TUNING_H

/* Exact rows of the scaled matrix, whose rows have length 1, get this compliance, so that redundant ones have pivots:
 * far above rounding, far below the squares of what rows of a regular mechanism have of their own. Refinement with the
 * matrix as it is takes it out again, by a factor of this over that square at each pass. */
#define AFXI_GRAD_COMPLIANCE 1e-10
/* Passes of refinement, and what is left of the right-hand side when one is enough. A system that is left with more
 * than POOR of it is told as such: rows that contradict each other, or an objective by multipliers that are not
 * unique. */
#define AFXI_GRAD_REFINEMENTS 20
#define AFXI_GRAD_REFINED 1e-15
#define AFXI_GRAD_POOR 1e-9
/* A right-hand side below this is none: adjoints of motions that are damped die out until their digits do. */
#define AFXI_GRAD_NOTHING 1e-200
/* A pivot below this is none, in a matrix with rows of length 1: far below AFXI_GRAD_COMPLIANCE, which redundant rows
 * have, and above what rounding leaves of a row that has gone. */
#define AFXI_GRAD_LEAST_PIVOT 1e-15
/* Rotations whose sine is below this have their vector by a series: the next term is its fourth power. */
#define AFXI_GRAD_SMALL_TURN 1e-4
/* Relative step of the central differences of a table's force by its samples, which a monotone cubic depends on in
 * pieces: the third root of rounding, errors of 1e-10. */
#define AFXI_GRAD_TABLE_STEP 6e-6

/* Snapshots of a run that does not keep all steps, unless told otherwise: with as many steps kept at once, runs of
 * 4,096 steps are made again once. */
#define AFXI_GRAD_SNAPSHOTS 64u

#endif
