/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a mechanism together: bodies placed from joint coordinates, and a violated start repaired.
 *
 * Forward kinematics goes out from what stands still, joint by joint: with both frames of a joint and the motion D of
 * its coordinates, follower = base * base_frame * D * follower_frame^-1. Loops, and starts that do not quite fit, are
 * closed by Newton's method in the metric of the rigid mass matrix: the least motion that meets all exact rows. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/polar.h"
#include "step/chains.h"
#include "step/rows.h"

#define PASSES_MOST 60u
#define TOLERANCE 1e-13

/* Turns the first `columns` columns of a body's velocities as its frame turns from `before` to `after`. */
static void turn_rates(double *v, int columns, const AfxiMat3 *before, const AfxiMat3 *after) {
    for (int k = 0; k < columns; k++) {
        vec3_store(v + 3 * k, mat3_apply(after, mat3_apply_transposed(before, vec3_load(v + 3 * k))));
    }
}

static void move_bodies(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        double *q = sim->q + (size_t)12 * graph->body[k];
        const double *delta = sim->jointed.system.delta + (size_t)12 * k;
        const AfxiMat3 *r = &sim->jointed.frame[k];
        AfxiMat3 beta, turned;
        memcpy(beta.m, delta, sizeof beta.m);
        turned = afxi_mat3_rotation(mat3_axial(&beta));
        turned = mat3_multiply(r, &turned);
        turn_rates(sim->v + (size_t)12 * graph->body[k], 3, r, &turned);
        memcpy(q, turned.m, sizeof turned.m);
        vec3_store(q + 9, vec3_add(sim->jointed.origin[k], vec3_load(delta + 9)));
    }
}

/* Newton's method on the exact rows; how far they are off at the end comes back. */
static double close_rows(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiSystem *system = &sim->jointed.system;
    double residual = 0, before = INFINITY;
    for (uint32_t pass = 0; pass < PASSES_MOST; pass++) {
        AfxiDualReport dual;
        for (uint32_t k = 0; k < graph->body_count; k++) {
            afxi_jointed_rigid(sim, k);
        }
        sim->jointed.h_rate = 1;
        afxi_drives_targets(sim, 0);
        afxi_swift_still(sim, true);
        afxi_rows_linearise(sim);
        residual = afxi_rows_keep_exact(sim);
        if (residual <= TOLERANCE * sim->model->size || (pass > 20 && residual >= before)) {
            break;
        }
        before = residual;
        memset(system->start, 0, 12 * (size_t)graph->body_count * sizeof(double));
        afxi_dual_solve_apart(system, false, &dual);
        move_bodies(sim);
    }
    afxi_swift_still(sim, false);
    return residual;
}

AfxStatus afx_sim_assemble(AfxSim *sim, double *out_residual) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    double residual = 0;
    afxi_classes_refresh(sim);
    if (sim->model->graph.body_count) {
        residual = close_rows(sim);
        afxi_angles_follow(sim);
        afxi_velocities_project(sim);
    }
    if (sim->model->chains.chain_count) {
        residual = fmax(residual, afxi_chains_close(sim));
        afxi_chains_project(sim);
        afxi_history_drop(sim);
    }
    if (out_residual) {
        *out_residual = residual;
    }
    return residual <= 1e-9 * sim->model->size ? AFX_OK : AFX_E_NUMERIC;
}

/* How far the rates of a block's active rows are off. */
static double block_rate(const AfxSim *sim, const AfxiGraphBlock *block) {
    double largest = 0;
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        const AfxiGraphRow *source = &sim->model->graph.row[row];
        double wanted = 0;
        if (source->source == AFXI_SOURCE_DRIVE && !sim->model->drives[source->index].from_input) {
            const AfxiDrive *drive = &sim->model->drives[source->index];
            double value = 0, rate = 0;
            afx_signal_evaluate(&drive->target, afx_sim_time(sim), &value, &rate, NULL);
            wanted = drive->kind == AFX_DRIVE_VELOCITY ? value : rate;
        }
        bool active = sim->jointed.system.active[row];
        largest = active ? fmax(largest, fabs(sim->jointed.rate[row] - wanted)) : largest;
    }
    return largest;
}

/* How far the exact rows of a start are off, in position and in rate. */
void afxi_start_violation(AfxSim *sim, double *out_position, double *out_rate) {
    const AfxiGraph *graph = &sim->model->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const double *q = sim->q + (size_t)12 * graph->body[k], *v = sim->v + (size_t)12 * graph->body[k];
        afxi_jointed_rigid(sim, k);
        for (int e = 0; e < 12; e++) {
            sim->jointed.qv[(size_t)12 * k + e] = (e < 9 ? sim->jointed.frame[k].m[e] : q[e]) - v[e];
        }
    }
    sim->jointed.h_rate = 1;
    sim->jointed.rates = true;
    afxi_drives_targets(sim, 0);
    afxi_swift_still(sim, true);
    afxi_rows_linearise(sim);
    sim->jointed.rates = false;
    *out_position = afxi_rows_keep_exact(sim);
    *out_rate = afxi_swift_rates(sim, false);
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        *out_rate = fmax(*out_rate, block_rate(sim, afxi_block_left(sim, b)));
    }
    afxi_swift_still(sim, false);
    double position, rate;
    afxi_chains_violation(sim, &position, &rate);
    *out_position = fmax(*out_position, position);
    *out_rate = fmax(*out_rate, rate);
}

/* ---- forward kinematics ---- */

static AfxPose axis_motion(AfxiAxisSpec spec, double value) {
    AfxPose pose = afx_pose_identity();
    AfxVec3 axis = vec3(spec.axis == 0, spec.axis == 1, spec.axis == 2);
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        pose.position = vec3_scale(value, axis);
    } else {
        pose.rotation = afx_quat_from_axis_angle(axis, value);
    }
    return pose;
}

/* Translations are listed before rotations, so composing in order slides first and then turns. */
static AfxPose joint_motion(const AfxiJointKind *kind, const double *values) {
    AfxPose pose = afx_pose_identity();
    for (uint32_t axis = 0; axis < kind->axis_count; axis++) {
        pose = afx_pose_compose(pose, axis_motion(kind->axes[axis], values[axis]));
    }
    return pose;
}

static AfxPose frame_pose(AfxVec3 point, const AfxiMat3 *axes) {
    return (AfxPose){point, afxi_quat_from_mat3(axes)};
}

/* Principal pose of a body: A, t as a rotation and a position. */
static AfxPose principal_pose(const AfxSim *sim, uint32_t body) {
    if (body == AFXI_WORLD) {
        return afx_pose_identity();
    }
    AfxiMat3 a;
    memcpy(a.m, sim->q + (size_t)12 * body, sizeof a.m);
    a = afxi_rotation_part(&a, NULL);
    return (AfxPose){vec3_load(sim->q + (size_t)12 * body + 9), afxi_quat_from_mat3(&a)};
}

/* A body takes its velocities along: those of its frame stay what they were. */
static void put_body(AfxSim *sim, uint32_t body, AfxPose pose) {
    AfxiMat3 a = mat3_from_quat(pose.rotation), old = mat3_load(sim->q + (size_t)12 * body);
    AfxiMat3 before = afxi_rotation_part(&old, NULL);
    turn_rates(sim->v + (size_t)12 * body, 4, &before, &a);
    memcpy(sim->q + (size_t)12 * body, a.m, sizeof a.m);
    vec3_store(sim->q + (size_t)12 * body + 9, pose.position);
}

/* Places the one body of a joint that is not placed yet; true when there was one. */
static bool place_by_joint(AfxSim *sim, uint32_t joint, const double *values, uint8_t *placed) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_joint_frame(sim, joint);
    bool base = source->base == AFXI_WORLD || placed[source->base];
    bool follower = source->follower == AFXI_WORLD || placed[source->follower];
    if (base == follower || source->kind == AFX_JOINT_DISTANCE) {
        return false;
    }
    AfxPose on_base = frame_pose(frame->point_b, &frame->axes_b),
            on_follower = frame_pose(frame->point_a, &frame->axes_a);
    AfxPose motion = joint_motion(kind, values + source->coordinate);
    if (base) {
        AfxPose at = afx_pose_compose(afx_pose_compose(principal_pose(sim, source->base), on_base), motion);
        put_body(sim, source->follower, afx_pose_compose(at, afx_pose_invert(on_follower)));
        placed[source->follower] = 1;
    } else {
        AfxPose at = afx_pose_compose(afx_pose_compose(principal_pose(sim, source->follower), on_follower),
                                      afx_pose_invert(motion));
        put_body(sim, source->base, afx_pose_compose(at, afx_pose_invert(on_base)));
        placed[source->base] = 1;
    }
    return true;
}

/* Sweeps over the joints until nothing more can be placed; a mechanism that hangs on nothing keeps its first body. */
static void place_all(AfxSim *sim, const double *values, uint8_t *placed) {
    const AfxModel *model = sim->model;
    for (uint32_t body = 0; body < model->body_count; body++) {
        placed[body] = model->kind[body] != AFX_BODY_DYNAMIC ||
                       (model->graph.local[body] == UINT32_MAX && !afxi_model_in_chain(model, body));
    }
    for (uint32_t next = 0;;) {
        bool any = true;
        while (any) {
            any = false;
            for (uint32_t joint = 0; joint < model->joint_count; joint++) {
                any |= place_by_joint(sim, joint, values, placed);
            }
        }
        while (next < model->body_count && placed[next]) {
            next++;
        }
        if (next == model->body_count) {
            return;
        }
        placed[next] = 1;
    }
}

AfxStatus afx_sim_set_joint_coordinates(AfxSim *sim, const double *values, double *out_residual) {
    if (!sim || !values) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->coordinate_count; k++) {
        if (!isfinite(values[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    size_t bytes = (size_t)sim->model->body_count + 1;
    uint8_t *placed = afxi_allocate(&sim->def.allocator, bytes);
    if (!placed) {
        return AFX_E_MEMORY;
    }
    place_all(sim, values, placed);
    afxi_release(&sim->def.allocator, placed, bytes);
    for (uint32_t k = 0; k < sim->model->joint_count; k++) {
        const AfxiJoint *joint = &sim->model->joints[k];
        for (uint32_t axis = 0;
             joint->angle != UINT32_MAX && axis < afxi_joint_kind((AfxJointKind)joint->kind)->axis_count; axis++) {
            sim->angle[joint->angle + axis] = values[joint->coordinate + axis];
        }
    }
    afxi_history_drop(sim);
    return afx_sim_assemble(sim, out_residual);
}

AfxStatus afx_sim_set_joint_coordinate(AfxSim *sim, uint32_t joint, uint32_t axis, double value, double *out_residual) {
    if (!sim || joint >= sim->model->joint_count || !isfinite(value)) {
        return AFX_E_ARGUMENT;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    if (axis >= afxi_joint_kind((AfxJointKind)source->kind)->axis_count) {
        return AFX_E_ARGUMENT;
    }
    size_t bytes = sim->model->coordinate_count * sizeof(double);
    double *values = afxi_allocate(&sim->def.allocator, bytes);
    if (!values) {
        return AFX_E_MEMORY;
    }
    afx_sim_joint_coordinates(sim, values);
    values[source->coordinate + axis] = value;
    AfxStatus status = afx_sim_set_joint_coordinates(sim, values, out_residual);
    afxi_release(&sim->def.allocator, values, bytes);
    return status;
}

AfxStatus afx_sim_joint_coordinates(const AfxSim *sim, double *out_values) {
    if (!sim || !out_values) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t joint = 0; joint < sim->model->joint_count; joint++) {
        const AfxiJoint *source = &sim->model->joints[joint];
        uint32_t axes = afxi_joint_kind((AfxJointKind)source->kind)->axis_count;
        for (uint32_t axis = 0; axis < axes; axis++) {
            afx_sim_joint_coordinate(sim, joint, axis, &out_values[source->coordinate + axis], NULL);
        }
    }
    return AFX_OK;
}
