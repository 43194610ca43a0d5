/* SPDX-License-Identifier: Apache-2.0 */
/* One link per lane without its joints, for chain_wide.c: frame, stiffness, inverse, and where it would move. */
#ifndef AFXI_DUAL_CHAIN_LINK_WIDE_H
#define AFXI_DUAL_CHAIN_LINK_WIDE_H

#include "body/tuning.h"
#include "dual/chain_past_wide.h"
#include "dual/inverse_wide.h"
#include "math/rotation_wide.h"

WIDE_INLINE void frame_of(Sweep *sweep, const Rows *rows, const Wide x[9], Wide out[9]) {
    WideMask bad = wide_newton_near(x, out);
    if (wide_any(bad)) {
        Wide guess[AFXI_AFFINE_WIDTH];
        gather12(sweep->stage->q, rows, guess);
        wide_rescue(x, guess, bad, out);
    }
}

WIDE_INLINE void load_multiplier(const Sweep *sweep, uint32_t slot, Wide out[4]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = slot < sweep->count ? sweep->stage->lambda + (size_t)3 * (sweep->slot[l] + slot)
                                     : sweep->piece[l]->old_right;
    }
    wide_gather(row, 1, out);
}

/* Multipliers of the two slots of link k, as they were before this solve. One of them is known from the link before,
 * with `back` from the one after it. */
WIDE_INLINE void old_multipliers(Sweep *sweep, uint32_t k, const bool back, Wide left[4], Wide right[4]) {
    if (back ? k + 1 == sweep->count : k == 0) {
        load_multiplier(sweep, back ? k + 1 : k, sweep->multiplier);
    }
    Wide *known = back ? right : left, *other = back ? left : right;
    wide_copy(sweep->multiplier, 4, known);
    load_multiplier(sweep, back ? k : k + 1, other);
    wide_copy(other, 4, sweep->multiplier);
}

WIDE_INLINE Wide stiffness_bound(const Sweep *sweep, const Wide left[3], const Wide right[3]) {
    Wide sum_left = wide_magnitude(left[0]) + (wide_magnitude(left[1]) + wide_magnitude(left[2]));
    Wide sum_right = wide_magnitude(right[0]) + (wide_magnitude(right[1]) + wide_magnitude(right[2]));
    return wide_fma(sum_left, sweep->shape[LEFT_LENGTH], sum_right * sweep->shape[RIGHT_LENGTH]);
}

/* R^T (f_r x_r^T - f_l x_l^T), the load of two end forces on A. With `axial` only its first column is not zero. */
WIDE_INLINE void end_loads(const Sweep *sweep, const Wide r[9], const Wide left[3], const Wide right[3],
                           const bool axial, Wide out[9]) {
    const Wide *x = sweep->shape + LEFT, *y = sweep->shape + RIGHT;
    Wide f[3], g[3];
    if (axial) {
        for (int i = 0; i < 3; i++) {
            f[i] = wide_nma(left[i], x[0], right[i] * y[0]);
            out[3 + i] = out[6 + i] = wide_all(0);
        }
        wide_apply_transposed(r, f, out);
        return;
    }
    wide_apply_transposed(r, left, f);
    wide_apply_transposed(r, right, g);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            out[3 * c + i] = wide_nma(f[i], x[c], g[i] * y[c]);
        }
    }
}

/* M = K (I + Theta K)^-1 with K = Sigma - tr Sigma I, Sigma = sym(f_r x_r^T - f_l x_l^T); lanes where that is too near
 * to singular come back. */
WIDE_INLINE WideMask exact_twist(const Sweep *sweep, const Wide r[9], const Wide left[3], const Wide right[3],
                                 const bool axial, Wide out[6]) {
    Wide sigma[9], k[6], theta[3], n[9], cof[9];
    end_loads(sweep, r, left, right, axial, sigma);
    for (int c = 0; c < 3; c++) {
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
    Wide xx = n[0], least = wide_all(AFXI_BUCKLING_PIVOT);
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

/* The same for a g of which only the first column [3] is not zero. */
WIDE_INLINE void apply_inverse_axial(const Sweep *sweep, const Link *link, const bool exact, const Wide g[3],
                                     Wide out[9]) {
    const Wide *d = sweep->constants + AFXI_CHAIN_DIAGONAL, *pair = link->pair, *m = link->twist;
    out[0] = d[0] * g[0];
    out[4] = d[3] * g[0];
    out[8] = d[4] * g[0];
    out[3] = pair[2] * g[1];
    out[1] = pair[1] * g[1];
    out[6] = pair[5] * g[2];
    out[2] = pair[4] * g[2];
    out[5] = out[7] = wide_all(0);
    if (exact) { /* as in wide_inverse_apply, with a turn about two axes */
        Wide quarter = wide_all(0.25), y = quarter * (out[6] - out[2]), z = quarter * (out[1] - out[3]);
        Wide about_x = wide_fma(m[4], z, m[3] * y), about_y = wide_fma(m[5], z, m[1] * y);
        Wide about_z = wide_fma(m[2], z, m[5] * y);
        out[3] = wide_nma(about_z, pair[2] - pair[0], out[3]);
        out[1] = wide_nma(about_z, pair[1] - pair[2], out[1]);
        out[6] = wide_fma(about_y, pair[5] - pair[3], out[6]);
        out[2] = wide_fma(about_y, pair[4] - pair[5], out[2]);
        out[7] = wide_nma(about_x, pair[8] - pair[6], out[7]);
        out[5] = wide_nma(about_x, pair[7] - pair[8], out[5]);
    }
}

/* Forces on A in the body's axes and on t, lane by lane: few bodies have any. */
WIDE_RARE void add_lane_forces(const AfxiChainStage *stage, const Rows *rows, const Wide frame[9], Wide rhs[9],
                               Wide push[3]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t slot = stage->force_slot[rows->body[l]];
        if (slot == UINT32_MAX) {
            continue;
        }
        AfxiMat3 r;
        for (int k = 0; k < 9; k++) {
            r.m[k] = wide_lane(frame[k], l);
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

/* How far t moves under gravity. */
WIDE_INLINE Wide fall_of(const Sweep *sweep, int c) {
    return sweep->constants[AFXI_CHAIN_GRAVITY] * wide_all(sweep->stage->gravity[c]);
}

/* What is rare gets copies: numbers whose address leaves the kernel could not stay in registers. */
WIDE_INLINE void add_forces(const AfxiChainStage *stage, const Rows *rows, const Wide r[9], Wide rhs[9], Wide push[3]) {
    const Rows own = *rows;
    Wide frame[9], load[9], on_t[3];
    wide_copy(r, 9, frame);
    wide_copy(rhs, 9, load);
    wide_copy(push, 3, on_t);
    add_lane_forces(stage, &own, frame, load, on_t);
    wide_copy(load, 9, rhs);
    wide_copy(on_t, 3, push);
}

/* Inverse and free motion of a link whose frame is known; t is where its origin would be without joints. */
WIDE_INLINE void move_freely(const Sweep *sweep, const Rows *rows, const Kind kind, Wide gamma,
                             const Wide target[AFXI_AFFINE_WIDTH], Link *link, Wide t[3]) {
    const AfxiChainStage *stage = sweep->stage;
    const bool forces = !kind.turns && stage->forces;
    const Wide *constants = sweep->constants;
    Wide rhs[9], push[3];
    pair_blocks(sweep, gamma, link->pair);
    wide_multiply_tn(link->r, target, rhs);
    for (int c = 0; c < 3; c++) {
        rhs[4 * c] = rhs[4 * c] - wide_all(1);
        push[c] = wide_all(0);
        for (int i = 0; i < 3; i++) {
            rhs[3 * c + i] = rhs[3 * c + i] * constants[AFXI_CHAIN_C + c];
        }
    }
    if (forces) {
        add_forces(stage, rows, link->r, rhs, push);
    }
    apply_inverse(sweep, link, kind.exact, rhs, link->beta);
    for (int c = 0; c < 3; c++) {
        link->moved[c] = fall_of(sweep, c);
        if (forces) {
            link->moved[c] = wide_fma(constants[AFXI_CHAIN_TRANSLATION], push[c], link->moved[c]);
        }
        t[c] = target[9 + c] + link->moved[c];
    }
}

/* Frame, inverse and free motion of link k. */
WIDE_INLINE void prepare_stage(Sweep *sweep, const Rows *rows, uint32_t k, const Kind kind, const bool back, Link *link,
                               Link *keep, Wide t[3]) {
    Wide x[AFXI_AFFINE_WIDTH], target[AFXI_AFFINE_WIDTH], left[4], right[4];
    load_past(sweep, rows, k, kind, target, x, keep);
    frame_of(sweep, rows, x, link->r);
    old_multipliers(sweep, k, back, left, right);
    link->gamma = stiffness_bound(sweep, left, right);
    Wide gamma = link->gamma;
    if (kind.exact) {
        WideMask bound = exact_twist(sweep, link->r, left, right, kind.axial, link->twist);
        gamma = wide_select(bound, gamma, wide_all(0));
    }
    move_freely(sweep, rows, kind, gamma, target, link, t);
}

/* Whether the links of all lanes are at rest, and nothing but gravity acts on them. */
WIDE_INLINE bool at_rest(const AfxiChainStage *stage, const Rows *rows) {
    bool rest = !stage->forces;
    for (int l = 0; l < AFXI_LANES; l++) {
        const double *v = stage->v + rows->at[l];
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            rest &= v[e] == 0;
        }
    }
    return rest;
}

/* What one lane's link does without its joints, in its axes: acceleration or rate of A, and that of t. */
static void move_lane(const AfxiChainStage *stage, const Rows *rows, int l, const AfxiMat3 *r, AfxiMat3 *local,
                      double moved[3]) {
    const double *v = stage->v + rows->at[l];
    if (stage->task == AFXI_CHAIN_START) {
        uint32_t slot = stage->forces ? stage->force_slot[rows->body[l]] : UINT32_MAX;
        double world[AFXI_AFFINE_WIDTH];
        afxi_free_acceleration_at(&stage->classes[stage->class_of[rows->body[l]]], r, v, stage->gravity,
                                  slot == UINT32_MAX ? NULL : &stage->forces[slot], world);
        AfxiMat3 acceleration = mat3_load(world);
        *local = mat3_multiply_tn(r, &acceleration);
        vec3_store(moved, vec3_load(world + 9));
    } else if (stage->task == AFXI_CHAIN_PROJECT) {
        AfxiMat3 rate = mat3_load(v), turned = mat3_multiply_tn(r, &rate);
        *local = mat3_skew(mat3_axial(&turned)); /* a rate of strain would pass the rows and part the joints later */
        vec3_store(moved, vec3_load(v + 9));
    }
}

/* The other tasks: rigid inverse of unit step in `constants`; what beta and t are depends on the task. */
WIDE_RARE void prepare_other(Sweep *sweep, const Rows *rows, Link *link, Wide t[3]) {
    const AfxiChainStage *stage = sweep->stage;
    const bool falls = stage->task == AFXI_CHAIN_START && at_rest(stage, rows);
    Wide own[AFXI_AFFINE_WIDTH];
    gather12(stage->q, rows, own);
    frame_of(sweep, rows, own, link->r);
    link->gamma = wide_all(0);
    pair_blocks(sweep, link->gamma, link->pair);
    for (int e = 0; e < 9; e++) {
        link->beta[e] = wide_all(0);
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        AfxiMat3 r, local = {{0}};
        double moved[3] = {0, 0, 0};
        for (int e = 0; e < 9 && !falls; e++) {
            r.m[e] = wide_lane(link->r[e], l);
        }
        if (falls) {
            double gravity = stage->classes[stage->class_of[rows->body[l]]].gravity;
            vec3_store(moved, vec3_scale(gravity, vec3_load(stage->gravity)));
        } else {
            move_lane(stage, rows, l, &r, &local, moved);
        }
        for (int e = 0; e < 9 && !falls; e++) {
            link->beta[e] = wide_with_lane(link->beta[e], l, local.m[e]);
        }
        for (int e = 0; e < 3; e++) {
            link->moved[e] = wide_with_lane(link->moved[e], l, moved[e]);
        }
    }
    for (int e = 0; e < 3; e++) {
        t[e] = link->moved[e];
        if (stage->task == AFXI_CHAIN_CLOSE) {
            t[e] = own[9 + e];
        }
    }
}

/* R (beta x [+ x]) + t */
WIDE_INLINE void end_point(const AfxiChainStage *stage, const Link *link, const Wide x[3], const Wide t[3],
                           Wide out[3]) {
    Wide local[3];
    wide_apply(link->beta, x, local);
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

/* Both ends where they are on the first axis. */
WIDE_INLINE void end_points_axial(const Sweep *sweep, const Link *link, const Wide t[3], Wide p_l[3], Wide p_r[3]) {
    const Wide along[3] = {link->beta[0] + wide_all(1), link->beta[1], link->beta[2]};
    Wide axis[3];
    wide_apply(link->r, along, axis);
    for (int i = 0; i < 3; i++) {
        p_l[i] = wide_fma(axis[i], sweep->shape[LEFT], t[i]);
        p_r[i] = wide_fma(axis[i], sweep->shape[RIGHT], t[i]);
    }
}

#endif
