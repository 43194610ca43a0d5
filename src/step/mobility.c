/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of freedom: six for every moving body, less the rank of the exact rows' Jacobian at the present state. */
#include "solve/start.h"
#include "step/own.h"
#include "step/sim.h"

AfxStatus afx_sim_mobility(AfxSim *sim, int64_t *out_freedom, uint32_t *out_redundant) {
    if (!sim || !out_freedom || !out_redundant) {
        return AFX_E_ARGUMENT;
    }
    uint64_t rows = 0, rank = 0;
    afxi_classes_refresh(sim);
    AfxStatus status = afxi_rank(&sim->solver, &rows, &rank);
    *out_freedom = 6 * (int64_t)sim->model->dynamic_count - (int64_t)rank;
    *out_redundant = (uint32_t)(rows - rank);
    return status;
}
