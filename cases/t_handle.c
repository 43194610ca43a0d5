/* SPDX-License-Identifier: Apache-2.0 */
/* Two aluminium cylinders that form a T, set spinning about its intermediate principal axis (that of the stem) with a
 * small disturbance about the other two. By the intermediate-axis theorem it turns over again and again: rigid, at
 * 0.675453 s and then every 1.514077 s (Runge-Kutta on Euler's equations). So close to the separatrix the interval is
 * very sensitive to numerical damping. Speeds, step and time are those of the quaternion paper, Fig. 4. */
#include "cases/builder.h"
#include "cases/cases.h"

#define RADIUS 0.02
#define BAR 0.30  /* along y, through the origin */
#define STEM 0.15 /* along x, from the bar's surface outwards */
#define DENSITY 2700.0

enum { OMEGA, KICK, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [OMEGA] = {.name = "omega",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "15",
               .min = -1e4,
               .max = 1e4,
               .help = "angular velocity about the intermediate principal axis, rad/s"},
    [KICK] = {.name = "kick",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0.1",
              .min = -1e4,
              .max = 1e4,
              .help = "angular velocity about each of the two other axes, rad/s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxVec3 spin(const AfxVec3 axes[3], double omega, double kick) {
    const AfxVec3 *a = &axes[0], *b = &axes[1], *c = &axes[2];
    return (AfxVec3){omega * b->x + kick * (a->x + c->x), omega * b->y + kick * (a->y + c->y),
                     omega * b->z + kick * (a->z + c->z)};
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    const double quarter = 1.5707963267948966;
    AfxBodyDef body = afx_default_body();
    body.name = "handle";
    body.young = args->values[YOUNG];
    AfxShapeDef bar = afx_default_cylinder(RADIUS, BAR);
    bar.density = DENSITY;
    bar.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, quarter);
    AfxShapeDef stem = afx_default_cylinder(RADIUS, STEM);
    stem.density = DENSITY;
    stem.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, quarter);
    stem.pose.position.x = RADIUS + STEM / 2;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    AfxBodyId id = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, id, &bar);
    afxi_case_shape(&builder, id, &stem);
    double moments[3];
    AfxVec3 axes[3];
    afxi_case_principal(&builder, id, moments, axes);
    afxi_case_spin(&builder, id, spin(axes, args->values[OMEGA], args->values[KICK]));
    afxi_case_marker(&builder, id, "tip", (AfxVec3){RADIUS + STEM, 0, 0});
    afxi_case_marker(&builder, id, "bar", (AfxVec3){0, BAR / 2, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_t_handle = {
    .name = "t-handle",
    .summary = "a T spinning about its intermediate axis without gravity: it flips again and again",
    .dt = 0.001,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
