/* SPDX-License-Identifier: Apache-2.0 */
/* A net: k x k nodes on a square grid in the x-y plane, a link between any two neighbours, released at rest from the
 * horizontal. Nodes are balls of 2 cm radius; a link has a ball joint at either end, on the rim of the node there. At
 * the rim the four joints of a node have four points, and its rotation matters: pulls turn it until they balance. Were
 * they all at its centre, the ball would be a point to them and its rotation would be nothing's affair.
 *
 * k² + 2k(k - 1) bodies, 4k(k - 1) ball joints with 12k(k - 1) rows; (k - 1)² loops. What holds the net is nodes that
 * are fixed bodies: the k nodes at x = 0, or the four corners. Links between two fixed nodes cannot move, but spin. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

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

static bool held(int what, uint32_t i, uint32_t j, uint32_t size) {
    return what == SIDE ? i == 0 : (i == 0 || i == size - 1) && (j == 0 || j == size - 1);
}

/* Node (i, j) becomes body i k + j. */
static void add_nodes(AfxiCaseBuilder *builder, const AfxiCaseArguments *args) {
    uint32_t size = (uint32_t)args->values[SIZE];
    AfxShapeDef ball = afx_default_sphere(NODE_RADIUS);
    AfxBodyDef node = afx_default_body();
    node.young = args->values[YOUNG];
    for (uint32_t i = 0; i < size; ++i) {
        for (uint32_t j = 0; j < size && builder->status == AFX_OK; ++j) {
            node.kind = held((int)args->values[HELD], i, j, size) ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
            node.pose.position = (AfxVec3){PITCH * i, PITCH * j, 0};
            AfxBodyId id = afxi_case_body(builder, &node);
            afxi_case_shape(builder, id, &ball);
        }
    }
}

/* The link from node (i, j) to its neighbour along `along`, a unit vector of the grid. */
static void add_link(AfxiCaseBuilder *builder, const AfxiCaseArguments *args, uint32_t i, uint32_t j, AfxVec3 along) {
    const AfxVec3 end = {AFXI_CASE_LINK_LENGTH / 2, 0, 0};
    uint32_t size = (uint32_t)args->values[SIZE];
    uint32_t from = i * size + j, to = along.x > 0 ? from + size : from + 1;
    AfxVec3 start = {PITCH * i, PITCH * j, 0};
    AfxPose rim = afx_frame_along(afxi_case_scale(NODE_RADIUS, along), along);
    AfxPose opposite = {afxi_case_scale(-NODE_RADIUS, along), rim.rotation};
    AfxPose first = {afxi_case_scale(-1, end), {1, 0, 0, 0}}, last = {end, {1, 0, 0, 0}};
    AfxShapeDef rod = afxi_case_rod(first.position, end, AFXI_CASE_LINK_RADIUS);
    AfxBodyDef link = afx_default_body();
    link.young = args->values[YOUNG];
    link.pose = (AfxPose){afxi_case_add(start, afxi_case_scale(PITCH / 2, along)), rim.rotation};
    AfxBodyId id = afxi_case_body(builder, &link);
    afxi_case_shape(builder, id, &rod);
    afxi_case_joint_between(builder, AFX_JOINT_SPHERICAL, afx_scene_body(builder->scene, from), rim, id, first);
    afxi_case_joint_between(builder, AFX_JOINT_SPHERICAL, id, last, afx_scene_body(builder->scene, to), opposite);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t size = (uint32_t)args->values[SIZE];
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    add_nodes(&builder, args);
    for (uint32_t i = 0; i < size; ++i) {
        for (uint32_t j = 0; j < size && builder.status == AFX_OK; ++j) {
            if (i + 1 < size) {
                add_link(&builder, args, i, j, (AfxVec3){1, 0, 0});
            }
            if (j + 1 < size) {
                add_link(&builder, args, i, j, (AfxVec3){0, 1, 0});
            }
        }
    }
    uint32_t middle = size / 2 * size + size / 2, corner = size * size - 1;
    afxi_case_marker(&builder, afx_scene_body(builder.scene, corner), "corner", (AfxVec3){0, 0, 0});
    afxi_case_marker(&builder, afx_scene_body(builder.scene, middle), "middle", (AfxVec3){0, 0, 0});
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
