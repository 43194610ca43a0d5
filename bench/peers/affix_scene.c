/* SPDX-License-Identifier: Apache-2.0 */
/* A built-in case, or a model file, as the scene file of the comparison: rigid bodies about their centres of mass and
 * along their principal axes, their shapes where the case has contact, joints and the stops of slides. Everything else
 * is left out: drives, springs, dampers, friction in joints, and the rotors that stand for the armature of a model
 * file's joints, which gravity does not pull. A file has no contact here. */
#include "affix_scene.h"

#include "affix/affix.h"
#include "affix/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contact/scenes.h"
#include "cases/cases.h"
#include "peer.h"

enum { CLASSES_MOST = 15 };

typedef struct Writer {
    AfxScene *scene;
    AfxModel *model;
    int32_t *number; /* [bodies]: in the file; -1: left out */
    AfxPose *frame;  /* [bodies]: the principal frame in the body's own */
    uint32_t class_count;
    uint32_t group[CLASSES_MOST], mask[CLASSES_MOST]; /* kinds of shapes, by what they touch */
} Writer;

static void check(AfxStatus status, const AfxError *error, const char *what) {
    if (status != AFX_OK) {
        peer_fail("affix: %s: %s: %s", what, error ? error->element : "",
                  error ? error->text : afx_status_text(status));
    }
}

static void print_numbers(const double *numbers, int count) {
    for (int k = 0; k < count; k++) {
        printf(" %.17g", numbers[k]);
    }
}

static void print_vector(AfxVec3 v) {
    print_numbers((double[]){v.x, v.y, v.z}, 3);
}

static void print_pose(AfxPose pose) {
    print_vector(pose.position);
    print_numbers((double[]){pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}, 4);
}

/* ---- bodies ---- */

static AfxVec3 cross(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* u . I u, the moment of inertia about an axis of length 1. */
static double moment(const double inertia[6], AfxVec3 u) {
    return inertia[0] * u.x * u.x + inertia[1] * u.y * u.y + inertia[2] * u.z * u.z +
           2 * (inertia[3] * u.x * u.y + inertia[4] * u.x * u.z + inertia[5] * u.y * u.z);
}

/* The frame of a body that is in principal axes already stays as it is, to the bit. In scenes with contact it is the
 * frame of the body's one shape, so that no engine has to compose shapes. */
static AfxPose principal_frame(const Writer *writer, uint32_t k, const AfxMass *mass) {
    AfxBodyId id = afx_scene_body(writer->scene, k);
    if (afx_scene_contact(writer->scene)) {
        AfxShapeDef shape;
        if (afx_scene_shape_count(writer->scene, id) != 1) {
            peer_fail("body %u has not one shape", (unsigned)k);
        }
        check(afx_scene_get_shape(writer->scene, id, 0, &shape), NULL, "shape");
        return shape.pose;
    }
    double skew = fabs(mass->inertia[3]) + fabs(mass->inertia[4]) + fabs(mass->inertia[5]);
    double shift = fabs(mass->center.x) + fabs(mass->center.y) + fabs(mass->center.z);
    AfxPose frame = afx_pose_identity();
    if (skew > 1e-12 * mass->inertia[0] || shift > 1e-12) {
        check(afx_model_body_frame(writer->model, k, &frame), NULL, "frame");
    }
    return frame;
}

static void print_body(Writer *writer, uint32_t k) {
    AfxBodyId id = afx_scene_body(writer->scene, k);
    AfxBodyDef def;
    AfxMass mass;
    check(afx_scene_get_body(writer->scene, id, &def), NULL, "body");
    check(afx_scene_body_mass(writer->scene, id, &mass), NULL, "mass");
    AfxPose frame = def.kind == AFX_BODY_FIXED ? afx_pose_identity() : principal_frame(writer, k, &mass);
    AfxPose pose = afx_pose_compose(def.pose, frame);
    AfxVec3 arm = afx_quat_rotate(def.pose.rotation, frame.position), turned = cross(def.angular_velocity, arm);
    AfxVec3 velocity = {def.linear_velocity.x + turned.x, def.linear_velocity.y + turned.y,
                        def.linear_velocity.z + turned.z};
    const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    writer->frame[k] = frame;
    printf("%d %.17g", def.kind == AFX_BODY_FIXED, mass.mass);
    for (int i = 0; i < 3; i++) {
        print_numbers((double[]){moment(mass.inertia, afx_quat_rotate(frame.rotation, axes[i]))}, 1);
    }
    print_pose(pose);
    print_vector(velocity);
    print_vector(def.angular_velocity);
    printf("\n");
}

/* Numbers the bodies that take part. */
static uint32_t choose_bodies(Writer *writer) {
    uint32_t count = afx_scene_body_count(writer->scene), chosen = 0;
    writer->number = peer_allocate(count, sizeof *writer->number);
    writer->frame = peer_allocate(count, sizeof *writer->frame);
    for (uint32_t k = 0; k < count; k++) {
        AfxBodyDef def;
        check(afx_scene_get_body(writer->scene, afx_scene_body(writer->scene, k), &def), NULL, "body");
        writer->number[k] = def.kind == AFX_BODY_DYNAMIC && !def.gravity ? -1 : (int32_t)chosen++;
    }
    return chosen;
}

/* Young's modulus of the moving bodies, the same for all; only Affix makes use of it. */
static double young_of(const AfxScene *scene) {
    AfxBodyDef def = {.young = INFINITY};
    for (uint32_t k = 0; k < afx_scene_body_count(scene); k++) {
        check(afx_scene_get_body(scene, afx_scene_body(scene, k), &def), NULL, "body");
        if (def.kind == AFX_BODY_DYNAMIC) {
            break;
        }
    }
    return def.young;
}

/* ---- shapes ---- */

/* Which of the kinds of group and mask a shape has. In the file every kind is a bit of its own, and the mask has the
 * kinds that it touches: that is the same for engines that ask for both masks and for those that ask for one. */
static uint32_t class_of(Writer *writer, const AfxShapeDef *shape) {
    uint32_t k = 0;
    while (k < writer->class_count &&
           (writer->group[k] != shape->contact_group || writer->mask[k] != shape->contact_mask)) {
        k++;
    }
    if (k == CLASSES_MOST) {
        peer_fail("too many kinds of groups and masks");
    }
    writer->group[k] = shape->contact_group;
    writer->mask[k] = shape->contact_mask;
    writer->class_count += k == writer->class_count;
    return k;
}

static void print_shape(Writer *writer, uint32_t body, const AfxShapeDef *shape) {
    double size[3] = {shape->radius, shape->length / 2, 0};
    PeerShapeKind kind = PEER_SPHERE;
    switch (shape->kind) {
    case AFX_SHAPE_SPHERE:
        size[1] = 0;
        break;
    case AFX_SHAPE_CAPSULE:
        kind = PEER_CAPSULE;
        break;
    case AFX_SHAPE_CYLINDER: /* round ends: what lies on it does not reach them, and all engines have capsules */
        kind = PEER_CAPSULE;
        break;
    case AFX_SHAPE_BOX:
        kind = PEER_BOX;
        memcpy(size, (double[]){shape->half_extents.x, shape->half_extents.y, shape->half_extents.z}, sizeof size);
        break;
    case AFX_SHAPE_PLANE:
        kind = PEER_PLANE;
        break;
    default:
        peer_fail("body %u has a shape that is not compared", (unsigned)body);
    }
    printf("%d %d", writer->number[body], (int)kind);
    print_numbers(size, 3);
    print_pose(afx_pose_compose(afx_pose_invert(writer->frame[body]), shape->pose));
    uint32_t own = class_of(writer, shape), partners = 0;
    for (uint32_t k = 0; k < writer->class_count; k++) {
        bool touch = (writer->group[own] & writer->mask[k]) || (writer->group[k] & writer->mask[own]);
        partners |= (uint32_t)touch << k;
    }
    printf(" %u %u\n", 1u << own, (unsigned)partners);
}

/* Prints the shapes, or only counts them. */
static uint32_t each_shape(Writer *writer, bool print) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < afx_scene_body_count(writer->scene); k++) {
        AfxBodyId id = afx_scene_body(writer->scene, k);
        for (uint32_t i = 0; i < afx_scene_shape_count(writer->scene, id); i++) {
            AfxShapeDef shape;
            check(afx_scene_get_shape(writer->scene, id, i, &shape), NULL, "shape");
            if (writer->number[k] < 0 || shape.visual) {
                continue;
            }
            found++;
            class_of(writer, &shape);
            if (print) {
                print_shape(writer, k, &shape);
            }
        }
    }
    return found;
}

/* ---- joints ---- */

static PeerJointKind kind_of(AfxJointKind kind, uint32_t index) {
    switch (kind) {
    case AFX_JOINT_SPHERICAL:
        return PEER_BALL;
    case AFX_JOINT_REVOLUTE:
        return PEER_HINGE;
    case AFX_JOINT_PRISMATIC:
        return PEER_SLIDE;
    case AFX_JOINT_UNIVERSAL:
        return PEER_UNIVERSAL;
    default:
        peer_fail("joint %u is of a kind that is not compared", (unsigned)index);
    }
    return PEER_BALL;
}

static bool is_world(AfxBodyId id) {
    AfxBodyId world = afx_world();
    return memcmp(&id, &world, sizeof world) == 0;
}

static bool takes_part(const Writer *writer, uint32_t index, AfxJointDef *out_def) {
    check(afx_scene_get_joint(writer->scene, afx_scene_joint(writer->scene, index), out_def), NULL, "joint");
    return (is_world(out_def->base) || writer->number[out_def->base.index] >= 0) &&
           (is_world(out_def->follower) || writer->number[out_def->follower.index] >= 0);
}

static void find_stops(const Writer *writer, uint32_t index, double out_stops[2]) {
    AfxJointId id = afx_scene_joint(writer->scene, index);
    for (uint32_t k = 0; k < afx_scene_drive_count(writer->scene); k++) {
        AfxDriveDef drive;
        check(afx_scene_get_drive(writer->scene, k, &drive), NULL, "drive");
        if (drive.kind == AFX_DRIVE_LIMIT && memcmp(&drive.joint, &id, sizeof id) == 0) {
            out_stops[0] = drive.lower;
            out_stops[1] = drive.upper;
        }
    }
}

/* The world comes first in the file: hinges, slides and balls are the same the other way round. */
static void print_joint(const Writer *writer, uint32_t index, const AfxJointDef *def) {
    AfxBodyId ids[2] = {def->base, def->follower};
    AfxPose frames[2] = {def->base_frame, def->follower_frame};
    PeerJointKind kind = kind_of(def->kind, index);
    double stops[2] = {0, 0};
    int first = is_world(ids[1]) ? 1 : 0;
    if (first == 1 && kind == PEER_UNIVERSAL) {
        peer_fail("joint %u: a universal joint must start at the world", (unsigned)index);
    }
    if (kind == PEER_SLIDE) {
        find_stops(writer, index, stops);
    }
    printf("%d", (int)kind);
    for (int k = 0; k < 2; k++) {
        AfxBodyId id = ids[(first + k) % 2];
        printf(" %d", is_world(id) ? -1 : writer->number[id.index]);
    }
    for (int k = 0; k < 2; k++) {
        AfxBodyId id = ids[(first + k) % 2];
        AfxPose frame = frames[(first + k) % 2];
        print_pose(is_world(id) ? frame : afx_pose_compose(afx_pose_invert(writer->frame[id.index]), frame));
    }
    print_numbers(stops, 2);
    printf("\n");
}

static uint32_t each_joint(const Writer *writer, bool print) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < afx_scene_joint_count(writer->scene); k++) {
        AfxJointDef def;
        if (takes_part(writer, k, &def)) {
            found++;
            if (print) {
                print_joint(writer, k, &def);
            }
        }
    }
    return found;
}

/* ---- the whole ---- */

static AfxScene *build_case(int argc, char **argv) {
    const AfxiCase *from = afxi_case_find(argv[0]);
    AfxiCaseArguments arguments;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error = {0};
    if (!from) {
        peer_fail("there is no case %s", argv[0]);
    }
    check(afxi_case_arguments(from, (uint32_t)argc - 1, (const char *const *)argv + 1, &arguments, &error), &error,
          "arguments");
    check(afxi_case_build(&arguments, &def, &scene, &error), &error, "case");
    return scene;
}

/* Scenes of bench_contact that are no cases: "pile-NAME size=N". */
typedef struct Pile {
    const char *name;
    AfxStatus (*build)(uint32_t size, AfxScene **out, AfxError *error);
} Pile;

static AfxScene *build_pile(int argc, char **argv) {
    static const Pile piles[] = {{"pile-wall", bench_wall},
                                 {"pile-boxes", bench_boxes},
                                 {"pile-spheres", bench_spheres},
                                 {"pile-figures", bench_figures}};
    AfxScene *scene = NULL;
    AfxError error = {0};
    unsigned size = 0;
    if (argc != 2 || sscanf(argv[1], "size=%u", &size) != 1 || size == 0) {
        peer_fail("usage: peer_affix --scene %s size=N", argv[0]);
    }
    for (size_t k = 0; k < sizeof piles / sizeof *piles && !scene; k++) {
        if (strcmp(argv[0], piles[k].name) == 0) {
            check(piles[k].build(size, &scene, &error), &error, argv[0]);
        }
    }
    if (!scene) {
        peer_fail("there is no %s", argv[0]);
    }
    return scene;
}

static AfxScene *load_file(const char *path) {
    AfxSceneDef def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxScene *scene = NULL;
    AfxError error = {0};
    check(afx_scene_create(&def, &scene), NULL, "scene");
    check(afx_scene_load(scene, path, &load, &error), &error, path);
    check(afx_scene_set_contact(scene, false), NULL, "contact");
    return scene;
}

static void print_marker(const Writer *writer) {
    AfxBodyId body = {0};
    AfxVec3 point = {0, 0, 0};
    if (afx_scene_get_marker(writer->scene, 0, NULL, &body, &point) != AFX_OK) { /* the last body */
        body = afx_scene_body(writer->scene, afx_scene_body_count(writer->scene) - 1);
    }
    printf("%d", writer->number[body.index]);
    print_vector(afx_pose_apply(afx_pose_invert(writer->frame[body.index]), point));
    printf("\n");
}

int peer_write_scene(int argc, char **argv) {
    if (argc < 1) {
        peer_fail("usage: peer_affix --scene CASE|FILE [name=value]...");
    }
    const char *base = strrchr(argv[0], '/');
    bool pile = strncmp(argv[0], "pile-", 5) == 0;
    Writer writer = {.scene = base ? load_file(argv[0]) : pile ? build_pile(argc, argv) : build_case(argc, argv)};
    AfxError error = {0};
    AfxMaterialDef material;
    check(afx_model_create(writer.scene, &writer.model, &error), &error, "model");
    check(afx_scene_get_material(writer.scene, afx_scene_material(writer.scene, 0), &material), NULL, "material");
    bool contact = afx_scene_contact(writer.scene);
    uint32_t bodies = choose_bodies(&writer);
    printf("scene %s", base ? base + 1 : argv[0]);
    for (int k = 1; k < argc; k++) {
        printf(" %s", argv[k]);
    }
    printf("\ngravity");
    print_vector(afx_scene_gravity(writer.scene));
    printf("\nfriction %.17g\nyoung %.17g\ncounts %u %u %u\n", material.friction,
           contact ? young_of(writer.scene) : INFINITY, bodies, contact ? each_shape(&writer, false) : 0,
           each_joint(&writer, false));
    for (uint32_t k = 0; k < afx_scene_body_count(writer.scene); k++) {
        if (writer.number[k] >= 0) {
            print_body(&writer, k);
        }
    }
    if (contact) {
        each_shape(&writer, true);
    }
    each_joint(&writer, true);
    print_marker(&writer);
    afx_model_destroy(writer.model);
    afx_scene_destroy(writer.scene);
    return 0;
}
