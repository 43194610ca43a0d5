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

/* ---- the parts of it, for robots side by side (lanes_newton.c) ---- */

typedef enum AfxiReducedVerdict {
    AFXI_REDUCED_GOES_ON,
    AFXI_REDUCED_CONVERGED,
    AFXI_REDUCED_LOST_IT
} AfxiReducedVerdict;

/** Iterations of a step so far. */
typedef struct AfxiReducedPasses {
    double change, last; /* the largest of a velocity in the last one, and in the one before */
    int count;
    bool fresh; /* the next one makes a matrix of its own */
} AfxiReducedPasses;

AfxiReducedPasses afxi_reduced_passes(void);
/** Puts coordinates where velocities are, takes the branches that fit there, and says what comes next. */
AfxiReducedVerdict afxi_reduced_judge(AfxiReduced *work, const AfxiReducedStep *step, AfxiReducedPasses *passes);
/** After an iteration that has made this change. */
void afxi_reduced_passed(AfxiReducedStep *step, AfxiReducedPasses *passes, double change);
/** What springs and dampers of coordinates add to the diagonal of M, [dofs]. */
void afxi_reduced_stiffness(const AfxiReduced *work, const AfxiReducedStep *step, double *out);
/** What active rows ask of the change of velocities, and how they give way, by work->measure. */
void afxi_reduced_newton_sides(AfxiReduced *work, const AfxiReducedStep *step);
/** Takes work->du and work->lambda: the largest change of a velocity comes back. */
double afxi_reduced_take(AfxiReduced *work, const AfxiReducedStep *step);

#endif
