/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of the recursions, and kinematic bodies in it. */
#include <string.h>

#include "math/polar.h"
#include "reduced/recursion.h"
#include "reduced/spatial.h"

/* ---- memory ---- */

void afxi_tree_work_numbers_take(AfxiTreeWork *work, AfxiArena *arena) {
    size_t width = work->kernels->lanes * sizeof(double);
    work->number = afxi_arena_take(arena, (size_t)AFXI_NODE_NUMBERS * work->tree->node_count, width);
    work->armature = afxi_arena_take(arena, work->tree->dof_count, width);
    work->gravity = afxi_arena_take(arena, 3, width);
    work->wheel = afxi_arena_take(arena, 2 * (size_t)work->tree->flywheel_count, width);
}

static void layout(AfxiTreeWork *work, AfxiArena *arena) {
    size_t nodes = work->tree->node_count, dofs = work->tree->dof_count, lanes = work->kernels->lanes;
    work->node = afxi_arena_take(arena, (nodes + 1) * lanes, sizeof *work->node);
    work->reference = afxi_arena_take(arena, nodes * lanes, sizeof *work->reference);
    work->axis = afxi_arena_take(arena, dofs * lanes, sizeof *work->axis);
    work->moved = afxi_arena_take(arena, nodes * lanes, sizeof *work->moved);
    work->kept = afxi_arena_take(arena, nodes * lanes, sizeof *work->kept);
    work->articulated = afxi_arena_take(arena, AFXI_ARTICULATED * nodes, sizeof(double));
    work->articulated_dof = afxi_arena_take(arena, AFXI_ARTICULATED_DOF * dofs, sizeof(double));
    if (lanes > 1) {
        afxi_tree_work_numbers_take(work, arena);
    }
}

AfxStatus afxi_tree_work_create_wide(const AfxiTree *tree, const AfxiTreeKernels *kernels, AfxiTreeWork *out_work) {
    AfxiTreeWork work = {.tree = tree, .kernels = kernels};
    AfxiArena arena = {0};
    *out_work = (AfxiTreeWork){0};
    layout(&work, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&tree->allocator, arena.used + AFXI_ALIGNMENT, &work.raw, &work.raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(&work, &arena);
    *out_work = work;
    return AFX_OK;
}

AfxStatus afxi_tree_work_create(const AfxiTree *tree, AfxiTreeWork *out_work) {
    return afxi_tree_work_create_wide(tree, afxi_tree_kernels(1), out_work);
}

void afxi_tree_work_numbers(AfxiTreeWork *work, uint32_t lane, const AfxiTree *tree) {
    size_t lanes = work->kernels->lanes;
    for (size_t k = 0; k < tree->node_count; k++) {
        for (size_t e = 0; e < AFXI_NODE_NUMBERS; e++) {
            work->number[(k * AFXI_NODE_NUMBERS + e) * lanes + lane] = tree->node[k].number[e];
        }
    }
    for (size_t d = 0; d < tree->dof_count; d++) {
        work->armature[d * lanes + lane] = tree->dof[d].armature;
    }
    for (size_t e = 0; e < 3; e++) {
        work->gravity[e * lanes + lane] = tree->gravity[e];
    }
    for (size_t k = 0; k < tree->flywheel_count; k++) {
        work->wheel[2 * k * lanes + lane] = tree->flywheel[k].ratio;
        work->wheel[(2 * k + 1) * lanes + lane] = tree->flywheel[k].offset;
    }
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

/* ---- masses that are not the bodies' ---- */

void afxi_tree_gather(AfxiTreeWork *work) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        work->node[k].beyond = work->node[k].own;
    }
    for (uint32_t k = tree->node_count; k-- > 0;) {
        if (tree->node[k].parent != AFXI_TREE_NONE) {
            inertia_add(&work->node[tree->node[k].parent].beyond, &work->node[k].beyond);
        }
    }
}

/* ---- everything at rest ---- */

void afxi_tree_rest(AfxiTreeWork *work) {
    AfxiSpatial none = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < work->tree->node_count; k++) {
        work->node[k].velocity = work->node[k].bias = none;
    }
}
