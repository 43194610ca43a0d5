/* SPDX-License-Identifier: Apache-2.0 */
/* Couplings whose coordinate is the length L of a path. Over a step the row is
 *     sum of f_k (c_k - c_k0) + L0 - z = 0,    f_k = dL/dc_k,
 * with f and L of the beginning: the rate is exact there, the length to second order of the step. z, and with it what
 * acts along the path, is in the same solve as everything else. f_k is what straight pieces change when all beyond
 * joint k moves with it; how arcs slide on what they go around changes nothing to first order. */
#include "step/path.h"

#include <string.h>

#include "base/memory.h"
#include "joint/axis.h"
#include "math/path.h"
#include "model/model.h"
#include "model/params.h"
#include "state/pose.h"
#include "step/assemble.h"
#include "step/joint_query.h"

struct AfxiPathWork {
    AfxiStop *stops;        /* [path_most] */
    AfxiStretch *stretches; /* [2 path_most] */
    void *raw;
    size_t raw_size;
};

static void take(const AfxiRobot *robot, struct AfxiPathWork *work, AfxiArena *arena) {
    work->stops = afxi_arena_take(arena, robot->path_most, sizeof *work->stops);
    work->stretches = afxi_arena_take(arena, 2 * (size_t)robot->path_most, sizeof *work->stretches);
}

AfxStatus afxi_paths_create(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    double numbers[AFX_PARAM_SIZE_MOST];
    if (robot->path_count == 0) {
        return AFX_OK;
    }
    sim->paths = afxi_allocate(&sim->def.allocator, sizeof *sim->paths);
    if (!sim->paths) {
        return AFX_E_MEMORY;
    }
    AfxiArena arena = {0};
    take(robot, sim->paths, &arena);
    arena.base = afxi_allocate_aligned(&sim->def.allocator, arena.used, &sim->paths->raw, &sim->paths->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(robot, sim->paths, &arena);
    /* parameters of its own from now on */
    AfxStatus status = afx_sim_param(sim, AFX_PARAM_GRAVITY, 0, numbers);
    return status ? status : afx_sim_set_param(sim, AFX_PARAM_GRAVITY, 0, numbers);
}

void afxi_paths_destroy(AfxSim *sim) {
    if (sim->paths) {
        afxi_release(&sim->def.allocator, sim->paths->raw, sim->paths->raw_size);
        afxi_release(&sim->def.allocator, sim->paths, sizeof *sim->paths);
    }
}

static AfxPose pose_of(const AfxSim *sim, uint32_t body) {
    return body == AFXI_WORLD ? afx_pose_identity()
                              : afxi_pose_from_raw(afxi_model_frame(sim->model, body),
                                                   sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body);
}

/* The stops of a path as they are. */
static void place(const AfxSim *sim, const AfxiPathItem *items, uint32_t count, AfxiStop *stops) {
    static const AfxiStopKind kinds[] = {AFXI_STOP_POINT, AFXI_STOP_SPHERE, AFXI_STOP_CYLINDER, AFXI_STOP_PULLEY};
    for (uint32_t k = 0; k < count; k++) {
        const AfxPathItem *item = &items[k].item;
        AfxPose body = pose_of(sim, items[k].body);
        stops[k] = (AfxiStop){.kind = kinds[item->kind],
                              .pose = afx_pose_compose(body, item->pose),
                              .radius = item->radius,
                              .divisor = item->divisor,
                              .sided = item->sided,
                              .side = afx_pose_apply(body, item->side)};
    }
}

/* How a free axis of a joint moves what is beyond: along a direction, or about it through a point. */
typedef struct Motion {
    AfxVec3 direction, point;
    bool turns;
} Motion;

static Motion motion_of(const AfxSim *sim, uint32_t joint, uint32_t axis) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, joint);
    AfxiMat3 axes = frame->axes_b;
    AfxVec3 point = frame->point_a;
    if (source->base != AFXI_WORLD) {
        AfxiMat3 base = mat3_load(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * source->base);
        axes = mat3_multiply(&base, &axes);
    }
    if (source->follower != AFXI_WORLD) {
        const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * source->follower;
        AfxiMat3 follower = mat3_load(q);
        point = vec3_add(mat3_apply(&follower, point), vec3_load(q + 9));
    }
    AfxQuat before = {1, 0, 0, 0};
    for (uint32_t k = 0; k < axis; k++) {
        if (kind->axes[k].type != AFXI_AXIS_TRANSLATION) {
            double value, rate;
            AfxVec3 about = vec3(kind->axes[k].axis == 0, kind->axes[k].axis == 1, kind->axes[k].axis == 2);
            afxi_joint_coordinate(sim, joint, k, &value, &rate);
            before = afx_quat_multiply(before, afx_quat_from_axis_angle(about, value));
        }
    }
    AfxVec3 own = vec3(kind->axes[axis].axis == 0, kind->axes[axis].axis == 1, kind->axes[axis].axis == 2);
    bool turns = kind->axes[axis].type != AFXI_AXIS_TRANSLATION;
    return (Motion){mat3_apply(&axes, turns ? afx_quat_rotate(before, own) : own), point, turns};
}

static AfxVec3 moved(const Motion *motion, AfxVec3 at) {
    return motion->turns ? vec3_cross(motion->direction, vec3_sub(at, motion->point)) : motion->direction;
}

static double factor_of(const Motion *motion, uint32_t bit, const AfxiPathItem *items, const AfxiStretch *stretches,
                        uint32_t count) {
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        const AfxiStretch *s = &stretches[k];
        AfxVec3 way = vec3_sub(s->to, s->from), rate = vec3(0, 0, 0);
        if (items[s->stop_to].beyond & bit) {
            rate = moved(motion, s->to);
        }
        if (items[s->stop_from].beyond & bit) {
            rate = vec3_sub(rate, moved(motion, s->from));
        }
        sum += s->share * vec3_dot(way, rate) / vec3_length(way);
    }
    return sum;
}

void afxi_paths_follow(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    for (uint32_t p = 0; sim->paths && p < robot->path_count; p++) {
        const AfxiPath *path = &robot->path[p];
        const AfxiPathItem *items = robot->path_item + path->first;
        const AfxiCoupling *coupling = &sim->model->couplings[path->coupling];
        double *numbers = afxi_param(sim->model, sim->own.params, AFX_PARAM_COUPLING, path->coupling);
        sim->world.params_version++;
        uint32_t count = 0;
        place(sim, items, path->count, sim->paths->stops);
        double constant = -afxi_path_length(sim->paths->stops, path->count, sim->paths->stretches, &count);
        for (uint32_t term = 0; term + 1 < coupling->term_count; term++) { /* the last is that of the block */
            Motion motion = motion_of(sim, coupling->joint[term], coupling->axis[term]);
            double value, rate;
            numbers[term] = factor_of(&motion, 1u << term, items, sim->paths->stretches, count);
            afxi_joint_coordinate(sim, coupling->joint[term], coupling->axis[term], &value, &rate);
            constant += numbers[term] * value;
        }
        numbers[AFX_COUPLING_TERMS] = constant;
    }
}
