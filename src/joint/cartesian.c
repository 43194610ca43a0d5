/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian: slides any way, no rotation. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_cartesian = {
    .row_count = 3,
    .rows = {AFXI_ROWS_LOCKED},
    .axis_count = 3,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_SLIDE(1), AFXI_AXIS_SLIDE(2)},
    .consistency_count = 3,
    .consistency = {{0, 0}, {1, 1}, {2, 2}},
};
