/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, motion axes, velocities and inertias of the nodes, from the root outwards. */
#include <math.h>
#include <string.h>

#include "math/polar.h"
#include "reduced/dynamics.h"
#include "reduced/spatial.h"

/* ---- memory ---- */

static void layout(AfxiTreeWork *work, AfxiArena *arena) {
    size_t nodes = work->tree->node_count, dofs = work->tree->dof_count;
    work->node = afxi_arena_take(arena, nodes, sizeof *work->node);
    work->reference = afxi_arena_take(arena, nodes, sizeof *work->reference);
    work->axis = afxi_arena_take(arena, dofs, sizeof *work->axis);
    work->moved = afxi_arena_take(arena, nodes, sizeof *work->moved);
    work->kept = afxi_arena_take(arena, nodes, sizeof *work->kept);
    work->articulated = afxi_arena_take(arena, AFXI_ARTICULATED * nodes, sizeof(double));
    work->articulated_dof = afxi_arena_take(arena, AFXI_ARTICULATED_DOF * dofs, sizeof(double));
}

AfxStatus afxi_tree_work_create(const AfxiTree *tree, AfxiTreeWork *out_work) {
    AfxiTreeWork work = {.tree = tree};
    AfxiArena arena = {0};
    *out_work = (AfxiTreeWork){0};
    layout(&work, &arena);
    arena.base = afxi_allocate_aligned(&tree->allocator, arena.used + AFXI_ALIGNMENT, &work.raw, &work.raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(&work, &arena);
    *out_work = work;
    return AFX_OK;
}

void afxi_tree_work_destroy(AfxiTreeWork *work) {
    if (work->raw) {
        afxi_release(&work->tree->allocator, work->raw, work->raw_size);
    }
    memset(work, 0, sizeof *work);
}

/* ---- kinematic bodies ---- */

AfxiMovedState afxi_tree_moved(const double *raw_q, const double *raw_v, uint32_t body) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(raw_q + at), rate = mat3_load(raw_v + at), guess = mat3_identity();
    AfxiMovedState moved = {
        .r = afxi_rotation_part(&a, &guess), .p = vec3_load(raw_q + at + 9), .v = vec3_load(raw_v + at + 9)};
    AfxiMat3 back = mat3_transpose(&moved.r), spin = mat3_multiply(&rate, &back);
    moved.w = mat3_axial(&spin);
    return moved;
}

void afxi_tree_set_moved(AfxiTreeWork *work, const double *raw_q, const double *raw_v) {
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        if (work->tree->node[k].kind == AFXI_NODE_MOVED) {
            work->moved[k] = afxi_tree_moved(raw_q, raw_v, work->tree->node[k].body);
        }
    }
}

void afxi_tree_keep_moved(AfxiTreeWork *work) {
    memcpy(work->kept, work->moved, work->tree->node_count * sizeof *work->kept);
}

void afxi_tree_shift_moved(AfxiTreeWork *work, double time) {
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        if (work->tree->node[k].kind == AFXI_NODE_MOVED) {
            AfxiMovedState at = work->kept[k];
            AfxiMat3 turn = afxi_mat3_rotation(vec3_scale(time, vec3_mad(at.w, 0.5 * time, at.dw)));
            at.r = mat3_multiply(&turn, &at.r);
            at.p = vec3_mad(vec3_mad(at.p, time, at.v), 0.5 * time * time, at.dv);
            at.w = vec3_mad(at.w, time, at.dw);
            at.v = vec3_mad(at.v, time, at.dv);
            work->moved[k] = at;
        }
    }
}

/* ---- frames ---- */

/* r turned about its x by an angle: y' = c y + s z, z' = c z - s y. */
static AfxiMat3 turn_about_x(const AfxiMat3 *r, double angle) {
    double s = sin(angle), c = cos(angle);
    AfxVec3 y = mat3_column(r, 1), z = mat3_column(r, 2);
    return mat3_from_columns(mat3_column(r, 0), vec3_mad(vec3_scale(c, y), s, z), vec3_mad(vec3_scale(c, z), -s, y));
}

static void set_axes(AfxiTreeWork *work, const AfxiNode *node, const AfxiNodeState *state, const AfxiMat3 *before) {
    AfxiSpatial *axis = work->axis + node->dof;
    AfxVec3 x = mat3_column(&state->r, 0), none = vec3(0, 0, 0);
    switch ((AfxiNodeKind)node->kind) {
    case AFXI_NODE_HINGE:
        axis[0] = spatial(x, vec3_cross(state->p, x));
        break;
    case AFXI_NODE_SLIDE:
        axis[0] = spatial(none, x);
        break;
    case AFXI_NODE_SCREW:
        axis[0] = spatial(x, vec3_mad(vec3_cross(state->p, x), node->pitch, x));
        break;
    case AFXI_NODE_BALL:
        for (int k = 0; k < 3; k++) {
            AfxVec3 turn = mat3_column(&state->r, k);
            axis[k] = spatial(turn, vec3_cross(state->p, turn));
        }
        break;
    case AFXI_NODE_TRANSLATE:
        for (int k = 0; k < 3; k++) {
            axis[k] = spatial(none, mat3_column(before, k));
        }
        break;
    case AFXI_NODE_MOVED:
        break;
    }
}

/* The node's frame from the one that it has at 0. */
static void move_frame(const AfxiNode *node, const double *q, AfxiNodeState *state) {
    const AfxiMat3 before = state->r;
    switch ((AfxiNodeKind)node->kind) {
    case AFXI_NODE_SCREW:
        state->p = vec3_mad(state->p, node->pitch * q[0], mat3_column(&before, 0));
        state->r = turn_about_x(&before, q[0]);
        break;
    case AFXI_NODE_HINGE:
        state->r = turn_about_x(&before, q[0]);
        break;
    case AFXI_NODE_SLIDE:
        state->p = vec3_mad(state->p, q[0], mat3_column(&before, 0));
        break;
    case AFXI_NODE_BALL: {
        AfxiMat3 turn = mat3_from_quat((AfxQuat){q[0], q[1], q[2], q[3]});
        state->r = mat3_multiply(&before, &turn);
        break;
    }
    case AFXI_NODE_TRANSLATE:
        state->p = vec3_add(state->p, mat3_apply(&before, vec3_load(q)));
        break;
    case AFXI_NODE_MOVED:
        break;
    }
}

/* The first node of a tree: its reference point is where it is. */
static void begin_tree(AfxiTreeWork *work, uint32_t index) {
    const AfxiNode *node = &work->tree->node[index];
    AfxiNodeState *state = &work->node[index];
    if (node->kind == AFXI_NODE_MOVED) {
        state->r = work->moved[index].r;
        state->p = work->moved[index].p;
    } else {
        state->r = node->turn;
        state->p = node->shift;
    }
}

void afxi_tree_pose(AfxiTreeWork *work, const double *q) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        AfxiNodeState *state = &work->node[k];
        if (node->parent == AFXI_TREE_NONE) {
            begin_tree(work, k);
        } else {
            const AfxiNodeState *parent = &work->node[node->parent];
            state->r = mat3_multiply(&parent->r, &node->turn);
            state->p = vec3_add(parent->p, mat3_apply(&parent->r, node->shift));
        }
        AfxiMat3 before = state->r;
        move_frame(node, q + node->coordinate, state);
        if (node->first == k) {
            work->reference[k] = state->p;
            state->p = vec3(0, 0, 0);
        }
        set_axes(work, node, state, &before);
    }
}

/* ---- velocities and inertias ---- */

void afxi_tree_velocity(AfxiTreeWork *work, const double *u) {
    const AfxiTree *tree = work->tree;
    AfxiSpatial none = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        AfxiNodeState *state = &work->node[k];
        AfxiSpatial before = node->parent == AFXI_TREE_NONE ? none : work->node[node->parent].velocity, own = none;
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; d++) {
            own = spatial_mad(own, u[d], work->axis[d]);
        }
        state->velocity = spatial_add(before, own);
        state->bias = spatial_cross(before, own); /* own x own = 0: axes of a rotation turn with it */
        if (node->kind == AFXI_NODE_MOVED) {
            const AfxiMovedState *moved = &work->moved[k];
            state->velocity = spatial(moved->w, moved->v);
            state->bias = spatial(moved->dw, vec3_sub(moved->dv, vec3_cross(moved->w, moved->v)));
        }
    }
}

void afxi_tree_rest(AfxiTreeWork *work) {
    AfxiSpatial none = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        work->node[k].velocity = work->node[k].bias = none;
    }
}

void afxi_tree_inertia(AfxiTreeWork *work) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        AfxiNodeState *state = &work->node[k];
        if (node->mass > 0) {
            state->own = inertia_place(node->mass, node->moment, node->inertia, &state->r, state->p);
        } else {
            memset(&state->own, 0, sizeof state->own);
        }
        state->beyond = state->own;
    }
    for (uint32_t k = tree->node_count; k-- > 0;) {
        if (tree->node[k].parent != AFXI_TREE_NONE) {
            inertia_add(&work->node[tree->node[k].parent].beyond, &work->node[k].beyond);
        }
    }
}
