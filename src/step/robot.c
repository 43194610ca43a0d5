/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised coordinates and velocities of a sim, told and set.
 *
 * Bodies are placed in the order that the model has worked out (model/robot.h), each from one that stands already. The
 * relative velocity of a joint with motion (t, R) is, in the axes of its base frame, t' = sum of e_k c_k' over
 * translations and w = sum of R_1 ... R_(k-1) e_k c_k' over rotations; the follower's frame then moves with
 *     w_f = w_b + w,   v_f = v_b + w_b x (p_f - p_b) + t'. */
#include "affix/kinematics.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "joint/axis.h"
#include "math/polar.h"
#include "model/model.h"
#include "state/pose.h"
#include "step/assemble.h"
#include "step/history.h"
#include "step/sim.h"
#include "step/tuning.h"

#define AXES_MOST AFXI_JOINT_AXES_MOST

/* A body as it is: rotation of its principal frame, its centre, and their rates. */
typedef struct Moving {
    AfxiMat3 r;
    AfxVec3 center, velocity, angular;
} Moving;

static Moving moving(const AfxSim *sim, uint32_t body) {
    Moving m = {mat3_identity(), {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (body == AFXI_WORLD) {
        return m;
    }
    const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    const double *v = sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(q);
    m.r = afxi_rotation_part(&a, NULL);
    m.center = vec3_load(q + 9);
    m.velocity = vec3_load(v + 9);
    for (int k = 0; k < 3; k++) { /* of a rigid body a_k' = w x a_k, and sum a_k x a_k' = 2 w */
        AfxVec3 column = vec3_load(m.r.m + 3 * k);
        m.angular = vec3_mad(m.angular, 0.5, vec3_cross(column, vec3_load(v + 3 * k)));
    }
    return m;
}

static void set_rates(AfxSim *sim, uint32_t body, AfxVec3 velocity, AfxVec3 angular) {
    const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    double *v = sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    for (int k = 0; k < 3; k++) {
        vec3_store(v + 3 * k, vec3_cross(angular, vec3_load(q + 3 * k)));
    }
    vec3_store(v + 9, velocity);
}

static bool all_finite(const double *values, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) {
            return false;
        }
    }
    return true;
}

/* ---- balls ---- */

/* The rotation of a joint's follower frame in the axes of its base frame. */
static AfxQuat joint_rotation(const AfxSim *sim, uint32_t joint) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, joint);
    Moving base = moving(sim, source->base), follower = moving(sim, source->follower);
    AfxiMat3 b = mat3_multiply(&base.r, &frame->axes_b), f = mat3_multiply(&follower.r, &frame->axes_a);
    AfxiMat3 relative = mat3_multiply_tn(&b, &f);
    return afxi_quat_from_mat3(&relative);
}

/* The joint's frame in the own frame of the body that a ball turns. */
static AfxQuat frame_in_body(const AfxSim *sim, uint32_t joint, double sign) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, joint);
    uint32_t body = sign > 0 ? source->follower : source->base;
    const AfxiMat3 *axes = sign > 0 ? &frame->axes_a : &frame->axes_b;
    if (body == AFXI_WORLD) {
        return afxi_quat_from_mat3(axes);
    }
    AfxiMat3 own = mat3_multiply(&afxi_model_frame(sim->model, body)->axes, axes);
    return afxi_quat_from_mat3(&own);
}

static AfxQuat conjugate(AfxQuat q) {
    return (AfxQuat){q.w, -q.x, -q.y, -q.z};
}

/* f q f^-1, or back. */
static AfxQuat in_axes(AfxQuat f, AfxQuat q, bool back) {
    AfxQuat a = back ? conjugate(f) : f;
    return afx_quat_multiply(afx_quat_multiply(a, q), conjugate(a));
}

static AfxQuat ball_get(const AfxSim *sim, const AfxiGeneralized *g) {
    AfxQuat q = joint_rotation(sim, g->shown.joint);
    return in_axes(frame_in_body(sim, g->shown.joint, g->sign), g->sign > 0 ? q : conjugate(q), false);
}

/* ---- qpos ---- */

static void store_quat(double *out, AfxQuat q) {
    double sign = q.w < 0 ? -1 : 1; /* of the two that mean the same, the one near no turn */
    out[0] = sign * q.w;
    out[1] = sign * q.x;
    out[2] = sign * q.y;
    out[3] = sign * q.z;
}

AfxStatus afx_sim_qpos(const AfxSim *sim, double *out_qpos) {
    if (!sim || !out_qpos) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->robot.count; k++) {
        const AfxiGeneralized *g = &sim->model->robot.generalized[k];
        double *out = out_qpos + g->shown.qpos;
        if (g->shown.kind == AFX_GENERALIZED_AXIS) {
            double value = 0;
            afx_sim_joint_coordinate(sim, g->shown.joint, g->shown.axis, &value, NULL);
            *out = g->sign * value + g->offset;
        } else if (g->shown.kind == AFX_GENERALIZED_BALL) {
            store_quat(out, ball_get(sim, g));
        } else {
            AfxPose pose;
            afx_sim_body_pose(sim, g->shown.body, &pose);
            vec3_store(out, pose.position);
            store_quat(out + 3, pose.rotation);
        }
    }
    return AFX_OK;
}

/* The motion of a joint: what generalised coordinates say, and what it has where they say nothing. */
static AfxPose motion_of(AfxSim *sim, const AfxiPlaceStep *step, const double *qpos) {
    const AfxiRobot *robot = &sim->model->robot;
    const AfxiJoint *joint = &sim->model->joints[step->joint];
    uint32_t count = afx_joint_axis_count((AfxJointKind)joint->kind);
    double values[AXES_MOST] = {0};
    bool ball = false;
    AfxQuat rotation = {1, 0, 0, 0};
    for (uint32_t axis = 0; axis < count; axis++) {
        afx_sim_joint_coordinate(sim, step->joint, axis, &values[axis], NULL);
    }
    for (uint32_t k = step->first; k < robot->count; k++) {
        const AfxiGeneralized *g = robot->by_joint[k] < robot->count ? &robot->generalized[robot->by_joint[k]] : NULL;
        if (!g || g->shown.joint != step->joint) {
            break;
        }
        const double *q = qpos + g->shown.qpos;
        if (g->shown.kind == AFX_GENERALIZED_BALL) {
            AfxQuat given = afxi_quat_normalized((AfxQuat){q[0], q[1], q[2], q[3]});
            rotation = in_axes(frame_in_body(sim, step->joint, g->sign), given, true);
            rotation = g->sign > 0 ? rotation : conjugate(rotation);
            ball = true;
        } else {
            values[g->shown.axis] = g->sign * (*q - g->offset);
        }
    }
    if (joint->kind == AFX_JOINT_SCREW) {
        values[0] = values[1] * *afxi_world_param(&sim->world, AFX_PARAM_JOINT_PITCH, step->joint);
    }
    for (uint32_t axis = 0; joint->angle != UINT32_MAX && axis < count; axis++) {
        sim->world.state.angle[joint->angle + axis] = values[axis];
    }
    AfxPose motion = afxi_joint_motion(joint->kind, values);
    motion.rotation = ball ? rotation : motion.rotation;
    return motion;
}

static bool quats_fit(const AfxModel *model, const double *qpos) {
    for (uint32_t k = 0; k < model->robot.count; k++) {
        const AfxGeneralized *g = &model->robot.generalized[k].shown;
        const double *q = qpos + g->qpos + (g->kind == AFX_GENERALIZED_FREE ? 3 : 0);
        if (g->kind != AFX_GENERALIZED_AXIS &&
            !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > AFXI_QUAT_LEAST)) {
            return false;
        }
    }
    return true;
}

static void set_free(AfxSim *sim, uint32_t body, const double *q) {
    AfxPose pose = {vec3_load(q), afxi_quat_normalized((AfxQuat){q[3], q[4], q[5], q[6]})};
    AfxTwist still = {{0, 0, 0}, {0, 0, 0}};
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    afxi_raw_from_pose(afxi_model_frame(sim->model, body), pose, still, sim->world.state.q + at,
                       sim->world.state.v + at);
}

static void place_all(AfxSim *sim, const double *qpos) {
    const AfxiRobot *robot = &sim->model->robot;
    for (uint32_t k = 0; k < robot->step_count; k++) {
        const AfxiPlaceStep *step = &robot->step[k];
        if (step->joint == UINT32_MAX) {
            set_free(sim, step->body, qpos + robot->generalized[step->first].shown.qpos);
        } else {
            bool follower = sim->model->joints[step->joint].follower == step->body;
            afxi_place_by_joint(sim, step->joint, motion_of(sim, step, qpos), follower);
        }
    }
}

static void move_all(AfxSim *sim, const double *qvel);

AfxStatus afx_sim_set_qpos(AfxSim *sim, const double *qpos) {
    if (!sim || !qpos || !all_finite(qpos, sim->model->robot.qpos_count) || !quats_fit(sim->model, qpos)) {
        return AFX_E_ARGUMENT;
    }
    size_t bytes = sim->model->robot.qvel_count * sizeof(double);
    double *qvel = afxi_allocate(&sim->def.allocator, bytes + sizeof(double));
    if (!qvel) {
        return AFX_E_MEMORY;
    }
    afx_sim_qvel(sim, qvel);
    place_all(sim, qpos);
    move_all(sim, qvel);
    afxi_release(&sim->def.allocator, qvel, bytes + sizeof(double));
    afxi_history_drop(sim);
    sim->world.state.head->placed = 1;
    return AFX_OK;
}

AfxStatus afx_sim_forward_kinematics(AfxSim *sim, const double *qpos, uint32_t count, const uint32_t *sites,
                                     AfxPose *out_poses) {
    if (!sim || !qpos || (count && (!sites || !out_poses)) || !all_finite(qpos, sim->model->robot.qpos_count) ||
        !quats_fit(sim->model, qpos)) {
        return AFX_E_ARGUMENT;
    }
    AfxiState *state = &sim->world.state;
    size_t raw = (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count, angles = sim->model->angle_count;
    size_t bytes = (2 * raw + angles + 1) * sizeof(double);
    double *kept = afxi_allocate(&sim->def.allocator, bytes);
    AfxStatus status = kept ? AFX_OK : AFX_E_MEMORY;
    if (kept) {
        memcpy(kept, state->q, raw * sizeof *kept);
        memcpy(kept + raw, state->v, raw * sizeof *kept);
        memcpy(kept + 2 * raw, state->angle, angles * sizeof *kept);
        place_all(sim, qpos);
        for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
            status = afx_sim_site(sim, sites[k], &out_poses[k], NULL);
        }
        memcpy(state->q, kept, raw * sizeof *kept);
        memcpy(state->v, kept + raw, raw * sizeof *kept);
        memcpy(state->angle, kept + 2 * raw, angles * sizeof *kept);
        afxi_release(&sim->def.allocator, kept, bytes);
    }
    return status;
}

/* ---- qvel ---- */

/* Relative angular velocity of a joint, world axes. */
static AfxVec3 relative_angular(const AfxSim *sim, uint32_t joint) {
    const AfxiJoint *source = &sim->model->joints[joint];
    return vec3_sub(moving(sim, source->follower).angular, moving(sim, source->base).angular);
}

/* An angular velocity in the axes of a body's own frame, or back to the world's. */
static AfxVec3 in_body(const AfxSim *sim, uint32_t body, AfxVec3 angular, bool back) {
    AfxPose pose = afx_pose_identity();
    afx_sim_body_pose(sim, body, &pose);
    return afx_quat_rotate(back ? pose.rotation : conjugate(pose.rotation), angular);
}

static uint32_t ball_body(const AfxSim *sim, const AfxiGeneralized *g) {
    const AfxiJoint *joint = &sim->model->joints[g->shown.joint];
    return g->sign > 0 ? joint->follower : joint->base;
}

AfxStatus afx_sim_qvel(const AfxSim *sim, double *out_qvel) {
    if (!sim || !out_qvel) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->robot.count; k++) {
        const AfxiGeneralized *g = &sim->model->robot.generalized[k];
        double *out = out_qvel + g->shown.qvel;
        if (g->shown.kind == AFX_GENERALIZED_AXIS) {
            double rate = 0;
            afx_sim_joint_coordinate(sim, g->shown.joint, g->shown.axis, NULL, &rate);
            *out = g->sign * rate;
        } else if (g->shown.kind == AFX_GENERALIZED_BALL) {
            AfxVec3 angular = vec3_scale(g->sign, relative_angular(sim, g->shown.joint));
            vec3_store(out, in_body(sim, ball_body(sim, g), angular, false));
        } else {
            AfxTwist twist = {{0, 0, 0}, {0, 0, 0}};
            afx_sim_body_twist(sim, g->shown.body, &twist);
            vec3_store(out, twist.linear);
            vec3_store(out + 3, in_body(sim, g->shown.body, twist.angular, false));
        }
    }
    return AFX_OK;
}

/* Velocity of the follower's frame relative to the base's, in the axes of the base frame. */
static AfxTwist joint_rates(const AfxSim *sim, uint32_t joint, const double *rates) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)sim->model->joints[joint].kind);
    AfxTwist twist = {{0, 0, 0}, {0, 0, 0}};
    AfxQuat turned = {1, 0, 0, 0};
    for (uint32_t k = 0; k < kind->axis_count; k++) {
        AfxiAxisSpec spec = kind->axes[k];
        AfxVec3 axis = vec3(spec.axis == 0, spec.axis == 1, spec.axis == 2);
        if (spec.type == AFXI_AXIS_TRANSLATION) {
            twist.linear = vec3_mad(twist.linear, rates[k], axis);
        } else {
            double angle = 0;
            twist.angular = vec3_mad(twist.angular, rates[k], afx_quat_rotate(turned, axis));
            afx_sim_joint_coordinate(sim, joint, k, &angle, NULL);
            turned = afx_quat_multiply(turned, afx_quat_from_axis_angle(axis, angle));
        }
    }
    return twist;
}

static AfxTwist rates_of(const AfxSim *sim, const AfxiPlaceStep *step, const double *qvel, AfxVec3 *out_ball) {
    const AfxiRobot *robot = &sim->model->robot;
    const AfxiJoint *joint = &sim->model->joints[step->joint];
    double rates[AXES_MOST] = {0};
    *out_ball = (AfxVec3){0, 0, 0};
    for (uint32_t k = step->first; k < robot->count; k++) {
        const AfxiGeneralized *g = robot->by_joint[k] < robot->count ? &robot->generalized[robot->by_joint[k]] : NULL;
        if (!g || g->shown.joint != step->joint) {
            break;
        }
        if (g->shown.kind == AFX_GENERALIZED_BALL) {
            AfxVec3 angular = in_body(sim, ball_body(sim, g), vec3_load(qvel + g->shown.qvel), true);
            *out_ball = vec3_scale(g->sign, angular);
        } else {
            rates[g->shown.axis] = g->sign * qvel[g->shown.qvel];
        }
    }
    if (joint->kind == AFX_JOINT_SCREW) {
        rates[0] = rates[1] * *afxi_world_param(&sim->world, AFX_PARAM_JOINT_PITCH, step->joint);
    }
    return joint_rates(sim, step->joint, rates);
}

static void move_by_joint(AfxSim *sim, const AfxiPlaceStep *step, const double *qvel) {
    const AfxiJoint *joint = &sim->model->joints[step->joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, step->joint);
    Moving base = moving(sim, joint->base), follower = moving(sim, joint->follower);
    AfxVec3 ball;
    AfxTwist relative = rates_of(sim, step, qvel, &ball);
    AfxiMat3 axes = mat3_multiply(&base.r, &frame->axes_b);
    AfxVec3 linear = mat3_apply(&axes, relative.linear);
    AfxVec3 angular = vec3_add(mat3_apply(&axes, relative.angular), ball);
    AfxVec3 point = vec3_add(follower.center, mat3_apply(&follower.r, frame->point_a)); /* the follower's frame */
    AfxVec3 from_base = vec3_sub(point, base.center), from_follower = vec3_sub(point, follower.center);
    if (joint->follower == step->body) {
        AfxVec3 w = vec3_add(base.angular, angular);
        AfxVec3 v = vec3_add(vec3_add(base.velocity, vec3_cross(base.angular, from_base)), linear);
        set_rates(sim, step->body, vec3_sub(v, vec3_cross(w, from_follower)), w);
    } else {
        AfxVec3 w = vec3_sub(follower.angular, angular);
        AfxVec3 v = vec3_sub(vec3_add(follower.velocity, vec3_cross(follower.angular, from_follower)), linear);
        set_rates(sim, step->body, vec3_sub(v, vec3_cross(w, from_base)), w);
    }
}

static void move_all(AfxSim *sim, const double *qvel) {
    const AfxiRobot *robot = &sim->model->robot;
    for (uint32_t k = 0; k < robot->step_count; k++) {
        const AfxiPlaceStep *step = &robot->step[k];
        if (step->joint != UINT32_MAX) {
            move_by_joint(sim, step, qvel);
            continue;
        }
        const double *rates = qvel + robot->generalized[step->first].shown.qvel;
        AfxTwist twist = {vec3_load(rates), in_body(sim, step->body, vec3_load(rates + 3), true)};
        AfxPose pose = afx_pose_identity();
        size_t at = (size_t)AFXI_AFFINE_WIDTH * step->body;
        afx_sim_body_pose(sim, step->body, &pose);
        afxi_raw_from_pose(afxi_model_frame(sim->model, step->body), pose, twist, sim->world.state.q + at,
                           sim->world.state.v + at);
    }
}

AfxStatus afx_sim_set_qvel(AfxSim *sim, const double *qvel) {
    if (!sim || !qvel || !all_finite(qvel, sim->model->robot.qvel_count)) {
        return AFX_E_ARGUMENT;
    }
    move_all(sim, qvel);
    afxi_history_drop(sim);
    return AFX_OK;
}
