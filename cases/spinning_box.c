/* SPDX-License-Identifier: Apache-2.0 */
/* A cube (0.1 m, 1 kg, ω = (0, 10, 0)) or box (0.1 x 0.2 x 0.3 m, 6 kg, ω = (1, 10, 1)) in free flight: linear
 * momentum stays to rounding, angular momentum and energy to the order of the integrator. M-ABD, Fig. 7. */
#include "cases/builder.h"
#include "cases/cases.h"

enum { SHAPE, SPEED, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [SHAPE] = {.name = "shape",
               .kind = AFXI_CASE_CHOICE,
               .fallback = "cube",
               .choices = {"cube", "box"},
               .help = "cube: 0.1 m, 1 kg, 10 rad/s about y; box: 0.1 x 0.2 x 0.3 m, at (1, 10, 1) rad/s"},
    [SPEED] = {.name = "speed",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "100",
               .min = -1e300,
               .max = 1e300,
               .help = "velocity along x, m/s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    bool cube = args->values[SHAPE] == 0;
    AfxVec3 edges = cube ? (AfxVec3){0.1, 0.1, 0.1} : (AfxVec3){0.1, 0.2, 0.3};
    AfxShapeDef box = afx_default_box(edges.x, edges.y, edges.z);
    AfxBodyDef body = afx_default_body();
    body.name = "box";
    body.linear_velocity.x = args->values[SPEED];
    body.angular_velocity = cube ? (AfxVec3){0, 10, 0} : (AfxVec3){1, 10, 1};
    body.young = args->values[YOUNG];

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    AfxBodyId id = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, id, &box);
    afxi_case_marker(&builder, id, "corner", (AfxVec3){edges.x / 2, edges.y / 2, edges.z / 2});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_spinning_box = {
    .name = "spinning-box",
    .summary = "a cube or box in free flight: momentum and energy are kept",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
