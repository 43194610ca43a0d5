/* SPDX-License-Identifier: Apache-2.0 */
/* What a step may have to put back: bodies, multipliers, branches, history. Most of it survives a step without a copy,
 * as history; what is copied, and when, follows from what can still go wrong. */
#include "step/save.h"

#include <string.h>

#include "base/clock.h"
#include "constraint/drive.h"
#include "model/model.h"
#include "state/input.h"

void afxi_progress_book(AfxiProgress *progress, AfxStage stage) {
    double now = afxi_clock();
    progress->report.stage_seconds[stage] += now - progress->mark;
    progress->mark = now;
}

bool afxi_in_place(const AfxSim *sim, double length) {
    AfxIntegrator integrator = (AfxIntegrator)sim->world.state.head->integrator;
    return length >= 1 && (integrator == AFX_BDF1 || integrator == AFX_BDF2);
}

/* Whether the state before the step can still be told after it without a copy: as history. Impacts of drives ask for
 * all of it. */
static bool survives(const AfxSim *sim) {
    return afxi_in_place(sim, 1) && sim->model->drive_count == 0 && sim->model->chains.chain_count == 0;
}

/* Keeps the state before the step. Links of ball chains that are solved in place keep theirs themselves. */
static void save_bodies(AfxSim *sim) {
    const AfxModel *model = sim->model;
    AfxiState *state = &sim->world.state;
    bool links = model->chains.chain_count && afxi_in_place(sim, 1);
    if (!state->saved_q || survives(sim)) {
        return;
    }
    if (!links) {
        size_t bytes = (size_t)AFXI_AFFINE_WIDTH * model->body_count * sizeof(double);
        memcpy(state->saved_q, state->q, bytes);
        memcpy(state->saved_v, state->v, bytes);
    }
    for (uint32_t body = 0; links && model->chains.link_count < model->body_count && body < model->body_count; body++) {
        if (!afxi_model_in_chain(model, body)) {
            afxi_state_copy_body(body, state->saved_q, state->saved_v, state->q, state->v);
        }
    }
}

/* Rows of a body from one block of the state to another. */
static void copy_rows(const AfxiState *state, uint32_t body, char *to, const char *from) {
    const double *array[4] = {state->q, state->v, state->home_x2, state->home_x3};
    for (int k = 0; k < 4; k++) {
        size_t at = (size_t)((const char *)(array[k] + (size_t)AFXI_AFFINE_WIDTH * body) - (const char *)state->head);
        memcpy(to + at, from + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

/* All but the rows of bodies that are solved for. */
static void copy_rest(const AfxSim *sim, char *to, const char *from) {
    const AfxiState *state = &sim->world.state;
    const double *end = state->home_x3 + (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count;
    size_t behind = (size_t)((const char *)end - (const char *)state->head);
    memcpy(to, from, sizeof *state->head);
    memcpy(to + behind, from + behind, state->size - behind);
    for (uint32_t k = 0; k < sim->model->kinematic_count; k++) {
        copy_rows(state, sim->model->kinematic[k].body, to, from);
    }
}

void afxi_progress_keep(AfxSim *sim, AfxiProgress *progress) {
    const AfxiState *state = &sim->world.state;
    for (uint32_t k = 0; sim->before && !progress->kept && k < sim->model->dynamic_count; k++) {
        copy_rows(state, sim->model->dynamic[k], sim->before, (const char *)state->head);
    }
    progress->kept = sim->before != NULL;
}

/* What a step that is refused must leave as it was. The bodies change when a stage is committed, after which only a
 * step in several stages or in parts can still be refused; a start changes their history, and ball chains are solved in
 * place. */
static void save_rest(AfxSim *sim, bool starting, AfxiProgress *progress) {
    const AfxModel *model = sim->model;
    const AfxiStateHead *head = sim->world.state.head;
    if (sim->before && model->chains.chain_count) {
        afxi_sim_keep(sim, sim->before);
        progress->kept = true;
    } else if (sim->before) {
        copy_rest(sim, sim->before, (const char *)head);
        if (starting || head->uneven || afxi_integrator_stages((AfxIntegrator)head->integrator) > 1) {
            afxi_progress_keep(sim, progress);
        }
    }
    if (sim->world.state.saved_rest) {
        afxi_state_save_rest(&sim->world.state, model, model->graph_count || sim->solver.set);
        afxi_chains_begin_step(&sim->solver.chains);
    }
}

void afxi_save(AfxSim *sim, bool starting, AfxiProgress *progress) {
    save_bodies(sim);
    save_rest(sim, starting, progress);
}

void afxi_save_late(AfxSim *sim) {
    AfxiState *state = &sim->world.state;
    const AfxModel *model = sim->model;
    bool survived = survives(sim), links = model->chains.chain_count && afxi_in_place(sim, 1);
    for (uint32_t k = 0; state->saved_q && k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        bool own = links && afxi_model_in_chain(model, body);
        if (survived && !sim->solver.absent[body]) { /* committed: the state before it is history */
            afxi_state_copy_body(body, state->saved_q, state->saved_v, state->previous_q, state->previous_v);
        } else if (survived || (own && sim->solver.absent[body])) { /* not moved, or back again */
            afxi_state_copy_body(body, state->saved_q, state->saved_v, state->q, state->v);
        }
    }
}

/* What input has moved. */
static void put_back_input(AfxSim *sim) {
    afxi_input_back(&sim->world);
    afxi_drives_reset(&sim->world);
}

/* Multipliers, predictors and paces. */
static void restore_rest(AfxSim *sim) {
    if (sim->world.state.saved_rest) {
        afxi_state_restore_rest(&sim->world.state, sim->model);
        afxi_chains_restore(&sim->solver.chains);
    }
}

void afxi_put_back(AfxSim *sim) {
    const AfxModel *model = sim->model;
    AfxiState *state = &sim->world.state;
    const double *q = state->saved_q ? state->saved_q : state->previous_q;
    const double *v = state->saved_q ? state->saved_v : state->previous_v;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        afxi_state_copy_body(model->dynamic[k], state->q, state->v, q, v);
    }
    restore_rest(sim);
    put_back_input(sim);
}

void afxi_refuse(AfxSim *sim, const AfxiProgress *progress) {
    AfxiState *state = &sim->world.state;
    if (sim->before && sim->model->chains.chain_count) {
        afxi_sim_bring_back(sim, sim->before);
    } else if (sim->before) {
        for (uint32_t k = 0; progress->kept && k < sim->model->dynamic_count; k++) {
            copy_rows(state, sim->model->dynamic[k], (char *)state->head, sim->before);
        }
        copy_rest(sim, (char *)state->head, sim->before);
        afxi_sim_replaced(sim);
    } else { /* nothing was committed; but starts and ball chains write multipliers as they go */
        afxi_stage_undo(&sim->solver);
        restore_rest(sim);
        put_back_input(sim);
    }
    if (sim->solver.collide) {
        sim->solver.set->now.count = 0;
    }
}
