/* SPDX-License-Identifier: Apache-2.0 */
/* Legs of Klann's walking linkage with the proportions of the example in US patent 6,260,862: crank, connecting rod,
 * two rockers and leg, seven hinges, two closed loops, one degree of freedom. The cranks are driven; legs stand side
 * by side along y, their cranks evenly out of phase, on one frame that is fixed in the world.
 *
 * On the ground the frame is free, every other leg is mirrored to the far side of its crank, as in the patent's walker,
 * and the feet are balls that touch a plane at the lowest foot. A mirrored leg runs through its step the other way
 * round, which drives it in the same direction; on one crank the two stand in turn, as neighbouring cranks are half a
 * turn apart: with six legs there are always three feet down, a front leg on either side and the rear one between them,
 * or the other way round. Nothing of the machine touches another part of it. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/planar.h"

#define SCALE 0.3 /* m per unit of the patent */
#define APART 0.1 /* m between two legs */
#define FOOT_RADIUS 0.02
#define FRAME_MASS 4.0 /* kg, on the ground */
#define MACHINE 2u     /* contact group of all that moves */

enum { LEGS, GROUND, OMEGA, PHASE, YOUNG, FRICTION };

static const AfxiCaseParameter parameters[] = {
    [LEGS] =
        {.name = "legs", .kind = AFXI_CASE_INTEGER, .fallback = "1", .min = 1, .max = 64, .help = "number of legs"},
    [GROUND] = {.name = "ground",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "0",
                .min = 0,
                .max = 1,
                .help = "0: the frame is fixed in the world; 1: the machine walks on a plane (it needs six legs)"},
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
    [FRICTION] = AFXI_CASE_FRICTION("0.8"),
};

/* The patent's points in its stretched position: 9, 11, 15 on the frame; 29, 27, 35, 37, 33 moving. */
typedef struct Points {
    AfxiPlanar upper, lower, shaft, pin, elbow, knee, hip, foot;
} Points;

static const Points patent = {
    .upper = {1.366 * SCALE, 1.366 * SCALE, 0, 0},
    .lower = {1.009 * SCALE, 0.574 * SCALE, 0, 0},
    .shaft = {1.599 * SCALE, 0.750 * SCALE, 0, 0},
    .pin = {1.331 * SCALE, 0.750 * SCALE, 0, 0},
    .elbow = {0.741 * SCALE, 0.750 * SCALE, 0, 0},
    .knee = {0.232 * SCALE, 0.866 * SCALE, 0, 0},
    .hip = {0.866 * SCALE, 1.500 * SCALE, 0, 0},
    .foot = {0, 0, 0, 0},
};

static Points mirrored(void) {
    Points points = patent;
    AfxiPlanar *all[] = {&points.upper, &points.lower, &points.pin, &points.elbow,
                         &points.knee,  &points.hip,   &points.foot};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); ++k) {
        all[k]->x = 2 * patent.shaft.x - all[k]->x;
    }
    return points;
}

/* A leg: where it stands, and the angle of its crank. */
typedef struct Place {
    bool mirrored, foot; /* foot: it has a ball to stand on */
    double phase, y;
} Place;

/* On which side of the line from a to b the point p is. */
static double side_of(AfxiPlanar a, AfxiPlanar b, AfxiPlanar p) {
    double along, across;
    afxi_planar_local(a, b, p, &along, &across);
    return across < 0 ? -1 : 1;
}

/* A rod from one point of a link to another, (along, across) each. */
static void add_rod(AfxiCaseBuilder *builder, AfxBodyId link, const double a[2], const double b[2]) {
    AfxShapeDef rod = afxi_case_rod((AfxVec3){a[0], 0, a[1]}, (AfxVec3){b[0], 0, b[1]}, AFXI_CASE_LINK_RADIUS);
    rod.contact_group = MACHINE;
    afxi_case_shape(builder, link, &rod);
}

static AfxBodyId add_link(AfxiCaseBuilder *builder, AfxiPlanar a, AfxiPlanar b, double length, double y, double young) {
    AfxBodyId id = afxi_planar_link(builder, NULL, a, b, y, young);
    add_rod(builder, id, (double[]){0, 0}, (double[]){length, 0});
    return id;
}

/* Gives back the foot. The leg's frame is at the knee, x towards the hip. */
static AfxiPlanar add_leg(AfxiCaseBuilder *builder, AfxBodyId frame, Place place, const AfxiCaseArguments *args) {
    Points at = place.mirrored ? mirrored() : patent;
    double omega = args->values[OMEGA], young = args->values[YOUNG], y = place.y;
    double crank_length = afxi_planar_distance(at.shaft, at.pin), rod_length = afxi_planar_distance(at.pin, at.elbow);
    double lower_length = afxi_planar_distance(at.lower, at.elbow);
    double upper_length = afxi_planar_distance(at.upper, at.hip), leg_length = afxi_planar_distance(at.knee, at.hip);
    double knee_along, knee_across, foot_along, foot_across;
    afxi_planar_local(at.pin, at.elbow, at.knee, &knee_along, &knee_across);
    afxi_planar_local(at.knee, at.hip, at.foot, &foot_along, &foot_across);
    AfxPose origin = afxi_planar_frame(0, 0, 0), bearing = afxi_planar_frame(at.shaft.x, at.shaft.z, y);

    double angle = (place.mirrored ? 0 : AFXI_CASE_PI) + place.phase;
    AfxiPlanar pin = afxi_planar_crank(at.shaft, crank_length, angle, omega);
    AfxiPlanar elbow = afxi_planar_dyad(pin, rod_length, at.lower, lower_length, side_of(at.pin, at.lower, at.elbow));
    AfxiPlanar knee = afxi_planar_on(pin, elbow, knee_along, knee_across);
    AfxiPlanar hip = afxi_planar_dyad(knee, leg_length, at.upper, upper_length, side_of(at.knee, at.upper, at.hip));

    AfxBodyId crank = add_link(builder, at.shaft, pin, crank_length, y, young);
    AfxBodyId rod = add_link(builder, pin, elbow, rod_length, y, young);
    add_rod(builder, rod, (double[]){rod_length, 0}, (double[]){knee_along, knee_across});
    AfxBodyId low = add_link(builder, at.lower, elbow, lower_length, y, young);
    AfxBodyId high = add_link(builder, at.upper, hip, upper_length, y, young);
    AfxBodyId leg = add_link(builder, knee, hip, leg_length, y, young);
    add_rod(builder, leg, (double[]){0, 0}, (double[]){foot_along, foot_across});
    if (place.foot) {
        AfxShapeDef ball = afx_default_sphere(FOOT_RADIUS);
        ball.pose.position = (AfxVec3){foot_along, 0, foot_across};
        ball.contact_group = MACHINE;
        afxi_case_shape(builder, leg, &ball);
    }
    if (place.y == 0 && !place.mirrored) {
        afxi_case_marker(builder, leg, "foot", (AfxVec3){foot_along, 0, foot_across});
    }
    /* the crank's coordinate begins at zero */
    bearing.rotation = afx_quat_multiply(bearing.rotation, afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, angle));
    AfxJointId motor = afxi_planar_hinge(builder, frame, bearing, crank, origin);
    afxi_planar_hinge(builder, crank, afxi_planar_frame(crank_length, 0, 0), rod, origin);
    afxi_planar_hinge(builder, frame, afxi_planar_frame(at.lower.x, at.lower.z, y), low, origin);
    afxi_planar_hinge(builder, rod, afxi_planar_frame(rod_length, 0, 0), low, afxi_planar_frame(lower_length, 0, 0));
    afxi_planar_hinge(builder, rod, afxi_planar_frame(knee_along, knee_across, 0), leg, origin);
    afxi_planar_hinge(builder, frame, afxi_planar_frame(at.upper.x, at.upper.z, y), high, origin);
    afxi_planar_hinge(builder, leg, afxi_planar_frame(leg_length, 0, 0), high, afxi_planar_frame(upper_length, 0, 0));
    afxi_case_drive_line(builder, AFX_DRIVE_POSITION, motor, 0, omega);
    return afxi_planar_on(knee, hip, foot_along, foot_across);
}

/* Bars between the bearings, behind the legs, for the eye only. */
static void draw_frame(AfxiCaseBuilder *builder, AfxBodyId frame, double y) {
    const AfxiPlanar at[] = {patent.upper, patent.lower, patent.shaft};
    for (int k = 0; k < 3; k++) {
        AfxiPlanar a = at[k], b = at[(k + 1) % 3];
        AfxShapeDef bar = afxi_case_rod((AfxVec3){a.x, y, a.z}, (AfxVec3){b.x, y, b.z}, 0.8 * AFXI_CASE_LINK_RADIUS);
        bar.visual = true;
        bar.mass = 0;
        afxi_case_shape(builder, frame, &bar);
    }
}

static AfxBodyId add_frame(AfxiCaseBuilder *builder, double depth, bool ground) {
    AfxBodyDef body = afx_default_body();
    double middle = ground ? depth / 2 - APART : depth / 2 - APART / 2;
    body.name = "frame";
    body.kind = ground ? AFX_BODY_DYNAMIC : AFX_BODY_FIXED;
    AfxBodyId frame = afxi_case_body(builder, &body);
    AfxShapeDef box = afx_default_box((ground ? 1.2 : 0.3) * SCALE, depth, 0.8 * SCALE);
    box.pose.position = (AfxVec3){ground ? patent.shaft.x : 1.9 * SCALE, middle, 0.95 * SCALE};
    box.mass = ground ? FRAME_MASS : 0;
    box.contact_group = MACHINE;
    afxi_case_shape(builder, frame, &box);
    if (!ground) {
        draw_frame(builder, frame, depth - APART + 2.2 * AFXI_CASE_LINK_RADIUS);
    }
    return frame;
}

/* Puts the plane under the foot, and sets the machine going so that this foot stands still. */
static void stand(AfxiCaseBuilder *builder, AfxiPlanar foot) {
    AfxPose plane = afx_pose_identity();
    plane.position.z = foot.z - FOOT_RADIUS;
    uint32_t count = builder->status == AFX_OK ? afx_scene_body_count(builder->scene) : 0;
    for (uint32_t k = 0; k < count && builder->status == AFX_OK; ++k) {
        AfxBodyDef body;
        AfxBodyId id = afx_scene_body(builder->scene, k);
        builder->status = afx_scene_get_body(builder->scene, id, &body);
        body.linear_velocity.x -= foot.vx;
        if (builder->status == AFX_OK) {
            builder->status = afx_scene_set_body(builder->scene, id, &body);
        }
    }
    afxi_case_ground(builder, plane);
}

static Place place_of(uint32_t k, uint32_t legs, bool ground) {
    if (!ground) {
        return (Place){.phase = 2 * AFXI_CASE_PI * k / legs, .y = k * APART};
    }
    uint32_t crank = k / 2;
    return (Place){.mirrored = k % 2, .foot = true, .phase = crank % 2 * AFXI_CASE_PI, .y = crank * 2 * APART};
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t legs = (uint32_t)args->values[LEGS];
    bool ground = args->values[GROUND] != 0;
    AfxiPlanar lowest = {0, INFINITY, 0, 0};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    if (ground) {
        afxi_case_touch(&builder, args->values[FRICTION]);
    }
    AfxBodyId frame = add_frame(&builder, legs * APART, ground);
    for (uint32_t k = 0; k < legs && builder.status == AFX_OK; ++k) {
        Place place = place_of(k, legs, ground);
        place.phase += args->values[PHASE] * AFXI_CASE_DEGREE;
        AfxiPlanar foot = add_leg(&builder, frame, place, args);
        lowest = foot.z < lowest.z ? foot : lowest;
    }
    if (ground) {
        stand(&builder, lowest);
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
