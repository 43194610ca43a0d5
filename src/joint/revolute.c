/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute: turns about x. x_a = x_b; u_x along v_x. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_revolute = {
    .row_count = 5,
    .rows = {AFXI_ROWS_POINT, AFXI_ROWS_TURN(0, 1, 2)},
    .axis_count = 1,
    .axes = {AFXI_AXIS_TURN(0, 1, 2)},
    .consistency_count = 1,
    .consistency = {{0, 0}},
};
