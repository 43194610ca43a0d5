/* SPDX-License-Identifier: Apache-2.0 */
/* Angles, one per lane, for *_wide.c files. */
#ifndef AFXI_MATH_ANGLE_WIDE_H
#define AFXI_MATH_ANGLE_WIDE_H

#include "math/vector_wide.h"

#define WIDE_PI 3.141592653589793116
#define WIDE_PI_LEFT 1.224646799147353207e-16 /* pi less WIDE_PI */
#define WIDE_TURN 6.283185307179586476925
/* Above this ratio of the sides, tan(pi / 8), the angle is measured from a quarter of pi. */
#define WIDE_ANGLE_STEEP 0.4142135623730951
/* 3/2 of 2^52: adding it and taking it away rounds to whole numbers. */
#define WIDE_ROUNDER 6755399441055744.0

/* a with the sign of b. */
WIDE_INLINE Wide wide_with_sign(Wide a, Wide b) {
#if AFXI_LANES == 1
    return __builtin_copysign(a, b);
#else
    return (Wide)(((WideMask)a & INT64_MAX) | ((WideMask)b & INT64_MIN));
#endif
}

/* The whole number next to a, |a| < 2^51. */
WIDE_INLINE Wide wide_round(Wide a) {
    return (a + wide_all(WIDE_ROUNDER)) - wide_all(WIDE_ROUNDER);
}

/* (atan x - x) / x for |x| <= WIDE_ANGLE_STEEP: z times the polynomial that agrees with (atan x / x - 1) / z, z = x²,
 * at the 12 Chebyshev points of 0 <= z <= 0.1716. It is off by 3e-18 at most, coefficients rounded. */
WIDE_INLINE Wide wide_atan_share(Wide x) {
    Wide z = x * x, p = wide_all(0.016284375050043393);
    p = wide_fma(p, z, wide_all(-0.03456931506332609));
    p = wide_fma(p, z, wide_all(0.045515447340221615));
    p = wide_fma(p, z, wide_all(-0.05230443640686948));
    p = wide_fma(p, z, wide_all(0.05878927554473807));
    p = wide_fma(p, z, wide_all(-0.0666642476020052));
    p = wide_fma(p, z, wide_all(0.07692296368042296));
    p = wide_fma(p, z, wide_all(-0.09090908753259112));
    p = wide_fma(p, z, wide_all(0.11111111105150588));
    p = wide_fma(p, z, wide_all(-0.14285714285659779));
    p = wide_fma(p, z, wide_all(0.19999999999999804));
    p = wide_fma(p, z, wide_all(-0.3333333333333333));
    return z * p;
}

/* The angle of (x, y) from the first axis in [-pi, pi], within 7e-16 of what it is, and of 7e-16 of itself where it is
 * small; 0 at the origin, whatever the signs of its zeros. NaN stays NaN. */
WIDE_INLINE Wide wide_atan2(Wide y, Wide x) {
    Wide a = wide_magnitude(x), b = wide_magnitude(y);
    WideMask tall = wide_less(a, b);
    Wide small = wide_select(tall, a, b), large = wide_select(tall, b, a);
    WideMask steep = wide_less(wide_all(WIDE_ANGLE_STEEP) * large, small);
    Wide over = wide_select(steep, small - large, small), under = wide_select(steep, small + large, large);
    under = wide_select(wide_equal(under, wide_all(0)), wide_all(1), under);
    Wide ratio = over / under;
    /* angle = base + rest, the small one last */
    Wide base = wide_select(steep, wide_all(0.25 * WIDE_PI), wide_all(0));
    Wide rest = wide_fma(ratio, wide_atan_share(ratio), ratio);
    Wide left = wide_select(steep, wide_all(0.25 * WIDE_PI_LEFT), wide_all(0));
    base = wide_select(tall, wide_all(0.5 * WIDE_PI) - base, base);
    left = wide_select(tall, wide_all(0.5 * WIDE_PI_LEFT) - left, left);
    rest = wide_select(tall, -rest, rest);
    WideMask behind = wide_less(x, wide_all(0));
    base = wide_select(behind, wide_all(WIDE_PI) - base, base);
    left = wide_select(behind, wide_all(WIDE_PI_LEFT) - left, left);
    rest = wide_select(behind, -rest, rest);
    return wide_with_sign(base + (rest + left), y);
}

/* The angle equal to `raw` up to whole turns that is nearest to `near`. */
WIDE_INLINE Wide wide_angle_near(Wide raw, Wide near) {
    return wide_fma(wide_all(WIDE_TURN), wide_round((near - raw) * wide_all(1 / WIDE_TURN)), raw);
}

#endif
