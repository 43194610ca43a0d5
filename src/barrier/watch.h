/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that a Newton step would run through. */
#ifndef AFXI_BARRIER_WATCH_H
#define AFXI_BARRIER_WATCH_H

#include "barrier/inner.h"

/** Forgets what is watched. */
void afxi_barrier_watch_clear(AfxiBarrier *work);
/** Watches a candidate from the next iteration on. AFX_E_MEMORY. */
AfxStatus afxi_barrier_watch(AfxiBarrier *work, const AfxiCandidate *candidate);
/** Brings what is watched into an order, for the next function. */
void afxi_barrier_watch_sort(AfxiBarrier *work);
/** Whether a candidate is watched. */
bool afxi_barrier_is_watched(const AfxiBarrier *work, const AfxiCandidate *candidate);
/** The gap that steps through the barrier at the gap d are not to leave behind. */
double afxi_barrier_low_gap(const AfxiBarrier *work, double d);
/** Stiffness of a barrier kappa B from the gap d to where the forces of an impact will hold it. */
double afxi_barrier_secant(const AfxiBarrier *work, double kappa, double d);

#endif
