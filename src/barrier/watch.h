/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that a Newton step would run through, and the paths of those that it does not. */
#ifndef AFXI_BARRIER_WATCH_H
#define AFXI_BARRIER_WATCH_H

#include "barrier/inner.h"

/** Forgets what is watched. */
void afxi_barrier_watch_clear(AfxiBarrier *work);
/** Watches a candidate from the next iteration on. AFX_E_MEMORY. */
AfxStatus afxi_barrier_watch(AfxiBarrier *work, const AfxiCandidate *candidate);
/** Watches contacts whose barrier the Newton step leaves far behind, and nothing else; and keeps how all gaps change
 * along it. AFX_E_MEMORY. */
AfxStatus afxi_barrier_watch_step(AfxiBarrier *work);
/** Brings what is watched into an order, for the next function. */
void afxi_barrier_watch_sort(AfxiBarrier *work);
/** Whether a candidate is watched. */
bool afxi_barrier_is_watched(const AfxiBarrier *work, const AfxiCandidate *candidate);
/** Stiffness of a barrier kappa B from the gap d to where the forces of an impact will hold it. */
double afxi_barrier_secant(const AfxiBarrier *work, double kappa, double d);
/** Adds forces to x [unknowns] that bring contacts at AFXI_TRIED to the gaps that the step was to leave them, to first
 * order. How much of such a gap is missing at most comes back. */
double afxi_barrier_bend(const AfxiBarrier *work, double *x);

#endif
