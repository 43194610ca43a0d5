/* SPDX-License-Identifier: Apache-2.0 */
/* Universal: x of the base and y of the follower form the cross. x_a = x_b; u_y . v_x = 0. The second angle is read
 * from u_z . v_x and u_x . v_x. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_universal = {
    .row_count = 4,
    .rows = {AFXI_ROWS_POINT, {AFXI_ROW_DIRECTION, 1, 0, -1, 5}},
    .axis_count = 2,
    .axes = {AFXI_AXIS_TURN(0, 1, 2), {AFXI_AXIS_ROTATION, 1, 2, 0, 0, 0, 1, 1}},
};
