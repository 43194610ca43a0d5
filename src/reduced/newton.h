/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for the velocities u of the end of an implicit step, whose coordinates and accelerations follow from
 * them: u' = (u - u*) / b, and q = q* + reach u. */
#ifndef AFXI_REDUCED_NEWTON_H
#define AFXI_REDUCED_NEWTON_H

#include "reduced/inner.h"

/** A step that is being made. */
typedef struct AfxiReducedStep {
    double h, b, reach;
    bool two;         /* BDF2 */
    bool alpha;       /* generalised-alpha: smooth motion, which balances accelerations and takes no notice of points */
    const double *q0; /* at its beginning */
    double *q, *u;    /* q*, u* */
    double *turn;     /* [dofs] rotations: of the step before; alpha: what all move by at u = 0, from q0 */
    double tolerance; /* of velocities, of their size */
    double size;      /* of velocities */
} AfxiReducedStep;

/** What velocities may be off by, of their size, at the sim's accuracy. */
double afxi_reduced_tolerance(const AfxiReduced *work);
/** Iterations from work->u to velocities and coordinates work->u, work->q of the end, with the contact points that
 * there are; false: they do not converge. */
bool afxi_reduced_iterate(AfxiReduced *work, AfxiReducedStep *step);
/** What iterations with points leave behind, back to the tree's own rows; keeps the violation of exact rows and the
 * multipliers. True where exact rows are closed. */
bool afxi_reduced_iterated(AfxiReduced *work);

#endif
