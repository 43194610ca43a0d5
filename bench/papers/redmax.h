/* SPDX-License-Identifier: Apache-2.0 */
/* RedMax's linearly implicit step (its Eq. 2) and what it is made of. */
#ifndef BENCH_PAPERS_REDMAX_H
#define BENCH_PAPERS_REDMAX_H

#include "papers/redmax_tree.h"

/** A force between two bodies, implicit: -slope times the difference of the velocities of its points. */
typedef struct RedmaxSpring {
    uint32_t node[2]; /* AFXI_TREE_NONE: what stands still */
    AfxVec3 arm[2];   /* of its points, from the reference points of their trees */
    AfxVec3 pull;     /* on the first */
    double slope[6];  /* h D + h² K: xx, yy, zz, xy, xz, yz */
} RedmaxSpring;

typedef struct Redmax {
    const AfxModel *model;
    RedmaxTree body;
    const double *start; /* [bodies][12] where bodies that stand still are */
    double h, time;
    uint32_t dofs, row_count, spring_count;
    RedmaxSpring *spring;
    double *q, *u;                  /* [coordinates], [dofs] */
    double *force, *trial, *result; /* [dofs] */
    double *r, *p, *z, *product;    /* [dofs] of conjugate gradients */
    double *row, *answer;           /* [rows][dofs] G, M^-1 G^T */
    double *target, *dual;          /* [rows] rates; [rows][rows] */
    double *value;                  /* [rows] what rows are off by */
    AfxVec3 *load;                  /* [bodies] forces in the world, */
    AfxVec3 *load_at;               /* [bodies] where, in the principal frame */
    uint64_t iterations, solves;    /* in all */
    double violation;               /* the most that a row was off by after a step */
} Redmax;

/** Springs, loads and inertias at the present coordinates: forces, blocks and reduced terms. */
void redmax_forces(Redmax *redmax, double *out);
/** out = (J^T (M + h D + h² K) J + h D_r + h² K_r) x. */
void redmax_multiply(Redmax *redmax, const double *x, double *out);
/** Rows of joints that close loops and of coordinates that are told, with the rates that they ask for. */
void redmax_rows(Redmax *redmax);

#endif
