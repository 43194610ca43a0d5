/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of integrators, and what a stage leaves (state/history.c). */
#include "grad/past.h"

#include <string.h>

#include "solve/equation.h"

void afxi_grad_space(const AfxModel *model, bool frames, AfxiGradSpace *out) {
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
    out->look = at + 4 * wide;
    out->expect = at + 5 * wide;
    out->param = out->expect + 6 * model->body_count;
    out->frame = out->param + (uint32_t)model->param_length;
    out->frames = frames;
    out->count = out->frame + (frames ? 12 * model->joint_count : 0);
}

AfxiVar afxi_grad_place(AfxiGradPast *past, uint32_t place) {
    return afxi_tape_leaf(past->tape, place, past->value[place]);
}

void afxi_grad_set(AfxiGradPast *past, uint32_t place, AfxiVar y) {
    if (past->status == AFX_OK) {
        past->status = afxi_array_reserve(past->allocator, (void **)&past->result, &past->result_capacity,
                                          past->result_count + 1, sizeof *past->result);
    }
    if (past->status == AFX_OK) {
        past->result[past->result_count++] = (AfxiProgramResult){place, y};
    }
}

AfxStatus afxi_grad_past_create(AfxiGradPast *past) {
    past->fit_count = 2 * past->model->body_count + past->model->phase.node_count;
    past->fit = afxi_allocate(past->allocator, ((size_t)past->fit_count + 1) * sizeof *past->fit);
    return past->fit ? AFX_OK : AFX_E_MEMORY;
}

void afxi_grad_past_release(AfxiGradPast *past) {
    for (uint32_t k = 0; past->fit && k < past->fit_count; k++) {
        afxi_program_release(&past->fit[k].program);
    }
    afxi_release(past->allocator, past->fit, ((size_t)past->fit_count + 1) * sizeof *past->fit);
    afxi_release(past->allocator, past->result, past->result_capacity * sizeof *past->result);
    afxi_grad_terms_release(&past->terms);
    afxi_grad_terms_release(&past->end);
}

bool afxi_grad_same_plan(const AfxiStagePlan *a, const AfxiStagePlan *b) {
    return memcmp(&a->weights, &b->weights, sizeof a->weights) == 0 && a->mode == b->mode && a->phase == b->phase &&
           a->has_gaps == b->has_gaps && a->predict == b->predict;
}

void afxi_grad_fit(AfxiGradPast *past, AfxiGradFit *fit, const AfxiStagePlan *plan, uint32_t kind,
                   void (*record)(AfxiGradPast *past, uint32_t index), uint32_t index) {
    bool kept = fit->program.again && fit->kind == kind && afxi_grad_same_plan(&fit->plan, plan);
    fit->active = true;
    if (!kept || !afxi_program_evaluate(&fit->program, past->value)) {
        fit->plan = *plan;
        fit->kind = kind;
        past->result_count = 0;
        afxi_tape_clear(past->tape);
        record(past, index);
        if (past->status == AFX_OK) {
            past->status = afxi_program_make(&fit->program, past->tape, past->result, past->result_count, 0, true);
        }
        if (past->status != AFX_OK) {
            fit->active = false;
            return;
        }
        afxi_program_evaluate(&fit->program, past->value);
    }
    for (uint32_t k = 0; k < fit->program.result_count; k++) {
        const AfxiProgramTerm *result = &fit->program.result[k];
        past->value[result->row] = afxi_program_term(&fit->program, result);
    }
}

void afxi_grad_past_reverse(AfxiGradPast *past, double *place) {
    for (uint32_t k = past->terms.count; k-- > 0;) {
        const AfxiGradTerm *term = &past->terms.term[k];
        place[term->slot] += term->value * place[term->row];
    }
    for (uint32_t k = past->fit_count; k-- > 0;) {
        if (past->fit[k].active) {
            afxi_program_reverse(&past->fit[k].program, place, place);
        }
    }
}

void afxi_grad_past_forward(AfxiGradPast *past, double *place) {
    for (uint32_t k = 0; k < past->fit_count; k++) {
        if (past->fit[k].active) {
            afxi_program_forward(&past->fit[k].program, place, place);
        }
    }
    for (uint32_t k = 0; k < past->terms.count; k++) {
        const AfxiGradTerm *term = &past->terms.term[k];
        place[term->row] += term->value * place[term->slot];
    }
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

AfxStatus afxi_grad_past(AfxiGradPast *past, const AfxiGradEntry *entry) {
    const AfxModel *model = past->model;
    past->entry = entry;
    past->status = AFX_OK;
    for (uint32_t k = 0; k < past->fit_count; k++) {
        past->fit[k].active = false;
    }
    past->terms.count = past->end.count = 0;
    memset(past->value, 0, past->at.count * sizeof *past->value);
    for (int k = 0; k < AFXI_GRAD_PARTS; k++) {
        if (entry->past[k]) {
            memcpy(past->value + past->at.part[k], entry->past[k], past->at.wide * sizeof *past->value);
        }
    }
    memcpy(past->value + past->at.param, entry->at.params, model->param_length * sizeof *past->value);
    afxi_grad_phase(past);
    for (uint32_t k = 0; entry->look_of && k < model->dynamic_count; k++) {
        if (entry->look_of[model->dynamic[k]]) {
            afxi_grad_expect(past, model->dynamic[k]);
        }
    }
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        if (afxi_residual_solves(&entry->at, body)) {
            weigh_body(past, body);
            end_body(past, body);
        } else {
            keep_body(past, body);
        }
    }
    if (past->status == AFX_OK && (past->tape->failed || past->terms.failed || past->end.failed)) {
        past->status = AFX_E_MEMORY;
    }
    past->tape->failed = past->terms.failed = past->end.failed = false;
    return past->status;
}
