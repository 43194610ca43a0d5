/* SPDX-License-Identifier: Apache-2.0 */
/* Poses and velocities: between the body's own frame and the raw coordinates of its principal frame.
 *
 * With P the principal axes and c the centre in the body's frame: A = R P, t = R c + p, and the origin of the body's
 * frame is the principal point -P^T c. For a stretched A = R S the rotation's rate is
 *     (tr(S) I - S) w = 2 axial(R^T A'). */
#include "state/pose.h"

#include <math.h>
#include <string.h>

#include "math/polar.h"

void afxi_raw_from_pose(const AfxiFrame *frame, AfxPose pose, AfxTwist twist, double *out_q, double *out_v) {
    AfxiMat3 rotation = mat3_from_quat(pose.rotation);
    AfxiMat3 a = mat3_multiply(&rotation, &frame->axes);
    AfxVec3 arm = mat3_apply(&rotation, frame->center);
    memcpy(out_q, a.m, sizeof a.m);
    vec3_store(out_q + 9, vec3_add(pose.position, arm));
    for (int k = 0; k < 3; k++) {
        vec3_store(out_v + 3 * k, vec3_cross(twist.angular, mat3_column(&a, k)));
    }
    vec3_store(out_v + 9, vec3_add(twist.linear, vec3_cross(twist.angular, arm)));
}

/* Position of the body's origin, or with velocities its velocity: A x + t. */
static AfxVec3 origin(const AfxiFrame *frame, const double *q) {
    AfxiMat3 a = mat3_load(q);
    AfxVec3 x = mat3_apply_transposed(&frame->axes, frame->center);
    return vec3_sub(vec3_load(q + 9), mat3_apply(&a, x));
}

AfxPose afxi_pose_from_raw(const AfxiFrame *frame, const double *q) {
    AfxiMat3 a = mat3_load(q);
    AfxiMat3 r = afxi_rotation_part(&a, NULL), back = mat3_transpose(&frame->axes);
    AfxiMat3 own = mat3_multiply(&r, &back);
    return (AfxPose){origin(frame, q), afxi_quat_from_mat3(&own)};
}

/* Solves the symmetric 3x3 system m x = b by cofactors; zero when m is singular. */
static AfxVec3 solve3(const AfxiMat3 *m, AfxVec3 b) {
    AfxVec3 x = mat3_column(m, 0), y = mat3_column(m, 1), z = mat3_column(m, 2);
    double det = mat3_determinant(m);
    if (det == 0) {
        return vec3(0, 0, 0);
    }
    return vec3(vec3_dot(b, vec3_cross(y, z)) / det, vec3_dot(x, vec3_cross(b, z)) / det,
                vec3_dot(x, vec3_cross(y, b)) / det);
}

AfxTwist afxi_twist_from_raw(const AfxiFrame *frame, const double *q, const double *v) {
    AfxiMat3 a = mat3_load(q), rate = mat3_load(v);
    AfxiMat3 r = afxi_rotation_part(&a, NULL);
    AfxiMat3 stretch = mat3_multiply_tn(&r, &a), local = mat3_multiply_tn(&r, &rate);
    double trace = stretch.m[0] + stretch.m[4] + stretch.m[8];
    for (int k = 0; k < 9; k++) {
        stretch.m[k] = (k % 4 == 0 ? trace : 0) - stretch.m[k];
    }
    AfxVec3 spin = solve3(&stretch, vec3_scale(2, mat3_axial(&local)));
    return (AfxTwist){origin(frame, v), mat3_apply(&r, spin)};
}

bool afxi_pose_valid(AfxPose pose) {
    AfxQuat q = pose.rotation;
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return vec3_finite(pose.position) && fabs(length - 1) < 1e-3;
}
