/* SPDX-License-Identifier: Apache-2.0 */
/* What a stage makes of the past of one link per lane, for chain_wide.c: targets, and where A is expected. */
#ifndef AFXI_DUAL_CHAIN_PAST_WIDE_H
#define AFXI_DUAL_CHAIN_PAST_WIDE_H

#include "body/stage_wide.h"
#include "dual/chain_sweep_wide.h"

/* 1 where a lane's link is predicted along a parabola. */
WIDE_INLINE Wide curved_lanes(const Sweep *sweep, uint32_t k) {
    WideView view;
    for (int l = 0; l < AFXI_LANES; l++) {
        view.lane[l] = sweep->stage->curved[sweep->link[l] + k];
    }
    return view.wide;
}

/* qhat of a BDF2 step, as wide_stage_combine makes it. */
WIDE_INLINE Wide target_of(const Weights *w, Wide q, Wide v, Wide x2, Wide x3) {
    Wide drift = wide_fma(w->drift_x3, wide_nma(w->drift_v, v, x3), v), qv = wide_fma(w->qv_x2, x2, w->qv_q * q);
    return wide_fma(w->h_rate, drift, qv);
}

/* Four of the twelve numbers of a link per lane: what the stage reads, and its combinations. */
typedef struct Quad {
    Wide q[4], v[4], x3[4];
    Wide drift[4], qv[4], target[4];
} Quad;

WIDE_INLINE void gather4(const double *base, const Rows *rows, int part, Wide out[4]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + rows->at[l] + 4 * part;
    }
    wide_gather(row, 1, out);
}

/* The same; they are copied to where the state before the step is kept. */
WIDE_INLINE void gather4_keep(const double *base, double *old, const Rows *rows, int part, Wide out[4]) {
    const double *row[AFXI_LANES];
    double *keep[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + rows->at[l] + 4 * part;
        keep[l] = old + rows->at[l] + 4 * part;
    }
    wide_gather_keep(row, keep, out);
}

/* Numbers 4 part ... 4 part + 3: few at a time, as there are few registers. */
WIDE_INLINE void load_quad(const Sweep *sweep, const Rows *rows, int part, const bool keep, Quad *quad) {
    const AfxiChainStage *stage = sweep->stage;
    const bool history = stage->mode != AFXI_FREE_ONE_STEP;
    Wide x2[4], qhat[4];
    if (keep && stage->old_q && !stage->stream) {
        gather4_keep(stage->q, stage->old_q, rows, part, quad->q);
        gather4_keep(stage->v, stage->old_v, rows, part, quad->v);
    } else {
        gather4(stage->q, rows, part, quad->q);
        gather4(stage->v, rows, part, quad->v);
    }
    if (history) {
        gather4(stage->x2, rows, part, x2);
        gather4(stage->x3, rows, part, quad->x3);
    } else {
        for (int k = 0; k < 4; k++) {
            x2[k] = quad->x3[k] = wide_all(0);
        }
    }
    wide_stage_combine(&stage->weights, history, 4, quad->q, quad->v, x2, quad->x3, quad->drift, quad->qv, qhat);
    for (int k = 0; k < 4; k++) {
        quad->target[k] = qhat[k];
        if (stage->damped) {
            Wide weight = sweep->constants[4 * part + k < 9 ? AFXI_CHAIN_WEIGHT_A : AFXI_CHAIN_WEIGHT_T];
            quad->target[k] = wide_fma(weight, qhat[k], (wide_all(1) - weight) * quad->qv[k]);
        }
    }
}

/* A is expected at q + line v along the tangent; the parabola adds bend v + more x3. */
WIDE_INLINE Weights weights_of(const AfxiChainStage *stage) {
    const AfxiStageWeights *w = &stage->weights;
    const bool alpha = stage->mode == AFXI_FREE_ALPHA;
    return (Weights){
        .qv_q = wide_all(w->qv[0]),
        .qv_x2 = wide_all(w->qv[2]),
        .drift_x3 = wide_all(w->drift[1]),
        .drift_v = wide_all(w->drift[2]),
        .h_rate = wide_all(w->scale.h_rate),
        .per_h = wide_all(w->per_h_rate),
        .line = wide_all(stage->predict),
        .bend = wide_all(alpha ? 0 : stage->parabola[0]),
        .more = wide_all(alpha ? stage->parabola[1] : -stage->parabola[0]),
    };
}

/* A quad of the targets of A and t, and, in a first solve, of where A is expected. A function of its own, called for
 * each quad: the compiler would not unroll a loop of that length. */
WIDE_INLINE void past_quad(const Sweep *sweep, const Rows *rows, const int part, const bool first, Wide of_v,
                           Wide of_x3, Wide target[AFXI_AFFINE_WIDTH], Wide x[AFXI_AFFINE_WIDTH]) {
    Quad quad;
    load_quad(sweep, rows, part, false, &quad);
    for (int e = 0; e < 4; e++) {
        target[4 * part + e] = quad.target[e];
        if (first && 4 * part + e < 9) {
            x[4 * part + e] = wide_fma(of_x3, quad.x3[e], wide_fma(of_v, quad.v[e], quad.q[e]));
        }
    }
}

/* The same where the back substitution turns, array by array, so that few numbers are alive at a time. What it needs
 * goes into *keep. */
WIDE_INLINE void past_quad_kept(const Sweep *sweep, const Rows *rows, const int part, Wide of_v, Wide of_x3,
                                Wide target[AFXI_AFFINE_WIDTH], Wide x[AFXI_AFFINE_WIDTH], Link *keep) {
    const AfxiChainStage *stage = sweep->stage;
    const Weights *w = &sweep->weights;
    const int to = 4 * part, count = part == 2 ? 1 : 4; /* numbers of A */
    Wide q[4], v[4], x2[4], x3[4];
    gather4(stage->q, rows, part, q);
    wide_copy(q, 4, keep->q + to);
    gather4(stage->v, rows, part, v);
    wide_copy(v, 4, keep->v + to);
    for (int e = 0; e < count; e++) {
        x[to + e] = wide_fma(of_v, v[e], q[e]);
    }
    gather4(stage->x3, rows, part, x3);
    wide_copy(x3, count, keep->x3 + to);
    for (int e = 0; e < 4; e++) {
        if (e < count) {
            x[to + e] = wide_fma(of_x3, x3[e], x[to + e]);
        }
        v[e] = wide_fma(w->drift_x3, wide_nma(w->drift_v, v[e], x3[e]), v[e]);
        q[e] = w->qv_q * q[e];
    }
    gather4(stage->x2, rows, part, x2);
    for (int e = 0; e < 4; e++) {
        Wide qv = wide_fma(w->qv_x2, x2[e], q[e]), qhat = wide_fma(w->h_rate, v[e], qv);
        target[to + e] = qhat;
        if (e < count) {
            keep->qv[to + e] = qv;
        } else {
            keep->target[to + e - 9] = qhat;
            keep->drift[to + e - 9] = v[e];
        }
    }
}

/* Targets of A and t, and where A is taken to be. */
WIDE_INLINE void load_past(const Sweep *sweep, const Rows *rows, uint32_t k, const Kind kind,
                           Wide target[AFXI_AFFINE_WIDTH], Wide x[AFXI_AFFINE_WIDTH], Link *keep) {
    const Weights *w = &sweep->weights;
    Wide curve = kind.exact ? wide_all(0) : curved_lanes(sweep, k);
    if (kind.exact) {
        gather12(sweep->stage->iterate, rows, x);
    }
    Wide of_v = wide_fma(curve, w->bend, w->line), of_x3 = curve * w->more;
    if (kind.turns) {
        past_quad_kept(sweep, rows, 0, of_v, of_x3, target, x, keep);
        past_quad_kept(sweep, rows, 1, of_v, of_x3, target, x, keep);
        past_quad_kept(sweep, rows, 2, of_v, of_x3, target, x, keep);
        return;
    }
    past_quad(sweep, rows, 0, !kind.exact, of_v, of_x3, target, x);
    past_quad(sweep, rows, 1, !kind.exact, of_v, of_x3, target, x);
    past_quad(sweep, rows, 2, !kind.exact, of_v, of_x3, target, x);
}

#endif
