/* SPDX-License-Identifier: Apache-2.0 */
/* Axes: round numbers for marks, and short texts for them. */
#include "cli/chart.h"

#include <math.h>

/* The smallest of 1, 2, 5, 10, 20, ... times a power of ten that is not below `least`. */
static double round_step(double least) {
    double power = pow(10, floor(log10(least)));
    double part = least / power;
    return power * (part <= 1.0000001 ? 1 : part <= 2.0000001 ? 2 : part <= 5.0000001 ? 5 : 10);
}

static void mark(CliAxis *axis, double step) {
    double first = ceil(axis->low / step - 1e-9);
    for (double k = first; k * step <= axis->high + 1e-9 * step && axis->count < CLI_AXIS_TICKS; k += 1) {
        axis->ticks[axis->count++] = k * step;
    }
}

/* How labels are written: large or small numbers in units of a power of ten, close ones from an offset on. */
static void style(CliAxis *axis, double step) {
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    if (step < 1e-5 * largest && axis->count > 0) {
        double coarse = pow(10, ceil(log10(axis->high - axis->low)));
        axis->offset = nearbyint((axis->low + axis->high) / (2 * coarse)) * coarse;
        largest = fmax(fabs(axis->low - axis->offset), fabs(axis->high - axis->offset));
    }
    int exponent = largest > 0 ? (int)floor(log10(largest)) : 0;
    axis->exponent = exponent >= 5 || exponent <= -4 ? 3 * (int)floor(exponent / 3.0) : 0;
    int decimals = (int)ceil(axis->exponent - log10(step) - 1e-9);
    axis->decimals = decimals > 0 ? decimals : 0;
}

static CliAxis make_log(double low, double high, uint32_t wanted) {
    CliAxis axis = {.low = floor(log10(low) + 1e-9), .high = ceil(log10(high) - 1e-9), .log = true};
    if (axis.high <= axis.low) {
        axis.low -= 1;
        axis.high += 1;
    }
    mark(&axis, fmax(1, ceil((axis.high - axis.low) / wanted)));
    return axis;
}

CliAxis cli_axis_make(double low, double high, bool log, uint32_t wanted) {
    if (log && low <= high && low > 0) {
        return make_log(low, high, wanted);
    }
    CliAxis axis = {.low = low, .high = high, .log = log};
    if (!(low <= high) || log) { /* nothing to show */
        axis.low = 0;
        axis.high = 1;
    } else if (high - low <= 1e-14 * fmax(fabs(low), fabs(high))) {
        double room = low == 0 ? 1 : 0.05 * fmax(fabs(low), fabs(high));
        axis.low -= room;
        axis.high += room;
    }
    double step = round_step((axis.high - axis.low) / wanted);
    mark(&axis, step);
    style(&axis, step);
    return axis;
}

double cli_axis_place(const CliAxis *axis, double value) {
    double at = axis->log ? (value > 0 ? log10(value) : NAN) : value;
    return (at - axis->low) / (axis->high - axis->low);
}

void cli_axis_label(const CliAxis *axis, uint32_t tick, char *out_text, size_t size) {
    double value = axis->ticks[tick];
    if (axis->log) {
        snprintf(out_text, size, "%.0f", value);
        return;
    }
    value = (value - axis->offset) / pow(10, axis->exponent);
    snprintf(out_text, size, "%.*f", axis->decimals, value == 0 ? 0 : value); /* no "-0" */
}
