/* SPDX-License-Identifier: Apache-2.0 */
/* A table of forces is a piecewise cubic that is monotone wherever its samples are (Fritsch and Butland 1984, known as
 * PCHIP). With h_k = x_{k+1} - x_k and secants s_k, the slope at an inner sample is 0 where the secants beside it
 * differ in sign, else their weighted harmonic mean
 *     d_k = (w + v) / (w / s_{k-1} + v / s_k),   w = 2 h_k + h_{k-1},  v = h_k + 2 h_{k-1};
 * at an end that of the parabola through the three outermost samples, kept within what is monotone. Force and slope
 * are continuous between the ends; beyond, the force goes on along its slope where it rises, and is held where it
 * falls: a spring that would pull ever more the wrong way has no lowest energy.
 *
 * Slopes depend on three samples only and are made when they are wanted: samples are parameters, which may change. */
#include "math/table.h"

#include <float.h>
#include <math.h>

static double secant(const AfxForceTable *t, uint32_t k) {
    return (t->forces[k + 1] - t->forces[k]) / (t->positions[k + 1] - t->positions[k]);
}

/* At an end: `near` is the secant of the last interval, h long, `far` that of the one before. */
static double end_slope(double h, double before, double near, double far) {
    double d = near + (near - far) * h / (h + before);
    if (d * near <= 0) {
        return 0;
    }
    return near * far <= 0 && fabs(d) > 3 * fabs(near) ? 3 * near : d;
}

static double slope_at(const AfxForceTable *t, uint32_t k) {
    uint32_t last = t->count - 1;
    const double *x = t->positions;
    if (last == 1) {
        return secant(t, 0);
    }
    if (k == 0) {
        return end_slope(x[1] - x[0], x[2] - x[1], secant(t, 0), secant(t, 1));
    }
    if (k == last) {
        return end_slope(x[last] - x[last - 1], x[last - 1] - x[last - 2], secant(t, last - 1), secant(t, last - 2));
    }
    double before = secant(t, k - 1), after = secant(t, k), h = x[k + 1] - x[k], g = x[k] - x[k - 1];
    if (before * after <= 0) {
        return 0;
    }
    double w = 2 * h + g, v = h + 2 * g;
    return (w + v) / (w / before + v / after);
}

/* The piece that holds a position: -1 before the first sample, count - 1 behind the last. */
static int64_t piece_of(const AfxForceTable *t, double x) {
    int64_t low = -1, high = t->count;
    while (high - low > 1) { /* positions[low] <= x < positions[high] */
        int64_t middle = low + (high - low) / 2;
        if (t->positions[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static double force_in(const AfxForceTable *t, int64_t piece, double x, double *out_slope) {
    uint32_t last = t->count - 1;
    if (piece < 0 || piece >= last) {
        uint32_t end = piece < 0 ? 0 : last;
        *out_slope = fmax(0, slope_at(t, end));
        return t->forces[end] + *out_slope * (x - t->positions[end]);
    }
    uint32_t k = (uint32_t)piece;
    double h = t->positions[k + 1] - t->positions[k], at = x - t->positions[k], u = at / h;
    double d = slope_at(t, k), chord = secant(t, k);
    /* Newton's form over double nodes: f + x (d + u (bend + twist (u - 1))) */
    double bend = chord - d, twist = d + slope_at(t, k + 1) - 2 * chord;
    *out_slope = d + u * (2 * bend + twist * (3 * u - 2));
    return t->forces[k] + at * (d + u * (bend + twist * (u - 1)));
}

double afxi_table_force(const AfxForceTable *table, double position, double *out_slope) {
    *out_slope = 0;
    return table->count ? force_in(table, piece_of(table, position), position, out_slope) : 0;
}

/* Mean over a way within one piece: two points of Gauss are exact for a cubic. */
static double mean_in(const AfxForceTable *t, int64_t piece, double from, double to) {
    double middle = 0.5 * (from + to), off = 0.5 * (to - from) / sqrt(3), unused;
    return 0.5 * (force_in(t, piece, middle - off, &unused) + force_in(t, piece, middle + off, &unused));
}

double afxi_table_mean(const AfxForceTable *table, double from, double to) {
    if (!table->count) {
        return 0;
    }
    double low = fmin(from, to), high = fmax(from, to);
    int64_t piece = piece_of(table, low), end = piece_of(table, high);
    if (piece == end || !(high > low)) { /* NaN too */
        return mean_in(table, piece, low, high);
    }
    double work = 0;
    for (double at = low; piece <= end; piece++) {
        double next = piece < end ? table->positions[piece + 1] : high;
        work += (next - at) * mean_in(table, piece, at, next);
        at = next;
    }
    return work / (high - low);
}

AfxStatus afx_force_table_evaluate(const AfxForceTable *table, double position, double *out_force, double *out_slope,
                                   double *out_energy) {
    if (!table || !isfinite(position) || afxi_table_fault(table)) {
        return AFX_E_ARGUMENT;
    }
    double slope, force = afxi_table_force(table, position, &slope);
    if (out_force) {
        *out_force = force;
    }
    if (out_slope) {
        *out_slope = slope;
    }
    if (out_energy) {
        *out_energy = position * afxi_table_mean(table, 0, position);
    }
    return AFX_OK;
}

const char *afxi_table_fault(const AfxForceTable *table) {
    if (table->count == 0) {
        return NULL;
    }
    if (table->count == 1) {
        return "has one sample only";
    }
    if (!table->positions || !table->forces) {
        return "has no positions or no forces";
    }
    double closest = DBL_MAX, steepest = 0;
    for (uint32_t k = 0; k < table->count; k++) {
        if (!isfinite(table->positions[k]) || !isfinite(table->forces[k])) {
            return "has a position or force that is not finite";
        }
        if (k > 0 && !(table->positions[k] > table->positions[k - 1])) {
            return "has positions that do not rise";
        }
        if (k > 0) {
            closest = fmin(closest, table->positions[k] - table->positions[k - 1]);
            steepest = fmax(steepest, fabs(secant(table, k - 1)));
        }
    }
    double most = fmax(fabs(table->positions[0]), fabs(table->positions[table->count - 1]));
    /* slopes are at most 3 secants; NaN is not below */
    if (!(most <= DBL_MAX / 8) || !(64 * steepest / fmin(1, closest) * fmax(1, most) <= DBL_MAX)) {
        return "is too steep, or its positions are too close or too far apart";
    }
    return NULL;
}
