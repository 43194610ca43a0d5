/* SPDX-License-Identifier: Apache-2.0 */
/* Two shafts in bearings that meet at an angle β in a universal joint. The first is driven to the angle θ = ω t; the
 * second is at φ with tan φ = cos β tan θ: unevenly, twice a turn. At the start the joint's axis on the first shaft is
 * across the plane of the shafts (along z), its axis on the second in that plane, along p; the marker is 0.1 m off the
 * second shaft's axis, at c + 0.1 m (p cos φ + z sin φ), c its place on the axis 0.1 m from the joint. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define LENGTH 0.2
#define RADIUS 0.02
#define ARM 0.1

enum { ANGLE, OMEGA, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [ANGLE] = {.name = "angle",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "45",
               .min = 0,
               .max = 85,
               .help = "between the shafts, degrees"},
    [OMEGA] = {.name = "omega",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "8",
               .min = -1e3,
               .max = 1e3,
               .help = "angular velocity of the driven shaft, rad/s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

/* A shaft from the joint at the origin along x of its frame, for `side` = 1, or up to it, for -1. */
static AfxBodyId add_shaft(AfxiCaseBuilder *builder, const char *name, AfxPose pose, double side, double omega,
                           double young) {
    AfxBodyDef shaft = afx_default_body();
    shaft.name = name;
    shaft.young = young;
    shaft.pose = pose;
    shaft.angular_velocity = afx_quat_rotate(pose.rotation, (AfxVec3){omega, 0, 0});
    AfxShapeDef rod = afxi_case_rod((AfxVec3){0, 0, 0}, (AfxVec3){side * LENGTH, 0, 0}, RADIUS);
    AfxBodyId id = afxi_case_body(builder, &shaft);
    afxi_case_shape(builder, id, &rod);
    return id;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double angle = args->values[ANGLE] * AFXI_CASE_DEGREE, omega = args->values[OMEGA], young = args->values[YOUNG];
    const AfxVec3 zero = {0, 0, 0}, normal = {0, 0, 1}, along = {cos(angle), sin(angle), 0};
    AfxPose first = afx_pose_identity(); /* x along the shaft, y towards p: z = normal */
    AfxPose second = afxi_case_frame(zero, along, afxi_case_cross(normal, along));
    AfxPose bearing = {{-LENGTH, 0, 0}, {1, 0, 0, 0}};
    AfxPose far_bearing = {{LENGTH, 0, 0}, {1, 0, 0, 0}};
    AfxPose cross = afxi_case_frame(zero, normal, afxi_case_cross(normal, along));
    AfxShapeDef arm = afxi_case_rod((AfxVec3){ARM, 0, 0}, (AfxVec3){ARM, ARM, 0}, AFXI_CASE_LINK_RADIUS);

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId in = add_shaft(&builder, "in", first, -1, omega, young);
    AfxBodyId out = add_shaft(&builder, "out", second, 1, omega * cos(angle), young);
    afxi_case_shape(&builder, out, &arm);
    AfxJointId motor = afxi_case_joint_between(&builder, AFX_JOINT_REVOLUTE, afx_world(), bearing, in, bearing);
    afxi_case_joint_at(&builder, AFX_JOINT_UNIVERSAL, in, out, cross);
    afxi_case_joint_between(&builder, AFX_JOINT_REVOLUTE, afx_world(), afx_pose_compose(second, far_bearing), out,
                            far_bearing);
    afxi_case_drive_line(&builder, AFX_DRIVE_POSITION, motor, 0, omega);
    afxi_case_marker(&builder, out, "out", (AfxVec3){ARM, ARM, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_universal_shaft = {
    .name = "universal-shaft",
    .summary = "two shafts that meet in a universal joint, the first driven: tan φ = cos β tan ωt",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
