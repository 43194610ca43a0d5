/* SPDX-License-Identifier: Apache-2.0 */
/* cases/builder.h: a scene under construction that remembers its first failure, so that a case reads as a list of
 * what is in it. After a failure every call does nothing. */
#ifndef AFXI_CASES_BUILDER_H
#define AFXI_CASES_BUILDER_H

#include "affix/affix.h"

typedef struct AfxiCaseBuilder {
    AfxScene *scene; /* NULL when it could not be made */
    AfxStatus status;
} AfxiCaseBuilder;

/** AFX_E_INPUT, with the element and a cure, when a product of parameters asks for more bodies than a scene can hold.
 */
AfxStatus afxi_case_check_bodies(const char *element, double bodies, AfxError *out_error);
/** Starts a scene with def's allocator and log, and this gravity. */
AfxiCaseBuilder afxi_case_begin(const AfxSceneDef *def, AfxVec3 gravity);
/** Switches contact on, which is off in cases by default, with this coefficient of friction between all that has no
 * material of its own. Call it before the shapes. */
void afxi_case_touch(AfxiCaseBuilder *builder, double friction);
/** A fixed body with a plane: the x-y plane of the frame, solid below. */
AfxBodyId afxi_case_ground(AfxiCaseBuilder *builder, AfxPose frame);
AfxBodyId afxi_case_body(AfxiCaseBuilder *builder, const AfxBodyDef *def);
void afxi_case_shape(AfxiCaseBuilder *builder, AfxBodyId body, const AfxShapeDef *def);
void afxi_case_marker(AfxiCaseBuilder *builder, AfxBodyId body, const char *name, AfxVec3 point);
AfxJointId afxi_case_joint(AfxiCaseBuilder *builder, const AfxJointDef *def);
/** A joint whose frame is given once, in the world; its coordinates are zero as the bodies stand. */
AfxJointId afxi_case_joint_at(AfxiCaseBuilder *builder, AfxJointKind kind, AfxBodyId base, AfxBodyId follower,
                              AfxPose world_frame);
/** A joint between two frames of the bodies themselves: its coordinates are zero where the two coincide. */
AfxJointId afxi_case_joint_between(AfxiCaseBuilder *builder, AfxJointKind kind, AfxBodyId base, AfxPose base_frame,
                                   AfxBodyId follower, AfxPose follower_frame);
/** A ball joint with a spring and a damper about all axes, at rest as the bodies stand: `twisting` (Nm/rad) about x of
 * the frame, `bending` about y and z, which should lie across what bends; dampings are `relaxation` (s) times that. */
AfxJointId afxi_case_springy_ball(AfxiCaseBuilder *builder, AfxBodyId base, AfxBodyId follower, AfxPose world_frame,
                                  double twisting, double bending, double relaxation);
void afxi_case_drive(AfxiCaseBuilder *builder, const AfxDriveDef *def);
/** A position or velocity drive on the joint's first axis with target c0 + c1 t. */
void afxi_case_drive_line(AfxiCaseBuilder *builder, AfxDriveKind kind, AfxJointId joint, double c0, double c1);
void afxi_case_coupling(AfxiCaseBuilder *builder, const AfxCouplingDef *def);
void afxi_case_spring(AfxiCaseBuilder *builder, const AfxSpringDef *def);
/** A force in world axes that acts at the origin of the body's frame. */
void afxi_case_force(AfxiCaseBuilder *builder, AfxBodyId body, AfxVec3 force);
/** Gives the body an angular velocity (body axes) that leaves its centre of mass at rest. Call it after the shapes. */
void afxi_case_spin(AfxiCaseBuilder *builder, AfxBodyId body, AfxVec3 omega);
/** The principal axes of the body in its frame by rising moment of inertia: unit, the largest component positive. */
void afxi_case_principal(AfxiCaseBuilder *builder, AfxBodyId body, double out_moments[3], AfxVec3 out_axes[3]);
/** Hands the scene over, or destroys it after a failure and tells the error. */
AfxStatus afxi_case_end(AfxiCaseBuilder *builder, AfxScene **out_scene, AfxError *out_error);

#endif
