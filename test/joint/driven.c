/* SPDX-License-Identifier: Apache-2.0 */
#include "driven.h"

const AfxJointKind driven_both[2] = {AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC};

AfxSignal signal_constant(double value) {
    return (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {value}};
}

AfxSignal signal_polynomial(double a, double b, double c, double d) {
    return (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {a, b, c, d}};
}

AfxSignal signal_sine(double offset, double amplitude, double frequency, double phase) {
    return (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {offset, amplitude, frequency, phase}};
}

uint32_t add_drive(Rig *rig, const AfxDriveDef *def) {
    AfxDriveId id;
    assert_ok(afx_scene_add_drive(rig->scene, def, &id));
    return id.index;
}

uint32_t add_target(Rig *rig, AfxDriveKind kind, AfxJointId joint, uint32_t axis, AfxSignal target) {
    AfxDriveDef def = afx_default_drive(kind);
    def.joint = joint;
    def.axis = axis;
    def.target = target;
    return add_drive(rig, &def);
}

double effort_of(const Rig *rig, uint32_t drive) {
    double effort;
    assert_ok(afx_sim_drive_effort(rig->sim, drive, &effort));
    return effort;
}

double rate_of(const Rig *rig, AfxJointId joint) {
    double rate;
    assert_ok(afx_sim_joint_coordinate(rig->sim, joint.index, 0, NULL, &rate));
    return rate;
}

AfxJointId driven_add(Rig *rig, AfxJointKind kind, double x, double v) {
    bool turns = kind == AFX_JOINT_REVOLUTE;
    AfxVec3 axis = turns ? v3(0, 1, 0) : v3(0, 0, 1);
    AfxBodyDef def = rigid_def(DRIVEN_MASS, 0.2, DRIVEN_MOMENT, 0.25);
    AfxJointDef joint = afx_default_joint(kind);
    AfxPose frame = afx_frame_along(v3(0, 0, 0), axis), zero = {v3(DRIVEN_ARM, 0, 0), {1, 0, 0, 0}};
    AfxPose motion = turns ? (AfxPose){v3(0, 0, 0), q_about(axis, x)} : (AfxPose){v3_scale(x, axis), {1, 0, 0, 0}};
    def.pose = afx_pose_compose(motion, zero);
    def.angular_velocity = v3_scale(turns ? v : 0, axis);
    def.linear_velocity = turns ? v3_cross(def.angular_velocity, def.pose.position) : v3_scale(v, axis);
    joint.base = afx_world();
    joint.follower = rig_body(rig, &def);
    joint.base_frame = frame;
    joint.follower_frame = afx_pose_compose(afx_pose_invert(zero), frame);
    return rig_joint_def(rig, &joint);
}

double driven_inertia(AfxJointKind kind) {
    return kind == AFX_JOINT_REVOLUTE ? DRIVEN_MOMENT + DRIVEN_MASS * DRIVEN_ARM * DRIVEN_ARM : DRIVEN_MASS;
}

double driven_weight(AfxJointKind kind, double x, double g) {
    return kind == AFX_JOINT_REVOLUTE ? DRIVEN_MASS * g * DRIVEN_ARM * cos(x) : -DRIVEN_MASS * g;
}
