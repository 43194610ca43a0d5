/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent accelerations at a (re)start: with q'' = 0 instead, every method drops to first order. */
#include <string.h>

#include "base/task.h"
#include "step/chains.h"

typedef struct StartTask {
    AfxSim *sim;
    const uint32_t *bodies;
    const AfxiFreeForce *forces;
} StartTask;

static void start_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const StartTask *task = context;
    AfxSim *sim = task->sim;
    const double *gravity = afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0);
    for (uint32_t k = begin; k < end; k++) {
        size_t at = (size_t)12 * task->bodies[k];
        afxi_free_acceleration(afxi_sim_class(sim, task->bodies[k]), sim->q + at, sim->v + at, gravity,
                               task->forces ? task->forces + k : NULL, sim->x2 + at);
        if (sim->state->integrator == AFX_ALPHA) {
            memcpy(sim->x3 + at, sim->x2 + at, 12 * sizeof(double));
        }
    }
}

void afxi_start(AfxSim *sim) {
    afxi_classes_refresh(sim);
    StartTask task = {sim, sim->plain, NULL};
    afxi_parallel_for(&sim->def.tasks, sim->def.threads, sim->plain_count, AFXI_GRAIN, start_part, &task);
    task = (StartTask){sim, sim->forced, sim->forces};
    afxi_parallel_for(&sim->def.tasks, sim->def.threads, sim->forced_count, AFXI_GRAIN, start_part, &task);
    if (sim->model->graph.body_count) {
        afxi_jointed_start(sim);
    }
    if (sim->model->chains.chain_count) {
        afxi_chains_start(sim);
    }
}
