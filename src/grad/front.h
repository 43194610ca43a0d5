/* SPDX-License-Identifier: Apache-2.0 */
/* A general sparse matrix and its factors: multifrontal elimination, with pivots that are looked for among the columns
 * of a front (Duff and Reid 1984; the structure is that of sparse/symbolic.h). Pivots may be of either sign, and the
 * matrix need not be symmetric; where it has entries is taken as if it were.
 *
 * A front has `width` pivots and `height` rows and columns beside them, which are pivots of later fronts. Its columns
 * hold L, the rest of its rows U; what it changes of later ones goes to its parent. */
#ifndef AFXI_GRAD_FRONT_H
#define AFXI_GRAD_FRONT_H

#include "base/memory.h"
#include "sparse/symbolic.h"

/** Columns, one after the other. */
typedef struct AfxiGradColumns {
    uint32_t *start; /* [n + 1] */
    uint32_t *row;
    double *value;
    uint32_t start_capacity, row_capacity, value_capacity;
} AfxiGradColumns;

typedef struct AfxiGradFront {
    uint32_t width, height;
    uint32_t below, beside; /* first row below in a column, and rows there; both are multiples of four */
    uint32_t first;         /* position of its first pivot */
    uint32_t first_child, next_child;
    uint32_t index;          /* into index and map, [height] each */
    uint32_t carried;        /* rows below that are pivots of the parent */
    uint32_t entry, entries; /* of the matrix, into spot */
    size_t column;           /* [width][below + beside] into value */
    size_t across;           /* [width][beside] U beside the pivots */
    size_t update;           /* [height][beside] into work */
} AfxiGradFront;

/** An entry of the matrix, and where it goes. */
typedef struct AfxiGradSpot {
    uint32_t entry;
    size_t at;
} AfxiGradSpot;

typedef struct AfxiGradFactor {
    const AfxAllocator *allocator;
    uint32_t n, count, spot_count;
    uint32_t *order;      /* [n] unknowns by position */
    AfxiGradFront *front; /* [count] children first */
    uint32_t *index;      /* positions of rows below */
    uint32_t *map;        /* where they stand in the parent: its pivots, then its rows below */
    AfxiGradSpot *spot;   /* [entries, then n of the diagonal] */
    uint32_t *swap;       /* [n] with which row of its front a pivot changed places */
    double *value;
    double *work;   /* what fronts hand on */
    double *vector; /* [n] and one front's rows twice */
    size_t value_length;
    void *raw, *numbers;
    size_t raw_size, numbers_size;
    const struct AfxiGradKernel *kernel;
} AfxiGradFactor;

/** Arithmetic of a front (front_wide.c). */
typedef struct AfxiGradKernel {
    /** Factors a front; the smallest pivot comes back. */
    double (*factor)(const AfxiGradFront *front, double *column, double *across, double *update, uint32_t *swap);
    /** out [rows] <- a y, or out [columns] <- a^T y; rows is a multiple of four. */
    void (*spread)(uint32_t rows, uint32_t columns, const double *a, size_t leading, const double *y, double *out);
    void (*gather)(uint32_t rows, uint32_t columns, const double *a, size_t leading, const double *y, double *out);
} AfxiGradKernel;

void afxi_grad_columns_release(const AfxAllocator *allocator, AfxiGradColumns *columns);
/** Room for n columns and `entries`. */
AfxStatus afxi_grad_columns_reserve(const AfxAllocator *allocator, AfxiGradColumns *columns, uint32_t n,
                                    uint32_t entries);
void afxi_grad_factor_release(AfxiGradFactor *factor);
/** The structure for a matrix of n columns whose unknowns are those of blocks, one after the other in `unknown`; blocks
 * are eliminated in about this order. Every entry must lie in a clique. */
AfxStatus afxi_grad_factor_plan(AfxiGradFactor *factor, const AfxiBlockGraph *graph, const uint32_t *order,
                                const uint32_t *unknown, const AfxiGradColumns *matrix, uint32_t n);
/** Factors it with `shift` [n] added to its diagonal. AFX_E_NUMERIC: it is singular. */
AfxStatus afxi_grad_factor(AfxiGradFactor *factor, const AfxiGradColumns *matrix, const double *shift);
/** x <- the solution for the right-hand side b, with the matrix or its transpose. */
void afxi_grad_factor_solve(const AfxiGradFactor *factor, bool transposed, const double *b, double *x);

#endif
