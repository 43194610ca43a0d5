/* SPDX-License-Identifier: Apache-2.0 */
/* Which builds of the recursions run, and their interface of dynamics.h. */
#include "reduced/recursion.h"

#include "math/variant.h"

extern const AfxiTreeKernels afxi_tree_kernels_base_1, afxi_tree_kernels_base_2;
#ifdef AFXI_X86_VARIANTS
extern const AfxiTreeKernels afxi_tree_kernels_avx2_1, afxi_tree_kernels_avx2_4, afxi_tree_kernels_avx512_8;
#endif

const AfxiTreeKernels *afxi_tree_kernels(uint32_t lanes) {
#ifdef AFXI_X86_VARIANTS
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX2) {
        return lanes == 1                                        ? &afxi_tree_kernels_avx2_1
               : afxi_instructions() >= AFXI_INSTRUCTIONS_AVX512 ? &afxi_tree_kernels_avx512_8
                                                                 : &afxi_tree_kernels_avx2_4;
    }
#endif
    return lanes == 1 ? &afxi_tree_kernels_base_1 : &afxi_tree_kernels_base_2;
}

/* ---- rows of a packed matrix ---- */

static uint32_t depth_of(const AfxiTree *tree, uint32_t dof) {
    uint32_t depth = 0;
    for (uint32_t k = dof; k != AFXI_TREE_NONE; k = tree->dof[k].parent) {
        depth++;
    }
    return depth;
}

size_t afxi_tree_rows_size(const AfxiTree *tree) {
    size_t size = 0;
    for (uint32_t k = 0; k < tree->dof_count; k++) {
        size += depth_of(tree, k);
    }
    return size;
}

void afxi_tree_rows_set(const AfxiTree *tree, AfxiTreeRows *out_rows) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < tree->dof_count; k++) {
        out_rows->row[k] = at;
        at += depth_of(tree, k);
        uint32_t e = at;
        for (uint32_t i = k; i != AFXI_TREE_NONE; i = tree->dof[i].parent) {
            out_rows->above[--e] = i;
        }
    }
    out_rows->row[tree->dof_count] = out_rows->size = at;
    out_rows->dof_count = tree->dof_count;
    afxi_tree_rows_runs(out_rows);
}

void afxi_tree_rows_runs(AfxiTreeRows *rows) {
    for (uint32_t k = 0; k < rows->dof_count; k++) {
        uint32_t end = rows->row[k + 1];
        bool follows = end - rows->row[k] > 1 && rows->above[end - 2] + 1 == k;
        rows->run[k] = follows ? rows->run[k - 1] : k;
    }
}

/* ---- one lane ---- */

void afxi_tree_pose(AfxiTreeWork *work, const double *q) {
    work->placed = false;
    work->kernels->pose(work, q);
}

void afxi_tree_velocity(AfxiTreeWork *work, const double *u) {
    work->placed = false;
    work->kernels->velocity(work, u);
}

void afxi_tree_inertia(AfxiTreeWork *work) {
    work->kernels->inertia(work);
}

void afxi_tree_inverse(AfxiTreeWork *work, const double *du, const AfxiSpatial *external, double *out_tau) {
    work->kernels->inverse(work, du, external, out_tau);
}
