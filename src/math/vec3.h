/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar 3-vectors, quaternions and 3x3 matrices (column-major: m[3*column + row]), all inline. */
#ifndef AFXI_MATH_VEC3_H
#define AFXI_MATH_VEC3_H

#include <math.h>

#include "affix/math.h"

#define AFXI_TWO_PI 6.283185307179586476925

/** 3x3 matrix, column-major, as A in a body's coordinates. */
typedef struct AfxiMat3 {
    double m[9];
} AfxiMat3;

static inline AfxVec3 vec3(double x, double y, double z) {
    return (AfxVec3){x, y, z};
}
static inline AfxVec3 vec3_add(AfxVec3 a, AfxVec3 b) {
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline AfxVec3 vec3_sub(AfxVec3 a, AfxVec3 b) {
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline AfxVec3 vec3_scale(double s, AfxVec3 a) {
    return vec3(s * a.x, s * a.y, s * a.z);
}
/** a + s b */
static inline AfxVec3 vec3_mad(AfxVec3 a, double s, AfxVec3 b) {
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double vec3_dot(AfxVec3 a, AfxVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline AfxVec3 vec3_cross(AfxVec3 a, AfxVec3 b) {
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double vec3_length(AfxVec3 a) {
    return sqrt(vec3_dot(a, a));
}
static inline bool vec3_finite(AfxVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline AfxVec3 vec3_load(const double *p) {
    return vec3(p[0], p[1], p[2]);
}
static inline void vec3_store(double *p, AfxVec3 a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline AfxiMat3 mat3_identity(void) {
    return (AfxiMat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}
static inline AfxiMat3 mat3_load(const double *p) {
    return (AfxiMat3){{p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]}};
}
static inline AfxVec3 mat3_column(const AfxiMat3 *a, int k) {
    return vec3_load(a->m + 3 * k);
}
static inline AfxiMat3 mat3_from_columns(AfxVec3 a, AfxVec3 b, AfxVec3 c) {
    return (AfxiMat3){{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
}
static inline AfxVec3 mat3_apply(const AfxiMat3 *a, AfxVec3 v) {
    const double *m = a->m;
    return vec3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
/** m v, m symmetric as xx, yy, zz, xy, xz, yz */
static inline AfxVec3 sym3_apply(const double m[6], AfxVec3 v) {
    return vec3(m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
                m[4] * v.x + m[5] * v.y + m[2] * v.z);
}
/** transpose(a) v */
static inline AfxVec3 mat3_apply_transposed(const AfxiMat3 *a, AfxVec3 v) {
    return vec3(vec3_dot(mat3_column(a, 0), v), vec3_dot(mat3_column(a, 1), v), vec3_dot(mat3_column(a, 2), v));
}
static inline AfxiMat3 mat3_multiply(const AfxiMat3 *a, const AfxiMat3 *b) {
    return mat3_from_columns(mat3_apply(a, mat3_column(b, 0)), mat3_apply(a, mat3_column(b, 1)),
                             mat3_apply(a, mat3_column(b, 2)));
}
/** transpose(a) b */
static inline AfxiMat3 mat3_multiply_tn(const AfxiMat3 *a, const AfxiMat3 *b) {
    return mat3_from_columns(mat3_apply_transposed(a, mat3_column(b, 0)), mat3_apply_transposed(a, mat3_column(b, 1)),
                             mat3_apply_transposed(a, mat3_column(b, 2)));
}
static inline AfxiMat3 mat3_transpose(const AfxiMat3 *a) {
    const double *m = a->m;
    return (AfxiMat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline double mat3_determinant(const AfxiMat3 *a) {
    return vec3_dot(mat3_column(a, 0), vec3_cross(mat3_column(a, 1), mat3_column(a, 2)));
}
/** The matrix of w x (.). */
static inline AfxiMat3 mat3_skew(AfxVec3 w) {
    return (AfxiMat3){{0, w.z, -w.y, -w.z, 0, w.x, w.y, -w.x, 0}};
}
/** The vector w whose mat3_skew is the skew part of a. */
static inline AfxVec3 mat3_axial(const AfxiMat3 *a) {
    const double *m = a->m;
    return vec3(0.5 * (m[5] - m[7]), 0.5 * (m[6] - m[2]), 0.5 * (m[1] - m[3]));
}
static inline AfxiMat3 mat3_from_quat(AfxQuat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (AfxiMat3){{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy), 2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx),
                       2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}
/** The unit quaternion of a rotation matrix. */
AfxQuat afxi_quat_from_mat3(const AfxiMat3 *r);
/** q divided by its length; identity when that is zero or not finite. */
AfxQuat afxi_quat_normalized(AfxQuat q);
/** The rotation exp([w]x). */
AfxiMat3 afxi_mat3_rotation(AfxVec3 w);

#endif
