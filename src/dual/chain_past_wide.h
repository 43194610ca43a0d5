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
typedef struct Predictor {
    double line, bend, more;
} Predictor;

WIDE_INLINE Predictor predictor_of(const AfxiChainStage *stage) {
    const bool alpha = stage->mode == AFXI_FREE_ALPHA;
    return (Predictor){stage->predict, alpha ? 0 : stage->parabola[0],
                       alpha ? stage->parabola[1] : -stage->parabola[0]};
}

/* A quad of the targets of A and t, and, in a first solve, of where A is expected. A function of its own, called for
 * each quad: the compiler would not unroll a loop of that length. */
WIDE_INLINE void past_quad(const Sweep *sweep, const Rows *rows, const int part, const bool first, Wide of_v,
                           Wide of_x3, Wide target[12], Wide x[12]) {
    Quad quad;
    load_quad(sweep, rows, part, false, &quad);
    for (int e = 0; e < 4; e++) {
        target[4 * part + e] = quad.target[e];
        if (first && 4 * part + e < 9) {
            x[4 * part + e] = wide_fma(of_x3, quad.x3[e], wide_fma(of_v, quad.v[e], quad.q[e]));
        }
    }
}

/* Targets of A and t, and where A is taken to be. */
WIDE_INLINE void load_past(const Sweep *sweep, const Rows *rows, uint32_t k, const bool first, Wide target[12],
                           Wide x[12]) {
    const AfxiChainStage *stage = sweep->stage;
    Predictor predictor = predictor_of(stage);
    Wide curve = first ? curved_lanes(sweep, k) : wide_all(0);
    if (!first) {
        gather12(stage->iterate, rows, x);
    }
    Wide of_v = wide_fma(curve, wide_all(predictor.bend), wide_all(predictor.line));
    Wide of_x3 = curve * wide_all(predictor.more);
    past_quad(sweep, rows, 0, first, of_v, of_x3, target, x);
    past_quad(sweep, rows, 1, first, of_v, of_x3, target, x);
    past_quad(sweep, rows, 2, first, of_v, of_x3, target, x);
}

#endif
