/* SPDX-License-Identifier: Apache-2.0 */
/* bench_trees [--count WHICH STEPS]: what a link of a tree costs by the joints that hold it. Trees of 1,000 links that
 * fork every eight, with joints of one kind or drives on them, one solve a step; and as many solves as it takes, hung
 * up with and without a floor that some of them lie on: mean time of a step, the least of rounds by turns in one run,
 * as nanoseconds a link and over that of ball joints. With --count only one of them is stepped, for counting
 * instructions, which other work on the machine does not change:
 *
 *     valgrind --tool=callgrind build/bench_trees --count hinge 60     (and 20)
 *
 * and (instructions of 60 - instructions of 20) / 40 / 1000 is the number a link and step. */
#include <affix/affix.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINKS 1000u
#define LINK 0.1
#define RADIUS 0.01
#define PI 3.14159265358979323846
#define HANGING 32 /* links from the root on that hang: 90 others lie, with two contact points each at first */
#define ROUNDS 20
#define STEPS 10

typedef struct Kind {
    const char *name;
    AfxJointKind joint;
    bool servo, friction, limit, spring;
    bool hung;  /* links hang from a wind-swept root, but for the last ones, which lie; as many solves as it takes */
    bool floor; /* those lie on something */
} Kind;

static const Kind kinds[] = {
    {.name = "ball", .joint = AFX_JOINT_SPHERICAL},
    {.name = "ball-spring", .joint = AFX_JOINT_SPHERICAL, .spring = true},
    {.name = "ball-hung", .joint = AFX_JOINT_SPHERICAL, .hung = true},
    {.name = "ball-floor", .joint = AFX_JOINT_SPHERICAL, .hung = true, .floor = true},
    {.name = "hinge", .joint = AFX_JOINT_REVOLUTE},
    {.name = "hinge-servo", .joint = AFX_JOINT_REVOLUTE, .servo = true},
    {.name = "hinge-limit", .joint = AFX_JOINT_REVOLUTE, .limit = true},
    {.name = "hinge-friction", .joint = AFX_JOINT_REVOLUTE, .friction = true},
    {.name = "hinge-all", .joint = AFX_JOINT_REVOLUTE, .servo = true, .friction = true, .limit = true},
    {.name = "hinge-hung", .joint = AFX_JOINT_REVOLUTE, .hung = true},
    {.name = "hinge-floor", .joint = AFX_JOINT_REVOLUTE, .hung = true, .floor = true},
    {.name = "universal", .joint = AFX_JOINT_UNIVERSAL},
    {.name = "slide", .joint = AFX_JOINT_PRISMATIC, .servo = true},
    {.name = "fixed", .joint = AFX_JOINT_FIXED},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Of this program alone: others on the machine do not count. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(AfxStatus status, const char *what) {
    if (status != AFX_OK) {
        fprintf(stderr, "bench_trees: %s: %s\n", what, afx_status_text(status));
        exit(1);
    }
}

/* A link from `begin` on: along x, or hanging down. Its end comes back. */
static AfxVec3 add_link(AfxScene *scene, AfxVec3 begin, bool hangs, AfxBodyId *out) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef shape = afx_default_capsule(RADIUS, LINK - 2 * RADIUS);
    AfxVec3 along = {hangs ? 0 : LINK, 0, hangs ? -LINK : 0};
    body.pose.position = (AfxVec3){begin.x + 0.5 * along.x, 0, begin.z + 0.5 * along.z};
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, hangs ? PI : 0.5 * PI); /* z to -z, or to x */
    shape.contact_group = 1;
    shape.contact_mask = 2; /* links do not touch each other */
    check(afx_scene_add_body(scene, &body, out), "body");
    check(afx_scene_add_shape(scene, *out, &shape), "shape");
    return (AfxVec3){begin.x + along.x, 0, begin.z + along.z};
}

static void add_drive(AfxScene *scene, AfxJointId joint, AfxDriveKind kind) {
    AfxDriveDef drive = afx_default_drive(kind);
    AfxDriveId id;
    drive.joint = joint;
    if (kind == AFX_DRIVE_SERVO) {
        drive.stiffness = 10;
        drive.damping = 0.1;
    } else if (kind == AFX_DRIVE_FRICTION) {
        drive.effort = 1e-3;
    } else {
        drive.lower = -3;
        drive.upper = 3;
    }
    check(afx_scene_add_drive(scene, &drive, &id), "drive");
}

static void add_joint(AfxScene *scene, const Kind *kind, AfxBodyId base, double on_base, AfxBodyId follower) {
    AfxJointDef joint = afx_default_joint(kind->joint);
    AfxJointId id;
    /* the axis across the link: upright where all begin in a row, so that slides hang by their servos; else level, so
     * that hinges swing */
    AfxQuat across = afx_quat_from_axis_angle((AfxVec3){!kind->hung, 0, kind->hung}, 0.5 * PI);
    joint.base = base;
    joint.follower = follower;
    joint.base_frame.position = (AfxVec3){0, 0, on_base};
    joint.follower_frame.position = (AfxVec3){0, 0, -0.5 * LINK};
    joint.follower_frame.rotation = across;
    joint.base_frame.rotation = across;
    if (on_base == 0) { /* the world's axes are not those of a link */
        AfxQuat turn = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 0.5 * PI);
        joint.base_frame.rotation = afx_quat_multiply(turn, across);
    }
    if (kind->spring) {
        joint.spring.stiffness = (AfxVec3){1, 1, 1};
    }
    check(afx_scene_add_joint(scene, &joint, &id), "joint");
    const bool wanted[] = {kind->servo, kind->friction, kind->limit};
    const AfxDriveKind drives[] = {AFX_DRIVE_SERVO, AFX_DRIVE_FRICTION, AFX_DRIVE_LIMIT};
    for (int k = 0; k < 3; k++) {
        if (wanted[k]) {
            add_drive(scene, id, drives[k]);
        }
    }
}

/* The floor, on which all links lie that do not hang. */
static void add_floor(AfxScene *scene) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef shape = afx_default_box(20, 20, 0.2);
    AfxBodyId id;
    body.kind = AFX_BODY_FIXED;
    body.pose.position = (AfxVec3){0, 0, -HANGING * LINK - RADIUS - 0.1};
    shape.contact_group = 2;
    check(afx_scene_add_body(scene, &body, &id), "floor");
    check(afx_scene_add_shape(scene, id, &shape), "box");
}

static AfxSim *make(const Kind *kind, AfxModel **out_model) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene;
    AfxError error;
    AfxBodyId link[LINKS];
    AfxVec3 end[LINKS];
    uint32_t depth[LINKS];
    check(afx_scene_create(&def, &scene), "scene");
    check(afx_scene_set_contact(scene, kind->floor), "contact");
    if (kind->hung) {
        check(afx_scene_set_gravity(scene, (AfxVec3){0.3, 0.15, -9.81}), "gravity");
    }
    for (uint32_t k = 0; k < LINKS; k++) {
        uint32_t parent = k == 0 ? 0 : k % 8 ? k - 1 : k / 2;
        AfxVec3 begin = k == 0 ? (AfxVec3){0, 0, 0} : end[parent];
        depth[k] = k == 0 ? 0 : depth[parent] + 1;
        end[k] = add_link(scene, begin, kind->hung && depth[k] < HANGING, &link[k]);
        add_joint(scene, kind, k == 0 ? afx_world() : link[parent], k == 0 ? 0 : 0.5 * LINK, link[k]);
    }
    if (kind->floor) {
        add_floor(scene);
    }
    check(afx_model_create(scene, out_model, &error), "model");
    AfxSimDef sim_def = afx_default_sim();
    AfxSim *sim;
    sim_def.solves = kind->hung ? 0 : 1;
    check(afx_sim_create(*out_model, &sim_def, &sim), "sim");
    afx_scene_destroy(scene);
    return sim;
}

/* What a tree has taken so far. */
typedef struct Taken {
    double least, sum; /* s a step: of the best round, and of all */
    uint64_t iterations, contacts, steps;
} Taken;

static void step(AfxSim *sim, int count, Taken *taken) {
    double begin = now();
    for (int k = 0; k < count; k++) {
        AfxStepReport report;
        check(afx_step(sim, &report), "step");
        taken->iterations += report.iterations;
        taken->contacts += report.contacts;
    }
    double time = now() - begin;
    taken->least = fmin(taken->least, time / count);
    taken->sum += time;
    taken->steps += (uint64_t)count;
}

static void count_one(const char *name, int steps) {
    for (size_t k = 0; k < KINDS; k++) {
        if (strcmp(kinds[k].name, name) == 0) {
            AfxModel *model;
            AfxSim *sim = make(&kinds[k], &model);
            Taken taken = {0};
            step(sim, steps, &taken);
            afx_sim_destroy(sim);
            afx_model_destroy(model);
            return;
        }
    }
    fprintf(stderr, "bench_trees: no tree '%s'\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--count") == 0) {
        count_one(argv[2], atoi(argv[3]));
        return 0;
    }
    AfxModel *model[KINDS];
    AfxSim *sim[KINDS];
    Taken taken[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        sim[k] = make(&kinds[k], &model[k]);
        taken[k] = (Taken){.least = HUGE_VAL};
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < KINDS; k++) {
            step(sim[k], STEPS, &taken[k]);
        }
    }
    printf(
        "Trees of %u links: time of a step, a link, of the best round and of all, and over that of balls; one run.\n\n"
        "| tree           | ns/link | times balls | ns/link, mean | times balls | solves, mean | contacts, mean |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n",
        LINKS);
    for (size_t k = 0; k < KINDS; k++) {
        double steps = (double)taken[k].steps;
        printf("| %-14s | %7.0f | %5.2f | %7.0f | %5.2f | %5.2f | %5.1f |\n", kinds[k].name,
               1e9 * taken[k].least / LINKS, taken[k].least / taken[0].least, 1e9 * taken[k].sum / steps / LINKS,
               taken[k].sum / taken[0].sum, (double)taken[k].iterations / steps, (double)taken[k].contacts / steps);
        afx_sim_destroy(sim[k]);
        afx_model_destroy(model[k]);
    }
    return 0;
}
