/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of the dual system: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_DUAL_TUNING_H
#define AFXI_DUAL_TUNING_H

#include <stddef.h>
#include <stdint.h>

/* Added to the unit diagonal once rows have shown to be redundant: they disagree at the predicted frame, and a smaller
 * value would let their multipliers grow (docs/decisions/redundant-constraints.md). */
#define AFXI_REGULARISATION 1e-8
/* A smaller pivot of the matrix with unit diagonal is taken for a redundant row: ten times the regularisation. */
#define AFXI_REDUNDANT_PIVOT 1e-7
/* Iterative refinement in first solves, whose rows are linearised at predicted frames, and in others. Rows that
 * disagree must not be refined long: what they cannot agree on would pile up in their multipliers. */
#define AFXI_REFINEMENTS_FIRST 2
#define AFXI_REFINEMENTS_MOST 8
/* Of the largest compliance: a smaller one against strain is rounding, and the body is rigid. */
#define AFXI_HUB_ROUNDING 1e-13
/* A refinement that leaves more than this of the residual has stalled. */
#define AFXI_REFINEMENT_STALL 0.9
/* One that leaves more than this is slow, and lengths are looked for from there on: eight that leave less leave 1e-10.
 * The longest is what a share of K of a thousandth of eps asks for; less of it is rounding. */
#define AFXI_REFINEMENT_SLOW 0.05
#define AFXI_REFINEMENT_LONGEST 1e3
/* Of the goal: what is slow with less than this left is so by rounding of the residual (Hoberman sphere: 7 times). */
#define AFXI_REFINEMENT_ROUNDING 30.0
/* Two looks at each slow step: when two steps in a row are no better than the best, what is left is rounding. */
#define AFXI_REFINEMENT_MISSES 4u
/* What is left of the right-hand side when a solution needs no refinement, and where CG and Gauss-Seidel stop. */
#define AFXI_RESIDUAL_ENOUGH 1e-12
/* The same with the regularisation on, and what rounding leaves of the terms of a row: a few units in the last place.
 */
#define AFXI_RESIDUAL_FLOOR 1e-15
/* m, of a mechanism of 1 m and more: what rounding of coordinates leaves in rows that are differences of places, a few
 * units in the last place. Rows that hold better than that need no refinement: a second one takes the four-bar from
 * 4e-16 to 7e-18 m, where 1 + 1e-16 is 1. */
#define AFXI_ROW_ROUNDING 1e-15
/* Of what a start that has changed a little leaves in the rows: the substitution of a second-order correction stops
 * there. */
#define AFXI_RESIDUAL_AGAIN 1e-10
/* CG: with more iterations than the first the next solve factors, with more than the second this one does
 * (docs/solvers.md, 2). Trades iterations against factorisations. */
#define AFXI_CG_ITERATIONS_FEW 8u
#define AFXI_CG_ITERATIONS_MOST 30u
/* Gauss-Seidel: sweeps grow with the square of the longest way through the graph; a chain of eight links reaches this
 * (docs/decisions/iterative-solvers.md). */
#define AFXI_GS_SWEEPS_MOST 500u
/* A smaller pivot, with unit diagonal, is a redundant row within one block; its multiplier is left alone. */
#define AFXI_BLOCK_REDUNDANT_PIVOT 1e-12
/* Rank: pivots of the matrix with unit diagonal below this are dependent rows; and the rows that may be looked at: the
 * time grows with their cube. */
#define AFXI_RANK_DEPENDENT 1e-10
#define AFXI_RANK_ROWS 2500u
/* What is still finite this many times further away leaves finite velocities and accelerations, whatever dt: 1/dt² is
 * at most 1e24 (AFXI_DT_LEAST). */
#define AFXI_FINITE_REACH 1e26
/* Rows of a whole stage in two passes may be off by this, per coordinate of the joints and m: rounding, many times
 * over. */
#define AFXI_STAGE_ROW_ROUNDING 1e-13
/* Doubles for the forward pass from which on they go past the cache: what is read in between is twice as much. */
#define AFXI_STREAM_FROM ((size_t)1 << 20)
/* Jobs by which memory is asked for ahead. */
#define AFXI_PREFETCH_JOBS 2u
/* So many links at a time are copied past the cache to where the old state is kept: they are still in the first cache.
 * Row by row takes a quarter more time (docs/decisions/kernels.md). */
#define AFXI_STREAM_LINKS 8u
/* Full Newton Hessian: pivots of inertia and stiffness over the inertia are at least this (docs/joints.md, nets of
 * balls). Less follows unstable bodies further in one solve, more damps them. */
#define AFXI_HESSIAN_PIVOT_LEAST 0.3
/* Of the bound, in first solves on top of the stiffness: multipliers are those of the last step, and turn with the
 * bodies. */
#define AFXI_HESSIAN_BOUND_SHARE 0.02
/* Of that share: axes that are unstable by less are as good as stable, and need no eigenvalues: most bodies. */
#define AFXI_HESSIAN_UNSTABLE_SHARE 0.25
/* A body that is expected to be off its rotation by less than this is strained so. */
#define AFXI_STRAIN_EXPECTED 1e-3

#endif
