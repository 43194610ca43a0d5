/* SPDX-License-Identifier: Apache-2.0 */
/* The first solve of a stage for batched bodies with springs in their joints, one per lane: all joints hold them on
 * their first axis, at b the one towards the root, all others at a.
 *
 * There the products of a body's rows (closed_form.h) have few entries, for points x and y on the axis
 *     point - point    diag(X_t + D_00 x y, X_t + P_10 x y, X_t + P_20 x y)
 *     turn - point     u x at (2,1) and v x at (1,2),   u = (P_10 - O_01)/2,  v = -(P_20 - O_02)/2
 *     turn - turn      Theta,
 * so that S = Q(a,b) takes ten multiplications. With Z = T + C what stands beyond a joint, and mu = sign lambda,
 *     E = (Z + Q(a,a))^-1,   mu = E r - E S mu_p,   T_p = Q(b,b) - S^T E S,   t_p = G_p delta_0 - S^T E r.
 * Several joints at a are one: sum mu_i = M, with Y_i = Z_i^-1 and rho_i the gap beyond joint i,
 *     Z = (sum Y_i)^-1,   rho = Z sum Y_i rho_i,   mu_i = Y_i (rho_i + G_a delta_0 - Q(a,a) M - S mu_p). */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

#include "dual/recursion_whole_wide.h"
#include "dual/six_wide.h"

/* Products of the rows of bodies. */
typedef struct Line {
    Wide t, d, p1, p2, u, v, theta[3]; /* X_t, D_00, P_10, P_20 */
} Line;

WIDE_INLINE void line_of(const Wide inverse[INVERSE_SIZE], Line *out) {
    const Wide *first = inverse + PAIR, *second = first + 3, *third = second + 3, half = wide_all(0.5);
    const Wide *const pair[3] = {third, second, first}; /* by axis */
    out->t = inverse[TRANSLATION];
    out->d = inverse[DIAGONAL];
    out->p1 = first[1];
    out->p2 = second[1];
    out->u = half * (first[1] - first[2]);
    out->v = half * (second[2] - second[1]);
    for (int k = 0; k < 3; k++) {
        out->theta[k] = wide_all(0.25) * ((pair[k][0] + pair[k][1]) - (pair[k][2] + pair[k][2]));
    }
}

/* Adds Q(x,x). */
WIDE_INLINE void line_add(const Line *line, Wide x, Six *to) {
    Wide square = x * x;
    to->pp[0] = to->pp[0] + wide_fma(line->d, square, line->t);
    to->pp[1] = to->pp[1] + wide_fma(line->p1, square, line->t);
    to->pp[2] = to->pp[2] + wide_fma(line->p2, square, line->t);
    to->tp[5] = wide_fma(line->u, x, to->tp[5]);
    to->tp[7] = wide_fma(line->v, x, to->tp[7]);
    for (int k = 0; k < 3; k++) {
        to->tt[k] = to->tt[k] + line->theta[k];
    }
}

/* Q(x,y), what multipliers at y do to rows at x; its transpose is Q(y,x). */
typedef struct Across {
    Wide q[3], theta[3], ux, uy, vx, vy;
} Across;

WIDE_INLINE void across_of(const Line *line, Wide x, Wide y, Across *out) {
    Wide product = x * y;
    out->q[0] = wide_fma(line->d, product, line->t);
    out->q[1] = wide_fma(line->p1, product, line->t);
    out->q[2] = wide_fma(line->p2, product, line->t);
    wide_copy(line->theta, 3, out->theta);
    out->ux = line->u * x;
    out->uy = line->u * y;
    out->vx = line->v * x;
    out->vy = line->v * y;
}

WIDE_INLINE void across_apply(const Across *s, const Wide m[6], Wide out[6]) {
    out[0] = s->q[0] * m[0];
    out[1] = wide_fma(s->ux, m[5], s->q[1] * m[1]);
    out[2] = wide_fma(s->vx, m[4], s->q[2] * m[2]);
    out[3] = s->theta[0] * m[3];
    out[4] = wide_fma(s->vy, m[2], s->theta[1] * m[4]);
    out[5] = wide_fma(s->uy, m[1], s->theta[2] * m[5]);
}

/* Row i of S^T z. */
WIDE_INLINE Wide across_forward(const Across *s, const int i, const Wide z[6]) {
    switch (i) {
    case 0:
        return s->q[0] * z[0];
    case 1:
        return wide_fma(s->uy, z[5], s->q[1] * z[1]);
    case 2:
        return wide_fma(s->vy, z[4], s->q[2] * z[2]);
    case 3:
        return s->theta[0] * z[3];
    case 4:
        return wide_fma(s->vx, z[2], s->theta[1] * z[4]);
    default:
        return wide_fma(s->ux, z[1], s->theta[2] * z[5]);
    }
}

/* Column j of E S: S has two entries in most of its columns. */
WIDE_INLINE void image_column(const Across *s, const Six *e, const int j, Wide out[6]) {
    static const int partner[6] = {-1, 5, 4, -1, 2, 1};
    const Wide own[6] = {s->q[0], s->q[1], s->q[2], s->theta[0], s->theta[1], s->theta[2]};
    const Wide other[6] = {s->q[0], s->uy, s->vy, s->q[0], s->vx, s->ux};
    Wide column[6];
    six_column(e, j, column);
    for (int i = 0; i < 6; i++) {
        out[i] = own[j] * column[i];
    }
    if (partner[j] >= 0) {
        six_column(e, partner[j], column);
        for (int i = 0; i < 6; i++) {
            out[i] = wide_fma(other[j], column[i], out[i]);
        }
    }
}

/* to -= S^T E S */
WIDE_INLINE void subtract_image(const Across *s, const Six *e, Six *to) {
#pragma GCC unroll 6
    for (int j = 0; j < 6; j++) {
        Wide image[6];
        image_column(s, e, j, image);
#pragma GCC unroll 6
        for (int i = j; i < 6; i++) {
            Wide *entry = i < 3   ? &to->pp[six_at[i][j]]
                          : j < 3 ? &to->tp[3 * j + i - 3]
                                  : &to->tt[six_at[i - 3][j - 3]];
            *entry = *entry - across_forward(s, i, image);
        }
    }
}

/* G delta_0 at x, without sign. */
WIDE_INLINE void gaps_at(const Wide start[AFXI_AFFINE_WIDTH], const Wide moved[3], const Wide w[3], Wide x,
                         Wide out[6]) {
    for (int k = 0; k < 3; k++) {
        out[k] = wide_fma(start[k], x, moved[k]);
        out[3 + k] = w[k];
    }
}

WIDE_INLINE void turn_of(const Wide beta[9], Wide w[3]) {
    for (int p = 0; p < 3; p++) {
        w[wide_pair_axis[p]] = wide_all(0.5 * wide_pair_sign[p]) * (beta[wide_pair_ki[p]] - beta[wide_pair_ik[p]]);
    }
}

/* ---- what is read in the order of jobs ---- */

WIDE_INLINE const double *pack_of(const Group *group) {
    return group->system->recursion.pack + group->job->pack + group->first;
}

/* Constants of bodies, from those that the others follow from (chain.c). */
WIDE_INLINE void take_constants(const double *pack, Wide out[AFXI_CHAIN_SIZE]) {
    Wide *c = out + AFXI_CHAIN_C, e;
    take_own(pack, AFXI_PACK_C, 3, c);
    take_own(pack, AFXI_PACK_COMPLIANCE, 1, &e);
    take_own(pack, AFXI_PACK_DIAGONAL, 6, out + AFXI_CHAIN_DIAGONAL);
    take_own(pack, AFXI_PACK_TRANSLATION, 1, out + AFXI_CHAIN_TRANSLATION);
    take_own(pack, AFXI_PACK_GRAVITY, 1, out + AFXI_CHAIN_GRAVITY);
    take_own(pack, AFXI_PACK_INERTIA, 1, out + AFXI_CHAIN_INERTIA);
    for (int p = 0; p < 3; p++) {
        Wide d = c[pair_i[p]], a = c[pair_k[p]], sum = a + d;
        out[AFXI_CHAIN_DET + p] = wide_fma(e * a, d, sum);
        out[AFXI_CHAIN_DET_GAMMA + p] = wide_fma(wide_all(0.25) * e, sum, wide_all(1));
    }
    out[AFXI_CHAIN_COMPLIANCE] = e;
    out[AFXI_CHAIN_WEIGHT_A] = out[AFXI_CHAIN_WEIGHT_T] = wide_all(1); /* of no use here */
}

/* The solve without rows. */
WIDE_INLINE void start_body(const Group *group, const uint32_t body[AFXI_LANES], const Wide r[9], const Wide origin[3],
                            const Wide target[AFXI_AFFINE_WIDTH], const Wide constants[AFXI_CHAIN_SIZE],
                            const Wide inverse[INVERSE_SIZE], Wide out[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = group->system;
    if (system->recursion.wrenched[group->job - system->graph->recursion.job]) {
        start_of(system, body, r, origin, target, constants, inverse, false, out);
        return;
    }
    Wide push[3];
    take_own(pack_of(group), AFXI_PACK_FORCE, 3, push);
    start_under(system, LOADS_FORCE, NULL, push, r, origin, target, constants, inverse, false, out);
}

/* ---- towards the root ---- */

/* Z and sign rho of joint e, in the axes of the body. */
WIDE_INLINE void beyond(const Group *group, const int e, const Wide r[9], const Wide t[3], const Wide spin[3], Wide a,
                        Six *z, Wide rho[6]) {
    const AfxiRecursionJoint *joint = &group->joint[e];
    Wide in[AFXI_ROTATIONAL_SPRING_USED], out[AFXI_ROTATIONAL_SPRING_RESULT], other[9], turn[9], end[3], local[3],
        part[9], q[9];
    Wide sign = wide_load(joint->sign + group->first);
    take_over(group, joint, AFXI_RECURSION_FRAME, 9, other);
    wide_multiply_tn(r, other, turn);
    take_over(group, joint, AFXI_RECURSION_END, 3, end);
    for (int k = 0; k < 3; k++) {
        end[k] = end[k] - t[k];
    }
    wide_apply_transposed(r, end, local);
    take_over(group, joint, AFXI_RECURSION_GAP, 6, part);
    wide_apply(turn, part, rho);
    wide_apply(turn, part + 3, rho + 3);
    for (int k = 0; k < 3; k++) {
        rho[k] = wide_fma(sign, rho[k], (k ? wide_all(0) : a) - local[k]);
    }
    take_over(group, joint, AFXI_RECURSION_SPIN, 3, end);
    for (int k = 0; k < 3; k++) {
        end[k] = sign * (spin[k] - end[k]);
    }
    wide_apply_transposed(r, end, local);
    take_own(pack_of(group), AFXI_RECURSION_PACK + AFXI_ROTATIONAL_SPRING_USED * e, AFXI_ROTATIONAL_SPRING_USED, in);
    if (joint->outward) { /* the body is the base, and its own axes are the identity */
        turn_multiply(turn, in + AFXI_ROTATIONAL_SPRING_AXES, q);
        turn_solve_placed(in, q, local, wide_all(group->system->recursion.per_h), out);
    } else {
        solve_inward(in, turn, sign, local, wide_all(group->system->recursion.per_h), out);
    }
    for (int k = 0; k < 3; k++) {
        rho[3 + k] = sign * (rho[3 + k] + out[AFXI_ROTATIONAL_SPRING_VALUE + k]);
    }
    take_over(group, joint, AFXI_RECURSION_TWIST, 6, part);
    wide_turn_symmetric(turn, part, z->tt);
    for (int k = 0; k < 6; k++) {
        z->tt[k] = z->tt[k] + out[AFXI_ROTATIONAL_SPRING_COMPLIANCE + k];
    }
    take_over(group, joint, AFXI_RECURSION_MIXED, 9, part);
    products_turn(turn, part, z->tp);
    take_over(group, joint, AFXI_RECURSION_POINT, 6, part);
    wide_turn_symmetric(turn, part, z->pp);
}

WIDE_INLINE void keep_six(const Group *group, double *to, const Six *m, const Wide v[6]) {
    store_forward(group, to, 0, 6, m->pp);
    store_forward(group, to, 6, 9, m->tp);
    store_forward(group, to, 15, 6, m->tt);
    store_forward(group, to, 21, 6, v);
}

WIDE_INLINE void take_six(const double *from, Six *m, Wide v[6]) {
    take_own(from, 0, 6, m->pp);
    take_own(from, 6, 9, m->tp);
    take_own(from, 15, 6, m->tt);
    take_own(from, 21, 6, v);
}

/* Lanes where a joint is switched off have no multipliers there. */
WIDE_INLINE void mute(WideMask off, Six *m, Wide v[6]) {
    six_clear(m, off, 0);
    for (int k = 0; k < 6; k++) {
        v[k] = wide_select(off, wide_all(0), v[k]);
    }
}

/* What stands beyond several joints as if it were beyond one: Z and rho of them all. */
WIDE_INLINE WideMask gather_beyond(const Group *group, const int children, const Wide r[9], const Wide t[3],
                                   const Wide spin[3], Wide a, Six *z, Wide rho[6]) {
    Six sum, own, inverse;
    Wide solution[6], total[6];
    WideMask off, none = ~wide_mask_none();
    double *to = factor_of(group) + AFXI_RECURSION_LANES * AFXI_RECURSION_SIX;
    six_clear(&sum, ~wide_mask_none(), 0);
    for (int k = 0; k < 6; k++) {
        total[k] = wide_all(0);
    }
    for (int e = 0; e < children; e++, to += AFXI_RECURSION_LANES * AFXI_RECURSION_SIX) {
        beyond(group, e, r, t, spin, a, &own, rho);
        six_invert(&own, &inverse);
        six_apply(&inverse, rho, solution);
        if (is_off(group, &group->joint[e], 0, &off)) {
            mute(off, &inverse, solution);
            none &= off;
        } else {
            none = wide_mask_none();
        }
        keep_six(group, to, &inverse, solution);
        six_add(&sum, &inverse);
        for (int k = 0; k < 6; k++) {
            total[k] = total[k] + solution[k];
        }
    }
    six_clear(&sum, none, 1);
    six_invert(&sum, z);
    six_apply(z, total, rho);
    return none;
}

/* E and E r, as `keep_six` has them, from what stands beyond the joints. */
WIDE_INLINE void solve_joints(const Group *group, const int children, const Line *line, const Wide r[9],
                              const Wide t[3], const Wide spin[3], Wide a, const Wide gap[6], Six *e, Wide m[6]) {
    Six z;
    Wide rhs[6];
    WideMask off = wide_mask_none();
    if (children == 1) {
        beyond(group, 0, r, t, spin, a, &z, rhs);
    } else {
        off = gather_beyond(group, children, r, t, spin, a, &z, rhs);
    }
    line_add(line, a, &z);
    six_invert(&z, e);
    for (int k = 0; k < 6; k++) {
        rhs[k] = rhs[k] + gap[k];
    }
    six_apply(e, rhs, m);
    if (children == 1 ? is_off(group, &group->joint[0], 0, &off) : wide_any(off)) {
        mute(off, e, m);
    }
    keep_six(group, factor_of(group), e, m);
}

/* The bound on the stiffness, of the multipliers of the last step. */
WIDE_INLINE Wide bound_at(const Group *group, const AfxiRecursionJoint *joint, Wide x) {
    Wide f[3];
    load_rows(group, joint, group->system->bodies.load, 0, f);
    return (wide_magnitude(f[0]) + (wide_magnitude(f[1]) + wide_magnitude(f[2]))) * wide_magnitude(x);
}

WIDE_INLINE void stage_backward_group(const Group *group, const int children) {
    const AfxiSystem *system = group->system;
    MotionGroup past = {.motion = system->recursion.motion};
    const AfxiRecursionJoint *root = &group->joint[children];
    Wide qv[AFXI_AFFINE_WIDTH], qhat[AFXI_AFFINE_WIDTH], target[AFXI_AFFINE_WIDTH], expected[AFXI_AFFINE_WIDTH],
        constants[AFXI_CHAIN_SIZE], inverse[INVERSE_SIZE];
    Wide r[9], start[AFXI_AFFINE_WIDTH], spin[3], moved[3], w[3], gap[6], gamma, a = wide_all(0);
    Wide b = wide_load(root->reach + group->first), sign = wide_load(root->sign + group->first);
    double *message = own_message(group), *kept = stored_of(group);
    Line line;
    Six own;
    for (int l = 0; l < AFXI_LANES; l++) {
        past.local[l] = group->job->body[group->first + l];
        past.at[l] = (size_t)AFXI_AFFINE_WIDTH * past.motion->body[past.local[l]];
    }
    motion_expect(&past, qv, qhat, target, expected);
    motion_frame(&past, expected, r);
    keep(message, AFXI_RECURSION_FRAME, 9, r);
    store_forward(group, kept, AFXI_RECURSION_STORED_FRAME, 9, r);
    store_forward(group, kept, AFXI_RECURSION_STORED_ORIGIN, 3, expected + 9);
    turn_spin(r, qv, wide_all(-0.5 * system->recursion.per_h), spin);
    keep(message, AFXI_RECURSION_SPIN, 3, spin);
    gamma = bound_at(group, root, b);
    for (int e = 0; e < children; e++) {
        a = wide_load(group->joint[0].reach + group->first);
        gamma = gamma + bound_at(group, &group->joint[e], a);
    }
    take_constants(pack_of(group), constants);
    make_inverse(constants, gamma, inverse);
    start_body(group, past.local, r, expected + 9, target, constants, inverse, start);
    store_forward(group, kept, AFXI_RECURSION_STORED_START, AFXI_AFFINE_WIDTH, start);
    store_forward(group, kept, AFXI_RECURSION_STORED_GAMMA, 1, &gamma);
    line_of(inverse, &line);
    wide_apply_transposed(r, start + 9, moved);
    turn_of(start, w);
    six_clear(&own, ~wide_mask_none(), 0);
    line_add(&line, b, &own);
    gaps_at(start, moved, w, b, gap);
    if (children) {
        Six e;
        Wide m[6], at_a[6];
        Across s;
        gaps_at(start, moved, w, a, at_a);
        solve_joints(group, children, &line, r, expected + 9, spin, a, at_a, &e, m);
        across_of(&line, a, b, &s);
        subtract_image(&s, &e, &own);
        for (int i = 0; i < 6; i++) {
            gap[i] = gap[i] - across_forward(&s, i, m);
        }
    }
    keep(message, AFXI_RECURSION_POINT, 6, own.pp);
    keep(message, AFXI_RECURSION_MIXED, 9, own.tp);
    keep(message, AFXI_RECURSION_TWIST, 6, own.tt);
    for (int k = 0; k < 6; k++) {
        gap[k] = sign * gap[k];
    }
    keep(message, AFXI_RECURSION_GAP, 6, gap);
    for (int k = 0; k < 3; k++) {
        moved[k] = wide_fma(r[k], b, expected[9 + k]);
    }
    keep(message, AFXI_RECURSION_END, 3, moved);
}

/* ---- and back ---- */

/* What a body knows, and what its multipliers add up to: forces in its axes at a and b, torques, and in the world the
 * force in all and the bound. */
typedef struct Loads3 {
    Wide at_a[6], at_b[6], force[3], gamma;
} Loads3;

/* Lanes whose error (turn_error) is surely below `most`: the stiffness of a load is n = |l_x| + (|l_y| + |l_z|)/2 at
 * most, and so |(I + k)^-1 (gamma - k) w| is at most (gamma + n) |w| / (I - n). */
WIDE_INLINE WideMask is_fine(Wide turn, const Wide inertia[3], Wide gamma, const Wide load[3], Wide most) {
    Wide n = wide_fma(wide_all(0.5), wide_magnitude(load[1]) + wide_magnitude(load[2]), wide_magnitude(load[0]));
    Wide rest = most - turn, least = inertia[0];
    for (int k = 1; k < 3; k++) {
        least = wide_select(wide_less(inertia[k], least), inertia[k], least);
    }
    return wide_less((gamma + n) * turn, rest * (least - n)) & wide_less(n, least) & wide_less(turn, most);
}

/* delta = start - X G^T lambda, the new A and t, and how good that is: errors are made out where they may be above
 * `most`. */
WIDE_INLINE void finish_body(const Wide r[9], const Wide origin[3], const Wide start[AFXI_AFFINE_WIDTH],
                             const Wide *inverse, Wide a, Wide b, const Loads3 *loads, Wide gamma, Wide held,
                             Wide inertia, double most, Wide next[AFXI_AFFINE_WIDTH], Tally *tally) {
    const Wide *d = inverse + DIAGONAL, *pair = inverse + PAIR;
    Wide load[3], half[3], delta[9], w[3], own[3], square = wide_all(0);
    for (int k = 0; k < 3; k++) {
        load[k] = wide_fma(a, loads->at_a[k], b * loads->at_b[k]);
        half[k] = wide_all(0.5) * (loads->at_a[3 + k] + loads->at_b[3 + k]);
    }
    delta[0] = wide_nma(d[0], load[0], start[0]);
    delta[4] = wide_nma(d[3], load[0], start[4]);
    delta[8] = wide_nma(d[4], load[0], start[8]);
    const Wide zero = wide_all(0), below[3] = {load[1] + half[2], load[2] - half[1], half[0]};
    const Wide above[3] = {zero - half[2], half[1], zero - half[0]}; /* (k,i) and (i,k) of each pair */
    for (int p = 0; p < 3; p++) {
        int axis = wide_pair_axis[p], ik = wide_pair_ik[p], ki = wide_pair_ki[p];
        delta[ik] = wide_nma(pair[3 * p + 2], below[p], wide_nma(pair[3 * p], above[p], start[ik]));
        delta[ki] = wide_nma(pair[3 * p + 2], above[p], wide_nma(pair[3 * p + 1], below[p], start[ki]));
        w[axis] = wide_all(0.5 * wide_pair_sign[p]) * (delta[ki] - delta[ik]);
        own[axis] = (inverse[C + pair_i[p]] + inverse[C + pair_k[p]]) + held;
        square = wide_fma(w[axis], w[axis], square);
    }
    for (int c = 0; c < 3; c++) {
        wide_apply(r, delta + 3 * c, next + 3 * c);
        next[9 + c] = origin[c] + wide_nma(inverse[TRANSLATION], loads->force[c], start[9 + c]);
    }
    for (int k = 0; k < 9; k++) {
        next[k] = r[k] + next[k];
    }
    const Wide stiffness[6] = {zero, zero - load[0], zero - load[0], wide_all(0.5) * load[1], wide_all(0.5) * load[2],
                               zero};
    Wide turn = wide_sqrt(square), error = turn;
    tally->turn = wide_larger(tally->turn, turn);
    WideMask fine = is_fine(turn, own, gamma, load, wide_all(most));
    if (wide_any(~fine)) {
        error = wide_select(fine, turn, turn + turn_error(w, own, gamma, stiffness));
    }
    tally->error = wide_larger(tally->error, error);
    tally->jump |= wide_less(wide_all(2) * (gamma + (inertia + held)), loads->gamma);
    tally->infinite = tally->infinite + beyond_bounds(next);
}

/* sign R m in world axes: multipliers of a joint; the size of its force comes back. */
WIDE_INLINE Wide to_world(const Wide r[9], Wide sign, const Wide m[6], Wide out[6]) {
    Wide signed_m[6];
    for (int k = 0; k < 6; k++) {
        signed_m[k] = sign * m[k];
    }
    wide_apply(r, signed_m, out);
    wide_apply(r, signed_m + 3, out + 3);
    return wide_magnitude(out[0]) + (wide_magnitude(out[1]) + wide_magnitude(out[2]));
}

/* M of the joints away from the root, and the multipliers of each in world axes, to `message`. */
WIDE_INLINE void spread(const Group *group, const int children, const Wide r[9], const Wide *inverse,
                        const Wide start[AFXI_AFFINE_WIDTH], Wide a, Wide b, Loads3 *loads,
                        Wide forward_message[][AFXI_RECURSION_FORWARD_MESSAGE]) {
    Line line;
    Across s;
    Six e;
    Wide image[6], m[6];
    line_of(inverse, &line);
    across_of(&line, a, b, &s);
    across_apply(&s, loads->at_b, image);
    take_six(factor_of(group), &e, m);
    six_apply(&e, image, loads->at_a);
    for (int k = 0; k < 6; k++) {
        loads->at_a[k] = m[k] - loads->at_a[k];
    }
    if (children == 1) {
        Wide sign = wide_load(group->joint[0].sign + group->first);
        loads->gamma = wide_fma(to_world(r, sign, loads->at_a, forward_message[0]), wide_magnitude(a), loads->gamma);
        return;
    }
    Wide moved[3], w[3], gap[6], within[6];
    const double *from = factor_of(group) + AFXI_RECURSION_LANES * AFXI_RECURSION_SIX;
    wide_apply_transposed(r, start + 9, moved);
    turn_of(start, w);
    gaps_at(start, moved, w, a, gap);
    across_of(&line, a, a, &s);
    across_apply(&s, loads->at_a, within);
    for (int k = 0; k < 6; k++) {
        gap[k] = gap[k] - (within[k] + image[k]);
    }
    for (int c = 0; c < children; c++, from += AFXI_RECURSION_LANES * AFXI_RECURSION_SIX) {
        Wide own[6], sign = wide_load(group->joint[c].sign + group->first);
        take_six(from, &e, m);
        six_apply(&e, gap, own);
        for (int k = 0; k < 6; k++) {
            own[k] = m[k] + own[k];
        }
        loads->gamma = wide_fma(to_world(r, sign, own, forward_message[c]), wide_magnitude(a), loads->gamma);
    }
}

WIDE_INLINE void stage_forward_group(const Group *group, const int children, Fallen *out) {
    const AfxiSystem *system = group->system;
    const AfxiRecursionJoint *root = &group->joint[children];
    const double *kept = stored_of(group);
    Wide r[9], origin[3], start[AFXI_AFFINE_WIDTH], gamma, constants[AFXI_CHAIN_SIZE], inverse[INVERSE_SIZE],
        next[AFXI_AFFINE_WIDTH], here[3];
    Wide own[AFXI_RECURSION_FORWARD_MESSAGE], forward_message[AFXI_RECURSION_CHILDREN][AFXI_RECURSION_FORWARD_MESSAGE],
        a = wide_all(0);
    Wide b = wide_load(root->reach + group->first), sign = wide_load(root->sign + group->first);
    Loads3 loads;
    Wide held;
    double *to[AFXI_LANES];
    take_own(kept, AFXI_RECURSION_STORED_FRAME, 9, r);
    take_own(kept, AFXI_RECURSION_STORED_ORIGIN, 3, origin);
    take_own(kept, AFXI_RECURSION_STORED_START, AFXI_AFFINE_WIDTH, start);
    take_own(kept, AFXI_RECURSION_STORED_GAMMA, 1, &gamma);
    take_own(own_message(group), AFXI_RECURSION_LAMBDA, AFXI_RECURSION_FORWARD_MESSAGE, own);
    take_constants(pack_of(group), constants);
    make_inverse(constants, gamma, inverse);
    for (int half = 0; half < 2; half++) {
        wide_apply_transposed(r, own + 3 * half, loads.at_b + 3 * half);
        store_rows(group, root, system->lambda, 3 * (uint32_t)half, own + 3 * half);
    }
    loads.gamma = (wide_magnitude(own[0]) + (wide_magnitude(own[1]) + wide_magnitude(own[2]))) * wide_magnitude(b);
    for (int k = 0; k < 6; k++) {
        loads.at_b[k] = sign * loads.at_b[k];
        loads.at_a[k] = wide_all(0);
    }
    if (children) {
        a = wide_load(group->joint[0].reach + group->first);
        spread(group, children, r, inverse, start, a, b, &loads, forward_message);
    }
    for (int k = 0; k < 3; k++) {
        here[k] = loads.at_a[k] + loads.at_b[k];
    }
    wide_apply(r, here, loads.force);
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t body = group->job->body[group->first + l];
        to[l] = system->bodies.next + (size_t)AFXI_AFFINE_WIDTH * body;
    }
    take_own(pack_of(group), AFXI_PACK_HELD, 1, &held);
    finish_body(r, origin, start, inverse, a, b, &loads, gamma, held, constants[AFXI_CHAIN_INERTIA],
                system->recursion.fine, next, &out->bodies);
    wide_scatter(to, 3, next);
    for (int e = 0; e < children; e++) {
        for (int k = 0; k < 3; k++) {
            forward_message[e][6 + k] = wide_fma(next[k], a, next[9 + k]);
        }
        hand_on(group, &group->joint[e], forward_message[e]);
    }
    for (int k = 0; k < 3; k++) {
        here[k] = wide_fma(next[k], b, next[9 + k]);
    }
    check_gap(group, root, here, own + 6, out);
}

/* ---- the kernels ---- */

#define EACH(name, children)                                                                                          \
    static                                                                                                            \
        __attribute__((noinline)) void stage_backward_##name(const AfxiSystem *system, const AfxiRecursionJob *job) { \
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {                                                           \
            Group group = group_of(system, job, chunk);                                                               \
            stage_backward_group(&group, children);                                                                   \
        }                                                                                                             \
    }                                                                                                                 \
    static __attribute__((noinline)) void stage_forward_##name(const AfxiSystem *system, const AfxiRecursionJob *job, \
                                                               AfxiRecursionTally *out) {                             \
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {                                                           \
            Group group = group_of(system, job, chunk);                                                               \
            Fallen forwarded = tally_begin(&group, out);                                                              \
            stage_forward_group(&group, children, &forwarded);                                                        \
            tally_end(&group, &forwarded, out);                                                                       \
        }                                                                                                             \
    }
EACH(leaf, 0)
EACH(link, 1)
EACH(fork, (int)job->children)
#undef EACH

static void backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    (job->children == 1 ? stage_backward_link : job->children ? stage_backward_fork : stage_backward_leaf)(system, job);
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out) {
    (job->children == 1 ? stage_forward_link
     : job->children    ? stage_forward_fork
                        : stage_forward_leaf)(system, job, out);
}

extern const AfxiRecursionStageKernel AFXI_WIDE(afxi_recursion_batched);
const AfxiRecursionStageKernel AFXI_WIDE(afxi_recursion_batched) = {backward, forward};

#else
typedef int AfxiNoRecursionBatchedVariant; /* a file may not be empty */
#endif
