/* SPDX-License-Identifier: Apache-2.0 */
/* Where things of a URDF are: x y z, and turns about the fixed axes x, y, z in this order. */
#include "load/urdf.h"

bool afxi_urdf_origin(AfxiUrdf *urdf, AfxiXmlNode *node, AfxPose *out_pose) {
    *out_pose = afx_pose_identity();
    AfxiXmlNode *origin = afxi_xml_child(node, "origin");
    if (!origin) {
        return true;
    }
    AfxVec3 rpy = {0, 0, 0};
    if (!afxi_xml_vec3(urdf->load, origin, "xyz", &out_pose->position) ||
        !afxi_xml_vec3(urdf->load, origin, "rpy", &rpy)) {
        return false;
    }
    AfxQuat x = afx_quat_from_axis_angle(vec3(1, 0, 0), rpy.x), y = afx_quat_from_axis_angle(vec3(0, 1, 0), rpy.y);
    AfxQuat z = afx_quat_from_axis_angle(vec3(0, 0, 1), rpy.z);
    out_pose->rotation = afx_quat_multiply(z, afx_quat_multiply(y, x));
    return true;
}
