/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from axes, and rods between points. */
#include "cases/geometry.h"

/* First the shortest turn that brings x where it belongs, then a turn about x that does the same for y. */
AfxPose afxi_case_frame(AfxVec3 point, AfxVec3 x, AfxVec3 y) {
    AfxPose frame = afx_frame_along(point, x);
    AfxVec3 side = afx_quat_rotate(frame.rotation, (AfxVec3){0, 1, 0});
    AfxVec3 up = afx_quat_rotate(frame.rotation, (AfxVec3){0, 0, 1});
    double angle = atan2(afxi_case_dot(y, up), afxi_case_dot(y, side));
    frame.rotation = afx_quat_multiply(frame.rotation, afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, angle));
    return frame;
}

AfxShapeDef afxi_case_rod(AfxVec3 from, AfxVec3 to, double radius) {
    AfxVec3 along = afxi_case_sub(to, from);
    AfxShapeDef rod = afx_default_capsule(radius, sqrt(afxi_case_dot(along, along)));
    AfxQuat z_to_x = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, AFXI_CASE_PI / 2);
    rod.pose = afx_frame_along(afxi_case_middle(from, to), along);
    rod.pose.rotation = afx_quat_multiply(rod.pose.rotation, z_to_x);
    return rod;
}
