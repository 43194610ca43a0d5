/* SPDX-License-Identifier: Apache-2.0 */
/* How bodies go on from the last step: each island restarts, or goes by BDF1 after an impact, by itself. */
#ifndef AFXI_STATE_PACE_H
#define AFXI_STATE_PACE_H

#include "state/integrator.h"
#include "state/state.h"

/* Of generalised-α besides (AFXI_PACE_REDUCED_ORDER, AFXI_PACE_RESTART): the component turns too far in a step for that
 * method and goes by BDF2, by itself or because of an island that it was in; its x2, x3 are the q, v before the step.
 */
enum { AFXI_PACE_LED = 0x20, AFXI_PACE_TURNING = 0x40 };
enum { AFXI_PACE_ALL = AFXI_PACE_REDUCED_ORDER | AFXI_PACE_LED | AFXI_PACE_TURNING | AFXI_PACE_RESTART };

/** Whether a body starts a method that goes by history: from accelerations, which know of no contact. */
bool afxi_pace_starts(const AfxiPlans *plans, const AfxiState *state, uint32_t body);
/** The plan of a body by its own pace. */
const AfxiStagePlan *afxi_pace_plan(const AfxiPlans *plans, const AfxiState *state, uint32_t body);
/** The slower of two paces. */
uint8_t afxi_pace_slower(uint8_t a, uint8_t b);
/** The plan of bodies with this pace. */
const AfxiStagePlan *afxi_pace_plan_of(const AfxiPlans *plans, uint8_t pace);
/** A body goes by BDF1 for `steps`, this one among them, if it does not longer already. */
void afxi_pace_reduce(AfxiState *state, uint32_t body, uint8_t steps);
/** The history of a body, or of all, no longer belongs to the state. */
void afxi_pace_restart(AfxiState *state, uint32_t body);
void afxi_pace_restart_all(AfxiState *state);
/** A step went through: shocks pass, and what was restarted has history again, but for bodies marked in `keep`
 * [bodies], which may be NULL. */
void afxi_pace_finish(AfxiState *state, uint32_t bodies, const uint8_t *keep);

#endif
