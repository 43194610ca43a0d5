/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that a Newton step leads to, with the forces that they would have. */
#ifndef AFXI_BARRIER_WATCH_H
#define AFXI_BARRIER_WATCH_H

#include "barrier/inner.h"

/** Forgets what is watched. */
void afxi_barrier_watch_clear(AfxiBarrier *work);
/** Watches a candidate from the next iteration on, which the step leads to with a force; negative: not known.
 * AFX_E_MEMORY. */
AfxStatus afxi_barrier_watch(AfxiBarrier *work, const AfxiCandidate *candidate, double force);
/** Brings what is watched into an order, each once, for the next function. */
void afxi_barrier_watch_sort(AfxiBarrier *work);
/** What is known of a candidate; NULL: it is not watched. */
const AfxiBarrierWatch *afxi_barrier_watched(const AfxiBarrier *work, const AfxiCandidate *candidate);
/** The gap that steps from the gap d are not to leave behind, and the force that a contact has there. */
double afxi_barrier_low_gap(const AfxiBarrier *work, double d);
double afxi_barrier_low_force(const AfxiBarrier *work, const AfxiBarrierContact *contact);
/** Stiffness and lead of a contact that a force will hold; negative: not known. */
void afxi_barrier_lead(const AfxiBarrier *work, double force, AfxiBarrierContact *contact);

#endif
