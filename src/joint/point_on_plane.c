/* SPDX-License-Identifier: Apache-2.0 */
/* Point on plane: slides along x and y and turns any way. v_z . d = 0. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_point_on_plane = {
    .row_count = 1,
    .rows = {AFXI_ROW_OFFSET_ALONG(2)},
    .axis_count = 5,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_SLIDE(1), AFXI_AXES_CARDAN},
};
