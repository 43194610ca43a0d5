/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars of the state and their gradients in joint coordinates. */
#ifndef AFXI_REDUCED_MEASURE_H
#define AFXI_REDUCED_MEASURE_H

#include "reduced/inner.h"

/** Value and rate of a row at the present frames and velocities of the tree, and its gradient [dofs] (may be NULL). q
 * are the coordinates there. */
AfxiReducedMeasure afxi_reduced_measure(const AfxiReduced *work, const AfxiReducedRow *row, const double *q,
                                        const double *u, double *out_gradient);
/** All active rows, into work->measure and work->gradient. */
void afxi_reduced_measure_active(AfxiReduced *work, const double *q, const double *u);
/** Where both bodies of a joint are. */
AfxiPairState afxi_reduced_pair(const AfxiReduced *work, uint32_t follower, uint32_t base);
/** A wrench at a body's centre, its torque in the body's principal axes, its force in the world's; about the reference
 * point. False where the body does not move. */
bool afxi_reduced_wrench(const AfxiReduced *work, uint32_t body, AfxVec3 torque, AfxVec3 force, AfxiSpatial *out,
                         uint32_t *out_node);

#endif
