/* SPDX-License-Identifier: Apache-2.0 */
/* Multipliers that are shared by weights (solve/share.h), backwards: W lambda = J y, J^T lambda = J^T of any lambda. */
#ifndef AFXI_GRAD_SHARE_H
#define AFXI_GRAD_SHARE_H

#include "grad/sweep.h"
#include "solve/share.h"

/** pass->lambda, of the objective by multipliers as they are told after a step with these entries, becomes that by
 * multipliers as the equations have them; what J adds goes to pass->more, param and rate. The entries that end the step
 * get the multipliers that were told, which meet their equations as well. AFX_E_NUMERIC: loads that cannot be shared,
 * or elastic bodies, whose constraints repeat each other nearly but not quite. */
AfxStatus afxi_grad_share(AfxiGradWork *work, AfxiShare *share, AfxiGradEntry *const *entry, uint32_t count,
                          const AfxiGradPass *pass);

#endif
