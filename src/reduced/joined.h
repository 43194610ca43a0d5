/* SPDX-License-Identifier: Apache-2.0 */
/* Packed matrices of trees that contact points hold together. */
#ifndef AFXI_REDUCED_JOINED_H
#define AFXI_REDUCED_JOINED_H

#include "reduced/recursion.h"

/** Rows in which what points couple is on one way to the root. */
typedef struct AfxiJoinedRows {
    AfxiTreeRows rows;
    uint32_t *parent; /* [dofs] the degree of freedom before on that way */
    double *matrix;   /* [rows.size] */
    uint32_t row_capacity, run_capacity, parent_capacity, above_capacity, matrix_capacity;
} AfxiJoinedRows;

/** Ways as in the tree. AFX_E_MEMORY: nothing is changed. */
AfxStatus afxi_joined_begin(const AfxiTree *tree, AfxiJoinedRows *joined);
/** Puts the ways of two degrees of freedom together; AFXI_TREE_NONE has none. */
void afxi_joined_add(AfxiJoinedRows *joined, uint32_t a, uint32_t b);
/** Lists the rows. */
AfxStatus afxi_joined_finish(const AfxiTree *tree, AfxiJoinedRows *joined);
/** The matrix of the tree, packed by `rows`, into joined->matrix. */
void afxi_joined_fill(AfxiJoinedRows *joined, const AfxiTreeRows *rows, const double *mass);
void afxi_joined_release(const AfxAllocator *allocator, AfxiJoinedRows *joined);

/** Where column j of row i is, j on the way to i. */
static inline uint32_t afxi_packed_place(const AfxiTreeRows *rows, uint32_t i, uint32_t j) {
    return rows->row[i] + (rows->row[j + 1] - rows->row[j] - 1);
}

#endif
