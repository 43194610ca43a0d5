/* SPDX-License-Identifier: Apache-2.0 */
/* peer_affix: the driver of Affix itself, and the origin of the scenes of all the others.
 *
 *   peer_affix --scene CASE [name=value]... >FILE    writes a built-in case as rigid bodies and ball joints
 *   peer_affix FILE [options]                         runs such a scene (peer.h)
 *
 * Variants: bdf2 (exactly rigid bodies, all else default), accurate, alpha, alpha-accurate, and
 * bdf1. The scene that runs is built anew from the file, so that no engine has more than the file says. */
#include "affix/affix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/cases.h"
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

/* ---- a case as a scene file ---- */

static void print_numbers(const double *numbers, int count) {
    for (int k = 0; k < count; k++) {
        printf(" %.17g", numbers[k]);
    }
}

static void print_body(const AfxScene *scene, AfxBodyId id) {
    AfxBodyDef def;
    AfxMass mass;
    check(afx_scene_get_body(scene, id, &def), NULL, "body");
    check(afx_scene_body_mass(scene, id, &mass), NULL, "mass");
    double skew = fabs(mass.inertia[3]) + fabs(mass.inertia[4]) + fabs(mass.inertia[5]);
    double shift = fabs(mass.center.x) + fabs(mass.center.y) + fabs(mass.center.z);
    if (skew > 1e-12 * mass.inertia[0] || shift > 1e-12) {
        peer_fail("body %u is not given in principal axes", (unsigned)id.index);
    }
    printf("%d", def.kind == AFX_BODY_FIXED);
    double numbers[11] = {mass.mass,           mass.inertia[0],     mass.inertia[1],     mass.inertia[2],
                          def.pose.position.x, def.pose.position.y, def.pose.position.z, def.pose.rotation.w,
                          def.pose.rotation.x, def.pose.rotation.y, def.pose.rotation.z};
    print_numbers(numbers, 11);
    printf("\n");
}

static void print_joint(const AfxScene *scene, uint32_t index) {
    AfxJointDef def;
    check(afx_scene_get_joint(scene, afx_scene_joint(scene, index), &def), NULL, "joint");
    if (def.kind != AFX_JOINT_SPHERICAL) {
        peer_fail("joint %u is no ball joint", (unsigned)index);
    }
    AfxBodyId world = afx_world();
    bool base_world = memcmp(&def.base, &world, sizeof world) == 0;
    AfxVec3 a = def.base_frame.position, b = def.follower_frame.position;
    printf("%d %u", base_world ? -1 : (int)def.base.index, (unsigned)def.follower.index);
    print_numbers((double[]){a.x, a.y, a.z, b.x, b.y, b.z}, 6);
    printf("\n");
}

static int write_scene(int argc, char **argv) {
    const AfxiCase *from = argc > 0 ? afxi_case_find(argv[0]) : NULL;
    AfxiCaseArguments arguments;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error = {0};
    if (!from) {
        peer_fail("there is no such case");
    }
    check(afxi_case_arguments(from, (uint32_t)argc - 1, (const char *const *)argv + 1, &arguments, &error), &error,
          "arguments");
    check(afxi_case_build(&arguments, &def, &scene, &error), &error, "case");
    printf("scene %s", argv[0]);
    for (int k = 1; k < argc; k++) {
        printf(" %s", argv[k]);
    }
    AfxVec3 gravity = afx_scene_gravity(scene);
    printf("\ngravity");
    print_numbers((double[]){gravity.x, gravity.y, gravity.z}, 3);
    printf("\ncounts %u %u\n", (unsigned)afx_scene_body_count(scene), (unsigned)afx_scene_joint_count(scene));
    for (uint32_t k = 0; k < afx_scene_body_count(scene); k++) {
        print_body(scene, afx_scene_body(scene, k));
    }
    for (uint32_t k = 0; k < afx_scene_joint_count(scene); k++) {
        print_joint(scene, k);
    }
    AfxBodyId body;
    AfxVec3 point;
    check(afx_scene_get_marker(scene, 0, NULL, &body, &point), NULL, "marker");
    printf("%u", (unsigned)body.index);
    print_numbers((double[]){point.x, point.y, point.z}, 3);
    printf("\n");
    afx_scene_destroy(scene);
    return 0;
}

/* ---- a scene file as a sim ---- */

static AfxVec3 vector(const double v[3]) {
    return (AfxVec3){v[0], v[1], v[2]};
}

static AfxScene *build(const PeerScene *from) {
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
        made.young = INFINITY;
        check(afx_scene_add_body(scene, &made, &id), afx_scene_error(scene), "body");
    }
    for (uint32_t k = 0; k < from->joint_count; k++) {
        const PeerJoint *joint = &from->joints[k];
        AfxJointDef made = afx_default_joint(AFX_JOINT_SPHERICAL);
        AfxJointId id;
        made.base = joint->a < 0 ? afx_world() : afx_scene_body(scene, (uint32_t)joint->a);
        made.follower = afx_scene_body(scene, (uint32_t)joint->b);
        made.base_frame.position = vector(joint->on_a);
        made.follower_frame.position = vector(joint->on_b);
        check(afx_scene_add_joint(scene, &made, &id), afx_scene_error(scene), "joint");
    }
    return scene;
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
    def.integrator = strstr(variant, "alpha") ? AFX_ALPHA : strcmp(variant, "bdf1") == 0 ? AFX_BDF1 : AFX_BDF2;
    AfxScene *scene = build(from);
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
    return afx_step(engine->sim, NULL) == AFX_OK;
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

static AfxVec3 own_point(const AfxSim *sim, int32_t body, const double point[3]) {
    AfxVec3 local = vector(point), rest[4] = {local, local, local, local}, world[4] = {local};
    if (body >= 0) {
        check(afx_sim_control_points(sim, (uint32_t)body, rest, world, NULL), NULL, "point");
    }
    return world[0];
}

/* Points of the affine bodies, which the joints hold together; the gap of poses also has what a body's matrix lacks to
 * a rotation. */
static double own_gap(void *context) {
    const Engine *engine = context;
    double most = 0;
    for (uint32_t k = 0; k < engine->scene->joint_count; k++) {
        const PeerJoint *joint = &engine->scene->joints[k];
        AfxVec3 a = own_point(engine->sim, joint->a, joint->on_a), b = own_point(engine->sim, joint->b, joint->on_b);
        most = fmax(most, sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z)));
    }
    return most;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--scene") == 0) {
        return write_scene(argc - 2, argv + 2);
    }
    PeerEngine engine = {"affix", afx_version(), create, step, read_states, own_gap};
    return peer_main(argc, argv, &engine);
}
