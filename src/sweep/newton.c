/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss-Newton with Levenberg and Marquardt's damping on a sum of squares, in the unit cube. Derivatives are finite
 * differences over the workers: a round of n + 1 points gives residuals and their Jacobian; the next tries a fan of
 * dampings side by side and keeps the best. Parameters at an end of their range that would leave it stand still. */
#include <math.h>
#include <string.h>

#include "sweep/optimise.h"

#define LAMBDA 1e-3
#define FAN 10.0

typedef struct Newton {
    double *x, *gradient, *step; /* [n] */
    double *j;                   /* [m][n] */
    double *r;                   /* [m] */
    double *a;                   /* [n][n] work */
    double *lambda, *value;
} Newton;

static Newton parts(const AfxiOptimiser *o) {
    size_t n = o->n, m = o->width - 1;
    double *at = o->memory;
    return (Newton){.x = at,
                    .gradient = at + n,
                    .step = at + 2 * n,
                    .j = at + 3 * n,
                    .r = at + 3 * n + m * n,
                    .a = at + 3 * n + m * n + m,
                    .lambda = at + 3 * n + m * n + m + n * n,
                    .value = at + 3 * n + m * n + m + n * n + 1};
}

static size_t newton_memory(const AfxiOptimiser *o) {
    size_t n = o->n, m = o->width - 1;
    return 3 * n + m * n + m + n * n + 2;
}

static uint32_t newton_most(const AfxiOptimiser *o) {
    return o->n + 1 > o->population ? o->n + 1 : o->population;
}

static void newton_begin(AfxiOptimiser *o) {
    Newton m = parts(o);
    afxi_optimiser_start(o, m.x);
    *m.lambda = LAMBDA;
}

/* Forward, or backward where that would leave the range. */
static double difference(const AfxiOptimiser *o, double x) {
    return x + o->def->step > 1 ? -o->def->step : o->def->step;
}

static bool stands(const Newton *m, uint32_t k) {
    return (m->x[k] <= 0 && m->gradient[k] > 0) || (m->x[k] >= 1 && m->gradient[k] < 0);
}

static void try_damping(AfxiOptimiser *o, Newton *m, double lambda, double *out_unit) {
    uint32_t n = o->n, rows = o->width - 1;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            double sum = 0;
            for (uint32_t r = 0; r < rows; r++) {
                sum += m->j[r * n + i] * m->j[r * n + k];
            }
            bool apart = stands(m, i) || stands(m, k);
            m->a[i * n + k] = i == k ? sum * (1 + lambda) + 1e-12 * lambda + (sum == 0) : apart ? 0 : sum;
        }
        m->step[i] = stands(m, i) ? 0 : -m->gradient[i];
    }
    bool fine = afxi_cholesky_solve(n, m->a, m->step);
    for (uint32_t k = 0; k < n; k++) {
        out_unit[k] = fine ? fmin(1, fmax(0, m->x[k] + m->step[k])) : m->x[k];
    }
}

static void newton_ask(AfxiOptimiser *o) {
    Newton m = parts(o);
    uint32_t n = o->n;
    if (o->stage == 0) {
        o->count = n + 1;
        for (uint32_t p = 0; p <= n; p++) {
            memcpy(o->units + p * n, m.x, n * sizeof(double));
            if (p > 0) {
                o->units[p * n + p - 1] += difference(o, m.x[p - 1]);
            }
        }
        return;
    }
    o->count = o->population;
    for (uint32_t p = 0; p < o->count; p++) {
        try_damping(o, &m, *m.lambda * pow(FAN, (double)p - o->count / 2), o->units + p * n);
    }
}

static void take_jacobian(AfxiOptimiser *o, Newton *m) {
    uint32_t n = o->n, rows = o->width - 1;
    *m->value = o->results[0];
    memcpy(m->r, o->results + 1, rows * sizeof(double));
    for (uint32_t k = 0; k < n; k++) {
        const double *moved = o->results + (size_t)(k + 1) * o->width;
        double h = difference(o, m->x[k]);
        m->gradient[k] = 0;
        for (uint32_t r = 0; r < rows; r++) { /* a run that failed tells nothing: that parameter stands still */
            m->j[r * n + k] = isfinite(moved[0]) ? (moved[r + 1] - m->r[r]) / h : 0;
            m->gradient[k] += m->j[r * n + k] * m->r[r];
        }
    }
}

static void newton_tell(AfxiOptimiser *o) {
    Newton m = parts(o);
    if (o->stage == 0) {
        if (isinf(o->results[0])) {
            o->still = o->still_most; /* no start */
            return;
        }
        take_jacobian(o, &m);
        o->stage = 1;
        return;
    }
    uint32_t best = 0;
    for (uint32_t p = 1; p < o->count; p++) {
        best = o->results[(size_t)p * o->width] < o->results[(size_t)best * o->width] ? p : best;
    }
    if (o->results[(size_t)best * o->width] < *m.value) {
        memcpy(m.x, o->units + best * o->n, o->n * sizeof(double));
        *m.lambda = fmax(1e-12, *m.lambda * pow(FAN, (double)best - o->count / 2));
        o->stage = 0;
    } else {
        *m.lambda *= pow(FAN, o->count);
    }
}

const AfxiMethodTable afxi_method_gauss_newton = {newton_memory, newton_most, newton_begin, newton_ask, newton_tell};
