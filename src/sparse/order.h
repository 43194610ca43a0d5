/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of elimination: of our own, and of the libraries that are built in. */
#ifndef AFXI_SPARSE_ORDER_H
#define AFXI_SPARSE_ORDER_H

#include "sparse/tree.h"

/** A graph in other labels. */
typedef struct AfxiRelabelled {
    AfxiBlockGraph graph;
    uint32_t *block, *label;                          /* [count] block of a label, label of a block */
    uint32_t *size, *start, *member, *given, *clique; /* what graph points to; clique of a new one */
    int8_t *sign;
    AfxiRaw raw;
} AfxiRelabelled;

/** Whether labels along the graph would make planning faster. */
bool afxi_relabel_wanted(const AfxiBlockGraph *graph);
/** Labels along the graph. */
AfxStatus afxi_relabel(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiRelabelled *out);
void afxi_relabel_destroy(const AfxAllocator *allocator, AfxiRelabelled *relabelled);

/** order [count] <- the blocks in the order of approximate minimum degree. */
AfxStatus afxi_order_degree(const AfxAllocator *allocator, const AfxiBlockGraph *graph, uint32_t *order);
/** The same by AMD or METIS; AFX_E_ARGUMENT when it is not built in. */
AfxStatus afxi_order_library(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockOrder which,
                             uint32_t *order);

#endif
