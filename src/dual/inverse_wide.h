/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of a body's H on the nine numbers of A, one body per lane, for *_wide.c files (inverse.c says how it is
 * made). */
#ifndef AFXI_DUAL_INVERSE_WIDE_H
#define AFXI_DUAL_INVERSE_WIDE_H

#include "body/tuning.h"
#include "math/rotation_wide.h"
#include "math/simd.h"

/* Pairs (0,1), (0,2), (1,2): where (i,k) and (k,i) stand in a column-major matrix, and the axis that they turn about,
 * with its sign. */
static const int wide_pair_ik[3] = {3, 6, 7}, wide_pair_ki[3] = {1, 2, 5}, wide_pair_axis[3] = {2, 1, 0};
static const double wide_pair_sign[3] = {1, -1, 1};

/** out [9] = X g: `diagonal` D_00, D_11, D_22, D_01, D_02, D_12; `pair` P_ik, P_ki, O of each pair; `twist` M as xx,
 * yy, zz, xy, xz, yz where `twisted`, zero in lanes without. */
WIDE_INLINE void wide_inverse_apply(const Wide diagonal[6], const Wide pair[9], const Wide twist[6], const bool twisted,
                                    const Wide g[9], Wide out[9]) {
    const Wide *d = diagonal, *m = twist;
    Wide turn[3];
    out[0] = wide_fma(d[4], g[8], wide_fma(d[3], g[4], d[0] * g[0]));
    out[4] = wide_fma(d[5], g[8], wide_fma(d[1], g[4], d[3] * g[0]));
    out[8] = wide_fma(d[2], g[8], wide_fma(d[5], g[4], d[4] * g[0]));
    for (int p = 0; p < 3; p++) {
        const Wide *own = pair + 3 * p;
        Wide a = g[wide_pair_ik[p]], b = g[wide_pair_ki[p]];
        out[wide_pair_ik[p]] = wide_fma(own[2], b, own[0] * a);
        out[wide_pair_ki[p]] = wide_fma(own[2], a, own[1] * b);
        turn[wide_pair_axis[p]] = wide_all(0.5 * wide_pair_sign[p]) * (out[wide_pair_ki[p]] - out[wide_pair_ik[p]]);
    }
    if (twisted) {
        Wide y[3];
        y[0] = wide_fma(m[4], turn[2], wide_fma(m[3], turn[1], m[0] * turn[0]));
        y[1] = wide_fma(m[5], turn[2], wide_fma(m[1], turn[1], m[3] * turn[0]));
        y[2] = wide_fma(m[2], turn[2], wide_fma(m[5], turn[1], m[4] * turn[0]));
        for (int p = 0; p < 3; p++) {
            const Wide *own = pair + 3 * p;
            Wide half = wide_all(0.5 * wide_pair_sign[p]) * y[wide_pair_axis[p]];
            out[wide_pair_ik[p]] = wide_nma(half, own[2] - own[0], out[wide_pair_ik[p]]);
            out[wide_pair_ki[p]] = wide_nma(half, own[1] - own[2], out[wide_pair_ki[p]]);
        }
    }
}

/** M = K (I + Theta K)^-1 for the stiffness k = xx, yy, zz, xy, xz, yz and the twist's compliances theta, by axis; 0 in
 * the lanes where that is too near to singular, which come back. */
WIDE_INLINE WideMask wide_inverse_twist(const Wide theta[3], const Wide k[6], Wide out[6]) {
    const Wide full[9] = {k[0], k[3], k[4], k[3], k[1], k[5], k[4], k[5], k[2]};
    Wide n[9], cof[9], m[9], half = wide_all(0.5), least = wide_all(AFXI_BUCKLING_PIVOT);
    for (int e = 0; e < 9; e++) {
        n[e] = theta[e % 3] * full[e];
    }
    for (int e = 0; e < 3; e++) {
        n[4 * e] = n[4 * e] + wide_all(1);
    }
    Wide xx = n[0], yy = wide_nma(n[1], n[3] / xx, n[4]), yz = wide_nma(n[2], n[3] / xx, n[5]);
    Wide zy = wide_nma(n[1], n[6] / xx, n[7]), zz = wide_nma(n[2], n[6] / xx, n[8]);
    zz = wide_nma(yz, zy / yy, zz);
    WideMask fine = wide_less(least, xx) & wide_less(least, yy) & wide_less(least, zz);
    wide_cofactor(n, cof); /* columns of n^-T, times det */
    Wide det = wide_fma(n[0], cof[0], wide_fma(n[1], cof[1], n[2] * cof[2]));
    Wide per = wide_select(fine, wide_all(1) / det, wide_all(0));
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) { /* (K n^-1)_ic = sum_j K_ij (n^-1)_jc, (n^-1)_jc = cof_cj / det */
            Wide sum = full[i] * cof[c];
            sum = wide_fma(full[3 + i], cof[3 + c], sum);
            m[3 * c + i] = wide_select(fine, wide_fma(full[6 + i], cof[6 + c], sum) * per, wide_all(0));
        }
    }
    out[0] = m[0];
    out[1] = m[4];
    out[2] = m[8];
    out[3] = half * (m[1] + m[3]);
    out[4] = half * (m[2] + m[6]);
    out[5] = half * (m[5] + m[7]);
    return ~fine;
}

#endif
