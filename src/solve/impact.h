/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: limits and contacts that bounce. */
#ifndef AFXI_SOLVE_IMPACT_H
#define AFXI_SOLVE_IMPACT_H

#include "solve/solver.h"

/** An impact of a run that is over: velocities in the state are those after it. */
typedef struct AfxiImpactSeen {
    const uint32_t *body; /* [body_count] */
    uint32_t body_count;
    const double *end;  /* [body_count][12] velocities that the step came to */
    const double *time; /* [body_count] s, from the beginning of the part to the first blow */
    double length;      /* s, of the part of the step */
    bool jointed;       /* the run has rows of joints */
    const struct AfxiImpactTally *tally;
} AfxiImpactSeen;

/** Who looks at impacts, before limits are left. */
typedef struct AfxiImpactWatch {
    void *context;
    double *fitted; /* [bodies of the model][12] as AfxiImpactTally has it */
    void (*saw)(void *context, const AfxiImpactSeen *seen);
} AfxiImpactWatch;

/** Lets limits that were reached and contacts that struck in this part of the step, of `length` seconds, bounce or
 * stop, in the runs of its last stage; true when something did. */
bool afxi_impacts(AfxiSolver *solver, double length);

#endif
