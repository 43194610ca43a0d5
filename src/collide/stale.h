/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the contact points of a stage fit to where a solve put the bodies. */
#ifndef AFXI_COLLIDE_STALE_H
#define AFXI_COLLIDE_STALE_H

#include "collide/place.h"

/** How well the points of a stage fit to where a solve put the bodies. */
typedef enum AfxiFit {
    AFXI_FIT,            /* to what is found there */
    AFXI_FIT_STALE,      /* others are found there: a stale manifold */
    AFXI_FIT_PENETRATING /* and shapes lie too deep, and deeper than before */
} AfxiFit;

/** What the last solve made of the points of two items: the least gap, along which normal, whether one pushes, and
 * whether one does or was expected to. */
typedef struct AfxiSolvedPair {
    double gap, tolerance;
    AfxVec3 normal;
    bool any, pushes, near, soft;
} AfxiSolvedPair;

/** From the points [begin, end) of a pair. */
AfxiSolvedPair afxi_solved_pair(const AfxiContactSet *set, uint32_t begin, uint32_t end, double tolerance);
/** Of the points of a pair whose bodies came to q_a and q_b; bodies were at `before` [bodies][12]. What lies deep
 * beside the planes of its points goes into collide->unseen. */
AfxiFit afxi_collide_fit(AfxiCollide *collide, const AfxiPair *pair, const AfxiSolvedPair *solved, const double *q_a,
                         const double *q_b, const double *before);

#endif
