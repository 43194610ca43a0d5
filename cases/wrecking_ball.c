/* SPDX-License-Identifier: Apache-2.0 */
/* A ball on a chain of ball joints swings into a wall of boxes (after Fig. 1 of affine body dynamics, 2022: 575 bodies
 * with 14 columns, 8 rows, 5 layers and 14 links). Boxes start a little apart, so that barrier contact can begin. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define BOX 0.2    /* m */
#define APART 2e-4 /* m, between boxes at the start */
#define BALL 0.4   /* m, radius */
#define LINK 0.25  /* m */
#define DENSITY 600.0

enum { COLUMNS, ROWS, LAYERS, LINKS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [COLUMNS] = {.name = "columns",
                 .kind = AFXI_CASE_INTEGER,
                 .fallback = "4",
                 .min = 1,
                 .max = 100,
                 .help = "of the wall, along y"},
    [ROWS] = {.name = "rows",
              .kind = AFXI_CASE_INTEGER,
              .fallback = "4",
              .min = 1,
              .max = 100,
              .help = "of the wall, upward"},
    [LAYERS] = {.name = "layers",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "2",
                .min = 1,
                .max = 100,
                .help = "of the wall, along x"},
    [LINKS] =
        {.name = "links", .kind = AFXI_CASE_INTEGER, .fallback = "14", .min = 1, .max = 1000, .help = "of the chain"},
    [FRICTION] = AFXI_CASE_FRICTION("0.5"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static void add_wall(AfxiCaseBuilder *builder, const AfxiCaseArguments *args) {
    uint32_t columns = (uint32_t)args->values[COLUMNS], rows = (uint32_t)args->values[ROWS];
    uint32_t layers = (uint32_t)args->values[LAYERS];
    AfxShapeDef box = afx_default_box(BOX, BOX, BOX);
    box.density = DENSITY;
    for (uint32_t k = 0; k < columns * rows * layers; ++k) {
        uint32_t column = k % columns, row = k / columns % rows, layer = k / columns / rows;
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){(layer + 0.5) * (BOX + APART), (column - 0.5 * (columns - 1)) * (BOX + APART),
                                       APART + 0.5 * BOX + row * (BOX + APART)};
        afxi_case_shape(builder, afxi_case_body(builder, &body), &box);
    }
}

static void add_chain(AfxiCaseBuilder *builder, const AfxiCaseArguments *args) {
    uint32_t links = (uint32_t)args->values[LINKS];
    double height = 1.2 * BALL + links * LINK + BALL, begin = -1.02 * BALL;
    AfxShapeDef rod = afx_default_capsule(0.03, LINK - 0.06), ball = afx_default_sphere(BALL);
    AfxBodyId last = afx_world();
    ball.density = 2000;
    rod.density = 4000;
    for (uint32_t k = 0; k <= links && builder->status == AFX_OK; ++k) { /* drawn back, and let go */
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){begin - (k < links ? (k + 0.5) * LINK : links * LINK + BALL), 0, height};
        body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 0.5 * AFXI_CASE_PI);
        AfxBodyId next = afxi_case_body(builder, &body);
        afxi_case_shape(builder, next, k < links ? &rod : &ball);
        AfxPose frame = afx_pose_identity();
        frame.position = (AfxVec3){begin - k * LINK, 0, height};
        afxi_case_joint_at(builder, AFX_JOINT_SPHERICAL, last, next, frame);
        last = next;
    }
    afxi_case_marker(builder, last, "ball", (AfxVec3){0, 0, 0});
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxStatus status = afxi_case_check_bodies(
        "wrecking-ball", args->values[COLUMNS] * args->values[ROWS] * args->values[LAYERS] + args->values[LINKS] + 2,
        out_error);
    if (status != AFX_OK) {
        *out_scene = NULL;
        return status;
    }
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, afx_pose_identity());
    add_wall(&builder, args);
    add_chain(&builder, args);
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_wrecking_ball = {
    .name = "wrecking-ball",
    .summary = "a ball on a chain swings into a wall of boxes; for barrier contact",
    .dt = 0.01,
    .time = 3,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
