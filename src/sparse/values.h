/* SPDX-License-Identifier: Apache-2.0 */
/* Where A and L stand. */
#ifndef AFXI_SPARSE_VALUES_H
#define AFXI_SPARSE_VALUES_H

#include "sparse/block.h"
#include "sparse/tree.h"

/** The spot of rows of block i and columns of block j, for i before or after j alike; it belongs to the plan, not to a
 * factor, and is to be kept: finding it takes a search. Blocks (i, j) and (j, i) are one place, so a pair is added
 * once; of a block (i, i) only r >= c counts. False when there is no room for the block, as no clique holds both. */
bool afxi_block_spot(const AfxiBlockPlan *plan, uint32_t i, uint32_t j, AfxiBlockSpot *out);
/** Where A stands, and panels; the lengths in plan. */
AfxStatus afxi_tree_values(const AfxiBlockGraph *graph, AfxiBlockTree *tree, AfxiBlockPlan *plan);

#endif
