/* SPDX-License-Identifier: Apache-2.0 */
/* The balance of momentum of an implicit step, p the momenta of the bodies about their centres, world axes:
 *     J^T ((p - p*) / b - f) = 0
 * (recursion.h) instead of M (u - u*) / b + bias(q, u). Both have the order of the method, but velocities times the
 * first are a sum of v . m (v - v*) >= (m v² - m v*²) / 2 over the bodies: links that turn by a fifth of a radian in a
 * step lose energy, as by the affine engines, where the second one gives them some. */
#include "reduced/momentum.h"

#include <string.h>

#include "reduced/spatial.h"

static AfxVec3 centre_of(const AfxiSpatialInertia *own) {
    return vec3_scale(1 / own->mass, own->moment);
}

void afxi_reduced_momenta_at(AfxiReduced *work, const double *q, const double *u, AfxiSpatial *out) {
    work->work.placed = false;
    work->work.kernels->momenta(&work->work, q, u, &out->w.x);
}

/* Adds what the wrenches of work->balance give along each velocity; they are gathered at the roots. */
static void gather(AfxiReduced *work, double *tau) {
    const AfxiTree *tree = &work->tree;
    AfxiSpatial *wrench = work->balance;
    for (uint32_t k = tree->node_count; k-- > 0;) {
        const AfxiNode *node = &tree->node[k];
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; d++) {
            tau[d] += spatial_dot(work->work.axis[d], wrench[k]);
        }
        if (node->parent != AFXI_TREE_NONE) {
            wrench[node->parent] = spatial_add(wrench[node->parent], wrench[k]);
        }
    }
}

void afxi_reduced_momenta_along(AfxiReduced *work, const AfxiSpatial *momentum, double time, double *out) {
    const AfxiTree *tree = &work->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNodeState *node = &work->work.node[k];
        work->balance[k] = spatial(vec3(0, 0, 0), vec3(0, 0, 0));
        if (tree->node[k].mass > 0) {
            AfxiSpatial p = *momentum++;
            double weight = tree->node[k].mass - tree->node[k].light_mass;
            p.v = vec3_mad(p.v, time * weight, vec3_load(tree->gravity));
            p.w = vec3_add(p.w, vec3_cross(centre_of(&node->own), p.v));
            work->balance[k] = p;
        }
    }
    memset(out, 0, tree->dof_count * sizeof *out);
    gather(work, out);
}
