/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel axes: slides any way and turns about x. u_x along v_x. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_parallel_axes = {
    .row_count = 2,
    .rows = {AFXI_ROWS_TURN(0, 1, 2)},
    .axis_count = 4,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_SLIDE(1), AFXI_AXIS_SLIDE(2), AFXI_AXIS_TURN(0, 1, 2)},
    .consistency_count = 1,
    .consistency = {{0, 0}},
};
