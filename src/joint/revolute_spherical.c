/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute-spherical: a link without mass from a hinge about x of the base to a ball on the follower. v_x . d = 0;
 * (|d|² - l²) / 2l = 0. */
#include "joint/kind.h"

const AfxiJointKind afxi_joint_revolute_spherical = {
    .row_count = 2,
    .rows = {AFXI_ROW_OFFSET_ALONG(0), {AFXI_ROW_DISTANCE, 0, 0, 1, 0}},
};
