/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a step, for one sim by itself and for several side by side (lanes.h). */
#ifndef AFXI_REDUCED_STEP_H
#define AFXI_REDUCED_STEP_H

#include "reduced/islands.h"

/** A step of all islands, AfxiReducedIslands *set, each by itself. */
AfxStatus afxi_reduced_step(void *set, AfxStepReport *report);
/** What a step begins with, before its islands (advance.h). A status other than AFX_OK: it is refused, and nothing has
 * begun. */
AfxStatus afxi_reduced_step_begin(AfxiReducedIslands *set, AfxStepReport *report);
/** What an island's step tells. */
void afxi_reduced_step_tell(const AfxiReduced *work, AfxStepReport *report);
/** The end: results of all islands are committed, or `failed` (NULL: none) is one that has none, and all is put back.
 * stiff: a body that was too stiff for it, or AFXI_TREE_NONE. */
AfxStatus afxi_reduced_step_end(AfxiReducedIslands *set, const AfxiReduced *failed, uint32_t stiff,
                                AfxStepReport *report);

#endif
