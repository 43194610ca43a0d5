/* SPDX-License-Identifier: Apache-2.0 */
/* RedMax's sweeps over a tree and its preconditioner (Alg. 1 there), for comparison. Spatial vectors are in world axes
 * about the reference point of each tree (src/reduced/dynamics.h), where adjoint transforms are identities. */
#ifndef BENCH_PAPERS_REDMAX_TREE_H
#define BENCH_PAPERS_REDMAX_TREE_H

#include "reduced/dynamics.h"

typedef struct RedmaxTree {
    AfxiTree tree;
    AfxiTreeWork work;
    AfxiSpatial *motion, *wrench; /* [nodes] what sweeps read and write */
    double *block;                /* [nodes][36] blkdiag(h D + h² K) of maximal forces, with the sign of a stiffness */
    double *reduced;              /* [dofs] h D_r + h² K_r */
    double *inertia;              /* [nodes][36] what is left of the inertia beyond a node */
    double *kept;                 /* [dofs][8] U = I s, s.U + reduced, x - s.p */
    double *bias;                 /* [nodes][6] */
} RedmaxTree;

/** The trees of a model whose joints all hold. False: there is no memory, or it has no such tree. */
bool redmax_tree_make(RedmaxTree *tree, const AfxModel *model);
void redmax_tree_drop(RedmaxTree *tree);
/** motion = J u. */
void redmax_push(RedmaxTree *tree, const double *u);
/** out += J^T wrench, which is used up. */
void redmax_pull(RedmaxTree *tree, double *out);
/** out = J^T M J u; what wrenches there are is lost. */
void redmax_momenta(RedmaxTree *tree, const double *u, double *out);
/** Alg. 1, its first loop: at the present frames, inertias, blocks and reduced terms. */
void redmax_prepare(RedmaxTree *tree);
/** Alg. 1, the other two: y = P^-1 x. */
void redmax_solve(RedmaxTree *tree, const double *x, double *y);

#endif
