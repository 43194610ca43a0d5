/* SPDX-License-Identifier: Apache-2.0 */
/* The table of engines. An engine is linear algebra only: how to predict, linearise, solve and write back its kind of
 * islands, in the stages of steps and between them. The one Newton loop over all of them is solve/newton.c. Only this
 * room knows the systems of equations that they solve (src/dual). */
#ifndef AFXI_ENGINE_ENGINE_H
#define AFXI_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "state/integrator.h"
#include "state/state.h"

/** What a solve came to in one island. */
typedef struct AfxiTally {
    double error;       /* what a first solve is judged by, rad */
    double stiff_error; /* the same of later ones, of bodies that were held stiffer than they are */
    double turn;        /* largest rotation of a body away from its frame, rad */
    double residual;    /* largest violation of an exact row */
    uint32_t body;      /* where it is not finite */
    bool jump;          /* a multiplier has jumped: its geometric stiffness is more than twice what the solve knew */
    bool finite;
    bool regularised; /* redundant rows share their load by a small compliance */
    bool unconverged; /* an iteration stopped at its cap */
    bool refused;     /* the engine could not do it this way: it does so otherwise now */
} AfxiTally;

/* What an engine can do besides joints and forces; an island that needs more goes to the next engine that can. */
enum {
    AFXI_CAN_CONTACT = 1 << 0, /* contact with what is not solved for, and held points */
    AFXI_CAN_PAIRS = 1 << 1,   /* contacts between solved bodies */
    AFXI_CAN_REPEAT = 1 << 2,  /* more than one solve in a stage */
};

/** What the Newton loop asks of an engine, for the islands that it has. */
typedef struct AfxiAsk {
    AfxiTally *tally;    /* [islands] */
    const uint8_t *open; /* [islands] to be solved; NULL: all */
    const uint8_t *same; /* [islands] at the same frames as before; NULL: none */
    double fine;         /* errors of bodies that are surely below this need not be known */
    bool later;          /* not the first solve of the stage */
} AfxiAsk;

/** What a solve is for: rows are the same, bodies are rigid in all but stages, and what is solved for differs. */
typedef enum AfxiPurpose {
    AFXI_FOR_STAGE,   /* the state at the end of a stage */
    AFXI_FOR_START,   /* consistent accelerations and multipliers */
    AFXI_FOR_CLOSING, /* the least motion that meets exact rows; the only one whose rows may contradict each other */
    AFXI_FOR_IMPACT,  /* velocities that jump */
} AfxiPurpose;

/** How far the exact rows of an island are off. */
typedef struct AfxiViolation {
    double position, rate;
    double size; /* m, what tolerances go by */
} AfxiViolation;

/** Closing of the joints of an island by Newton's method: how it goes. */
typedef struct AfxiClosing {
    double size;     /* m, what its tolerance goes by */
    double residual; /* of the last pass */
    uint32_t pass;
    bool open; /* not near enough yet */
} AfxiClosing;

/** Notes how far the rows are off before a pass; false: near enough, or nothing is gained any more. */
bool afxi_closing_goes_on(AfxiClosing *closing, double residual);

struct AfxiContactSet;

/** Velocities that jump to the nearest ones that all rows allow. Limits that are met have the rates of
 * AfxiWorld.limit_rate, contact points that are listed those of AfxiPoint.jump. */
typedef struct AfxiJump {
    struct AfxiContactSet *set; /* of the points */
    const uint32_t *point;      /* [point_count] (constraint/bounce.h) */
    uint32_t point_count;
    const uint8_t *open; /* [islands] whose velocities jump; NULL: all */
    bool again;          /* since the last jump of this lot nothing has changed but velocities and the rates wanted */
} AfxiJump;

/** What engines do between the stages of steps. All take the present state, and leave contacts and holds out. */
typedef struct AfxiBetweenKind {
    /** [islands] */
    void (*violation)(void *lot, AfxiViolation *out);
    /** AFXI_FOR_START: accelerations into x2 (and x3 for generalised-α) of bodies that are wanted [bodies of the
     * model], and the multipliers of their components, for a step of `dt`. Drive targets are those of the present. */
    void (*start)(void *lot, const uint8_t *wanted, double dt);
    /** AFXI_FOR_CLOSING: one pass of Newton's method for the islands [islands] that are open, which moves their bodies,
     * velocities turned with them; false: none was needed. */
    bool (*close)(void *lot, AfxiClosing *closing);
    /** AFXI_FOR_IMPACT: velocities of all bodies of the islands that are open. */
    void (*project)(void *lot, const AfxiJump *jump);
    /** Exact rows that are switched on, and their rank; needs memory while it runs. */
    AfxStatus (*rank)(void *lot, const AfxAllocator *allocator, uint32_t *out_rows, uint32_t *out_rank);
    /** Nothing that is kept from earlier steps fits: the state or what bodies are made of was edited. */
    void (*forget)(void *lot);
} AfxiBetweenKind;

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
    const AfxiBetweenKind *between;
} AfxiEngineKind;

/** Wide forests of ball joints, eliminated from the leaves; any graph, by a block multifrontal factor or, where the
 * model asks for it, iterations; ball chains. `lot` is an AfxiLot, an AfxiLot, an AfxiChainLot. */
extern const AfxiEngineKind afxi_engine_tree, afxi_engine_graph, afxi_engine_iterative, afxi_engine_chain;

#endif
