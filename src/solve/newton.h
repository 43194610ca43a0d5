/* SPDX-License-Identifier: Apache-2.0 */
/* The Newton loop: one for all engines. It solves the islands of a lot until each is accepted, asks for contacts to be
 * looked for again, for a smaller step, or for the next engine. Nothing of the state of bodies changes in it. */
#ifndef AFXI_SOLVE_NEWTON_H
#define AFXI_SOLVE_NEWTON_H

#include "collide/stale.h"
#include "engine/chain.h"
#include "engine/lot.h"
#include "solve/activeset.h"
#include "solve/filter.h"
#include "solve/judge.h"

/** An island in the Newton loop. */
typedef struct AfxiIsland {
    AfxiJudge judge;
    AfxiActiveSet active; /* its contacts */
    AfxiVerdict verdict;
    uint32_t pass;                   /* solves at new frames, from 1 */
    uint32_t solves;                 /* all of them, in this round of contacts */
    uint32_t counted;                /* of them in the report */
    uint32_t repeats;                /* of them at frames at which drives have changed their branches */
    uint32_t body_count;             /* bodies */
    uint32_t body;                   /* the first one: its name */
    uint32_t spent;                  /* solves of earlier rounds of the stage */
    uint32_t rounds;                 /* in which contacts were looked for */
    uint32_t first_pair, pair_count; /* of shapes near each other, into AfxiRun.pair */
    double size;                     /* m */
    double unseen;                   /* m, deepest that its last result has beside the planes of its points */
    bool energy_accepted, loose, regularised, unconverged, capped;
} AfxiIsland;

/** A lot to be solved, and what is known of it. */
typedef struct AfxiRun {
    const AfxiEngineKind *engine;
    void *data;                  /* lot of the engine */
    AfxiLot *lot;                /* the same, where it is one; else NULL */
    AfxiChainLot *chains;        /* the same, where it is one; else NULL */
    AfxiFilter *filter;          /* NULL: no candidate is shortened */
    AfxiCollide *collide;        /* NULL: nothing can touch */
    AfxiContactSet *set;         /* NULL: nothing can touch, and nothing is held */
    const struct AfxiNear *near; /* [..] pairs of shapes near each other, by island */
    AfxiStagePlan plan;
    int planned;          /* 0 ... AFXI_PLANS - 1: even, restarted, reduced_order, gentle; of those that turn */
    const uint32_t *root; /* [root_count] components of an island of this stage */
    uint32_t root_count;
    AfxiIsland *island;       /* [count] */
    AfxiTally *tally;         /* [count] */
    uint8_t *open;            /* [count] still to be solved */
    uint8_t *same;            /* [count] at the same frames */
    uint8_t *accepted;        /* [count] */
    AfxiViolation *violation; /* [count] of a start, of lots of components */
    AfxiClosing *closing;     /* [count] the same */
    uint32_t count;
    const double *before; /* [bodies][12] where bodies were at the beginning of the stage */
    bool strict;          /* shapes that lie too deep ask for a smaller step */
    bool watched;         /* and so does energy from nothing */
    bool warm;            /* solves go on from a result that was near enough */
    bool done;            /* its islands have their verdicts */
} AfxiRun;

/** A pair of shapes whose boxes are near each other, with the points that were solved for. */
typedef struct AfxiNear {
    uint32_t a, b;             /* items */
    uint32_t first_point, end; /* into the set's points */
    double tolerance;          /* m */
} AfxiNear;

/** Solves all islands of a run: each comes to a verdict other than SAME_FRAMES and NEW_FRAMES.*/
void afxi_newton(AfxiRun *run);
/** How well the points of an island fit to its results; pairs with bodies of other runs are left out. */
AfxiFit afxi_island_fit(const AfxiRun *run, AfxiIsland *island);

#endif
