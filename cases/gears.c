/* SPDX-License-Identifier: Apache-2.0 */
/* Spur gears on hinges in a row (after Fig. 1 of affine body dynamics, 2022, which has 28): the first is driven, the
 * last has a brake, and nothing but the contact of their teeth turns those between. Flanks are involutes, so that all
 * turn by the same angle but for the play between their teeth. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define TEETH 12u
#define RADIUS 0.1 /* m, of the pitch circle */
#define MODULE (2 * RADIUS / TEETH)
#define PRESSURE (20 * AFXI_CASE_DEGREE)
#define PLAY 0.02  /* rad, that a tooth is narrower than the space that it is in */
#define THICK 0.03 /* m */
#define FLANK 4u   /* points of a flank */
#define POINTS (2 * FLANK * TEETH)
#define DENSITY 7800.0

enum { GEARS, OMEGA, BRAKE, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [GEARS] =
        {.name = "gears", .kind = AFXI_CASE_INTEGER, .fallback = "4", .min = 1, .max = 1000, .help = "in the row"},
    [OMEGA] = {.name = "omega",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "3",
               .min = -100,
               .max = 100,
               .help = "rad/s, of the first"},
    [BRAKE] = {.name = "brake",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "0.5",
               .min = 0,
               .max = 1000,
               .help = "N m s/rad, of the last"},
    [FRICTION] = AFXI_CASE_FRICTION("0.1"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static double involute(double angle) {
    return tan(angle) - angle;
}

/* Half of a tooth's angle at a radius. */
static double half_tooth(double radius) {
    double base = RADIUS * cos(PRESSURE), at = radius > base ? acos(base / radius) : 0;
    return 0.5 * (AFXI_CASE_PI / TEETH - PLAY) + involute(PRESSURE) - involute(at);
}

static void outline(double out[2 * POINTS]) {
    double root = RADIUS - 1.25 * MODULE, base = RADIUS * cos(PRESSURE), tip = RADIUS + MODULE;
    for (uint32_t k = 0; k < POINTS; ++k) { /* up one flank, down the other */
        uint32_t at = k % (2 * FLANK), step = at < FLANK ? at : 2 * FLANK - 1 - at;
        double radius = step == 0 ? root : base + (tip - base) * (step - 1) / (FLANK - 2);
        double half = half_tooth(radius), middle = 2 * AFXI_CASE_PI * (k / (2 * FLANK)) / TEETH;
        double angle = middle + (at < FLANK ? -half : half);
        out[2 * k] = radius * cos(angle);
        out[2 * k + 1] = radius * sin(angle);
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    static const AfxVec3 up = {0, 0, 1};
    uint32_t gears = (uint32_t)args->values[GEARS];
    double points[2 * POINTS], vertices[3 * (2 * POINTS + 2)], omega = args->values[OMEGA];
    uint32_t triangles[12 * POINTS];
    outline(points);
    afxi_case_extrude(points, POINTS, THICK, vertices, triangles);
    AfxShapeDef mesh = afx_default_mesh(vertices, 2 * POINTS + 2, triangles, 4 * POINTS);
    mesh.density = DENSITY;
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    for (uint32_t k = 0; k < gears && builder.status == AFX_OK; ++k) { /* teeth of one in the spaces of the other */
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose.position = (AfxVec3){2 * RADIUS * k, 0, 0};
        body.pose.rotation = afx_quat_from_axis_angle(up, k % 2 ? AFXI_CASE_PI / TEETH : 0);
        body.angular_velocity = afxi_case_scale(k % 2 ? -omega : omega, up);
        AfxBodyId gear = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, gear, &mesh);
        AfxJointId hinge = afxi_case_joint_at(&builder, AFX_JOINT_REVOLUTE, afx_world(), gear,
                                              afx_frame_along(body.pose.position, up));
        if (k == 0) {
            afxi_case_drive_line(&builder, AFX_DRIVE_POSITION, hinge, 0, omega);
        }
        if (k + 1 == gears) {
            AfxDriveDef brake = afx_default_drive(AFX_DRIVE_SPRING);
            brake.joint = hinge;
            brake.damping = args->values[BRAKE];
            afxi_case_drive(&builder, &brake);
            afxi_case_marker(&builder, gear, "rim", (AfxVec3){RADIUS, 0, 0});
        }
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_gears = {
    .name = "gears",
    .summary = "a row of spur gears that turn each other by their teeth; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
