/* SPDX-License-Identifier: Apache-2.0 */
/* Two links on hinges that swing between two posts (after the pendulum of Fig. 10 of affine body dynamics, 2022): exact
 * joints under impacts. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define LENGTH 0.5 /* m, of a link */
#define WIDE 0.06
#define POST 0.4 /* m, from the axis */

enum { FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxShapeDef bar = afx_default_box(LENGTH, WIDE, WIDE), post = afx_default_box(0.1, 0.4, 0.3);
    AfxBodyId last = afx_world();
    afxi_case_touch(&builder, args->values[FRICTION]);
    for (int side = -1; side <= 1; side += 2) {
        AfxBodyDef body = afx_default_body();
        body.kind = AFX_BODY_FIXED;
        body.pose.position = (AfxVec3){side * POST, 0, -1.5 * LENGTH};
        afxi_case_shape(&builder, afxi_case_body(&builder, &body), &post);
    }
    for (int k = 0; k < 2; ++k) { /* level, and let go */
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){(k + 0.5) * LENGTH, 0, 0};
        AfxBodyId link = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, link, &bar);
        afxi_case_joint_at(&builder, AFX_JOINT_REVOLUTE, last, link,
                           afx_frame_along((AfxVec3){k * LENGTH, 0, 0}, (AfxVec3){0, 1, 0}));
        last = link;
    }
    afxi_case_marker(&builder, last, "end", (AfxVec3){0.5 * LENGTH, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_knocker = {
    .name = "knocker",
    .summary = "a double pendulum that swings between two posts; for barrier contact",
    .dt = 0.01,
    .time = 4,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
