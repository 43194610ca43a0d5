/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for what lives as long as one stage of a step: handed out from chunks that stay, given back all at once. After
 * the first steps there is one chunk that is large enough, and nothing is allocated any more. */
#ifndef AFXI_BASE_POOL_H
#define AFXI_BASE_POOL_H

#include "affix/base.h"

#define AFXI_POOL_CHUNKS 24u

typedef struct AfxiPool {
    AfxAllocator base;
    unsigned char *chunk[AFXI_POOL_CHUNKS];
    size_t size[AFXI_POOL_CHUNKS];
    uint32_t count; /* of chunks */
    size_t used;    /* of the last one */
    uint64_t grown; /* how often a chunk was added */
} AfxiPool;

void afxi_pool_create(AfxiPool *pool, const AfxAllocator *base);
void afxi_pool_destroy(AfxiPool *pool);
/** Gives back all that was handed out. */
void afxi_pool_reset(AfxiPool *pool);
/** An allocator that hands out from the pool; what is freed comes back with the next reset. */
AfxAllocator afxi_pool_allocator(AfxiPool *pool);

#endif
