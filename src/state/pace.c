/* SPDX-License-Identifier: Apache-2.0 */
/* How bodies go on from the last step. */
#include "state/pace.h"

#include <string.h>

bool afxi_pace_starts(const AfxiPlans *plans, const AfxiState *state, uint32_t body) {
    return afxi_integrator_has_history((AfxIntegrator)state->head->integrator) &&
           (plans->restarting || (state->head->uneven && state->pace[body] & AFXI_PACE_RESTART));
}

uint8_t afxi_pace_slower(uint8_t a, uint8_t b) {
    uint8_t reduced = (a & AFXI_PACE_REDUCED_ORDER) > (b & AFXI_PACE_REDUCED_ORDER) ? a & AFXI_PACE_REDUCED_ORDER
                                                                                    : b & AFXI_PACE_REDUCED_ORDER;
    return (uint8_t)(reduced | ((a | b) & (AFXI_PACE_RESTART | AFXI_PACE_TURNING | AFXI_PACE_LED)));
}

const AfxiStagePlan *afxi_pace_plan_of(const AfxiPlans *plans, uint8_t pace) {
    const AfxiPlanFamily *family = pace & AFXI_PACE_TURNING ? &plans->turning : &plans->own;
    if (pace & AFXI_PACE_REDUCED_ORDER) { /* it needs no history */
        return &family->reduced_order;
    }
    return plans->restarting || pace & AFXI_PACE_RESTART ? &family->restarted : &family->even;
}

const AfxiStagePlan *afxi_pace_plan(const AfxiPlans *plans, const AfxiState *state, uint32_t body) {
    return afxi_pace_plan_of(plans, state->head->uneven ? state->pace[body] : 0);
}

void afxi_pace_reduce(AfxiState *state, uint32_t body, uint8_t steps) {
    if (state->head->integrator == AFX_BDF1) { /* it has no order to lose */
        return;
    }
    state->pace[body] = afxi_pace_slower(state->pace[body], steps);
    state->head->uneven = 1;
}

void afxi_pace_restart(AfxiState *state, uint32_t body) {
    state->pace[body] |= AFXI_PACE_RESTART;
    state->head->uneven = 1;
}

void afxi_pace_restart_all(AfxiState *state) {
    state->head->has_history = 0;
}

void afxi_pace_finish(AfxiState *state, uint32_t bodies, const uint8_t *keep) {
    uint32_t uneven = 0;
    for (uint32_t k = 0; state->head->uneven && k < bodies; k++) {
        uint8_t reduced = state->pace[k] & AFXI_PACE_REDUCED_ORDER;
        state->pace[k] = (uint8_t)((reduced ? reduced - 1 : 0) | (keep && keep[k] ? AFXI_PACE_RESTART : 0) |
                                   (state->pace[k] & (AFXI_PACE_TURNING | AFXI_PACE_LED)));
        uneven |= state->pace[k];
    }
    state->head->uneven = uneven != 0;
}
