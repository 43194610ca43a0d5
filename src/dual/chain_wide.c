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
#include "dual/tuning.h"

/* The state of links first ... k before the step. */
WIDE_INLINE void stream_old(const Sweep *sweep, uint32_t first, uint32_t k) {
    const AfxiChainStage *stage = sweep->stage;
    for (int l = 0; l < AFXI_LANES; l++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * stage->chains->link[sweep->link[l] + first].body;
        wide_stream_rows(stage->q + at, k + 1 - first, stage->old_q + at);
        wide_stream_rows(stage->v + at, k + 1 - first, stage->old_v + at);
    }
}

/* The state of one link of each lane before the step. */
WIDE_INLINE void copy_old(const AfxiChainStage *stage, const Rows *rows) {
    for (int l = 0; l < AFXI_LANES; l++) {
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e += AFXI_LANES) { /* 1, 2 or 4 */
            size_t at = rows->at[l] + (size_t)e;
            wide_store(stage->old_q + at, wide_load(stage->q + at));
            wide_store(stage->old_v + at, wide_load(stage->v + at));
        }
    }
}

/* 1 where the outer slots of whole chains are on. */
WIDE_INLINE void outer_slots(const Sweep *sweep, Wide *out_left, Wide *out_right) {
    WideView left, right;
    for (int l = 0; l < AFXI_LANES; l++) {
        left.lane[l] = sweep->piece[l]->slot_left;
        right.lane[l] = sweep->piece[l]->slot_right;
    }
    *out_left = left.wide;
    *out_right = right.wide;
}

/* From the first link to the last; what is left of the last slot goes into d and r. */
WIDE_INLINE void go_there(Sweep *sweep, const bool whole, Wide outer_left, Link *links, const Kind kind, Wide d[6],
                          Wide r[3]) {
    const AfxiChainStage *stage = sweep->stage;
    for (uint32_t k = 0; k < sweep->count; k++) {
        Link link;
        Blocks b;
        Wide p_l[3], p_r[3];
        prefetch_rows(sweep, stage->q, k, false);
        Rows rows = visit(sweep, k);
        prepare(sweep, &rows, k, kind, false, &link, &links[k], &b, p_l, p_r);
        copy_link(&link, &links[k], kind);
        prefetch_rows(sweep, stage->v, k, false);
        if (k == 0 && !whole) {
            PIECE3(sweep, lambda_left, link.y)
            for (int e = 0; e < 9; e++) {
                link.w[e] = wide_all(0);
            }
        } else {
            if (k == 0) {
                PIECE3(sweep, outside_left, r)
            }
            for (int e = 0; e < 6; e++) {
                d[e] = d[e] + b.left[e];
            }
            for (int e = 0; e < 3; e++) {
                link.y[e] = r[e] - p_l[e];
            }
            if (k == 0) {
                switch_slot(outer_left, d, link.y, b.across);
            } else if (!kind.turns && !stage->all_on) {
                switch_slot(slot_on(sweep, k), d, link.y, b.across);
            }
            Factor factor = factor3(d);
            wide_copy(b.across, 9, link.w);
            for (int c = 0; c < 3; c++) {
                solve3(&factor, link.w + 3 * c);
            }
            solve3(&factor, link.y);
        }
        if (kind.step && stage->stream && stage->old_q &&
            (k % AFXI_STREAM_LINKS == AFXI_STREAM_LINKS - 1 || k + 1 == sweep->count)) {
            stream_old(sweep, k - k % AFXI_STREAM_LINKS, k);
        } else if (kind.turns && !stage->stream) {
            copy_old(stage, &rows);
        }
        wide_copy(link.w, 9, links[k].w);
        wide_copy(link.y, 3, links[k].y);
        pass_on(&b, link.w, link.y, p_r, d, r);
        prefetch_rows(sweep, stage->x2, k, false);
    }
}

/* Back from the last link, with the multiplier of the last slot. */
WIDE_INLINE void go_back(Sweep *sweep, const Link *links, const Kind kind, Wide lambda[3], Tally *tally) {
    const AfxiChainStage *stage = sweep->stage;
    const bool fetches = stage->old_q && !stage->stream, all_on = kind.turns || stage->all_on;
    const Wide zero = wide_all(0);
    Wide after[3] = {zero, zero, zero};
    Condensed condensed = nothing_condensed();
    for (uint32_t k = sweep->count; k-- > 0;) {
        const Link *link = &links[k];
        const uint32_t done = sweep->count - 1 - k;
        Finish finish;
        Wide left[3];
        prefetch_rows(sweep, stage->x3, done, false);
        for (int i = 0; i < 3; i++) {
            const Wide *w = link->w;
            left[i] =
                wide_fma(w[6 + i], lambda[2], wide_fma(w[3 + i], lambda[1], wide_fma(w[i], lambda[0], link->y[i])));
        }
        if (fetches) {
            prefetch_rows(sweep, stage->old_q, done, true);
        }
        Rows rows = visit(sweep, k);
        move_link(sweep, k, &rows, kind, link, left, lambda, &finish);
        if (fetches) {
            prefetch_rows(sweep, stage->old_v, done, true);
        }
        Blocks b; /* of the next step */
        Link ahead;
        if (kind.turns) {
            frame_after(sweep, &rows, link, &finish, &ahead);
        }
        if (kind.step) {
            tally_link(sweep, kind, link, &finish, tally);
        }
        if (kind.step && k + 1 == sweep->count) {
            PIECE_STORE(sweep, end_right, 3, finish.p_r)
        } else if (kind.step) {
            tally_gap(all_on ? wide_all(1) : slot_on(sweep, k + 1), finish.p_r, after, tally);
        }
        store_multiplier(sweep, k, kind, left, k + 1 < sweep->count ? lambda : NULL);
        for (int e = 0; e < 3; e++) {
            after[e] = kind.step ? finish.p_l[e] : zero;
            lambda[e] = left[e];
        }
        if (kind.turns) {
            Wide p_l[3], p_r[3];
            prepare_after(sweep, &rows, kind, link, &finish, &ahead, &b, p_l, p_r);
            if (k + 1 == sweep->count) {
                condense_link(&b, p_l, p_r, true, &condensed);
            } else {
                condense_link(&b, p_l, p_r, false, &condensed);
            }
        }
    }
    if (kind.step) {
        PIECE_STORE(sweep, end_left, 3, after)
    }
    if (kind.turns) {
        store_condensed(sweep, &condensed);
    }
}

WIDE_INLINE void solve(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                       Link *links, const Kind kind) {
    Sweep sweep = begin_sweep(stage, group, next);
    const bool whole = !kind.turns && group->whole;
    const Wide zero = wide_all(0);
    Wide lambda[3], d[6] = {zero, zero, zero, zero, zero, zero}, r[3] = {zero, zero, zero};
    Wide outer_left = wide_all(1), outer_right = wide_all(1);
    if (whole) {
        outer_slots(&sweep, &outer_left, &outer_right);
    }
    go_there(&sweep, whole, outer_left, links, kind, d, r);
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
        store_multiplier(&sweep, sweep.count, kind, lambda, NULL);
    } else {
        PIECE3(&sweep, lambda_right, lambda)
    }
    Tally tally = {zero, zero, zero, zero, wide_mask_none()};
    go_back(&sweep, links, kind, lambda, &tally);
    wide_stream_end();
    WideMask finite = wide_equal(zero * tally.finite, zero);
    for (int l = 0; l < AFXI_LANES; l++) {
        AfxiChainPiece *piece = sweep.piece[l];
        piece->error = wide_lane(tally.error, l);
        piece->turn = wide_lane(tally.turn, l);
        piece->residual = wide_lane(tally.residual, l);
        piece->jump = wide_mask_lane(tally.jump, l);
        piece->finite = wide_mask_lane(finite, l);
    }
}

/* ---- entry points: the choices that are the same for all links become constants ---- */

AfxiChainCondense AFXI_WIDE(afxi_chain_condense);
AfxiChainSolve AFXI_WIDE(afxi_chain_solve);
extern const size_t AFXI_WIDE(afxi_chain_scratch);

const size_t AFXI_WIDE(afxi_chain_scratch) = sizeof(Link);

static const Kind other_task = {.exact = false};
static const Kind first = {.step = true}, first_axial = {.step = true, .axial = true};
static const Kind later = {.step = true, .exact = true}, later_axial = {.step = true, .exact = true, .axial = true};
static const Kind turning = {.step = true, .axial = true, .turns = true};

void AFXI_WIDE(afxi_chain_condense)(const AfxiChainStage *stage, const AfxiChainGroup *group,
                                    const AfxiChainGroup *next) {
    if (stage->task != AFXI_CHAIN_STAGE) {
        condense(stage, group, next, other_task);
    } else if (stage->first) {
        if (group->axial && group->plain) { /* as a solve that turns has it */
            condense_back(stage, group, next, first_axial);
        } else if (group->axial) {
            condense(stage, group, next, first_axial);
        } else {
            condense(stage, group, next, first);
        }
    } else if (group->axial) {
        condense(stage, group, next, later_axial);
    } else {
        condense(stage, group, next, later);
    }
}

void AFXI_WIDE(afxi_chain_solve)(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                                 void *scratch) {
    if (stage->turns && !group->whole && group->axial && group->plain) {
        solve(stage, group, next, scratch, turning);
    } else if (stage->task != AFXI_CHAIN_STAGE) {
        solve(stage, group, next, scratch, other_task);
    } else if (stage->first) {
        if (group->axial) {
            solve(stage, group, next, scratch, first_axial);
        } else {
            solve(stage, group, next, scratch, first);
        }
    } else if (group->axial) {
        solve(stage, group, next, scratch, later_axial);
    } else {
        solve(stage, group, next, scratch, later);
    }
}

#else
typedef int AfxiNoChainVariant; /* a file may not be empty */
#endif
