/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers blocks depth first and cliques as they are met, so that what belongs together stands together in memory. */
#ifndef AFXI_SPARSE_RELABEL_H
#define AFXI_SPARSE_RELABEL_H

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

#endif
