/* SPDX-License-Identifier: Apache-2.0 */
/* Sine and cosine of an angle in each lane, for *_wide.c files. */
#ifndef AFXI_MATH_SINCOS_WIDE_H
#define AFXI_MATH_SINCOS_WIDE_H

#include "math/angle_wide.h"

/* pi/2 in three parts; products of the first two, of 33 bits, with whole numbers below 2^20 are exact. */
#define WIDE_QUARTER_1 1.5707963267341256
#define WIDE_QUARTER_2 6.077100506303966e-11
#define WIDE_QUARTER_3 2.0222662487959506e-21
#define WIDE_QUARTERS 0.6366197723675814 /* 2/pi */

/* (sin x / x - 1) / z and ((cos x - 1) / z + 1/2) / z for |x| <= pi/4, z = x²: polynomials that agree with them at 7
 * and 6 Chebyshev points of 0 <= z <= (pi/4)². They are off by 1e-17 and 3e-18, coefficients rounded. */
WIDE_INLINE Wide wide_sin_share(Wide z) {
    Wide p = wide_fma(wide_all(-7.586691094197958e-13), z, wide_all(1.6058531516797758e-10));
    p = wide_fma(p, z, wide_all(-2.5052106231802837e-08));
    p = wide_fma(p, z, wide_all(2.7557319219337312e-06));
    p = wide_fma(p, z, wide_all(-0.00019841269841265063));
    p = wide_fma(p, z, wide_all(0.008333333333333331));
    return wide_fma(p, z, wide_all(-0.16666666666666666));
}

WIDE_INLINE Wide wide_cos_share(Wide z) {
    Wide p = wide_fma(wide_all(-1.1382623647474604e-11), z, wide_all(2.087614614655861e-09));
    p = wide_fma(p, z, wide_all(-2.7557317271145144e-07));
    p = wide_fma(p, z, wide_all(2.480158729876456e-05));
    p = wide_fma(p, z, wide_all(-0.0013888888888887398));
    return wide_fma(p, z, wide_all(0.041666666666666664));
}

/* Both within 2e-16 for |x| < 1e6; what a whole turn is off by is 1e-22 of them beyond. NaN stays NaN. */
WIDE_INLINE void wide_sincos(Wide x, Wide *out_sin, Wide *out_cos) {
    Wide n = wide_round(x * wide_all(WIDE_QUARTERS));
    Wide r = wide_nma(n, wide_all(WIDE_QUARTER_1), x);
    r = wide_nma(n, wide_all(WIDE_QUARTER_2), r);
    r = wide_nma(n, wide_all(WIDE_QUARTER_3), r);
    Wide z = r * r;
    Wide s = wide_fma(r * z, wide_sin_share(z), r);
    Wide c = wide_fma(z, wide_fma(z, wide_cos_share(z), wide_all(-0.5)), wide_all(1));
    Wide turns = wide_nma(wide_all(4), wide_round(n * wide_all(0.25)), n); /* -2 ... 2 */
    Wide size = wide_magnitude(turns);
    WideMask odd = wide_equal(size, wide_all(1)), half = wide_equal(size, wide_all(2));
    Wide first = wide_select(odd, c, s), second = wide_select(odd, s, c);
    *out_sin = wide_select(half | wide_equal(turns, wide_all(-1)), -first, first);
    *out_cos = wide_select(half | wide_equal(turns, wide_all(1)), -second, second);
}

#endif
