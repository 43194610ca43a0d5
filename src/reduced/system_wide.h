/* SPDX-License-Identifier: Apache-2.0 */
/* The rows' own system S = J M^-1 J^T, in lanes, for *_wide.c files. With M = L^T L and Y = L^-T J^T it is Y^T Y.
 * Redundant rows make it singular: where pivots tell of them it is regularised by a share of its diagonal, and refined
 * until its equations hold, which shares their load as the diagonal says (docs/joints.md). A lane that is done stays as
 * it is while others go on.
 */
#ifndef AFXI_REDUCED_SYSTEM_WIDE_H
#define AFXI_REDUCED_SYSTEM_WIDE_H

#include <float.h>

#include "reduced/factor_wide.h"
#include "reduced/tuning.h"

/* Sums are rounded after each product, in one order for all lanes. */
WIDE_INLINE Wide system_dot(const Wide *a, const Wide *b, size_t n) {
    Wide sum = wide_all(0);
    for (size_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

WIDE_INLINE Wide *system_at(double *array, size_t place) {
    return (Wide *)(void *)array + place;
}

WIDE_INLINE Wide system_larger(Wide a, Wide b) { /* as fmax: NaN loses */
    return wide_select(wide_less(a, b) | ~wide_equal(a, a), b, a);
}

/* Y^T, and its squares into the diagonal of S. A row that no coordinate changes, up to rounding, as those out of the
 * plane of a planar loop, is made exactly that: its multiplier then moves nothing. */
static void system_set_half(const AfxiTreeSystem *system) {
    size_t m = system->row_count, n = system->rows->dof_count;
    Wide *s = system_at(system->schur, 0), most = wide_all(0);
    for (size_t i = 0; i < m; i++) {
        Wide *half = system_at(system->half, i * n);
        const Wide *gradient = system_at(system->gradient, i * n);
        for (size_t d = 0; d < n; d++) {
            half[d] = gradient[d];
        }
        tree_half_solve(system->rows, system->factor, (double *)(void *)half);
        s[i * m + i] = system_dot(half, half, n);
        most = system_larger(most, s[i * m + i]);
    }
    for (size_t i = 0; i < m; i++) {
        Wide least = wide_all(AFXI_REDUCED_NO_ROW) * system_larger(most, *system_at(system->free, i));
        WideMask none = ~wide_less(least, s[i * m + i]);
        if (!wide_any(none)) {
            continue;
        }
        Wide *half = system_at(system->half, i * n), *gradient = system_at(system->gradient, i * n);
        s[i * m + i] = wide_select(none, wide_all(0), s[i * m + i]);
        for (size_t d = 0; d < n; d++) {
            half[d] = wide_select(none, wide_all(0), half[d]);
            gradient[d] = wide_select(none, wide_all(0), gradient[d]);
        }
    }
}

/* S and a share of its diagonal, factored in place as C C^T (lower): the lanes with redundant rows. */
static WideMask system_eliminate(const AfxiTreeSystem *system, Wide share) {
    size_t m = system->row_count, n = system->rows->dof_count;
    Wide *s = system_at(system->schur, 0);
    WideMask redundant = wide_mask_none();
    for (size_t i = 0; i < m; i++) {
        const Wide *half = system_at(system->half, i * n);
        Wide diagonal = (wide_all(1) + share) * system_dot(half, half, n) + *system_at(system->compliance, i);
        for (size_t j = 0; j < i; j++) {
            Wide sum = system_dot(half, system_at(system->half, j * n), n) - system_dot(s + i * m, s + j * m, j);
            s[i * m + j] = sum / s[j * m + j];
        }
        Wide sum = diagonal - system_dot(s + i * m, s + i * m, i), least = wide_all(AFXI_REDUCED_PIVOT) * diagonal;
        Wide instead = wide_select(wide_less(wide_all(0), diagonal), least, wide_all(1));
        sum = wide_select(wide_less(least, sum), sum, instead);
        redundant |= ~wide_less(wide_all(AFXI_REDUCED_REDUNDANT) * diagonal, sum);
        s[i * m + i] = wide_sqrt(sum);
    }
    return redundant;
}

/* The factor, damped by a share of the diagonal: the lanes in which it was regularised. */
static unsigned system_factor(const AfxiTreeSystem *system, double damping) {
    Wide least = wide_all(damping > AFXI_REDUCED_REGULARISE ? damping : AFXI_REDUCED_REGULARISE);
    system_set_half(system);
    WideMask redundant = system_eliminate(system, wide_all(damping));
    if (wide_any(redundant)) {
        system_eliminate(system, wide_select(redundant, least, wide_all(damping)));
    }
    return wide_bits(redundant);
}

static void system_solve(const AfxiTreeSystem *system, Wide *x) {
    size_t m = system->row_count;
    const Wide *s = system_at(system->schur, 0);
    for (size_t i = 0; i < m; i++) {
        x[i] = (x[i] - system_dot(s + i * m, x, i)) / s[i * m + i];
    }
    for (size_t i = m; i-- > 0;) {
        Wide sum = x[i];
        for (size_t j = i + 1; j < m; j++) {
            sum -= s[j * m + i] * x[j];
        }
        x[i] = sum / s[i * m + i];
    }
}

/* x -= M^-1 J^T lambda = L^-1 Y lambda in the lanes `going`, by which J x changes by -S lambda. `half`: x is y = L x,
 * and J x = Y^T y; y -= Y lambda. */
WIDE_INLINE void system_apply(const AfxiTreeSystem *system, const Wide *lambda, WideMask going, bool half, Wide *x) {
    size_t n = system->rows->dof_count;
    Wide *row = system_at(system->row, 0);
    for (size_t d = 0; d < n; d++) {
        row[d] = wide_all(0);
    }
    for (size_t k = 0; k < system->row_count; k++) {
        const Wide *by = system_at(system->half, k * n);
        for (size_t d = 0; d < n; d++) {
            row[d] += by[d] * lambda[k];
        }
    }
    if (!half) {
        tree_other_half(system->rows, system->factor, system->row);
    }
    for (size_t d = 0; d < n; d++) {
        x[d] = wide_select(going, x[d] - row[d], x[d]);
    }
}

/* What J x is off by: `side`, as x moves from pass to pass. The largest comes back; *fine loses what is not finite. */
WIDE_INLINE Wide system_set_rest(const AfxiTreeSystem *system, const Wide *x, bool half, WideMask *fine) {
    size_t n = system->rows->dof_count;
    Wide most = wide_all(0);
    for (size_t k = 0; k < system->row_count; k++) {
        const Wide *along = system_at(half ? system->half : system->gradient, k * n);
        Wide yields = *system_at(system->compliance, k) * *system_at(system->lambda, k);
        Wide rest = *system_at(system->side, k) + system_dot(along, x, n) - yields;
        *system_at(system->rest, k) = rest;
        most = system_larger(most, wide_magnitude(rest));
        *fine &= wide_less_equal(wide_magnitude(rest), wide_all(DBL_MAX));
    }
    return most;
}

WIDE_INLINE unsigned system_refine(const AfxiTreeSystem *system, Wide *x, bool half, int passes) {
    Wide *lambda = system_at(system->lambda, 0), *rest = system_at(system->rest, 0);
    WideMask fine = wide_equal(wide_all(0), wide_all(0)), going = fine;
    Wide first = wide_all(0);
    for (size_t k = 0; k < system->row_count; k++) {
        lambda[k] = wide_all(0);
    }
    for (int pass = 0; pass < passes; pass++) {
        WideMask finite = fine;
        Wide most = system_set_rest(system, x, half, &finite);
        fine &= finite | ~going;
        first = pass == 0 ? most : first;
        going &= fine & ~wide_less_equal(most, wide_all(AFXI_REDUCED_REFINED) * first);
        if (!wide_any(going)) {
            break;
        }
        system_solve(system, rest);
        for (size_t k = 0; k < system->row_count; k++) {
            lambda[k] = wide_select(going, lambda[k] + rest[k], lambda[k]);
        }
        system_apply(system, rest, going, half, x);
    }
    return wide_bits(fine);
}

static unsigned system_correct(const AfxiTreeSystem *system, double *x, int passes) {
    return system_refine(system, system_at(x, 0), false, passes);
}

/* With y = L x all the way, one of both halves of a solution is for all passes. */
static unsigned system_fall(const AfxiTreeSystem *system, double *x, int passes) {
    tree_half_solve(system->rows, system->factor, x);
    unsigned fine = system_refine(system, system_at(x, 0), true, passes);
    tree_other_half(system->rows, system->factor, x);
    return fine;
}

#endif
