/* SPDX-License-Identifier: Apache-2.0 */
/* One body with very many neighbours: a ball pinned to the world at its centre, with straight arms that stand out from
 * all over its surface on ball joints, spinning as one about the vertical when gravity gets hold of the arms.
 *
 * The arms' roots are a spiral with the golden angle between neighbours: root k at height 1 - (2k + 1) / n of the unit
 * sphere, where no two are nearer than 3 / sqrt(n) for n >= 4 (3.09 / sqrt(n) for large n). So a ball of sqrt(n) link
 * radii keeps the roots 3 link radii apart, and the arms do not overlap. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/strand.h"

#define SMALLEST 0.05 /* m, the ball's radius */

enum { ARMS, SEGMENTS, SPIN, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [ARMS] = {.name = "arms",
              .kind = AFXI_CASE_INTEGER,
              .fallback = "10000",
              .min = 1,
              .max = 1e8,
              .help = "number of arms"},
    [SEGMENTS] = {.name = "segments",
                  .kind = AFXI_CASE_INTEGER,
                  .fallback = "1",
                  .min = 1,
                  .max = 1e8,
                  .help = "links of each arm"},
    [SPIN] = {.name = "spin",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "5",
              .min = -1e3,
              .max = 1e3,
              .help = "angular velocity about the vertical, rad/s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

static AfxVec3 root_direction(uint32_t k, uint32_t count) {
    double height = 1 - (2.0 * k + 1) / count;
    double across = sqrt(1 - height * height), turn = fmod(k * AFXI_CASE_PI * (3 - sqrt(5)), 2 * AFXI_CASE_PI);
    return (AfxVec3){across * cos(turn), across * sin(turn), height};
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxStatus status =
        afxi_case_check_bodies("case hub, parameter segments", args->values[ARMS] * args->values[SEGMENTS], out_error);
    if (status != AFX_OK) {
        return status;
    }
    uint32_t arms = (uint32_t)args->values[ARMS];
    double radius = fmax(SMALLEST, AFXI_CASE_LINK_RADIUS * sqrt(arms));
    AfxiStrand arm = afxi_strand_of_links((uint32_t)args->values[SEGMENTS], args->values[YOUNG]);
    arm.spin = (AfxVec3){0, 0, args->values[SPIN]};
    AfxShapeDef ball = afx_default_sphere(radius);
    AfxBodyDef hub = afx_default_body();
    hub.name = "hub";
    hub.young = args->values[YOUNG];
    hub.angular_velocity = arm.spin;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId center = afxi_case_body(&builder, &hub), tip = center;
    afxi_case_shape(&builder, center, &ball);
    afxi_case_joint_at(&builder, AFX_JOINT_SPHERICAL, afx_world(), center, afx_pose_identity());
    for (uint32_t k = 0; k < arms && builder.status == AFX_OK; ++k) {
        AfxVec3 out = root_direction(k, arms);
        tip = afxi_strand_add(&builder, &arm, center, afx_frame_along(afxi_case_scale(radius, out), out));
    }
    afxi_case_marker(&builder, tip, "tip", (AfxVec3){AFXI_CASE_LINK_LENGTH / 2, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_hub = {
    .name = "hub",
    .summary = "thousands of arms on one spinning ball: a body with very many joints",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
