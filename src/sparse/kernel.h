/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of one front or one batch: compiled once per instruction set (*_wide.c), chosen at run time (kernel.c).
 * Every result is the same bits in all of them on machines with fused multiply-add. */
#ifndef AFXI_SPARSE_KERNEL_H
#define AFXI_SPARSE_KERNEL_H

#include "sparse/tree.h"
#include "sparse/tuning.h"

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
    if (!(value > AFXI_PIVOT_ROUNDING)) {
        pivot->wrong++;
        return AFXI_PIVOT_ROUNDING;
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

/** What goes into the panels beside A; scale and rhs in elimination order, or NULL. */
typedef struct AfxiInput {
    const AfxiBlockTree *tree;
    double *value;
    const double *scale, *rhs;
    double epsilon;
} AfxiInput;

/** Putting a panel or an update matrix together (assemble_wide.c). `local` is a group's own memory. */
typedef struct AfxiAssembleKernel {
    /** The panel <- A, scaled, and the right-hand side. */
    void (*fill)(const AfxiInput *input, const AfxiFront *front, double *local);
    /** Adds what a child's update matrix holds for the pivot columns of its parent to the parent's panel. */
    void (*add_pivots)(const AfxiFront *child, const AfxiTreeRun *map, const double *from, const AfxiFront *parent,
                       double *panel);
    /** Adds the rest of it to the parent's update matrix. */
    void (*add_rest)(const AfxiFront *child, const AfxiTreeRun *map, const double *from, const AfxiFront *parent,
                     double *update);
} AfxiAssembleKernel;

/** Arithmetic of one front (front_wide.c). */
typedef struct AfxiFrontKernel {
    /** panel <- L of its columns; the diagonal of L is stored as reciprocals. */
    void (*factor)(const AfxiFront *front, double *panel, AfxiPivot *pivot);
    /** update <- -sign * (rows below) (rows below)^T */
    void (*update)(const AfxiFront *front, const double *panel, double *update);
} AfxiFrontKernel;

/** The same for four fronts of one shape, of sign +1 (batch_wide.c); `side` [width][width + height + 1][4] holds their
 * panels interleaved. Lanes that are empty repeat another one. */
typedef struct AfxiBatchKernel {
    void (*load)(const AfxiFront *front, double *const panel[AFXI_BATCH], double *side);
    void (*factor)(const AfxiFront *front, double *side, AfxiPivot pivot[AFXI_BATCH]);
    void (*store)(const AfxiFront *front, const double *side, double *const panel[AFXI_BATCH]);
    void (*update)(const AfxiFront *front, const double *side, double *const update[AFXI_BATCH]);
} AfxiBatchKernel;

/** Substitution with one front or two of the same shape (solve_wide.c); x is in elimination order, `local` has room for
 * a column of each and four more. */
typedef struct AfxiSolveKernel {
    /** x of the pivots <- D L^-1 (x - what the children hand on); hands on the rest, in the first column of the update
     * matrix. */
    void (*forward)(const AfxiBlockTree *tree, const AfxiFront *const front[], uint32_t count, const double *value,
                    double *x, double *work, double *local);
    /** x of the pivots <- L^-T (x - rows below^T x); `carried`: with the right-hand side in the panel in place of x. */
    void (*backward)(const AfxiBlockTree *tree, const AfxiFront *const front[], uint32_t count, const double *value,
                     bool carried, double *x, double *local);
} AfxiSolveKernel;

typedef struct AfxiBlockKernel {
    const AfxiAssembleKernel *assemble;
    const AfxiFrontKernel *front;
    const AfxiBatchKernel *batch;
    const AfxiSolveKernel *solve;
    uint32_t lanes;
    const char *isa;
} AfxiBlockKernel;
/** Kernels with 1, 2 or 4 lanes; 0: the widest that this machine has. NULL when there are none of that width. */
const struct AfxiBlockKernel *afxi_block_kernel(uint32_t lanes);

#endif
