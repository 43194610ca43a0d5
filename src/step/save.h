/* SPDX-License-Identifier: Apache-2.0 */
/* What a step has found so far, and what it may have to put back. */
#ifndef AFXI_STEP_SAVE_H
#define AFXI_STEP_SAVE_H

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
    bool rest;          /* sim->before has all but the bodies that move */
    bool kept;          /* and these */
    AfxStatus status;   /* AFX_E_MEMORY: there was none for islands and contacts */
} AfxiProgress;

/** Books the time since the last call on a stage. */
void afxi_progress_book(AfxiProgress *progress, AfxStage stage);
/** Whether ball chains write the new state where the old one was, which becomes history: in full BDF steps. */
bool afxi_in_place(const AfxSim *sim, double length);
/** Keeps the state before the step, as far as it cannot be found again; links of ball chains that are solved in place
 * keep theirs themselves. */
void afxi_save(AfxSim *sim, bool starting, AfxiProgress *progress);
/** The contacts that queries tell change places with those of the step before, which afxi_save keeps: for a step that
 * has failed. */
void afxi_swap_contacts(AfxSim *sim);
/** Keeps the bodies that a step moves in sim->before, which is made where there is none, if they are not kept yet and
 * still are what they were. False: there is no memory. */
bool afxi_progress_keep(AfxSim *sim, AfxiProgress *progress);
/** The same at the beginning of a step, before anything has moved. */
bool afxi_progress_keep_all(AfxSim *sim, AfxiProgress *progress);
/** After a whole step in which islands did not settle: the state before it, of all bodies, where it is not kept yet. */
void afxi_save_late(AfxSim *sim);
/** Puts the bodies that a step moves back to where they were. */
void afxi_put_back(AfxSim *sim);
/** A step for which there was no memory has not happened. What contacts remember is written by a step's finish alone.
 */
void afxi_refuse(AfxSim *sim, const AfxiProgress *progress);

#endif
