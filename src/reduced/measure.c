/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are those of src/joint, evaluated where the tree has its bodies. A gradient G (on A, in the body's axes) and n
 * (on t) is the torque 2 axial(G) in these axes and the force n at the body's centre. */
#include "reduced/measure.h"

#include "reduced/spatial.h"

static void place_of(const AfxiReduced *work, uint32_t body, AfxiMat3 *out_r, AfxVec3 *out_t) {
    *out_r = mat3_identity();
    *out_t = vec3(0, 0, 0);
    if (body != AFXI_WORLD) {
        afxi_tree_body(&work->work, work->tree.place[body], out_r, out_t);
    }
}

AfxiPairState afxi_reduced_pair(const AfxiReduced *work, uint32_t follower, uint32_t base) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    place_of(work, follower, &state.a_a, &state.t_a);
    place_of(work, base, &state.a_b, &state.t_b);
    state.r_a = state.a_a;
    state.r_b = state.a_b;
    return state;
}

bool afxi_reduced_wrench(const AfxiReduced *work, uint32_t body, AfxVec3 torque, AfxVec3 force, AfxiSpatial *out,
                         uint32_t *out_node) {
    uint32_t place = body == AFXI_WORLD ? AFXI_TREE_NONE : work->tree.place[body];
    if (place == AFXI_TREE_NONE || work->tree.carried[place].node == AFXI_TREE_NONE) {
        return false;
    }
    uint32_t node = work->tree.carried[place].node;
    AfxiMat3 r;
    AfxVec3 t;
    afxi_tree_body(&work->work, place, &r, &t);
    AfxVec3 arm = vec3_sub(t, work->work.reference[work->tree.node[node].first]);
    *out = spatial(vec3_add(mat3_apply(&r, torque), vec3_cross(arm, force)), force);
    *out_node = node;
    return true;
}

bool afxi_reduced_gradient(const AfxiReduced *work, uint32_t body, const AfxiRowGradient *gradient, double scale,
                           AfxiSpatial *out, uint32_t *out_node) {
    AfxiMat3 g = mat3_load(gradient->g);
    return afxi_reduced_wrench(work, body, vec3_scale(2 * scale, mat3_axial(&g)),
                               vec3_scale(scale, vec3_load(gradient->g + 9)), out, out_node);
}

/* What a row's gradient on one body adds to its rate and to its gradient in joint coordinates. */
static void add_side(const AfxiReduced *work, uint32_t body, const AfxiRowGradient *gradient, double scale,
                     double *rate, double *out) {
    AfxiSpatial wrench;
    uint32_t node;
    if (!afxi_reduced_gradient(work, body, gradient, scale, &wrench, &node)) {
        return;
    }
    *rate += spatial_dot(wrench, work->work.node[node].velocity);
    if (out) {
        afxi_tree_add_wrench(&work->work, node, &wrench, out);
    }
}

/* ---- coordinates ---- */

static double last_of(const AfxiReduced *work, uint32_t joint, uint32_t axis) {
    const AfxiJoint *source = &work->model->joints[joint];
    uint32_t place = afxi_axis_place(afxi_joint_kind((AfxJointKind)source->kind), axis);
    return place == UINT32_MAX || source->angle == UINT32_MAX ? 0 : work->world->state.angle[source->angle + place];
}

/* Adds scale times a joint coordinate. */
static void add_coordinate(const AfxiReduced *work, uint32_t joint, uint32_t axis, double scale, const double *q,
                           const double *u, AfxiReducedMeasure *out, double *gradient) {
    const AfxiTreeJoint *entry = &work->tree.joint[joint];
    uint32_t dof = axis < AFXI_JOINT_AXES_MOST ? entry->dof[axis] : AFXI_TREE_NONE;
    if (dof != AFXI_TREE_NONE) {
        double factor = scale * entry->factor[axis];
        out->value += factor * q[afxi_tree_coordinate(&work->tree, dof)];
        out->rate += factor * u[dof];
        if (gradient) {
            gradient[dof] += factor;
        }
        return;
    }
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, joint);
    AfxiPairState state = afxi_reduced_pair(work, source->follower, source->base);
    AfxiAxisSpec spec = afxi_axis_of(kind, axis);
    AfxiRowGradient a, b;
    if (source->angle != UINT32_MAX) {
        spec = afxi_axis_after(kind, axis, frame, &state, work->world->state.angle + source->angle);
    }
    out->value += scale * afxi_axis_counted(spec, frame, &state, last_of(work, joint, axis));
    afxi_axis_gradient(spec, frame, &state, &a, &b);
    add_side(work, source->follower, &a, scale, &out->rate, gradient);
    add_side(work, source->base, &b, scale, &out->rate, gradient);
}

/* ---- rows ---- */

static void add_row(const AfxiReduced *work, AfxiRowSpec spec, const AfxiJointFrame *frame, double length,
                    const uint32_t bodies[2], AfxiReducedMeasure *out, double *gradient) {
    AfxiPairState state = afxi_reduced_pair(work, bodies[0], bodies[1]);
    AfxiRowGradient a, b;
    out->value += afxi_row_value(spec, frame, length, &state);
    afxi_row_gradient(spec, frame, length, &state, &a, &b);
    add_side(work, bodies[0], &a, 1, &out->rate, gradient);
    add_side(work, bodies[1], &b, 1, &out->rate, gradient);
}

/* A spring's length l: the row (|d|² - l²)/2l at l = |d| has its gradient d/|d|. */
static void add_spring(const AfxiReduced *work, const AfxiSpring *spring, AfxiReducedMeasure *out, double *gradient) {
    AfxiJointFrame frame = {.point_a = spring->point_a, .point_b = spring->point_b};
    const uint32_t bodies[2] = {spring->body_a, spring->body_b};
    AfxiPairState state = afxi_reduced_pair(work, bodies[0], bodies[1]);
    AfxVec3 a = vec3_add(mat3_apply(&state.a_a, spring->point_a), state.t_a);
    AfxVec3 b = vec3_add(mat3_apply(&state.a_b, spring->point_b), state.t_b);
    double length = vec3_length(vec3_sub(a, b));
    AfxiRowSpec spec = {AFXI_ROW_DISTANCE, 0, 0, 1, 0};
    if (length > 0) {
        add_row(work, spec, &frame, length, bodies, out, gradient);
    }
    out->value = length;
}

AfxiReducedMeasure afxi_reduced_measure(const AfxiReduced *work, const AfxiReducedRow *row, const double *q,
                                        const double *u, double *out_gradient) {
    AfxiReducedMeasure out = {0, 0};
    const AfxModel *model = work->model;
    for (uint32_t k = 0; out_gradient && k < work->tree.dof_count; k++) {
        out_gradient[k] = 0;
    }
    switch (row->source) {
    case AFXI_REDUCED_LOOP: {
        const AfxiJoint *joint = &model->joints[row->index];
        const uint32_t bodies[2] = {joint->follower, joint->base};
        add_row(work, afxi_joint_kind((AfxJointKind)joint->kind)->rows[row->part],
                afxi_world_joint_frame(work->world, row->index),
                *afxi_world_param(work->world, AFX_PARAM_JOINT_LENGTH, row->index), bodies, &out, out_gradient);
        break;
    }
    case AFXI_REDUCED_SCREW: {
        double pitch = *afxi_world_param(work->world, AFX_PARAM_JOINT_PITCH, row->index);
        add_coordinate(work, row->index, 0, 1, q, u, &out, out_gradient);
        add_coordinate(work, row->index, 1, -pitch, q, u, &out, out_gradient);
        break;
    }
    case AFXI_REDUCED_DRIVE:
        add_coordinate(work, model->drives[row->index].joint, model->drives[row->index].axis, 1, q, u, &out,
                       out_gradient);
        break;
    case AFXI_REDUCED_COUPLING: {
        const AfxiCoupling *coupling = &model->couplings[row->index];
        const double *numbers = afxi_world_param(work->world, AFX_PARAM_COUPLING, row->index);
        for (uint32_t t = 0; t < coupling->term_count; t++) {
            add_coordinate(work, coupling->joint[t], coupling->axis[t], numbers[t], q, u, &out, out_gradient);
        }
        out.value -= numbers[AFX_COUPLING_TERMS];
        break;
    }
    case AFXI_REDUCED_SPRING:
        add_spring(work, &model->springs[row->index], &out, out_gradient);
        break;
    }
    return out;
}
