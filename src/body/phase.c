/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernel of phase fitting. */
#include "body/phase.h"

extern AfxiPhaseKernel afxi_phase_base_1, afxi_phase_base_2;
#ifdef AFXI_X86_VARIANTS
extern AfxiPhaseKernel afxi_phase_avx2_1, afxi_phase_avx2_4;
#endif

AfxiPhaseKernel *afxi_phase_kernel(uint32_t lanes) {
#ifdef AFXI_X86_VARIANTS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return lanes == 1 ? afxi_phase_avx2_1 : afxi_phase_avx2_4;
    }
#endif
    return lanes == 1 ? afxi_phase_base_1 : afxi_phase_base_2;
}
