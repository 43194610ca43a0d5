/* SPDX-License-Identifier: Apache-2.0 */
/* The step of all that is near something: the whole of it at once, and in 2, 4, ... 16 parts where that does not
 * converge. BDF2 goes by BDF1 where something touches and two steps after: velocities that jump have no history. */
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
#include "barrier/reach.h"
#include "barrier/refuse.h"
#include "constraint/drive.h"
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
    work->forgotten = false;
}

static AfxStatus commit_part(AfxiBarrier *work) {
    AfxiWorld *world = work->world;
    double *before = work->place[AFXI_TRIED]; /* velocities, while they become others */
    memcpy(before, world->state.v, all_bytes(work));
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        afxi_commit_body(world, body->plan, body->body, barrier_place(work, AFXI_NOW, body->body), body->qhat,
                         body->qv);
        if (world->state.gap) { /* what the usual engines fit to turning does not go on from here */
            size_t at = (size_t)AFXI_AFFINE_WIDTH * body->body;
            memset(world->state.gap + at, 0, AFXI_AFFINE_WIDTH * sizeof(double));
            memset(world->state.last_gap + at, 0, AFXI_AFFINE_WIDTH * sizeof(double));
        }
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
    return work->published ? AFX_OK : afxi_barrier_bounce(work, before);
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
    for (uint32_t r = 0; r < work->row_count; r++) {
        if (work->rows[r].source == AFXI_SOURCE_DRIVE) {
            state->drive_branch[work->rows[r].index] = work->world->branch_begin[work->rows[r].index];
            work->world->drive_changes[work->rows[r].index] = 0;
        }
    }
}

static AfxStatus run(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    AfxStatus status = AFX_E_NUMERIC;
    for (uint32_t parts = 1; status == AFX_E_NUMERIC && parts <= AFXI_BARRIER_PARTS_MOST; parts *= 2) {
        if (parts > 1) {
            put_back(work);
            out->substepped = true;
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
    if (status == AFX_OK) {
        out->blocked = false;
        out->joint = UINT32_MAX;
    } else if (out->blocked) { /* in one of the tries; others may have failed with less to tell */
        out->body = out->blocked_body;
    }
    return status;
}

/* What nothing is near forgets its slips, and its stiffness goes back. */
static void let_go(AfxiBarrier *work) {
    size_t features = (size_t)work->surface.vertex_count + work->surface.edge_count;
    bool any = false;
    for (uint32_t k = 0; !work->forgotten && k < work->model->dynamic_count; k++) {
        uint32_t body = work->model->dynamic[k];
        double *own = &work->remembered[body];
        *own = work->reached[body] ? *own : *own > 0 ? fmax(0, AFXI_BARRIER_BACK * (1 + *own) - 1) : 0;
        any = any || *own != 0;
    }
    if (work->body_count == 0 && !work->forgotten) {
        memset(work->memory, 0, AFXI_BARRIER_PARTNERS * features * sizeof *work->memory);
        work->forgotten = !any;
    }
}

/* What was set on the sim may ask for more than the model did. */
static bool is_refused(AfxiBarrier *work) {
    const AfxiWorld *world = work->world;
    if (work->listed && work->params_at == world->params_version && work->classes_at == world->classes_version) {
        return false;
    }
    bool refused = world->params != work->model->params &&
                   afxi_barrier_refuse(work->model, world->params, world->def.integrator, NULL) != AFX_OK;
    for (uint32_t k = 0; k < work->model->dynamic_count; k++) {
        uint32_t body = work->model->dynamic[k];
        refused = refused || isinf(afxi_world_class(world, body)->young) !=
                                 isinf(afxi_class_of_params(work->model, work->model->params, body).young);
    }
    work->listed = work->listed && !refused;
    work->params_at = world->params_version;
    work->classes_at = world->classes_version;
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
    return status;
}

AfxStatus afxi_barrier_begin(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    *out = (AfxiBarrierOutcome){.body = UINT32_MAX, .joint = UINT32_MAX, .gap = INFINITY};
    afxi_barrier_state(work);
    if (is_refused(work)) {
        return AFX_E_INPUT;
    }
    AfxStatus status = check_state(work, out);
    return status ? status : afxi_barrier_reach(work);
}

AfxStatus afxi_barrier_solve_near(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    AfxStatus status = AFX_OK;
    *out = (AfxiBarrierOutcome){.body = UINT32_MAX, .joint = UINT32_MAX, .gap = INFINITY};
    afxi_barrier_choose(work);
    if (work->body_count) {
        save(work);
        status = run(work, out);
    } else {
        afxi_input_kinematic(work->world, 1, false); /* where these end is looked at */
    }
    if (status == AFX_OK) {
        status = afxi_barrier_reach_check(work, &out->again);
    }
    if (status == AFX_OK && !out->again) {
        let_go(work);
        work->checked = true;
    }
    for (uint32_t k = 0; status == AFX_OK && k < work->contact_count; k++) {
        out->contacts += work->contacts[k].force > 0;
    }
    return status;
}
