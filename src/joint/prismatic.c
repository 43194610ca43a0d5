/* SPDX-License-Identifier: Apache-2.0 */
/* Prismatic: slides along x. v_y . d = v_z . d = 0, no rotation. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_prismatic = {
    .row_count = 5,
    .rows = {AFXI_ROW_OFFSET_ALONG(1), AFXI_ROW_OFFSET_ALONG(2), AFXI_ROWS_LOCKED},
    .axis_count = 1,
    .axes = {AFXI_AXIS_SLIDE(0)},
    .consistency_count = 3,
    .consistency = {{0, 0}, {1, 1}, {2, 2}},
};
