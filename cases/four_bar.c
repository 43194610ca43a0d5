/* SPDX-License-Identifier: Apache-2.0 */
/* A crank-rocker: ground 0.3 m, crank 0.1 m at constant speed, coupler 0.3 m with a third point, rocker 0.25 m. By
 * Grashof's rule (0.1 + 0.3 <= 0.25 + 0.3) the crank turns round and the rocker swings. */
#include "cases/planar.h"

#define GROUND 0.3
#define CRANK 0.1
#define COUPLER 0.3
#define ROCKER 0.25
#define POINT_ALONG 0.15 /* the coupler's third point */
#define POINT_ACROSS 0.1

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    double omega = args->values[AFXI_CRANK_OMEGA], young = args->values[AFXI_CRANK_YOUNG];
    AfxiPlanar left = afxi_planar_point(0, 0), right = afxi_planar_point(GROUND, 0);
    AfxiPlanar pin = afxi_planar_crank(left, CRANK, 0, omega);
    AfxiPlanar top = afxi_planar_dyad(pin, COUPLER, right, ROCKER, 1);
    AfxPose origin = afxi_planar_frame(0, 0, 0);

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    AfxBodyId crank = afxi_planar_link(&builder, "crank", left, pin, 0, young);
    afxi_planar_rod(&builder, crank, 0, 0, CRANK, 0);
    AfxBodyId coupler = afxi_planar_link(&builder, "coupler", pin, top, 0, young);
    afxi_planar_rod(&builder, coupler, 0, 0, COUPLER, 0);
    afxi_planar_rod(&builder, coupler, POINT_ALONG, 0, POINT_ALONG, POINT_ACROSS);
    AfxBodyId rocker = afxi_planar_link(&builder, "rocker", right, top, 0, young);
    afxi_planar_rod(&builder, rocker, 0, 0, ROCKER, 0);
    AfxJointId motor = afxi_planar_hinge(&builder, afx_world(), origin, crank, origin);
    afxi_planar_hinge(&builder, crank, afxi_planar_frame(CRANK, 0, 0), coupler, origin);
    afxi_planar_hinge(&builder, coupler, afxi_planar_frame(COUPLER, 0, 0), rocker, afxi_planar_frame(ROCKER, 0, 0));
    afxi_planar_hinge(&builder, afx_world(), afxi_planar_frame(GROUND, 0, 0), rocker, origin);
    afxi_case_drive_line(&builder, AFX_DRIVE_VELOCITY, motor, omega, 0);
    afxi_case_marker(&builder, coupler, "coupler", (AfxVec3){POINT_ALONG, 0, POINT_ACROSS});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_four_bar = {
    .name = "four-bar",
    .summary = "a crank-rocker, its crank driven at constant speed",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(afxi_crank_parameters),
    .build = build,
};
