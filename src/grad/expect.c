/* SPDX-License-Identifier: Apache-2.0 */
/* Where bodies were expected when their points of contact were looked for (collide/find.c): t + h t', and the rotation
 * that a free body would take, which is the rotation part of A of qhat in the metric of the mass. */
#include <math.h>

#include "grad/past.h"
#include "model/params.h"
#include "state/tuning.h"

/* A of qhat, and what it is a sum of. */
typedef struct Hat {
    uint32_t from[7]; /* places of its first number in each */
    double weight[7];
    uint32_t count;
    double a[9];
} Hat;

static void weigh(AfxiGradPast *past, Hat *hat, uint32_t from, double weight) {
    if (weight != 0) { /* history that is not weighed may be anything */
        for (uint32_t e = 0; e < 9; e++) {
            hat->a[e] += weight * past->value[from + e];
        }
        hat->from[hat->count] = from;
        hat->weight[hat->count++] = weight;
    }
}

static void find_hat(AfxiGradPast *past, uint32_t body, const AfxiStagePlan *plan, Hat *hat) {
    const AfxiGradSpace *at = &past->at;
    uint32_t first = AFXI_AFFINE_WIDTH * body;
    *hat = (Hat){.count = 0};
    for (int part = 0; part < 4; part++) {
        weigh(past, hat, at->part[part] + first, plan->weights.qhat[part]);
    }
    if (plan->phase == AFXI_PHASE_NONE || past->model->phase.slot[body] == AFXI_PHASE_OFF) {
        return;
    }
    afxi_grad_phase_expected(past, body);
    weigh(past, hat, at->look + first, 1);
    if (plan->phase == AFXI_PHASE_TWO_STEP) {
        weigh(past, hat, at->part[4] + first, plan->weights.qhat[1]);
        weigh(past, hat, at->part[5] + first, plan->weights.qhat[3]);
    }
}

/* Turns of the rotation part of a matrix, by its numbers: half the sum of r x dr. */
static void turns_by(const AfxiMat3 *a, double out[3][9]) {
    AfxiMat3 r;
    double d[9][9];
    afxi_tape_turn(a, &r, d);
    for (int j = 0; j < 9; j++) {
        AfxVec3 sum = vec3(0, 0, 0);
        for (int k = 0; k < 9; k += 3) {
            sum = vec3_add(sum, vec3_cross(vec3_load(r.m + k), vec3(d[k][j], d[k + 1][j], d[k + 2][j])));
        }
        out[0][j] = 0.5 * sum.x;
        out[1][j] = 0.5 * sum.y;
        out[2][j] = 0.5 * sum.z;
    }
}

void afxi_grad_expect(AfxiGradPast *past, uint32_t body) {
    const AfxiGradSpace *at = &past->at;
    const AfxiStagePlan *plan = &past->entry->plan[past->entry->look_of[body] - 1];
    const double *s = afxi_param_const(past->model, past->entry->at.params, AFX_PARAM_BODY_SECOND_MOMENTS, body);
    double most = fmax(s[0], fmax(s[1], s[2])), least = fmin(s[0], fmin(s[1], s[2])), by[3][9];
    bool thin = least < AFXI_THIN * most;
    uint32_t moment = at->param + (uint32_t)(s - past->entry->at.params), to = at->expect + 6 * body;
    Hat hat;
    AfxiMat3 weighted;
    find_hat(past, body, plan, &hat);
    for (int e = 0; e < 9; e++) {
        weighted.m[e] = thin ? hat.a[e] : hat.a[e] * (s[e / 3] / most);
    }
    turns_by(&weighted, by);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t e = 0; e < 9; e++) {
            double slope = by[i][e] * (thin ? 1 : s[e / 3] / most);
            for (uint32_t k = 0; k < hat.count; k++) {
                afxi_grad_term(&past->terms, to + i, hat.from[k] + e, slope * hat.weight[k]);
            }
            afxi_grad_term(&past->terms, to + i, moment + e / 3, thin ? 0 : by[i][e] * hat.a[e] / most);
        }
        uint32_t t = AFXI_AFFINE_WIDTH * body + 9 + i;
        afxi_grad_term(&past->terms, to + 3 + i, at->part[0] + t, 1);
        afxi_grad_term(&past->terms, to + 3 + i, at->part[1] + t, plan->predict);
    }
}
