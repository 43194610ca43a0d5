/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric block-sparse matrices: a fill-reducing order, the symbolic factor (once per structure) and the numeric
 * factor L L^T with blocks of any size. Knows no physics.
 *
 * Column k of the factor is one dense panel: below the diagonal block stand the blocks L_ik, i in its structure,
 * stacked, column-major with leading dimension `height`. */
#ifndef AFXI_SPARSE_BLOCK_H
#define AFXI_SPARSE_BLOCK_H

#include "affix/base.h"

/** The structure, in elimination order. Made by afxi_block_plan_create, constant afterwards. */
typedef struct AfxiBlockPlan {
    uint32_t count;       /* blocks */
    uint32_t entry_count; /* blocks below the diagonal */
    uint32_t largest;     /* rows of the largest block */
    uint32_t tallest;     /* rows of the tallest panel */
    uint32_t *order;      /* [count] which block is eliminated k-th */
    uint32_t *place;      /* [count] when a block is eliminated */
    uint32_t *size;       /* [count] rows, in elimination order */
    uint32_t *start;      /* [count + 1] into row */
    uint32_t *row;        /* later blocks of each column, rising */
    uint32_t *offset;     /* [same] first row of that block in the panel, the diagonal block not counted */
    uint32_t *height;     /* [count] rows of the panel below the diagonal block */
    size_t *panel;        /* [count] where the panel stands in the values */
    size_t *diagonal;     /* [count] where the diagonal block stands in the diagonal values */
    size_t panel_length, diagonal_length; /* doubles */
    double flops;                         /* of a numeric factorisation, about */
    AfxAllocator allocator;
} AfxiBlockPlan;

/** Orders and analyses the graph with edges (edge[2e], edge[2e+1]); repeated edges and loops are allowed. */
AfxStatus afxi_block_plan_create(const AfxAllocator *allocator, uint32_t count, const uint32_t *size,
                                 uint32_t edge_count, const uint32_t *edge, AfxiBlockPlan *out);
void afxi_block_plan_destroy(AfxiBlockPlan *plan);

/** Numeric values; memory is the caller's, of the lengths the plan says. */
typedef struct AfxiBlockFactor {
    double *panel;    /* [panel_length] A's lower blocks, then L's */
    double *diagonal; /* [diagonal_length] A's diagonal blocks, then their Cholesky factors (lower part) */
    uint32_t *link;   /* [count] */
    uint32_t *next;   /* [count] */
    uint32_t *first;  /* [count] */
    uint32_t *map;    /* [count] */
} AfxiBlockFactor;

/** The block (i, j) of A, i eliminated after j, inside a panel: its first entry and leading dimension. NULL when the
 * structure has none. Indices are elimination places. */
double *afxi_block_at(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, uint32_t i, uint32_t j,
                      uint32_t *out_leading);
/** Factors in place; A must be positive definite. Returns the smallest pivot: not positive when A was not. */
double afxi_block_factor(const AfxiBlockPlan *plan, AfxiBlockFactor *factor);
/** x <- A^-1 x; x is stacked in elimination order, position[k] being the first row of the k-th block. */
void afxi_block_solve(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, const uint32_t *position, double *x);

#endif
