/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric 6 x 6 matrices of points and turns, one per lane, for *_wide.c files. */
#ifndef AFXI_DUAL_SIX_WIDE_H
#define AFXI_DUAL_SIX_WIDE_H

#include "math/vector_wide.h"

/* Point - point and turn - turn as xx, yy, zz, xy, xz, yz; turn - point by columns. */
typedef struct Six {
    Wide pp[6], tp[9], tt[6];
} Six;

/* Where entry (i, j) of a symmetric 3 x 3 matrix stands. */
static const int six_at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* Inverse of a symmetric definite 3 x 3 matrix from its factors L D L^T. The first two divisions do not wait for each
 * other. */
WIDE_INLINE void six_invert_block(const Wide m[6], Wide out[6]) {
    Wide one = wide_all(1), d0 = one / m[0], l10 = m[3] * d0, l20 = m[4] * d0;
    Wide d1 = m[0] / wide_nma(m[3], m[3], m[0] * m[1]), rest = wide_nma(l20, m[3], m[5]), l21 = rest * d1;
    Wide d2 = one / wide_nma(l21, rest, wide_nma(l20, m[4], m[2])), c = wide_nma(one, l20, l10 * l21);
    out[2] = d2;
    out[5] = -(l21 * d2);
    out[4] = c * d2;
    out[1] = wide_nma(l21, out[5], d1);
    out[3] = wide_nma(l21, out[4], -(l10 * d1));
    out[0] = wide_fma(c, out[4], wide_fma(l10 * l10, d1, d0));
}

/* Inverse of a definite matrix, by its Schur complement: with H = TP PP^-1 and S = TT - H TP^T, it is
 * S^-1 (turn - turn), -S^-1 H (turn - point) and PP^-1 + H^T S^-1 H. */
WIDE_INLINE void six_invert(const Six *m, Six *out) {
    Wide inverse[6], h[9], schur[6];
    six_invert_block(m->pp, inverse);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            h[3 * c + i] = wide_fma(m->tp[6 + i], inverse[six_at[2][c]],
                                    wide_fma(m->tp[3 + i], inverse[six_at[1][c]], m->tp[i] * inverse[six_at[0][c]]));
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            Wide sum = wide_nma(h[i], m->tp[j], m->tt[six_at[i][j]]);
            schur[six_at[i][j]] = wide_nma(h[6 + i], m->tp[6 + j], wide_nma(h[3 + i], m->tp[3 + j], sum));
        }
    }
    six_invert_block(schur, out->tt);
    for (int c = 0; c < 3; c++) {
        Wide column[3];
        wide_apply_symmetric(out->tt, h + 3 * c, column);
        for (int i = 0; i < 3; i++) {
            out->tp[3 * c + i] = -column[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            Wide sum = wide_nma(h[3 * i], out->tp[3 * j], inverse[six_at[i][j]]);
            out->pp[six_at[i][j]] =
                wide_nma(h[3 * i + 2], out->tp[3 * j + 2], wide_nma(h[3 * i + 1], out->tp[3 * j + 1], sum));
        }
    }
}

/* out = m v, points first. */
WIDE_INLINE void six_apply(const Six *m, const Wide v[6], Wide out[6]) {
    for (int i = 0; i < 3; i++) {
        Wide sum = wide_fma(m->pp[six_at[i][2]], v[2], wide_fma(m->pp[six_at[i][1]], v[1], m->pp[six_at[i][0]] * v[0]));
        out[i] = wide_fma(m->tp[3 * i + 2], v[5], wide_fma(m->tp[3 * i + 1], v[4], wide_fma(m->tp[3 * i], v[3], sum)));
        sum = wide_fma(m->tp[6 + i], v[2], wide_fma(m->tp[3 + i], v[1], m->tp[i] * v[0]));
        sum = wide_fma(m->tt[six_at[i][1]], v[4], wide_fma(m->tt[six_at[i][0]], v[3], sum));
        out[3 + i] = wide_fma(m->tt[six_at[i][2]], v[5], sum);
    }
}

/* Column c of a matrix, c < 3 a point. */
WIDE_INLINE void six_column(const Six *m, const int c, Wide out[6]) {
    for (int i = 0; i < 3; i++) {
        out[i] = c < 3 ? m->pp[six_at[i][c]] : m->tp[3 * i + c - 3];
        out[3 + i] = c < 3 ? m->tp[3 * c + i] : m->tt[six_at[i][c - 3]];
    }
}

WIDE_INLINE void six_add(Six *to, const Six *from) {
    for (int k = 0; k < 9; k++) {
        to->tp[k] = to->tp[k] + from->tp[k];
    }
    for (int k = 0; k < 6; k++) {
        to->pp[k] = to->pp[k] + from->pp[k];
        to->tt[k] = to->tt[k] + from->tt[k];
    }
}

/* Lanes of `off` become the identity times `diagonal`. */
WIDE_INLINE void six_clear(Six *m, WideMask off, double diagonal) {
    for (int k = 0; k < 9; k++) {
        m->tp[k] = wide_select(off, wide_all(0), m->tp[k]);
    }
    for (int k = 0; k < 6; k++) {
        m->pp[k] = wide_select(off, wide_all(k < 3 ? diagonal : 0), m->pp[k]);
        m->tt[k] = wide_select(off, wide_all(k < 3 ? diagonal : 0), m->tt[k]);
    }
}

#endif
