/* SPDX-License-Identifier: Apache-2.0 */
/* J and J^T as sweeps, and the projected block Jacobi preconditioner P = J^T (M + blkdiag(h D + h² K)) J + h D_r +
 * h² K_r, inverted by the articulated-body recursion: blocks are inertia of their body, reduced terms armature. Joints
 * of several freedoms are taken axis by axis. */
#include "papers/redmax_tree.h"

#include <stdlib.h>
#include <string.h>

#include "reduced/spatial.h"

bool redmax_tree_make(RedmaxTree *tree, const AfxModel *model) {
    AfxAllocator allocator = afx_default_allocator();
    uint8_t *active = calloc(model->joint_count + 1, 1);
    *tree = (RedmaxTree){0};
    for (uint32_t k = 0; active && k < model->joint_count; ++k) {
        active[k] = model->joints[k].active;
    }
    bool fine = active && afxi_tree_create(model, active, &allocator, &tree->tree) == AFX_OK &&
                afxi_tree_work_create(&tree->tree, &tree->work) == AFX_OK;
    free(active);
    size_t nodes = tree->tree.node_count + 1, dofs = tree->tree.dof_count + 1;
    tree->motion = calloc(nodes, sizeof *tree->motion);
    tree->wrench = calloc(nodes, sizeof *tree->wrench);
    tree->block = calloc(36 * nodes, sizeof(double));
    tree->inertia = calloc(36 * nodes, sizeof(double));
    tree->bias = calloc(6 * nodes, sizeof(double));
    tree->reduced = calloc(dofs, sizeof(double));
    tree->kept = calloc(8 * dofs, sizeof(double));
    return fine && tree->motion && tree->wrench && tree->block && tree->inertia && tree->bias && tree->reduced &&
           tree->kept;
}

void redmax_tree_drop(RedmaxTree *tree) {
    void *all[] = {tree->motion, tree->wrench, tree->block, tree->inertia, tree->bias, tree->reduced, tree->kept};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        free(all[k]);
    }
    afxi_tree_work_destroy(&tree->work);
    afxi_tree_destroy(&tree->tree);
}

/* ---- sweeps ---- */

void redmax_push(RedmaxTree *tree, const double *u) {
    for (uint32_t k = 0; k < tree->tree.node_count; ++k) {
        const AfxiNode *node = &tree->tree.node[k];
        AfxiSpatial none = {{0, 0, 0}, {0, 0, 0}};
        AfxiSpatial motion = node->parent == AFXI_TREE_NONE ? none : tree->motion[node->parent];
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; ++d) {
            motion = spatial_mad(motion, u[d], tree->work.axis[d]);
        }
        tree->motion[k] = motion;
    }
}

void redmax_pull(RedmaxTree *tree, double *out) {
    for (uint32_t k = tree->tree.node_count; k-- > 0;) {
        const AfxiNode *node = &tree->tree.node[k];
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; ++d) {
            out[d] += spatial_dot(tree->work.axis[d], tree->wrench[k]);
        }
        if (node->parent != AFXI_TREE_NONE) {
            tree->wrench[node->parent] = spatial_add(tree->wrench[node->parent], tree->wrench[k]);
        }
    }
}

void redmax_momenta(RedmaxTree *tree, const double *u, double *out) {
    redmax_push(tree, u);
    for (uint32_t k = 0; k < tree->tree.node_count; ++k) {
        tree->wrench[k] = inertia_apply(&tree->work.node[k].own, tree->motion[k]);
    }
    for (uint32_t d = 0; d < tree->tree.dof_count; ++d) {
        out[d] = tree->tree.dof[d].armature * u[d];
    }
    redmax_pull(tree, out);
}

/* ---- the preconditioner ---- */

static void apply(const double m[36], const double v[6], double out[6]) {
    for (int r = 0; r < 6; ++r) {
        out[r] = 0;
        for (int c = 0; c < 6; ++c) {
            out[r] += m[6 * r + c] * v[c];
        }
    }
}

static double dot(const double a[6], const double b[6]) {
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* Columns of a rigid inertia are what it makes of unit motions. */
static void set_inertia(const RedmaxTree *tree, uint32_t k, double *out) {
    for (int c = 0; c < 6; ++c) {
        double unit[6] = {0};
        unit[c] = 1;
        AfxiSpatial column = inertia_apply(&tree->work.node[k].own, spatial(vec3_load(unit), vec3_load(unit + 3)));
        const double from[6] = {column.w.x, column.w.y, column.w.z, column.v.x, column.v.y, column.v.z};
        for (int r = 0; r < 6; ++r) {
            out[6 * r + c] = from[r] + tree->block[36 * (size_t)k + 6 * r + c];
        }
    }
}

void redmax_prepare(RedmaxTree *tree) {
    for (uint32_t k = 0; k < tree->tree.node_count; ++k) {
        set_inertia(tree, k, tree->inertia + 36 * (size_t)k);
    }
    for (uint32_t k = tree->tree.node_count; k-- > 0;) {
        const AfxiNode *node = &tree->tree.node[k];
        double *inertia = tree->inertia + 36 * (size_t)k;
        for (uint32_t d = node->dof + node->dof_count; d-- > node->dof;) {
            double *kept = tree->kept + 8 * (size_t)d;
            const double *axis = (const double *)&tree->work.axis[d];
            apply(inertia, axis, kept);
            kept[6] = dot(axis, kept) + tree->reduced[d] + tree->tree.dof[d].armature;
            for (int e = 0; e < 36; ++e) {
                inertia[e] -= kept[e / 6] * kept[e % 6] / kept[6];
            }
        }
        for (int e = 0; node->parent != AFXI_TREE_NONE && e < 36; ++e) {
            tree->inertia[36 * (size_t)node->parent + e] += inertia[e];
        }
    }
}

void redmax_solve(RedmaxTree *tree, const double *x, double *y) {
    memset(tree->bias, 0, 6 * (size_t)tree->tree.node_count * sizeof(double));
    for (uint32_t k = tree->tree.node_count; k-- > 0;) {
        const AfxiNode *node = &tree->tree.node[k];
        double *bias = tree->bias + 6 * (size_t)k;
        for (uint32_t d = node->dof + node->dof_count; d-- > node->dof;) {
            double *kept = tree->kept + 8 * (size_t)d;
            kept[7] = x[d] - dot((const double *)&tree->work.axis[d], bias);
            for (int e = 0; e < 6; ++e) {
                bias[e] += kept[e] * kept[7] / kept[6];
            }
        }
        for (int e = 0; node->parent != AFXI_TREE_NONE && e < 6; ++e) {
            tree->bias[6 * (size_t)node->parent + e] += bias[e];
        }
    }
    for (uint32_t k = 0; k < tree->tree.node_count; ++k) {
        const AfxiNode *node = &tree->tree.node[k];
        AfxiSpatial none = {{0, 0, 0}, {0, 0, 0}};
        AfxiSpatial motion = node->parent == AFXI_TREE_NONE ? none : tree->motion[node->parent];
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; ++d) {
            const double *kept = tree->kept + 8 * (size_t)d;
            y[d] = (kept[7] - dot(kept, (const double *)&motion)) / kept[6];
            motion = spatial_mad(motion, y[d], tree->work.axis[d]);
        }
        tree->motion[k] = motion;
    }
}
