/* SPDX-License-Identifier: Apache-2.0 */
/* A Gauss step is off by h⁵ in energy, and in the momenta of a tree that nothing ties to the ground or to another one.
 * Both are put back at its end, by the least change in the metric of the mass matrix: momenta by a rigid motion of the
 * whole tree, which is its base's velocity alone; energy by what velocities have beside that motion, and by coordinates
 * along the accelerations of rest, h² of them, so that it can be done where nothing moves. That leaves the order. */
#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "joint/rotational_spring.h"
#include "math/table.h"
#include "reduced/explicit.h"
#include "reduced/forces.h"
#include "reduced/measure.h"
#include "reduced/momentum.h"
#include "reduced/smooth.h"
#include "reduced/spatial.h"
#include "reduced/system.h"

/* ---- energy ---- */

static double spring_energy(double stiffness, const AfxForceTable *table, double x) {
    return 0.5 * stiffness * x * x + x * afxi_table_mean(table, 0, x);
}

static double row_energy(AfxiReduced *work, const AfxiReducedRow *row) {
    const AfxiWorld *world = work->world;
    AfxiSpringTables tables;
    double x = afxi_reduced_measure(work, row, work->q, work->u, NULL).value;
    if (row->source == AFXI_REDUCED_COUPLING) {
        return 0.5 * x * x / afxi_world_param(world, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1];
    }
    if (row->source == AFXI_REDUCED_DRIVE) {
        afxi_drive_tables(work->model, world->params, row->index, &tables);
        return spring_energy(row->numbers[AFXI_DRIVE_STIFFNESS], &tables.spring, x - row->numbers[AFXI_DRIVE_REST]);
    }
    const double *numbers = afxi_world_param(world, AFX_PARAM_SPRING, row->index);
    afxi_spring_tables(work->model, world->params, row->index, &tables);
    return spring_energy(numbers[1], &tables.spring, x - numbers[0]);
}

static double ball_energy(AfxiReduced *work, uint32_t joint) {
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, joint);
    const double *numbers = afxi_world_param(work->world, AFX_PARAM_JOINT_SPRING, source->rotational_spring);
    double constants[AFXI_ROTATIONAL_SPRING_CONSTANTS];
    AfxiPairState state = afxi_reduced_pair(work, source->follower, source->base);
    afxi_rotational_spring_constants(numbers, &frame->axes_a, &frame->axes_b, constants);
    AfxiMat3 p = mat3_load(constants + AFXI_ROTATIONAL_SPRING_AXES), turned = mat3_multiply(&state.r_a, &p);
    AfxiMat3 turn = mat3_multiply_tn(&state.r_b, &turned);
    AfxVec3 theta = afxi_rotation_vector(&turn);
    return 0.5 * vec3_dot(theta, sym3_apply(constants + AFXI_ROTATIONAL_SPRING_K, theta));
}

/* At the present frames, velocities and inertias; `out_moves`: kinetic energy and what springs hold. */
static double energy_now(AfxiReduced *work, double *out_moves) {
    double moves = 0, weight = 0;
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        const AfxiNode *node = &work->tree.node[k];
        const AfxiNodeState *at = &work->work.node[k];
        if (node->mass > 0) {
            AfxVec3 place = mat3_apply(&at->r, vec3_sub(node->moment, node->light_moment));
            double mass = node->mass - node->light_mass;
            place = vec3_mad(place, mass, vec3_add(at->p, work->work.reference[node->first]));
            moves += 0.5 * spatial_dot(inertia_apply(&at->own, at->velocity), at->velocity);
            weight -= vec3_dot(place, vec3_load(work->tree.gravity));
        }
    }
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        moves += 0.5 * work->tree.dof[d].armature * work->u[d] * work->u[d];
    }
    for (uint32_t k = 0; k < work->force_count; k++) {
        moves += row_energy(work, &work->force[k]);
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        moves += work->world->state.joint_active[work->ball[k]] ? ball_energy(work, work->ball[k]) : 0;
    }
    *out_moves = moves;
    return moves + weight;
}

static void evaluate(AfxiReduced *work) {
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    afxi_tree_inertia(&work->work);
}

double afxi_reduced_energy(AfxiReduced *work) {
    double moves;
    evaluate(work);
    return energy_now(work, &moves);
}

/* ---- trees that nothing ties ---- */

static uint32_t tree_of(const AfxiReduced *work, uint32_t body) {
    uint32_t place = body == AFXI_WORLD ? AFXI_TREE_NONE : work->tree.place[body];
    uint32_t node = place == AFXI_TREE_NONE ? AFXI_TREE_NONE : work->tree.carried[place].node;
    return node == AFXI_TREE_NONE ? AFXI_TREE_NONE : work->tree.node[node].first;
}

static bool joint_ties(const AfxiReduced *work, uint32_t joint, uint32_t tree) {
    const AfxiJoint *source = &work->model->joints[joint];
    return (tree_of(work, source->follower) == tree) != (tree_of(work, source->base) == tree);
}

static bool row_ties(const AfxiReduced *work, const AfxiReducedRow *row, uint32_t tree) {
    const AfxModel *model = work->model;
    bool any = false;
    switch (row->source) {
    case AFXI_REDUCED_LOOP:
    case AFXI_REDUCED_SCREW:
        return joint_ties(work, row->index, tree);
    case AFXI_REDUCED_DRIVE:
        return joint_ties(work, model->drives[row->index].joint, tree);
    case AFXI_REDUCED_COUPLING:
        for (uint32_t t = 0; t < model->couplings[row->index].term_count; t++) {
            any = any || joint_ties(work, model->couplings[row->index].joint[t], tree);
        }
        return any;
    default: {
        const AfxiSpring *spring = &model->springs[row->index];
        return (tree_of(work, spring->body_a) == tree) != (tree_of(work, spring->body_b) == tree);
    }
    }
}

/* Whether momenta of the tree that begins with a node change by its weight alone, which acts at its centre of mass. */
static bool is_free(const AfxiReduced *work, uint32_t first) {
    const AfxiTree *tree = &work->tree;
    const AfxiNode *base = &tree->node[first];
    if (base->kind != AFXI_NODE_TRANSLATE || base->parent != AFXI_TREE_NONE || first + 1 >= tree->node_count ||
        base[1].kind != AFXI_NODE_BALL || base[1].parent != first || tree->gravity_off) {
        return false;
    }
    uint32_t joint = tree->dof[base->dof].joint;
    if (joint != AFXI_TREE_NONE && tree->joint[joint].reversed) {
        return false;
    }
    bool ties = false;
    for (uint32_t k = 0; k < work->exact_count; k++) {
        ties = ties || row_ties(work, &work->exact[k], first);
    }
    for (uint32_t k = 0; k < work->force_count; k++) {
        ties = ties || row_ties(work, &work->force[k], first);
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        ties = ties || joint_ties(work, work->ball[k], first);
    }
    return !ties;
}

/* Mass, centre and inertia of a tree about its reference point, and its momentum there. */
static AfxiSpatialInertia whole_of(const AfxiReduced *work, uint32_t first, AfxiSpatial *out_momentum) {
    AfxiSpatialInertia sum = {.mass = 0};
    *out_momentum = spatial(vec3(0, 0, 0), vec3(0, 0, 0));
    for (uint32_t k = first; k < work->tree.node_count; k++) {
        const AfxiSpatialInertia *own = &work->work.node[k].own;
        if (work->tree.node[k].first == first && work->tree.node[k].mass > 0) {
            sum.mass += own->mass;
            sum.moment = vec3_add(sum.moment, own->moment);
            for (int e = 0; e < 6; e++) {
                sum.inertia[e] += own->inertia[e];
            }
            *out_momentum = spatial_add(*out_momentum, inertia_apply(own, work->work.node[k].velocity));
        }
    }
    return sum;
}

/* A momentum about the reference point from one about the centre of mass, or, with sign -1, the other way. */
static AfxiSpatial shift_momentum(const AfxiSpatialInertia *whole, AfxiSpatial p, double sign) {
    AfxVec3 arm = vec3_scale(sign / whole->mass, whole->moment);
    return spatial(vec3_add(p.w, vec3_cross(arm, p.v)), p.v);
}

/* The rigid motion, about the reference point, that has a momentum there. */
static AfxiSpatial motion_of(const AfxiSpatialInertia *whole, AfxiSpatial momentum) {
    AfxVec3 c = vec3_scale(1 / whole->mass, whole->moment);
    AfxiSpatial own = shift_momentum(whole, momentum, -1);
    const double *i = whole->inertia;
    double m = whole->mass, cc = vec3_dot(c, c);
    AfxiMat3 inertia = {{i[0] - m * (cc - c.x * c.x), i[3] + m * c.x * c.y, i[4] + m * c.x * c.z, i[3] + m * c.x * c.y,
                         i[1] - m * (cc - c.y * c.y), i[5] + m * c.y * c.z, i[4] + m * c.x * c.z, i[5] + m * c.y * c.z,
                         i[2] - m * (cc - c.z * c.z)}};
    AfxVec3 a = mat3_column(&inertia, 0), b = mat3_column(&inertia, 1), d = mat3_column(&inertia, 2);
    AfxVec3 bd = vec3_cross(b, d), da = vec3_cross(d, a), ab = vec3_cross(a, b);
    double det = vec3_dot(a, bd);
    AfxVec3 w = {vec3_dot(bd, own.w) / det, vec3_dot(da, own.w) / det, vec3_dot(ab, own.w) / det};
    AfxVec3 v = vec3_scale(1 / m, own.v);
    return spatial(w, vec3_sub(v, vec3_cross(w, c)));
}

/* Adds a rigid motion of a tree, about its reference point, to velocities x: its base's. */
static void add_motion(const AfxiReduced *work, uint32_t first, AfxiSpatial motion, double *x) {
    const AfxiNode *base = &work->tree.node[first];
    const AfxiNodeState *at = &work->work.node[first + 1];
    const AfxVec3 along = vec3_add(motion.v, vec3_cross(motion.w, at->p));
    double *u = x + base->dof, *w = x + base[1].dof;
    AfxVec3 shifted = vec3_add(vec3_load(u), mat3_apply_transposed(&base->turn, along));
    vec3_store(u, shifted);
    vec3_store(w, vec3_add(vec3_load(w), mat3_apply_transposed(&at->r, motion.w)));
}

/* ---- the step ---- */

/* Momenta of free trees about their centres of mass, into work->balance at their first nodes; later, back there. */
static void keep_momenta(AfxiReduced *work, double h) {
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        if (work->tree.node[k].first == k && is_free(work, k)) {
            AfxiSpatial p;
            AfxiSpatialInertia whole = whole_of(work, k, &p);
            p = shift_momentum(&whole, p, -1);
            p.v = vec3_mad(p.v, h * whole.mass, vec3_load(work->tree.gravity));
            work->balance[k] = p;
        }
    }
}

/* Puts momenta back, and takes the rigid motion that they are out of `rest` [dofs], which are velocities. */
static void restore_momenta(AfxiReduced *work, double *rest) {
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        if (work->tree.node[k].first == k && is_free(work, k)) {
            AfxiSpatial p;
            AfxiSpatialInertia whole = whole_of(work, k, &p);
            AfxiSpatial wanted = shift_momentum(&whole, work->balance[k], 1), now = motion_of(&whole, p);
            AfxiSpatial change = spatial_sub(motion_of(&whole, wanted), now);
            add_motion(work, k, change, work->u);
            now = spatial(vec3_scale(-1, now.w), vec3_scale(-1, now.v));
            add_motion(work, k, now, rest);
        }
    }
}

/* x . M x, at the present frames and inertias. */
static double square_of(AfxiReduced *work, const double *x) {
    double sum = 0;
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        for (uint32_t k = work->rows.row[d]; k < work->rows.row[d + 1]; k++) {
            uint32_t e = work->rows.above[k];
            sum += (e == d ? 1 : 2) * work->mass[k] * x[d] * x[e];
        }
    }
    return sum;
}

/* Moves energy to `wanted`; `fall` [dofs]: accelerations of rest. True when it is there. */
static bool restore_energy(AfxiReduced *work, double h, double wanted, const double *fall) {
    double *rest = work->stage_u[0], moves, off;
    uint32_t n = work->tree.dof_count;
    for (int pass = 0; pass < AFXI_REDUCED_ENERGY_PASSES; pass++) {
        if (work->exact_count && !afxi_reduced_project(work, work->q, work->u, 1)) {
            return false;
        }
        AfxiTreeTask task = {.q = work->q, .u = work->u, .rows = &work->rows, .tau = work->bias, .mass = work->mass};
        afxi_tree_evaluate(&work->work, &task);
        memcpy(rest, work->u, n * sizeof(double));
        restore_momenta(work, rest);
        afxi_tree_velocity(&work->work, work->u);
        off = wanted - energy_now(work, &moves);
        double slope = square_of(work, rest) + h * h * square_of(work, fall);
        if (fabs(off) <= AFXI_REDUCED_ENERGY_LEFT * (moves + fabs(wanted)) || slope == 0) {
            return true;
        }
        double share = fmax(-1, fmin(1, off / slope));
        for (uint32_t d = 0; d < n; d++) {
            work->u[d] += share * rest[d];
        }
        afxi_tree_move(&work->tree, work->q, fall, -share * h * h, work->q);
    }
    return fabs(off) <= AFXI_REDUCED_ENERGY_ROUNDING * (moves + fabs(wanted));
}

/* Whether wrenches act on the island in this step. Those that change with time may at any part of it. */
static bool is_pushed(const AfxiReduced *work) {
    const AfxiWorld *world = work->world;
    const AfxModel *model = work->model;
    bool any = false;
    for (uint32_t k = 0; k < model->wrench_signal_count; k++) {
        uint32_t body = model->wrench_body[model->wrench_signal[k].wrench];
        any = any || !work->member || work->member[body];
    }
    for (uint32_t k = 0; k < model->dynamic_count && world->force_count; k++) {
        uint32_t body = model->dynamic[k], slot = world->force_slot[body];
        if (slot != UINT32_MAX && (!work->member || work->member[body])) {
            const double *numbers = (const double *)(const void *)&world->forces[slot];
            for (size_t e = 0; e < sizeof world->forces[slot] / sizeof *numbers; e++) {
                any = any || numbers[e] != 0;
            }
        }
    }
    return any;
}

bool afxi_reduced_conserving(AfxiReduced *work, double h) {
    double *fall = work->stage_du[0], *still = work->stage_u[0], moves;
    evaluate(work);
    double wanted = energy_now(work, &moves);
    keep_momenta(work, h);
    bool fine = afxi_reduced_gauss2(work, h);
    if (!fine || is_pushed(work)) { /* wrenches do work: there is nothing to keep */
        return fine;
    }
    memset(still, 0, work->tree.dof_count * sizeof(double));
    return afxi_reduced_accelerate(work, 1, work->q, still, fall, NULL) && restore_energy(work, h, wanted, fall);
}
