/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark A01 of the IFToMM library: the simple pendulum. A point mass of 1 kg, 1 m from its pivot, released at rest
 * from (-1, 0); y is up. Period 2.367841947576237 s; at t = 10 s it is at (-0.27508746258, -0.96141920510).
 * The mass is given a rotary inertia of 1e-12 kg m², which lengthens the period by 5e-13 of itself. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define INERTIA 1e-12

enum { JOINT, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [JOINT] = {.name = "joint",
               .kind = AFXI_CASE_CHOICE,
               .fallback = "hinge",
               .choices = {"hinge", "ball", "rod"},
               .help = "what holds the mass: a hinge about z, a ball joint, or a distance"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_SPHERICAL, AFX_JOINT_DISTANCE};
    AfxBodyDef body = afx_default_body();
    body.name = "mass";
    body.mass_source = AFX_MASS_GIVEN;
    body.mass = 1;
    for (int k = 0; k < 3; ++k) {
        body.inertia[k] = INERTIA;
    }
    body.pose.position.x = -1;
    body.young = args->values[YOUNG];
    AfxJointDef joint = afx_default_joint(kinds[(int)args->values[JOINT]]);
    joint.base_frame = afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1});
    joint.follower_frame = joint.base_frame;
    joint.follower_frame.position.x = joint.kind == AFX_JOINT_DISTANCE ? 0 : 1;
    joint.length = joint.kind == AFX_JOINT_DISTANCE ? 1 : 0;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, -9.81, 0});
    joint.follower = afxi_case_body(&builder, &body);
    afxi_case_joint(&builder, &joint);
    afxi_case_marker(&builder, joint.follower, "mass", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_a01 = {
    .name = "a01",
    .summary = "benchmark A01: a point mass 1 m from its pivot, released from the horizontal",
    .dt = 0.001,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
