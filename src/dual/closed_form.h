/* SPDX-License-Identifier: Apache-2.0 */
/* Ball joints, with or without springs, in closed form: no gradients are stored.
 *
 * A body's inverse X (body/class.h) is that of three pairs (i,k), a 3x3 block D and a number X_t. With f at a point x
 * the load is f x^T on A, and T takes a beta to its axial vector, so in the body's frame
 *     point - point    Q(x,y)_ii = X_t + D_ii x_i y_i + sum P_ik x_k y_k,   Q(x,y)_ij = D_ij x_i y_j + O_ij x_j y_i
 *     turn - point     W(x) = T X J(x)^T: in row `axis` of a pair, (O - P_ik) x_k / 2 and (P_ki - O) x_i / 2, with the
 *                      sign of the axis, in columns i and k
 *     turn - turn      Theta = T X T^T, diagonal.
 * With the exact geometric stiffness X becomes X - X T^T M T X, and these Q - W(x)^T M W(y), (I - Theta M) W(x) and
 * Theta - Theta M Theta. In the world they stand between R and R^T. All springs of a body share one such block, and all
 * joints of it one W each. */
#ifndef AFXI_DUAL_CLOSED_FORM_H
#define AFXI_DUAL_CLOSED_FORM_H

#include "base/memory.h"
#include "body/free.h"
#include "dual/chain.h"
#include "model/model.h"

/** What comes of bodies; combined by maximum. */
typedef struct AfxiBodiesTally {
    double turn;   /* largest |w|; NaN wins */
    double error;  /* largest first-solve error */
    bool jump;     /* a multiplier has jumped */
    bool infinite; /* a result is beyond all bounds: AFXI_FINITE_REACH */
} AfxiBodiesTally;

/** The larger ones of two tallies. */
static inline void afxi_tally_join(AfxiBodiesTally *into, const AfxiBodiesTally *from) {
    into->turn = from->turn > into->turn || from->turn != from->turn ? from->turn : into->turn;
    into->error = from->error > into->error || from->error != from->error ? from->error : into->error;
    into->jump |= from->jump;
    into->infinite |= from->infinite;
}

/** What comes of joints. */
typedef struct AfxiJointsTally {
    double residual; /* largest scaled residual of the dual system; NaN wins */
    double gap;      /* largest row of the result */
} AfxiJointsTally;

/** What the kernels of bodies read and write besides the dual system; arrays are by body of the graph. */
typedef struct AfxiBodiesWork {
    const double *constants;     /* [classes][AFXI_CHAIN_SIZE] of the stage's scale */
    const uint32_t *class_of;    /* [bodies of the model] */
    const AfxiFreeForce *forces; /* NULL: none */
    const uint32_t *force_slot;  /* [bodies of the model] */
    const AfxiJointFrame *joint_frames;
    double gravity[3];
    AfxiMat3 *frame;         /* [bodies + grounds + 1] */
    AfxVec3 *origin;         /* [bodies + grounds + 1] */
    double *target;          /* [bodies][12] */
    double *next;            /* [bodies + grounds][12] */
    double *turn;            /* [bodies] |w| */
    double *gamma;           /* [bodies] bound in use */
    double *gamma_next;      /* [bodies] bound of the new multipliers */
    const double *stiffness; /* [bodies][6] exact twist stiffness, of bodies that are not in closed form */
    const double *held;      /* [bodies] stiffness and damping / h of the stiffest spring on a body, its softest axis */
    double *second; /* [bodies][12] of closed-form ones: the stiffness of a full Newton solve, and what the draw has of
                       it */
    double *error;  /* [bodies] of closed-form ones: how far a solve may be off, rad */
    double *excess; /* [bodies] of closed-form ones: energy of that, J; 0 where the solve was not full Newton */
    double enough;  /* an error in a full Newton solve that is not looked at closer */
    const double *load;    /* [rows] multipliers that the stiffness is made from */
    bool exact;            /* the exact stiffness, where it is not near to singular */
    bool full_newton;      /* closed-form bodies: all their stiffness, made definite, in every solve */
    bool later;            /* not the first solve of a stage */
    bool on;               /* closed-form blocks are worked on in closed form; else by their gradients */
    AfxiBodiesTally tally; /* of the closed-form bodies in the last solve */
    double gap;            /* of the closed-form joints */
} AfxiBodiesWork;

struct AfxiSystem;

/** Inverse and start of bodies; closed form: their stiffness is made from `load`, else it is in gamma and stiffness. */
typedef void AfxiBodiesPrepare(const struct AfxiSystem *system, const uint32_t *bodies, uint32_t count,
                               bool closed_form);
/** Adds the blocks of closed-form bodies of one batch to K. */
typedef void AfxiClosedFormBlocks(const struct AfxiSystem *system, const uint32_t *bodies, uint32_t count);
/** delta, next, turn and the new bound of closed-form bodies of one batch, from lambda. */
typedef void AfxiClosedFormPrimal(const struct AfxiSystem *system, const uint32_t *bodies, uint32_t count,
                                  AfxiBodiesTally *tally);
/** Values of closed-form joints at the frames: joints all with springs or all without. */
typedef void AfxiClosedFormValues(const struct AfxiSystem *system, uint32_t begin, uint32_t end, bool springs);
/** Scaled residuals of closed-form joints at `delta` [bodies + grounds][12]; with `gaps` also their rows at `next`. */
typedef void AfxiClosedFormResidual(const struct AfxiSystem *system, uint32_t begin, uint32_t end, bool springs,
                                    bool gaps, AfxiJointsTally *tally);
/** 1 / sqrt of the diagonal of K in place; 0 for rows that are not active. */
typedef void AfxiDualScale(const uint8_t *active, uint32_t count, double *scale);

typedef struct AfxiClosedFormKernel {
    AfxiBodiesPrepare *prepare;
    AfxiClosedFormBlocks *blocks;
    AfxiClosedFormPrimal *primal;
} AfxiClosedFormKernel;

typedef struct AfxiClosedFormJointKernel {
    AfxiClosedFormValues *values;
    AfxiClosedFormResidual *residual;
    AfxiDualScale *scale;
} AfxiClosedFormJointKernel;

/** Workspace in an arena. */
void afxi_closed_form_take(struct AfxiSystem *system, AfxiArena *arena);
/** Inverse and start of all bodies; the values of closed-form joints. */
void afxi_closed_form_prepare(struct AfxiSystem *system);
void afxi_closed_form_values(struct AfxiSystem *system);
/** Their part of K; delta and results of closed-form bodies. */
void afxi_closed_form_assemble(struct AfxiSystem *system);
void afxi_closed_form_primal(struct AfxiSystem *system);
/** Residuals of closed-form joints, the largest of which comes back; with `gaps` the largest row of the result in
 * bodies.gap. */
double afxi_closed_form_residual(struct AfxiSystem *system, bool gaps);

const AfxiClosedFormKernel *afxi_closed_form_kernel(uint32_t lanes);
const AfxiClosedFormJointKernel *afxi_closed_form_joint_kernel(uint32_t lanes);

#endif
