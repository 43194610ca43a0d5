/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of the mathematics: tolerances and caps, each with what it rests on. */
#ifndef AFXI_MATH_TUNING_H
#define AFXI_MATH_TUNING_H

/* Newton's iteration for the rotation part: steps at most (each halves what is far from 1, the last four square the
 * error), and the change after which the error, half its square, is below rounding. */
#define AFXI_NEWTON_STEPS_MOST 12
#define AFXI_NEWTON_CHANGE 1e-8
/* Determinants below which it is not tried: of one matrix scaled to norm 1, from where 12 steps are enough; of matrices
 * in lanes, whose factors are known, only what is singular to rounding. */
#define AFXI_NEWTON_DETERMINANT 1e-2
#define AFXI_NEWTON_DETERMINANT_WIDE 1e-13
/* Weight of the guess, relative to |A|, in the choice between rotations that are equally good; and Newton steps after
 * the eigenvector, which is good to the root of rounding. */
#define AFXI_ROTATION_BIAS 1e-9
#define AFXI_ROTATION_POLISH 4
/* Jacobi's method converges quadratically: what four sweeps of a 3x3 matrix leave beside the diagonal is rounding. */
#define AFXI_EIGEN_SWEEPS 4
/* Volumes, second moments and moments of inertia count as 0 or as consistent within these parts of what they are
 * compared with: far above rounding, far below any real body; inertias come from files, with fewer digits. */
#define AFXI_VOLUME_ROUNDING 1e-14
#define AFXI_MOMENT_ROUNDING 1e-12
#define AFXI_INERTIA_ROUNDING 1e-9
/* Hulls, on a grid of 2^29 units: points are inserted that far outside (rounding to the grid moves one by less than 1),
 * the first tetrahedron is that thick, and an axis shorter than this part of the longest is flat. */
#define AFXI_HULL_HEIGHT 2.0
#define AFXI_HULL_THICKNESS 4.0
#define AFXI_HULL_EXTENT 1e-9

#endif
