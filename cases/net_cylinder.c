/* SPDX-License-Identifier: Apache-2.0 */
/* A net that falls flat onto a horizontal cylinder and drapes over it: the net of net.c, held by nothing, k x k nodes
 * centred above a fixed cylinder along y that reaches beyond it on both sides. Nodes and links touch the cylinder, not
 * each other. The net is let go at rest a gap above the cylinder's top. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/weave.h"

#define NODE_RADIUS 0.02
#define PITCH (AFXI_CASE_LINK_LENGTH + 2 * NODE_RADIUS) /* m between nodes */
#define OVERHANG 0.5                                    /* m of the cylinder beyond the net */

enum { SIZE, RADIUS, GAP, FRICTION, YOUNG };
enum { NET = 1, COLLIDER = 2 }; /* groups */

static const AfxiCaseParameter parameters[] = {
    [SIZE] =
        {.name = "k", .kind = AFXI_CASE_INTEGER, .fallback = "10", .min = 2, .max = 5000, .help = "nodes on each side"},
    [RADIUS] = {.name = "radius",
                .kind = AFXI_CASE_NUMBER,
                .fallback = "0.25",
                .min = 0.01,
                .max = 1e3,
                .help = "of the cylinder, m"},
    [GAP] = {.name = "gap",
             .kind = AFXI_CASE_NUMBER,
             .fallback = "0.1",
             .min = 0,
             .max = 1e3,
             .help = "between the cylinder's top and the nodes at the start, m"},
    [FRICTION] = {.name = "friction",
                  .kind = AFXI_CASE_NUMBER,
                  .fallback = "0.5",
                  .min = 0,
                  .max = 1e3,
                  .help = "coefficient of friction"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static double width(const AfxiCaseArguments *args) {
    return PITCH * (args->values[SIZE] - 1);
}

static AfxVec3 place(const void *context, uint32_t column, uint32_t row) {
    const AfxiCaseArguments *args = context;
    return (AfxVec3){PITCH * column - width(args) / 2, PITCH * row - width(args) / 2,
                     args->values[RADIUS] + args->values[GAP] + NODE_RADIUS};
}

static void add_cylinder(AfxiCaseBuilder *builder, const AfxiCaseArguments *args) {
    AfxShapeDef cylinder = afx_default_cylinder(args->values[RADIUS], width(args) + 2 * OVERHANG);
    AfxBodyDef body = afx_default_body();
    body.name = "cylinder";
    body.kind = AFX_BODY_FIXED;
    cylinder.pose.rotation = (AfxQuat){sqrt(0.5), sqrt(0.5), 0, 0}; /* its z along -y */
    cylinder.contact_group = COLLIDER;
    cylinder.contact_mask = NET;
    AfxBodyId id = afxi_case_body(builder, &body);
    afxi_case_shape(builder, id, &cylinder);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t size = (uint32_t)args->values[SIZE];
    AfxiWeave weave = {.columns = size,
                       .rows = size,
                       .pitch = PITCH,
                       .node_radius = NODE_RADIUS,
                       .link_radius = AFXI_CASE_LINK_RADIUS,
                       .young = args->values[YOUNG],
                       .contact_group = NET,
                       .contact_mask = COLLIDER,
                       .place = place,
                       .context = args};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    uint32_t first = afxi_weave_add(&builder, &weave);
    add_cylinder(&builder, args);
    AfxBodyId corner = afxi_weave_node(&builder, &weave, first, size - 1, size - 1);
    AfxBodyId middle = afxi_weave_node(&builder, &weave, first, size / 2, size / 2);
    afxi_case_marker(&builder, corner, "corner", (AfxVec3){0, 0, 0});
    afxi_case_marker(&builder, middle, "middle", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_net_cylinder = {
    .name = "net-cylinder",
    .summary = "a net that falls onto a cylinder and drapes over it",
    .dt = 1.0 / 30,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
