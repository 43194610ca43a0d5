/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations of 3x3 matrices, one per lane, for *_wide.c files: Newton's iteration X <- (X + cof X / det X) / 2, and the
 * scalar routine for lanes that it does not settle. */
#ifndef AFXI_MATH_ROTATION_WIDE_H
#define AFXI_MATH_ROTATION_WIDE_H

#include "math/polar.h"
#include "math/simd.h"
#include "math/tuning.h"

WIDE_INLINE void wide_cofactor(const Wide x[9], Wide out[9]) {
    for (int k = 0; k < 3; k++) {
        const Wide *a = x + 3 * ((k + 1) % 3), *b = x + 3 * ((k + 2) % 3);
        out[3 * k + 0] = wide_nma(a[2], b[1], a[1] * b[2]);
        out[3 * k + 1] = wide_nma(a[0], b[2], a[2] * b[0]);
        out[3 * k + 2] = wide_nma(a[1], b[0], a[0] * b[1]);
    }
}

/* transpose(a) b */
WIDE_INLINE void wide_multiply_tn(const Wide a[9], const Wide b[9], Wide out[9]) {
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const Wide *x = a + 3 * i, *y = b + 3 * k;
            out[3 * k + i] = wide_fma(x[2], y[2], wide_fma(x[1], y[1], x[0] * y[0]));
        }
    }
}

WIDE_RARE void wide_rescue_lane(const Wide x[9], const Wide guess[9], int lane, Wide out[9]) {
    AfxiMat3 a, g;
    for (int k = 0; k < 9; k++) {
        a.m[k] = wide_lane(x[k], lane);
        g.m[k] = wide_lane(guess[k], lane);
    }
    g = afxi_rotation_part(&g, NULL);
    AfxiMat3 r = afxi_rotation_part(&a, &g);
    for (int k = 0; k < 9; k++) {
        out[k] = wide_with_lane(out[k], lane, r.m[k]);
    }
}

/* cof X and turn / det X, and det X itself; lanes that are too near to singular in *bad. */
WIDE_INLINE Wide wide_inverse_factor(const Wide y[9], Wide turn, Wide cof[9], Wide *out_det, WideMask *bad) {
    wide_cofactor(y, cof);
    Wide det = wide_fma(y[0], cof[0], wide_fma(y[1], cof[1], y[2] * cof[2]));
    *bad |= ~wide_less(wide_all(AFXI_NEWTON_DETERMINANT_WIDE), det);
    *out_det = det;
    return turn / det;
}

/* X + turn X^-T, in place: a scaled pass up to a common factor. */
WIDE_INLINE void wide_newton_scaled(Wide y[9], Wide turn, WideMask *bad) {
    Wide cof[9], det, factor = wide_inverse_factor(y, turn, cof, &det, bad);
    for (int k = 0; k < 9; k++) {
        y[k] = wide_fma(cof[k], factor, y[k]);
    }
}

/* Newton passes until the lanes of `active` have settled; the lanes that do not come back. All singular values are at
 * least 1 already, so det - 1 is at least the largest deviation e, and a pass leaves e²/2 of it. */
WIDE_INLINE WideMask wide_settle_rotation(Wide y[9], WideMask active, int most) {
    WideMask bad = wide_mask_none();
    for (int pass = 0; pass < most && wide_any(active); pass++) {
        Wide cof[9], det, factor = wide_inverse_factor(y, wide_all(0.5), cof, &det, &bad);
        for (int k = 0; k < 9; k++) {
            y[k] = wide_select(active, wide_fma(cof[k], factor, wide_all(0.5) * y[k]), y[k]);
        }
        active &= ~wide_less(det, wide_all(1 + AFXI_NEWTON_CHANGE)) & ~bad;
    }
    return bad | active;
}

WIDE_RARE void wide_rescue_lanes(const Wide x[9], const Wide guess[9], WideMask bad, Wide out[9]) {
    for (int lane = 0; lane < AFXI_LANES; lane++) {
        if (wide_mask_lane(bad, lane)) {
            wide_rescue_lane(x, guess, lane, out);
        }
    }
}

/* Lanes that Newton could not settle go through the scalar routine, which takes anything. It gets copies: numbers whose
 * address leaves a kernel could not stay in registers there. */
WIDE_INLINE void wide_rescue(const Wide x[9], const Wide guess[9], WideMask bad, Wide out[9]) {
    Wide copy[9], near[9], result[9];
    wide_copy(x, 9, copy);
    wide_copy(guess, 9, near);
    wide_copy(out, 9, result);
    wide_rescue_lanes(copy, near, bad, result);
    wide_copy(result, 9, out);
}

/* Newton passes on x, which is not far from a rotation; the lanes that do not settle come back. Two passes for all
 * lanes, which is nearly always enough, the first without its factor 1/2: then det is eight times what it would be. */
WIDE_INLINE WideMask wide_newton_near(const Wide x[9], Wide out[9]) {
    WideMask bad = wide_mask_none();
    Wide cof[9], twice[9], det, factor = wide_inverse_factor(x, wide_all(1), cof, &det, &bad);
    for (int k = 0; k < 9; k++) {
        twice[k] = wide_fma(cof[k], factor, x[k]);
    }
    factor = wide_inverse_factor(twice, wide_all(1), cof, &det, &bad);
    for (int k = 0; k < 9; k++) {
        out[k] = wide_fma(cof[k], factor, wide_all(0.25) * twice[k]);
    }
    WideMask active = ~wide_less(det, wide_all(8 * (1 + AFXI_NEWTON_CHANGE))) & ~bad;
    if (wide_any(active)) {
        bad |= wide_settle_rotation(out, active, AFXI_NEWTON_STEPS_MOST - 1);
    }
    return bad;
}

/* The rotation of x, which is not far from one; `guess` is where the scalar routine looks when that fails. */
WIDE_INLINE bool wide_rotation_near(const Wide x[9], const Wide guess[9], Wide out[9]) {
    WideMask bad = wide_newton_near(x, out);
    if (wide_any(bad)) {
        wide_rescue(x, guess, bad, out);
        return true;
    }
    return false;
}

#endif
