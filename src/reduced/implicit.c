/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for the velocities u of the end of a step. With b = h (BDF1) or 2 h / 3 (BDF2),
 *     q = q* + b u,  r(u) = J^T ((p(q, u) - p*) / b - f) - tau(q, u) + J^T lambda = 0,  rows c(q) = 0,
 * with the momenta p of the bodies (momentum.h), where q* = (4 q0 - q1) / 3 and so on for BDF2. The matrix of the
 * iterations is A = M + b D + b² K with springs, dampers and servos of coordinates on its diagonal; those that act
 * along other scalars are rows with a compliance. Coriolis terms and weights change little over b u and come in by the
 * residual.
 *
 * A rotation goes from q0 by a vector y, q = q0 exp(y), with y' = (3 y - y1) / 2 h at the end, where q0 = q1 exp(y1);
 * its velocity, in axes that turn with it, is w = y' - y x y' / 2 + ..., so that y' = w + y x w / 2 + y x (y x w) / 12.
 */
#include "reduced/implicit.h"

#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/measure.h"
#include "reduced/momentum.h"
#include "reduced/spatial.h"
#include "reduced/system.h"
#include "reduced/touch.h"

/* A step that is being made. */
typedef struct Step {
    double h, b;
    bool two;         /* BDF2 */
    const double *q0; /* at its beginning */
    double *q, *u;    /* q*, u* */
    double *turn;     /* [dofs] y1 of rotations */
    double tolerance; /* of velocities, of their size */
    double size;      /* of velocities */
} Step;

static AfxVec3 log_of(const double *from, const double *to) {
    AfxQuat a = {from[0], -from[1], -from[2], -from[3]}, b = {to[0], to[1], to[2], to[3]};
    AfxQuat turn = afx_quat_multiply(a, b);
    AfxVec3 v = vec3_scale(turn.w < 0 ? -1 : 1, vec3(turn.x, turn.y, turn.z));
    double sine = vec3_length(v), angle = 2 * atan2(sine, fabs(turn.w));
    return vec3_scale(sine > 1e-8 ? angle / sine : 2, v);
}

/* Momenta p* of the past: those that the step begins with, or with those before, (4 p0 - p1) / 3. A part of a step
 * begins where the last one ended. */
static void begin_momenta(AfxiReduced *work, bool two) {
    AfxiReducedState own = afxi_reduced_state(work);
    if (work->part_from > 0) {
        afxi_reduced_momenta_at(work, work->q, work->u, work->momentum);
        return;
    }
    for (uint32_t k = 0; k < work->model->dynamic_count; k++) {
        AfxiSpatial change = spatial_sub(own.momentum[k], own.past_momentum[k]);
        work->momentum[k] = two ? spatial_mad(own.momentum[k], 1.0 / 3, change) : own.momentum[k];
    }
}

static Step begin(AfxiReduced *work, double h, bool wanted) {
    static const double tolerances[] = {[AFX_FAST] = 1e-6, [AFX_ACCURATE] = 1e-9, [AFX_CONVERGED] = 1e-12};
    const AfxiTree *tree = &work->tree;
    AfxiReducedState own = afxi_reduced_state(work);
    bool two = wanted && *own.history > 0 && work->world->def.integrator != AFX_BDF1;
    Step step = {.h = h, .b = two ? 2 * h / 3 : h, .two = two, .q0 = work->place[1], .q = work->place[0]};
    step.u = work->stage_u[0];
    step.turn = work->stage_du[0];
    begin_momenta(work, two);
    step.tolerance = tolerances[work->world->def.accuracy];
    memcpy(work->place[1], work->q, tree->coordinate_count * sizeof(double));
    memcpy(step.q, work->q, tree->coordinate_count * sizeof(double));
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        const double *now = work->q + node->coordinate, *past = own.past_q + node->coordinate;
        if (node->kind == AFXI_NODE_BALL) {
            vec3_store(step.turn + node->dof, two ? log_of(past, now) : vec3(0, 0, 0));
            continue;
        }
        for (uint32_t d = 0; two && d < node->dof_count; d++) {
            step.q[node->coordinate + d] = now[d] + (now[d] - past[d]) / 3;
        }
    }
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        double now = work->u[d];
        step.u[d] = two ? now + (now - own.past_u[d]) / 3 : now;
        work->u[d] = two ? 2 * now - own.past_u[d] : now; /* where the iterations begin */
        step.size = fmax(step.size, fmax(fabs(now), fabs(work->u[d])));
    }
    return step;
}

/* The vector y of a rotation whose velocity is w at the end of the step. */
static AfxVec3 turn_from(const Step *step, const double *before, AfxVec3 w) {
    AfxVec3 y1 = vec3_load(before), y = vec3_scale(step->h, w);
    for (int pass = 0; step->two && pass < AFXI_REDUCED_TURN_PASSES; pass++) {
        AfxVec3 cross = vec3_cross(y, w), rate = vec3_mad(w, 0.5, cross);
        rate = vec3_mad(rate, 1.0 / 12, vec3_cross(y, cross));
        y = vec3_scale(1.0 / 3, vec3_mad(y1, 2 * step->h, rate));
    }
    return y;
}

/* Coordinates of the end by its velocities. */
static void place_end(AfxiReduced *work, const Step *step) {
    const AfxiTree *tree = &work->tree;
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
static void evaluate(AfxiReduced *work, const Step *step, bool matrix) {
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        work->du[d] = (work->u[d] - step->u[d]) / step->b;
    }
    AfxiTreeTask task = {.q = work->q, .u = work->u, .du = work->du, .rows = &work->rows, .tau = work->bias};
    task.mass = matrix ? work->mass : NULL;
    afxi_tree_evaluate(&work->work, &task);
    afxi_reduced_balance(work, work->momentum, step->b, work->bias);
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

static void take_own_rows(AfxiReduced *work) {
    work->rows_now = &work->rows;
    work->mass_now = work->mass;
}

/* Springs and dampers of coordinates on the diagonal of M. */
static void stiffen(AfxiReduced *work, const Step *step) {
    for (uint32_t k = 0; k < work->force_count; k++) {
        const AfxiReducedRow *row = &work->force[k];
        if (row->dof != AFXI_TREE_NONE) {
            AfxiReducedMeasure at = {.value = row->factor * work->q[row->coordinate],
                                     .rate = row->factor * work->u[row->dof]};
            double stiffness, damping;
            afxi_reduced_slopes(work, row, at, &stiffness, &damping);
            work->mass[work->rows.row[row->dof + 1] - 1] +=
                step->b * row->factor * row->factor * fmax(0, damping + step->b * stiffness);
        }
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        afxi_reduced_ball_diagonal(work, work->ball[k], step->b);
    }
}

/* The factor of that, and of contact points beside it. */
static bool factor(AfxiReduced *work, const Step *step) {
    take_own_rows(work);
    if (afxi_reduced_touch_any(work)) {
        afxi_reduced_touch_matrix(work, step->b);
    }
    return work->work.kernels->factor(work->rows_now, work->mass_now) != 0;
}

/* What rows ask of the change of velocities, and how they give way. */
static void set_sides(AfxiReduced *work, const Step *step) {
    for (uint32_t k = 0; k < work->active_count; k++) {
        const AfxiReducedRow *row = &work->active[k];
        const AfxiReducedMeasure *at = &work->measure[k];
        double target[3];
        work->compliance[k] = 0;
        switch (row->holds) {
        case AFXI_HOLDS_VALUE:
            afxi_reduced_target(work, row, 1, target);
            work->side[k] = (at->value - target[0]) / step->b;
            break;
        case AFXI_HOLDS_END:
            work->side[k] = (at->value - afxi_reduced_end(work, row)) / step->b;
            break;
        case AFXI_HOLDS_RATE:
            work->side[k] = at->rate;
            break;
        case AFXI_HOLDS_LAW: {
            double stiffness, damping;
            afxi_reduced_slopes(work, row, *at, &stiffness, &damping);
            work->side[k] = 0;                         /* its force is in the residual */
            stiffness = damping + step->b * stiffness; /* where it falls, it follows from solve to solve */
            work->compliance[k] = stiffness > 0 ? 1 / (step->b * stiffness) : AFXI_REDUCED_LIMP;
            break;
        }
        }
    }
}

/* The change of velocities at these frames, into work->du; false where nothing finite comes of it. */
static bool solve(AfxiReduced *work, const Step *step, bool again) {
    uint32_t n = work->tree.dof_count;
    for (uint32_t d = 0; d < n; d++) {
        work->du[d] = -step->b * work->bias[d];
    }
    if (afxi_reduced_touch_any(work)) {
        memset(work->tau, 0, n * sizeof *work->tau);
        afxi_reduced_touch_forces(work);
        for (uint32_t d = 0; d < n; d++) {
            work->du[d] += step->b * work->tau[d];
        }
    }
    work->work.kernels->solve(work->rows_now, work->mass_now, work->du);
    set_sides(work, step);
    return !work->active_count ||
           afxi_reduced_correct(work, work->du, AFXI_REDUCED_REGULARISE, again ? AFXI_REDUCED_REFINE_MOST : 2);
}

/* Solves at these frames until the right contact points push and slide; false: no. */
static bool settle(AfxiReduced *work, const Step *step) {
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

/* Takes the change of the last solve: the largest of a velocity comes back. */
static double take(AfxiReduced *work, const Step *step) {
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

static double violation(AfxiReduced *work) {
    double most = 0;
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
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

/* One iteration: the largest change of a velocity comes back, or INFINITY. */
static double improve(AfxiReduced *work, const Step *step, bool fresh) {
    afxi_reduced_list_held(work, true);
    evaluate(work, step, fresh);
    set_residual(work);
    if (fresh) {
        stiffen(work, step);
    }
    if (afxi_reduced_touch_any(work)) {
        return settle(work, step) ? take(work, step) : INFINITY;
    }
    work->solves++;
    return (!fresh || factor(work, step)) && solve(work, step, fresh) ? take(work, step) : INFINITY;
}

/* Iterations with the points that there are; false: they do not converge. */
static bool iterate(AfxiReduced *work, Step *step) {
    double change = INFINITY, last = INFINITY;
    bool fresh = true, touches = afxi_reduced_touch_any(work);
    for (int pass = 0; pass <= AFXI_REDUCED_NEWTON_MOST; pass++) {
        place_end(work, step);
        bool changed = pass > 0 && afxi_reduced_branches(work);
        double size = fmax(step->size, AFXI_REDUCED_STILL);
        if (pass > 0 && !changed && change <= step->tolerance * size && !afxi_reduced_touch_open(work)) {
            return !work->touch.active.penetrating;
        }
        if (!(change < AFXI_REDUCED_LOST * size || pass == 0)) {
            break;
        }
        fresh = fresh || changed || touches || change > AFXI_REDUCED_CHORD * last;
        last = changed ? INFINITY : change;
        change = improve(work, step, fresh);
        step->size = fmax(step->size, pass == 0 ? change : 0);
        fresh = false;
    }
    return false;
}

/* Whether points were looked for again, where the iterations have put the bodies. *out_fine: no, and something lies too
 * deep. */
static bool look_again(AfxiReduced *work, const Step *step, int looks, bool *out_fine) {
    if (!work->touch.collide) {
        return false;
    }
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    AfxiFit fit = afxi_reduced_touch_fit(work);
    bool again = looks < (fit == AFXI_FIT_PENETRATING ? AFXI_REDUCED_LOOKS_DEEP : AFXI_REDUCED_LOOKS_MOST);
    if (fit == AFXI_FIT || !again) {
        *out_fine = fit != AFXI_FIT_PENETRATING;
        return false;
    }
    work->touch.status = afxi_reduced_touch_find(work, step->h, true);
    *out_fine = work->touch.status == AFX_OK;
    return *out_fine;
}

bool afxi_reduced_bdf(AfxiReduced *work, double h, bool two) {
    Step step = begin(work, h, two);
    afxi_reduced_inputs(work, 1);
    afxi_reduced_held_begin(work);
    bool fine = iterate(work, &step);
    for (int looks = 0; fine && look_again(work, &step, looks, &fine); looks++) {
        fine = iterate(work, &step);
    }
    take_own_rows(work);
    work->violation = work->exact_count ? violation(work) : 0;
    store_multipliers(work);
    return fine && work->violation <= AFXI_REDUCED_OPEN * (1 + work->model->size);
}
