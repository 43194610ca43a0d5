/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates of the state, four joints of one kind at a time. */
#include "constraint/angles.h"

#include <math.h>
#include <string.h>

#include "constraint/groups.h"
#include "constraint/reaction.h"
#include "joint/axis.h"
#include "joint/tuning.h"

static const double world_q[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static const double *place_of(const AfxiWorld *world, uint32_t body) {
    return body == AFXI_WORLD ? world_q : world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
}

/* Works out what has been put side by side, empty lanes like the first one. */
static void flush(const AfxiGroupKernel *kernel, AfxiAngleGroup *group) {
    for (uint32_t l = group->lanes; group->lanes && l < AFXI_GROUP_LANES; l++) {
        group->frame[l] = group->frame[0];
        group->q[0][l] = group->q[0][0];
        group->q[1][l] = group->q[1][0];
        group->angle[l] = group->angle[0];
    }
    if (group->lanes) {
        kernel->angles(group);
    }
    group->lanes = 0;
}

/* How far the axes of a joint that something acts on are from where they are lost. */
static double regular_of(const AfxiJoint *joint, const AfxiJointFrame *frame, const AfxiPairState *state) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    double least = 1;
    for (uint32_t axis = 0; axis <= AFX_AXIS_ANGLE; axis++) {
        if (joint->acted >> axis & 1u) {
            double share = axis == AFX_AXIS_TWIST ? AFXI_AXIS_SINGULAR / AFXI_TWIST_LOST : 1;
            least = fmin(least, share * afxi_axis_regular(afxi_axis_of(kind, axis), frame, state));
        }
    }
    return least;
}

/* Angles of three free rotations belong together: all of them go on from the same last ones. How far they are from
 * where they are lost comes back. */
static double follow_ball(AfxiWorld *world, uint32_t joint) {
    const AfxiJoint *source = &world->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(world, joint);
    AfxiPairState state = afxi_joint_state(world, joint);
    double *last = world->state.angle + source->angle, now[AFXI_JOINT_AXES_MOST + 1];
    for (uint32_t axis = 0; axis < kind->axis_count; axis++) {
        now[axis] = afxi_axis_counted(afxi_axis_after(kind, axis, frame, &state, last), frame, &state, last[axis]);
    }
    now[kind->axis_count] =
        afxi_axis_counted(afxi_axis_of(kind, AFX_AXIS_TWIST), frame, &state, last[kind->axis_count]);
    memcpy(last, now, afxi_axis_places(kind) * sizeof *last);
    return world->state.joint_active[joint] ? regular_of(source, frame, &state) : 1;
}

uint32_t afxi_angles_follow(AfxiWorld *world) {
    uint32_t lost = UINT32_MAX;
    double least = AFXI_AXIS_SINGULAR;
    const AfxiGroupKernel *kernel = afxi_group_kernel(world->def.lanes);
    AfxiAngleGroup group = {.lanes = 0};
    for (uint32_t joint = 0; world->model->angle_count && joint < world->model->joint_count; joint++) {
        const AfxiJoint *source = &world->model->joints[joint];
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
        if (!source->counted || !kind->axis_count) {
            continue;
        }
        if (afxi_axis_places(kind) > kind->axis_count) {
            double regular = follow_ball(world, joint);
            lost = regular < least ? joint : lost;
            least = fmin(least, regular);
            continue;
        }
        if (group.lanes == AFXI_GROUP_LANES || group.kind != kind) {
            flush(kernel, &group);
        }
        uint32_t l = group.lanes++;
        group.kind = kind;
        group.frame[l] = afxi_world_joint_frame(world, joint);
        group.q[0][l] = place_of(world, source->follower);
        group.q[1][l] = place_of(world, source->base);
        group.angle[l] = &world->state.angle[source->angle];
    }
    flush(kernel, &group);
    return lost;
}
