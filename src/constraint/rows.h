/* SPDX-License-Identifier: Apache-2.0 */
/* The constraint rows of a graph: what they measure, their gradients, laws, residuals and geometric stiffness. A row is
 * {what it measures, gradient per body, value, compliance, active or fixed multiplier}: joints, drives, limits,
 * friction, couplings, springs and broken joints differ in nothing else. */
#ifndef AFXI_CONSTRAINT_ROWS_H
#define AFXI_CONSTRAINT_ROWS_H

#include "constraint/groups.h"
#include "joint/axis.h"
#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "state/world.h"

/** Where bodies are taken: where the solve linearises, or at its result. */
typedef enum AfxiPlaceOfRows { AFXI_AT_FRAMES, AFXI_AT_RESULT } AfxiPlaceOfRows;

/** The bodies of the joint whose rows were looked at last. */
typedef struct AfxiRowCache {
    AfxiPairState state;
    uint32_t joint, place; /* UINT32_MAX: of none */
    int8_t fold;           /* of its Cardan angles (AfxiAxisSpec); 0: not known yet */
} AfxiRowCache;

/** The rows of one graph, and where its bodies are; arrays are by row or by body of the graph. */
typedef struct AfxiRows {
    AfxiWorld *world;
    const AfxiGraph *graph;
    AfxiMat3 *frame;     /* R_k of the solve */
    AfxVec3 *origin;     /* t_k */
    double *at;          /* [bodies][12] where rows are linearised: (R_k, t_k) at first, then the last result */
    double *qv;          /* [bodies][12] of the stage: a rate is (q - qv) / h_rate */
    double *next;        /* [bodies][12] the result */
    const double *delta; /* [bodies][12] of the solve */
    double h_rate;
    double *value;             /* [rows] C at the frames */
    double *compliance;        /* [rows] */
    uint8_t *active;           /* [rows] 0: the multiplier is `fixed` */
    double *fixed;             /* [rows] */
    double *jacobian;          /* [entry rows][12] */
    double *measured, *rate;   /* [rows] what each measures at delta = 0, and the constant part of its rate */
    double *shift;             /* [rows] change of each from the frames to where it was linearised */
    double *base_acceleration; /* [rows] share of bodies that are not solved for in a row's acceleration, at a start */
    double *result;            /* [rows] what each measures at the result, where that matters */
    AfxiRowGroups groups;      /* joints side by side */
    AfxiRowCache *cache;       /* [1] */
    AfxiRotationalSpringEnds *rotational_spring_ends; /* [springs of ball joints] */
    double *rotational_spring_constants;              /* [springs of ball joints][AFXI_ROTATIONAL_SPRING_CONSTANTS] */
    uint32_t rotational_springs_version;              /* of the springs that these are of */
    double *rotational_spring;                        /* [springs of ball joints][AFXI_ROTATIONAL_SPRING_RESULT] */
    AfxiRotationalSpringKernel *rotational_spring_kernel;
    double *held; /* [bodies] what its springs hold a body by; for `held_scale` */
    double held_scale;
    double closed_form_gap; /* largest row of closed-form joints at the result */
    bool closed_form;       /* closed-form blocks are worked on in closed form; else by their gradients */
    bool whole;             /* the next solve begins with the state: its kernels make the rows of closed-form joints */
    bool fresh;             /* constant numbers of closed-form joints' rows are in place */
    bool rates;             /* the rates of all rows are wanted: they go row by row */
    bool strained;          /* `at` may be other than the frames and origins */
    bool placed;            /* compliance, activity and fixed multipliers of joints' own rows are in place */
    bool points_out;        /* gradients of points are not in `jacobian`: trees do without (dual/primal.c) */
    bool starting;          /* rows are wanted for accelerations */
} AfxiRows;

/** Blocks of joints to go through one by one: all, or those that closed forms leave. */
uint32_t afxi_blocks_left(const AfxiRows *rows);
const AfxiGraphBlock *afxi_block_left(const AfxiRows *rows, uint32_t k);
/** Evaluates all rows at the frames: what they measure, gradients, the constant parts of their rates, their laws. */
void afxi_rows_linearise(AfxiRows *rows);
/** Leaves only the rows that must hold active: those without compliance, friction left out. How far they are off comes
 * back. */
double afxi_rows_keep_exact(AfxiRows *rows);
/** Largest violation of an exact row at the new q of the bodies; the rows' own frames stay those of the solve. */
double afxi_rows_residual(const AfxiRows *rows);
/** How far each exact row [rows] was off when the residual was taken; others and those of closed forms: 0. */
void afxi_rows_misses(const AfxiRows *rows, double *out);
/** Geometric stiffness of multipliers [rows]: the bound per body, and unless NULL the exact twist matrices [bodies][6].
 */
void afxi_rows_stiffness(AfxiRows *rows, const double *lambda, double *out_bound, double *out_exact);
/** Whether the middle one of three Cardan angles passes a right angle in this step, where those beside it, the row's
 * among them, turn round. */
bool afxi_row_passes_fold(const AfxiRows *rows, uint32_t row);
/** Whether the twist that a row measures is lost at the result. */
bool afxi_row_lost(const AfxiRows *rows, uint32_t row);
/** Its coordinate at the result, read in the set of Cardan angles of the last step. */
double afxi_row_unfolded(const AfxiRows *rows, uint32_t row);
/** What the law of a drive's row is evaluated with. */
AfxiLawInput afxi_row_law_input(const AfxiRows *rows, uint32_t row, double x, double rate);
/** Value, compliance and activity from what a row measures at delta = 0; `shift` is the change of that to where it is
 * linearised. */
AfxiLawRow afxi_row_law(const AfxiRows *rows, uint32_t row, double x, double rate, double shift);
/** The numbers of a drive that is a spring, or of one between points as those of such a drive, and its tables: false,
 * it has none, or the row is neither. */
bool afxi_row_tables(const AfxiRows *rows, uint32_t row, double numbers[AFXI_DRIVE_SIZE], AfxiSpringTables *out);
/** Gives a drive's row, at the frames that it was linearised at, the law of the branch that its drive has gone to
 * since; false: it is on the same one. Drives on angles of balls have other gradients on other branches, and are not
 * for it. */
bool afxi_row_follow_branch(const AfxiRows *rows, uint32_t row);
/** Whether no joint had flipped over when the residual was taken. */
bool afxi_joints_consistent(const AfxiRows *rows);

/** Both bodies of a joint at a place. */
const AfxiPairState *afxi_row_state(const AfxiRows *rows, uint32_t joint, AfxiPlaceOfRows place);
double afxi_row_length(const AfxiRows *rows, uint32_t joint);
/** An axis of a joint as it is read at a state of its bodies. */
AfxiAxisSpec afxi_row_axis(const AfxiRows *rows, uint32_t joint, uint32_t axis, const AfxiPairState *state);
const AfxiGraphBlock *afxi_row_block(const AfxiRows *rows, uint32_t row);
/** The row of the joint's kind that a row of source AFXI_SOURCE_JOINT is. */
AfxiRowSpec afxi_row_spec(const AfxiRows *rows, uint32_t row);
/** False for the rows of a joint that is switched off. */
bool afxi_row_on(const AfxiRows *rows, uint32_t row);
/** Whether the row holds exactly now, and what it must measure: 0, the target of its drive, or the end of a limit. */
bool afxi_row_exact(const AfxiRows *rows, uint32_t row, double *out_target);

#endif
