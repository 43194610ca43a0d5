/* SPDX-License-Identifier: Apache-2.0 */
/* Eliminating the slots of spans, one span per lane, for chain_wide.c: 3x3 pivots, and `condense` (chain.h). */
#ifndef AFXI_DUAL_CHAIN_ELIMINATE_WIDE_H
#define AFXI_DUAL_CHAIN_ELIMINATE_WIDE_H

#include <math.h>

#include "dual/chain_woodbury_wide.h"

/* L D L^T of a symmetric 3x3 matrix. */
typedef struct Factor {
    Wide l1, l2, l3, i0, i1, i2;
} Factor;

WIDE_INLINE Factor factor3(const Wide d[6]) {
    Factor f;
    f.i0 = wide_all(1) / d[0];
    f.l1 = d[3] * f.i0;
    f.l2 = d[4] * f.i0;
    f.i1 = wide_all(1) / wide_nma(f.l1, d[3], d[1]);
    Wide m = wide_nma(f.l1, d[4], d[5]);
    f.l3 = m * f.i1;
    f.i2 = wide_all(1) / wide_nma(f.l3, m, wide_nma(f.l2, d[4], d[2]));
    return f;
}

WIDE_INLINE void solve3(const Factor *f, Wide b[3]) {
    b[1] = wide_nma(f->l1, b[0], b[1]);
    b[2] = wide_nma(f->l3, b[1], wide_nma(f->l2, b[0], b[2])) * f->i2;
    b[1] = wide_nma(f->l3, b[2], b[1] * f->i1);
    b[0] = wide_nma(f->l2, b[2], wide_nma(f->l1, b[1], b[0] * f->i0));
}

/* 1 where slot k of a lane is switched on. */
WIDE_INLINE Wide slot_on(const Sweep *sweep, uint32_t k) {
    const AfxiChainStage *stage = sweep->stage;
    WideView view;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t joint = stage->chains->slot_joint[sweep->slot[l] + k];
        view.lane[l] = joint != UINT32_MAX && stage->joint_active[joint] ? 1 : 0;
    }
    return view.wide;
}

/* A slot that is off becomes a row of the identity. */
WIDE_INLINE void switch_slot(Wide on, Wide d[6], Wide r[3], Wide across[9]) {
    for (int c = 0; c < 3; c++) {
        d[c] = wide_fma(on, d[c], wide_all(1) - on);
        d[3 + c] = on * d[3 + c];
        r[c] = on * r[c];
    }
    for (int c = 0; c < 9; c++) {
        across[c] = on * across[c];
    }
}

/* Entries of a symmetric matrix as xx, yy, zz, xy, xz, yz. */
static const int entry_row[6] = {0, 1, 2, 0, 0, 1}, entry_column[6] = {0, 1, 2, 1, 2, 2};

/* D' <- B(r,r) - E^T W, r' <- p_r - E^T y, where E = -B(l,r) and W = -w */
WIDE_INLINE void pass_on(const Blocks *b, const Wide w[9], const Wide y[3], const Wide p_r[3], Wide d[6], Wide r[3]) {
    for (int s = 0; s < 6; s++) {
        const Wide *x = b->across + 3 * entry_row[s], *z = w + 3 * entry_column[s];
        d[s] = wide_nma(x[2], z[2], wide_nma(x[1], z[1], wide_nma(x[0], z[0], b->right[s])));
    }
    for (int i = 0; i < 3; i++) {
        const Wide *x = b->across + 3 * i;
        r[i] = wide_fma(x[2], y[2], wide_fma(x[1], y[1], wide_fma(x[0], y[0], p_r[i])));
    }
}

/* Ends and blocks of a link whose free motion is known. */
WIDE_INLINE void place_link(const Sweep *sweep, const Kind kind, const Link *link, const Wide t[3], Blocks *blocks,
                            Wide p_l[3], Wide p_r[3]) {
    if (kind.axial) {
        end_points_axial(sweep, link, t, p_l, p_r);
    } else {
        end_point(sweep->stage, link, sweep->shape + LEFT, t, p_l);
        end_point(sweep->stage, link, sweep->shape + RIGHT, t, p_r);
    }
    make_blocks(sweep, link, kind.exact, kind.axial, blocks);
}

/* Link k before its joints act; `back`: the last one was k + 1. *keep is as in load_past. */
WIDE_INLINE void prepare(Sweep *sweep, const Rows *rows, uint32_t k, const Kind kind, const bool back, Link *link,
                         Link *keep, Blocks *blocks, Wide p_l[3], Wide p_r[3]) {
    Wide t[3];
    if (kind.step) {
        prepare_stage(sweep, rows, k, kind, back, link, keep, t);
    } else {
        prepare_other(sweep, rows, link, t);
    }
    place_link(sweep, kind, link, t, blocks, p_l, p_r);
    if (kind.step && touching(sweep, k, kind)) {
        woodbury_links(sweep, k, kind, link, t, blocks, p_l, p_r);
    }
}

WIDE_INLINE Sweep begin_sweep(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next) {
    Sweep sweep;
    sweep.ahead_count = next && stage->chains->in_order ? next->link_count : 0;
    sweep.stage = stage;
    sweep.count = group->link_count;
    sweep.collinear = group->collinear;
    sweep.enough = group->touched ? INFINITY : stage->enough;
    sweep.weights = weights_of(stage);
    sweep.alike_begin = 0;
    sweep.alike_end = stage->alike ? UINT32_MAX : 0;
    for (int l = 0; l < AFXI_LANES; l++) {
        const AfxiChainSpan *span = &stage->chains->span[group->span[l]];
        sweep.piece[l] = &stage->piece[group->span[l]];
        sweep.link[l] = span->first_link;
        sweep.slot[l] = span->first_slot;
        sweep.class_row[l] = sweep.shape_row[l] = NULL;
        sweep.alike_begin = span->alike_begin > sweep.alike_begin ? span->alike_begin : sweep.alike_begin;
        sweep.alike_end = span->alike_end < sweep.alike_end ? span->alike_end : sweep.alike_end;
        sweep.body[l] = stage->chains->link[span->first_link + span->alike_begin].body - span->alike_begin;
        const AfxiChainSpan *ahead = next ? &stage->chains->span[next->span[l]] : span;
        sweep.ahead[l] = (size_t)AFXI_AFFINE_WIDTH * stage->chains->link[ahead->first_link].body;
    }
    return sweep;
}

/* From the first link to the last. */
WIDE_INLINE void condense(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                          const Kind kind) {
    Sweep sweep = begin_sweep(stage, group, next);
    const Wide zero = wide_all(0);
    Wide d[6] = {zero, zero, zero, zero, zero, zero}, r[3] = {zero, zero, zero};
    Wide f[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero}; /* minus the coupling to the first slot */
    Wide left[6] = {zero, zero, zero, zero, zero, zero}, left_rhs[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < sweep.count; k++) {
        Link link;
        Blocks b;
        Wide p_l[3], p_r[3];
        prefetch_rows(&sweep, stage->q, k, false);
        Rows rows = visit(&sweep, k);
        prepare(&sweep, &rows, k, kind, false, &link, NULL, &b, p_l, p_r);
        if (k == 0) { /* its left slot is the separator */
            wide_copy(b.left, 6, left);
            wide_copy(b.right, 6, d);
            wide_copy(b.across, 9, f);
            wide_copy(p_r, 3, r);
            for (int e = 0; e < 3; e++) {
                left_rhs[e] = -p_l[e];
            }
            continue;
        }
        Wide w[9], y[3], v[9], passed[9];
        prefetch_rows(&sweep, stage->v, k, false);
        for (int e = 0; e < 6; e++) {
            d[e] = d[e] + b.left[e];
        }
        for (int e = 0; e < 3; e++) {
            y[e] = r[e] - p_l[e];
        }
        if (!stage->all_on) {
            Wide on = slot_on(&sweep, k);
            switch_slot(on, d, y, b.across);
            for (int e = 0; e < 9; e++) {
                f[e] = on * f[e];
            }
        }
        Factor factor = factor3(d);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                w[3 * c + i] = b.across[3 * c + i];
                v[3 * c + i] = f[3 * i + c]; /* D^-1 F^T */
            }
            solve3(&factor, w + 3 * c);
            solve3(&factor, v + 3 * c);
        }
        solve3(&factor, y);
        prefetch_rows(&sweep, stage->x2, k, false);
        for (int s = 0; s < 6; s++) {
            int i = entry_row[s];
            const Wide *z = v + 3 * entry_column[s];
            left[s] = wide_nma(f[6 + i], z[2], wide_nma(f[3 + i], z[1], wide_nma(f[i], z[0], left[s])));
        }
        for (int i = 0; i < 3; i++) {
            left_rhs[i] = wide_fma(f[6 + i], y[2], wide_fma(f[3 + i], y[1], wide_fma(f[i], y[0], left_rhs[i])));
            for (int c = 0; c < 3; c++) {
                const Wide *z = w + 3 * c;
                passed[3 * c + i] = wide_fma(f[6 + i], z[2], wide_fma(f[3 + i], z[1], f[i] * z[0]));
            }
        }
        wide_copy(passed, 9, f);
        pass_on(&b, w, y, p_r, d, r);
        prefetch_rows(&sweep, stage->x3, k, false);
    }
    for (int e = 0; e < 9; e++) {
        f[e] = -f[e];
    }
    PIECE_STORE(&sweep, left, 6, left)
    PIECE_STORE(&sweep, right, 6, d)
    PIECE_STORE(&sweep, coupling, 9, f)
    PIECE_STORE(&sweep, left_rhs, 3, left_rhs)
    PIECE_STORE(&sweep, right_rhs, 3, r)
}

#endif
