/* SPDX-License-Identifier: Apache-2.0 */
/* The mass matrix by composite inertias, and its factor M = L^T L: eliminating from the leaves fills nothing in
 * (Featherstone 2008, 6.5). */
#include <math.h>
#include <string.h>

#include "reduced/dynamics.h"
#include "reduced/spatial.h"

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

bool afxi_tree_factor(const AfxiTree *tree, double *mass) {
    size_t n = tree->dof_count;
    for (uint32_t k = tree->dof_count; k-- > 0;) {
        double *row = mass + k * n;
        if (!(row[k] > 0)) {
            return false;
        }
        double pivot = sqrt(row[k]), scale = 1 / pivot;
        row[k] = pivot;
        for (uint32_t i = tree->dof[k].parent; i != AFXI_TREE_NONE; i = tree->dof[i].parent) {
            row[i] *= scale;
        }
        for (uint32_t i = tree->dof[k].parent; i != AFXI_TREE_NONE; i = tree->dof[i].parent) {
            double *other = mass + i * n;
            for (uint32_t j = i; j != AFXI_TREE_NONE; j = tree->dof[j].parent) {
                other[j] -= row[i] * row[j];
            }
        }
    }
    return true;
}

void afxi_tree_half_solve(const AfxiTree *tree, const double *factor, double *x) {
    size_t n = tree->dof_count;
    for (uint32_t k = tree->dof_count; k-- > 0;) {
        const double *row = factor + k * n;
        x[k] /= row[k];
        for (uint32_t i = tree->dof[k].parent; i != AFXI_TREE_NONE; i = tree->dof[i].parent) {
            x[i] -= row[i] * x[k];
        }
    }
}

void afxi_tree_solve(const AfxiTree *tree, const double *factor, double *x) {
    size_t n = tree->dof_count;
    afxi_tree_half_solve(tree, factor, x);
    for (uint32_t k = 0; k < tree->dof_count; k++) {
        const double *row = factor + k * n;
        for (uint32_t i = tree->dof[k].parent; i != AFXI_TREE_NONE; i = tree->dof[i].parent) {
            x[k] -= row[i] * x[i];
        }
        x[k] /= row[k];
    }
}
