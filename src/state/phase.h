/* SPDX-License-Identifier: Apache-2.0 */
/* What phase fitting (body/phase.h) adds to the past of bodies, in the state's table and for one body. */
#ifndef AFXI_STATE_PHASE_H
#define AFXI_STATE_PHASE_H

#include "body/phase.h"
#include "state/integrator.h"
#include "state/world.h"

/** Fills the rows of the components of these bodies, which are all of theirs, for a stage that they go by. */
void afxi_phase_fill(AfxiWorld *world, const AfxiStagePlan *plan, const uint32_t *bodies, uint32_t count);
/** The row of a body: of the table, or of one without joints, made for it in `own`; NULL: nothing is added. */
const double *afxi_phase_row(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body,
                             double own[AFXI_PHASE_SIZE]);
/** Whether a jointed body's component stands still in a stage: it does not turn, and has no gaps that it goes on with.
 */
bool afxi_phase_stands(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body);
/** Leaves the gaps that the next step goes on with, of a body whose row that was (NULL: of a stage that is not
 * fitted). */
void afxi_phase_keep(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body, const double *row);
/** The same as afxi_phase_row, as if no joint held the body: its table need not be filled. */
const double *afxi_phase_row_alone(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body,
                                   double own[AFXI_PHASE_SIZE]);

#endif
