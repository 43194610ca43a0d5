/* SPDX-License-Identifier: Apache-2.0 */
/* One element of the equations of a stage on a tape: its bodies and parameters as variables. */
#ifndef AFXI_GRAD_LOCAL_H
#define AFXI_GRAD_LOCAL_H

#include "grad/entry.h"
#include "grad/vector.h"
#include "solve/equation.h"

/** A body as an element sees it. */
typedef struct AfxiGradBody {
    uint32_t body;
    AfxiVar q[AFXI_AFFINE_WIDTH];     /* where it is; of a start, with the rotation in the place of A */
    AfxiVar rate[AFXI_AFFINE_WIDTH];  /* q' */
    AfxiVar turn[9];                  /* rotation part of A */
    AfxiVar force[AFXI_AFFINE_WIDTH]; /* of the element, as the sum F of residual.h has it */
} AfxiGradBody;

typedef struct AfxiGradLocal {
    AfxiTape *tape;
    const AfxModel *model;
    const AfxiGradLayout *layout;
    const AfxiGradEntry *entry;
    uint32_t count;
    AfxiGradBody body[AFXI_EQUATION_PARTS + 1];
} AfxiGradLocal;

/** Begins an element: the tape is cleared. */
void afxi_grad_begin(AfxiGradLocal *local);
/** A body of the element; the world is one too. */
AfxiGradBody *afxi_grad_body(AfxiGradLocal *local, uint32_t body);
/** 1/h_v of a body that is solved for, or 1/h². */
AfxiVar afxi_grad_per(AfxiGradLocal *local, uint32_t body, bool rate);
/** A number of the registry. */
AfxiVar afxi_grad_param(AfxiGradLocal *local, AfxParamKind kind, uint32_t index, uint32_t component);
/** Where a joint has its frame on one of its bodies, in that one's principal axes. */
typedef enum AfxiGradSide { AFXI_GRAD_FOLLOWER, AFXI_GRAD_BASE } AfxiGradSide;
AfxiVar3 afxi_grad_joint_point(AfxiGradLocal *local, uint32_t joint, AfxiGradSide side);
void afxi_grad_joint_axes(AfxiGradLocal *local, uint32_t joint, AfxiGradSide side, AfxiVar3 out[3]);
/** The multiplier of row `row` of the model; of a start it is an unknown of 0, since it comes in linearly. */
AfxiVar afxi_grad_lambda(AfxiGradLocal *local, uint32_t row);
/** Target, or its rate, of a drive. */
AfxiVar afxi_grad_target(AfxiGradLocal *local, uint32_t drive, uint32_t component);
/** The rate of y with the bodies' rates. */
AfxiVar afxi_grad_rate(AfxiGradLocal *local, AfxiVar y);
/** force += lambda times the gradient of y on every body. */
void afxi_grad_push(AfxiGradLocal *local, AfxiVar lambda, AfxiVar y);
/** h_v of the bodies that are solved for. */
double afxi_grad_h_rate(const AfxiGradLocal *local);
bool afxi_grad_solves(const AfxiGradEntry *entry, uint32_t body);

#endif
