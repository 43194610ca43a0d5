/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks B(x, y) = R (X_t I + Q(x, y)) R^T of one link per lane for its two ends (closed_form.h has Q), for
 * chain_wide.c.
 */
#ifndef AFXI_DUAL_CHAIN_BLOCKS_WIDE_H
#define AFXI_DUAL_CHAIN_BLOCKS_WIDE_H

#include "dual/chain_link_wide.h"

/* Q(x, y) in the body's frame, column-major. */
WIDE_INLINE void body_block(const Sweep *sweep, const Link *link, const bool exact, const Wide x[3], const Wide y[3],
                            Wide out[9]) {
    const Wide *d = sweep->constants + AFXI_CHAIN_DIAGONAL;
    Wide n_x[6], n_y[6];
    for (int i = 0; i < 3; i++) {
        out[4 * i] = d[i] * x[i] * y[i];
    }
    for (int p = 0; p < 3; p++) {
        const Wide *pair = link->pair + 3 * p;
        int i = pair_i[p], k = pair_k[p];
        Wide xi_yk = x[i] * y[k], xk_yi = x[k] * y[i];
        out[4 * i] = wide_fma(pair[0] * x[k], y[k], out[4 * i]);
        out[4 * k] = wide_fma(pair[1] * x[i], y[i], out[4 * k]);
        out[3 * k + i] =
            wide_fma(d[3 + p], xi_yk, pair[2] * xk_yi); /* D_01, D_02, D_12 are in the order of the pairs */
        out[3 * i + k] = wide_fma(d[3 + p], xk_yi, pair[2] * xi_yk);
        if (exact) { /* T X J(x)^T: row `axis` has its entries in columns i and k */
            Wide half = wide_all(0.5 * wide_pair_sign[p]);
            Wide at_i = half * (pair[2] - pair[0]), at_k = half * (pair[1] - pair[2]);
            n_x[2 * p] = at_i * x[k];
            n_x[2 * p + 1] = at_k * x[i];
            n_y[2 * p] = at_i * y[k];
            n_y[2 * p + 1] = at_k * y[i];
        }
    }
    if (exact) {
        const Wide *m = link->twist;
        const Wide full[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
        for (int p = 0; p < 3; p++) {
            for (int s = 0; s < 3; s++) {
                Wide weight = full[3 * wide_pair_axis[s] + wide_pair_axis[p]];
                const int row[2] = {pair_i[p], pair_k[p]}, column[2] = {pair_i[s], pair_k[s]};
                for (int a = 0; a < 2; a++) {
                    for (int b = 0; b < 2; b++) {
                        Wide *to = &out[3 * column[b] + row[a]];
                        *to = wide_nma(weight * n_x[2 * p + a], n_y[2 * s + b], *to);
                    }
                }
            }
        }
    }
}

/* R Q R^T for a symmetric Q, as xx, yy, zz, xy, xz, yz */
WIDE_INLINE void turn_symmetric(const Wide r[9], const Wide q[9], Wide out[6]) {
    Wide a[9];
    for (int c = 0; c < 3; c++) {
        wide_apply(r, q + 3 * c, a + 3 * c);
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        int i = row[e], k = column[e];
        out[e] = wide_fma(a[6 + i], r[6 + k], wide_fma(a[3 + i], r[3 + k], a[i] * r[k]));
    }
}

/* The blocks of a link in the world: left-left, right-right, and B(left, right), column-major. */
typedef struct Blocks {
    Wide left[6], right[6], across[9];
} Blocks;

static const int symmetric_at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

/* R Q(x, x) R^T for x on the first axis: Q is diagonal but for what the twist puts into (1,2). */
WIDE_INLINE void axial_block(const Sweep *sweep, const Link *link, const bool exact, Wide out[6]) {
    const Wide *r = link->r, *pair = link->pair, *m = link->twist;
    Wide x = sweep->shape[LEFT], square = x * x, a[9];
    Wide q0 = sweep->constants[AFXI_CHAIN_DIAGONAL] * square, q1 = pair[1] * square, q2 = pair[4] * square;
    Wide q12 = wide_all(0);
    if (exact) { /* entries of W(x): axis 2 in column 1, axis 1 in column 2 */
        Wide half = wide_all(0.5) * x, n1 = half * (pair[1] - pair[2]), n2 = half * (pair[5] - pair[4]);
        q1 = wide_nma(m[2] * n1, n1, q1);
        q2 = wide_nma(m[1] * n2, n2, q2);
        q12 = -(m[5] * n1 * n2);
    }
    for (int i = 0; i < 3; i++) {
        a[i] = q0 * r[i];
        a[3 + i] = q1 * r[3 + i];
        a[6 + i] = q2 * r[6 + i];
        if (exact) {
            a[3 + i] = wide_fma(q12, r[6 + i], a[3 + i]);
            a[6 + i] = wide_fma(q12, r[3 + i], a[6 + i]);
        }
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        int i = row[e], k = column[e];
        out[e] = wide_fma(a[6 + i], r[6 + k], wide_fma(a[3 + i], r[3 + k], a[i] * r[k]));
    }
}

WIDE_INLINE void make_blocks(const Sweep *sweep, const Link *link, const bool exact, const bool axial, Blocks *out) {
    const Wide *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
    Wide q[9], translation = sweep->constants[AFXI_CHAIN_TRANSLATION];
    if (axial) {
        axial_block(sweep, link, exact, out->left);
    } else {
        body_block(sweep, link, exact, x, x, q);
        turn_symmetric(link->r, q, out->left);
    }
    if (axial || sweep->collinear) {
        Wide ratio = sweep->shape[RATIO], six[6];
        for (int e = 0; e < 6; e++) {
            Wide scaled = ratio * out->left[e];
            out->right[e] = ratio * scaled;
            six[e] = scaled;
        }
        for (int e = 0; e < 9; e++) {
            out->across[e] = six[symmetric_at[e]];
        }
    } else {
        Wide a[9];
        body_block(sweep, link, exact, y, y, q);
        turn_symmetric(link->r, q, out->right);
        body_block(sweep, link, exact, x, y, q);
        for (int c = 0; c < 3; c++) {
            wide_apply(link->r, q + 3 * c, a + 3 * c);
        }
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++) {
                const Wide *r = link->r;
                out->across[3 * k + i] = wide_fma(a[6 + i], r[6 + k], wide_fma(a[3 + i], r[3 + k], a[i] * r[k]));
            }
        }
    }
    for (int e = 0; e < 3; e++) {
        out->left[e] = out->left[e] + translation;
        out->right[e] = out->right[e] + translation;
        out->across[4 * e] = out->across[4 * e] + translation;
    }
}

#endif
