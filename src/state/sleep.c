/* SPDX-License-Identifier: Apache-2.0 */
#include "state/sleep.h"

#include <string.h>

#include "model/model.h"

bool afxi_sleep_wake(AfxiState *state, const AfxModel *model, uint32_t body) {
    bool all = body == UINT32_MAX;
    if (!state->head->sleepers || (!all && !state->asleep[body])) {
        return false;
    }
    uint32_t group = all ? 0 : state->asleep[body];
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t own = model->dynamic[k];
        if (state->asleep[own] && (all || state->asleep[own] == group)) {
            state->asleep[own] = state->rested[own] = 0;
            state->head->sleepers--;
        }
    }
    return true;
}

bool afxi_sleep_is_led(const AfxiWorld *world, uint32_t body) {
    const AfxModel *model = world->model;
    const AfxiState *state = &world->state;
    if (model->kind[body] != AFX_BODY_KINEMATIC) {
        return false;
    }
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    for (size_t k = at; k < at + AFXI_AFFINE_WIDTH; k++) {
        if (state->v[k] != 0 || state->q[k] != state->previous_q[k]) {
            return true;
        }
    }
    return false;
}

void afxi_sleep_still(AfxiState *state, uint32_t body) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body, bytes = AFXI_AFFINE_WIDTH * sizeof(double);
    bool places = state->head->integrator != AFX_ALPHA; /* else the history is of accelerations */
    memset(state->v + at, 0, bytes);
    memset(state->x2 + at, 0, bytes);
    memset(state->x3 + at, 0, bytes);
    memcpy((places ? state->x2 : state->previous_q) + at, state->q + at, bytes);
    memset((places ? state->x3 : state->previous_v) + at, 0, bytes);
    if (state->gap) {
        memset(state->gap + at, 0, bytes);
        memset(state->last_gap + at, 0, bytes);
    }
    state->curved[body] = state->pace[body] = 0;
}
