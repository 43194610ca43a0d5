/* SPDX-License-Identifier: Apache-2.0 */
/* Forces by the laws of src/joint, projected on joint coordinates: tau = -J^T lambda. */
#include "reduced/forces.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "joint/rotational_spring.h"
#include "reduced/measure.h"
#include "reduced/spatial.h"
#include "state/input.h"

/* ---- inputs ---- */

/* Accelerations of kinematic bodies, by differences of their velocities: of motions that are given as functions of time
 * on both sides, of run-time targets within the step. */
static void set_accelerations(AfxiReduced *work, double fraction) {
    AfxiWorld *world = work->world;
    double dt = world->state.head->dt, span = AFXI_REDUCED_DIFFERENCE;
    for (int side = -1; side <= 1; side += 2) {
        bool targets = false;
        for (uint32_t k = 0; k < work->model->kinematic_count; k++) {
            targets = targets || world->state.targets[k].active;
        }
        double centre = targets ? fmin(fmax(fraction, span), 1 - 2 * span) : fraction;
        afxi_input_kinematic(world, centre + side * span, false);
        for (uint32_t k = 0; k < work->tree.node_count; k++) {
            AfxiMovedState *moved = &work->work.moved[k];
            if (work->tree.node[k].kind != AFXI_NODE_MOVED) {
                continue;
            }
            AfxiMovedState at = afxi_tree_moved(world->state.q, world->state.v, work->tree.node[k].body);
            double weight = side / (2 * span * dt);
            AfxVec3 none = {0, 0, 0};
            moved->dw = vec3_mad(side < 0 ? none : moved->dw, weight, at.w);
            moved->dv = vec3_mad(side < 0 ? none : moved->dv, weight, at.v);
        }
    }
}

void afxi_reduced_inputs(AfxiReduced *work, double fraction) {
    AfxiWorld *world = work->world;
    fraction = work->part_from + work->part_share * fraction;
    afxi_drives_targets(world, fraction);
    afxi_input_forces_at(world, fraction);
    if (work->model->kinematic_count) {
        set_accelerations(work, fraction);
        afxi_input_kinematic(world, fraction, false);
        for (uint32_t k = 0; k < work->tree.node_count; k++) {
            if (work->tree.node[k].kind == AFXI_NODE_MOVED) {
                AfxiMovedState at = afxi_tree_moved(world->state.q, world->state.v, work->tree.node[k].body);
                at.dw = work->work.moved[k].dw;
                at.dv = work->work.moved[k].dv;
                work->work.moved[k] = at;
            }
        }
    }
}

void afxi_reduced_inputs_now(AfxiReduced *work) {
    AfxiWorld *world = work->world;
    afxi_drives_targets(world, 0);
    afxi_input_forces_at(world, 0);
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        if (work->tree.node[k].kind == AFXI_NODE_MOVED) {
            double rate[AFXI_AFFINE_WIDTH];
            AfxiMovedState at = afxi_tree_moved(world->state.q, world->state.v, work->tree.node[k].body);
            afxi_input_acceleration(world, work->tree.node[k].body, rate);
            AfxiMat3 second = mat3_load(rate), back = mat3_transpose(&at.r), spin = mat3_multiply(&second, &back);
            at.dw = mat3_axial(&spin);
            at.dv = vec3_load(rate + 9);
            work->work.moved[k] = at;
        }
    }
}

/* ---- laws ---- */

static double drive_law(const AfxiReduced *work, uint32_t drive, double x, double rate) {
    const AfxiWorld *world = work->world;
    const AfxiDrive *source = &work->model->drives[drive];
    const double *numbers = afxi_world_param(world, AFX_PARAM_DRIVE, drive);
    AfxiLawInput input = {.x = x,
                          .rate = rate,
                          .target = world->drive_target[2 * (size_t)drive],
                          .target_rate = world->drive_target[2 * (size_t)drive + 1]};
    input.tabled = work->model->drive_tables && afxi_drive_tables(work->model, world->params, drive, &input.tables);
    return afxi_law_fixed((AfxDriveKind)source->kind, (AfxiBranch)world->state.drive_branch[drive], numbers, &input);
}

double afxi_reduced_law(const AfxiReduced *work, const AfxiReducedRow *row, double x, double rate) {
    if (row->source == AFXI_REDUCED_DRIVE) {
        return drive_law(work, row->index, x, rate);
    }
    if (row->source == AFXI_REDUCED_COUPLING) {
        return x / afxi_world_param(work->world, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1];
    }
    const double *source = afxi_world_param(work->world, AFX_PARAM_SPRING, row->index);
    double numbers[AFXI_DRIVE_SIZE] = {0}, stiffness, damping;
    AfxiSpringTables tables = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    numbers[AFXI_DRIVE_STIFFNESS] = source[1];
    numbers[AFXI_DRIVE_DAMPING] = source[2];
    numbers[AFXI_DRIVE_REST] = source[0];
    afxi_spring_tables(work->model, work->world->params, row->index, &tables);
    return afxi_law_spring(numbers, &tables, x, rate, &stiffness, &damping);
}

void afxi_reduced_slopes(const AfxiReduced *work, const AfxiReducedRow *row, AfxiReducedMeasure at,
                         double *out_stiffness, double *out_damping) {
    double numbers[AFXI_DRIVE_SIZE] = {0};
    AfxiSpringTables tables = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    *out_stiffness = *out_damping = 0;
    if (row->source == AFXI_REDUCED_DRIVE) {
        AfxDriveKind kind = (AfxDriveKind)work->model->drives[row->index].kind;
        if (kind == AFX_DRIVE_FORCE || (kind == AFX_DRIVE_SERVO && work->world->state.drive_branch[row->index])) {
            return; /* given, or all that it has */
        }
        if (row->linear) {
            *out_stiffness = row->numbers[AFXI_DRIVE_STIFFNESS];
            *out_damping = row->numbers[AFXI_DRIVE_DAMPING];
            return;
        }
        memcpy(numbers, row->numbers, sizeof numbers);
        afxi_drive_tables(work->model, work->world->params, row->index, &tables);
    } else if (row->source == AFXI_REDUCED_COUPLING) {
        *out_stiffness = 1 / afxi_world_param(work->world, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1];
        return;
    } else {
        const double *source = afxi_world_param(work->world, AFX_PARAM_SPRING, row->index);
        numbers[AFXI_DRIVE_STIFFNESS] = source[1];
        numbers[AFXI_DRIVE_DAMPING] = source[2];
        numbers[AFXI_DRIVE_REST] = source[0];
        afxi_spring_tables(work->model, work->world->params, row->index, &tables);
    }
    afxi_law_spring(numbers, &tables, at.value, at.rate, out_stiffness, out_damping);
}

/* ---- springs of balls ---- */

static AfxVec3 spin_of(const AfxiReduced *work, uint32_t body) {
    uint32_t node = body == AFXI_WORLD ? AFXI_TREE_NONE : work->tree.carried[work->tree.place[body]].node;
    return node == AFXI_TREE_NONE ? vec3(0, 0, 0) : work->work.node[node].velocity.w;
}

AfxVec3 afxi_reduced_ball_torque(const AfxiReduced *work, uint32_t joint) {
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, joint);
    const double *numbers = afxi_world_param(work->world, AFX_PARAM_JOINT_SPRING, source->rotational_spring);
    double constants[AFXI_ROTATIONAL_SPRING_CONSTANTS];
    AfxiPairState state = afxi_reduced_pair(work, source->follower, source->base);
    afxi_rotational_spring_constants(numbers, &frame->axes_a, &frame->axes_b, constants);
    AfxiMat3 p = mat3_load(constants + AFXI_ROTATIONAL_SPRING_AXES), turned = mat3_multiply(&state.r_a, &p);
    AfxiMat3 turn = mat3_multiply_tn(&state.r_b, &turned);
    AfxVec3 spin = vec3_sub(spin_of(work, source->follower), spin_of(work, source->base));
    AfxVec3 torque =
        vec3_add(afxi_rotational_spring_torque(constants + AFXI_ROTATIONAL_SPRING_K, &turn),
                 sym3_apply(constants + AFXI_ROTATIONAL_SPRING_D, mat3_apply_transposed(&state.r_b, spin)));
    return mat3_apply(&state.r_b, torque);
}

uint32_t afxi_reduced_ball_slopes(const AfxiReduced *work, uint32_t joint, double *out_stiffness, double *out_damping) {
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, joint);
    const double *numbers = afxi_world_param(work->world, AFX_PARAM_JOINT_SPRING, source->rotational_spring);
    double constants[AFXI_ROTATIONAL_SPRING_CONSTANTS];
    *out_stiffness = *out_damping = 0;
    afxi_rotational_spring_constants(numbers, &frame->axes_a, &frame->axes_b, constants);
    for (int e = 0; e < 3; e++) { /* traces are no less than what either is about any axis */
        *out_stiffness += constants[AFXI_ROTATIONAL_SPRING_K + e];
        *out_damping += constants[AFXI_ROTATIONAL_SPRING_D + e];
    }
    return work->world->state.joint_active[joint] ? work->tree.joint[joint].ball : AFXI_TREE_NONE;
}

void afxi_reduced_ball_diagonal(AfxiReduced *work, uint32_t joint, double by_rate, double by_place) {
    double stiffness, damping;
    uint32_t ball = afxi_reduced_ball_slopes(work, joint, &stiffness, &damping);
    if (ball == AFXI_TREE_NONE) {
        return;
    }
    double sum = by_rate * damping + by_place * stiffness;
    for (uint32_t d = work->tree.node[ball].dof; d < work->tree.node[ball].dof + 3; d++) {
        work->mass[work->rows.row[d + 1] - 1] += sum;
    }
}

static void add_ball(AfxiReduced *work, uint32_t joint, double *out_tau, double *lambda) {
    const AfxiJoint *source = &work->model->joints[joint];
    AfxVec3 torque = afxi_reduced_ball_torque(work, joint), none = {0, 0, 0};
    const uint32_t bodies[2] = {source->base, source->follower};
    for (int side = 0; side < 2; side++) {
        uint32_t node =
            bodies[side] == AFXI_WORLD ? AFXI_TREE_NONE : work->tree.carried[work->tree.place[bodies[side]]].node;
        AfxiSpatial wrench = spatial(vec3_scale(side ? -1 : 1, torque), none);
        afxi_tree_add_wrench(&work->work, node, &wrench, out_tau);
    }
    if (lambda && source->row != UINT32_MAX) {
        vec3_store(lambda + source->row + 3, torque);
    }
}

/* ---- all of them ---- */

void afxi_reduced_gather(AfxiReduced *work) {
    AfxiReducedRow *lists[3] = {work->exact, work->force, work->held};
    const uint32_t counts[3] = {work->exact_count, work->force_count, work->held_count};
    for (int list = 0; list < 3; list++) {
        for (uint32_t k = 0; k < counts[list]; k++) {
            AfxiReducedRow *row = &lists[list][k];
            if (row->source != AFXI_REDUCED_DRIVE) {
                continue;
            }
            const AfxiDrive *drive = &work->model->drives[row->index];
            AfxiSpringTables tables;
            row->numbers = afxi_world_param(work->world, AFX_PARAM_DRIVE, row->index);
            row->linear = drive->kind == AFX_DRIVE_SERVO ||
                          (drive->kind == AFX_DRIVE_SPRING &&
                           !(work->model->drive_tables &&
                             afxi_drive_tables(work->model, work->world->params, row->index, &tables)));
            row->target = drive->kind == AFX_DRIVE_SERVO ? work->world->drive_target + 2 * (size_t)row->index : NULL;
            if (row->dof != AFXI_TREE_NONE) {
                row->factor = work->tree.joint[drive->joint].factor[drive->axis];
            }
        }
    }
}

/* A spring or servo on a coordinate of the tree. */
static double linear_law(const AfxiReducedRow *row, double x, double rate) {
    const double *numbers = row->numbers, *target = row->target;
    double k = numbers[AFXI_DRIVE_STIFFNESS], d = numbers[AFXI_DRIVE_DAMPING];
    if (!target) {
        return k * (x - numbers[AFXI_DRIVE_REST]) + d * rate;
    }
    double push = k * (x - target[0]) + d * (rate - target[1]), most = numbers[AFXI_DRIVE_EFFORT];
    return push > most ? most : push < -most ? -most : push;
}

void afxi_reduced_forces(AfxiReduced *work, const double *q, const double *u, double *out_tau, double *lambda) {
    for (uint32_t k = 0; k < work->force_count; k++) {
        const AfxiReducedRow *row = &work->force[k];
        double push;
        if (row->dof != AFXI_TREE_NONE) {
            double x = row->factor * q[row->coordinate], rate = row->factor * u[row->dof];
            push = row->linear ? linear_law(row, x, rate) : afxi_reduced_law(work, row, x, rate);
            out_tau[row->dof] -= row->factor * push;
        } else {
            AfxiReducedMeasure at = afxi_reduced_measure(work, row, q, u, work->force_gradient);
            push = afxi_reduced_law(work, row, at.value, at.rate);
            for (uint32_t d = 0; d < work->tree.dof_count; d++) {
                out_tau[d] -= work->force_gradient[d] * push;
            }
        }
        if (lambda && row->place != UINT32_MAX) {
            lambda[row->place] = row->sign * push;
        }
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        if (work->world->state.joint_active[work->ball[k]]) {
            add_ball(work, work->ball[k], out_tau, lambda);
        }
    }
}

/* ---- wrenches ---- */

static void add_to_flywheel(AfxiReduced *work, const AfxiFlywheel *wheel, const double *q, double *tau) {
    const AfxiFreeForce *force = &work->world->forces[work->world->force_slot[wheel->body]];
    double place[AFXI_AFFINE_WIDTH], rate[AFXI_AFFINE_WIDTH], power;
    afxi_flywheel_place(&work->work, wheel, q, place, rate);
    AfxiMat3 r = mat3_load(place);
    AfxVec3 on_t;
    AfxiMat3 on_a = afxi_free_forces(force, &r, &on_t);
    power = vec3_dot(on_t, vec3_load(rate + 9));
    for (int k = 0; k < 3; k++) {
        power += vec3_dot(mat3_column(&on_a, k), mat3_apply_transposed(&r, vec3_load(rate + 3 * k)));
    }
    tau[wheel->dof] += power;
}

void afxi_reduced_wrenches(AfxiReduced *work, const double *q, double *tau) {
    const AfxiWorld *world = work->world;
    if (!world->force_count) {
        return;
    }
    for (uint32_t k = 0; k < work->tree.carried_count; k++) {
        uint32_t body = work->tree.carried[k].body, node;
        if (world->force_slot[body] == UINT32_MAX || work->model->kind[body] != AFX_BODY_DYNAMIC) {
            continue;
        }
        AfxiMat3 r;
        AfxVec3 t, on_t;
        AfxiSpatial wrench;
        afxi_tree_body(&work->work, k, &r, &t);
        AfxiMat3 on_a = afxi_free_forces(&world->forces[world->force_slot[body]], &r, &on_t);
        if (afxi_reduced_wrench(work, body, vec3_scale(2, mat3_axial(&on_a)), on_t, &wrench, &node)) {
            afxi_tree_add_wrench(&work->work, node, &wrench, tau);
        }
    }
    for (uint32_t k = 0; k < work->tree.flywheel_count; k++) {
        if (world->force_slot[work->tree.flywheel[k].body] != UINT32_MAX) {
            add_to_flywheel(work, &work->tree.flywheel[k], q, tau);
        }
    }
}
