/* SPDX-License-Identifier: Apache-2.0 */
/* The spring of a ball joint, one per lane, for *_wide.c files: turn.h has the equations.
 *
 * The rotation vector comes from the matrix Q without a call: its quaternion (w, v) from trace and skew part, then
 * theta = 16 atan(tan(t/16)) v / |v| by two more halvings of the angle and a series. */
#ifndef AFXI_JOINT_TURN_SOLVE_WIDE_H
#define AFXI_JOINT_TURN_SOLVE_WIDE_H

#include "joint/turn.h"
#include "math/vector_wide.h"

#define TURN_SERIES 12
/* 1 + trace Q: half a turn less 1e-6 rad; there the axis is lost in rounding. */
#define TURN_LEAST_TRACE 1e-12

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

/* theta = log Q for a rotation Q = transpose(b) p, and c of turn.h. */
WIDE_INLINE Wide turn_rotation_vector(const Wide b[9], const Wide p[9], Wide theta[3]) {
    Wide q[9], v[3], one = wide_all(1), half = wide_all(0.5);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            q[3 * c + r] = wide_dot(b + 3 * r, p + 3 * c);
        }
    }
    Wide trace = one + (q[0] + (q[4] + q[8])), least = wide_all(TURN_LEAST_TRACE);
    Wide w = half * wide_sqrt(wide_select(wide_less(trace, least), least, trace));
    Wide scale = wide_all(0.25) / w;
    v[0] = scale * (q[5] - q[7]);
    v[1] = scale * (q[6] - q[2]);
    v[2] = scale * (q[1] - q[3]);
    Wide square = wide_dot(v, v), ratio = one / (one + w); /* tan of a fraction of the angle is ratio |v| */
    for (int halving = 0; halving < 2; halving++) {
        ratio = ratio / (one + wide_sqrt(wide_fma(square, ratio * ratio, one)));
    }
    Wide x = square * (ratio * ratio), series = wide_all(1.0 / (2 * TURN_SERIES + 1));
    for (int k = TURN_SERIES - 1; k >= 0; k--) {
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

/* J of turn.h, by rows. */
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

/* From B and P = R_a F_a rest^T. */
WIDE_INLINE void turn_solve_placed(const Wide in[AFXI_TURN_CONSTANTS], const Wide b[9], const Wide p[9],
                                   const Wide rate[3], Wide per_h, Wide out[AFXI_TURN_RESULT]) {
    const Wide *k = in + AFXI_TURN_K, *d = in + AFXI_TURN_D;
    Wide theta[3], j[3][3], stiffness[6], inverse[6], load[3], local[3], value[3];
    Wide c = turn_rotation_vector(b, p, theta);
    turn_jacobian(theta, c, j);
    wide_apply_transposed(b, rate, local);
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        Wide sum = e < 3 ? d[e] * per_h : wide_all(0);
        for (int i = 0; i < 3; i++) {
            sum = wide_fma(k[i] * j[i][row[e]], j[i][column[e]], sum);
        }
        stiffness[e] = sum;
    }
    for (int e = 0; e < 3; e++) {
        load[e] = d[e] * local[e];
        for (int i = 0; i < 3; i++) {
            load[e] = wide_fma(j[i][e], k[i] * theta[i], load[e]);
        }
    }
    turn_invert(stiffness, inverse);
    wide_apply_symmetric(inverse, load, value);
    wide_apply(b, value, out + AFXI_TURN_VALUE);
    wide_apply(b, load, out + AFXI_TURN_TORQUE);
    wide_turn_symmetric(b, inverse, out + AFXI_TURN_COMPLIANCE);
}

WIDE_INLINE void turn_solve(const Wide in[AFXI_TURN_CONSTANTS], const Wide r_a[9], const Wide r_b[9],
                            const Wide rate[3], Wide per_h, Wide out[AFXI_TURN_RESULT]) {
    Wide b[9], p[9];
    turn_multiply(r_b, in + AFXI_TURN_AXES_B, b);
    turn_multiply(r_a, in + AFXI_TURN_AXES_A, p);
    turn_solve_placed(in, b, p, rate, per_h, out);
}

#endif
