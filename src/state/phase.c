/* SPDX-License-Identifier: Apache-2.0 */
/* What is added to A follows from how a body turns; what is added to t, from where it turns. A body's companion turns
 * about its joint to the parent, and that goes with the companion of the parent: with D what is added to a body's A,
 * d to its t, p the joint in the body and p' in the parent, D p + d = D' p' + d'. Trees that nothing holds to the
 * ground turn about their centre of mass: what is added has no momentum. */
#include "state/phase.h"

#include <string.h>

#include "body/tuning.h"
#include "math/vec3.h"
#include "model/model.h"

void afxi_phase_keep(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body, const double *row) {
    const size_t at = (size_t)AFXI_AFFINE_WIDTH * body, size = AFXI_AFFINE_WIDTH * sizeof(double);
    const bool remembers = plan->phase == AFXI_PHASE_TWO_STEP;
    double *restrict gap = world->state.gap + at, *restrict last = world->state.last_gap + at;
    if (remembers) {
        memcpy(last, gap, size);
    }
    if (!row) {
        memset(gap, 0, size);
        memset(last, 0, remembers ? 0 : size);
    } else if (remembers) {
        const double *restrict qv = row + AFXI_PHASE_QV, per_h = plan->weights.per_h_rate;
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            gap[e] = qv[e] * per_h;
        }
    } else {
        memcpy(last, row + AFXI_PHASE_LAST, size);
        memcpy(gap, row + AFXI_PHASE_NEXT, size);
    }
}

/* The parts of a row that have a place end here: gaps are made at a start alone. */
static int parts_end(const AfxiStagePlan *plan) {
    return plan->phase == AFXI_PHASE_START ? AFXI_PHASE_EASE : AFXI_PHASE_NEXT;
}

static AfxiPhaseStage stage_of(const AfxiWorld *world, const AfxiStagePlan *plan) {
    const AfxiState *state = &world->state;
    return (AfxiPhaseStage){.phase = plan->phase,
                            .expects = true,
                            .weights = &plan->weights,
                            .step = plan->predict,
                            .q = state->q,
                            .v = state->v,
                            .x2 = state->x2,
                            .x3 = state->x3,
                            .gap = state->gap,
                            .last_gap = state->last_gap,
                            .classes = world->classes->intern.items,
                            .class_of = world->classes->of};
}

/* Trees that nothing holds: their centres of mass stay where they would be. One pass over the component for all of
 * them: bodies that only slide on each other are a tree each. */
static void keep_centres(AfxiWorld *world, uint32_t first, uint32_t end, int part) {
    AfxiState *state = &world->state;
    memset(state->phase_balance + 4 * (size_t)first, 0, 4 * (size_t)(end - first) * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t slot = first; slot < end; slot++) {
            double *t = state->phase_row + (size_t)AFXI_PHASE_SIZE * slot + part + 9;
            double *sum = state->phase_balance + 4 * (size_t)state->phase_root[slot]; /* of m d, and of m */
            if (!state->phase_root[slot]) {
                continue;
            }
            if (pass) {
                vec3_store(t, vec3_mad(vec3_load(t), -1 / sum[3], vec3_load(sum)));
            } else {
                double mass = afxi_world_class(world, world->model->phase.body[slot])->mass;
                vec3_store(sum, vec3_mad(vec3_load(sum), mass, vec3_load(t)));
                sum[3] += mass;
            }
        }
    }
}

static void fill_component(AfxiWorld *world, const AfxiStagePlan *plan, uint32_t first, uint32_t end) {
    AfxiState *state = &world->state;
    const AfxiPhaseStage stage = stage_of(world, plan);
    double *rows = state->phase_row + (size_t)AFXI_PHASE_SIZE * first;
    state->phase_still[first] = !state->phase_kernel->rows(&stage, world->model->phase.body + first, end - first, rows);
    if (state->phase_still[first]) {
        return;
    }
    const AfxiPhaseTree tree = {.node = world->model->phase.node,
                                .body = world->model->phase.body,
                                .active = state->joint_active,
                                .rows = state->phase_row,
                                .root = state->phase_root};
    if (state->phase_kernel->about(&stage, &tree, first, end)) {
        for (int part = 0; part < parts_end(plan); part += AFXI_AFFINE_WIDTH) {
            keep_centres(world, first, end, part);
        }
    }
    state->phase_kernel->finish(&stage, world->model->phase.body + first, end - first, rows);
}

void afxi_phase_fill(AfxiWorld *world, const AfxiStagePlan *plan, const uint32_t *bodies, uint32_t count) {
    const AfxiPhaseTrees *trees = &world->model->phase;
    for (uint32_t k = 0; plan->phase != AFXI_PHASE_NONE && trees->node_count > 1 && k < count; k++) {
        uint32_t slot = trees->slot[bodies[k]];
        if (slot == AFXI_PHASE_OFF || slot == AFXI_PHASE_ALONE || world->model->root[bodies[k]] != bodies[k]) {
            continue;
        }
        fill_component(world, plan, trees->node[slot].first, trees->node[slot].end);
    }
}

/* Whether nothing is added for a body, told without the kernel: it does not turn, and did not before. */
static bool is_still(const AfxiState *state, const AfxiStagePlan *plan, uint32_t body) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    const double *gap = state->gap + at, *last = state->last_gap + at, *a = state->q + at, *v = state->v + at;
    double gaps = 0, turn = 0;
    for (int e = 0; e < 9 && plan->phase == AFXI_PHASE_TWO_STEP; e++) {
        gaps += gap[e] * gap[e] + last[e] * last[e];
    }
    if (gaps > 0) {
        return false;
    }
    for (int i = 0; i < 3; i++) { /* sum of a x v: twice its angular velocity */
        int m = (i + 1) % 3, n = (i + 2) % 3;
        double sum = 0;
        for (int k = 0; k < 9; k += 3) {
            sum += a[k + m] * v[k + n] - a[k + n] * v[k + m];
        }
        turn += sum * sum;
    }
    return turn * plan->predict * plan->predict < AFXI_PHASE_FEW * AFXI_PHASE_FEW;
}

const double *afxi_phase_row_alone(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body,
                                   double own[AFXI_PHASE_SIZE]) {
    if (plan->phase == AFXI_PHASE_NONE || world->state.phase_slot[body] == AFXI_PHASE_OFF ||
        is_still(&world->state, plan, body)) {
        return NULL;
    }
    const AfxiPhaseStage stage = stage_of(world, plan);
    const AfxiPhaseKernel *kernel = afxi_phase_kernel(1);
    kernel->rows(&stage, &body, 1, own);
    kernel->finish(&stage, &body, 1, own);
    return own;
}

const double *afxi_phase_row(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body,
                             double own[AFXI_PHASE_SIZE]) {
    uint32_t slot = world->state.phase_slot[body];
    if (plan->phase == AFXI_PHASE_NONE || slot == AFXI_PHASE_OFF) {
        return NULL;
    }
    if (slot == AFXI_PHASE_ALONE) {
        return afxi_phase_row_alone(world, plan, body, own);
    }
    return afxi_phase_stands(world, plan, body) ? NULL : world->state.phase_row + (size_t)AFXI_PHASE_SIZE * slot;
}

bool afxi_phase_stands(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body) {
    const uint32_t slot = world->state.phase_slot[body];
    return slot != AFXI_PHASE_OFF && slot != AFXI_PHASE_ALONE && plan->phase != AFXI_PHASE_NONE &&
           world->state.phase_still[world->model->phase.node[slot].first];
}
