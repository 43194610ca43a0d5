/* SPDX-License-Identifier: Apache-2.0 */
/* Affix behind PeerEngine. Variants: bdf2 (all default), accurate, alpha, alpha-accurate, bdf1, conserving,
 * conserving4, reference, reduced (joint coordinates, Runge-Kutta), and rigid: exactly rigid bodies also where the
 * scene has contact. */
#include "affix_engine.h"

#include "affix/affix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef struct Engine {
    AfxSim *sim;
    uint32_t body_count;
    AfxPose *poses;   /* [body_count] */
    AfxTwist *twists; /* [body_count] */
    const PeerScene *scene;
} Engine;

static void check(AfxStatus status, const AfxError *error, const char *what) {
    if (status != AFX_OK) {
        peer_fail("affix: %s: %s: %s", what, error ? error->element : "",
                  error ? error->text : afx_status_text(status));
    }
}

/* ---- a scene file as a sim ---- */

static AfxVec3 vector(const double v[3]) {
    return (AfxVec3){v[0], v[1], v[2]};
}

static AfxPose pose_of(const PeerPose *pose) {
    const double *q = pose->rotation;
    return (AfxPose){vector(pose->position), {q[0], q[1], q[2], q[3]}};
}

static AfxShapeDef shape_of(const PeerShape *from) {
    const double *size = from->size;
    AfxShapeDef made = from->kind == PEER_SPHERE    ? afx_default_sphere(size[0])
                       : from->kind == PEER_CAPSULE ? afx_default_capsule(size[0], 2 * size[1])
                       : from->kind == PEER_BOX     ? afx_default_box(2 * size[0], 2 * size[1], 2 * size[2])
                                                    : afx_default_plane();
    made.pose = pose_of(&from->pose);
    made.contact_group = from->group;
    made.contact_mask = from->mask;
    return made;
}

static void add_shapes(AfxScene *scene, const PeerScene *from) {
    AfxMaterialDef material = afx_default_material();
    material.friction = from->friction;
    check(afx_scene_set_material(scene, afx_scene_material(scene, 0), &material), NULL, "material");
    for (uint32_t k = 0; k < from->shape_count; k++) {
        AfxShapeDef made = shape_of(&from->shapes[k]);
        check(afx_scene_add_shape(scene, afx_scene_body(scene, from->shapes[k].body), &made), afx_scene_error(scene),
              "shape");
    }
}

static void add_joint(AfxScene *scene, const PeerJoint *joint) {
    static const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC,
                                         AFX_JOINT_UNIVERSAL};
    AfxJointDef made = afx_default_joint(kinds[joint->kind]);
    AfxJointId id;
    made.base = joint->a < 0 ? afx_world() : afx_scene_body(scene, (uint32_t)joint->a);
    made.follower = afx_scene_body(scene, (uint32_t)joint->b);
    made.base_frame = pose_of(&joint->on_a);
    made.follower_frame = pose_of(&joint->on_b);
    check(afx_scene_add_joint(scene, &made, &id), afx_scene_error(scene), "joint");
    if (joint->lower < joint->upper) {
        AfxDriveDef stops = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxDriveId drive;
        stops.joint = id;
        stops.lower = joint->lower;
        stops.upper = joint->upper;
        check(afx_scene_add_drive(scene, &stops, &drive), afx_scene_error(scene), "stops");
    }
}

static AfxScene *build(const PeerScene *from, const char *variant) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    def.gravity = vector(from->gravity);
    check(afx_scene_create(&def, &scene), NULL, "scene");
    for (uint32_t k = 0; k < from->body_count; k++) {
        const PeerBody *body = &from->bodies[k];
        AfxBodyDef made = afx_default_body();
        AfxBodyId id;
        made.kind = body->fixed ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
        made.pose.position = vector(body->position);
        made.pose.rotation = (AfxQuat){body->rotation[0], body->rotation[1], body->rotation[2], body->rotation[3]};
        made.mass_source = AFX_MASS_GIVEN;
        made.mass = body->mass;
        memcpy(made.inertia, body->inertia, sizeof body->inertia);
        made.linear_velocity = vector(body->linear);
        made.angular_velocity = vector(body->angular);
        made.young = strstr(variant, "rigid") ? INFINITY : from->young;
        check(afx_scene_add_body(scene, &made, &id), afx_scene_error(scene), "body");
    }
    if (from->shape_count > 0) {
        add_shapes(scene, from);
    } else {
        check(afx_scene_set_contact(scene, false), NULL, "contact");
    }
    for (uint32_t k = 0; k < from->joint_count; k++) {
        add_joint(scene, &from->joints[k]);
    }
    return scene;
}

static AfxIntegrator integrator_of(const char *variant) {
    static const struct {
        const char *name;
        AfxIntegrator integrator;
    } known[] = {{"conserving4", AFX_CONSERVING4},
                 {"conserving", AFX_CONSERVING},
                 {"reference", AFX_REFERENCE},
                 {"reduced", AFX_RK4},
                 {"alpha", AFX_ALPHA},
                 {"bdf1", AFX_BDF1}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strncmp(variant, known[k].name, strlen(known[k].name)) == 0) {
            return known[k].integrator;
        }
    }
    return AFX_BDF2;
}

static void *create(const PeerScene *from, const PeerOptions *options) {
    Engine *engine = calloc(1, sizeof *engine);
    AfxModel *model = NULL;
    AfxSimDef def = afx_default_sim();
    AfxError error = {0};
    const char *variant = options->variant;
    def.dt = options->h;
    def.error = &error;
    def.accuracy = strstr(variant, "accurate") ? AFX_ACCURATE : AFX_FAST;
    def.integrator = integrator_of(variant);
    def.formulation = strncmp(variant, "reduced", 7) == 0 ? AFX_REDUCED : def.formulation;
    def.contact_model = strstr(variant, "barrier") ? AFX_CONTACT_BARRIER : AFX_CONTACT_COMPLIANT;
    AfxScene *scene = build(from, variant);
    check(afx_model_create(scene, &model, &error), &error, "model");
    afx_scene_destroy(scene);
    check(afx_sim_create(model, &def, &engine->sim), &error, "sim");
    engine->body_count = from->body_count;
    engine->scene = from;
    engine->poses = calloc(from->body_count, sizeof *engine->poses);
    engine->twists = calloc(from->body_count, sizeof *engine->twists);
    if (!engine->poses || !engine->twists) {
        peer_fail("no memory");
    }
    return engine;
}

static bool step(void *context) {
    Engine *engine = context;
    AfxStepReport report;
    AfxStatus status = afx_step(engine->sim, &report);
    if (status != AFX_OK) {
        fprintf(stderr, "affix: %s (flags %#x, body %u)\n", afx_status_text(status), report.flags, report.body);
    }
    return status == AFX_OK;
}

static void read_states(void *context, PeerState *out_states) {
    Engine *engine = context;
    afx_sim_poses(engine->sim, engine->poses);
    afx_sim_twists(engine->sim, engine->twists);
    for (uint32_t k = 0; k < engine->body_count; k++) {
        AfxPose pose = engine->poses[k];
        AfxTwist twist = engine->twists[k];
        out_states[k] = (PeerState){{pose.position.x, pose.position.y, pose.position.z},
                                    {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z},
                                    {twist.linear.x, twist.linear.y, twist.linear.z},
                                    {twist.angular.x, twist.angular.y, twist.angular.z}};
    }
}

/* A joint's frame as the affine body has it: its origin and three points at its axes' ends. */
static PeerFrame own_frame(const AfxSim *sim, int32_t body, const PeerPose *local) {
    AfxPose pose = pose_of(local);
    const AfxVec3 units[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    AfxVec3 rest[4], world[4];
    for (int k = 0; k < 4; k++) {
        rest[k] = world[k] = afx_pose_apply(pose, units[k]);
    }
    if (body >= 0) {
        check(afx_sim_control_points(sim, (uint32_t)body, rest, world, NULL), NULL, "point");
    }
    PeerFrame frame = {.origin = {world[0].x, world[0].y, world[0].z}};
    for (int k = 0; k < 3; k++) {
        double axis[3] = {world[k + 1].x - world[0].x, world[k + 1].y - world[0].y, world[k + 1].z - world[0].z};
        memcpy(frame.axis[k], axis, sizeof axis);
    }
    return frame;
}

/* The gap of the affine bodies, which the joints hold together; the gap of poses also has what a body's matrix lacks to
 * a rotation. */
static double own_gap(void *context) {
    const Engine *engine = context;
    double most = 0;
    for (uint32_t k = 0; k < engine->scene->joint_count; k++) {
        const PeerJoint *joint = &engine->scene->joints[k];
        PeerFrame a = own_frame(engine->sim, joint->a, &joint->on_a),
                  b = own_frame(engine->sim, joint->b, &joint->on_b);
        most = fmax(most, peer_joint_gap(joint, &a, &b));
    }
    return most;
}

PeerEngine peer_affix_engine(void) {
    return (PeerEngine){"affix", afx_version(), create, step, read_states, own_gap, NULL, NULL, NULL};
}
