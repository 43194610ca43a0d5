/* SPDX-License-Identifier: Apache-2.0 */
#include "step/present.h"

#include "step/sim.h"

AfxiResidualStage afxi_present(const AfxSim *sim) {
    const AfxiState *state = &sim->world.state;
    return (AfxiResidualStage){.model = sim->model,
                               .params = sim->world.params,
                               .q = state->q,
                               .v = state->v,
                               .lambda = state->lambda,
                               .angle = state->angle,
                               .joint_active = state->joint_active,
                               .branch = state->drive_branch,
                               .target = sim->world.drive_target};
}
