/* SPDX-License-Identifier: Apache-2.0 */
/* Forces and springs between points of bodies, in gradients and matrix. */
#ifndef AFXI_BARRIER_PUSH_H
#define AFXI_BARRIER_PUSH_H

#include "barrier/inner.h"

/** A force f at the point y of a body into the gradient: the energy falls along f. */
void afxi_barrier_force(AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 f);
/** The rank-1 stiffness k along n between points of two bodies. Kinematic bodies move as they are told to, which is
 * known before, and a force `lead` more than the gradient has pushes them apart: that goes to work->delta, which is
 * added to the right-hand side. */
void afxi_barrier_stiffness(AfxiBarrier *work, const uint32_t body[2], const AfxVec3 y[2], AfxVec3 n, double k,
                            double lead);
/** The same at a point of a body that is solved for, against the world. */
void afxi_barrier_stiffen(AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 n, double k);
/** The derivative of n . (A y + t) by the unknowns of a body. */
void afxi_contact_gradient(const AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 n,
                           double out[AFXI_BARRIER_WIDTH]);
/** How a point of a body moves along the Newton step, to first order. */
AfxVec3 afxi_barrier_motion(const AfxiBarrier *work, uint32_t body, AfxVec3 y);
/** Where a point of a body is. */
AfxVec3 afxi_barrier_point(const AfxiBarrier *work, AfxiBarrierPlace place, uint32_t body, AfxVec3 y);
/** The body that an energy between two is told of: the first that is solved for. */
uint32_t afxi_barrier_slot(const AfxiBarrier *work, uint32_t a, uint32_t b);

#endif
