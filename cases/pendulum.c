/* SPDX-License-Identifier: Apache-2.0 */
/* The physical pendulum of the M-ABD paper, Eq. 60: a rod of 1 x 0.1 x 0.1 m, 10 kg, on a hinge at the middle of one
 * end, released at rest from the horizontal. Its inertia about the hinge is 10 (1/3 + 0.01/12) kg m². */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define LENGTH 1.0
#define WIDTH 0.1

enum { ANGLE, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [ANGLE] = {.name = "angle",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0",
               .min = -180,
               .max = 180,
               .help = "of the rod below the horizontal at the start, degrees"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxBodyDef body = afx_default_body();
    body.name = "rod";
    body.young = args->values[YOUNG];
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, args->values[ANGLE] * AFXI_CASE_DEGREE);
    AfxShapeDef box = afx_default_box(LENGTH, WIDTH, WIDTH);
    box.pose.position.x = LENGTH / 2;
    AfxPose hinge = afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 1, 0});

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId id = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, id, &box);
    afxi_case_joint_between(&builder, AFX_JOINT_REVOLUTE, afx_world(), hinge, id, hinge);
    afxi_case_marker(&builder, id, "tip", (AfxVec3){LENGTH, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_pendulum = {
    .name = "pendulum",
    .summary = "a rod of 1 m on a hinge, released from the horizontal",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
