/* SPDX-License-Identifier: Apache-2.0 */
/* A semicircular arch of wedge stones without mortar, on two fixed abutments: stones of 2000 kg/m^3 that meet face to
 * face, held by their own thrust. The line of thrust fits into a semicircle of thickness t and mean radius r when
 * t / r > 0.1075 (Milankovitch 1907), where friction suffices; here it is 0.2. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#include <stdio.h>

#define RADIUS 2.0 /* m, mean */
#define DEPTH 0.6  /* m, along y */
#define BASE 0.5   /* m, height of the abutments */
#define DENSITY 2000.0

enum { STONES, FRICTION, THICKNESS, YOUNG, GAP };

static const AfxiCaseParameter parameters[] = {
    [STONES] = {.name = "stones",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "25",
                .min = 3,
                .max = 999,
                .help = "number of stones"},
    [FRICTION] = AFXI_CASE_FRICTION("0.5"),
    [THICKNESS] = {.name = "thickness",
                   .kind = AFXI_CASE_NUMBER,
                   .fallback = "0.2",
                   .min = 0.05,
                   .max = 1,
                   .help = "of the stones, as a share of the mean radius"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
    [GAP] = {.name = "gap",
             .kind = AFXI_CASE_NUMBER,
             .fallback = "0",
             .min = 0,
             .max = 0.01,
             .help = "m, between stones at the start; barrier contact needs one"},
};

/* Vertices of the stone that reaches over half an angle of `half` to both sides, seen from its frame: z outward, the
 * origin at the mean radius. */
static void wedge(double half, double thickness, double gap, double out_vertices[24]) {
    for (int k = 0; k < 8; ++k) {
        double radius = RADIUS + (k & 1 ? 0.5 : -0.5) * thickness, angle = k & 2 ? half : -half;
        out_vertices[3 * k] = radius * sin(angle) - (k & 2 ? 0.5 : -0.5) * gap;
        out_vertices[3 * k + 1] = (k & 4 ? 0.5 : -0.5) * DEPTH;
        out_vertices[3 * k + 2] = radius * cos(angle) - RADIUS;
    }
}

static void add_abutments(AfxiCaseBuilder *builder, double thickness) {
    AfxBodyDef body = afx_default_body();
    body.kind = AFX_BODY_FIXED;
    AfxShapeDef box = afx_default_box(2 * thickness, 2 * DEPTH, BASE);
    for (int side = -1; side <= 1; side += 2) {
        body.name = side < 0 ? "left" : "right";
        body.pose.position = (AfxVec3){side * RADIUS, 0, -BASE / 2};
        AfxBodyId id = afxi_case_body(builder, &body);
        afxi_case_shape(builder, id, &box);
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t stones = (uint32_t)args->values[STONES];
    double thickness = args->values[THICKNESS] * RADIUS, half = AFXI_CASE_PI / (2.0 * stones);
    double vertices[24];
    wedge(half, thickness, args->values[GAP], vertices);
    AfxShapeDef shape = afx_default_convex(vertices, 8);
    shape.density = DENSITY;
    AfxPose floor = afx_pose_identity();
    floor.position.z = -BASE;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, floor);
    add_abutments(&builder, thickness);
    for (uint32_t k = 0; k < stones && builder.status == AFX_OK; ++k) { /* from the left */
        double angle = -AFXI_CASE_PI / 2 + (2 * k + 1) * half;
        char name[24];
        snprintf(name, sizeof(name), "stone-%u", (unsigned)k + 1);
        AfxBodyDef body = afx_default_body();
        body.name = name;
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){RADIUS * sin(angle), 0, RADIUS * cos(angle)};
        body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, angle);
        AfxBodyId stone = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, stone, &shape);
        if (k == stones / 2) {
            afxi_case_marker(&builder, stone, "top", (AfxVec3){0, 0, thickness / 2});
        }
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_arch = {
    .name = "arch",
    .summary = "a semicircular arch of wedge stones without mortar: friction and thrust hold it",
    .dt = 0.01,
    .time = 20,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
