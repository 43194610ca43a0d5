/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix K = [H J^T; J -c] of an entry: derivatives of its equations by its unknowns, exact. Rigid bodies have six
 * unknowns, a turn w and a shift, dq = T (w, dt), and their equations are T^T F.
 *
 * Where it has entries, the order of elimination and the structure of the factor are found once, and kept until
 * equations change their shape; numbers go straight to their places in columns. */
#ifndef AFXI_GRAD_SYSTEM_H
#define AFXI_GRAD_SYSTEM_H

#include "grad/equations.h"
#include "grad/front.h"

/** Where terms go: of stages, starts, or jumps. */
typedef struct AfxiGradStructure {
    uint64_t shape;         /* of the equations that it was made for; 0: none */
    uint32_t n, bodies;     /* unknowns, of these those of bodies */
    uint32_t *first, *row;  /* [bodies], [rows] their unknowns; UINT32_MAX: none */
    uint8_t *width;         /* [bodies] 6 or 12 */
    double *scale;          /* [n] of rows and columns of the scaled matrix, as it is factored */
    double *shift;          /* [n] what is added to the diagonal in the factor */
    uint32_t *diagonal;     /* [n] where it stands */
    AfxiGradColumns matrix; /* scaled */
    AfxiGradFactor factor;
    uint32_t *position; /* [terms] of terms by unknowns, element by element */
    double *weight;     /* [terms] by which they are scaled */
    uint32_t term_count, position_capacity, weight_capacity;
    bool scaled; /* the scales are known */
    void *raw;
    size_t raw_size;
} AfxiGradStructure;

typedef struct AfxiGradSystem {
    const AfxAllocator *allocator;
    const AfxModel *model;
    const AfxiGradLayout *layout;
    AfxiGradStructure of[AFXI_GRAD_SORTS];
    AfxiGradStructure *now;
    const AfxiGradEntry *entry;
    double *work[3];  /* [most] */
    double *solution; /* [most] of the scaled matrix */
    double left;      /* of the right-hand side of the last solve, over its size */
    void *raw;
    size_t raw_size;
} AfxiGradSystem;

AfxStatus afxi_grad_system_create(AfxiGradSystem *system);
void afxi_grad_system_release(AfxiGradSystem *system);
/** Assembles and factors the matrix of the equations of an entry. AFX_E_NUMERIC: it is singular. */
AfxStatus afxi_grad_system_factor(AfxiGradSystem *system, const AfxiGradEquations *equations);
/** Solves K x = b: b by equation [12 bodies + rows], x as changes of q and lambda. Transposed: b is by q and lambda, x
 * by equation. What `more` [12 bodies], which may be NULL, has by unknowns (AfxiGradLayout.q) is added to b. */
void afxi_grad_system_solve(AfxiGradSystem *system, bool transposed, const double *b, const double *more, double *x);

/** Numbers unknowns and places of the matrix anew; structure.c. */
AfxStatus afxi_grad_structure_make(AfxiGradSystem *system, const AfxiGradEquations *equations);
void afxi_grad_structure_release(AfxiGradSystem *system, AfxiGradStructure *structure);
/** Which unknown an equation, or a slot of an unknown, is. */
uint32_t afxi_grad_unknown(const AfxiGradSystem *system, const AfxiGradStructure *structure, uint32_t index);
/** The order of elimination, and the structure of the factor; order.c. */
AfxStatus afxi_grad_order(AfxiGradSystem *system, AfxiGradStructure *structure, const AfxiGradEquations *equations);

#endif
