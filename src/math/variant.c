/* SPDX-License-Identifier: Apache-2.0 */
/* What the processor can do. */
#include "math/variant.h"

AfxiWideBuild afxi_wide_build(uint32_t lanes) {
#ifdef AFXI_X86_VARIANTS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return lanes == 1 ? AFXI_BUILD_AVX2_1 : AFXI_BUILD_AVX2_4;
    }
#endif
    (void)lanes;
    return AFXI_BUILD_BASE_2;
}
