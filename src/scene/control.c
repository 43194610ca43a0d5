/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of joints as affine bodies are published with: frames from control points on two edges, and a universal
 * joint as two hinges on a cross. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "scene/check.h"
#include "scene/name.h"
#include "scene/store.h"

/* Relative difference of the lengths of two edges that are to lie on each other. */
#define LENGTH_TOLERANCE 1e-9
/* Bytes of the longest ending that the parts of a cross get: "-cross". */
#define ENDING_MAX 6u

static AfxQuat conjugate(AfxQuat q) {
    return (AfxQuat){q.w, -q.x, -q.y, -q.z};
}

static AfxQuat rotation_of(const AfxScene *scene, AfxBodyId end) {
    return end.index == AFXI_NONE ? (AfxQuat){1, 0, 0, 0} : scene->bodies[end.index].pose.rotation;
}

/* ---- joints on control points ---- */

/** Checks one edge of a body; *out_edge is from its first point to its second. */
static AfxStatus check_edge(const AfxiErrorPlace *place, const AfxVec3 points[2], const char *whose, AfxVec3 *out_edge,
                            double *out_length) {
    char what[64];
    snprintf(what, sizeof what, "%s edge", whose);
    AfxVec3 edge = vec3_sub(points[1], points[0]);
    double length = hypot(hypot(edge.x, edge.y), edge.z);
    AfxStatus status = afxi_check_vec3(place, edge, what);
    status = status ? status : afxi_check_number(place, length, what);
    if (!status && length == 0) {
        snprintf(what, sizeof what, "%s two points are the same", whose);
        status = afxi_fail(place, AFX_E_INPUT, what, "give two points apart: the line through them is the x axis");
    }
    *out_edge = edge;
    *out_length = length;
    return status;
}

/** Turns both frames along the edges. The base's frame, seen from the follower, is turned by as little as brings its x
 * axis to the follower's edge: where the edges are parallel in the world, all axes agree there. */
static AfxStatus align(const AfxiErrorPlace *place, const AfxVec3 base_points[2], const AfxVec3 follower_points[2],
                       AfxPose *base, AfxPose *follower) {
    AfxVec3 base_edge, follower_edge;
    double base_length, follower_length;
    AfxStatus status = check_edge(place, base_points, "its base's", &base_edge, &base_length);
    status = status ? status : check_edge(place, follower_points, "its follower's", &follower_edge, &follower_length);
    if (status) {
        return status;
    }
    if (!(fabs(base_length - follower_length) <= LENGTH_TOLERANCE * fmax(base_length, follower_length))) {
        return afxi_fail(place, AFX_E_INPUT, "the edges of its base and its follower differ in length",
                         "give points that are equally far apart on both bodies: they are to lie on each other");
    }
    base->rotation = afx_frame_along(base->position, base_edge).rotation;
    AfxQuat seen = afx_quat_multiply(follower->rotation, base->rotation);
    AfxVec3 edge =
        vec3(follower_edge.x / follower_length, follower_edge.y / follower_length, follower_edge.z / follower_length);
    edge = afx_quat_rotate(conjugate(seen), edge);
    follower->rotation =
        afxi_quat_normalized(afx_quat_multiply(seen, afx_frame_along(follower->position, edge).rotation));
    return AFX_OK;
}

AfxStatus afx_joint_on_points(const AfxScene *scene, AfxJointDef *def, const AfxVec3 base_points[2],
                              const AfxVec3 follower_points[2]) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "joint", NULL, scene->joint_count, AFXI_NONE};
    if (!def || !base_points || !follower_points) {
        return afxi_fail_null(&place, !def ? "def" : base_points ? "follower_points" : "base_points");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_joint");
    if (status) {
        return status;
    }
    place.name = def->name;
    status = afxi_check_ends(scene, &place, def->base, def->follower, "its base", "its follower");
    status = status ? status : afxi_check_vec3(&place, base_points[0], "its base's first point");
    status = status ? status : afxi_check_vec3(&place, follower_points[0], "its follower's first point");
    if (status) {
        return status;
    }
    AfxQuat back = conjugate(rotation_of(scene, def->follower));
    AfxPose base = {base_points[0], {1, 0, 0, 0}};
    AfxPose follower = {follower_points[0], afx_quat_multiply(back, rotation_of(scene, def->base))};
    if (def->kind != AFX_JOINT_SPHERICAL && def->kind != AFX_JOINT_DISTANCE) {
        status = align(&place, base_points, follower_points, &base, &follower);
    }
    if (!status) {
        def->base_frame = base;
        def->follower_frame = follower;
    }
    return status;
}

/* ---- the universal joint as two hinges ---- */

/** Where a body (or the world) is at the start, and how it moves. */
typedef struct Start {
    AfxPose pose;
    AfxTwist twist;
} Start;

static Start start_of(const AfxScene *scene, AfxBodyId end) {
    Start start = {.pose = afx_pose_identity()};
    if (end.index == AFXI_NONE) {
        return start;
    }
    const AfxiSceneBody *body = scene->bodies + end.index;
    uint32_t kind = afxi_scene_matter(scene, end.index)->kind;
    start.pose = body->pose;
    if (kind == AFX_BODY_DYNAMIC) {
        start.twist = afxi_scene_twist(scene, end.index);
    } else if (kind == AFX_BODY_KINEMATIC) {
        const AfxMotion *motion = &scene->motions[body->motion].motion;
        double offset[3] = {0}, velocity[3] = {0}, angle = 0, rate = 0;
        for (int axis = 0; axis < 3; axis++) {
            afx_signal_evaluate(&motion->translation[axis], 0, &offset[axis], &velocity[axis], NULL);
        }
        afx_signal_evaluate(&motion->angle, 0, &angle, &rate, NULL);
        AfxQuat turn = afx_quat_from_axis_angle(motion->axis, angle);
        start.pose.position = vec3_add(start.pose.position, vec3_load(offset));
        start.pose.rotation = afx_quat_multiply(turn, start.pose.rotation);
        start.twist = (AfxTwist){vec3_load(velocity), vec3_scale(rate, motion->axis)};
    }
    return start;
}

/** Puts the cross at the base's point with its x axis along the base's, turned about it until its y axis is along the
 * follower's. It moves with the base's point, and turns with the base but for what the follower turns about x. */
static void place_cross(const AfxScene *scene, const AfxJointDef *d, AfxBodyDef *cross) {
    Start base = start_of(scene, d->base), follower = start_of(scene, d->follower);
    AfxQuat frame = afx_quat_multiply(base.pose.rotation, d->base_frame.rotation);
    AfxVec3 y = afx_quat_rotate(d->follower_frame.rotation, vec3(0, 1, 0));
    y = afx_quat_rotate(conjugate(frame), afx_quat_rotate(follower.pose.rotation, y));
    AfxVec3 x = vec3(1, 0, 0), axis = afx_quat_rotate(frame, x);
    AfxQuat turn = afx_quat_from_axis_angle(x, atan2(y.z, y.y));
    AfxVec3 arm = afx_quat_rotate(base.pose.rotation, d->base_frame.position);
    AfxVec3 spin = base.twist.angular, relative = vec3_sub(follower.twist.angular, spin);
    cross->pose.position = vec3_add(base.pose.position, arm);
    cross->pose.rotation = afxi_quat_normalized(afx_quat_multiply(frame, turn));
    cross->linear_velocity = vec3_add(base.twist.linear, vec3_cross(spin, arm));
    cross->angular_velocity = vec3_mad(spin, vec3_dot(relative, axis), axis);
}

/** The name of a part: that of the joint and an ending; NULL when the joint has none. */
static const char *part_name(const char *name, const char *ending, char out_text[AFXI_NAME_MAX + 1]) {
    if (!name || !name[0]) {
        return NULL;
    }
    snprintf(out_text, AFXI_NAME_MAX + 1, "%.*s%s", (int)(AFXI_NAME_MAX - ENDING_MAX), name, ending);
    return out_text;
}

/** Adds the three parts and, last, the exclusion that one joint would be; what a failure leaves behind is for the
 * caller to forget. */
static AfxStatus add_parts(AfxScene *scene, const AfxJointDef *d, const AfxBodyDef *ball, AfxJointId out_joints[2],
                           AfxBodyId *out_cross) {
    char name[AFXI_NAME_MAX + 1];
    double half = sqrt(0.5);
    AfxQuat to_y = {half, 0, 0, half}; /* brings x to y */
    AfxJointDef hinge = *d;
    AfxBodyDef cross = *ball;
    cross.name = part_name(d->name, "-cross", name);
    AfxStatus status = afx_scene_add_body(scene, &cross, out_cross);
    if (status) {
        return status;
    }
    hinge.kind = AFX_JOINT_REVOLUTE;
    hinge.name = part_name(d->name, "-x", name);
    hinge.follower = *out_cross;
    hinge.follower_frame = afx_pose_identity();
    status = afx_scene_add_joint(scene, &hinge, &out_joints[0]);
    if (status) {
        return status;
    }
    hinge.name = part_name(d->name, "-y", name);
    hinge.base = *out_cross;
    hinge.base_frame.position = vec3(0, 0, 0);
    hinge.base_frame.rotation = to_y;
    hinge.follower = d->follower;
    hinge.follower_frame = d->follower_frame;
    hinge.follower_frame.rotation = afx_quat_multiply(d->follower_frame.rotation, to_y);
    status = afx_scene_add_joint(scene, &hinge, &out_joints[1]);
    bool apart = d->contact || d->base.index == AFXI_NONE || d->follower.index == AFXI_NONE;
    return status || apart ? status : afx_scene_exclude_contact(scene, d->base, d->follower);
}

/** Takes the bodies and joints from these numbers on out again; nothing refers to them yet. */
static void forget(AfxScene *scene, uint32_t bodies, uint32_t joints) {
    while (scene->joint_count > joints) {
        const char *name = scene->joints[--scene->joint_count].name;
        if (name) {
            afxi_names_remove(&scene->joint_names, name);
        }
    }
    while (scene->body_count > bodies) {
        const char *name = scene->bodies[--scene->body_count].name;
        if (name) {
            afxi_names_remove(&scene->body_names, name);
        }
    }
}

/** Checks what place_cross and part_name rely on, and the cross; makes rotations unit. */
static AfxStatus check_cross(const AfxScene *scene, const AfxiErrorPlace *place, AfxJointDef *d, double mass,
                             double size) {
    if (d->kind != AFX_JOINT_UNIVERSAL) {
        return afxi_fail(place, AFX_E_INPUT, "its kind is not AFX_JOINT_UNIVERSAL", "a cross makes a universal joint");
    }
    if (d->name && strlen(d->name) > AFXI_NAME_MAX - ENDING_MAX) {
        return afxi_fail(place, AFX_E_INPUT, "its name is longer than 249 bytes", "give a shorter name");
    }
    AfxStatus status = afxi_check_ends(scene, place, d->base, d->follower, "its base", "its follower");
    status = status ? status : afxi_check_pose(place, &d->base_frame, "its base frame's");
    status = status ? status : afxi_check_pose(place, &d->follower_frame, "its follower frame's");
    status = status ? status : afxi_check_number(place, mass, "the mass of its cross");
    status = status ? status : afxi_check_number(place, size, "the size of its cross");
    if (!status && !(mass > 0 && size > 0)) {
        status = afxi_fail(place, AFX_E_INPUT,
                           mass > 0 ? "the size of its cross is not positive" : "the mass of its cross is not positive",
                           "give kg and m above 0, small beside those of the bodies");
    }
    return status;
}

AfxStatus afx_scene_add_universal_cross(AfxScene *scene, const AfxJointDef *def, double cross_mass, double cross_size,
                                        AfxJointId out_joints[2], AfxBodyId *out_cross) {
    const AfxJointId no_joint = {UINT32_MAX, 0};
    if (out_joints) {
        out_joints[0] = out_joints[1] = no_joint;
    }
    if (out_cross) {
        *out_cross = afx_world();
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "joint", NULL, scene->joint_count, AFXI_NONE};
    if (!def || !out_joints || !out_cross) {
        return afxi_fail_null(&place, !def ? "def" : out_joints ? "out_cross" : "out_joints");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_joint");
    if (status) {
        return status;
    }
    AfxJointDef d = *def;
    place.name = d.name;
    status = check_cross(scene, &place, &d, cross_mass, cross_size);
    if (status) {
        return status;
    }
    AfxBodyDef cross = afx_default_body();
    cross.mass_source = AFX_MASS_GIVEN;
    cross.mass = cross_mass;
    cross.inertia[0] = cross.inertia[1] = cross.inertia[2] = 0.1 * cross_mass * cross_size * cross_size;
    cross.young = INFINITY;
    place_cross(scene, &d, &cross);
    uint32_t bodies = scene->body_count, joints = scene->joint_count;
    status = add_parts(scene, &d, &cross, out_joints, out_cross);
    if (status) {
        forget(scene, bodies, joints);
        out_joints[0] = out_joints[1] = no_joint;
        *out_cross = afx_world();
    }
    return status;
}
