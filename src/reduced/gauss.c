/* SPDX-License-Identifier: Apache-2.0 */
/* Collocation at the two Gauss points of a step: accelerations A_i of the equations at
 *     u_i = u0 + h sum a_ij A_j,  q_i = q0 exp(h sum a_ij y_j'),
 * where y' is the velocity, of rotations in the vector y that they have turned by since the beginning. Stages are
 * solved one after the other, each with the matrix M + h d_i D + h² k_i K of springs, dampers and servos, d and k the
 * diagonals of the lower factors of (a_ij) and its square: what is left falls to a third in an iteration at the worst
 * stiffness, and at none and any large one at once (van der Houwen and de Swart 1997). */
#include <math.h>
#include <string.h>

#include "reduced/explicit.h"
#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/newton.h"
#include "reduced/smooth.h"
#include "reduced/system.h"

#define ROOT3 1.7320508075688772935
static const double node[2] = {0.5 - ROOT3 / 6, 0.5 + ROOT3 / 6};
static const double weight[2][2] = {{0.25, 0.25 - ROOT3 / 6}, {0.25 + ROOT3 / 6, 0.25}};
static const double by_rate[2] = {1.0 / 4, 1.0 / 3}, by_place[2] = {1.0 / 24, 1.0 / 6};

/* The rate of a rotation's vector y at angular velocity w, in axes that turn with it. */
static AfxVec3 vector_rate(AfxVec3 y, AfxVec3 w) {
    double square = vec3_dot(y, y), angle = sqrt(square);
    double second =
        angle > 0.05 ? (1 - 0.5 * angle / tan(0.5 * angle)) / square : 1.0 / 12 + square * (1.0 / 720 + square / 30240);
    AfxVec3 cross = vec3_cross(y, w);
    return vec3_mad(vec3_mad(w, 0.5, cross), second, vec3_cross(y, cross));
}

/* What stage s has moved by since the beginning, into `out`, by the rates y' of both in work->stage_u[2] and [3]. */
static void moved_by(const AfxiReduced *work, const double share[2], double h, double *out) {
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        out[d] = h * (share[0] * work->stage_u[2][d] + share[1] * work->stage_u[3][d]);
    }
}

/* Velocities and coordinates of a stage by the accelerations of both. */
static void place_stage(AfxiReduced *work, int s, double h) {
    const AfxiTree *tree = &work->tree;
    double *u = work->stage_u[s], *rate = work->stage_u[2 + s];
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        u[d] = work->u[d] + h * (weight[s][0] * work->stage_du[2][d] + weight[s][1] * work->stage_du[3][d]);
    }
    moved_by(work, weight[s], h, work->row);
    memcpy(rate, u, tree->dof_count * sizeof(double));
    for (uint32_t k = 0; k < tree->node_count; k++) {
        uint32_t d = tree->node[k].dof;
        if (tree->node[k].kind == AFXI_NODE_BALL) {
            vec3_store(rate + d, vector_rate(vec3_load(work->row + d), vec3_load(u + d)));
        }
    }
    moved_by(work, weight[s], h, work->row);
    afxi_tree_move(tree, work->q, work->row, 1, work->place[s]);
}

/* tau - bias - M A, into work->du. */
static void set_residual(AfxiReduced *work, const double *acceleration) {
    uint32_t n = work->tree.dof_count;
    for (uint32_t d = 0; d < n; d++) {
        work->du[d] = work->tau[d] - work->bias[d];
    }
    for (uint32_t d = 0; d < n; d++) {
        for (uint32_t k = work->rows.row[d]; k < work->rows.row[d + 1]; k++) {
            uint32_t e = work->rows.above[k];
            work->du[d] -= work->mass[k] * acceleration[e];
            work->du[e] -= e == d ? 0 : work->mass[k] * acceleration[d];
        }
    }
}

/* Springs and dampers of coordinates on the diagonal. */
static void stiffen(AfxiReduced *work, int s, double h) {
    for (uint32_t k = 0; k < work->force_count; k++) {
        const AfxiReducedRow *row = &work->force[k];
        if (row->dof != AFXI_TREE_NONE) {
            double stiffness, damping;
            AfxiReducedMeasure at = {.value = row->factor * work->place[s][row->coordinate],
                                     .rate = row->factor * work->stage_u[s][row->dof]};
            afxi_reduced_slopes(work, row, at, &stiffness, &damping);
            work->mass[work->rows.row[row->dof + 1] - 1] +=
                row->factor * row->factor *
                (h * by_rate[s] * fmax(0, damping) + h * h * by_place[s] * fmax(0, stiffness));
        }
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        afxi_reduced_ball_diagonal(work, work->ball[k], h * by_rate[s], h * h * by_place[s]);
    }
}

/* What rows ask of the change of accelerations; forces along other scalars are rows that give way. */
static void set_sides(AfxiReduced *work, int s, double h) {
    uint32_t n = work->tree.dof_count;
    afxi_reduced_sides(work, node[s], work->place[s], work->stage_u[s]);
    for (uint32_t k = 0; k < work->active_count; k++) {
        const double *gradient = work->gradient + (size_t)k * n;
        if (work->active[k].holds == AFXI_HOLDS_LAW) {
            double stiffness, damping, sum;
            afxi_reduced_slopes(work, &work->active[k], work->measure[k], &stiffness, &damping);
            sum = h * by_rate[s] * fmax(0, damping) + h * h * by_place[s] * fmax(0, stiffness);
            work->side[k] = 0; /* its force is in the residual */
            work->compliance[k] = sum > 0 ? 1 / sum : AFXI_REDUCED_LIMP;
            continue;
        }
        work->compliance[k] = 0;
        for (uint32_t d = 0; d < n; d++) {
            work->side[k] += gradient[d] * work->stage_du[2 + s][d];
        }
    }
}

/* One iteration of a stage: the largest change of an acceleration comes back, or INFINITY. */
static double improve(AfxiReduced *work, int s, double h) {
    uint32_t n = work->tree.dof_count;
    const AfxiTreeKernels *kernels = work->work.kernels;
    place_stage(work, s, h);
    AfxiTreeTask task = {.q = work->place[s], .u = work->stage_u[s], .rows = &work->rows};
    task.tau = work->bias;
    task.mass = work->mass;
    afxi_reduced_inputs(work, node[s]);
    afxi_tree_evaluate(&work->work, &task);
    memset(work->tau, 0, n * sizeof *work->tau);
    afxi_reduced_forces(work, work->place[s], work->stage_u[s], work->tau, NULL);
    afxi_reduced_wrenches(work, work->place[s], work->tau);
    set_residual(work, work->stage_du[2 + s]);
    stiffen(work, s, h);
    if (!kernels->factor(&work->rows, work->mass)) {
        return INFINITY;
    }
    afxi_reduced_list_held(work, true);
    if (work->active_count) {
        set_sides(work, s, h);
    }
    if (!afxi_reduced_fall(work, work->du, AFXI_REDUCED_REFINE_MOST)) {
        return INFINITY;
    }
    double most = 0;
    for (uint32_t d = 0; d < n; d++) {
        work->stage_du[2 + s][d] += work->du[d];
        most = isfinite(work->du[d]) ? fmax(most, fabs(work->du[d])) : INFINITY;
    }
    work->solves++;
    return most;
}

/* Where iterations begin: on the straight line through the accelerations of the last step, or as they are now. */
static bool guess_stages(AfxiReduced *work) {
    AfxiReducedState own = afxi_reduced_state(work);
    size_t bytes = work->tree.dof_count * sizeof(double);
    memcpy(work->stage_u[2], work->u, bytes);
    memcpy(work->stage_u[3], work->u, bytes);
    if (*own.kept == AFXI_KEPT_GAUSS && work->part_share == 1) {
        for (uint32_t d = 0; d < work->tree.dof_count; d++) {
            double slope = (own.rate[1][d] - own.rate[0][d]) / (node[1] - node[0]);
            work->stage_du[2][d] = own.rate[0][d] + slope;
            work->stage_du[3][d] = own.rate[1][d] + slope;
        }
        return true;
    }
    afxi_reduced_inputs(work, 0);
    bool fine = afxi_reduced_accelerate(work, 0, work->q, work->u, work->stage_du[2], NULL);
    memcpy(work->stage_du[3], work->stage_du[2], bytes);
    return fine;
}

static bool iterate(AfxiReduced *work, double h) {
    double tolerance = AFXI_REDUCED_GAUSS_LEFT * afxi_reduced_tolerance(work), last = INFINITY;
    for (int pass = 0; pass < AFXI_REDUCED_NEWTON_MOST; pass++) {
        double first = improve(work, 0, h),
               second = improve(work, 1, h); /* the second goes by the first one's result */
        double change = h * fmax(first, second), size = AFXI_REDUCED_STILL;
        for (uint32_t d = 0; d < work->tree.dof_count; d++) {
            size = fmax(size, fmax(fabs(work->stage_u[0][d]), fabs(work->stage_u[1][d])));
        }
        bool rounding = change > AFXI_REDUCED_SLOW * last && change <= AFXI_REDUCED_GAUSS_ROUNDING * size;
        if (change <= tolerance * size || rounding) {
            return true;
        }
        if (!(change < AFXI_REDUCED_LOST * size)) {
            break;
        }
        last = change;
    }
    return false;
}

bool afxi_reduced_gauss2(AfxiReduced *work, double h) {
    static const double half[2] = {0.5, 0.5};
    if (!guess_stages(work) || !iterate(work, h)) {
        return false;
    }
    place_stage(work, 0, h); /* rates by the last accelerations */
    place_stage(work, 1, h);
    moved_by(work, half, h, work->row);
    afxi_tree_move(&work->tree, work->q, work->row, 1, work->q);
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        work->u[d] += 0.5 * h * (work->stage_du[2][d] + work->stage_du[3][d]);
    }
    afxi_reduced_inputs(work, 1);
    work->kept = AFXI_KEPT_GAUSS;
    if (work->exact_count && !afxi_reduced_project(work, work->q, work->u, 1)) {
        return false;
    }
    /* what rows and forces are at the end */
    return afxi_reduced_accelerate(work, 1, work->q, work->u, work->stage_du[1], work->told);
}
