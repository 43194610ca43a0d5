/* SPDX-License-Identifier: Apache-2.0 */
/* Shares by weights at the end of a step. */
#include "step/weights.h"

#include <math.h>

#include "base/memory.h"
#include "model/model.h"
#include "step/present.h"
#include "step/sim.h"

static bool are_sound(const double *weights, uint32_t count) {
    for (uint32_t k = 0; weights && k < count; k++) {
        if (!(weights[k] > 0) || !isfinite(weights[k]) || !isfinite(1 / weights[k])) {
            return false;
        }
    }
    return true;
}

AfxStatus afx_sim_set_weights(AfxSim *sim, const AfxWeights *weights) {
    if (!sim || !sim_can(sim, AFXI_FORMULATION_VERIFIED)) {
        return AFX_E_ARGUMENT;
    }
    if (!weights) {
        afxi_weights_destroy(sim);
        return AFX_OK;
    }
    const AfxModel *model = sim->model;
    if (!are_sound(weights->joint_force, model->shown.joints) ||
        !are_sound(weights->joint_torque, model->shown.joints) || !are_sound(weights->drive, model->drive_count)) {
        return AFX_E_ARGUMENT;
    }
    if (!sim->weights) {
        AfxiWeights *own = afxi_allocate(&sim->def.allocator, sizeof *own);
        AfxStatus status = own ? afxi_share_create(&sim->def.allocator, model, &own->share) : AFX_E_MEMORY;
        if (status != AFX_OK) {
            afxi_release(&sim->def.allocator, own, sizeof *own);
            return status;
        }
        sim->weights = own;
    }
    afxi_share_weigh(sim->weights->share, weights->joint_force, weights->joint_torque, weights->drive);
    return AFX_OK;
}

AfxStatus afx_sim_weights_residual(const AfxSim *sim, double *out_residual) {
    if (!sim || !sim->weights || !out_residual) {
        return AFX_E_ARGUMENT;
    }
    *out_residual = sim->weights->left;
    return AFX_OK;
}

void afxi_weights_destroy(AfxSim *sim) {
    if (sim->weights) {
        afxi_share_destroy(sim->weights->share);
        afxi_release(&sim->def.allocator, sim->weights, sizeof *sim->weights);
        sim->weights = NULL;
    }
}

void afxi_weights_apply(AfxSim *sim, double *lambda) {
    if (sim->weights) {
        AfxiResidualStage stage = afxi_present(sim);
        afxi_share_prepare(sim->weights->share, &stage);
        sim->weights->left = afxi_share_apply(sim->weights->share, lambda, NULL);
    }
}
