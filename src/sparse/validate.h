/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of a plan of elimination and of a factor, stated by AFXI_ASSERT. */
#ifndef AFXI_SPARSE_VALIDATE_H
#define AFXI_SPARSE_VALIDATE_H

#include "sparse/block.h"

/** Every row is a pivot of one front; what a front hands on has the size of its separator and a place in its parent. */
void afxi_block_plan_validate(const AfxiBlockPlan *plan);
/** After afxi_block_factor: pivots are numbers and have their block's sign, unless its report tells of wrong ones. They
 * may be infinite: solver iterations that run away reach that, and are judged by their residual. */
void afxi_block_factor_validate(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor,
                                const AfxiBlockReport *report);

#endif
