/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: definitions in and out, and the frames they are placed by. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "scene/check.h"
#include "scene/name.h"
#include "scene/store.h"

static const AfxJointId no_joint = {UINT32_MAX, 0};

AfxBodyId afx_world(void) {
    return (AfxBodyId){UINT32_MAX, 0};
}

AfxJointDef afx_default_joint(AfxJointKind kind) {
    return (AfxJointDef){.cookie = AFXI_COOKIE,
                         .kind = kind,
                         .base = afx_world(),
                         .follower = afx_world(),
                         .base_frame = afx_pose_identity(),
                         .follower_frame = afx_pose_identity(),
                         .active = true,
                         .spring.rest = {1, 0, 0, 0}};
}

/* The shortest turn of x into the unit vector u: q ~ (1 + u_x, x cross u) = (1 + u_x, 0, -u_z, u_y). Behind the
 * origin 1 + u_x = h^2 / (1 - u_x) with h^2 = u_y^2 + u_z^2, so that nothing cancels; half a turn about z for -x. */
AfxPose afx_frame_along(AfxVec3 point, AfxVec3 axis) {
    AfxPose frame = {point, {1, 0, 0, 0}};
    double largest = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    if (!vec3_finite(axis) || largest == 0) {
        return frame;
    }
    AfxVec3 u = vec3(axis.x / largest, axis.y / largest, axis.z / largest);
    u = vec3_scale(1 / vec3_length(u), u);
    double h = hypot(u.y, u.z);
    if (u.x >= 0) {
        frame.rotation = afxi_quat_normalized((AfxQuat){1 + u.x, 0, 0 - u.z, u.y});
    } else if (h > 0) {
        frame.rotation = afxi_quat_normalized((AfxQuat){h / (1 - u.x), 0, 0 - u.z / h, u.y / h});
    } else {
        frame.rotation = (AfxQuat){0, 0, 0, 1};
    }
    return frame;
}

/** A world frame seen from body `end`. */
static AfxStatus seen_from(const AfxScene *scene, const AfxiErrorPlace *place, AfxBodyId end, AfxPose frame,
                           const char *whose, AfxPose *out_frame) {
    if (end.index != AFXI_NONE) {
        const AfxPose *pose = &scene->bodies[end.index].pose;
        AfxQuat back = afx_pose_invert(*pose).rotation;
        /* positions are subtracted first: bodies may be far from the origin */
        frame.position = afx_quat_rotate(back, vec3_sub(frame.position, pose->position));
        frame.rotation = afx_quat_multiply(back, frame.rotation);
    }
    *out_frame = frame;
    return afxi_check_pose(place, out_frame, whose);
}

AfxStatus afx_joint_place(const AfxScene *scene, AfxJointDef *def, AfxPose world_frame) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "joint", NULL, scene->joint_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_joint");
    if (status) {
        return status;
    }
    place.name = def->name;
    AfxPose base, follower;
    status = afxi_check_ends(scene, &place, def->base, def->follower, "its base", "its follower");
    status = status ? status : afxi_check_pose(&place, &world_frame, "its world frame's");
    status = status ? status : seen_from(scene, &place, def->base, world_frame, "its base frame's", &base);
    status = status ? status : seen_from(scene, &place, def->follower, world_frame, "its follower frame's", &follower);
    if (!status) {
        def->base_frame = base;
        def->follower_frame = follower;
    }
    return status;
}

static bool has_spring(const AfxJointSpring *spring) {
    const AfxVec3 *k = &spring->stiffness, *d = &spring->damping;
    return k->x != 0 || k->y != 0 || k->z != 0 || d->x != 0 || d->y != 0 || d->z != 0;
}

/** Checks the spring of a ball joint; makes its rotation unit. */
static AfxStatus check_spring(const AfxiErrorPlace *place, AfxJointKind kind, AfxJointSpring *spring) {
    const double amounts[6] = {spring->stiffness.x, spring->stiffness.y, spring->stiffness.z,
                               spring->damping.x,   spring->damping.y,   spring->damping.z};
    AfxPose rest = {{0, 0, 0}, spring->rest};
    AfxStatus status = afxi_check_pose(place, &rest, "its spring's rest");
    for (int k = 0; k < 6 && !status; k++) {
        status = afxi_check_amount(place, amounts[k], k < 3 ? "its spring's stiffness" : "its spring's damping");
    }
    spring->rest = rest.rotation;
    if (status || !has_spring(spring)) {
        return status;
    }
    if (kind != AFX_JOINT_SPHERICAL) {
        return afxi_fail(place, AFX_E_INPUT, "only a spherical joint has a spring of its own",
                         "put a drive of kind spring on the free axis");
    }
    if (!(amounts[0] + amounts[3] > 0 && amounts[1] + amounts[4] > 0 && amounts[2] + amounts[5] > 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its spring leaves an axis without stiffness and damping",
                         "give all three axes some, or put drives of kind spring on single axes");
    }
    return AFX_OK;
}

static bool has_armature(const AfxJointDef *d) {
    bool some = false;
    for (int k = 0; k < 6; k++) {
        some = some || d->armature[k] != 0; /* what is not a number included */
    }
    return some;
}

static AfxStatus check_armature(const AfxiErrorPlace *place, const AfxJointDef *d) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < 6 && !status; k++) {
        status = afxi_check_amount(place, d->armature[k], "its armature");
        if (!status && d->armature[k] > 0 && k >= afx_joint_axis_count(d->kind)) {
            status = afxi_fail(place, AFX_E_INPUT, "it has armature along an axis that is not free",
                               "give armature for the free axes of its kind: translations first, then rotations");
        }
    }
    return status;
}

static AfxiSceneFit fit_of(const AfxJointDef *d) {
    return (AfxiSceneFit){d->base_frame, d->follower_frame, d->length, d->pitch, d->break_force, d->break_torque};
}

/** Whether the last joint that was added is of this kind, fitted in this way, and this one has neither spring nor
 * armature: then it has been checked. */
static bool is_last_fit(const AfxScene *scene, const AfxJointDef *d) {
    static const AfxJointSpring none = {.rest = {1, 0, 0, 0}};
    AfxiSceneFit fit = fit_of(d);
    return scene->joint_count > 0 && scene->joints[scene->joint_count - 1].kind == (uint8_t)d->kind &&
           memcmp(&d->spring, &none, sizeof none) == 0 && !has_armature(d) &&
           memcmp(&fit, afxi_scene_fit(scene, scene->joint_count - 1), sizeof fit) == 0;
}

/** Checks a definition but for its cookie; makes rotations unit. */
static AfxStatus check_def(const AfxScene *scene, const AfxiErrorPlace *place, AfxJointDef *d) {
    if ((unsigned)d->kind >= AFX_JOINT_KIND_COUNT) {
        return afxi_fail(place, AFX_E_INPUT, "its kind is not one of AfxJointKind", "give a kind of AFX_JOINT_TABLE");
    }
    AfxStatus status = afxi_check_ends(scene, place, d->base, d->follower, "its base", "its follower");
    status = status ? status : afxi_check_name(place, d->name, &scene->joint_names, AFXI_NONE);
    if (status || is_last_fit(scene, d)) {
        return status;
    }
    status = status ? status : afxi_check_pose(place, &d->base_frame, "its base frame's");
    status = status ? status : afxi_check_pose(place, &d->follower_frame, "its follower frame's");
    status = status ? status : afxi_check_number(place, d->length, "its length");
    status = status ? status : afxi_check_number(place, d->pitch, "its pitch");
    status = status ? status : afxi_check_amount(place, d->break_force, "its breaking force");
    status = status ? status : afxi_check_amount(place, d->break_torque, "its breaking torque");
    status = status ? status : check_spring(place, d->kind, &d->spring);
    status = status ? status : check_armature(place, d);
    if (!status && afx_joint_has_length(d->kind) && !(d->length > 0)) {
        status = afxi_fail(place, AFX_E_INPUT, "its length is not positive",
                           "give a length above 0 m; a spherical joint holds two points together");
    }
    return status;
}

static AfxStatus reserve(AfxScene *scene, const char *name, bool spring, bool armature) {
    void *joints = scene->joints, *springs = scene->joint_springs, *armatures = scene->armatures;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &joints, &scene->joint_capacity, scene->joint_count + 1,
                                          sizeof *scene->joints);
    scene->joints = joints;
    if (spring && !status) {
        status = afxi_array_reserve(&scene->allocator, &springs, &scene->joint_spring_capacity,
                                    scene->joint_spring_count + 1, sizeof *scene->joint_springs);
        scene->joint_springs = springs;
    }
    if (armature && !status) {
        status = afxi_array_reserve(&scene->allocator, &armatures, &scene->armature_capacity, scene->armature_count + 1,
                                    sizeof *scene->armatures);
        scene->armatures = armatures;
    }
    return status ? status : afxi_name_reserve(scene, &scene->joint_names, name);
}

AfxStatus afx_scene_add_joint(AfxScene *scene, const AfxJointDef *def, AfxJointId *out_joint) {
    if (out_joint) {
        *out_joint = no_joint;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    uint32_t index = scene->joint_count;
    AfxiErrorPlace place = {scene->error, "joint", NULL, index, AFXI_NONE};
    if (!def || !out_joint) {
        return afxi_fail_null(&place, def ? "out_joint" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_joint");
    if (status) {
        return status;
    }
    AfxJointDef d = *def;
    place.name = d.name;
    status = check_def(scene, &place, &d);
    if (status) {
        return status;
    }
    bool spring = has_spring(&d.spring), armature = has_armature(&d);
    AfxiSceneFit own = fit_of(&d);
    uint32_t fit = 0;
    status = reserve(scene, d.name, spring, armature);
    status = status ? status : afxi_intern_growing(&scene->allocator, &scene->fits, &own, &fit);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    if (spring) {
        scene->joint_springs[scene->joint_spring_count] = d.spring;
    }
    if (armature) {
        memcpy(scene->armatures[scene->armature_count].of, d.armature, sizeof d.armature);
    }
    scene->joints[index] = (AfxiSceneJoint){.name = afxi_name_enter(scene, &scene->joint_names, d.name, index),
                                            .fit = fit,
                                            .base = d.base.index,
                                            .follower = d.follower.index,
                                            .spring = spring ? scene->joint_spring_count++ : AFXI_NONE,
                                            .armature = armature ? scene->armature_count++ : AFXI_NONE,
                                            .kind = (uint8_t)d.kind,
                                            .active = d.active,
                                            .contact = d.contact};
    scene->joint_count++;
    *out_joint = (AfxJointId){index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_joint_count(const AfxScene *scene) {
    return scene ? scene->joint_count : 0;
}

AfxJointId afx_scene_joint(const AfxScene *scene, uint32_t index) {
    return scene && index < scene->joint_count ? (AfxJointId){index, scene->id} : no_joint;
}

AfxStatus afx_scene_find_joint(const AfxScene *scene, const char *name, AfxJointId *out_joint) {
    if (out_joint) {
        *out_joint = no_joint;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "joint", name, AFXI_NONE, AFXI_NONE};
    if (!name || !out_joint) {
        return afxi_fail_null(&place, name ? "out_joint" : "name");
    }
    uint32_t index = afxi_names_find(&scene->joint_names, name);
    if (index == AFXI_NONE) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no joint of this name", "check the spelling");
    }
    *out_joint = (AfxJointId){index, scene->id};
    return AFX_OK;
}

const char *afx_scene_joint_name(const AfxScene *scene, AfxJointId joint) {
    if (!scene || afxi_check_joint(scene, joint)) {
        return NULL;
    }
    const char *name = scene->joints[joint.index].name;
    return name ? name : "";
}

AfxStatus afx_scene_get_joint(const AfxScene *scene, AfxJointId joint, AfxJointDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_check_joint(scene, joint);
    if (status) {
        return status;
    }
    if (!out_def) {
        AfxiErrorPlace place = afxi_joint_place(scene, joint.index);
        return afxi_fail_null(&place, "out_def");
    }
    const AfxiSceneJoint *j = scene->joints + joint.index;
    const AfxiSceneFit *fit = afxi_scene_fit(scene, joint.index);
    AfxJointDef d = afx_default_joint((AfxJointKind)j->kind);
    d.name = j->name;
    d.base = afxi_scene_end(scene, j->base);
    d.follower = afxi_scene_end(scene, j->follower);
    d.base_frame = fit->base_frame;
    d.follower_frame = fit->follower_frame;
    d.length = fit->length;
    d.pitch = fit->pitch;
    d.active = j->active;
    d.break_force = fit->break_force;
    d.break_torque = fit->break_torque;
    d.contact = j->contact;
    if (j->spring != AFXI_NONE) {
        d.spring = scene->joint_springs[j->spring];
    }
    if (j->armature != AFXI_NONE) {
        memcpy(d.armature, scene->armatures[j->armature].of, sizeof d.armature);
    }
    *out_def = d;
    return AFX_OK;
}
