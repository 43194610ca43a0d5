/* SPDX-License-Identifier: Apache-2.0 */
/* Approximate minimum degree (Amestoy, Davis, Duff 1996) on a graph that is given as cliques. */
#ifndef AFXI_SPARSE_DEGREE_H
#define AFXI_SPARSE_DEGREE_H

#include "sparse/block.h"

/** order [count] <- the blocks in the order of approximate minimum degree. */
AfxStatus afxi_order_degree(const AfxAllocator *allocator, const AfxiBlockGraph *graph, uint32_t *order);

#endif
