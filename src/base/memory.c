/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through the caller's allocator. Sizes are checked before they are multiplied. */
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"
#include "base/released.h"

#include <stdlib.h>
#include <string.h>

#define LARGE_ARRAY 65536u
#define ITEMS_MOST (UINT32_C(1) << 31)

#ifdef __linux__
#include <sys/mman.h>
#define LARGE_BLOCK ((size_t)4 << 20)
#define PAGE ((uintptr_t)4096)

/* Large blocks are swept from end to end every step: large pages spare most of the address translation, and most of the
 * faults when they are first touched. Only advice: it may fail. Advice for all pages that the block has a part of is
 * advice for the whole mapping of a large block; for a part of it, the system would cut the mapping in two, and could
 * not move it any more when the block grows. */
static void advise(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
    uintptr_t begin = (uintptr_t)block & ~(PAGE - 1), end = ((uintptr_t)block + size + PAGE - 1) & ~(PAGE - 1);
    if (block && size >= LARGE_BLOCK) {
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    }
#endif
}
#else
static void advise(void *block, size_t size) {
    (void)block;
    (void)size;
}
#endif

static void *standard_reallocate(void *user, void *ptr, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    advise(block, new_size);
    return block;
}

AfxAllocator afx_default_allocator(void) {
    return (AfxAllocator){standard_reallocate, NULL};
}

void *afxi_allocate(const AfxAllocator *allocator, size_t size) {
    void *block = size ? allocator->reallocate(allocator->user, NULL, 0, size) : NULL;
    if (block) {
        memset(block, 0, size);
    }
    return block;
}

void afxi_release(const AfxAllocator *allocator, void *block, size_t size) {
    if (block) {
#if defined(AFXI_ASSERTIONS)
        memset(block, AFXI_RELEASED_BYTE, size < AFXI_RELEASED_BYTES ? size : AFXI_RELEASED_BYTES);
#endif
        allocator->reallocate(allocator->user, block, size, 0);
    }
}

AfxStatus afxi_array_reserve(const AfxAllocator *allocator, void **array, uint32_t *capacity, uint32_t count,
                             size_t item_size) {
    if (count <= *capacity) {
        return AFX_OK;
    }
    uint64_t wanted = *capacity ? *capacity : 8;
    while (wanted < count) { /* large arrays grow by half: what is too much counts there */
        wanted += wanted < LARGE_ARRAY ? wanted : wanted / 2;
    }
    if (count > ITEMS_MOST || wanted > UINT32_MAX || wanted > SIZE_MAX / item_size) {
        return AFX_E_LIMIT;
    }
    void *grown = allocator->reallocate(allocator->user, *array, *capacity * item_size, (size_t)wanted * item_size);
    if (!grown) {
        return AFX_E_MEMORY;
    }
    *array = grown;
    *capacity = (uint32_t)wanted;
    return AFX_OK;
}

void *afxi_duplicate(const AfxAllocator *allocator, const void *source, size_t size) {
    void *copy = size ? allocator->reallocate(allocator->user, NULL, 0, size) : NULL;
    if (copy) {
        memcpy(copy, source, size);
    }
    return copy;
}

void *afxi_arena_take(AfxiArena *arena, size_t count, size_t item_size) {
    size_t limit = SIZE_MAX / 2;
    if (item_size && count > limit / item_size) {
        arena->overflow = true;
        return NULL;
    }
    size_t size = (count * item_size + AFXI_ALIGNMENT - 1) / AFXI_ALIGNMENT * AFXI_ALIGNMENT;
    if (size > limit - arena->used) {
        arena->overflow = true;
        return NULL;
    }
    void *part = arena->base ? arena->base + arena->used : NULL;
    arena->used += size;
    return part;
}

void *afxi_allocate_partly(const AfxAllocator *allocator, size_t size, size_t zeroed, void **out_raw,
                           size_t *out_raw_size) {
    *out_raw = NULL;
    *out_raw_size = 0;
    if (size > SIZE_MAX - AFXI_ALIGNMENT) {
        return NULL;
    }
    size_t raw_size = size + AFXI_ALIGNMENT;
    void *raw = allocator->reallocate(allocator->user, NULL, 0, raw_size);
    if (!raw) {
        return NULL;
    }
    *out_raw = raw;
    *out_raw_size = raw_size;
    uintptr_t address = (uintptr_t)raw;
    return memset((unsigned char *)raw + (AFXI_ALIGNMENT - address % AFXI_ALIGNMENT) % AFXI_ALIGNMENT, 0, zeroed);
}

void *afxi_allocate_aligned(const AfxAllocator *allocator, size_t size, void **out_raw, size_t *out_raw_size) {
    return afxi_allocate_partly(allocator, size, size, out_raw, out_raw_size);
}
