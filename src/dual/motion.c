/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernel of motion.h; and one body. */
#include "dual/motion.h"

#include "dual/tuning.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiMotionKernel, afxi_motion);

const AfxiMotionKernel *afxi_motion_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_motion, lanes);
}

bool afxi_motion_strained(const double expected[9], const double rotation[9]) {
    double square = 0;
    for (int k = 0; k < 9; k++) {
        square += (expected[k] - rotation[k]) * (expected[k] - rotation[k]);
    }
    return square < AFXI_STRAIN_EXPECTED * AFXI_STRAIN_EXPECTED;
}
