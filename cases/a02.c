/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark A02 of the IFToMM library: n four-bar loops side by side. n + 1 vertical rods stand on the ground points
 * (i, 0) and carry n horizontal ones between the points (i, 1); all are thin rods of 1 m, 1 kg, hinged about z; y is
 * up. At the start B0 = (0, 1) moves with 1 m/s along x: the vertical rods turn at -1 rad/s, the others translate.
 * Whenever all rods are in line the mechanism is at a singular position. B0(10) = (0.32845811154, 0.94451853818) for
 * n = 2; B0(20) = (0.41090115376, 0.91167990097) for n = 40. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

/* Second moment across a rod, m². The inertia about z is 1/12 kg m² whatever it is: the motion does not depend on it.
 */
#define THICKNESS 1e-6

enum { COUNT, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "n", .kind = AFXI_CASE_INTEGER, .fallback = "2", .min = 1, .max = 1e6, .help = "number of loops"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* The rod's frame is at its middle, x along it. */
static AfxBodyId add_rod(AfxiCaseBuilder *builder, bool vertical, uint32_t i, double young) {
    AfxBodyDef rod = afx_default_body();
    rod.mass_source = AFX_MASS_GIVEN;
    rod.mass = 1;
    rod.inertia[0] = 2 * THICKNESS;
    rod.inertia[1] = rod.inertia[2] = 1.0 / 12;
    rod.young = young;
    if (vertical) {
        rod.pose = afx_frame_along((AfxVec3){i, 0.5, 0}, (AfxVec3){0, 1, 0});
        rod.linear_velocity.x = 0.5;
        rod.angular_velocity.z = -1;
    } else {
        rod.pose.position = (AfxVec3){i + 0.5, 1, 0};
        rod.linear_velocity.x = 1;
    }
    return afxi_case_body(builder, &rod);
}

static void add_hinge(AfxiCaseBuilder *builder, AfxBodyId base, AfxBodyId follower, double x, double y) {
    AfxPose frame = afx_frame_along((AfxVec3){x, y, 0}, (AfxVec3){0, 0, 1});
    afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, base, follower, frame);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t count = (uint32_t)args->values[COUNT];
    double young = args->values[YOUNG];
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, -9.81, 0});
    AfxBodyId before = add_rod(&builder, true, 0, young);
    afxi_case_marker(&builder, before, "B0", (AfxVec3){0.5, 0, 0});
    add_hinge(&builder, afx_world(), before, 0, 0);
    for (uint32_t i = 0; i < count && builder.status == AFX_OK; ++i) {
        AfxBodyId across = add_rod(&builder, false, i, young);
        AfxBodyId after = add_rod(&builder, true, i + 1, young);
        add_hinge(&builder, before, across, i, 1);
        add_hinge(&builder, across, after, i + 1, 1);
        add_hinge(&builder, afx_world(), after, i + 1, 0);
        before = after;
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_a02 = {
    .name = "a02",
    .summary = "benchmark A02: n four-bar loops side by side, through their singular positions",
    .dt = 0.001,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
