/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a sim: one block, a snapshot is a copy of it. It knows no engine: multipliers stand by constraint row,
 * predictors by body. */
#ifndef AFXI_STATE_STATE_H
#define AFXI_STATE_STATE_H

#include "affix/sim.h"
#include "base/memory.h"
#include "body/phase.h"
#include "model/model.h"

/** Head of the state block; the arrays follow at fixed offsets. */
typedef struct AfxiStateHead {
    uint64_t magic, model_hash;
    uint32_t integrator;
    uint32_t has_history; /* the multistep arrays belong to the current q, v, but of bodies whose pace says otherwise */
    uint32_t uneven;      /* some body has a pace of its own */
    uint32_t contact_points; /* that a snapshot remembers after the state */
    double rho, dt;
    double base_time; /* time = base_time + base_steps dt */
    uint64_t base_steps, steps;
    uint32_t placed;   /* a posture was set: limits and loops have not been looked at since */
    uint32_t sleepers; /* bodies that sleep */
} AfxiStateHead;

/** Where a kinematic body is told to be by run-time input. */
typedef struct AfxiTarget {
    double q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH];             /* at the end of the next step */
    double begin_q[AFXI_AFFINE_WIDTH], begin_v[AFXI_AFFINE_WIDTH]; /* where it was at the beginning of this one */
    uint64_t active;
} AfxiTarget;

/* How a body goes on from the last step: the number of steps that BDF1 still does after something struck it (order
 * reduction after impacts), and whether its history no longer fits. All bodies of an island share the slowest pace. */
enum { AFXI_PACE_REDUCED_ORDER = 0x0f, AFXI_PACE_RESTART = 0x80 };

typedef struct AfxiState {
    AfxiStateHead *head;
    size_t size;
    double *q, *v;                   /* [bodies][12] */
    double *x2, *x3;                 /* [bodies][12] history: previous q, v; generalised-α: a and q'' */
    double *previous_q, *previous_v; /* [bodies][12] state before the step: x2, x3, or apart for generalised-α */
    double *gap, *last_gap;          /* [bodies][12] of v and x3 (body/phase.h); NULL: no body is fitted */
    AfxiTarget *targets;             /* [kinematic] */
    double *home_x2, *home_x3; /* where x2, x3 stand in the state block; they change places with saved_q, saved_v */
    double *lambda;            /* [rows], then [slots][3] of ball chains: multipliers of the last step */
    double *angle;             /* [coordinates] joint coordinates, turns counted */
    uint8_t *joint_active;     /* [joints] */
    uint8_t *drive_branch;     /* [drives] AfxiBranch */
    uint8_t *curved;           /* [bodies], then [links] of ball chains in theirs: predicted along a parabola */
    uint8_t *pace;             /* [bodies] AfxiPace */
    uint8_t *regularise;       /* [graphs] redundant rows were met in a step */
    double *drive_travel;      /* [drives] position that a velocity drive has reached */
    double *drive_input;       /* [drives][4] target and rate at the beginning and the end of the step */
    double *activation;        /* [controls][2] activation and value, where the robot has any */
    double *adhesion; /* where controls adhere: q that it is of, [bodies][12]; of each of these controls, force and
                         torque on bodies by a unit of pull, [controls that adhere][bodies][6] */
    uint32_t *rested; /* [bodies] steps in which it was slow enough to sleep, up to the last one */
    uint32_t *asleep; /* [bodies] 0: awake; else 1 + the first body of those that sleep with it */
    void *own;        /* of the formulation; NULL: q, v, x2 and x3 are all it has */
    const uint32_t *phase_slot; /* [bodies] of the model's trees; what follows is by slot, and not in a snapshot */
    double *phase_row;          /* [slots][AFXI_PHASE_SIZE] what is added to the past of a stage (state/phase.h) */
    uint32_t *phase_root;       /* [slots] root of a tree that nothing holds, 0 of one that is held */
    double *phase_balance;      /* [slots][4] work */
    uint8_t *phase_still;       /* [slots] of the first one of a component: nothing is added to any of its bodies */
    const AfxiPhaseKernel *phase_kernel;
    double *saved_q, *saved_v; /* [bodies][12] state before the step while it is cut into smaller ones, and while it is
                                  done where it would be lost; not in a snapshot; NULL: no joints */
    void *saved_rest;          /* lambda ... regularise at the beginning of the step, as they stand in the block, as far
                                  as they are kept */
    size_t rest_size;          /* bytes of lambda ... regularise */
    bool saved_bodies, saved_pace; /* what afxi_state_save_rest kept besides rows */
} AfxiState;

/** Numbers of `adhesion`. */
size_t afxi_state_adhesion_size(const AfxModel *model);
/** Lays the block out in an arena (both passes). */
void afxi_state_take(AfxiState *state, AfxiArena *arena, const AfxModel *model);
/** x2, x3 change places with saved_q, saved_v, which hold the state before the step: it becomes the history. */
void afxi_state_swap_history(AfxiState *state);
/** Simulated time, s. */
double afxi_state_time(const AfxiState *state);

/** Keeps what a step may change before it is known to succeed: paces; and, where something else than ball chains is
 * solved (`bodies`), predictors and notes of redundant rows. Multipliers are kept when something is about to write them
 * (engine/lot.h, engine/chain.h); branches of drives have a place of their own; angles and switches change at the end.
 */
void afxi_state_save_rest(AfxiState *state, const AfxModel *model, bool bodies);
/** All that afxi_state_save_rest kept comes back. */
void afxi_state_restore_rest(AfxiState *state, const AfxModel *model);
/** Puts `bytes` of lambda ... regularise from `part` on into saved_rest. */
void afxi_state_keep_part(AfxiState *state, const void *part, size_t bytes);
/** What saved_rest has of `bytes` of the state from `part` on comes back into them. */
void afxi_state_restore_part(AfxiState *state, void *part, size_t bytes);
/** The pace of a body that afxi_state_save_rest kept comes back. */
void afxi_state_restore_pace(AfxiState *state, uint32_t body);
/** Coordinates and velocities of one body from one pair of arrays [bodies][12] to another. */
void afxi_state_copy_body(uint32_t body, double *to_q, double *to_v, const double *from_q, const double *from_v);
/** Multipliers beyond all bounds, which a failed solve leaves, become 0: they would make the next one fail too. */
void afxi_state_drop_wild(AfxiState *state, const AfxModel *model);

#endif
