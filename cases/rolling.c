/* SPDX-License-Identifier: Apache-2.0 */
/* A cylinder that rolls along x without slip, on the level at constant speed v, or down a slope with acceleration
 * 2/3 g sin a. Nothing takes energy from it: a long run shows what the method does. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

enum { ANGLE, SPEED, RADIUS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [ANGLE] = {.name = "angle",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0",
               .min = -80,
               .max = 80,
               .help = "of the slope, degrees; it descends along x"},
    [SPEED] = {.name = "speed",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "1",
               .min = -100,
               .max = 100,
               .help = "of the axle at the start, m/s"},
    [RADIUS] = {.name = "radius", .kind = AFXI_CASE_NUMBER, .fallback = "0.5", .min = 0.01, .max = 100, .help = "m"},
    [FRICTION] = AFXI_CASE_FRICTION("0.5"),
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double radius = args->values[RADIUS], speed = args->values[SPEED];
    AfxPose slope = afx_pose_identity();
    slope.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, args->values[ANGLE] * AFXI_CASE_DEGREE);
    AfxBodyDef body = afx_default_body();
    body.name = "cylinder";
    body.young = args->values[YOUNG];
    body.pose.position = afx_quat_rotate(slope.rotation, (AfxVec3){0, 0, radius});
    body.pose.rotation = slope.rotation;
    body.linear_velocity = afx_quat_rotate(slope.rotation, (AfxVec3){speed, 0, 0});
    body.angular_velocity.y = speed / radius;
    AfxShapeDef shape = afx_default_cylinder(radius, 2 * radius);
    shape.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, AFXI_CASE_PI / 2);

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, slope);
    AfxBodyId cylinder = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, cylinder, &shape);
    afxi_case_marker(&builder, cylinder, "axle", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_rolling = {
    .name = "rolling",
    .summary = "a cylinder that rolls without slip, 10,000 steps on the level or down a slope",
    .dt = 0.01,
    .time = 100,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
