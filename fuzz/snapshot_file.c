/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a snapshot file: refused, or every section lies inside them. The first byte chooses: the bytes as they
 * are, or with the head of a snapshot before them and checksums that fit, so that sections are walked. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "out/snapshot.h"

/* The sections that the bytes have, and one that they may not have. */
static void walk(const unsigned char *bytes, size_t size) {
    static const char *const names[] = {"state", "command", "account", "trace", "trajectory", "csv", "a", ""};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const void *data = NULL;
        size_t length = 0;
        if (afxi_snapshot_find(bytes, size, names[k], &data, &length)) {
            const unsigned char *at = data;
            fuzz_expect(at >= bytes && at <= bytes + size && length <= (size_t)(bytes + size - at),
                        "a section lies outside the file");
            unsigned sum = 0;
            for (size_t j = 0; j < length; j++) {
                sum += at[j];
            }
            fuzz_expect(sum <= 255 * length, "bytes are bytes");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    AfxiSnapshotHead head = {
        .magic = AFXI_SNAPSHOT_MAGIC, .version = AFXI_SNAPSHOT_VERSION, .order = AFXI_SNAPSHOT_ORDER};
    if (size < 1) {
        return 0;
    }
    bool sealed = data[0] & 1;
    size_t before = sealed ? sizeof head : 0, length = before + size - 1;
    unsigned char *bytes = malloc(length ? length : 1); /* exactly as long as the file: a read beyond it is seen */
    AfxStatus status;
    fuzz_expect(bytes != NULL, "no memory");
    memcpy(bytes, &head, before);
    memcpy(bytes + before, data + 1, size - 1);
    if (sealed) {
        afxi_snapshot_seal(bytes, length);
    }
    const char *fault = afxi_snapshot_fault(bytes, length, &status);
    fuzz_expect(!fault || status == AFX_E_INPUT || status == AFX_E_VERSION, "a fault without its status");
    walk(bytes, length); /* also what is refused must be safe to walk */
    free(bytes);
    return 0;
}
