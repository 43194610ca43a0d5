/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of points held in the world (equations in state/holds.h). */
#ifndef AFXI_CONSTRAINT_HOLD_H
#define AFXI_CONSTRAINT_HOLD_H

#include "state/holds.h"
#include "state/integrator.h"

/** Marks the beginning of a step. */
void afxi_holds_start(AfxiWorld *world);
/** K and T of a hold in a stage by `plan` that ends at `fraction` of the step. `whole`: it is not one of a part of the
 * step. */
void afxi_hold_rest(const AfxiWorld *world, const AfxiStagePlan *plan, double fraction, bool whole, AfxiHold *hold);
/** The same, and makes the rows of a hold for the first solve of a stage by `plan` that ends at `fraction` of the step.
 * `whole`: it is not one of a part of the step. */
void afxi_hold_begin(const AfxiWorld *world, const AfxiStagePlan *plan, double fraction, bool whole, AfxiHold *hold);
/** The next solve is at the result q of the last one. */
void afxi_hold_follow(AfxiHold *hold, const double q[AFXI_AFFINE_WIDTH]);
/** Keeps the forces at the end of a step. */
void afxi_holds_finish(AfxiWorld *world);

#endif
