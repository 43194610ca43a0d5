/* SPDX-License-Identifier: Apache-2.0 */
/* From a tree back to bodies: raw coordinates, wrenches and Jacobians. */
#include <math.h>

#include "reduced/recursion.h"
#include "reduced/spatial.h"

void afxi_tree_add_wrench(const AfxiTreeWork *work, uint32_t node, const AfxiSpatial *wrench, double *out) {
    const AfxiTree *tree = work->tree;
    while (node != AFXI_TREE_NONE && tree->node[node].dof_count == 0) {
        node = tree->node[node].parent;
    }
    if (node == AFXI_TREE_NONE) {
        return;
    }
    uint32_t dof = tree->node[node].dof + tree->node[node].dof_count - 1;
    for (; dof != AFXI_TREE_NONE; dof = tree->dof[dof].parent) {
        out[dof] += spatial_dot(work->axis[dof], *wrench);
    }
}

void afxi_tree_body(const AfxiTreeWork *work, uint32_t index, AfxiMat3 *out_r, AfxVec3 *out_t) {
    const AfxiCarried *carried = &work->tree->carried[index];
    if (carried->node == AFXI_TREE_NONE) {
        *out_r = carried->turn;
        *out_t = carried->shift;
        return;
    }
    const AfxiNodeState *node = &work->node[carried->node];
    *out_r = mat3_multiply(&node->r, &carried->turn);
    *out_t = vec3_add(vec3_add(node->p, mat3_apply(&node->r, carried->shift)),
                      work->reference[work->tree->node[carried->node].first]);
}

AfxiSpatial afxi_tree_body_motion(const AfxiTreeWork *work, uint32_t index, const AfxiSpatial *motion) {
    const AfxiCarried *carried = &work->tree->carried[index];
    const AfxiNodeState *node = &work->node[carried->node];
    AfxVec3 centre = vec3_add(node->p, mat3_apply(&node->r, carried->shift));
    return spatial(motion->w, vec3_add(motion->v, vec3_cross(motion->w, centre)));
}

static void store(const AfxiMat3 *r, AfxVec3 t, AfxiSpatial motion, double *q, double *v) {
    for (int k = 0; k < 3; k++) {
        AfxVec3 column = mat3_column(r, k);
        vec3_store(q + 3 * k, column);
        vec3_store(v + 3 * k, vec3_cross(motion.w, column));
    }
    vec3_store(q + 9, t);
    vec3_store(v + 9, motion.v);
}

/* A flywheel at its coordinate. */
static void store_flywheel(const AfxiTreeWork *work, const AfxiFlywheel *wheel, double y, double rate, double *q,
                           double *v) {
    double s, c;
    work->kernels->sincos(&y, &s, &c);
    for (int k = 0; k < 9; k++) {
        q[k] = wheel->turn[0].m[k] + c * wheel->turn[1].m[k] + s * wheel->turn[2].m[k];
        v[k] = rate * (c * wheel->turn[2].m[k] - s * wheel->turn[1].m[k]);
    }
    AfxVec3 t = vec3_mad(vec3_mad(wheel->centre[0], c, wheel->centre[1]), s, wheel->centre[2]);
    AfxVec3 dt = vec3_mad(vec3_mad(wheel->along, c, wheel->centre[2]), -s, wheel->centre[1]);
    vec3_store(q + 9, vec3_mad(t, y, wheel->along));
    vec3_store(v + 9, vec3_scale(rate, dt));
}

void afxi_flywheel_place(const AfxiTreeWork *work, const AfxiFlywheel *wheel, const double *q, double *out_q,
                         double *out_v) {
    double y = wheel->ratio * q[afxi_tree_coordinate(work->tree, wheel->dof)] + wheel->offset;
    store_flywheel(work, wheel, y, wheel->ratio, out_q, out_v);
}

void afxi_flywheel_columns(const AfxiTreeWork *work, const AfxiFlywheel *wheel, const double *q, AfxVec3 point,
                           AfxVec3 *out_linear, AfxVec3 *out_angular) {
    const AfxiFrame *frame = afxi_model_frame(work->tree->model, wheel->body);
    double place[AFXI_AFFINE_WIDTH], rate[AFXI_AFFINE_WIDTH];
    afxi_flywheel_place(work, wheel, q, place, rate); /* at unit velocity: its rates are the column */
    AfxVec3 local = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center));
    AfxiMat3 a = mat3_load(place), da = mat3_load(rate), back = mat3_transpose(&a), spin = mat3_multiply(&da, &back);
    *out_linear = vec3_add(vec3_load(rate + 9), mat3_apply(&da, local));
    *out_angular = mat3_axial(&spin);
}

void afxi_tree_body_raw(const AfxiTreeWork *work, uint32_t index, double *raw_q, double *raw_v) {
    const AfxiTree *tree = work->tree;
    const AfxiCarried *carried = &tree->carried[index];
    size_t at = (size_t)AFXI_AFFINE_WIDTH * carried->body;
    AfxiSpatial motion = {{0, 0, 0}, {0, 0, 0}};
    if (carried->node == AFXI_TREE_NONE) {
        store(&carried->turn, carried->shift, motion, raw_q + at, raw_v + at);
        return;
    }
    const AfxiNodeState *node = &work->node[carried->node];
    AfxiMat3 r = mat3_multiply(&node->r, &carried->turn);
    AfxVec3 centre = vec3_add(node->p, mat3_apply(&node->r, carried->shift));
    motion = spatial(node->velocity.w, vec3_add(node->velocity.v, vec3_cross(node->velocity.w, centre)));
    store(&r, vec3_add(centre, work->reference[tree->node[carried->node].first]), motion, raw_q + at, raw_v + at);
}

void afxi_tree_to_raw(const AfxiTreeWork *work, const double *q, const double *u, double *raw_q, double *raw_v) {
    work->kernels->to_raw(work, q, u, &raw_q, &raw_v);
}

/* q times exp(w h): a rotation by w h about axes that it carries. */
static void turn(const double *q, const double *w, double h, double *out) {
    AfxVec3 half = vec3_scale(0.5 * h, vec3_load(w));
    double angle = vec3_length(half), sinc = angle < 1e-8 ? 1 - angle * angle / 6 : sin(angle) / angle;
    AfxQuat step = {cos(angle), sinc * half.x, sinc * half.y, sinc * half.z};
    AfxQuat result = afxi_quat_normalized(afx_quat_multiply((AfxQuat){q[0], q[1], q[2], q[3]}, step));
    out[0] = result.w;
    out[1] = result.x;
    out[2] = result.y;
    out[3] = result.z;
}

void afxi_tree_move(const AfxiTree *tree, const double *q, const double *u, double h, double *out) {
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        const double *from = q + node->coordinate;
        if (node->kind == AFXI_NODE_BALL) {
            turn(from, u + node->dof, h, out + node->coordinate);
            continue;
        }
        for (uint32_t d = 0; d < node->dof_count; d++) {
            out[node->coordinate + d] = from[d] + h * u[node->dof + d];
        }
    }
}
