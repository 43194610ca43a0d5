/* SPDX-License-Identifier: Apache-2.0 */
/* Planar: slides along x and y, turns about z. v_z . d = 0; u_z along v_z. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_planar = {
    .row_count = 3,
    .rows = {AFXI_ROW_OFFSET_ALONG(2), AFXI_ROWS_TURN(2, 0, 1)},
    .axis_count = 3,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_SLIDE(1), AFXI_AXIS_TURN(2, 0, 1)},
    .consistency_count = 1,
    .consistency = {{2, 2}},
};
