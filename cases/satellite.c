/* SPDX-License-Identifier: Apache-2.0 */
/* A free-floating satellite unfolds seven panels that are folded as a fan: panel k is at the angle ±ψ to the bus, odd
 * ones up and even ones down, and ψ goes from 80 to 5 degrees and back as a cosine. All seven hinges have a position
 * drive; bars tie every second panel to stay parallel (one bar is doubled), so that two drives would be enough: the
 * mechanism is overactuated and overconstrained, and floats. Folding struts of two rods bridge six of the hinges.
 * 26 bodies, 37 hinges and 7 drives, as in the quaternion paper, Tab. 5. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/planar.h"

#define PANELS 7
#define BUS 1.0        /* m, a cube */
#define LENGTH 0.8     /* of a panel, hinge to hinge */
#define WIDTH 1.0      /* along y */
#define HORN 0.15      /* from a hinge to the bars, back along the panels */
#define STRUT 0.3      /* from a hinge to the ends of its strut */
#define STRUT_ROD 0.33 /* of the strut's two rods: together longer than 2 STRUT */
#define FOLDED (80 * AFXI_CASE_DEGREE)
#define UNFOLDED (5 * AFXI_CASE_DEGREE)

enum { DURATION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [DURATION] = {.name = "duration",
                  .kind = AFXI_CASE_NUMBER,
                  .fallback = "10",
                  .min = 0.1,
                  .max = 1e6,
                  .help = "of the deployment, s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

typedef struct Wing {
    AfxBodyId bodies[PANELS + 1];  /* the bus, then the panels */
    AfxiPlanar hinges[PANELS + 1]; /* hinge k joins bodies k and k + 1; the last is the tip */
} Wing;

/* Where hinge k is on body k: the bus's own frame is in its middle. */
static double hinge_along(int k) {
    return k == 0 ? BUS / 2 : LENGTH;
}

static AfxBodyId add_bus(AfxiCaseBuilder *builder, double young) {
    AfxBodyDef body = afx_default_body();
    body.name = "bus";
    body.young = young;
    AfxShapeDef box = afx_default_box(BUS, BUS, BUS);
    box.density = 300;
    AfxBodyId bus = afxi_case_body(builder, &body);
    afxi_case_shape(builder, bus, &box);
    return bus;
}

/* ψ = mean + half the range times cos(π t / duration), times the factor. */
static void drive_hinge(AfxiCaseBuilder *builder, AfxJointId joint, double factor, double duration) {
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
    drive.joint = joint;
    drive.target = (AfxSignal){.kind = AFX_SIGNAL_SINE,
                               .coefficients = {factor * (FOLDED + UNFOLDED) / 2, factor * (FOLDED - UNFOLDED) / 2,
                                                0.5 / duration, AFXI_CASE_PI / 2}};
    afxi_case_drive(builder, &drive);
}

static void add_panels(AfxiCaseBuilder *builder, Wing *wing, const AfxiCaseArguments *args) {
    AfxShapeDef plate = afx_default_box(LENGTH, WIDTH, 0.02);
    plate.pose.position.x = LENGTH / 2;
    wing->hinges[0] = afxi_planar_point(BUS / 2, 0);
    for (int k = 0; k < PANELS; ++k) {
        double up = k % 2 == 0 ? 1 : -1;
        AfxiPlanar from = wing->hinges[k];
        AfxiPlanar to = afxi_planar_crank(from, LENGTH, up * FOLDED, 0);
        AfxBodyId panel = afxi_planar_link(builder, NULL, from, to, 0, args->values[YOUNG]);
        afxi_case_shape(builder, panel, &plate);
        AfxJointId joint = afxi_planar_hinge(builder, wing->bodies[k], afxi_planar_frame(hinge_along(k), 0, 0), panel,
                                             afxi_planar_frame(0, 0, 0));
        drive_hinge(builder, joint, k == 0 ? 1 : 2 * up, args->values[DURATION]);
        wing->bodies[k + 1] = panel;
        wing->hinges[k + 1] = to;
    }
}

/* Ties the panels on either side of panel k (from 1) so that they stay parallel. */
static void add_bar(AfxiCaseBuilder *builder, const Wing *wing, int k, double y, double young) {
    AfxiPlanar before = wing->hinges[k - 2], hinge = wing->hinges[k - 1], next = wing->hinges[k];
    AfxiPlanar from = afxi_planar_on(before, hinge, LENGTH - HORN, 0);
    AfxiPlanar to = {from.x + next.x - hinge.x, from.z + next.z - hinge.z, 0, 0};
    AfxBodyId bar = afxi_planar_link(builder, NULL, from, to, y, young);
    afxi_planar_rod(builder, bar, 0, 0, LENGTH, 0);
    afxi_planar_hinge(builder, wing->bodies[k - 1], afxi_planar_frame(LENGTH - HORN, 0, y), bar,
                      afxi_planar_frame(0, 0, 0));
    afxi_planar_hinge(builder, bar, afxi_planar_frame(LENGTH, 0, 0), wing->bodies[k + 1],
                      afxi_planar_frame(-HORN, 0, y));
}

/* Bridges hinge k, between panels k and k + 1 (from 1). */
static void add_strut(AfxiCaseBuilder *builder, const Wing *wing, int k, double y, double young) {
    AfxiPlanar from = afxi_planar_on(wing->hinges[k - 1], wing->hinges[k], LENGTH - STRUT, 0);
    AfxiPlanar to = afxi_planar_on(wing->hinges[k], wing->hinges[k + 1], STRUT, 0);
    AfxiPlanar elbow = afxi_planar_dyad(from, STRUT_ROD, to, STRUT_ROD, k % 2 == 0 ? 1 : -1);
    AfxPose origin = afxi_planar_frame(0, 0, 0), end = afxi_planar_frame(STRUT_ROD, 0, 0);
    AfxBodyId first = afxi_planar_link(builder, NULL, from, elbow, y, young);
    AfxBodyId second = afxi_planar_link(builder, NULL, to, elbow, y, young);
    afxi_planar_rod(builder, first, 0, 0, STRUT_ROD, 0);
    afxi_planar_rod(builder, second, 0, 0, STRUT_ROD, 0);
    afxi_planar_hinge(builder, wing->bodies[k], afxi_planar_frame(LENGTH - STRUT, 0, y), first, origin);
    afxi_planar_hinge(builder, wing->bodies[k + 1], afxi_planar_frame(STRUT, 0, y), second, origin);
    afxi_planar_hinge(builder, first, end, second, end);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double young = args->values[YOUNG];
    Wing wing = {0};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    wing.bodies[0] = add_bus(&builder, young);
    add_panels(&builder, &wing, args);
    for (int k = 2; k < PANELS; ++k) {
        add_bar(&builder, &wing, k, 0.55 * WIDTH, young);
    }
    add_bar(&builder, &wing, 2, -0.55 * WIDTH, young);
    for (int k = 1; k < PANELS; ++k) {
        add_strut(&builder, &wing, k, -0.6 * WIDTH, young);
    }
    afxi_case_marker(&builder, wing.bodies[PANELS], "tip", (AfxVec3){LENGTH, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_satellite = {
    .name = "satellite",
    .summary = "a floating satellite unfolds its panels: 7 drives for 2 degrees of freedom, and bars besides",
    .dt = 0.033,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
