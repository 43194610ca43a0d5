/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies, parameters and multipliers as variables of an element. */
#include "grad/local.h"

#include "model/params.h"

void afxi_grad_layout(const AfxModel *model, AfxiGradLayout *out) {
    uint32_t wide = AFXI_AFFINE_WIDTH * model->body_count;
    *out = (AfxiGradLayout){.bodies = model->body_count, .drives = model->drive_count};
    out->rows = model->row_count + 3 * model->chains.slot_count;
    out->lambda = out->q + wide;
    out->qhat = out->lambda + out->rows;
    out->qv = out->qhat + wide;
    out->rate = out->qv + wide;
    out->target = out->rate + wide;
    out->wrench = out->target + 2 * model->drive_count;
    out->param = out->wrench + 6 * model->body_count;
    out->count = out->param + (uint32_t)model->param_length;
}

bool afxi_grad_solves(const AfxiGradEntry *entry, uint32_t body) {
    return afxi_residual_solves(&entry->at, body);
}

void afxi_grad_begin(AfxiGradLocal *local) {
    afxi_tape_clear(local->tape);
    local->count = 0;
}

static void leaves(AfxiGradLocal *local, uint32_t slot, const double *value, AfxiVar *out) {
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        out[e] = afxi_tape_leaf(local->tape, slot + e, value[e]);
    }
}

static void numbers(const double *value, AfxiVar *out) {
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        out[e] = afxi_number(value ? value[e] : 0);
    }
}

/* (q - qv)/h_v of a body that is solved for. */
static void rates(AfxiGradLocal *local, AfxiGradBody *own, uint32_t at) {
    const AfxiResidualStage *stage = &local->entry->at;
    double per = 1 / stage->scale[own->body].h_rate;
    AfxiVar past[AFXI_AFFINE_WIDTH];
    leaves(local, local->layout->qv + at, stage->qv + at, past);
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        own->rate[e] = afxi_tape_linear(local->tape, per, own->q[e], -per, past[e]);
    }
}

AfxiGradBody *afxi_grad_body(AfxiGradLocal *local, uint32_t body) {
    static const double world[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const AfxiGradLayout *layout = local->layout;
    const AfxiResidualStage *stage = &local->entry->at;
    for (uint32_t k = 0; k < local->count; k++) {
        if (local->body[k].body == body) {
            return &local->body[k];
        }
    }
    AfxiGradBody *own = &local->body[local->count++];
    uint32_t at = AFXI_AFFINE_WIDTH * body;
    own->body = body;
    numbers(NULL, own->force);
    numbers(NULL, own->rate);
    if (body == AFXI_WORLD) {
        numbers(world, own->q);
    } else if (local->entry->told) {
        leaves(local, layout->q + at, stage->q + at, own->q);
        leaves(local, layout->rate + at, stage->v + at, own->rate);
    } else if (local->entry->start && afxi_grad_solves(local->entry, body)) {
        leaves(local, layout->qhat + at, stage->qhat + at, own->q);
        leaves(local, layout->qv + at, stage->qv + at, own->rate);
    } else if (afxi_grad_solves(local->entry, body)) {
        leaves(local, layout->q + at, stage->q + at, own->q);
        rates(local, own, at);
    } else if (stage->model->kind[body] == AFX_BODY_KINEMATIC) {
        leaves(local, layout->q + at, stage->q + at, own->q);
        leaves(local, layout->rate + at, stage->v + at, own->rate);
    } else {
        numbers(stage->q + at, own->q);
    }
    afxi_tape_rotation(local->tape, own->q, own->turn);
    for (int e = 0; e < 9 && local->entry->start; e++) {
        own->q[e] = own->turn[e];
    }
    return own;
}

AfxiVar afxi_grad_param(AfxiGradLocal *local, AfxParamKind kind, uint32_t index, uint32_t component) {
    const AfxModel *model = local->model;
    const double *value = afxi_param_const(model, local->entry->at.params, kind, index) + component;
    return afxi_tape_leaf(local->tape, local->layout->param + (uint32_t)(value - local->entry->at.params), *value);
}

AfxiVar afxi_grad_lambda(AfxiGradLocal *local, uint32_t row) {
    return afxi_tape_leaf(local->tape, local->layout->lambda + row, local->entry->at.lambda[row]);
}

AfxiVar afxi_grad_target(AfxiGradLocal *local, uint32_t drive, uint32_t component) {
    uint32_t at = 2 * drive + component;
    return afxi_tape_leaf(local->tape, local->layout->target + at, local->entry->at.target[at]);
}

AfxiVar afxi_grad_rate(AfxiGradLocal *local, AfxiVar y) {
    AfxiVar wrt[AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)], dot[AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)];
    uint32_t count = 0;
    for (uint32_t k = 0; k < local->count; k++) {
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            if (!afxi_is_number(local->body[k].q[e])) {
                wrt[count] = local->body[k].q[e];
                dot[count++] = local->body[k].rate[e];
            }
        }
    }
    return afxi_tape_rate(local->tape, y, wrt, dot, count);
}

void afxi_grad_push(AfxiGradLocal *local, AfxiVar lambda, AfxiVar y) {
    AfxiVar wrt[AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)], out[AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)];
    uint32_t count = 0;
    for (uint32_t k = 0; k < local->count; k++) {
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            wrt[count++] = local->body[k].q[e];
        }
    }
    afxi_tape_gradient(local->tape, y, wrt, count, out);
    for (uint32_t k = 0; k < local->count; k++) {
        for (int e = 0; e < AFXI_AFFINE_WIDTH && afxi_grad_solves(local->entry, local->body[k].body); e++) {
            AfxiVar by = afxi_tape_multiply(local->tape, lambda, out[AFXI_AFFINE_WIDTH * k + e]);
            local->body[k].force[e] = afxi_add(local->tape, local->body[k].force[e], by);
        }
    }
}

double afxi_grad_h_rate(const AfxiGradLocal *local) {
    for (uint32_t k = 0; k < local->count; k++) {
        if (afxi_grad_solves(local->entry, local->body[k].body)) {
            return local->entry->at.scale[local->body[k].body].h_rate;
        }
    }
    return 1;
}
