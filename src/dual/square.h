/* SPDX-License-Identifier: Apache-2.0 */
/* Small square matrices, symmetric and definite, row by row. */
#ifndef AFXI_DUAL_SQUARE_H
#define AFXI_DUAL_SQUARE_H

#include <stdint.h>

/** Cholesky factor of a [n][n] in place, by its lower triangle. A row whose pivot is at most `redundant` of its
 * diagonal entry gets an infinite one, so that its unknown is 0. And x <- a^-1 x [n] by the factor. */
void afxi_square_factor(double *a, uint32_t n, double redundant);
void afxi_square_solve(const double *lower, uint32_t n, double *x);

#endif
