/* SPDX-License-Identifier: Apache-2.0 */
/* The mass matrix of a query, all of it, or packed from inertias that are there; steps have it packed at once
 * (recursion_wide.c). */
#include <string.h>

#include "reduced/recursion.h"
#include "reduced/spatial.h"

void afxi_tree_mass_packed(const AfxiTreeWork *work, const AfxiTreeRows *rows, double *out_mass) {
    for (uint32_t i = 0; i < rows->dof_count; i++) {
        AfxiSpatial momentum = inertia_apply(&work->node[work->tree->dof[i].node].beyond, work->axis[i]);
        for (uint32_t e = rows->row[i]; e < rows->row[i + 1]; e++) {
            out_mass[e] = spatial_dot(work->axis[rows->above[e]], momentum);
        }
        out_mass[rows->row[i + 1] - 1] += work->tree->dof[i].armature;
    }
}

void afxi_tree_mass(AfxiTreeWork *work, double *out_mass) {
    const AfxiTree *tree = work->tree;
    size_t n = tree->dof_count;
    memset(out_mass, 0, n * n * sizeof *out_mass);
    for (uint32_t i = 0; i < tree->dof_count; i++) {
        AfxiSpatial momentum = inertia_apply(&work->node[tree->dof[i].node].beyond, work->axis[i]);
        for (uint32_t j = i; j != AFXI_TREE_NONE; j = tree->dof[j].parent) {
            out_mass[i * n + j] = spatial_dot(work->axis[j], momentum);
        }
        out_mass[i * n + i] += tree->dof[i].armature;
    }
}
