/* SPDX-License-Identifier: Apache-2.0 */
/* Rectangular: slides along x and y. v_z . d = 0, no rotation. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_rectangular = {
    .row_count = 4,
    .rows = {AFXI_ROW_OFFSET_ALONG(2), AFXI_ROWS_LOCKED},
    .axis_count = 2,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_SLIDE(1)},
    .consistency_count = 3,
    .consistency = {{0, 0}, {1, 1}, {2, 2}},
};
