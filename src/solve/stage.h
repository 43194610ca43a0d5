/* SPDX-License-Identifier: Apache-2.0 */
/* One stage of a step for all bodies: contacts, islands, the Newton loop, and when all of it is accepted, the state. */
#ifndef AFXI_SOLVE_STAGE_H
#define AFXI_SOLVE_STAGE_H

#include "solve/solver.h"
#include "state/pace.h"

/** A stage of a step, or of a part of it. */
typedef struct AfxiStageDef {
    AfxiPlans plans;
    double fraction; /* of the step, where it ends */
    bool whole;      /* not one of a part of the step */
    bool strict;     /* shapes that lie too deep ask for a smaller step */
    bool watched;    /* and so does energy from nothing */
    bool wakes;      /* the first one of a whole step: what touches sleepers wakes them */
    bool in_place;   /* ball chains write over the old state, which moves to saved_q, saved_v */
} AfxiStageDef;

/** What came of it. */
typedef struct AfxiStageOutcome {
    uint32_t solves; /* largest of an island */
    uint64_t body_solves;
    double rotation_error, residual;
    uint32_t failed_body;
    bool regularised, unconverged, loose, energy_accepted, capped;
    bool finite; /* nothing was lost */
    bool whole;  /* all islands were accepted */
    bool grown;  /* nothing is to be committed: bodies touch absent ones; solver->grown has the roots */
} AfxiStageOutcome;

/** Solves all bodies that are not absent, but free ones. Nothing is committed; solver->absent gets the bodies of
 * islands that need a smaller step. AFX_E_MEMORY, AFX_E_LIMIT: nothing has changed but what afxi_stage_undo puts back.
 */
AfxStatus afxi_stage_solve(AfxiSolver *solver, const AfxiStageDef *def, AfxiStageOutcome *out);
/** Makes what was accepted the state. */
void afxi_stage_commit(AfxiSolver *solver, bool in_place);
/** Whether a body is a link that the stage has solved in place: what it was stands in saved_q, saved_v. */
bool afxi_stage_moved(const AfxiSolver *solver, uint32_t body);
/** Takes back what solves in place have changed; after it nothing of the stage is left. */
void afxi_stage_undo(AfxiSolver *solver);

#endif
