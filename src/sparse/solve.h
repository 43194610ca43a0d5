/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution. */
#ifndef AFXI_SPARSE_SOLVE_H
#define AFXI_SPARSE_SOLVE_H

#include "sparse/block.h"

/** x [rows] <- (S A S + epsilon D)^-1 rhs for the rhs of afxi_block_factor. */
void afxi_block_back(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, double *x);
/** x [rows] <- (S A S + epsilon D)^-1 x. */
void afxi_block_solve(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, double *x);

#endif
