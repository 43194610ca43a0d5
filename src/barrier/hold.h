/* SPDX-License-Identifier: Apache-2.0 */
/* Points that are held (state/holds.h), in a stage of barrier contact. */
#ifndef AFXI_BARRIER_HOLD_H
#define AFXI_BARRIER_HOLD_H

#include "barrier/inner.h"

/** Stiffness and rest of all holds in the stage. `whole`: it is not one of a part of the step. */
void afxi_barrier_holds_begin(AfxiBarrier *work, bool whole);
/** Adds their energies at a place to those of the bodies [slots]. */
void afxi_barrier_holds_energy(const AfxiBarrier *work, AfxiBarrierPlace place, double *energy, double *size);
/** Adds their forces to turn_gradient and gradient. */
void afxi_barrier_holds_forces(AfxiBarrier *work);
/** Adds their stiffness to hessian. */
void afxi_barrier_holds_stiffness(AfxiBarrier *work);

#endif
