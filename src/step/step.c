/* SPDX-License-Identifier: Apache-2.0 */
/* One step, as a table of contents:
 *
 *     save     what the step may have to put back
 *     start    a multistep method without history takes consistent accelerations
 *     stages   one for most methods (substep.c, solve/stage.c):
 *       input    kinematic bodies and targets of drives at the stage's end
 *       collide  contact points
 *       islands  components that touch each other
 *       newton   predict, linearise, factor, solve, judge, of every island as often as needed
 *       commit   what was accepted becomes the state; then bodies that nothing holds, in one go
 *     parts    islands that did not settle are done again in smaller steps
 *     check    a state that is not finite is thrown away, the one before the step put back
 *     finish   impacts, joints that break, turns of angles, integrals of velocity drives, memory of contacts */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/released.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "constraint/hold.h"
#include "constraint/reaction.h"
#include "model/model.h"
#include "solve/activeset.h"
#include "solve/stage.h"
#include "state/input.h"
#include "state/turning.h"
#include "state/validate.h"
#include "step/book.h"
#include "step/control_input.h"
#include "step/history.h"
#include "step/joint_query.h"
#include "step/own.h"
#include "step/partner.h"
#include "step/path.h"
#include "step/rotor.h"
#include "step/settle.h"
#include "step/sim.h"
#include "step/sleep.h"
#include "step/substep.h"
#include "step/traced.h"
#include "step/weights.h"

/* ---- the step ---- */

/* Bodies that somebody else steps have no part in what the solver does. */
static bool leave_to(AfxSim *sim, const AfxiPartner *partner, AfxiProgress *progress) {
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        sim->solver.absent[body] = sim->solver.asleep[body] = partner->own[body];
        sim->solver.any_absent |= partner->own[body] != 0;
    }
    return afxi_progress_keep_all(sim, progress); /* the step may be refused when others have moved */
}

/* The part of somebody else, when all others have done theirs. */
static bool let_solve(AfxSim *sim, const AfxiPartner *partner, AfxiProgress *progress) {
    AfxiState *state = &sim->world.state;
    bool links = sim->model->chains.chain_count && afxi_in_place(sim, 1);
    afxi_input_back(&sim->world);
    progress->status = partner->solve(partner->data, progress);
    for (uint32_t k = 0; links && k < sim->model->dynamic_count; k++) { /* arrays of the history change places */
        uint32_t body = sim->model->dynamic[k];
        if (partner->own[body]) {
            afxi_state_copy_body(body, state->saved_q, state->saved_v, state->x2, state->x3);
        }
    }
    afxi_input_kinematic(&sim->world, 1, false);
    return progress->status == AFX_OK;
}

static bool run_step(AfxSim *sim, const AfxiPartner *partner, AfxiProgress *progress) {
    AfxiState *state = &sim->world.state;
    bool starting = !state->head->has_history;
    progress->status = afxi_free_reserve(&sim->solver.free);
    if (progress->status != AFX_OK) {
        return false;
    }
    sim->changed_method = false;
    sim->solver.crowd = (AfxCrowd){0};
    afxi_sleep_begin(sim);
    afxi_turning_choose(&sim->world, true, sim->solver.look);
    afxi_save(sim, starting, progress);
    if (partner && !leave_to(sim, partner, progress)) {
        progress->status = AFX_E_MEMORY;
    }
    afxi_input_begin(&sim->world);
    afxi_holds_start(&sim->world);
    afxi_drives_begin(&sim->world);
    sim->solver.given_up = sim->solver.dropped = false;
    bool fine = progress->status == AFX_OK && afxi_advance(sim, 0, 1, starting, true, progress);
    if (progress->status == AFX_OK && (progress->late || !fine)) {
        afxi_save_late(sim);
        fine = fine && afxi_substep(sim, progress);
    }
    if (partner && progress->status == AFX_OK) {
        fine = fine && let_solve(sim, partner, progress);
        progress->status = fine || progress->status != AFX_OK ? progress->status : AFX_E_NUMERIC;
    }
    if (progress->status != AFX_OK && (progress->kept || !progress->moved)) {
        afxi_refuse(sim, progress);
    } else if (!fine) {
        afxi_put_back(sim);
        afxi_state_drop_wild(&sim->world.state, sim->model);
        afxi_history_drop(sim);
    }
    if (!fine) {
        afxi_swap_contacts(sim);
    }
    if (!fine || partner) {
        memset(sim->solver.absent, 0, sim->model->body_count);
        memset(sim->solver.asleep, 0, sim->model->body_count);
        sim->solver.any_absent = false;
    }
    return fine;
}

static void finish_contacts(AfxSim *sim, AfxStepReport *report) {
    AfxiSolver *solver = &sim->solver;
    if (solver->collide) {
        sim->depth = fmax(afxi_contacts_finish(solver->set), solver->unseen);
        report->flags |= solver->given_up ? AFX_STEP_CONTACT_ROUGH : 0;
        report->flags |= solver->dropped ? AFX_STEP_CONTACT_DROPPED : 0;
        report->contacts = solver->set->past_count;
        report->depth = sim->depth;
    }
}

/* Impacts, joints that break, and what goes on from here. */
static void finish_fine(AfxSim *sim, const AfxiProgress *progress, AfxStepReport *report) {
    AfxiState *state = &sim->world.state;
    const AfxModel *model = sim->model;
    bool links = model->chains.chain_count && afxi_in_place(sim, 1);
    afxi_pace_finish(state, model->body_count, progress->whole ? NULL : sim->late);
    for (uint32_t k = 0; !progress->whole && k < model->dynamic_count; k++) {
        if (sim->late[model->dynamic[k]]) {
            afxi_pace_restart(state, model->dynamic[k]);
        }
    }
    state->head->has_history = afxi_integrator_has_history((AfxIntegrator)state->head->integrator);
    sim->changed_method = afxi_turning_choose(&sim->world, false, sim->solver.look);
    afxi_holds_finish(&sim->world);
    afxi_weights_apply(sim, state->lambda);
    if (model->joint_count && afxi_joints_break(sim)) {
        report->flags |= AFX_STEP_BROKEN;
    }
    report->joint = afxi_angles_follow(&sim->world);
    report->flags |= report->joint != UINT32_MAX ? AFX_STEP_SINGULAR_ANGLES : 0;
    afxi_drives_finish(&sim->world);
    if (links) {
        afxi_state_swap_history(state);
    }
    finish_contacts(sim, report);
    afxi_sleep_finish(sim, report);
    AFXI_VALIDATE(afxi_state_validate(state, model));
}

static void finish(AfxSim *sim, bool fine, AfxiProgress *progress) {
    AfxStepReport *report = &progress->report;
    const AfxiFreeOutcome *free = &progress->free;
    uint32_t moving = sim->model->dynamic_count;
    report->solves = free->solves > report->solves ? free->solves : report->solves;
    report->solves_mean = moving ? (double)free->solves_total / moving : 0;
    report->rotation_error = fmax(report->rotation_error, free->rotation_error);
    report->flags |= free->capped ? AFX_STEP_CAPPED : 0;
    report->flags |= free->rescued ? AFX_STEP_ROTATION_RESCUED : 0;
    report->body =
        afxi_rotor_body(sim->model, free->failed_body != UINT32_MAX ? free->failed_body : progress->lost_body);
    if (fine) {
        finish_fine(sim, progress, report);
    }
}

AfxStatus afxi_step_with(AfxSim *sim, const AfxiPartner *partner, AfxStepReport *report) {
    AfxiProgress progress = {.report = *report,
                             .free = {.failed_body = UINT32_MAX},
                             .lost_body = UINT32_MAX,
                             .whole = true,
                             .mark = afxi_clock()};
    bool fine = run_step(sim, partner, &progress);
    finish(sim, fine, &progress);
    afxi_progress_book(&progress, AFX_STAGE_CHECK);
    *report = progress.report;
    return fine ? AFX_OK : (progress.status != AFX_OK ? progress.status : AFX_E_NUMERIC);
}

/* ---- the default formulation ---- */

static AfxStatus step_affine(void *work, AfxStepReport *report) {
    return afxi_step_with(work, NULL, report);
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    (void)world;
    *out_work = owner; /* what it works with is the sim's solver */
    return AFX_OK;
}

static void destroy(void *work) {
    (void)work;
}

static void refresh(void *work) {
    AfxSim *sim = work;
    afxi_solver_forget(&sim->solver);
}

static void affine_reaction(const void *work, uint32_t joint, AfxWrench *out_reaction) {
    const AfxSim *sim = work;
    afxi_joint_reaction(&sim->world, afxi_shown_multipliers(sim), joint, out_reaction);
}

const AfxiFormulationKind afxi_formulation_affine = {
    .name = "affix",
    .can = AFXI_FORMULATION_HOLDS | AFXI_FORMULATION_WRENCHES | AFXI_FORMULATION_SWITCHES | AFXI_FORMULATION_VERIFIED,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .step = step_affine,
    .reaction = affine_reaction,
};
