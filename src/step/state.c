/* SPDX-License-Identifier: Apache-2.0 */
/* Poses, velocities and markers: between the body's own frame and the raw coordinates of its principal frame.
 *
 * With P the principal axes and c the centre in the body's frame: A = R P, t = R c + p, and the origin of the body's
 * frame is the principal point -P^T c. For a stretched A = R S the rotation's rate is
 *     (tr(S) I - S) w = 2 axial(R^T A'). */
#include <math.h>
#include <string.h>

#include "math/polar.h"
#include "step/sim.h"

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

static bool body_valid(const AfxSim *sim, uint32_t body) {
    return sim && body < sim->model->body_count;
}

bool afxi_pose_valid(AfxPose pose) {
    AfxQuat q = pose.rotation;
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return vec3_finite(pose.position) && fabs(length - 1) < 1e-3;
}

static bool twist_valid(AfxTwist twist) {
    return vec3_finite(twist.linear) && vec3_finite(twist.angular);
}

const double *afx_sim_coordinates(const AfxSim *sim) {
    return sim ? sim->q : NULL;
}

const double *afx_sim_velocities(const AfxSim *sim) {
    return sim ? sim->v : NULL;
}

static bool all_finite(const double *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) {
            return false;
        }
    }
    return true;
}

AfxStatus afx_sim_set_state(AfxSim *sim, const double *coordinates, const double *velocities) {
    size_t count = sim ? (size_t)12 * sim->model->body_count : 0;
    if (!sim || (coordinates && !all_finite(coordinates, count)) || (velocities && !all_finite(velocities, count))) {
        return AFX_E_ARGUMENT;
    }
    if (coordinates) {
        memcpy(sim->q, coordinates, count * sizeof *coordinates);
    }
    if (velocities) {
        memcpy(sim->v, velocities, count * sizeof *velocities);
    }
    afxi_history_drop(sim);
    return AFX_OK;
}

AfxStatus afx_sim_body_pose(const AfxSim *sim, uint32_t body, AfxPose *out_pose) {
    if (!body_valid(sim, body) || !out_pose) {
        return AFX_E_ARGUMENT;
    }
    *out_pose = afxi_pose_from_raw(afxi_model_frame(sim->model, body), sim->q + (size_t)12 * body);
    return AFX_OK;
}

AfxStatus afx_sim_body_twist(const AfxSim *sim, uint32_t body, AfxTwist *out_twist) {
    if (!body_valid(sim, body) || !out_twist) {
        return AFX_E_ARGUMENT;
    }
    size_t at = (size_t)12 * body;
    *out_twist = afxi_twist_from_raw(afxi_model_frame(sim->model, body), sim->q + at, sim->v + at);
    return AFX_OK;
}

static void place(AfxSim *sim, uint32_t body, AfxPose pose, AfxTwist twist) {
    size_t at = (size_t)12 * body;
    pose.rotation = afxi_quat_normalized(pose.rotation);
    afxi_raw_from_pose(afxi_model_frame(sim->model, body), pose, twist, sim->q + at, sim->v + at);
    afxi_history_drop(sim);
}

AfxStatus afx_sim_set_body_pose(AfxSim *sim, uint32_t body, AfxPose pose) {
    AfxTwist twist;
    if (!afxi_pose_valid(pose) || afx_sim_body_twist(sim, body, &twist) != AFX_OK) {
        return AFX_E_ARGUMENT;
    }
    place(sim, body, pose, twist);
    return AFX_OK;
}

AfxStatus afx_sim_set_body_twist(AfxSim *sim, uint32_t body, AfxTwist twist) {
    AfxPose pose;
    if (!twist_valid(twist) || afx_sim_body_pose(sim, body, &pose) != AFX_OK) {
        return AFX_E_ARGUMENT;
    }
    place(sim, body, pose, twist);
    return AFX_OK;
}

AfxStatus afx_sim_poses(const AfxSim *sim, AfxPose *out_poses) {
    if (!sim || !out_poses) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->body_count; k++) {
        afx_sim_body_pose(sim, k, &out_poses[k]);
    }
    return AFX_OK;
}

AfxStatus afx_sim_set_poses(AfxSim *sim, const AfxPose *poses) {
    uint32_t count = sim && poses ? sim->model->body_count : 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!afxi_pose_valid(poses[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        afx_sim_set_body_pose(sim, k, poses[k]);
    }
    return sim && poses ? AFX_OK : AFX_E_ARGUMENT;
}

AfxStatus afx_sim_twists(const AfxSim *sim, AfxTwist *out_twists) {
    if (!sim || !out_twists) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->body_count; k++) {
        afx_sim_body_twist(sim, k, &out_twists[k]);
    }
    return AFX_OK;
}

AfxStatus afx_sim_set_twists(AfxSim *sim, const AfxTwist *twists) {
    uint32_t count = sim && twists ? sim->model->body_count : 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!twist_valid(twists[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        afx_sim_set_body_twist(sim, k, twists[k]);
    }
    return sim && twists ? AFX_OK : AFX_E_ARGUMENT;
}

AfxStatus afx_sim_marker(const AfxSim *sim, uint32_t marker, AfxVec3 *out_position, AfxVec3 *out_velocity) {
    if (!sim || marker >= sim->model->marker_count) {
        return AFX_E_ARGUMENT;
    }
    uint32_t body = sim->model->marker_body[marker];
    const AfxiFrame *frame = afxi_model_frame(sim->model, body);
    AfxVec3 point = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_MARKER_POINT, marker));
    AfxVec3 x = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center));
    size_t at = (size_t)12 * body;
    if (out_position) {
        AfxiMat3 a = mat3_load(sim->q + at);
        *out_position = vec3_add(vec3_load(sim->q + at + 9), mat3_apply(&a, x));
    }
    if (out_velocity) {
        AfxiMat3 rate = mat3_load(sim->v + at);
        *out_velocity = vec3_add(vec3_load(sim->v + at + 9), mat3_apply(&rate, x));
    }
    return AFX_OK;
}
