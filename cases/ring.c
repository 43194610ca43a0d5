/* SPDX-License-Identifier: Apache-2.0 */
/* A closed ring of n links on ball joints, one of them a fixed body, released at rest from a horizontal circle: the
 * smallest loop of joints, at any length. The joints are the corners of a regular polygon with sides of 0.1 m, whose
 * circle has the radius 0.05 / sin(π / n). */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

enum { COUNT, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "n", .kind = AFXI_CASE_INTEGER, .fallback = "1000", .min = 3, .max = 1e8, .help = "number of links"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

static AfxVec3 corner(uint32_t k, uint32_t count) {
    double radius = AFXI_CASE_LINK_LENGTH / (2 * sin(AFXI_CASE_PI / count));
    double angle = 2 * AFXI_CASE_PI * (k % count) / count;
    return (AfxVec3){radius * cos(angle), radius * sin(angle), 0};
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    const AfxVec3 end = {AFXI_CASE_LINK_LENGTH / 2, 0, 0};
    uint32_t count = (uint32_t)args->values[COUNT];
    AfxShapeDef rod = afxi_case_rod(afxi_case_scale(-1, end), end, AFXI_CASE_LINK_RADIUS);
    AfxPose first = {afxi_case_scale(-1, end), {1, 0, 0, 0}}, last = {end, {1, 0, 0, 0}};
    AfxBodyDef link = afx_default_body();
    link.young = args->values[YOUNG];

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        AfxVec3 from = corner(k, count), to = corner(k + 1, count);
        link.kind = k == 0 ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
        link.pose = afx_frame_along(afxi_case_middle(from, to), afxi_case_sub(to, from));
        AfxBodyId id = afxi_case_body(&builder, &link);
        afxi_case_shape(&builder, id, &rod);
    }
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        AfxBodyId base = afx_scene_body(builder.scene, k);
        AfxBodyId follower = afx_scene_body(builder.scene, (k + 1) % count);
        afxi_case_joint_between(&builder, AFX_JOINT_SPHERICAL, base, last, follower, first);
    }
    afxi_case_marker(&builder, afx_scene_body(builder.scene, count / 2), "far", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_ring = {
    .name = "ring",
    .summary = "a closed ring of links, one of them fixed, let go from a horizontal circle",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
