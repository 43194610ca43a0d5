/* SPDX-License-Identifier: Apache-2.0 */
/* Cylindrical: slides along x and turns about it. v_y . d = v_z . d = 0; u_x along v_x. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_cylindrical = {
    .row_count = 4,
    .rows = {AFXI_ROW_OFFSET_ALONG(1), AFXI_ROW_OFFSET_ALONG(2), AFXI_ROWS_TURN(0, 1, 2)},
    .axis_count = 2,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_TURN(0, 1, 2)},
    .consistency_count = 1,
    .consistency = {{0, 0}},
};
