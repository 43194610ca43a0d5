/* SPDX-License-Identifier: Apache-2.0 */
/* From a tree back to raw coordinates, in lanes, for *_wide.c files. Products are rounded one by one, as in raw.c,
 * which does the same for single bodies. */
#ifndef AFXI_REDUCED_RAW_WIDE_H
#define AFXI_REDUCED_RAW_WIDE_H

#include "reduced/node_wide.h"

/* a x with plain numbers x. */
WIDE_INLINE void raw_apply(const Wide a[9], const double x[3], Wide out[3]) {
    for (int e = 0; e < 3; e++) {
        out[e] = a[e] * wide_all(x[0]) + a[3 + e] * wide_all(x[1]) + a[6 + e] * wide_all(x[2]);
    }
}

WIDE_INLINE void raw_cross(const Wide a[3], const Wide b[3], Wide out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Coordinates q and rates v of a body, to each robot's own. */
WIDE_INLINE void raw_store(uint32_t body, const Wide q[12], const Wide v[12], double *const *raw_q,
                           double *const *raw_v) {
    double *to_q[AFXI_LANES], *to_v[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        to_q[l] = raw_q[l] + (size_t)12 * body;
        to_v[l] = raw_v[l] + (size_t)12 * body;
    }
    wide_scatter(to_q, 3, q);
    wide_scatter(to_v, 3, v);
}

static void raw_still(const AfxiCarried *carried, double *const *raw_q, double *const *raw_v) {
    const double shift[3] = {carried->shift.x, carried->shift.y, carried->shift.z};
    Wide q[12], v[12];
    for (int e = 0; e < 12; e++) {
        q[e] = wide_all(e < 9 ? carried->turn.m[e] : shift[e - 9]);
        v[e] = wide_all(0);
    }
    raw_store(carried->body, q, v, raw_q, raw_v);
}

static void raw_carried(const AfxiTreeWork *work, const AfxiCarried *carried, double *const *raw_q,
                        double *const *raw_v) {
    const WideNode *node = node_at(work, carried->node);
    const Wide *reference = (const Wide *)(const void *)work->reference + 3 * work->tree->node[carried->node].first;
    const double shift[3] = {carried->shift.x, carried->shift.y, carried->shift.z};
    Wide q[12], v[12], centre[3], turned[3];
    for (int k = 0; k < 3; k++) {
        raw_apply(node->r, carried->turn.m + 3 * k, q + 3 * k);
        raw_cross(node->velocity, q + 3 * k, v + 3 * k);
    }
    raw_apply(node->r, shift, centre);
    for (int e = 0; e < 3; e++) {
        centre[e] = node->p[e] + centre[e];
        q[9 + e] = centre[e] + reference[e];
    }
    raw_cross(node->velocity, centre, turned);
    for (int e = 0; e < 3; e++) {
        v[9 + e] = node->velocity[3 + e] + turned[e];
    }
    raw_store(carried->body, q, v, raw_q, raw_v);
}

/* A flywheel at its coordinate. */
static void raw_flywheel(const AfxiTreeWork *work, uint32_t index, Wide x, Wide u, double *const *raw_q,
                         double *const *raw_v) {
    const AfxiFlywheel *wheel = &work->tree->flywheel[index];
    const double *centre[3] = {&wheel->centre[0].x, &wheel->centre[1].x, &wheel->centre[2].x};
    Wide q[12], v[12], s, c, ratio = wheel_at(work, index, 0), y = ratio * x + wheel_at(work, index, 1);
    Wide rate = ratio * u;
    wide_sincos(y, &s, &c);
    for (int e = 0; e < 9; e++) {
        Wide first = wide_all(wheel->turn[1].m[e]), second = wide_all(wheel->turn[2].m[e]);
        q[e] = wide_all(wheel->turn[0].m[e]) + c * first + s * second;
        v[e] = rate * (c * second - s * first);
    }
    for (int e = 0; e < 3; e++) {
        Wide along = wide_all((&wheel->along.x)[e]), first = wide_all(centre[1][e]), second = wide_all(centre[2][e]);
        q[9 + e] = wide_all(centre[0][e]) + c * first + s * second + y * along;
        v[9 + e] = rate * (along + c * second + -s * first);
    }
    raw_store(wheel->body, q, v, raw_q, raw_v);
}

static void tree_to_raw(const AfxiTreeWork *work, const double *q, const double *u, double *const *raw_q,
                        double *const *raw_v) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = 0; k < tree->carried_count; k++) {
        const AfxiCarried *carried = &tree->carried[k];
        if (tree->model->kind[carried->body] != AFX_BODY_DYNAMIC) {
            continue;
        }
        if (carried->node == AFXI_TREE_NONE) {
            raw_still(carried, raw_q, raw_v);
        } else {
            raw_carried(work, carried, raw_q, raw_v);
        }
    }
    for (uint32_t k = 0; k < tree->flywheel_count; k++) {
        uint32_t dof = tree->flywheel[k].dof, coordinate = afxi_tree_coordinate(tree, dof);
        raw_flywheel(work, k, wide_load(q + (size_t)AFXI_LANES * coordinate), wide_load(u + (size_t)AFXI_LANES * dof),
                     raw_q, raw_v);
    }
}

static void tree_sincos(const double *angle, double *out_sin, double *out_cos) {
    Wide s, c;
    wide_sincos(wide_load(angle), &s, &c);
    wide_store(out_sin, s);
    wide_store(out_cos, c);
}

#endif
