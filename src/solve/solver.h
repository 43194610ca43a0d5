/* SPDX-License-Identifier: Apache-2.0 */
/* All that solves the bodies of a world: the lots of its components, those of the present stage, contacts. */
#ifndef AFXI_SOLVE_SOLVER_H
#define AFXI_SOLVE_SOLVER_H

#include "base/pool.h"
#include "engine/free.h"
#include "solve/kept.h"
#include "solve/newton.h"

typedef struct AfxiSolver {
    AfxiWorld *world;
    AfxiClassTable table;
    AfxiFreeLot free;
    AfxiLot *lot; /* [graphs] */
    AfxiChainLot chains;
    AfxiCollide *collide;                       /* NULL: nothing can touch */
    AfxiContactSet held;                        /* holds of a world in which nothing can touch */
    AfxiContactSet *set;                        /* contacts and holds; NULL: neither can be */
    AfxiFilter *filter;                         /* NULL: none; it belongs to whoever set it */
    const struct AfxiImpactWatch *impact_watch; /* NULL: nobody looks at impacts (impact.h) */
    AfxiRun *run;                               /* [graphs + 1] lots of components, then the ball chains */
    const AfxiStagePlan *plans[AFXI_PLANS];     /* of the stage: even, restarted, reduced_order, gentle, twice */
    uint8_t *chain_plan;                        /* [chains] one of them */
    uint8_t *chosen;                            /* [chains] that are solved by one plan */
    uint32_t chain_plans;                       /* bits: which of the plans some chain goes by */
    AfxiPool pool;                              /* for what lives as long as a stage */
    AfxiKeptLots kept;                          /* lots of islands, of this stage and earlier ones */
    AfxiRun **island;                           /* [island_count] runs of islands of this stage, in the pool */
    uint32_t island_count, island_capacity;
    /* Of islands; NULL until there can be one: things may touch, or are held, or a component leaves its lot. */
    uint32_t *taken;   /* [bodies] island that solves a body in this stage, or UINT32_MAX */
    uint32_t *place;   /* [bodies] body of its graph */
    uint32_t *parent;  /* [bodies] forest of components, by root; UINT32_MAX: its own lot solves it */
    uint32_t *leaving; /* [leaving_count] roots of components that their own lots do not solve in this stage */
    uint32_t leaving_count;
    AfxCrowd crowd;      /* the island that was refused (AFX_E_LIMIT), if bodies > 0 */
    void *islands_apart; /* memory of the four and of kept.of where they are not in the block of the sim */
    size_t islands_bytes;
    uint8_t *mark;     /* [bodies] by root: AfxiMark */
    uint8_t *rounds;   /* [bodies] by root: how often contacts were looked for again in this stage */
    uint16_t *spent;   /* [bodies] by root: solves of earlier rounds of this stage */
    uint8_t *absent;   /* [bodies] has no part in this stage */
    uint8_t *asleep;   /* [bodies] ... because it sleeps, or others step it (step/partner.h) */
    uint8_t *grown;    /* [bodies] by root: should be in this stage, or in a whole step should not */
    uint8_t *look;     /* [bodies] contacts are looked for again */
    AfxiNear *between; /* [between_count] pairs of shapes of two runs, in the pool */
    uint32_t between_count;
    double *known; /* [rows and slots of the state] multipliers of solves that are gone on from */
    bool touched;  /* components have marks */
    bool repeated; /* components were given back in this stage: to look for contacts again, or for another engine */
    double unseen; /* m, deepest that the results of the last stage have beside the planes of their points */
    bool any_absent;
    bool given_up; /* some contacts were taken though they were not settled */
    bool dropped;  /* some points carry no load, as their body has too many */
} AfxiSolver;

/** Marks of a component in a stage. */
enum {
    AFXI_MARK_ESCALATED = 1, /* its own engine could not do it */
    AFXI_MARK_TOUCHED = 2,   /* something touches or holds a body of it */
    AFXI_MARK_LEAVES = 4,    /* it is part of an island of this stage */
};

/** The state block of a world, with what engines keep in it and `own` bytes of the formulation's, in an arena (both
 * passes), before all else. */
void afxi_solver_take_state(AfxiSolver *solver, AfxiArena *arena, AfxiWorld *world, size_t own);
/** Workspace in an arena (both passes). */
void afxi_solver_take(AfxiSolver *solver, AfxiArena *arena, AfxiWorld *world);
/** What comes after the world has its start: contacts. On failure the solver can be destroyed. */
AfxStatus afxi_solver_begin(AfxiSolver *solver);
/** Makes sure that points can be held. */
AfxStatus afxi_solver_hold(AfxiSolver *solver);
/** Makes sure that there can be islands. */
AfxStatus afxi_solver_reserve_islands(AfxiSolver *solver);
/** Nothing that is kept from earlier steps fits: the state or what bodies are made of was edited. */
void afxi_solver_forget(AfxiSolver *solver);
void afxi_solver_release(AfxiSolver *solver);

#endif
