/* SPDX-License-Identifier: Apache-2.0 */
/* Limbs, shells and dyads. */
#include "cases/animated.h"

#include <stdio.h>

AfxBodyId afxi_limb_rod(AfxiCaseBuilder *builder, AfxVec3 from, AfxVec3 to, double mass, double young) {
    AfxBodyDef body = afx_default_body();
    AfxVec3 along = afxi_case_sub(to, from);
    double length = sqrt(afxi_case_dot(along, along));
    body.young = young;
    body.mass = mass;
    body.pose = afx_frame_along(from, along);
    AfxBodyId id = afxi_case_body(builder, &body);
    AfxShapeDef rod = afxi_case_rod((AfxVec3){0, 0, 0}, (AfxVec3){length, 0, 0}, 0.08 * length);
    afxi_case_shape(builder, id, &rod);
    return id;
}

/* The frame at a point with x along an axis, and any y. */
static AfxPose about(AfxVec3 point, AfxVec3 axis) {
    return afx_frame_along(point, axis);
}

AfxiLimb afxi_limb_turning(AfxiCaseBuilder *builder, AfxBodyId base, AfxVec3 pivot, AfxVec3 tip, AfxVec3 axis,
                           double mass, AfxiSway sway, double young) {
    AfxiLimb limb = {afxi_limb_rod(builder, pivot, tip, mass, young), pivot, tip, axis};
    AfxJointId joint = afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, base, limb.body, about(pivot, axis));
    if (sway.amplitude != 0) {
        char text[96];
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
        snprintf(text, sizeof text, "%.17g * (1 - cos(2 * pi * %.17g * t))", sway.amplitude, sway.frequency);
        drive.joint = joint;
        drive.target = (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = text};
        afxi_case_drive(builder, &drive);
    }
    return limb;
}

AfxBodyId afxi_limb_shell(AfxiCaseBuilder *builder, AfxBodyId base, AfxVec3 from, AfxVec3 to, double mass,
                          double young) {
    AfxBodyId shell = afxi_limb_rod(builder, from, to, mass, young);
    afxi_case_joint_at(builder, AFX_JOINT_FIXED, base, shell, about(from, afxi_case_sub(to, from)));
    return shell;
}

AfxiLimb afxi_limb_dyad(AfxiCaseBuilder *builder, AfxiDyad kind, AfxBodyId input, AfxVec3 from, AfxBodyId base,
                        AfxVec3 pivot, AfxVec3 tip, AfxVec3 axis, double mass, double young) {
    AfxVec3 along = afxi_case_sub(tip, from);
    AfxBodyId rod = afxi_limb_rod(builder, from, tip, 0.5 * mass, young);
    AfxiLimb rocker = {afxi_limb_rod(builder, pivot, tip, mass, young), pivot, tip, axis};
    AfxPose hinge = about(tip, axis);
    afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, base, rocker.body, about(pivot, axis));
    if (kind == AFXI_DYAD_PLANE) {
        afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, input, rod, about(from, axis));
        afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, rod, rocker.body, hinge);
    } else if (kind == AFXI_DYAD_BALL) {
        afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, input, rod, about(from, axis));
        afxi_case_joint_at(builder, AFX_JOINT_SPHERICAL, rod, rocker.body, hinge);
    } else {
        AfxPose cross =
            afxi_case_frame(tip, afxi_case_cross(along, axis), afxi_case_cross(along, afxi_case_cross(along, axis)));
        afxi_case_joint_at(builder, AFX_JOINT_SPHERICAL, input, rod, about(from, along));
        afxi_case_joint_at(builder, AFX_JOINT_UNIVERSAL, rod, rocker.body, cross);
    }
    return rocker;
}

AfxiLimb afxi_limb_beside(AfxiCaseBuilder *builder, AfxiDyad kind, const AfxiLimb *limb, AfxBodyId base, double mass,
                          double young) {
    AfxVec3 arm = afxi_case_sub(limb->tip, limb->pivot), axis = afxi_case_unit(limb->axis);
    double length = sqrt(afxi_case_dot(arm, arm));
    AfxVec3 side = afxi_case_cross(axis, afxi_case_scale(1 / length, arm)), pivot, tip;
    pivot = afxi_case_add(limb->pivot, afxi_case_scale(1.3 * length, side));
    if (kind == AFXI_DYAD_SPACE) {
        pivot = afxi_case_add(pivot, afxi_case_scale(0.4 * length, axis));
        axis = afxi_case_unit(afxi_case_add(axis, afxi_case_scale(0.5, side)));
    }
    tip = afxi_case_add(pivot, afxi_case_scale(1.1, arm));
    return afxi_limb_dyad(builder, kind, limb->body, limb->tip, base, pivot, tip, axis, mass, young);
}
