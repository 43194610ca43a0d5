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

/* 1/mass of a body along a wrench at its centre, the torque in its axes. */
static double mobility(const AfxiReduced *work, uint32_t body, AfxVec3 torque, AfxVec3 force) {
    if (work->model->kind[body] != AFX_BODY_DYNAMIC) {
        return 0;
    }
    const AfxiBodyClass *class = afxi_world_class(work->world, body);
    const double *s = class->s;
    return vec3_dot(force, force) / class->mass + torque.x * torque.x / (s[1] + s[2]) +
           torque.y * torque.y / (s[0] + s[2]) + torque.z * torque.z / (s[0] + s[1]);
}

/* A gradient on one body as a wrench about the reference point; false where the body does not move. */
static bool wrench_of(const AfxiReduced *work, uint32_t body, const AfxiMat3 *r, AfxVec3 t,
                      const AfxiRowGradient *gradient, double scale, AfxiReducedMeasure *measure, AfxiSpatial *out,
                      uint32_t *out_node) {
    uint32_t place = body == AFXI_WORLD ? AFXI_TREE_NONE : work->tree.place[body];
    uint32_t node = place == AFXI_TREE_NONE ? AFXI_TREE_NONE : work->tree.carried[place].node;
    if (node == AFXI_TREE_NONE) {
        return false;
    }
    AfxiMat3 g = mat3_load(gradient->g);
    AfxVec3 torque = vec3_scale(2 * scale, mat3_axial(&g)), force = vec3_scale(scale, vec3_load(gradient->g + 9));
    AfxVec3 arm = vec3_sub(t, work->work.reference[work->tree.node[node].first]);
    *out = spatial(vec3_add(mat3_apply(r, torque), vec3_cross(arm, force)), force);
    *out_node = node;
    measure->free += mobility(work, body, torque, force);
    return true;
}

/* The second derivative that a gradient has of a body whose node has this acceleration at no du: of a point x of the
 * body, alpha x (x - p) + a + w x (its velocity); on A, R^T A'' = skew + W W with W = skew(w) in the body's axes. */
static double bend_of(const AfxiReduced *work, uint32_t node, const AfxiMat3 *r, AfxVec3 t,
                      const AfxiRowGradient *gradient, const AfxiSpatial *wrench, double rate[AFXI_AFFINE_WIDTH]) {
    const AfxiNodeState *state = &work->work.node[node];
    AfxVec3 w = state->velocity.w, own = mat3_apply_transposed(r, w);
    AfxVec3 arm = vec3_sub(t, work->work.reference[work->tree.node[node].first]);
    AfxVec3 v = vec3_add(state->velocity.v, vec3_cross(w, arm));
    AfxiMat3 g = mat3_load(gradient->g);
    AfxiSpatial a = state->acceleration;
    a.v = vec3_add(a.v, vec3_load(work->tree.gravity)); /* that of what stands still is upwards */
    for (int k = 0; k < 3; k++) {
        vec3_store(rate + 3 * k, vec3_cross(w, mat3_column(r, k)));
    }
    vec3_store(rate + 9, v);
    return spatial_dot(*wrench, a) + vec3_dot(vec3_load(gradient->g + 9), vec3_cross(w, v)) +
           vec3_dot(own, mat3_apply(&g, own)) - vec3_dot(own, own) * (g.m[0] + g.m[4] + g.m[8]);
}

/* What a row's gradient on one body adds to its rate and to its gradient in joint coordinates. */
static void add_side(const AfxiReduced *work, uint32_t body, const AfxiMat3 *r, AfxVec3 t,
                     const AfxiRowGradient *gradient, double scale, AfxiReducedMeasure *out, double *to) {
    AfxiSpatial wrench;
    uint32_t node;
    if (wrench_of(work, body, r, t, gradient, scale, out, &wrench, &node)) {
        out->rate += spatial_dot(wrench, work->work.node[node].velocity);
        if (to) {
            afxi_tree_add_wrench(&work->work, node, &wrench, to);
        }
    }
}

static void add_sides(const AfxiReduced *work, const uint32_t bodies[2], const AfxiPairState *state,
                      const AfxiRowGradient gradient[2], double scale, AfxiReducedMeasure *out, double *to) {
    add_side(work, bodies[0], &state->r_a, state->t_a, &gradient[0], scale, out, to);
    add_side(work, bodies[1], &state->r_b, state->t_b, &gradient[1], scale, out, to);
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
    const uint32_t bodies[2] = {source->follower, source->base};
    AfxiRowGradient both[2];
    if (source->angle != UINT32_MAX) {
        spec = afxi_axis_after(kind, axis, frame, &state, work->world->state.angle + source->angle);
    }
    out->value += scale * afxi_axis_counted(spec, frame, &state, last_of(work, joint, axis));
    afxi_axis_gradient(spec, frame, &state, &both[0], &both[1]);
    add_sides(work, bodies, &state, both, scale, out, gradient);
}

/* ---- rows ---- */

/* A row of a joint that closes a loop, between bodies at `state`. */
static void add_loop(const AfxiReduced *work, const AfxiReducedRow *row, const AfxiPairState *state,
                     AfxiReducedMeasure *out, double *to) {
    const AfxiJoint *joint = &work->model->joints[row->index];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, row->index);
    AfxiRowSpec spec = afxi_joint_kind((AfxJointKind)joint->kind)->rows[row->part];
    double length = *afxi_world_param(work->world, AFX_PARAM_JOINT_LENGTH, row->index);
    double rates[2][AFXI_AFFINE_WIDTH] = {{0}};
    const uint32_t bodies[2] = {joint->follower, joint->base};
    const AfxiMat3 *r[2] = {&state->r_a, &state->r_b};
    const AfxVec3 t[2] = {state->t_a, state->t_b};
    AfxiRowGradient gradient[2];
    out->value += afxi_row_value(spec, frame, length, state);
    afxi_row_gradient(spec, frame, length, state, &gradient[0], &gradient[1]);
    for (int side = 0; side < 2; side++) {
        AfxiSpatial wrench;
        uint32_t node;
        if (wrench_of(work, bodies[side], r[side], t[side], &gradient[side], 1, out, &wrench, &node)) {
            out->rate += spatial_dot(wrench, work->work.node[node].velocity);
            if (to) {
                out->bend += bend_of(work, node, r[side], t[side], &gradient[side], &wrench, rates[side]);
                afxi_tree_add_wrench(&work->work, node, &wrench, to);
            }
        }
    }
    if (to) {
        out->bend += afxi_row_velocity_term(spec, frame, length, state, rates[0], rates[1]);
    }
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
        AfxiRowGradient both[2];
        afxi_row_gradient(spec, &frame, length, &state, &both[0], &both[1]);
        add_sides(work, bodies, &state, both, 1, out, gradient);
    }
    out->value = length;
}

static AfxiReducedMeasure measure(const AfxiReduced *work, const AfxiReducedRow *row, const AfxiPairState *state,
                                  const double *q, const double *u, double *out_gradient) {
    AfxiReducedMeasure out = {0, 0, 0, 0};
    const AfxModel *model = work->model;
    for (uint32_t k = 0; out_gradient && k < work->tree.dof_count; k++) {
        out_gradient[k] = 0;
    }
    switch (row->source) {
    case AFXI_REDUCED_LOOP:
        add_loop(work, row, state, &out, out_gradient);
        break;
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

AfxiReducedMeasure afxi_reduced_measure(const AfxiReduced *work, const AfxiReducedRow *row, const double *q,
                                        const double *u, double *out_gradient) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    if (row->source == AFXI_REDUCED_LOOP) {
        const AfxiJoint *joint = &work->model->joints[row->index];
        state = afxi_reduced_pair(work, joint->follower, joint->base);
    }
    return measure(work, row, &state, q, u, out_gradient);
}

void afxi_reduced_measure_active(AfxiReduced *work, const double *q, const double *u) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    for (uint32_t k = 0; k < work->active_count; k++) {
        const AfxiReducedRow *row = &work->active[k];
        if (row->source == AFXI_REDUCED_LOOP && row->part == 0) { /* rows of a joint are next to each other */
            const AfxiJoint *joint = &work->model->joints[row->index];
            state = afxi_reduced_pair(work, joint->follower, joint->base);
        }
        work->measure[k] = measure(work, row, &state, q, u, work->gradient + (size_t)k * work->tree.dof_count);
    }
}
