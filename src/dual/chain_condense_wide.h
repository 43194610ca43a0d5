/* SPDX-License-Identifier: Apache-2.0 */
/* Condensing spans from the last link to the first, one span per lane, for chain_wide.c: the order in which the back
 * substitution of a solve meets the links. For stages that such a solve may have condensed for in the step before; all
 * others go the other way (chain_eliminate_wide.h). */
#ifndef AFXI_DUAL_CHAIN_CONDENSE_WIDE_H
#define AFXI_DUAL_CHAIN_CONDENSE_WIDE_H

#include "dual/chain_eliminate_wide.h"

/* What links from the last one on come to: the slot left of them (D, -r', and minus its coupling to the last slot,
 * which is the right separator), and that separator itself. */
typedef struct Condensed {
    Wide d[6], r[3], coupling[9];
    Wide right[6], right_rhs[3];
} Condensed;

WIDE_INLINE Condensed nothing_condensed(void) {
    const Wide none = wide_all(0);
    return (Condensed){{none}, {none}, {none}, {none}, {none}};
}

/* z = L^-1 b and D^-1 z for L D L^T; the products of two such are those of b with the inverse. */
WIDE_INLINE void half_solve(const Factor *f, Wide b0, Wide b1, Wide b2, Wide z[3], Wide scaled[3]) {
    z[0] = b0;
    z[1] = wide_nma(f->l1, b0, b1);
    z[2] = wide_nma(f->l3, z[1], wide_nma(f->l2, b0, b2));
    scaled[0] = z[0] * f->i0;
    scaled[1] = z[1] * f->i1;
    scaled[2] = z[2] * f->i2;
}

/* Puts a link to the left of those that are condensed, and eliminates the slot between. */
WIDE_INLINE void condense_link(const Blocks *b, const Wide p_l[3], const Wide p_r[3], const bool last, Condensed *c) {
    if (last) {
        wide_copy(b->left, 6, c->d);
        wide_copy(b->right, 6, c->right);
        wide_copy(b->across, 9, c->coupling);
        wide_copy(p_l, 3, c->r);
        wide_copy(p_r, 3, c->right_rhs);
        return;
    }
    Wide d[6], y[3], zy[3], sy[3], z_across[9], s_across[9], z[9], scaled[9];
    for (int e = 0; e < 6; e++) {
        d[e] = c->d[e] + b->right[e];
    }
    for (int e = 0; e < 3; e++) {
        y[e] = p_r[e] - c->r[e];
    }
    Factor factor = factor3(d);
    half_solve(&factor, y[0], y[1], y[2], zy, sy);
    for (int i = 0; i < 3; i++) {
        const Wide *f = c->coupling + 3 * i;
        half_solve(&factor, b->across[i], b->across[3 + i], b->across[6 + i], z_across + 3 * i, s_across + 3 * i);
        half_solve(&factor, f[0], f[1], f[2], z + 3 * i, scaled + 3 * i);
    }
    for (int s = 0; s < 6; s++) {
        const Wide *x = z_across + 3 * entry_row[s], *w = s_across + 3 * entry_column[s];
        const Wide *f = z + 3 * entry_row[s], *v = scaled + 3 * entry_column[s];
        c->d[s] = wide_nma(x[2], w[2], wide_nma(x[1], w[1], wide_nma(x[0], w[0], b->left[s])));
        c->right[s] = wide_nma(f[2], v[2], wide_nma(f[1], v[1], wide_nma(f[0], v[0], c->right[s])));
    }
    for (int i = 0; i < 3; i++) {
        const Wide *x = z_across + 3 * i, *f = z + 3 * i;
        c->r[i] = wide_nma(x[2], sy[2], wide_nma(x[1], sy[1], wide_nma(x[0], sy[0], p_l[i])));
        c->right_rhs[i] = wide_fma(f[2], sy[2], wide_fma(f[1], sy[1], wide_fma(f[0], sy[0], c->right_rhs[i])));
        for (int k = 0; k < 3; k++) {
            const Wide *v = scaled + 3 * k;
            c->coupling[3 * k + i] = wide_fma(x[2], v[2], wide_fma(x[1], v[1], x[0] * v[0]));
        }
    }
}

WIDE_INLINE void store_condensed(const Sweep *sweep, Condensed *c) {
    for (int e = 0; e < 9; e++) {
        c->coupling[e] = -c->coupling[e];
    }
    for (int e = 0; e < 3; e++) {
        c->r[e] = -c->r[e];
    }
    PIECE_STORE(sweep, left, 6, c->d)
    PIECE_STORE(sweep, right, 6, c->right)
    PIECE_STORE(sweep, coupling, 9, c->coupling)
    PIECE_STORE(sweep, left_rhs, 3, c->r)
    PIECE_STORE(sweep, right_rhs, 3, c->right_rhs)
}

/* From the last link to the first, as in the back substitution of a solve that condenses for the next step. */
WIDE_INLINE void condense_back(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                               const Kind kind) {
    Sweep sweep = begin_sweep(stage, group, next);
    Condensed condensed = nothing_condensed();
    for (uint32_t k = sweep.count; k-- > 0;) {
        const uint32_t done = sweep.count - 1 - k;
        Link link;
        Blocks b;
        Wide p_l[3], p_r[3];
        prefetch_rows(&sweep, stage->q, done, false);
        Rows rows = visit(&sweep, k);
        prefetch_rows(&sweep, stage->v, done, false);
        prepare(&sweep, &rows, k, kind, true, &link, NULL, &b, p_l, p_r);
        prefetch_rows(&sweep, stage->x2, done, false);
        if (k + 1 == sweep.count) {
            condense_link(&b, p_l, p_r, true, &condensed);
        } else {
            condense_link(&b, p_l, p_r, false, &condensed);
        }
        prefetch_rows(&sweep, stage->x3, done, false);
    }
    store_condensed(&sweep, &condensed);
}

#endif
