/* SPDX-License-Identifier: Apache-2.0 */
/* Distance (rod): (|d|² - l²) / 2l = 0, which is a length and whose multiplier is the rod's force. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_distance = {
    .row_count = 1,
    .rows = {{AFXI_ROW_DISTANCE, 0, 0, 1, 0}},
};
