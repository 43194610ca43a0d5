/* SPDX-License-Identifier: Apache-2.0 */
/* Small vectors and 3x3 matrices (columns), one per lane, for *_wide.c files. */
#ifndef AFXI_MATH_VECTOR_WIDE_H
#define AFXI_MATH_VECTOR_WIDE_H

#include "math/simd.h"

/* a x */
WIDE_INLINE void wide_apply(const Wide a[9], const Wide x[3], Wide out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = wide_fma(a[6 + i], x[2], wide_fma(a[3 + i], x[1], a[i] * x[0]));
    }
}

/* transpose(a) x */
WIDE_INLINE void wide_apply_transposed(const Wide a[9], const Wide x[3], Wide out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = wide_fma(a[3 * i + 2], x[2], wide_fma(a[3 * i + 1], x[1], a[3 * i] * x[0]));
    }
}

WIDE_INLINE Wide wide_dot(const Wide a[3], const Wide b[3]) {
    return wide_fma(a[2], b[2], wide_fma(a[1], b[1], a[0] * b[0]));
}

/* m v, m symmetric as xx, yy, zz, xy, xz, yz. */
WIDE_INLINE void wide_apply_symmetric(const Wide m[6], const Wide v[3], Wide out[3]) {
    out[0] = wide_fma(m[4], v[2], wide_fma(m[3], v[1], m[0] * v[0]));
    out[1] = wide_fma(m[5], v[2], wide_fma(m[1], v[1], m[3] * v[0]));
    out[2] = wide_fma(m[2], v[2], wide_fma(m[5], v[1], m[4] * v[0]));
}

/* b m transpose(b), m and out symmetric. */
WIDE_INLINE void wide_turn_symmetric(const Wide b[9], const Wide m[6], Wide out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    Wide half[3][3]; /* rows of b m */
    for (int r = 0; r < 3; r++) {
        const Wide line[3] = {b[r], b[3 + r], b[6 + r]};
        wide_apply_symmetric(m, line, half[r]);
    }
    for (int k = 0; k < 6; k++) {
        const Wide line[3] = {b[column[k]], b[3 + column[k]], b[6 + column[k]]};
        out[k] = wide_dot(half[row[k]], line);
    }
}

WIDE_INLINE Wide wide_magnitude(Wide a) {
#if AFXI_LANES == 1
    return __builtin_fabs(a);
#else
    return (Wide)((WideMask)a & INT64_MAX);
#endif
}

WIDE_INLINE Wide wide_larger(Wide a, Wide b) { /* NaN wins */
    return wide_select(wide_less(a, b) | ~wide_equal(b, b), b, a);
}

#endif
