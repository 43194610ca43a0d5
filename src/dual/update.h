/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies after a solve, one per lane: where it puts them, and how far it may be off. For bodies that their gradients
 * hold; those in closed form have this in the pass that makes their delta (bodies_wide.h). */
#ifndef AFXI_DUAL_UPDATE_H
#define AFXI_DUAL_UPDATE_H

#include "dual/closed_form.h"

/** Arrays are by body of the graph. */
typedef struct AfxiUpdate {
    const uint32_t *list;     /* bodies to go through; NULL: all */
    const uint32_t *body;     /* of the model */
    const uint32_t *class_of; /* [bodies of the model] */
    const double *constants;  /* [classes][AFXI_CHAIN_SIZE] */
    const AfxiMat3 *frame;
    const AfxVec3 *origin;
    const double *delta; /* [12] */
    double *next;        /* [12] */
    double *turn;
    const double *gamma, *gamma_next, *held;
    const double *stiffness; /* [6], and two more at the end */
    double *error, *excess;  /* as in AfxiBodiesWork; the energy is not known here */
} AfxiUpdate;

/** Bodies begin ... end of the list. */
typedef void AfxiUpdatePass(const AfxiUpdate *update, uint32_t begin, uint32_t end, AfxiBodiesTally *tally);

typedef struct AfxiUpdateKernel {
    AfxiUpdatePass *move;  /* A = R (I + beta), t = t_k + delta: next and turn; largest turn, infinite */
    AfxiUpdatePass *judge; /* the error that a first solve is judged by: largest error, jump */
} AfxiUpdateKernel;

const AfxiUpdateKernel *afxi_update_kernel(uint32_t lanes);

#endif
