/* SPDX-License-Identifier: Apache-2.0 */
/* Orders by AMD (amd.h) and METIS (metis.h), each where the build has found it. */
#ifndef AFXI_SPARSE_LIBRARY_H
#define AFXI_SPARSE_LIBRARY_H

#include "sparse/block.h"

bool afxi_block_order_exists(AfxiBlockOrder order);
/** The same by AMD or METIS; AFX_E_ARGUMENT when it is not built in. */
AfxStatus afxi_order_library(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockOrder which,
                             uint32_t *order);

#endif
