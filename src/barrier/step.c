/* SPDX-License-Identifier: Apache-2.0 */
/* A step with barrier contact: the whole of it at once, and in 2, 4, ... 16 parts where that does not converge. BDF2
 * goes by BDF1 where something touches and two steps after: velocities that jump have no history. Nothing becomes the
 * state before all of it is done. */
#include "barrier/step.h"

#include <math.h>
#include <string.h>

#include "barrier/body.h"
#include "barrier/bounce.h"
#include "barrier/friction.h"
#include "barrier/hold.h"
#include "barrier/intersect.h"
#include "barrier/make.h"
#include "barrier/newton.h"
#include "barrier/refuse.h"
#include "base/clock.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "constraint/hold.h"
#include "state/history.h"
#include "state/input.h"
#include "state/pace.h"

static size_t all_bytes(const AfxiBarrier *work) {
    return (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double);
}

static void set_plans(AfxiBarrier *work, uint32_t part, uint32_t parts) {
    const AfxiStateHead *head = work->world->state.head;
    AfxIntegrator integrator = parts > 1 ? AFX_BDF1 : (AfxIntegrator)head->integrator;
    AfxiStagePlan *even = &work->plan[0], *reduced = &work->plan[1];
    *even = afxi_integrator_plan(integrator, head->rho, head->dt / parts, 0, false);
    *reduced = afxi_integrator_plan(AFX_BDF1, head->rho, head->dt / parts, 0, false);
    even->has_gaps = reduced->has_gaps = false; /* not fitted to bodies that turn */
    reduced->mode = even->mode;                 /* both leave the history that the method goes on with */
    work->end = (double)(part + 1) / parts;
    work->whole = parts == 1;
}

/* ---- which bodies go by BDF1 ---- */

/* What one body of a component does, all do. */
static void spread_reduced(AfxiBarrier *work) {
    const AfxModel *model = work->model;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < work->body_count; k++) {
            uint32_t root = work->slot[model->root[work->bodies[k].body]];
            if (pass == 0) {
                work->reduced[root] |= work->reduced[k];
            } else {
                work->reduced[k] = work->reduced[root];
            }
        }
    }
}

static void begin_reduced(AfxiBarrier *work) {
    const AfxiState *state = &work->world->state;
    for (uint32_t k = 0; k < work->body_count; k++) {
        uint8_t pace = state->head->uneven ? state->pace[work->bodies[k].body] : 0;
        work->reduced[k] = !state->head->has_history || pace != 0;
    }
    spread_reduced(work);
}

/* Bodies that contacts push; how many of them were not to go by BDF1 comes back. */
static uint32_t mark_touched(AfxiBarrier *work) {
    uint32_t more = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->bodies[k].touched = false;
    }
    for (uint32_t k = 0; k < work->contact_count; k++) {
        for (int side = 0; side < 2; side++) {
            uint32_t slot = work->slot[work->contacts[k].body[side]];
            if (slot != UINT32_MAX && work->contacts[k].force > 0) {
                work->bodies[slot].touched = true;
                more += !work->reduced[slot];
                work->reduced[slot] = 1;
            }
        }
    }
    spread_reduced(work);
    return more;
}

/* ---- one part of a step ---- */

static void begin_bodies(AfxiBarrier *work) {
    const AfxiState *state = &work->world->state;
    for (uint32_t k = 0; k < work->body_count; k++) {
        AfxiBarrierBody *body = &work->bodies[k];
        double kept = work->remembered[body->body];
        body->plan = &work->plan[work->reduced[k]];
        body->stiffness = kept >= 0 && kept < AFXI_BARRIER_STIFFEST ? 1 + kept : 1;
        afxi_stage_past_with(state, body->plan, body->body, NULL, body->qhat, body->qv);
        afxi_barrier_body_begin(work, body);
    }
    afxi_barrier_holds_begin(work, work->whole);
    for (uint32_t r = 0; r < work->row_count; r++) {
        AfxiBarrierRow *row = &work->rows[r];
        double before = row->lambda == UINT32_MAX ? 0 : row->sign * state->lambda[row->lambda];
        row->multiplier = isfinite(before) ? before : 0;
    }
}

/* Solves from where the state is to a fraction of the step. */
static AfxStatus run_part(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    AfxiWorld *world = work->world;
    AfxiState *state = &world->state;
    memcpy(work->place[AFXI_BEGIN], state->q, all_bytes(work));
    afxi_input_kinematic(world, work->end, false);
    memcpy(work->kinematic, state->q, all_bytes(work));
    afxi_drives_targets(world, work->end);
    afxi_input_forces_at(world, work->end);
    AfxStatus status;
    do {
        begin_bodies(work);
        work->kinematic_now =
            work->model->kinematic_count == 0 || memcmp(work->kinematic, work->place[AFXI_BEGIN], all_bytes(work)) == 0;
        status = afxi_barrier_solve(work, out);
    } while (status == AFX_OK && mark_touched(work) > 0);
    for (uint32_t k = 0; status == AFX_OK && k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        const double *q = barrier_place(work, AFXI_NOW, body->body);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            if (!isfinite(q[e])) {
                out->body = body->body;
                return AFX_E_NUMERIC;
            }
        }
    }
    return status;
}

/* The stiffness that the barriers of a body go on with. */
static void adapt_stiffness(AfxiBarrier *work) {
    double *least = work->time; /* [slots], free between solves */
    for (uint32_t k = 0; k < work->body_count; k++) {
        least[k] = INFINITY;
    }
    for (uint32_t k = 0; k < work->contact_count; k++) {
        for (int side = 0; side < 2; side++) {
            uint32_t slot = work->slot[work->contacts[k].body[side]];
            if (slot != UINT32_MAX) {
                least[slot] = fmin(least[slot], work->contacts[k].gap);
            }
        }
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        double stiffness = work->bodies[k].stiffness;
        if (least[k] < AFXI_BARRIER_NEAR * work->gap) {
            stiffness *= 2;
        } else if (least[k] > AFXI_BARRIER_FAR * work->gap) {
            stiffness *= AFXI_BARRIER_BACK;
        }
        work->remembered[work->bodies[k].body] = fmin(AFXI_BARRIER_STIFFEST / 2, fmax(1, stiffness)) - 1;
    }
}

static AfxStatus commit_part(AfxiBarrier *work) {
    AfxiWorld *world = work->world;
    double *before = work->place[AFXI_TRIED]; /* velocities, while they become others */
    memcpy(before, world->state.v, all_bytes(work));
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        afxi_commit_body(world, body->plan, body->body, barrier_place(work, AFXI_NOW, body->body), body->qhat,
                         body->qv);
        if (work->reduced[k] && body->touched) {
            afxi_pace_reduce(&world->state, body->body, AFXI_BARRIER_REDUCED + 1);
        }
    }
    for (uint32_t r = 0; r < work->row_count; r++) {
        const AfxiBarrierRow *row = &work->rows[r];
        if (row->lambda != UINT32_MAX) {
            world->state.lambda[row->lambda] = row->sign * row->multiplier;
        }
    }
    adapt_stiffness(work);
    afxi_barrier_remember(work);
    return afxi_barrier_bounce(work, before);
}

/* ---- the step ---- */

static void save(AfxiBarrier *work) {
    const AfxiState *state = &work->world->state;
    const double *from[4] = {state->q, state->v, state->x2, state->x3};
    for (int k = 0; k < 4; k++) {
        memcpy(work->saved[k], from[k], all_bytes(work));
    }
    memcpy(work->saved_pace, state->pace, work->model->body_count);
    memcpy(work->saved_own, state->own, afxi_barrier_state_size(work->model));
    work->saved_uneven = state->head->uneven;
    for (uint32_t r = 0; r < work->row_count; r++) {
        uint32_t lambda = work->rows[r].lambda;
        work->saved_lambda[r] = lambda == UINT32_MAX ? 0 : state->lambda[lambda];
    }
}

static void put_back(AfxiBarrier *work) {
    AfxiState *state = &work->world->state;
    double *to[4] = {state->q, state->v, state->x2, state->x3};
    for (int k = 0; k < 4; k++) {
        memcpy(to[k], work->saved[k], all_bytes(work));
    }
    memcpy(state->pace, work->saved_pace, work->model->body_count);
    memcpy(state->own, work->saved_own, afxi_barrier_state_size(work->model));
    state->head->uneven = work->saved_uneven;
    for (uint32_t r = 0; r < work->row_count; r++) {
        if (work->rows[r].lambda != UINT32_MAX) {
            state->lambda[work->rows[r].lambda] = work->saved_lambda[r];
        }
    }
    afxi_drives_reset(work->world);
}

static AfxStatus run(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    AfxStatus status = AFX_E_NUMERIC;
    for (uint32_t parts = 1; status == AFX_E_NUMERIC && parts <= AFXI_BARRIER_PARTS_MOST; parts *= 2) {
        if (parts > 1) {
            put_back(work);
            out->substepped = true;
            out->blocked = false;
            out->joint = UINT32_MAX;
            afxi_trace_cut(work->world->trace, parts);
        }
        begin_reduced(work);
        status = AFX_OK;
        for (uint32_t part = 0; status == AFX_OK && part < parts; part++) {
            set_plans(work, part, parts);
            afxi_trace_part(work->world->trace, part, parts);
            status = run_part(work, out);
            if (status == AFX_OK) {
                status = commit_part(work);
            }
        }
        if (out->intersects) {
            break; /* smaller steps do not help */
        }
    }
    return status;
}

static void finish(AfxiBarrier *work, const AfxiBarrierOutcome *out, AfxStepReport *report) {
    AfxiState *state = &work->world->state;
    afxi_pace_finish(state, work->model->body_count, NULL);
    for (uint32_t k = 0; out->substepped && k < work->body_count; k++) {
        afxi_pace_restart(state, work->bodies[k].body);
    }
    state->head->has_history = afxi_integrator_has_history((AfxIntegrator)state->head->integrator);
    report->joint = afxi_angles_follow(work->world);
    report->flags |= report->joint != UINT32_MAX ? AFX_STEP_SINGULAR_ANGLES : 0;
    afxi_drives_finish(work->world);
    afxi_holds_finish(work->world);
    for (uint32_t k = 0; k < work->contact_count; k++) {
        report->contacts += work->contacts[k].force > 0;
    }
}

static void book(const AfxiBarrier *work, const AfxiBarrierOutcome *out, double seconds, AfxStepReport *report) {
    report->iterations = out->iterations;
    report->iterations_mean = work->body_count ? out->iterations : 0;
    report->violation = out->violation;
    report->gap_least = out->gap;
    report->ccd_cuts = out->cuts;
    report->lags = out->lags;
    report->flags |= out->substepped ? AFX_STEP_SUBSTEPPED : 0;
    report->flags |= out->blocked ? AFX_STEP_BLOCKED : 0;
    report->flags |= out->intersects ? AFX_STEP_INTERSECTS : 0;
    report->body = out->body;
    report->joint = out->blocked ? out->joint : report->joint;
    report->stage_seconds[AFX_STAGE_JOINTS] += seconds;
}

/* What was set on the sim may ask for more than the model did. */
static bool is_refused(const AfxiBarrier *work) {
    const AfxiWorld *world = work->world;
    bool refused = world->params != work->model->params &&
                   afxi_barrier_refuse(work->model, world->params, world->def.integrator, NULL) != AFX_OK;
    for (uint32_t k = 0; k < work->body_count; k++) {
        bool rigid = isinf(afxi_world_class(world, work->bodies[k].body)->young);
        refused = refused || rigid != (work->bodies[k].width == 6);
    }
    return refused;
}

/* A state that somebody else made must not intersect. */
static AfxStatus check_state(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    AfxOverlap first;
    uint32_t count = 0;
    if (work->checked) {
        return AFX_OK;
    }
    AfxStatus status = afxi_barrier_intersections(work, &first, 1, &count);
    if (status == AFX_OK && count > 0) {
        out->intersects = true;
        out->body = first.body_a;
        return AFX_E_NUMERIC;
    }
    work->checked = status == AFX_OK;
    return status;
}

AfxStatus afxi_barrier_step(AfxiBarrier *work, AfxStepReport *report) {
    AfxiWorld *world = work->world;
    AfxiBarrierOutcome out = {.body = UINT32_MAX, .joint = UINT32_MAX, .gap = INFINITY};
    double mark = afxi_clock();
    afxi_barrier_state(work);
    if (is_refused(work)) {
        return AFX_E_INPUT;
    }
    bool restarts =
        afxi_integrator_has_history((AfxIntegrator)world->state.head->integrator) && !world->state.head->has_history;
    report->flags |= restarts ? AFX_STEP_RESTARTED : 0;
    afxi_input_begin(world);
    afxi_drives_begin(world);
    afxi_holds_start(world);
    save(work);
    AfxStatus status = check_state(work, &out);
    status = status ? status : run(work, &out);
    if (status == AFX_OK) {
        finish(work, &out, report);
    } else {
        put_back(work);
        afxi_input_back(world);
    }
    book(work, &out, afxi_clock() - mark, report);
    return status;
}
