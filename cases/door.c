/* SPDX-License-Identifier: Apache-2.0 */
/* A door of 0.9 x 0.04 x 2 m, 72 kg, on two hinges with one vertical axis: five of the ten rows are redundant, and the
 * hinges share the weight. Without friction it keeps its swing. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define WIDTH 0.9
#define THICKNESS 0.04
#define HEIGHT 2.0
#define HINGE 0.8 /* m above and below the middle */

enum { SWING, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [SWING] = {.name = "swing",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "1",
               .min = -1e3,
               .max = 1e3,
               .help = "angular velocity at the start, rad/s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxBodyDef body = afx_default_body();
    body.name = "door";
    body.young = args->values[YOUNG];
    body.angular_velocity.z = args->values[SWING]; /* the frame is on the axis */
    AfxShapeDef panel = afx_default_box(WIDTH, THICKNESS, HEIGHT);
    panel.pose.position.x = WIDTH / 2;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId door = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, door, &panel);
    for (int side = -1; side <= 1; side += 2) {
        AfxPose hinge = afx_frame_along((AfxVec3){0, 0, side * HINGE}, (AfxVec3){0, 0, 1});
        afxi_case_joint_between(&builder, AFX_JOINT_REVOLUTE, afx_world(), hinge, door, hinge);
    }
    afxi_case_marker(&builder, door, "handle", (AfxVec3){WIDTH - 0.05, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_door = {
    .name = "door",
    .summary = "a door on two hinges with one axis: redundant, and it swings",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
