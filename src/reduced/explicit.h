/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations, and steps by them. */
#ifndef AFXI_REDUCED_EXPLICIT_H
#define AFXI_REDUCED_EXPLICIT_H

#include "reduced/inner.h"

/** What exact rows ask of accelerations, into `side`: their second derivatives at no acceleration, less those of their
 * targets; with their measures and gradients. After inverse dynamics at no acceleration. */
void afxi_reduced_sides(AfxiReduced *work, double fraction, const double *q, const double *u);
/** Accelerations out [dofs] at q, u, with inputs (reduced/forces.h) and targets at a fraction of the step; multipliers
 * to `lambda` of the state (NULL: not told). False where they are not finite. */
bool afxi_reduced_accelerate(AfxiReduced *work, double fraction, const double *q, const double *u, double *out,
                             double *lambda);
/** The end of it: with M factored, forces `out` become accelerations, with those that rows ask for. */
bool afxi_reduced_fall_stage(AfxiReduced *work, double fraction, const double *q, const double *u, double *out,
                             double *lambda);
/** A body that a spring, damper or servo moves too fast for an explicit step of length h at work->q, work->u: h omega
 * or h d / m is above `most`. AFXI_TREE_NONE: none. */
uint32_t afxi_reduced_too_stiff(AfxiReduced *work, double h, double most);
/** The same with M of work->q factored, and frames there. */
uint32_t afxi_reduced_find_stiff(AfxiReduced *work, double h, double most);
/** A step of the classical Runge-Kutta method of order 4 from work->q, work->u to the same; rows are met at its end.
 * With `smooth`, false also where a spring or damper is stiff (AFXI_REDUCED_SMOOTH). */
bool afxi_reduced_rk4(AfxiReduced *work, double h, bool smooth);

#endif
