/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that grow. The first failure is kept, and nothing is added after it. */
#ifndef AFXI_OUT_BYTES_H
#define AFXI_OUT_BYTES_H

#include "affix/base.h"

typedef struct AfxiBytes {
    AfxAllocator allocator;
    unsigned char *data; /* [size] of [capacity] */
    size_t size, capacity;
    AfxStatus status; /* AFX_OK while there is no failure */
} AfxiBytes;

AfxiBytes afxi_bytes_begin(const AfxAllocator *allocator);
/** Room for `size` bytes more, which the caller fills; NULL when there is none. */
void *afxi_bytes_extend(AfxiBytes *bytes, size_t size);
void afxi_bytes_add(AfxiBytes *bytes, const void *data, size_t size);
/** Zeros up to the next multiple of `alignment`. */
void afxi_bytes_align(AfxiBytes *bytes, size_t alignment);
void afxi_bytes_destroy(AfxiBytes *bytes);

#endif
