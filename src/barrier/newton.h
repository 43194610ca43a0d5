/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for a stage. */
#ifndef AFXI_BARRIER_NEWTON_H
#define AFXI_BARRIER_NEWTON_H

#include "barrier/inner.h"

/** Gradients of all energies at AFXI_NOW for the contacts and the friction that are there, and rows linearised there.
 */
void afxi_barrier_gradients(AfxiBarrier *work);
/** Solves a stage that begins at AFXI_BEGIN, with what inertia draws its bodies to in place; its result is AFXI_NOW.
 * AFX_E_NUMERIC: it did not converge, and out says where; AFX_E_MEMORY, AFX_E_LIMIT. */
AfxStatus afxi_barrier_solve(AfxiBarrier *work, AfxiBarrierOutcome *out);

#endif
