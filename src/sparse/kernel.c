/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernels for this machine. */
#include "sparse/kernel.h"

#include "math/variant.h"

#define KERNEL(isa, lanes)                                                               \
    extern const AfxiAssembleKernel afxi_assemble_kernel_##isa##_##lanes;                \
    extern const AfxiFrontKernel afxi_front_kernel_##isa##_##lanes;                      \
    extern const AfxiBatchKernel afxi_batch_kernel_##isa##_##lanes;                      \
    extern const AfxiSolveKernel afxi_solve_kernel_##isa##_##lanes;                      \
    static const AfxiBlockKernel isa##_##lanes = {&afxi_assemble_kernel_##isa##_##lanes, \
                                                  &afxi_front_kernel_##isa##_##lanes,    \
                                                  &afxi_batch_kernel_##isa##_##lanes,    \
                                                  &afxi_solve_kernel_##isa##_##lanes,    \
                                                  lanes,                                 \
                                                  #isa};

KERNEL(base, 1)
KERNEL(base, 2)
#ifdef AFXI_X86_VARIANTS
KERNEL(avx2, 1)
KERNEL(avx2, 2)
KERNEL(avx2, 4)
#endif

const AfxiBlockKernel *afxi_block_kernel(uint32_t lanes) {
#ifdef AFXI_X86_VARIANTS
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX2) {
        switch (lanes) {
        case 1:
            return &avx2_1;
        case 2:
            return &avx2_2;
        case 0:
        case 4:
            return &avx2_4;
        default:
            return NULL;
        }
    }
#endif
    switch (lanes) {
    case 1:
        return &base_1;
    case 0:
    case 2:
        return &base_2;
    default:
        return NULL;
    }
}
