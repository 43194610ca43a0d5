/* SPDX-License-Identifier: Apache-2.0 */
/* A body at rest on a tilted plane that descends along x. With slope angle a and friction mu,
 *     a box holds when mu >= tan a, else slides with g (sin a - mu cos a);
 *     a ball (c = 2/5) or cylinder (c = 1/2) of inertia c m r^2 rolls with g sin a / (1 + c) when
 *     mu >= tan a / (1 + 1/c), else slips. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define RADIUS 0.5 /* m; the box is as high, and twice as long and wide */

enum { ANGLE, FRICTION, SHAPE, YOUNG };
enum { BOX, SPHERE, CYLINDER };

static const AfxiCaseParameter parameters[] = {
    [ANGLE] = {.name = "angle",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "30",
               .min = -80,
               .max = 80,
               .help = "of the slope, degrees"},
    [FRICTION] = AFXI_CASE_FRICTION("0.2"),
    [SHAPE] = {.name = "shape",
               .kind = AFXI_CASE_CHOICE,
               .fallback = "box",
               .choices = {"box", "sphere", "cylinder"},
               .help = "the cylinder lies across the slope"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static AfxShapeDef shape_of(int choice) {
    if (choice == BOX) {
        return afx_default_box(2 * RADIUS, 2 * RADIUS, RADIUS);
    }
    AfxShapeDef shape = choice == SPHERE ? afx_default_sphere(RADIUS) : afx_default_cylinder(RADIUS, 2 * RADIUS);
    shape.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, AFXI_CASE_PI / 2);
    return shape;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    int choice = (int)args->values[SHAPE];
    AfxPose slope = afx_pose_identity();
    slope.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, args->values[ANGLE] * AFXI_CASE_DEGREE);
    AfxBodyDef body = afx_default_body();
    body.name = "block";
    body.young = args->values[YOUNG];
    body.pose.position = afx_quat_rotate(slope.rotation, (AfxVec3){0, 0, choice == BOX ? RADIUS / 2 : RADIUS});
    body.pose.rotation = slope.rotation;
    AfxShapeDef shape = shape_of(choice);

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, slope);
    AfxBodyId block = afxi_case_body(&builder, &body);
    afxi_case_shape(&builder, block, &shape);
    afxi_case_marker(&builder, block, "block", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_incline = {
    .name = "incline",
    .summary = "a box, ball or cylinder on a tilted plane: holds, slides or rolls",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
