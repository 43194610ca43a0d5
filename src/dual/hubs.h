/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that touch each other as blocks of the matrix, in place of the rows of their contacts.
 *
 * With X = L L^T the inverse of a body's H, what is not solved for included, y = L^T (forces of all its rows), and
 * contact rows c with gradients G and compliances E, the dual system
 *     K_jj l_j + K_jc l_c = r_j,   K_cj l_j + K_cc l_c = r_c
 * becomes, without the rows c,
 *     [ K_jj of other bodies   J L       ] [l_j]   [ r_j               ]
 *     [ L^T J^T                -(I + M)  ] [ y ] = [ -L^T G^T E^-1 r_c ],  M = L^T G^T E^-1 G L,
 *     l_c = E^-1 (r_c - G L y).
 * A pair of bodies that touches is one product of two blocks, whatever the number of its points: which of them push,
 * stick or slide changes numbers, never the structure. L comes from a Cholesky factor that takes the six strains before
 * the six motions of a rigid body: a rigid body has no others, and its hub is narrow. */
#ifndef AFXI_DUAL_HUBS_H
#define AFXI_DUAL_HUBS_H

#include "base/memory.h"
#include "model/graph.h"

struct AfxiSystem;

typedef struct AfxiHubs {
    double *image;      /* as the jacobian: L^T g of rows on hubs, 0 where they are not active */
    double *residual;   /* [rows of contacts] */
    double *scale;      /* [rows of contacts] 1 / sqrt of the diagonal of K; 0: not active */
    uint32_t *of;       /* [bodies of the graph] hub, or UINT32_MAX */
    AfxiBlockSpot *own; /* [hubs] where its own block stands */
} AfxiHubs;

/** Workspace in an arena (both passes); nothing where there are no hubs. */
void afxi_hubs_take(struct AfxiSystem *system, AfxiArena *arena);
/** Adds what hubs put into the cleared matrix. */
void afxi_hubs_assemble(struct AfxiSystem *system);
/** Adds to the diagonal of joint rows what hubs put there when they are eliminated, and makes the scale of contacts. */
void afxi_hubs_scale(struct AfxiSystem *system);
/** The right-hand side of the hubs from the residuals of the contacts, scaled. */
void afxi_hubs_load(struct AfxiSystem *system);
/** Multipliers of contacts go on by what the solution in `residual`, not yet unscaled, means for them. */
void afxi_hubs_correct(struct AfxiSystem *system);

#endif
