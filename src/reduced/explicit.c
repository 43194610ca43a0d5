/* SPDX-License-Identifier: Apache-2.0 */
/* M du = tau - bias - J^T lambda, J du = -(d/dt J) u + targets'', and Runge-Kutta over it. Rows hold in accelerations
 * through a step; coordinates and velocities are put on them at its end, which moves them by no more than the error of
 * the method and so keeps its order. Rotations: q' = q (0, w)/2 in the four numbers, made unit again at the end. */
#include "reduced/explicit.h"

#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/measure.h"
#include "reduced/system.h"

/* Second derivatives of exact rows at no acceleration go to `side`, less those of their targets: differences of rates
 * along the motion. Frames and velocities are those of q, u again when it is done. */
static void bend_rows(AfxiReduced *work, double fraction, const double *q, const double *u) {
    double most = 0;
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        most = fmax(most, fabs(u[d]));
    }
    double span = AFXI_REDUCED_BENT / fmax(most, 1e-3);
    for (uint32_t k = 0; k < work->exact_count; k++) {
        double target[3];
        afxi_reduced_target(work, &work->exact[k], fraction, target);
        work->side[k] = -target[2];
    }
    afxi_tree_keep_moved(&work->work);
    for (int side = -1; side <= 1; side += 2) {
        afxi_tree_move(&work->tree, q, u, side * span, work->stage_q);
        afxi_tree_shift_moved(&work->work, side * span);
        afxi_tree_pose(&work->work, work->stage_q);
        afxi_tree_velocity(&work->work, u);
        for (uint32_t k = 0; k < work->exact_count; k++) {
            AfxiReducedMeasure at = afxi_reduced_measure(work, &work->exact[k], work->stage_q, u, NULL);
            work->side[k] += side * at.rate / (2 * span);
        }
    }
    afxi_tree_shift_moved(&work->work, 0);
    afxi_tree_pose(&work->work, q);
    afxi_tree_velocity(&work->work, u);
}

static void store_multipliers(const AfxiReduced *work, double *lambda) {
    for (uint32_t k = 0; lambda && k < work->exact_count; k++) {
        if (work->exact[k].place != UINT32_MAX) {
            lambda[work->exact[k].place] = work->exact[k].sign * work->lambda[k];
        }
    }
}

bool afxi_reduced_accelerate(AfxiReduced *work, double fraction, const double *q, const double *u, double *out,
                             double *lambda) {
    uint32_t n = work->tree.dof_count;
    bool finite = true;
    afxi_tree_pose(&work->work, q);
    afxi_tree_velocity(&work->work, u);
    if (work->exact_count) {
        bend_rows(work, fraction, q, u);
    }
    memset(work->tau, 0, n * sizeof *work->tau);
    afxi_reduced_forces(work, q, u, work->tau, lambda);
    const AfxiSpatial *external = afxi_reduced_external(work, q, work->tau);
    afxi_tree_inertia(&work->work);
    afxi_tree_inverse(&work->work, NULL, external, work->bias);
    afxi_tree_mass(&work->work, work->mass);
    if (!afxi_tree_factor(&work->tree, work->mass)) {
        return false;
    }
    for (uint32_t d = 0; d < n; d++) {
        out[d] = work->tau[d] - work->bias[d];
    }
    afxi_tree_solve(&work->tree, work->mass, out);
    if (work->exact_count) {
        afxi_reduced_rows(work, q, u);
        if (!afxi_reduced_correct(work, out, AFXI_REDUCED_REGULARISE, AFXI_REDUCED_REFINE_MOST)) {
            return false;
        }
        store_multipliers(work, lambda);
    }
    for (uint32_t d = 0; d < n; d++) {
        finite = finite && isfinite(out[d]);
    }
    return finite;
}

/* ---- stiffness ---- */

/* Stiffness and damping of a row's law, by differences. */
static void slopes(const AfxiReduced *work, const AfxiReducedRow *row, AfxiReducedMeasure at, double *out_k,
                   double *out_d) {
    double step = 1e-6 * (1 + fabs(at.value)), rate_step = 1e-6 * (1 + fabs(at.rate));
    double here = afxi_reduced_law(work, row, at.value, at.rate);
    *out_k = fabs(afxi_reduced_law(work, row, at.value + step, at.rate) - here) / step;
    *out_d = fabs(afxi_reduced_law(work, row, at.value, at.rate + rate_step) - here) / rate_step;
}

uint32_t afxi_reduced_too_stiff(AfxiReduced *work, double h) {
    uint32_t n = work->tree.dof_count;
    afxi_reduced_inputs(work, 0);
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    afxi_tree_inertia(&work->work);
    afxi_tree_mass(&work->work, work->mass);
    if (!afxi_tree_factor(&work->tree, work->mass)) {
        return AFXI_TREE_NONE; /* the step itself fails */
    }
    for (uint32_t k = 0; k < work->force_count; k++) {
        AfxiReducedMeasure at = afxi_reduced_measure(work, &work->force[k], work->q, work->u, work->force_gradient);
        double mobility = 0, stiffness, damping;
        uint32_t most = 0;
        memcpy(work->row, work->force_gradient, n * sizeof(double));
        afxi_tree_solve(&work->tree, work->mass, work->row);
        for (uint32_t d = 0; d < n; d++) {
            mobility += work->row[d] * work->force_gradient[d];
            most = fabs(work->force_gradient[d]) > fabs(work->force_gradient[most]) ? d : most;
        }
        slopes(work, &work->force[k], at, &stiffness, &damping);
        if (stiffness * mobility * h * h > AFXI_REDUCED_STIFF * AFXI_REDUCED_STIFF ||
            damping * mobility * h > AFXI_REDUCED_STIFF) {
            return work->tree.dof[most].body;
        }
    }
    return AFXI_TREE_NONE;
}

/* ---- Runge-Kutta ---- */

/* q + h q'(q0, u): the derivative at another place's coordinates for rotations. */
static void add_rate(const AfxiTree *tree, const double *at, const double *u, double h, double *out) {
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        const double *w = u + node->dof, *q = at + node->coordinate;
        double *to = out + node->coordinate;
        if (node->kind == AFXI_NODE_BALL) {
            double half = 0.5 * h;
            to[0] -= half * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
            to[1] += half * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
            to[2] += half * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
            to[3] += half * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
            continue;
        }
        for (uint32_t d = 0; d < node->dof_count; d++) {
            to[d] += h * w[d];
        }
    }
}

/* Rotations of unit length again. */
static void normalise(const AfxiTree *tree, double *q) {
    for (uint32_t k = 0; k < tree->node_count; k++) {
        double *at = q + tree->node[k].coordinate;
        if (tree->node[k].kind == AFXI_NODE_BALL) {
            double scale = 1 / sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3]);
            for (int e = 0; e < 4; e++) {
                at[e] *= scale;
            }
        }
    }
}

bool afxi_reduced_rk4(AfxiReduced *work, double h) {
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    uint32_t n = work->tree.dof_count;
    size_t coordinates = work->tree.coordinate_count * sizeof(double);
    memcpy(work->place[0], work->q, coordinates);
    memcpy(work->stage_u[0], work->u, n * sizeof(double));
    for (int s = 0; s < 4; s++) {
        if (s > 0) {
            memcpy(work->place[s], work->q, coordinates);
            add_rate(&work->tree, work->place[s - 1], work->stage_u[s - 1], node[s] * h, work->place[s]);
            normalise(&work->tree, work->place[s]);
            for (uint32_t d = 0; d < n; d++) {
                work->stage_u[s][d] = work->u[d] + node[s] * h * work->stage_du[s - 1][d];
            }
        }
        afxi_reduced_inputs(work, node[s]);
        if (!afxi_reduced_accelerate(work, node[s], work->place[s], work->stage_u[s], work->stage_du[s],
                                     s == 3 ? work->told : NULL)) {
            return false;
        }
    }
    for (int s = 0; s < 4; s++) {
        add_rate(&work->tree, work->place[s], work->stage_u[s], weight[s] * h, work->q);
        for (uint32_t d = 0; d < n; d++) {
            work->u[d] += weight[s] * h * work->stage_du[s][d];
        }
    }
    normalise(&work->tree, work->q);
    afxi_reduced_inputs(work, 1);
    return !work->exact_count || afxi_reduced_project(work, work->q, work->u, 1);
}
