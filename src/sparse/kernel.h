/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of one front or one batch: compiled once per instruction set (front_wide.c, batch_wide.c), chosen at run
 * time (kernel.c). Every result is the same bits in all of them on machines with fused multiply-add. */
#ifndef AFXI_SPARSE_KERNEL_H
#define AFXI_SPARSE_KERNEL_H

#include "sparse/tree.h"

/* Of a matrix with unit diagonal: below this a pivot is rounding. */
#define AFXI_LEAST_PIVOT 1e-15

/** The smallest pivot so far, and its row in elimination order; the first wrong one stays, whatever that leads to. */
typedef struct AfxiPivot {
    double smallest;
    uint32_t row, wrong;
} AfxiPivot;

/** Takes one pivot into account; what is to be used instead comes back. */
static inline double afxi_pivot_take(AfxiPivot *pivot, double value, uint32_t row) {
    if (!(value >= pivot->smallest) && pivot->wrong == 0) {
        pivot->smallest = value;
        pivot->row = row;
    }
    if (!(value > AFXI_LEAST_PIVOT)) {
        pivot->wrong++;
        return AFXI_LEAST_PIVOT;
    }
    return value;
}

/** Takes those of another part into account, which comes later. */
static inline void afxi_pivot_join(AfxiPivot *pivot, const AfxiPivot *other) {
    if (!(other->smallest >= pivot->smallest) && pivot->wrong == 0) {
        pivot->smallest = other->smallest;
        pivot->row = other->row;
    }
    pivot->wrong += other->wrong;
}

/** Arithmetic of one front. */
typedef struct AfxiFrontKernel {
    /** Adds what a child's update matrix holds for the pivot columns of its parent to the parent's panel. */
    void (*add_pivots)(const AfxiFront *child, const AfxiRun *map, const double *from, const AfxiFront *parent,
                       double *panel);
    /** Adds the rest of it to the parent's update matrix. */
    void (*add_rest)(const AfxiFront *child, const AfxiRun *map, const double *from, const AfxiFront *parent,
                     double *update);
    /** panel <- L of its columns; the diagonal of L is stored as reciprocals. */
    void (*factor)(const AfxiFront *front, double *panel, AfxiPivot *pivot);
    /** update <- -sign * (rows below) (rows below)^T */
    void (*update)(const AfxiFront *front, const double *panel, double *update);
    /** x [leading]: the pivots' part <- L^-1 x, the rows below lose what that part contributes. */
    void (*forward)(const AfxiFront *front, const double *panel, double *x);
    /** x [leading]: the pivots' part <- L^-T (x - rows below^T x); only zeros stand after the rows below. */
    void (*backward)(const AfxiFront *front, const double *panel, double *x);
} AfxiFrontKernel;

/** The same for four fronts of one shape; sign +1. */
typedef struct AfxiBatchKernel {
    /** panel, interleaved <- from [4][width][leading] */
    void (*load)(const AfxiFront *front, const double *from, double *panel);
    void (*factor)(const AfxiFront *front, double *panel, AfxiPivot pivot[AFXI_BATCH]);
    /** update matrices apart from each other, as those of single fronts */
    void (*update)(const AfxiFront *front, const double *panel, double *const update[AFXI_BATCH]);
    /** x [width + height], interleaved */
    void (*forward)(const AfxiFront *front, const double *panel, double *x);
    void (*backward)(const AfxiFront *front, const double *panel, double *x);
} AfxiBatchKernel;

typedef struct AfxiBlockKernel {
    const AfxiFrontKernel *front;
    const AfxiBatchKernel *batch;
    uint32_t lanes;
    const char *isa;
} AfxiBlockKernel;

#endif
