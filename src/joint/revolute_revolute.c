/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute-revolute: a link without mass between parallel hinges, about x of both. v_x . d = 0; (|d|² - l²) / 2l = 0;
 * u_x along v_x. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_revolute_revolute = {
    .row_count = 4,
    .rows = {AFXI_ROW_OFFSET_ALONG(0), {AFXI_ROW_DISTANCE, 0, 0, 1, 0}, AFXI_ROWS_TURN(0, 1, 2)},
    .axis_count = 1,
    .axes = {AFXI_AXIS_TURN(0, 1, 2)},
    .consistency_count = 1,
    .consistency = {{0, 0}},
};
