/* SPDX-License-Identifier: Apache-2.0 */
/* Drives on a rig, and the body that most tests of drives move: on the world, with one free axis. */
#ifndef AFX_TEST_JOINT_DRIVEN_H
#define AFX_TEST_JOINT_DRIVEN_H

#include "tests.h"

AfxSignal signal_constant(double value);
/** a + b t + c t² + d t³ */
AfxSignal signal_polynomial(double a, double b, double c, double d);
AfxSignal signal_sine(double offset, double amplitude, double frequency, double phase);

/** Each gives the drive's number. */
uint32_t add_drive(Rig *rig, const AfxDriveDef *def);
uint32_t add_target(Rig *rig, AfxDriveKind kind, AfxJointId joint, uint32_t axis, AfxSignal target);
double effort_of(const Rig *rig, uint32_t drive);
/** Of the joint's first coordinate. */
double rate_of(const Rig *rig, AfxJointId joint);

/* The driven body: its mass, its moment of inertia about the axis that it turns about, and how far its centre is off
 * that axis. */
#define DRIVEN_MASS 2.0
#define DRIVEN_MOMENT 0.3
#define DRIVEN_ARM 0.4

/** REVOLUTE and PRISMATIC. */
extern const AfxJointKind driven_both[2];
/** One body on the world, at coordinate x and rate v of its one free axis: REVOLUTE about y with its centre out at
 * x = DRIVEN_ARM, or PRISMATIC along z. */
AfxJointId driven_add(Rig *rig, AfxJointKind kind, double x, double v);
/** Inertia of that body along its coordinate, and the force of gravity along it. */
double driven_inertia(AfxJointKind kind);
double driven_weight(AfxJointKind kind, double x, double g);

#endif
