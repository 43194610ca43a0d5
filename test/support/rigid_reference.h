/* SPDX-License-Identifier: Apache-2.0 */
/* A rigid body by other means than the library's: unit quaternion, angular momentum in body axes, fourth-order
 * Runge-Kutta. Shares no code with src/; also the few vector operations that the tests need. */
#ifndef AFX_TEST_SUPPORT_RIGID_REFERENCE_H
#define AFX_TEST_SUPPORT_RIGID_REFERENCE_H

#include <math.h>

#include "affix/scene.h"

/** Constants, loads and state of one body. The body's frame need not be principal nor at the centre of mass. */
typedef struct RigidReference {
    double mass;
    AfxVec3 center;    /* body frame */
    double inertia[6]; /* about the centre, body axes: xx, yy, zz, xy, xz, yz; must be invertible */
    AfxVec3 gravity;
    double linear_damping, angular_damping; /* force -d m v, torque -d L */
    AfxVec3 world_force, world_point;       /* force in world axes, acting at a point of the body's frame */
    AfxVec3 body_force, body_point;         /* force in body axes */
    AfxVec3 world_torque, body_torque;
    double spring, damper; /* between held_point, of the body's frame, and held_target, in the world */
    AfxVec3 held_point, held_target;
    AfxVec3 position, velocity; /* of the centre of mass */
    AfxQuat rotation;
    AfxVec3 momentum; /* angular, about the centre, body axes */
} RigidReference;

/** The body of a definition with AFX_MASS_GIVEN, at its start, without wrenches. */
RigidReference rigid_reference_make(const AfxBodyDef *def, AfxVec3 gravity);
/** Adds a wrench of the scene: at most one with a force per frame. */
void rigid_reference_load(RigidReference *body, const AfxWrenchDef *wrench);
/** Advances by `duration` in equal steps no longer than `step`. */
void rigid_reference_run(RigidReference *body, double duration, double step);
/** Pose and velocity of the body's own frame. */
AfxPose rigid_reference_pose(const RigidReference *body);
AfxTwist rigid_reference_twist(const RigidReference *body);
/** Angular velocity in body axes. */
AfxVec3 rigid_reference_spin(const RigidReference *body);

static inline AfxVec3 v3(double x, double y, double z) {
    return (AfxVec3){x, y, z};
}

static inline AfxVec3 v3_add(AfxVec3 a, AfxVec3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline AfxVec3 v3_scale(double s, AfxVec3 a) {
    return v3(s * a.x, s * a.y, s * a.z);
}

static inline AfxVec3 v3_sub(AfxVec3 a, AfxVec3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline double v3_dot(AfxVec3 a, AfxVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline AfxVec3 v3_cross(AfxVec3 a, AfxVec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_norm(AfxVec3 a) {
    return sqrt(v3_dot(a, a));
}

static inline double v3_distance(AfxVec3 a, AfxVec3 b) {
    return v3_norm(v3_sub(a, b));
}

static inline AfxQuat q_conjugate(AfxQuat q) {
    return (AfxQuat){q.w, -q.x, -q.y, -q.z};
}

/** Hamilton product. */
AfxQuat q_multiply(AfxQuat a, AfxQuat b);
/** v turned by the unit quaternion q. */
AfxVec3 q_rotate(AfxQuat q, AfxVec3 v);
/** Rotation by `angle` about `axis` of any length. */
AfxQuat q_about(AfxVec3 axis, double angle);
/** The angle between two rotations, accurate when it is small. */
double q_distance(AfxQuat a, AfxQuat b);
/** The symmetric tensor xx, yy, zz, xy, xz, yz times v. */
AfxVec3 tensor_apply(const double tensor[6], AfxVec3 v);
/** The tensor of a body turned by q. */
void tensor_turn(const double tensor[6], AfxQuat q, double out[6]);

#endif
