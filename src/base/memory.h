/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through the caller's allocator: plain blocks, growing arrays, and one aligned block cut into parts. */
#ifndef AFXI_BASE_MEMORY_H
#define AFXI_BASE_MEMORY_H

#include "affix/base.h"

/* Vector loads, cache lines: every part of an arena starts on such a boundary. */
#define AFXI_ALIGNMENT 64u

/** A block of `size` bytes, zeroed; NULL when there is none or size is 0. */
void *afxi_allocate(const AfxAllocator *allocator, size_t size);
/** Frees a block of afxi_allocate or afxi_array_reserve; size as it was asked for. */
void afxi_release(const AfxAllocator *allocator, void *block, size_t size);
/** Makes room for `count` items of `item_size` in *array of capacity *capacity (doubling); the array is
 * unchanged on failure. */
AfxStatus afxi_array_reserve(const AfxAllocator *allocator, void **array, uint32_t *capacity, uint32_t count,
                             size_t item_size);
/** A copy of `size` bytes; NULL when there is no memory. */
void *afxi_duplicate(const AfxAllocator *allocator, const void *source, size_t size);

/** One aligned block handed out in parts. First pass: base NULL, count the bytes; second pass: hand out. */
typedef struct AfxiArena {
    unsigned char *base; /* aligned; NULL while counting */
    size_t used;
    bool overflow;
} AfxiArena;

/** The next part, for count items of item_size; NULL while counting. */
void *afxi_arena_take(AfxiArena *arena, size_t count, size_t item_size);

/** A block of `size` usable bytes, zeroed, from an AFXI_ALIGNMENT boundary on. *out_raw is what to release. */
void *afxi_allocate_aligned(const AfxAllocator *allocator, size_t size, void **out_raw, size_t *out_raw_size);
/** The same, of which only the first `zeroed` bytes are: what is written before it is read need not be touched. */
void *afxi_allocate_partly(const AfxAllocator *allocator, size_t size, size_t zeroed, void **out_raw,
                           size_t *out_raw_size);

#endif
