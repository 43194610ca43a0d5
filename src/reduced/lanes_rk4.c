/* SPDX-License-Identifier: Apache-2.0 */
/* explicit.c in lanes. What is no force along a coordinate of the tree, or no row of them, is evaluated robot by robot
 * between the recursions. */
#include <math.h>
#include <string.h>

#include "reduced/advance.h"
#include "reduced/explicit.h"
#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/lanes.h"
#include "reduced/measure.h"
#include "reduced/system.h"

/* A stage of the step: `fraction` is its place there, `last` tells multipliers. */
typedef struct Stage {
    double fraction;
    int number;
    bool last;
} Stage;

/* ---- numbers of the robots ---- */

/* Of a stage. */
static void put_targets(AfxiReducedLanes *lanes, uint32_t lane, int stage) {
    AfxiReduced *robot = lanes->robot[lane];
    double *q = robot->place[stage], *u = robot->stage_u[stage];
    if (lanes->given) {
        robot->work.placed = false; /* what it is told by is overwritten */
        afxi_lanes_get(lanes, lane, robot->tree.coordinate_count, lanes->place[stage], q);
        afxi_lanes_get(lanes, lane, robot->tree.dof_count, lanes->stage_u[stage], u);
    }
    afxi_lanes_put_targets(lanes, lane, q, u);
}

/* ---- accelerations ---- */

/* Whether forces of a robot are evaluated by itself. */
static bool is_own(const AfxiReducedLanes *lanes, uint32_t lane) {
    return !lanes->plain || lanes->robot[lane]->world->force_count;
}

static void own_forces(AfxiReducedLanes *lanes, uint32_t lane, const Stage *stage) {
    AfxiReduced *robot = lanes->robot[lane];
    const double *q = robot->place[stage->number], *u = robot->stage_u[stage->number];
    memset(robot->tau, 0, robot->tree.dof_count * sizeof *robot->tau);
    afxi_reduced_forces(robot, q, u, robot->tau, stage->last ? robot->told : NULL);
    afxi_reduced_wrenches(robot, q, robot->tau);
    afxi_lanes_put(lanes, lane, robot->tree.dof_count, robot->tau, lanes->tau);
}

static void tell_forces(const AfxiReducedLanes *lanes, uint32_t lane) {
    const AfxiReduced *robot = lanes->robot[lane];
    for (uint32_t k = 0; k < robot->force_count; k++) {
        const AfxiReducedRow *row = &robot->force[k];
        if (row->place != UINT32_MAX) {
            robot->told[row->place] = row->sign * lanes->law[k].number[(size_t)AFXI_LAW_PUSH * lanes->lanes + lane];
        }
    }
}

static void set_forces(AfxiReducedLanes *lanes, AfxiLaneBits going, const Stage *stage) {
    const AfxiReduced *leader = lanes->robot[0];
    memset(lanes->tau, 0, leader->tree.dof_count * lanes->lanes * sizeof(double));
    if (lanes->plain) {
        lanes->work.kernels->push(lanes->law, leader->force_count, lanes->place[stage->number],
                                  lanes->stage_u[stage->number], lanes->tau);
    }
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (afxi_lane_in(going, l) && is_own(lanes, l)) {
            own_forces(lanes, l, stage);
        } else if (afxi_lane_in(going, l) && stage->last) {
            tell_forces(lanes, l);
        }
        if (afxi_lane_in(going, l) && stage->last) {
            afxi_reduced_held_tell(lanes->robot[l], lanes->robot[l]->told);
        }
    }
}

static void tell_rows(const AfxiReducedLanes *lanes, uint32_t lane) {
    const AfxiReduced *robot = lanes->robot[lane];
    for (uint32_t k = 0; k < robot->exact_count; k++) {
        if (robot->exact[k].place != UINT32_MAX) {
            robot->told[robot->exact[k].place] =
                robot->exact[k].sign * lanes->equations.lambda[(size_t)k * lanes->lanes + lane];
        }
    }
}

/* Forces du become accelerations, with rows of coordinates of the tree, in lanes. */
static AfxiLaneBits fall(AfxiReducedLanes *lanes, AfxiLaneBits going, const Stage *stage, double *du) {
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    const AfxiReduced *leader = lanes->robot[0];
    size_t m = lanes->equations.row_count;
    memset(lanes->equations.free, 0, m * lanes->lanes * sizeof(double));
    memcpy(lanes->equations.gradient, lanes->seats->gradient,
           m * leader->tree.dof_count * lanes->lanes * sizeof(double));
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        for (uint32_t k = 0; afxi_lane_in(going, l) && k < m; k++) {
            double target[3];
            afxi_reduced_target(lanes->robot[l], &lanes->robot[l]->exact[k], stage->fraction, target);
            lanes->equations.side[(size_t)k * lanes->lanes + l] = 0 - target[2];
        }
    }
    AfxiLaneBits redundant = kernels->system_factor(&lanes->equations, 0);
    AfxiLaneBits fine = going & kernels->system_fall(&lanes->equations, du, AFXI_REDUCED_REFINE_MOST);
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (afxi_lane_in(going, l)) {
            lanes->robot[l]->regularised |= afxi_lane_in(redundant, l);
        }
        if (afxi_lane_in(fine, l) && stage->last) {
            tell_rows(lanes, l);
        }
    }
    return fine;
}

/* Others, robot by robot. */
static AfxiLaneBits fall_own(AfxiReducedLanes *lanes, AfxiLaneBits going, const Stage *stage, double *du) {
    AfxiLaneBits fine = 0;
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (!afxi_lane_in(going, l)) {
            continue;
        }
        AfxiReduced *robot = lanes->robot[l];
        double *own = robot->stage_du[stage->number];
        afxi_lanes_get(lanes, l, robot->tree.dof_count, du, own);
        if (afxi_reduced_fall_stage(robot, stage->fraction, robot->place[stage->number], robot->stage_u[stage->number],
                                    own, stage->last ? robot->told : NULL)) {
            fine |= 1u << l;
            afxi_lanes_put(lanes, l, robot->tree.dof_count, own, du);
        }
    }
    return fine;
}

/* What robots need of a stage that do something by themselves. */
static void get_own(AfxiReducedLanes *lanes, AfxiLaneBits going, const Stage *stage) {
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        AfxiReduced *robot = lanes->robot[l];
        if (afxi_lane_in(going, l) && (is_own(lanes, l) || !lanes->plain_rows)) {
            afxi_lanes_get_frames(lanes, l);
            afxi_lanes_get(lanes, l, robot->tree.coordinate_count, lanes->place[stage->number],
                           robot->place[stage->number]);
            afxi_lanes_get(lanes, l, robot->tree.dof_count, lanes->stage_u[stage->number],
                           robot->stage_u[stage->number]);
        }
    }
}

/* The factor of M, for robots that need it by themselves. */
static void get_factor(AfxiReducedLanes *lanes, AfxiLaneBits which) {
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (afxi_lane_in(which, l)) {
            afxi_lanes_get(lanes, l, lanes->robot[l]->rows.size, lanes->mass, lanes->robot[l]->mass);
        }
    }
}

/* afxi_reduced_accelerate, in the lanes `going`. */
static AfxiLaneBits accelerate(AfxiReducedLanes *lanes, AfxiLaneBits going, const Stage *stage) {
    const AfxiReduced *leader = lanes->robot[0];
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    size_t n = leader->tree.dof_count;
    double *du = lanes->stage_du[stage->number];
    AfxiTreeTask task = {.q = lanes->place[stage->number],
                         .u = lanes->stage_u[stage->number],
                         .rows = &leader->rows,
                         .tau = lanes->bias,
                         .mass = lanes->mass};
    afxi_tree_evaluate(&lanes->work, &task);
    get_own(lanes, going, stage);
    set_forces(lanes, going, stage);
    going &= kernels->factor(&leader->rows, lanes->mass);
    kernels->add_scaled(n, lanes->tau, -1, lanes->bias, du);
    if (!leader->exact_count) {
        kernels->solve(&leader->rows, lanes->mass, du);
    } else if (lanes->plain_rows) {
        going = fall(lanes, going, stage, du);
    } else {
        get_factor(lanes, going);
        going = fall_own(lanes, going, stage, du);
    }
    return going & kernels->finite(n, du);
}

/* ---- Runge-Kutta ---- */

static AfxiLaneBits find_smooth(AfxiReducedLanes *lanes, AfxiLaneBits going, double h) {
    get_factor(lanes, going);
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (afxi_lane_in(going, l) &&
            afxi_reduced_find_stiff(lanes->robot[l], h, AFXI_REDUCED_SMOOTH) != AFXI_TREE_NONE) {
            going &= ~(1u << l);
        }
    }
    return going;
}

static void begin(AfxiReducedLanes *lanes, AfxiLaneBits going) {
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        AfxiReduced *robot = lanes->robot[l];
        if (!afxi_lane_in(going, l)) {
            continue;
        }
        afxi_lanes_put(lanes, l, robot->tree.coordinate_count, robot->q, lanes->q);
        afxi_lanes_put(lanes, l, robot->tree.dof_count, robot->u, lanes->u);
    }
}

/* Inputs at a stage's place in the step. */
static void set_inputs(AfxiReducedLanes *lanes, AfxiLaneBits going, const Stage *stage) {
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (!afxi_lane_in(going, l)) {
            continue;
        }
        afxi_reduced_inputs(lanes->robot[l], stage->fraction);
        if (lanes->plain && lanes->lively) {
            put_targets(lanes, l, stage->number);
        }
        afxi_lanes_put_moved(lanes, l);
    }
}

static void begin_stage(AfxiReducedLanes *lanes, const Stage *stage, double h) {
    const AfxiTree *tree = &lanes->robot[0]->tree;
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    size_t width = lanes->lanes * sizeof(double);
    int s = stage->number;
    memcpy(lanes->place[s], lanes->q, tree->coordinate_count * width);
    if (s == 0) {
        memcpy(lanes->stage_u[s], lanes->u, tree->dof_count * width);
        return;
    }
    kernels->add_rate(tree, lanes->place[s - 1], lanes->stage_u[s - 1], stage->fraction * h, lanes->place[s]);
    kernels->normalise(tree, lanes->place[s]);
    kernels->add_scaled(tree->dof_count, lanes->u, stage->fraction * h, lanes->stage_du[s - 1], lanes->stage_u[s]);
}

/* The end of the step, and rows at it. */
static AfxiLaneBits finish(AfxiReducedLanes *lanes, AfxiLaneBits going) {
    const AfxiReduced *leader = lanes->robot[0];
    AfxiLaneBits fine = going;
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        AfxiReduced *robot = lanes->robot[l];
        if (!afxi_lane_in(going, l)) {
            continue;
        }
        afxi_lanes_get(lanes, l, robot->tree.coordinate_count, lanes->q, robot->q);
        afxi_lanes_get(lanes, l, robot->tree.dof_count, lanes->u, robot->u);
        afxi_reduced_inputs(robot, 1);
        if (!leader->exact_count || (lanes->plain_rows && afxi_reduced_is_closed(robot, robot->q, robot->u, 1))) {
            continue;
        }
        if (lanes->plain_rows) { /* what the last stage has left of its rows */
            size_t m = robot->exact_count, n = robot->tree.dof_count;
            get_factor(lanes, 1u << l);
            afxi_lanes_get(lanes, l, m * n, lanes->equations.gradient, robot->gradient);
            afxi_lanes_get(lanes, l, m * n, lanes->equations.half, robot->half);
            afxi_lanes_get(lanes, l, m * m, lanes->equations.schur, robot->schur);
            afxi_reduced_list_exact(robot);
        }
        if (!afxi_reduced_follow(robot, robot->q, robot->u, 1)) {
            fine &= ~(1u << l);
        }
    }
    return fine;
}

AfxiLaneBits afxi_lanes_rk4(AfxiReducedLanes *lanes, AfxiLaneBits going, double h, bool smooth) {
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const AfxiTree *tree = &lanes->robot[0]->tree;
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    begin(lanes, going);
    for (int s = 0; s < 4 && going; s++) {
        Stage stage = {.fraction = node[s], .number = s, .last = s == 3};
        begin_stage(lanes, &stage, h);
        set_inputs(lanes, going, &stage);
        going = accelerate(lanes, going, &stage);
        going = s == 0 && smooth ? find_smooth(lanes, going, h) : going;
    }
    for (int s = 0; s < 4; s++) {
        kernels->add_rate(tree, lanes->place[s], lanes->stage_u[s], weight[s] * h, lanes->q);
        kernels->add_scaled(tree->dof_count, lanes->u, weight[s] * h, lanes->stage_du[s], lanes->u);
    }
    kernels->normalise(tree, lanes->q);
    return finish(lanes, going);
}

void afxi_lanes_commit(AfxiReducedLanes *lanes, AfxiLaneBits fine) {
    const AfxiTreeKernels *kernels = lanes->work.kernels;
    bool momenta = lanes->robot[0]->world->def.integrator != AFX_RK4;
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        AfxiReduced *robot = lanes->robot[l];
        lanes->raw_q[l] = afxi_lane_in(fine, l) ? robot->world->state.q : lanes->nowhere;
        lanes->raw_v[l] = afxi_lane_in(fine, l) ? robot->world->state.v : lanes->nowhere;
        if (afxi_lane_in(fine, l)) {
            afxi_lanes_put(lanes, l, robot->tree.coordinate_count, robot->q, lanes->q);
            afxi_lanes_put(lanes, l, robot->tree.dof_count, robot->u, lanes->u);
            afxi_lanes_put_moved(lanes, l);
        }
    }
    if (momenta) {
        kernels->momenta(&lanes->work, lanes->q, lanes->u, lanes->momentum);
    } else {
        kernels->pose(&lanes->work, lanes->q);
        kernels->velocity(&lanes->work, lanes->u);
    }
    kernels->to_raw(&lanes->work, lanes->q, lanes->u, lanes->raw_q, lanes->raw_v);
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        AfxiReduced *robot = lanes->robot[l];
        if (!afxi_lane_in(fine, l)) {
            continue;
        }
        afxi_reduced_commit_coordinates(robot);
        if (momenta) {
            afxi_lanes_get(lanes, l, 6 * (size_t)robot->body_count, lanes->momentum,
                           (double *)(void *)afxi_reduced_state(robot).momentum);
        }
    }
}
