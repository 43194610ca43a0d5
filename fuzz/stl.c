/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an STL file. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_mesh(AFXI_MESH_FILE_STL, data, size);
    return 0;
}
