/* SPDX-License-Identifier: Apache-2.0 */
/* A plate on a driven slider pushes boxes together in a pit. It goes where it is told, exactly; what is between must
 * give way without passing through anything. Told to go too far, the step says that the plate is blocked. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define PIT 1.0 /* m, long; half as wide and high */
#define WALL 0.1
#define BOX 0.14
#define PITCH 0.2

enum { BOXES, SPEED, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [BOXES] = {.name = "boxes", .kind = AFXI_CASE_INTEGER, .fallback = "8", .min = 1, .max = 40, .help = "in the pit"},
    [SPEED] = {.name = "speed",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0.2",
               .min = 0,
               .max = 10,
               .help = "m/s, of the plate"},
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static void add_wall(AfxiCaseBuilder *builder, AfxVec3 place, double x, double y) {
    AfxShapeDef box = afx_default_box(x, y, 0.5 * PIT);
    AfxBodyDef body = afx_default_body();
    body.kind = AFX_BODY_FIXED;
    body.pose.position = place;
    afxi_case_shape(builder, afxi_case_body(builder, &body), &box);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyDef body = afx_default_body();
    AfxShapeDef plate = afx_default_box(WALL, 0.48 * PIT, 0.48 * PIT), box = afx_default_box(BOX, 0.9 * BOX, 0.8 * BOX);
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, afx_pose_identity());
    add_wall(&builder, (AfxVec3){PIT + 0.5 * WALL, 0, 0.25 * PIT}, WALL, 0.5 * PIT + 2 * WALL);
    for (int side = -1; side <= 1; side += 2) {
        add_wall(&builder, (AfxVec3){0.5 * PIT - WALL, side * (0.25 * PIT + 0.5 * WALL), 0.25 * PIT}, PIT + 2 * WALL,
                 WALL);
    }
    body.young = args->values[YOUNG];
    body.pose.position = (AfxVec3){-0.5 * WALL - 0.02, 0, 0.26 * PIT};
    AfxBodyId pusher = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, pusher, &plate);
    AfxJointId slider = afxi_case_joint_at(&builder, AFX_JOINT_PRISMATIC, afx_world(), pusher,
                                           afx_frame_along(body.pose.position, (AfxVec3){1, 0, 0}));
    afxi_case_drive_line(&builder, AFX_DRIVE_POSITION, slider, 0, args->values[SPEED]);
    afxi_case_marker(&builder, pusher, "plate", (AfxVec3){0.5 * WALL, 0, 0});
    for (uint32_t k = 0; k < (uint32_t)args->values[BOXES] && builder.status == AFX_OK; ++k) {
        body.pose.position =
            (AfxVec3){0.12 + PITCH * (k % 4), (k / 4 % 2 ? 0.5 : -0.5) * PITCH, 0.08 + PITCH * (k / 8)};
        body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, 0.3 * k);
        afxi_case_shape(&builder, afxi_case_body(&builder, &body), &box);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_compactor = {
    .name = "compactor",
    .summary = "a driven plate pushes boxes together in a pit; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
