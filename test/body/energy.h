/* SPDX-License-Identifier: Apache-2.0 */
/* One body's H from its quadratic energy, as a dense matrix, and its inverse: independent of src/body.
 *
 * Coordinates are beta, column-major, then t. The energy of x = (beta, t) is half of
 *     sum_k c_k |beta_k|^2 + V (2 mu |sym beta|^2 + lambda tr^2) + axial^t K axial + m' |t|^2
 * with c_k = s_k (1/h^2 + damping/hv). It is inverted in the basis of symmetric and skew matrices where stiffness
 * prevails and of single entries where inertia does, scaled to unit diagonal, which stays well conditioned; a rigid
 * body has the skew ones and t alone. */
#ifndef AFX_TEST_BODY_ENERGY_H
#define AFX_TEST_BODY_ENERGY_H

#include <math.h>
#include <stdbool.h>

#include "body/class.h"

typedef long double Real;

/** What the energy is made of. */
typedef struct BodyEnergy {
    Real c[3], mass, mu, lambda; /* mu and lambda times the volume; INFINITY: rigid */
    Real twist[3][3];
} BodyEnergy;

/** Energy of a class for one scale, with the twist stiffness k (xx, yy, zz, xy, xz, yz). */
static inline BodyEnergy body_energy(const AfxiBodyClass *body, AfxiScale scale, const double k[6]) {
    BodyEnergy energy;
    Real per_h = 1 / (Real)scale.h_squared, nu = body->poisson, young = body->young;
    for (int i = 0; i < 3; i++) {
        energy.c[i] = body->s[i] * (per_h + (Real)body->angular_damping / scale.h_rate);
    }
    energy.mass = body->mass * (per_h + (Real)body->linear_damping / scale.h_rate);
    energy.mu = body->volume * young / (2 * (1 + nu));
    energy.lambda = body->volume * young * nu / ((1 + nu) * (1 - 2 * nu));
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            energy.twist[i][j] = k[place[i][j]];
        }
    }
    return energy;
}

static inline void axial_of(const Real x[12], Real out[3]) {
    out[0] = (x[5] - x[7]) / 2;
    out[1] = (x[6] - x[2]) / 2;
    out[2] = (x[1] - x[3]) / 2;
}

/** x^t H y. */
static inline Real energy_form(const BodyEnergy *energy, const Real x[12], const Real y[12]) {
    Real sum = 0, product = 0, wx[3], wy[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            sum += energy->c[k] * x[3 * k + i] * y[3 * k + i];
            product += (x[3 * k + i] + x[3 * i + k]) / 2 * (y[3 * k + i] + y[3 * i + k]) / 2;
        }
        sum += energy->mass * x[9 + k] * y[9 + k];
    }
    Real traces = (x[0] + x[4] + x[8]) * (y[0] + y[4] + y[8]);
    if (isfinite(energy->mu)) {
        sum += 2 * energy->mu * product + energy->lambda * traces;
    }
    axial_of(x, wx);
    axial_of(y, wy);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += wx[i] * energy->twist[i][j] * wy[j];
        }
    }
    return sum;
}

/** a (n x n, symmetric) becomes its inverse by Cholesky; false when it is not positive definite. */
static inline bool dense_invert(int n, Real a[12][12]) {
    Real lower[12][12] = {{0}}, inverse[12][12] = {{0}};
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            Real sum = a[i][j];
            for (int k = 0; k < j; k++) {
                sum -= lower[i][k] * lower[j][k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            lower[i][j] = i == j ? sqrtl(sum) : sum / lower[j][j];
        }
    }
    for (int c = 0; c < n; c++) { /* L^-1 */
        for (int i = c; i < n; i++) {
            Real sum = i == c;
            for (int k = c; k < i; k++) {
                sum -= lower[i][k] * inverse[k][c];
            }
            inverse[i][c] = sum / lower[i][i];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = 0;
            for (int k = i > j ? i : j; k < n; k++) {
                a[i][j] += inverse[k][i] * inverse[k][j];
            }
        }
    }
    return true;
}

/** The symmetric matrices first, then the skew ones (or the entries of a pair), then t: 12 columns. */
static inline void energy_basis(const BodyEnergy *energy, Real basis[12][12]) {
    static const int pair[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    for (int k = 0; k < 12; k++) {
        for (int e = 0; e < 12; e++) {
            basis[k][e] = 0;
        }
    }
    for (int k = 0; k < 3; k++) {
        int at = 3 * pair[k][0] + pair[k][1], across = 3 * pair[k][1] + pair[k][0];
        basis[k][4 * k] = 1;
        Real inertia = fmaxl(energy->c[pair[k][0]], energy->c[pair[k][1]]);
        bool stiff = inertia < fmaxl(energy->mu, fabsl(energy->twist[k][k]));
        basis[3 + k][at] = basis[6 + k][across] = 1;
        basis[3 + k][across] = stiff ? 1 : 0;
        basis[6 + k][at] = stiff ? -1 : 0;
        basis[9 + k][9 + k] = 1;
    }
}

/** out = H^-1 (of a rigid body: on the motions it has); false when H is not positive definite. */
static inline bool energy_inverse(const BodyEnergy *energy, Real out[12][12]) {
    Real basis[12][12], h[12][12], scale[12];
    int first = isfinite(energy->mu) ? 0 : 6, n = 12 - first;
    energy_basis(energy, basis);
    for (int i = 0; i < n; i++) {
        Real own = energy_form(energy, basis[first + i], basis[first + i]);
        if (!(own > 0)) {
            return false;
        }
        scale[i] = 1 / sqrtl(own);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            h[i][j] = energy_form(energy, basis[first + i], basis[first + j]) * scale[i] * scale[j];
        }
    }
    if (!dense_invert(n, h)) {
        return false;
    }
    for (int x = 0; x < 12; x++) {
        for (int y = 0; y < 12; y++) {
            out[x][y] = 0;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    out[x][y] += basis[first + i][x] * scale[i] * h[i][j] * scale[j] * basis[first + j][y];
                }
            }
        }
    }
    return true;
}

/** Uniform in [0, 1): splitmix64 (Steele, Lea and Flood 2014). */
static inline double random_unit(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
/** Uniform in [-1, 1). */
static inline double random_signed(uint64_t *state) {
    return 2 * random_unit(state) - 1;
}
/** Between low and high, evenly in the logarithm. */
static inline double random_scale(uint64_t *state, double low, double high) {
    return low * pow(high / low, random_unit(state));
}

/** A body of some density, of any shape between a ball and a plate. */
static inline AfxiBodyClass random_class(uint64_t *seed, double young) {
    AfxiBodyClass body = {.young = young, .gravity = 1};
    body.volume = random_scale(seed, 1e-5, 1);
    body.mass = body.volume * random_scale(seed, 100, 10000);
    double size = cbrt(body.volume);
    for (int k = 0; k < 3; k++) {
        body.s[k] = body.mass * size * size * random_scale(seed, 1e-3, 1);
    }
    int shape = (int)(6 * random_unit(seed));
    if (shape < 3) {
        body.s[shape] = 0; /* a plate */
    }
    body.poisson = -0.5 + 0.98 * random_unit(seed);
    if (random_unit(seed) < 0.5) {
        body.linear_damping = random_scale(seed, 1e-2, 1e3);
        body.angular_damping = random_scale(seed, 1e-2, 1e3);
    }
    return body;
}

static inline AfxiScale random_step(uint64_t *seed) {
    double h = random_scale(seed, 1e-4, 0.1);
    return (AfxiScale){h * h * (0.3 + random_unit(seed)), h * (0.3 + random_unit(seed))};
}

#endif
