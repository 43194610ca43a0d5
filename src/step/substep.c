/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of a step, and islands whose step is cut into smaller ones. An island that does not settle, or in which shapes
 * come to lie too deep, is taken back and done again in two halves, and so on; all others go on as if it were not
 * there, unless it touches one of them: that one then goes its way too. */
#include "step/substep.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "constraint/hold.h"
#include "joint/axis.h"
#include "solve/impact.h"
#include "solve/stage.h"
#include "solve/start.h"
#include "state/input.h"
#include "state/turning.h"
#include "step/book.h"
#include "step/sleep.h"
#include "step/traced.h"
#include "step/tuning.h"
#include "step/verify.h"

/* Of a body that is late: it was not done in parts yet, and it was. */
enum { WAITS = 1, WAITED = 2 };

/* ---- one part ---- */

/* Where all bodies go on alike, and nothing can strike or hold one, the first plan is the only one. */
static void make_family(AfxIntegrator integrator, const AfxSim *sim, double dt, uint32_t stage, bool starting,
                        AfxiPlanFamily *out) {
    const AfxiStateHead *head = sim->world.state.head;
    out->even = afxi_integrator_plan(integrator, head->rho, dt, stage, starting);
    if (starting || head->uneven || sim->solver.set) {
        out->restarted = starting ? out->even : afxi_integrator_plan(integrator, head->rho, dt, stage, true);
        out->reduced_order = afxi_integrator_plan_reduced(integrator, dt, stage);
        out->gentle = afxi_integrator_has_history(integrator) ? out->reduced_order : out->restarted;
    }
}

static void make_plans(const AfxSim *sim, double length, uint32_t stage, bool starting, AfxiPlans *out) {
    const AfxiStateHead *head = sim->world.state.head;
    double dt = length * head->dt;
    out->step = dt;
    out->restarting = starting;
    make_family((AfxIntegrator)head->integrator, sim, dt, stage, starting, &out->own);
    if (head->integrator == AFX_ALPHA && head->uneven) {
        make_family(AFX_BDF2, sim, dt, stage, starting, &out->turning);
    }
}

/* Consistent accelerations of bodies that have no history; BDF1 after an impact needs none. */
static void start(AfxSim *sim, double length, bool starting, AfxiProgress *progress) {
    AfxiState *state = &sim->world.state;
    AfxIntegrator integrator = (AfxIntegrator)state->head->integrator;
    uint8_t *wanted = sim->solver.look;
    bool any = false, restarting = false;
    if (!afxi_integrator_has_history(integrator) || (!starting && !state->head->uneven)) {
        return;
    }
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        uint8_t pace = state->head->uneven ? state->pace[body] : 0;
        bool restarts = (starting || pace & AFXI_PACE_RESTART) && !sim->solver.absent[body];
        restarting |= restarts;
        wanted[body] = restarts && !(pace & AFXI_PACE_REDUCED_ORDER);
        any |= wanted[body];
    }
    progress->report.flags |= restarting ? AFX_STEP_RESTARTED : 0;
    afxi_trace_restart(restarting ? sim->world.trace : NULL);
    if (any) {
        afxi_start(&sim->solver, wanted, length * state->head->dt);
        if (sim->watch) {
            sim->watch->start(sim->watch->context, wanted, length * state->head->dt);
        }
    }
    memset(wanted, 0, sim->model->body_count);
    afxi_progress_book(progress, AFX_STAGE_START);
}

static void book_outcome(const AfxiStageOutcome *outcome, AfxiProgress *progress) {
    AfxStepReport *report = &progress->report;
    report->solves = outcome->solves > report->solves ? outcome->solves : report->solves;
    report->flags |= outcome->regularised ? AFX_STEP_REGULARISED : 0;
    report->flags |= outcome->unconverged ? AFX_STEP_UNCONVERGED : 0;
    report->flags |= outcome->loose ? AFX_STEP_LOOSE : 0;
    report->flags |= outcome->energy_accepted ? AFX_STEP_LIGHT : 0;
    report->flags |= outcome->capped ? AFX_STEP_CAPPED : 0;
    report->residual = fmax(report->residual, outcome->residual);
    report->rotation_error = fmax(report->rotation_error, outcome->rotation_error);
    progress->free.solves_total += outcome->body_solves;
    progress->late |= !outcome->whole;
    progress->lost_body = outcome->finite ? progress->lost_body : outcome->failed_body;
}

/* A kinematic body that numbers of its motion have carried beyond all bounds, or UINT32_MAX. */
static uint32_t kinematic_lost(const AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->kinematic_count; k++) {
        uint32_t body = sim->model->kinematic[k].body;
        double sum = 0;
        for (size_t at = (size_t)AFXI_AFFINE_WIDTH * body; at < (size_t)AFXI_AFFINE_WIDTH * body + AFXI_AFFINE_WIDTH;
             at++) {
            sum += 0 * sim->world.state.q[at] + 0 * sim->world.state.v[at];
        }
        if (sum != 0) {
            return body;
        }
    }
    return UINT32_MAX;
}

/* One stage; false: memory, growth, or a body was lost. */
static bool run_stage(AfxSim *sim, AfxiStageDef *def, AfxiProgress *progress, bool *out_grown) {
    AfxiSolver *solver = &sim->solver;
    AfxiStageOutcome outcome = {.whole = true, .finite = true};
    if (sim->model->graph_count || sim->model->chains.chain_count || solver->set) {
        progress->status = afxi_stage_solve(solver, def, &outcome);
    }
    *out_grown = outcome.grown;
    if (progress->status != AFX_OK || outcome.grown) {
        progress->lost_body = progress->status == AFX_E_LIMIT ? outcome.failed_body : progress->lost_body;
        return false;
    }
    book_outcome(&outcome, progress);
    if (progress->late &&
        !afxi_progress_keep(sim, progress)) { /* what follows may be refused after bodies have moved */
        progress->status = AFX_E_MEMORY;
        return false;
    }
    afxi_progress_book(progress, AFX_STAGE_JOINTS);
    afxi_stage_commit(solver, def->in_place);
    progress->moved = true;
    if (solver->world->plain_count || solver->world->forced_count) {
        uint32_t before = progress->free.solves;
        afxi_free_stage(&solver->free, &def->plans, solver->island_count ? solver->taken : NULL,
                        solver->any_absent ? solver->absent : NULL, &progress->free);
        afxi_traced_free(sim, &progress->free, before);
        afxi_progress_book(progress, AFX_STAGE_FREE);
    }
    progress->report.flags |= afxi_turning_keep(solver->world, solver->absent) ? AFX_STEP_TURNS_FAST : 0;
    return true;
}

/* What touches a body that did not settle in an earlier stage waits with it. */
static void leave_grown(AfxSim *sim, AfxiProgress *progress) {
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        sim->solver.absent[body] |= sim->solver.grown[sim->model->root[body]];
    }
    memset(sim->solver.grown, 0, sim->model->body_count);
    progress->late = true;
}

/* Between two stages: what goes by BDF1 waits where the step began; the last stage does all of its step. */
static void wait_for_last(AfxSim *sim) {
    AfxiState *state = &sim->world.state;
    for (uint32_t k = 0; state->head->uneven && k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        if (state->pace[body] & AFXI_PACE_REDUCED_ORDER && !sim->solver.absent[body]) {
            afxi_state_copy_body(body, state->q, state->v, state->x2, state->x3);
        }
    }
}

static void bounce(AfxSim *sim, double length, AfxiProgress *progress) {
    double kinetic = afxi_book_kinetic(sim);
    if (afxi_impacts(&sim->solver, length * sim->world.state.head->dt)) {
        progress->report.flags |= AFX_STEP_IMPACT;
        afxi_book_jump(sim, kinetic);
    }
}

/* Who keeps books of steps hears that one begins, or a part of one. */
static void tell_begin(AfxSim *sim, double begin, double length) {
    if (sim->watch && begin == 0) {
        sim->watch->advance(sim->watch->context, length >= 1);
    }
    if (sim->book) {
        afxi_book_begin(sim, begin);
    }
}

static bool advance(AfxSim *sim, double begin, double length, bool starting, bool strict, AfxiProgress *progress,
                    bool *out_grown) {
    AfxIntegrator integrator = (AfxIntegrator)sim->world.state.head->integrator;
    *out_grown = false;
    tell_begin(sim, begin, length);
    start(sim, length, starting, progress);
    memcpy(sim->world.branch_part, sim->world.state.drive_branch, sim->model->drive_count);
    for (uint32_t k = 0, stages = afxi_integrator_stages(integrator); k < stages; k++) {
        AfxiStageDef def;
        make_plans(sim, length, k, starting, &def.plans);
        def.whole = length >= 1;
        def.wakes = def.whole && k == 0;
        def.strict = strict && !sim->def.solves;
        def.watched = length * (1u << AFXI_HALVINGS_MOST) > 1 && !sim->def.solves;
        def.in_place = afxi_in_place(sim, length);
        afxi_trace_stage(sim->world.trace, k);
        def.fraction = begin + length * def.plans.own.even.fraction;
        afxi_input_kinematic(&sim->world, def.fraction, k == 0);
        afxi_drives_targets(&sim->world, def.fraction);
        afxi_input_forces_at(&sim->world, def.fraction);
        if (sim->model->kinematic_count || sim->model->drive_count) { /* reading the clock takes time, too */
            afxi_progress_book(progress, AFX_STAGE_INPUT);
        }
        if (sim->solver.collide) {
            double time = afxi_state_time(&sim->world.state) + def.fraction * sim->world.state.head->dt;
            afxi_collide_deform(sim->solver.collide, time);
        }
        if (sim->verify) {
            afxi_verify_begin(sim, &def, begin == 0 && k == 0);
        }
        while (!run_stage(sim, &def, progress, out_grown)) {
            if (!*out_grown || length < 1) {
                return false;
            }
            leave_grown(sim, progress);
        }
        if (sim->verify && progress->free.failed_body == UINT32_MAX) {
            afxi_verify_end(sim, &def);
        }
        if (sim->book && progress->free.failed_body == UINT32_MAX) {
            k + 1 < stages ? afxi_book_stage(sim, length, 1 - def.plans.own.even.fraction)
                           : afxi_book_end(sim, length, &def.plans);
        }
        if (k + 1 < stages) {
            wait_for_last(sim);
        }
    }
    bounce(sim, length, progress);
    if (progress->free.failed_body == UINT32_MAX) {
        progress->free.failed_body = kinematic_lost(sim);
    }
    return progress->free.failed_body == UINT32_MAX;
}

bool afxi_advance(AfxSim *sim, double begin, double length, bool starting, bool strict, AfxiProgress *progress) {
    bool grown;
    return advance(sim, begin, length, starting, strict, progress, &grown);
}

/* ---- islands in parts ---- */

/* Multipliers and flags of components that are late. */
static void take_back_rows(AfxSim *sim) {
    const AfxModel *model = sim->model;
    const AfxiChains *chains = &model->chains;
    AfxiState *state = &sim->world.state;
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const AfxiGraph *graph = &model->graph[g];
        for (uint32_t p = 0; p < graph->part_count; p++) {
            const AfxiGraphPart *part = &graph->part[p];
            if (sim->late[graph->body[part->first_body]]) {
                afxi_lot_restore_multipliers(&sim->solver.lot[g], part->first_row, part[1].first_row);
                afxi_state_restore_part(state, state->regularise + g, 1);
            }
        }
    }
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        if (sim->late[chains->link[chain->first_link].body]) {
            afxi_chain_restore(&sim->solver.chains, c);
        }
    }
}

/* Turns of joints are counted from part to part: more than half of one in a step is known only so. */
static void take_back_angles(AfxSim *sim) {
    const AfxModel *model = sim->model;
    AfxiState *state = &sim->world.state;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        bool late = (joint->follower != AFXI_WORLD && sim->late[joint->follower]) ||
                    (joint->base != AFXI_WORLD && sim->late[joint->base]);
        if (late && joint->counted) {
            const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
            afxi_state_restore_part(state, state->angle + joint->angle, afxi_axis_places(kind) * sizeof *state->angle);
        }
    }
}

/* What is late, bodies, rows and drives, as it was at the beginning of the step, and all that leads it. */
static void take_back(AfxSim *sim) {
    AfxiState *state = &sim->world.state;
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        if (sim->late[body]) {
            afxi_state_copy_body(body, state->q, state->v, state->saved_q, state->saved_v);
            if (state->saved_bodies) {
                afxi_state_restore_part(state, state->curved + body, 1);
            }
            afxi_state_restore_pace(state, body);
        }
    }
    take_back_rows(sim);
    take_back_angles(sim);
    afxi_input_back(&sim->world);
    if (sim->solver.collide) {
        afxi_contacts_bring_back_past(sim->solver.set);
    }
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiJoint *joint = &sim->model->joints[sim->model->drives[k].joint];
        uint32_t ends[2] = {joint->follower, joint->base};
        for (int side = 0; side < 2; side++) {
            if (ends[side] != AFXI_WORLD && sim->late[ends[side]]) {
                state->drive_branch[k] = sim->world.branch_begin[k];
                sim->world.drive_changes[k] = 0;
            }
        }
    }
    afxi_state_drop_wild(&sim->world.state, sim->model);
}

/* Only what is late has a part in what follows. */
static void leave_out_others(AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        sim->solver.absent[body] = !sim->late[body];
    }
    sim->solver.any_absent = true;
}

/* What the last stage of the whole step held together: its islands are known until the first part begins. */
static void note_groups(AfxSim *sim) {
    const AfxiSolver *solver = &sim->solver;
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        bool taken = solver->taken && solver->taken[body] != UINT32_MAX;
        sim->group[body] = taken ? solver->island[solver->taken[body]]->root[0] : sim->model->root[body];
    }
}

/* Components that late ones touch become late, with all that the whole step held together with them: one after the
 * other they would come along anyway, and every time all parts would begin anew. False: all of them were late. A part
 * whose first stage left some behind touches these in its second. */
static bool grow(AfxSim *sim) {
    uint8_t *grown = sim->solver.grown;
    bool more = false;
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        grown[sim->group[body]] |= grown[sim->model->root[body]];
    }
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        more |= grown[sim->group[body]] && !sim->late[body];
        sim->late[body] |= grown[sim->group[body]];
    }
    afxi_sleep_wake_late(sim);
    memset(sim->solver.grown, 0, sim->model->body_count);
    return more;
}

/* All parts of one depth; *out_grown: others must come along. */
static bool run_parts(AfxSim *sim, uint32_t depth, AfxiProgress *progress, bool *out_grown) {
    uint32_t parts = 1u << depth;
    take_back(sim);
    leave_out_others(sim);
    for (uint32_t k = 0; k < parts; k++) {
        progress->late = false;
        afxi_trace_part(sim->world.trace, k, parts);
        bool fine =
            advance(sim, (double)k / parts, 1.0 / parts, true, depth < AFXI_STRICT_HALVINGS, progress, out_grown);
        if (!fine || progress->late) {
            return false;
        }
        if (k + 1 < parts) {
            afxi_angles_follow(&sim->world);
        }
        if (sim->solver.collide && k + 1 < parts) {
            afxi_contacts_finish(sim->solver.set);
        }
    }
    return true;
}

/* A body of what did not settle in any number of parts: the report names it where no solve lost one. */
static uint32_t first_late(const AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        if (sim->late[sim->model->dynamic[k]]) {
            return sim->model->dynamic[k];
        }
    }
    return UINT32_MAX;
}

/* Why nothing settled, as far as it shows where the last parts had come: drives on angles that are lost, or bodies that
 * turn too far in a step for any motion between its ends to be told. */
static void tell_cause(const AfxSim *sim, AfxiProgress *progress) {
    const AfxiState *state = &sim->world.state;
    double most = AFXI_TURNS_FAR / state->head->dt;
    progress->report.joint = afxi_angles_lost(&sim->world);
    progress->report.flags |= progress->report.joint != UINT32_MAX ? AFX_STEP_SINGULAR_ANGLES : 0;
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        const double *rate = state->v + (size_t)AFXI_AFFINE_WIDTH * body;
        double square = 0;
        for (int e = 0; e < 9; e++) {
            square += 0.5 * rate[e] * rate[e]; /* |A'|² = 2 omega² */
        }
        if (sim->late[body] && sqrt(square) > most) {
            most = sqrt(square);
            progress->lost_body = body;
            progress->report.flags |= AFX_STEP_TURNS_FAR;
        }
    }
}

/* What is late now in 2, 4, ... 64 parts, with all that it comes to touch. It ends: every try has smaller parts than
 * the one before, or more bodies. */
static bool run_depths(AfxSim *sim, AfxiProgress *progress) {
    bool fine = false, grown;
    for (uint32_t depth = 1; depth <= AFXI_HALVINGS_MOST && !fine;) {
        afxi_trace_cut(sim->world.trace, 1u << depth);
        fine = run_parts(sim, depth, progress, &grown);
        if (progress->status != AFX_OK || progress->free.failed_body != UINT32_MAX) {
            break;
        }
        depth += !(grown && grow(sim));
    }
    if (!fine && progress->lost_body == UINT32_MAX) {
        progress->lost_body = first_late(sim);
    }
    if (!fine && progress->status == AFX_OK) {
        tell_cause(sim, progress);
    }
    return fine;
}

/* Each island for itself: how small its steps must be is no matter of others that happen to be late too. */
static bool run_late(AfxSim *sim, AfxiProgress *progress) {
    const AfxModel *model = sim->model;
    bool fine = true;
    for (uint32_t k = 0; k < model->dynamic_count && fine; k++) {
        uint32_t group = sim->group[model->dynamic[k]];
        if (sim->waits[model->dynamic[k]] != WAITS) {
            continue;
        }
        for (uint32_t m = 0; m < model->dynamic_count; m++) {
            sim->late[model->dynamic[m]] = sim->group[model->dynamic[m]] == group;
        }
        fine = run_depths(sim, progress);
        afxi_book_commit(sim);
        for (uint32_t m = 0; m < model->dynamic_count; m++) {
            uint8_t *waits = &sim->waits[model->dynamic[m]];
            *waits = sim->late[model->dynamic[m]] ? WAITED : *waits;
        }
    }
    return fine;
}

bool afxi_substep(AfxSim *sim, AfxiProgress *progress) {
    AfxiSolver *solver = &sim->solver;
    const AfxModel *model = sim->model;
    progress->report.flags |= AFX_STEP_HALVED;
    progress->whole = false;
    afxi_book_commit(sim); /* of what has settled */
    for (uint32_t k = 0; k < model->body_count; k++) {
        sim->waits[k] = solver->absent[k] && !solver->asleep[k] ? WAITS : 0;
    }
    note_groups(sim);
    afxi_state_keep_part(&sim->world.state, sim->world.state.angle, model->angle_count * sizeof(double));
    afxi_sleep_groups(sim);
    progress->status = solver->collide ? afxi_contacts_keep_past(solver->set) : AFX_OK;
    bool kept = progress->status == AFX_OK, fine = kept && run_late(sim, progress);
    for (uint32_t k = 0; k < model->body_count; k++) {
        sim->late[k] = sim->waits[k] != 0;
    }
    if (!fine) {
        afxi_state_restore_part(&sim->world.state, sim->world.state.angle, model->angle_count * sizeof(double));
    }
    if (!fine && kept && solver->collide) {
        afxi_contacts_bring_back_past(solver->set);
    }
    memset(solver->absent, 0, model->body_count);
    solver->any_absent = false;
    progress->late = !fine;
    afxi_input_kinematic(&sim->world, 1, false);
    return fine;
}
