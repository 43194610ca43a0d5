/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernel of motion.h. */
#include "dual/motion.h"

#include "math/variant.h"

AFXI_BUILDS(const AfxiMotionKernel, afxi_motion);

const AfxiMotionKernel *afxi_motion_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_motion, lanes);
}
