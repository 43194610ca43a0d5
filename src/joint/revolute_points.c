/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute by points: two points of the axis, one metre apart, are held together: the published linear hinge with six
 * rows, one of them redundant. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_revolute_points = {
    .row_count = 6,
    .rows = {AFXI_ROWS_POINT, {AFXI_ROW_TIP, 0, 0, 1, 0}, {AFXI_ROW_TIP, 1, 0, 1, 1}, {AFXI_ROW_TIP, 2, 0, 1, 2}},
    .axis_count = 1,
    .axes = {AFXI_AXIS_TURN(0, 1, 2)},
    .consistency_count = 1,
    .consistency = {{0, 0}},
};
