/* SPDX-License-Identifier: Apache-2.0 */
/* A sub-step of a component, and what is solved for at one place: velocities that fit, accelerations, a start that
 * closes. */
#include "conserve/solve.h"

#include <math.h>
#include <string.h>

#include "conserve/body.h"
#include "conserve/measure.h"
#include "conserve/newton.h"
#include "conserve/rows.h"
#include "conserve/system.h"
#include "state/input.h"

/* ---- where bodies are ---- */

static AfxVec3 spin_of(const double *q, const double *rate) {
    AfxVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        sum = vec3_mad(sum, 0.5, vec3_cross(vec3_load(q + 3 * k), vec3_load(rate + 3 * k)));
    }
    return sum;
}

/* Kinematic bodies at a fraction of the step: their place, and their rates when `rates`. */
static void put_kinematic(AfxiConserve *work, double fraction, double *place, bool rates) {
    const AfxModel *model = work->model;
    AfxiState *state = &work->world->state;
    if (model->kinematic_count) {
        afxi_input_kinematic(work->world, fraction, false);
    }
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        uint32_t body = model->kinematic[k].body;
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
        memcpy(place + at, state->q + at, AFXI_AFFINE_WIDTH * sizeof *place);
        if (rates) {
            memcpy(work->rate + at, state->v + at, AFXI_AFFINE_WIDTH * sizeof *place);
            vec3_store(work->twist + 6 * (size_t)body, vec3_load(state->v + at + 9));
            vec3_store(work->twist + 6 * (size_t)body + 3, spin_of(state->q + at, state->v + at));
        }
    }
}

/* Rates of the bodies of a component, and what accelerates their raw coordinates at rest. */
static void put_rates(AfxiConserve *work, const AfxiConserveComponent *component) {
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body->body;
        afxi_conserve_rates(body, work->rate + at, work->acceleration + at);
        vec3_store(work->twist + 6 * (size_t)body->body, body->v);
        vec3_store(work->twist + 6 * (size_t)body->body + 3, body->w);
    }
}

/* ---- a sub-step ---- */

static void predict(AfxiConserve *work, const AfxiConserveComponent *component, double h) {
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        double *change = work->change + AFXI_RIGID_WIDTH * (size_t)k;
        vec3_store(change, vec3_mad(vec3_scale(h, body->v), 0.5 * h * h, body->dv));
        vec3_store(change + 3, vec3_mad(vec3_scale(h, body->w), 0.5 * h * h, body->dw));
    }
}

static void trace(const AfxiConserve *work, const AfxiConserveComponent *component, uint32_t iterations, bool fine,
                  const AfxiConserveOutcome *out) {
    if (!work->world->trace) {
        return;
    }
    AfxTraceEvent event = {
        .solve = iterations,
        .engine = AFX_TRACE_CONSERVING,
        .method = AFX_TRACE_EXACT,
        .island = component->root,
        .bodies = component->body_count,
        .rotation = NAN,
        .turn = NAN,
        .residual = afxi_conserve_rows_violation(work, component),
        .excess = NAN,
        .rotation_tolerance = AFXI_CONSERVE_ENOUGH,
        .residual_tolerance = AFXI_CONSERVE_ENOUGH * component->size,
        .verdict = fine ? AFX_TRACE_ACCEPT : AFX_TRACE_CUT_STEP,
        .reason = fine ? AFX_TRACE_FINE : out->reason,
        .body = UINT32_MAX,
        .joint = UINT32_MAX,
    };
    afxi_trace_put_solve(work->world->trace, &event);
}

/* RATTLE: forces at the end of the sub-step, and velocities that fit there. */
static void second_half(AfxiConserve *work, AfxiConserveComponent *component, const AfxiConserveSpan *span,
                        AfxiConserveOutcome *out) {
    afxi_input_forces_at(work->world, span->end);
    afxi_conserve_places(work, component, work->place[1], false);
    put_rates(work, component);
    afxi_conserve_rows_at(work, component, work->place[1], work->target[1]);
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        work->row_step[row] = work->laws[row].active ? 0 : work->laws[row].fixed;
    }
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        afxi_conserve_loads(work, &work->bodies[k], work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
    }
    afxi_conserve_pull(work, component, work->row_step, work->body_step);
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        afxi_conserve_push(work, &work->bodies[k], 0.5 * span->h, work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
    }
    afxi_conserve_velocities(work, component, span->end, out);
}

/* Whether all springs of a component, which are forces to RATTLE, swing by little in a sub-step of length h:
 * (omega h)² = g h² k, g what the row is by the masses. From two on the method makes energy without bounds. */
static bool springs_are_slow(const AfxiConserve *work, const AfxiConserveComponent *component, double h) {
    bool slow = true;
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveLaw *law = &work->laws[row];
        double square = !law->active && law->compliance > 0 ? work->diagonal[row] * h * h / law->compliance : 0;
        slow = slow && square <= AFXI_CONSERVE_SWING_MOST * AFXI_CONSERVE_SWING_MOST;
    }
    return slow;
}

bool afxi_conserve_substep(AfxiConserve *work, AfxiConserveComponent *component, const AfxiConserveSpan *span,
                           AfxiConserveOutcome *out) {
    uint32_t iterations = 0;
    put_kinematic(work, span->begin, work->place[0], work->rattle);
    afxi_conserve_places(work, component, work->place[0], false);
    put_kinematic(work, span->end, work->place[1], false);
    double middle = work->rattle ? span->begin : 0.5 * (span->begin + span->end);
    afxi_conserve_targets(work, middle, work->target[0]);
    afxi_conserve_targets(work, span->end, work->target[1]);
    afxi_input_forces_at(work->world, middle);
    memset(work->branch_changes, 0, work->model->drive_count);
    predict(work, component, span->h);
    if (work->rattle) {
        put_rates(work, component);
        afxi_conserve_rows_at(work, component, work->place[0], work->target[0]);
    }
    bool fine = afxi_conserve_iterate(work, component, span->h, &iterations, out);
    while (fine && !work->rattle && afxi_conserve_rows_branches(work, component, span->h)) {
        fine = afxi_conserve_iterate(work, component, span->h, &iterations, out);
    }
    afxi_conserve_residuals(work, component, span->h);
    if (fine && !afxi_conserve_consistent(work, component, work->place[1])) {
        out->reason = AFX_TRACE_FLIPPED;
        fine = false;
    }
    out->iterations = iterations > out->iterations ? iterations : out->iterations;
    out->body_iterations += (uint64_t)iterations * component->body_count;
    trace(work, component, iterations, fine, out);
    for (uint32_t k = component->first_body; fine && k < component->first_body + component->body_count; k++) {
        afxi_conserve_move(work, &work->bodies[k], span->h, work->change + AFXI_RIGID_WIDTH * (size_t)k);
    }
    if (fine && work->rattle) {
        second_half(work, component, span, out);
        fine = springs_are_slow(work, component, span->h);
        out->reason = fine ? out->reason : AFX_TRACE_TURN;
    }
    return fine;
}

/* ---- at one place ---- */

/* Rows and the matrix where the bodies are, at a fraction of the step. */
static void settle(AfxiConserve *work, AfxiConserveComponent *component, double fraction, AfxiConserveOutcome *out) {
    put_kinematic(work, fraction, work->place[1], true);
    afxi_conserve_places(work, component, work->place[1], false);
    afxi_conserve_targets(work, fraction, work->target[1]);
    afxi_input_forces_at(work->world, fraction);
    put_rates(work, component);
    afxi_conserve_rows_at(work, component, work->place[1], work->target[1]);
    afxi_conserve_linearise(work, component, 0, out);
}

/* Takes from the velocities what violates the rows. */
static void project(AfxiConserve *work, AfxiConserveComponent *component) {
    size_t first = AFXI_RIGID_WIDTH * (size_t)component->first_body;
    for (uint32_t pass = 0; component->row_count && pass < AFXI_CONSERVE_PASSES; pass++) {
        afxi_conserve_rows_rates(work, component, work->target[1], work->row_step);
        afxi_conserve_solve(work, component, work->row_step);
        memset(work->body_step + first, 0, AFXI_RIGID_WIDTH * (size_t)component->body_count * sizeof(double));
        afxi_conserve_pull(work, component, work->row_step, work->body_step);
        for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
            afxi_conserve_push(work, &work->bodies[k], 1, work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
        }
        put_rates(work, component);
    }
}

void afxi_conserve_velocities(AfxiConserve *work, AfxiConserveComponent *component, double fraction,
                              AfxiConserveOutcome *out) {
    settle(work, component, fraction, out);
    project(work, component);
}

/* Accelerations of kinematic bodies, which know the time of the state alone. */
static void put_kinematic_accelerations(AfxiConserve *work) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        uint32_t body = model->kinematic[k].body;
        afxi_input_acceleration(work->world, body, work->acceleration + (size_t)AFXI_AFFINE_WIDTH * body);
    }
}

/* H^-1 (forces - G^T lambda) of all bodies */
static void accelerate(AfxiConserve *work, const AfxiConserveComponent *component) {
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        afxi_conserve_forces(work, &work->bodies[k], work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
    }
    afxi_conserve_pull(work, component, work->lambda, work->body_step);
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        AfxiConserveBody *body = &work->bodies[k];
        double *x = work->body_step + AFXI_RIGID_WIDTH * (size_t)k;
        body->dv = vec3_scale(body->translation, vec3_load(x));
        body->dw = sym3_apply(body->rotation, vec3_load(x + 3));
        vec3_store(x, body->dv);
        vec3_store(x + 3, body->dw);
    }
}

/* Velocities of a component into `kept` [6 bodies], or back from there. */
static void keep_velocities(AfxiConserve *work, const AfxiConserveComponent *component, double *kept, bool back) {
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++, kept += 6) {
        AfxiConserveBody *body = &work->bodies[k];
        if (back) {
            body->v = vec3_load(kept);
            body->w = vec3_load(kept + 3);
        } else {
            vec3_store(kept, body->v);
            vec3_store(kept + 3, body->w);
        }
    }
}

void afxi_conserve_accelerations(AfxiConserve *work, AfxiConserveComponent *component, double fraction,
                                 AfxiConserveOutcome *out) {
    AfxiStateHead *head = work->world->state.head;
    settle(work, component, fraction, out);
    out->violation = fmax(out->violation, afxi_conserve_rows_violation(work, component));
    double base = head->base_time;
    head->base_time += fraction * head->dt; /* what is asked for now is that of then */
    double time = afxi_state_time(&work->world->state);
    put_kinematic_accelerations(work);
    head->base_time = base;
    keep_velocities(work, component, work->update[0], false);
    project(work, component); /* those of the midpoint rule violate rows by h², and reactions would too */
    afxi_conserve_rows_seconds(work, component, work->place[1], time, work->row_residual);
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        work->lambda[row] = work->laws[row].active ? 0 : work->laws[row].fixed;
    }
    accelerate(work, component);
    for (uint32_t pass = 0; component->row_count && pass < AFXI_CONSERVE_PASSES; pass++) {
        memcpy(work->row_step + component->first_row, work->row_residual + component->first_row,
               component->row_count * sizeof(double));
        afxi_conserve_apply(work, component, work->body_step, work->row_step);
        afxi_conserve_solve(work, component, work->row_step);
        for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
            work->lambda[row] += work->row_step[row];
        }
        accelerate(work, component);
    }
    keep_velocities(work, component, work->update[0], true);
}

bool afxi_conserve_close(AfxiConserve *work, AfxiConserveComponent *component, AfxiConserveOutcome *out) {
    for (uint32_t pass = 0; pass < AFXI_CONSERVE_ITERATIONS_MOST; pass++) {
        put_kinematic(work, 0, work->place[1], true);
        afxi_conserve_places(work, component, work->place[1], false);
        afxi_conserve_targets(work, 0, work->target[1]);
        put_rates(work, component);
        afxi_conserve_rows_at(work, component, work->place[1], work->target[1]);
        double open = afxi_conserve_rows_violation(work, component);
        if (open <= AFXI_CONSERVE_OPEN * component->size) {
            return true;
        }
        afxi_conserve_linearise(work, component, 0, out);
        for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
            work->row_step[row] = work->laws[row].active ? work->laws[row].value : 0;
        }
        afxi_conserve_solve(work, component, work->row_step);
        memset(work->body_step + AFXI_RIGID_WIDTH * (size_t)component->first_body, 0,
               AFXI_RIGID_WIDTH * (size_t)component->body_count * sizeof(double));
        afxi_conserve_pull(work, component, work->row_step, work->body_step);
        for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
            afxi_conserve_shift(&work->bodies[k], work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
        }
    }
    out->reason = AFX_TRACE_RESIDUAL;
    return false;
}
