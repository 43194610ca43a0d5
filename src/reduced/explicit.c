/* SPDX-License-Identifier: Apache-2.0 */
/* M du = tau - bias - J^T lambda, J du = -(d/dt J) u + targets'', and Runge-Kutta over it. Rows hold in accelerations
 * through a step; coordinates and velocities are put on them at its end, which moves them by no more than the error of
 * the method and so keeps its order. Rotations: q' = q (0, w)/2 in the four numbers, made unit again at the end. */
#include "reduced/explicit.h"

#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/measure.h"
#include "reduced/system.h"
#include "reduced/touch.h"

/* Second derivatives at no acceleration of rows that go by coordinates of joints which are no branches: differences of
 * rates along the motion. Frames and velocities are those of q, u again when it is done. */
static void bend_rows(AfxiReduced *work, const double *q, const double *u) {
    double most = 0;
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        most = fmax(most, fabs(u[d]));
    }
    double span = AFXI_REDUCED_BENT / fmax(most, 1e-3);
    afxi_tree_keep_moved(&work->work);
    for (int side = -1; side <= 1; side += 2) {
        afxi_tree_move(&work->tree, q, u, side * span, work->stage_q);
        afxi_tree_shift_moved(&work->work, side * span);
        afxi_tree_pose(&work->work, work->stage_q);
        afxi_tree_velocity(&work->work, u);
        for (uint32_t k = 0; k < work->active_count; k++) {
            if (work->active[k].bends) {
                AfxiReducedMeasure at = afxi_reduced_measure(work, &work->active[k], work->stage_q, u, NULL);
                work->measure[k].bend += side * at.rate / (2 * span);
            }
        }
    }
    afxi_tree_shift_moved(&work->work, 0);
    afxi_tree_pose(&work->work, q);
    afxi_tree_velocity(&work->work, u);
}

void afxi_reduced_sides(AfxiReduced *work, double fraction, const double *q, const double *u) {
    afxi_reduced_measure_active(work, q, u);
    if (work->bends) {
        bend_rows(work, q, u);
    }
    for (uint32_t k = 0; k < work->active_count; k++) {
        double target[3];
        afxi_reduced_target(work, &work->active[k], fraction, target);
        work->side[k] = work->measure[k].bend - (work->active[k].holds == AFXI_HOLDS_VALUE ? target[2] : 0);
    }
}

static void store_multipliers(const AfxiReduced *work, double *lambda) {
    for (uint32_t k = 0; k < work->active_count; k++) {
        if (work->active[k].place != UINT32_MAX) {
            lambda[work->active[k].place] = work->active[k].sign * work->lambda[k];
        }
    }
}

bool afxi_reduced_fall_stage(AfxiReduced *work, double fraction, const double *q, const double *u, double *out,
                             double *lambda) {
    afxi_reduced_list_held(work, false);
    if (work->active_count) {
        afxi_reduced_sides(work, fraction, q, u);
    }
    if (!afxi_reduced_fall(work, out, AFXI_REDUCED_REFINE_MOST)) {
        return false;
    }
    if (lambda) {
        afxi_reduced_held_tell(work, lambda);
        store_multipliers(work, lambda);
    }
    return true;
}

/* Whether frames are those of the step that was committed last, and its end was at q, u. */
static bool is_placed(const AfxiReduced *work, const double *q, const double *u) {
    return work->work.placed && memcmp(work->place[0], q, work->tree.coordinate_count * sizeof *q) == 0 &&
           memcmp(work->stage_u[0], u, work->tree.dof_count * sizeof *u) == 0;
}

bool afxi_reduced_accelerate(AfxiReduced *work, double fraction, const double *q, const double *u, double *out,
                             double *lambda) {
    uint32_t n = work->tree.dof_count;
    bool finite = true;
    const AfxiTreeKernels *kernels = work->work.kernels;
    AfxiTreeTask task = {.q = q, .u = u, .rows = &work->rows, .tau = work->bias, .mass = work->mass};
    task.placed = is_placed(work, q, u);
    afxi_tree_evaluate(&work->work, &task);
    memset(work->tau, 0, n * sizeof *work->tau);
    afxi_reduced_forces(work, q, u, work->tau, lambda);
    afxi_reduced_wrenches(work, q, work->tau);
    afxi_reduced_held_forces(work, work->tau);
    if (work->touch.acting) {
        afxi_reduced_touch_give(work, work->tau);
    }
    if (!kernels->factor(&work->rows, work->mass)) {
        return false;
    }
    for (uint32_t d = 0; d < n; d++) {
        out[d] = work->tau[d] - work->bias[d];
    }
    if (!afxi_reduced_fall_stage(work, fraction, q, u, out, lambda)) {
        return false;
    }
    for (uint32_t d = 0; d < n; d++) {
        finite = finite && isfinite(out[d]);
    }
    return finite;
}

/* ---- stiffness ---- */

/* 1 / mass along a row's gradient, and the body next to the velocity that it moves most. */
static double mobility_of(AfxiReduced *work, const double *gradient, uint32_t *out_body) {
    uint32_t n = work->tree.dof_count, most = 0;
    double sum = 0;
    memcpy(work->row, gradient, n * sizeof(double));
    work->work.kernels->half_solve(&work->rows, work->mass, work->row);
    for (uint32_t d = 0; d < n; d++) {
        sum += work->row[d] * work->row[d];
        most = fabs(gradient[d]) > fabs(gradient[most]) ? d : most;
    }
    *out_body = work->tree.dof[most].body;
    return sum;
}

static bool is_stiff(double stiffness, double damping, double mobility, double h, double most) {
    return fabs(stiffness) * mobility * h * h > most * most || fabs(damping) * mobility * h > most;
}

/* The same of springs of balls, and of what a medium brakes. */
static uint32_t find_stiff_body(AfxiReduced *work, double h, double most) {
    for (uint32_t k = 0; k < work->ball_count; k++) {
        double stiffness, damping;
        uint32_t node = afxi_reduced_ball_slopes(work, work->ball[k], &stiffness, &damping), body;
        for (uint32_t e = 0; node != AFXI_TREE_NONE && e < 3; e++) {
            memset(work->force_gradient, 0, work->tree.dof_count * sizeof(double));
            work->force_gradient[work->tree.node[node].dof + e] = 1;
            if (is_stiff(stiffness, damping, mobility_of(work, work->force_gradient, &body), h, most)) {
                return body;
            }
        }
    }
    for (uint32_t k = 0; work->tree.damped && k < work->tree.carried_count; k++) {
        uint32_t body = work->tree.carried[k].body;
        if (work->model->kind[body] == AFX_BODY_DYNAMIC) {
            const AfxiBodyClass *class = afxi_world_class(work->world, body);
            if (fmax(class->linear_damping, class->angular_damping) * h > most) {
                return body;
            }
        }
    }
    return AFXI_TREE_NONE;
}

uint32_t afxi_reduced_find_stiff(AfxiReduced *work, double h, double most) {
    for (uint32_t k = 0; k < work->force_count; k++) {
        const AfxiReducedRow *row = &work->force[k];
        double stiffness, damping;
        uint32_t body;
        AfxiReducedMeasure at = afxi_reduced_measure(work, row, work->q, work->u, work->force_gradient);
        afxi_reduced_slopes(work, row, at, &stiffness, &damping);
        if (stiffness == 0 && damping == 0) {
            continue;
        }
        double mobility = mobility_of(work, work->force_gradient, &body);
        if (is_stiff(stiffness, damping, mobility, h, most)) {
            return body;
        }
    }
    return find_stiff_body(work, h, most);
}

uint32_t afxi_reduced_too_stiff(AfxiReduced *work, double h, double most) {
    afxi_reduced_inputs(work, 0);
    AfxiTreeTask task = {.q = work->q, .u = work->u, .rows = &work->rows, .tau = work->bias, .mass = work->mass};
    afxi_tree_evaluate(&work->work, &task);
    /* where it has no factor, the step itself fails */
    return work->work.kernels->factor(&work->rows, work->mass) ? afxi_reduced_find_stiff(work, h, most)
                                                               : AFXI_TREE_NONE;
}

/* ---- Runge-Kutta ---- */

bool afxi_reduced_rk4(AfxiReduced *work, double h, bool smooth) {
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    uint32_t n = work->tree.dof_count;
    const AfxiTreeKernels *kernels = work->work.kernels;
    size_t coordinates = work->tree.coordinate_count * sizeof(double);
    work->work.placed = is_placed(work, work->q, work->u);
    memcpy(work->place[0], work->q, coordinates);
    memcpy(work->stage_u[0], work->u, n * sizeof(double));
    for (int s = 0; s < 4; s++) {
        if (s > 0) {
            memcpy(work->place[s], work->q, coordinates);
            kernels->add_rate(&work->tree, work->place[s - 1], work->stage_u[s - 1], node[s] * h, work->place[s]);
            kernels->normalise(&work->tree, work->place[s]);
            for (uint32_t d = 0; d < n; d++) {
                work->stage_u[s][d] = work->u[d] + node[s] * h * work->stage_du[s - 1][d];
            }
        }
        afxi_reduced_inputs(work, node[s]);
        if (!afxi_reduced_accelerate(work, node[s], work->place[s], work->stage_u[s], work->stage_du[s],
                                     s == 3 ? work->told : NULL)) {
            return false;
        }
        if (s == 0 && smooth && afxi_reduced_find_stiff(work, h, AFXI_REDUCED_SMOOTH) != AFXI_TREE_NONE) {
            return false;
        }
    }
    for (int s = 0; s < 4; s++) {
        kernels->add_rate(&work->tree, work->place[s], work->stage_u[s], weight[s] * h, work->q);
        for (uint32_t d = 0; d < n; d++) {
            work->u[d] += weight[s] * h * work->stage_du[s][d];
        }
    }
    kernels->normalise(&work->tree, work->q);
    afxi_reduced_inputs(work, 1);
    return !work->exact_count || afxi_reduced_follow(work, work->q, work->u, 1);
}
