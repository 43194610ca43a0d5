/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps along a Newton step, and how they are brought to what it was to leave. */
#ifndef AFXI_BARRIER_BEND_H
#define AFXI_BARRIER_BEND_H

#include "barrier/inner.h"

/** Watches contacts whose barrier the Newton step leaves far behind, and nothing else; and keeps how all gaps change
 * along it. AFX_E_MEMORY. */
AfxStatus afxi_barrier_watch_step(AfxiBarrier *work);
/** Adds forces to x [unknowns] that bring contacts at AFXI_TRIED to the gaps that the step was to leave them, to first
 * order. How much of such a gap is missing at most comes back. */
double afxi_barrier_bend(const AfxiBarrier *work, double *x);

#endif
