/* SPDX-License-Identifier: Apache-2.0 */
/* A step, or a part of it, for some bodies; and islands whose step is cut into smaller ones. */
#ifndef AFXI_STEP_SUBSTEP_H
#define AFXI_STEP_SUBSTEP_H

#include "solve/stage.h"
#include "step/sim.h"

/** What a step has found so far. */
typedef struct AfxiProgress {
    AfxStepReport report;
    AfxiFreeOutcome free;
    double mark;        /* clock at the end of the last stage */
    uint32_t lost_body; /* where a solve was not finite */
    bool late;          /* some islands need smaller steps */
    bool whole;         /* no body was done in parts */
    bool moved;         /* a stage was committed */
    bool kept;          /* sim->before has the bodies that move, too */
    AfxStatus status;   /* AFX_E_MEMORY: there was none for islands and contacts */
} AfxiProgress;

/** Keeps the bodies that a step moves in sim->before, where they are not kept yet and still are what they were. */
void afxi_progress_keep(AfxSim *sim, AfxiProgress *progress);
/** Books the time since the last call on a stage. */
void afxi_progress_book(AfxiProgress *progress, AfxStage stage);
/** The part [begin, begin + length] of the step, both as fractions of it, for all bodies that are not absent; islands
 * that are not accepted become absent. `starting`: they have no history. False: memory, or a body was lost. */
bool afxi_advance(AfxSim *sim, double begin, double length, bool starting, bool strict, AfxiProgress *progress);
/** Whether ball chains write the new state where the old one was, which becomes history: in full BDF steps. */
bool afxi_in_place(const AfxSim *sim, double length);
/** The islands that are absent after a whole step, in 2^k parts for the smallest k that goes through, each set of
 * islands by itself; false when none does. */
bool afxi_substep(AfxSim *sim, AfxiProgress *progress);

#endif
