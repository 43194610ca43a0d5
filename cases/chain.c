/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of capsules whose first link is joined to the world at the origin, released at rest. Joints are 0.1 m
 * apart, at the two ends of the capsules' cylindrical parts. Straight: along x. Zigzag: links 45 degrees up and down
 * by turns. Coil: a helix about a vertical axis, twelve links a turn. The last link may be heavier than the rest, by
 * density. Hinges turn about the normal of the two links that they join (y where these are in line); universal joints
 * about that and then about a second axis, across the link that follows. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define ZIGZAG (45 * AFXI_CASE_DEGREE)
#define COIL_TURN (30 * AFXI_CASE_DEGREE) /* about the axis, per link */
#define COIL_DROP 0.004                   /* m per link; 48 mm a turn */

enum { COUNT, END_MASS, START, JOINT, YOUNG };
enum { STRAIGHT, ZIGZAGGED, COILED };

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "n", .kind = AFXI_CASE_INTEGER, .fallback = "100", .min = 1, .max = 1e8, .help = "number of links"},
    [END_MASS] = {.name = "end_mass",
                  .kind = AFXI_CASE_NUMBER,
                  .fallback = "1",
                  .min = 1e-6,
                  .max = 1e9,
                  .help = "mass of the last link, in masses of the others"},
    [START] = {.name = "start",
               .kind = AFXI_CASE_CHOICE,
               .fallback = "straight",
               .choices = {"straight", "zigzag", "coil"},
               .help = "how the chain lies when it is released: along x, folded along x, or as a helix"},
    [JOINT] = {.name = "joint",
               .kind = AFXI_CASE_CHOICE,
               .fallback = "ball",
               .choices = {"ball", "hinge", "universal"},
               .help = "the joints, also that of the first link to the world"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

/* Where joint k is: k = 0 is at the origin, joint k begins link k. */
static AfxVec3 node(int start, double k) {
    const double length = AFXI_CASE_LINK_LENGTH;
    if (start == ZIGZAGGED) {
        bool up = fmod(k, 2) != 0;
        return (AfxVec3){k * length * cos(ZIGZAG), 0, up ? length * sin(ZIGZAG) : 0};
    }
    if (start == COILED) {
        double radius = sqrt(length * length - COIL_DROP * COIL_DROP) / (2 * sin(COIL_TURN / 2));
        double angle = COIL_TURN * fmod(k, 12);
        return (AfxVec3){radius * (1 - cos(angle)), radius * sin(angle), -k * COIL_DROP};
    }
    return (AfxVec3){k * length, 0, 0};
}

/* The frame of joint k: x across the two links, y across the second one. */
static AfxPose joint_frame(int start, double k) {
    AfxVec3 along = afxi_case_sub(node(start, k + 1), node(start, k));
    AfxVec3 across = {0, 1, 0};
    if (start == COILED) {
        AfxVec3 before = k > 0 ? afxi_case_sub(node(start, k), node(start, k - 1)) : (AfxVec3){0, 0, 1};
        across = afxi_case_unit(afxi_case_cross(before, along));
    }
    return afxi_case_frame(node(start, k), across, afxi_case_cross(along, across));
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    static const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_REVOLUTE, AFX_JOINT_UNIVERSAL};
    const AfxVec3 end = {AFXI_CASE_LINK_LENGTH / 2, 0, 0};
    uint32_t count = (uint32_t)args->values[COUNT];
    int start = (int)args->values[START];
    AfxJointKind kind = kinds[(int)args->values[JOINT]];
    AfxShapeDef rod = afxi_case_rod(afxi_case_scale(-1, end), end, AFXI_CASE_LINK_RADIUS);
    AfxBodyDef link = afx_default_body();
    link.young = args->values[YOUNG];
    AfxBodyId before = afx_world();

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        AfxVec3 from = node(start, k), to = node(start, k + 1.0);
        link.pose = afx_frame_along(afxi_case_middle(from, to), afxi_case_sub(to, from));
        rod.density *= k + 1 == count ? args->values[END_MASS] : 1;
        AfxBodyId id = afxi_case_body(&builder, &link);
        afxi_case_shape(&builder, id, &rod);
        afxi_case_joint_at(&builder, kind, before, id, joint_frame(start, k));
        before = id;
    }
    afxi_case_marker(&builder, before, "tip", end);
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_chain = {
    .name = "chain",
    .summary = "a chain of 0.1 m capsules hanging from the world, perhaps with a heavy last link",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
