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

#include "body/stage_wide.h"
#include "dual/chain.h"
#include "dual/inverse_wide.h"
#include "math/rotation_wide.h"

/* Pivots of I + sqrt(Theta) K sqrt(Theta) below this are too near to buckling: the bound is the safe choice. */
#define LEAST_PIVOT 0.1

/* Pairs (0,1), (0,2), (1,2): their two indices; the rest is in inverse_wide.h. */
static const int pair_i[3] = {0, 0, 1}, pair_k[3] = {1, 2, 2};

/* What the way there leaves for the way back. */
typedef struct Link {
    Wide r[9];     /* frame */
    Wide pair[9];  /* P_ik, P_ki, O of each pair */
    Wide twist[6]; /* M of the exact stiffness: xx, yy, zz, xy, xz, yz */
    Wide beta[9];  /* R^T A - I without joints */
    Wide moved[3]; /* t less its target without joints */
    Wide gamma;
    Wide w[9], y[3]; /* lambda = y - W lambda_right */
} Link;

typedef struct Sweep {
    const AfxiChainStage *stage;
    AfxiChainPiece *piece[AFXI_LANES];
    uint32_t link[AFXI_LANES], slot[AFXI_LANES];
    uint32_t count;
    const double *class_row[AFXI_LANES], *shape_row[AFXI_LANES]; /* what is loaded */
    Wide constants[AFXI_CHAIN_SIZE];
    Wide shape[12];
    bool rescued;
} Sweep;

enum { LEFT = 0, LEFT_LENGTH = 3, RIGHT = 4, RIGHT_LENGTH = 7, RATIO = 8 };

/* One link of every lane. */
typedef struct Rows {
    size_t at[AFXI_LANES]; /* of q */
    uint32_t body[AFXI_LANES];
} Rows;

/* Rows that are all the same, as equal links' are, are read once. */
WIDE_INLINE void load_table(const double *const row[AFXI_LANES], const double *loaded[AFXI_LANES], int quads,
                            Wide *out) {
    bool same = true, equal = true;
    for (int l = 0; l < AFXI_LANES; l++) {
        same &= row[l] == loaded[l];
        equal &= row[l] == row[0];
    }
    if (same) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        loaded[l] = row[l];
    }
    if (equal) {
        for (int k = 0; k < 4 * quads; k++) {
            out[k] = wide_all(row[0][k]);
        }
    } else {
        wide_gather(row, quads, out);
    }
}

WIDE_INLINE Rows visit(Sweep *sweep, uint32_t k) {
    const AfxiChainStage *stage = sweep->stage;
    const double *class_row[AFXI_LANES], *shape_row[AFXI_LANES];
    Rows rows;
    for (int l = 0; l < AFXI_LANES; l++) {
        const AfxiChainLink *link = &stage->chains->link[sweep->link[l] + k];
        rows.body[l] = link->body;
        rows.at[l] = (size_t)12 * link->body;
        class_row[l] = stage->constants + (size_t)AFXI_CHAIN_SIZE * stage->class_of[link->body];
        shape_row[l] = (const double *)&stage->chains->shape[link->shape];
    }
    load_table(class_row, sweep->class_row, AFXI_CHAIN_SIZE / 4, sweep->constants);
    load_table(shape_row, sweep->shape_row, 3, sweep->shape);
    return rows;
}

/* Asks for the rows of the link so many places ahead: the lanes are too many streams for the machine to foresee. */
#define AHEAD 4u

WIDE_INLINE void prefetch(const Sweep *sweep, uint32_t k, const bool write) {
    const AfxiChainStage *stage = sweep->stage;
    for (int l = 0; k + AHEAD < sweep->count && l < AFXI_LANES; l++) {
        size_t at = (size_t)12 * stage->chains->link[sweep->link[l] + k + AHEAD].body;
        for (size_t line = 0; line <= 8; line += 8) {
            __builtin_prefetch(stage->q + at + line);
            __builtin_prefetch(stage->v + at + line);
            __builtin_prefetch(stage->x2 + at + line);
            __builtin_prefetch(stage->x3 + at + line);
            if (write && stage->old_q) {
                __builtin_prefetch(stage->old_q + at + line, 1);
                __builtin_prefetch(stage->old_v + at + line, 1);
            } else if (stage->iterate) {
                __builtin_prefetch(stage->iterate + at + line);
            }
        }
    }
}

WIDE_INLINE void gather12(const double *base, const Rows *rows, Wide out[12]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + rows->at[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void scatter12(double *base, const Rows *rows, const Wide in[12]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + rows->at[l];
    }
    wide_scatter(row, 3, in);
}

/* Three numbers from a member of each lane's piece. */
#define PIECE3(sweep, member, out)                           \
    for (int c_ = 0; c_ < 3; c_++) {                         \
        WideView view_;                                      \
        for (int l_ = 0; l_ < AFXI_LANES; l_++) {            \
            view_.lane[l_] = (sweep)->piece[l_]->member[c_]; \
        }                                                    \
        (out)[c_] = view_.wide;                              \
    }
#define PIECE_STORE(sweep, member, count, in)                         \
    for (int l_ = 0; l_ < AFXI_LANES; l_++) {                         \
        for (int c_ = 0; c_ < (count); c_++) {                        \
            (sweep)->piece[l_]->member[c_] = wide_lane((in)[c_], l_); \
        }                                                             \
    }

/* a x, a^T x */
WIDE_INLINE void apply(const Wide a[9], const Wide x[3], Wide out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = wide_fma(a[6 + i], x[2], wide_fma(a[3 + i], x[1], a[i] * x[0]));
    }
}
WIDE_INLINE void apply_transposed(const Wide a[9], const Wide x[3], Wide out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = wide_fma(a[3 * i + 2], x[2], wide_fma(a[3 * i + 1], x[1], a[3 * i] * x[0]));
    }
}
WIDE_INLINE Wide magnitude(Wide a) {
    return wide_select(wide_less(a, wide_all(0)), -a, a);
}
WIDE_INLINE Wide larger(Wide a, Wide b) { /* NaN wins */
    return wide_select(wide_less(a, b) | ~wide_equal(b, b), b, a);
}

/* ---- one link without its joints ---- */

/* 1 where a lane's link is predicted along a parabola; false when none is. */
WIDE_INLINE bool curved_lanes(const Sweep *sweep, uint32_t k, Wide *out) {
    WideView view;
    uint32_t any = 0;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint8_t curved = sweep->stage->curved[sweep->link[l] + k];
        view.lane[l] = curved;
        any |= curved;
    }
    *out = view.wide;
    return any != 0;
}

WIDE_INLINE void frame_of(Sweep *sweep, const Wide x[9], const Wide guess[9], Wide out[9]) {
    WideMask bad = wide_mask_none();
    Wide cof[9], det, half = wide_inverse_factor(x, wide_all(0.5), cof, &det, &bad);
    for (int k = 0; k < 9; k++) {
        out[k] = wide_fma(cof[k], half, wide_all(0.5) * x[k]);
    }
    bad |= wide_settle_rotation(out, ~bad, WIDE_NEWTON_MOST);
    if (wide_any(bad)) {
        sweep->rescued = true;
        wide_rescue(x, guess, bad, out);
    }
}

/* Multipliers of the two slots of link k, as they were before this solve. */
WIDE_INLINE void old_multipliers(const Sweep *sweep, uint32_t k, Wide left[4], Wide right[4]) {
    const double *row_left[AFXI_LANES], *row_right[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row_left[l] = sweep->stage->lambda + (size_t)3 * (sweep->slot[l] + k);
        row_right[l] = k + 1 < sweep->count ? row_left[l] + 3 : sweep->piece[l]->old_right;
    }
    wide_gather(row_left, 1, left);
    wide_gather(row_right, 1, right);
}

WIDE_INLINE Wide stiffness_bound(const Sweep *sweep, const Wide left[3], const Wide right[3]) {
    Wide sum_left = magnitude(left[0]) + (magnitude(left[1]) + magnitude(left[2]));
    Wide sum_right = magnitude(right[0]) + (magnitude(right[1]) + magnitude(right[2]));
    return wide_fma(sum_left, sweep->shape[LEFT_LENGTH], sum_right * sweep->shape[RIGHT_LENGTH]);
}

/* M = K (I + Theta K)^-1 with K = Sigma - tr Sigma I, Sigma = sym(f_r x_r^T - f_l x_l^T); lanes where that is too near
 * to singular come back. */
WIDE_INLINE WideMask exact_twist(const Sweep *sweep, const Wide r[9], const Wide left[3], const Wide right[3],
                                 Wide out[6]) {
    const Wide *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
    Wide f[3], g[3], sigma[9], k[6], theta[3], n[9], cof[9];
    apply_transposed(r, left, f);
    apply_transposed(r, right, g);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            sigma[3 * c + i] = wide_nma(f[i], x[c], g[i] * y[c]);
        }
        theta[wide_pair_axis[c]] = sweep->constants[AFXI_CHAIN_THETA + c];
    }
    Wide trace = sigma[0] + (sigma[4] + sigma[8]), half = wide_all(0.5);
    k[0] = sigma[0] - trace;
    k[1] = sigma[4] - trace;
    k[2] = sigma[8] - trace;
    k[3] = half * (sigma[1] + sigma[3]);
    k[4] = half * (sigma[2] + sigma[6]);
    k[5] = half * (sigma[5] + sigma[7]);
    const Wide full[9] = {k[0], k[3], k[4], k[3], k[1], k[5], k[4], k[5], k[2]};
    for (int e = 0; e < 9; e++) {
        n[e] = theta[e % 3] * full[e];
    }
    for (int e = 0; e < 3; e++) {
        n[4 * e] = n[4 * e] + wide_all(1);
    }
    Wide xx = n[0], least = wide_all(LEAST_PIVOT);
    Wide yy = wide_nma(n[1], n[3] / xx, n[4]), yz = wide_nma(n[2], n[3] / xx, n[5]);
    Wide zy = wide_nma(n[1], n[6] / xx, n[7]), zz = wide_nma(n[2], n[6] / xx, n[8]);
    zz = wide_nma(yz, zy / yy, zz);
    WideMask fine = wide_less(least, xx) & wide_less(least, yy) & wide_less(least, zz);
    wide_cofactor(n, cof); /* columns of n^-T, times det */
    Wide det = wide_fma(n[0], cof[0], wide_fma(n[1], cof[1], n[2] * cof[2]));
    Wide per = wide_select(fine, wide_all(1) / det, wide_all(0)), m[9];
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) { /* (K n^-1)_ic = sum_j K_ij (n^-1)_jc, (n^-1)_jc = cof_cj / det */
            Wide sum = full[i] * cof[c];
            sum = wide_fma(full[3 + i], cof[3 + c], sum);
            m[3 * c + i] = wide_fma(full[6 + i], cof[6 + c], sum) * per;
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

WIDE_INLINE void pair_blocks(const Sweep *sweep, Wide gamma, Wide pair[9]) {
    const Wide *constants = sweep->constants, one = wide_all(1);
    Wide e = constants[AFXI_CHAIN_COMPLIANCE], quarter = wide_all(0.25) * gamma, soft = wide_fma(e, quarter, one);
    for (int p = 0; p < 3; p++) {
        Wide det = wide_fma(gamma, constants[AFXI_CHAIN_DET_GAMMA + p], constants[AFXI_CHAIN_DET + p]);
        Wide per = one / det;
        pair[3 * p] = wide_fma(e, constants[AFXI_CHAIN_C + pair_i[p]], soft) * per;
        pair[3 * p + 1] = wide_fma(e, constants[AFXI_CHAIN_C + pair_k[p]], soft) * per;
        pair[3 * p + 2] = wide_nma(wide_all(2), one, soft) * per; /* -(1 - e gamma/4) */
    }
}

/* out = X g on the nine numbers of A. */
WIDE_INLINE void apply_inverse(const Sweep *sweep, const Link *link, const bool exact, const Wide g[9], Wide out[9]) {
    wide_inverse_apply(sweep->constants + AFXI_CHAIN_DIAGONAL, link->pair, link->twist, exact, g, out);
}

/* Forces on A in the body's axes and on t, lane by lane: few bodies have any. */
WIDE_RARE void add_forces(const AfxiChainStage *stage, const Rows *rows, const Link *link, Wide rhs[9], Wide push[3]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t slot = stage->force_slot[rows->body[l]];
        if (slot == UINT32_MAX) {
            continue;
        }
        AfxiMat3 r;
        for (int k = 0; k < 9; k++) {
            r.m[k] = wide_lane(link->r[k], l);
        }
        AfxVec3 force;
        AfxiMat3 on_a = afxi_free_forces(&stage->forces[slot], &r, &force);
        for (int k = 0; k < 9; k++) {
            rhs[k] = wide_with_lane(rhs[k], l, wide_lane(rhs[k], l) + on_a.m[k]);
        }
        double numbers[3];
        vec3_store(numbers, force);
        for (int k = 0; k < 3; k++) {
            push[k] = wide_with_lane(push[k], l, numbers[k]);
        }
    }
}

/* The stage's combinations of q, v, x2, x3 for one link per lane. */
typedef struct Past {
    Wide q[12], v[12], x2[12], x3[12];
    Wide drift[12], qv[12], target[12], qhat[12];
} Past;

WIDE_INLINE void load_past(const Sweep *sweep, const Rows *rows, Past *past) {
    const AfxiChainStage *stage = sweep->stage;
    const bool history = stage->mode != AFXI_FREE_ONE_STEP;
    gather12(stage->q, rows, past->q);
    gather12(stage->v, rows, past->v);
    if (history) {
        gather12(stage->x2, rows, past->x2);
        gather12(stage->x3, rows, past->x3);
    } else {
        for (int k = 0; k < 12; k++) {
            past->x2[k] = past->x3[k] = wide_all(0);
        }
    }
    wide_stage_combine(&stage->weights, history, past->q, past->v, past->x2, past->x3, past->drift, past->qv,
                       past->qhat);
    for (int k = 0; k < 12; k++) {
        past->target[k] = past->qhat[k];
    }
    if (stage->damped) {
        for (int k = 0; k < 12; k++) {
            Wide weight = sweep->constants[k < 9 ? AFXI_CHAIN_WEIGHT_A : AFXI_CHAIN_WEIGHT_T];
            past->target[k] = wide_fma(weight, past->qhat[k], (wide_all(1) - weight) * past->qv[k]);
        }
    }
}

/* Where A is expected along the tangent or, where `curve` is 1, the parabola. */
WIDE_INLINE Wide parabola(const AfxiChainStage *stage, const Past *past, int k) {
    if (stage->mode == AFXI_FREE_ALPHA) {
        return wide_all(stage->parabola[1]) * past->x3[k];
    }
    return wide_all(stage->parabola[0]) * (past->v[k] - past->x3[k]);
}

/* Frame, inverse and free motion of link k; p_l, p_r are where its ends would be without joints. */
WIDE_INLINE void prepare_stage(Sweep *sweep, const Rows *rows, uint32_t k, const bool exact, Link *link, Past *past,
                               Wide t[3]) {
    const AfxiChainStage *stage = sweep->stage;
    const Wide *constants = sweep->constants;
    Wide x[12], left[4], right[4], rhs[9], curve, push[3];
    load_past(sweep, rows, past);
    if (stage->first) {
        for (int e = 0; e < 9; e++) {
            x[e] = wide_fma(wide_all(stage->predict), past->v[e], past->q[e]);
        }
        if (curved_lanes(sweep, k, &curve)) {
            for (int e = 0; e < 9; e++) {
                x[e] = wide_fma(curve, parabola(stage, past, e), x[e]);
            }
        }
    } else {
        gather12(stage->iterate, rows, x);
    }
    frame_of(sweep, x, past->q, link->r);
    old_multipliers(sweep, k, left, right);
    link->gamma = stiffness_bound(sweep, left, right);
    Wide gamma = link->gamma;
    if (exact) {
        WideMask bound = exact_twist(sweep, link->r, left, right, link->twist);
        gamma = wide_select(bound, gamma, wide_all(0));
    }
    pair_blocks(sweep, gamma, link->pair);
    wide_multiply_tn(link->r, past->target, rhs);
    for (int c = 0; c < 3; c++) {
        rhs[4 * c] = rhs[4 * c] - wide_all(1);
        push[c] = wide_all(0);
        for (int i = 0; i < 3; i++) {
            rhs[3 * c + i] = rhs[3 * c + i] * constants[AFXI_CHAIN_C + c];
        }
    }
    if (stage->forces) {
        add_forces(stage, rows, link, rhs, push);
    }
    apply_inverse(sweep, link, exact, rhs, link->beta);
    for (int c = 0; c < 3; c++) {
        link->moved[c] = constants[AFXI_CHAIN_GRAVITY] * wide_all(stage->gravity[c]);
        if (stage->forces) {
            link->moved[c] = wide_fma(constants[AFXI_CHAIN_TRANSLATION], push[c], link->moved[c]);
        }
        t[c] = past->target[9 + c] + link->moved[c];
    }
}

/* The other tasks: rigid inverse of unit step in `constants`; what beta and t are depends on the task. */
WIDE_RARE void prepare_other(Sweep *sweep, const Rows *rows, Link *link, Past *past, Wide t[3]) {
    const AfxiChainStage *stage = sweep->stage;
    gather12(stage->q, rows, past->q);
    gather12(stage->v, rows, past->v);
    frame_of(sweep, past->q, past->q, link->r);
    link->gamma = wide_all(0);
    pair_blocks(sweep, link->gamma, link->pair);
    for (int l = 0; l < AFXI_LANES; l++) {
        AfxiMat3 r, local = {{0}};
        double moved[3] = {0, 0, 0}, world[12];
        const double *q = stage->q + rows->at[l], *v = stage->v + rows->at[l];
        for (int e = 0; e < 9; e++) {
            r.m[e] = wide_lane(link->r[e], l);
        }
        if (stage->task == AFXI_CHAIN_START) {
            uint32_t slot = stage->forces ? stage->force_slot[rows->body[l]] : UINT32_MAX;
            afxi_free_acceleration(&stage->classes[stage->class_of[rows->body[l]]], q, v, stage->gravity,
                                   slot == UINT32_MAX ? NULL : &stage->forces[slot], world);
            AfxiMat3 acceleration = mat3_load(world);
            local = mat3_multiply_tn(&r, &acceleration);
            vec3_store(moved, vec3_load(world + 9));
        } else if (stage->task == AFXI_CHAIN_PROJECT) {
            AfxiMat3 rate = mat3_load(v), turned = mat3_multiply_tn(&r, &rate);
            local = mat3_skew(mat3_axial(&turned)); /* a rate of strain would pass the rows and part the joints later */
            vec3_store(moved, vec3_load(v + 9));
        }
        for (int e = 0; e < 9; e++) {
            link->beta[e] = wide_with_lane(link->beta[e], l, local.m[e]);
        }
        for (int e = 0; e < 3; e++) {
            link->moved[e] = wide_with_lane(link->moved[e], l, moved[e]);
        }
    }
    for (int e = 0; e < 3; e++) {
        t[e] = link->moved[e];
        if (stage->task == AFXI_CHAIN_CLOSE) {
            t[e] = past->q[9 + e];
        }
    }
}

/* R (beta x [+ x]) + t */
WIDE_INLINE void end_point(const AfxiChainStage *stage, const Link *link, const Wide x[3], const Wide t[3],
                           Wide out[3]) {
    Wide local[3];
    apply(link->beta, x, local);
    if (stage->task == AFXI_CHAIN_STAGE || stage->task == AFXI_CHAIN_CLOSE) {
        for (int c = 0; c < 3; c++) {
            local[c] = local[c] + x[c];
        }
    }
    for (int i = 0; i < 3; i++) {
        const Wide *r = link->r;
        out[i] = wide_fma(r[6 + i], local[2], wide_fma(r[3 + i], local[1], wide_fma(r[i], local[0], t[i])));
    }
}

/* ---- blocks ---- */

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
        apply(r, q + 3 * c, a + 3 * c);
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        int i = row[e], k = column[e];
        out[e] = wide_fma(a[6 + i], r[6 + k], wide_fma(a[3 + i], r[3 + k], a[i] * r[k]));
    }
}

/* The blocks of a link in the world: left-left, right-right, and E = -B(left, right), column-major. */
typedef struct Blocks {
    Wide left[6], right[6], e[9];
} Blocks;

static const int symmetric_at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

WIDE_INLINE void make_blocks(const Sweep *sweep, const Link *link, const bool exact, Blocks *out) {
    const Wide *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
    Wide q[9], translation = sweep->constants[AFXI_CHAIN_TRANSLATION];
    body_block(sweep, link, exact, x, x, q);
    turn_symmetric(link->r, q, out->left);
    if (sweep->stage->collinear) {
        Wide ratio = sweep->shape[RATIO];
        for (int e = 0; e < 6; e++) {
            Wide scaled = ratio * out->left[e];
            out->right[e] = ratio * scaled;
            out->e[e] = -scaled; /* the six at first */
        }
        Wide six[6];
        for (int e = 0; e < 6; e++) {
            six[e] = out->e[e];
        }
        for (int e = 0; e < 9; e++) {
            out->e[e] = six[symmetric_at[e]];
        }
    } else {
        Wide a[9];
        body_block(sweep, link, exact, y, y, q);
        turn_symmetric(link->r, q, out->right);
        body_block(sweep, link, exact, x, y, q);
        for (int c = 0; c < 3; c++) {
            apply(link->r, q + 3 * c, a + 3 * c);
        }
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++) {
                const Wide *r = link->r;
                Wide sum = wide_fma(a[6 + i], r[6 + k], wide_fma(a[3 + i], r[3 + k], a[i] * r[k]));
                out->e[3 * k + i] = -sum;
            }
        }
    }
    for (int e = 0; e < 3; e++) {
        out->left[e] = out->left[e] + translation;
        out->right[e] = out->right[e] + translation;
        out->e[4 * e] = out->e[4 * e] - translation;
    }
}

/* ---- contacts ---- */

/* Y times the gradients of the point x of a body with frame r. */
static void touch_point(const AfxiTouches *touches, uint32_t touch, const AfxiMat3 *r, const double x[3],
                        double image[3][AFXI_TOUCH_ROWS_MOST]) {
    for (int c = 0; c < 3; c++) {
        double g[12];
        for (int e = 0; e < 9; e++) {
            g[e] = r->m[3 * (e % 3) + c] * x[e / 3];
        }
        for (int e = 0; e < 3; e++) {
            g[9 + e] = e == c;
        }
        afxi_touch_image(touches, touch, g, image[c]);
    }
}

static double touch_product(const double *a, const double *b, uint32_t count) {
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* The contacts of one lane's link: its free motion, where its ends then are, and its blocks. */
static void touch_lane(Sweep *sweep, uint32_t touch, int l, const bool exact, Link *link, const Wide t[3],
                       Blocks *blocks, Wide p_l[3], Wide p_r[3]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const AfxiTouches *touches = sweep->stage->touches;
    AfxiBodyInverse inverse = {.has_twist = exact};
    AfxiMat3 r;
    double delta[12], origin[3], x[3], y[3], moved[12];
    double left[3][AFXI_TOUCH_ROWS_MOST], right[3][AFXI_TOUCH_ROWS_MOST];
    for (int e = 0; e < 9; e++) {
        r.m[e] = wide_lane(link->r[e], l);
        inverse.blocks.pair[e / 3][e % 3] = wide_lane(link->pair[e], l);
        delta[e] = wide_lane(link->beta[e], l);
    }
    for (int e = 0; e < 6; e++) {
        inverse.blocks.diagonal[e] = wide_lane(sweep->constants[AFXI_CHAIN_DIAGONAL + e], l);
        inverse.twist[e] = exact ? wide_lane(link->twist[e], l) : 0;
    }
    inverse.blocks.translation = wide_lane(sweep->constants[AFXI_CHAIN_TRANSLATION], l);
    for (int e = 0; e < 3; e++) {
        delta[9 + e] = 0;
        origin[e] = wide_lane(t[e], l);
        x[e] = wide_lane(sweep->shape[LEFT + e], l);
        y[e] = wide_lane(sweep->shape[RIGHT + e], l);
    }
    for (int e = 0; e < 12; e++) {
        moved[e] = -delta[e];
    }
    afxi_touch_load(touches, touch, &r, vec3_load(origin), &inverse, delta);
    for (int e = 0; e < 12; e++) {
        moved[e] += delta[e];
    }
    uint32_t count = touches->body[touch].image_count;
    touch_point(touches, touch, &r, x, left);
    touch_point(touches, touch, &r, y, right);
    for (int e = 0; e < 9; e++) {
        link->beta[e] = wide_with_lane(link->beta[e], l, delta[e]);
        double product = touch_product(left[e % 3], right[e / 3], count);
        blocks->e[e] = wide_with_lane(blocks->e[e], l, wide_lane(blocks->e[e], l) + product);
    }
    for (int e = 0; e < 6; e++) {
        double ll = touch_product(left[row[e]], left[column[e]], count);
        double rr = touch_product(right[row[e]], right[column[e]], count);
        blocks->left[e] = wide_with_lane(blocks->left[e], l, wide_lane(blocks->left[e], l) - ll);
        blocks->right[e] = wide_with_lane(blocks->right[e], l, wide_lane(blocks->right[e], l) - rr);
    }
    for (int c = 0; c < 3; c++) {
        double on_left = moved[9 + c], on_right = moved[9 + c];
        for (int e = 0; e < 9; e++) { /* R beta x */
            double turned = r.m[3 * (e % 3) + c] * moved[e];
            on_left += turned * x[e / 3];
            on_right += turned * y[e / 3];
        }
        p_l[c] = wide_with_lane(p_l[c], l, wide_lane(p_l[c], l) + on_left);
        p_r[c] = wide_with_lane(p_r[c], l, wide_lane(p_r[c], l) + on_right);
        link->moved[c] = wide_with_lane(link->moved[c], l, wide_lane(link->moved[c], l) + delta[9 + c]);
    }
}

WIDE_RARE void touch_links(Sweep *sweep, uint32_t k, const bool exact, Link *link, const Wide t[3], Blocks *blocks,
                           Wide p_l[3], Wide p_r[3]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t touch = sweep->stage->link_touch[sweep->link[l] + k];
        if (touch != UINT32_MAX) {
            touch_lane(sweep, touch, l, exact, link, t, blocks, p_l, p_r);
        }
    }
}

/* What contacts take from the motion that forces on A and t make. */
WIDE_RARE void touch_motion(const Sweep *sweep, uint32_t k, const Wide force[9], const Wide push[3], Wide beta[9],
                            Wide moved[3]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t touch = sweep->stage->link_touch[sweep->link[l] + k];
        if (touch == UINT32_MAX) {
            continue;
        }
        double g[12], taken[12] = {0};
        for (int e = 0; e < 12; e++) {
            g[e] = e < 9 ? wide_lane(force[e], l) : wide_lane(push[e - 9], l);
        }
        afxi_touch_apply(sweep->stage->touches, touch, g, taken);
        for (int e = 0; e < 9; e++) {
            beta[e] = wide_with_lane(beta[e], l, wide_lane(beta[e], l) - taken[e]);
        }
        for (int e = 0; e < 3; e++) {
            moved[e] = wide_with_lane(moved[e], l, wide_lane(moved[e], l) - taken[9 + e]);
        }
    }
}

/* Whether a link of any lane touches something. */
WIDE_INLINE bool touching(const Sweep *sweep, uint32_t k) {
    bool any = false;
    for (int l = 0; sweep->stage->touches && l < AFXI_LANES; l++) {
        any |= sweep->stage->link_touch[sweep->link[l] + k] != UINT32_MAX;
    }
    return any;
}

/* ---- elimination ---- */

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
WIDE_INLINE void switch_slot(Wide on, Wide d[6], Wide r[3], Wide e[9]) {
    for (int c = 0; c < 3; c++) {
        d[c] = wide_fma(on, d[c], wide_all(1) - on);
        d[3 + c] = on * d[3 + c];
        r[c] = on * r[c];
    }
    for (int c = 0; c < 9; c++) {
        e[c] = on * e[c];
    }
}

/* D' <- B(r,r) - E^T W, r' <- p_r - E^T y */
WIDE_INLINE void pass_on(const Blocks *b, const Wide w[9], const Wide y[3], const Wide p_r[3], Wide d[6], Wide r[3]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int s = 0; s < 6; s++) {
        const Wide *x = b->e + 3 * row[s], *z = w + 3 * column[s];
        d[s] = wide_nma(x[2], z[2], wide_nma(x[1], z[1], wide_nma(x[0], z[0], b->right[s])));
    }
    for (int i = 0; i < 3; i++) {
        const Wide *x = b->e + 3 * i;
        r[i] = wide_nma(x[2], y[2], wide_nma(x[1], y[1], wide_nma(x[0], y[0], p_r[i])));
    }
}

WIDE_INLINE void prepare(Sweep *sweep, uint32_t k, const bool exact, const bool step, Link *link, Blocks *blocks,
                         Wide p_l[3], Wide p_r[3]) {
    Rows rows = visit(sweep, k);
    Past past;
    Wide t[3];
    if (step) {
        prepare_stage(sweep, &rows, k, exact, link, &past, t);
    } else {
        prepare_other(sweep, &rows, link, &past, t);
    }
    end_point(sweep->stage, link, sweep->shape + LEFT, t, p_l);
    end_point(sweep->stage, link, sweep->shape + RIGHT, t, p_r);
    make_blocks(sweep, link, exact, blocks);
    if (step && touching(sweep, k)) {
        touch_links(sweep, k, exact, link, t, blocks, p_l, p_r);
    }
}

WIDE_INLINE Sweep begin_sweep(const AfxiChainStage *stage, const AfxiChainGroup *group) {
    Sweep sweep;
    sweep.stage = stage;
    sweep.count = group->link_count;
    sweep.rescued = false;
    for (int l = 0; l < AFXI_LANES; l++) {
        const AfxiChainSpan *span = &stage->chains->span[group->span[l]];
        sweep.piece[l] = &stage->piece[group->span[l]];
        sweep.link[l] = span->first_link;
        sweep.slot[l] = span->first_slot;
        sweep.class_row[l] = sweep.shape_row[l] = NULL;
    }
    return sweep;
}

WIDE_INLINE void condense(const AfxiChainStage *stage, const AfxiChainGroup *group, const bool exact, const bool step) {
    Sweep sweep = begin_sweep(stage, group);
    Link link;
    Blocks b;
    const Wide zero = wide_all(0);
    Wide p_l[3], p_r[3], d[6] = {zero, zero, zero, zero, zero, zero}, r[3] = {zero, zero, zero};
    Wide f[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    Wide left[6] = {zero, zero, zero, zero, zero, zero}, left_rhs[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < sweep.count; k++) {
        prefetch(&sweep, k, false);
        prepare(&sweep, k, exact, step, &link, &b, p_l, p_r);
        if (k == 0) { /* its left slot is the separator */
            for (int e = 0; e < 6; e++) {
                left[e] = b.left[e];
                d[e] = b.right[e];
            }
            for (int e = 0; e < 9; e++) {
                f[e] = b.e[e];
            }
            for (int e = 0; e < 3; e++) {
                left_rhs[e] = -p_l[e];
                r[e] = p_r[e];
            }
            continue;
        }
        Wide w[9], y[3], v[9], next[9];
        for (int e = 0; e < 6; e++) {
            d[e] = d[e] + b.left[e];
        }
        for (int e = 0; e < 3; e++) {
            y[e] = r[e] - p_l[e];
        }
        if (!stage->all_on) {
            Wide on = slot_on(&sweep, k);
            switch_slot(on, d, y, b.e);
            for (int e = 0; e < 9; e++) {
                f[e] = on * f[e];
            }
        }
        Factor factor = factor3(d);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                w[3 * c + i] = b.e[3 * c + i];
                v[3 * c + i] = f[3 * i + c]; /* D^-1 F^T */
            }
            solve3(&factor, w + 3 * c);
            solve3(&factor, v + 3 * c);
        }
        solve3(&factor, y);
        static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int s = 0; s < 6; s++) {
            int i = row[s];
            const Wide *z = v + 3 * column[s];
            left[s] = wide_nma(f[6 + i], z[2], wide_nma(f[3 + i], z[1], wide_nma(f[i], z[0], left[s])));
        }
        for (int i = 0; i < 3; i++) {
            left_rhs[i] = wide_nma(f[6 + i], y[2], wide_nma(f[3 + i], y[1], wide_nma(f[i], y[0], left_rhs[i])));
            for (int c = 0; c < 3; c++) {
                const Wide *z = w + 3 * c;
                next[3 * c + i] = -wide_fma(f[6 + i], z[2], wide_fma(f[3 + i], z[1], f[i] * z[0]));
            }
        }
        for (int e = 0; e < 9; e++) {
            f[e] = next[e];
        }
        pass_on(&b, w, y, p_r, d, r);
    }
    PIECE_STORE(&sweep, left, 6, left)
    PIECE_STORE(&sweep, right, 6, d)
    PIECE_STORE(&sweep, coupling, 9, f)
    PIECE_STORE(&sweep, left_rhs, 3, left_rhs)
    PIECE_STORE(&sweep, right_rhs, 3, r)
}

/* ---- the way back ---- */

/* Largest values over the links of each lane. */
typedef struct Tally {
    Wide error, turn, residual, finite;
    WideMask jump;
} Tally;

/* x2, x3 of generalised-alpha are made where the result is accepted; the other methods keep q and v. */
WIDE_INLINE void keep_old(const AfxiChainStage *stage, const Rows *rows) {
    double *to[AFXI_LANES], *from[AFXI_LANES];
    for (int pass = 0; pass < 2; pass++) {
        double *base = pass ? stage->old_v : stage->old_q;
        const double *source = pass ? stage->v : stage->q;
        for (int l = 0; l < AFXI_LANES; l++) {
            to[l] = base + rows->at[l];
            from[l] = (double *)source + rows->at[l];
        }
        wide_copy12(to, from);
    }
}

/* The predictor that fitted this step best is the next one's: the parabola where it was twice as good. */
WIDE_INLINE void choose_predictor(const Sweep *sweep, uint32_t k, const Past *past, const Wide a[9]) {
    const AfxiChainStage *stage = sweep->stage;
    Wide line_off = wide_all(0), curve_off = wide_all(0);
    if (stage->parabola[0] == 0 && stage->parabola[1] == 0) {
        for (int l = 0; l < AFXI_LANES; l++) {
            stage->curved[sweep->link[l] + k] = 0;
        }
        return;
    }
    for (int e = 0; e < 9; e++) {
        Wide line = a[e] - wide_fma(wide_all(stage->predict), past->v[e], past->q[e]);
        Wide curve = line - parabola(stage, past, e);
        line_off = wide_fma(line, line, line_off);
        curve_off = wide_fma(curve, curve, curve_off);
    }
    WideMask better = wide_less(wide_all(4) * curve_off, line_off);
    for (int l = 0; l < AFXI_LANES; l++) {
        stage->curved[sweep->link[l] + k] = wide_mask_lane(better, l);
    }
}

/* A, t and velocities of a stage; p_l comes back. */
WIDE_INLINE void finish_stage(Sweep *sweep, uint32_t k, const Rows *rows, const Link *link, const Wide beta[9],
                              const Wide moved[3], Wide p_l[3], Wide p_r[3], Tally *tally) {
    const AfxiChainStage *stage = sweep->stage;
    const Wide *constants = sweep->constants, *r = link->r;
    Wide next[12], rate[12];
    Past past;
    load_past(sweep, rows, &past);
    for (int c = 0; c < 3; c++) {
        const Wide *b = beta + 3 * c;
        for (int i = 0; i < 3; i++) {
            Wide value = wide_fma(r[i], b[0], r[3 * c + i]);
            next[3 * c + i] = wide_fma(r[6 + i], b[2], wide_fma(r[3 + i], b[1], value));
        }
        next[9 + c] = past.target[9 + c] + moved[c];
        rate[9 + c] =
            wide_fma(moved[c], wide_all(stage->weights.per_h_rate), constants[AFXI_CHAIN_WEIGHT_T] * past.drift[9 + c]);
    }
    for (int e = 0; e < 9; e++) {
        rate[e] = (next[e] - past.qv[e]) * wide_all(stage->weights.per_h_rate);
    }
    for (int e = 0; e < 12; e++) {
        tally->finite = wide_fma(wide_all(0), next[e], tally->finite);
    }
    for (int i = 0; i < 3; i++) {
        const Wide *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
        p_l[i] = wide_fma(next[6 + i], x[2], wide_fma(next[3 + i], x[1], wide_fma(next[i], x[0], next[9 + i])));
        p_r[i] = wide_fma(next[6 + i], y[2], wide_fma(next[3 + i], y[1], wide_fma(next[i], y[0], next[9 + i])));
    }
    choose_predictor(sweep, k, &past, next);
    if (stage->old_q) {
        keep_old(stage, rows);
    }
    scatter12(stage->next, rows, next);
    if (stage->rate) {
        scatter12(stage->rate, rows, rate);
    }
}

/* Results of the other tasks, lane by lane. */
WIDE_RARE void finish_other(const Sweep *sweep, const Rows *rows, const Link *link, const Wide beta[9],
                            const Wide push[3]) {
    const AfxiChainStage *stage = sweep->stage;
    for (int l = 0; l < AFXI_LANES; l++) {
        AfxiMat3 r, b;
        AfxVec3 t;
        double numbers[3];
        for (int e = 0; e < 9; e++) {
            r.m[e] = wide_lane(link->r[e], l);
            b.m[e] = wide_lane(beta[e], l);
        }
        for (int e = 0; e < 3; e++) {
            numbers[e] = wide_lane(link->moved[e], l) -
                         wide_lane(sweep->constants[AFXI_CHAIN_TRANSLATION], l) * wide_lane(push[e], l);
        }
        t = vec3_load(numbers);
        double *next = stage->next + rows->at[l];
        if (stage->task == AFXI_CHAIN_CLOSE) {
            AfxiMat3 turn = afxi_mat3_rotation(mat3_axial(&b)), turned = mat3_multiply(&r, &turn);
            double *v = stage->rate + rows->at[l];
            t = vec3_add(t, vec3_load(next + 9));
            for (int c = 0; c < 3; c++) { /* the rates turn with the body */
                vec3_store(v + 3 * c, mat3_apply(&turned, mat3_apply_transposed(&r, vec3_load(v + 3 * c))));
            }
            b = turned;
        } else {
            b = mat3_multiply(&r, &b);
        }
        for (int e = 0; e < 9; e++) {
            next[e] = b.m[e];
        }
        vec3_store(next + 9, t);
    }
}

WIDE_INLINE void store_multiplier(const Sweep *sweep, uint32_t k, const Wide lambda[3]) {
    if (sweep->stage->task > AFXI_CHAIN_START) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        double *to = sweep->stage->lambda + (size_t)3 * (sweep->slot[l] + k);
        for (int c = 0; c < 3; c++) {
            to[c] = wide_lane(lambda[c], l);
        }
    }
}

/* What the bound gamma spoils of a first solve: |w| + |(I + K)^-1 (gamma - K) w| with the exact stiffness K of the new
 * multipliers and I the inertia over h². It is an estimate where `coarse`, |w| (1 + gamma / I), is a bound: three times
 * of it count, and `coarse` where that is smaller or I + K is too near to singular. */
WIDE_RARE Wide first_error(const Sweep *sweep, const Wide sigma[9], const Wide w[3], Wide turn, Wide gamma,
                           Wide coarse) {
    const Wide *c = sweep->constants + AFXI_CHAIN_C;
    Wide trace = sigma[0] + (sigma[4] + sigma[8]), half = wide_all(0.5), least = wide_all(LEAST_PIVOT);
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

/* Moves link k by the multipliers of its two slots. */
WIDE_INLINE void move_link(Sweep *sweep, uint32_t k, const bool exact, const bool step, const Link *link,
                           const Wide left[3], const Wide right[3], Wide p_l[3], Wide p_r[3], Tally *tally) {
    const Wide *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
    Rows rows = visit(sweep, k);
    Wide f[3], g[3], force[9], beta[9], push[3], moved[3];
    apply_transposed(link->r, left, f);
    apply_transposed(link->r, right, g);
    for (int c = 0; c < 3; c++) {
        push[c] = right[c] - left[c];
        for (int i = 0; i < 3; i++) {
            force[3 * c + i] = wide_nma(f[i], x[c], g[i] * y[c]);
        }
    }
    apply_inverse(sweep, link, exact, force, beta);
    for (int e = 0; e < 9; e++) {
        beta[e] = link->beta[e] - beta[e];
    }
    if (!step) {
        finish_other(sweep, &rows, link, beta, push);
        return;
    }
    for (int c = 0; c < 3; c++) {
        moved[c] = wide_nma(sweep->constants[AFXI_CHAIN_TRANSLATION], push[c], link->moved[c]);
    }
    if (touching(sweep, k)) {
        touch_motion(sweep, k, force, push, beta, moved);
    }
    finish_stage(sweep, k, &rows, link, beta, moved, p_l, p_r, tally);
    Wide half = wide_all(0.5), inertia = sweep->constants[AFXI_CHAIN_INERTIA];
    Wide w[3] = {half * (beta[5] - beta[7]), half * (beta[6] - beta[2]), half * (beta[1] - beta[3])};
    Wide turn = wide_sqrt(wide_fma(w[2], w[2], wide_fma(w[1], w[1], w[0] * w[0])));
    Wide error = wide_fma(turn, link->gamma / inertia, turn), gamma = stiffness_bound(sweep, left, right);
    if (!exact) {
        WideMask coarse = wide_less(wide_all(sweep->stage->enough), error);
        if (wide_any(coarse)) {
            error = wide_select(coarse, first_error(sweep, force, w, turn, link->gamma, error), error);
        }
    }
    tally->turn = larger(tally->turn, turn);
    tally->error = larger(tally->error, error);
    tally->jump |= wide_less(wide_all(2) * (link->gamma + inertia), gamma);
}

/* Largest distance, row by row, between two ends that a slot joins. */
WIDE_INLINE void tally_gap(Wide on, const Wide a[3], const Wide b[3], Tally *tally) {
    for (int c = 0; c < 3; c++) {
        tally->residual = larger(tally->residual, on * magnitude(a[c] - b[c]));
    }
}

WIDE_INLINE void solve(const AfxiChainStage *stage, const AfxiChainGroup *group, Link *links, const bool exact,
                       const bool step) {
    Sweep sweep = begin_sweep(stage, group);
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
        Link *link = &links[k];
        prefetch(&sweep, k, true);
        prepare(&sweep, k, exact, step, link, &b, p_l, p_r);
        if (k == 0 && !whole) {
            PIECE3(&sweep, lambda_left, link->y)
            for (int e = 0; e < 9; e++) {
                link->w[e] = wide_all(0);
            }
        } else {
            if (k == 0) {
                PIECE3(&sweep, outside_left, r)
            }
            for (int e = 0; e < 6; e++) {
                d[e] = d[e] + b.left[e];
            }
            for (int e = 0; e < 3; e++) {
                link->y[e] = r[e] - p_l[e];
            }
            if (k == 0) {
                switch_slot(outer_left, d, link->y, b.e);
            } else if (!stage->all_on) {
                switch_slot(slot_on(&sweep, k), d, link->y, b.e);
            }
            Factor factor = factor3(d);
            for (int e = 0; e < 9; e++) {
                link->w[e] = b.e[e];
            }
            for (int c = 0; c < 3; c++) {
                solve3(&factor, link->w + 3 * c);
            }
            solve3(&factor, link->y);
        }
        pass_on(&b, link->w, link->y, p_r, d, r);
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
        store_multiplier(&sweep, sweep.count, lambda);
    } else {
        PIECE3(&sweep, lambda_right, lambda)
    }
    Tally tally = {wide_all(0), wide_all(0), wide_all(0), wide_all(0), wide_mask_none()};
    Wide here[3] = {zero, zero, zero}, after[3] = {zero, zero, zero};
    for (uint32_t k = sweep.count; k-- > 0;) {
        const Link *link = &links[k];
        Wide left[3];
        for (int i = 0; i < 3; i++) {
            const Wide *w = link->w;
            left[i] =
                wide_nma(w[6 + i], lambda[2], wide_nma(w[3 + i], lambda[1], wide_nma(w[i], lambda[0], link->y[i])));
        }
        move_link(&sweep, k, exact, step, link, left, lambda, here, p_r, &tally);
        if (k + 1 == sweep.count) {
            if (step) {
                PIECE_STORE(&sweep, end_right, 3, p_r)
            }
        } else if (step) {
            tally_gap(stage->all_on ? wide_all(1) : slot_on(&sweep, k + 1), p_r, after, &tally);
        }
        store_multiplier(&sweep, k, left);
        for (int e = 0; e < 3; e++) {
            after[e] = here[e];
            lambda[e] = left[e];
        }
    }
    if (step) {
        PIECE_STORE(&sweep, end_left, 3, after)
    }
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

void AFXI_WIDE(afxi_chain_condense)(const AfxiChainStage *stage, const AfxiChainGroup *group) {
    if (stage->task != AFXI_CHAIN_STAGE) {
        condense(stage, group, false, false);
    } else if (stage->first) {
        condense(stage, group, false, true);
    } else {
        condense(stage, group, true, true);
    }
}

void AFXI_WIDE(afxi_chain_solve)(const AfxiChainStage *stage, const AfxiChainGroup *group, void *scratch) {
    if (stage->task != AFXI_CHAIN_STAGE) {
        solve(stage, group, scratch, false, false);
    } else if (stage->first) {
        solve(stage, group, scratch, false, true);
    } else {
        solve(stage, group, scratch, true, true);
    }
}

#else
typedef int AfxiNoChainVariant; /* a file may not be empty */
#endif
