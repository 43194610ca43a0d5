/* SPDX-License-Identifier: Apache-2.0 */
/* Poses, velocities and markers of a sim, told and set. */
#include <math.h>
#include <string.h>

#include "math/polar.h"
#include "model/model.h"
#include "state/pose.h"
#include "step/history.h"
#include "step/sim.h"

static bool body_valid(const AfxSim *sim, uint32_t body) {
    return sim && body < sim->model->shown.bodies;
}

static bool twist_valid(AfxTwist twist) {
    return vec3_finite(twist.linear) && vec3_finite(twist.angular);
}

const double *afx_sim_coordinates(const AfxSim *sim) {
    return sim ? sim->world.state.q : NULL;
}

const double *afx_sim_velocities(const AfxSim *sim) {
    return sim ? sim->world.state.v : NULL;
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
    size_t count = sim ? (size_t)AFXI_AFFINE_WIDTH * sim->model->shown.bodies : 0;
    if (!sim || (coordinates && !all_finite(coordinates, count)) || (velocities && !all_finite(velocities, count))) {
        return AFX_E_ARGUMENT;
    }
    if (coordinates) {
        memcpy(sim->world.state.q, coordinates, count * sizeof *coordinates);
    }
    if (velocities) {
        memcpy(sim->world.state.v, velocities, count * sizeof *velocities);
    }
    afxi_history_drop(sim);
    return AFX_OK;
}

AfxStatus afx_sim_body_pose(const AfxSim *sim, uint32_t body, AfxPose *out_pose) {
    if (!body_valid(sim, body) || !out_pose) {
        return AFX_E_ARGUMENT;
    }
    *out_pose =
        afxi_pose_from_raw(afxi_model_frame(sim->model, body), sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body);
    return AFX_OK;
}

AfxStatus afx_sim_body_twist(const AfxSim *sim, uint32_t body, AfxTwist *out_twist) {
    if (!body_valid(sim, body) || !out_twist) {
        return AFX_E_ARGUMENT;
    }
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    *out_twist =
        afxi_twist_from_raw(afxi_model_frame(sim->model, body), sim->world.state.q + at, sim->world.state.v + at);
    return AFX_OK;
}

static void place(AfxSim *sim, uint32_t body, AfxPose pose, AfxTwist twist) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    pose.rotation = afxi_quat_normalized(pose.rotation);
    afxi_raw_from_pose(afxi_model_frame(sim->model, body), pose, twist, sim->world.state.q + at,
                       sim->world.state.v + at);
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
    for (uint32_t k = 0; k < sim->model->shown.bodies; k++) {
        afx_sim_body_pose(sim, k, &out_poses[k]);
    }
    return AFX_OK;
}

AfxStatus afx_sim_set_poses(AfxSim *sim, const AfxPose *poses) {
    uint32_t count = sim && poses ? sim->model->shown.bodies : 0;
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
    for (uint32_t k = 0; k < sim->model->shown.bodies; k++) {
        afx_sim_body_twist(sim, k, &out_twists[k]);
    }
    return AFX_OK;
}

AfxStatus afx_sim_set_twists(AfxSim *sim, const AfxTwist *twists) {
    uint32_t count = sim && twists ? sim->model->shown.bodies : 0;
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
    AfxVec3 point = vec3_load(afxi_world_param(&sim->world, AFX_PARAM_MARKER_POINT, marker));
    AfxVec3 x = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center));
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    if (out_position) {
        AfxiMat3 a = mat3_load(sim->world.state.q + at);
        *out_position = vec3_add(vec3_load(sim->world.state.q + at + 9), mat3_apply(&a, x));
    }
    if (out_velocity) {
        AfxiMat3 rate = mat3_load(sim->world.state.v + at);
        *out_velocity = vec3_add(vec3_load(sim->world.state.v + at + 9), mat3_apply(&rate, x));
    }
    return AFX_OK;
}
