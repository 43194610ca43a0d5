/* SPDX-License-Identifier: Apache-2.0 */
/* The spring of a ball joint, one per lane, for *_wide.c files: rotational_spring.h has the equations.
 *
 * The rotation vector comes from the matrix Q without a call. Small turns have a series in the skew part of Q. For
 * others, the quaternion (w, v) from trace and skew part, then theta = 16 atan(tan(t/16)) v / |v| by two more halvings
 * of the angle and a series. */
#ifndef AFXI_JOINT_ROTATIONAL_SPRING_SOLVE_WIDE_H
#define AFXI_JOINT_ROTATIONAL_SPRING_SOLVE_WIDE_H

#include "joint/rotational_spring.h"
#include "joint/tuning.h"
#include "math/rotation_wide.h"
#include "math/vector_wide.h"

WIDE_INLINE void turn_cross(const Wide a[3], const Wide b[3], Wide out[3]) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = wide_nma(a[j], b[i], a[i] * b[j]);
    }
}

/* a b */
WIDE_INLINE void turn_multiply(const Wide a[9], const Wide b[9], Wide out[9]) {
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out[3 * c + r] = wide_fma(a[6 + r], b[3 * c + 2], wide_fma(a[3 + r], b[3 * c + 1], a[r] * b[3 * c]));
        }
    }
}

/* theta = log Q and c of rotational_spring.h for any rotation Q. */
WIDE_RARE Wide turn_vector_any(const Wide q[9], Wide theta[3]) {
    Wide v[3], one = wide_all(1), half = wide_all(0.5);
    Wide trace = one + (q[0] + (q[4] + q[8])), least = wide_all(AFXI_TURN_LEAST_TRACE);
    Wide w = half * wide_sqrt(wide_select(wide_less(trace, least), least, trace));
    Wide scale = wide_all(0.25) / w;
    v[0] = scale * (q[5] - q[7]);
    v[1] = scale * (q[6] - q[2]);
    v[2] = scale * (q[1] - q[3]);
    Wide square = wide_dot(v, v), ratio = one / (one + w); /* tan of a fraction of the angle is ratio |v| */
    for (int halving = 0; halving < 2; halving++) {
        ratio = ratio / (one + wide_sqrt(wide_fma(square, ratio * ratio, one)));
    }
    Wide x = square * (ratio * ratio), series = wide_all(1.0 / (2 * AFXI_TURN_SERIES + 1));
    for (int k = AFXI_TURN_SERIES - 1; k >= 0; k--) {
        series = wide_nma(x, series, wide_all(1.0 / (2 * k + 1)));
    }
    Wide per_v = wide_all(16) * (ratio * series), angle_squared = per_v * per_v * square;
    for (int k = 0; k < 3; k++) {
        theta[k] = per_v * v[k];
    }
    /* (t/2) cot(t/2) = (t / |v|) w / 2 */
    WideMask small = wide_less(angle_squared, wide_all(1e-6));
    Wide safe = wide_select(small, one, angle_squared);
    return wide_select(small, wide_all(1.0 / 12), wide_nma(half * per_v, w, one) / safe);
}

/* asin(s) / s for x = s² <= AFXI_TURN_SMALL: its Taylor series, in pairs of pairs. */
WIDE_INLINE Wide turn_arc(Wide x) {
    static const double a[13] = {1,
                                 1.0 / 6,
                                 3.0 / 40,
                                 5.0 / 112,
                                 35.0 / 1152,
                                 63.0 / 2816,
                                 231.0 / 13312,
                                 143.0 / 10240,
                                 6435.0 / 557056,
                                 12155.0 / 1245184,
                                 46189.0 / 5505024,
                                 88179.0 / 12058624,
                                 676039.0 / 104857600};
    Wide two = x * x, four = two * two, pair[6], quad[3];
    for (int k = 0; k < 6; k++) {
        pair[k] = wide_fma(wide_all(a[2 * k + 1]), x, wide_all(a[2 * k]));
    }
    for (int k = 0; k < 3; k++) {
        quad[k] = wide_fma(pair[2 * k + 1], two, pair[2 * k]);
    }
    quad[2] = wide_fma(wide_all(a[12]), four, quad[2]);
    return wide_fma(four * four, quad[2], wide_fma(four, quad[1], quad[0]));
}

/* theta = log Q and c of rotational_spring.h. Small turns, as springs have them, need neither square roots nor
 * divisions: the skew part of Q is sin t along the axis, and c = 1/12 + t²/720 + t^4/30240 + ... */
WIDE_INLINE Wide turn_rotation_vector(const Wide q[9], Wide theta[3]) {
    Wide half = wide_all(0.5), s[3] = {half * (q[5] - q[7]), half * (q[6] - q[2]), half * (q[1] - q[3])};
    Wide x = wide_dot(s, s), arc = turn_arc(x), t = arc * arc * x, two = t * t;
    WideMask small = wide_less(x, wide_all(AFXI_TURN_SMALL)) & wide_less(wide_all(2), q[0] + (q[4] + q[8]));
    Wide low = wide_fma(wide_all(1.0 / 720), t, wide_all(1.0 / 12));
    Wide middle = wide_fma(wide_all(1.0 / 1209600), t, wide_all(1.0 / 30240));
    Wide high = wide_fma(wide_all(691.0 / 1307674368000), t, wide_all(1.0 / 47900160));
    Wide c = wide_fma(two, wide_fma(two, high, middle), low);
    for (int k = 0; k < 3; k++) {
        theta[k] = arc * s[k];
    }
    if (wide_any(~small)) { /* with copies: numbers whose address leaves a kernel could not stay in registers there */
        Wide copy[9], far[3];
        wide_copy(q, 9, copy);
        Wide own = turn_vector_any(copy, far);
        for (int k = 0; k < 3; k++) {
            theta[k] = wide_select(small, theta[k], far[k]);
        }
        c = wide_select(small, c, own);
    }
    return c;
}

/* Sum over the columns of r_k x x_k / 2: the angular velocity, in the world, of a rate x of a rotation r. */
WIDE_INLINE void turn_spin(const Wide r[9], const Wide x[9], Wide factor, Wide out[3]) {
    Wide sum[3], part[3];
    turn_cross(r, x, sum);
    for (int k = 1; k < 3; k++) {
        turn_cross(r + 3 * k, x + 3 * k, part);
        for (int e = 0; e < 3; e++) {
            sum[e] = sum[e] + part[e];
        }
    }
    for (int e = 0; e < 3; e++) {
        out[e] = factor * sum[e];
    }
}

/* Lower half of the inverse of a symmetric matrix; both as xx, yy, zz, xy, xz, yz. */
WIDE_INLINE void turn_invert(const Wide s[6], Wide out[6]) {
    Wide xx = wide_nma(s[5], s[5], s[1] * s[2]), xy = wide_nma(s[3], s[2], s[4] * s[5]);
    Wide xz = wide_nma(s[4], s[1], s[3] * s[5]);
    Wide det = wide_fma(s[4], xz, wide_fma(s[3], xy, s[0] * xx)), per = wide_all(1) / det;
    out[0] = per * xx;
    out[1] = per * wide_nma(s[4], s[4], s[0] * s[2]);
    out[2] = per * wide_nma(s[3], s[3], s[0] * s[1]);
    out[3] = per * xy;
    out[4] = per * xz;
    out[5] = per * wide_nma(s[0], s[5], s[3] * s[4]);
}

/* J of rotational_spring.h, by rows. */
WIDE_INLINE void turn_jacobian(const Wide theta[3], Wide c, Wide out[3][3]) {
    Wide rest = wide_nma(c, wide_dot(theta, theta), wide_all(1)), half = wide_all(0.5);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Wide scaled = c * theta[i];
        out[i][i] = wide_fma(scaled, theta[i], rest);
        out[i][j] = wide_fma(scaled, theta[j], half * theta[k]); /* -[theta]/2 has +theta_k/2 at (i, i+1) */
        out[i][k] = wide_nma(half, theta[j], scaled * theta[k]);
    }
}

/* In the axes of the base: from Q = R_b^T R_a P and the rate of the follower against the base. */
WIDE_INLINE void turn_solve_placed(const Wide in[AFXI_ROTATIONAL_SPRING_USED], const Wide q[9], const Wide rate[3],
                                   Wide per_h, Wide out[AFXI_ROTATIONAL_SPRING_RESULT]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const Wide *k = in + AFXI_ROTATIONAL_SPRING_K, *d = in + AFXI_ROTATIONAL_SPRING_D;
    Wide theta[3], j[3][3], kj[3][3], stiffness[6], damped[3], *load = out + AFXI_ROTATIONAL_SPRING_TORQUE;
    Wide bend = turn_rotation_vector(q, theta);
    turn_jacobian(theta, bend, j);
    for (int c = 0; c < 3; c++) { /* K J by columns */
        const Wide own[3] = {j[0][c], j[1][c], j[2][c]};
        wide_apply_symmetric(k, own, kj[c]);
    }
    for (int e = 0; e < 6; e++) {
        Wide sum = d[e] * per_h;
        for (int i = 0; i < 3; i++) {
            sum = wide_fma(kj[row[e]][i], j[i][column[e]], sum);
        }
        stiffness[e] = sum;
    }
    wide_apply_symmetric(d, rate, damped);
    for (int e = 0; e < 3; e++) {
        load[e] = damped[e] + wide_dot(kj[e], theta);
    }
    turn_invert(stiffness, out + AFXI_ROTATIONAL_SPRING_COMPLIANCE);
    wide_apply_symmetric(out + AFXI_ROTATIONAL_SPRING_COMPLIANCE, load, out + AFXI_ROTATIONAL_SPRING_VALUE);
}

/* From the base's axes to those that `r` turns them into. */
WIDE_INLINE void turn_result(const Wide r[9], const Wide in[AFXI_ROTATIONAL_SPRING_RESULT],
                             Wide out[AFXI_ROTATIONAL_SPRING_RESULT]) {
    wide_apply(r, in + AFXI_ROTATIONAL_SPRING_VALUE, out + AFXI_ROTATIONAL_SPRING_VALUE);
    wide_apply(r, in + AFXI_ROTATIONAL_SPRING_TORQUE, out + AFXI_ROTATIONAL_SPRING_TORQUE);
    wide_turn_symmetric(r, in + AFXI_ROTATIONAL_SPRING_COMPLIANCE, out + AFXI_ROTATIONAL_SPRING_COMPLIANCE);
}

/* In world axes, as the rate is. */
WIDE_INLINE void turn_solve(const Wide in[AFXI_ROTATIONAL_SPRING_USED], const Wide r_a[9], const Wide r_b[9],
                            const Wide rate[3], Wide per_h, Wide out[AFXI_ROTATIONAL_SPRING_RESULT]) {
    Wide relative[9], q[9], local[3], result[AFXI_ROTATIONAL_SPRING_RESULT];
    wide_multiply_tn(r_b, r_a, relative);
    turn_multiply(relative, in + AFXI_ROTATIONAL_SPRING_AXES, q);
    wide_apply_transposed(r_b, rate, local);
    turn_solve_placed(in, q, local, per_h, result);
    turn_result(r_b, result, out);
}

#endif
