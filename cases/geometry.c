/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from axes, rods between points, and rings. */
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

void afxi_case_torus(double radius, double tube, uint32_t around, uint32_t sides, double *out_vertices,
                     uint32_t *out_triangles) {
    for (uint32_t k = 0; k < around * sides; ++k) {
        uint32_t section = k / sides, side = k % sides, next = (section + 1) % around, up = (side + 1) % sides;
        double angle = 2 * AFXI_CASE_PI * section / around, turn = 2 * AFXI_CASE_PI * (side + 0.5) / sides;
        double from = radius + tube * cos(turn);
        out_vertices[3 * k] = from * cos(angle);
        out_vertices[3 * k + 1] = from * sin(angle);
        out_vertices[3 * k + 2] = tube * sin(turn);
        uint32_t a = k, b = next * sides + side, c = next * sides + up, d = section * sides + up;
        const uint32_t corner[6] = {a, b, c, a, c, d};
        for (int e = 0; e < 6; ++e) {
            out_triangles[6 * k + e] = corner[e];
        }
    }
}

void afxi_case_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t out[6]) {
    const uint32_t corner[6] = {a, b, c, a, c, d};
    for (int e = 0; e < 6; ++e) {
        out[e] = corner[e];
    }
}

void afxi_case_extrude(const double *outline, uint32_t count, double height, double *out_vertices,
                       uint32_t *out_triangles) {
    for (uint32_t end = 0; end < 2; ++end) {
        double z = (end ? 0.5 : -0.5) * height, *middle = out_vertices + 3 * (2 * count + end);
        middle[0] = middle[1] = 0;
        middle[2] = z;
        for (uint32_t k = 0; k < count; ++k) {
            double *v = out_vertices + 3 * (end * count + k);
            v[0] = outline[2 * k];
            v[1] = outline[2 * k + 1];
            v[2] = z;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t next = (k + 1) % count, *t = out_triangles + 12 * k;
        const uint32_t caps[6] = {2 * count, next, k, 2 * count + 1, count + k, count + next};
        afxi_case_quad(k, next, count + next, count + k, t);
        for (int e = 0; e < 6; ++e) {
            t[6 + e] = caps[e];
        }
    }
}
