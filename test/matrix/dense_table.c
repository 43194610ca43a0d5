/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of forces by Hermite's four functions, with slopes by Fritsch and Butland. */
#include "dense_inner.h"

#include <math.h>

/* Slope at sample k: the harmonic mean, weighted, of the chords beside it; at an end the parabola's, within what is
 * monotone. */
static double slope_at(const AfxForceTable *t, uint32_t k) {
    double h[2], m[2];
    uint32_t n = t->count, at = k == 0 ? 0 : k == n - 1 ? n - 2 : k - 1;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t i = n == 2 ? 0 : k == n - 1 ? at - side : at + side;
        h[side] = t->positions[i + 1] - t->positions[i];
        m[side] = (t->forces[i + 1] - t->forces[i]) / h[side];
    }
    if (n == 2) {
        return m[0];
    }
    if (k == 0 || k == n - 1) {
        double d = ((2 * h[0] + h[1]) * m[0] - h[0] * m[1]) / (h[0] + h[1]);
        return signbit(d) != signbit(m[0]) || m[0] == 0                     ? 0
               : signbit(m[0]) != signbit(m[1]) && fabs(d) > 3 * fabs(m[0]) ? 3 * m[0]
                                                                            : d;
    }
    double a = (h[0] + 2 * h[1]) / (3 * (h[0] + h[1]));
    return m[0] * m[1] > 0 ? m[0] * m[1] / (a * m[1] + (1 - a) * m[0]) : 0;
}

double dense_table(const AfxForceTable *t, double x) {
    uint32_t n = t->count, k = 0;
    if (n == 0) {
        return 0;
    }
    if (x < t->positions[0] || x > t->positions[n - 1]) {
        uint32_t end = x < t->positions[0] ? 0 : n - 1;
        return t->forces[end] + fmax(0, slope_at(t, end)) * (x - t->positions[end]);
    }
    while (k + 2 < n && x >= t->positions[k + 1]) {
        k++;
    }
    double h = t->positions[k + 1] - t->positions[k], u = (x - t->positions[k]) / h, v = 1 - u;
    return (1 + 2 * u) * v * v * t->forces[k] + u * v * v * h * slope_at(t, k) +
           u * u * (3 - 2 * u) * t->forces[k + 1] - u * u * v * h * slope_at(t, k + 1);
}
