/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix K = [H J^T; J -c] of an entry: derivatives of its equations by its unknowns, exact. Rigid bodies have six
 * unknowns, a turn w and a shift, dq = T (w, dt), and their equations are T^T F, of which T varies too. */
#ifndef AFXI_GRAD_SYSTEM_H
#define AFXI_GRAD_SYSTEM_H

#include "grad/equations.h"
#include "grad/lu.h"

typedef struct AfxiGradSystem {
    const AfxAllocator *allocator;
    const AfxModel *model;
    const AfxiGradLayout *layout;
    uint32_t n;
    uint32_t *first, *row; /* [bodies], [rows] their unknowns; UINT32_MAX: none */
    uint8_t *width;        /* [bodies] 6 or 12 */
    uint32_t *order;       /* [n] of elimination */
    uint8_t *exact;        /* [n] rows without compliance of their own */
    double *scale;         /* [n] of rows and columns of the scaled matrix, as it is factored */
    double *work[3];       /* [n] */
    double *solution;      /* [n] of the scaled matrix */
    bool start;            /* of the entry that was factored */
    double *turn;          /* [bodies][9] A of rigid bodies, by which they turn */
    AfxiGradColumns matrix;
    AfxiGradLu lu;
    AfxiGradTerms entries; /* of the matrix, before they are put into columns */
    uint64_t pattern;      /* hash of the structure that `order` was found for; 0: none yet */
    double left;           /* of the right-hand side of the last solve, over its size */
    void *raw;
    size_t raw_size;
} AfxiGradSystem;

AfxStatus afxi_grad_system_create(AfxiGradSystem *system);
void afxi_grad_system_release(AfxiGradSystem *system);
/** Assembles and factors the matrix of the equations of an entry. AFX_E_NUMERIC: it is singular. */
AfxStatus afxi_grad_system_factor(AfxiGradSystem *system, const AfxiGradEquations *equations);
/** Solves K x = b, or with the transpose of K; b and x by equation: [12 bodies + rows], as AfxiGradEquations has them,
 * and x as changes of q and lambda. */
void afxi_grad_system_solve(AfxiGradSystem *system, bool transposed, const double *b, double *x);

#endif
