/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of integrators, and what a stage leaves (state/history.c). */
#include "grad/past.h"

#include <string.h>

#include "solve/equation.h"

void afxi_grad_space(const AfxModel *model, AfxiGradSpace *out) {
    uint32_t wide = AFXI_AFFINE_WIDTH * model->body_count, at = 0;
    out->wide = wide;
    for (int k = 0; k < AFXI_GRAD_PARTS; k++, at += wide) {
        out->part[k] = at;
    }
    for (int k = 0; k < AFXI_GRAD_GROUPS; k++, at += 3 * wide) {
        out->added[k] = at;
        out->centre[k] = at + wide;
        out->fitted[k] = at + 2 * wide;
    }
    out->ease = at;
    out->qhat = at + wide;
    out->qv = at + 2 * wide;
    out->next = at + 3 * wide;
    out->param = at + 4 * wide;
    out->count = out->param + (uint32_t)model->param_length;
}

AfxiVar afxi_grad_place(AfxiGradPast *past, uint32_t place) {
    return afxi_tape_leaf(past->tape, place, past->value[place]);
}

void afxi_grad_set(AfxiGradPast *past, uint32_t place, AfxiVar y) {
    past->value[place] = y.value;
    afxi_grad_terms_of(&past->terms, past->tape, place, y);
}

/* place += weight times another */
static void weigh(AfxiGradPast *past, uint32_t place, uint32_t from, double weight) {
    if (weight != 0) { /* history that is not weighed may be anything */
        past->value[place] += weight * past->value[from];
        afxi_grad_term(&past->terms, place, from, weight);
    }
}

static void weigh_body(AfxiGradPast *past, uint32_t body) {
    const AfxiGradSpace *at = &past->at;
    const AfxiStagePlan *plan = afxi_grad_plan(past->entry, body);
    bool fitted = plan->phase != AFXI_PHASE_NONE && past->model->phase.slot[body] != AFXI_PHASE_OFF;
    for (uint32_t e = AFXI_AFFINE_WIDTH * body; e < AFXI_AFFINE_WIDTH * (body + 1); e++) {
        for (int part = 0; part < 4; part++) {
            weigh(past, at->qhat + e, at->part[part] + e, plan->weights.qhat[part]);
            weigh(past, at->qv + e, at->part[part] + e, plan->weights.qv[part]);
        }
        if (fitted) {
            weigh(past, at->qhat + e, at->fitted[AFXI_GRAD_HAT] + e, 1);
            weigh(past, at->qhat + e, at->ease + e, -1);
            weigh(past, at->qv + e, at->fitted[AFXI_GRAD_RATE] + e, 1);
        }
        if (fitted && plan->phase == AFXI_PHASE_TWO_STEP) {
            weigh(past, at->qhat + e, at->part[4] + e, plan->weights.qhat[1]);
            weigh(past, at->qhat + e, at->part[5] + e, plan->weights.qhat[3]);
        }
    }
}

/* Gaps at the end (afxi_phase_keep). */
static void end_gaps(AfxiGradPast *past, const AfxiStagePlan *plan, uint32_t body, uint32_t e) {
    const AfxiGradSpace *at = &past->at;
    AfxiGradTerms *end = &past->end;
    if (!plan->has_gaps || past->model->phase.slot[body] == AFXI_PHASE_OFF) {
        afxi_grad_term(end, at->part[4] + e, at->part[4] + e, 1);
        afxi_grad_term(end, at->part[5] + e, at->part[5] + e, 1);
    } else if (plan->phase == AFXI_PHASE_TWO_STEP) {
        afxi_grad_term(end, at->part[4] + e, at->fitted[AFXI_GRAD_RATE] + e, plan->weights.per_h_rate);
        afxi_grad_term(end, at->part[5] + e, at->part[4] + e, 1);
    } else if (plan->phase == AFXI_PHASE_START) {
        afxi_grad_term(end, at->part[4] + e, at->fitted[AFXI_GRAD_NEXT] + e, 1);
        afxi_grad_term(end, at->part[5] + e, at->fitted[AFXI_GRAD_LAST] + e, 1);
    }
}

static void end_body(AfxiGradPast *past, uint32_t body) {
    const AfxiGradSpace *at = &past->at;
    const AfxiStagePlan *plan = afxi_grad_plan(past->entry, body);
    const AfxiStageWeights *w = &plan->weights;
    AfxiGradTerms *end = &past->end;
    for (uint32_t e = AFXI_AFFINE_WIDTH * body; e < AFXI_AFFINE_WIDTH * (body + 1); e++) {
        afxi_grad_term(end, at->part[0] + e, at->next + e, 1);
        afxi_grad_term(end, at->part[1] + e, at->next + e, w->per_h_rate);
        afxi_grad_term(end, at->part[1] + e, at->qv + e, -w->per_h_rate);
        if (plan->mode == AFXI_FREE_ALPHA) {
            afxi_grad_term(end, at->part[2] + e, at->next + e, w->a[2]);
            afxi_grad_term(end, at->part[2] + e, at->part[0] + e, -w->a[2]);
            afxi_grad_term(end, at->part[2] + e, at->part[1] + e, -w->a[0] * w->a[2]);
            afxi_grad_term(end, at->part[2] + e, at->part[2] + e, -w->a[1] * w->a[2]);
            afxi_grad_term(end, at->part[3] + e, at->next + e, w->per_h_squared);
            afxi_grad_term(end, at->part[3] + e, at->qhat + e, -w->per_h_squared);
        } else {
            bool stays = plan->mode == AFXI_FREE_STAGE;
            afxi_grad_term(end, at->part[2] + e, at->part[stays ? 2 : 0] + e, 1);
            afxi_grad_term(end, at->part[3] + e, at->part[stays ? 3 : 1] + e, 1);
        }
        end_gaps(past, plan, body, e);
    }
}

/* A body that has no part in the stage stays as it is. */
static void keep_body(AfxiGradPast *past, uint32_t body) {
    for (uint32_t e = AFXI_AFFINE_WIDTH * body; e < AFXI_AFFINE_WIDTH * (body + 1); e++) {
        for (int part = 0; part < AFXI_GRAD_PARTS; part++) {
            afxi_grad_term(&past->end, past->at.part[part] + e, past->at.part[part] + e, 1);
        }
    }
}

void afxi_grad_past(AfxiGradPast *past, const AfxiGradEntry *entry) {
    const AfxModel *model = past->model;
    past->entry = entry;
    past->terms.count = past->end.count = 0;
    memset(past->value, 0, past->at.count * sizeof *past->value);
    for (int k = 0; k < AFXI_GRAD_PARTS; k++) {
        if (entry->past[k]) {
            memcpy(past->value + past->at.part[k], entry->past[k], past->at.wide * sizeof *past->value);
        }
    }
    memcpy(past->value + past->at.param, entry->at.params, model->param_length * sizeof *past->value);
    afxi_grad_phase(past);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        if (afxi_residual_solves(&entry->at, body)) {
            weigh_body(past, body);
            end_body(past, body);
        } else {
            keep_body(past, body);
        }
    }
}
