/* SPDX-License-Identifier: Apache-2.0 */
/* bench_trees [--count WHICH STEPS]: what a link of a tree costs by the joints that hold it. Trees of 1,000 links that
 * fork every eight, with joints of one kind, drives on them, or a floor that a part of them lies on; one solve a step:
 * least time of a step by turns in one run, as nanoseconds a link and over that of ball joints. With --count only one
 * of them is stepped, for counting instructions, which other work on the machine does not change:
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
#define ROUNDS 20
#define STEPS 10

typedef struct Kind {
    const char *name;
    AfxJointKind joint;
    bool servo, friction, limit, spring, floor;
} Kind;

static const Kind kinds[] = {
    {.name = "ball", .joint = AFX_JOINT_SPHERICAL},
    {.name = "ball-spring", .joint = AFX_JOINT_SPHERICAL, .spring = true},
    {.name = "ball-floor", .joint = AFX_JOINT_SPHERICAL, .floor = true},
    {.name = "hinge", .joint = AFX_JOINT_REVOLUTE},
    {.name = "hinge-servo", .joint = AFX_JOINT_REVOLUTE, .servo = true},
    {.name = "hinge-limit", .joint = AFX_JOINT_REVOLUTE, .limit = true},
    {.name = "hinge-friction", .joint = AFX_JOINT_REVOLUTE, .friction = true},
    {.name = "hinge-floor", .joint = AFX_JOINT_REVOLUTE, .floor = true},
    {.name = "universal", .joint = AFX_JOINT_UNIVERSAL},
    {.name = "slide", .joint = AFX_JOINT_PRISMATIC, .servo = true},
    {.name = "fixed", .joint = AFX_JOINT_FIXED},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(AfxStatus status, const char *what) {
    if (status != AFX_OK) {
        fprintf(stderr, "bench_trees: %s: %s\n", what, afx_status_text(status));
        exit(1);
    }
}

static AfxBodyId add_link(AfxScene *scene, double at) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef shape = afx_default_capsule(0.01, LINK - 0.02);
    AfxBodyId id;
    body.pose.position = (AfxVec3){at, 0, 0};
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 1.5707963267948966); /* z to x */
    shape.contact_group = 1;
    shape.contact_mask = 2; /* links do not touch each other */
    check(afx_scene_add_body(scene, &body, &id), "body");
    check(afx_scene_add_shape(scene, id, &shape), "shape");
    return id;
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
    /* the axis across the link, so that hinges swing and slides hang by their servos */
    AfxQuat across = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, 1.5707963267948966);
    joint.base = base;
    joint.follower = follower;
    joint.base_frame.position = (AfxVec3){0, 0, on_base};
    joint.follower_frame.position = (AfxVec3){0, 0, -0.5 * LINK};
    joint.follower_frame.rotation = across;
    joint.base_frame.rotation = across;
    if (on_base == 0) { /* the world's axes are not those of a link */
        AfxQuat turn = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 1.5707963267948966);
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

/* A floor under a part of the links, which all begin in a row. */
static void add_floor(AfxScene *scene) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef shape = afx_default_box(0.4, 2, 0.1);
    AfxBodyId id;
    body.kind = AFX_BODY_FIXED;
    body.pose.position = (AfxVec3){0.6, 0, -0.06};
    shape.contact_group = 2;
    check(afx_scene_add_body(scene, &body, &id), "floor");
    check(afx_scene_add_shape(scene, id, &shape), "box");
}

static AfxSim *make(const Kind *kind, AfxModel **out_model) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene;
    AfxError error;
    AfxBodyId link[LINKS];
    double end[LINKS];
    check(afx_scene_create(&def, &scene), "scene");
    check(afx_scene_set_contact(scene, kind->floor), "contact");
    for (uint32_t k = 0; k < LINKS; k++) {
        uint32_t parent = k == 0 ? 0 : k % 8 ? k - 1 : k / 2;
        double begin = k == 0 ? 0 : end[parent];
        end[k] = begin + LINK;
        link[k] = add_link(scene, begin + 0.5 * LINK);
        add_joint(scene, kind, k == 0 ? afx_world() : link[parent], k == 0 ? 0 : 0.5 * LINK, link[k]);
    }
    if (kind->floor) {
        add_floor(scene);
    }
    check(afx_model_create(scene, out_model, &error), "model");
    AfxSimDef sim_def = afx_default_sim();
    AfxSim *sim;
    sim_def.solves = kind->floor ? 0 : 1;
    check(afx_sim_create(*out_model, &sim_def, &sim), "sim");
    afx_scene_destroy(scene);
    return sim;
}

static double step(AfxSim *sim, int count, AfxStepReport *report) {
    double begin = now();
    for (int k = 0; k < count; k++) {
        check(afx_step(sim, report), "step");
    }
    return now() - begin;
}

static void count_one(const char *name, int steps) {
    for (size_t k = 0; k < KINDS; k++) {
        if (strcmp(kinds[k].name, name) == 0) {
            AfxModel *model;
            AfxSim *sim = make(&kinds[k], &model);
            step(sim, steps, NULL);
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
    AfxStepReport report[KINDS];
    double least[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        sim[k] = make(&kinds[k], &model[k]);
        report[k] = (AfxStepReport){0};
        least[k] = HUGE_VAL;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < KINDS; k++) {
            least[k] = fmin(least[k], step(sim[k], STEPS, &report[k]) / STEPS);
        }
    }
    printf("Trees of %u links: least time of a step, a link, and over that of balls; one run.\n\n"
           "| tree           | ns/link | times balls | iterations, last step | contacts |\n"
           "| --- | --- | --- | --- | --- |\n",
           LINKS);
    for (size_t k = 0; k < KINDS; k++) {
        printf("| %-14s | %7.0f | %5.2f | %u | %u |\n", kinds[k].name, 1e9 * least[k] / LINKS, least[k] / least[0],
               report[k].iterations, report[k].contacts);
        afx_sim_destroy(sim[k]);
        afx_model_destroy(model[k]);
    }
    return 0;
}
