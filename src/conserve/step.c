/* SPDX-License-Identifier: Apache-2.0 */
/* A step of the integrators that conserve: each component for itself, in the sub-steps of its composition, and in
 * smaller parts where they do not converge; nothing becomes the state before all components are done.
 *
 * Compositions of a symmetric method of order 2: (s, s, 1 - 4 s, s, s), s = 1/(4 - 4^(1/3)), has order 4 (Suzuki); the
 * nine stages of Kahan and Li order 6 (SIAM J. Matrix Anal. 1997; Hairer, Lubich, Wanner, Geometric Numerical
 * Integration, V.3.2). */
#include "conserve/conserve.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "conserve/body.h"
#include "conserve/make.h"
#include "conserve/newton.h"
#include "conserve/refuse.h"
#include "conserve/solve.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "state/input.h"
#include "state/pace.h"

#define SUZUKI 0.41449077179437573714
static const double single[] = {1};
static const double suzuki[] = {SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI};
static const double kahan_li[] = {
    0.39216144400731413927925056,  0.33259913678935943859974864, -0.70624617255763935980996482,
    0.08221359629355080023149045,  0.79854399093482996339895035, 0.08221359629355080023149045,
    -0.70624617255763935980996482, 0.33259913678935943859974864, 0.39216144400731413927925056};

/* ---- one component ---- */

static bool is_fresh(const AfxiConserve *work, const AfxiConserveComponent *component) {
    const AfxiState *state = &work->world->state;
    return !state->head->has_history || (state->head->uneven && state->pace[component->root] & AFXI_PACE_RESTART);
}

static void load(AfxiConserve *work, const AfxiConserveComponent *component) {
    const AfxiState *state = &work->world->state;
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        afxi_conserve_load(work, &work->bodies[k]);
    }
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        work->lambda[row] = work->rows[row].sign * state->lambda[work->rows[row].place];
    }
}

/* A start: places that close, velocities that fit, and accelerations to go on from. */
static bool start(AfxiConserve *work, AfxiConserveComponent *component, AfxiConserveOutcome *out) {
    if (!afxi_conserve_close(work, component, out)) {
        return false;
    }
    afxi_conserve_velocities(work, component, 0, out);
    afxi_conserve_accelerations(work, component, 0, out);
    return true;
}

/* Part `part` of `parts` of the step. */
static bool run_part(AfxiConserve *work, AfxiConserveComponent *component, uint32_t part, uint32_t parts,
                     AfxiConserveOutcome *out) {
    double dt = work->world->state.head->dt, length = 1.0 / parts, at = part * length;
    for (uint32_t k = 0; k < work->stage_count; k++) {
        double end = k + 1 == work->stage_count ? (part + 1) * length : at + work->stage[k] * length;
        AfxiConserveSpan span = {at, end, work->stage[k] * length * dt};
        afxi_trace_stage(work->world->trace, k);
        if (!afxi_conserve_substep(work, component, &span, out)) {
            return false;
        }
        at = end;
    }
    return true;
}

/* Why a component did not settle, as far as it shows where it had come: the body that turns too far in a step. */
static void tell_cause(const AfxiConserve *work, const AfxiConserveComponent *component, AfxiConserveOutcome *out) {
    double most = AFXI_CONSERVE_TURNS_FAR / work->world->state.head->dt;
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        double turns = vec3_length(work->bodies[k].w);
        if (turns > most) {
            most = turns;
            out->turns_far = true;
            out->failed_body = work->bodies[k].body;
        }
    }
}

/* Keeps what a part changes, or brings it back. */
static void keep(AfxiConserve *work, const AfxiConserveComponent *component, bool back) {
    size_t body = component->first_body, row = component->first_row;
    AfxiConserveBody *bodies[2] = {work->kept_bodies + body, work->bodies + body};
    double *lambda[2] = {work->kept_lambda + row, work->lambda + row};
    uint8_t *branch[2] = {work->kept_branch, work->branch};
    memcpy(bodies[back], bodies[!back], component->body_count * sizeof *bodies[0]);
    memcpy(lambda[back], lambda[!back], component->row_count * sizeof *lambda[0]);
    memcpy(branch[back], branch[!back], work->model->drive_count);
}

/* Asks something of all joints with a component where its parts have come to; places of the state are as they were
 * afterwards. */
static uint32_t ask_on_the_way(AfxiConserve *work, const AfxiConserveComponent *component,
                               uint32_t (*ask)(AfxiWorld *world)) {
    AfxiState *state = &work->world->state;
    double *kept = work->place[0]; /* every sub-step puts there where it begins */
    size_t bytes = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof *kept;
    memcpy(kept, state->q, bytes);
    memcpy(state->q, work->place[1], bytes); /* kinematic bodies too */
    afxi_conserve_places(work, component, state->q, false);
    uint32_t lost = ask(work->world);
    memcpy(state->q, kept, bytes);
    return lost;
}

static uint32_t lost(AfxiWorld *world) {
    return afxi_angles_lost(world);
}

/* The step in parts of 1, 1/2, 1/4, ...: what does not converge is halved where it is, and parts grow again behind it.
 */
static bool run_parts(AfxiConserve *work, AfxiConserveComponent *component, AfxiConserveOutcome *out) {
    uint32_t length = AFXI_CONSERVE_PARTS_MOST;
    for (uint32_t at = 0; at < AFXI_CONSERVE_PARTS_MOST && length;) {
        uint32_t parts = AFXI_CONSERVE_PARTS_MOST / length;
        afxi_trace_part(work->world->trace, at / length, parts);
        keep(work, component, false);
        if (run_part(work, component, at / length, parts, out)) {
            at += length;
            if (parts > 1 && at < AFXI_CONSERVE_PARTS_MOST) { /* turns are counted from part to part */
                ask_on_the_way(work, component, afxi_angles_follow);
            }
            length = at % (2 * length) == 0 && length < AFXI_CONSERVE_PARTS_MOST ? 2 * length : length;
            continue;
        }
        keep(work, component, true);
        length /= 2;
        out->substepped |= length > 0;
        afxi_trace_cut(length ? work->world->trace : NULL, 2 * parts);
    }
    return length > 0;
}

static bool run_component(AfxiConserve *work, AfxiConserveComponent *component, AfxiConserveOutcome *out) {
    load(work, component);
    memcpy(work->branch, work->world->state.drive_branch, work->model->drive_count);
    bool fine = (!is_fresh(work, component) || start(work, component, out)) && run_parts(work, component, out);
    afxi_trace_part(work->world->trace, 0, 1);
    for (uint32_t k = component->first_body; fine && k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        fine = vec3_finite(body->t) && vec3_finite(body->v) && vec3_finite(body->w);
        out->failed_body = fine ? out->failed_body : body->body;
    }
    if (fine) {
        afxi_conserve_accelerations(work, component, 1, out);
    } else if (out->failed_body == UINT32_MAX) {
        out->failed_body = component->root;
        tell_cause(work, component, out);
    }
    return fine;
}

/* ---- the step ---- */

/* Places of what is not solved for, and all else as it is. */
static void begin(AfxiConserve *work) {
    const AfxiState *state = &work->world->state;
    size_t bytes = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double);
    memcpy(work->place[0], state->q, bytes);
    memcpy(work->place[1], state->q, bytes);
    memcpy(work->kept_angle, state->angle, work->model->angle_count * sizeof *work->kept_angle);
    afxi_input_begin(work->world);
    afxi_drives_begin(work->world);
}

/* What all components have come to becomes the state; the joint whose angles are about to be lost, or UINT32_MAX. */
static uint32_t commit(AfxiConserve *work) {
    AfxiState *state = &work->world->state;
    double unused[AFXI_AFFINE_WIDTH];
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body->body;
        afxi_conserve_place(body, NULL, state->q + at);
        afxi_conserve_rates(body, state->v + at, unused);
        memset(state->x2 + at, 0, AFXI_AFFINE_WIDTH * sizeof(double));
        vec3_store(state->x2 + at, body->dw);
        vec3_store(state->x2 + at + 9, body->dv);
    }
    for (uint32_t row = 0; row < work->row_count; row++) {
        state->lambda[work->rows[row].place] = work->rows[row].sign * work->lambda[row];
    }
    memcpy(state->drive_branch, work->branch_end, work->model->drive_count);
    afxi_input_kinematic(work->world, 1, false);
    uint32_t lost = afxi_angles_follow(work->world);
    afxi_drives_finish(work->world);
    afxi_pace_finish(state, work->model->body_count, NULL);
    state->head->has_history = 1;
    return lost;
}

/* The branches that a component has left its drives on. */
static void keep_branches(AfxiConserve *work, const AfxiConserveComponent *component) {
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveRow *source = &work->rows[row];
        if (source->source == AFXI_SOURCE_DRIVE) {
            work->branch_end[source->index] = work->branch[source->index];
        }
    }
}

static void book(const AfxiConserve *work, const AfxiConserveOutcome *out, double seconds, AfxStepReport *report) {
    report->solves = out->iterations;
    report->solves_mean = work->body_count ? (double)out->body_iterations / work->body_count : 0;
    report->residual = out->violation;
    report->flags |= out->regularised ? AFX_STEP_REGULARISED : 0;
    report->flags |= out->substepped ? AFX_STEP_SUBSTEPPED : 0;
    report->flags |= out->turns_far ? AFX_STEP_TURNS_FAR : 0;
    report->body = out->failed_body;
    report->stage_seconds[work->model->joint_count ? AFX_STAGE_JOINTS : AFX_STAGE_FREE] += seconds;
}

static AfxStatus step(void *data, AfxStepReport *report) {
    AfxiConserve *work = data;
    AfxiWorld *world = work->world;
    AfxiConserveOutcome out = {.failed_body = UINT32_MAX};
    double mark = afxi_clock();
    if (world->params != work->model->params && /* set on this sim: they may ask for more than the model did */
        afxi_conserve_refuse(work->model, world->params, world->def.integrator, NULL) != AFX_OK) {
        return AFX_E_INPUT;
    }
    if (!world->state.head->has_history) {
        report->flags |= AFX_STEP_RESTARTED;
        afxi_trace_part(world->trace, 0, 1);
        afxi_trace_restart(world->trace);
    }
    begin(work);
    memcpy(work->branch_end, world->state.drive_branch, work->model->drive_count);
    bool fine = true;
    for (uint32_t c = 0; fine && c < work->component_count; c++) {
        fine = run_component(work, &work->components[c], &out);
        if (fine) {
            keep_branches(work, &work->components[c]);
        } else {
            report->joint = ask_on_the_way(work, &work->components[c], lost);
        }
    }
    report->joint = fine ? commit(work) : report->joint;
    report->flags |= report->joint != UINT32_MAX ? AFX_STEP_SINGULAR_ANGLES : 0;
    if (!fine) {
        memcpy(world->state.angle, work->kept_angle, work->model->angle_count * sizeof *work->kept_angle);
        afxi_input_back(world);
    }
    book(work, &out, afxi_clock() - mark, report);
    return fine ? AFX_OK : AFX_E_NUMERIC;
}

/* ---- the entry of the table ---- */

static void destroy(void *data) {
    AfxiConserve *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_conserve_release(work);
        afxi_release(&allocator, work, sizeof *work);
    }
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiConserve *work = afxi_allocate(&def->allocator, sizeof *work);
    (void)owner;
    *out_work = NULL;
    AfxStatus status = AFX_E_MEMORY;
    if (work) {
        *work = (AfxiConserve){.allocator = def->allocator, .world = world, .model = world->model};
        work->rattle = def->integrator == AFX_REFERENCE;
        work->stage = work->rattle ? kahan_li : def->integrator == AFX_CONSERVING4 ? suzuki : single;
        work->stage_count = work->rattle ? 9 : def->integrator == AFX_CONSERVING4 ? 5 : 1;
        status = afxi_conserve_make(work);
    }
    if (status != AFX_OK) {
        destroy(work);
        return afxi_error(def->error, status, "integrator", afx_status_text(status),
                          "use a smaller scene or free some memory");
    }
    *out_work = work;
    return AFX_OK;
}

static AfxStatus refuse(const AfxModel *model, const AfxSimDef *def) {
    return afxi_conserve_refuse(model, model->params, def->integrator, def->error);
}

static void refresh(void *data) {
    (void)data; /* nothing is kept from earlier steps but in the state */
}

static void reaction(const void *data, uint32_t joint, AfxWrench *out_reaction) {
    const AfxiConserve *work = data;
    afxi_joint_reaction(work->world, work->world->state.lambda, joint, out_reaction);
}

const AfxiFormulationKind afxi_formulation_conserving = {
    .name = "conserving",
    .can = AFXI_FORMULATION_WRENCHES | AFXI_FORMULATION_SWITCHES,
    .refuse = refuse,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .step = step,
    .reaction = reaction,
};
