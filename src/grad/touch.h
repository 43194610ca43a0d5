/* SPDX-License-Identifier: Apache-2.0 */
/* Points of contact with variables: forces of the law between two bodies, or on one, and what friction holds after. */
#ifndef AFXI_GRAD_TOUCH_H
#define AFXI_GRAD_TOUCH_H

#include "grad/local.h"

/** Why a point has no derivative here; NULL: it has one. */
const char *afxi_grad_touch_refused(const AfxModel *model, const AfxiResidualPoint *point);
/** force += what point `index` of the entry puts on its bodies; out: what friction holds after it, slip and turn. */
void afxi_grad_touch(AfxiGradLocal *local, uint32_t index, AfxiVar3 out_held[2]);
/** Whether what friction holds is what the same point had left before, which goes to held. */
bool afxi_grad_touch_follows(const AfxiResidualPoint *before, const AfxiResidualPoint *point, double held[3]);
/** On which branch of the law a point is: 0 it does not touch, 1 it sticks, 2 it slides. */
uint32_t afxi_grad_touch_branch(const AfxiResidualPoint *point);

#endif
