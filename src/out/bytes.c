/* SPDX-License-Identifier: Apache-2.0 */
/* Growing bytes: doubling, with sizes that cannot overflow. */
#include "out/bytes.h"

#include <string.h>

#include "base/memory.h"

#define FIRST 4096u

AfxiBytes afxi_bytes_begin(const AfxAllocator *allocator) {
    return (AfxiBytes){.allocator = *allocator};
}

void *afxi_bytes_extend(AfxiBytes *bytes, size_t size) {
    if (bytes->status != AFX_OK) {
        return NULL;
    }
    if (size > bytes->capacity - bytes->size) {
        if (size > SIZE_MAX / 4 || bytes->size > SIZE_MAX / 4) {
            bytes->status = AFX_E_LIMIT;
            return NULL;
        }
        size_t wanted = 2 * (bytes->size + size);
        wanted = wanted < FIRST ? FIRST : wanted;
        void *grown = bytes->allocator.reallocate(bytes->allocator.user, bytes->data, bytes->capacity, wanted);
        if (!grown) {
            bytes->status = AFX_E_MEMORY;
            return NULL;
        }
        bytes->data = grown;
        bytes->capacity = wanted;
    }
    bytes->size += size;
    return bytes->data + (bytes->size - size);
}

void afxi_bytes_add(AfxiBytes *bytes, const void *data, size_t size) {
    void *room = size ? afxi_bytes_extend(bytes, size) : NULL;
    if (room) {
        memcpy(room, data, size);
    }
}

void afxi_bytes_align(AfxiBytes *bytes, size_t alignment) {
    size_t rest = bytes->size % alignment;
    void *room = rest ? afxi_bytes_extend(bytes, alignment - rest) : NULL;
    if (room) {
        memset(room, 0, alignment - rest);
    }
}

void afxi_bytes_destroy(AfxiBytes *bytes) {
    afxi_release(&bytes->allocator, bytes->data, bytes->capacity);
    *bytes = (AfxiBytes){.allocator = bytes->allocator};
}
