/* SPDX-License-Identifier: Apache-2.0 */
/* CMA-ES with rank-one and rank-mu updates and its default weights: N. Hansen, "The CMA Evolution Strategy: A
 * Tutorial", 2016, equations 5 to 47. The search goes on outside the cube, mirrored into it. Beside it the
 * cross-entropy method: a normal distribution with independent coordinates, fitted to the best quarter of each round.
 */
#include <math.h>
#include <string.h>

#include "sweep/optimise.h"
#include "sweep/sobol.h"

#define NARROW 1e-8 /* of the ranges */
#define SWEEPS 60   /* of Jacobi's method; 10 are enough */

/* Parts of the memory; n n each, then n each, then single numbers. */
typedef struct Cma {
    double *c, *b, *a;                 /* [n][n] covariance; its eigenvectors as columns; work */
    double *mean, *d, *pc, *ps, *work; /* [n] d: square roots of the eigenvalues */
    double *raw;                       /* [population][n] points before they are mirrored */
    double *sigma;
} Cma;

static Cma parts(const AfxiOptimiser *o) {
    size_t n = o->n, nn = n * n;
    double *m = o->memory;
    double *v = m + 3 * nn;
    return (Cma){.c = m,
                 .b = m + nn,
                 .a = m + 2 * nn,
                 .mean = v,
                 .d = v + n,
                 .pc = v + 2 * n,
                 .ps = v + 3 * n,
                 .work = v + 4 * n,
                 .raw = v + 5 * n,
                 .sigma = v + (5 + o->population) * n};
}

static size_t cma_memory(const AfxiOptimiser *o) {
    return (3 * (size_t)o->n + 5 + o->population) * o->n + 1 + o->population;
}

static uint32_t cma_most(const AfxiOptimiser *o) {
    return o->population;
}

static void cma_begin(AfxiOptimiser *o) {
    Cma m = parts(o);
    for (uint32_t k = 0; k < o->n; k++) {
        m.c[k * o->n + k] = m.b[k * o->n + k] = m.d[k] = 1;
    }
    afxi_optimiser_start(o, m.mean);
    *m.sigma = o->def->sigma;
}

static void cma_ask(AfxiOptimiser *o) {
    Cma m = parts(o);
    uint32_t n = o->n;
    o->count = o->population;
    for (uint32_t p = 0; p < o->count; p++) {
        for (uint32_t k = 0; k < n; k++) {
            m.work[k] = m.d[k] * afxi_random_normal(o->def->seed, (uint64_t)o->round * o->population + p, k);
        }
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++) {
                sum += m.b[i * n + k] * m.work[k];
            }
            m.raw[p * n + i] = m.mean[i] + *m.sigma * sum;
            o->units[p * n + i] = afxi_unit_fold(m.raw[p * n + i]);
        }
    }
}

/* One rotation of Jacobi's method that makes a[p][q] zero. */
static void rotate(uint32_t n, double *a, double *v, uint32_t p, uint32_t q) {
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (uint32_t k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (uint32_t k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
        x = v[k * n + p];
        y = v[k * n + q];
        v[k * n + p] = c * x - s * y;
        v[k * n + q] = s * x + c * y;
    }
}

/* Eigenvectors of c into b and square roots of its eigenvalues into d; `a` is work [n][n]. */
static void decompose(uint32_t n, const double *c, double *a, double *b, double *d) {
    memcpy(a, c, (size_t)n * n * sizeof *a);
    for (uint32_t k = 0; k < n * n; k++) {
        b[k] = k % (n + 1) == 0;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, diagonal = 0;
        for (uint32_t p = 0; p < n; p++) {
            diagonal += a[p * n + p] * a[p * n + p];
            for (uint32_t q = p + 1; q < n; q++) {
                off += a[p * n + q] * a[p * n + q];
                if (a[p * n + q] != 0) {
                    rotate(n, a, b, p, q);
                }
            }
        }
        if (off <= 1e-30 * diagonal) {
            break;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        d[k] = sqrt(fmax(a[k * n + k], 1e-30));
    }
}

typedef struct Weights {
    double mueff, cc, cs, c1, cmu, damps, chi;
    uint32_t mu;
} Weights;

static double rank_weight(uint32_t population, uint32_t k) {
    return log((population + 1) / 2.0) - log(k + 1.0);
}

static Weights weights_of(const AfxiOptimiser *o) {
    double n = o->n, sum = 0, squares = 0;
    Weights w = {.mu = o->population / 2};
    for (uint32_t k = 0; k < w.mu; k++) {
        sum += rank_weight(o->population, k);
        squares += rank_weight(o->population, k) * rank_weight(o->population, k);
    }
    w.mueff = sum * sum / squares;
    w.cc = (4 + w.mueff / n) / (n + 4 + 2 * w.mueff / n);
    w.cs = (w.mueff + 2) / (n + w.mueff + 5);
    w.c1 = 2 / ((n + 1.3) * (n + 1.3) + w.mueff);
    w.cmu = fmin(1 - w.c1, 2 * (w.mueff - 2 + 1 / w.mueff) / ((n + 2) * (n + 2) + w.mueff));
    w.damps = 1 + 2 * fmax(0, sqrt((w.mueff - 1) / (n + 1)) - 1) + w.cs;
    w.chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    return w;
}

/* The new mean; m->work is its step in units of sigma. */
static void move_mean(AfxiOptimiser *o, Cma *m, const Weights *w, const uint32_t *order) {
    double sum = 0;
    for (uint32_t k = 0; k < w->mu; k++) {
        sum += rank_weight(o->population, k);
    }
    for (uint32_t i = 0; i < o->n; i++) {
        double mean = 0;
        for (uint32_t k = 0; k < w->mu; k++) {
            mean += rank_weight(o->population, k) / sum * m->raw[order[k] * o->n + i];
        }
        m->work[i] = (mean - m->mean[i]) / *m->sigma;
        m->mean[i] = mean;
    }
}

/* Evolution paths; returns whether the step length is not growing too fast. */
static bool move_paths(AfxiOptimiser *o, Cma *m, const Weights *w) {
    uint32_t n = o->n;
    double length = 0;
    for (uint32_t i = 0; i < n; i++) { /* C^(-1/2) of the step: B D^-1 B^T */
        double sum = 0;
        for (uint32_t k = 0; k < n; k++) {
            double along = 0;
            for (uint32_t j = 0; j < n; j++) {
                along += m->b[j * n + k] * m->work[j];
            }
            sum += m->b[i * n + k] * along / m->d[k];
        }
        m->ps[i] = (1 - w->cs) * m->ps[i] + sqrt(w->cs * (2 - w->cs) * w->mueff) * sum;
    }
    for (uint32_t i = 0; i < n; i++) {
        length += m->ps[i] * m->ps[i];
    }
    double expected = 1 - pow(1 - w->cs, 2.0 * (o->round + 1));
    bool calm = sqrt(length / expected) / w->chi < 1.4 + 2 / (n + 1.0);
    for (uint32_t i = 0; i < n; i++) {
        m->pc[i] = (1 - w->cc) * m->pc[i] + (calm ? sqrt(w->cc * (2 - w->cc) * w->mueff) : 0) * m->work[i];
    }
    *m->sigma *= exp(fmin(1, w->cs / w->damps * (sqrt(length) / w->chi - 1)));
    return calm;
}

/* A distribution that is a point finds nothing new. */
static void end_if_narrow(AfxiOptimiser *o, double widest) {
    if (widest < NARROW) {
        o->still = o->still_most;
    }
}

static void cma_tell(AfxiOptimiser *o) {
    Cma m = parts(o);
    Weights w = weights_of(o);
    uint32_t n = o->n, *order = (uint32_t *)(void *)(m.sigma + 1);
    double sum = 0, sigma = *m.sigma, *old = m.work; /* the mean's step moves it: points are taken relative to it */
    afxi_optimiser_rank(o, order);
    move_mean(o, &m, &w, order);
    bool calm = move_paths(o, &m, &w);
    for (uint32_t k = 0; k < w.mu; k++) {
        sum += rank_weight(o->population, k);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double rank = 0, one = m.pc[i] * m.pc[j] + (calm ? 0 : w.cc * (2 - w.cc)) * m.c[i * n + j];
            for (uint32_t k = 0; k < w.mu; k++) {
                const double *point = m.raw + order[k] * n;
                double yi = (point[i] - m.mean[i]) / sigma + old[i], yj = (point[j] - m.mean[j]) / sigma + old[j];
                rank += rank_weight(o->population, k) / sum * yi * yj;
            }
            m.c[i * n + j] = (1 - w.c1 - w.cmu) * m.c[i * n + j] + w.c1 * one + w.cmu * rank;
            m.c[j * n + i] = m.c[i * n + j];
        }
    }
    decompose(n, m.c, m.a, m.b, m.d);
    double widest = 0;
    for (uint32_t k = 0; k < n; k++) {
        widest = fmax(widest, *m.sigma * m.d[k]);
    }
    end_if_narrow(o, widest);
}

/* ---- cross-entropy ---- */

#define ELITE 0.25
#define KEPT 0.3        /* of the old mean, so that one lucky round does not decide */
#define KEPT_SPREAD 0.7 /* of the old deviation, which would otherwise shrink before the mean is there */

static size_t cross_memory(const AfxiOptimiser *o) {
    return 2 * (size_t)o->n + o->population;
}

static void cross_begin(AfxiOptimiser *o) {
    afxi_optimiser_start(o, o->memory);
    for (uint32_t k = 0; k < o->n; k++) {
        o->memory[o->n + k] = o->def->sigma;
    }
}

static void cross_ask(AfxiOptimiser *o) {
    o->count = o->population;
    for (uint32_t p = 0; p < o->count; p++) {
        for (uint32_t k = 0; k < o->n; k++) {
            double z = afxi_random_normal(o->def->seed, (uint64_t)o->round * o->population + p, k);
            o->units[p * o->n + k] = afxi_unit_fold(o->memory[k] + o->memory[o->n + k] * z);
        }
    }
}

static void cross_tell(AfxiOptimiser *o) {
    uint32_t *order = (uint32_t *)(void *)(o->memory + 2 * (size_t)o->n);
    uint32_t elite = (uint32_t)ceil(ELITE * o->count);
    double widest = 0;
    afxi_optimiser_rank(o, order);
    for (uint32_t k = 0; k < o->n; k++) {
        double mean = 0, square = 0;
        for (uint32_t e = 0; e < elite; e++) {
            mean += o->units[order[e] * o->n + k] / elite;
        }
        for (uint32_t e = 0; e < elite; e++) {
            double off = o->units[order[e] * o->n + k] - mean;
            square += off * off / elite;
        }
        o->memory[k] = KEPT * o->memory[k] + (1 - KEPT) * mean;
        o->memory[o->n + k] = KEPT_SPREAD * o->memory[o->n + k] + (1 - KEPT_SPREAD) * sqrt(square);
        widest = fmax(widest, o->memory[o->n + k]);
    }
    end_if_narrow(o, widest);
}

const AfxiMethodTable afxi_method_cma = {cma_memory, cma_most, cma_begin, cma_ask, cma_tell};
const AfxiMethodTable afxi_method_cross_entropy = {cross_memory, cma_most, cross_begin, cross_ask, cross_tell};
