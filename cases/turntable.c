/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes on a disc that turns on a driven hinge (after the turntable of affine body dynamics, 2022). They start with the
 * disc: those within mu g / omega² of its axis stay where they are on it, those beyond slide off. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define RADIUS 1.0 /* m, of the disc */
#define THICK 0.05
#define BOX 0.08
#define APART 2e-4 /* m, between disc and boxes at the start */
#define SPREAD 2.4 /* rad, from box to box */

enum { BOXES, OMEGA, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [BOXES] = {.name = "boxes",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "4",
               .min = 1,
               .max = 9,
               .help = "from 0.3 m to 0.9 m from the axis"},
    [OMEGA] = {.name = "omega",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "2.2",
               .min = -100,
               .max = 100,
               .help = "rad/s, of the disc"},
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t boxes = (uint32_t)args->values[BOXES];
    double omega = args->values[OMEGA];
    AfxShapeDef disc = afx_default_cylinder(RADIUS, THICK), box = afx_default_box(BOX, BOX, BOX);
    AfxBodyDef body = afx_default_body();
    AfxPose floor = afx_pose_identity();
    floor.position.z = -0.3;
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, floor);
    body.young = args->values[YOUNG];
    body.angular_velocity = (AfxVec3){0, 0, omega};
    AfxBodyId table = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, table, &disc);
    AfxJointId hinge = afxi_case_joint_at(&builder, AFX_JOINT_REVOLUTE, afx_world(), table,
                                          afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1}));
    afxi_case_drive_line(&builder, AFX_DRIVE_POSITION, hinge, 0, omega);
    for (uint32_t k = 0; k < boxes && builder.status == AFX_OK; ++k) {
        double from = boxes > 1 ? 0.3 + 0.6 * k / (boxes - 1) : 0.3, angle = SPREAD * k;
        body.pose.position = (AfxVec3){from * cos(angle), from * sin(angle), 0.5 * (THICK + BOX) + APART};
        body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, angle);
        body.linear_velocity = (AfxVec3){-omega * body.pose.position.y, omega * body.pose.position.x, 0};
        AfxBodyId id = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, id, &box);
        if (k + 1 == boxes) {
            afxi_case_marker(&builder, id, "outer", (AfxVec3){0, 0, 0});
        }
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_turntable = {
    .name = "turntable",
    .summary = "boxes on a driven disc: friction carries those near its axis; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
