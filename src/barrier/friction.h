/* SPDX-License-Identifier: Apache-2.0 */
/* Friction of contacts, with normal forces of the last lag and slips that are remembered from step to step. */
#ifndef AFXI_BARRIER_FRICTION_H
#define AFXI_BARRIER_FRICTION_H

#include "barrier/inner.h"

/** Freezes normal forces, points and normals of the contacts at AFXI_NOW; the largest change of a force, of the largest
 * force, comes back. AFX_E_MEMORY. */
AfxStatus afxi_barrier_friction(AfxiBarrier *work, double *out_change);
/** Adds the energies of friction at a place to those of the bodies. */
void afxi_barrier_friction_energy(const AfxiBarrier *work, AfxiBarrierPlace place, double *energy, double *size);
/** Adds its forces, and its stiffness, as those of contacts. */
void afxi_barrier_friction_forces(AfxiBarrier *work);
void afxi_barrier_friction_stiffness(AfxiBarrier *work);
/** Slips that are remembered after a step, from where the bodies are at AFXI_NOW. */
void afxi_barrier_remember(AfxiBarrier *work);

/** Shares of Coulomb's force that the Newton step leads to. */
void afxi_barrier_friction_lead(AfxiBarrier *work);

#endif
