/* SPDX-License-Identifier: Apache-2.0 */
/* Trefoil knots with spikes that fall into a field of spikes (in place of the dragons of Fig. 9 of affine body
 * dynamics, 2022): meshes that no convex pieces stand for hang in each other. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define RADIUS 0.07 /* m, of the knot */
#define TUBE 0.014
#define SPIKE 2.2 /* tubes, from the middle line to the tip of a spike */
#define AROUND 30u
#define SIDES 4u
#define EVERY 5u /* sections from spike to spike */
#define PITCH 0.16
#define DENSITY 2000.0

enum { KNOTS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [KNOTS] = {.name = "knots", .kind = AFXI_CASE_INTEGER, .fallback = "3", .min = 1, .max = 500, .help = "that fall"},
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static AfxVec3 curve(double s) {
    return (AfxVec3){RADIUS * (sin(s) + 2 * sin(2 * s)) / 2, RADIUS * (cos(s) - 2 * cos(2 * s)) / 2,
                     -RADIUS * sin(3 * s) / 1.5};
}

static void put_knot(double *vertices, uint32_t *triangles) {
    for (uint32_t k = 0; k < AROUND * SIDES; ++k) {
        uint32_t section = k / SIDES, side = k % SIDES, next = (section + 1) % AROUND, up = (side + 1) % SIDES;
        double s = 2 * AFXI_CASE_PI * section / AROUND, turn = 2 * AFXI_CASE_PI * side / SIDES;
        AfxVec3 middle = curve(s), along = afxi_case_unit(afxi_case_sub(curve(s + 1e-4), curve(s - 1e-4)));
        AfxVec3 x = afxi_case_unit(afxi_case_cross((AfxVec3){0, 0, 1}, along)), y = afxi_case_cross(along, x);
        double reach = section % EVERY == 0 && side == section / EVERY % SIDES ? SPIKE * TUBE : TUBE;
        AfxVec3 out = afxi_case_add(afxi_case_scale(reach * cos(turn), x), afxi_case_scale(reach * sin(turn), y));
        vertices[3 * k] = middle.x + out.x;
        vertices[3 * k + 1] = middle.y + out.y;
        vertices[3 * k + 2] = middle.z + out.z;
        afxi_case_quad(k, section * SIDES + up, next * SIDES + up, next * SIDES + side, triangles + 6 * k);
    }
}

static void add_field(AfxiCaseBuilder *builder) {
    static const double spike[15] = {-0.03, -0.03, 0, 0.03, -0.03, 0, 0.03, 0.03, 0, -0.03, 0.03, 0, 0, 0, 0.15};
    AfxShapeDef cone = afx_default_convex(spike, 5);
    for (int k = 0; k < 16; ++k) {
        AfxBodyDef body = afx_default_body();
        body.kind = AFX_BODY_FIXED;
        body.pose.position = (AfxVec3){(k % 4 - 1.5) * 0.1, (k / 4 - 1.5) * 0.1, 0};
        afxi_case_shape(builder, afxi_case_body(builder, &body), &cone);
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t knots = (uint32_t)args->values[KNOTS];
    double vertices[3 * AROUND * SIDES];
    uint32_t triangles[6 * AROUND * SIDES];
    put_knot(vertices, triangles);
    AfxShapeDef mesh = afx_default_mesh(vertices, AROUND * SIDES, triangles, 2 * AROUND * SIDES);
    mesh.density = DENSITY;
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, afx_pose_identity());
    add_field(&builder);
    for (uint32_t k = 0; k < knots && builder.status == AFX_OK; ++k) {
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){0.02 * (k % 3), 0.015 * (k % 2), 0.24 + PITCH * k};
        body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, 0.7 * k);
        AfxBodyId knot = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, knot, &mesh);
        if (k == 0) {
            afxi_case_marker(&builder, knot, "lowest", (AfxVec3){0, 0, 0});
        }
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_spiked_knots = {
    .name = "spiked-knots",
    .summary = "knots with spikes that fall onto spikes; for barrier contact",
    .dt = 0.01,
    .time = 1,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
