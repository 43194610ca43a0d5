/* SPDX-License-Identifier: Apache-2.0 */
/* Free: no rows; it only measures, and carries drives. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_free = {
    .axis_count = 6,
    .axes = {AFXI_AXIS_SLIDE(0), AFXI_AXIS_SLIDE(1), AFXI_AXIS_SLIDE(2), AFXI_AXES_CARDAN},
};
