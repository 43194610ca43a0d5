/* SPDX-License-Identifier: Apache-2.0 */
/* The recursions: kinematics and RNEA outwards, RNEA and CRBA inwards. */
#include "math/simd.h"

/* One lane of each instruction set, for single robots, and its widest. */
#if defined(__AVX512F__) || AFXI_LANES == 1 || (AFXI_LANES == 4) == defined(__FMA__)

#include "reduced/factor_wide.h"
#include "reduced/law_wide.h"
#include "reduced/node_wide.h"
#include "reduced/raw_wide.h"
#include "reduced/system_wide.h"

/* What stands still: gravity counts as an acceleration of it upwards. */
static void set_ground(AfxiTreeWork *work) {
    WideNode *ground = node_at(work, work->tree->node_count);
    wide_clear(ground->r, 9);
    ground->r[0] = ground->r[4] = ground->r[8] = wide_all(1);
    wide_clear(ground->p, 3);
    wide_clear(ground->velocity, 6);
    wide_clear(ground->acceleration, 3);
    for (int e = 0; e < 3; e++) {
        ground->acceleration[3 + e] = -gravity_at(work, e);
    }
}

static void tree_pose(AfxiTreeWork *work, const double *q) {
    set_ground(work);
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        const AfxiNode *node = &work->tree->node[k];
        node_frame(work, k, node->dof_count, q, node_at(work, k), axis_at(work, node->dof));
    }
}

static void tree_velocity(AfxiTreeWork *work, const double *u) {
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        const AfxiNode *node = &work->tree->node[k];
        node_velocity(work, k, node->dof_count, u, axis_at(work, node->dof), node_at(work, k));
    }
}

static void tree_inertia(AfxiTreeWork *work) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        node_inertia(work, k, node_at(work, k));
    }
    for (uint32_t k = tree->node_count; k-- > 0;) {
        if (tree->node[k].parent != AFXI_TREE_NONE) {
            const WideNode *node = node_at(work, k);
            WideNode *parent = node_at(work, tree->node[k].parent);
            for (int e = 0; e < 10; e++) {
                parent->beyond[e] += node->beyond[e];
            }
        }
    }
}

/* Forces along the axes of a node, and what it hands on to its parent. */
WIDE_INLINE void node_hand_on(AfxiTreeWork *work, uint32_t k, const double *accelerations, double *out_tau) {
    const AfxiNode *source = &work->tree->node[k];
    const WideNode *node = node_at(work, k);
    for (uint32_t d = source->dof; d < source->dof + source->dof_count; d++) {
        Wide tau = wide_dot6(axis_at(work, d), node->force);
        if (accelerations) {
            tau = wide_fma(armature_at(work, d), wide_load(accelerations + (size_t)AFXI_LANES * d), tau);
        }
        wide_store(out_tau + (size_t)AFXI_LANES * d, tau);
    }
    if (source->parent != AFXI_TREE_NONE) {
        WideNode *parent = node_at(work, source->parent);
        for (int e = 0; e < 6; e++) {
            parent->force[e] += node->force[e];
        }
    }
}

static void tree_inverse(AfxiTreeWork *work, const double *du, const AfxiSpatial *external, double *out_tau) {
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        const AfxiNode *node = &work->tree->node[k];
        node_force(work, k, node->dof_count, du, external, axis_at(work, node->dof), node_at(work, k));
    }
    for (uint32_t k = work->tree->node_count; k-- > 0;) {
        node_hand_on(work, k, du, out_tau);
    }
}

/* Rows of the mass matrix that end with the axes of a node: M_ij = s_j . I^c s_i, and I^c for its parent. */
WIDE_INLINE void node_mass(AfxiTreeWork *work, uint32_t k, const AfxiTreeRows *rows, double *out_mass) {
    const AfxiNode *source = &work->tree->node[k];
    const WideNode *node = node_at(work, k);
    for (uint32_t d = source->dof; d < source->dof + source->dof_count; d++) {
        Wide momentum[6], *out = (Wide *)(void *)out_mass + rows->row[d];
        const uint32_t *above = rows->above + rows->row[d];
        uint32_t last = rows->row[d + 1] - rows->row[d] - 1;
        apply_inertia(node->beyond, axis_at(work, d), momentum);
        for (uint32_t e = 0; e < last; e++) {
            out[e] = wide_dot6(axis_at(work, above[e]), momentum);
        }
        out[last] = wide_dot6(axis_at(work, d), momentum) + armature_at(work, d);
    }
    if (source->parent != AFXI_TREE_NONE) {
        WideNode *parent = node_at(work, source->parent);
        for (int e = 0; e < 10; e++) {
            parent->beyond[e] += node->beyond[e];
        }
    }
}

/* All of a node with one axis, in registers: what is in memory is only read until it is done. */
WIDE_INLINE void outwards_one(AfxiTreeWork *work, uint32_t k, const AfxiTreeTask *task) {
    WideNode node;
    Wide axis[6];
    node_frame(work, k, 1, task->q, &node, axis);
    node_velocity(work, k, 1, task->u, axis, &node);
    node_inertia(work, k, &node);
    node_force(work, k, 1, task->du, task->external, axis, &node);
    wide_copy(axis, 6, axis_at(work, work->tree->node[k].dof));
    store_node(&node, node_at(work, k));
}

static void outwards_other(AfxiTreeWork *work, uint32_t k, const AfxiTreeTask *task) {
    WideNode *node = node_at(work, k);
    int axes = work->tree->node[k].dof_count;
    Wide *axis = axis_at(work, work->tree->node[k].dof);
    node_frame(work, k, axes, task->q, node, axis);
    node_velocity(work, k, axes, task->u, axis, node);
    node_inertia(work, k, node);
    node_force(work, k, axes, task->du, task->external, axis, node);
}

static void outwards_placed(AfxiTreeWork *work, uint32_t k, const AfxiTreeTask *task) {
    WideNode *node = node_at(work, k);
    node_inertia(work, k, node);
    node_force(work, k, work->tree->node[k].dof_count, task->du, task->external, axis_at(work, work->tree->node[k].dof),
               node);
}

static void inwards(AfxiTreeWork *work, const AfxiTreeTask *task) {
    for (uint32_t k = work->tree->node_count; k-- > 0;) {
        node_hand_on(work, k, task->du, task->tau);
        if (task->mass) {
            node_mass(work, k, task->rows, task->mass);
        }
    }
}

static void tree_evaluate(AfxiTreeWork *work, const AfxiTreeTask *task) {
    const AfxiTree *tree = work->tree;
    set_ground(work);
    for (uint32_t k = 0; k < tree->node_count; k++) {
        if (task->placed) {
            outwards_placed(work, k, task);
        } else if (tree->node[k].dof_count == 1) {
            outwards_one(work, k, task);
        } else {
            outwards_other(work, k, task);
        }
    }
    inwards(work, task);
}

/* ---- momenta ---- */

/* All of a node but its acceleration; where its past momentum ends comes back. */
WIDE_INLINE const Wide *balance_node(AfxiTreeWork *work, uint32_t k, int axes, const AfxiTreeTask *task,
                                     const Wide *past) {
    WideNode node, *to = node_at(work, k);
    Wide *axis = axis_at(work, work->tree->node[k].dof);
    node_frame(work, k, axes, task->q, &node, axis);
    node_velocity(work, k, axes, task->u, axis, &node);
    if (work->tree->node[k].mass > 0) {
        place_inertia(work, k, AFXI_NODE_MASS, &node, node.own);
        node_balance(work, past, wide_load(task->rate), &node);
        past += 6;
    } else {
        wide_clear(node.own, 10);
        wide_clear(node.force, 6);
    }
    if (work->tree->damped || work->tree->gravity_off) {
        node_other_forces(work, k, &node);
    }
    wide_copy(node.r, 9, to->r);
    wide_copy(node.p, 3, to->p);
    wide_copy(node.velocity, 6, to->velocity);
    wide_copy(node.force, 6, to->force);
    wide_copy(node.own, 10, to->own);
    wide_copy(node.own, 10, to->beyond);
    return past;
}

static void tree_balance(AfxiTreeWork *work, const AfxiTreeTask *task) {
    const AfxiTree *tree = work->tree;
    const Wide *past = (const Wide *)(const void *)task->past;
    set_ground(work);
    for (uint32_t k = 0; k < tree->node_count; k++) {
        int axes = tree->node[k].dof_count;
        past = axes == 1 ? balance_node(work, k, 1, task, past) : balance_node(work, k, axes, task, past);
    }
    inwards(work, task);
}

static void tree_momenta(AfxiTreeWork *work, const double *q, const double *u, double *out) {
    Wide *to = (Wide *)(void *)out;
    set_ground(work);
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        const AfxiNode *source = &work->tree->node[k];
        WideNode *node = node_at(work, k);
        node_frame(work, k, source->dof_count, q, node, axis_at(work, source->dof));
        node_velocity(work, k, source->dof_count, u, axis_at(work, source->dof), node);
        if (source->mass > 0) {
            place_inertia(work, k, AFXI_NODE_MASS, node, node->own);
            node_momentum(node, to);
            to += 6;
        }
    }
}

/* ---- coordinates ---- */

static void tree_add_rate(const AfxiTree *tree, const double *at, const double *u, double h, double *out) {
    Wide whole = wide_all(h), half = wide_all(0.5 * h);
    if (tree->coordinate_count == tree->dof_count) { /* no rotations: coordinates are as velocities */
        for (uint32_t d = 0; d < tree->dof_count; d++) {
            ((Wide *)(void *)out)[d] = wide_fma(whole, ((const Wide *)(const void *)u)[d], ((Wide *)(void *)out)[d]);
        }
        return;
    }
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        const Wide *w = (const Wide *)(const void *)u + node->dof;
        const Wide *q = (const Wide *)(const void *)at + node->coordinate;
        Wide *to = (Wide *)(void *)out + node->coordinate;
        if (node->kind == AFXI_NODE_BALL) {
            to[0] = wide_nma(half, wide_fma(q[3], w[2], wide_fma(q[2], w[1], q[1] * w[0])), to[0]);
            to[1] = wide_fma(half, wide_nma(q[3], w[1], wide_fma(q[2], w[2], q[0] * w[0])), to[1]);
            to[2] = wide_fma(half, wide_nma(q[1], w[2], wide_fma(q[3], w[0], q[0] * w[1])), to[2]);
            to[3] = wide_fma(half, wide_nma(q[2], w[0], wide_fma(q[1], w[1], q[0] * w[2])), to[3]);
            continue;
        }
        for (int d = 0; d < node->dof_count; d++) {
            to[d] = wide_fma(whole, w[d], to[d]);
        }
    }
}

static void tree_normalise(const AfxiTree *tree, double *q) {
    if (tree->coordinate_count == tree->dof_count) {
        return;
    }
    for (uint32_t k = 0; k < tree->node_count; k++) {
        Wide *at = (Wide *)(void *)q + tree->node[k].coordinate;
        if (tree->node[k].kind == AFXI_NODE_BALL) {
            Wide scale = wide_all(1) / wide_sqrt(wide_fma(at[3], at[3], wide_dot(at, at)));
            for (int e = 0; e < 4; e++) {
                at[e] *= scale;
            }
        }
    }
}

extern const AfxiTreeKernels AFXI_WIDE(afxi_tree_kernels);
const AfxiTreeKernels AFXI_WIDE(afxi_tree_kernels) = {
    .lanes = AFXI_LANES,
    .pose = tree_pose,
    .velocity = tree_velocity,
    .inertia = tree_inertia,
    .inverse = tree_inverse,
    .evaluate = tree_evaluate,
    .balance = tree_balance,
    .momenta = tree_momenta,
    .factor = tree_factor,
    .solve = tree_solve,
    .half_solve = tree_half_solve,
    .add_rate = tree_add_rate,
    .normalise = tree_normalise,
    .system_factor = system_factor,
    .system_correct = system_correct,
    .system_fall = system_fall,
    .to_raw = tree_to_raw,
    .push = tree_push,
    .add_scaled = tree_add_scaled,
    .finite = tree_finite,
    .sincos = tree_sincos,
};

#else
typedef int AfxiRecursionNotBuilt;
#endif
