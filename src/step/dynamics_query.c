/* SPDX-License-Identifier: Apache-2.0 */
/* Queries in joint coordinates (affix/dynamics.h). */
#include "step/dynamics_query.h"

#include <math.h>
#include <string.h>

#include "affix/dynamics.h"
#include "base/memory.h"
#include "reduced/dynamics.h"
#include "reduced/flywheel.h"
#include "reduced/spatial.h"
#include "state/pose.h"

/* What a sim keeps for them. */
typedef struct AfxiDynamics {
    AfxiTree tree;
    AfxiTreeWork work;
    uint32_t joints_version; /* of the switches that the tree was made with */
    void *raw;
    size_t raw_size;
    double *q, *u, *x; /* [coordinates], [dofs], [dofs] */
} AfxiDynamics;

static void release(const AfxAllocator *allocator, AfxiDynamics *kept) {
    if (kept->raw) {
        afxi_release(allocator, kept->raw, kept->raw_size);
    }
    afxi_tree_work_destroy(&kept->work);
    afxi_tree_destroy(&kept->tree);
    afxi_release(allocator, kept, sizeof *kept);
}

void afxi_dynamics_destroy(AfxSim *sim) {
    if (sim->dynamics) {
        release(&sim->def.allocator, sim->dynamics);
        sim->dynamics = NULL;
    }
}

static void layout(AfxiDynamics *kept, AfxiArena *arena) {
    kept->q = afxi_arena_take(arena, kept->tree.coordinate_count, sizeof *kept->q);
    kept->u = afxi_arena_take(arena, kept->tree.dof_count, sizeof *kept->u);
    kept->x = afxi_arena_take(arena, kept->tree.dof_count, sizeof *kept->x);
}

static AfxStatus fill(AfxSim *sim, AfxiDynamics *kept) {
    const AfxAllocator *allocator = &sim->def.allocator;
    AfxStatus status = afxi_tree_create(sim->model, sim->world.state.joint_active, allocator, &kept->tree);
    status = status ? status : kept->tree.dof_count > AFX_DOFS_MOST ? AFX_E_LIMIT : AFX_OK;
    status = status ? status : afxi_tree_work_create(&kept->tree, &kept->work);
    if (status != AFX_OK) {
        return status;
    }
    AfxiArena arena = {0};
    layout(kept, &arena);
    arena.base = afxi_allocate_aligned(allocator, arena.used + AFXI_ALIGNMENT, &kept->raw, &kept->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(kept, &arena);
    kept->joints_version = sim->world.joints_version;
    return AFX_OK;
}

/* The trees of a sim as its joints are switched. */
static AfxStatus trees_of(AfxSim *sim, AfxiDynamics **out) {
    if (sim->dynamics && sim->dynamics->joints_version != sim->world.joints_version) {
        afxi_dynamics_destroy(sim);
    }
    if (!sim->dynamics) {
        AfxiDynamics *kept = afxi_allocate(&sim->def.allocator, sizeof *kept);
        if (!kept) {
            return AFX_E_MEMORY;
        }
        AfxStatus status = fill(sim, kept);
        if (status != AFX_OK) {
            release(&sim->def.allocator, kept);
            return status;
        }
        sim->dynamics = kept;
    }
    *out = sim->dynamics;
    return AFX_OK;
}

/* ... at the present state, with the present parameters: frames and velocities. AFX_E_INPUT where a parameter has made
 * a body of armature into something else. */
static AfxStatus trees_now(AfxSim *sim, AfxiDynamics **out) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = trees_of(sim, out);
    if (status != AFX_OK) {
        return status;
    }
    AfxiDynamics *kept = *out;
    const AfxiState *state = &sim->world.state;
    if (afxi_flywheels_unfit(&kept->tree, sim->world.params) != AFXI_TREE_NONE) {
        return AFX_E_INPUT;
    }
    afxi_tree_numbers(&kept->tree, sim->world.params);
    afxi_tree_from_raw(&kept->tree, state->q, state->v, NULL, kept->q, kept->u);
    afxi_tree_set_moved(&kept->work, state->q, state->v);
    afxi_tree_pose(&kept->work, kept->q);
    afxi_tree_velocity(&kept->work, kept->u);
    afxi_tree_inertia(&kept->work);
    return AFX_OK;
}

/* ---- what there is ---- */

uint32_t afx_sim_dof_count(AfxSim *sim) {
    AfxiDynamics *kept;
    return sim && trees_of(sim, &kept) == AFX_OK ? kept->tree.dof_count : 0;
}

AfxStatus afx_sim_dof(AfxSim *sim, uint32_t dof, AfxDof *out_dof) {
    AfxiDynamics *kept;
    if (!sim || !out_dof) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = trees_of(sim, &kept);
    if (status != AFX_OK) {
        return status;
    }
    if (dof >= kept->tree.dof_count) {
        return AFX_E_ARGUMENT;
    }
    afxi_tree_numbers(&kept->tree, sim->world.params);
    const AfxiTreeDof *source = &kept->tree.dof[dof];
    AfxiNodeKind kind = (AfxiNodeKind)kept->tree.node[source->node].kind;
    *out_dof = (AfxDof){.joint = source->joint,
                        .axis = source->axis,
                        .body = source->body,
                        .parent = source->parent,
                        .rotation = kind != AFXI_NODE_SLIDE && kind != AFXI_NODE_TRANSLATE,
                        .angular = kind == AFXI_NODE_BALL,
                        .armature = source->armature};
    return AFX_OK;
}

AfxStatus afx_sim_dof_velocities(AfxSim *sim, double *out_velocities) {
    AfxiDynamics *kept;
    AfxStatus status = out_velocities ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && kept->tree.dof_count) {
        memcpy(out_velocities, kept->u, kept->tree.dof_count * sizeof *out_velocities);
    }
    return status;
}

AfxStatus afx_sim_set_dof_velocities(AfxSim *sim, const double *velocities) {
    AfxiDynamics *kept;
    AfxStatus status = velocities ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    for (uint32_t k = 0; status == AFX_OK && k < kept->tree.dof_count; k++) {
        status = isfinite(velocities[k]) ? AFX_OK : AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_tree_velocity(&kept->work, velocities);
        afxi_tree_to_raw(&kept->work, kept->q, velocities, sim->world.state.q, sim->world.state.v);
        afxi_history_drop(sim);
    }
    return status;
}

/* ---- equations of motion ---- */

AfxStatus afx_sim_mass_matrix(AfxSim *sim, double *out_mass) {
    AfxiDynamics *kept;
    AfxStatus status = out_mass ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        size_t n = kept->tree.dof_count;
        afxi_tree_mass(&kept->work, out_mass);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) {
                out_mass[j * n + i] = out_mass[i * n + j];
            }
        }
    }
    return status;
}

AfxStatus afx_sim_bias_forces(AfxSim *sim, double *out_forces) {
    AfxiDynamics *kept;
    AfxStatus status = out_forces ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        afxi_tree_inverse(&kept->work, NULL, NULL, out_forces);
    }
    return status;
}

AfxStatus afx_sim_gravity_forces(AfxSim *sim, double *out_forces) {
    AfxiDynamics *kept;
    AfxStatus status = out_forces ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        afxi_tree_rest(&kept->work);
        afxi_tree_inverse(&kept->work, NULL, NULL, out_forces);
    }
    return status;
}

static bool all_finite(const double *x, uint32_t n) {
    bool finite = true;
    for (uint32_t k = 0; k < n; k++) {
        finite = finite && isfinite(x[k]);
    }
    return finite;
}

AfxStatus afx_sim_inverse_dynamics(AfxSim *sim, const double *accelerations, double *out_forces) {
    AfxiDynamics *kept;
    AfxStatus status = accelerations && out_forces ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !all_finite(accelerations, kept->tree.dof_count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_tree_inverse(&kept->work, accelerations, NULL, kept->x);
        memmove(out_forces, kept->x, kept->tree.dof_count * sizeof *out_forces);
    }
    return status;
}

AfxStatus afx_sim_forward_dynamics(AfxSim *sim, const double *forces, double *out_accelerations) {
    AfxiDynamics *kept;
    AfxStatus status = forces && out_accelerations ? trees_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !all_finite(forces, kept->tree.dof_count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_tree_forward(&kept->work, forces, NULL, kept->x);
        status = all_finite(kept->x, kept->tree.dof_count) ? AFX_OK : AFX_E_NUMERIC;
    }
    if (status == AFX_OK) {
        memmove(out_accelerations, kept->x, kept->tree.dof_count * sizeof *out_accelerations);
    }
    return status;
}

/* ---- Jacobians ---- */

/* Row `row` of a Jacobian: what a unit force (or torque) along a world axis gives along each velocity. */
static void jacobian_row(const AfxiTreeWork *work, uint32_t node, AfxVec3 arm, int axis, bool angular, double *out) {
    AfxVec3 unit = {axis == 0, axis == 1, axis == 2}, none = {0, 0, 0};
    AfxiSpatial wrench = angular ? spatial(unit, none) : spatial(vec3_cross(arm, unit), unit);
    afxi_tree_add_wrench(work, node, &wrench, out);
}

AfxStatus afx_sim_point_jacobian(AfxSim *sim, uint32_t body, AfxVec3 point, double *out_linear, double *out_angular) {
    AfxiDynamics *kept;
    if (!sim || body >= sim->model->body_count || !vec3_finite(point)) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = trees_now(sim, &kept);
    if (status != AFX_OK) {
        return status;
    }
    size_t n = kept->tree.dof_count;
    double *out[2] = {out_linear, out_angular};
    uint32_t place = kept->tree.place[body];
    for (int k = 0; k < 2; k++) {
        if (out[k]) {
            memset(out[k], 0, 3 * n * sizeof *out[k]);
        }
    }
    if (place == AFXI_TREE_NONE) { /* a flywheel: it moves with one coordinate alone */
        for (uint32_t k = 0; k < kept->tree.flywheel_count; k++) {
            if (kept->tree.flywheel[k].body == body) {
                afxi_flywheel_jacobian(&kept->work, &kept->tree.flywheel[k], kept->q, point, out_linear, out_angular);
            }
        }
        return AFX_OK;
    }
    uint32_t node = kept->tree.carried[place].node;
    if (node == AFXI_TREE_NONE) {
        return AFX_OK;
    }
    const AfxiFrame *frame = afxi_model_frame(sim->model, body);
    AfxVec3 local = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center)), t;
    AfxiMat3 r;
    afxi_tree_body(&kept->work, place, &r, &t);
    AfxVec3 arm = vec3_sub(vec3_add(t, mat3_apply(&r, local)), kept->work.reference[kept->tree.node[node].first]);
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; out[k] && axis < 3; axis++) {
            jacobian_row(&kept->work, node, arm, axis, k == 1, out[k] + (size_t)axis * n);
        }
    }
    return AFX_OK;
}
