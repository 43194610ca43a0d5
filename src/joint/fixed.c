/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed: no motion. x_a = x_b; u_y . v_z = u_z . v_x = u_x . v_y = 0. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_fixed = {
    .row_count = 6,
    .rows = {AFXI_ROWS_POINT, AFXI_ROWS_LOCKED},
    .consistency_count = 3,
    .consistency = {{0, 0}, {1, 1}, {2, 2}},
};
