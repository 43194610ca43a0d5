/* SPDX-License-Identifier: Apache-2.0 */
/* An arm with the Panda's published kinematics (Denavit and Hartenberg: 0.333, 0.316, 0.0825, 0.384, 0.088, 0.107 m)
 * and geometry of our own picks up cubes and stacks them (M-ABD 2026, Fig. 21). Its hand follows straight lines,
 * straight down; inverse kinematics (affix/kinematics.h) makes joint angles of them when the scene is built, and servos
 * follow these. Everything that is grasped is held by friction. */
#include <string.h>

#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/random.h"

#define HALF 0.02  /* of a cube's edge, m */
#define OPEN 0.04  /* of a finger */
#define SPEED 0.25 /* of the hand, m/s */
#define EVERY 0.1  /* s between samples of its path */
#define GRIP_Z 0.1954
#define FINGER_Z 0.1654

enum { JOINTS = 7, CUBES_MOST = 8, SAMPLES_MOST = 1600 };
enum { CUBES, SEED, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [CUBES] = {.name = "cubes",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "3",
               .min = 1,
               .max = CUBES_MOST,
               .help = "to be stacked on the first"},
    [SEED] = AFXI_CASE_SEED,
    [FRICTION] = AFXI_CASE_FRICTION("1"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* A link in the one before it, its mass, and the capsule that is its body. */
static const struct {
    AfxPose place;
    double mass, lower, upper;
    AfxVec3 from, to;
} links[JOINTS] = {
    {{{0, 0, 0.333}, {1, 0, 0, 0}}, 4.9, -2.8973, 2.8973, {0, 0, -0.2}, {0, 0, 0}},
    {{{0, 0, 0}, {1, -1, 0, 0}}, 0.65, -1.7628, 1.7628, {0, 0, -0.06}, {0, 0, 0.06}},
    {{{0, -0.316, 0}, {1, 1, 0, 0}}, 3.2, -2.8973, 2.8973, {0, 0, -0.2}, {0, 0, 0}},
    {{{0.0825, 0, 0}, {1, 1, 0, 0}}, 3.6, -3.0718, -0.0698, {0, 0, -0.06}, {0, 0, 0.06}},
    {{{-0.0825, 0.384, 0}, {1, -1, 0, 0}}, 1.2, -2.8973, 2.8973, {0, 0, -0.25}, {0, 0, 0}},
    {{{0, 0, 0}, {1, 1, 0, 0}}, 1.7, -0.0175, 3.7525, {0, 0, -0.05}, {0.088, 0, 0}},
    {{{0.088, 0, 0}, {1, 1, 0, 0}}, 0.7, -2.8973, 2.8973, {0, 0, 0}, {0, 0, 0.08}},
};
static const double home[JOINTS] = {0, -0.4, 0, -2.2, 0, 1.8, 0.785};

typedef struct Arm {
    AfxJointId joint[JOINTS], finger[2];
} Arm;

/* What servos follow. */
typedef struct Path {
    uint32_t count;
    double time[SAMPLES_MOST], angle[JOINTS][SAMPLES_MOST], grip[SAMPLES_MOST];
    AfxVec3 hand[SAMPLES_MOST];
} Path;

/* ---- the arm ---- */

static AfxPose unit(AfxPose pose) {
    AfxQuat q = pose.rotation;
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    pose.rotation = (AfxQuat){s * q.w, s * q.x, s * q.y, s * q.z};
    return pose;
}

static AfxBodyId add_body(AfxiCaseBuilder *builder, const char *name, AfxPose pose, double young) {
    AfxBodyDef body = afx_default_body();
    body.name = name;
    body.pose = pose;
    body.young = young;
    body.gravity = false; /* its motors hold its weight */
    return afxi_case_body(builder, &body);
}

static void add_shape(AfxiCaseBuilder *builder, AfxBodyId body, AfxShapeDef shape, double mass, bool touches) {
    shape.mass = mass;
    shape.contact_group = shape.contact_mask = touches ? 1 : 0;
    afxi_case_shape(builder, body, &shape);
}

static AfxShapeDef capsule(AfxVec3 from, AfxVec3 to) {
    AfxVec3 along = {to.x - from.x, to.y - from.y, to.z - from.z};
    double length = sqrt(along.x * along.x + along.y * along.y + along.z * along.z);
    AfxShapeDef shape = afx_default_capsule(0.05, length);
    AfxQuat x_to_z =
        afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 1.5707963267948966); /* the capsule's z to the frame's x */
    AfxPose at = afx_frame_along((AfxVec3){(from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2}, along);
    shape.pose = (AfxPose){at.position, afx_quat_multiply(at.rotation, x_to_z)};
    return shape;
}

/* A hinge or slide between frames, with its limits and armature. */
static AfxJointId add_joint(AfxiCaseBuilder *builder, AfxJointKind kind, AfxBodyId base, AfxPose on_base,
                            AfxBodyId follower, AfxPose on_follower, const double limits[2]) {
    AfxJointDef joint = afx_default_joint(kind);
    AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
    joint.base = base;
    joint.follower = follower;
    joint.base_frame = on_base;
    joint.follower_frame = on_follower;
    joint.armature[0] = 0.1;
    limit.joint = afxi_case_joint(builder, &joint);
    limit.lower = limits[0];
    limit.upper = limits[1];
    afxi_case_drive(builder, &limit);
    return limit.joint;
}

static void add_finger(AfxiCaseBuilder *builder, AfxBodyId hand, AfxPose at, int side, double young, Arm *arm) {
    static const double limits[2] = {0, OPEN};
    AfxPose slide = afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, side, 0}), base = slide;
    base.position.z = FINGER_Z;
    AfxPose here = afx_pose_compose(at, (AfxPose){{0, side * OPEN, FINGER_Z}, {1, 0, 0, 0}});
    AfxBodyId finger = add_body(builder, side > 0 ? "left" : "right", here, young);
    AfxShapeDef box = afx_default_box(0.02, 0.01, 0.04);
    box.pose.position = (AfxVec3){0, 0.005 * side, 0.02};
    add_shape(builder, finger, box, 0.03, true);
    arm->finger[side < 0] = add_joint(builder, AFX_JOINT_PRISMATIC, hand, base, finger, slide, limits);
}

static void add_arm(AfxiCaseBuilder *builder, double young, Arm *arm) {
    static const char *const names[JOINTS] = {"link1", "link2", "link3", "link4", "link5", "link6", "link7"};
    AfxQuat up = afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1}).rotation;
    AfxPose at = afx_pose_identity(), axis = {{0, 0, 0}, up};
    AfxBodyId last = afx_world();
    for (int k = 0; k < JOINTS; k++) {
        const double limits[2] = {links[k].lower, links[k].upper};
        AfxPose place = unit(links[k].place);
        AfxPose turned = {{0, 0, 0}, afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, home[k])};
        at = afx_pose_compose(afx_pose_compose(at, place), turned);
        AfxBodyId link = add_body(builder, names[k], at, young);
        add_shape(builder, link, capsule(links[k].from, links[k].to), links[k].mass, false);
        arm->joint[k] = add_joint(builder, AFX_JOINT_REVOLUTE, last, afx_pose_compose(place, axis), link, axis, limits);
        last = link;
    }
    AfxPose flange = {{0, 0, 0.107}, afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, -0.7853981633974483)};
    AfxPose grasp = {{0, 0, GRIP_Z}, {1, 0, 0, 0}};
    AfxShapeDef palm = afx_default_box(0.06, 0.2, 0.06);
    AfxSiteId site;
    at = afx_pose_compose(at, flange);
    AfxBodyId hand = add_body(builder, "hand", at, young);
    palm.pose.position.z = 0.03;
    add_shape(builder, hand, palm, 0.7, false);
    afxi_case_joint_between(builder, AFX_JOINT_FIXED, last, flange, hand, afx_pose_identity());
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_site(builder->scene, hand, "grasp", grasp, &site);
    }
    add_finger(builder, hand, at, 1, young, arm);
    add_finger(builder, hand, at, -1, young, arm);
}

/* ---- the path ---- */

static void add_sample(Path *path, AfxVec3 at, double grip) {
    if (path->count < SAMPLES_MOST) {
        path->time[path->count] = EVERY * path->count;
        path->hand[path->count] = at;
        path->grip[path->count++] = grip;
    }
}

static AfxVec3 last_of(const Path *path) {
    return path->hand[path->count - 1];
}

static void go(Path *path, AfxVec3 to, double grip) {
    AfxVec3 from = last_of(path), d = {to.x - from.x, to.y - from.y, to.z - from.z};
    int count = (int)ceil(sqrt(d.x * d.x + d.y * d.y + d.z * d.z) / (SPEED * EVERY)) + 1;
    for (int k = 1; k <= count; k++) {
        double x = (double)k / count, s = x * x * (3 - 2 * x); /* at rest at both ends */
        add_sample(path, (AfxVec3){from.x + s * d.x, from.y + s * d.y, from.z + s * d.z}, grip);
    }
}

static void wait(Path *path, double grip, double seconds) {
    for (double t = 0; t < seconds; t += EVERY) {
        add_sample(path, last_of(path), grip);
    }
}

static AfxVec3 above(AfxVec3 at, double height) {
    at.z += height;
    return at;
}

static void plan(Path *path, AfxVec3 start, const AfxVec3 *cube, uint32_t cubes) {
    add_sample(path, start, OPEN);
    for (uint32_t k = 1; k < cubes; k++) {
        AfxVec3 there = above(cube[0], 2 * HALF * k), up = cube[k];
        up.z = there.z + 0.2;
        go(path, above(cube[k], 0.15), OPEN);
        go(path, cube[k], OPEN);
        wait(path, OPEN, 0.3);
        wait(path, 0, 0.4);
        go(path, up, 0);
        go(path, above(there, 0.2), 0);
        go(path, above(there, 0.002), 0);
        wait(path, 0, 0.3);
        wait(path, OPEN, 0.3);
        go(path, above(there, 0.2), OPEN);
    }
    wait(path, OPEN, 0.5);
}

/* Joint angles for every place of the hand, pointing down, by a sim of the arm alone. */
static AfxStatus solve_path(AfxSim *sim, Path *path) {
    AfxStatus status = AFX_OK;
    bool locked[JOINTS + 2] = {false};
    locked[JOINTS] = locked[JOINTS + 1] = true;
    for (uint32_t k = 0; k < path->count && status == AFX_OK; k++) {
        AfxPose down = {path->hand[k], {0, 1, 0, 0}};
        AfxFrameTarget target = afx_default_frame_target(0, down);
        AfxReachDef def = afx_default_reach();
        AfxReachReport report;
        double q[JOINTS + 2];
        def.targets = &target;
        def.target_count = 1;
        def.locked = locked;
        def.tolerance = 1e-7;
        status = afx_sim_inverse_kinematics(sim, &def, &report);
        status = status ? status : !report.converged ? AFX_E_NUMERIC : afx_sim_qpos(sim, q);
        for (int j = 0; status == AFX_OK && j < JOINTS; j++) {
            path->angle[j][k] = q[j];
        }
    }
    return status;
}

static AfxStatus find_angles(const AfxSceneDef *def, const AfxVec3 *cube, uint32_t cubes, Path *path) {
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef settings = afx_default_sim();
    AfxPose start;
    Arm arm;
    add_arm(&builder, INFINITY, &arm);
    AfxStatus status = afxi_case_end(&builder, &scene, NULL);
    status = status ? status : afx_model_create(scene, &model, NULL);
    settings.allocator = def->allocator;
    status = status ? status : afx_sim_create(model, &settings, &sim);
    status = status ? status : afx_sim_site(sim, 0, &start, NULL);
    if (status == AFX_OK) {
        plan(path, start.position, cube, cubes);
        status = solve_path(sim, path);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return status;
}

/* ---- the scene ---- */

static void add_servo(AfxiCaseBuilder *builder, AfxJointId joint, const double gains[3], const Path *path,
                      const double *values) {
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    servo.joint = joint;
    servo.stiffness = gains[0];
    servo.damping = gains[1];
    servo.effort = gains[2];
    servo.target =
        (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = path->time, .values = values, .sample_count = path->count};
    afxi_case_drive(builder, &servo);
}

static void place_cubes(AfxVec3 *out, uint32_t count, uint64_t seed) {
    AfxiCaseRandom random = {seed};
    for (uint32_t k = 0; k < count; k++) {
        bool free = false;
        for (int trial = 0; trial < 1000 && !free; trial++) {
            double x = afxi_case_random_number(&random, 0.4, 0.6), y = afxi_case_random_number(&random, -0.28, 0.28);
            out[k] = (AfxVec3){x, y, HALF};
            free = true;
            for (uint32_t j = 0; j < k; j++) {
                free = free && hypot(x - out[j].x, y - out[j].y) > 0.09;
            }
        }
    }
}

static void add_cubes(AfxiCaseBuilder *builder, const AfxVec3 *at, uint32_t count, double young) {
    static const char *const names[CUBES_MOST] = {"cube1", "cube2", "cube3", "cube4",
                                                  "cube5", "cube6", "cube7", "cube8"};
    for (uint32_t k = 0; k < count; k++) {
        AfxBodyDef body = afx_default_body();
        AfxShapeDef box = afx_default_box(2 * HALF, 2 * HALF, 2 * HALF);
        body.name = names[k];
        body.pose.position = at[k];
        body.young = young;
        box.mass = 0.05;
        AfxBodyId id = afxi_case_body(builder, &body);
        afxi_case_shape(builder, id, &box);
        afxi_case_marker(builder, id, names[k], (AfxVec3){0, 0, 0});
    }
}

static void add_all(AfxiCaseBuilder *builder, const AfxiCaseArguments *args, const AfxVec3 *cube, const Path *path) {
    static const double strong[3] = {4500, 450, INFINITY}, weak[3] = {2000, 200, INFINITY}, grip[3] = {1000, 50, 40};
    Arm arm;
    afxi_case_touch(builder, args->values[FRICTION]);
    afxi_case_ground(builder, afx_pose_identity());
    add_arm(builder, args->values[YOUNG], &arm);
    for (int j = 0; j < JOINTS; j++) {
        add_servo(builder, arm.joint[j], j < 4 ? strong : weak, path, path->angle[j]);
    }
    AfxCouplingDef both = afx_default_coupling();
    both.term_count = 2;
    for (int s = 0; s < 2; s++) {
        add_servo(builder, arm.finger[s], grip, path, path->grip);
        both.joint[s] = arm.finger[s];
        both.factor[s] = s ? -1 : 1;
    }
    afxi_case_coupling(builder, &both);
    add_cubes(builder, cube, (uint32_t)args->values[CUBES], args->values[YOUNG]);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxVec3 cube[CUBES_MOST];
    uint32_t cubes = (uint32_t)args->values[CUBES];
    AfxAllocator memory = def->allocator.reallocate ? def->allocator : afx_default_allocator();
    Path *path = memory.reallocate(memory.user, NULL, 0, sizeof *path);
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    place_cubes(cube, cubes, (uint64_t)args->values[SEED]);
    if (path) {
        memset(path, 0, sizeof *path);
    }
    if (builder.status == AFX_OK) {
        builder.status = path ? find_angles(def, cube, cubes, path) : AFX_E_MEMORY;
    }
    if (builder.status == AFX_OK) {
        add_all(&builder, args, cube, path);
    }
    if (path) {
        memory.reallocate(memory.user, path, sizeof *path, 0);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_panda_pick = {
    .name = "panda-pick",
    .summary = "an arm with the Panda's kinematics picks up cubes and stacks them; its path by inverse kinematics",
    .dt = 0.01,
    .time = 16,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
