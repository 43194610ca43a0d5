/* SPDX-License-Identifier: Apache-2.0 */
/* A ball with arms of capsules on hinges that falls over a post onto the ground (after the octopus of Fig. 10 of affine
 * body dynamics, 2022: 8 arms of 5 links, 41 bodies). */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define BALL 0.15 /* m, radius */
#define LINK 0.12 /* m, from hinge to hinge */
#define THICK 0.02
#define HEIGHT 0.6

enum { ARMS, LINKS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [ARMS] = {.name = "arms", .kind = AFXI_CASE_INTEGER, .fallback = "8", .min = 1, .max = 12, .help = "of the ball"},
    [LINKS] = {.name = "links", .kind = AFXI_CASE_INTEGER, .fallback = "5", .min = 1, .max = 1000, .help = "of an arm"},
    [FRICTION] = AFXI_CASE_FRICTION("0.4"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* Hinges lie across the arm, level and upright in turn. */
static void add_arm(AfxiCaseBuilder *builder, AfxBodyId ball, double angle, uint32_t links, double young) {
    AfxVec3 along = {cos(angle), sin(angle), 0}, across = {-sin(angle), cos(angle), 0}, up = {0, 0, 1};
    AfxShapeDef rod = afxi_case_rod((AfxVec3){-0.5 * LINK + THICK, 0, 0}, (AfxVec3){0.5 * LINK - THICK, 0, 0}, THICK);
    AfxBodyId last = ball;
    for (uint32_t k = 0; k < links && builder->status == AFX_OK; ++k) {
        AfxVec3 place = afxi_case_scale(BALL + k * LINK, along);
        place.z = HEIGHT;
        AfxBodyDef body = afx_default_body();
        body.young = young;
        body.pose = afxi_case_frame(afxi_case_add(place, afxi_case_scale(0.5 * LINK, along)), along, across);
        AfxBodyId link = afxi_case_body(builder, &body);
        afxi_case_shape(builder, link, &rod);
        afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, last, link, afx_frame_along(place, k % 2 ? up : across));
        last = link;
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t arms = (uint32_t)args->values[ARMS];
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyDef body = afx_default_body();
    AfxShapeDef post = afx_default_box(0.1, 0.1, 0.3), ball = afx_default_sphere(BALL);
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, afx_pose_identity());
    body.kind = AFX_BODY_FIXED;
    body.pose.position = (AfxVec3){0.3, 0.05, 0.15};
    afxi_case_shape(&builder, afxi_case_body(&builder, &body), &post);
    body = afx_default_body();
    body.young = args->values[YOUNG];
    body.pose.position = (AfxVec3){0, 0, HEIGHT};
    AfxBodyId middle = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, middle, &ball);
    afxi_case_marker(&builder, middle, "ball", (AfxVec3){0, 0, 0});
    for (uint32_t k = 0; k < arms; ++k) {
        add_arm(&builder, middle, 2 * AFXI_CASE_PI * k / arms, (uint32_t)args->values[LINKS], args->values[YOUNG]);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_tentacles = {
    .name = "tentacles",
    .summary = "a ball with arms on hinges that falls over a post; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
