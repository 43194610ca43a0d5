/* SPDX-License-Identifier: Apache-2.0 */
/* M = L^T L of a packed matrix, in lanes, for *_wide.c files: eliminating from the leaves fills nothing in
 * (Featherstone 2008, 6.5). */
#ifndef AFXI_REDUCED_FACTOR_WIDE_H
#define AFXI_REDUCED_FACTOR_WIDE_H

#include "math/simd.h"
#include "reduced/recursion.h"

/* to[k] -= by a[k]; compilers pack four of them where there is one lane. */
WIDE_INLINE void nma_along(const Wide *a, Wide by, uint32_t count, Wide *restrict to) {
    uint32_t k = 0;
    for (; k + 4 <= count; k += 4) {
        Wide four[4];
        for (uint32_t e = 0; e < 4; e++) {
            four[e] = wide_nma(by, a[k + e], to[k + e]);
        }
        wide_copy(four, 4, to + k);
    }
    for (; k < count; k++) {
        to[k] = wide_nma(by, a[k], to[k]);
    }
}

static unsigned tree_factor(const AfxiTreeRows *rows, double *mass) {
    WideMask fine = wide_equal(wide_all(0), wide_all(0));
    for (uint32_t k = rows->dof_count; k-- > 0;) {
        Wide *row = (Wide *)(void *)mass + rows->row[k];
        const uint32_t *above = rows->above + rows->row[k];
        uint32_t last = rows->row[k + 1] - rows->row[k] - 1;
        fine &= wide_less(wide_all(0), row[last]);
        Wide scale = wide_all(1) / wide_sqrt(row[last]);
        row[last] = scale;
        for (uint32_t e = 0; e < last; e++) {
            row[e] *= scale;
        }
        for (uint32_t e = 0; e < last; e++) {
            nma_along(row, row[e], e + 1, (Wide *)(void *)mass + rows->row[above[e]]);
        }
    }
    return wide_bits(fine);
}

static void tree_half_solve(const AfxiTreeRows *rows, const double *factor, double *x) {
    Wide *to = (Wide *)(void *)x;
    for (uint32_t k = rows->dof_count; k-- > 0;) {
        const Wide *row = (const Wide *)(const void *)factor + rows->row[k];
        const uint32_t *above = rows->above + rows->row[k];
        uint32_t last = rows->row[k + 1] - rows->row[k] - 1;
        Wide here = to[k] * row[last];
        to[k] = here;
        for (uint32_t end = last; end > 0;) {
            uint32_t dof = above[end - 1], begin = rows->run[dof];
            end -= dof - begin + 1;
            nma_along(row + end, here, dof - begin + 1, to + begin);
        }
    }
}

/* x = L^-1 x */
static void tree_other_half(const AfxiTreeRows *rows, const double *factor, double *x) {
    Wide *to = (Wide *)(void *)x;
    for (uint32_t k = 0; k < rows->dof_count; k++) {
        const Wide *row = (const Wide *)(const void *)factor + rows->row[k];
        const uint32_t *above = rows->above + rows->row[k];
        uint32_t last = rows->row[k + 1] - rows->row[k] - 1;
        Wide here = to[k];
        for (uint32_t end = last; end > 0;) {
            uint32_t dof = above[end - 1], begin = rows->run[dof];
            end -= dof - begin + 1;
            for (uint32_t e = 0; e <= dof - begin; e++) {
                here = wide_nma(row[end + e], to[begin + e], here);
            }
        }
        to[k] = here * row[last];
    }
}

static void tree_solve(const AfxiTreeRows *rows, const double *factor, double *x) {
    tree_half_solve(rows, factor, x);
    tree_other_half(rows, factor, x);
}

#endif
