/* SPDX-License-Identifier: Apache-2.0 */
/* Joint kinds by what they leave free, and random pairs of bodies on them. */
#include "tests.h"

const char *kind_translations(AfxJointKind kind) {
    static const char *const table[] = {
#define TRANSLATIONS(kind, name, translations, rotations) translations,
        AFX_JOINT_TABLE(TRANSLATIONS)
#undef TRANSLATIONS
    };
    return table[kind];
}

const char *kind_rotations(AfxJointKind kind) {
    static const char *const table[] = {
#define ROTATIONS(kind, name, translations, rotations) rotations,
        AFX_JOINT_TABLE(ROTATIONS)
#undef ROTATIONS
    };
    return table[kind];
}

static bool has(const char *axes, int k) {
    return strchr(axes, "xyz"[k]) != NULL;
}

static AfxVec3 unit(int k) {
    return v3(k == 0, k == 1, k == 2);
}

AfxPose kind_random_motion(AfxJointKind kind, double length, double reach, uint64_t *seed) {
    AfxPose motion = afx_pose_identity();
    const char *slides = kind_translations(kind), *turns = kind_rotations(kind);
    if (afx_joint_has_length(kind)) { /* on a sphere, or with hinges on a circle about x */
        AfxQuat own = random_quat(seed), around = random_quat(seed);
        bool hinged = kind != AFX_JOINT_DISTANCE;
        motion.rotation = kind == AFX_JOINT_REVOLUTE_REVOLUTE ? q_about(v3(1, 0, 0), 0.7 * own.x) : own;
        motion.position = hinged ? q_rotate(q_about(v3(1, 0, 0), 3 * around.y), v3(0, length, 0))
                                 : q_rotate(around, v3(length, 0, 0));
        return motion;
    }
    for (int k = 0; k < 3; k++) {
        motion.position =
            v3_add(motion.position, v3_scale(has(slides, k) * reach * (2 * random_unit(seed) - 1), unit(k)));
    }
    if (kind == AFX_JOINT_SCREW) { /* advances by its pitch */
        double angle = reach * (2 * random_unit(seed) - 1);
        return (AfxPose){v3(PITCH * angle, 0, 0), q_about(v3(1, 0, 0), angle)};
    }
    if (strlen(turns) == 3) {
        motion.rotation = random_quat(seed);
        return motion;
    }
    for (int k = 0; k < 3; k++) { /* one turn, or universal: about x of the base, then about the y so turned */
        if (has(turns, k)) {
            motion.rotation = q_multiply(motion.rotation, q_about(unit(k), reach * (2 * random_unit(seed) - 1)));
        }
    }
    return motion;
}

AfxTwist kind_random_twist(AfxJointKind kind, AfxPose at, double size, uint64_t *seed) {
    AfxTwist twist = {random_vec3(seed, size), random_vec3(seed, size)};
    const char *slides = kind_translations(kind), *turns = kind_rotations(kind);
    if (afx_joint_has_length(kind)) {
        twist.linear.x = kind == AFX_JOINT_DISTANCE ? twist.linear.x : 0;
        twist.angular = kind == AFX_JOINT_REVOLUTE_REVOLUTE ? v3(twist.angular.x, 0, 0) : twist.angular;
        double along = v3_dot(twist.linear, at.position) / v3_dot(at.position, at.position);
        twist.linear = v3_sub(twist.linear, v3_scale(along, at.position));
        return twist;
    }
    twist.linear =
        v3(has(slides, 0) * twist.linear.x, has(slides, 1) * twist.linear.y, has(slides, 2) * twist.linear.z);
    if (kind == AFX_JOINT_UNIVERSAL) {
        AfxVec3 y = q_rotate(at.rotation, v3(0, 1, 0));
        twist.angular = v3_add(v3(twist.angular.x, 0, 0), v3_scale(twist.angular.y, y));
        return twist;
    }
    twist.angular =
        v3(has(turns, 0) * twist.angular.x, has(turns, 1) * twist.angular.y, has(turns, 2) * twist.angular.z);
    if (kind == AFX_JOINT_SCREW) {
        twist.linear.x = PITCH * twist.angular.x;
    }
    return twist;
}

/* ---- random rigs ---- */

const char *const base_names[BASE_MODES] = {"world", "free body", "kinematic body"};

static AfxSignal line(double rate) {
    return (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, rate}};
}

static AfxBodyDef random_base(BaseMode mode, uint64_t *seed) {
    AfxBodyDef def = odd_def(seed);
    def.pose = random_pose(seed, 1);
    def.linear_velocity = random_vec3(seed, 1);
    def.angular_velocity = random_vec3(seed, 1);
    if (mode == BASE_KINEMATIC) {
        AfxVec3 v = def.linear_velocity;
        def.kind = AFX_BODY_KINEMATIC;
        def.center = v3(0, 0, 0);
        def.motion = (AfxMotion){.translation = {line(v.x), line(v.y), line(v.z)},
                                 .axis = def.angular_velocity,
                                 .angle = line(v3_norm(def.angular_velocity))};
    } else if (mode == BASE_WORLD) {
        def.pose = afx_pose_identity();
        def.linear_velocity = def.angular_velocity = v3(0, 0, 0);
    }
    return def;
}

Rig random_rig(AfxJointKind kind, BaseMode mode, uint64_t *seed) {
    Rig rig = rig_make(v3(0.5, -1, -9.81));
    AfxJointDef joint = afx_default_joint(kind);
    AfxBodyDef base = random_base(mode, seed), def = odd_def(seed);
    joint.length = 0.8;
    joint.pitch = PITCH;
    joint.base_frame = random_pose(seed, 0.5);
    joint.follower_frame = random_pose(seed, 0.5);
    AfxPose motion = kind_random_motion(kind, joint.length, 0.9, seed);
    AfxTwist twist = kind_random_twist(kind, motion, 1, seed);
    AfxPose at = afx_pose_compose(base.pose, joint.base_frame), end = afx_pose_compose(at, motion);
    def.pose = afx_pose_compose(end, afx_pose_invert(joint.follower_frame));
    /* velocity of the joint's frame on the follower, then of the follower's origin */
    AfxVec3 arm = v3_sub(end.position, base.pose.position);
    AfxVec3 carried = v3_add(base.linear_velocity, v3_cross(base.angular_velocity, arm));
    AfxVec3 end_velocity = v3_add(carried, q_rotate(at.rotation, twist.linear));
    def.angular_velocity = v3_add(base.angular_velocity, q_rotate(at.rotation, twist.angular));
    def.linear_velocity = v3_add(end_velocity, v3_cross(def.angular_velocity, v3_sub(def.pose.position, end.position)));
    joint.follower = rig_body(&rig, &def);
    joint.base = mode == BASE_WORLD ? afx_world() : rig_body(&rig, &base);
    rig_joint_def(&rig, &joint);
    return rig;
}
