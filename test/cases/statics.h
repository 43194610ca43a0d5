/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibrium by minimisation: a small Newton's method for an energy with constraints, which knows nothing of Affix. */
#ifndef TEST_CASES_STATICS_H
#define TEST_CASES_STATICS_H

#define STATICS_MOST 40 /* unknowns and multipliers together */

/** Gradient of E(x) + multiplier · C(x), [count], and C(x), [constraints]. */
typedef void StaticsGradient(const void *context, const double *x, const double *multiplier, double *out_gradient,
                             double *out_constraint);

/** Solves gradient = 0 and C = 0 from the guess in x; multipliers start from 0. The test fails when that does not
 * converge. */
void statics_solve(int count, int constraints, StaticsGradient *gradient, const void *context, double *x,
                   double *out_multiplier);

#endif
