/* SPDX-License-Identifier: Apache-2.0 */
/* What joints tell: coordinates, reactions; and switching them. */
#include <string.h>

#include "joint/axis.h"
#include "math/polar.h"
#include "step/rows.h"

static bool joint_valid(const AfxSim *sim, uint32_t joint) {
    return sim && joint < sim->model->joint_count;
}

/* Both bodies at the present state; frames are the rotations of their A. */
AfxiPairState afxi_joint_state(const AfxSim *sim, uint32_t joint) {
    const AfxiJoint *source = &sim->model->joints[joint];
    AfxiPairState state = {.t_a = {0, 0, 0}};
    const uint32_t bodies[2] = {source->follower, source->base};
    AfxiMat3 *a[2] = {&state.a_a, &state.a_b}, *r[2] = {&state.r_a, &state.r_b};
    AfxVec3 *t[2] = {&state.t_a, &state.t_b};
    for (int k = 0; k < 2; k++) {
        *a[k] = *r[k] = mat3_identity();
        *t[k] = vec3(0, 0, 0);
        if (bodies[k] != AFXI_WORLD) {
            const double *q = sim->q + (size_t)12 * bodies[k];
            memcpy(a[k]->m, q, sizeof a[k]->m);
            *t[k] = vec3_load(q + 9);
            *r[k] = afxi_rotation_part(a[k], NULL);
        }
    }
    return state;
}

const AfxiJointFrame *afxi_joint_frame(const AfxSim *sim, uint32_t joint) {
    return (const AfxiJointFrame *)sim->model->joint_frames.items + sim->model->joints[joint].frame;
}

AfxStatus afx_sim_joint_coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis, double *out_value,
                                   double *out_rate) {
    static const double still[12];
    const AfxiJoint *source = joint_valid(sim, joint) ? &sim->model->joints[joint] : NULL;
    if (!source || axis >= afxi_joint_kind((AfxJointKind)source->kind)->axis_count) {
        return AFX_E_ARGUMENT;
    }
    AfxiAxisSpec spec = afxi_joint_kind((AfxJointKind)source->kind)->axes[axis];
    AfxiPairState state = afxi_joint_state(sim, joint);
    if (out_value) {
        double value = afxi_axis_value(spec, afxi_joint_frame(sim, joint), &state);
        bool turns = spec.type == AFXI_AXIS_ROTATION;
        *out_value = turns && source->counted ? afxi_angle_near(value, sim->angle[source->angle + axis]) : value;
    }
    if (out_rate) {
        const double *rate_a = source->follower == AFXI_WORLD ? still : sim->v + (size_t)12 * source->follower;
        const double *rate_b = source->base == AFXI_WORLD ? still : sim->v + (size_t)12 * source->base;
        *out_rate = afxi_axis_rate(spec, afxi_joint_frame(sim, joint), &state, rate_a, rate_b);
    }
    return AFX_OK;
}

void afxi_angles_follow(AfxSim *sim) {
    for (uint32_t joint = 0; sim->model->angle_count && joint < sim->model->joint_count; joint++) {
        const AfxiJoint *source = &sim->model->joints[joint];
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
        if (!source->counted || !kind->axis_count) {
            continue;
        }
        AfxiPairState state = afxi_joint_state(sim, joint);
        for (uint32_t axis = 0; axis < kind->axis_count; axis++) {
            double *angle = &sim->angle[source->angle + axis];
            double value = afxi_axis_value(kind->axes[axis], afxi_joint_frame(sim, joint), &state);
            *angle = kind->axes[axis].type == AFXI_AXIS_ROTATION ? afxi_angle_near(value, *angle) : value;
        }
    }
}

/* Multiplier of row `row` of a joint that has rows. */
static double multiplier(const AfxSim *sim, const AfxiJoint *joint, uint32_t row) {
    const AfxiGraph *graph = &sim->model->graph;
    if (joint->slot != UINT32_MAX) {
        double value = sim->lambda[graph->row_count + 3 * (size_t)joint->slot + row];
        return joint->reversed ? -value : value;
    }
    return sim->lambda[graph->block[joint->block].first_row + row];
}

AfxStatus afx_sim_joint_reaction(const AfxSim *sim, uint32_t joint, AfxWrench *out_reaction) {
    if (!joint_valid(sim, joint) || !out_reaction || sim->published) {
        return AFX_E_ARGUMENT;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_joint_frame(sim, joint);
    AfxiPairState state = afxi_joint_state(sim, joint);
    AfxiMat3 axes = mat3_multiply(&state.r_b, &frame->axes_b);
    AfxVec3 force = {0, 0, 0}, torque = {0, 0, 0}; /* world */
    for (uint32_t r = 0; (source->block != UINT32_MAX || source->slot != UINT32_MAX) && r < kind->row_count; r++) {
        AfxiRowSpec row = kind->rows[r];
        double lambda = multiplier(sim, source, r);
        AfxVec3 unit = vec3(row.i == 0, row.i == 1, row.i == 2);
        if (row.type == AFXI_ROW_POINT || row.type == AFXI_ROW_TIP) {
            AfxVec3 push = vec3_scale(-lambda, unit);
            force = vec3_add(force, push);
            if (row.type == AFXI_ROW_TIP) {
                torque = vec3_add(torque, vec3_cross(mat3_column(&axes, 0), push));
            }
        } else if (row.type == AFXI_ROW_DISTANCE) {
            AfxVec3 a = vec3_add(mat3_apply(&state.a_a, frame->point_a), state.t_a);
            AfxVec3 b = vec3_add(mat3_apply(&state.a_b, frame->point_b), state.t_b);
            double length = *afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_LENGTH, joint);
            force = vec3_mad(force, -lambda / length, vec3_sub(a, b));
        } else if (row.type == AFXI_ROW_DIRECTION) { /* about the axis square to both directions */
            AfxVec3 a = mat3_apply(&state.a_a, mat3_column(&frame->axes_a, row.i));
            AfxVec3 b = mat3_apply(&state.a_b, mat3_column(&frame->axes_b, row.j));
            torque = vec3_mad(torque, -lambda * row.sign, vec3_cross(a, b));
        } else if (row.reaction < 3) {
            force = vec3_mad(force, -lambda, mat3_column(&axes, row.reaction));
        } else {
            torque = vec3_mad(torque, -lambda, mat3_column(&axes, row.reaction - 3));
        }
    }
    if (source->kind == AFX_JOINT_SCREW && source->block != UINT32_MAX) {
        double lambda = multiplier(sim, source, kind->row_count);
        double pitch = *afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_PITCH, joint);
        force = vec3_mad(force, -lambda, mat3_column(&axes, 0));
        torque = vec3_mad(torque, lambda * pitch, mat3_column(&axes, 0));
    }
    out_reaction->force = mat3_apply_transposed(&axes, force);
    out_reaction->torque = mat3_apply_transposed(&axes, torque);
    return AFX_OK;
}

AfxStatus afx_sim_joint_spring_torque(const AfxSim *sim, uint32_t joint, AfxVec3 *out_torque) {
    if (!joint_valid(sim, joint) || !out_torque || sim->model->joints[joint].turn == UINT32_MAX) {
        return AFX_E_ARGUMENT;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    AfxiPairState state = afxi_joint_state(sim, joint);
    AfxiMat3 axes = mat3_multiply(&state.r_b, &afxi_joint_frame(sim, joint)->axes_b);
    AfxVec3 torque = {0, 0, 0};
    if (source->block != UINT32_MAX) {
        const AfxiGraphBlock *block = &sim->model->graph.block[source->block];
        torque = vec3_scale(-1, vec3_load(sim->lambda + block->first_row + block->plain));
    }
    *out_torque = mat3_apply_transposed(&axes, torque);
    return AFX_OK;
}

bool afxi_joints_break(AfxSim *sim) {
    bool broken = false, breakable = sim->model->breakable || sim->breakable;
    for (uint32_t k = 0; breakable && k < sim->model->joint_count; k++) {
        const double *most = afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_BREAK, k);
        AfxWrench reaction;
        if (!sim->joint_active[k] || (most[0] == 0 && most[1] == 0)) {
            continue;
        }
        afx_sim_joint_reaction(sim, k, &reaction);
        if ((most[0] > 0 && vec3_length(reaction.force) > most[0]) ||
            (most[1] > 0 && vec3_length(reaction.torque) > most[1])) {
            sim->joint_active[k] = 0;
            sim->jointed.rows_fresh = false;
            sim->joints_off++;
            broken = true;
        }
    }
    return broken;
}

AfxStatus afx_sim_set_joint_active(AfxSim *sim, uint32_t joint, bool active) {
    if (!joint_valid(sim, joint) || (sim->published && !active)) {
        return AFX_E_ARGUMENT;
    }
    if ((bool)sim->joint_active[joint] != active) {
        sim->joint_active[joint] = active;
        sim->jointed.rows_fresh = false;
        sim->joints_off += active ? -1u : 1u;
        afxi_history_drop(sim);
    }
    return AFX_OK;
}

bool afx_sim_joint_active(const AfxSim *sim, uint32_t joint) {
    return joint_valid(sim, joint) && sim->joint_active[joint];
}
