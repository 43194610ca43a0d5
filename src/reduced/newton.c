/* SPDX-License-Identifier: Apache-2.0 */
/* r(u) = J^T ((p(q, u) - p*) / b - f) - tau(q, u) + J^T lambda = 0,  rows c(q) = 0, with the momenta p of the bodies
 * (momentum.h); of generalised-alpha, M u' + bias in place of the first. The matrix of the iterations is A = M + b D +
 * b reach K with springs, dampers and servos of coordinates on its diagonal; those that act along other scalars are
 * rows with a compliance. Coriolis terms and weights change little over a step and come in by the residual. */
#include "reduced/newton.h"

#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/measure.h"
#include "reduced/spatial.h"
#include "reduced/system.h"
#include "reduced/touch.h"

/* The vector y of a rotation whose velocity is w at the end of the step. */
static AfxVec3 turn_from(const AfxiReducedStep *step, const double *before, AfxVec3 w) {
    AfxVec3 y1 = vec3_load(before), y = vec3_scale(step->h, w);
    for (int pass = 0; step->two && pass < AFXI_REDUCED_TURN_PASSES; pass++) {
        AfxVec3 cross = vec3_cross(y, w), rate = vec3_mad(w, 0.5, cross);
        rate = vec3_mad(rate, 1.0 / 12, vec3_cross(y, cross));
        y = vec3_scale(1.0 / 3, vec3_mad(y1, 2 * step->h, rate));
    }
    return y;
}

/* Coordinates of the end by its velocities. */
static void place_end(AfxiReduced *work, const AfxiReducedStep *step) {
    const AfxiTree *tree = &work->tree;
    if (step->alpha) {
        for (uint32_t d = 0; d < tree->dof_count; d++) {
            work->row[d] = step->turn[d] + step->reach * work->u[d];
        }
        afxi_tree_move(tree, step->q0, work->row, 1, work->q);
        return;
    }
    memcpy(work->row, work->u, tree->dof_count * sizeof(double));
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        if (node->kind == AFXI_NODE_BALL) { /* afxi_tree_move turns by b times what it is given */
            AfxVec3 y = turn_from(step, step->turn + node->dof, vec3_load(work->u + node->dof));
            vec3_store(work->row + node->dof, vec3_scale(1 / step->b, y));
        }
    }
    afxi_tree_move(tree, step->q, work->row, step->b, work->q);
}

/* What balances momenta, and gravity, into work->bias; M beside it where it is asked for. */
static void evaluate(AfxiReduced *work, const AfxiReducedStep *step, bool matrix) {
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        work->du[d] = (work->u[d] - step->u[d]) / step->b;
    }
    AfxiTreeTask task = {.q = work->q, .u = work->u, .du = work->du, .rows = &work->rows, .tau = work->bias};
    double rate = 1 / step->b;
    task.mass = matrix ? work->mass : NULL;
    task.past = &work->momentum->w.x;
    task.rate = &rate;
    if (step->alpha) {
        afxi_tree_evaluate(&work->work, &task);
    } else {
        work->work.placed = false;
        work->work.kernels->balance(&work->work, &task);
    }
}

/* ... less tau, and with J^T lambda; forces of contact points come with each solve. */
static void set_residual(AfxiReduced *work) {
    uint32_t n = work->tree.dof_count;
    memset(work->tau, 0, n * sizeof *work->tau);
    afxi_reduced_forces(work, work->q, work->u, work->tau, work->told);
    afxi_reduced_wrenches(work, work->q, work->tau);
    afxi_reduced_held_forces(work, work->tau);
    afxi_reduced_measure_active(work, work->q, work->u);
    for (uint32_t d = 0; d < n; d++) {
        work->bias[d] -= work->tau[d];
    }
    for (uint32_t k = 0; k < work->active_count; k++) {
        const double *gradient = work->gradient + (size_t)k * n;
        double lambda = *work->active[k].multiplier;
        for (uint32_t d = 0; lambda != 0 && d < n; d++) {
            work->bias[d] += gradient[d] * lambda;
        }
    }
}

/* Whether contact points are part of the solve. */
static bool has_points(const AfxiReduced *work, const AfxiReducedStep *step) {
    return !step->alpha && afxi_reduced_touch_any(work);
}

static void take_own_rows(AfxiReduced *work) {
    work->rows_now = &work->rows;
    work->mass_now = work->mass;
}

void afxi_reduced_stiffness(const AfxiReduced *work, const AfxiReducedStep *step, double *out) {
    memset(out, 0, work->tree.dof_count * sizeof *out);
    for (uint32_t k = 0; k < work->force_count; k++) {
        const AfxiReducedRow *row = &work->force[k];
        if (row->dof != AFXI_TREE_NONE) {
            AfxiReducedMeasure at = {.value = row->factor * work->q[row->coordinate],
                                     .rate = row->factor * work->u[row->dof]};
            double stiffness, damping;
            afxi_reduced_slopes(work, row, at, &stiffness, &damping);
            out[row->dof] += step->b * row->factor * row->factor * fmax(0, damping + step->reach * stiffness);
        }
    }
}

static void stiffen(AfxiReduced *work, const AfxiReducedStep *step) {
    afxi_reduced_stiffness(work, step, work->row);
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        work->mass[work->rows.row[d + 1] - 1] += work->row[d];
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        afxi_reduced_ball_diagonal(work, work->ball[k], step->b, step->b * step->reach);
    }
}

/* The factor of that, and of contact points beside it. */
static bool factor(AfxiReduced *work, const AfxiReducedStep *step) {
    take_own_rows(work);
    if (has_points(work, step)) {
        afxi_reduced_touch_matrix(work, step->b);
    }
    return work->work.kernels->factor(work->rows_now, work->mass_now) != 0;
}

void afxi_reduced_newton_sides(AfxiReduced *work, const AfxiReducedStep *step) {
    for (uint32_t k = 0; k < work->active_count; k++) {
        const AfxiReducedRow *row = &work->active[k];
        const AfxiReducedMeasure *at = &work->measure[k];
        double target[3];
        work->compliance[k] = 0;
        switch (row->holds) {
        case AFXI_HOLDS_VALUE:
            afxi_reduced_target(work, row, 1, target);
            work->side[k] = (at->value - target[0]) / step->reach;
            break;
        case AFXI_HOLDS_END:
            work->side[k] = (at->value - afxi_reduced_end(work, row)) / step->reach;
            break;
        case AFXI_HOLDS_RATE:
            work->side[k] = at->rate;
            break;
        case AFXI_HOLDS_LAW: {
            double stiffness, damping;
            afxi_reduced_slopes(work, row, *at, &stiffness, &damping);
            work->side[k] = 0;                             /* its force is in the residual */
            stiffness = damping + step->reach * stiffness; /* where it falls, it follows from solve to solve */
            work->compliance[k] = stiffness > 0 ? 1 / (step->b * stiffness) : AFXI_REDUCED_LIMP;
            break;
        }
        }
    }
}

/* The change of velocities at these frames, into work->du; false where nothing finite comes of it. */
static bool solve(AfxiReduced *work, const AfxiReducedStep *step, bool again) {
    uint32_t n = work->tree.dof_count;
    for (uint32_t d = 0; d < n; d++) {
        work->du[d] = -step->b * work->bias[d];
    }
    if (has_points(work, step)) {
        memset(work->tau, 0, n * sizeof *work->tau);
        afxi_reduced_touch_forces(work);
        for (uint32_t d = 0; d < n; d++) {
            work->du[d] += step->b * work->tau[d];
        }
    }
    afxi_reduced_newton_sides(work, step);
    if (!again && work->straight) { /* rows are what they were */
        return afxi_reduced_fall_again(work, work->du, AFXI_REDUCED_REFINE_MOST);
    }
    return afxi_reduced_fall(work, work->du, again ? AFXI_REDUCED_REFINE_MOST : 2);
}

/* Solves at these frames until the right contact points push and slide; false: no. */
static bool settle(AfxiReduced *work, const AfxiReducedStep *step) {
    bool again = true;
    afxi_reduced_touch_place(work, step->b);
    while (again) {
        if (!factor(work, step) || !solve(work, step, true)) {
            return false;
        }
        work->solves++;
        again = afxi_reduced_touch_settle(work, step->b);
    }
    return true;
}

double afxi_reduced_take(AfxiReduced *work, const AfxiReducedStep *step) {
    double most = 0;
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        work->u[d] += work->du[d];
        most = fmax(most, fabs(work->du[d]));
        most = isfinite(work->du[d]) ? most : INFINITY;
    }
    for (uint32_t k = 0; k < work->active_count; k++) {
        if (work->active[k].holds != AFXI_HOLDS_LAW) {
            *work->active[k].multiplier += work->lambda[k] / step->b;
        }
    }
    return most;
}

/* One iteration: the largest change of a velocity comes back, or INFINITY. */
static double improve(AfxiReduced *work, const AfxiReducedStep *step, bool fresh) {
    afxi_reduced_list_held(work, true);
    evaluate(work, step, fresh);
    set_residual(work);
    if (fresh) {
        stiffen(work, step);
    }
    if (has_points(work, step)) {
        return settle(work, step) ? afxi_reduced_take(work, step) : INFINITY;
    }
    work->solves++;
    return (!fresh || factor(work, step)) && solve(work, step, fresh) ? afxi_reduced_take(work, step) : INFINITY;
}

static double violation(AfxiReduced *work) {
    double most = 0;
    if (!work->straight) { /* else, coordinates say all */
        afxi_tree_pose(&work->work, work->q);
        afxi_tree_velocity(&work->work, work->u);
    }
    for (uint32_t k = 0; k < work->exact_count; k++) {
        double target[3];
        AfxiReducedMeasure at = afxi_reduced_measure(work, &work->exact[k], work->q, work->u, NULL);
        afxi_reduced_target(work, &work->exact[k], 1, target);
        most = fmax(most, fabs(at.value - target[0]));
    }
    return most;
}

static void store_multipliers(AfxiReduced *work) {
    for (uint32_t k = 0; k < work->exact_count; k++) {
        const AfxiReducedRow *row = &work->exact[k];
        if (row->place != UINT32_MAX) {
            work->told[row->place] = row->sign * row->lambda;
        }
    }
    for (uint32_t k = 0; k < work->held_count; k++) {
        const AfxiReducedRow *row = &work->held[k];
        if (row->place != UINT32_MAX) {
            work->told[row->place] = row->sign * afxi_reduced_held_multiplier(work, row);
        }
    }
}

/* What is left after a change, where the one before it tells by how much each iteration falls. Rows and forces along
 * other scalars than coordinates, and points, are to be met at the last frames: there it is the change. */
static double left_after(const AfxiReduced *work, double change, double last, bool touches) {
    double ratio = change / last;
    return work->straight && !touches && isfinite(last) && ratio < AFXI_REDUCED_SLOW ? change * ratio / (1 - ratio)
                                                                                     : change;
}

AfxiReducedPasses afxi_reduced_passes(void) {
    return (AfxiReducedPasses){.change = INFINITY, .last = INFINITY, .fresh = true};
}

AfxiReducedVerdict afxi_reduced_judge(AfxiReduced *work, const AfxiReducedStep *step, AfxiReducedPasses *passes) {
    bool first = passes->count == 0, touches = has_points(work, step);
    place_end(work, step);
    bool changed = !first && afxi_reduced_branches(work);
    double size = fmax(step->size, AFXI_REDUCED_STILL), change = passes->change;
    bool open = touches && afxi_reduced_touch_open(work);
    if (!first && !changed && left_after(work, change, passes->last, touches) <= step->tolerance * size && !open) {
        return !touches || !work->touch.active.penetrating ? AFXI_REDUCED_CONVERGED : AFXI_REDUCED_LOST_IT;
    }
    if (!(change < AFXI_REDUCED_LOST * size || first) || passes->count > AFXI_REDUCED_NEWTON_MOST) {
        return AFXI_REDUCED_LOST_IT;
    }
    passes->fresh = first || changed || touches || change > AFXI_REDUCED_CHORD * passes->last;
    passes->last = changed ? INFINITY : change;
    return AFXI_REDUCED_GOES_ON;
}

void afxi_reduced_passed(AfxiReducedStep *step, AfxiReducedPasses *passes, double change) {
    step->size = fmax(step->size, passes->count == 0 ? change : 0);
    passes->change = change;
    passes->count++;
}

bool afxi_reduced_iterate(AfxiReduced *work, AfxiReducedStep *step) {
    AfxiReducedPasses passes = afxi_reduced_passes();
    AfxiReducedVerdict verdict;
    while ((verdict = afxi_reduced_judge(work, step, &passes)) == AFXI_REDUCED_GOES_ON) {
        afxi_reduced_passed(step, &passes, improve(work, step, passes.fresh));
    }
    return verdict == AFXI_REDUCED_CONVERGED;
}

bool afxi_reduced_iterated(AfxiReduced *work) {
    take_own_rows(work);
    work->violation = work->exact_count ? violation(work) : 0;
    store_multipliers(work);
    if (work->straight) { /* forces of the end, which the last iteration has not seen */
        afxi_reduced_forces(work, work->q, work->u, work->tau, work->told);
    }
    return work->violation <= AFXI_REDUCED_OPEN * (1 + work->model->size);
}

double afxi_reduced_tolerance(const AfxiReduced *work) {
    static const double tolerances[] = {[AFX_FAST] = 1e-6, [AFX_ACCURATE] = 1e-9, [AFX_CONVERGED] = 1e-12};
    return tolerances[work->world->def.accuracy];
}
