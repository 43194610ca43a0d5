/* SPDX-License-Identifier: Apache-2.0 */
/* Forward dynamics: the articulated-body algorithm. From the leaves inwards, a node with all beyond it answers its
 * acceleration a with the wrench f = I^A a + p^A; a joint axis s with force tau takes out what it gives way to,
 *     U = I^A s, D = s.U + armature, I^a = I^A - U U^T / D, p^a = p^A + I^a c + U (tau - s.p^A) / D,
 * axis by axis: the three of a rotation or translation one after another (all of c before the first). */
#include "reduced/dynamics.h"
#include "reduced/spatial.h"

/* Symmetric 6x6, both triangles, angular rows first. */
static void from_inertia(const AfxiSpatialInertia *i, double *out) {
    const double *s = i->inertia;
    const double full[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    const AfxVec3 h = i->moment;
    const double cross[9] = {0, -h.z, h.y, h.z, 0, -h.x, -h.y, h.x, 0}; /* [h] by rows */
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[6 * r + c] = full[3 * r + c];
            out[6 * r + 3 + c] = cross[3 * r + c];
            out[6 * (3 + r) + c] = -cross[3 * r + c];
            out[6 * (3 + r) + 3 + c] = r == c ? i->mass : 0;
        }
    }
}

static void apply(const double *m, AfxiSpatial x, double out[6]) {
    const double v[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    for (int r = 0; r < 6; r++) {
        double sum = 0;
        for (int c = 0; c < 6; c++) {
            sum += m[6 * r + c] * v[c];
        }
        out[r] = sum;
    }
}

static double along(AfxiSpatial s, const double f[6]) {
    return spatial_dot(s, spatial(vec3_load(f), vec3_load(f + 3)));
}

/* Takes axis `dof` out of I^A and p^A; U, D and tau - s.p^A are kept. */
static void release(AfxiTreeWork *work, uint32_t dof, double tau, double *inertia, double *bias) {
    double *kept = work->articulated_dof + (size_t)AFXI_ARTICULATED_DOF * dof;
    AfxiSpatial axis = work->axis[dof];
    apply(inertia, axis, kept);
    kept[6] = along(axis, kept) + work->tree->dof[dof].armature;
    kept[7] = tau - along(axis, bias);
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            inertia[6 * r + c] -= kept[r] * kept[c] / kept[6];
        }
        bias[r] += kept[r] * kept[7] / kept[6];
    }
}

/* What a medium and the lack of weight give on a node: the first brakes, the second takes gravity away again. */
static AfxiSpatial other_forces(const AfxiTree *tree, const AfxiNode *node, const AfxiNodeState *state) {
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

/* I and p of every node by itself: the forces that hold it at no acceleration, gravity left to that of the ground. */
static void set_own(AfxiTreeWork *work, const AfxiSpatial *external) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        double *at = work->articulated + (size_t)AFXI_ARTICULATED * k;
        const AfxiNodeState *state = &work->node[k];
        AfxiSpatial momentum = inertia_apply(&state->own, state->velocity);
        AfxiSpatial force = spatial_cross_force(state->velocity, momentum);
        force = spatial_sub(force, other_forces(tree, &tree->node[k], state));
        if (external) {
            force = spatial_sub(force, external[k]);
        }
        from_inertia(&state->own, at);
        vec3_store(at + 36, force.w);
        vec3_store(at + 39, force.v);
    }
}

static void inwards(AfxiTreeWork *work, const double *tau) {
    const AfxiTree *tree = work->tree;
    for (uint32_t k = tree->node_count; k-- > 0;) {
        const AfxiNode *node = &tree->node[k];
        double *at = work->articulated + (size_t)AFXI_ARTICULATED * k, c[6];
        apply(at, work->node[k].bias, c);
        for (int r = 0; r < 6; r++) {
            at[36 + r] += c[r];
        }
        for (uint32_t d = node->dof + node->dof_count; d-- > node->dof;) {
            release(work, d, tau[d], at, at + 36);
        }
        if (node->parent != AFXI_TREE_NONE) {
            double *parent = work->articulated + (size_t)AFXI_ARTICULATED * node->parent;
            for (int e = 0; e < AFXI_ARTICULATED; e++) {
                parent[e] += at[e];
            }
        }
    }
}

void afxi_tree_forward(AfxiTreeWork *work, const double *tau, const AfxiSpatial *external, double *out_du) {
    const AfxiTree *tree = work->tree;
    const AfxiSpatial ground = {{0, 0, 0}, vec3_scale(-1, vec3_load(tree->gravity))};
    set_own(work, external);
    inwards(work, tau);
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        AfxiSpatial a = node->parent == AFXI_TREE_NONE ? ground : work->node[node->parent].acceleration;
        for (uint32_t d = node->dof; d < node->dof + node->dof_count; d++) {
            const double *kept = work->articulated_dof + (size_t)AFXI_ARTICULATED_DOF * d;
            out_du[d] = (kept[7] - along(a, kept)) / kept[6];
            a = spatial_mad(a, out_du[d], work->axis[d]);
        }
        work->node[k].acceleration = spatial_add(a, work->node[k].bias);
    }
}
