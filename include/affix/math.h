/* SPDX-License-Identifier: Apache-2.0 */
/* affix/math.h: the plain values that the API speaks in. SI units, right-handed axes; quaternions are
 * (w, x, y, z); a wrench is (force, torque). */
#ifndef AFFIX_MATH_H
#define AFFIX_MATH_H

#include "affix/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxVec3 {
    double x, y, z;
} AfxVec3;

typedef struct AfxQuat {
    double w, x, y, z;
} AfxQuat;

/** Maps a point p of the moving frame to rotation * p + position. */
typedef struct AfxPose {
    AfxVec3 position;
    AfxQuat rotation; /* unit */
} AfxPose;

/** Velocity of a frame: of its origin, and angular, both in world axes. */
typedef struct AfxTwist {
    AfxVec3 linear;
    AfxVec3 angular;
} AfxTwist;

typedef struct AfxWrench {
    AfxVec3 force;
    AfxVec3 torque;
} AfxWrench;

/** Mass properties: inertia is the tensor about `center`, in the axes of the frame that center is given in,
 * as xx, yy, zz, xy, xz, yz (products of inertia with the sign of the tensor's entries). */
typedef struct AfxMass {
    double mass;
    AfxVec3 center;
    double inertia[6];
    double volume; /* 0 when not known */
} AfxMass;

/** The identity pose. */
AFX_API AfxPose afx_pose_identity(void);
/** a then b seen from outside: the pose that maps p to a(b(p)). */
AFX_API AfxPose afx_pose_compose(AfxPose a, AfxPose b);
/** The pose that undoes p. */
AFX_API AfxPose afx_pose_invert(AfxPose p);
/** The world position of a point of the pose's frame. */
AFX_API AfxVec3 afx_pose_apply(AfxPose p, AfxVec3 point);
/** The rotation by `angle` (rad) about `axis` (any length but 0; identity when it is 0). */
AFX_API AfxQuat afx_quat_from_axis_angle(AfxVec3 axis, double angle);
/** v turned by q. */
AFX_API AfxVec3 afx_quat_rotate(AfxQuat q, AfxVec3 v);
/** Hamilton product: first b, then a. */
AFX_API AfxQuat afx_quat_multiply(AfxQuat a, AfxQuat b);

#ifdef __cplusplus
}
#endif
#endif
