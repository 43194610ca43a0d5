/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of a wide kernel runs here, for kernels that are built where AFXI_WIDE_PAYS (simd.h): two lanes of the
 * machine's default instructions; with fused multiply-add four, or one to compare with. */
#ifndef AFXI_MATH_VARIANT_H
#define AFXI_MATH_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

/* Each has those before it. AVX2 comes with fused multiply-add. */
typedef enum AfxiInstructions {
    AFXI_INSTRUCTIONS_BASE,
    AFXI_INSTRUCTIONS_AVX2,
    AFXI_INSTRUCTIONS_AVX512
} AfxiInstructions;

/* An environment variable that asks for fewer than the processor has, to see here what another one computes. */
#define AFXI_INSTRUCTIONS_VARIABLE "AFFIX_INSTRUCTION_SET"

/** What kernels are chosen by: all that the processor has, or what is asked for; found once. */
AfxiInstructions afxi_instructions(void);
/** The same, found anew; false where something is asked for that is not there. */
bool afxi_instructions_asked(AfxiInstructions *out);

typedef enum AfxiWideBuild { AFXI_BUILD_BASE_2, AFXI_BUILD_AVX2_1, AFXI_BUILD_AVX2_4 } AfxiWideBuild;

/** The build for a lane count: one lane, or the widest that pays (0 and all other counts). */
AfxiWideBuild afxi_wide_build(uint32_t lanes);

/* AFXI_BUILDS declares a kernel's builds, AFXI_BUILD_OF is the address of the one for a lane count. */
#ifdef AFXI_X86_VARIANTS
#define AFXI_BUILDS(type, name) extern type name##_base_2, name##_avx2_1, name##_avx2_4
#define AFXI_BUILD_OF(name, lanes)                                  \
    (afxi_wide_build(lanes) == AFXI_BUILD_BASE_2   ? &name##_base_2 \
     : afxi_wide_build(lanes) == AFXI_BUILD_AVX2_1 ? &name##_avx2_1 \
                                                   : &name##_avx2_4)
#else
#define AFXI_BUILDS(type, name) extern type name##_base_2
#define AFXI_BUILD_OF(name, lanes) ((void)(lanes), &name##_base_2)
#endif

#endif
