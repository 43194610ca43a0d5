/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that sleep: they stand still, v = 0 and a past in which they stood, and have no part in a step. Those that
 * joints and contacts held together when they fell asleep are a group, and wake together. */
#ifndef AFXI_STATE_SLEEP_H
#define AFXI_STATE_SLEEP_H

#include "state/world.h"

static inline bool afxi_is_asleep(const AfxiState *state, uint32_t body) {
    return state->head->sleepers && state->asleep[body];
}

/** Wakes a body and its group; UINT32_MAX: all. Whether one slept comes back. */
bool afxi_sleep_wake(AfxiState *state, const AfxModel *model, uint32_t body);
/** Whether input moves a body that is not solved for in this stage, or its surface. */
bool afxi_sleep_is_led(const AfxiWorld *world, uint32_t body);
/** The motion of a body, and the past that its next step goes on from, become those of one that stands. */
void afxi_sleep_still(AfxiState *state, uint32_t body);

#endif
