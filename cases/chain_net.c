/* SPDX-License-Identifier: Apache-2.0 */
/* A net of interlocked rings (after Fig. 4 of affine body dynamics, 2022): k x k flat rings, and an upright one through
 * each two neighbours. Its corners hang on ball joints, and a ball may fall into it. Nothing but contact holds the
 * rings together: the centres of two that are linked are never further apart than two radii. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define RADIUS 0.1 /* m, of the middle line of a ring */
#define TUBE 0.02  /* m */
#define AROUND 12u /* sections of a ring */
#define SIDES 4u   /* of a section */
#define PITCH (2 * RADIUS - 2.4 * TUBE)
#define DENSITY 2000.0

enum { K, BALL, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [K] = {.name = "k", .kind = AFXI_CASE_INTEGER, .fallback = "3", .min = 2, .max = 100, .help = "flat rings a side"},
    [BALL] = {.name = "ball",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0",
              .min = 0,
              .max = 10,
              .help = "m, radius of a ball that falls into it; 0: none"},
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* A ring at a place, turned by a right angle about an axis. */
static AfxBodyId add_ring(AfxiCaseBuilder *builder, const AfxShapeDef *mesh, AfxVec3 place, AfxVec3 axis,
                          double young) {
    AfxBodyDef body = afx_default_body();
    body.young = young;
    body.pose.position = place;
    if (axis.x != 0 || axis.y != 0) {
        body.pose.rotation = afx_quat_from_axis_angle(axis, 0.5 * AFXI_CASE_PI);
    }
    AfxBodyId ring = afxi_case_body(builder, &body);
    afxi_case_shape(builder, ring, mesh);
    return ring;
}

static void add_ball(AfxiCaseBuilder *builder, uint32_t k, double radius, double young) {
    AfxShapeDef shape = afx_default_sphere(radius);
    AfxBodyDef body = afx_default_body();
    shape.density = DENSITY;
    body.young = young;
    body.pose.position = (AfxVec3){(k - 1) * PITCH, (k - 1) * PITCH, radius + 1.5 * RADIUS};
    AfxBodyId ball = afxi_case_body(builder, &body);
    afxi_case_shape(builder, ball, &shape);
    afxi_case_marker(builder, ball, "ball", (AfxVec3){0, 0, 0});
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t k = (uint32_t)args->values[K], last = k - 1;
    double vertices[3 * AROUND * SIDES], young = args->values[YOUNG];
    uint32_t triangles[6 * AROUND * SIDES];
    afxi_case_torus(RADIUS, TUBE, AROUND, SIDES, vertices, triangles);
    AfxShapeDef mesh = afx_default_mesh(vertices, AROUND * SIDES, triangles, 2 * AROUND * SIDES);
    mesh.density = DENSITY;
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    for (uint32_t n = 0; n < k * k && builder.status == AFX_OK; ++n) {
        uint32_t i = n % k, j = n / k;
        AfxVec3 place = {2 * i * PITCH, 2 * j * PITCH, 0};
        AfxBodyId flat = add_ring(&builder, &mesh, place, (AfxVec3){0, 0, 0}, young);
        if (i < last) {
            add_ring(&builder, &mesh, afxi_case_add(place, (AfxVec3){PITCH, 0, 0}), (AfxVec3){1, 0, 0}, young);
        }
        if (j < last) {
            add_ring(&builder, &mesh, afxi_case_add(place, (AfxVec3){0, PITCH, 0}), (AfxVec3){0, 1, 0}, young);
        }
        if ((i == 0 || i == last) && (j == 0 || j == last)) {
            AfxPose corner = afx_pose_identity();
            corner.position = afxi_case_add(place, (AfxVec3){i ? RADIUS : -RADIUS, 0, 0});
            afxi_case_joint_at(&builder, AFX_JOINT_SPHERICAL, afx_world(), flat, corner);
        }
        if (n == k * k / 2) {
            afxi_case_marker(&builder, flat, "middle", (AfxVec3){0, 0, 0});
        }
    }
    if (args->values[BALL] > 0) {
        add_ball(&builder, k, args->values[BALL], young);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_chain_net = {
    .name = "chain-net",
    .summary = "a net of interlocked rings that hangs on its corners; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
