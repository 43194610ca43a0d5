/* SPDX-License-Identifier: Apache-2.0 */
/* Plane linkages. The pivot p of a dyad is where two circles meet; its velocity v follows from
 * (p - a) . (v - v_a) = 0 and (p - b) . (v - v_b) = 0. */
#include "cases/planar.h"
#include "cases/geometry.h"

AfxiPlanar afxi_planar_point(double x, double z) {
    return (AfxiPlanar){x, z, 0, 0};
}

double afxi_planar_distance(AfxiPlanar a, AfxiPlanar b) {
    return hypot(b.x - a.x, b.z - a.z);
}

AfxiPlanar afxi_planar_crank(AfxiPlanar center, double length, double angle, double rate) {
    double x = length * cos(angle), z = length * sin(angle);
    return (AfxiPlanar){center.x + x, center.z + z, -rate * z, rate * x};
}

AfxiPlanar afxi_planar_dyad(AfxiPlanar a, double length_a, AfxiPlanar b, double length_b, double side) {
    double d = afxi_planar_distance(a, b);
    double along = (d * d + (length_a - length_b) * (length_a + length_b)) / (2 * d);
    double across = side * sqrt((length_a - along) * (length_a + along));
    double ux = (b.x - a.x) / d, uz = (b.z - a.z) / d;
    AfxiPlanar p = {a.x + along * ux - across * uz, a.z + along * uz + across * ux, 0, 0};
    double ax = p.x - a.x, az = p.z - a.z, bx = p.x - b.x, bz = p.z - b.z;
    double ra = ax * a.vx + az * a.vz, rb = bx * b.vx + bz * b.vz;
    double det = ax * bz - az * bx;
    p.vx = (ra * bz - rb * az) / det;
    p.vz = (ax * rb - bx * ra) / det;
    return p;
}

static double rate_of(AfxiPlanar a, AfxiPlanar b) {
    double x = b.x - a.x, z = b.z - a.z;
    return (x * (b.vz - a.vz) - z * (b.vx - a.vx)) / (x * x + z * z);
}

AfxiPlanar afxi_planar_on(AfxiPlanar a, AfxiPlanar b, double along, double across) {
    double d = afxi_planar_distance(a, b), rate = rate_of(a, b);
    double ux = (b.x - a.x) / d, uz = (b.z - a.z) / d;
    double x = along * ux - across * uz, z = along * uz + across * ux;
    return (AfxiPlanar){a.x + x, a.z + z, a.vx - rate * z, a.vz + rate * x};
}

void afxi_planar_local(AfxiPlanar a, AfxiPlanar b, AfxiPlanar p, double *out_along, double *out_across) {
    double d = afxi_planar_distance(a, b);
    double ux = (b.x - a.x) / d, uz = (b.z - a.z) / d;
    *out_along = (p.x - a.x) * ux + (p.z - a.z) * uz;
    *out_across = (p.z - a.z) * ux - (p.x - a.x) * uz;
}

AfxBodyId afxi_planar_link(AfxiCaseBuilder *builder, const char *name, AfxiPlanar a, AfxiPlanar b, double y,
                           double young) {
    AfxBodyDef link = afx_default_body();
    link.name = name;
    link.young = young;
    link.pose.position = (AfxVec3){a.x, y, a.z};
    link.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, -1, 0}, atan2(b.z - a.z, b.x - a.x));
    link.linear_velocity = (AfxVec3){a.vx, 0, a.vz};
    link.angular_velocity.y = -rate_of(a, b);
    return afxi_case_body(builder, &link);
}

void afxi_planar_rod(AfxiCaseBuilder *builder, AfxBodyId link, double along_a, double across_a, double along_b,
                     double across_b) {
    AfxShapeDef rod =
        afxi_case_rod((AfxVec3){along_a, 0, across_a}, (AfxVec3){along_b, 0, across_b}, AFXI_CASE_LINK_RADIUS);
    afxi_case_shape(builder, link, &rod);
}

AfxPose afxi_planar_frame(double along, double across, double y) {
    return afx_frame_along((AfxVec3){along, y, across}, (AfxVec3){0, -1, 0});
}

AfxJointId afxi_planar_hinge(AfxiCaseBuilder *builder, AfxBodyId base, AfxPose base_frame, AfxBodyId follower,
                             AfxPose follower_frame) {
    return afxi_case_joint_between(builder, AFX_JOINT_REVOLUTE, base, base_frame, follower, follower_frame);
}

const AfxiCaseParameter afxi_crank_parameters[AFXI_CRANK_PARAMETERS] = {
    [AFXI_CRANK_OMEGA] = {.name = "omega",
                          .kind = AFXI_CASE_NUMBER,
                          .fallback = "6.283185307179586",
                          .min = -1e3,
                          .max = 1e3,
                          .help = "angular velocity of the crank, rad/s"},
    [AFXI_CRANK_YOUNG] = AFXI_CASE_YOUNG("1e8"),
};
