/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of a body's H on the nine numbers of A, one body per lane, for *_wide.c files (inverse.c says how it is
 * made). */
#ifndef AFXI_DUAL_INVERSE_WIDE_H
#define AFXI_DUAL_INVERSE_WIDE_H

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

#endif
