/* SPDX-License-Identifier: Apache-2.0 */
/* A lot by wide passes over all its bodies, with closed forms where ball joints alone hold a body (dual/closed_form.h).
 */
#ifndef AFXI_ENGINE_CLOSED_FORM_H
#define AFXI_ENGINE_CLOSED_FORM_H

#include "engine/lot.h"

/** The kernels for the world's lane count. */
void afxi_closed_form_kernels(AfxiLot *lot);
/** Closed forms are in use from now on, or no longer. Between steps only a forest that has no plan (AfxiRecursion) uses
 * them; other graphs go by gradients there. */
void afxi_closed_form(AfxiLot *lot, bool on);
/** Whether it does. */
bool afxi_closed_form_between(const AfxiLot *lot);
/** Closed forms for the stage of lot->plan, frames and origins of its first solve predicted. */
void afxi_closed_form_begin(AfxiLot *lot);
/** Runs a pass of dual/motion.h over bodies [begin, end). */
void afxi_closed_form_run(AfxiLot *lot, AfxiMotionPass *pass, uint32_t begin, uint32_t end);
/** From now on the stage goes pass by pass; predicts all bodies. */
void afxi_closed_form_unfold(AfxiLot *lot);
/** All rows at the frames, in closed form where that is in use. */
void afxi_lot_linearise(AfxiLot *lot);

#endif
