/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that nothing ties to each other are islands: each has trees, rows, iterations and sub-steps of its own, so
 * that it goes as it would alone. Where anything can touch, all are one. */
#ifndef AFXI_REDUCED_ISLANDS_H
#define AFXI_REDUCED_ISLANDS_H

#include "reduced/inner.h"

typedef struct AfxiReducedIslands {
    struct AfxiReducedIslands *self;
    AfxAllocator allocator;
    AfxiWorld *world;
    uint32_t count;
    AfxiReduced *island;      /* [count] */
    uint32_t *of_joint;       /* [joints] its island */
    uint8_t *bodies, *joints; /* [count][bodies], [count][joints] whether they are of an island */
    void *raw;
    size_t raw_size;
} AfxiReducedIslands;

/** Finds them and makes their workspaces; on failure afxi_reduced_islands_release frees what there is. */
AfxStatus afxi_reduced_islands_make(AfxiReducedIslands *set, AfxiWorld *world);
void afxi_reduced_islands_release(AfxiReducedIslands *set);

#endif
