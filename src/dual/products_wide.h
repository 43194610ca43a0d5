/* SPDX-License-Identifier: Apache-2.0 */
/* Products of the rows of ball joints with a body's inverse, in the body's axes, one body per lane; closed_form.h has
 * the equations. For *_wide.c files, which set PRODUCTS_MOST, the joints of a body, before. */
#ifndef AFXI_DUAL_PRODUCTS_WIDE_H
#define AFXI_DUAL_PRODUCTS_WIDE_H

#include "dual/inverse_wide.h"
#include "dual/system.h"
#include "math/vector_wide.h"

/* Places in AfxiBodyInverse. */
enum { C = 0, PAIR = 3, DIAGONAL = 12, TRANSLATION = 18, WEIGHT_A = 19, WEIGHT_T = 20, TWIST = 21, TWISTED = 27 };
#define INVERSE_SIZE 28

static const int pair_i[3] = {0, 0, 1}, pair_k[3] = {1, 2, 2};

typedef struct Products {
    Wide r[AFXI_AFFINE_WIDTH], inverse[INVERSE_SIZE];
    Wide x[PRODUCTS_MOST][3], sign[PRODUCTS_MOST];
    Wide turn[PRODUCTS_MOST][9];  /* W(x) */
    Wide image[PRODUCTS_MOST][9]; /* M W(x) */
    Wide mixed[PRODUCTS_MOST][9]; /* (I - Theta M) W(x) */
    Wide twist[9];                /* Theta - Theta M Theta */
    bool twisted;
} Products;

/* R Q R^T */
WIDE_INLINE void products_turn(const Wide r[9], const Wide q[9], Wide out[9]) {
    Wide a[9];
    for (int c = 0; c < 3; c++) {
        wide_apply(r, q + 3 * c, a + 3 * c);
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            out[3 * k + i] = wide_fma(a[6 + i], r[6 + k], wide_fma(a[3 + i], r[3 + k], a[i] * r[k]));
        }
    }
}

/* W(x), column-major: three rows by axis. */
WIDE_INLINE void products_lever(const Wide inverse[INVERSE_SIZE], const Wide x[3], Wide out[9]) {
    for (int k = 0; k < 9; k++) {
        out[k] = wide_all(0);
    }
    for (int p = 0; p < 3; p++) {
        const Wide *pair = inverse + PAIR + 3 * p;
        Wide half = wide_all(0.5 * wide_pair_sign[p]);
        int i = pair_i[p], k = pair_k[p], axis = wide_pair_axis[p];
        out[3 * i + axis] = half * (pair[2] - pair[0]) * x[k];
        out[3 * k + axis] = half * (pair[1] - pair[2]) * x[i];
    }
}

/* From r, inverse, twisted, x: all that the blocks share, for `count` joints; `turns`: some have springs. */
WIDE_INLINE void products_prepare(Products *s, const bool turns, uint32_t count) {
    Wide theta[3];
    const Wide *m = s->inverse + TWIST;
    for (uint32_t e = 0; (s->twisted || turns) && e < count; e++) {
        products_lever(s->inverse, s->x[e], s->turn[e]);
        for (int c = 0; s->twisted && c < 3; c++) {
            wide_apply_symmetric(m, s->turn[e] + 3 * c, s->image[e] + 3 * c);
        }
    }
    if (!turns) {
        return;
    }
    for (int p = 0; p < 3; p++) {
        const Wide *pair = s->inverse + PAIR + 3 * p;
        theta[wide_pair_axis[p]] = wide_all(0.25) * ((pair[0] + pair[1]) - (pair[2] + pair[2]));
    }
    const Wide full[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
    for (uint32_t e = 0; e < count; e++) {
        for (int k = 0; k < 9; k++) {
            s->mixed[e][k] = s->twisted ? wide_nma(theta[k % 3], s->image[e][k], s->turn[e][k]) : s->turn[e][k];
        }
    }
    for (int k = 0; k < 9; k++) {
        Wide own = k % 4 == 0 ? theta[k / 4] : wide_all(0);
        s->twist[k] = s->twisted ? wide_nma(theta[k % 3] * theta[k / 3], full[k], own) : own;
    }
}

/* Q(x_a, x_b) - W(x_a)^T M W(x_b), without signs; `translation`: what the bodies' places add. */
WIDE_INLINE void products_points(const Products *s, uint32_t a, uint32_t b, Wide translation, Wide out[9]) {
    const Wide *x = s->x[a], *y = s->x[b], *d = s->inverse + DIAGONAL;
    for (int i = 0; i < 3; i++) {
        out[4 * i] = wide_fma(d[i] * x[i], y[i], translation);
    }
    for (int p = 0; p < 3; p++) {
        const Wide *pair = s->inverse + PAIR + 3 * p;
        int i = pair_i[p], k = pair_k[p];
        Wide xi_yk = x[i] * y[k], xk_yi = x[k] * y[i];
        out[4 * i] = wide_fma(pair[0] * x[k], y[k], out[4 * i]);
        out[4 * k] = wide_fma(pair[1] * x[i], y[i], out[4 * k]);
        out[3 * k + i] = wide_fma(d[3 + p], xi_yk, pair[2] * xk_yi);
        out[3 * i + k] = wide_fma(d[3 + p], xk_yi, pair[2] * xi_yk);
    }
    for (int c = 0; s->twisted && c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            out[3 * c + i] = out[3 * c + i] - wide_dot(s->turn[a] + 3 * i, s->image[b] + 3 * c);
        }
    }
}

WIDE_INLINE void products_point(const Products *s, uint32_t a, uint32_t b, Wide out[9]) {
    products_points(s, a, b, s->inverse[TRANSLATION], out);
}

#endif
