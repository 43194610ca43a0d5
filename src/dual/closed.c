/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernels of closed.h and motion.h. */
#include "dual/closed.h"

#include "dual/motion.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiClosedKernel, afxi_closed_bodies);
AFXI_BUILDS(const AfxiClosedJointKernel, afxi_closed_joints);
AFXI_BUILDS(const AfxiMotionKernel, afxi_motion);

const AfxiClosedKernel *afxi_closed_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_closed_bodies, lanes);
}

const AfxiClosedJointKernel *afxi_closed_joint_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_closed_joints, lanes);
}

const AfxiMotionKernel *afxi_motion_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_motion, lanes);
}
