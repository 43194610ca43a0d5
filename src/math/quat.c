/* SPDX-License-Identifier: Apache-2.0 */
/* Unit quaternions and poses. The product is Hamilton's, v turned by q = (w, u) is v + 2 w (u x v) + 2 u x (u x v);
 * the quaternion of a matrix follows Shepperd (1978): divide by the largest of the four components. */
#include "math/vec3.h"

static double largest_of(double a, double b, double c) {
    return fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

AfxQuat afxi_quat_normalized(AfxQuat q) {
    double largest = fmax(fabs(q.w), largest_of(q.x, q.y, q.z));
    if (!isfinite(q.w) || !isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) || largest == 0)
        return (AfxQuat){1, 0, 0, 0};
    if (largest < 1e-140 || largest > 1e140) /* the squares would underflow or overflow */
        q = (AfxQuat){q.w / largest, q.x / largest, q.y / largest, q.z / largest};
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (AfxQuat){q.w / length, q.x / length, q.y / length, q.z / length};
}

AfxQuat afxi_quat_from_mat3(const AfxiMat3 *r) {
    const double *m = r->m;
    double trace = m[0] + m[4] + m[8];
    AfxQuat q;
    /* Each branch computes 4 c (w, x, y, z) with c the largest component, so nothing cancels. */
    if (trace >= m[0] && trace >= m[4] && trace >= m[8])
        q = (AfxQuat){1 + trace, m[5] - m[7], m[6] - m[2], m[1] - m[3]};
    else if (m[0] >= m[4] && m[0] >= m[8])
        q = (AfxQuat){m[5] - m[7], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    else if (m[4] >= m[8])
        q = (AfxQuat){m[6] - m[2], m[1] + m[3], 1 + m[4] - m[8] - m[0], m[5] + m[7]};
    else
        q = (AfxQuat){m[1] - m[3], m[2] + m[6], m[5] + m[7], 1 + m[8] - m[0] - m[4]};
    return afxi_quat_normalized(q);
}

AfxiMat3 afxi_mat3_rotation(AfxVec3 w) {
    AfxVec3 h = vec3_scale(0.5, w);
    double half = vec3_length(h);
    if (!isfinite(half)) /* the square overflowed; the length itself cannot */
        half = hypot(hypot(h.x, h.y), h.z);
    double sinc = half == 0 ? 1 : sin(half) / half; /* also 1 where the square underflows */
    return mat3_from_quat((AfxQuat){cos(half), sinc * h.x, sinc * h.y, sinc * h.z});
}

AfxQuat afx_quat_from_axis_angle(AfxVec3 axis, double angle) {
    double largest = largest_of(axis.x, axis.y, axis.z);
    if (!vec3_finite(axis) || !isfinite(angle) || largest == 0)
        return (AfxQuat){1, 0, 0, 0};
    AfxVec3 u = vec3(axis.x / largest, axis.y / largest, axis.z / largest);
    double s = sin(0.5 * angle) / vec3_length(u);
    return (AfxQuat){cos(0.5 * angle), s * u.x, s * u.y, s * u.z};
}

AfxVec3 afx_quat_rotate(AfxQuat q, AfxVec3 v) {
    AfxVec3 u = vec3(q.x, q.y, q.z);
    AfxVec3 t = vec3_scale(2, vec3_cross(u, v));
    return vec3_add(vec3_mad(v, q.w, t), vec3_cross(u, t));
}

AfxQuat afx_quat_multiply(AfxQuat a, AfxQuat b) {
    return (AfxQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

AfxPose afx_pose_identity(void) {
    return (AfxPose){{0, 0, 0}, {1, 0, 0, 0}};
}

AfxPose afx_pose_compose(AfxPose a, AfxPose b) {
    /* Normalised, so that a long product of poses stays a pose. */
    return (AfxPose){afx_pose_apply(a, b.position), afxi_quat_normalized(afx_quat_multiply(a.rotation, b.rotation))};
}

AfxPose afx_pose_invert(AfxPose p) {
    AfxQuat back = {p.rotation.w, -p.rotation.x, -p.rotation.y, -p.rotation.z};
    return (AfxPose){vec3_scale(-1, afx_quat_rotate(back, p.position)), back};
}

AfxVec3 afx_pose_apply(AfxPose p, AfxVec3 point) {
    return vec3_add(p.position, afx_quat_rotate(p.rotation, point));
}
