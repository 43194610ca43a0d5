/* SPDX-License-Identifier: Apache-2.0 */
/* A state that was edited begins anew: rotors go where their joints are, and nothing is told of the steps before. */
#include "step/history.h"

#include "state/pace.h"
#include "state/sleep.h"
#include "step/path.h"
#include "step/rotor.h"
#include "step/sim.h"
#include "step/start_query.h"

void afxi_history_drop(AfxSim *sim) {
    afxi_paths_follow(sim);
    afxi_rotors_follow(sim);
    afxi_start_forget(sim);
    sim->formulation->refresh(sim->work);
    afxi_sleep_wake(&sim->world.state, sim->model, UINT32_MAX);
    afxi_pace_restart_all(&sim->world.state);
}
