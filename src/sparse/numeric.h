/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors between the numberings of the numeric phase. */
#ifndef AFXI_SPARSE_NUMERIC_H
#define AFXI_SPARSE_NUMERIC_H

#include "sparse/tree.h"

/** to, in elimination order <- from, by row of the caller; and back. */
void afxi_gather_by_place(const AfxiBlockPlan *plan, const double *from, double *to);
void afxi_scatter_by_place(const AfxiBlockPlan *plan, const double *from, double *to);
/** local, in the rows of a front's panel and with its step <- a vector in elimination order; the rows below alone. */
void afxi_gather_front(const AfxiBlockTree *tree, const AfxiFront *front, const double *vector, double *local);
void afxi_gather_below(const AfxiBlockTree *tree, const AfxiFront *front, const double *vector, double *local);

#endif
