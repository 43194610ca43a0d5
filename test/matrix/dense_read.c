/* SPDX-License-Identifier: Apache-2.0 */
/* From a scene and a sim to bodies and joints. */
#include "dense_inner.h"

#include <math.h>
#include <string.h>

#include "tests.h"

void dense_store(double out[3], AfxVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static void store_axes(double out[9], AfxQuat q) {
    dense_store(out, afx_quat_rotate(q, (AfxVec3){1, 0, 0}));
    dense_store(out + 3, afx_quat_rotate(q, (AfxVec3){0, 1, 0}));
    dense_store(out + 6, afx_quat_rotate(q, (AfxVec3){0, 0, 1}));
}

uint32_t dense_body_index(const DenseReader *reader, AfxBodyId id) {
    AfxBodyId world = afx_world();
    return id.index == world.index && id.scene == world.scene ? reader->world : id.index;
}

/* A frame of a body in its principal axes. */
static AfxPose principal(const DenseReader *reader, uint32_t body, AfxPose pose) {
    return afx_pose_compose(afx_pose_invert(reader->frame[body]), pose);
}

void dense_point_of(const DenseReader *reader, uint32_t body, AfxVec3 point, double out[3]) {
    dense_store(out, afx_pose_apply(afx_pose_invert(reader->frame[body]), point));
}

static double number(const DenseReader *reader, AfxParamKind kind, uint32_t index) {
    double value[16];
    assert_ok(afx_sim_param(reader->sim, kind, index, value));
    return value[0];
}

DenseElement *dense_add(Dense *dense, DenseKind kind, uint32_t ends, uint32_t a, uint32_t b) {
    assert_true(dense->element_count < DENSE_ELEMENTS_MOST);
    DenseElement *element = &dense->element[dense->element_count++];
    *element = (DenseElement){.kind = kind, .ends = ends, .body = {a, b}, .drive = UINT32_MAX};
    return element;
}

/* ---- bodies ---- */

/* Generalised-α with rho = 0: α_m = -1, α_f = 0, γ = 3/2, β = 1. The acceleration a at the last step follows from the
 * two states around it: q' - q - h v = h² (a' - a/2), v' - v = h (3 a' - a)/2, the last of them at the prime. */
static void past_alpha(const DenseHistory *history, size_t at, double *past, double *hat) {
    double h = history->dt, q = history->q[0][at], v = history->v[0][at];
    double moved = (q - history->q[1][at] - h * history->v[1][at]) / (h * h), gained = (v - history->v[1][at]) / h;
    double a = 2 * gained - 2 * moved;
    *hat = q + h * v;
    *past = q + h / 3 * v - h * h / 6 * a;
}

static void read_past(const DenseReader *reader, uint32_t index, DenseBody *body) {
    const DenseHistory *history = reader->history;
    double h = history->dt;
    for (int e = 0; e < 12; e++) {
        size_t at = 12 * (size_t)index + e;
        double q = history->q[0][at], v = history->v[0][at];
        if (history->integrator == AFX_ALPHA) {
            past_alpha(history, at, &body->past[e], &body->hat[e]);
            continue;
        }
        if (history->integrator == AFX_BDF2) {
            q = (4 * q - history->q[1][at]) / 3;
            v = (4 * v - history->v[1][at]) / 3;
        }
        body->past[e] = q;
        body->hat[e] = q + (history->integrator == AFX_BDF2 ? 2 * h / 3 : h) * v;
    }
}

static void read_body(DenseReader *reader, uint32_t index) {
    DenseBody *body = &reader->dense->body[index];
    double moments[10], gravity[10];
    *body = (DenseBody){.moves = afx_model_body_kind(reader->model, index) == AFX_BODY_DYNAMIC};
    memcpy(body->q, afx_sim_coordinates(reader->sim) + 12 * (size_t)index, sizeof body->q);
    memcpy(body->rate, afx_sim_velocities(reader->sim) + 12 * (size_t)index, sizeof body->rate);
    assert_ok(afx_model_body_frame(reader->model, index, &reader->frame[index]));
    if (!body->moves) {
        return;
    }
    body->mass = number(reader, AFX_PARAM_BODY_MASS, index);
    body->volume = number(reader, AFX_PARAM_BODY_VOLUME, index);
    assert_ok(afx_sim_param(reader->sim, AFX_PARAM_BODY_SECOND_MOMENTS, index, moments));
    memcpy(body->moment, moments, sizeof body->moment);
    double young = number(reader, AFX_PARAM_BODY_YOUNG, index), nu = number(reader, AFX_PARAM_BODY_POISSON, index);
    body->rigid = isinf(young);
    body->mu = body->rigid ? 0 : young / (2 * (1 + nu));
    body->lambda = 2 * body->mu * nu / (1 - 2 * nu);
    body->damping[0] = number(reader, AFX_PARAM_BODY_LINEAR_DAMPING, index);
    body->damping[1] = number(reader, AFX_PARAM_BODY_ANGULAR_DAMPING, index);
    assert_ok(afx_sim_param(reader->sim, AFX_PARAM_GRAVITY, 0, gravity));
    for (int e = 0; e < 3; e++) {
        body->weight[e] = body->mass * gravity[e] * number(reader, AFX_PARAM_BODY_GRAVITY, index);
    }
    read_past(reader, index, body);
    dense_add(reader->dense, DENSE_BODY, 1, index, 0)->rows = body->rigid ? 6 : 0;
}

static void read_bodies(DenseReader *reader) {
    reader->world = afx_model_body_count(reader->model);
    reader->dense->body_count = reader->world + 1;
    assert_true(reader->dense->body_count <= DENSE_BODIES_MOST);
    for (uint32_t k = 0; k < reader->world; k++) {
        read_body(reader, k);
    }
    reader->dense->body[reader->world] = (DenseBody){.q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    reader->frame[reader->world] = afx_pose_identity();
}

/* ---- joints and what acts along them ---- */

static void read_joint(DenseReader *reader, uint32_t index) {
    AfxJointDef def;
    assert_ok(afx_scene_get_joint(reader->scene, afx_scene_joint(reader->scene, index), &def));
    DenseJoint *joint = &reader->dense->joint[index];
    joint->kind = def.kind;
    joint->a = dense_body_index(reader, def.follower);
    joint->b = dense_body_index(reader, def.base);
    AfxPose a = principal(reader, joint->a, def.follower_frame), b = principal(reader, joint->b, def.base_frame);
    dense_store(joint->point_a, a.position);
    dense_store(joint->point_b, b.position);
    store_axes(joint->axes_a, a.rotation);
    store_axes(joint->axes_b, b.rotation);
    if (!afx_sim_joint_active(reader->sim, index)) {
        return;
    }
    DenseElement *element = dense_add(reader->dense, DENSE_JOINT, 2, joint->a, joint->b);
    element->joint = joint;
    element->rows = def.kind == AFX_JOINT_SPHERICAL ? 3
                    : def.kind == AFX_JOINT_FREE    ? 0
                    : def.kind == AFX_JOINT_FIXED   ? 6
                                                    : 5;
    uint32_t spring = afx_model_joint_spring(reader->model, index);
    if (spring != UINT32_MAX) {
        double n[10];
        assert_ok(afx_sim_param(reader->sim, AFX_PARAM_JOINT_SPRING, spring, n));
        element = dense_add(reader->dense, DENSE_TURN, 2, joint->a, joint->b);
        element->joint = joint;
        memcpy(element->turn_stiffness, n, sizeof element->turn_stiffness);
        memcpy(element->turn_damping, n + 3, sizeof element->turn_damping);
        store_axes(element->rest, (AfxQuat){n[6], n[7], n[8], n[9]});
    }
}

void dense_read(const AfxScene *scene, const AfxSim *sim, const DenseHistory *history, const DenseHold *hold,
                Dense *out_dense) {
    memset(out_dense, 0, sizeof *out_dense);
    DenseReader reader = {
        .scene = scene, .sim = sim, .model = afx_sim_model(sim), .history = history, .dense = out_dense};
    double h = history->dt;
    out_dense->dt = h;
    out_dense->h_rate = history->integrator == AFX_BDF1 ? h : 2 * h / 3;
    out_dense->h_squared = history->integrator == AFX_ALPHA ? h * h / 2 : out_dense->h_rate * out_dense->h_rate;
    read_bodies(&reader);
    out_dense->joint_count = afx_model_joint_count(reader.model);
    assert_true(out_dense->joint_count <= DENSE_BODIES_MOST);
    for (uint32_t k = 0; k < out_dense->joint_count; k++) {
        read_joint(&reader, k);
    }
    dense_read_laws(&reader, hold);
    if (history->fitted && history->integrator == AFX_BDF2) {
        dense_fit_phase(&reader);
    }
}
