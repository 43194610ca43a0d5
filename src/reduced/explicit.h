/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations, and steps by them. */
#ifndef AFXI_REDUCED_EXPLICIT_H
#define AFXI_REDUCED_EXPLICIT_H

#include "reduced/inner.h"

/** Accelerations out [dofs] at q, u, with inputs (reduced/forces.h) and targets at a fraction of the step; multipliers
 * to `lambda` of the state (NULL: not told). False where they are not finite. */
bool afxi_reduced_accelerate(AfxiReduced *work, double fraction, const double *q, const double *u, double *out,
                             double *lambda);
/** A body that a spring, damper or servo moves too fast for an explicit step of length h at work->q, work->u, or
 * AFXI_TREE_NONE. */
uint32_t afxi_reduced_too_stiff(AfxiReduced *work, double h);
/** A step of the classical Runge-Kutta method of order 4 from work->q, work->u to the same; rows are met at its end. */
bool afxi_reduced_rk4(AfxiReduced *work, double h);

#endif
