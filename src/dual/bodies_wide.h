/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that ball joints hold before and after a solve, one body per lane, for *_wide.c files: their bound and
 * stiffness, inverse and start, and what multipliers make of them (closed.h). */
#ifndef AFXI_DUAL_BODIES_WIDE_H
#define AFXI_DUAL_BODIES_WIDE_H

#include "dual/products_wide.h"

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

/* sym S - tr S I for S the sum of (R^T f) x^T. */
WIDE_INLINE void stiffness_of(const Wide r[9], const Entry *entries, uint32_t count, Wide k[6]) {
    Wide sum[9], f[3], half = wide_all(0.5);
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
    Wide trace = sum[0] + (sum[4] + sum[8]);
    k[0] = sum[0] - trace;
    k[1] = sum[4] - trace;
    k[2] = sum[8] - trace;
    k[3] = half * (sum[1] + sum[3]);
    k[4] = half * (sum[2] + sum[6]);
    k[5] = half * (sum[5] + sum[7]);
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

/* The solve without rows of the bodies (of the graph) that are drawn to `target`. */
WIDE_INLINE void start_of(const AfxiSystem *system, const uint32_t body[AFXI_LANES], const Wide r[9],
                          const Wide origin[3], const Wide target[12], const Wide constants[AFXI_CHAIN_SIZE],
                          const Wide inverse[INVERSE_SIZE], const bool twisted, Wide out[12]) {
    Wide rhs[9], on_a[9], push[3];
    wide_multiply_tn(r, target, rhs);
    for (int c = 0; c < 3; c++) {
        rhs[4 * c] = rhs[4 * c] - wide_all(1);
        for (int i = 0; i < 3; i++) {
            rhs[3 * c + i] = rhs[3 * c + i] * constants[AFXI_CHAIN_C + c];
        }
    }
    Loads loads = forces_of(system, body, r, on_a, push);
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

/* Tallies of the lanes of a kernel call. */
typedef struct Tally {
    Wide turn, error, infinite;
    WideMask jump;
} Tally;

/* How far a solve with the bound gamma is from one with the stiffness k: |(I + k)^-1 (gamma - k) w|, I the inertia by
 * axis over h² and what springs add to it; gamma / I |w|, axis by axis, where I + k is near to singular. */
WIDE_INLINE Wide turn_error(const Wide w[3], const Wide inertia[3], Wide gamma, const Wide k[6]) {
    const Wide full[3][3] = {{k[0], k[3], k[4]}, {k[3], k[1], k[5]}, {k[4], k[5], k[2]}};
    Wide load[3], crude = wide_all(0), least = wide_all(WIDE_LEAST_PIVOT);
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

/* What bodies know before their multipliers make a result of it. */
typedef struct Before {
    Wide r[12], inverse[INVERSE_SIZE], start[12], origin[3];
    Wide gamma, held, inertia; /* the bound in use; of the springs; the smallest inertia / h² */
    bool twisted;
} Before;

typedef struct After {
    Wide delta[12], next[12], turn, gamma;
} After;

/* delta = start - X G^T lambda, and the new A and t. */
WIDE_INLINE void result_of(const Before *before, const Entry *entries, uint32_t count, After *after) {
    const Wide *inverse = before->inverse, *r = before->r;
    Wide load9[9], force[3], torque[3], f[3], moved[9], *delta = after->delta;
    for (int k = 0; k < 9; k++) {
        load9[k] = wide_all(0);
    }
    for (int k = 0; k < 3; k++) {
        force[k] = torque[k] = wide_all(0);
    }
    for (uint32_t e = 0; e < count; e++) {
        wide_apply_transposed(r, entries[e].force, f);
        for (int c = 0; c < 3; c++) {
            force[c] = force[c] + entries[e].force[c];
            torque[c] = torque[c] + entries[e].torque[c];
            for (int i = 0; i < 3; i++) {
                load9[3 * c + i] = wide_fma(f[i], entries[e].x[c], load9[3 * c + i]);
            }
        }
    }
    wide_apply_transposed(r, torque, f);
    for (int p = 0; p < 3; p++) {
        Wide half = wide_all(0.5 * wide_pair_sign[p]) * f[wide_pair_axis[p]];
        load9[wide_pair_ki[p]] = load9[wide_pair_ki[p]] + half;
        load9[wide_pair_ik[p]] = load9[wide_pair_ik[p]] - half;
    }
    wide_inverse_apply(inverse + DIAGONAL, inverse + PAIR, inverse + TWIST, before->twisted, load9, moved);
    for (int k = 0; k < 9; k++) {
        delta[k] = before->start[k] - moved[k];
    }
    for (int c = 0; c < 3; c++) {
        delta[9 + c] = wide_nma(inverse[TRANSLATION], force[c], before->start[9 + c]);
        wide_apply(r, delta + 3 * c, after->next + 3 * c);
        after->next[9 + c] = before->origin[c] + delta[9 + c];
    }
    for (int k = 0; k < 9; k++) {
        after->next[k] = r[k] + after->next[k];
    }
}

/* How good that is. */
WIDE_INLINE void judge(const Before *before, const Entry *entries, uint32_t count, After *after, Tally *tally) {
    const Wide *delta = after->delta;
    Wide square = wide_all(0), sum = wide_all(0), w[3], own[3], stiffness[6];
    for (int p = 0; p < 3; p++) {
        int axis = wide_pair_axis[p];
        w[axis] = wide_all(0.5 * wide_pair_sign[p]) * (delta[wide_pair_ki[p]] - delta[wide_pair_ik[p]]);
        own[axis] = (before->inverse[C + pair_i[p]] + before->inverse[C + pair_k[p]]) + before->held;
        square = wide_fma(w[axis], w[axis], square);
    }
    after->gamma = bound_of(entries, count);
    after->turn = wide_sqrt(square);
    stiffness_of(before->r, entries, count, stiffness);
    for (int k = 0; k < 12; k++) {
        sum = wide_fma(wide_all(0), after->next[k], sum);
    }
    tally->turn = wide_larger(tally->turn, after->turn);
    tally->error = wide_larger(tally->error, after->turn + turn_error(w, own, before->gamma, stiffness));
    tally->jump |= wide_less(wide_all(2) * (before->gamma + (before->inertia + before->held)), after->gamma);
    tally->infinite = tally->infinite + sum;
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
