/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a mechanism together: bodies placed from joint coordinates, and a violated start repaired.
 *
 * Forward kinematics goes out from what stands still, joint by joint: with both frames of a joint and the motion D of
 * its coordinates, follower = base * base_frame * D * follower_frame^-1. Loops, and starts that do not quite fit, are
 * closed by Newton's method in the metric of the rigid mass matrix: the least motion that meets all exact rows. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "constraint/angles.h"
#include "joint/axis.h"
#include "math/polar.h"
#include "model/model.h"
#include "solve/start.h"
#include "step/assemble.h"
#include "step/history.h"
#include "step/own.h"
#include "step/sim.h"
#include "step/tuning.h"

/* Turns the columns of a body's velocities as its frame turns from `before` to `after`. */
static void turn_rates(double *v, const AfxiMat3 *before, const AfxiMat3 *after) {
    for (int k = 0; k < 4; k++) {
        vec3_store(v + 3 * k, mat3_apply(after, mat3_apply_transposed(before, vec3_load(v + 3 * k))));
    }
}

AfxStatus afx_sim_assemble(AfxSim *sim, double *out_residual) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    double residual = 0;
    afxi_classes_refresh(sim);
    if (sim->model->graph_count || sim->model->chains.chain_count) {
        residual = afxi_close(&sim->solver);
        afxi_angles_follow(&sim->world);
        afxi_project(&sim->solver);
        afxi_history_drop(sim);
    }
    if (out_residual) {
        *out_residual = residual;
    }
    return residual <= AFXI_ASSEMBLED * sim->model->size ? AFX_OK : AFX_E_NUMERIC;
}

/* ---- forward kinematics ---- */

static AfxPose axis_motion(AfxiAxisSpec spec, double value) {
    AfxPose pose = afx_pose_identity();
    AfxVec3 axis = vec3(spec.axis == 0, spec.axis == 1, spec.axis == 2);
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        pose.position = vec3_scale(value, axis);
    } else {
        pose.rotation = afx_quat_from_axis_angle(axis, value);
    }
    return pose;
}

/* Translations are listed before rotations, so composing in order slides first and then turns. */
AfxPose afxi_joint_motion(uint8_t joint_kind, const double *values) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint_kind);
    AfxPose pose = afx_pose_identity();
    for (uint32_t axis = 0; axis < kind->axis_count; axis++) {
        pose = afx_pose_compose(pose, axis_motion(kind->axes[axis], values[axis]));
    }
    return pose;
}

static AfxPose frame_pose(AfxVec3 point, const AfxiMat3 *axes) {
    return (AfxPose){point, afxi_quat_from_mat3(axes)};
}

/* Principal pose of a body: A, t as a rotation and a position. */
static AfxPose principal_pose(const AfxSim *sim, uint32_t body) {
    if (body == AFXI_WORLD) {
        return afx_pose_identity();
    }
    AfxiMat3 a;
    memcpy(a.m, sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body, sizeof a.m);
    a = afxi_rotation_part(&a, NULL);
    return (AfxPose){vec3_load(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9), afxi_quat_from_mat3(&a)};
}

/* A body takes its velocities along: those of its frame stay what they were. */
static void put_body(AfxSim *sim, uint32_t body, AfxPose pose) {
    AfxiMat3 a = mat3_from_quat(pose.rotation), old = mat3_load(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body);
    AfxiMat3 before = afxi_rotation_part(&old, NULL);
    turn_rates(sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * body, &before, &a);
    memcpy(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body, a.m, sizeof a.m);
    vec3_store(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9, pose.position);
}

void afxi_place_by_joint(AfxSim *sim, uint32_t joint, AfxPose motion, bool follower) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, joint);
    AfxPose on_base = frame_pose(frame->point_b, &frame->axes_b),
            on_follower = frame_pose(frame->point_a, &frame->axes_a);
    if (follower) {
        AfxPose at = afx_pose_compose(afx_pose_compose(principal_pose(sim, source->base), on_base), motion);
        put_body(sim, source->follower, afx_pose_compose(at, afx_pose_invert(on_follower)));
    } else {
        AfxPose at = afx_pose_compose(afx_pose_compose(principal_pose(sim, source->follower), on_follower),
                                      afx_pose_invert(motion));
        put_body(sim, source->base, afx_pose_compose(at, afx_pose_invert(on_base)));
    }
}

/* Places the one body of a joint that is not placed yet; true when there was one. */
static bool place_by_joint(AfxSim *sim, uint32_t joint, const double *values, uint8_t *placed) {
    const AfxiJoint *source = &sim->model->joints[joint];
    bool base = source->base == AFXI_WORLD || placed[source->base];
    bool follower = source->follower == AFXI_WORLD || placed[source->follower];
    if (base == follower || afx_joint_has_length((AfxJointKind)source->kind)) {
        return false;
    }
    afxi_place_by_joint(sim, joint, afxi_joint_motion(source->kind, values + source->coordinate), base);
    placed[base ? source->follower : source->base] = 1;
    return true;
}

/* Sweeps over the joints until nothing more can be placed; a mechanism that hangs on nothing keeps its first body. */
static void place_all(AfxSim *sim, const double *values, uint8_t *placed) {
    const AfxModel *model = sim->model;
    for (uint32_t body = 0; body < model->body_count; body++) {
        bool alone = model->graph_of[body] == UINT32_MAX && !afxi_model_in_chain(model, body);
        placed[body] = model->kind[body] != AFX_BODY_DYNAMIC || alone || body >= model->shown.bodies;
    }
    for (uint32_t next = 0;;) {
        bool any = true;
        while (any) {
            any = false;
            for (uint32_t joint = 0; joint < model->shown.joints; joint++) {
                any |= place_by_joint(sim, joint, values, placed);
            }
        }
        while (next < model->body_count && placed[next]) {
            next++;
        }
        if (next == model->body_count) {
            return;
        }
        placed[next] = 1;
    }
}

AfxStatus afx_sim_set_joint_coordinates(AfxSim *sim, const double *values, double *out_residual) {
    if (!sim || !values) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->shown.coordinates; k++) {
        if (!isfinite(values[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    size_t bytes = (size_t)sim->model->body_count + 1;
    uint8_t *placed = afxi_allocate(&sim->def.allocator, bytes);
    if (!placed) {
        return AFX_E_MEMORY;
    }
    place_all(sim, values, placed);
    afxi_release(&sim->def.allocator, placed, bytes);
    for (uint32_t k = 0; k < sim->model->shown.joints; k++) {
        const AfxiJoint *joint = &sim->model->joints[k];
        for (uint32_t axis = 0;
             joint->angle != UINT32_MAX && axis < afxi_joint_kind((AfxJointKind)joint->kind)->axis_count; axis++) {
            sim->world.state.angle[joint->angle + axis] = values[joint->coordinate + axis];
        }
    }
    afxi_history_drop(sim);
    return afx_sim_assemble(sim, out_residual);
}

AfxStatus afx_sim_set_joint_coordinate(AfxSim *sim, uint32_t joint, uint32_t axis, double value, double *out_residual) {
    if (!sim || joint >= sim->model->shown.joints || !isfinite(value)) {
        return AFX_E_ARGUMENT;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    if (axis >= afxi_joint_kind((AfxJointKind)source->kind)->axis_count) {
        return AFX_E_ARGUMENT;
    }
    size_t bytes = sim->model->shown.coordinates * sizeof(double);
    double *values = afxi_allocate(&sim->def.allocator, bytes);
    if (!values) {
        return AFX_E_MEMORY;
    }
    afx_sim_joint_coordinates(sim, values);
    values[source->coordinate + axis] = value;
    AfxStatus status = afx_sim_set_joint_coordinates(sim, values, out_residual);
    afxi_release(&sim->def.allocator, values, bytes);
    return status;
}

AfxStatus afx_sim_joint_coordinates(const AfxSim *sim, double *out_values) {
    if (!sim || !out_values) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t joint = 0; joint < sim->model->shown.joints; joint++) {
        const AfxiJoint *source = &sim->model->joints[joint];
        uint32_t axes = afxi_joint_kind((AfxJointKind)source->kind)->axis_count;
        for (uint32_t axis = 0; axis < axes; axis++) {
            afx_sim_joint_coordinate(sim, joint, axis, &out_values[source->coordinate + axis], NULL);
        }
    }
    return AFX_OK;
}
