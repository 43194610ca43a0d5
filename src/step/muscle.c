/* SPDX-License-Identifier: Apache-2.0 */
#include "step/muscle.h"

#include <math.h>

/* 0 .. 1 over 0 .. 1, with first and second derivatives 0 at both ends. */
static double sigmoid(double x) {
    return x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (3 * x * (2 * x - 5) + 10);
}

static double muscle_rate(const double time[3], double now, double value) {
    double off = fmin(fmax(value, 0), 1) - now, share = 0.5 + 1.5 * fmin(fmax(now, 0), 1);
    double up = time[0] * share, down = time[1] / share;
    double part = time[2] > 0 ? sigmoid(off / time[2] + 0.5) : off > 0;
    return off / (down + (up - down) * part);
}

double afxi_activation_after(const AfxActivation *activation, double now, double value, double h) {
    double time = activation->time[0], after = value;
    switch (activation->kind) {
    case AFX_ACTIVATION_NONE:
        return value;
    case AFX_ACTIVATION_INTEGRATOR:
        after = now + h * value;
        break;
    case AFX_ACTIVATION_FILTER:
        after = now + h / time * (value - now);
        break;
    case AFX_ACTIVATION_FILTER_EXACT:
        after = now - expm1(-h / time) * (value - now);
        break;
    case AFX_ACTIVATION_MUSCLE:
        after = now + h * muscle_rate(activation->time, now, value);
        break;
    }
    return fmin(fmax(after, activation->lower), activation->upper);
}

/* Force by length: four parabolas. */
static double by_length(const AfxMuscle *m, double l) {
    double rise = 0.5 * (m->lmin + 1), fall = 0.5 * (1 + m->lmax), x;
    if (l <= m->lmin || l >= m->lmax) {
        return 0;
    }
    if (l <= rise) {
        x = (l - m->lmin) / (rise - m->lmin);
    } else if (l > fall) {
        x = (m->lmax - l) / (m->lmax - fall);
    } else {
        x = l <= 1 ? (1 - l) / (1 - rise) : (l - 1) / (fall - 1);
        return 1 - 0.5 * x * x;
    }
    return 0.5 * x * x;
}

static double by_speed(const AfxMuscle *m, double v) {
    double more = m->fvmax - 1;
    if (v <= 0) {
        return v <= -1 ? 0 : (v + 1) * (v + 1);
    }
    return v <= more ? m->fvmax - (more - v) * (more - v) / more : m->fvmax;
}

static double passive(const AfxMuscle *m, double l) {
    double half = 0.5 * (1 + m->lmax), x = (l - 1) / (half - 1);
    return l <= 1 ? 0 : m->fpmax * (l <= half ? 0.5 * x * x : x - 0.5);
}

double afxi_muscle_force(const AfxMuscle *muscle, double activation, double length, double rate) {
    double unit = (muscle->length[1] - muscle->length[0]) / (muscle->range[1] - muscle->range[0]);
    double l = muscle->range[0] + (length - muscle->length[0]) / unit, v = rate / (unit * muscle->vmax);
    return -muscle->force * (by_length(muscle, l) * by_speed(muscle, v) * activation + passive(muscle, l));
}
