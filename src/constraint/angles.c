/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates of the state, four joints of one kind at a time. */
#include "constraint/angles.h"

#include "constraint/groups.h"

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

void afxi_angles_follow(AfxiWorld *world) {
    const AfxiGroupKernel *kernel = afxi_group_kernel(world->def.lanes);
    AfxiAngleGroup group = {.lanes = 0};
    for (uint32_t joint = 0; world->model->angle_count && joint < world->model->joint_count; joint++) {
        const AfxiJoint *source = &world->model->joints[joint];
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
        if (!source->counted || !kind->axis_count) {
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
}
