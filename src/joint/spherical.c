/* SPDX-License-Identifier: Apache-2.0 */
/* Spherical (ball): x_a = x_b. Its angles are Cardan angles: about x, then y, then z. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_spherical = {
    .row_count = 3,
    .rows = {AFXI_ROWS_POINT},
    .axis_count = 3,
    .axes = {AFXI_AXES_CARDAN},
};
