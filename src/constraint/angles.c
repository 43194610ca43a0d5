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

static const AfxiJointKind *kind_of(const AfxModel *model, uint32_t joint) {
    return afxi_joint_kind((AfxJointKind)model->joints[joint].kind);
}

/* Whether the turns of a joint are counted, and with those of others of its kind; balls go one by one. */
static bool goes_with_others(const AfxModel *model, uint32_t joint, bool balls) {
    const AfxiJointKind *kind = kind_of(model, joint);
    bool ball = afxi_axis_places(kind) > kind->axis_count;
    return model->joints[joint].counted && kind->axis_count && ball == balls;
}

void afxi_angles_take(AfxiWorld *world, AfxiArena *arena, const AfxModel *model) {
    uint32_t count[AFX_JOINT_KIND_COUNT] = {0}, groups = 0, balls = 0;
    for (uint32_t joint = 0; joint < model->joint_count; joint++) {
        count[model->joints[joint].kind] += goes_with_others(model, joint, false);
        balls += goes_with_others(model, joint, true);
    }
    for (uint32_t kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        groups += (count[kind] + AFXI_GROUP_LANES - 1) / AFXI_GROUP_LANES;
    }
    world->angle_group = afxi_arena_take(arena, groups, sizeof *world->angle_group);
    world->angle_frames = afxi_arena_take(arena, afxi_frames_size(model, groups), sizeof(double));
    world->angle_ball = afxi_arena_take(arena, balls, sizeof *world->angle_ball);
}

/* Empty lanes do as the last one does. */
static void list_lane(const AfxiWorld *world, uint32_t joint, AfxiAngleGroup *group,
                      const AfxiJointFrame *frame[AFXI_GROUP_LANES]) {
    const AfxiJoint *source = &world->model->joints[joint];
    group->lanes++;
    for (uint32_t l = group->lanes - 1; l < AFXI_GROUP_LANES; l++) {
        frame[l] = afxi_world_joint_frame(world, joint);
        group->q[0][l] = place_of(world, source->follower);
        group->q[1][l] = place_of(world, source->base);
        group->angle[l] = &world->state.angle[source->angle];
    }
}

static void list_kind(AfxiWorld *world, uint32_t kind, AfxiFramePacker *packer) {
    const AfxModel *model = world->model;
    const AfxiJointFrame *frame[AFXI_GROUP_LANES];
    AfxiAngleGroup *group = NULL;
    for (uint32_t joint = 0; joint < model->joint_count; joint++) {
        if (model->joints[joint].kind != kind || !goes_with_others(model, joint, false)) {
            continue;
        }
        if (!group || group->lanes == AFXI_GROUP_LANES) {
            group = &world->angle_group[world->angle_group_count++];
            *group = (AfxiAngleGroup){.kind = kind_of(model, joint)};
        }
        list_lane(world, joint, group, frame);
        if (group->lanes == AFXI_GROUP_LANES) {
            group->frames = afxi_frames_pack(packer, frame);
        }
    }
    if (group && group->lanes < AFXI_GROUP_LANES) {
        group->frames = afxi_frames_pack(packer, frame);
    }
}

void afxi_angles_list(AfxiWorld *world) {
    AfxiFramePacker packer = {.kernel = afxi_group_kernel(world->def.lanes), .next = world->angle_frames};
    world->angle_group_count = world->angle_ball_count = 0;
    for (uint32_t kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        list_kind(world, kind, &packer);
    }
    for (uint32_t joint = 0; joint < world->model->joint_count; joint++) {
        if (goes_with_others(world->model, joint, true)) {
            world->angle_ball[world->angle_ball_count++] = joint;
        }
    }
}

/* How far the axes of a joint that something acts on are from where they are lost; 1 where it is switched off. */
static double regular_of(const AfxiWorld *world, uint32_t joint, const AfxiPairState *state) {
    const AfxiJoint *source = &world->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(world, joint);
    double least = 1;
    for (uint32_t axis = 0; world->state.joint_active[joint] && axis <= AFX_AXIS_ANGLE; axis++) {
        if (source->acted >> axis & 1u) {
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
    AfxiPairState state = afxi_joint_pair(world, joint);
    double *last = world->state.angle + source->angle, now[AFXI_JOINT_AXES_MOST + 1];
    int8_t fold = afxi_axis_after(kind, kind->axis_count - 1u, frame, &state, last).fold;
    for (uint32_t axis = 0; axis < kind->axis_count; axis++) {
        AfxiAxisSpec spec = afxi_axis_of(kind, axis);
        spec.fold = fold;
        now[axis] = afxi_axis_counted(spec, frame, &state, last[axis]);
    }
    now[kind->axis_count] =
        afxi_axis_counted(afxi_axis_of(kind, AFX_AXIS_TWIST), frame, &state, last[kind->axis_count]);
    memcpy(last, now, afxi_axis_places(kind) * sizeof *last);
    return regular_of(world, joint, &state);
}

uint32_t afxi_angles_lost(const AfxiWorld *world) {
    uint32_t lost = UINT32_MAX;
    double least = AFXI_AXIS_SINGULAR;
    for (uint32_t k = 0; k < world->angle_ball_count; k++) {
        uint32_t joint = world->angle_ball[k];
        AfxiPairState state = afxi_joint_pair(world, joint);
        double regular = regular_of(world, joint, &state);
        lost = regular < least ? joint : lost;
        least = fmin(least, regular);
    }
    return lost;
}

uint32_t afxi_angles_follow(AfxiWorld *world) {
    uint32_t lost = UINT32_MAX;
    double least = AFXI_AXIS_SINGULAR;
    const AfxiGroupKernel *kernel = afxi_group_kernel(world->def.lanes);
    for (uint32_t k = 0; k < world->angle_ball_count; k++) {
        double regular = follow_ball(world, world->angle_ball[k]);
        lost = regular < least ? world->angle_ball[k] : lost;
        least = fmin(least, regular);
    }
    for (uint32_t k = 0; k < world->angle_group_count; k++) {
        kernel->angles(&world->angle_group[k]);
    }
    return lost;
}
