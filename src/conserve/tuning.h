/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of the integrators that conserve: tolerances and caps, each with what it rests on or trades off. */
#ifndef AFXI_CONSERVE_TUNING_H
#define AFXI_CONSERVE_TUNING_H

/* Largest change of a rotation (rad) and, of the size of the component, of a place by which an iteration ends. The
 * energy that a step is off by is a force times that: 1e5 steps stay within 1e-9. */
#define AFXI_CONSERVE_ENOUGH 1e-14
/* An iteration that no longer brings less than this share of the last one, below the next number: rounding. */
#define AFXI_CONSERVE_STALL 0.5
#define AFXI_CONSERVE_ROUNDING 1e-13
/* At a singular position a change is known to the root of the rounding only: so many that do not become smaller, below
 * the next number, end an iteration, with rows that are met to the one after (of the size), and work that is missing to
 * the last one (of that of inertia): a02 passes such positions every few hundred steps. */
#define AFXI_CONSERVE_STALLS 3u
#define AFXI_CONSERVE_SINGULAR 1e-8
#define AFXI_CONSERVE_MET 3e-14
#define AFXI_CONSERVE_DEFECT_MOST 1e-11
/* Iterations of a sub-step. Smooth motion takes 3 to 6, a turn of 1 rad a step about 10; what takes more is cut. */
#define AFXI_CONSERVE_ITERATIONS_MOST 30u
/* Broyden updates that are kept; then the matrix is made anew where the bodies are. */
#define AFXI_CONSERVE_UPDATES_MOST 8u
/* An update whose denominator is below this would leap: the matrix is made anew instead. */
#define AFXI_CONSERVE_UPDATE_LEAST 0.2
/* A correction so many times larger than the first one diverges. */
#define AFXI_CONSERVE_DIVERGED 1e3
/* ... or than this: first corrections may be next to nothing. */
#define AFXI_CONSERVE_LARGE 1e-3
/* Least moment of inertia of a body about an axis, over its mass and the square of the distance of a point that it is
 * held at from there: with less (a point mass on a massless rod) the rotation is free to ring, and rows lose the mass
 * to rounding. 1e-8 still works (case a01). */
#define AFXI_CONSERVE_INERTIA_LEAST 1e-7
/* The smallest part that a step is cut into is one in so many, and only as long as it takes: a power of 2. Energy is
 * exact in each, so that only time is lost. */
#define AFXI_CONSERVE_PARTS_MOST 1024u
/* rad: springs of `reference` swing by less in a sub-step, or it is cut. From 2 on RATTLE is unstable; with 1 a spring
 * of 3 to 30 rad a step is off by 4e-3 of its energy, with this by less than 1e-3. */
#define AFXI_CONSERVE_SWING_MOST 0.5
/* rad in a step: what turns further is named where a step fails, as with other integrators (step/tuning.h). */
#define AFXI_CONSERVE_TURNS_FAR 1.0
/* Passes of a linear solve: regularised rows are met to rounding after three (docs/decisions/redundant-constraints.md).
 */
#define AFXI_CONSERVE_PASSES 4u
/* Added to the unit diagonal where rows are redundant, the pivot that tells so, and how often a solution is filtered: a
 * pass takes along each eigenvector of K, of value a, the share eps/(a + eps) away, so that multipliers stay the
 * smallest ones though rows disagree between iterations; and what is nearly singular still converges (a02 in 4
 * iterations). */
#define AFXI_CONSERVE_REGULARISATION 1e-10
#define AFXI_CONSERVE_REDUNDANT_PIVOT 1e-9
#define AFXI_CONSERVE_FILTERS 2u
/* Of an axis of a rotational spring that is not held at all, so that its compliance is finite: of the stiffest one. */
#define AFXI_CONSERVE_SOFTEST 1e-9
/* Share of the energies below which the defect of a discrete gradient is rounding. */
#define AFXI_CONSERVE_DEFECT 1e-13
/* Of the size of a component: a start that violates constraints by more is closed before it goes on. */
#define AFXI_CONSERVE_OPEN 1e-11

/* A servo that changes its branch more often than this in one sub-step keeps the one it has. */
#define AFXI_CONSERVE_BRANCH_CHANGES_MOST 6u

#endif
