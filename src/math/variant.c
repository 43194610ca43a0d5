/* SPDX-License-Identifier: Apache-2.0 */
/* What the processor can do, and what it is asked to do of it. */
#include "math/variant.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"base", "avx2", "avx512"};

static AfxiInstructions of_processor(void) {
#ifdef AFXI_X86_VARIANTS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        bool wider = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
        return wider ? AFXI_INSTRUCTIONS_AVX512 : AFXI_INSTRUCTIONS_AVX2;
    }
#endif
    return AFXI_INSTRUCTIONS_BASE;
}

bool afxi_instructions_asked(AfxiInstructions *out) {
    const char *asked = getenv(AFXI_INSTRUCTIONS_VARIABLE);
    AfxiInstructions most = of_processor();
    *out = most;
    if (!asked || !*asked) {
        return true;
    }
    for (AfxiInstructions k = AFXI_INSTRUCTIONS_BASE; k <= most; k++) {
        if (strcmp(asked, names[k]) == 0) {
            *out = k;
            return true;
        }
    }
    return false;
}

AfxiInstructions afxi_instructions(void) {
    static atomic_int known; /* one more than the number */
    int found = atomic_load_explicit(&known, memory_order_relaxed);
    if (!found) { /* threads that come here together find the same */
        AfxiInstructions own;
        (void)afxi_instructions_asked(&own); /* what is not there is refused where a sim is made */
        found = (int)own + 1;
        atomic_store_explicit(&known, found, memory_order_relaxed);
    }
    return (AfxiInstructions)(found - 1);
}

AfxiWideBuild afxi_wide_build(uint32_t lanes) {
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX2) {
        return lanes == 1 ? AFXI_BUILD_AVX2_1 : AFXI_BUILD_AVX2_4;
    }
    return AFXI_BUILD_BASE_2;
}
