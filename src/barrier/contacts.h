/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: energies, and what they add to gradients and matrix. */
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

/** A force f at the point y of a body into the gradient: the energy falls along f. */
void afxi_barrier_force(AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 f);
/** The rank-1 stiffness k along n between points of two bodies. Kinematic bodies move as they are told to, which is
 * known before: that goes to work->delta, which is added to the right-hand side. */
void afxi_barrier_stiffness(AfxiBarrier *work, const uint32_t body[2], const AfxVec3 y[2], AfxVec3 n, double k);
/** The same at a point of a body that is solved for, against the world. */
void afxi_barrier_stiffen(AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 n, double k);
/** The derivative of n . (A y + t) by the unknowns of a body. */
void afxi_contact_gradient(const AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 n,
                           double out[AFXI_BARRIER_WIDTH]);
/** Where a point of a body is. */
AfxVec3 afxi_barrier_point(const AfxiBarrier *work, AfxiBarrierPlace place, uint32_t body, AfxVec3 y);
/** The body that an energy between two is told of: the first that is solved for. */
uint32_t afxi_barrier_slot(const AfxiBarrier *work, uint32_t a, uint32_t b);
/** The distance of a candidate at AFXI_TRIED, negative where it has passed through along the normal that it had. */
double afxi_candidate_signed(const AfxiBarrier *work, const AfxiCandidate *candidate, AfxVec3 normal);

#endif
