/* SPDX-License-Identifier: Apache-2.0 */
/* Back substitution through a span, for chain_wide.c: moves a link by the multipliers of its two slots, writes the new
 * state, and keeps what solve/judge.c judges by. */
#ifndef AFXI_DUAL_CHAIN_BACK_WIDE_H
#define AFXI_DUAL_CHAIN_BACK_WIDE_H

#include <string.h>

#include "body/tuning.h"
#include "dual/chain_condense_wide.h"
#include "dual/tuning.h"

/* Largest values over the links of each lane. */
typedef struct Tally {
    Wide error, turn, residual, finite;
    WideMask jump;
} Tally;

/* The predictor that fitted this step best is the next one's: the parabola where it was twice as good. 1 in its lanes
 * comes back. */
WIDE_INLINE Wide choose_predictor(const Sweep *sweep, uint32_t k, const Kind kind, Wide line_off, Wide curve_off) {
    const AfxiChainStage *stage = sweep->stage;
    const bool none = !kind.turns && stage->parabola[0] == 0 && stage->parabola[1] == 0;
    WideMask better = none ? wide_mask_none() : wide_less(wide_all(4) * curve_off, line_off);
    unsigned bits = wide_bits(better);
    for (int l = 0; l < AFXI_LANES; l++) {
        stage->curved[sweep->link[l] + k] = bits >> l & 1;
    }
    return wide_select(better, wide_all(1), wide_all(0));
}

WIDE_INLINE void scatter4(double *base, const Rows *rows, int part, const Wide in[4]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + rows->at[l] + 4 * part;
    }
    wide_scatter(row, 1, in);
}

/* What the quads of a link add up to, and its new state. */
typedef struct Finish {
    Wide p_l[3], p_r[3]; /* where its ends come to be */
    Wide line_off, curve_off;
    Wide next[AFXI_AFFINE_WIDTH], rate[AFXI_AFFINE_WIDTH];
    Wide force[9], w[3]; /* what moves A, and the rotation away from its frame */
    Wide curve;          /* 1 where the next step is predicted along a parabola */
    Wide gamma;          /* the bound on its stiffness with the new multipliers */
} Finish;

/* What the way there has kept of four numbers. */
WIDE_INLINE void kept_quad(const Link *link, const int part, Quad *quad) {
    for (int e = 0; e < 4; e++) {
        const int at = 4 * part + e;
        if (at < 9) {
            quad->q[e] = link->q[at];
            quad->v[e] = link->v[at];
            quad->x3[e] = link->x3[at];
            quad->qv[e] = link->qv[at];
        } else {
            quad->target[e] = link->target[at - 9];
            quad->drift[e] = link->drift[at - 9];
        }
    }
}

/* Four numbers of A, t and of their velocities. The old q and v are kept on the way, for all methods but
 * generalised-alpha, which makes x2, x3 where the result is accepted; where the back substitution turns, on the way
 * there. */
WIDE_INLINE void finish_quad(const Sweep *sweep, const Rows *rows, const int part, const Kind kind, const Link *link,
                             const Wide beta[9], const Wide moved[3], Finish *out) {
    const AfxiChainStage *stage = sweep->stage;
    const Weights *weights = &sweep->weights;
    const Wide *constants = sweep->constants, *r = link->r, *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
    Quad quad;
    Wide *next = out->next + 4 * part, *rate = out->rate + 4 * part;
    if (kind.turns) {
        kept_quad(link, part, &quad);
    } else {
        load_quad(sweep, rows, part, true, &quad);
    }
    for (int e = 0; e < 4; e++) {
        const int at = 4 * part + e, c = at / 3, i = at % 3;
        if (at < 9) {
            const Wide *b = beta + 3 * c;
            Wide value = wide_fma(r[i], b[0], r[at]);
            next[e] = wide_fma(r[6 + i], b[2], wide_fma(r[3 + i], b[1], value));
            rate[e] = (next[e] - quad.qv[e]) * weights->per_h;
            Wide line = next[e] - wide_fma(weights->line, quad.v[e], quad.q[e]);
            Wide curve = wide_nma(weights->more, quad.x3[e], wide_nma(weights->bend, quad.v[e], line));
            out->line_off = wide_fma(line, line, out->line_off);
            out->curve_off = wide_fma(curve, curve, out->curve_off);
            if (!kind.axial || c == 0) {
                out->p_l[i] = wide_fma(next[e], x[c], out->p_l[i]);
                out->p_r[i] = wide_fma(next[e], y[c], out->p_r[i]);
            }
        } else {
            next[e] = quad.target[e] + moved[i];
            rate[e] = wide_fma(moved[i], weights->per_h, constants[AFXI_CHAIN_WEIGHT_T] * quad.drift[e]);
            out->p_l[i] = out->p_l[i] + next[e];
            out->p_r[i] = out->p_r[i] + next[e];
        }
    }
    scatter4(stage->next, rows, part, next);
    if (kind.turns || stage->rate) {
        scatter4(stage->rate, rows, part, rate);
    }
}

/* The result of a stage. */
WIDE_INLINE void finish_stage(Sweep *sweep, uint32_t k, const Rows *rows, const Kind kind, const Link *link,
                              const Wide beta[9], const Wide moved[3], Finish *out) {
    const Wide zero = wide_all(0);
    for (int i = 0; i < 3; i++) {
        out->p_l[i] = out->p_r[i] = zero;
    }
    out->line_off = out->curve_off = zero;
    finish_quad(sweep, rows, 0, kind, link, beta, moved, out);
    finish_quad(sweep, rows, 1, kind, link, beta, moved, out);
    finish_quad(sweep, rows, 2, kind, link, beta, moved, out);
    out->curve = choose_predictor(sweep, k, kind, out->line_off, out->curve_off);
}

/* q and v of one lane's link that is moved by beta and t to close the joints. */
static void close_lane(const AfxiChainStage *stage, size_t at, const AfxiMat3 *r, const AfxiMat3 *beta, AfxVec3 t) {
    AfxiMat3 turn = afxi_mat3_rotation(mat3_axial(beta)), turned = mat3_multiply(r, &turn);
    double *next = stage->next + at, *v = stage->rate + at;
    t = vec3_add(t, vec3_load(next + 9));
    for (int c = 0; c < 3; c++) { /* the rates turn with the body */
        vec3_store(v + 3 * c, mat3_apply(&turned, mat3_apply_transposed(r, vec3_load(v + 3 * c))));
    }
    memcpy(next, turned.m, sizeof turned.m);
    vec3_store(next + 9, t);
}

/* Results of the other tasks. */
WIDE_RARE void finish_other(const Sweep *sweep, const Rows *rows, const Link *link, const Wide beta[9],
                            const Wide push[3]) {
    const AfxiChainStage *stage = sweep->stage;
    Wide next[AFXI_AFFINE_WIDTH];
    for (int e = 0; e < 3; e++) {
        wide_apply(link->r, beta + 3 * e, next + 3 * e);
        next[9 + e] = wide_nma(sweep->constants[AFXI_CHAIN_TRANSLATION], push[e], link->moved[e]);
    }
    if (stage->task != AFXI_CHAIN_CLOSE) {
        double *row[AFXI_LANES];
        for (int l = 0; l < AFXI_LANES; l++) {
            row[l] = stage->next + rows->at[l];
        }
        wide_scatter(row, 3, next);
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        AfxiMat3 r, b;
        if (l > 0 && rows->at[l] == rows->at[l - 1]) { /* a spare lane: once is enough */
            continue;
        }
        for (int e = 0; e < 9; e++) {
            r.m[e] = wide_lane(link->r[e], l);
            b.m[e] = wide_lane(beta[e], l);
        }
        close_lane(stage, rows->at[l], &r, &b,
                   vec3(wide_lane(next[9], l), wide_lane(next[10], l), wide_lane(next[11], l)));
    }
}

/* The multiplier of slot k. `after`, unless NULL, is that of slot k + 1, which has been stored: four numbers are stored
 * faster than three. */
WIDE_INLINE void store_multiplier(const Sweep *sweep, uint32_t k, const Kind kind, const Wide lambda[3],
                                  const Wide *after) {
    double *row[AFXI_LANES];
    if (!kind.step && sweep->stage->task != AFXI_CHAIN_START) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = sweep->stage->lambda + (size_t)3 * (sweep->slot[l] + k);
    }
    if (after) {
        const Wide four[4] = {lambda[0], lambda[1], lambda[2], after[0]};
        wide_scatter(row, 1, four);
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        for (int c = 0; c < 3; c++) {
            row[l][c] = wide_lane(lambda[c], l);
        }
    }
}

/* What the bound gamma spoils of a first solve: |w| + |(I + K)^-1 (gamma - K) w| with the exact stiffness K of the new
 * multipliers and I the inertia over h². It is an estimate where `coarse`, |w| (1 + gamma / I), is a bound: three times
 * of it count, and `coarse` where that is smaller or I + K is too near to singular. */
WIDE_RARE Wide first_error_of(const Wide *c, const Wide sigma[9], const Wide w[3], Wide turn, Wide gamma, Wide coarse) {
    Wide trace = sigma[0] + (sigma[4] + sigma[8]), half = wide_all(0.5), least = wide_all(AFXI_BUCKLING_PIVOT);
    Wide k[6] = {sigma[0] - trace,
                 sigma[4] - trace,
                 sigma[8] - trace,
                 half * (sigma[1] + sigma[3]),
                 half * (sigma[2] + sigma[6]),
                 half * (sigma[5] + sigma[7])};
    Wide rest[3], x = c[1] + c[2], y = c[0] + c[2], z = c[0] + c[1];
    rest[0] = wide_nma(k[4], w[2], wide_nma(k[3], w[1], (gamma - k[0]) * w[0]));
    rest[1] = wide_nma(k[5], w[2], wide_nma(k[3], w[0], (gamma - k[1]) * w[1]));
    rest[2] = wide_nma(k[5], w[1], wide_nma(k[4], w[0], (gamma - k[2]) * w[2]));
    k[0] = k[0] + x;
    k[1] = k[1] + y;
    k[2] = k[2] + z;
    Factor factor = factor3(k);
    solve3(&factor, rest);
    WideMask fine = wide_less(factor.i0 * (least * x), wide_all(1)) & wide_less(wide_all(0), factor.i0) &
                    wide_less(factor.i1 * (least * y), wide_all(1)) & wide_less(wide_all(0), factor.i1) &
                    wide_less(factor.i2 * (least * z), wide_all(1)) & wide_less(wide_all(0), factor.i2);
    Wide more = wide_sqrt(wide_fma(rest[2], rest[2], wide_fma(rest[1], rest[1], rest[0] * rest[0])));
    Wide safe = wide_all(3) * (turn + more);
    return wide_select(fine & wide_less(safe, coarse), safe, coarse);
}

WIDE_INLINE Wide first_error(const Sweep *sweep, const Wide sigma[9], const Wide w[3], Wide turn, Wide gamma,
                             Wide coarse) {
    Wide c[3], load[9], own[3];
    wide_copy(sweep->constants + AFXI_CHAIN_C, 3, c);
    wide_copy(sigma, 9, load);
    wide_copy(w, 3, own);
    return first_error_of(c, load, own, turn, gamma, coarse);
}

/* Moves link k by the multipliers of its two slots. */
WIDE_INLINE void move_link(Sweep *sweep, uint32_t k, const Rows *rows, const Kind kind, const Link *link,
                           const Wide left[3], const Wide right[3], Finish *out) {
    Wide beta[9], push[3], moved[3];
    end_loads(sweep, link->r, left, right, kind.axial, out->force);
    for (int c = 0; c < 3; c++) {
        push[c] = right[c] - left[c];
    }
    if (kind.axial) {
        apply_inverse_axial(sweep, link, kind.exact, out->force, beta);
    } else {
        apply_inverse(sweep, link, kind.exact, out->force, beta);
    }
    for (int e = 0; e < 9; e++) {
        beta[e] = link->beta[e] - beta[e];
    }
    if (!kind.step) {
        finish_other(sweep, rows, link, beta, push);
        return;
    }
    for (int c = 0; c < 3; c++) {
        Wide fall = kind.turns ? fall_of(sweep, c) : link->moved[c];
        moved[c] = wide_nma(sweep->constants[AFXI_CHAIN_TRANSLATION], push[c], fall);
    }
    if (touching(sweep, k, kind)) {
        woodbury_motion(sweep, k, out->force, push, beta, moved);
    }
    Wide half = wide_all(0.5);
    out->w[0] = half * (beta[5] - beta[7]);
    out->w[1] = half * (beta[6] - beta[2]);
    out->w[2] = half * (beta[1] - beta[3]);
    out->gamma = stiffness_bound(sweep, left, right);
    finish_stage(sweep, k, rows, kind, link, beta, moved, out);
}

/* What solve/judge.c judges a link by. */
WIDE_INLINE void tally_link(const Sweep *sweep, const Kind kind, const Link *link, const Finish *finish, Tally *tally) {
    const Wide *w = finish->w, zero = wide_all(0), inertia = sweep->constants[AFXI_CHAIN_INERTIA];
    Wide turn = wide_sqrt(wide_fma(w[2], w[2], wide_fma(w[1], w[1], w[0] * w[0])));
    Wide error = wide_fma(turn, link->gamma / inertia, turn);
    if (!kind.exact) {
        WideMask coarse = wide_less(wide_all(sweep->enough), error);
        if (wide_any(coarse)) {
            error = wide_select(coarse, first_error(sweep, finish->force, w, turn, link->gamma, error), error);
        }
    }
    tally->finite = wide_fma(zero, finish->line_off, tally->finite); /* all of A, and below t */
    for (int i = 0; i < 3; i++) {
        tally->finite = wide_fma(wide_all(AFXI_FINITE_REACH), finish->p_l[i], tally->finite);
    }
    tally->turn = wide_larger(tally->turn, turn);
    tally->error = wide_larger(tally->error, error);
    tally->jump |= wide_less(wide_all(2) * (link->gamma + inertia), finish->gamma);
}

/* The frame of a link, which has just been moved, in the next step. */
WIDE_INLINE void frame_after(Sweep *sweep, const Rows *rows, const Link *before, const Finish *finish, Link *out) {
    const Weights *w = &sweep->weights;
    Wide x[9], of_v = wide_fma(finish->curve, w->bend, w->line), of_x3 = finish->curve * w->more;
    for (int e = 0; e < 9; e++) {
        x[e] = wide_fma(of_x3, before->v[e], wide_fma(of_v, finish->rate[e], finish->next[e]));
    }
    frame_of(sweep, rows, x, out->r);
}

/* A link with that frame before its joints act in the next step: what prepare would make of it then. */
WIDE_INLINE void prepare_after(const Sweep *sweep, const Rows *rows, const Kind kind, const Link *before,
                               const Finish *finish, Link *link, Blocks *blocks, Wide p_l[3], Wide p_r[3]) {
    Wide target[AFXI_AFFINE_WIDTH], t[3];
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        target[e] = target_of(&sweep->weights, finish->next[e], finish->rate[e], before->q[e], before->v[e]);
    }
    move_freely(sweep, rows, kind, finish->gamma, target, link, t);
    place_link(sweep, kind, link, t, blocks, p_l, p_r);
}

/* Largest distance, row by row, between two ends that a slot joins. */
WIDE_INLINE void tally_gap(Wide on, const Wide a[3], const Wide b[3], Tally *tally) {
    for (int c = 0; c < 3; c++) {
        tally->residual = wide_larger(tally->residual, on * wide_magnitude(a[c] - b[c]));
    }
}

#endif
