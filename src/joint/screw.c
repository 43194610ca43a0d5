/* SPDX-License-Identifier: Apache-2.0 */
/* Screw: a cylindrical joint; that it advances by its pitch as it turns is a relation between its two coordinates. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_screw = {
    .row_count = 4,
    .rows = {AFXI_ROW_OFFSET_ALONG(1), AFXI_ROW_OFFSET_ALONG(2), AFXI_ROWS_TURN(0, 1, 2)},
    .axis_count = 2,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_TURN(0, 1, 2)},
    .consistency_count = 1,
    .consistency = {{0, 0}},
};
