/* SPDX-License-Identifier: Apache-2.0 */
/* Small square matrices, symmetric and definite, row by row: their Cholesky factor in place, and solutions by it. */
#include "dual/square.h"

#include <math.h>

void afxi_square_factor(double *a, uint32_t n, double redundant) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (j < i) {
                a[i * n + j] = sum / a[j * n + j];
            } else {
                a[i * n + i] = sum <= redundant * a[i * n + i] ? INFINITY : sqrt(sum); /* NaN stays */
            }
        }
    }
}

void afxi_square_solve(const double *lower, uint32_t n, double *x) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            x[i] -= lower[i * n + k] * x[k];
        }
        x[i] /= lower[i * n + i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++) {
            x[i] -= lower[k * n + i] * x[k];
        }
        x[i] /= lower[i * n + i];
    }
}
