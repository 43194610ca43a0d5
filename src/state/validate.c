/* SPDX-License-Identifier: Apache-2.0 */
#include "state/validate.h"

#include <math.h>

#include "base/assert.h"
#include "joint/law.h"

/* A pose made by rounding is off by a few ulps; anything else is a body that input did not place. */
#define RIGID 1e-9

static bool all_finite(const double *values, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += 0 * values[k];
    }
    return sum == 0;
}

static bool all_below(const uint8_t *values, size_t count, uint8_t bound) {
    bool below = true;
    for (size_t k = 0; k < count; k++) {
        below = below && values[k] < bound;
    }
    return below;
}

static bool is_rigid(const double *a) {
    bool rigid = true;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double dot = a[3 * i] * a[3 * k] + a[3 * i + 1] * a[3 * k + 1] + a[3 * i + 2] * a[3 * k + 2];
            rigid = rigid && fabs(dot - (i == k)) < RIGID;
        }
    }
    return rigid;
}

/* A body has a pace of its own only while the head says that some have. */
static bool paces_fit(const AfxiState *state, uint32_t bodies) {
    bool fit = true;
    for (uint32_t k = 0; k < bodies; k++) {
        uint8_t pace = state->pace[k];
        fit = fit && (pace & ~(AFXI_PACE_REDUCED_ORDER | AFXI_PACE_RESTART)) == 0 && (!pace || state->head->uneven);
    }
    return fit;
}

void afxi_state_validate(const AfxiState *state, const AfxModel *model) {
    size_t numbers = 12 * (size_t)model->body_count;
    AFXI_ASSERT(state->head->integrator <= AFX_REFERENCE);
    AFXI_ASSERT(state->head->dt > 0 && isfinite(state->head->dt) && isfinite(state->head->base_time));
    AFXI_ASSERT(state->head->model_hash == model->hash);
    AFXI_ASSERT(all_finite(state->q, numbers));
    AFXI_ASSERT(all_finite(state->v, numbers));
    AFXI_ASSERT(all_finite(state->lambda, model->row_count + 3 * (size_t)model->chains.slot_count));
    AFXI_ASSERT(all_finite(state->angle, model->angle_count));
    AFXI_ASSERT(all_finite(state->drive_travel, model->drive_count));
    AFXI_ASSERT(all_below(state->joint_active, model->joint_count, 2));
    AFXI_ASSERT(all_below(state->drive_branch, model->drive_count, AFXI_BRANCH_HIGH + 1));
    AFXI_ASSERT(all_below(state->curved, (size_t)model->body_count + model->chains.link_count, 2));
    AFXI_ASSERT(all_below(state->regularise, model->graph_count, 2));
    AFXI_ASSERT(paces_fit(state, model->body_count));
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        AFXI_ASSERT(is_rigid(state->q + 12 * (size_t)model->kinematic[k].body));
    }
}
