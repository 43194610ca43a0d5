/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as SDF. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_load(AFX_FORMAT_SDF, data, size);
    return 0;
}
