/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a sub-step for the changes d of the bodies and the multipliers lambda,
 *     imbalance(d) - G^T lambda = 0,   rows(d, lambda) = 0,
 * by Newton's method with one symmetric matrix,
 *     K dlambda = G H^-1 imbalance + rows,   dd = N^-1 (imbalance - G^T dlambda),
 * N the exact derivative of a body's own inertia, and Broyden's good updates, which learn what the matrix leaves out:
 * convergence is superlinear without any second derivative of a constraint. Steps are compared in the metric of
 * energy: d by mass and inertia, lambda by the diagonal of K. */
#include "conserve/newton.h"

#include <math.h>
#include <string.h>

#include "conserve/body.h"
#include "conserve/rows.h"
#include "conserve/system.h"

void afxi_conserve_places(AfxiConserve *work, const AfxiConserveComponent *component, double *place, bool moved) {
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        const double *change = moved ? work->change + AFXI_RIGID_WIDTH * (size_t)k : NULL;
        afxi_conserve_place(body, change, place + (size_t)AFXI_AFFINE_WIDTH * body->body);
    }
}

/* A vector of the component's unknowns: changes of bodies, then multipliers. */
static size_t unknowns(const AfxiConserveComponent *component) {
    return AFXI_RIGID_WIDTH * (size_t)component->body_count + component->row_count;
}

void afxi_conserve_residuals(AfxiConserve *work, const AfxiConserveComponent *component, double h) {
    afxi_conserve_places(work, component, work->place[1], true);
    if (work->rattle) {
        afxi_conserve_rows_values(work, component);
    } else {
        afxi_conserve_rows_between(work, component, h);
    }
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveLaw *law = &work->laws[row];
        work->lambda[row] = law->active ? work->lambda[row] : law->fixed;
        work->row_residual[row] = law->active ? law->value : 0;
    }
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        size_t at = AFXI_RIGID_WIDTH * (size_t)k;
        afxi_conserve_imbalance(work, &work->bodies[k], h, work->change + at, work->body_residual + at);
    }
    afxi_conserve_pull(work, component, work->lambda, work->body_residual);
}

/* H^-1 x, exactly */
static void divide(const AfxiConserveBody *body, double *x) {
    vec3_store(x, vec3_scale(body->translation, vec3_load(x)));
    vec3_store(x + 3, mat3_apply(&body->newton, vec3_load(x + 3)));
}

/* The correction for the present residuals by the matrix alone. */
static void correct(AfxiConserve *work, AfxiConserveComponent *component, double *out) {
    size_t first = AFXI_RIGID_WIDTH * (size_t)component->first_body;
    size_t count = AFXI_RIGID_WIDTH * (size_t)component->body_count;
    memcpy(work->body_step + first, work->body_residual + first, count * sizeof *out);
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        divide(&work->bodies[k], work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
    }
    memcpy(work->row_step + component->first_row, work->row_residual + component->first_row,
           component->row_count * sizeof *out);
    afxi_conserve_apply(work, component, work->body_step, work->row_step);
    afxi_conserve_solve(work, component, work->row_step);
    memcpy(work->body_step + first, work->body_residual + first, count * sizeof *out);
    afxi_conserve_pull(work, component, work->row_step, work->body_step);
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        divide(&work->bodies[k], work->body_step + AFXI_RIGID_WIDTH * (size_t)k);
    }
    memcpy(out, work->body_step + first, count * sizeof *out);
    memcpy(out + count, work->row_step + component->first_row, component->row_count * sizeof *out);
}

static double product(const AfxiConserve *work, const AfxiConserveComponent *component, const double *x,
                      const double *y) {
    double sum = 0;
    size_t count = AFXI_RIGID_WIDTH * (size_t)component->body_count;
    for (uint32_t k = 0; k < component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[component->first_body + k];
        const double *a = x + AFXI_RIGID_WIDTH * (size_t)k, *b = y + AFXI_RIGID_WIDTH * (size_t)k;
        double turn = 3 / (body->rotation[0] + body->rotation[1] + body->rotation[2]);
        sum += vec3_dot(vec3_load(a), vec3_load(b)) / body->translation;
        sum += turn * vec3_dot(vec3_load(a + 3), vec3_load(b + 3));
    }
    for (uint32_t r = 0; r < component->row_count; r++) {
        double diagonal = work->scale[component->first_row + r] > 0 ? work->diagonal[component->first_row + r] : 0;
        sum += diagonal * x[count + r] * y[count + r];
    }
    return sum;
}

/* Adds a step, or takes it back (sign -1); its largest change of a rotation, or of a place as a share of the size. */
static double take(AfxiConserve *work, const AfxiConserveComponent *component, const double *step, double sign) {
    double most = 0, *change = work->change + AFXI_RIGID_WIDTH * (size_t)component->first_body;
    size_t count = AFXI_RIGID_WIDTH * (size_t)component->body_count;
    for (size_t k = 0; k < count; k++) {
        const AfxiConserveBody *body = &work->bodies[component->first_body + k / AFXI_RIGID_WIDTH];
        double reach = fmax(component->size, vec3_length(body->t)); /* coordinates are rounded by that */
        double share = fabs(step[k]) / (k % AFXI_RIGID_WIDTH < 3 ? reach : 1);
        most = share <= most ? most : share; /* what is not a number counts as most */
        change[k] += sign * step[k];
    }
    for (uint32_t r = 0; r < component->row_count; r++) {
        work->lambda[component->first_row + r] += sign * step[count + r];
    }
    return most;
}

void afxi_conserve_linearise(AfxiConserve *work, AfxiConserveComponent *component, double h, AfxiConserveOutcome *out) {
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        afxi_conserve_inverse(work, &work->bodies[k], h, work->change + AFXI_RIGID_WIDTH * (size_t)k);
    }
    out->regularised |= afxi_conserve_factor(work, component);
}

/* x += sum of the updates' shares: what the older steps have learnt. False when the next update would leap. */
static bool update(AfxiConserve *work, const AfxiConserveComponent *component, uint32_t count) {
    double *x = work->update[count], square, share;
    size_t size = unknowns(component);
    for (uint32_t j = 0; j + 1 < count; j++) {
        square = product(work, component, work->update[j], work->update[j]);
        share = product(work, component, work->update[j], x) / square;
        for (size_t k = 0; k < size; k++) {
            x[k] += share * work->update[j + 1][k];
        }
    }
    square = product(work, component, work->update[count - 1], work->update[count - 1]);
    share = 1 - product(work, component, work->update[count - 1], x) / square;
    for (size_t k = 0; k < size; k++) {
        x[k] /= share;
    }
    return share > AFXI_CONSERVE_UPDATE_LEAST;
}

/* Whether a change, the last of an iteration, is all that rounding lets one reach. */
typedef struct Progress {
    double first, least;
    uint32_t stalls; /* changes that were not smaller than half of the least one */
} Progress;

/* Work of what does not balance, over that of inertia: what a sub-step may lose or make of its energy. */
static double defect(const AfxiConserve *work, const AfxiConserveComponent *component) {
    double sum = 0, whole = 0;
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        const double *d = work->change + AFXI_RIGID_WIDTH * (size_t)k;
        const double *r = work->body_residual + AFXI_RIGID_WIDTH * (size_t)k;
        double turn = 3 / (body->rotation[0] + body->rotation[1] + body->rotation[2]);
        for (int e = 0; e < AFXI_RIGID_WIDTH; e++) {
            sum += r[e] * d[e];
            whole += d[e] * d[e] * (e < 3 ? 1 / body->translation : turn);
        }
    }
    return whole > 0 ? fabs(sum) / whole : 0;
}

static bool is_done(const AfxiConserve *work, const AfxiConserveComponent *component, Progress *progress,
                    double change) {
    progress->first = progress->first > 0 ? progress->first : change;
    progress->stalls += change >= AFXI_CONSERVE_STALL * progress->least;
    progress->least = fmin(progress->least, change);
    bool met = afxi_conserve_rows_violation(work, component) <= AFXI_CONSERVE_MET * component->size;
    if (change <= AFXI_CONSERVE_ENOUGH || (met && progress->stalls && change <= AFXI_CONSERVE_ROUNDING)) {
        return true;
    }
    return met && progress->stalls >= AFXI_CONSERVE_STALLS && change <= AFXI_CONSERVE_SINGULAR &&
           defect(work, component) <= AFXI_CONSERVE_DEFECT_MOST;
}

bool afxi_conserve_iterate(AfxiConserve *work, AfxiConserveComponent *component, double h, uint32_t *iterations,
                           AfxiConserveOutcome *out) {
    Progress progress = {.least = INFINITY};
    uint32_t count = 0;
    for (; *iterations < AFXI_CONSERVE_ITERATIONS_MOST; (*iterations)++) {
        afxi_conserve_residuals(work, component, h);
        if (count == 0) {
            afxi_conserve_linearise(work, component, h, out);
        }
        correct(work, component, work->update[count]);
        if (count && !update(work, component, count)) {
            afxi_conserve_linearise(work, component, h, out);
            count = 0;
            correct(work, component, work->update[0]);
        }
        double change = take(work, component, work->update[count], 1);
        if (is_done(work, component, &progress, change)) {
            (*iterations)++;
            if (change > AFXI_CONSERVE_ENOUGH) { /* rounding: what was found to be met is where it was before */
                take(work, component, work->update[count], -1);
            }
            return true;
        }
        if (!(change <= AFXI_CONSERVE_DIVERGED * fmax(progress.first, AFXI_CONSERVE_LARGE))) {
            break;
        }
        count = count < AFXI_CONSERVE_UPDATES_MOST ? count + 1 : 0;
    }
    out->reason = *iterations < AFXI_CONSERVE_ITERATIONS_MOST ? AFX_TRACE_NOT_FINITE : AFX_TRACE_CAP;
    return false;
}
