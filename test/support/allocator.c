/* SPDX-License-Identifier: Apache-2.0 */
/* Every block carries its size in front; a resized block always moves, so that a stale pointer shows. */
#include "support/allocator.h"

#include <stdlib.h>
#include <string.h>

/* As large as malloc's alignment. */
#define HEADER 16u

static void release(TestAllocator *counts, void *ptr, size_t size) {
    unsigned char *raw = (unsigned char *)ptr - HEADER;
    size_t known;
    memcpy(&known, raw, sizeof known);
    counts->errors += known != size;
    counts->live -= known;
    free(raw);
}

static void *reallocate(void *user, void *ptr, size_t old_size, size_t new_size) {
    TestAllocator *counts = user;
    if (new_size == 0) {
        counts->frees++;
        if (ptr) {
            release(counts, ptr, old_size);
        }
        return NULL;
    }
    counts->calls++;
    if (counts->fail_at && (counts->calls == counts->fail_at || (counts->fail_on && counts->calls > counts->fail_at))) {
        return NULL;
    }
    unsigned char *raw = malloc(new_size + HEADER);
    if (!raw) {
        return NULL;
    }
    memcpy(raw, &new_size, sizeof new_size);
    memset(raw + HEADER, 0xA5, new_size); /* memory is not zero by itself */
    counts->live += new_size;
    if (ptr) {
        memcpy(raw + HEADER, ptr, old_size < new_size ? old_size : new_size);
        release(counts, ptr, old_size);
    }
    counts->peak = counts->live > counts->peak ? counts->live : counts->peak;
    return raw + HEADER;
}

AfxAllocator test_allocator(TestAllocator *counts) {
    return (AfxAllocator){reallocate, counts};
}
