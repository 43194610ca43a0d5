/* SPDX-License-Identifier: Apache-2.0 */
/* From an order to supernodes: their columns, their rows below, their tree. */
#ifndef AFXI_SPARSE_SYMBOLIC_H
#define AFXI_SPARSE_SYMBOLIC_H

#include "sparse/block.h"

/** Supernodes, children before parents. Columns are numbered by an order in which those of a supernode follow each
 * other and children come before parents: the given one, changed where that leaves the factor the same. */
typedef struct AfxiSymbolic {
    uint32_t count;       /* supernodes */
    uint32_t *order;      /* [blocks] which block goes k-th */
    uint32_t *place;      /* [blocks] when a block goes */
    uint32_t *first;      /* [count + 1] first column of each */
    uint32_t *parent;     /* [count] UINT32_MAX: a root */
    uint32_t *start;      /* [count + 1] into row */
    uint32_t *row;        /* [start[count]] blocks below, by place, rising */
    uint32_t *width;      /* [count] rows of the columns */
    uint32_t *height;     /* [count] rows below */
    uint32_t row_room;    /* room in row */
    uint64_t block_count; /* blocks below the diagonal of the factor, without the relaxation */
    double flops;
    uint32_t blocks;
    void *raw;
    size_t raw_size;
} AfxiSymbolic;

/** `relax`: join supernodes where that makes the factorisation faster. */
AfxStatus afxi_symbolic_create(const AfxAllocator *allocator, const AfxiBlockGraph *graph, const uint32_t *order,
                               bool relax, AfxiSymbolic *out);
void afxi_symbolic_destroy(const AfxAllocator *allocator, AfxiSymbolic *symbolic);
/** flops of `width` columns with `height` rows below the last: squares of the column lengths. */
double afxi_column_flops(double width, double height);
/** Sorts values, rising. */
void afxi_sort(uint32_t *value, size_t count);

#endif
