/* SPDX-License-Identifier: Apache-2.0 */
/* A branch carries what all bodies beyond it take, less what else acts on them: wrenches, springs, rows that close
 * loops. Of that, forces and torques along its free axes are those of drives and not the joint's. */
#include "reduced/reaction.h"

#include <string.h>

#include "constraint/reaction.h"
#include "reduced/measure.h"
#include "reduced/spatial.h"
#include "reduced/touch.h"

/* What a body takes: its inertia and drag, about the reference point of its tree. */
static AfxiSpatial taken(const AfxiReduced *work, uint32_t index) {
    const AfxiCarried *carried = &work->tree.carried[index];
    const AfxiBodyClass *class = afxi_world_class(work->world, carried->body);
    const AfxVec3 gravity = vec3_load(work->tree.gravity);
    AfxiSpatial a = {{0, 0, 0}, vec3_scale(-1, gravity)}, v = {{0, 0, 0}, {0, 0, 0}}; /* of the ground */
    AfxiMat3 r;
    AfxVec3 t, reference = {0, 0, 0};
    afxi_tree_body(&work->work, index, &r, &t);
    if (carried->node != AFXI_TREE_NONE) {
        const AfxiNodeState *node = &work->work.node[carried->node];
        a = afxi_tree_body_motion(&work->work, index, &node->acceleration);
        v = afxi_tree_body_motion(&work->work, index, &node->velocity);
        reference = work->work.reference[work->tree.node[carried->node].first];
    }
    double whole = class->s[0] + class->s[1] + class->s[2];
    AfxVec3 moments = vec3(whole - class->s[0], whole - class->s[1], whole - class->s[2]);
    AfxVec3 w = mat3_apply_transposed(&r, v.w), dw = mat3_apply_transposed(&r, a.w);
    AfxVec3 momentum = vec3(moments.x * w.x, moments.y * w.y, moments.z * w.z);
    AfxVec3 torque = vec3_add(vec3(moments.x * dw.x, moments.y * dw.y, moments.z * dw.z), vec3_cross(w, momentum));
    torque = vec3_mad(torque, class->angular_damping, momentum);
    AfxVec3 acceleration = vec3_add(a.v, vec3_cross(v.w, v.v)); /* less gravity: that of the ground is upwards */
    acceleration = vec3_mad(acceleration, class->gravity == 0 ? 1 : 0, gravity);
    AfxVec3 force = vec3_scale(class->mass, vec3_mad(acceleration, class->linear_damping, v.v));
    return spatial(vec3_add(mat3_apply(&r, torque), vec3_cross(vec3_sub(t, reference), force)), force);
}

/* Takes a wrench at the centre of a body away from what it has to be given; torque in world axes. */
static void give(const AfxiReduced *work, uint32_t body, AfxVec3 torque, AfxVec3 force) {
    uint32_t place = body == AFXI_WORLD ? AFXI_TREE_NONE : work->tree.place[body];
    if (place == AFXI_TREE_NONE) {
        return;
    }
    const AfxiCarried *carried = &work->tree.carried[place];
    AfxiMat3 r;
    AfxVec3 t, reference = {0, 0, 0};
    afxi_tree_body(&work->work, place, &r, &t);
    if (carried->node != AFXI_TREE_NONE) {
        reference = work->work.reference[work->tree.node[carried->node].first];
    }
    AfxiSpatial wrench = spatial(vec3_add(torque, vec3_cross(vec3_sub(t, reference), force)), force);
    work->wrench[place] = spatial_sub(work->wrench[place], wrench);
}

/* -lambda times a gradient on one body. */
static void give_row(const AfxiReduced *work, uint32_t body, const AfxiRowGradient *gradient, double lambda) {
    AfxiMat3 g = mat3_load(gradient->g), r = mat3_identity();
    AfxVec3 t;
    if (body != AFXI_WORLD && work->tree.place[body] != AFXI_TREE_NONE) {
        afxi_tree_body(&work->work, work->tree.place[body], &r, &t);
        give(work, body, mat3_apply(&r, vec3_scale(-2 * lambda, mat3_axial(&g))),
             vec3_scale(-lambda, vec3_load(gradient->g + 9)));
    }
}

static void give_spec(const AfxiReduced *work, AfxiRowSpec spec, const AfxiJointFrame *frame, double length,
                      uint32_t follower, uint32_t base, double lambda) {
    AfxiPairState state = afxi_reduced_pair(work, follower, base);
    AfxiRowGradient a, b;
    afxi_row_gradient(spec, frame, length, &state, &a, &b);
    give_row(work, follower, &a, lambda);
    give_row(work, base, &b, lambda);
}

/* A coordinate of a joint that is no branch: those of branches act within them. */
static void give_coordinate(const AfxiReduced *work, uint32_t joint, uint32_t axis, double lambda) {
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    if (work->tree.joint[joint].branch) {
        return;
    }
    AfxiPairState state = afxi_reduced_pair(work, source->follower, source->base);
    AfxiAxisSpec spec = afxi_axis_of(kind, axis);
    AfxiRowGradient a, b;
    afxi_axis_gradient(spec, afxi_world_joint_frame(work->world, joint), &state, &a, &b);
    give_row(work, source->follower, &a, lambda);
    give_row(work, source->base, &b, lambda);
}

static void give_one(const AfxiReduced *work, const AfxiReducedRow *row, double lambda) {
    const AfxModel *model = work->model;
    switch (row->source) {
    case AFXI_REDUCED_LOOP: {
        const AfxiJoint *joint = &model->joints[row->index];
        give_spec(work, afxi_joint_kind((AfxJointKind)joint->kind)->rows[row->part],
                  afxi_world_joint_frame(work->world, row->index),
                  *afxi_world_param(work->world, AFX_PARAM_JOINT_LENGTH, row->index), joint->follower, joint->base,
                  lambda);
        break;
    }
    case AFXI_REDUCED_SCREW:
        give_coordinate(work, row->index, 0, lambda);
        give_coordinate(work, row->index, 1,
                        -lambda * *afxi_world_param(work->world, AFX_PARAM_JOINT_PITCH, row->index));
        break;
    case AFXI_REDUCED_DRIVE:
        give_coordinate(work, model->drives[row->index].joint, model->drives[row->index].axis, lambda);
        break;
    case AFXI_REDUCED_COUPLING: {
        const AfxiCoupling *coupling = &model->couplings[row->index];
        const double *numbers = afxi_world_param(work->world, AFX_PARAM_COUPLING, row->index);
        for (uint32_t t = 0; t < coupling->term_count; t++) {
            give_coordinate(work, coupling->joint[t], coupling->axis[t], lambda * numbers[t]);
        }
        break;
    }
    case AFXI_REDUCED_SPRING: {
        const AfxiSpring *spring = &model->springs[row->index];
        AfxiJointFrame frame = {.point_a = spring->point_a, .point_b = spring->point_b};
        AfxiRowSpec spec = {AFXI_ROW_DISTANCE, 0, 0, 1, 0};
        AfxiReducedMeasure at = afxi_reduced_measure(work, row, work->q, work->u, NULL);
        if (at.value > 0) {
            give_spec(work, spec, &frame, at.value, spring->body_a, spring->body_b, lambda);
        }
        break;
    }
    }
}

static void give_wrenches(const AfxiReduced *work) {
    const AfxiWorld *world = work->world;
    for (uint32_t k = 0; world->force_count && k < work->tree.carried_count; k++) {
        uint32_t body = work->tree.carried[k].body;
        if (world->force_slot[body] != UINT32_MAX && work->model->kind[body] == AFX_BODY_DYNAMIC) {
            AfxiMat3 r;
            AfxVec3 t, force;
            afxi_tree_body(&work->work, k, &r, &t);
            AfxiMat3 on_a = afxi_free_forces(&world->forces[world->force_slot[body]], &r, &force);
            give(work, body, mat3_apply(&r, vec3_scale(2, mat3_axial(&on_a))), force);
        }
    }
}

/* Forces of contact points, as the last step left them. */
static void give_contacts(const AfxiReduced *work) {
    uint32_t count = work->touch.collide ? work->touch.collide->set.now.count : 0;
    for (uint32_t k = 0; k < count; k++) {
        const AfxiPoint *point = &work->touch.collide->set.now.point[k];
        AfxVec3 at;
        AfxWrench wrench;
        if (!afxi_reduced_touch_wrench(work, k, &at, &wrench)) {
            continue;
        }
        for (int side = 0; side < (point->pair ? 2 : 1); side++) {
            uint32_t body = side ? point->body_b : point->body_a;
            double sign = side ? -1 : 1;
            AfxiMat3 r;
            AfxVec3 t = at, force = vec3_scale(sign, wrench.force);
            if (work->tree.place[body] != AFXI_TREE_NONE) {
                afxi_tree_body(&work->work, work->tree.place[body], &r, &t);
            }
            give(work, body, vec3_mad(vec3_cross(vec3_sub(at, t), force), sign, wrench.torque), force);
        }
    }
}

/* Takes out what lies along the free axes of a joint: in the axes of its base frame. */
static void leave_held(const AfxiReduced *work, uint32_t joint, const AfxiMat3 *base_axes, const AfxiMat3 *far_axes,
                       AfxWrench *wrench) {
    AfxJointKind kind = (AfxJointKind)work->model->joints[joint].kind;
    const AfxiJointKind *table = afxi_joint_kind(kind);
    double *force[3] = {&wrench->force.x, &wrench->force.y, &wrench->force.z};
    double *torque[3] = {&wrench->torque.x, &wrench->torque.y, &wrench->torque.z};
    if (kind == AFX_JOINT_SCREW) {
        double pitch = *afxi_world_param(work->world, AFX_PARAM_JOINT_PITCH, joint);
        wrench->torque.x = -pitch * wrench->force.x;
        return;
    }
    if (kind == AFX_JOINT_UNIVERSAL) { /* about the axis square to both of the cross */
        AfxVec3 y = mat3_apply_transposed(base_axes, mat3_column(far_axes, 1)), x = {1, 0, 0};
        AfxVec3 square = vec3_cross(x, y);
        wrench->torque = vec3_scale(vec3_dot(wrench->torque, square) / vec3_dot(square, square), square);
        return;
    }
    for (uint32_t k = 0; k < table->axis_count; k++) {
        *(table->axes[k].type == AFXI_AXIS_TRANSLATION ? force : torque)[table->axes[k].axis] = 0;
    }
}

void afxi_reduced_reaction(const AfxiReduced *work, uint32_t joint, const double *lambda, AfxWrench *out) {
    const AfxiTree *tree = &work->tree;
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, joint);
    uint32_t far = tree->joint[joint].reversed ? source->base : source->follower, place = tree->place[far];
    for (uint32_t k = 0; k < tree->carried_count; k++) {
        work->wrench[k] = taken(work, k);
    }
    give_wrenches(work);
    give_contacts(work);
    for (uint32_t k = 0; k < work->exact_count; k++) {
        give_one(work, &work->exact[k], work->lambda[k]);
    }
    for (uint32_t k = 0; k < work->force_count; k++) {
        const AfxiReducedRow *row = &work->force[k];
        give_one(work, row, row->place == UINT32_MAX ? 0 : row->sign * lambda[row->place]);
    }
    for (uint32_t k = tree->carried_count; k-- > place + 1;) {
        if (tree->carried[k].parent != AFXI_TREE_NONE && tree->carried[k].joint != AFXI_TREE_NONE) {
            uint32_t parent = tree->carried[k].parent;
            work->wrench[parent] = spatial_add(work->wrench[parent], work->wrench[k]);
        }
    }
    AfxiPairState state = afxi_reduced_pair(work, source->follower, source->base);
    AfxVec3 reference = {0, 0, 0}, point = vec3_add(mat3_apply(&state.a_a, frame->point_a), state.t_a);
    if (tree->carried[place].node != AFXI_TREE_NONE) {
        reference = work->work.reference[tree->node[tree->carried[place].node].first];
    }
    double sign = tree->joint[joint].reversed ? -1 : 1;
    AfxiSpatial wrench = work->wrench[place];
    AfxVec3 torque = vec3_sub(wrench.w, vec3_cross(vec3_sub(point, reference), wrench.v));
    AfxiMat3 base_axes = mat3_multiply(&state.a_b, &frame->axes_b),
             far_axes = mat3_multiply(&state.a_a, &frame->axes_a);
    out->force = vec3_scale(sign, mat3_apply_transposed(&base_axes, wrench.v));
    out->torque = vec3_scale(sign, mat3_apply_transposed(&base_axes, torque));
    leave_held(work, joint, &base_axes, &far_axes, out);
}
