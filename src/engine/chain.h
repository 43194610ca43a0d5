/* SPDX-License-Identifier: Apache-2.0 */
/* The ball chains of a model: a lot of the engine `chain`, each chain an island. */
#ifndef AFXI_ENGINE_CHAIN_H
#define AFXI_ENGINE_CHAIN_H

#include "constraint/contact.h"
#include "dual/chain.h"
#include "engine/class_table.h"
#include "engine/engine.h"

/** Of a chain: nothing has written its multipliers in this step; the present solve keeps them on its way; kept. */
typedef enum AfxiChainKept { AFXI_CHAIN_UNTOUCHED, AFXI_CHAIN_KEEPING, AFXI_CHAIN_KEPT } AfxiChainKept;

typedef struct AfxiChainLot {
    AfxiWorld *world;
    AfxiClassTable *table;
    AfxiChainVariant variant;
    AfxiChainPiece *piece; /* [spans] */
    AfxiChainGroup *group; /* [group_count], at most spans */
    uint32_t group_count;
    void *scratch; /* [parts][scratch_size] */
    size_t scratch_size;
    double *tentative; /* [bodies][12] results of stages that are not done in place */
    uint32_t *
        link_woodbury; /* [links] into the Woodbury set, or UINT32_MAX; NULL: nothing can touch, and nothing was held */
    uint8_t *touched;  /* [chains] something touches or holds a link */
    uint8_t *off;      /* [chains] an inner joint is switched off */
    uint8_t *kept; /* [chains] AfxiChainKept: multipliers and predictors before the step, in the state's saved_rest */
    uint8_t *closing; /* [chains] have a pass of Newton's method that closes their joints */
    uint32_t joints_version;
    const AfxiWoodburySet *woodbury; /* of the stage; NULL: none */
    AfxiChainStage stage, after;     /* of the solves, and of the first one of the next step */
    AfxiStagePlan plan;
    const uint8_t *chosen; /* [chains] those of this run */
    bool in_place;         /* the old state moves to saved_q, saved_v */
    bool moved;            /* it has, in this step */
    bool foresees, condensed;
    bool ready;         /* the pieces are condensed for the step that comes ... */
    uint64_t ready_for; /* ... if it is of this kind: a hash of all that goes into it but the state */
} AfxiChainLot;

/** Workspace in an arena (both passes). */
void afxi_chains_take(AfxiChainLot *lot, AfxiArena *arena, AfxiWorld *world, AfxiClassTable *table);
/** A step begins: nothing is kept of the one before. */
void afxi_chains_begin_step(AfxiChainLot *lot);
/** Keeps multipliers and predictors of a chain that something else is about to write, unless they are kept. Solves by
 * its own engine keep them by themselves. */
void afxi_chain_keep(AfxiChainLot *lot, uint32_t chain);
/** Multipliers and predictors of a chain, and of all chains, as they were at the beginning of the step. */
void afxi_chain_restore(const AfxiChainLot *lot, uint32_t chain);
void afxi_chains_restore(const AfxiChainLot *lot);
/** Before the runs of a stage: which links touch something. `set` may be NULL. */
void afxi_chains_attach_contacts(AfxiChainLot *lot, const AfxiContactSet *set);
/** The next run is of the chains that are `chosen` [chains]; in place: a whole BDF step. */
void afxi_chains_choose(AfxiChainLot *lot, const uint8_t *chosen, bool in_place);
/** Where results of the present run stand, [bodies][12]. */
const double *afxi_chains_next(const AfxiChainLot *lot);
/** The plan that results are committed by, of the chains that are chosen. */
void afxi_chains_plan(AfxiChainLot *lot, const AfxiStagePlan *plan);
/** Takes back what solves in place have done to the state of chains marked in `which` [chains], NULL: all. */
void afxi_chains_undo(AfxiChainLot *lot, const uint8_t *which);
/** Of chains marked in `which` [chains] that were solved in place in this stage: puts the state before it in the place
 * of their result, and the other way round. */
void afxi_chains_exchange(AfxiChainLot *lot, const uint8_t *which);

#endif
