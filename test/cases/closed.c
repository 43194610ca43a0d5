/* SPDX-License-Identifier: Apache-2.0 */
#include "closed.h"
#include "support/rigid_reference.h"
#include "tests.h"

#include <string.h>

AfxScene *closed_scene(const char *name, uint32_t count, const char *const *texts) {
    const AfxiCase *from = afxi_case_find(name);
    AfxiCaseArguments args;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error;
    assert_non_null(from);
    assert_int_equal(afxi_case_arguments(from, count, texts, &args, &error), AFX_OK);
    if (afxi_case_build(&args, &def, &scene, &error) != AFX_OK) {
        fail_msg("%s: %s: %s", name, error.element, error.text);
    }
    return scene;
}

/* One side of a joint in the world: its point and axes, and how the body there moves. */
typedef struct Side {
    AfxVec3 point, axes[3];
    AfxVec3 origin, linear, angular; /* of the body */
} Side;

static Side side_of(const AfxScene *scene, AfxBodyId id, AfxPose frame) {
    AfxBodyDef body = afx_default_body();
    if (id.index != afx_world().index) {
        assert_int_equal(afx_scene_get_body(scene, id, &body), AFX_OK);
    }
    Side side = {.origin = body.pose.position, .linear = body.linear_velocity, .angular = body.angular_velocity};
    AfxQuat rotation = q_multiply(body.pose.rotation, frame.rotation);
    side.point = v3_add(q_rotate(body.pose.rotation, frame.position), body.pose.position);
    side.axes[0] = q_rotate(rotation, v3(1, 0, 0));
    side.axes[1] = q_rotate(rotation, v3(0, 1, 0));
    side.axes[2] = q_rotate(rotation, v3(0, 0, 1));
    return side;
}

static const char *free_translations(AfxJointKind kind) {
    static const char *const free[] = {
#define TRANSLATIONS(kind, name, translations, rotations) translations,
        AFX_JOINT_TABLE(TRANSLATIONS)
#undef TRANSLATIONS
    };
    return free[kind];
}

static const char *free_rotations(AfxJointKind kind) {
    static const char *const free[] = {
#define ROTATIONS(kind, name, translations, rotations) rotations,
        AFX_JOINT_TABLE(ROTATIONS)
#undef ROTATIONS
    };
    return kind == AFX_JOINT_DISTANCE ? "xyz" : free[kind];
}

/* The largest part of the difference of the points along a locked axis of the base. */
static double translation_error(const AfxJointDef *joint, const Side *base, const Side *follower) {
    AfxVec3 apart = v3_sub(follower->point, base->point);
    if (joint->kind == AFX_JOINT_DISTANCE) {
        return fabs(v3_norm(apart) - joint->length);
    }
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
        if (!strchr(free_translations(joint->kind), "xyz"[k])) {
            worst = fmax(worst, fabs(v3_dot(base->axes[k], apart)));
        }
    }
    return worst;
}

static double rotation_error(const AfxJointDef *joint, const Side *base, const Side *follower) {
    const char *free = free_rotations(joint->kind);
    if (strcmp(free, "xyz") == 0) {
        return 0;
    }
    if (strcmp(free, "xy") == 0) {
        return fabs(v3_dot(base->axes[0], follower->axes[1]));
    }
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
        bool checked = free[0] == '\0' || free[0] == "xyz"[k];
        worst = checked ? fmax(worst, v3_distance(base->axes[k], follower->axes[k])) : worst;
    }
    return worst;
}

static double linear_error(const AfxJointDef *joint, const Side *base, const Side *follower) {
    AfxVec3 of_follower =
        v3_add(follower->linear, v3_cross(follower->angular, v3_sub(follower->point, follower->origin)));
    AfxVec3 of_base = v3_add(base->linear, v3_cross(base->angular, v3_sub(follower->point, base->origin)));
    AfxVec3 v = v3_sub(of_follower, of_base);
    if (joint->kind == AFX_JOINT_DISTANCE) {
        return fabs(v3_dot(v, v3_sub(follower->point, base->point))) / joint->length;
    }
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
        if (!strchr(free_translations(joint->kind), "xyz"[k])) {
            worst = fmax(worst, fabs(v3_dot(base->axes[k], v)));
        }
    }
    return worst;
}

static double angular_error(const AfxJointDef *joint, const Side *base, const Side *follower) {
    const char *free = free_rotations(joint->kind);
    AfxVec3 omega = v3_sub(follower->angular, base->angular);
    if (strcmp(free, "xyz") == 0) {
        return 0;
    }
    if (strcmp(free, "xy") == 0) {
        return fabs(v3_dot(omega, v3_cross(base->axes[0], follower->axes[1])));
    }
    return free[0] ? v3_norm(v3_cross(omega, base->axes[free[0] - 'x'])) : v3_norm(omega);
}

static void check(const AfxScene *scene, const char *title, double tolerance, bool velocities) {
    uint32_t count = afx_scene_joint_count(scene);
    for (uint32_t k = 0; k < count; ++k) {
        AfxJointDef joint;
        assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint), AFX_OK);
        Side base = side_of(scene, joint.base, joint.base_frame);
        Side follower = side_of(scene, joint.follower, joint.follower_frame);
        double first =
            velocities ? linear_error(&joint, &base, &follower) : translation_error(&joint, &base, &follower);
        double second = velocities ? angular_error(&joint, &base, &follower) : rotation_error(&joint, &base, &follower);
        if (!(first <= tolerance && second <= tolerance)) {
            fail_msg("%s: joint %u (%s) is off by %g and %g in its %s", title, k, afx_joint_kind_name(joint.kind),
                     first, second, velocities ? "velocities" : "frames");
        }
    }
}

void closed_positions(const AfxScene *scene, const char *title, double tolerance) {
    check(scene, title, tolerance, false);
}

void closed_velocities(const AfxScene *scene, const char *title, double tolerance) {
    check(scene, title, tolerance, true);
}
