/* SPDX-License-Identifier: Apache-2.0 */
#include "state/validate.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "joint/law.h"
#include "state/pace.h"

/* A pose made by rounding is off by a few ulps; anything else is a body that input did not place. */
#define RIGID 1e-9

/* Numbers of a copy of the block may stand anywhere. */
static bool all_finite(const void *values, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        double value;
        memcpy(&value, (const char *)values + k * sizeof value, sizeof value);
        sum += 0 * value;
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

static bool is_rigid(const void *rotation) {
    double a[9];
    bool rigid = true;
    memcpy(a, rotation, sizeof a);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double dot = a[3 * i] * a[3 * k] + a[3 * i + 1] * a[3 * k + 1] + a[3 * i + 2] * a[3 * k + 2];
            rigid = rigid && fabs(dot - (i == k)) < RIGID;
        }
    }
    return rigid;
}

/* A body has a pace of its own only while the head says that some have. */
static bool paces_fit(const uint8_t *paces, bool uneven, uint32_t bodies) {
    bool fit = true;
    for (uint32_t k = 0; k < bodies; k++) {
        fit = fit && (paces[k] & ~AFXI_PACE_ALL) == 0 && (!paces[k] || uneven);
    }
    return fit;
}

/* Where what stands at `part` of the state stands in a copy of its block. */
static const void *within(const void *block, const AfxiState *state, const void *part) {
    return (const char *)block + ((const char *)part - (const char *)state->head);
}

static const char *head_fault(const AfxiStateHead *head, const AfxModel *model) {
    if (head->integrator >= AFX_INTEGRATOR_COUNT || head->has_history > 1 || head->uneven > 1 || head->placed > 1 ||
        !(head->rho >= 0 && head->rho <= 1)) {
        return "settings";
    }
    if (!(head->dt > 0) || !isfinite(head->dt) || !isfinite(head->base_time)) {
        return "time";
    }
    return head->model_hash == model->hash ? NULL : "model";
}

/* Targets that are not set are not looked at, but finite. */
static const char *kinematic_fault(const void *block, const AfxiState *state, const AfxModel *model) {
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * model->kinematic[k].body;
        AfxiTarget target;
        memcpy(&target, within(block, state, &state->targets[k]), sizeof target);
        if (!is_rigid(within(block, state, state->q + at)) || (target.active && !is_rigid(target.q))) {
            return "a kinematic body is not rigid";
        }
        if (target.active > 1 || !all_finite(&target, offsetof(AfxiTarget, active) / sizeof(double))) {
            return "the target of a kinematic body";
        }
    }
    return NULL;
}

/* Groups of whole components, named by one of theirs, whose bodies stand still. */
static bool sleepers_fit(const void *block, const AfxiState *state, const AfxModel *model, uint32_t sleepers) {
    uint32_t count = 0;
    bool fit = true;
    for (uint32_t k = 0; k < model->body_count; k++) {
        uint32_t own, of_root = 0, root = model->root[k];
        double v[AFXI_AFFINE_WIDTH];
        memcpy(&own, within(block, state, state->asleep + k), sizeof own);
        memcpy(&of_root, within(block, state, state->asleep + (root == UINT32_MAX ? k : root)), sizeof of_root);
        memcpy(v, within(block, state, state->v + (size_t)AFXI_AFFINE_WIDTH * k), sizeof v);
        bool still = true;
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            still = still && v[e] == 0;
        }
        count += own != 0;
        fit = fit && own <= model->body_count && own == of_root && (!own || (root != UINT32_MAX && still));
    }
    return fit && count == sleepers;
}

const char *afxi_state_fault(const void *block, const AfxiState *state, const AfxModel *model) {
    AfxiStateHead head;
    size_t numbers = AFXI_AFFINE_WIDTH * (size_t)model->body_count, drives = model->drive_count;
    memcpy(&head, block, sizeof head);
    const char *fault = head_fault(&head, model);
    if (fault) {
        return fault;
    }
    if (!all_finite(within(block, state, state->q), numbers) || !all_finite(within(block, state, state->v), numbers)) {
        return "a body is not finite";
    }
    if (!all_finite(within(block, state, state->lambda), model->row_count + 3 * (size_t)model->chains.slot_count) ||
        !all_finite(within(block, state, state->angle), model->angle_count)) {
        return "a joint is not finite";
    }
    if (!all_finite(within(block, state, state->drive_travel), drives) ||
        !all_finite(within(block, state, state->drive_input), 4 * drives)) {
        return "a drive is not finite";
    }
    if (model->robot.active &&
        !all_finite(within(block, state, state->activation), 2 * (size_t)model->robot.control_count)) {
        return "an activation is not finite";
    }
    if (!all_finite(within(block, state, state->adhesion), afxi_state_adhesion_size(model))) {
        return "what adheres is not finite";
    }
    if (!all_below(within(block, state, state->joint_active), model->joint_count, 2) ||
        !all_below(within(block, state, state->drive_branch), drives, AFXI_BRANCH_HIGH + 1) ||
        !all_below(within(block, state, state->curved), (size_t)model->body_count + model->chains.link_count, 2) ||
        !all_below(within(block, state, state->regularise), model->graph_count, 2)) {
        return "a flag or branch that there is not";
    }
    if (!paces_fit(within(block, state, state->pace), head.uneven, model->body_count)) {
        return "a pace that there is not";
    }
    if (!sleepers_fit(block, state, model, head.sleepers)) {
        return "sleep that there is not";
    }
    return kinematic_fault(block, state, model);
}

void afxi_state_validate(const AfxiState *state, const AfxModel *model) {
    AFXI_ASSERT(!afxi_state_fault(state->head, state, model));
}
