/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors between the numberings of the numeric phase. */
#ifndef AFXI_SPARSE_NUMERIC_H
#define AFXI_SPARSE_NUMERIC_H

#include "sparse/tree.h"

/** to, in elimination order <- from, by row of the caller; and back. */
void afxi_gather_by_place(const AfxiBlockPlan *plan, const double *from, double *to);
void afxi_scatter_by_place(const AfxiBlockPlan *plan, const double *from, double *to);
#endif
