/* SPDX-License-Identifier: Apache-2.0 */
/* An animated gazelle dances on the spot: four legs with their feet on the ground carry the pelvis, which has six
 * freedoms; eight drives, a roll at each ankle and a bend of each knee, move it, two more than it needs. Their targets
 * are the inverse kinematics of the way that the pelvis goes, as formulas. Above it a neck, a head, ears, a tail and
 * shoulders have 14 drives, four loops and seven shells. Sizes are those of the quaternion paper, Tab. 5: 38 bodies, 45
 * joints, 236 constraints with those of 22 drives, of which eight repeat others, and seven loops; the geometry is our
 * own. */
#include "cases/animated.h"
#include "cases/cases.h"

#include <stdio.h>

#define SHIN 0.5   /* m, ankle to knee */
#define THIGH 0.48 /* knee to hip */
#define HEIGHT 0.9 /* of the hips */

enum { TEMPO, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [TEMPO] = {.name = "tempo",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0.5",
               .min = 0.01,
               .max = 10,
               .help = "of the dance, 1/s"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

typedef struct Gazelle {
    AfxiCaseBuilder builder;
    double young, tempo;
} Gazelle;

/* How far the pelvis has gone along an axis: [0] x, [1] y, [2] z. */
static void put_way(const Gazelle *g, int axis, char *out, size_t size) {
    static const double far[3] = {0.03, 0.02, -0.04}, often[3] = {1, 0.5, 2};
    snprintf(out, size, "%.17g * (1 - cos(2 * pi * %.17g * t))", far[axis], often[axis] * g->tempo);
}

static void drive(Gazelle *g, AfxJointId joint, const char *formula) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_POSITION);
    def.joint = joint;
    def.target = (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = formula};
    afxi_case_drive(&g->builder, &def);
}

/* From the ankle, a cross that rolls about x and then pitches, to the knee, to a ball at the hip. `side`: the knee is
 * bent forwards or backwards. */
static void add_leg(Gazelle *g, AfxBodyId pelvis, AfxVec3 ankle, AfxVec3 hip, double side) {
    AfxVec3 d = afxi_case_sub(hip, ankle);
    double roll = atan2(-d.y, d.z), square = afxi_case_dot(d, d), reach = sqrt(square);
    AfxVec3 up = {0, -sin(roll), cos(roll)}, across = {0, cos(roll), sin(roll)};
    double lean = atan2(d.x, afxi_case_dot(d, up));
    double at_ankle = acos((SHIN * SHIN + square - THIGH * THIGH) / (2 * SHIN * reach));
    double bend = acos((SHIN * SHIN + THIGH * THIGH - square) / (2 * SHIN * THIGH)), pitch = lean + side * at_ankle;
    AfxVec3 knee =
        afxi_case_add(ankle, afxi_case_add(afxi_case_scale(SHIN * cos(pitch), up), (AfxVec3){SHIN * sin(pitch), 0, 0}));
    char way[3][96], text[700];
    for (int k = 0; k < 3; ++k) {
        put_way(g, k, way[k], sizeof way[k]);
    }
    AfxBodyId shin = afxi_limb_rod(&g->builder, ankle, knee, 1.5, g->young);
    AfxBodyId thigh = afxi_limb_rod(&g->builder, knee, hip, 3, g->young);
    AfxJointId foot = afxi_case_joint_at(&g->builder, AFX_JOINT_UNIVERSAL, afx_world(), shin,
                                         afxi_case_frame(ankle, (AfxVec3){1, 0, 0}, across));
    AfxJointId bends = afxi_case_joint_at(&g->builder, AFX_JOINT_REVOLUTE, shin, thigh, afx_frame_along(knee, across));
    afxi_case_joint_at(&g->builder, AFX_JOINT_SPHERICAL, thigh, pelvis, afx_frame_along(hip, (AfxVec3){1, 0, 0}));
    snprintf(text, sizeof text, "atan2(-(%.17g + %s), %.17g + %s) - %.17g", d.y, way[1], d.z, way[2], roll);
    drive(g, foot, text);
    snprintf(text, sizeof text,
             "%g * (acos((%.17g - (%.17g + %s)^2 - (%.17g + %s)^2 - (%.17g + %s)^2) / %.17g) - %.17g)", side,
             SHIN * SHIN + THIGH * THIGH, d.x, way[0], d.y, way[1], d.z, way[2], 2 * SHIN * THIGH, bend);
    drive(g, bends, text);
}

static AfxiLimb limb(Gazelle *g, AfxBodyId base, AfxVec3 pivot, AfxVec3 way, AfxVec3 axis, double mass, double sway) {
    AfxiSway how = {sway, g->tempo * (1 + 0.5 * (mass < 1))};
    return afxi_limb_turning(&g->builder, base, pivot, afxi_case_add(pivot, way), axis, mass, how, g->young);
}

static void shell(Gazelle *g, const AfxiLimb *on, AfxVec3 way, double mass) {
    afxi_limb_shell(&g->builder, on->body, on->tip, afxi_case_add(on->tip, way), mass, g->young);
}

/* Spine, neck and head; on the head an ear on each side, a jaw and a brow. */
static void add_front(Gazelle *g, AfxBodyId pelvis, AfxVec3 at) {
    const AfxVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    AfxiLimb chest = limb(g, pelvis, at, (AfxVec3){0.25, 0, 0.1}, y, 6, 0.06);
    AfxiLimb twist = limb(g, chest.body, chest.tip, (AfxVec3){0.1, 0, 0.08}, x, 3, 0.08);
    AfxiLimb neck = limb(g, twist.body, twist.tip, (AfxVec3){0.1, 0, 0.3}, y, 2, -0.15);
    AfxiLimb turn = limb(g, neck.body, neck.tip, (AfxVec3){0.05, 0, 0.1}, z, 0.8, 0.2);
    AfxiLimb head = limb(g, turn.body, turn.tip, (AfxVec3){0.2, 0, -0.02}, y, 1.5, 0.15);
    shell(g, &chest, (AfxVec3){0, 0, 0.1}, 1);
    shell(g, &twist, (AfxVec3){0, 0, 0.1}, 0.6);
    shell(g, &head, (AfxVec3){0.06, 0, 0}, 0.2);
    for (int k = -1; k <= 1; k += 2) {
        AfxVec3 from = afxi_case_add(head.pivot, (AfxVec3){0, 0.06 * k, 0.06}), out = {-0.02, 0.08 * k, 0.06};
        AfxiLimb ear = limb(g, head.body, from, out, x, 0.05, 0.2 * k);
        afxi_limb_beside(&g->builder, AFXI_DYAD_SPACE, &ear, head.body, 0.01, g->young);
        shell(g, &ear, (AfxVec3){0, 0.03 * k, 0.08}, 0.02); /* horns */
    }
    AfxiLimb jaw = limb(g, head.body, afxi_case_add(head.pivot, (AfxVec3){0.05, 0, -0.05}), (AfxVec3){0.12, 0, -0.02},
                        y, 0.3, 0.12);
    afxi_limb_beside(&g->builder, AFXI_DYAD_PLANE, &jaw, head.body, 0.05, g->young);
    shell(g, &jaw, (AfxVec3){0.03, 0, 0}, 0.05);
}

/* Shoulders, and a tail of four, the first of which a rod lifts. */
static void add_rear(Gazelle *g, AfxBodyId pelvis, AfxVec3 at) {
    const AfxVec3 y = {0, 1, 0}, z = {0, 0, 1};
    for (int k = -1; k <= 1; k += 2) {
        limb(g, pelvis, (AfxVec3){at.x + 0.2, 0.15 * k, at.z + 0.1}, (AfxVec3){0.05, 0.08 * k, 0.1}, z, 0.7, 0.15 * k);
    }
    AfxVec3 from = {at.x - 0.35, 0, at.z + 0.05};
    AfxiLimb tail = limb(g, pelvis, from, (AfxVec3){-0.12, 0, 0.02}, y, 0.4, 0.15);
    afxi_limb_beside(&g->builder, AFXI_DYAD_PLANE, &tail, pelvis, 0.1, g->young);
    for (int k = 0; k < 3; ++k) {
        tail = limb(g, tail.body, tail.tip, (AfxVec3){-0.1, 0, 0.01}, k % 2 ? y : z, 0.2 - 0.05 * k, 0.2);
    }
    shell(g, &tail, (AfxVec3){-0.05, 0, 0}, 0.03);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    Gazelle g = {afxi_case_begin(def, (AfxVec3){0, 0, -9.81}), args->values[YOUNG], args->values[TEMPO]};
    AfxVec3 at = {0, 0, HEIGHT + 0.05};
    AfxBodyId pelvis = afxi_limb_rod(&g.builder, (AfxVec3){-0.3, 0, HEIGHT}, (AfxVec3){0.3, 0, HEIGHT}, 12, g.young);
    for (int k = 0; k < 4; ++k) {
        double front = k < 2 ? 1 : -1, left = k % 2 ? -1 : 1;
        AfxVec3 hip = {0.3 * front, 0.15 * left, HEIGHT};
        AfxVec3 ankle = {0.5 * front - 0.03, (0.22 + 0.01 * k) * left, 0};
        add_leg(&g, pelvis, ankle, hip, front);
    }
    add_front(&g, pelvis, at);
    add_rear(&g, pelvis, at);
    afxi_case_marker(&g.builder, pelvis, "pelvis", (AfxVec3){0.3, 0, 0});
    return afxi_case_end(&g.builder, out_scene, out_error);
}

const AfxiCase afxi_case_gazelle = {
    .name = "gazelle",
    .summary = "an animated gazelle dances: 22 drives for 20 degrees of freedom, 8 of them in the legs for 6",
    .dt = 0.01,
    .time = 9.82,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
