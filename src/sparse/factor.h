/* SPDX-License-Identifier: Apache-2.0 */
/* The numeric factorisation, multifrontal. */
#ifndef AFXI_SPARSE_FACTOR_H
#define AFXI_SPARSE_FACTOR_H

#include "sparse/block.h"

/** Lays the memory out in an arena, in both of its passes; the other fields are set to their defaults. */
void afxi_block_take(AfxiBlockFactor *factor, AfxiArena *arena, const AfxiBlockPlan *plan);
/** A = 0. To be called before A is added: factoring overwrites it. */
void afxi_block_clear(const AfxiBlockPlan *plan, AfxiBlockFactor *factor);
/** The diagonal of A, by row. */
void afxi_block_diagonal(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, double *out);
/** Factors S A S + epsilon D, S = diag(scale) by row (NULL: 1). Rows of scale 0 become rows of the identity (times
 * their sign). `rhs`, by row, not NULL: L^-1 rhs is made on the way and kept for afxi_block_back. */
void afxi_block_factor(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, const double *scale, double epsilon,
                       const double *rhs, AfxiBlockReport *out);
/** to, in elimination order <- from, by row of the caller; and back. */
void afxi_gather_by_place(const AfxiBlockPlan *plan, const double *from, double *to);
void afxi_scatter_by_place(const AfxiBlockPlan *plan, const double *from, double *to);

#endif
