/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination order and structure of a graph. */
#ifndef AFXI_SPARSE_ORDER_H
#define AFXI_SPARSE_ORDER_H

#include "affix/base.h"

/** Neighbours of each node when it is eliminated. */
typedef struct AfxiElimination {
    uint32_t *order; /* [count] */
    uint32_t **list; /* [count] by node: neighbours not yet eliminated then */
    uint32_t *length;
    uint32_t *capacity;
    uint32_t count;
} AfxiElimination;

/** Minimum degree: always eliminates a node with the fewest neighbours, of equals the one touched last. Deterministic.
 */
AfxStatus afxi_minimum_degree(const AfxAllocator *allocator, uint32_t count, uint32_t edge_count, const uint32_t *edge,
                              AfxiElimination *out);
void afxi_elimination_destroy(const AfxAllocator *allocator, AfxiElimination *elimination);

#endif
