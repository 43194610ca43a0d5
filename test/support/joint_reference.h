/* SPDX-License-Identifier: Apache-2.0 */
/* A few rigid bodies and the joints between them by other means than the library's: unit quaternions, Newton's and
 * Euler's equations with the joints at the level of accelerations (what a joint locks is read from AFX_JOINT_TABLE
 * as locked relative velocities), one dense solve, fourth-order Runge-Kutta. Shares no code with src/. */
#ifndef AFX_TEST_SUPPORT_JOINT_REFERENCE_H
#define AFX_TEST_SUPPORT_JOINT_REFERENCE_H

#include "affix/joint.h"
#include "support/rigid_reference.h"

enum { REFERENCE_BODIES = 6, REFERENCE_JOINTS = 6 };

/** One body; x, v and acceleration are of its centre of mass. A body that is not free keeps its v and w. */
typedef struct ReferenceBody {
    bool free;
    double mass;
    double inertia[6]; /* about the centre, body axes */
    AfxVec3 center;    /* in the body's frame */
    AfxVec3 x, v, w;   /* w: world axes */
    AfxQuat q;
    AfxVec3 acceleration, spin_rate; /* outputs of joint_reference_solve */
} ReferenceBody;

typedef struct ReferenceJoint {
    AfxJointKind kind;
    int base, follower; /* -1: the world */
    AfxPose base_frame, follower_frame;
    double pitch;
    AfxWrench reaction; /* output: on the follower about its joint point, in the joint's axes on the base */
} ReferenceJoint;

typedef struct JointReference {
    AfxVec3 gravity;
    int body_count, joint_count;
    ReferenceBody bodies[REFERENCE_BODIES];
    ReferenceJoint joints[REFERENCE_JOINTS];
} JointReference;

/** Every body and joint of a scene whose bodies have AFX_MASS_GIVEN, at its start. */
JointReference joint_reference_make(const AfxScene *scene);
/** Accelerations and reactions of the present state. */
void joint_reference_solve(JointReference *reference);
/** Advances by `duration` in equal steps no longer than `step`, and solves at the end. */
void joint_reference_run(JointReference *reference, double duration, double step);
/** Pose and velocity of a body's own frame. */
AfxPose joint_reference_pose(const JointReference *reference, int body);
AfxTwist joint_reference_twist(const JointReference *reference, int body);
/** Kinetic energy and potential of gravity of the free bodies. */
double joint_reference_energy(const JointReference *reference);

#endif
