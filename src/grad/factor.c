/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of fronts, and substitution with them. */
#include <math.h>
#include <string.h>

#include "grad/front.h"
#include "grad/tuning.h"

#define NONE UINT32_MAX

/* What a child hands on, where it belongs in its parent. */
static void add_child(const AfxiGradFactor *factor, const AfxiGradFront *child, const AfxiGradFront *front) {
    const double *from = factor->work + child->update;
    double *column = factor->value + front->column, *across = factor->value + front->across;
    double *update = factor->work + front->update;
    const uint32_t *map = factor->map + child->index;
    size_t leading = front->below + front->beside, beside = front->beside;
    for (uint32_t j = 0; j < child->height; j++, from += child->beside) {
        if (j < child->carried) {
            double *own = column + map[j] * leading;
            for (uint32_t i = 0; i < child->carried; i++) {
                own[map[i]] += from[i];
            }
            for (uint32_t i = child->carried; i < child->height; i++) {
                own[front->below + map[i]] += from[i];
            }
        } else {
            double *own = update + map[j] * beside;
            for (uint32_t i = 0; i < child->carried; i++) {
                across[map[i] * beside + map[j]] += from[i];
            }
            for (uint32_t i = child->carried; i < child->height; i++) {
                own[map[i]] += from[i];
            }
        }
    }
}

AfxStatus afxi_grad_factor(AfxiGradFactor *factor, const AfxiGradColumns *matrix, const double *shift) {
    uint32_t entries = factor->n ? matrix->start[factor->n] : 0;
    double least = INFINITY;
    if (factor->count) {
        memset(factor->value, 0, factor->value_length * sizeof *factor->value);
    }
    for (uint32_t f = 0; f < factor->count; f++) {
        const AfxiGradFront *front = &factor->front[f];
        double *update = factor->work + front->update;
        for (uint32_t k = front->entry; k < front->entry + front->entries; k++) {
            const AfxiGradSpot *spot = &factor->spot[k];
            factor->value[spot->at] +=
                spot->entry < entries ? matrix->value[spot->entry] : shift[spot->entry - entries];
        }
        memset(update, 0, (size_t)front->height * front->beside * sizeof *update);
        for (uint32_t child = front->first_child; child != NONE; child = factor->front[child].next_child) {
            add_child(factor, &factor->front[child], front);
        }
        double own = factor->kernel->factor(front, factor->value + front->column, factor->value + front->across, update,
                                            factor->swap + front->first);
        least = own < least || !(own == own) ? own : least;
    }
    return least > AFXI_GRAD_LEAST_PIVOT && isfinite(least) ? AFX_OK : factor->count ? AFX_E_NUMERIC : AFX_OK;
}

/* ---- substitution ---- */

static void exchange(double *y, const AfxiGradFront *front, const uint32_t *swap, bool back) {
    for (uint32_t k = 0; k < front->width; k++) {
        uint32_t own = back ? front->width - 1 - k : k;
        double kept = y[own];
        y[own] = y[swap[own]];
        y[swap[own]] = kept;
    }
}

/* With L, or with the transpose of U: down in a front, and off its rows below. */
static void go_down(const AfxiGradFactor *factor, const AfxiGradFront *front, bool transposed, double *y, double *out) {
    const double *column = factor->value + front->column, *across = factor->value + front->across;
    size_t leading = front->below + front->beside;
    double *own = y + front->first;
    if (transposed) {
        for (uint32_t k = 0; k < front->width; k++) {
            double sum = own[k];
            for (uint32_t l = 0; l < k; l++) {
                sum -= column[k * leading + l] * own[l];
            }
            own[k] = sum * column[k * leading + k];
        }
        factor->kernel->spread(front->beside, front->width, across, front->beside, own, out);
    } else {
        exchange(own, front, factor->swap + front->first, false);
        for (uint32_t k = 0; k < front->width; k++) {
            for (uint32_t l = k + 1; l < front->width; l++) {
                own[l] -= column[k * leading + l] * own[k];
            }
        }
        factor->kernel->spread(front->beside, front->width, column + front->below, leading, own, out);
    }
    for (uint32_t i = 0; i < front->height; i++) {
        y[factor->index[front->index + i]] -= out[i];
    }
}

/* With U, or with the transpose of L: up in a front, with what its rows below have come to. */
static void go_up(const AfxiGradFactor *factor, const AfxiGradFront *front, bool transposed, double *y, double *below,
                  double *out) {
    const double *column = factor->value + front->column, *across = factor->value + front->across;
    size_t leading = front->below + front->beside;
    double *own = y + front->first;
    for (uint32_t i = 0; i < front->beside; i++) {
        below[i] = i < front->height ? y[factor->index[front->index + i]] : 0;
    }
    if (transposed) {
        factor->kernel->gather(front->beside, front->width, column + front->below, leading, below, out);
        for (uint32_t k = front->width; k-- > 0;) {
            double sum = own[k] - out[k];
            for (uint32_t l = k + 1; l < front->width; l++) {
                sum -= column[k * leading + l] * own[l];
            }
            own[k] = sum;
        }
        exchange(own, front, factor->swap + front->first, true);
    } else {
        factor->kernel->gather(front->beside, front->width, across, front->beside, below, out);
        for (uint32_t k = 0; k < front->width; k++) {
            own[k] -= out[k];
        }
        for (uint32_t k = front->width; k-- > 0;) {
            own[k] *= column[k * leading + k];
            for (uint32_t l = 0; l < k; l++) {
                own[l] -= column[k * leading + l] * own[k];
            }
        }
    }
}

void afxi_grad_factor_solve(const AfxiGradFactor *factor, bool transposed, const double *b, double *x) {
    double *y = factor->vector, *below = y + factor->n + 4, *out = below + factor->n + 4;
    for (uint32_t k = 0; k < factor->n; k++) {
        y[k] = b[factor->order[k]];
    }
    for (uint32_t f = 0; f < factor->count; f++) {
        go_down(factor, &factor->front[f], transposed, y, out);
    }
    for (uint32_t f = factor->count; f-- > 0;) {
        go_up(factor, &factor->front[f], transposed, y, below, out);
    }
    for (uint32_t k = 0; k < factor->n; k++) {
        x[factor->order[k]] = y[k];
    }
}
