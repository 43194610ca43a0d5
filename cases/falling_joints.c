/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of rods with round ends, each joined end to end by a ball, universal, hinge or sliding joint (a quarter of them
 * each), fall into a bowl, at random attitudes, and pile up. The bowl is what planes around a sphere leave free; the
 * sliding joints have stops. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/random.h"

#define LENGTH 0.16 /* m, of a rod, its ends included */
#define RADIUS 0.04
#define GAP 0.02    /* m between the two of a pair */
#define STOP 0.015  /* m, of a sliding joint in either direction */
#define SPACING 0.4 /* m between pairs: they fit at any attitude */
#define BOWL 1.8    /* m, radius for 720 pairs */
#define RINGS 3
#define SIDES 12

enum { PAIRS, FRICTION, SEED, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [PAIRS] = {.name = "pairs",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "720",
               .min = 1,
               .max = 1e6,
               .help = "number of pairs"},
    [FRICTION] = AFXI_CASE_FRICTION("0.4"),
    [SEED] = AFXI_CASE_SEED,
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

/* Planes that touch a sphere of that radius from below: one at the bottom, and rings of them around. */
static void add_bowl(AfxiCaseBuilder *builder, double radius) {
    AfxBodyDef body = afx_default_body();
    body.name = "bowl";
    body.kind = AFX_BODY_FIXED;
    body.pose.position.z = radius;
    AfxBodyId bowl = afxi_case_body(builder, &body);
    AfxShapeDef plane = afx_default_plane();
    for (int ring = 0; ring <= RINGS; ++ring) {
        double tilt = AFXI_CASE_PI / 2 * ring / (RINGS + 0.5);
        for (int side = 0; side < (ring == 0 ? 1 : SIDES); ++side) {
            double around = 2 * AFXI_CASE_PI * side / SIDES;
            AfxVec3 axis = {sin(around), -cos(around), 0}; /* turns the plane's normal towards the middle */
            plane.pose.rotation = afx_quat_from_axis_angle(axis, tilt);
            plane.pose.position = afx_quat_rotate(plane.pose.rotation, (AfxVec3){0, 0, -radius});
            afxi_case_shape(builder, bowl, &plane);
        }
    }
}

static AfxBodyId add_half(AfxiCaseBuilder *builder, AfxPose middle, double along, double young) {
    AfxBodyDef body = afx_default_body();
    body.young = young;
    body.pose = middle;
    body.pose.position = afx_pose_apply(middle, (AfxVec3){along, 0, 0});
    AfxVec3 end = {LENGTH / 2 - RADIUS, 0, 0};
    AfxShapeDef rod = afxi_case_rod(afxi_case_scale(-1, end), end, RADIUS);
    AfxBodyId half = afxi_case_body(builder, &body);
    afxi_case_shape(builder, half, &rod);
    return half;
}

/* The hinge turns about y of the pair, the other joints have x along it. */
static void add_pair(AfxiCaseBuilder *builder, uint32_t index, AfxPose middle, double young) {
    static const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_UNIVERSAL, AFX_JOINT_REVOLUTE,
                                         AFX_JOINT_PRISMATIC};
    AfxJointKind kind = kinds[index % 4];
    AfxBodyId first = add_half(builder, middle, -(LENGTH + GAP) / 2, young);
    AfxBodyId second = add_half(builder, middle, (LENGTH + GAP) / 2, young);
    AfxPose frame = middle;
    if (kind == AFX_JOINT_REVOLUTE) {
        frame = afx_frame_along(middle.position, afx_quat_rotate(middle.rotation, (AfxVec3){0, 1, 0}));
    }
    AfxJointId joint = afxi_case_joint_at(builder, kind, first, second, frame);
    if (kind == AFX_JOINT_PRISMATIC) {
        AfxDriveDef stops = afx_default_drive(AFX_DRIVE_LIMIT);
        stops.joint = joint;
        stops.lower = -STOP;
        stops.upper = STOP;
        afxi_case_drive(builder, &stops);
    }
}

/* The pairs stand in layers over the bowl, at those points of a square grid that are well inside its rim. */
static void add_pairs(AfxiCaseBuilder *builder, double radius, const AfxiCaseArguments *args) {
    AfxiCaseRandom random = {(uint64_t)args->values[SEED]};
    uint32_t pairs = (uint32_t)args->values[PAIRS], added = 0;
    int reach = (int)(0.75 * radius / SPACING);
    for (uint32_t layer = 0; added < pairs; ++layer) {
        for (int i = -reach; i <= reach; ++i) {
            for (int j = -reach; j <= reach && added < pairs; ++j) {
                if (i * i + j * j > reach * reach || builder->status != AFX_OK) {
                    continue;
                }
                AfxPose middle = {{SPACING * i, SPACING * j, radius + SPACING * (layer + 0.5)},
                                  afxi_case_random_rotation(&random)};
                add_pair(builder, added, middle, args->values[YOUNG]);
                added++;
            }
        }
        if (builder->status != AFX_OK) {
            return;
        }
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double radius = fmax(0.5, BOWL * cbrt(args->values[PAIRS] / 720));
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    add_bowl(&builder, radius);
    add_pairs(&builder, radius, args);
    afxi_case_marker(&builder, afx_scene_body(builder.scene, 1), "first", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_falling_joints = {
    .name = "falling-joints",
    .summary = "pairs of rods on ball, universal, hinge and sliding joints fall into a bowl",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
