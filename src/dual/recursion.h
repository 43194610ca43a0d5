/* SPDX-License-Identifier: Apache-2.0 */
/* The dual system of a forest, eliminated body by body from the leaves to the roots and solved in the forward pass; the
 * matrix K as a whole is never made.
 *
 * What stands beyond a joint is seen through it as a compliance T and a gap t of its rows. With Q(i,j) = G_i X G_j^T
 * the products of a body's own rows, p the joint towards the root and C the compliance of springs, D_i = C_i + T_i +
 * Q(i,i),   r_i = value_i + t_i + G_i delta_0    for the joints i away from the root, T = Q(p,p) - Q(p,i) D^-1 Q(i,p),
 * t = G_p delta_0 - Q(p,i) D^-1 r_i   for the joint towards it, with D the matrix of all i, its blocks off the diagonal
 * Q(i,j). In the forward pass, lambda_i = D^-1 (r_i - Q(i,p) lambda_p).
 *
 * Bodies that balls alone hold are worked on in their own axes, where Q has closed forms (closed_form.h) without R: T
 * and t are those of the body that left them, and are turned by R^T R' when the next one takes them. All others go by
 * the gradients of their rows (general jobs), which need no turning, and in the forward pass have delta as well. */
#ifndef AFXI_DUAL_RECURSION_H
#define AFXI_DUAL_RECURSION_H

#include "dual/closed_form.h"
#include "dual/motion.h"
#include "model/model.h"

/* What a body leaves for the next one, by lane of its job, in a message that others use again afterwards: T as point -
 * point (xx, yy, zz, xy, xz, yz), turn - point (by columns), turn - turn; t; the largest |r| of its subtree. A stage in
 * two passes leaves besides R, the end of the joint towards the root, and the rate of turn of the past; in the forward
 * pass it finds there the multipliers of that joint and where it has come. */
enum {
    AFXI_RECURSION_POINT = 0,
    AFXI_RECURSION_MIXED = 6,
    AFXI_RECURSION_TWIST = 15,
    AFXI_RECURSION_GAP = 21,
    AFXI_RECURSION_LARGEST = 27,
    AFXI_RECURSION_KEPT = 28, /* numbers up to here are asked for again */
    AFXI_RECURSION_FRAME = 28,
    AFXI_RECURSION_END = 37,
    AFXI_RECURSION_SPIN = 40,
    AFXI_RECURSION_SIZE = 44,
    AFXI_RECURSION_LAMBDA = 0, /* in the forward pass, in place of T */
    AFXI_RECURSION_AT = 6,
    AFXI_RECURSION_FORWARD_MESSAGE = 9
};

/* What a stage in two passes keeps of a body for the forward pass, before the factor: R, origin, start and bound. */
enum {
    AFXI_RECURSION_STORED_FRAME = 0,
    AFXI_RECURSION_STORED_ORIGIN = 9,
    AFXI_RECURSION_STORED_START = 12,
    AFXI_RECURSION_STORED_GAMMA = 24 /* AFXI_RECURSION_STORED in all */
};

/* What a batched job reads of its bodies in every step, lane by lane in the order of jobs: constants of AFXI_CHAIN
 * that others follow from, what springs hold the body by, and the force on it. The numbers of the springs come behind.
 */
enum {
    AFXI_PACK_C = 0, /* 3 */
    AFXI_PACK_COMPLIANCE = 3,
    AFXI_PACK_DIAGONAL = 4, /* 6 */
    AFXI_PACK_TRANSLATION = 10,
    AFXI_PACK_GRAVITY = 11,
    AFXI_PACK_HELD = 12,
    AFXI_PACK_FORCE = 13,  /* 3 */
    AFXI_PACK_INERTIA = 16 /* AFXI_RECURSION_PACK in all */
};

struct AfxiSystem;

/** One job with rows, backward or forward. */
typedef void AfxiRecursionPass(const struct AfxiSystem *system, const AfxiRecursionJob *job);

typedef struct AfxiRecursionKernel {
    AfxiRecursionPass *backward;
    AfxiRecursionPass *forward;
} AfxiRecursionKernel;

/* Tallies of lanes: the largest turn and error; not 0 where numbers are not finite; 1 where a multiplier jumped; the
 * largest row of the result and the largest coordinate of a joint; what the rows of general bodies lack. */
enum {
    AFXI_TALLY_TURN,
    AFXI_TALLY_ERROR,
    AFXI_TALLY_INFINITE,
    AFXI_TALLY_JUMP,
    AFXI_TALLY_GAP,
    AFXI_TALLY_REACH,
    AFXI_TALLY_RESIDUAL,
    AFXI_TALLY_SIZE
};

/** What comes of bodies in the forward pass; combined by maximum. */
typedef struct AfxiRecursionTally {
    AfxiBodiesTally bodies;
    double gap, reach; /* largest row of the result, and the largest coordinate of a joint */
    double residual;   /* largest that rows of general bodies lack */
    double lane[AFXI_TALLY_SIZE][AFXI_RECURSION_LANES]; /* of jobs, not yet combined */
} AfxiRecursionTally;

/** What comes of one component. */
typedef struct AfxiPartTally {
    double turn, error, gap, reach;
    bool jump, infinite;
} AfxiPartTally;

/** The first solve of a stage: a job with rows from the state on, and back to `next`. */
typedef struct AfxiRecursionStageKernel {
    AfxiRecursionPass *backward;
    void (*forward)(const struct AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out);
} AfxiRecursionStageKernel;

/** A general job: true where rows are redundant; with another right-hand side and the factor that it has; and back,
 * with delta and what the rows still lack. */
typedef struct AfxiRecursionGeneralKernel {
    bool (*backward)(const struct AfxiSystem *system, const AfxiRecursionJob *job);
    AfxiRecursionPass *substitute;
    void (*forward)(const struct AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out);
} AfxiRecursionGeneralKernel;

/** Workspace of a sim. */
typedef struct AfxiRecursionWork {
    double *message;    /* [messages and grounds][AFXI_RECURSION_SIZE][AFXI_RECURSION_LANES] */
    double *forward;    /* [recursion.forward_length] factors and solutions in the backward pass */
    double *pack;       /* [recursion.pack_length] */
    uint8_t *wrenched;  /* [jobs] batched: more than a force acts on a body */
    const double *base; /* [bodies][12] delta_0; of closed forms, with fixed multipliers, what they make of it */
    const double *general_base; /* [bodies][12] delta_0; what is fixed is added job by job */
    const AfxiRecursionKernel *kernel;
    const AfxiRecursionStageKernel *stage, *batched;
    const AfxiRecursionGeneralKernel *general, *general_one; /* jobs of several bodies, and of one that kernels ... */
    const AfxiRecursionGeneralKernel *one;                   /* ... are compiled for, or that any joints hold */
    uint8_t *redundant;                                      /* [parts] redundant rows were met */
    uint8_t *dirty;            /* [jobs] lanes whose bodies, or some beyond, have changed */
    uint8_t *keep;             /* [jobs] what they leave may be asked for again, */
    double *kept;              /* [jobs][AFXI_RECURSION_KEPT][AFXI_RECURSION_LANES] and is here */
    AfxiRecursionTally *tally; /* [parts] */
    const AfxiMotion *motion;  /* of the stage */
    const double *springs;     /* [springs of ball joints][AFXI_ROTATIONAL_SPRING_CONSTANTS] */
    double per_h;              /* 1 / h of rates */
    double fine;               /* errors of bodies that are surely below this need not be known */
    AfxiPartTally *parts; /* [components] of a stage in two passes, where each is judged by itself; NULL: together */
    uint32_t *part_of;    /* [bodies] component, where there are several */
    bool packed;          /* `pack` is up to date, ... */
    bool packed_forces;   /* ... and so is what it has of forces */
    bool stream;          /* what is kept for the forward pass is too much for the cache */
    bool switched;        /* some rows are off */
    bool correcting;      /* what residuals ask for is solved for, and nothing else */
    bool whole;           /* the next solve is the first of a stage, and begins with the state */
    bool refused;         /* that was not accurate enough, or not possible */
    uint32_t refusals;    /* how often, so far */
    bool keeping;         /* the next solve keeps that */
    bool stands;          /* what the last solve has left and kept is that of the present bodies and rows, ... */
    bool rework;          /* ... and the next one only goes through what is dirty on its way to the roots */
    bool solved;          /* what general jobs keep is the factor of the last solve, */
    bool factored;        /* without eps, ... */
    bool again;           /* ... and in the next one, those that are not dirty only have another right-hand side */
    uint64_t kept_jobs;   /* that were not worked again, so far */
} AfxiRecursionWork;

/** Workspace in an arena. */
void afxi_recursion_take(struct AfxiSystem *system, AfxiArena *arena);
/** lambda of a forest, and delta of its general bodies. The largest right-hand side comes back, and the largest that
 * rows of general bodies still lack. */
double afxi_recursion_solve(struct AfxiSystem *system, double *out_residual);
/** Before a solve of the same rows: of all bodies, only those that are marked then have changed since the last one;
 * false where all must be worked again. */
bool afxi_recursion_rework(struct AfxiSystem *system);
/** Before a first one: those that are marked then may change from solve to solve; false where none is kept. */
bool afxi_recursion_keep(struct AfxiSystem *system);
/** Before a solve in which all may start elsewhere: only of bodies that are marked then have inverses, or which rows of
 * theirs are on, changed since the last one; false where all must be worked again. */
bool afxi_recursion_again(struct AfxiSystem *system);
/** Marks a body of the graph. */
void afxi_recursion_mark(struct AfxiSystem *system, uint32_t body);
/** `residual`, with scale 1 or 0, becomes what lambda lacks for it. */
void afxi_recursion_correct(struct AfxiSystem *system);
/** The first solve of a stage of a forest from the state on, results included; false where it cannot be done so. */
bool afxi_recursion_stage(struct AfxiSystem *system);
/** Whether the rows of a whole stage hold to rounding, where joints are at coordinates up to `reach`. */
bool afxi_recursion_accurate(double gap, double reach);

const AfxiRecursionKernel *afxi_recursion_kernel(uint32_t lanes);
const AfxiRecursionStageKernel *afxi_recursion_stage_kernel(uint32_t lanes);
/** The same for batched jobs. */
const AfxiRecursionStageKernel *afxi_recursion_batched_kernel(uint32_t lanes);
const AfxiRecursionGeneralKernel *afxi_recursion_general_kernel(uint32_t lanes);
/** The same for jobs of one body. */
const AfxiRecursionGeneralKernel *afxi_recursion_one_kernel(uint32_t lanes);

#endif
