/* SPDX-License-Identifier: Apache-2.0 */
/* A lot: the bodies of one graph, which are solved together, with all that their solves need: rows, dual system,
 * frames, and what an engine makes of them. Arrays are by body of the graph. The components of a model have their lots
 * for the life of a sim; what touches in a step is put into lots that live as long as its stage (solve/islands.c). */
#ifndef AFXI_ENGINE_LOT_H
#define AFXI_ENGINE_LOT_H

#include "constraint/contact.h"
#include "constraint/rows.h"
#include "dual/motion.h"
#include "dual/system.h"
#include "engine/class_table.h"
#include "engine/engine.h"
#include "state/integrator.h"

typedef struct AfxiLot {
    AfxiRows rows;
    AfxiSystem system;
    AfxiClassTable *table;
    double *qhat, *target;      /* [bodies][12] of the stage */
    double *gamma, *gamma_next; /* geometric-stiffness bound used, and that of the new multipliers */
    double *bounded;            /* [rows] the multipliers that gamma_next is the bound of, where that is all it takes */
    double *stiffness;          /* [bodies][6] exact twist stiffness of the last multipliers */
    double *second;             /* [bodies][12] stiffness of closed-form bodies: AfxiBodiesWork */
    double *error, *excess;     /* [bodies] how far a solve may be off; of closed-form ones, the energy of that */
    AfxiBodiesTally *update_tally; /* [parts] */
    double *turned;                /* [bodies][3] w of the solve before (aitken.c) */
    uint32_t turned_after;         /* and which one that was */
    double *strain;                /* [bodies][9] that the last solve means */
    double *turn;                  /* [bodies] |w| */
    double *fixed_lambda;          /* [rows] fixed multipliers while rows are met */
    const double *warm;            /* [bodies of the model][12] what solves go on from, ... */
    const uint8_t *is_warm;        /* [bodies of the model] ... of these; NULL: all are predicted */
    const double *load;            /* [rows] multipliers that the first solve reckons with */
    double *known;                 /* [rows] those of a solve that is gone on from; of islands of a stage */
    uint8_t *regularise;           /* of the state: redundant rows were met */
    const uint32_t *row_of;        /* [rows of joints] of the state, with the sign of the multiplier in ... */
    const double *row_sign;        /* ... NULL: those of the graph, one after the other */
    AfxiMotion motion;
    const AfxiMotionKernel *motion_kernel;
    AfxiStagePlan plan;
    uint64_t iterations; /* of AFX_SOLVER_CG, or sweeps of AFX_SOLVER_GS, in all steps */
    uint32_t forces_version, joints_version, generation; /* of what is packed */
    uint32_t *woodbury_of;                               /* [bodies] into the Woodbury set, or UINT32_MAX */
    bool *followed;         /* [drives of the graph] they have changed their branches since the solve before */
    AfxiPartTally *parts;   /* [parts] what the first solve of a pooled forest came to in each component */
    AfxiDualReport dual;    /* of the last solve */
    bool full_newton, able; /* the last solve had all stiffness; and its strain can be taken out */
    bool finishing;         /* the next solve only meets the rows */
    bool bound_known, bound_closed_form; /* `bounded` is, and whether closed forms had their bodies then */
    bool bound_only; /* of the multipliers that a stage begins with, `stiffness` is not known, only `gamma` */
    bool ready;      /* inverses and starts are those of the frames, whatever touches has changed since */
    bool infinite;   /* a body that is not in closed form is beyond all bounds at the result */
    bool kept;       /* the state's saved_rest has the multipliers of its rows before the step */
    bool pairs;      /* contacts between solved bodies are among the rows */
} AfxiLot;

/** Loops that balls alone close. */
bool afxi_graph_is_net(const AfxiGraph *graph);
/** What is part of the state, in an arena (both passes), before all else that is not. */
void afxi_lot_take_state(AfxiLot *lot, AfxiArena *arena, const AfxiGraph *graph);
/** Workspace over a graph in an arena (both passes). `world` and `graph` are kept. */
void afxi_lot_take(AfxiLot *lot, AfxiArena *arena, AfxiWorld *world, const AfxiGraph *graph, AfxiClassTable *table);
/** Something is about to write multipliers of a component's rows: those of its whole lot before the step are kept,
 * unless they are. */
void afxi_lot_keep_multipliers(AfxiLot *lot);
/** The multipliers of rows [begin, end) of a component's lot as they were before the step. */
void afxi_lot_restore_multipliers(const AfxiLot *lot, uint32_t begin, uint32_t end);
/** Where it is noted that redundant rows were met. */
void afxi_lot_set_regularise(AfxiLot *lot, uint8_t *regularise);
/** Contacts and holds of a set in the blocks of the bodies, for a stage. NULL: none. */
void afxi_lot_attach(AfxiLot *lot, const AfxiContactSet *set);
/** Whether something may: not pooled trees, nor those with bodies of high degree in closed form. */
bool afxi_lot_touchable(const AfxiLot *lot);
/** Whether something touches or holds a body of it. */
bool afxi_lot_touched(const AfxiLot *lot);
/** Multipliers of the last solve, [rows]. */
const double *afxi_lot_multipliers(const AfxiLot *lot);
/** The part of the graph that a body of it belongs to. */
uint32_t afxi_lot_part(const AfxiLot *lot, uint32_t body);
/** The next solve only meets the rows, with the multipliers of the last one kept; or it is a whole one again. Closed
 * forms have no such solve. */
void afxi_lot_finish_next(AfxiLot *lot, bool finish);
/** Frames, origins and past of a stage by `plan`, expected or from `warm`; closed forms are in use if `closed`. */
void afxi_lot_predict(AfxiLot *lot, const AfxiStagePlan *plan, bool closed_form);
/** The bound on the stiffness that a stage begins with, of the last multipliers. */
void afxi_lot_bound(AfxiLot *lot);
/** Bound and exact stiffness of the multipliers of a solve. */
void afxi_lot_stiffness_next(AfxiLot *lot);
/** Inverse blocks for a solve. `later`: not the first one of the stage. */
void afxi_lot_inverses(AfxiLot *lot, bool full_newton, bool later);
/** The solve without rows; or the last result in its place, which then only has its rows met (a finishing solve). */
void afxi_lot_start(AfxiLot *lot, bool finishing);
/** Before another solve at the same frames: bodies whose contacts have changed start anew, and only they do; drives
 * that are on another branch than in the last solve have the law of that one. */
void afxi_lot_restart(AfxiLot *lot);
/** Meets rows that are off at the result, `residual` at most, with the factor of the solve, until all are by at most
 * `enough`, or it is of no more use; what they are off by then comes back. */
double afxi_lot_meet_rows(AfxiLot *lot, double residual, double enough);
/** Whether a restart knows of branches of drives. */
bool afxi_lot_follows_branches(const AfxiLot *lot);
/** After a finishing solve: the multipliers are what it added to those that were kept. */
void afxi_lot_add_fixed(AfxiLot *lot);
/** A = R (I + beta), t = t_k + delta; the largest rotation comes back. NaN spreads into it. */
double afxi_lot_update(AfxiLot *lot);
/** The error that a first solve is judged by, and whether a multiplier jumped. */
double afxi_lot_first_error(const AfxiLot *lot, bool *out_jump);
/** The same of bodies that a later solve held by more than twice the stiffness that its multipliers mean: redundant
 * rows that did not agree had loads that nothing carries, and what is held so does not turn, converged or not. */
double afxi_lot_stiff_error(const AfxiLot *lot);
/** The next frames are the rotations of the result, where the rows are linearised. */
void afxi_lot_advance(AfxiLot *lot);
/** False, with a body, when a result is beyond all bounds. */
bool afxi_lot_finite(const AfxiLot *lot, uint32_t *out_body);
/** Puts the result of bodies [begin, end) into the state, and chooses their predictors. */
void afxi_lot_commit(AfxiLot *lot, AfxiState *state, uint32_t begin, uint32_t end);
/** Whether the turn of each body is known; not where a whole stage is solved at once. */
bool afxi_lot_knows_turns(const AfxiLot *lot);
/** How the last solve was made, for the trace. */
AfxTraceMethod afxi_lot_method(const AfxiLot *lot);
/** J, energy that the last solve has wrong, summed over the bodies; NaN where it was not worked out. */
double afxi_lot_excess(const AfxiLot *lot);
/** Frame, origin and rigid inverse with unit step of a body at the present state. */
void afxi_lot_rigid(AfxiLot *lot, uint32_t k);

#endif
