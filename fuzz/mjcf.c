/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as MJCF. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_load(AFX_FORMAT_MJCF, data, size);
    return 0;
}
