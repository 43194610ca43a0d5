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

/* Whether the state before the step can still be told after it without a copy: as history. */
static bool survives(const AfxSim *sim) {
    return afxi_in_place(sim, 1) && sim->model->chains.chain_count == 0;
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

/* Where a row of a body stands in sim->before, which is laid out as the state block. */
static double *row_before(const AfxSim *sim, const double *home, uint32_t body) {
    size_t at = (size_t)((const char *)home - (const char *)sim->world.state.head);
    return (double *)((char *)sim->before + at) + (size_t)AFXI_AFFINE_WIDTH * body;
}

/* Rows of a body into sim->before. A link that was solved in place has left q and v in saved_q and saved_v. */
static void keep_body(const AfxSim *sim, uint32_t body, bool moved) {
    const AfxiState *state = &sim->world.state;
    const double *home[6] = {state->q, state->v, state->home_x2, state->home_x3, state->gap, state->last_gap};
    const double *from[6] = {moved ? state->saved_q : state->q,
                             moved ? state->saved_v : state->v,
                             state->x2,
                             state->x3,
                             state->gap,
                             state->last_gap};
    for (int k = 0; k < 6 && home[k]; k++) {
        memcpy(row_before(sim, home[k], body), from[k] + (size_t)AFXI_AFFINE_WIDTH * body,
               AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

/* Rows of a body from sim->before. */
static void bring_back_body(const AfxSim *sim, uint32_t body) {
    const AfxiState *state = &sim->world.state;
    const double *home[6] = {state->q, state->v, state->home_x2, state->home_x3, state->gap, state->last_gap};
    double *to[6] = {state->q, state->v, state->x2, state->x3, state->gap, state->last_gap};
    for (int k = 0; k < 6 && home[k]; k++) {
        memcpy(to[k] + (size_t)AFXI_AFFINE_WIDTH * body, row_before(sim, home[k], body),
               AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

/* Where what follows the rows of bodies begins in the state block. */
static size_t behind_bodies(const AfxSim *sim) {
    const AfxiState *state = &sim->world.state;
    const double *last = state->last_gap ? state->last_gap : state->home_x3;
    const double *end = last + (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count;
    return (size_t)((const char *)end - (const char *)state->head);
}

/* All but the rows of bodies that are solved for, into sim->before, and back. */
static void keep_rest(const AfxSim *sim) {
    const AfxiState *state = &sim->world.state;
    size_t behind = behind_bodies(sim);
    memcpy(sim->before, state->head, sizeof *state->head);
    memcpy((char *)sim->before + behind, (const char *)state->head + behind, state->size - behind);
    for (uint32_t k = 0; k < sim->model->kinematic_count; k++) {
        keep_body(sim, sim->model->kinematic[k].body, false);
    }
}

static void bring_back_rest(const AfxSim *sim) {
    const AfxiState *state = &sim->world.state;
    size_t behind = behind_bodies(sim);
    memcpy(state->head, sim->before, sizeof *state->head);
    memcpy((char *)state->head + behind, (const char *)sim->before + behind, state->size - behind);
    for (uint32_t k = 0; k < sim->model->kinematic_count; k++) {
        bring_back_body(sim, sim->model->kinematic[k].body);
    }
}

bool afxi_progress_keep(AfxSim *sim, AfxiProgress *progress) {
    if (!sim->before) {
        sim->before = sim->before_apart = afxi_allocate(&sim->def.allocator, sim->world.state.size);
    }
    for (uint32_t k = 0; sim->before && !progress->kept && k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        keep_body(sim, body, afxi_stage_moved(&sim->solver, body));
    }
    progress->kept = sim->before != NULL;
    return progress->kept;
}

bool afxi_progress_keep_all(AfxSim *sim, AfxiProgress *progress) {
    const AfxiState *state = &sim->world.state;
    const double *home[6] = {state->q, state->v, state->home_x2, state->home_x3, state->gap, state->last_gap};
    const double *from[6] = {state->q, state->v, state->x2, state->x3, state->gap, state->last_gap};
    if (!progress->rest) {
        return afxi_progress_keep(sim, progress);
    }
    for (int k = 0; k < 6 && home[k]; k++) {
        memcpy(row_before(sim, home[k], 0), from[k],
               (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count * sizeof(double));
    }
    progress->kept = true;
    return true;
}

/* What a step that is refused must leave as it was. The bodies change when a stage is committed, after which only a
 * step in several stages or in parts can still be refused; a start changes their history. Ball chains that are solved
 * in place keep theirs themselves. */
static void save_rest(AfxSim *sim, bool starting, AfxiProgress *progress) {
    const AfxModel *model = sim->model;
    const AfxiStateHead *head = sim->world.state.head;
    if (sim->world.state.saved_rest) {
        afxi_state_save_rest(&sim->world.state, model, model->graph_count || sim->solver.set);
        afxi_chains_begin_step(&sim->solver.chains);
        for (uint32_t k = 0; k < model->graph_count; k++) {
            sim->solver.lot[k].kept = false;
        }
    }
    if (sim->before) {
        keep_rest(sim);
        progress->rest = true;
        if (starting || head->uneven || afxi_integrator_stages((AfxIntegrator)head->integrator) > 1) {
            afxi_progress_keep(sim, progress);
        }
    }
}

void afxi_swap_contacts(AfxSim *sim) {
    if (sim->solver.set) {
        AfxiPointList now = sim->solver.set->now;
        sim->solver.set->now = sim->told;
        sim->told = now;
    }
}

void afxi_save(AfxSim *sim, bool starting, AfxiProgress *progress) {
    afxi_swap_contacts(sim);
    if (sim->solver.set) { /* those of two steps ago */
        sim->solver.set->now.count = 0;
    }
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
        for (uint32_t k = 0; k < sim->model->graph_count; k++) {
            afxi_lot_restore_multipliers(&sim->solver.lot[k], 0, sim->model->graph[k].row_count);
        }
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
    if (!progress->kept) { /* nothing was committed; but ball chains are solved in place */
        afxi_stage_undo(&sim->solver);
    }
    for (uint32_t k = 0; progress->kept && k < sim->model->dynamic_count; k++) {
        bring_back_body(sim, sim->model->dynamic[k]);
    }
    if (progress->rest) {
        bring_back_rest(sim);
        afxi_sim_replaced(sim);
    } else { /* starts write multipliers as they go */
        restore_rest(sim);
        put_back_input(sim);
    }
}
