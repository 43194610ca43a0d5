/* SPDX-License-Identifier: Apache-2.0 */
#include "constraint/soft.h"

#include <math.h>

#include "constraint/tuning.h"
#include "model/contacts.h"

bool afxi_soft_is(const double *pair) {
    return pair[AFXI_PAIR_DAMPING] > 0 || pair[AFXI_PAIR_IMPEDANCE + 2] > 0;
}

/* y(x), 0 .. 1 over 0 .. 1: two powers that meet at the middle, with the same slope there. */
static double rise(double x, double middle, double power, double *out_slope) {
    bool low = x <= middle;
    double part = low ? x : 1 - x, scale = pow(low ? middle : 1 - middle, power - 1);
    double y = pow(part, power) / scale;
    *out_slope = power * pow(part, power - 1) / scale;
    return low ? y : 1 - y;
}

/* d(r) and its slope. */
static double impedance(const double *i, double depth, double *out_slope) {
    double first = fmin(fmax(i[0], AFXI_IMPEDANCE_LEAST), 1 - AFXI_IMPEDANCE_LEAST);
    double last = fmin(fmax(i[1], AFXI_IMPEDANCE_LEAST), 1 - AFXI_IMPEDANCE_LEAST);
    *out_slope = 0;
    if (depth >= i[2]) {
        return last;
    }
    double slope, y = rise(depth / i[2], i[3], i[4], &slope);
    *out_slope = (last - first) * slope / i[2];
    return first + (last - first) * y;
}

/* What multiplies stiffness and damping at a depth. */
static void factors(const double *pair, double depth, double *out_stiff, double *out_stiff_slope, double *out_damp) {
    *out_stiff = *out_damp = 1;
    *out_stiff_slope = 0;
    if (pair[AFXI_PAIR_IMPEDANCE + 2] > 0) {
        double slope, d = impedance(pair + AFXI_PAIR_IMPEDANCE, depth, &slope), free = 1 - d;
        *out_stiff = d * d / free;
        *out_stiff_slope = d * (2 - d) / (free * free) * slope;
        *out_damp = d / free;
    }
}

double afxi_soft_force(const double *pair, double depth, double *out_slope) {
    double stiff, stiff_slope, damp, r = fmax(depth, 0), k = pair[AFXI_PAIR_STIFFNESS];
    factors(pair, r, &stiff, &stiff_slope, &damp);
    if (out_slope) {
        *out_slope = k * (stiff + r * stiff_slope);
    }
    return k * stiff * r;
}

double afxi_soft_friction_damping(const double *pair, double depth) {
    double stiff, slope, damp;
    factors(pair, fmax(depth, 0), &stiff, &slope, &damp);
    return damp * pair[AFXI_PAIR_FRICTION_DAMPING];
}

AfxiSoft afxi_soft_line(const double *pair, double depth, double h, double stiffest) {
    double stiff, stiff_slope, damp, slope, r = fmax(depth, 0), force = afxi_soft_force(pair, r, &slope);
    factors(pair, r, &stiff, &stiff_slope, &damp);
    double total = fmin(slope + damp * pair[AFXI_PAIR_DAMPING] / h, stiffest);
    return (AfxiSoft){total, fmax(r - force / total, 0)};
}
