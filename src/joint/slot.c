/* SPDX-License-Identifier: Apache-2.0 */
/* Slot: slides along x and turns any way. v_y . d = v_z . d = 0. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_slot = {
    .row_count = 2,
    .rows = {AFXI_ROW_OFFSET_ALONG(1), AFXI_ROW_OFFSET_ALONG(2)},
    .axis_count = 4,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXES_CARDAN},
};
