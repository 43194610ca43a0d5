/* SPDX-License-Identifier: Apache-2.0 */
/* The two passes over spans of ball chains, one span per lane (equations in chain.h). Compiled for the variants that
 * chain.c chooses from alone: results do not depend on the lanes, and each takes its time to compile. */
#include "math/simd.h"

#ifdef __FMA__
#define CHAIN_VARIANT (AFXI_LANES == 1 || (AFXI_LANES == 4))
#else
#define CHAIN_VARIANT (AFXI_LANES == 2)
#endif
#if CHAIN_VARIANT

#include "dual/chain_back_wide.h"

/* So many links at a time are copied to where the old state is kept: they are still in the first cache. */
#define STREAM_LINKS 8u

/* The state of links first ... k before the step. */
WIDE_INLINE void stream_old(const Sweep *sweep, uint32_t first, uint32_t k) {
    const AfxiChainStage *stage = sweep->stage;
    for (int l = 0; l < AFXI_LANES; l++) {
        size_t at = (size_t)12 * stage->chains->link[sweep->link[l] + first].body;
        wide_stream_range(stage->q + at, 3 * (k + 1 - first), stage->old_q + at);
        wide_stream_range(stage->v + at, 3 * (k + 1 - first), stage->old_v + at);
    }
}

WIDE_INLINE void solve(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                       Link *links, const bool exact, const bool step, const bool axial) {
    Sweep sweep = begin_sweep(stage, group, next);
    const bool whole = group->whole;
    const Wide zero = wide_all(0);
    Blocks b;
    Wide p_l[3], p_r[3], lambda[3], d[6] = {zero, zero, zero, zero, zero, zero}, r[3] = {zero, zero, zero};
    Wide outer_left = wide_all(1), outer_right = wide_all(1);
    if (whole) {
        WideView left, right;
        for (int l = 0; l < AFXI_LANES; l++) {
            left.lane[l] = sweep.piece[l]->slot_left;
            right.lane[l] = sweep.piece[l]->slot_right;
        }
        outer_left = left.wide;
        outer_right = right.wide;
    }
    for (uint32_t k = 0; k < sweep.count; k++) {
        Link link;
        prefetch_rows(&sweep, stage->q, k, false);
        prepare(&sweep, k, exact, step, axial, &link, &b, p_l, p_r);
        copy_link(&link, &links[k], exact);
        prefetch_rows(&sweep, stage->v, k, false);
        if (k == 0 && !whole) {
            PIECE3(&sweep, lambda_left, link.y)
            for (int e = 0; e < 9; e++) {
                link.w[e] = wide_all(0);
            }
        } else {
            if (k == 0) {
                PIECE3(&sweep, outside_left, r)
            }
            for (int e = 0; e < 6; e++) {
                d[e] = d[e] + b.left[e];
            }
            for (int e = 0; e < 3; e++) {
                link.y[e] = r[e] - p_l[e];
            }
            if (k == 0) {
                switch_slot(outer_left, d, link.y, b.e);
            } else if (!stage->all_on) {
                switch_slot(slot_on(&sweep, k), d, link.y, b.e);
            }
            Factor factor = factor3(d);
            for (int e = 0; e < 9; e++) {
                link.w[e] = b.e[e];
            }
            for (int c = 0; c < 3; c++) {
                solve3(&factor, link.w + 3 * c);
            }
            solve3(&factor, link.y);
        }
        if (step && stage->stream && stage->old_q && (k % STREAM_LINKS == STREAM_LINKS - 1 || k + 1 == sweep.count)) {
            stream_old(&sweep, k - k % STREAM_LINKS, k);
        }
        wide_copy(link.w, 9, links[k].w);
        wide_copy(link.y, 3, links[k].y);
        pass_on(&b, link.w, link.y, p_r, d, r);
        prefetch_rows(&sweep, stage->x2, k, false);
    }
    if (whole) {
        Wide outside[3], none[9];
        PIECE3(&sweep, outside_right, outside)
        for (int e = 0; e < 3; e++) {
            lambda[e] = r[e] - outside[e];
        }
        for (int e = 0; e < 9; e++) {
            none[e] = wide_all(0);
        }
        switch_slot(outer_right, d, lambda, none);
        Factor factor = factor3(d);
        solve3(&factor, lambda);
        store_multiplier(&sweep, sweep.count, lambda, NULL);
    } else {
        PIECE3(&sweep, lambda_right, lambda)
    }
    Tally tally = {wide_all(0), wide_all(0), wide_all(0), wide_all(0), wide_mask_none()};
    Wide here[3] = {zero, zero, zero}, after[3] = {zero, zero, zero};
    for (uint32_t k = sweep.count; k-- > 0;) {
        const Link *link = &links[k];
        Wide left[3];
        prefetch_rows(&sweep, stage->x3, sweep.count - 1 - k, false);
        for (int i = 0; i < 3; i++) {
            const Wide *w = link->w;
            left[i] =
                wide_nma(w[6 + i], lambda[2], wide_nma(w[3 + i], lambda[1], wide_nma(w[i], lambda[0], link->y[i])));
        }
        if (stage->old_q && !stage->stream) {
            prefetch_rows(&sweep, stage->old_q, sweep.count - 1 - k, true);
        }
        move_link(&sweep, k, exact, step, axial, link, left, lambda, here, p_r, &tally);
        if (stage->old_q && !stage->stream) {
            prefetch_rows(&sweep, stage->old_v, sweep.count - 1 - k, true);
        }
        if (k + 1 == sweep.count) {
            if (step) {
                PIECE_STORE(&sweep, end_right, 3, p_r)
            }
        } else if (step) {
            tally_gap(stage->all_on ? wide_all(1) : slot_on(&sweep, k + 1), p_r, after, &tally);
        }
        store_multiplier(&sweep, k, left, k + 1 < sweep.count ? lambda : NULL);
        for (int e = 0; e < 3; e++) {
            after[e] = here[e];
            lambda[e] = left[e];
        }
    }
    if (step) {
        PIECE_STORE(&sweep, end_left, 3, after)
    }
    wide_stream_end();
    WideMask finite = wide_equal(tally.finite, wide_all(0));
    for (int l = 0; l < AFXI_LANES; l++) {
        AfxiChainPiece *piece = sweep.piece[l];
        piece->error = wide_lane(tally.error, l);
        piece->turn = wide_lane(tally.turn, l);
        piece->residual = wide_lane(tally.residual, l);
        piece->jump = wide_mask_lane(tally.jump, l);
        piece->finite = wide_mask_lane(finite, l);
        piece->rescued = sweep.rescued;
    }
}

/* ---- entry points: the choices that are the same for all links become constants ---- */

AfxiChainCondense AFXI_WIDE(afxi_chain_condense);
AfxiChainSolve AFXI_WIDE(afxi_chain_solve);
extern const size_t AFXI_WIDE(afxi_chain_scratch);

const size_t AFXI_WIDE(afxi_chain_scratch) = sizeof(Link);

void AFXI_WIDE(afxi_chain_condense)(const AfxiChainStage *stage, const AfxiChainGroup *group,
                                    const AfxiChainGroup *next) {
    if (stage->task != AFXI_CHAIN_STAGE) {
        condense(stage, group, next, false, false, false);
    } else if (stage->first) {
        if (stage->axial) {
            condense(stage, group, next, false, true, true);
        } else {
            condense(stage, group, next, false, true, false);
        }
    } else if (stage->axial) {
        condense(stage, group, next, true, true, true);
    } else {
        condense(stage, group, next, true, true, false);
    }
}

void AFXI_WIDE(afxi_chain_solve)(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                                 void *scratch) {
    if (stage->task != AFXI_CHAIN_STAGE) {
        solve(stage, group, next, scratch, false, false, false);
    } else if (stage->first) {
        if (stage->axial) {
            solve(stage, group, next, scratch, false, true, true);
        } else {
            solve(stage, group, next, scratch, false, true, false);
        }
    } else if (stage->axial) {
        solve(stage, group, next, scratch, true, true, true);
    } else {
        solve(stage, group, next, scratch, true, true, false);
    }
}

#else
typedef int AfxiNoChainVariant; /* a file may not be empty */
#endif
