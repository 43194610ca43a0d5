/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar functions of time with their first two derivatives: constant, polynomial (Horner), sine, table,
 * formula (math/formula.c).
 *
 * A table is a piecewise cubic Hermite interpolant. With h_k = t_{k+1} - t_k and secants s_k = (v_{k+1} - v_k) / h_k
 * the slope at an inner sample is that of the parabola through it and its neighbours,
 *     d_k = (h_k s_{k-1} + h_{k-1} s_k) / (h_{k-1} + h_k),
 * at an end that of the parabola through the three outermost samples, d_0 = s_0 + (s_0 - s_1) h_0 / (h_0 + h_1). So
 * parabolas are reproduced exactly, and the error is O(h^3) for smooth data. The value and the rate are continuous
 * between the ends; outside, the end value is held at rate 0. */
#include "math/signal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/formula.h"
#include "math/vec3.h"

static double secant(const AfxSignal *s, uint32_t k) {
    return (s->values[k + 1] - s->values[k]) / (s->times[k + 1] - s->times[k]);
}

/** Slope at sample k of the parabola through three samples. */
static double slope(const AfxSignal *s, uint32_t k) {
    uint32_t last = s->sample_count - 1;
    if (last == 1) {
        return secant(s, 0);
    }
    bool inner = k > 0 && k < last;
    uint32_t near = k == 0 ? 0 : k - 1;               /* interval that touches sample k */
    uint32_t far = inner ? k : k == 0 ? 1 : last - 2; /* its neighbour */
    double h_near = s->times[near + 1] - s->times[near], h_far = s->times[far + 1] - s->times[far];
    double s_near = secant(s, near), s_far = secant(s, far);
    double weight = h_near / (h_near + h_far);
    return s_near + (inner ? s_far - s_near : s_near - s_far) * weight;
}

/** The interval [times[k], times[k+1]] that holds t, for t within the table. */
static uint32_t interval(const AfxSignal *s, double t) {
    uint32_t low = 0, high = s->sample_count - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->times[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static AfxiJet table(const AfxSignal *s, double t) {
    uint32_t last = s->sample_count - 1;
    if (last == 0 || t < s->times[0]) {
        return (AfxiJet){s->values[0], 0, 0};
    }
    if (t > s->times[last]) {
        return (AfxiJet){s->values[last], 0, 0};
    }
    uint32_t k = interval(s, t);
    double h = s->times[k + 1] - s->times[k], x = t - s->times[k], u = x / h;
    double d = slope(s, k), chord = secant(s, k);
    /* Newton's form over double nodes: v + x (d + u (bend + twist (u - 1))) */
    double bend = chord - d, twist = d + slope(s, k + 1) - 2 * chord;
    return (AfxiJet){s->values[k] + x * (d + u * (bend + twist * (u - 1))), d + u * (2 * bend + twist * (3 * u - 2)),
                     (2 * bend + twist * (6 * u - 2)) / h};
}

static AfxiJet polynomial(const double *c, double t) {
    AfxiJet j = {0, 0, 0};
    for (int k = AFX_SIGNAL_COEFFICIENTS - 1; k >= 0; k--) {
        j.acceleration = j.acceleration * t + 2 * j.rate;
        j.rate = j.rate * t + j.value;
        j.value = j.value * t + c[k];
    }
    return j;
}

static AfxiJet sine(const double *c, double t) {
    double omega = AFXI_TWO_PI * c[2], angle = omega * t + c[3];
    double s = c[1] * sin(angle);
    return (AfxiJet){c[0] + s, c[1] * omega * cos(angle), -s * omega * omega};
}

/* A scene's own signal has its program in place of values; one that was just written has the text alone. */
static AfxiJet formula(const AfxSignal *s, double t) {
    double program[AFXI_FORMULA_MOST];
    const char *fault = NULL;
    uint32_t length = s->sample_count;
    if (!length) {
        length = afxi_formula_compile(s->formula, program, &fault, NULL);
    }
    return fault ? (AfxiJet){NAN, NAN, NAN} : afxi_formula_run(s->sample_count ? s->values : program, length, t);
}

AfxStatus afx_signal_evaluate(const AfxSignal *signal, double t, double *out_value, double *out_rate,
                              double *out_acceleration) {
    if (!signal || !isfinite(t)) {
        return AFX_E_ARGUMENT;
    }
    AfxiJet j = {signal->coefficients[0], 0, 0};
    switch (signal->kind) {
    case AFX_SIGNAL_CONSTANT:
        break;
    case AFX_SIGNAL_POLYNOMIAL:
        j = polynomial(signal->coefficients, t);
        break;
    case AFX_SIGNAL_SINE:
        j = sine(signal->coefficients, t);
        break;
    case AFX_SIGNAL_TABLE:
        if (signal->sample_count == 0 || !signal->times || !signal->values) {
            return AFX_E_ARGUMENT;
        }
        j = table(signal, t);
        break;
    case AFX_SIGNAL_FORMULA:
        if (signal->sample_count ? !signal->values : !signal->formula) {
            return AFX_E_ARGUMENT;
        }
        j = formula(signal, t);
        break;
    default:
        return AFX_E_ARGUMENT;
    }
    if (!isfinite(j.value) || !isfinite(j.rate) || !isfinite(j.acceleration)) {
        return AFX_E_ARGUMENT;
    }
    if (out_value) {
        *out_value = j.value;
    }
    if (out_rate) {
        *out_rate = j.rate;
    }
    if (out_acceleration) {
        *out_acceleration = j.acceleration;
    }
    return AFX_OK;
}

static const char *table_fault(const AfxSignal *s) {
    if (s->sample_count == 0) {
        return "its table has no samples";
    }
    if (!s->times || !s->values) {
        return "its table has no times or no values";
    }
    for (uint32_t k = 0; k < s->sample_count; k++) {
        if (!isfinite(s->times[k]) || !isfinite(s->values[k])) {
            return "a time or value of its table is not finite";
        }
        if (k > 0 && !(s->times[k] > s->times[k - 1])) {
            return "the times of its table do not rise";
        }
    }
    double closest = 1, farthest = 0, steepest = 0;
    for (uint32_t k = 0; k + 1 < s->sample_count; k++) {
        double h = s->times[k + 1] - s->times[k];
        closest = fmin(closest, h);
        farthest = fmax(farthest, h);
        steepest = fmax(steepest, fabs(secant(s, k)));
    }
    /* Slopes are below 3 secants, accelerations below 64 secants / h; NaN is not below. */
    if (!(farthest <= DBL_MAX / 4) || !(64 * steepest / closest <= DBL_MAX)) {
        return "its table is too steep, or its times too close or too far apart";
    }
    return NULL;
}

static const char *formula_fault(const AfxSignal *s) {
    double program[AFXI_FORMULA_MOST];
    const char *fault = "it has no formula";
    if (s->formula) {
        afxi_formula_compile(s->formula, program, &fault, NULL);
    }
    return fault;
}

const char *afxi_signal_fault(const AfxSignal *signal) {
    int used = signal->kind == AFX_SIGNAL_CONSTANT ? 1 : signal->kind == AFX_SIGNAL_SINE ? 4 : AFX_SIGNAL_COEFFICIENTS;
    const double *c = signal->coefficients;
    switch (signal->kind) {
    case AFX_SIGNAL_CONSTANT:
    case AFX_SIGNAL_POLYNOMIAL:
    case AFX_SIGNAL_SINE:
        for (int k = 0; k < used; k++) {
            if (!isfinite(c[k])) {
                return "a coefficient is not finite";
            }
        }
        if (signal->kind == AFX_SIGNAL_SINE && !isfinite(c[1] * (AFXI_TWO_PI * c[2]) * (AFXI_TWO_PI * c[2]))) {
            return "its acceleration, amplitude times frequency squared, is not finite";
        }
        return NULL;
    case AFX_SIGNAL_TABLE:
        return table_fault(signal);
    case AFX_SIGNAL_FORMULA:
        return formula_fault(signal);
    }
    return "its kind is not one of AfxSignalKind";
}

void afxi_signal_copy_table(AfxSignal *signal, double **samples) {
    uint32_t count = signal->sample_count;
    signal->formula = NULL; /* its program, the values, is what counts */
    if (signal->kind != AFX_SIGNAL_TABLE && signal->kind != AFX_SIGNAL_FORMULA) {
        signal->times = signal->values = NULL;
        signal->sample_count = 0;
        return;
    }
    memcpy(*samples, signal->times, count * sizeof(double));
    memcpy(*samples + count, signal->values, count * sizeof(double));
    signal->times = *samples;
    signal->values = *samples + count;
    *samples += 2 * (size_t)count;
}
