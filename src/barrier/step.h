/* SPDX-License-Identifier: Apache-2.0 */
/* A step with barrier contact. */
#ifndef AFXI_BARRIER_STEP_H
#define AFXI_BARRIER_STEP_H

#include "barrier/inner.h"

/** Looks at the state that a step begins with, and at who comes near whom (work->reached). AFX_E_INPUT: what was set on
 * the sim cannot be done; AFX_E_NUMERIC: the state intersects. */
AfxStatus afxi_barrier_begin(AfxiBarrier *work, AfxiBarrierOutcome *out);
/** The step of what is near, all others having done theirs; inputs are those of its beginning. On failure, or when more
 * has come near (out->again), the caller puts the state back. */
AfxStatus afxi_barrier_solve_near(AfxiBarrier *work, AfxiBarrierOutcome *out);

#endif
