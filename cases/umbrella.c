/* SPDX-License-Identifier: Apache-2.0 */
/* An umbrella that opens (the UMBRELLA of RedMax, Tab. 2): eight ribs from the tip of a fixed tube, each pushed open by
 * a stretcher from a runner that slides on the tube. Stretchers are rows of `pieces` bodies and ribs of twice as many,
 * on universal joints with springs and dampers, EI / l of the rod, so that any number of pieces makes the same rod. A
 * ball joint ties a stretcher to the middle of its rib and closes a loop. The canopy is springs between neighbouring
 * ribs, from each joint to its like.
 *
 * 1 + 48 pieces coordinates of joints without those of the eight ball joints: 241 to 1105 for 5 to 23 pieces, the
 * freedoms of the paper. At the start ribs and stretchers are straight; the canopy is slack where straight ribs are at
 * 20 degrees. The runner rises within a second to where straight ribs would be at the angle `open`, and goes back in
 * the next; with open = start it stays. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#include <stdio.h>

#define ARMS 8
#define STRETCHER 0.3                 /* m; a rib is twice as long */
#define SLACK (20 * AFXI_CASE_DEGREE) /* angle of straight ribs to the tube at which the canopy is slack */
#define ROD_RADIUS 0.002              /* m */
#define ROD_DENSITY 2000.0            /* kg/m³ */
#define BENDING 0.5                   /* Nm²: E pi r⁴ / 4 with 40 GPa */
#define CANOPY 50.0                   /* N/m of stiffness between two ribs for each metre of rib */
#define RELAXATION 0.02               /* s */
#define OPENING_TIME 1.0              /* s */

enum { PIECES, START, OPEN, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [PIECES] = {.name = "pieces",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "5",
                .min = 1,
                .max = 1e5,
                .help = "bodies of each stretcher; a rib has twice as many"},
    [START] = {.name = "start",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "20",
               .min = 10,
               .max = 85,
               .help = "angle of the ribs to the tube at the start, degrees"},
    [OPEN] = {.name = "open",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "75",
              .min = 10,
              .max = 85,
              .help = "angle of straight ribs to the tube when it is open, degrees"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* A row of pieces on universal joints. */
typedef struct Row {
    const char *name;
    int arm;
    uint32_t count;
    AfxVec3 start, along, across; /* unit: along the row, and the tangent of the circle of ribs */
    double length, young;         /* of a piece */
} Row;

static AfxVec3 row_point(const Row *row, uint32_t k) {
    return afxi_case_add(row->start, afxi_case_scale(row->length * k, row->along));
}

/* The tangent of the circle at arm `arm`. */
static AfxVec3 tangent(int arm) {
    double angle = 2 * AFXI_CASE_PI * arm / ARMS;
    return (AfxVec3){-sin(angle), cos(angle), 0};
}

/* The unit vector at this angle from the axis (up 1: from +z, -1: from -z), outward at arm `arm`. */
static AfxVec3 slant(int arm, double angle, double up) {
    AfxVec3 t = tangent(arm);
    return (AfxVec3){sin(angle) * t.y, -sin(angle) * t.x, up * cos(angle)};
}

/* Springs about both axes of a universal joint; the first joint of a row turns freely about the tangent. */
static void stiffen(AfxiCaseBuilder *builder, AfxJointId joint, bool first, double stiffness) {
    for (uint32_t axis = first ? 1 : 0; axis < 2; ++axis) {
        AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
        spring.joint = joint;
        spring.axis = axis;
        spring.stiffness = stiffness;
        spring.damping = RELAXATION * stiffness;
        afxi_case_drive(builder, &spring);
    }
}

/* Piece k on the end of `before`: its frame is at its first joint, x along the tangent and z along the row. */
static AfxBodyId add_piece(AfxiCaseBuilder *builder, const Row *row, uint32_t k, AfxBodyId before) {
    char name[40];
    snprintf(name, sizeof(name), "%s-%d-%u", row->name, row->arm + 1, (unsigned)k + 1);
    AfxBodyDef piece = afx_default_body();
    piece.name = name;
    piece.young = row->young;
    piece.pose = afxi_case_frame(row_point(row, k), row->across, afxi_case_cross(row->along, row->across));
    AfxBodyId id = afxi_case_body(builder, &piece);
    AfxShapeDef rod = afx_default_cylinder(ROD_RADIUS, row->length);
    rod.pose.position.z = 0.5 * row->length;
    rod.density = ROD_DENSITY;
    afxi_case_shape(builder, id, &rod);
    AfxJointId joint = afxi_case_joint_at(builder, AFX_JOINT_UNIVERSAL, before, id, piece.pose);
    stiffen(builder, joint, k == 0, BENDING / row->length);
    return id;
}

/* All pieces of a row, whose indices follow each other; gives the first. */
static uint32_t add_row(AfxiCaseBuilder *builder, const Row *row, AfxBodyId root) {
    uint32_t first = builder->scene ? afx_scene_body_count(builder->scene) : 0;
    AfxBodyId before = root;
    for (uint32_t k = 0; k < row->count && builder->status == AFX_OK; ++k) {
        before = add_piece(builder, row, k, before);
    }
    return first;
}

static AfxBodyId piece_at(const AfxiCaseBuilder *builder, uint32_t index) {
    return builder->status == AFX_OK ? afx_scene_body(builder->scene, index) : afx_world();
}

/* The runner and what moves it, on the fixed tube: half a period from where it starts to `open`, and back. */
static AfxBodyId add_runner(AfxiCaseBuilder *builder, AfxBodyId tube, const AfxiCaseArguments *args) {
    double from = -2 * STRETCHER * cos(args->values[START] * AFXI_CASE_DEGREE);
    double rise = -2 * STRETCHER * cos(args->values[OPEN] * AFXI_CASE_DEGREE) - from;
    AfxBodyDef runner = afx_default_body();
    runner.name = "runner";
    runner.young = args->values[YOUNG];
    runner.pose.position.z = from;
    AfxBodyId id = afxi_case_body(builder, &runner);
    AfxShapeDef ring = afx_default_cylinder(0.01, 0.04);
    afxi_case_shape(builder, id, &ring);
    AfxDriveDef push = afx_default_drive(AFX_DRIVE_POSITION);
    push.joint = afxi_case_joint_at(builder, AFX_JOINT_PRISMATIC, tube, id,
                                    afx_frame_along(runner.pose.position, (AfxVec3){0, 0, 1}));
    push.target = (AfxSignal){.kind = AFX_SIGNAL_SINE,
                              .coefficients = {0.5 * rise, 0.5 * rise, 0.5 / OPENING_TIME, -0.5 * AFXI_CASE_PI}};
    afxi_case_drive(builder, &push);
    return id;
}

/* Springs between the ends of pieces k of neighbouring ribs. */
static void add_canopy(AfxiCaseBuilder *builder, const uint32_t ribs[ARMS], const Row *rib) {
    AfxVec3 neighbour = afxi_case_sub(slant(1, SLACK, -1), slant(0, SLACK, -1));
    double chord = sqrt(afxi_case_dot(neighbour, neighbour));
    for (uint32_t k = 0; k < rib->count; ++k) {
        for (int arm = 0; arm < ARMS && builder->status == AFX_OK; ++arm) {
            AfxSpringDef spring = afx_default_spring();
            spring.body_a = piece_at(builder, ribs[arm] + k);
            spring.body_b = piece_at(builder, ribs[(arm + 1) % ARMS] + k);
            spring.point_a = spring.point_b = (AfxVec3){0, 0, rib->length};
            spring.rest_length = chord * rib->length * (k + 1);
            spring.stiffness = CANOPY * rib->length;
            spring.damping = RELAXATION * spring.stiffness;
            afxi_case_spring(builder, &spring);
        }
    }
}

static void add_arms(AfxiCaseBuilder *builder, const AfxiCaseArguments *args, AfxBodyId tube, AfxBodyId runner) {
    uint32_t pieces = (uint32_t)args->values[PIECES], ribs[ARMS];
    double start = args->values[START] * AFXI_CASE_DEGREE;
    Row rib = {.name = "rib", .count = 2 * pieces, .length = STRETCHER / pieces, .young = args->values[YOUNG]};
    for (int arm = 0; arm < ARMS; ++arm) {
        Row stretcher = rib;
        rib.arm = stretcher.arm = arm;
        rib.across = stretcher.across = tangent(arm);
        rib.along = slant(arm, start, -1);
        stretcher.name = "stretcher";
        stretcher.count = pieces;
        stretcher.start.z = -2 * STRETCHER * cos(start);
        stretcher.along = slant(arm, start, 1);
        ribs[arm] = add_row(builder, &rib, tube);
        uint32_t first = add_row(builder, &stretcher, runner);
        AfxPose middle = afxi_case_frame(row_point(&rib, pieces), rib.across, rib.along);
        afxi_case_joint_at(builder, AFX_JOINT_SPHERICAL, piece_at(builder, ribs[arm] + pieces),
                           piece_at(builder, first + pieces - 1), middle);
    }
    afxi_case_marker(builder, piece_at(builder, ribs[0] + 2 * pieces - 1), "rib", (AfxVec3){0, 0, rib.length});
    add_canopy(builder, ribs, &rib);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyDef fixed = afx_default_body();
    fixed.name = "tube";
    fixed.kind = AFX_BODY_FIXED;
    AfxBodyId tube = afxi_case_body(&builder, &fixed);
    AfxShapeDef rod = afx_default_cylinder(0.005, 0.8);
    rod.pose.position.z = -0.4;
    afxi_case_shape(&builder, tube, &rod);
    AfxBodyId runner = add_runner(&builder, tube, args);
    add_arms(&builder, args, tube, runner);
    afxi_case_marker(&builder, runner, "runner", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_umbrella = {
    .name = "umbrella",
    .summary = "an umbrella of eight ribs and stretchers in pieces that opens; its canopy is springs between the ribs",
    .dt = 0.01,
    .time = 1,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
