/* SPDX-License-Identifier: Apache-2.0 */
/* A gripper with two parallel fingers closes on a box of 0.05 m, lifts it by 0.2 m and holds it there by friction
 * alone. Each finger slides on the hand, moved by a servo of limited force F that closes it further than the box
 * allows; the box stays where 2 mu F > m (g + a). The hand rises in one second from t = 1 s on. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define EDGE 0.05
#define LIFT 0.2
#define OPEN 0.02 /* m between a finger and the box at the start */
#define FINGER_X 0.012
#define FINGER_Y 0.03
#define FINGER_Z 0.08
#define REACH 0.015 /* m, the fingers' tips above the floor */
#define CLOSE 0.04  /* m/s, of a finger */
#define SAMPLES 43  /* of the lift */

enum { EFFORT, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [EFFORT] = {.name = "effort",
                .kind = AFXI_CASE_NUMBER,
                .fallback = "5",
                .min = 1e-3,
                .max = 1e4,
                .help = "largest force of a finger's servo, N"},
    [FRICTION] = AFXI_CASE_FRICTION("0.5"),
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

/* Smooth from 0 to LIFT between one and two seconds: 6 x^5 - 15 x^4 + 10 x^3. */
static void lift_table(double out_times[SAMPLES], double out_values[SAMPLES]) {
    for (int k = 0; k < SAMPLES; ++k) {
        double x = (k - 1.0) / (SAMPLES - 3), on = x < 0 ? 0 : x > 1 ? 1 : x;
        out_times[k] = 1 + x;
        out_values[k] = LIFT * on * on * on * (10 + on * (6 * on - 15));
    }
}

static AfxBodyId add_box(AfxiCaseBuilder *builder, const char *name, AfxVec3 size, AfxVec3 at, double young) {
    AfxBodyDef body = afx_default_body();
    body.name = name;
    body.young = young;
    body.pose.position = at;
    AfxShapeDef box = afx_default_box(size.x, size.y, size.z);
    AfxBodyId id = afxi_case_body(builder, &body);
    afxi_case_shape(builder, id, &box);
    return id;
}

/* The finger on the side of +x or -x, whose servo pushes it towards the middle. */
static void add_finger(AfxiCaseBuilder *builder, AfxBodyId hand, int side, const AfxiCaseArguments *args) {
    AfxVec3 at = {side * (EDGE / 2 + OPEN + FINGER_X / 2), 0, REACH + FINGER_Z / 2};
    AfxBodyId finger =
        add_box(builder, side < 0 ? "left" : "right", (AfxVec3){FINGER_X, FINGER_Y, FINGER_Z}, at, args->values[YOUNG]);
    AfxPose slide = afx_frame_along(at, (AfxVec3){-side, 0, 0});
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    servo.joint = afxi_case_joint_at(builder, AFX_JOINT_PRISMATIC, hand, finger, slide);
    servo.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, CLOSE}};
    servo.stiffness = 1000;
    servo.damping = 10;
    servo.effort = args->values[EFFORT];
    afxi_case_drive(builder, &servo);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double young = args->values[YOUNG], top = REACH + FINGER_Z + 0.01, times[SAMPLES], values[SAMPLES];
    AfxVec3 over = {0, 0, top + 0.01};
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, afx_pose_identity());
    AfxBodyId hand = add_box(&builder, "hand", (AfxVec3){0.14, 0.04, 0.02}, over, young);
    AfxDriveDef lift = afx_default_drive(AFX_DRIVE_POSITION);
    lift.joint =
        afxi_case_joint_at(&builder, AFX_JOINT_PRISMATIC, afx_world(), hand, afx_frame_along(over, (AfxVec3){0, 0, 1}));
    lift_table(times, values);
    lift.target = (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = SAMPLES};
    afxi_case_drive(&builder, &lift);
    add_finger(&builder, hand, -1, args);
    add_finger(&builder, hand, 1, args);
    AfxBodyId box = add_box(&builder, "box", (AfxVec3){EDGE, EDGE, EDGE}, (AfxVec3){0, 0, EDGE / 2}, young);
    afxi_case_marker(&builder, box, "gripped", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_grasp = {
    .name = "grasp",
    .summary = "a gripper of two fingers closes on a box, lifts it and holds it by friction",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
