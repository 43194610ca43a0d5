/* SPDX-License-Identifier: Apache-2.0 */
/* A cloak: a net of the kind of net.c, closed around and worn by a figure that moves. The figure is one kinematic body
 * of capsules (shoulders, trunk, two arms and two legs), which from rest sways sideways and turns to and fro about the
 * vertical. Every node of the first row, a circle about the shoulders, hangs from the figure by a ball joint; no links
 * lie along that row, where they could not move. The rest hangs from it. Nodes and links touch the figure without
 * friction, not each other.
 *
 * With c nodes around and r rows there are cr nodes, c(r - 1) links around and as many down: c(3r - 2) bodies. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/weave.h"

#define PITCH 0.02 /* m between nodes */
#define NODE_RADIUS 0.004
#define LINK_RADIUS 0.002

enum { AROUND, ROWS, SWAY, TURN, YOUNG };
enum { NET = 1, FIGURE = 2 }; /* groups */

static const AfxiCaseParameter parameters[] = {
    [AROUND] = {.name = "around",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "125",
                .min = 60,
                .max = 5000,
                .help = "nodes of a row; the figure grows with it"},
    [ROWS] = {.name = "rows", .kind = AFXI_CASE_INTEGER, .fallback = "32", .min = 2, .max = 5000, .help = "of nodes"},
    [SWAY] = {.name = "sway",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0.1",
              .min = 0,
              .max = 10,
              .help = "amplitude of the figure's way sideways, m"},
    [TURN] = {.name = "turn",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0.5",
              .min = 0,
              .max = 3,
              .help = "amplitude of its turn, rad"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

/* The radius of the circle that a row of nodes is on. */
static double ring_radius(const AfxiCaseArguments *args) {
    return PITCH / (2 * sin(AFXI_CASE_PI / args->values[AROUND]));
}

static AfxVec3 place(const void *context, uint32_t column, uint32_t row) {
    const AfxiCaseArguments *args = context;
    double angle = 2 * AFXI_CASE_PI * column / args->values[AROUND], radius = ring_radius(args);
    return (AfxVec3){radius * cos(angle), radius * sin(angle), -PITCH * row};
}

static void add_limb(AfxiCaseBuilder *builder, AfxBodyId figure, AfxVec3 from, AfxVec3 to, double radius) {
    AfxShapeDef limb = afxi_case_rod(from, to, radius);
    limb.contact_group = FIGURE;
    limb.contact_mask = NET;
    afxi_case_shape(builder, figure, &limb);
}

/* In proportion to the circle of radius r about its neck, at the origin. */
static AfxBodyId add_figure(AfxiCaseBuilder *builder, const AfxiCaseArguments *args) {
    double r = ring_radius(args);
    AfxBodyDef body = afx_default_body();
    body.name = "figure";
    body.kind = AFX_BODY_KINEMATIC;
    body.motion.translation[1] = (AfxSignal){
        .kind = AFX_SIGNAL_SINE, .coefficients = {-args->values[SWAY], args->values[SWAY], 0.7, AFXI_CASE_PI / 2}};
    body.motion.axis = (AfxVec3){0, 0, 1};
    body.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_SINE,
                                    .coefficients = {-args->values[TURN], args->values[TURN], 0.5, AFXI_CASE_PI / 2}};
    AfxBodyId figure = afxi_case_body(builder, &body);
    add_limb(builder, figure, (AfxVec3){0, -0.35 * r, -0.6 * r}, (AfxVec3){0, 0.35 * r, -0.6 * r}, 0.5 * r);
    add_limb(builder, figure, (AfxVec3){0, 0, -0.6 * r}, (AfxVec3){0, 0, -2.2 * r}, 0.55 * r);
    for (int side = -1; side <= 1; side += 2) {
        add_limb(builder, figure, (AfxVec3){0, side * 0.6 * r, -0.7 * r}, (AfxVec3){0.3 * r, side * 0.75 * r, -2.2 * r},
                 0.15 * r);
        add_limb(builder, figure, (AfxVec3){0, side * 0.3 * r, -2.2 * r}, (AfxVec3){0, side * 0.35 * r, -5 * r},
                 0.2 * r);
    }
    return figure;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiWeave weave = {.columns = (uint32_t)args->values[AROUND],
                       .rows = (uint32_t)args->values[ROWS],
                       .ring = true,
                       .bare = 1,
                       .pitch = PITCH,
                       .node_radius = NODE_RADIUS,
                       .link_radius = LINK_RADIUS,
                       .young = args->values[YOUNG],
                       .contact_group = NET,
                       .contact_mask = FIGURE,
                       .place = place,
                       .context = args};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, 0);
    uint32_t first = afxi_weave_add(&builder, &weave);
    AfxBodyId figure = add_figure(&builder, args);
    for (uint32_t k = 0; k < weave.columns && builder.status == AFX_OK; ++k) {
        AfxPose frame = {place(args, k, 0), {1, 0, 0, 0}};
        afxi_case_joint_at(&builder, AFX_JOINT_SPHERICAL, figure, afxi_weave_node(&builder, &weave, first, k, 0),
                           frame);
    }
    AfxBodyId hem = afxi_weave_node(&builder, &weave, first, 0, weave.rows - 1);
    afxi_case_marker(&builder, hem, "hem", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_cloak = {
    .name = "cloak",
    .summary = "a net worn by a moving figure as a cloak",
    .dt = 0.01,
    .time = 4,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
