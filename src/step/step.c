/* SPDX-License-Identifier: Apache-2.0 */
/* One step, as a table of contents:
 *
 *     start    a multistep method without history takes consistent accelerations
 *     stages   one for most methods:
 *       input    kinematic bodies move to the stage's end
 *       free     bodies without joints: predict, solve, update in one go
 *     check    a state that is not finite is thrown away, the one before the step put back
 *
 * The state before the step survives it (previous_q, previous_v), so nothing is lost. */
#include <string.h>

#include "base/clock.h"
#include "base/task.h"
#include "step/sim.h"

#define SOLVES_MOST 30u

static const struct {
    double first, later;
} tolerance[] = {
    [AFX_FAST] = {1e-5, 1e-9},
    [AFX_ACCURATE] = {1e-8, 1e-12},
};

typedef struct FreeTask {
    const AfxSim *sim;
    const AfxiFreeStage *stage;
} FreeTask;

static void free_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const FreeTask *task = context;
    AfxiFreeOutcome outcome = {.failed_body = UINT32_MAX};
    task->sim->variant.kernel(task->stage, begin, end, &outcome);
    task->sim->outcomes[part] = outcome;
}

static void merge(AfxiFreeOutcome *into, const AfxiFreeOutcome *from) {
    into->solves = from->solves > into->solves ? from->solves : into->solves;
    into->solves_total += from->solves_total;
    into->rotation_error = from->rotation_error > into->rotation_error ? from->rotation_error : into->rotation_error;
    into->capped |= from->capped;
    into->rescued |= from->rescued;
    into->failed_body = from->failed_body < into->failed_body ? from->failed_body : into->failed_body;
}

static void run_list(AfxSim *sim, AfxiFreeStage *stage, const uint32_t *bodies, uint32_t count,
                     const AfxiFreeForce *forces, AfxiFreeOutcome *out) {
    stage->bodies = bodies;
    stage->forces = forces;
    FreeTask task = {sim, stage};
    afxi_parallel_for(&sim->def.tasks, sim->def.threads, count, AFXI_GRAIN, free_part, &task);
    for (uint32_t part = 0; part < afxi_part_count(count, AFXI_GRAIN); part++) {
        merge(out, &sim->outcomes[part]);
    }
}

static void solve_free(AfxSim *sim, const AfxiStagePlan *plan, AfxiFreeOutcome *out) {
    afxi_constants_refresh(sim, plan->weights.scale);
    const double *gravity = afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0);
    AfxiFreeStage stage = {
        .mode = plan->mode,
        .weights = plan->weights,
        .damped = sim->damped,
        .predict = plan->fraction * sim->state->dt,
        .gravity = {gravity[0], gravity[1], gravity[2]},
        .class_of = sim->classes->of,
        .constants = sim->constants,
        .q = sim->q,
        .v = sim->v,
        .x2 = sim->x2,
        .x3 = sim->x3,
        .previous_q = sim->previous_q,
        .previous_v = sim->previous_v,
        .solves = sim->def.solves,
        .solves_most = SOLVES_MOST,
        .tolerance_first = tolerance[sim->def.accuracy].first,
        .tolerance = tolerance[sim->def.accuracy].later,
    };
    run_list(sim, &stage, sim->plain, sim->plain_count, NULL, out);
    run_list(sim, &stage, sim->forced, sim->forced_count, sim->forces, out);
}

/* Puts the state before the step back; its history is gone, so a multistep method will restart. */
static void roll_back(AfxSim *sim) {
    size_t bytes = (size_t)sim->model->body_count * 12 * sizeof(double);
    memcpy(sim->q, sim->previous_q, bytes);
    memcpy(sim->v, sim->previous_v, bytes);
    afxi_history_drop(sim);
}

static void finish(AfxSim *sim, const AfxiFreeOutcome *outcome, AfxStepReport *report) {
    AfxiStateHead *state = sim->state;
    uint32_t moving = sim->plain_count + sim->forced_count;
    report->step = state->steps + 1;
    report->solves = outcome->solves;
    report->solves_mean = moving ? (double)outcome->solves_total / moving : 0;
    report->rotation_error = outcome->rotation_error;
    report->body = outcome->failed_body;
    report->flags |= outcome->capped ? AFX_STEP_CAPPED : 0;
    report->flags |= outcome->rescued ? AFX_STEP_ROTATION_RESCUED : 0;
    report->flags |= sim->model->any_floored ? AFX_STEP_INERTIA_FLOOR : 0;
    if (outcome->failed_body != UINT32_MAX) {
        report->flags |= AFX_STEP_FAILED;
        roll_back(sim);
    } else {
        state->base_steps++;
        state->steps++;
        state->has_history = afxi_integrator_has_history((AfxIntegrator)state->integrator);
    }
    report->time = afx_sim_time(sim);
}

AfxStatus afx_step(AfxSim *sim, AfxStepReport *out_report) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    AfxStepReport report = {.body = UINT32_MAX};
    AfxIntegrator integrator = (AfxIntegrator)sim->state->integrator;
    AfxiFreeOutcome outcome = {.failed_body = UINT32_MAX};
    double mark = afxi_clock();
    bool starting = !sim->state->has_history;
    if (starting && afxi_integrator_has_history(integrator)) {
        report.flags |= AFX_STEP_RESTARTED;
        afxi_start(sim);
    }
    double now = afxi_clock();
    report.stage_seconds[AFX_STAGE_START] = now - mark;
    uint32_t stages = afxi_integrator_stages(integrator);
    for (uint32_t k = 0; k < stages; k++) {
        AfxiStagePlan plan = afxi_integrator_plan(integrator, sim->state->rho, sim->state->dt, k, starting);
        mark = now;
        afxi_input_kinematic(sim, plan.fraction, k + 1 == stages);
        now = afxi_clock();
        report.stage_seconds[AFX_STAGE_INPUT] += now - mark;
        mark = now;
        solve_free(sim, &plan, &outcome);
        now = afxi_clock();
        report.stage_seconds[AFX_STAGE_FREE] += now - mark;
    }
    mark = now;
    finish(sim, &outcome, &report);
    report.stage_seconds[AFX_STAGE_CHECK] = afxi_clock() - mark;
    if (out_report) {
        *out_report = report;
    }
    return report.flags & AFX_STEP_FAILED ? AFX_E_NUMERIC : AFX_OK;
}
