/* SPDX-License-Identifier: Apache-2.0 */
/* newton.c in lanes, of robots on which all acts along coordinates of the tree. Each lane has iterations, matrices and
 * branches of its own: it takes a new matrix only when it would by itself, and stays as it is when it is done. What is
 * of a few numbers is done robot by robot. */
#include "reduced/newton.h"

#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/implicit.h"
#include "reduced/lanes.h"
#include "reduced/measure.h"
#include "reduced/system.h"

/* A robot in its step. */
typedef struct Lane {
    AfxiReducedStep step;
    AfxiReducedPasses passes;
} Lane;

bool afxi_lanes_take_implicit(const AfxiReduced *robot) {
    return robot->straight && !robot->world->force_count;
}

/* Some limit or friction is on. */
static bool is_held(const AfxiReduced *robot) {
    bool any = false;
    for (uint32_t k = 0; k < robot->held_count; k++) {
        any = any || robot->world->state.drive_branch[robot->held[k].index] != 0;
    }
    return any;
}

/* Entries of the lanes `which` from one array to another. */
static void merge(const AfxiReducedLanes *lanes, AfxiLaneBits which, size_t count, const double *from, double *to) {
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        for (size_t k = l; afxi_lane_in(which, l) && k < count * lanes->lanes; k += lanes->lanes) {
            to[k] = from[k];
        }
    }
}

static void begin(AfxiReducedLanes *lanes, uint32_t l, Lane *lane, double h, bool two) {
    AfxiReduced *robot = lanes->robot[l];
    *lane = (Lane){.step = afxi_reduced_bdf_begin(robot, h, two), .passes = afxi_reduced_passes()};
    afxi_reduced_list_held(robot, true);
    lanes->rate[l] = 1 / lane->step.b;
    afxi_lanes_put(lanes, l, 6 * (size_t)robot->body_count, (const double *)(const void *)robot->momentum,
                   lanes->momentum);
    afxi_lanes_put_moved(lanes, l);
}

/* Where the robot's iteration is. */
static void put_state(AfxiReducedLanes *lanes, uint32_t l, const Lane *lane) {
    AfxiReduced *robot = lanes->robot[l];
    uint32_t n = robot->tree.dof_count;
    for (uint32_t d = 0; d < n; d++) {
        robot->du[d] = (robot->u[d] - lane->step.u[d]) / lane->step.b;
    }
    afxi_lanes_put(lanes, l, robot->tree.coordinate_count, robot->q, lanes->q);
    afxi_lanes_put(lanes, l, n, robot->u, lanes->u);
    afxi_lanes_put(lanes, l, n, robot->du, lanes->du);
    if (lanes->plain && lanes->lively) {
        afxi_lanes_put_targets(lanes, l, robot->q, robot->u);
    }
}

/* What balances momenta less what acts, and multipliers of rows. */
static void evaluate(AfxiReducedLanes *lanes, AfxiLaneBits going, bool matrix) {
    const AfxiReduced *leader = lanes->robot[0];
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    size_t n = leader->tree.dof_count, width = lanes->lanes;
    AfxiTreeTask task = {.q = lanes->q,
                         .u = lanes->u,
                         .du = lanes->du,
                         .rows = &leader->rows,
                         .tau = lanes->bias,
                         .mass = matrix ? lanes->new_mass : NULL,
                         .past = lanes->momentum,
                         .rate = lanes->rate};
    kernels->balance(&lanes->work, &task);
    memset(lanes->tau, 0, n * width * sizeof(double));
    kernels->push(lanes->law, leader->force_count, lanes->q, lanes->u, lanes->tau);
    kernels->add_scaled(n, lanes->bias, -1, lanes->tau, lanes->bias);
    for (uint32_t l = 0; l < width; l++) {
        const AfxiReduced *robot = lanes->robot[l];
        for (uint32_t k = 0; afxi_lane_in(going, l) && k < robot->active_count; k++) {
            double lambda = *robot->active[k].multiplier;
            const double *gradient = lanes->seats->gradient + k * n * width + l;
            for (size_t d = 0; lambda != 0 && d < n; d++) {
                lanes->bias[d * width + l] += gradient[d * width] * lambda;
            }
        }
    }
}

/* Matrices of the lanes `fresh`, and their factors: those that have one. */
static AfxiLaneBits renew(AfxiReducedLanes *lanes, AfxiLaneBits fresh, const Lane *lane) {
    const AfxiReduced *leader = lanes->robot[0];
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    size_t n = leader->tree.dof_count, m = leader->exact_count, width = lanes->lanes;
    for (uint32_t l = 0; l < width; l++) {
        AfxiReduced *robot = lanes->robot[l];
        if (afxi_lane_in(fresh, l)) {
            afxi_reduced_stiffness(robot, &lane[l].step, robot->row);
            for (size_t d = 0; d < n; d++) {
                lanes->new_mass[(leader->rows.row[d + 1] - 1) * width + l] += robot->row[d];
            }
        }
    }
    AfxiLaneBits fine = fresh & kernels->factor(&leader->rows, lanes->new_mass);
    merge(lanes, fine, leader->rows.size, lanes->new_mass, lanes->mass);
    if (m) {
        AfxiTreeSystem *system = &lanes->renewed, all = lanes->equations;
        all.factor = lanes->new_mass;
        all.gradient = system->gradient;
        all.half = system->half;
        all.schur = system->schur;
        memset(all.free, 0, m * width * sizeof(double));
        memset(all.compliance, 0, m * width * sizeof(double));
        memcpy(all.gradient, lanes->seats->gradient, m * n * width * sizeof(double));
        AfxiLaneBits redundant = kernels->system_factor(&all, 0);
        merge(lanes, fine, m * n, all.gradient, lanes->equations.gradient);
        merge(lanes, fine, m * n, all.half, lanes->equations.half);
        merge(lanes, fine, m * m, all.schur, lanes->equations.schur);
        for (uint32_t l = 0; l < width; l++) {
            if (afxi_lane_in(fine, l)) {
                lanes->robot[l]->regularised |= afxi_lane_in(redundant, l);
            }
        }
    }
    return fine;
}

/* What rows of a robot ask for. */
static void put_sides(AfxiReducedLanes *lanes, uint32_t l, const Lane *lane) {
    AfxiReduced *robot = lanes->robot[l];
    for (uint32_t k = 0; k < robot->active_count; k++) {
        robot->measure[k] = afxi_reduced_measure(robot, &robot->active[k], robot->q, robot->u, NULL);
    }
    afxi_reduced_newton_sides(robot, &lane->step);
    afxi_lanes_put(lanes, l, robot->active_count, robot->side, lanes->equations.side);
}

/* One iteration of the lanes `going`. */
static void improve(AfxiReducedLanes *lanes, AfxiLaneBits going, Lane *lane) {
    const AfxiReduced *leader = lanes->robot[0];
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    size_t n = leader->tree.dof_count, m = leader->exact_count, width = lanes->lanes;
    AfxiLaneBits fresh = 0, fine;
    for (uint32_t l = 0; l < width; l++) {
        if (afxi_lane_in(going, l)) {
            fresh |= (AfxiLaneBits)lane[l].passes.fresh << l;
            put_state(lanes, l, &lane[l]);
            put_sides(lanes, l, &lane[l]);
        }
    }
    evaluate(lanes, going, fresh != 0);
    fine = (going & ~fresh) | (fresh ? renew(lanes, fresh, lane) : 0);
    for (uint32_t l = 0; l < width; l++) {
        for (size_t d = 0; afxi_lane_in(going, l) && d < n; d++) {
            lanes->du[d * width + l] = -lane[l].step.b * lanes->bias[d * width + l];
        }
    }
    if (m) {
        fine &= kernels->system_fall(&lanes->equations, lanes->du, AFXI_REDUCED_REFINE_MOST);
    } else {
        kernels->solve(&leader->rows, lanes->mass, lanes->du);
    }
    for (uint32_t l = 0; l < width; l++) {
        AfxiReduced *robot = lanes->robot[l];
        if (afxi_lane_in(going, l)) {
            robot->solves++;
            afxi_lanes_get(lanes, l, n, lanes->du, robot->du);
            afxi_lanes_get(lanes, l, m, lanes->equations.lambda, robot->lambda);
            double change = afxi_lane_in(fine, l) ? afxi_reduced_take(robot, &lane[l].step) : INFINITY;
            afxi_reduced_passed(&lane[l].step, &lane[l].passes, change);
        }
    }
}

AfxiLaneBits afxi_lanes_bdf(AfxiReducedLanes *lanes, AfxiLaneBits going, double h, AfxiLaneBits two) {
    Lane lane[AFXI_LANES_MOST];
    AfxiLaneBits done = 0;
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        lanes->rate[l] = 1;
        if (afxi_lane_in(going, l)) {
            begin(lanes, l, &lane[l], h, afxi_lane_in(two, l));
        }
    }
    while (going) {
        for (uint32_t l = 0; l < lanes->lanes; l++) {
            if (!afxi_lane_in(going, l)) {
                continue;
            }
            AfxiReducedVerdict verdict = afxi_reduced_judge(lanes->robot[l], &lane[l].step, &lane[l].passes);
            bool goes = verdict == AFXI_REDUCED_GOES_ON && !is_held(lanes->robot[l]);
            done |= (AfxiLaneBits)(verdict == AFXI_REDUCED_CONVERGED && !is_held(lanes->robot[l])) << l;
            going &= ~((AfxiLaneBits)!goes << l);
        }
        if (going) {
            improve(lanes, going, lane);
        }
    }
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (afxi_lane_in(done, l) && !afxi_reduced_iterated(lanes->robot[l])) {
            done &= ~(1u << l);
        }
    }
    return done;
}
