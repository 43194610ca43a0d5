/* SPDX-License-Identifier: Apache-2.0 */
/* A crank of r = 0.1 m driven to the angle ω t exactly, a connecting rod of l = 0.3 m and a slider along x. The slider
 * is at x = r cos ωt + sqrt(l² - r² sin² ωt), whatever the masses are. In space the three hinges and the slide have
 * three rows more than the plane mechanism needs. */
#include "cases/planar.h"

#define CRANK 0.1
#define ROD 0.3
#define SLIDER 0.05

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double omega = args->values[AFXI_CRANK_OMEGA], young = args->values[AFXI_CRANK_YOUNG];
    AfxiPlanar pivot = afxi_planar_point(0, 0);
    AfxiPlanar pin = afxi_planar_crank(pivot, CRANK, 0, omega);
    AfxiPlanar wrist = afxi_planar_point(CRANK + ROD, 0); /* dead centre: at rest */
    AfxPose origin = afxi_planar_frame(0, 0, 0);
    AfxShapeDef box = afx_default_box(SLIDER, SLIDER, SLIDER);

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId crank = afxi_planar_link(&builder, "crank", pivot, pin, 0, young);
    afxi_planar_rod(&builder, crank, 0, 0, CRANK, 0);
    AfxBodyId rod = afxi_planar_link(&builder, "rod", pin, wrist, 0, young);
    afxi_planar_rod(&builder, rod, 0, 0, ROD, 0);
    AfxBodyId slider = afxi_planar_link(&builder, "slider", wrist, afxi_planar_point(1, 0), 0, young);
    afxi_case_shape(&builder, slider, &box);
    AfxJointId motor = afxi_planar_hinge(&builder, afx_world(), origin, crank, origin);
    afxi_planar_hinge(&builder, crank, afxi_planar_frame(CRANK, 0, 0), rod, origin);
    afxi_planar_hinge(&builder, rod, afxi_planar_frame(ROD, 0, 0), slider, origin);
    afxi_case_joint_between(&builder, AFX_JOINT_PRISMATIC, afx_world(), afx_pose_identity(), slider,
                            afx_pose_identity());
    afxi_case_drive_line(&builder, AFX_DRIVE_POSITION, motor, 0, omega);
    afxi_case_marker(&builder, slider, "slider", (AfxVec3){0, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_slider_crank = {
    .name = "slider-crank",
    .summary = "a crank with prescribed angle moves a slider: x = r cos ωt + sqrt(l² - r² sin² ωt)",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(afxi_crank_parameters),
    .build = build,
};
