/* SPDX-License-Identifier: Apache-2.0 */
/* Points of contact with variables: forces of the law between two bodies, or on one, and what friction holds after. */
#ifndef AFXI_GRAD_TOUCH_H
#define AFXI_GRAD_TOUCH_H

#include "grad/local.h"

/** A point with variables. Of b that is not solved for, x and core are in the world. */
typedef struct AfxiGradTouch {
    AfxiGradLocal *local;
    const AfxiResidualPoint *point;
    AfxiGradBody *body[2]; /* b: NULL where it is not solved for */
    AfxiVar expect[12];    /* turn and shift of where a, then b, was expected */
    AfxiVar3 normal;
    AfxiVar3 x[2], core[2];
    AfxiVar frame[2][9];
    uint32_t pair; /* of materials */
} AfxiGradTouch;

void afxi_grad_touch_begin(AfxiGradLocal *local, uint32_t index, AfxiGradTouch *out);
/** value + slope . expect */
AfxiVar3 afxi_grad_varied(const AfxiGradTouch *touch, AfxVec3 value, const double slope[3][12]);
/** u without its part along n. */
AfxiVar3 afxi_grad_across(AfxiTape *tape, AfxiVar3 n, AfxiVar3 u);
/** force -= f at the point x[0] of a, and += f at x[1] of b. */
void afxi_grad_push_both(const AfxiGradTouch *touch, const AfxiVar3 x[2], AfxiVar3 f);

/** Why a point has no derivative here, with these parameters; NULL: it has one. */
const char *afxi_grad_touch_refused(const AfxModel *model, const double *params, const AfxiResidualPoint *point);
/** force += what point `index` of the entry puts on its bodies; out: what friction holds after it, slip and turn. */
void afxi_grad_touch(AfxiGradLocal *local, uint32_t index, AfxiVar3 out_held[2]);
/** Whether what friction holds is what the same point had left before, which goes to held. */
bool afxi_grad_touch_follows(const AfxiResidualPoint *before, const AfxiResidualPoint *point, double held[3]);
/** On which branch of the law a point is: 0 it does not touch, 1 it sticks, 2 it slides. */
uint32_t afxi_grad_touch_branch(const AfxiResidualPoint *point);

#endif
