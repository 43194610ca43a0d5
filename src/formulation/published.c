/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a published formulation: implicit Euler, qhat = q + h v, by Newton's method from the old state,
 *     H δq + J^T λ = f,  J δq = -C
 * (Eqs. 26 to 28 of M-ABD), with q eliminated body by body and the dual matrix in an envelope, rows in the order of
 * the scene's joints: a chain that was authored along its length is solved in linear time. */
#include "formulation/inner.h"

#include <string.h>

#include "base/clock.h"

#define NEWTON_MOST 50u /* iterations of vanilla ABD */

typedef struct Step {
    AfxiPublished *work;
    const AfxiClasses *classes;
    AfxVec3 gravity;
    double h, *q;
    bool vanilla, polar;
} Step;

static AfxiBodyForce force_of(const Step *step, const AfxiPublishedBody *body) {
    const AfxiBodyClass *class = (const AfxiBodyClass *)step->classes->intern.items + step->classes->of[body->body];
    return (AfxiBodyForce){class, step->h, vec3_scale(class->gravity * class->mass, step->gravity)};
}

/* Forces, inverses and gradients of one body, and its share of the matrix and the right-hand side. */
static void add_body(const Step *step, AfxiPublishedBody *body) {
    AfxiPublished *work = step->work;
    AfxiBodyForce force = force_of(step, body);
    AfxiRowSide *sides = work->sides + body->first_side;
    if (step->vanilla) {
        afxi_vanilla_begin(body, &force, step->q + (size_t)AFXI_AFFINE_WIDTH * body->body);
    } else {
        afxi_corotated_begin(body, &force, step->polar, step->q + (size_t)AFXI_AFFINE_WIDTH * body->body);
    }
    for (uint32_t m = 0; m < body->side_count; m++) {
        AfxiRowSide *side = &sides[m];
        AfxVec3 point = work->rows[side->row].point[side->sign < 0], direction = work->direction[side->row];
        if (step->vanilla) {
            afxi_vanilla_side(body, &force, direction, point, side);
        } else {
            afxi_corotated_side(body, step->polar, direction, point, side);
        }
        double *row = work->matrix.value + work->matrix.start[side->row];
        for (uint32_t n = 0; n <= m; n++) {
            double sum = 0;
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                sum += side->g[k] * sides[n].hg[k];
            }
            row[sides[n].row - work->matrix.first[side->row]] += sum;
        }
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            work->lambda[side->row] += side->g[k] * body->step[k];
        }
    }
}

/* Moves a body by its step under the multipliers; the largest change comes back. */
static double move_body(const Step *step, AfxiPublishedBody *body) {
    const AfxiPublished *work = step->work;
    const AfxiRowSide *sides = work->sides + body->first_side;
    for (uint32_t m = 0; m < body->side_count; m++) {
        double lambda = work->lambda[sides[m].row];
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            body->step[k] -= sides[m].hg[k] * lambda;
        }
    }
    double *q = step->q + (size_t)AFXI_AFFINE_WIDTH * body->body, largest = 0;
    if (step->vanilla) {
        afxi_vanilla_finish(body, q);
    } else {
        afxi_corotated_finish(body, step->polar, q);
    }
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        double change = fabs(body->step[k]) / (k < 9 ? 1 : work->model->size);
        largest = change <= largest ? largest : change; /* what is not a number counts as largest */
    }
    return largest;
}

/* One Newton iteration; the largest change comes back. */
static double iterate(const Step *step, AfxiPublishedOutcome *out) {
    AfxiPublished *work = step->work;
    double largest = 0;
    memset(work->matrix.value, 0, work->matrix.start[work->row_count] * sizeof(double));
    for (uint32_t row = 0; row < work->row_count; row++) {
        work->lambda[row] = afxi_published_row_value(&work->rows[row], step->q, &work->direction[row]);
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        add_body(step, &work->bodies[k]);
    }
    out->redundant |= afxi_envelope_factor(&work->matrix);
    afxi_envelope_solve(&work->matrix, work->lambda);
    for (uint32_t k = 0; k < work->body_count; k++) {
        double change = move_body(step, &work->bodies[k]);
        largest = change <= largest ? largest : change;
    }
    return largest;
}

/* Keeps the state, and sets what does not change during the step. */
static void begin(const Step *step, const double *v) {
    AfxiPublished *work = step->work;
    bool fresh = work->blocks_dt == step->h;
    for (uint32_t k = 0; k < work->body_count; k++) {
        AfxiPublishedBody *body = &work->bodies[k];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body->body;
        for (int m = 0; m < AFXI_AFFINE_WIDTH; m++) {
            body->begin[m] = step->q[at + m];
            body->begin_v[m] = v[at + m];
            body->target[m] = step->q[at + m] + step->h * v[at + m];
        }
        if (!fresh) {
            AfxiBodyForce force = force_of(step, body);
            body->blocks = afxi_body_blocks(force.class, (AfxiScale){step->h * step->h, step->h}, 0);
        }
    }
    work->blocks_dt = step->h;
}

/* New velocities, or the old state where a body has not stayed finite. */
static void finish(const Step *step, double *v, AfxiPublishedOutcome *out) {
    AfxiPublished *work = step->work;
    for (uint32_t k = 0; k < work->body_count && out->failed_body == UINT32_MAX; k++) {
        const AfxiPublishedBody *body = &work->bodies[k];
        for (int m = 0; m < AFXI_AFFINE_WIDTH; m++) {
            double *rate = &v[(size_t)AFXI_AFFINE_WIDTH * body->body + m],
                   now = step->q[(size_t)AFXI_AFFINE_WIDTH * body->body + m];
            *rate = (now - body->begin[m]) / step->h;
            out->failed_body = isfinite(*rate) && isfinite(now) ? out->failed_body : body->body;
        }
    }
    for (uint32_t k = 0; k < work->body_count && out->failed_body != UINT32_MAX; k++) {
        const AfxiPublishedBody *body = &work->bodies[k];
        memcpy(step->q + (size_t)AFXI_AFFINE_WIDTH * body->body, body->begin, sizeof body->begin);
        memcpy(v + (size_t)AFXI_AFFINE_WIDTH * body->body, body->begin_v, sizeof body->begin_v);
    }
    for (uint32_t row = 0; row < work->row_count; row++) {
        AfxVec3 direction;
        double value = fabs(afxi_published_row_value(&work->rows[row], step->q, &direction));
        out->residual = value > out->residual ? value : out->residual;
    }
}

static void solve(AfxiPublished *work, AfxiPublishedOutcome *out) {
    AfxiWorld *world = work->world;
    Step step = {.work = work,
                 .classes = world->classes,
                 .gravity = vec3_load(afxi_world_param(world, AFX_PARAM_GRAVITY, 0)),
                 .h = world->state.head->dt,
                 .q = world->state.q,
                 .vanilla = work->formulation == AFX_ABD_VANILLA,
                 .polar = work->formulation == AFX_MABD_PAPER};
    *out = (AfxiPublishedOutcome){.failed_body = UINT32_MAX};
    uint32_t most = work->solves ? work->solves : NEWTON_MOST;
    double change = INFINITY;
    begin(&step, world->state.v);
    while (out->solves < most && (work->solves || !(change <= work->tolerance)) && !isnan(change)) {
        change = iterate(&step, out);
        out->solves++;
    }
    out->capped = !work->solves && !(change <= work->tolerance);
    finish(&step, world->state.v, out);
}

static void trace(const AfxiPublished *work, const AfxiPublishedOutcome *out) {
    const AfxModel *model = work->model;
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        first = model->dynamic[k] < first ? model->dynamic[k] : first;
    }
    bool lost = out->failed_body != UINT32_MAX;
    AfxTraceEvent event = {
        .solve = out->solves,
        .engine = AFX_TRACE_PAPER,
        .method = AFX_TRACE_HESSIAN,
        .island = first,
        .bodies = model->dynamic_count,
        .rotation = NAN,
        .turn = NAN,
        .residual = out->residual,
        .excess = NAN,
        .verdict = lost ? AFX_TRACE_LOST : AFX_TRACE_ACCEPT,
        .reason = lost          ? AFX_TRACE_NOT_FINITE
                  : out->capped ? AFX_TRACE_CAP
                                : AFX_TRACE_FINE,
        .body = out->failed_body,
        .joint = UINT32_MAX,
    };
    afxi_trace_put_solve(work->world->trace, &event);
}

AfxStatus afxi_published_step(void *data, AfxStepReport *report) {
    AfxiPublished *work = data;
    AfxiPublishedOutcome outcome;
    AfxStage stage = work->model->joint_count ? AFX_STAGE_JOINTS : AFX_STAGE_FREE;
    double begin = afxi_clock();
    solve(work, &outcome);
    if (work->world->trace) {
        trace(work, &outcome);
    }
    report->residual = outcome.residual;
    report->solves = outcome.solves;
    report->solves_mean = work->model->dynamic_count ? outcome.solves : 0;
    report->flags |= outcome.redundant ? AFX_STEP_REGULARISED : 0;
    report->flags |= outcome.capped ? AFX_STEP_CAPPED : 0;
    report->body = outcome.failed_body;
    report->stage_seconds[stage] += afxi_clock() - begin;
    return outcome.failed_body == UINT32_MAX ? AFX_OK : AFX_E_NUMERIC;
}
