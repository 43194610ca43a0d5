/* SPDX-License-Identifier: Apache-2.0 */
/* What a model knows of generalised coordinates. Bodies and joints form a graph; the joints that name coordinates, and
 * those without any freedom, are followed from what stands still and from bodies that are free, each body once. Where
 * the scene names no coordinates, a spanning forest of all joints says which they are. */
#include "model/robot.h"

#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "model/robot_parts.h"
#include "model/robot_paths.h"
#include "model/tuning.h"

/* While compiling. */
typedef struct Work {
    uint8_t *tree;      /* [joints] it is followed */
    uint8_t *placed;    /* [bodies] */
    uint32_t *start;    /* [bodies + 1] of `ends` */
    uint32_t *ends;     /* [2 joints] followed joints of each body */
    uint32_t *of_joint; /* [joints] first coordinate in by_joint */
    uint32_t *queue;    /* [bodies] */
    uint32_t *parent;   /* [bodies + 1] of joined sets; the last is what stands still */
} Work;

static void work_take(const AfxModel *model, Work *work, AfxiArena *arena) {
    uint32_t bodies = model->shown.bodies, joints = model->shown.joints;
    work->tree = afxi_arena_take(arena, joints, sizeof *work->tree);
    work->placed = afxi_arena_take(arena, bodies, sizeof *work->placed);
    work->start = afxi_arena_take(arena, (size_t)bodies + 1, sizeof *work->start);
    work->ends = afxi_arena_take(arena, 2 * (size_t)joints, sizeof *work->ends);
    work->of_joint = afxi_arena_take(arena, joints, sizeof *work->of_joint);
    work->queue = afxi_arena_take(arena, bodies, sizeof *work->queue);
    work->parent = afxi_arena_take(arena, (size_t)bodies + 1, sizeof *work->parent);
}

static bool still(const AfxModel *model, uint32_t body) {
    return body == AFXI_WORLD || model->kind[body] != AFX_BODY_DYNAMIC;
}

/* Kinds whose coordinates place one body from the other. */
static bool places(const AfxModel *model, uint32_t joint) {
    AfxJointKind kind = (AfxJointKind)model->joints[joint].kind;
    return !afx_joint_has_length(kind) && kind != AFX_JOINT_DISTANCE;
}

/* ---- which coordinates there are ---- */

static void add(AfxiRobot *robot, AfxGeneralized shown, double sign, double offset) {
    static const uint32_t sizes[3][2] = {{1, 1}, {4, 3}, {7, 6}};
    shown.qpos = robot->qpos_count;
    shown.qvel = robot->qvel_count;
    robot->qpos_count += sizes[shown.kind][0];
    robot->qvel_count += sizes[shown.kind][1];
    robot->generalized[robot->count++] = (AfxiGeneralized){shown, sign, offset};
}

static void add_authored(AfxiRobot *robot, const AfxScene *scene) {
    for (uint32_t k = 0; k < scene->generalized_count; k++) {
        const AfxiSceneGeneralized *g = scene->generalized + k;
        add(robot, (AfxGeneralized){(AfxGeneralizedKind)g->kind, g->joint, g->axis, g->body, 0, 0}, g->sign, g->offset);
    }
}

static void add_joint(const AfxModel *model, AfxiRobot *robot, uint32_t joint) {
    AfxJointKind kind = (AfxJointKind)model->joints[joint].kind;
    uint32_t count = afx_joint_axis_count(kind);
    if (kind == AFX_JOINT_SPHERICAL) {
        add(robot, (AfxGeneralized){AFX_GENERALIZED_BALL, joint, 0, UINT32_MAX, 0, 0}, 1, 0);
        return;
    }
    for (uint32_t axis = kind == AFX_JOINT_SCREW ? 1 : 0; axis < count; axis++) {
        add(robot, (AfxGeneralized){AFX_GENERALIZED_AXIS, joint, axis, UINT32_MAX, 0, 0}, 1, 0);
    }
}

/* Joins what a joint ties; false when it was one already. */
static bool join(Work *work, uint32_t a, uint32_t b) {
    a = afxi_forest_root(work->parent, a);
    b = afxi_forest_root(work->parent, b);
    if (a != b) {
        work->parent[a > b ? b : a] = a > b ? a : b; /* what stands still is the last, and stays a root */
    }
    return a != b;
}

/* A spanning forest; then body by body what is free, or the joints that were followed from earlier bodies. */
static void add_default(const AfxModel *model, AfxiRobot *robot, Work *work) {
    uint32_t bodies = model->shown.bodies;
    for (uint32_t k = 0; k <= bodies; k++) {
        work->parent[k] = k < bodies && still(model, k) ? bodies : k;
    }
    for (uint32_t k = 0; k < model->shown.joints; k++) {
        const AfxiJoint *joint = &model->joints[k];
        uint32_t a = joint->base == AFXI_WORLD ? bodies : joint->base;
        uint32_t b = joint->follower == AFXI_WORLD ? bodies : joint->follower;
        work->tree[k] = joint->active && places(model, k) && join(work, a, b);
    }
    memset(work->placed, 0, bodies);
    for (uint32_t body = 0; body < bodies; body++) {
        uint32_t root = afxi_forest_root(work->parent, body);
        if (root != bodies && !work->placed[root]) { /* the first body of what hangs on nothing */
            work->placed[root] = 1;
            add(robot, (AfxGeneralized){AFX_GENERALIZED_FREE, UINT32_MAX, 0, body, 0, 0}, 1, 0);
        }
    }
    for (uint32_t k = 0; k < model->shown.joints; k++) {
        if (work->tree[k]) {
            add_joint(model, robot, k);
        }
    }
}

/* ---- in which order bodies are placed ---- */

static void group_by_joint(const AfxModel *model, AfxiRobot *robot, Work *work, bool authored) {
    uint32_t at = 0;
    memset(work->of_joint, 0xff, model->shown.joints * sizeof *work->of_joint);
    for (uint32_t k = 0; k < robot->count; k++) { /* counted first */
        uint32_t joint = robot->generalized[k].shown.joint;
        if (joint != UINT32_MAX) {
            work->of_joint[joint] = work->of_joint[joint] == UINT32_MAX ? 1 : work->of_joint[joint] + 1;
        }
    }
    for (uint32_t joint = 0; joint < model->shown.joints; joint++) {
        uint32_t count = work->of_joint[joint];
        bool loose = afx_joint_axis_count((AfxJointKind)model->joints[joint].kind) == 0;
        if (authored) {
            work->tree[joint] = places(model, joint) && (count != UINT32_MAX || loose);
        }
        if (count != UINT32_MAX) {
            work->of_joint[joint] = at;
            at += count;
        }
    }
    memset(robot->by_joint, 0xff, robot->count * sizeof *robot->by_joint);
    for (uint32_t k = 0; k < robot->count; k++) {
        uint32_t joint = robot->generalized[k].shown.joint;
        if (joint != UINT32_MAX) {
            uint32_t place = work->of_joint[joint];
            while (robot->by_joint[place] != UINT32_MAX) { /* six at most */
                place++;
            }
            robot->by_joint[place] = k;
        }
    }
}

static uint32_t end_of(const AfxModel *model, uint32_t joint, int side) {
    return side ? model->joints[joint].follower : model->joints[joint].base;
}

static void list_ends(const AfxModel *model, Work *work) {
    uint32_t bodies = model->shown.bodies;
    memset(work->start, 0, ((size_t)bodies + 1) * sizeof *work->start);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t joint = model->shown.joints; joint-- > 0;) {
            for (int side = 0; side < 2; side++) {
                uint32_t body = end_of(model, joint, side);
                if (!work->tree[joint] || body == AFXI_WORLD) {
                    continue;
                }
                if (pass) {
                    work->ends[--work->start[body]] = joint;
                } else {
                    work->start[body]++;
                }
            }
        }
        for (uint32_t body = 0; !pass && body < bodies; body++) {
            work->start[body + 1] += work->start[body];
        }
    }
}

static void place(const AfxiRobot *robot, Work *work, AfxiPlaceStep step, uint32_t *queued, uint32_t *steps) {
    work->placed[step.body] = 1;
    work->queue[(*queued)++] = step.body;
    if (step.first != UINT32_MAX || step.joint != UINT32_MAX) {
        robot->step[(*steps)++] = step;
    }
}

/* Follows joints from the bodies that are queued. */
static void follow(const AfxModel *model, AfxiRobot *robot, Work *work, uint32_t *at, uint32_t *queued) {
    for (; *at < *queued; (*at)++) {
        uint32_t from = work->queue[*at];
        for (uint32_t k = work->start[from]; k < work->start[from + 1]; k++) {
            uint32_t joint = work->ends[k];
            uint32_t to = end_of(model, joint, end_of(model, joint, 0) == from);
            if (to != AFXI_WORLD && !work->placed[to]) {
                place(robot, work, (AfxiPlaceStep){to, joint, work->of_joint[joint]}, queued, &robot->step_count);
            }
        }
    }
}

static void order(const AfxModel *model, AfxiRobot *robot, Work *work) {
    uint32_t bodies = model->shown.bodies, at = 0, queued = 0;
    list_ends(model, work);
    memset(work->placed, 0, bodies);
    for (uint32_t body = 0; body < bodies; body++) {
        if (still(model, body)) {
            place(robot, work, (AfxiPlaceStep){body, UINT32_MAX, UINT32_MAX}, &queued, &robot->step_count);
        }
    }
    for (uint32_t k = 0; k < robot->count; k++) {
        uint32_t body = robot->generalized[k].shown.body;
        if (body != UINT32_MAX) {
            place(robot, work, (AfxiPlaceStep){body, UINT32_MAX, k}, &queued, &robot->step_count);
        }
    }
    for (uint32_t joint = 0; joint < model->shown.joints; joint++) { /* from the world itself */
        for (int side = 0; side < 2; side++) {
            uint32_t body = end_of(model, joint, side);
            if (work->tree[joint] && end_of(model, joint, !side) == AFXI_WORLD && !work->placed[body]) {
                place(robot, work, (AfxiPlaceStep){body, joint, work->of_joint[joint]}, &queued, &robot->step_count);
            }
        }
    }
    follow(model, robot, work, &at, &queued);
    for (uint32_t body = 0; body < bodies; body++) { /* what no coordinate moves as a whole keeps its first body */
        if (!work->placed[body]) {
            place(robot, work, (AfxiPlaceStep){body, UINT32_MAX, UINT32_MAX}, &queued, &robot->step_count);
            follow(model, robot, work, &at, &queued);
        }
    }
}

static void robot_take(const AfxModel *model, const AfxScene *scene, AfxiRobot *robot, double **numbers,
                       AfxiArena *arena) {
    size_t most = scene->generalized_count, count = 0;
    if (most == 0 && model->shown.bodies <= AFXI_GENERALIZED_BODIES) {
        most = (size_t)model->shown.coordinates + model->shown.bodies;
    }
    for (uint32_t k = 0; k < scene->keyframe_count; k++) {
        count += afxi_keyframe_numbers(scene->keyframes + k);
    }
    robot->generalized = afxi_arena_take(arena, most, sizeof *robot->generalized);
    robot->by_joint = afxi_arena_take(arena, most, sizeof *robot->by_joint);
    robot->step = afxi_arena_take(arena, model->shown.bodies, sizeof *robot->step);
    robot->control = afxi_arena_take(arena, scene->control_count, sizeof *robot->control);
    robot->keyframe = afxi_arena_take(arena, scene->keyframe_count, sizeof *robot->keyframe);
    robot->site = afxi_arena_take(arena, scene->site_count, sizeof *robot->site);
    robot->sensor = afxi_arena_take(arena, scene->sensor_count, sizeof *robot->sensor);
    *numbers = afxi_arena_take(arena, count, sizeof **numbers);
    size_t paths = 0, items = 0;
    for (uint32_t k = 0; k < scene->coupling_count; k++) {
        paths += scene->couplings[k].path_count > 0;
        items += scene->couplings[k].path_count;
    }
    robot->path = afxi_arena_take(arena, paths, sizeof *robot->path);
    robot->path_item = afxi_arena_take(arena, items, sizeof *robot->path_item);
}

static AfxStatus fill(AfxModel *model, const AfxScene *scene, Work *work, AfxError *out_error) {
    AfxiRobot *robot = &model->robot;
    bool authored = scene->generalized_count > 0;
    double *numbers;
    AfxiArena arena = {0};
    robot_take(model, scene, robot, &numbers, &arena);
    arena.base = afxi_allocate_aligned(&model->allocator, arena.used, &robot->raw, &robot->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    robot_take(model, scene, robot, &numbers, &arena);
    if (authored) {
        add_authored(robot, scene);
    } else if (model->shown.bodies <= AFXI_GENERALIZED_BODIES) {
        add_default(model, robot, work);
    }
    group_by_joint(model, robot, work, authored);
    order(model, robot, work);
    robot->control_count = scene->control_count;
    robot->keyframe_count = scene->keyframe_count;
    robot->site_count = scene->site_count;
    AfxStatus status = afxi_robot_paths(model, scene, out_error);
    return status ? status : afxi_robot_parts(robot, scene, numbers, out_error);
}

AfxStatus afxi_compile_robot(AfxModel *model, const AfxScene *scene, AfxError *out_error) {
    Work work;
    AfxiArena arena = {0};
    void *raw;
    size_t raw_size;
    work_take(model, &work, &arena);
    arena.base = afxi_allocate_aligned(&model->allocator, arena.used, &raw, &raw_size);
    AfxStatus status = AFX_E_MEMORY;
    if (arena.base) {
        arena.used = 0;
        work_take(model, &work, &arena);
        status = fill(model, scene, &work, out_error);
        afxi_release(&model->allocator, raw, raw_size);
    }
    if (status == AFX_E_MEMORY) {
        return afxi_error(out_error, status, "model", "out of memory", "use fewer bodies or free some memory");
    }
    return status;
}

void afxi_robot_destroy(AfxModel *model) {
    afxi_release(&model->allocator, model->robot.raw, model->robot.raw_size);
}
