/* SPDX-License-Identifier: Apache-2.0 */
/* From a graph to a plan. */
#ifndef AFXI_SPARSE_PLAN_H
#define AFXI_SPARSE_PLAN_H

#include "sparse/block.h"

/** AFX_E_ARGUMENT: an index or a size out of range, a given order that is no permutation, an order that is not built in
 * (afxi_block_order_exists). AFX_E_LIMIT: the factor would not fit into the address space. On failure *out is empty. */
AfxStatus afxi_block_plan_create(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiBlockPlan *out);
void afxi_block_plan_destroy(AfxiBlockPlan *plan);
/** Adds the flops of each front to flops[group[b]], b its first block in the caller's numbers. */
void afxi_block_plan_flops(const AfxiBlockPlan *plan, const uint32_t *group, double *flops);
/** Bytes that the plan holds. */
size_t afxi_block_plan_bytes(const AfxiBlockPlan *plan);

#endif
