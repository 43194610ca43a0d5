/* SPDX-License-Identifier: Apache-2.0 */
/* The rotation R that maximises tr(transpose(R) A).
 *
 * Write A = U diag(s1, s2, s3) transpose(V) with rotations U, V and s1 >= s2 >= |s3| (s3 < 0 if A is inverted). Then
 * R = U transpose(V), unique if s2 + s3 > 0. With |A| = 1 (Frobenius), Y = A + cof(A) has the same U and V and the
 * factors s1 + s2 s3, s2 + s1 s3, s3 + s1 s2, of which only the last can be negative. So if det Y > 0 then R is the
 * polar factor of Y, a better conditioned matrix than A, and Newton's iteration X <- (X + cof(X) / det X) / 2 finds it
 * (Higham 1986). Otherwise tr(transpose(R) A) is a quadratic form in R's quaternion, and its largest eigenvector is the
 * answer (Davenport 1968; Horn 1987). */
#include "math/polar.h"

#include "math/eigen.h"
#include "math/tuning.h"

/* fmax costs a call, and these values are never NaN. */
static double larger(double a, double b) {
    return a > b ? a : b;
}

static AfxiMat3 cofactors(const AfxiMat3 *x) {
    AfxVec3 a = mat3_column(x, 0), b = mat3_column(x, 1), c = mat3_column(x, 2);
    return mat3_from_columns(vec3_cross(b, c), vec3_cross(c, a), vec3_cross(a, b));
}

/* s a + t b */
static AfxiMat3 combine(double s, const AfxiMat3 *a, double t, const AfxiMat3 *b) {
    AfxiMat3 r;
    for (int k = 0; k < 9; k++)
        r.m[k] = s * a->m[k] + t * b->m[k];
    return r;
}

static AfxiMat3 scaled(double s, const AfxiMat3 *a) {
    AfxiMat3 r;
    for (int k = 0; k < 9; k++)
        r.m[k] = s * a->m[k];
    return r;
}

static double norm(const AfxiMat3 *a) {
    AfxVec3 c0 = mat3_column(a, 0), c1 = mat3_column(a, 1), c2 = mat3_column(a, 2);
    return sqrt(vec3_dot(c0, c0) + vec3_dot(c1, c1) + vec3_dot(c2, c2));
}

/* a / |a| without overflow or underflow; false if a is zero or not finite. */
static bool normalize(const AfxiMat3 *a, AfxiMat3 *out) {
    double largest = 0;
    for (int k = 0; k < 9; k++) {
        if (!isfinite(a->m[k]))
            return false;
        largest = larger(largest, fabs(a->m[k]));
    }
    if (largest == 0)
        return false;
    *out = *a;
    if (largest < 1e-100 || largest > 1e100) /* the squares could underflow or overflow */
        for (int k = 0; k < 9; k++)
            out->m[k] /= largest;
    *out = scaled(1 / norm(out), out);
    return true;
}

/* One step of Newton's iteration; needs det x > 0. */
static AfxiMat3 newton_step(const AfxiMat3 *x) {
    AfxiMat3 cof = cofactors(x);
    double det = vec3_dot(mat3_column(x, 0), mat3_column(&cof, 0));
    return combine(0.5, x, 0.5 / det, &cof);
}

/* The rotation part of a (|a| = 1) by Newton's iteration; false if a is too near to where it is not unique. */
static bool rotation_by_newton(const AfxiMat3 *a, AfxiMat3 *out) {
    AfxiMat3 cof = cofactors(a);
    AfxiMat3 x = combine(1, a, 1, &cof);
    x = scaled(sqrt(3.0) / norm(&x), &x); /* a rotation starts converged */
    if (!(mat3_determinant(&x) > AFXI_NEWTON_DETERMINANT))
        return false;
    for (int step = 0; step < AFXI_NEWTON_STEPS_MOST; step++) {
        AfxiMat3 next = newton_step(&x);
        double change = 0;
        for (int k = 0; k < 9; k++)
            change = larger(change, fabs(next.m[k] - x.m[k]));
        x = next;
        if (change < AFXI_NEWTON_CHANGE) {
            *out = x;
            return true;
        }
    }
    return false;
}

/* The rotation part of a by the largest eigenvector of the form tr(transpose(R(q)) a). */
static AfxiMat3 rotation_by_quaternion(const AfxiMat3 *a) {
    const double *m = a->m;
    double wx = m[5] - m[7], wy = m[6] - m[2], wz = m[1] - m[3];
    double xy = m[3] + m[1], xz = m[6] + m[2], yz = m[7] + m[5];
    double form[16] = {m[0] + m[4] + m[8], wx, wy, wz, wx, m[0] - m[4] - m[8], xy, xz, wy, xy,
                       m[4] - m[8] - m[0], yz, wz, xz, yz, m[8] - m[0] - m[4]};
    double values[4], vectors[16];
    afxi_eigen_sym4(form, values, vectors);
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (values[k] > values[best])
            best = k;
    const double *q = vectors + 4 * best;
    return mat3_from_quat(afxi_quat_normalized((AfxQuat){q[0], q[1], q[2], q[3]}));
}

/* Takes the guess's pull out of r again in the directions where a alone decides. With B = transpose(r) a, its symmetric
 * part S and axial vector b, the maximum over r exp([w]x) is at (tr S - S) w = 2 b; eigenvalues h of that matrix that
 * are no larger than the bias count as 0 (smoothly), and there r stays. */
static AfxiMat3 polish(AfxiMat3 r, const AfxiMat3 *a) {
    for (int step = 0; step < AFXI_ROTATION_POLISH; step++) {
        AfxiMat3 b = mat3_multiply_tn(&r, a);
        const double *m = b.m;
        double sym[6] = {m[0], m[4], m[8], 0.5 * (m[1] + m[3]), 0.5 * (m[2] + m[6]), 0.5 * (m[5] + m[7])};
        double values[3];
        AfxiMat3 axes;
        afxi_eigen_sym3(sym, values, &axes);
        AfxVec3 torque = vec3_scale(2, mat3_axial(&b));
        double trace = values[0] + values[1] + values[2];
        AfxVec3 turn = vec3(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            double h = larger(trace - values[k], 0);
            AfxVec3 axis = mat3_column(&axes, k);
            turn = vec3_mad(turn, h / (h * h + AFXI_ROTATION_BIAS * AFXI_ROTATION_BIAS) * vec3_dot(axis, torque), axis);
        }
        AfxiMat3 rotation = afxi_mat3_rotation(turn);
        r = mat3_multiply(&r, &rotation);
    }
    return newton_step(&r); /* rounds off what the products lost in orthogonality */
}

AfxiMat3 afxi_rotation_part(const AfxiMat3 *a, const AfxiMat3 *guess) {
    AfxiMat3 prior = guess ? *guess : mat3_identity();
    AfxiMat3 unit, r;
    if (!normalize(a, &unit))
        return prior;
    if (rotation_by_newton(&unit, &r))
        return r;
    AfxiMat3 biased = combine(1, &unit, AFXI_ROTATION_BIAS, &prior);
    return polish(rotation_by_quaternion(&biased), &unit);
}
