/* SPDX-License-Identifier: Apache-2.0 */
/* What is in RedMax's Eq. 2: maximal springs with their stiffness, springs of joints, loads, and constraints. */
#include "papers/redmax.h"

#include <math.h>
#include <string.h>

#include "joint/kind.h"
#include "joint/law.h"
#include "joint/row.h"
#include "model/params.h"
#include "reduced/spatial.h"

static const double *param(const Redmax *redmax, AfxParamKind kind, uint32_t index) {
    return afxi_param_const(redmax->model, redmax->model->params, kind, index);
}

/* Where a body is: its node, or AFXI_TREE_NONE, and its principal frame. */
static uint32_t place_of(const Redmax *redmax, uint32_t body, AfxiMat3 *r, AfxVec3 *t) {
    *r = mat3_identity();
    *t = vec3(0, 0, 0);
    if (body == AFXI_WORLD) {
        return AFXI_TREE_NONE;
    }
    uint32_t place = redmax->body.tree.place[body];
    if (place == AFXI_TREE_NONE) { /* it stands still */
        const double *q = redmax->start + (size_t)AFXI_AFFINE_WIDTH * body;
        *r = mat3_load(q);
        *t = vec3_load(q + 9);
        return AFXI_TREE_NONE;
    }
    afxi_tree_body(&redmax->body.work, place, r, t);
    return redmax->body.tree.carried[place].node;
}

static AfxVec3 arm_of(const Redmax *redmax, uint32_t node, AfxVec3 point) {
    const RedmaxTree *body = &redmax->body;
    return node == AFXI_TREE_NONE ? point : vec3_sub(point, body->work.reference[body->tree.node[node].first]);
}

static void push_at(Redmax *redmax, uint32_t node, AfxVec3 arm, AfxVec3 force) {
    if (node != AFXI_TREE_NONE) {
        AfxiSpatial *to = &redmax->body.wrench[node];
        *to = spatial_add(*to, spatial(vec3_cross(arm, force), force));
    }
}

static void clear(Redmax *redmax) {
    memset(redmax->body.wrench, 0, redmax->body.tree.node_count * sizeof *redmax->body.wrench);
}

/* ---- springs ---- */

/* Adds G^T B G with the velocity G (w, v) = v + w x arm of a point to the block of its node. */
static void add_block(Redmax *redmax, uint32_t node, AfxVec3 arm, const double b[6]) {
    double *to = redmax->body.block + 36 * (size_t)node;
    for (int c = 0; node != AFXI_TREE_NONE && c < 6; ++c) {
        double unit[6] = {0};
        unit[c] = 1;
        AfxVec3 v = vec3_add(vec3_load(unit + 3), vec3_cross(vec3_load(unit), arm)), f = sym3_apply(b, v);
        AfxVec3 torque = vec3_cross(arm, f);
        const double column[6] = {torque.x, torque.y, torque.z, f.x, f.y, f.z};
        for (int r = 0; r < 6; ++r) {
            to[6 * r + c] += column[r];
        }
    }
}

/* The spring k: its pull, and h D + h² K. What it does across its line is part of it while it is under tension. */
static void place_spring(Redmax *redmax, uint32_t k) {
    const AfxiSpring *source = &redmax->model->springs[k];
    const double *numbers = param(redmax, AFX_PARAM_SPRING, k);
    RedmaxSpring *spring = &redmax->spring[k];
    const uint32_t bodies[2] = {source->body_a, source->body_b};
    const AfxVec3 points[2] = {source->point_a, source->point_b};
    AfxVec3 at[2];
    for (int side = 0; side < 2; ++side) {
        AfxiMat3 r;
        AfxVec3 t;
        spring->node[side] = place_of(redmax, bodies[side], &r, &t);
        at[side] = vec3_add(mat3_apply(&r, points[side]), t);
        spring->arm[side] = arm_of(redmax, spring->node[side], at[side]);
    }
    AfxVec3 line = vec3_sub(at[0], at[1]);
    double length = vec3_length(line), h = redmax->h;
    AfxVec3 n = vec3_scale(1 / length, line);
    double along = h * numbers[2] + h * h * numbers[1], across = h * h * numbers[1] * fmax(0, 1 - numbers[0] / length);
    const double e[3] = {n.x, n.y, n.z};
    for (int c = 0; c < 3; ++c) {
        static const int row[3] = {0, 0, 1}, column[3] = {1, 2, 2};
        spring->slope[c] = across + (along - across) * e[c] * e[c];
        spring->slope[3 + c] = (along - across) * e[row[c]] * e[column[c]];
    }
    spring->pull = vec3_scale(-numbers[1] * (length - numbers[0]), n);
    for (int side = 0; side < 2; ++side) {
        push_at(redmax, spring->node[side], spring->arm[side], vec3_scale(side ? -1 : 1, spring->pull));
        add_block(redmax, spring->node[side], spring->arm[side], spring->slope);
    }
}

/* Springs of joints, in joint coordinates. */
static void add_joint_springs(Redmax *redmax, double *out) {
    RedmaxTree *body = &redmax->body;
    memset(body->reduced, 0, redmax->dofs * sizeof(double));
    for (uint32_t k = 0; k < redmax->model->drive_count; ++k) {
        const AfxiDrive *drive = &redmax->model->drives[k];
        uint32_t dof = body->tree.joint[drive->joint].dof[drive->axis];
        if (drive->kind == AFX_DRIVE_SPRING && dof != AFXI_TREE_NONE) {
            const double *numbers = param(redmax, AFX_PARAM_DRIVE, k);
            double factor = body->tree.joint[drive->joint].factor[drive->axis];
            double x = factor * redmax->q[afxi_tree_coordinate(&body->tree, dof)];
            out[dof] -= factor * numbers[AFXI_DRIVE_STIFFNESS] * (x - numbers[AFXI_DRIVE_REST]);
            body->reduced[dof] +=
                factor * factor * redmax->h * (numbers[AFXI_DRIVE_DAMPING] + redmax->h * numbers[AFXI_DRIVE_STIFFNESS]);
        }
    }
}

void redmax_forces(Redmax *redmax, double *out) {
    RedmaxTree *body = &redmax->body;
    afxi_tree_pose(&body->work, redmax->q);
    afxi_tree_velocity(&body->work, redmax->u);
    afxi_tree_inertia(&body->work);
    afxi_tree_inverse(&body->work, NULL, NULL, out); /* weights, and what velocities make */
    for (uint32_t d = 0; d < redmax->dofs; ++d) {
        out[d] = -out[d];
    }
    clear(redmax);
    memset(body->block, 0, 36 * (size_t)body->tree.node_count * sizeof(double));
    for (uint32_t k = 0; k < redmax->spring_count; ++k) {
        place_spring(redmax, k);
    }
    for (uint32_t k = 0; k < redmax->model->body_count; ++k) {
        if (redmax->model->kind[k] == AFX_BODY_DYNAMIC && vec3_dot(redmax->load[k], redmax->load[k]) > 0) {
            AfxiMat3 r;
            AfxVec3 t;
            uint32_t node = place_of(redmax, k, &r, &t);
            AfxVec3 at = vec3_add(mat3_apply(&r, redmax->load_at[k]), t);
            push_at(redmax, node, arm_of(redmax, node, at), redmax->load[k]);
        }
    }
    redmax_pull(body, out);
    add_joint_springs(redmax, out);
}

void redmax_multiply(Redmax *redmax, const double *x, double *out) {
    RedmaxTree *body = &redmax->body;
    redmax_momenta(body, x, out);
    clear(redmax);
    for (uint32_t k = 0; k < redmax->spring_count; ++k) {
        const RedmaxSpring *spring = &redmax->spring[k];
        AfxVec3 relative = {0, 0, 0};
        for (int side = 0; side < 2; ++side) {
            if (spring->node[side] != AFXI_TREE_NONE) {
                AfxiSpatial motion = body->motion[spring->node[side]];
                AfxVec3 v = vec3_add(motion.v, vec3_cross(motion.w, spring->arm[side]));
                relative = vec3_mad(relative, side ? -1 : 1, v);
            }
        }
        AfxVec3 force = sym3_apply(spring->slope, relative);
        for (int side = 0; side < 2; ++side) {
            push_at(redmax, spring->node[side], spring->arm[side], vec3_scale(side ? -1 : 1, force));
        }
    }
    for (uint32_t d = 0; d < redmax->dofs; ++d) {
        out[d] += body->reduced[d] * x[d];
    }
    redmax_pull(body, out);
}

/* ---- constraints ---- */

/* Row r of a joint that closes a loop. */
static void add_loop_row(Redmax *redmax, uint32_t index, uint32_t r, uint32_t at) {
    const AfxiJoint *joint = &redmax->model->joints[index];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)redmax->model->joint_frames.items + joint->frame;
    AfxiRowSpec spec = afxi_joint_kind((AfxJointKind)joint->kind)->rows[r];
    double length = *param(redmax, AFX_PARAM_JOINT_LENGTH, index);
    AfxiPairState state;
    AfxiRowGradient gradient[2];
    uint32_t node[2] = {place_of(redmax, joint->follower, &state.a_a, &state.t_a),
                        place_of(redmax, joint->base, &state.a_b, &state.t_b)};
    state.r_a = state.a_a;
    state.r_b = state.a_b;
    redmax->value[at] = afxi_row_value(spec, frame, length, &state);
    redmax->target[at] = 0;
    afxi_row_gradient(spec, frame, length, &state, &gradient[0], &gradient[1]);
    clear(redmax);
    for (int side = 0; side < 2; ++side) {
        AfxiMat3 g = mat3_load(gradient[side].g);
        AfxVec3 torque = mat3_apply(side ? &state.r_b : &state.r_a, vec3_scale(2, mat3_axial(&g)));
        AfxVec3 force = vec3_load(gradient[side].g + 9);
        push_at(redmax, node[side], arm_of(redmax, node[side], side ? state.t_b : state.t_a), force);
        if (node[side] != AFXI_TREE_NONE) {
            AfxiSpatial *to = &redmax->body.wrench[node[side]];
            to->w = vec3_add(to->w, torque);
        }
    }
    memset(redmax->row + (size_t)at * redmax->dofs, 0, redmax->dofs * sizeof(double));
    redmax_pull(&redmax->body, redmax->row + (size_t)at * redmax->dofs);
}

/* A coordinate that goes as told: it is there at the end of the step. */
static void add_told_row(Redmax *redmax, const AfxiDrive *drive, uint32_t at) {
    const AfxiTreeJoint *entry = &redmax->body.tree.joint[drive->joint];
    uint32_t dof = entry->dof[drive->axis];
    double value, rate, acceleration,
        x = entry->factor[drive->axis] * redmax->q[afxi_tree_coordinate(&redmax->body.tree, dof)];
    afx_signal_evaluate(&drive->target, redmax->time + redmax->h, &value, &rate, &acceleration);
    memset(redmax->row + (size_t)at * redmax->dofs, 0, redmax->dofs * sizeof(double));
    redmax->row[(size_t)at * redmax->dofs + dof] = entry->factor[drive->axis];
    redmax->value[at] = 0;
    redmax->target[at] = (value - x) / redmax->h;
}

void redmax_rows(Redmax *redmax) {
    const AfxModel *model = redmax->model;
    uint32_t at = 0;
    for (uint32_t k = 0; k < model->joint_count; ++k) {
        uint32_t rows = afxi_joint_kind((AfxJointKind)model->joints[k].kind)->row_count;
        for (uint32_t r = 0; !redmax->body.tree.joint[k].branch && r < rows; ++r, ++at) {
            if (redmax->row) {
                add_loop_row(redmax, k, r, at);
            }
        }
    }
    for (uint32_t k = 0; k < model->drive_count; ++k) {
        if (model->drives[k].kind == AFX_DRIVE_POSITION) {
            if (redmax->row) {
                add_told_row(redmax, &model->drives[k], at);
            }
            ++at;
        }
    }
    redmax->row_count = at;
}
