/* SPDX-License-Identifier: Apache-2.0 */
/* The active set of an island's contacts (semismooth Newton): whether a solve agrees with the laws of contact, and what
 * to solve next. */
#ifndef AFXI_SOLVE_ACTIVESET_H
#define AFXI_SOLVE_ACTIVESET_H

#include "constraint/contact.h"

/** The contact points of an island, and how far they have come. */
typedef struct AfxiActiveSet {
    const uint32_t *point; /* [count] into the set's points */
    uint32_t count;
    const double *next;     /* [..][12] results of the island's bodies */
    const uint32_t *local;  /* [bodies of the model] their places in `next`; NULL: those of the model */
    bool patient;           /* what is a little wrong may wait for the next step: links of `fast` chains */
    bool fast;              /* points need not be on their side to the last */
    uint32_t solves;        /* of the stage */
    uint32_t rounds;        /* in which limits of friction followed */
    bool started;           /* there was a solve at these frames */
    bool given_up;          /* the last solve was taken though points were not settled */
    bool penetrating;       /* and some lie too deep */
    uint32_t wrong;         /* points on the wrong side in the last review */
    bool misplaced;         /* more of them than may be */
    bool drives;            /* friction drives what it should brake */
    bool moving;            /* a body turned so far that its frame must follow */
    bool changed, followed; /* the next solve has other rows; by other limits of friction */
    double largest;         /* normal force of the last solve */
    double mix;             /* `converged`: of the round before, in the limits of the next one */
    double off, limit;      /* squares: by how much friction is off, and may be at most */
} AfxiActiveSet;

/** Compares what a solve gave with the laws, and changes the rows where it differs; true when it must be solved again
 * at the same frames. `moving`: a body turned so far that friction waits for its next frame. */
bool afxi_activeset_update(AfxiContactSet *set, AfxiActiveSet *active, bool moving);
/** Where a point is at q of both bodies (b only where it is solved for), and the forces of the springs that the next
 * solve has. */
void afxi_point_measure(const AfxiContactSet *set, const AfxiPoint *point, const double *q_a, const double *q_b,
                        AfxiPointState *out);
/** Keeps what the next step needs to remember; the deepest point comes back. */
double afxi_contacts_finish(AfxiContactSet *set);

#endif
