/* SPDX-License-Identifier: Apache-2.0 */
/* Joints at the present state: where their bodies are, their coordinates with turns counted, and the reactions that the
 * multipliers of the last step mean. */
#include "constraint/reaction.h"

#include <string.h>

#include "joint/axis.h"
#include "math/polar.h"

/* Both bodies at the present state; frames are the rotations of their A. */
AfxiPairState afxi_joint_pair(const AfxiWorld *world, uint32_t joint) {
    static const AfxiMat3 at_rest = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const AfxiJoint *source = &world->model->joints[joint];
    AfxiPairState state = {.a_a = at_rest, .a_b = at_rest, .r_a = at_rest, .r_b = at_rest};
    const uint32_t bodies[2] = {source->follower, source->base};
    AfxiMat3 *a[2] = {&state.a_a, &state.a_b};
    AfxVec3 *t[2] = {&state.t_a, &state.t_b};
    for (int k = 0; k < 2; k++) {
        if (bodies[k] != AFXI_WORLD) {
            const double *q = world->state.q + (size_t)AFXI_AFFINE_WIDTH * bodies[k];
            memcpy(a[k]->m, q, sizeof a[k]->m);
            *t[k] = vec3_load(q + 9);
        }
    }
    return state;
}

AfxiPairState afxi_joint_state(const AfxiWorld *world, uint32_t joint) {
    const AfxiJoint *source = &world->model->joints[joint];
    AfxiPairState state = afxi_joint_pair(world, joint);
    if (source->follower != AFXI_WORLD) {
        state.r_a = afxi_rotation_part(&state.a_a, NULL);
    }
    if (source->base != AFXI_WORLD) {
        state.r_b = afxi_rotation_part(&state.a_b, NULL);
    }
    return state;
}

/* Multiplier of row `row` of a joint that has rows. */
static double multiplier(const double *lambda, const AfxiJoint *joint, uint32_t row) {
    double value = lambda[joint->row + row];
    return joint->reversed ? -value : value;
}

void afxi_joint_reaction(const AfxiWorld *world, const double *lambda, uint32_t joint, AfxWrench *out_reaction) {
    const AfxiJoint *source = &world->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(world, joint);
    AfxiPairState state = afxi_joint_state(world, joint);
    AfxiMat3 axes = mat3_multiply(&state.r_b, &frame->axes_b);
    AfxVec3 force = {0, 0, 0}, torque = {0, 0, 0}; /* world */
    for (uint32_t r = 0; source->row != UINT32_MAX && r < kind->row_count; r++) {
        AfxiRowSpec row = kind->rows[r];
        double push_by = multiplier(lambda, source, r);
        AfxVec3 unit = vec3(row.i == 0, row.i == 1, row.i == 2);
        if (row.type == AFXI_ROW_POINT || row.type == AFXI_ROW_TIP) {
            AfxVec3 push = vec3_scale(-push_by, unit);
            force = vec3_add(force, push);
            if (row.type == AFXI_ROW_TIP) {
                torque = vec3_add(torque, vec3_cross(mat3_column(&axes, 0), push));
            }
        } else if (row.type == AFXI_ROW_DISTANCE) {
            AfxVec3 a = vec3_add(mat3_apply(&state.a_a, frame->point_a), state.t_a);
            AfxVec3 b = vec3_add(mat3_apply(&state.a_b, frame->point_b), state.t_b);
            double length = *afxi_world_param(world, AFX_PARAM_JOINT_LENGTH, joint);
            force = vec3_mad(force, -push_by / length, vec3_sub(a, b));
        } else if (row.type == AFXI_ROW_DIRECTION) { /* about the axis square to both directions */
            AfxVec3 a = mat3_apply(&state.a_a, mat3_column(&frame->axes_a, row.i));
            AfxVec3 b = mat3_apply(&state.a_b, mat3_column(&frame->axes_b, row.j));
            torque = vec3_mad(torque, -push_by * row.sign, vec3_cross(a, b));
        } else if (row.reaction < 3) {
            force = vec3_mad(force, -push_by, mat3_column(&axes, row.reaction));
        } else {
            torque = vec3_mad(torque, -push_by, mat3_column(&axes, row.reaction - 3));
        }
    }
    if (source->kind == AFX_JOINT_SCREW && source->row != UINT32_MAX) {
        double push_by = multiplier(lambda, source, kind->row_count);
        double pitch = *afxi_world_param(world, AFX_PARAM_JOINT_PITCH, joint);
        force = vec3_mad(force, -push_by, mat3_column(&axes, 0));
        torque = vec3_mad(torque, push_by * pitch, mat3_column(&axes, 0));
    }
    out_reaction->force = mat3_apply_transposed(&axes, force);
    out_reaction->torque = mat3_apply_transposed(&axes, torque);
}
