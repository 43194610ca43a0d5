/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse dynamics: the recursive Newton-Euler algorithm. */
#include <string.h>

#include "reduced/dynamics.h"
#include "reduced/spatial.h"

AfxiSpatial afxi_tree_other_forces(const AfxiTree *tree, const AfxiNode *node, const AfxiNodeState *state) {
    AfxiSpatial out = {{0, 0, 0}, {0, 0, 0}};
    if (tree->damped) {
        AfxiSpatialInertia drag =
            inertia_place(node->drag_mass, node->drag_moment, node->drag_inertia, &state->r, state->p);
        out = spatial_sub(out, inertia_apply(&drag, state->velocity));
    }
    if (node->light_mass > 0) {
        AfxVec3 g = vec3_load(tree->gravity);
        AfxVec3 moment = vec3_mad(mat3_apply(&state->r, node->light_moment), node->light_mass, state->p);
        out = spatial_sub(out, spatial(vec3_cross(moment, g), vec3_scale(node->light_mass, g)));
    }
    return out;
}

void afxi_tree_inverse(AfxiTreeWork *work, const double *du, const AfxiSpatial *external, double *out_tau) {
    const AfxiTree *tree = work->tree;
    const AfxiSpatial ground = {{0, 0, 0}, vec3_scale(-1, vec3_load(tree->gravity))};
    bool others = tree->damped || tree->gravity_off;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        AfxiNodeState *state = &work->node[k];
        AfxiSpatial before = node->parent == AFXI_TREE_NONE ? ground : work->node[node->parent].acceleration;
        AfxiSpatial a = spatial_add(before, state->bias);
        for (uint32_t d = node->dof; du && d < node->dof + node->dof_count; d++) {
            a = spatial_mad(a, du[d], work->axis[d]);
        }
        state->acceleration = a;
        if (node->mass > 0) {
            AfxiSpatial momentum = inertia_apply(&state->own, state->velocity);
            state->force = spatial_add(inertia_apply(&state->own, a), spatial_cross_force(state->velocity, momentum));
        } else {
            memset(&state->force, 0, sizeof state->force);
        }
        if (others) {
            state->force = spatial_sub(state->force, afxi_tree_other_forces(tree, node, state));
        }
        if (external) {
            state->force = spatial_sub(state->force, external[k]);
        }
    }
    for (uint32_t k = tree->node_count; k-- > 0;) {
        const AfxiNode *node = &tree->node[k];
        const AfxiSpatial *force = &work->node[k].force;
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; d++) {
            out_tau[d] = spatial_dot(work->axis[d], *force) + (du ? tree->dof[d].armature * du[d] : 0);
        }
        if (node->parent != AFXI_TREE_NONE) {
            AfxiSpatial *parent = &work->node[node->parent].force;
            *parent = spatial_add(*parent, *force);
        }
    }
}
