/* SPDX-License-Identifier: Apache-2.0 */
/* bench_hand [STEPS]: a hand of 24 hinges, all with a servo, limits and dry friction, that is told new poses at random:
 * solver iterations a step, why there was more than one, and the time of a step. Default settings but for dt. */
#include <affix/affix.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define JOINTS 24u
#define HOLD 50 /* steps that a pose is wanted for */

static void check(AfxStatus status, const char *what) {
    if (status != AFX_OK) {
        fprintf(stderr, "bench_hand: %s: %s\n", what, afx_status_text(status));
        exit(1);
    }
}

static double number(uint64_t *seed) { /* 0 ... 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

typedef struct Hand {
    AfxScene *scene;
    uint32_t servo[JOINTS];
    double lower[JOINTS], upper[JOINTS];
    uint32_t joints;
} Hand;

static AfxBodyId add_bone(AfxScene *scene, AfxVec3 middle, double length, double wide, double mass) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef box = afx_default_box(length, wide, 0.012);
    AfxBodyId id;
    body.pose.position = middle;
    box.density = mass / (length * wide * 0.012);
    check(afx_scene_add_body(scene, &body, &id), "body");
    check(afx_scene_add_shape(scene, id, &box), "shape");
    return id;
}

static void add_drive(Hand *hand, AfxDriveDef drive, AfxJointId joint) {
    AfxDriveId id;
    drive.joint = joint;
    if (drive.kind == AFX_DRIVE_SERVO) {
        hand->servo[hand->joints] = afx_scene_drive_count(hand->scene);
    }
    check(afx_scene_add_drive(hand->scene, &drive, &id), "drive");
}

/* A hinge between two bones; `strength`, Nm, is what its servo gives at most, a twentieth of it friction. */
static void add_hinge(Hand *hand, AfxBodyId base, AfxBodyId bone, AfxVec3 at, AfxVec3 axis, double lower, double upper,
                      double strength) {
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), limit = afx_default_drive(AFX_DRIVE_LIMIT);
    AfxDriveDef friction = afx_default_drive(AFX_DRIVE_FRICTION);
    AfxJointId id;
    joint.base = base;
    joint.follower = bone;
    check(afx_joint_place(hand->scene, &joint, afx_frame_along(at, axis)), "place");
    check(afx_scene_add_joint(hand->scene, &joint, &id), "joint");
    servo.from_input = true;
    servo.stiffness = strength;
    servo.damping = 0.05 * strength;
    servo.effort = strength;
    limit.lower = lower;
    limit.upper = upper;
    friction.effort = 0.05 * strength;
    add_drive(hand, servo, id);
    add_drive(hand, limit, id);
    add_drive(hand, friction, id);
    hand->lower[hand->joints] = lower;
    hand->upper[hand->joints++] = upper;
}

/* A finger of bones in a row along x, the first of them a knuckle that goes sideways. */
static void add_finger(Hand *hand, AfxBodyId palm, AfxVec3 root, uint32_t bones) {
    AfxBodyId before = palm;
    for (uint32_t k = 0; k < bones; k++) {
        bool knuckle = k == 0;
        double length = knuckle ? 0.012 : 0.045 - 0.007 * k;
        AfxVec3 middle = {root.x + 0.5 * length, root.y, root.z}, axis = {0, !knuckle, knuckle};
        AfxBodyId bone = add_bone(hand->scene, middle, length, 0.015, knuckle ? 0.008 : 0.03 - 0.004 * k);
        add_hinge(hand, before, bone, root, axis, knuckle ? -0.35 : -0.2, knuckle ? 0.35 : 1.5, knuckle ? 0.8 : 0.6);
        root.x += length;
        before = bone;
    }
}

static void make(Hand *hand) {
    AfxSceneDef def = afx_default_scene();
    check(afx_scene_create(&def, &hand->scene), "scene");
    check(afx_scene_set_contact(hand->scene, false), "contact");
    AfxBodyId wrist = add_bone(hand->scene, (AfxVec3){0.01, 0, 0}, 0.02, 0.05, 0.05);
    AfxBodyId palm = add_bone(hand->scene, (AfxVec3){0.065, 0, 0}, 0.09, 0.08, 0.3);
    add_hinge(hand, afx_world(), wrist, (AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1}, -0.5, 0.3, 5);
    add_hinge(hand, wrist, palm, (AfxVec3){0.02, 0, 0}, (AfxVec3){0, 1, 0}, -0.7, 0.5, 5);
    for (int k = 0; k < 3; k++) {
        add_finger(hand, palm, (AfxVec3){0.11, 0.03 - 0.022 * k, 0}, 4);
    }
    add_finger(hand, palm, (AfxVec3){0.09, -0.036, 0}, 5);
    add_finger(hand, palm, (AfxVec3){0.04, 0.045, 0}, 5);
}

/* New poses, a tenth beyond what the joints can do. */
static void tell(const Hand *hand, AfxSim *sim, uint64_t *seed) {
    for (uint32_t k = 0; k < hand->joints; k++) {
        double range = hand->upper[k] - hand->lower[k];
        double target = hand->lower[k] + range * (1.2 * number(seed) - 0.1);
        check(afx_sim_set_drive_target(sim, hand->servo[k], target, 0), "target");
    }
}

static void print_reasons(const uint64_t *reason, int steps) {
#define NAME(constant, name, text) name,
    static const char *const names[] = {AFX_TRACE_REASON_TABLE(NAME)};
#undef NAME
    for (int k = 0; k < AFX_TRACE_REASON_COUNT; k++) {
        if (reason[k]) {
            printf("| solved again: %s | %.3f |\n", names[k], (double)reason[k] / steps);
        }
    }
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 2000;
    Hand hand = {0};
    AfxModel *model;
    AfxSim *sim;
    AfxError error;
    AfxSimDef sim_def = afx_default_sim();
    uint64_t seed = 7, iterations = 0, reason[AFX_TRACE_REASON_COUNT] = {0}, changed[3] = {0};
    struct timespec begin, end;
    double time = 0;
    make(&hand);
    check(afx_model_create(hand.scene, &model, &error), "model");

    check(afx_sim_create(model, &sim_def, &sim), "sim");
    check(afx_sim_trace(sim, 4096), "trace");
    for (int step = 0; step < steps; step++) {
        AfxStepReport report;
        if (step % HOLD == 0) {
            tell(&hand, sim, &seed);
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        check(afx_step(sim, &report), "step");
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        time += (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
        iterations += report.iterations;
        for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
            AfxTraceEvent event;
            check(afx_sim_trace_event(sim, k, &event), "event");
            if (event.kind == AFX_TRACE_SOLVE) {
                reason[event.reason] += event.verdict != AFX_TRACE_ACCEPT;
                changed[0] += event.changes.limits;
                changed[1] += event.changes.friction;
                changed[2] += event.changes.saturation;
            }
        }
        afx_sim_trace_clear(sim);
    }
    printf("| hand of %u hinges, %d steps | a step |\n| --- | --- |\n", hand.joints, steps);
    printf("| solver iterations | %.3f |\n| time, us | %.1f |\n", (double)iterations / steps, 1e6 * time / steps);
    print_reasons(reason, steps);
    printf("| limits, friction, saturation that changed branch | %.3f, %.3f, %.3f |\n", (double)changed[0] / steps,
           (double)changed[1] / steps, (double)changed[2] / steps);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(hand.scene);
    return 0;
}
