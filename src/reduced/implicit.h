/* SPDX-License-Identifier: Apache-2.0 */
/* Backward differences in joint coordinates. */
#ifndef AFXI_REDUCED_IMPLICIT_H
#define AFXI_REDUCED_IMPLICIT_H

#include "reduced/newton.h"

/** A step of length h from work->q, work->u to the same, by BDF2 where that is wanted and the state before them
 * fits, else by BDF1. How many iterations it took is in work->solves. False where it does not converge. */
bool afxi_reduced_bdf(AfxiReduced *work, double h, bool two);

/** What such a step begins with, and where its iterations do, in work->u; inputs are those of its end. */
AfxiReducedStep afxi_reduced_bdf_begin(AfxiReduced *work, double h, bool wanted);

#endif
