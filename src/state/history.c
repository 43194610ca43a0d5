/* SPDX-License-Identifier: Apache-2.0 */
/* What a stage makes of the past of a body, where the body is expected, and how its result becomes the state. */
#include "state/history.h"

#include <math.h>

#include "state/phase.h"
#include "state/tuning.h"

void afxi_stage_past(const AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body, double qhat[AFXI_AFFINE_WIDTH],
                     double qv[AFXI_AFFINE_WIDTH]) {
    double own[AFXI_PHASE_SIZE];
    afxi_stage_past_with(&world->state, plan, body, afxi_phase_row(world, plan, body, own), qhat, qv);
}

void afxi_stage_past_with(const AfxiState *state, const AfxiStagePlan *plan, uint32_t body, const double *row,
                          double qhat[AFXI_AFFINE_WIDTH], double qv[AFXI_AFFINE_WIDTH]) {
    const AfxiStageWeights *w = &plan->weights;
    bool history = plan->mode != AFXI_FREE_ONE_STEP;
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body + e;
        double q = state->q[at], v = state->v[at], x2 = history ? state->x2[at] : 0;
        double x3 = history && w->qhat[3] != 0 ? state->x3[at] : 0;
        qhat[e] = w->qhat[0] * q + w->qhat[1] * v + w->qhat[2] * x2 + w->qhat[3] * x3;
        qv[e] = w->qv[0] * q + w->qv[1] * v + w->qv[2] * x2;
    }
    for (int e = 0; row && e < AFXI_AFFINE_WIDTH; e++) {
        qhat[e] += row[AFXI_PHASE_QHAT + e];
        qv[e] += row[AFXI_PHASE_QV + e];
    }
}

AfxiMat3 afxi_free_frame(const AfxiBodyClass *class, const double *target, const AfxiMat3 *predicted) {
    const double *s = class->s;
    double most = fmax(s[0], fmax(s[1], s[2])), least = fmin(s[0], fmin(s[1], s[2]));
    if (least < AFXI_THIN * most) {
        return *predicted;
    }
    AfxiMat3 weighted;
    for (int e = 0; e < 9; e++) {
        weighted.m[e] = target[e] * (s[e / 3] / most);
    }
    return weighted;
}

void afxi_commit_body(AfxiWorld *world, const AfxiStagePlan *plan, uint32_t body, const double next[AFXI_AFFINE_WIDTH],
                      const double qhat[AFXI_AFFINE_WIDTH], const double qv[AFXI_AFFINE_WIDTH]) {
    const AfxiStageWeights *w = &plan->weights;
    AfxiState *state = &world->state;
    double own[AFXI_PHASE_SIZE];
    if (plan->has_gaps && state->phase_slot[body] != AFXI_PHASE_OFF) {
        afxi_phase_keep(world, plan, body, afxi_phase_row(world, plan, body, own));
    }
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body + e;
        double q = state->q[at], v = state->v[at], x2 = state->x2[at];
        if (plan->mode == AFXI_FREE_ALPHA) {
            state->previous_q[at] = q;
            state->previous_v[at] = v;
            state->x2[at] = (next[e] - (q + w->a[0] * v + w->a[1] * x2)) * w->a[2];
            state->x3[at] = (next[e] - qhat[e]) * w->per_h_squared;
        } else if (plan->mode != AFXI_FREE_STAGE) {
            state->x2[at] = q;
            state->x3[at] = v;
        }
        state->q[at] = next[e];
        state->v[at] = (next[e] - qv[e]) * w->per_h_rate;
    }
}
