/* SPDX-License-Identifier: Apache-2.0 */
/* A hand that opens and closes, palm down: four fingers and a thumb of three phalanges on a palm that is fixed in the
 * world. Each knuckle has a servo of limited torque and stops; the other two joints of a digit follow its knuckle in
 * fixed ratios, as tendons make them. The digits move one after the other. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#include <stdio.h>

#define DIGITS 5
#define PHALANGES 3
#define RADIUS 0.008
#define CLOSE 0.7 /* rad: the knuckles' targets swing between 0 and twice this */
#define LAG 0.4   /* rad between one digit and the next */

enum { FREQUENCY, EFFORT, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [FREQUENCY] = {.name = "frequency",
                   .kind = AFXI_CASE_NUMBER,
                   .fallback = "0.5",
                   .min = 0,
                   .max = 100,
                   .help = "of opening and closing, Hz"},
    [EFFORT] = {.name = "effort",
                .kind = AFXI_CASE_NUMBER,
                .fallback = "0.2",
                .min = 1e-6,
                .max = INFINITY,
                .help = "largest torque of a servo, N m"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

typedef struct Digit {
    const char *name;
    AfxVec3 knuckle, along, axis; /* a positive angle about the axis bends it towards the palm */
    double lengths[PHALANGES];
} Digit;

static const Digit digits[DIGITS] = {
    {"index", {0.05, 0.033, 0}, {1, 0, 0}, {0, 1, 0}, {0.045, 0.026, 0.02}},
    {"middle", {0.05, 0.011, 0}, {1, 0, 0}, {0, 1, 0}, {0.05, 0.03, 0.022}},
    {"ring", {0.05, -0.011, 0}, {1, 0, 0}, {0, 1, 0}, {0.047, 0.028, 0.021}},
    {"little", {0.045, -0.033, 0}, {1, 0, 0}, {0, 1, 0}, {0.037, 0.021, 0.018}},
    {"thumb", {0, 0.05, 0}, {0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0.045, 0.032, 0.025}},
};
static const double ratios[PHALANGES] = {1, 0.9, 0.6}; /* of the knuckle's angle */

static void drive_knuckle(AfxiCaseBuilder *builder, AfxJointId knuckle, int digit, const AfxiCaseArguments *args) {
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    servo.joint = knuckle;
    servo.target =
        (AfxSignal){.kind = AFX_SIGNAL_SINE,
                    .coefficients = {CLOSE, -CLOSE, args->values[FREQUENCY], AFXI_CASE_PI / 2 - LAG * digit}};
    servo.stiffness = 2;
    servo.damping = 0.02;
    servo.effort = args->values[EFFORT];
    afxi_case_drive(builder, &servo);
    AfxDriveDef stops = afx_default_drive(AFX_DRIVE_LIMIT);
    stops.joint = knuckle;
    stops.lower = -0.3;
    stops.upper = 1.6;
    afxi_case_drive(builder, &stops);
}

static void couple(AfxiCaseBuilder *builder, AfxJointId knuckle, AfxJointId joint, double ratio) {
    AfxCouplingDef tendon = afx_default_coupling();
    tendon.term_count = 2;
    tendon.joint[0] = joint;
    tendon.factor[0] = 1;
    tendon.joint[1] = knuckle;
    tendon.factor[1] = -ratio;
    afxi_case_coupling(builder, &tendon);
}

static void add_digit(AfxiCaseBuilder *builder, AfxBodyId palm, int index, const AfxiCaseArguments *args) {
    const Digit *digit = &digits[index];
    AfxBodyId before = palm;
    AfxJointId knuckle = {0, 0};
    AfxVec3 at = digit->knuckle;
    for (int k = 0; k < PHALANGES; ++k) {
        double length = digit->lengths[k];
        char name[24];
        snprintf(name, sizeof(name), "%s-%d", digit->name, k + 1);
        AfxBodyDef body = afx_default_body();
        body.name = name;
        body.young = args->values[YOUNG];
        body.pose = afxi_case_frame(at, digit->along, digit->axis);
        AfxShapeDef rod = afxi_case_rod((AfxVec3){0, 0, 0}, (AfxVec3){length, 0, 0}, RADIUS);
        AfxBodyId phalanx = afxi_case_body(builder, &body);
        afxi_case_shape(builder, phalanx, &rod);
        AfxJointId joint =
            afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, before, phalanx, afx_frame_along(at, digit->axis));
        if (k == 0) {
            knuckle = joint;
            drive_knuckle(builder, knuckle, index, args);
        } else {
            couple(builder, knuckle, joint, ratios[k]);
        }
        at = afxi_case_add(at, afxi_case_scale(length, digit->along));
        before = phalanx;
    }
    afxi_case_marker(builder, before, digit->name, (AfxVec3){digit->lengths[PHALANGES - 1], 0, 0});
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxBodyDef body = afx_default_body();
    body.name = "palm";
    body.kind = AFX_BODY_FIXED;
    AfxShapeDef box = afx_default_box(0.1, 0.09, 0.025);
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId palm = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, palm, &box);
    for (int k = 0; k < DIGITS; ++k) {
        add_digit(&builder, palm, k, args);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_hand = {
    .name = "hand",
    .summary = "a hand of five digits: servos at the knuckles, the other joints coupled to them",
    .dt = 0.005,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
