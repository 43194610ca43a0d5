/* SPDX-License-Identifier: Apache-2.0 */
/* An animated figure of a human on a stand: trunk, head, arms, and hands of five fingers whose outer phalanges rods
 * bend along, with rockers of the linkages that would carry its motors beside the limbs, and shells over them. Sizes
 * are those of the quaternion paper, Tab. 5: 151 bodies from 0.3 g to 49.2 kg, 198 joints, 982 constraints with those
 * of 27 drives, of which 76 repeat others, and 47 loops; the geometry is our own. */
#include "cases/animated.h"
#include "cases/cases.h"

enum { TEMPO, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [TEMPO] = {.name = "tempo",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0.4",
               .min = 0.01,
               .max = 10,
               .help = "of the motion, 1/s"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

typedef struct Figure {
    AfxiCaseBuilder builder;
    double young, tempo;
    uint32_t limbs; /* so far: each has its own tempo */
} Figure;

static const AfxVec3 along_x = {1, 0, 0}, along_y = {0, 1, 0}, along_z = {0, 0, 1};

static AfxiLimb limb(Figure *f, AfxBodyId base, AfxVec3 pivot, AfxVec3 way, AfxVec3 axis, double mass, double sway) {
    AfxiSway how = {sway, f->tempo * (1 + 0.1 * (f->limbs++ % 7))};
    return afxi_limb_turning(&f->builder, base, pivot, afxi_case_add(pivot, way), axis, mass, how, f->young);
}

/* A limb with a rocker in space beside it. */
static AfxiLimb moved(Figure *f, AfxBodyId base, AfxVec3 pivot, AfxVec3 way, AfxVec3 axis, double mass, double sway) {
    AfxiLimb out = limb(f, base, pivot, way, axis, mass, sway);
    afxi_limb_beside(&f->builder, AFXI_DYAD_SPACE, &out, base, 0.05 * mass, f->young);
    return out;
}

static void plane(Figure *f, const AfxiLimb *on, AfxBodyId base, double mass) {
    afxi_limb_beside(&f->builder, AFXI_DYAD_PLANE, on, base, mass, f->young);
}

static void shell(Figure *f, const AfxiLimb *on, AfxVec3 way, double mass) {
    afxi_limb_shell(&f->builder, on->body, on->tip, afxi_case_add(on->tip, way), mass, f->young);
}

/* The next phalanx on a hinge at the tip of the one before, bent by a rod from what that one hangs on. */
static AfxiLimb phalanx(Figure *f, AfxBodyId base, const AfxiLimb *before, double length, double mass) {
    AfxVec3 arm = afxi_case_unit(afxi_case_sub(before->tip, before->pivot));
    AfxVec3 side = afxi_case_cross(before->axis, arm);
    AfxVec3 from = afxi_case_add(before->pivot, afxi_case_scale(0.5 * length, side));
    AfxVec3 lever = afxi_case_add(before->tip, afxi_case_scale(0.5 * length, side));
    AfxiLimb out = afxi_limb_dyad(&f->builder, AFXI_DYAD_PLANE, base, from, before->body, before->tip, lever,
                                  before->axis, mass, f->young);
    out.tip = afxi_case_add(before->tip, afxi_case_scale(length, arm));
    return out;
}

static void add_hand(Figure *f, const AfxiLimb *wrist, double left) {
    for (int k = 0; k < 5; ++k) {
        AfxVec3 root = afxi_case_add(wrist->tip, (AfxVec3){0.02 * (k - 2), 0, 0});
        AfxiLimb finger = limb(f, wrist->body, root, (AfxVec3){0, 0, -0.045}, along_x, 0.02, 0.25 * left);
        AfxiLimb middle = phalanx(f, wrist->body, &finger, 0.03, 0.008);
        phalanx(f, finger.body, &middle, 0.02, k == 4 ? 0.0006 : 0.003);
        shell(f, &finger, (AfxVec3){0, 0.008 * left, 0}, 0.002);
    }
}

/* Shoulder of two axes, elbow, wrist. */
static void add_arm(Figure *f, AfxBodyId chest, double left) {
    AfxVec3 at = {0, 0.2 * left, 1.4};
    AfxiLimb first = moved(f, chest, at, (AfxVec3){0, 0.06 * left, 0}, along_x, 1.2, 0.1 * left);
    AfxiLimb upper = moved(f, first.body, first.tip, (AfxVec3){0, 0, -0.3}, along_y, 2.4, -0.2);
    AfxiLimb lower = moved(f, upper.body, upper.tip, (AfxVec3){0, 0, -0.26}, along_y, 1.5, -0.25);
    AfxiLimb wrist = moved(f, lower.body, lower.tip, (AfxVec3){0, 0, -0.08}, along_x, 0.5, 0.15 * left);
    plane(f, &lower, upper.body, 0.1);
    shell(f, &first, (AfxVec3){0, 0.05 * left, 0.02}, 0.3);
    shell(f, &upper, (AfxVec3){0.05, 0, 0}, 0.3);
    shell(f, &lower, (AfxVec3){0.04, 0, 0}, 0.2);
    shell(f, &wrist, (AfxVec3){0.03, 0, 0}, 0.05);
    add_hand(f, &wrist, left);
}

/* Neck of three axes, two eyes and a jaw. */
static void add_head(Figure *f, AfxBodyId chest) {
    AfxiLimb turn = moved(f, chest, (AfxVec3){0, 0, 1.48}, (AfxVec3){0.04, 0, 0.02}, along_z, 0.6, 0.15);
    AfxiLimb nod = moved(f, turn.body, turn.tip, (AfxVec3){0, 0, 0.06}, along_y, 0.5, 0.1);
    AfxiLimb tilt = moved(f, nod.body, nod.tip, (AfxVec3){0, 0.0, 0.1}, along_x, 3.5, 0.08);
    AfxiLimb jaw = moved(f, tilt.body, (AfxVec3){0.06, 0, 1.62}, (AfxVec3){0.08, 0, -0.02}, along_y, 0.3, 0.1);
    afxi_limb_beside(&f->builder, AFXI_DYAD_SPACE, &jaw, tilt.body, 0.01, f->young);
    afxi_limb_beside(&f->builder, AFXI_DYAD_BALL, &nod, turn.body, 0.02, f->young);
    plane(f, &jaw, tilt.body, 0.01);
    for (int k = -1; k <= 1; k += 2) {
        AfxiLimb eye =
            moved(f, tilt.body, (AfxVec3){0.09, 0.03 * k, 1.68}, (AfxVec3){0.02, 0, 0}, along_z, 0.03, 0.2 * k);
        shell(f, &eye, (AfxVec3){0.005, 0, 0}, 0.0003);
    }
    shell(f, &turn, (AfxVec3){0, 0.05, 0}, 0.1);
    shell(f, &nod, (AfxVec3){0, 0.05, 0}, 0.1);
    shell(f, &jaw, (AfxVec3){0.02, 0, 0}, 0.05);
}

/* Waist of three axes, from the stand to the chest, with two rockers each. */
static AfxBodyId add_trunk(Figure *f) {
    AfxiLimb yaw = moved(f, afx_world(), (AfxVec3){0, 0, 0.9}, (AfxVec3){0.1, 0, 0.05}, along_z, 8, 0.1);
    AfxiLimb roll = moved(f, yaw.body, yaw.tip, (AfxVec3){0, 0.02, 0.1}, along_x, 6, 0.05);
    AfxiLimb pitch = moved(f, roll.body, roll.tip, (AfxVec3){0, 0, 0.35}, along_y, 49.2, 0.06);
    const AfxiLimb *limbs[3] = {&yaw, &roll, &pitch};
    const AfxBodyId bases[3] = {afx_world(), yaw.body, roll.body};
    for (int k = 0; k < 3; ++k) {
        AfxiLimb other = *limbs[k];
        other.pivot = afxi_case_add(other.pivot, afxi_case_scale(-0.1, limbs[k]->axis));
        other.tip = afxi_case_add(other.tip, afxi_case_scale(-0.1, limbs[k]->axis));
        afxi_limb_beside(&f->builder, AFXI_DYAD_SPACE, &other, bases[k], 0.3, f->young);
        shell(f, limbs[k], (AfxVec3){0.1, 0, 0.05}, 1);
        shell(f, limbs[k], (AfxVec3){-0.1, 0, 0.05}, 1);
    }
    plane(f, &roll, yaw.body, 0.4);
    plane(f, &pitch, roll.body, 0.6);
    shell(f, &pitch, (AfxVec3){0, 0.15, 0.05}, 2);
    return pitch.body;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    Figure f = {afxi_case_begin(def, (AfxVec3){0, 0, -9.81}), args->values[YOUNG], args->values[TEMPO], 0};
    AfxBodyId chest = add_trunk(&f);
    add_head(&f, chest);
    add_arm(&f, chest, 1);
    add_arm(&f, chest, -1);
    afxi_case_marker(&f.builder, chest, "chest", (AfxVec3){0.35, 0, 0});
    return afxi_case_end(&f.builder, out_scene, out_error);
}

const AfxiCase afxi_case_figure = {
    .name = "figure",
    .summary = "an animated figure with two hands: 27 drives, 47 loops, bodies from 0.3 g to 49 kg",
    .dt = 0.033,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
