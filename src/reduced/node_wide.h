/* SPDX-License-Identifier: Apache-2.0 */
/* One node of a tree in lanes, for *_wide.c files: its frame and motion axes, velocity, inertia and forces. */
#ifndef AFXI_REDUCED_NODE_WIDE_H
#define AFXI_REDUCED_NODE_WIDE_H

#include "math/sincos_wide.h"
#include "reduced/recursion.h"

/* AfxiNodeState in lanes. */
typedef struct WideNode {
    Wide r[9], p[3], velocity[6], bias[6], acceleration[6], force[6], own[10], beyond[10];
} WideNode;

/* AfxiMovedState in lanes. */
typedef struct WideMoved {
    Wide r[9], p[3], w[3], v[3], dw[3], dv[3];
} WideMoved;

_Static_assert(sizeof(WideNode) == sizeof(AfxiNodeState) * AFXI_LANES, "a node is all numbers");
_Static_assert(sizeof(WideMoved) == sizeof(AfxiMovedState) * AFXI_LANES, "so is a kinematic body");

WIDE_INLINE WideNode *node_at(const AfxiTreeWork *work, uint32_t k) {
    return (WideNode *)(void *)work->node + k;
}

/* What a node hangs on; what stands still is the node behind the last. */
WIDE_INLINE const WideNode *node_before(const AfxiTreeWork *work, uint32_t k) {
    uint32_t parent = work->tree->node[k].parent;
    return node_at(work, parent == AFXI_TREE_NONE ? work->tree->node_count : parent);
}

WIDE_INLINE void store_node(const WideNode *from, WideNode *to) {
    wide_copy(from->r, 9, to->r);
    wide_copy(from->p, 3, to->p);
    wide_copy(from->velocity, 6, to->velocity);
    wide_copy(from->bias, 6, to->bias);
    wide_copy(from->acceleration, 6, to->acceleration);
    wide_copy(from->force, 6, to->force);
    wide_copy(from->own, 10, to->own);
    wide_copy(from->beyond, 10, to->beyond);
}

WIDE_INLINE Wide *axis_at(const AfxiTreeWork *work, uint32_t dof) {
    return (Wide *)(void *)work->axis + 6 * (size_t)dof;
}

/* A number of a node, by its place among them. */
WIDE_INLINE Wide number_at(const AfxiTreeWork *work, uint32_t k, int number) {
#if AFXI_LANES == 1
    return work->tree->node[k].number[number];
#else
    return wide_load(work->number + ((size_t)AFXI_NODE_NUMBERS * k + (size_t)number) * AFXI_LANES);
#endif
}

WIDE_INLINE Wide armature_at(const AfxiTreeWork *work, uint32_t dof) {
#if AFXI_LANES == 1
    return work->tree->dof[dof].armature;
#else
    return wide_load(work->armature + (size_t)AFXI_LANES * dof);
#endif
}

WIDE_INLINE Wide gravity_at(const AfxiTreeWork *work, int axis) {
#if AFXI_LANES == 1
    return work->tree->gravity[axis];
#else
    return wide_load(work->gravity + (size_t)AFXI_LANES * axis);
#endif
}

/* Ratio (0) or offset (1) of a flywheel. */
WIDE_INLINE Wide wheel_at(const AfxiTreeWork *work, uint32_t wheel, int number) {
#if AFXI_LANES == 1
    const AfxiFlywheel *source = &work->tree->flywheel[wheel];
    return number ? source->offset : source->ratio;
#else
    return wide_load(work->wheel + ((size_t)2 * wheel + (size_t)number) * AFXI_LANES);
#endif
}

/* out += sum of x[d] axis d, less the first where `first` is false. `axes`: 0, 1 or 3. */
WIDE_INLINE void add_axes(int axes, const Wide *x, const Wide *axis, bool first, Wide out[6]) {
    if (first && axes) {
        for (int e = 0; e < 6; e++) {
            out[e] = wide_fma(x[0], axis[e], out[e]);
        }
    }
    if (axes > 1) {
        for (int e = 0; e < 6; e++) {
            out[e] = wide_fma(x[2], axis[12 + e], wide_fma(x[1], axis[6 + e], out[e]));
        }
    }
}

/* ---- vectors ---- */

WIDE_INLINE void wide_cross(const Wide a[3], const Wide b[3], Wide out[3]) {
    out[0] = wide_nma(a[2], b[1], a[1] * b[2]);
    out[1] = wide_nma(a[0], b[2], a[2] * b[0]);
    out[2] = wide_nma(a[1], b[0], a[0] * b[1]);
}

WIDE_INLINE void wide_cross_add(const Wide a[3], const Wide b[3], Wide out[3]) {
    out[0] = wide_nma(a[2], b[1], wide_fma(a[1], b[2], out[0]));
    out[1] = wide_nma(a[0], b[2], wide_fma(a[2], b[0], out[1]));
    out[2] = wide_nma(a[1], b[0], wide_fma(a[0], b[1], out[2]));
}

WIDE_INLINE Wide wide_dot6(const Wide a[6], const Wide b[6]) {
    return wide_fma(a[5], b[5], wide_fma(a[4], b[4], wide_fma(a[3], b[3], wide_dot(a, b))));
}

WIDE_INLINE void wide_clear(Wide *out, int count) {
    for (int k = 0; k < count; k++) {
        out[k] = wide_all(0);
    }
}

/* a x with plain numbers x, as they are the same for all robots of a model. */
WIDE_INLINE void apply_plain(const Wide a[9], const double x[3], Wide out[3]) {
    const Wide each[3] = {wide_all(x[0]), wide_all(x[1]), wide_all(x[2])};
    wide_apply(a, each, out);
}

/* ---- frames ---- */

/* Where the node is at 0: all of its axes. */
WIDE_INLINE void frame_at_zero(const AfxiNode *node, const WideNode *before, WideNode *out) {
    const double shift[3] = {node->shift.x, node->shift.y, node->shift.z};
    for (int k = 0; k < 3; k++) {
        apply_plain(before->r, node->turn.m + 3 * k, out->r + 3 * k);
    }
    apply_plain(before->r, shift, out->p);
    for (int k = 0; k < 3; k++) {
        out->p[k] += before->p[k];
    }
}

/* Turned about x by an angle: y' = c y + s z and z' = c z - s y in the axes before. z' as x cross y' would double what
 * lengths and angles are off by from node to node, and lose a chain of sixty. */
WIDE_INLINE void frame_turned(const AfxiNode *node, const WideNode *before, Wide angle, WideNode *out) {
    const double shift[3] = {node->shift.x, node->shift.y, node->shift.z}, *turn = node->turn.m;
    Wide s, c, y[3], z[3];
    wide_sincos(angle, &s, &c);
    for (int k = 0; k < 3; k++) {
        y[k] = wide_fma(s, wide_all(turn[6 + k]), c * wide_all(turn[3 + k]));
        z[k] = wide_nma(s, wide_all(turn[3 + k]), c * wide_all(turn[6 + k]));
    }
    apply_plain(before->r, turn, out->r);
    wide_apply(before->r, y, out->r + 3);
    wide_apply(before->r, z, out->r + 6);
    apply_plain(before->r, shift, out->p);
    for (int k = 0; k < 3; k++) {
        out->p[k] += before->p[k];
    }
}

/* Turned by a unit quaternion. */
WIDE_INLINE void frame_rotated(const Wide q[4], Wide r[9]) {
    Wide two = wide_all(2), one = wide_all(1), w = two * q[0], x = two * q[1], y = two * q[2], before[9], turn[9];
    Wide xx = x * q[1], yy = y * q[2], zz = two * q[3] * q[3], xy = x * q[2], xz = x * q[3], yz = y * q[3];
    turn[0] = one - (yy + zz);
    turn[1] = wide_fma(w, q[3], xy);
    turn[2] = wide_nma(w, q[2], xz);
    turn[3] = wide_nma(w, q[3], xy);
    turn[4] = one - (xx + zz);
    turn[5] = wide_fma(w, q[1], yz);
    turn[6] = wide_fma(w, q[2], xz);
    turn[7] = wide_nma(w, q[1], yz);
    turn[8] = one - (xx + yy);
    wide_copy(r, 9, before);
    for (int k = 0; k < 3; k++) {
        wide_apply(before, turn + 3 * k, r + 3 * k);
    }
}

/* p += s x, and the velocity of a translation along x. */
WIDE_INLINE void shift_along(const Wide x[3], Wide s, Wide p[3]) {
    for (int k = 0; k < 3; k++) {
        p[k] = wide_fma(s, x[k], p[k]);
    }
}

/* A rotation about an axis through p. */
WIDE_INLINE void axis_of_turn(const Wide x[3], const Wide p[3], Wide out[6]) {
    wide_copy(x, 3, out);
    wide_cross(p, x, out + 3);
}

WIDE_INLINE void axis_of_shift(const Wide x[3], Wide out[6]) {
    wide_clear(out, 3);
    wide_copy(x, 3, out + 3);
}

/* The first node of a tree is its reference point. */
WIDE_INLINE void begin_tree(AfxiTreeWork *work, uint32_t k, WideNode *out) {
    if (work->tree->node[k].first == k) {
        wide_copy(out->p, 3, (Wide *)(void *)work->reference + 3 * (size_t)k);
        wide_clear(out->p, 3);
    }
}

/* Three axes, or none. */
WIDE_INLINE void frame_of_three(AfxiTreeWork *work, uint32_t k, const WideNode *before, const Wide *q, WideNode *out,
                                Wide *axis) {
    const AfxiNode *node = &work->tree->node[k];
    Wide base[9];
    frame_at_zero(node, before, out);
    switch ((AfxiNodeKind)node->kind) {
    case AFXI_NODE_BALL:
        frame_rotated(q, out->r);
        begin_tree(work, k, out);
        for (int e = 0; e < 3; e++) {
            axis_of_turn(out->r + 3 * e, out->p, axis + 6 * e);
        }
        break;
    case AFXI_NODE_TRANSLATE:
        wide_apply(out->r, q, base);
        for (int e = 0; e < 3; e++) {
            out->p[e] += base[e];
            axis_of_shift(out->r + 3 * e, axis + 6 * e);
        }
        begin_tree(work, k, out);
        break;
    default: {
        const WideMoved *moved = (const WideMoved *)(const void *)work->moved + k;
        wide_copy(moved->r, 9, out->r);
        wide_copy(moved->p, 3, out->p);
        begin_tree(work, k, out);
        break;
    }
    }
}

/* Its frame and motion axes. */
WIDE_INLINE void node_frame(AfxiTreeWork *work, uint32_t k, int axes, const double *coordinates, WideNode *out,
                            Wide *axis) {
    const AfxiNode *node = &work->tree->node[k];
    const WideNode *before = node_before(work, k);
    const Wide *q = (const Wide *)(const void *)coordinates + node->coordinate;
    if (axes != 1) {
        frame_of_three(work, k, before, q, out, axis);
        return;
    }
    if (node->kind == AFXI_NODE_SLIDE) {
        frame_at_zero(node, before, out);
        shift_along(out->r, q[0], out->p);
        begin_tree(work, k, out);
        axis_of_shift(out->r, axis);
        return;
    }
    frame_turned(node, before, q[0], out);
    if (node->kind == AFXI_NODE_SCREW) {
        shift_along(out->r, number_at(work, k, AFXI_NODE_PITCH) * q[0], out->p);
    }
    begin_tree(work, k, out);
    axis_of_turn(out->r, out->p, axis);
    if (node->kind == AFXI_NODE_SCREW) {
        shift_along(out->r, number_at(work, k, AFXI_NODE_PITCH), axis + 3);
    }
}

/* ---- velocities ---- */

/* Kinematic bodies move as told; their reference point does not. */
WIDE_INLINE void node_moved_velocity(AfxiTreeWork *work, uint32_t k, WideNode *out) {
    const WideMoved *moved = (const WideMoved *)(const void *)work->moved + k;
    Wide turned[3];
    wide_cross(moved->w, moved->v, turned);
    for (int e = 0; e < 3; e++) {
        out->velocity[e] = moved->w[e];
        out->velocity[3 + e] = moved->v[e];
        out->bias[e] = moved->dw[e];
        out->bias[3 + e] = moved->dv[e] - turned[e];
    }
}

/* Velocity, and what it makes of the acceleration: before x own, as own x own = 0 (axes of a rotation turn with it). */
WIDE_INLINE void node_velocity(AfxiTreeWork *work, uint32_t k, int axes, const double *velocities, const Wide *axis,
                               WideNode *out) {
    const AfxiNode *node = &work->tree->node[k];
    const WideNode *before = node_before(work, k);
    const Wide *u = (const Wide *)(const void *)velocities + node->dof;
    Wide own[6];
    if (axes == 0) {
        node_moved_velocity(work, k, out);
        return;
    }
    for (int e = 0; e < 6; e++) {
        own[e] = u[0] * axis[e];
    }
    add_axes(axes, u, axis, false, own);
    for (int e = 0; e < 6; e++) {
        out->velocity[e] = before->velocity[e] + own[e];
    }
    wide_cross(before->velocity, own, out->bias);
    wide_cross(before->velocity, own + 3, out->bias + 3);
    wide_cross_add(before->velocity + 3, own, out->bias + 3);
}

/* ---- inertias ---- */

/* Mass, moment and inertia from number `first` on, in world axes about the reference point:
 * I = R I R^T + (2 p.h + m p.p) 1 - p h^T - h p^T - m p p^T with h = R moment. */
WIDE_INLINE void place_inertia(const AfxiTreeWork *work, uint32_t k, int first, const WideNode *node, Wide out[10]) {
    static const int row[3] = {0, 0, 1}, column[3] = {1, 2, 2};
    Wide mass = number_at(work, k, first), local[9], h[3], half[3], square[3];
    for (int e = 0; e < 9; e++) {
        local[e] = number_at(work, k, first + 1 + e);
    }
    wide_apply(node->r, local, h);
    wide_turn_symmetric(node->r, local + 3, out + 4);
    out[0] = mass;
    for (int e = 0; e < 3; e++) { /* p h^T + h p^T + m p p^T = p half^T + half p^T */
        half[e] = wide_fma(wide_all(0.5) * mass, node->p[e], h[e]);
        out[1 + e] = wide_fma(mass, node->p[e], h[e]);
        square[e] = wide_all(2) * node->p[e] * half[e];
    }
    out[4] += square[1] + square[2];
    out[5] += square[0] + square[2];
    out[6] += square[0] + square[1];
    for (int e = 0; e < 3; e++) {
        int i = row[e], j = column[e];
        out[7 + e] = wide_nma(node->p[i], half[j], wide_nma(half[i], node->p[j], out[7 + e]));
    }
}

/* I v for an inertia: mass, moment, six. */
WIDE_INLINE void apply_inertia(const Wide i[10], const Wide v[6], Wide out[6]) {
    Wide turned[3];
    wide_apply_symmetric(i + 4, v, out);
    wide_cross_add(i + 1, v + 3, out);
    wide_cross(i + 1, v, turned);
    for (int e = 0; e < 3; e++) {
        out[3 + e] = wide_fma(i[0], v[3 + e], -turned[e]);
    }
}

WIDE_INLINE void node_inertia(AfxiTreeWork *work, uint32_t k, WideNode *node) {
    if (work->tree->node[k].mass > 0) {
        place_inertia(work, k, AFXI_NODE_MASS, node, node->own);
        wide_copy(node->own, 10, node->beyond);
    } else {
        wide_clear(node->own, 10);
        wide_clear(node->beyond, 10);
    }
}

/* ---- forces ---- */

/* Less what a medium and the lack of weight give: the first brakes, the second takes gravity away again. */
WIDE_INLINE void node_other_forces(AfxiTreeWork *work, uint32_t k, WideNode *node) {
    const AfxiNode *source = &work->tree->node[k];
    Wide part[10], force[6];
    if (work->tree->damped) {
        place_inertia(work, k, AFXI_NODE_DRAG, node, part);
        apply_inertia(part, node->velocity, force);
        for (int e = 0; e < 6; e++) {
            node->force[e] += force[e];
        }
    }
    if (source->light_mass > 0) {
        Wide mass = number_at(work, k, AFXI_NODE_LIGHT), local[3], moment[3], torque[3];
        Wide g[3] = {gravity_at(work, 0), gravity_at(work, 1), gravity_at(work, 2)};
        for (int e = 0; e < 3; e++) {
            local[e] = number_at(work, k, AFXI_NODE_LIGHT + 1 + e);
        }
        wide_apply(node->r, local, moment);
        shift_along(node->p, mass, moment);
        wide_cross(moment, g, torque);
        for (int e = 0; e < 3; e++) {
            node->force[e] += torque[e];
            node->force[3 + e] = wide_fma(mass, g[e], node->force[3 + e]);
        }
    }
}

/* Its acceleration, and what it takes: I a + v x* I v, less what acts on it. */
WIDE_INLINE void node_force(AfxiTreeWork *work, uint32_t k, int axes, const double *accelerations,
                            const AfxiSpatial *external, const Wide *axis, WideNode *node) {
    const AfxiNode *source = &work->tree->node[k];
    const WideNode *before = node_before(work, k);
    const Wide *du = (const Wide *)(const void *)accelerations + source->dof;
    for (int e = 0; e < 6; e++) {
        node->acceleration[e] = before->acceleration[e] + node->bias[e];
    }
    if (accelerations) {
        add_axes(axes, du, axis, true, node->acceleration);
    }
    if (source->mass > 0) {
        Wide momentum[6];
        apply_inertia(node->own, node->velocity, momentum);
        apply_inertia(node->own, node->acceleration, node->force);
        wide_cross_add(node->velocity, momentum, node->force);
        wide_cross_add(node->velocity + 3, momentum + 3, node->force);
        wide_cross_add(node->velocity, momentum + 3, node->force + 3);
    } else {
        wide_clear(node->force, 6);
    }
    if (work->tree->damped || work->tree->gravity_off) {
        node_other_forces(work, k, node);
    }
    if (external) {
        const Wide *wrench = (const Wide *)(const void *)external + 6 * (size_t)k;
        for (int e = 0; e < 6; e++) {
            node->force[e] -= wrench[e];
        }
    }
}

/* ---- momenta ---- */

/* Its momentum about its centre of mass. */
WIDE_INLINE void node_momentum(const WideNode *node, Wide out[6]) {
    Wide centre[3], turned[3], share = wide_all(1) / node->own[0];
    apply_inertia(node->own, node->velocity, out);
    for (int e = 0; e < 3; e++) {
        centre[e] = share * node->own[1 + e];
    }
    wide_cross(centre, out + 3, turned);
    for (int e = 0; e < 3; e++) {
        out[e] -= turned[e];
    }
}

/* What takes its momentum from a past one in a time b, less its weight: both of momenta about the present centre. */
WIDE_INLINE void node_balance(const AfxiTreeWork *work, const Wide past[6], Wide rate, WideNode *node) {
    Wide now[6], centre[3], turned[3], g[3] = {gravity_at(work, 0), gravity_at(work, 1), gravity_at(work, 2)};
    Wide share = wide_all(1) / node->own[0];
    apply_inertia(node->own, node->velocity, now);
    for (int e = 0; e < 3; e++) {
        centre[e] = share * node->own[1 + e];
    }
    wide_cross(centre, past + 3, turned);
    for (int e = 0; e < 3; e++) {
        node->force[e] = rate * (now[e] - (past[e] + turned[e]));
        node->force[3 + e] = wide_nma(node->own[0], g[e], rate * (now[3 + e] - past[3 + e]));
    }
    wide_cross(node->own + 1, g, turned);
    for (int e = 0; e < 3; e++) {
        node->force[e] -= turned[e];
    }
}

#endif
