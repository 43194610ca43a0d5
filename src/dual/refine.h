/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative refinement: what the rows of K lambda = rhs still lack is solved for with the factor that there is, by
 * the matrix or by the recursion, which rounding, or eps of redundant rows, has taken away from K. */
#ifndef AFXI_DUAL_REFINE_H
#define AFXI_DUAL_REFINE_H

#include "dual/system.h"

/** lambda += S times the solution that `residual` holds. */
void afxi_refine_add(AfxiSystem *system);
/** The residual that is small enough, where the right-hand side is `first`. */
double afxi_refine_goal(const AfxiSystem *system, bool regularised, double first);
/** Refines at most so often, until the residual, which is `residual` now, is no larger than `goal` or stays. */
void afxi_refine(AfxiSystem *system, uint32_t most, double goal, double residual, AfxiDualReport *out);

#endif
