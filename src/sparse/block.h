/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric block-sparse matrices A = L D L^T, D = +1 or -1 per block: a fill-reducing order and the structure of the
 * factor (once per structure, AfxiBlockPlan), then numbers (AfxiBlockFactor). Knows no physics.
 *
 * A is definite (all signs +1) or quasi-definite (blocks of sign -1 have a negative definite diagonal block, as in
 * [K  G; G^T  -H]); both can be factored in any order without pivoting.
 *
 * Rows are numbered in the caller's order of blocks: block k has the rows first_row[k] ... first_row[k] + size[k] - 1.
 * Every array "by row" here (scale, diagonal, right-hand sides) is in that order; the elimination order stays inside.
 *
 * Use:
 *     afxi_block_plan_create                              once per structure
 *     afxi_block_take (two passes), afxi_block_spot       once per sim: memory, and where each pair of blocks stands
 *     afxi_block_clear, add at the spots                  A, before every factorisation: it overwrites A
 *     afxi_block_diagonal, afxi_block_factor              scale, factor, and carry one right-hand side along
 *     afxi_block_back                                     the solution for that one
 *     afxi_block_solve                                    any further right-hand sides
 * Nothing after the plan allocates. Results are the same bits for any number of threads and lanes. */
#ifndef AFXI_SPARSE_BLOCK_H
#define AFXI_SPARSE_BLOCK_H

#include "affix/base.h"
#include "base/memory.h"

typedef enum AfxiBlockOrder {
    AFXI_ORDER_AUTO,  /* the one of OWN, AMD, METIS with the fewest flops, of those that are built in */
    AFXI_ORDER_GIVEN, /* AfxiBlockGraph.given */
    AFXI_ORDER_DENSE, /* one supernode (one per sign): no structure is used */
    AFXI_ORDER_OWN,   /* approximate minimum degree on the cliques; always there */
    AFXI_ORDER_AMD,   /* of the library AMD, where it is built in */
    AFXI_ORDER_METIS  /* nested dissection of the library METIS, where it is built in */
} AfxiBlockOrder;

/** What is to be factored. Every pair of members of a clique may hold a nonzero block; pairs in no clique are zero. */
typedef struct AfxiBlockGraph {
    uint32_t count;               /* blocks */
    const uint32_t *size;         /* [count] rows, at least 1 */
    const int8_t *sign;           /* [count] +1, or -1 where pivots are negative; NULL: all +1 */
    uint32_t clique_count;        /* an edge is a clique of two */
    const uint32_t *clique_start; /* [clique_count + 1] into member */
    const uint32_t *member;       /* [clique_start[clique_count]] blocks; repeated ones do no harm */
    AfxiBlockOrder order;
    const uint32_t *given; /* [count] for AFXI_ORDER_GIVEN: which block goes k-th; else NULL */
} AfxiBlockGraph;

/** The structure of the factor; constant once made, shared by any number of factors and threads. */
typedef struct AfxiBlockPlan {
    uint32_t count;         /* blocks */
    uint32_t row_count;     /* of all blocks */
    uint32_t *first_row;    /* [count + 1] of each block, in the caller's order of blocks */
    uint32_t *order;        /* [count] which block is eliminated k-th */
    uint32_t *place;        /* [count] when a block is eliminated */
    AfxiBlockOrder used;    /* where the order came from */
    uint64_t entry_count;   /* blocks of L below the diagonal, without what supernodes pad */
    uint32_t front_count;   /* supernodes */
    uint32_t tallest;       /* rows of the largest front */
    uint64_t factor_length; /* doubles in L, with what supernodes pad */
    double flops;           /* of a numeric factorisation; a multiplication and an addition are two */
    size_t value_length;    /* doubles of AfxiBlockFactor.value */
    size_t clear_length;    /* of these, the first ones that hold A */
    size_t work_length;     /* doubles of AfxiBlockFactor.work */
    struct AfxiBlockTree *tree;
    AfxAllocator allocator;
} AfxiBlockPlan;

/** Numbers. Memory is the caller's. */
typedef struct AfxiBlockFactor {
    double *value;                        /* [value_length] A, then L */
    double *work;                         /* [work_length] */
    const struct AfxiBlockKernel *kernel; /* of afxi_block_kernel; afxi_block_take sets the widest */
    const AfxTasks *tasks;                /* NULL: threads of our own */
    uint32_t threads;                     /* 0 and 1: one */
} AfxiBlockFactor;

/** Where block (i, j) stands: element (r, c) is value[at + r * row_step + c * column_step]. */
typedef struct AfxiBlockSpot {
    size_t at;
    uint32_t row_step, column_step;
} AfxiBlockSpot;

typedef struct AfxiBlockReport {
    double pivot;   /* the smallest, times its sign; where some are wrong, the first of these */
    uint32_t row;   /* where; UINT32_MAX when there are no rows */
    uint32_t wrong; /* how many are below 1e-15 or NaN; they were lifted to that, so another matrix is solved */
} AfxiBlockReport;

#endif
