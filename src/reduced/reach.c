/* SPDX-License-Identifier: Apache-2.0 */
/* Levenberg and Marquardt: the damping falls where a step was good and grows where it was not. Coordinates that a limit
 * holds, and those that are locked, have so much armature that nothing moves them. */
#include "reduced/reach.h"

#include <math.h>
#include <string.h>

#include "reduced/measure.h"
#include "reduced/spatial.h"
#include "reduced/system.h"

/* ---- errors ---- */

/* The turn in the world that takes `now` to `wanted`, as a vector. */
static AfxVec3 turn_between(const AfxiMat3 *wanted, const AfxiMat3 *now) {
    AfxiMat3 back = mat3_transpose(now), turn = mat3_multiply(wanted, &back);
    AfxQuat q = afxi_quat_from_mat3(&turn);
    double sign = q.w < 0 ? -1 : 1;
    AfxVec3 v = vec3(sign * q.x, sign * q.y, sign * q.z);
    double size = vec3_length(v);
    return vec3_scale(size > 1e-150 ? 2 * atan2(size, sign * q.w) / size : 2, v);
}

/* Where a target's frame is: its point from the tree's reference point, and its node. */
static uint32_t frame_of(const AfxiReach *reach, const AfxiReachTarget *target, AfxVec3 *out_arm, AfxVec3 *out_point,
                         AfxiMat3 *out_axes) {
    uint32_t node = target->carried == AFXI_TREE_NONE ? AFXI_TREE_NONE : reach->tree->carried[target->carried].node;
    AfxiMat3 r = mat3_identity();
    AfxVec3 t = {0, 0, 0}, reference = {0, 0, 0};
    if (target->carried != AFXI_TREE_NONE) {
        afxi_tree_body(reach->work, target->carried, &r, &t);
    }
    if (node != AFXI_TREE_NONE) {
        reference = reach->work->reference[reach->tree->node[node].first];
    }
    *out_point = vec3_add(t, mat3_apply(&r, target->point));
    *out_arm = vec3_sub(*out_point, reference);
    *out_axes = mat3_multiply(&r, &target->axes);
    return node;
}

/* How far coordinates have gone from home, as velocities for a second. */
static void away(const AfxiReach *reach, const double *q, double *out) {
    const AfxiTree *tree = reach->tree;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        const double *at = q + node->coordinate, *from = reach->home + node->coordinate;
        if (node->kind == AFXI_NODE_BALL) {
            AfxiMat3 here = mat3_from_quat((AfxQuat){at[0], at[1], at[2], at[3]});
            AfxiMat3 home = mat3_from_quat((AfxQuat){from[0], from[1], from[2], from[3]});
            vec3_store(out + node->dof, mat3_apply_transposed(&here, turn_between(&here, &home)));
            continue;
        }
        for (uint32_t d = 0; d < node->dof_count; d++) {
            out[node->dof + d] = at[d] - from[d];
        }
    }
}

/* Squares of weighted errors, and what staying counts, at the present frames. */
static double cost_at(AfxiReach *reach, const double *q, double *out_error) {
    double sum = 0, stay = 0;
    for (uint32_t k = 0; k < reach->target_count; k++) {
        const AfxiReachTarget *target = &reach->target[k];
        AfxVec3 arm, point;
        AfxiMat3 axes;
        if (target->depth > reach->depth) {
            continue;
        }
        frame_of(reach, target, &arm, &point, &axes);
        double off = target->position_weight * vec3_length(vec3_sub(target->position, point));
        double turn = 0;
        if (target->rotation_weight > 0) {
            turn = target->rotation_weight * vec3_length(turn_between(&target->rotation, &axes));
        }
        sum += off * off + turn * turn;
    }
    if (reach->stay > 0) {
        away(reach, q, reach->step);
        for (uint32_t d = 0; d < reach->tree->dof_count; d++) {
            stay += reach->step[d] * reach->step[d];
        }
    }
    *out_error = sqrt(sum);
    return sum + reach->stay * reach->stay * stay;
}

/* ---- the tree of the normal equations ---- */

/* Targets as masses, and their errors as wrenches, on the nodes; everything at rest. */
static void set_masses(AfxiReach *reach) {
    static const double none[6] = {0, 0, 0, 0, 0, 0};
    AfxiTreeWork *work = reach->work;
    AfxiMat3 world = mat3_identity();
    for (uint32_t k = 0; k < reach->tree->node_count; k++) {
        memset(&work->node[k].own, 0, sizeof work->node[k].own);
        memset(&reach->external[k], 0, sizeof reach->external[k]);
    }
    for (uint32_t k = 0; k < reach->target_count; k++) {
        const AfxiReachTarget *target = &reach->target[k];
        double mass = target->position_weight * target->position_weight;
        double turning = target->rotation_weight * target->rotation_weight;
        AfxVec3 arm, point;
        AfxiMat3 axes;
        uint32_t node = frame_of(reach, target, &arm, &point, &axes);
        if (node == AFXI_TREE_NONE || target->depth > reach->depth) {
            continue;
        }
        AfxiSpatialInertia inertia = inertia_place(mass, vec3(0, 0, 0), none, &world, arm);
        AfxVec3 force = vec3_scale(mass, vec3_sub(target->position, point)), torque = {0, 0, 0};
        if (turning > 0) {
            torque = vec3_scale(turning, turn_between(&target->rotation, &axes));
        }
        for (int e = 0; e < 3; e++) {
            inertia.inertia[e] += turning;
        }
        inertia_add(&work->node[node].own, &inertia);
        reach->external[node] =
            spatial_add(reach->external[node], spatial(vec3_add(torque, vec3_cross(arm, force)), force));
    }
    afxi_tree_rest(work);
    afxi_tree_gather(work);
}

/* J^T w² e less what staying asks for. */
static void set_push(AfxiReach *reach) {
    const AfxiTree *tree = reach->tree;
    afxi_tree_inverse(reach->work, NULL, reach->external, reach->push);
    if (reach->stay > 0) {
        away(reach, reach->q, reach->step);
    }
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        double stay = reach->stay > 0 ? reach->stay * reach->stay * reach->step[d] : 0;
        reach->push[d] = -reach->push[d] - stay;
    }
}

/* By how much each coordinate is damped: by what it moves, and a little by what others do. */
static void set_damping(AfxiReach *reach) {
    const AfxiTree *tree = reach->tree;
    double mean = 0;
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        const AfxiSpatial *axis = &reach->work->axis[d];
        reach->damping[d] = spatial_dot(*axis, inertia_apply(&reach->work->node[tree->dof[d].node].beyond, *axis));
        mean += reach->damping[d] / tree->dof_count;
    }
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        reach->damping[d] += AFXI_REACH_SHARE * mean + AFXI_REACH_LEAST;
    }
}

static bool is_held(const AfxiReach *reach, uint32_t dof) {
    return reach->locked[dof] || reach->held[dof];
}

static void set_armature(AfxiReach *reach, double damping) {
    for (uint32_t d = 0; d < reach->tree->dof_count; d++) {
        double own = damping * reach->damping[d] + reach->stay * reach->stay;
        reach->tree->dof[d].armature = is_held(reach, d) ? AFXI_REACH_HELD * (1 + reach->damping[d]) : own;
    }
}

/* ---- loops ---- */

/* How far rows are from being met goes to `side`; the largest comes back. */
static double open_rows(AfxiReach *reach, const double *q) {
    double most = 0;
    memset(reach->step, 0, reach->tree->dof_count * sizeof *reach->step);
    afxi_reduced_measure_active(reach->rows, q, reach->step);
    for (uint32_t k = 0; k < reach->rows->exact_count; k++) {
        reach->rows->side[k] = reach->rows->measure[k].value;
        most = fmax(most, fabs(reach->rows->side[k]));
    }
    return most;
}

/* x onto the rows, by the metric of the present masses and armature. */
static bool onto_rows(AfxiReach *reach, double *x, double damping, int passes) {
    AfxiReduced *rows = reach->rows;
    rows->tree = *reach->tree;
    afxi_tree_mass_packed(reach->work, &rows->rows, rows->mass);
    return reach->work->kernels->factor(&rows->rows, rows->mass) && afxi_reduced_correct(rows, x, damping, passes);
}

/* Closes the loops at q, at whose frames the tree then is. */
static bool close_loops(AfxiReach *reach, double *q, double *out_open) {
    double size = 1 + reach->rows->model->size, last = INFINITY;
    for (int pass = 0; pass < AFXI_REACH_CLOSE_MOST; pass++) {
        afxi_tree_pose(reach->work, q);
        double open = *out_open = open_rows(reach, q);
        if (open <= AFXI_REDUCED_CLOSED * size || (open <= AFXI_REDUCED_OPEN * size && open > 0.5 * last)) {
            return true;
        }
        last = open;
        double damping = fmin(AFXI_REDUCED_DAMPED, open);
        set_masses(reach);
        memset(reach->step, 0, reach->tree->dof_count * sizeof *reach->step);
        if (!onto_rows(reach, reach->step, damping, 1)) {
            return false;
        }
        afxi_tree_move(reach->tree, q, reach->step, 1, q);
    }
    afxi_tree_pose(reach->work, q);
    *out_open = open_rows(reach, q);
    return *out_open <= AFXI_REDUCED_OPEN * size;
}

/* ---- the search ---- */

/* Coordinates that a limit holds: they are at it, and would be pushed on. */
static void hold_limits(AfxiReach *reach) {
    for (uint32_t d = 0; d < reach->tree->dof_count; d++) {
        uint32_t place = afxi_tree_coordinate(reach->tree, d);
        double q = place == AFXI_TREE_NONE ? 0 : reach->q[place], push = reach->push[d];
        reach->held[d] =
            place != AFXI_TREE_NONE && ((q <= reach->lower[d] && push < 0) || (q >= reach->upper[d] && push > 0));
    }
}

static void into_limits(AfxiReach *reach, double *q, bool hold) {
    for (uint32_t d = 0; d < reach->tree->dof_count; d++) {
        uint32_t place = afxi_tree_coordinate(reach->tree, d);
        if (place != AFXI_TREE_NONE && !reach->locked[d] &&
            (q[place] < reach->lower[d] || q[place] > reach->upper[d])) {
            q[place] = fmin(fmax(q[place], reach->lower[d]), reach->upper[d]);
            reach->held[d] = reach->held[d] || hold;
        }
    }
}

static void shorten(AfxiReach *reach) {
    double most = 0;
    for (uint32_t d = 0; d < reach->tree->dof_count; d++) {
        reach->step[d] = is_held(reach, d) ? 0 : reach->step[d];
        most = fmax(most, fabs(reach->step[d]));
    }
    for (uint32_t d = 0; most > AFXI_REACH_STRIDE && d < reach->tree->dof_count; d++) {
        reach->step[d] *= AFXI_REACH_STRIDE / most;
    }
}

/* A trial with a damping: its cost; infinite where there is none. */
static double try_step(AfxiReach *reach, double damping, double *out_error, double *out_open) {
    afxi_tree_pose(reach->work, reach->q);
    set_masses(reach);
    set_armature(reach, damping);
    afxi_tree_forward(reach->work, reach->push, NULL, reach->step);
    *out_open = 0;
    if (reach->rows) {
        memcpy(reach->trial, reach->step, reach->tree->dof_count * sizeof *reach->trial);
        open_rows(reach, reach->q);
        memcpy(reach->step, reach->trial, reach->tree->dof_count * sizeof *reach->step);
        if (!onto_rows(reach, reach->step, 0, AFXI_REDUCED_REFINE_MOST)) {
            return INFINITY;
        }
    }
    shorten(reach);
    afxi_tree_move(reach->tree, reach->q, reach->step, 1, reach->trial);
    into_limits(reach, reach->trial, true);
    if (reach->rows) {
        set_armature(reach, damping);
        if (!close_loops(reach, reach->trial, out_open)) {
            return INFINITY;
        }
        into_limits(reach, reach->trial, false);
    }
    afxi_tree_pose(reach->work, reach->trial);
    return cost_at(reach, reach->trial, out_error);
}

/* One good step, unless iterations are over; false where there is none, or none that gains. `damping` goes on from it.
 */
static bool advance(AfxiReach *reach, double *cost, double *damping) {
    set_masses(reach);
    set_damping(reach);
    set_push(reach);
    while (*damping < AFXI_REACH_WORST && reach->iterations < reach->iterations_most) {
        double error, open;
        hold_limits(reach);
        reach->iterations++;
        double tried = try_step(reach, *damping, &error, &open);
        if (!(tried < *cost)) {
            *damping *= AFXI_REACH_WORSE;
            continue;
        }
        bool gained = *cost - tried > AFXI_REACH_GAIN * *cost;
        *damping = fmax(*damping * AFXI_REACH_BETTER, AFXI_REACH_FINEST);
        *cost = tried;
        reach->error = error;
        reach->open = open;
        memcpy(reach->q, reach->trial, reach->tree->coordinate_count * sizeof *reach->q);
        return gained;
    }
    return *damping < AFXI_REACH_WORST;
}

/* Targets down to a depth, in at most so many iterations; false where there was still something to gain. */
static bool search(AfxiReach *reach, uint32_t depth, uint32_t iterations) {
    double damping = AFXI_REACH_FIRST;
    uint32_t most = reach->iterations_most;
    bool gains = true;
    reach->depth = depth;
    reach->iterations_most = reach->iterations + iterations;
    afxi_tree_pose(reach->work, reach->q);
    double cost = cost_at(reach, reach->q, &reach->error);
    while (gains && reach->error > reach->tolerance && reach->iterations < reach->iterations_most) {
        gains = advance(reach, &cost, &damping);
        afxi_tree_pose(reach->work, reach->q);
    }
    gains = gains && reach->error > reach->tolerance;
    reach->iterations_most = most;
    return !gains;
}

static uint32_t set_depths(AfxiReach *reach) {
    uint32_t most = 0;
    for (uint32_t k = 0; k < reach->target_count; k++) {
        AfxiReachTarget *target = &reach->target[k];
        uint32_t at = target->carried == AFXI_TREE_NONE ? AFXI_TREE_NONE : reach->tree->carried[target->carried].node;
        for (target->depth = 0; at != AFXI_TREE_NONE; at = reach->tree->node[at].parent) {
            target->depth++;
        }
        most = target->depth > most ? target->depth : most;
    }
    return most;
}

/* Home, within limits and with its loops closed. */
static bool begin(AfxiReach *reach) {
    memcpy(reach->q, reach->home, reach->tree->coordinate_count * sizeof *reach->q);
    memset(reach->held, 0, reach->tree->dof_count);
    reach->open = 0;
    reach->depth = UINT32_MAX;
    into_limits(reach, reach->q, true);
    afxi_tree_pose(reach->work, reach->q);
    if (!reach->rows) {
        return true;
    }
    set_masses(reach);
    set_damping(reach);
    set_armature(reach, 1);
    return close_loops(reach, reach->q, &reach->open);
}

/* A chain of hundreds turns its far end by many turns for small changes of all: where the whole is not found soon, it
 * is found from the root outwards, in which what is new is never far from where it is wanted. */
bool afxi_reach(AfxiReach *reach) {
    uint32_t deepest = set_depths(reach);
    bool deep = deepest > AFXI_REACH_DEEP && deepest <= AFXI_REACH_STAGED_MOST;
    memset(reach->tree->gravity, 0, sizeof reach->tree->gravity);
    reach->iterations = 0;
    if (!begin(reach)) {
        return false;
    }
    bool found = search(reach, UINT32_MAX, deep ? AFXI_REACH_SOON : reach->iterations_most);
    if (deep && !found) {
        if (!begin(reach)) {
            return false;
        }
        for (uint32_t depth = AFXI_REACH_STAGE; depth < deepest; depth += AFXI_REACH_STAGE) {
            search(reach, depth, AFXI_REACH_SOON);
        }
        search(reach, UINT32_MAX, reach->iterations_most);
    }
    set_masses(reach); /* what limits hold in the end */
    set_push(reach);
    hold_limits(reach);
    return true;
}
