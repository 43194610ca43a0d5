/* SPDX-License-Identifier: Apache-2.0 */
/* Equations of motion in joint coordinates (affix/dynamics.h). */
#include "affix/dynamics.h"

#include <string.h>

#include "step/dynamics_query.h"
#include "step/history.h"

/* ---- what there is ---- */

uint32_t afx_sim_dof_count(AfxSim *sim) {
    AfxiDynamics *kept;
    return afxi_dynamics_trees(sim, &kept) == AFX_OK ? kept->dofs.count : 0;
}

AfxStatus afx_sim_dof(AfxSim *sim, uint32_t dof, AfxDof *out_dof) {
    AfxiDynamics *kept;
    if (!sim || !out_dof) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_dynamics_trees(sim, &kept);
    if (status != AFX_OK) {
        return status;
    }
    if (dof >= kept->dofs.count) {
        return AFX_E_ARGUMENT;
    }
    afxi_tree_numbers(&kept->tree, sim->world.params);
    const AfxiDofs *dofs = &kept->dofs;
    const AfxiTreeDof *source = &kept->tree.dof[dofs->own[dof]];
    AfxiNodeKind kind = (AfxiNodeKind)kept->tree.node[source->node].kind;
    bool rate = false;
    for (uint32_t k = 0; k < dofs->block_count; k++) {
        rate = rate || (dofs->block[k].cardan != AFXI_TREE_NONE && dofs->block[k].cardan == source->joint);
    }
    *out_dof = (AfxDof){.joint = source->joint,
                        .axis = source->axis,
                        .body = source->body,
                        .parent = source->parent == AFXI_TREE_NONE ? UINT32_MAX : dofs->shown[source->parent],
                        .qvel = dofs->qvel[dof],
                        .rotation = kind != AFXI_NODE_SLIDE && kind != AFXI_NODE_TRANSLATE,
                        .angular = kind == AFXI_NODE_BALL && !rate,
                        .armature = source->armature};
    return AFX_OK;
}

AfxStatus afx_sim_dof_velocities(AfxSim *sim, double *out_velocities) {
    AfxiDynamics *kept;
    AfxStatus status = out_velocities ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        afxi_dofs_motion_out(&kept->dofs, kept->u, false, out_velocities);
    }
    return status;
}

AfxStatus afx_sim_dof_accelerations(AfxSim *sim, double *out_accelerations) {
    AfxiDynamics *kept;
    AfxStatus status = out_accelerations ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status != AFX_OK) {
        return status;
    }
    const AfxiState *state = &sim->world.state;
    memset(kept->x, 0, kept->tree.dof_count * sizeof *kept->x);
    if (state->head->has_history) {
        afxi_tree_from_raw(&kept->tree, state->previous_q, state->previous_v, NULL, NULL, kept->x);
        for (uint32_t d = 0; d < kept->tree.dof_count; d++) {
            kept->x[d] = (kept->u[d] - kept->x[d]) / state->head->dt;
        }
    }
    afxi_dofs_motion_out(&kept->dofs, kept->x, state->head->has_history, out_accelerations);
    return AFX_OK;
}

AfxStatus afx_sim_set_dof_velocities(AfxSim *sim, const double *velocities) {
    AfxiDynamics *kept;
    AfxStatus status = velocities ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !afxi_dynamics_finite(velocities, kept->dofs.count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_dofs_motion_in(&kept->dofs, velocities, false, kept->x);
        afxi_tree_velocity(&kept->work, kept->x);
        afxi_tree_to_raw(&kept->work, kept->q, kept->x, sim->world.state.q, sim->world.state.v);
        afxi_history_drop(sim);
    }
    return status;
}

/* ---- equations of motion ---- */

/* out = T^T M T, from the lower triangle of M, which is written over. */
static void tell_mass(AfxiDynamics *kept, double *mass, double *out) {
    size_t own = kept->tree.dof_count, n = kept->dofs.count;
    for (size_t i = 0; i < own; i++) {
        for (size_t j = 0; j < i; j++) {
            mass[j * own + i] = mass[i * own + j];
        }
    }
    for (size_t i = 0; i < own; i++) {
        memcpy(kept->x, mass + i * own, own * sizeof *mass);
        afxi_dofs_force_out(&kept->dofs, kept->x, mass + i * own);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < own; i++) {
            kept->x[i] = mass[i * own + j];
        }
        afxi_dofs_force_out(&kept->dofs, kept->x, kept->y);
        for (size_t i = 0; i < n; i++) {
            out[i * n + j] = kept->y[i];
        }
    }
    for (size_t i = 0; i < n; i++) { /* to the last bit */
        for (size_t j = 0; j < i; j++) {
            out[j * n + i] = out[i * n + j];
        }
    }
}

AfxStatus afx_sim_mass_matrix(AfxSim *sim, double *out_mass) {
    AfxiDynamics *kept;
    AfxStatus status = out_mass ? afxi_dynamics_dense(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        afxi_tree_mass(&kept->work, kept->mass);
        tell_mass(kept, kept->mass, out_mass);
    }
    return status;
}

/* Forces for accelerations of the tree's own dofs. */
static void tell_forces(AfxiDynamics *kept, const double *accelerations, double *out_forces) {
    afxi_tree_inverse(&kept->work, accelerations, NULL, kept->x);
    afxi_dofs_force_out(&kept->dofs, kept->x, out_forces);
}

AfxStatus afx_sim_bias_forces(AfxSim *sim, double *out_forces) {
    AfxiDynamics *kept;
    AfxStatus status = out_forces ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        memset(kept->x, 0, kept->tree.dof_count * sizeof *kept->x);
        afxi_dofs_motion_in(&kept->dofs, kept->x, true, kept->y);
        tell_forces(kept, kept->y, out_forces);
    }
    return status;
}

AfxStatus afx_sim_gravity_forces(AfxSim *sim, double *out_forces) {
    AfxiDynamics *kept;
    AfxStatus status = out_forces ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        afxi_tree_rest(&kept->work);
        tell_forces(kept, NULL, out_forces);
    }
    return status;
}

AfxStatus afx_sim_inverse_dynamics(AfxSim *sim, const double *accelerations, double *out_forces) {
    AfxiDynamics *kept;
    AfxStatus status = accelerations && out_forces ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !afxi_dynamics_finite(accelerations, kept->dofs.count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_dofs_motion_in(&kept->dofs, accelerations, true, kept->y);
        tell_forces(kept, kept->y, out_forces);
    }
    return status;
}

AfxStatus afx_sim_forward_dynamics(AfxSim *sim, const double *forces, double *out_accelerations) {
    AfxiDynamics *kept;
    AfxStatus status = forces && out_accelerations ? afxi_dynamics_now(sim, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !afxi_dynamics_finite(forces, kept->dofs.count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_dofs_force_in(&kept->dofs, forces, kept->y);
        afxi_tree_forward(&kept->work, kept->y, NULL, kept->x);
        status = afxi_dynamics_finite(kept->x, kept->tree.dof_count) ? AFX_OK : AFX_E_NUMERIC;
    }
    if (status == AFX_OK) {
        afxi_dofs_motion_out(&kept->dofs, kept->x, true, out_accelerations);
    }
    return status;
}
