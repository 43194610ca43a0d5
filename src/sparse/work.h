/* SPDX-License-Identifier: Apache-2.0 */
/* Where update matrices stand. */
#ifndef AFXI_SPARSE_WORK_H
#define AFXI_SPARSE_WORK_H

#include "sparse/tree.h"

/** Where update matrices stand, and vectors; the length in plan. */
AfxStatus afxi_tree_work(const AfxAllocator *allocator, AfxiBlockTree *tree, AfxiBlockPlan *plan);

#endif
