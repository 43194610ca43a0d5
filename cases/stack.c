/* SPDX-License-Identifier: Apache-2.0 */
/* A stack of equal boxes of 1 x 0.5 x 0.25 m on a table whose edge the lowest box is flush with, and a floor below it.
 * Box k from the top is shifted by overhang L / (2 k) over what carries it: with overhang 1 the common centre of the
 * boxes above every joint is just over its edge, the limit of the leaning tower (the sums of the harmonic series). */
#include "cases/builder.h"
#include "cases/cases.h"

#define LENGTH 1.0
#define WIDTH 0.5
#define HEIGHT 0.25
#define TABLE 1.0 /* m, its height */

enum { COUNT, OVERHANG, DROP, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "n", .kind = AFXI_CASE_INTEGER, .fallback = "10", .min = 1, .max = 1e5, .help = "number of boxes"},
    [OVERHANG] = {.name = "overhang",
                  .kind = AFXI_CASE_NUMBER,
                  .fallback = "0",
                  .min = 0,
                  .max = 2,
                  .help = "share of the leaning tower's limit"},
    [DROP] = {.name = "drop",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0",
              .min = 0,
              .max = 10,
              .help = "gap below each box at the start, m"},
    [FRICTION] = AFXI_CASE_FRICTION("0.5"),
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static void add_table(AfxiCaseBuilder *builder) {
    AfxBodyDef body = afx_default_body();
    body.name = "table";
    body.kind = AFX_BODY_FIXED;
    body.pose.position = (AfxVec3){-2 * LENGTH, 0, -TABLE / 2};
    AfxShapeDef box = afx_default_box(4 * LENGTH, 4 * WIDTH, TABLE);
    AfxBodyId table = afxi_case_body(builder, &body);
    afxi_case_shape(builder, table, &box);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t count = (uint32_t)args->values[COUNT];
    AfxPose floor = afx_pose_identity();
    floor.position.z = -TABLE;
    AfxBodyDef body = afx_default_body();
    body.young = args->values[YOUNG];
    body.pose.position = (AfxVec3){-LENGTH / 2, 0, -HEIGHT / 2};
    AfxShapeDef box = afx_default_box(LENGTH, WIDTH, HEIGHT);

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, floor);
    add_table(&builder);
    AfxBodyId top = afx_world();
    for (uint32_t k = count; k >= 1 && builder.status == AFX_OK; --k) { /* k from the top */
        body.pose.position.x += args->values[OVERHANG] * LENGTH / (2.0 * k);
        body.pose.position.z += HEIGHT + args->values[DROP];
        top = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, top, &box);
    }
    afxi_case_marker(&builder, top, "top", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_stack = {
    .name = "stack",
    .summary = "boxes on boxes, straight or leaning over the edge of a table, laid or dropped",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
