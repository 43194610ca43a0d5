/* SPDX-License-Identifier: Apache-2.0 */
/* A net: k x k nodes on a square grid in the x-y plane, a link between any two neighbours, released at rest from the
 * horizontal. Nodes are balls of 2 cm radius; a link has a ball joint at either end, on the rim of the node there. At
 * the rim the four joints of a node have four points, and its rotation matters: pulls turn it until they balance. Were
 * they all at its centre, the ball would be a point to them and its rotation would be nothing's affair.
 *
 * k² + 2k(k - 1) bodies, 4k(k - 1) ball joints with 12k(k - 1) rows; (k - 1)² loops. What holds the net is nodes that
 * are fixed bodies: the k nodes at x = 0, or the four corners. Links between two fixed nodes cannot move, but spin. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/weave.h"

#define NODE_RADIUS 0.02
#define PITCH (AFXI_CASE_LINK_LENGTH + 2 * NODE_RADIUS) /* m between nodes */

enum { SIZE, HELD, YOUNG };
enum { SIDE, CORNERS };

static const AfxiCaseParameter parameters[] = {
    [SIZE] =
        {.name = "k", .kind = AFXI_CASE_INTEGER, .fallback = "10", .min = 2, .max = 5000, .help = "nodes on each side"},
    [HELD] = {.name = "fixed",
              .kind = AFXI_CASE_CHOICE,
              .fallback = "side",
              .choices = {"side", "corners"},
              .help = "the nodes that hold the net: those of one side, or the four corners"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxVec3 place(const void *context, uint32_t column, uint32_t row) {
    (void)context;
    return (AfxVec3){PITCH * column, PITCH * row, 0};
}

static bool held(const void *context, uint32_t i, uint32_t j) {
    const AfxiCaseArguments *args = context;
    uint32_t last = (uint32_t)args->values[SIZE] - 1;
    return args->values[HELD] == SIDE ? i == 0 : (i == 0 || i == last) && (j == 0 || j == last);
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
                       .contact_group = 1,
                       .contact_mask = 1,
                       .place = place,
                       .held = held,
                       .context = args};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    uint32_t first = afxi_weave_add(&builder, &weave);
    AfxBodyId corner = afxi_weave_node(&builder, &weave, first, size - 1, size - 1);
    AfxBodyId middle = afxi_weave_node(&builder, &weave, first, size / 2, size / 2);
    afxi_case_marker(&builder, corner, "corner", (AfxVec3){0, 0, 0});
    afxi_case_marker(&builder, middle, "middle", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_net = {
    .name = "net",
    .summary = "a net of k x k nodes and the links between them, held at one side or by its corners",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
