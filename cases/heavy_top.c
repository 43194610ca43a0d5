/* SPDX-License-Identifier: Apache-2.0 */
/* A symmetric top on a ball joint, tilted by 5 degrees and set spinning at 10 rad/s about its own axis (M-ABD, Fig. 9):
 * it precesses and nutates. A disc of 0.2 m radius on a thin spindle, its centre 0.05 m above the tip; the spin is
 * beyond the sqrt(4 m g l I_1) / I_3 = 7.9 rad/s that an upright top needs. Angular momentum about the vertical and
 * about the top's own axis is kept. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define DISC_RADIUS 0.2
#define DISC_HEIGHT 0.05 /* of its centre */
#define DISC_THICKNESS 0.02
#define SPINDLE_RADIUS 0.005
#define SPINDLE_LENGTH 0.1

enum { SPIN, TILT, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [SPIN] = {.name = "spin",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "10",
              .min = -1e4,
              .max = 1e4,
              .help = "angular velocity about the top's own axis, rad/s"},
    [TILT] = {.name = "tilt",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "5",
              .min = 0,
              .max = 180,
              .help = "of the axis from the vertical, degrees"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxBodyDef body = afx_default_body();
    body.name = "top";
    body.young = args->values[YOUNG];
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, args->values[TILT] * AFXI_CASE_DEGREE);
    body.angular_velocity = afx_quat_rotate(body.pose.rotation, (AfxVec3){0, 0, args->values[SPIN]});
    AfxShapeDef disc = afx_default_cylinder(DISC_RADIUS, DISC_THICKNESS);
    disc.pose.position.z = DISC_HEIGHT;
    AfxShapeDef spindle = afx_default_cylinder(SPINDLE_RADIUS, SPINDLE_LENGTH);
    spindle.pose.position.z = SPINDLE_LENGTH / 2;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId top = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, top, &disc);
    afxi_case_shape(&builder, top, &spindle);
    afxi_case_joint_between(&builder, AFX_JOINT_SPHERICAL, afx_world(), afx_pose_identity(), top, afx_pose_identity());
    afxi_case_marker(&builder, top, "tip", (AfxVec3){0, 0, SPINDLE_LENGTH});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_heavy_top = {
    .name = "heavy-top",
    .summary = "a symmetric top on a ball joint, tilted and spinning: it precesses and nutates",
    .dt = 0.001,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
