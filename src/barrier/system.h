/* SPDX-License-Identifier: Apache-2.0 */
/* The linear system of an iteration: [H J^T; J -compliance] over bodies, pairs of bodies that are near, and rows. */
#ifndef AFXI_BARRIER_SYSTEM_H
#define AFXI_BARRIER_SYSTEM_H

#include "barrier/inner.h"

/** Makes room for the pairs of bodies among the broad phase's and clears their blocks; the plan is made anew when there
 * are pairs that it does not have. AFX_E_MEMORY, AFX_E_LIMIT. */
AfxStatus afxi_barrier_system_pairs(AfxiBarrier *work);
/** The block [144] of two slots, column-major, rows of the larger one; NULL: there is none. */
double *afxi_barrier_pair_block(AfxiBarrier *work, uint32_t a, uint32_t b);
/** Factors the system of hessian, pair blocks and rows. False: it is not definite. */
bool afxi_barrier_system_factor(AfxiBarrier *work);
/** x <- the solution for the right-hand side x [unknowns], with what was regularised taken out again. */
void afxi_barrier_system_solve(AfxiBarrier *work, double *x);
void afxi_barrier_system_destroy(AfxiBarrier *work);
/** Bodies or rows are others: what was planned for them goes. */
void afxi_barrier_system_forget(AfxiBarrier *work);

#endif
