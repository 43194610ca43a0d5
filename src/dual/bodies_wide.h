/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that ball joints hold before and after a solve, one body per lane, for *_wide.c files: their bound and
 * stiffness, inverse and start, and what multipliers make of them (closed_form.h). */
#ifndef AFXI_DUAL_BODIES_WIDE_H
#define AFXI_DUAL_BODIES_WIDE_H

#include "body/tuning.h"
#include "dual/products_wide.h"
#include "dual/tuning.h"
#include "math/eigen_wide.h"

/* One entry of the bodies of all lanes. */
typedef struct Entry {
    Wide x[3], sign;
    Wide force[3], torque[3]; /* multipliers, sign included */
    bool turns;
} Entry;

/* Sum of |multiplier| times lever arm. */
WIDE_INLINE Wide bound_of(const Entry *entries, uint32_t count) {
    Wide sum = wide_all(0);
    for (uint32_t e = 0; e < count; e++) {
        const Entry *own = &entries[e];
        Wide force = wide_magnitude(own->force[0]) + (wide_magnitude(own->force[1]) + wide_magnitude(own->force[2]));
        sum = wide_fma(force, wide_sqrt(wide_dot(own->x, own->x)), sum);
    }
    return sum;
}

/* sym S - tr S I */
WIDE_INLINE void second_order(const Wide sum[9], Wide k[6]) {
    Wide half = wide_all(0.5), trace = sum[0] + (sum[4] + sum[8]);
    k[0] = sum[0] - trace;
    k[1] = sum[4] - trace;
    k[2] = sum[8] - trace;
    k[3] = half * (sum[1] + sum[3]);
    k[4] = half * (sum[2] + sum[6]);
    k[5] = half * (sum[5] + sum[7]);
}

/* sym S - tr S I for S the sum of (R^T f) x^T. */
WIDE_INLINE void stiffness_of(const Wide r[9], const Entry *entries, uint32_t count, Wide k[6]) {
    Wide sum[9], f[3];
    for (int e = 0; e < 9; e++) {
        sum[e] = wide_all(0);
    }
    for (uint32_t e = 0; e < count; e++) {
        wide_apply_transposed(r, entries[e].force, f);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                sum[3 * c + i] = wide_fma(f[i], entries[e].x[c], sum[3 * c + i]);
            }
        }
    }
    second_order(sum, k);
}

/* (R^T target - I) C: what draws A to its target. */
WIDE_INLINE void draw_of(const Wide r[9], const Wide target[9], const Wide constants[AFXI_CHAIN_SIZE], Wide out[9]) {
    wide_multiply_tn(r, target, out);
    for (int c = 0; c < 3; c++) {
        out[4 * c] = out[4 * c] - wide_all(1);
        for (int i = 0; i < 3; i++) {
            out[3 * c + i] = out[3 * c + i] * constants[AFXI_CHAIN_C + c];
        }
    }
}

/* -(sym S - tr S I) for S that draw: the target of a body that turns far in a step is longer than a rotation, and what
 * holds the body on its circle is stiff against turns as a pull is. */
WIDE_INLINE void stiffness_of_draw(const Wide draw[9], Wide k[6]) {
    second_order(draw, k);
    for (int e = 0; e < 6; e++) {
        k[e] = -k[e];
    }
}

/* The numbers of diag(root) k diag(root). */
WIDE_INLINE void scale_both(const Wide root[3], const Wide k[6], Wide out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        out[e] = k[e] * (root[row[e]] * root[column[e]]);
    }
}

/* Lanes where k with `more` on its diagonal is positive definite. */
WIDE_INLINE WideMask is_definite(const Wide k[6], const Wide more[3]) {
    Wide xx = k[0] + more[0], xy = k[3] / xx, zero = wide_all(0);
    Wide yy = wide_nma(k[3], xy, k[1] + more[1]), yz = wide_nma(k[4], xy, k[5]);
    Wide zz = wide_nma(yz, yz / yy, wide_nma(k[4], k[4] / xx, k[2] + more[2]));
    return wide_less(zero, xx) & wide_less(zero, yy) & wide_less(zero, zz);
}

/* The stiffness k of a solve made definite, into `used`, and M = used (I + Theta used)^-1. Where k and the inertia are
 * numbers k_i and 1 in the same axes, a first solve takes |k_i|: it goes by multipliers of the past. Later ones take
 * |1 + k_i| for 1 + k_i, which is Newton's method where a body is stable, and away from the top where it is not. */
WIDE_INLINE void make_definite(const Wide theta[3], const Wide k[6], Wide bound, bool later, Wide twist[6],
                               Wide used[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    Wide root[3], more[3], scaled[6], value[3], vector[9], one = wide_all(1);
    Wide turning = later ? wide_all(0) : wide_all(AFXI_HESSIAN_BOUND_SHARE) * bound;
    for (int e = 0; e < 3; e++) {
        more[e] =
            later ? wide_all(1 - AFXI_HESSIAN_PIVOT_LEAST) / theta[e] : wide_all(AFXI_HESSIAN_UNSTABLE_SHARE) * turning;
    }
    WideMask unstable = ~is_definite(k, more);
    wide_copy(k, 6, used);
    if (wide_any(unstable)) {
        for (int e = 0; e < 3; e++) {
            root[e] = wide_sqrt(theta[e]);
        }
        scale_both(root, k, scaled);
        wide_eigen_symmetric(scaled, value, vector);
        for (int e = 0; e < 3; e++) {
            value[e] = later ? wide_larger(wide_magnitude(one + value[e]), wide_all(AFXI_HESSIAN_PIVOT_LEAST)) - one
                             : wide_magnitude(value[e]);
        }
        wide_eigen_compose(value, vector, scaled);
        for (int e = 0; e < 6; e++) {
            used[e] = wide_select(unstable, scaled[e] / (root[row[e]] * root[column[e]]), k[e]);
        }
    }
    for (int e = 0; e < 3; e++) {
        used[e] = used[e] + turning;
    }
    wide_inverse_twist(theta, used, twist);
}

WIDE_INLINE void make_inverse(const Wide constants[AFXI_CHAIN_SIZE], Wide gamma, Wide inverse[INVERSE_SIZE]) {
    Wide one = wide_all(1), e = constants[AFXI_CHAIN_COMPLIANCE], quarter = wide_all(0.25) * gamma;
    Wide soft = wide_fma(e, quarter, one);
    for (int p = 0; p < 3; p++) {
        Wide det = wide_fma(gamma, constants[AFXI_CHAIN_DET_GAMMA + p], constants[AFXI_CHAIN_DET + p]);
        Wide per = one / det, *pair = inverse + PAIR + 3 * p;
        inverse[C + p] = constants[AFXI_CHAIN_C + p];
        pair[0] = wide_fma(e, constants[AFXI_CHAIN_C + pair_i[p]], soft) * per;
        pair[1] = wide_fma(e, constants[AFXI_CHAIN_C + pair_k[p]], soft) * per;
        pair[2] = wide_nma(wide_all(2), one, soft) * per; /* -(1 - e gamma/4) */
    }
    for (int k = 0; k < 6; k++) {
        inverse[DIAGONAL + k] = constants[AFXI_CHAIN_DIAGONAL + k];
    }
    inverse[TRANSLATION] = constants[AFXI_CHAIN_TRANSLATION];
    inverse[WEIGHT_A] = constants[AFXI_CHAIN_WEIGHT_A];
    inverse[WEIGHT_T] = constants[AFXI_CHAIN_WEIGHT_T];
}

/* What wrenches do to bodies. */
typedef enum Loads { LOADS_NONE, LOADS_FORCE, LOADS_ALL } Loads;

/* R^T F of the wrenches on the bodies, and the force on t; how much of this there is in any lane comes back. */
WIDE_INLINE Loads forces_of(const AfxiSystem *system, const uint32_t body[AFXI_LANES], const Wide r[9], Wide on_a[9],
                            Wide push[3]) {
    const AfxiBodiesWork *work = &system->bodies;
    static const AfxiFreeForce none;
    const double *row[AFXI_LANES], *plain[AFXI_LANES];
    Wide all[sizeof none / sizeof(double)], turned[3], force[4];
    bool any = false;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t slot = work->forces ? work->force_slot[system->graph->body[body[l]]] : UINT32_MAX;
        row[l] = slot == UINT32_MAX ? none.world : work->forces[slot].world;
        plain[l] = row[l] + AFXI_FORCE;
        any |= slot != UINT32_MAX;
    }
    if (!any) {
        return LOADS_NONE;
    }
    wide_gather(plain, 1, force);
    if (!wide_any(wide_less(wide_all(0), force[3]))) {
        wide_copy(force, 3, push);
        return LOADS_FORCE;
    }
    wide_gather(row, (int)(sizeof none / sizeof(double) / 4), all);
    wide_multiply_tn(r, all + AFXI_FORCE_WORLD, on_a);
    wide_apply_transposed(r, all + AFXI_FORCE_TORQUE, turned);
    for (int k = 0; k < 9; k++) {
        on_a[k] = on_a[k] + all[AFXI_FORCE_BODY + k];
    }
    for (int k = 0; k < 3; k++) { /* skew: entry (j, i) is +, (i, j) is - */
        int i = (k + 1) % 3, j = (k + 2) % 3;
        on_a[3 * i + j] = wide_fma(wide_all(0.5), turned[k], on_a[3 * i + j]);
        on_a[3 * j + i] = wide_nma(wide_all(0.5), turned[k], on_a[3 * j + i]);
    }
    wide_apply(r, all + AFXI_FORCE_BODY_FORCE, turned);
    for (int k = 0; k < 3; k++) {
        push[k] = all[AFXI_FORCE + k] + turned[k];
    }
    return LOADS_ALL;
}

/* The solve without rows of bodies that are drawn to `target` and that `on_a` and `push` act on, as `loads` says. */
WIDE_INLINE void start_under(const AfxiSystem *system, Loads loads, const Wide on_a[9], const Wide push[3],
                             const Wide r[9], const Wide origin[3], const Wide target[AFXI_AFFINE_WIDTH],
                             const Wide constants[AFXI_CHAIN_SIZE], const Wide inverse[INVERSE_SIZE],
                             const bool twisted, Wide out[AFXI_AFFINE_WIDTH]) {
    Wide rhs[9];
    draw_of(r, target, constants, rhs);
    for (int k = 0; loads == LOADS_ALL && k < 9; k++) {
        rhs[k] = rhs[k] + on_a[k];
    }
    wide_inverse_apply(inverse + DIAGONAL, inverse + PAIR, inverse + TWIST, twisted, rhs, out);
    for (int k = 0; k < 3; k++) {
        Wide moved = constants[AFXI_CHAIN_GRAVITY] * wide_all(system->bodies.gravity[k]);
        moved = loads != LOADS_NONE ? wide_fma(constants[AFXI_CHAIN_TRANSLATION], push[k], moved) : moved;
        out[9 + k] = (target[9 + k] - origin[k]) + moved;
    }
}

/* The same with the wrenches on these bodies of the graph. */
WIDE_INLINE void start_of(const AfxiSystem *system, const uint32_t body[AFXI_LANES], const Wide r[9],
                          const Wide origin[3], const Wide target[AFXI_AFFINE_WIDTH],
                          const Wide constants[AFXI_CHAIN_SIZE], const Wide inverse[INVERSE_SIZE], const bool twisted,
                          Wide out[AFXI_AFFINE_WIDTH]) {
    Wide on_a[9], push[3];
    Loads loads = forces_of(system, body, r, on_a, push);
    start_under(system, loads, on_a, push, r, origin, target, constants, inverse, twisted, out);
}

/* Tallies of the lanes of a kernel call. */
typedef struct Tally {
    Wide turn, error, infinite;
    WideMask jump;
} Tally;

/* Not 0 where numbers of a result, or velocities and accelerations that come of them, are not finite. */
WIDE_INLINE Wide beyond_bounds(const Wide next[AFXI_AFFINE_WIDTH]) {
    Wide sum = wide_all(0);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum = wide_fma(wide_all(AFXI_FINITE_REACH), next[k], sum);
    }
    return wide_all(0) * sum;
}

/* How far a solve with the bound gamma is from one with the stiffness k: |(I + k)^-1 (gamma - k) w|, I the inertia by
 * axis over h² and what springs add to it; gamma / I |w|, axis by axis, where I + k is near to singular. */
WIDE_INLINE Wide turn_error(const Wide w[3], const Wide inertia[3], Wide gamma, const Wide k[6]) {
    const Wide full[3][3] = {{k[0], k[3], k[4]}, {k[3], k[1], k[5]}, {k[4], k[5], k[2]}};
    Wide load[3], crude = wide_all(0), least = wide_all(AFXI_BUCKLING_PIVOT);
    for (int i = 0; i < 3; i++) {
        Wide slow = gamma * w[i] / inertia[i];
        load[i] = wide_nma(full[i][0], w[0], gamma * w[i]);
        load[i] = wide_nma(full[i][2], w[2], wide_nma(full[i][1], w[1], load[i]));
        crude = wide_fma(slow, slow, crude);
    }
    Wide xx = inertia[0] + k[0], xy = k[3] / xx, xz = k[4] / xx;
    Wide yy = wide_nma(k[3], xy, inertia[1] + k[1]), yz = wide_nma(k[3], xz, k[5]) / yy;
    Wide zz = wide_nma(yz * yy, yz, wide_nma(k[4], xz, inertia[2] + k[2]));
    WideMask fine =
        wide_less(least * inertia[0], xx) & wide_less(least * inertia[1], yy) & wide_less(least * inertia[2], zz);
    load[1] = wide_nma(xy, load[0], load[1]);
    load[2] = wide_nma(yz, load[1], wide_nma(xz, load[0], load[2]));
    load[2] = load[2] / zz;
    load[1] = wide_nma(yz, load[2], load[1] / yy);
    load[0] = wide_nma(xz, load[2], wide_nma(xy, load[1], load[0] / xx));
    return wide_sqrt(wide_select(fine, wide_dot(load, load), crude));
}

/* The same where a solve took the definite stiffness `used`, and k is all of it: |(I + |k|)^-1 (used - k) w|; the
 * energy that this holds comes out too. Up to `enough`, the error is bounded by |I^-1| and the energy is none. */
WIDE_INLINE Wide turn_error_full_newton(const Wide w[3], const Wide inertia[3], const Wide used[6], const Wide k[6],
                                        Wide enough, Wide *out_excess) {
    Wide root[3], scaled[6], value[3], vector[9], taken[3], true_load[3], load[3], off[3], square = wide_all(0);
    wide_apply_symmetric(used, w, taken);
    wide_apply_symmetric(k, w, true_load);
    for (int e = 0; e < 3; e++) {
        root[e] = wide_all(1) / wide_sqrt(inertia[e]);
        load[e] = (taken[e] - true_load[e]) * root[e];
    }
    Wide crude = wide_sqrt(wide_dot(load, load)) * wide_larger(wide_larger(root[0], root[1]), root[2]);
    WideMask far = ~wide_less(crude, enough);
    *out_excess = wide_all(0);
    if (!wide_any(far)) {
        return crude;
    }
    scale_both(root, k, scaled);
    wide_eigen_symmetric(scaled, value, vector);
    for (int e = 0; e < 3; e++) {
        Wide own = wide_dot(vector + 3 * e, load);
        off[e] = own / (wide_all(1) + wide_magnitude(value[e]));
        *out_excess = wide_fma(wide_all(0.5) * own, off[e], *out_excess);
    }
    for (int e = 0; e < 3; e++) {
        Wide part = root[e] * wide_fma(vector[6 + e], off[2], wide_fma(vector[3 + e], off[1], vector[e] * off[0]));
        square = wide_fma(part, part, square);
    }
    *out_excess = wide_select(far, *out_excess, wide_all(0));
    return wide_select(far, wide_sqrt(square), crude);
}

/* What bodies know before their multipliers make a result of it. */
typedef struct Before {
    Wide r[AFXI_AFFINE_WIDTH], inverse[INVERSE_SIZE], start[AFXI_AFFINE_WIDTH], origin[3];
    Wide gamma, held, inertia;              /* the bound in use; of the springs; the smallest inertia / h² */
    Wide second[AFXI_AFFINE_WIDTH], enough; /* where the stiffness is the full Newton Hessian: AfxiBodiesWork */
    bool twisted;
} Before;

typedef struct After {
    Wide delta[AFXI_AFFINE_WIDTH], next[AFXI_AFFINE_WIDTH], turn, gamma, error, excess;
} After;

/* G^T lambda: on A in the axes of the body, and on t. */
WIDE_INLINE void load_of(const Before *before, const Entry *entries, uint32_t count, Wide load[AFXI_AFFINE_WIDTH]) {
    Wide torque[3], f[3];
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        load[k] = wide_all(0);
    }
    for (int k = 0; k < 3; k++) {
        torque[k] = wide_all(0);
    }
    for (uint32_t e = 0; e < count; e++) {
        wide_apply_transposed(before->r, entries[e].force, f);
        for (int c = 0; c < 3; c++) {
            load[9 + c] = load[9 + c] + entries[e].force[c];
            torque[c] = torque[c] + entries[e].torque[c];
            for (int i = 0; i < 3; i++) {
                load[3 * c + i] = wide_fma(f[i], entries[e].x[c], load[3 * c + i]);
            }
        }
    }
    wide_apply_transposed(before->r, torque, f);
    for (int p = 0; p < 3; p++) {
        Wide half = wide_all(0.5 * wide_pair_sign[p]) * f[wide_pair_axis[p]];
        load[wide_pair_ki[p]] = load[wide_pair_ki[p]] + half;
        load[wide_pair_ik[p]] = load[wide_pair_ik[p]] - half;
    }
}

/* delta = start - X load */
WIDE_INLINE void move_by(const Before *before, const Wide load[AFXI_AFFINE_WIDTH], After *after) {
    const Wide *inverse = before->inverse;
    Wide moved[9];
    wide_inverse_apply(inverse + DIAGONAL, inverse + PAIR, inverse + TWIST, before->twisted, load, moved);
    for (int k = 0; k < 9; k++) {
        after->delta[k] = before->start[k] - moved[k];
    }
    for (int c = 9; c < AFXI_AFFINE_WIDTH; c++) {
        after->delta[c] = wide_nma(inverse[TRANSLATION], load[c], before->start[c]);
    }
}

/* The new A and t. */
WIDE_INLINE void place_result(const Before *before, After *after) {
    for (int c = 0; c < 3; c++) {
        wide_apply(before->r, after->delta + 3 * c, after->next + 3 * c);
        after->next[9 + c] = before->origin[c] + after->delta[9 + c];
    }
    for (int k = 0; k < 9; k++) {
        after->next[k] = before->r[k] + after->next[k];
    }
}

/* delta = start - X G^T lambda, and the new A and t. */
WIDE_INLINE void result_of(const Before *before, const Entry *entries, uint32_t count, After *after) {
    Wide load[AFXI_AFFINE_WIDTH];
    load_of(before, entries, count, load);
    move_by(before, load, after);
    place_result(before, after);
}

/* How good that is; `full_newton`: with the stiffness of AfxiBodiesWork.second. */
WIDE_INLINE void judge_by(const bool full_newton, const Before *before, const Entry *entries, uint32_t count,
                          After *after, Tally *tally) {
    const Wide *delta = after->delta;
    Wide square = wide_all(0), w[3], own[3], stiffness[6];
    for (int p = 0; p < 3; p++) {
        int axis = wide_pair_axis[p];
        w[axis] = wide_all(0.5 * wide_pair_sign[p]) * (delta[wide_pair_ki[p]] - delta[wide_pair_ik[p]]);
        own[axis] = (before->inverse[C + pair_i[p]] + before->inverse[C + pair_k[p]]) + before->held;
        square = wide_fma(w[axis], w[axis], square);
    }
    after->gamma = bound_of(entries, count);
    after->turn = wide_sqrt(square);
    stiffness_of(before->r, entries, count, stiffness);
    if (full_newton) {
        for (int k = 0; k < 6; k++) {
            stiffness[k] = stiffness[k] + before->second[6 + k];
        }
        after->error = after->turn + turn_error_full_newton(w, own, before->second, stiffness,
                                                            before->enough - after->turn, &after->excess);
    } else {
        after->error = after->turn + turn_error(w, own, before->gamma, stiffness);
        after->excess = wide_all(0);
    }
    tally->turn = wide_larger(tally->turn, after->turn);
    tally->error = wide_larger(tally->error, after->error);
    tally->jump |= wide_less(wide_all(2) * (before->gamma + (before->inertia + before->held)), after->gamma);
    tally->infinite = tally->infinite + beyond_bounds(after->next);
}

WIDE_INLINE void judge(const Before *before, const Entry *entries, uint32_t count, After *after, Tally *tally) {
    judge_by(false, before, entries, count, after, tally);
}

WIDE_INLINE void tally_lanes(const Tally *tally, AfxiBodiesTally *out) {
    for (int l = 0; l < AFXI_LANES; l++) {
        double turn = wide_lane(tally->turn, l), error = wide_lane(tally->error, l);
        out->turn = turn > out->turn || turn != turn ? turn : out->turn;
        out->error = error > out->error || error != error ? error : out->error;
        out->jump |= wide_mask_lane(tally->jump, l);
        out->infinite |= wide_lane(tally->infinite, l) != 0;
    }
}

#endif
