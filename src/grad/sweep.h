/* SPDX-License-Identifier: Apache-2.0 */
/* One entry as a linear map, forwards (tangent) and backwards (adjoint): with Y the state at its beginning,
 *
 *     qhat, qv = P(Y, p),   K dq, dlambda = -(F; C by all else),   Y' = E(Y, qhat, qv, q).
 *
 * The adjoint goes the same way back: E^T, then K^T z = q, lambda, then -z on all inputs of the equations, then P^T. */
#ifndef AFXI_GRAD_SWEEP_H
#define AFXI_GRAD_SWEEP_H

#include "grad/past.h"
#include "grad/system.h"

/** Derivatives that a pass carries along or adds up. */
typedef struct AfxiGradPass {
    double *state;  /* [6][bodies][12] of the objective by the state, or of the state along the direction */
    double *lambda; /* [rows] the same of multipliers */
    double *param;  /* [registry], and frames of joints (AfxiGradLayout) */
    double *target; /* [drives][2] of the entry */
    double *wrench; /* [bodies][6] of the entry */
    double *rate;   /* [2][bodies][12] of bodies that are told how to move: q, v */
    double *more;   /* [bodies][12] of the objective by unknowns of the stage that solves for a body last */
    double *began;  /* [2][bodies][12] of q and v where that stage began, for velocities that jump after it */
    double *expect; /* [bodies][6] of where bodies were expected in it */
    double *fitted; /* [bodies][12] of velocities before a jump */
} AfxiGradPass;

typedef struct AfxiGradWork {
    const AfxAllocator *allocator;
    const AfxModel *model;
    AfxiGradLayout layout;
    AfxiTape tape;
    AfxiGradEquations equations;
    AfxiGradPast past;
    AfxiGradSystem linear;
    double *slot;     /* [layout.count] */
    double *place;    /* [space.count] */
    double *equation; /* [12 bodies + rows] */
    double *solution; /* [12 bodies + rows] */
    double *more;     /* [12 bodies] */
    double *old;      /* [6][bodies][12] */
    void *raw;
    size_t raw_size;
} AfxiGradWork;

/** `frames`: derivatives are taken by those of joints as well. */
AfxStatus afxi_grad_work_create(const AfxAllocator *allocator, const AfxModel *model, bool frames, AfxiGradWork *out);
void afxi_grad_work_release(AfxiGradWork *work);
/** Evaluates an entry; what follows is about it. A start is solved again. */
AfxStatus afxi_grad_open(AfxiGradWork *work, AfxiGradEntry *entry);
/** pass->state and lambda at the end become those at the beginning; param, target, wrench and rate are added to. */
void afxi_grad_reverse(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass);
/** pass->state and lambda at the beginning become those at the end; param, target, wrench and rate are given. */
void afxi_grad_forward(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass);

#endif
