/* SPDX-License-Identifier: Apache-2.0 */
/* Plain joints (block->plain): rows of a point and of alignments. */
#ifndef AFXI_CONSTRAINT_ROWS_PLAIN_H
#define AFXI_CONSTRAINT_ROWS_PLAIN_H

#include "constraint/rows.h"

/** Value, gradients and law of their rows. */
void afxi_plain_linearise(AfxiRows *rows, const AfxiGraphBlock *block);
/** Their largest residual at the result. */
double afxi_plain_residual(const AfxiRows *rows, const AfxiGraphBlock *block);
/** Geometric stiffness of their multipliers, added to bounds and exact matrices by body. */
void afxi_plain_stiffness(const AfxiRows *rows, const AfxiGraphBlock *block, const double *lambda, double *out_bound,
                          double *out_exact);

#endif
