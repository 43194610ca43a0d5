/* SPDX-License-Identifier: Apache-2.0 */
/* Swing, twist and angle of a rotation. */
#include "joint/swing.h"

#include <math.h>
#include <string.h>

#include "joint/tuning.h"

/* Entries of Q, column-major: [3 * column + row]. */
enum { XX = 0, YX = 1, ZX = 2, XY = 3, YY = 4, ZY = 5, XZ = 6, YZ = 7, ZZ = 8 };

/* Both axes of each side in the world, and Q. */
static AfxiMat3 axes_of(const AfxiJointFrame *frame, const AfxiPairState *state, AfxiMat3 *out_a, AfxiMat3 *out_b) {
    *out_a = mat3_multiply(&state->a_a, &frame->axes_a);
    *out_b = mat3_multiply(&state->a_b, &frame->axes_b);
    return mat3_multiply_tn(out_b, out_a);
}

/* Cosine of a swing or angle: linear in Q. */
static double cosine_of(AfxiAxisType type, const double *q) {
    double c = type == AFXI_AXIS_SWING ? q[XX] : 0.5 * (q[XX] + q[YY] + q[ZZ] - 1);
    return fmax(-1, fmin(1, c)); /* beyond only by strain */
}

double afxi_swing_value(AfxiAxisType type, const AfxiJointFrame *frame, const AfxiPairState *state) {
    AfxiMat3 a, b, q = axes_of(frame, state, &a, &b);
    return type == AFXI_AXIS_TWIST ? atan2(q.m[ZY] - q.m[YZ], q.m[YY] + q.m[ZZ]) : acos(cosine_of(type, q.m));
}

double afxi_swing_regular(AfxiAxisType type, const AfxiJointFrame *frame, const AfxiPairState *state) {
    AfxiMat3 a, b, q = axes_of(frame, state, &a, &b);
    return sqrt(0.5 * (1 + cosine_of(type == AFXI_AXIS_TWIST ? AFXI_AXIS_SWING : type, q.m)));
}

/* Derivatives by the entries of Q. */
static AfxiMat3 derivatives(AfxiAxisType type, const double *q) {
    AfxiMat3 by = {{0}};
    if (type == AFXI_AXIS_TWIST) {
        double f = q[ZY] - q[YZ], g = q[YY] + q[ZZ], square = fmax(AFXI_SWING_LEAST, f * f + g * g);
        by.m[ZY] = g / square;
        by.m[YZ] = -g / square;
        by.m[YY] = by.m[ZZ] = -f / square;
        return by;
    }
    double c = cosine_of(type, q), slope = -1 / sqrt(fmax(AFXI_SWING_LEAST, 1 - c * c));
    by.m[XX] = type == AFXI_AXIS_SWING ? slope : 0.5 * slope;
    by.m[YY] = by.m[ZZ] = type == AFXI_AXIS_SWING ? 0 : 0.5 * slope;
    return by;
}

/* Adds n y^T, turned into the frame r. */
static void add_outer(AfxiRowGradient *out, const AfxiMat3 *r, AfxVec3 n, AfxVec3 y) {
    AfxVec3 turned = mat3_apply_transposed(r, n);
    double weight[3];
    vec3_store(weight, y);
    for (int k = 0; k < 3; k++) {
        vec3_store(out->g + 3 * k, vec3_mad(vec3_load(out->g + 3 * k), weight[k], turned));
    }
}

void afxi_swing_gradient(AfxiAxisType type, const AfxiJointFrame *frame, const AfxiPairState *state,
                         AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    AfxiMat3 a, b, q = axes_of(frame, state, &a, &b), by = derivatives(type, q.m);
    memset(out_a, 0, sizeof *out_a);
    memset(out_b, 0, sizeof *out_b);
    AfxiMat3 across = mat3_transpose(&by);
    for (int k = 0; k < 3; k++) { /* sum over i of by_ik v_i on u_k, and over j of by_kj u_j on v_k */
        add_outer(out_a, &state->r_a, mat3_apply(&b, mat3_column(&by, k)), mat3_column(&frame->axes_a, k));
        add_outer(out_b, &state->r_b, mat3_apply(&a, mat3_column(&across, k)), mat3_column(&frame->axes_b, k));
    }
}
