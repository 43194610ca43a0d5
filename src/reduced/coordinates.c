/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates of a tree from where its bodies are. */
#include "joint/axis.h"
#include "math/polar.h"
#include "reduced/tree.h"
#include "state/pose.h"

/* A rigid body near a raw one: its rotation, and rates that are a twist. */
typedef struct Rigid {
    AfxiMat3 r;
    AfxVec3 t, w, v;
    double rate[AFXI_AFFINE_WIDTH];
} Rigid;

static Rigid rigid_of(uint32_t body, const double *raw_q, const double *raw_v) {
    Rigid out = {.r = mat3_identity()};
    if (body == AFXI_WORLD) {
        return out;
    }
    const double *q = raw_q + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(q);
    out.r = afxi_rotation_part(&a, &out.r);
    out.t = vec3_load(q + 9);
    if (raw_v) {
        const double *v = raw_v + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiMat3 rate = mat3_load(v), back = mat3_transpose(&out.r), spin = mat3_multiply(&rate, &back);
        out.w = mat3_axial(&spin);
        out.v = vec3_load(v + 9);
        for (int k = 0; k < 3; k++) {
            vec3_store(out.rate + 3 * k, vec3_cross(out.w, mat3_column(&out.r, k)));
        }
        vec3_store(out.rate + 9, out.v);
    }
    return out;
}

/* The rotation of a ball: its node's frame in the one before it. */
static void ball_from(const AfxiTreeJoint *entry, const AfxiJointFrame *frame, const Rigid *follower, const Rigid *base,
                      double *out_q, double *out_u) {
    AfxiMat3 a = mat3_multiply(&follower->r, &frame->axes_a), b = mat3_multiply(&base->r, &frame->axes_b);
    const AfxiMat3 *inner = entry->reversed ? &b : &a, *outer = entry->reversed ? &a : &b;
    AfxiMat3 turn = mat3_multiply_tn(outer, inner);
    AfxVec3 w = vec3_scale(entry->reversed ? -1 : 1, vec3_sub(follower->w, base->w));
    if (out_q) {
        AfxQuat q = afxi_quat_from_mat3(&turn);
        out_q[0] = q.w;
        out_q[1] = q.x;
        out_q[2] = q.y;
        out_q[3] = q.z;
    }
    if (out_u) {
        vec3_store(out_u, mat3_apply_transposed(inner, w));
    }
}

static void joint_from(const AfxiTree *tree, uint32_t index, const double *raw_q, const double *raw_v,
                       const double *near, double *out_q, double *out_u) {
    const AfxiJoint *joint = &tree->model->joints[index];
    const AfxiTreeJoint *entry = &tree->joint[index];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    const AfxiJointFrame *frame = (const AfxiJointFrame *)tree->model->joint_frames.items + joint->frame;
    Rigid follower = rigid_of(joint->follower, raw_q, raw_v), base = rigid_of(joint->base, raw_q, raw_v);
    AfxiPairState state = {
        .a_a = follower.r, .a_b = base.r, .t_a = follower.t, .t_b = base.t, .r_a = follower.r, .r_b = base.r};
    for (uint32_t axis = joint->kind == AFX_JOINT_SCREW; axis < kind->axis_count; axis++) {
        uint32_t dof = entry->dof[axis];
        if (dof == AFXI_TREE_NONE) {
            continue;
        }
        if (out_q) {
            double last = near ? entry->factor[axis] * near[dof] : 0;
            out_q[afxi_tree_coordinate(tree, dof)] =
                afxi_axis_counted(kind->axes[axis], frame, &state, last) / entry->factor[axis];
        }
        if (out_u && raw_v) {
            out_u[dof] =
                afxi_axis_rate(kind->axes[axis], frame, &state, follower.rate, base.rate) / entry->factor[axis];
        }
    }
    if (entry->ball != AFXI_TREE_NONE) {
        const AfxiNode *ball = &tree->node[entry->ball];
        ball_from(entry, frame, &follower, &base, out_q ? out_q + ball->coordinate : NULL,
                  out_u && raw_v ? out_u + ball->dof : NULL);
    }
}

/* A tree that nothing holds begins with the body's own frame. */
static void base_from(const AfxiTree *tree, const AfxiNode *slide, const double *raw_q, const double *raw_v,
                      double *out_q, double *out_u) {
    const AfxiNode *ball = slide + 1;
    uint32_t body = tree->dof[slide->dof].body;
    const AfxiFrame *frame = afxi_model_frame(tree->model, body);
    Rigid rigid = rigid_of(body, raw_q, raw_v);
    double q[AFXI_AFFINE_WIDTH];
    for (int k = 0; k < 3; k++) {
        vec3_store(q + 3 * k, mat3_column(&rigid.r, k));
    }
    vec3_store(q + 9, rigid.t);
    AfxPose pose = afxi_pose_from_raw(frame, q);
    if (out_q) {
        double *turn = out_q + ball->coordinate;
        vec3_store(out_q + slide->coordinate, pose.position);
        turn[0] = pose.rotation.w;
        turn[1] = pose.rotation.x;
        turn[2] = pose.rotation.y;
        turn[3] = pose.rotation.z;
    }
    if (out_u && raw_v) {
        AfxTwist twist = afxi_twist_from_raw(frame, q, rigid.rate);
        AfxiMat3 own = mat3_from_quat(pose.rotation);
        vec3_store(out_u + slide->dof, twist.linear);
        vec3_store(out_u + ball->dof, mat3_apply_transposed(&own, twist.angular));
    }
}

void afxi_tree_near(const AfxiTree *tree, const double *angle, double *out) {
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        const AfxiTreeDof *dof = &tree->dof[d];
        const AfxiJoint *joint = dof->joint == AFXI_TREE_NONE ? NULL : &tree->model->joints[dof->joint];
        bool counted = joint && joint->angle != UINT32_MAX;
        out[d] = counted ? angle[joint->angle + dof->axis] : 0;
    }
}

void afxi_tree_from_raw(const AfxiTree *tree, const double *raw_q, const double *raw_v, const double *near,
                        double *out_q, double *out_u) {
    for (uint32_t k = 0; k < tree->model->joint_count; k++) {
        if (tree->joint[k].branch) {
            joint_from(tree, k, raw_q, raw_v, near, out_q, out_u);
        }
    }
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        if (node->kind == AFXI_NODE_TRANSLATE && tree->dof[node->dof].joint == AFXI_TREE_NONE) {
            base_from(tree, node, raw_q, raw_v, out_q, out_u);
        }
    }
}
