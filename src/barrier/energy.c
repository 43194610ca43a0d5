/* SPDX-License-Identifier: Apache-2.0 */
/* B(d) = -(d - g)² ln(d/g):  B' = -2 (d - g) ln(d/g) - (d - g)²/d,  B'' = -2 ln(d/g) - 4 (d - g)/d + (d - g)²/d²
 * (Li et al., Incremental Potential Contact, 2020, Eq. 6, of the distance and not of its square).
 * Friction (the same, Eq. 18): f' = 2 s/e - s²/e² up to e, then 1. */
#include "barrier/energy.h"

#include <math.h>

void afxi_barrier_function(double d, double g, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    if (d >= g) {
        return;
    }
    if (!(d > 0)) {
        out[0] = INFINITY;
        return;
    }
    double below = d - g, share = below / d, logarithm = log1p(below / g);
    out[0] = -below * below * logarithm;
    out[1] = -2 * below * logarithm - below * share;
    out[2] = -2 * logarithm - 4 * share + share * share;
}

double afxi_barrier_gap_of(double force, double g) {
    double scaled = force / g, z = -log(sqrt(scaled / 3) + scaled), s = 0.5, b[3];
    for (int k = 0; k < 8; k++) { /* Newton's method for ln(-B') by z = ln(s/(1 - s)), which is nearly straight */
        s = 1 / (1 + exp(-z));
        afxi_barrier_function(s, 1, b);
        double off = log(-b[1] / scaled);
        if (!(fabs(off) > 1e-12)) {
            break;
        }
        z -= off * b[1] / (b[2] * s * (1 - s));
    }
    return s * g;
}

void afxi_mollifier(double c, double e, double out[2]) {
    double x = c / e;
    out[0] = x < 1 ? (2 - x) * x : 1;
    out[1] = x < 1 ? 2 * (1 - x) / e : 0;
}

void afxi_friction_function(double s, double e, double out[3]) {
    if (s >= e) {
        out[0] = s;
        out[1] = 1 / s;
        out[2] = 1;
        return;
    }
    double x = s / e;
    out[0] = s * x * (1 - x / 3) + e / 3;
    out[1] = (2 - x) / e;
    out[2] = x * (2 - x);
}
