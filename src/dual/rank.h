/* SPDX-License-Identifier: Apache-2.0 */
/* Rank of the dual matrix. */
#ifndef AFXI_DUAL_RANK_H
#define AFXI_DUAL_RANK_H

#include "dual/system.h"
#include "dual/tuning.h"

/** Rank of K over the active rows for the present jacobians and inverses (H definite). AFX_E_LIMIT beyond
 * AFXI_RANK_ROWS rows unless the graph has no loops; needs memory while it runs. */
AfxStatus afxi_dual_rank(AfxiSystem *system, const AfxAllocator *allocator, uint32_t *out_rank);

#endif
