/* SPDX-License-Identifier: Apache-2.0 */
#include "statics.h"

#include "tests.h"

#include <math.h>
#include <string.h>

#define ITERATIONS 60
#define DIFFERENCE 1e-6
#define SMALL 1e-12 /* change of the unknowns, rad */

/* Solves a x = b by elimination with row pivots; a and b are used up, b becomes x. */
static void eliminate(int count, double a[STATICS_MOST][STATICS_MOST], double *b) {
    for (int k = 0; k < count; ++k) {
        int best = k;
        for (int i = k + 1; i < count; ++i) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        assert_true(a[best][k] != 0);
        for (int j = 0; j < count; ++j) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < count; ++i) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < count; ++j) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = count - 1; k >= 0; --k) {
        for (int j = k + 1; j < count; ++j) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

void statics_solve(int count, int constraints, StaticsGradient *gradient, const void *context, double *x,
                   double *out_multiplier) {
    int all = count + constraints;
    double change = INFINITY;
    assert_true(all <= STATICS_MOST);
    memset(out_multiplier, 0, (size_t)constraints * sizeof(double));
    for (int iteration = 0; iteration < ITERATIONS && change > SMALL; ++iteration) {
        double matrix[STATICS_MOST][STATICS_MOST];
        double right[STATICS_MOST], low[STATICS_MOST], high[STATICS_MOST];
        for (int j = 0; j < all; ++j) {
            double *place = j < count ? &x[j] : &out_multiplier[j - count], kept = *place;
            double step = j < count ? DIFFERENCE : DIFFERENCE * fmax(1, fabs(kept));
            *place = kept - step;
            gradient(context, x, out_multiplier, low, low + count);
            *place = kept + step;
            gradient(context, x, out_multiplier, high, high + count);
            *place = kept;
            for (int i = 0; i < all; ++i) {
                matrix[i][j] = (high[i] - low[i]) / (2 * step);
            }
        }
        gradient(context, x, out_multiplier, right, right + count);
        eliminate(all, matrix, right);
        change = 0;
        for (int j = 0; j < all; ++j) {
            *(j < count ? &x[j] : &out_multiplier[j - count]) -= right[j];
            change = j < count ? fmax(change, fabs(right[j])) : change;
        }
    }
    assert_true(change <= SMALL);
}
