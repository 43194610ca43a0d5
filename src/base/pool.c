/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for one stage of a step. */
#include "base/pool.h"

#include <string.h>

#define ALIGNMENT 64u
#define CHUNK_LEAST ((size_t)1 << 16)

static size_t rounded(size_t size) {
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void afxi_pool_create(AfxiPool *pool, const AfxAllocator *base) {
    *pool = (AfxiPool){.base = *base};
}

static void release_chunks(AfxiPool *pool) {
    for (uint32_t k = 0; k < pool->count; k++) {
        pool->base.reallocate(pool->base.user, pool->chunk[k], pool->size[k], 0);
    }
    pool->count = 0;
}

void afxi_pool_destroy(AfxiPool *pool) {
    if (pool->base.reallocate) {
        release_chunks(pool);
    }
}

static bool add_chunk(AfxiPool *pool, size_t least) {
    size_t last = pool->count ? pool->size[pool->count - 1] : 0, size = 2 * last > CHUNK_LEAST ? 2 * last : CHUNK_LEAST;
    size = least > size ? least : size;
    if (pool->count == AFXI_POOL_CHUNKS) {
        return false;
    }
    void *chunk = pool->base.reallocate(pool->base.user, NULL, 0, size);
    if (!chunk) {
        return false;
    }
    pool->chunk[pool->count] = chunk;
    pool->size[pool->count++] = size;
    pool->used = 0;
    pool->grown++;
    return true;
}

/* Several chunks become one, so that the next time one is enough. */
void afxi_pool_reset(AfxiPool *pool) {
    size_t total = 0;
    for (uint32_t k = 0; k < pool->count; k++) {
        total += pool->size[k];
    }
    if (pool->count > 1) {
        release_chunks(pool);
        add_chunk(pool, total); /* if not, it will be asked for again */
    }
    pool->used = 0;
}

static void *take(AfxiPool *pool, size_t size) {
    size_t wanted = rounded(size) + ALIGNMENT;
    if (wanted < size) {
        return NULL;
    }
    if ((!pool->count || pool->size[pool->count - 1] - pool->used < wanted) && !add_chunk(pool, wanted)) {
        return NULL;
    }
    unsigned char *block = pool->chunk[pool->count - 1] + pool->used;
    pool->used += wanted;
    return block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;
}

static void *pool_reallocate(void *user, void *ptr, size_t old_size, size_t new_size) {
    if (new_size == 0) {
        return NULL;
    }
    void *block = take(user, new_size);
    if (block && ptr) {
        memcpy(block, ptr, old_size < new_size ? old_size : new_size);
    }
    return block;
}

AfxAllocator afxi_pool_allocator(AfxiPool *pool) {
    return (AfxAllocator){pool_reallocate, pool};
}
