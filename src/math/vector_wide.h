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

WIDE_INLINE Wide wide_magnitude(Wide a) {
    return wide_select(wide_less(a, wide_all(0)), -a, a);
}

WIDE_INLINE Wide wide_larger(Wide a, Wide b) { /* NaN wins */
    return wide_select(wide_less(a, b) | ~wide_equal(b, b), b, a);
}

#endif
