/* SPDX-License-Identifier: Apache-2.0 */
/* A general sparse matrix and its factors, by columns: left-looking elimination with partial pivoting (Gilbert and
 * Peierls 1988). Pivots may be of either sign; the diagonal is preferred, so that the order keeps its fill. */
#ifndef AFXI_GRAD_LU_H
#define AFXI_GRAD_LU_H

#include "base/memory.h"

/** Columns, one after the other. */
typedef struct AfxiGradColumns {
    uint32_t *start; /* [n + 1] */
    uint32_t *row;
    double *value;
    uint32_t start_capacity, row_capacity, value_capacity;
} AfxiGradColumns;

typedef struct AfxiGradLu {
    const AfxAllocator *allocator;
    uint32_t n;
    AfxiGradColumns lower,
        upper;       /* rows are steps of elimination; the diagonal of lower is 1 and first, of upper last */
    uint32_t *pivot; /* [n] when a row was eliminated */
    uint32_t *stack, *mark, *next; /* [n] work */
    double *x;                     /* [n] work, 0 between columns */
    uint32_t pivot_capacity, stack_capacity, mark_capacity, next_capacity, x_capacity;
} AfxiGradLu;

void afxi_grad_columns_release(const AfxAllocator *allocator, AfxiGradColumns *columns);
/** Room for n columns and `entries`. */
AfxStatus afxi_grad_columns_reserve(const AfxAllocator *allocator, AfxiGradColumns *columns, uint32_t n,
                                    uint32_t entries);
void afxi_grad_lu_release(AfxiGradLu *lu);
/** Factors a matrix of n columns, which are eliminated in `order`, with `shift` [n] added to its diagonal, where it has
 * entries. AFX_E_NUMERIC: it is singular. */
AfxStatus afxi_grad_lu_factor(AfxiGradLu *lu, const AfxiGradColumns *matrix, uint32_t n, const uint32_t *order,
                              const double *shift);
/** The same with other numbers in the same places, by the pivots that were chosen then; false: one of them is too small
 * now. */
bool afxi_grad_lu_refactor(AfxiGradLu *lu, const AfxiGradColumns *matrix, const uint32_t *order, const double *shift);
/** x <- the solution for the right-hand side b; x is not b. */
void afxi_grad_lu_solve(const AfxiGradLu *lu, const uint32_t *order, const double *b, double *x);
/** The same for the transposed matrix. */
void afxi_grad_lu_solve_transposed(const AfxiGradLu *lu, const uint32_t *order, const double *b, double *x);

#endif
