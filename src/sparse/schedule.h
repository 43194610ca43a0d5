/* SPDX-License-Identifier: Apache-2.0 */
/* When each front is done. */
#ifndef AFXI_SPARSE_SCHEDULE_H
#define AFXI_SPARSE_SCHEDULE_H

#include "sparse/tree.h"

/** Stages, groups, jobs; which fronts are batched. */
AfxStatus afxi_tree_schedule(const AfxAllocator *allocator, AfxiBlockTree *tree);

#endif
