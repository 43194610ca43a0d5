/* SPDX-License-Identifier: Apache-2.0 */
/* Legs of Klann's walking linkage with the proportions of the example in US patent 6,260,862: crank, connecting rod,
 * two rockers and leg, seven hinges, two closed loops, one degree of freedom. The cranks are driven; legs stand side
 * by side along y, their cranks evenly out of phase, on one frame that is fixed in the world. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/planar.h"

#define SCALE 0.3 /* m per unit of the patent */
#define APART 0.1 /* m between two legs */

enum { LEGS, GROUND, OMEGA, PHASE, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LEGS] =
        {.name = "legs", .kind = AFXI_CASE_INTEGER, .fallback = "1", .min = 1, .max = 64, .help = "number of legs"},
    [GROUND] = {.name = "ground",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "0",
                .min = 0,
                .max = 0,
                .help = "0: the frame is fixed in the world; walking on the ground needs contact, not there yet"},
    [OMEGA] = {.name = "omega",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "6.283185307179586",
               .min = -1e3,
               .max = 1e3,
               .help = "angular velocity of the cranks, rad/s"},
    [PHASE] = {.name = "phase",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0",
               .min = -360,
               .max = 360,
               .help = "angle of the first crank at the start, degrees from the patent's stretched position"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

/* The patent's points in its stretched position: 9, 11, 15 on the frame; 29, 27, 35, 37, 33 moving. */
static const AfxiPlanar upper = {1.366 * SCALE, 1.366 * SCALE, 0, 0};
static const AfxiPlanar lower = {1.009 * SCALE, 0.574 * SCALE, 0, 0};
static const AfxiPlanar shaft = {1.599 * SCALE, 0.750 * SCALE, 0, 0};
static const AfxiPlanar pin_0 = {1.331 * SCALE, 0.750 * SCALE, 0, 0};
static const AfxiPlanar elbow_0 = {0.741 * SCALE, 0.750 * SCALE, 0, 0};
static const AfxiPlanar knee_0 = {0.232 * SCALE, 0.866 * SCALE, 0, 0};
static const AfxiPlanar hip_0 = {0.866 * SCALE, 1.500 * SCALE, 0, 0};
static const AfxiPlanar foot_0 = {0, 0, 0, 0};

/* On which side of the line from a to b the point p is. */
static double side_of(AfxiPlanar a, AfxiPlanar b, AfxiPlanar p) {
    double along, across;
    afxi_planar_local(a, b, p, &along, &across);
    return across < 0 ? -1 : 1;
}

static AfxBodyId add_link(AfxiCaseBuilder *builder, AfxiPlanar a, AfxiPlanar b, double length, double y, double young) {
    AfxBodyId id = afxi_planar_link(builder, NULL, a, b, y, young);
    afxi_planar_rod(builder, id, 0, 0, length, 0);
    return id;
}

/* Returns the leg, whose frame is at the knee, x towards the hip. */
static AfxBodyId add_leg(AfxiCaseBuilder *builder, AfxBodyId frame, double phase, double y,
                         const AfxiCaseArguments *args) {
    double omega = args->values[OMEGA], young = args->values[YOUNG];
    double crank_length = afxi_planar_distance(shaft, pin_0), rod_length = afxi_planar_distance(pin_0, elbow_0);
    double lower_length = afxi_planar_distance(lower, elbow_0), upper_length = afxi_planar_distance(upper, hip_0);
    double leg_length = afxi_planar_distance(knee_0, hip_0);
    double knee_along, knee_across;
    afxi_planar_local(pin_0, elbow_0, knee_0, &knee_along, &knee_across);
    AfxPose origin = afxi_planar_frame(0, 0, 0), bearing = afxi_planar_frame(shaft.x, shaft.z, y);

    double angle = AFXI_CASE_PI + phase;
    AfxiPlanar pin = afxi_planar_crank(shaft, crank_length, angle, omega);
    AfxiPlanar elbow = afxi_planar_dyad(pin, rod_length, lower, lower_length, side_of(pin_0, lower, elbow_0));
    AfxiPlanar knee = afxi_planar_on(pin, elbow, knee_along, knee_across);
    AfxiPlanar hip = afxi_planar_dyad(knee, leg_length, upper, upper_length, side_of(knee_0, upper, hip_0));

    AfxBodyId crank = add_link(builder, shaft, pin, crank_length, y, young);
    AfxBodyId rod = add_link(builder, pin, elbow, rod_length, y, young);
    afxi_planar_rod(builder, rod, rod_length, 0, knee_along, knee_across);
    AfxBodyId low = add_link(builder, lower, elbow, lower_length, y, young);
    AfxBodyId high = add_link(builder, upper, hip, upper_length, y, young);
    AfxBodyId leg = add_link(builder, knee, hip, leg_length, y, young);
    /* the crank's coordinate begins at zero */
    bearing.rotation = afx_quat_multiply(bearing.rotation, afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, angle));
    AfxJointId motor = afxi_planar_hinge(builder, frame, bearing, crank, origin);
    afxi_planar_hinge(builder, crank, afxi_planar_frame(crank_length, 0, 0), rod, origin);
    afxi_planar_hinge(builder, frame, afxi_planar_frame(lower.x, lower.z, y), low, origin);
    afxi_planar_hinge(builder, rod, afxi_planar_frame(rod_length, 0, 0), low, afxi_planar_frame(lower_length, 0, 0));
    afxi_planar_hinge(builder, rod, afxi_planar_frame(knee_along, knee_across, 0), leg, origin);
    afxi_planar_hinge(builder, frame, afxi_planar_frame(upper.x, upper.z, y), high, origin);
    afxi_planar_hinge(builder, leg, afxi_planar_frame(leg_length, 0, 0), high, afxi_planar_frame(upper_length, 0, 0));
    afxi_case_drive_line(builder, AFX_DRIVE_POSITION, motor, 0, omega);
    return leg;
}

static AfxBodyId add_frame(AfxiCaseBuilder *builder, double depth) {
    AfxBodyDef body = afx_default_body();
    body.name = "frame";
    body.kind = AFX_BODY_FIXED;
    AfxBodyId frame = afxi_case_body(builder, &body);
    AfxShapeDef box = afx_default_box(0.3 * SCALE, depth, 0.8 * SCALE);
    box.pose.position = (AfxVec3){1.9 * SCALE, depth / 2 - APART / 2, 0.95 * SCALE};
    afxi_case_shape(builder, frame, &box);
    return frame;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t legs = (uint32_t)args->values[LEGS];
    double foot_along, foot_across;
    afxi_planar_local(knee_0, hip_0, foot_0, &foot_along, &foot_across);
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId frame = add_frame(&builder, legs * APART);
    for (uint32_t k = 0; k < legs && builder.status == AFX_OK; ++k) {
        double phase = args->values[PHASE] * AFXI_CASE_DEGREE + 2 * AFXI_CASE_PI * k / legs;
        AfxBodyId leg = add_leg(&builder, frame, phase, k * APART, args);
        afxi_planar_rod(&builder, leg, 0, 0, foot_along, foot_across);
        if (k == 0) {
            afxi_case_marker(&builder, leg, "foot", (AfxVec3){foot_along, 0, foot_across});
        }
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_klann = {
    .name = "klann",
    .summary = "legs of Klann's walking linkage, two closed loops each, their cranks driven",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
