/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernel of phase fitting. */
#include "body/phase.h"

#include "math/variant.h"

AFXI_BUILDS(const AfxiPhaseKernel, afxi_phase);

const AfxiPhaseKernel *afxi_phase_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_phase, lanes);
}
