/* SPDX-License-Identifier: Apache-2.0 */
/* L-BFGS in the unit cube: J. Nocedal, "Updating quasi-Newton matrices with limited storage", 1980, with gradients by
 * central differences over the workers, and a line search that tries many lengths side by side. A step is cut off at
 * the ends of the ranges; parameters there that would leave stand still. */
#include <math.h>
#include <string.h>

#include "sweep/optimise.h"

#define MEMORY 10u

typedef struct Lbfgs {
    double *x, *g, *d;             /* [n] */
    double *old_x, *old_g;         /* [n] */
    double *s, *y;                 /* [MEMORY][n], newest last */
    double *alpha;                 /* [MEMORY] */
    double *pairs, *value, *scale; /* how many pairs; objective at x; of the first step */
} Lbfgs;

static Lbfgs parts(const AfxiOptimiser *o) {
    size_t n = o->n;
    double *at = o->memory, *more = at + (5 + 2 * MEMORY) * n;
    return (Lbfgs){.x = at,
                   .g = at + n,
                   .d = at + 2 * n,
                   .old_x = at + 3 * n,
                   .old_g = at + 4 * n,
                   .s = at + 5 * n,
                   .y = at + (5 + MEMORY) * n,
                   .alpha = more,
                   .pairs = more + MEMORY,
                   .value = more + MEMORY + 1,
                   .scale = more + MEMORY + 2};
}

static size_t lbfgs_memory(const AfxiOptimiser *o) {
    return (5 + 2 * MEMORY) * (size_t)o->n + MEMORY + 3;
}

static uint32_t lbfgs_most(const AfxiOptimiser *o) {
    return 2 * o->n + 1 > o->population ? 2 * o->n + 1 : o->population;
}

static void lbfgs_begin(AfxiOptimiser *o) {
    Lbfgs m = parts(o);
    afxi_optimiser_start(o, m.x);
    *m.scale = o->def->sigma;
}

static double dot(uint32_t n, const double *a, const double *b) {
    double sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static bool stands(const Lbfgs *m, uint32_t k) {
    return (m->x[k] <= 0 && m->g[k] > 0) || (m->x[k] >= 1 && m->g[k] < 0);
}

/* The direction: two loops over the pairs, newest first, then oldest first. */
static void find_direction(uint32_t n, Lbfgs *m) {
    uint32_t pairs = (uint32_t)*m->pairs;
    for (uint32_t k = 0; k < n; k++) {
        m->d[k] = stands(m, k) ? 0 : -m->g[k];
    }
    for (uint32_t p = pairs; p-- > 0;) {
        const double *s = m->s + p * n, *y = m->y + p * n;
        m->alpha[p] = dot(n, s, m->d) / dot(n, s, y);
        for (uint32_t k = 0; k < n; k++) {
            m->d[k] -= m->alpha[p] * y[k];
        }
    }
    const double *s = m->s + (pairs ? pairs - 1 : 0) * n, *y = m->y + (pairs ? pairs - 1 : 0) * n;
    double gamma = pairs ? dot(n, s, y) / dot(n, y, y) : *m->scale / fmax(1e-300, sqrt(dot(n, m->d, m->d)));
    for (uint32_t k = 0; k < n; k++) {
        m->d[k] *= gamma;
    }
    for (uint32_t p = 0; p < pairs; p++) {
        s = m->s + p * n;
        y = m->y + p * n;
        double beta = dot(n, y, m->d) / dot(n, s, y);
        for (uint32_t k = 0; k < n; k++) {
            m->d[k] += (m->alpha[p] - beta) * s[k];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        m->d[k] = stands(m, k) ? 0 : m->d[k];
    }
}

static void lbfgs_ask(AfxiOptimiser *o) {
    Lbfgs m = parts(o);
    uint32_t n = o->n;
    if (o->stage == 0) {
        o->count = 2 * n + 1;
        for (uint32_t p = 0; p < o->count; p++) {
            double *unit = o->units + p * n;
            memcpy(unit, m.x, n * sizeof(double));
            if (p > 0) {
                double *at = &unit[(p - 1) / 2];
                *at = fmin(1, fmax(0, *at + (p % 2 ? o->def->step : -o->def->step)));
            }
        }
        return;
    }
    find_direction(n, &m);
    o->count = o->population;
    for (uint32_t p = 0; p < o->count; p++) {
        for (uint32_t k = 0; k < n; k++) {
            o->units[p * n + k] = fmin(1, fmax(0, m.x[k] + ldexp(m.d[k], 2 - (int)p)));
        }
    }
}

/* Keeps the last step and the change of the gradient along it, where that is convex. */
static void keep_pair(uint32_t n, Lbfgs *m) {
    uint32_t pairs = (uint32_t)*m->pairs;
    if (pairs == MEMORY) {
        memmove(m->s, m->s + n, (MEMORY - 1) * n * sizeof(double));
        memmove(m->y, m->y + n, (MEMORY - 1) * n * sizeof(double));
        pairs--;
    }
    double *s = m->s + pairs * n, *y = m->y + pairs * n;
    for (uint32_t k = 0; k < n; k++) {
        s[k] = m->x[k] - m->old_x[k];
        y[k] = m->g[k] - m->old_g[k];
    }
    bool convex = dot(n, s, y) > 1e-10 * sqrt(dot(n, s, s) * dot(n, y, y));
    *m->pairs = pairs + (convex ? 1 : 0);
}

static void take_gradient(AfxiOptimiser *o, Lbfgs *m) {
    uint32_t n = o->n;
    *m->value = o->results[0];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t up = 2 * k + 1, down = 2 * k + 2;
        double width = o->units[up * n + k] - o->units[down * n + k];
        double change = o->results[(size_t)up * o->width] - o->results[(size_t)down * o->width];
        m->g[k] = isfinite(change) ? change / width : 0;
    }
}

static void lbfgs_tell(AfxiOptimiser *o) {
    Lbfgs m = parts(o);
    uint32_t n = o->n, best = 0;
    if (o->stage == 0) {
        bool again = o->round > 0;
        if (isinf(o->results[0])) {
            o->still = o->still_most;
            return;
        }
        take_gradient(o, &m);
        if (again) {
            keep_pair(n, &m);
        }
        o->stage = 1;
        return;
    }
    for (uint32_t p = 1; p < o->count; p++) {
        best = o->results[(size_t)p * o->width] < o->results[(size_t)best * o->width] ? p : best;
    }
    if (o->results[(size_t)best * o->width] < *m.value) {
        memcpy(m.old_x, m.x, n * sizeof(double));
        memcpy(m.old_g, m.g, n * sizeof(double));
        memcpy(m.x, o->units + best * n, n * sizeof(double));
        o->stage = 0;
    } else { /* forget the curvature, then take shorter steps down the slope */
        *m.scale = *m.pairs > 0 ? *m.scale : ldexp(*m.scale, -(int)o->count);
        *m.pairs = 0;
    }
}

const AfxiMethodTable afxi_method_lbfgs = {lbfgs_memory, lbfgs_most, lbfgs_begin, lbfgs_ask, lbfgs_tell};
