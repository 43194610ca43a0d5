/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of elimination: of our own, and of the libraries that are built in. */
#ifndef AFXI_SPARSE_ORDER_H
#define AFXI_SPARSE_ORDER_H

#include "sparse/block.h"

/** order [count] <- the blocks in the order of approximate minimum degree. */
AfxStatus afxi_order_degree(const AfxAllocator *allocator, const AfxiBlockGraph *graph, uint32_t *order);
/** The same by AMD or METIS; AFX_E_ARGUMENT when it is not built in. */
AfxStatus afxi_order_library(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockOrder which,
                             uint32_t *order);

#endif
