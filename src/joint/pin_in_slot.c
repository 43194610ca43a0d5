/* SPDX-License-Identifier: Apache-2.0 */
/* Pin in slot: slides along x and turns about y. v_y . d = v_z . d = 0; u_y along v_y. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_pin_in_slot = {
    .row_count = 4,
    .rows = {AFXI_ROW_OFFSET_ALONG(1), AFXI_ROW_OFFSET_ALONG(2), AFXI_ROWS_TURN(1, 2, 0)},
    .axis_count = 2,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_TURN(1, 2, 0)},
    .consistency_count = 1,
    .consistency = {{1, 1}},
};
