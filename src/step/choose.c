/* SPDX-License-Identifier: Apache-2.0 */
/* What either would cost is estimated in instructions of a step, from counts (docs/decisions/choosing.md). */
#include "step/choose.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "reduced/reduced.h"
#include "step/tuning.h"

static double affine_cost(const AfxModel *model) {
    return AFXI_COST_STEP + AFXI_COST_ITEM * ((double)model->dynamic_count + model->row_count);
}

/* Joint coordinates in *out_sim, or NULL there, and *out_reason [size] says why: they cannot do it, or would not be
 * cheaper. Without the memory to find out there is no answer: what is chosen goes by the model alone. */
static AfxStatus take_reduced(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim, char *out_reason,
                              size_t size) {
    AfxError error = {0};
    AfxSimDef reduced = *def;
    AfxSim *sim = NULL;
    uint32_t dofs = 0;
    *out_sim = NULL;
    reduced.formulation = AFX_REDUCED;
    reduced.error = &error;
    AfxStatus status = afxi_sim_create(model, &reduced, &afxi_formulation_reduced, &sim);
    if (status == AFX_E_MEMORY && def->error) {
        *def->error = error;
    }
    if (status != AFX_OK) {
        snprintf(out_reason, size, "affix: %s (%s)", error.text, error.element);
        return status == AFX_E_MEMORY ? status : AFX_OK;
    }
    double cost = afxi_reduced_cost(sim->work, &dofs), affine = affine_cost(model);
    bool cheaper = dofs > 0 && dofs <= AFXI_CHOOSE_DOFS_MOST && cost < affine;
    snprintf(out_reason, size, "%s: %u degrees of freedom, about %.0f instructions a step, affine bodies %.0f",
             cheaper ? "reduced" : "affix", (unsigned)dofs, cost, affine);
    if (!cheaper) {
        afx_sim_destroy(sim);
        return AFX_OK;
    }
    sim->def.error = sim->world.def.error = def->error;
    *out_sim = sim;
    return AFX_OK;
}

AfxStatus afxi_sim_choose(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim) {
    char reason[sizeof((AfxSim *)0)->reason];
    AfxStatus status = take_reduced(model, def, out_sim, reason, sizeof reason);
    if (status == AFX_OK && !*out_sim) {
        AfxSimDef affine = *def;
        affine.formulation = AFX_AFFIX;
        status = afxi_sim_create(model, &affine, &afxi_formulation_affine, out_sim);
    }
    if (status == AFX_OK) {
        memcpy((*out_sim)->reason, reason, sizeof reason);
    }
    return status;
}

AfxStatus afx_sim_formulation(const AfxSim *sim, AfxFormulation *out_formulation, char *out_reason, size_t size) {
    if (!sim || !out_formulation) {
        return AFX_E_ARGUMENT;
    }
    *out_formulation = sim->formulation == &afxi_formulation_reduced ? AFX_REDUCED
                       : sim->def.formulation == AFX_CHOOSE          ? AFX_AFFIX
                                                                     : sim->def.formulation;
    if (out_reason && size) {
        snprintf(out_reason, size, "%s", sim->reason);
    }
    return AFX_OK;
}
