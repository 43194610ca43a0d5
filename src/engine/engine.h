/* SPDX-License-Identifier: Apache-2.0 */
/* The table of engines. An engine is linear algebra only: how to predict, linearise, solve and write back its kind of
 * islands. The one Newton loop over all of them is solve/newton.c. */
#ifndef AFXI_ENGINE_ENGINE_H
#define AFXI_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "state/integrator.h"
#include "state/state.h"

/** What a solve came to in one island. */
typedef struct AfxiTally {
    double error;    /* what a first solve is judged by, rad */
    double turn;     /* largest rotation of a body away from its frame, rad */
    double residual; /* largest violation of an exact row */
    uint32_t body;   /* where it is not finite */
    bool jump;       /* a multiplier has jumped: its geometric stiffness is more than twice what the solve knew */
    bool finite;
    bool regularised; /* redundant rows share their load by a small compliance */
    bool unconverged; /* an iteration stopped at its cap */
    bool refused;     /* the engine could not do it this way: it does so otherwise now */
} AfxiTally;

/* What an engine can do besides joints and forces; an island that needs more goes to the next engine that can. */
enum {
    AFXI_CAN_TOUCH = 1 << 0,  /* contact with what is not solved for, and held points */
    AFXI_CAN_PAIRS = 1 << 1,  /* contacts between solved bodies */
    AFXI_CAN_REPEAT = 1 << 2, /* more than one solve in a stage */
};

/** What the Newton loop asks of an engine, for the islands that it has. */
typedef struct AfxiAsk {
    AfxiTally *tally;    /* [islands] */
    const uint8_t *open; /* [islands] to be solved; NULL: all */
    const uint8_t *same; /* [islands] at the same frames as before; NULL: none */
    double fine;         /* errors of bodies that are surely below this need not be known */
    bool later;          /* not the first solve of the stage */
} AfxiAsk;

typedef struct AfxiEngineKind {
    const char *name;
    uint32_t can;
    /** Frames where bodies are expected, rows and geometric stiffness there. */
    void (*begin)(void *lot, const AfxiStagePlan *plan);
    /** One solve of the open islands: finite, turn, regularised, unconverged, refused of their tallies. */
    void (*solve)(void *lot, const AfxiAsk *ask);
    /** What the solve came to besides: error, jump, residual. */
    void (*measure)(void *lot, const AfxiAsk *ask);
    /** The next solve is at the frames of the result. */
    void (*advance)(void *lot, const AfxiAsk *ask);
    /** The results of islands become the state; `accepted` [islands], NULL: all. */
    void (*commit)(void *lot, AfxiState *state, const uint8_t *accepted);
} AfxiEngineKind;

/** Wide forests of ball joints, eliminated from the leaves; any graph, by a block multifrontal factor or, where the
 * model asks for it, iterations; ball chains. `lot` is an AfxiLot, an AfxiLot, an AfxiChainLot. */
extern const AfxiEngineKind afxi_engine_tree, afxi_engine_graph, afxi_engine_iterative, afxi_engine_chain;

#endif
