/* SPDX-License-Identifier: Apache-2.0 */
/* Exact rows on joint coordinates. */
#ifndef AFXI_REDUCED_SYSTEM_H
#define AFXI_REDUCED_SYSTEM_H

#include "reduced/inner.h"

/** x -= M^-1 J^T lambda with J M^-1 J^T lambda = J x + side, so that J x = -side. M is factored; the system is damped
 * by a share of its diagonal, and refined in `passes` in all. False where nothing finite comes of it. */
bool afxi_reduced_correct(AfxiReduced *work, double *x, double damping, int passes);
/** The same after x = M^-1 x, with the system not damped; also where there are no rows. */
bool afxi_reduced_fall(AfxiReduced *work, double *x, int passes);
/** The same where rows, mass matrix and compliance are those of the last call. */
bool afxi_reduced_fall_again(AfxiReduced *work, double *x, int passes);
/** As afxi_reduced_correct, with the factor that the last call has made. */
bool afxi_reduced_correct_again(AfxiReduced *work, double *x, int passes);
/** Coordinates on the rows, and velocities along them, with targets at a fraction of the step. False when they cannot
 * be met. */
bool afxi_reduced_project(AfxiReduced *work, double *q, double *u, double fraction);
/** The same where they are near already, by gradients and factors of the last evaluation: the end of a step. */
bool afxi_reduced_follow(AfxiReduced *work, double *q, double *u, double fraction);
/** Whether they are there already, as frames and velocities of the tree have them. */
bool afxi_reduced_is_closed(AfxiReduced *work, const double *q, const double *u, double fraction);
/** Targets of an exact row: value, rate and acceleration at a fraction of the step. */
void afxi_reduced_target(const AfxiReduced *work, const AfxiReducedRow *row, double fraction, double out[3]);

#endif
