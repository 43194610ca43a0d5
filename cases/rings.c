/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of interlocked rings between two hinges: meshes that are not convex, one through the other, and exact joints
 * at both ends. Only contact without intersections keeps it together. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define RADIUS 0.1                      /* m, of the middle line of a ring */
#define TUBE 0.02                       /* m */
#define AROUND 16u                      /* sections of a ring */
#define SIDES 6u                        /* of a section */
#define PITCH (2 * RADIUS - 2.4 * TUBE) /* from ring to ring */
#define DENSITY 2000.0

enum { RINGS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [RINGS] =
        {.name = "rings", .kind = AFXI_CASE_INTEGER, .fallback = "7", .min = 2, .max = 1000, .help = "in the chain"},
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t rings = (uint32_t)args->values[RINGS];
    double vertices[3 * AROUND * SIDES];
    uint32_t triangles[6 * AROUND * SIDES];
    afxi_case_torus(RADIUS, TUBE, AROUND, SIDES, vertices, triangles);
    AfxShapeDef mesh = afx_default_mesh(vertices, AROUND * SIDES, triangles, 2 * AROUND * SIDES);
    mesh.density = DENSITY;
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    for (uint32_t k = 0; k < rings && builder.status == AFX_OK; ++k) { /* flat and upright in turn */
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){k * PITCH, 0, 0};
        body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, k % 2 ? 0.5 * AFXI_CASE_PI : 0);
        AfxBodyId ring = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, ring, &mesh);
        if (k == 0 || k + 1 == rings) {
            double x = k * PITCH + (k ? RADIUS : -RADIUS);
            afxi_case_joint_at(&builder, AFX_JOINT_REVOLUTE, afx_world(), ring,
                               afx_frame_along((AfxVec3){x, 0, 0}, (AfxVec3){0, 1, 0}));
        }
        if (k == rings / 2) {
            afxi_case_marker(&builder, ring, "middle", (AfxVec3){0, 0, 0});
        }
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_rings = {
    .name = "rings",
    .summary = "a chain of interlocked rings between two hinges; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
