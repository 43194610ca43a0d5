/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: which there are, their energies, and what they add to gradients and matrix. */
#ifndef AFXI_BARRIER_CONTACTS_H
#define AFXI_BARRIER_CONTACTS_H

#include "barrier/inner.h"

/** Stiffness of the barriers between two bodies. */
double afxi_barrier_kappa(const AfxiBarrier *work, uint32_t a, uint32_t b);
/** The contacts among the candidates, at AFXI_NOW. The least gap comes back. */
AfxStatus afxi_barrier_contacts(AfxiBarrier *work, double *out_gap);
/** Adds the energies of barriers at AFXI_NOW (0) or AFXI_TRIED (1) to those of the bodies [slots]. */
void afxi_barrier_contacts_energy(const AfxiBarrier *work, int end, double *energy, double *size);
/** Shares of the way to AFXI_TRIED that CCD allows, the least of each body, into work->time [slots]. With
 * `watch`, what is met and was not near is watched. AFX_E_MEMORY. */
AfxStatus afxi_barrier_ccd(AfxiBarrier *work, bool watch);
/** Adds the forces of all contacts to turn_gradient and gradient. */
void afxi_barrier_contacts_forces(AfxiBarrier *work);
/** Adds their stiffness to hessian and pair blocks. */
void afxi_barrier_contacts_stiffness(AfxiBarrier *work);

/** The distance of a candidate at AFXI_TRIED, negative where it has passed through along the normal that it had. */
double afxi_candidate_signed(const AfxiBarrier *work, const AfxiCandidate *candidate, AfxVec3 normal);

#endif
