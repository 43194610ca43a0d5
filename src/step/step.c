/* SPDX-License-Identifier: Apache-2.0 */
/* One step, as a table of contents:
 *
 *     start    a multistep method without history takes consistent accelerations
 *     stages   one for most methods:
 *       input    kinematic bodies move to the stage's end
 *       joints   jointed bodies: predict, linearise, factor, solve, update, check, as often as needed
 *       free     bodies without joints: predict, solve, update in one go
 *     check    a state that is not finite is thrown away, the one before the step put back
 *
 * A step whose joints do not settle is taken back and done again in two halves, and so on. The state before the step
 * survives it, so nothing is lost. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/task.h"
#include "step/chains.h"
#include "step/contacts.h"
#include "step/holds.h"
#include "step/rows.h"

#define SOLVES_MOST 30u
/* A step is cut into at most 2^6 parts. */
#define HALVINGS_MOST 6u
/* Steps of BDF1 when something struck: until two velocities in a row come after it. */
#define SHOCK_STEPS 3u
#define MULTIPLIER_WILD 1e100

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

static void solve_free(AfxSim *sim, const AfxiStagePlan *plan, AfxiFreeOutcome *total) {
    uint32_t solves_before = total->solves;
    total->solves = 0;
    afxi_constants_refresh(sim, plan->weights.scale);
    const double *gravity = afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0);
    AfxiFreeStage stage = {
        .mode = plan->mode,
        .weights = plan->weights,
        .damped = sim->damped,
        .rods = sim->rods,
        .predict = plan->predict,
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
    run_list(sim, &stage, sim->plain, sim->plain_count, NULL, total);
    run_list(sim, &stage, sim->forced, sim->forced_count, sim->forces, total);
    afxi_holds_free(sim, plan, &stage, total);
    total->solves += solves_before;
}

/* So often points of touch are looked for again, where others are found, and where shapes lie deep; and so often a step
 * is halved for contacts alone. */
#define STRAYS_MOST 2u
#define SINKS_MOST 8u
#define STRICT_HALVINGS 3u

/* What a step has found so far. */
typedef struct Progress {
    AfxStepReport report;
    AfxiFreeOutcome free;
    double mark;      /* clock at the end of the last stage */
    bool whole;       /* the step went through in one part */
    bool moved;       /* jointed bodies have their new state */
    bool links_kept;  /* links of ball chains that are solved in place have kept their old state */
    AfxStatus status; /* AFX_E_MEMORY: there was none for the contacts */
} Progress;

/* Books the time since the last call on a stage. */
static void book(Progress *progress, AfxStage stage) {
    double now = afxi_clock();
    progress->report.stage_seconds[stage] += now - progress->mark;
    progress->mark = now;
}

static void copy_body(uint32_t body, double *to_q, double *to_v, const double *from_q, const double *from_v) {
    size_t at = (size_t)12 * body, bytes = 12 * sizeof(double);
    memcpy(to_q + at, from_q + at, bytes);
    memcpy(to_v + at, from_v + at, bytes);
}

static void copy_state(const AfxSim *sim, double *to_q, double *to_v, const double *from_q, const double *from_v) {
    size_t bytes = (size_t)sim->model->body_count * 12 * sizeof(double);
    memcpy(to_q, from_q, bytes);
    memcpy(to_v, from_v, bytes);
}

/* Books what came of jointed bodies; false when they did not settle. */
static bool book_jointed(const AfxiJointedOutcome *from, Progress *progress) {
    AfxStepReport *report = &progress->report;
    AfxiJointedOutcome outcome = *from;
    report->solves = outcome.solves > report->solves ? outcome.solves : report->solves;
    report->flags |= outcome.regularised ? AFX_STEP_REGULARISED : 0;
    report->flags |= outcome.unconverged ? AFX_STEP_UNCONVERGED : 0;
    report->body = outcome.finite ? UINT32_MAX : outcome.failed_body;
    if (!outcome.accepted) {
        return false;
    }
    report->flags |= outcome.loose ? AFX_STEP_LOOSE : 0;
    report->flags |= outcome.light ? AFX_STEP_LIGHT : 0;
    report->residual = outcome.residual > report->residual ? outcome.residual : report->residual;
    report->rotation_error =
        outcome.rotation_error > report->rotation_error ? outcome.rotation_error : report->rotation_error;
    progress->free.solves_total += outcome.body_solves;
    return true;
}

/* The new state of ball chains goes where the old one was, and the old one becomes history, in full BDF steps. */
static bool in_place(const AfxSim *sim, double length) {
    AfxIntegrator integrator = (AfxIntegrator)sim->state->integrator;
    return length >= 1 && (integrator == AFX_BDF1 || integrator == AFX_BDF2);
}

/* Points of touch and their rows. A velocity that jumps spoils a multistep method, which would throw part of the jump
 * back: for some steps after something struck, BDF1 takes over. */
static bool find_contacts(AfxSim *sim, double begin, double length, AfxiStagePlan *plan, Progress *progress) {
    progress->status = afxi_contacts_find(sim, plan);
    if (progress->status == AFX_OK) {
        sim->state->shock = sim->contacts->impact ? SHOCK_STEPS : sim->state->shock;
        if (sim->state->shock && sim->state->integrator == AFX_BDF2) {
            *plan = afxi_integrator_plan(AFX_BDF1, 0, length * sim->state->dt, 0, false);
        }
        progress->status = afxi_contacts_begin(sim, plan);
    }
    if (progress->status == AFX_OK) {
        afxi_holds_begin(sim, plan, begin + length * plan->fraction, length >= 1);
    }
    book(progress, AFX_STAGE_CONTACT);
    return progress->status == AFX_OK;
}

/* Solves the jointed bodies' part of a stage; false when it did not settle. */
static bool solve_jointed(AfxSim *sim, AfxiStagePlan *plan, double begin, double length, Progress *progress) {
    AfxiJointedOutcome outcome;
    uint32_t solves = 0;
    for (uint32_t round = 0; sim->model->graph.body_count; round++) {
        AfxiFit allowed = round < STRAYS_MOST ? AFXI_FIT : round < SINKS_MOST ? AFXI_FIT_STRAYED : AFXI_FIT_SUNK;
        afxi_jointed_stage(sim, plan, allowed, &outcome);
        outcome.solves = solves += outcome.solves;
        if (!outcome.strayed) {
            if (!book_jointed(&outcome, progress)) {
                book(progress, AFX_STAGE_JOINTS);
                return false;
            }
            break;
        }
        progress->free.solves_total += outcome.body_solves;
        book(progress, AFX_STAGE_JOINTS);
        if (!find_contacts(sim, begin, length, plan, progress)) {
            return false;
        }
    }
    if (sim->model->chains.chain_count) {
        afxi_chains_stage(sim, plan, in_place(sim, length), &outcome);
        progress->links_kept = true;
        bool sunk = sim->contacts && outcome.accepted && afxi_contacts_fit(sim, NULL) == AFXI_FIT_SUNK &&
                    sim->contacts->strict && !sim->def.solves;
        return book_jointed(&outcome, progress) && !sunk;
    }
    return true;
}

/* A kinematic body that numbers of its motion have carried beyond all bounds, or UINT32_MAX. */
static uint32_t kinematic_lost(const AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->kinematic_count; k++) {
        uint32_t body = sim->model->kinematic[k].body;
        double sum = 0;
        for (size_t at = (size_t)12 * body; at < (size_t)12 * body + 12; at++) {
            sum += 0 * sim->q[at] + 0 * sim->v[at];
        }
        if (sum != 0) {
            return body;
        }
    }
    return UINT32_MAX;
}

/* The part [begin, begin + length] of the step, both as fractions of it. On failure the bodies may be anywhere. */
static bool advance(AfxSim *sim, double begin, double length, Progress *progress) {
    AfxIntegrator integrator = (AfxIntegrator)sim->state->integrator;
    bool starting = !sim->state->has_history || length < 1;
    if (starting && afxi_integrator_has_history(integrator)) {
        progress->report.flags |= AFX_STEP_RESTARTED;
        if (!(sim->state->shock && integrator == AFX_BDF2)) { /* BDF1 needs none */
            afxi_start(sim);
        }
        book(progress, AFX_STAGE_START);
    }
    for (uint32_t k = 0; k < afxi_integrator_stages(integrator); k++) {
        AfxiStagePlan plan = afxi_integrator_plan(integrator, sim->state->rho, length * sim->state->dt, k, starting);
        if (starting && afxi_integrator_has_history(integrator) && sim->holds && sim->holds->count) {
            plan = afxi_integrator_plan_gentle(integrator, length * sim->state->dt);
        }
        afxi_input_kinematic(sim, begin + length * plan.fraction, k == 0);
        afxi_drives_targets(sim, begin + length * plan.fraction);
        afxi_classes_refresh(sim);
        book(progress, AFX_STAGE_INPUT);
        if (sim->contacts) {
            sim->contacts->warm = false;
            afxi_contacts_deform(sim, afx_sim_time(sim) + (begin + length * plan.fraction) * sim->state->dt);
            if (!find_contacts(sim, begin, length, &plan, progress)) {
                return false;
            }
        } else {
            afxi_holds_begin(sim, &plan, begin + length * plan.fraction, length >= 1);
        }
        if (!solve_jointed(sim, &plan, begin, length, progress)) {
            return false;
        }
        progress->moved = true;
        book(progress, AFX_STAGE_JOINTS);
        solve_free(sim, &plan, &progress->free);
        book(progress, AFX_STAGE_FREE);
    }
    if (progress->free.failed_body == UINT32_MAX) {
        progress->free.failed_body = kinematic_lost(sim);
    }
    return progress->free.failed_body == UINT32_MAX;
}

/* What a solve that went beyond all bounds has left of the multipliers would make the next one do so too. */
static void drop_wild_multipliers(AfxSim *sim) {
    size_t count = sim->model->graph.row_count + 3 * (size_t)sim->model->chains.slot_count;
    for (size_t k = 0; k < count; k++) {
        sim->lambda[k] = fabs(sim->lambda[k]) < MULTIPLIER_WILD ? sim->lambda[k] : 0;
    }
}

/* The step in 2^k parts for the smallest k that goes through; false when none does. */
static bool advance_in_parts(AfxSim *sim, Progress *progress) {
    progress->report.flags |= AFX_STEP_HALVED;
    for (uint32_t depth = 1; depth <= HALVINGS_MOST; depth++) {
        uint32_t parts = 1u << depth;
        bool fine = true;
        if (sim->contacts) {
            sim->contacts->strict = depth < STRICT_HALVINGS;
        }
        copy_state(sim, sim->q, sim->v, sim->saved_q, sim->saved_v);
        drop_wild_multipliers(sim);
        afxi_drives_reset(sim);
        for (uint32_t k = 0; k < parts && fine; k++) {
            sim->state->has_history = 0;
            fine = advance(sim, (double)k / parts, 1.0 / parts, progress);
        }
        if (fine) {
            return true;
        }
    }
    return false;
}

/* Puts the bodies that a step moves back to where they were; the history no longer fits. */
static void put_back(AfxSim *sim, const double *q, const double *v) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->dynamic_count + model->kinematic_count; k++) {
        uint32_t body = k < model->dynamic_count ? model->dynamic[k] : model->kinematic[k - model->dynamic_count].body;
        copy_body(body, sim->q, sim->v, q, v);
    }
    drop_wild_multipliers(sim);
    afxi_drives_reset(sim);
    afxi_history_drop(sim);
}

/* Whether the state before the step can still be told after it: jointed bodies keep it until their new state is
 * accepted, and then it is their history, as it is that of kinematic bodies. */
static bool survives(const AfxSim *sim) {
    const AfxModel *model = sim->model;
    return in_place(sim, 1) && !sim->contacts && model->drive_count == 0 && model->chains.chain_count == 0 &&
           model->graph.body_count == model->dynamic_count;
}

static void save_late(AfxSim *sim, bool moved) {
    const AfxModel *model = sim->model;
    for (uint32_t body = 0; body < model->body_count; body++) {
        bool history = model->kind[body] == AFX_BODY_KINEMATIC || (moved && model->kind[body] == AFX_BODY_DYNAMIC);
        copy_body(body, sim->saved_q, sim->saved_v, history ? sim->previous_q : sim->q,
                  history ? sim->previous_v : sim->v);
    }
}

/* Keeps the state of links, or of all but links. */
static void save_some(AfxSim *sim, bool links) {
    const AfxModel *model = sim->model;
    for (uint32_t body = 0; body < model->body_count; body++) {
        if (afxi_model_in_chain(model, body) == links) {
            copy_body(body, sim->saved_q, sim->saved_v, sim->q, sim->v);
        }
    }
}

/* Keeps the state before the step. Links of ball chains that are solved in place keep theirs themselves, if it comes to
 * that: else it is kept when the step has failed. */
static void save(AfxSim *sim) {
    const AfxModel *model = sim->model;
    if (survives(sim)) {
        return;
    }
    if (!model->chains.chain_count || !in_place(sim, 1)) {
        copy_state(sim, sim->saved_q, sim->saved_v, sim->q, sim->v);
    } else if (model->chains.link_count < model->body_count) {
        save_some(sim, false);
    }
}

/* After a step that failed, before anything else is tried. */
static void save_rest(AfxSim *sim, const Progress *progress) {
    if (survives(sim)) {
        save_late(sim, progress->moved);
    } else if (sim->model->chains.chain_count && in_place(sim, 1) && !progress->links_kept) {
        save_some(sim, true);
    }
}

static bool run_step(AfxSim *sim, Progress *progress) {
    bool jointed = sim->model->graph.body_count > 0 || sim->model->chains.chain_count > 0;
    if (jointed) {
        save(sim);
    }
    if (sim->contacts) {
        sim->contacts->strict = true;
    }
    afxi_input_begin(sim);
    afxi_holds_start(sim);
    afxi_drives_begin(sim);
    if (advance(sim, 0, 1, progress)) {
        progress->whole = true;
        sim->state->has_history = afxi_integrator_has_history((AfxIntegrator)sim->state->integrator);
        return true;
    }
    if (jointed) {
        save_rest(sim, progress);
    }
    if (jointed && progress->status == AFX_OK && progress->free.failed_body == UINT32_MAX &&
        advance_in_parts(sim, progress)) {
        afxi_history_drop(sim);
        return true;
    }
    put_back(sim, jointed ? sim->saved_q : sim->previous_q, jointed ? sim->saved_v : sim->previous_v);
    return false;
}

static void finish(AfxSim *sim, bool fine, Progress *progress) {
    AfxStepReport *report = &progress->report;
    const AfxiFreeOutcome *free = &progress->free;
    uint32_t moving = sim->model->dynamic_count;
    report->step = sim->state->steps + 1;
    report->solves = free->solves > report->solves ? free->solves : report->solves;
    report->solves_mean = moving ? (double)free->solves_total / moving : 0;
    report->rotation_error =
        free->rotation_error > report->rotation_error ? free->rotation_error : report->rotation_error;
    report->flags |= free->capped ? AFX_STEP_CAPPED : 0;
    report->flags |= free->rescued ? AFX_STEP_ROTATION_RESCUED : 0;
    report->flags |= sim->assembled && sim->state->steps == 0 ? AFX_STEP_ASSEMBLED : 0;
    report->flags |= sim->model->any_floored ? AFX_STEP_INERTIA_FLOOR : 0;
    if (fine) {
        afxi_holds_finish(sim);
        report->flags |= sim->model->drive_count && afxi_impact(sim) ? AFX_STEP_IMPACT : 0;
        if (sim->model->joint_count && afxi_joints_break(sim)) {
            report->flags |= AFX_STEP_BROKEN;
            afxi_history_drop(sim);
        }
        afxi_angles_follow(sim);
        afxi_drives_finish(sim);
        if (progress->whole && sim->model->chains.chain_count && in_place(sim, 1)) {
            afxi_history_swap(sim);
        }
        if (sim->contacts) {
            afxi_contacts_finish(sim);
            report->flags |= afxi_contacts_bounce(sim) ? AFX_STEP_IMPACT : 0;
            bool rough = sim->contacts->review[0].given_up || sim->contacts->review[1].given_up;
            report->flags |= rough ? AFX_STEP_CONTACT_ROUGH : 0;
            report->contacts = sim->contacts->past_count;
            report->depth = sim->contacts->depth;
            sim->state->shock -= sim->state->shock > 0;
        }
        report->body = UINT32_MAX;
        sim->state->base_steps++;
        sim->state->steps++;
    } else {
        report->flags |= AFX_STEP_FAILED;
        report->body = free->failed_body != UINT32_MAX ? free->failed_body : report->body;
    }
    report->time = afx_sim_time(sim);
}

/* The step of another formulation. */
static bool step_published(AfxSim *sim, Progress *progress) {
    AfxiPublishedOutcome outcome;
    if (sim->classes_stale) {
        afxi_published_refresh(sim->published);
        afxi_classes_refresh(sim);
    }
    afxi_published_step(sim->published, sim->classes, afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0),
                        sim->state->dt, sim->q, sim->v, &outcome);
    progress->report.residual = outcome.residual;
    progress->report.flags |= outcome.redundant ? AFX_STEP_REGULARISED : 0;
    progress->free.solves = outcome.solves;
    progress->free.solves_total = (uint64_t)outcome.solves * sim->model->dynamic_count;
    progress->free.capped = outcome.capped;
    progress->free.failed_body = outcome.failed_body;
    book(progress, sim->model->joint_count ? AFX_STAGE_JOINTS : AFX_STAGE_FREE);
    return outcome.failed_body == UINT32_MAX;
}

AfxStatus afx_step(AfxSim *sim, AfxStepReport *out_report) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    Progress progress = {.report = {.body = UINT32_MAX}, .free = {.failed_body = UINT32_MAX}, .mark = afxi_clock()};
    bool fine = sim->published ? step_published(sim, &progress) : run_step(sim, &progress);
    finish(sim, fine, &progress);
    book(&progress, AFX_STAGE_CHECK);
    if (out_report) {
        *out_report = progress.report;
    }
    return fine ? AFX_OK : (progress.status != AFX_OK ? progress.status : AFX_E_NUMERIC);
}
