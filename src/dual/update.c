/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of the kernel of update.h runs. */
#include "dual/update.h"

#include "math/variant.h"

AFXI_BUILDS(const AfxiUpdateKernel, afxi_update);

const AfxiUpdateKernel *afxi_update_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_update, lanes);
}
