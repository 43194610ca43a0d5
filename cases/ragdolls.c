/* SPDX-License-Identifier: Apache-2.0 */
/* Ragdolls that fall onto a net. The net is that of net.c, 20 x 20 nodes held by its four corners: 1,160 bodies. A
 * ragdoll is eleven capsules (pelvis, chest, head, and two of each limb) on ten ball joints with springs and dampers
 * against bending and twisting. They start in layers of a square grid above the net, upright with their arms forward,
 * turned about the vertical at random. Ragdolls touch the net, each other and themselves, but for parts that share a
 * joint; the net does not touch itself. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/random.h"
#include "cases/weave.h"

#define NODE_RADIUS 0.02
#define PITCH (AFXI_CASE_LINK_LENGTH + 2 * NODE_RADIUS) /* m between nodes */
#define SPACING 0.85                                    /* m between ragdolls of a layer */
#define LAYER 1.5                                       /* m between layers */
#define DROP 0.8                                        /* m from the net to the first layer's pelvises */
#define RELAXATION 0.02                                 /* s: damping by stiffness of the joints */

enum { COUNT, NODES, BENDING, FRICTION, YOUNG, SEED };
enum { DOLLS = 1, NET = 2 }; /* groups */

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "count", .kind = AFXI_CASE_INTEGER, .fallback = "27", .min = 1, .max = 1e5, .help = "of ragdolls"},
    [NODES] = {.name = "k",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "20",
               .min = 2,
               .max = 5000,
               .help = "nodes on each side of the net"},
    [BENDING] = {.name = "stiffness",
                 .kind = AFXI_CASE_NUMBER,
                 .fallback = "5",
                 .min = 1e-3,
                 .max = 1e6,
                 .help = "of a ragdoll's joints against bending and twisting, Nm/rad"},
    [FRICTION] = {.name = "friction",
                  .kind = AFXI_CASE_NUMBER,
                  .fallback = "0.3",
                  .min = 0,
                  .max = 1e3,
                  .help = "coefficient of friction"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
    [SEED] = AFXI_CASE_SEED,
};

/* A part of a ragdoll in its own frame, z up, arms along x: a capsule, and the joint to an earlier part. */
typedef struct Part {
    int base; /* the earlier part; -1: none */
    AfxVec3 joint, from, to;
    double radius;
} Part;

enum { PARTS = 11 };
static const Part ragdoll[PARTS] = {
    {-1, {0, 0, 0}, {0, -0.06, 0}, {0, 0.06, 0}, 0.08},                       /* pelvis */
    {0, {0, 0, 0.1}, {0, 0, 0.18}, {0, 0, 0.36}, 0.09},                       /* chest */
    {1, {0, 0, 0.48}, {0, 0, 0.58}, {0, 0, 0.66}, 0.08},                      /* head */
    {1, {0.02, 0.13, 0.38}, {0.04, 0.13, 0.38}, {0.18, 0.13, 0.38}, 0.04},    /* upper arms and forearms */
    {3, {0.2, 0.13, 0.38}, {0.22, 0.13, 0.38}, {0.34, 0.13, 0.38}, 0.035},    /* */
    {1, {0.02, -0.13, 0.38}, {0.04, -0.13, 0.38}, {0.18, -0.13, 0.38}, 0.04}, /* */
    {5, {0.2, -0.13, 0.38}, {0.22, -0.13, 0.38}, {0.34, -0.13, 0.38}, 0.035}, /* */
    {0, {0, 0.08, -0.07}, {0, 0.08, -0.1}, {0, 0.08, -0.3}, 0.05},            /* thighs and shins */
    {7, {0, 0.08, -0.33}, {0, 0.08, -0.36}, {0, 0.08, -0.56}, 0.04},          /* */
    {0, {0, -0.08, -0.07}, {0, -0.08, -0.1}, {0, -0.08, -0.3}, 0.05},         /* */
    {9, {0, -0.08, -0.33}, {0, -0.08, -0.36}, {0, -0.08, -0.56}, 0.04},       /* */
};

static double width(const AfxiCaseArguments *args) {
    return PITCH * (args->values[NODES] - 1);
}

static AfxVec3 place(const void *context, uint32_t column, uint32_t row) {
    const AfxiCaseArguments *args = context;
    return (AfxVec3){PITCH * column - width(args) / 2, PITCH * row - width(args) / 2, 0};
}

static bool held(const void *context, uint32_t i, uint32_t j) {
    const AfxiCaseArguments *args = context;
    uint32_t last = (uint32_t)args->values[NODES] - 1;
    return (i == 0 || i == last) && (j == 0 || j == last);
}

static AfxVec3 in_world(AfxPose pose, AfxVec3 point) {
    return afxi_case_add(pose.position, afx_quat_rotate(pose.rotation, point));
}

/* Adds a ragdoll whose pelvis is at the pose; its pelvis comes back. */
static AfxBodyId add_ragdoll(AfxiCaseBuilder *builder, const AfxiCaseArguments *args, AfxPose pose) {
    AfxBodyId parts[PARTS] = {{0, 0}};
    double stiffness = args->values[BENDING];
    AfxBodyDef body = afx_default_body();
    body.young = args->values[YOUNG];
    for (int k = 0; k < PARTS && builder->status == AFX_OK; ++k) {
        const Part *part = &ragdoll[k];
        AfxVec3 along = afx_quat_rotate(pose.rotation, afxi_case_sub(part->to, part->from));
        AfxVec3 half = {0.5 * sqrt(afxi_case_dot(along, along)), 0, 0};
        AfxShapeDef rod = afxi_case_rod(afxi_case_scale(-1, half), half, part->radius);
        rod.contact_group = DOLLS;
        rod.contact_mask = DOLLS | NET;
        body.pose = afx_frame_along(in_world(pose, afxi_case_middle(part->from, part->to)), along);
        parts[k] = afxi_case_body(builder, &body);
        afxi_case_shape(builder, parts[k], &rod);
        if (part->base >= 0) {
            AfxPose joint = afx_frame_along(in_world(pose, part->joint), along);
            afxi_case_springy_ball(builder, parts[part->base], parts[k], joint, stiffness, stiffness, RELAXATION);
        }
    }
    return parts[0];
}

/* The start of ragdoll k: 3 x 3 of a layer, from the middle of the net. */
static AfxPose start(uint32_t k, double turn) {
    uint32_t layer = k / 9, cell = k % 9;
    AfxPose pose = {{SPACING * ((double)(cell % 3) - 1), SPACING * ((double)(cell / 3) - 1), DROP + LAYER * layer},
                    {cos(turn / 2), 0, 0, sin(turn / 2)}};
    return pose;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t size = (uint32_t)args->values[NODES], count = (uint32_t)args->values[COUNT];
    AfxiCaseRandom random = {(uint64_t)args->values[SEED]};
    AfxiWeave weave = {.columns = size,
                       .rows = size,
                       .pitch = PITCH,
                       .node_radius = NODE_RADIUS,
                       .link_radius = AFXI_CASE_LINK_RADIUS,
                       .young = args->values[YOUNG],
                       .contact_group = NET,
                       .place = place,
                       .held = held,
                       .context = args};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    uint32_t first = afxi_weave_add(&builder, &weave);
    AfxBodyId middle = afxi_weave_node(&builder, &weave, first, size / 2, size / 2);
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        AfxBodyId pelvis = add_ragdoll(&builder, args, start(k, afxi_case_random_number(&random, -0.25, 0.25)));
        if (k == 0) {
            afxi_case_marker(&builder, pelvis, "first", (AfxVec3){0, 0, 0});
        }
    }
    afxi_case_marker(&builder, middle, "middle", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_ragdolls = {
    .name = "ragdolls",
    .summary = "ragdolls fall onto a net that is held by its corners",
    .dt = 0.005,
    .time = 3,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
