/* SPDX-License-Identifier: Apache-2.0 */
/* Which components come near anything in a step: only these are solved with barriers. */
#ifndef AFXI_BARRIER_REACH_H
#define AFXI_BARRIER_REACH_H

#include "barrier/inner.h"

/** Foresees the boxes that shapes sweep in the step that begins, and marks all bodies of the components that come near
 * something in work->reached [bodies]. What it comes to is a function of the state alone. AFX_E_MEMORY, AFX_E_LIMIT. */
AfxStatus afxi_barrier_reach(AfxiBarrier *work);
/** After the step: shapes that have left their boxes make them larger. *out_more: components came near for that which
 * were not, and work->reached has them too: the step is to be done again. */
AfxStatus afxi_barrier_reach_check(AfxiBarrier *work, bool *out_more);

#endif
