/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies, parameters and multipliers as variables of an element. */
#include "grad/local.h"

#include <math.h>
#include <string.h>

#include "model/params.h"

void afxi_grad_layout(const AfxModel *model, bool frames, AfxiGradLayout *out) {
    uint32_t wide = AFXI_AFFINE_WIDTH * model->body_count;
    *out = (AfxiGradLayout){.bodies = model->body_count, .drives = model->drive_count};
    out->rows = model->row_count + 3 * model->chains.slot_count;
    out->lambda = out->q + wide;
    out->qhat = out->lambda + out->rows;
    out->qv = out->qhat + wide;
    out->rate = out->qv + wide;
    out->target = out->rate + wide;
    out->wrench = out->target + 2 * model->drive_count;
    out->stretch = out->wrench + 6 * model->body_count;
    out->expect = out->stretch + (model->contacts.possible ? AFXI_GRAD_HELD * AFXI_GRAD_POINTS : 0);
    out->param = out->expect + (model->contacts.possible ? 6 * model->body_count : 0);
    out->frame = out->param + (uint32_t)model->param_length;
    out->frames = frames;
    out->count = out->frame + (frames ? 12 * model->joint_count : 0);
    out->place = out->count;
    out->per = out->place + wide;
    out->signal = out->per + 2 * model->body_count;
    out->angle = out->signal + 6 * model->wrench_count;
    out->all = out->angle + model->angle_count;
}

uint32_t afxi_grad_width(const AfxiGradEntry *entry, uint32_t body) {
    bool rigid = isinf(*afxi_param_const(entry->at.model, entry->at.params, AFX_PARAM_BODY_YOUNG, body));
    return rigid || entry->start ? 6 : AFXI_AFFINE_WIDTH;
}

static void copy(double *to, const double *from, size_t count) {
    if (from && count) {
        memcpy(to, from, count * sizeof *to);
    }
}

/* What users have told wrenches to do at this time. */
static void fill_signals(const AfxModel *model, double time, double *x) {
    memset(x, 0, 6 * (size_t)model->wrench_count * sizeof *x);
    for (uint32_t k = 0; k < model->wrench_signal_count; k++) {
        for (int c = 0; c < 6; c++) {
            afx_signal_evaluate(&model->wrench_signal[k].of[c], time,
                                &x[6 * (size_t)model->wrench_signal[k].wrench + (size_t)c], NULL, NULL);
        }
    }
}

void afxi_grad_fill(const AfxiGradLayout *layout, const AfxiGradEntry *entry, double *x) {
    const AfxiResidualStage *stage = &entry->at;
    const AfxModel *model = stage->model;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    copy(x + layout->q, stage->q, wide);
    copy(x + layout->place, stage->q, wide);
    copy(x + layout->lambda, stage->lambda, layout->rows);
    copy(x + layout->qhat, stage->qhat, wide);
    copy(x + layout->qv, stage->qv, wide);
    copy(x + layout->rate, stage->v, wide);
    copy(x + layout->target, stage->target, 2 * (size_t)layout->drives);
    copy(x + layout->param, stage->params, model->param_length);
    memset(x + layout->frame, 0, (layout->count - layout->frame) * sizeof *x);
    copy(x + layout->angle, stage->angle, model->angle_count);
    for (uint32_t k = 0; k < layout->bodies; k++) {
        double *own = x + layout->q + (size_t)AFXI_AFFINE_WIDTH * k;
        bool solved = afxi_grad_solves(entry, k);
        x[layout->per + 2 * k] = solved ? 1 / stage->scale[k].h_squared : 0;
        x[layout->per + 2 * k + 1] = solved ? 1 / stage->scale[k].h_rate : 0;
        if (solved && !entry->start && afxi_grad_width(entry, k) == 6) {
            memset(own, 0, 3 * sizeof *own);
            memcpy(own + 3, stage->q + (size_t)AFXI_AFFINE_WIDTH * k + 9, 3 * sizeof *own);
        }
        if (stage->body_wrenches) {
            vec3_store(x + layout->wrench + 6 * k, stage->body_wrenches[k].force);
            vec3_store(x + layout->wrench + 6 * k + 3, stage->body_wrenches[k].torque);
        }
    }
    memset(x + layout->stretch, 0, (layout->param - layout->stretch) * sizeof *x); /* recorded with what they are */
    fill_signals(model, stage->force_time, x + layout->signal);
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

AfxiVar afxi_grad_per(AfxiGradLocal *local, uint32_t body, bool rate) {
    const AfxiScale *scale = &local->entry->at.scale[body];
    return afxi_tape_leaf(local->tape, local->layout->per + 2 * body + rate,
                          1 / (rate ? scale->h_rate : scale->h_squared));
}

/* (q - qv)/h_v of a body that is solved for. */
static void rates(AfxiGradLocal *local, AfxiGradBody *own, uint32_t at) {
    AfxiVar past[AFXI_AFFINE_WIDTH], per = afxi_grad_per(local, own->body, true);
    leaves(local, local->layout->qv + at, local->entry->at.qv + at, past);
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        own->rate[e] = afxi_tape_multiply(local->tape, per, afxi_subtract(local->tape, own->q[e], past[e]));
    }
}

/* A rigid body: it turns by w and goes with t. */
static void turning(AfxiGradLocal *local, AfxiGradBody *own, uint32_t at) {
    const AfxiGradLayout *layout = local->layout;
    const double *q = local->entry->at.q + at;
    AfxiVar w[3];
    for (uint32_t e = 0; e < 3; e++) {
        w[e] = afxi_tape_leaf(local->tape, layout->q + at + e, 0);
    }
    for (uint32_t e = 0; e < 3; e++) {
        own->q[9 + e] = afxi_tape_leaf(local->tape, layout->q + at + 3 + e, q[9 + e]);
    }
    afxi_tape_spun(local->tape, w, layout->place + at, q, own->q);
    memcpy(own->turn, own->q, sizeof own->turn);
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
    } else if (afxi_grad_solves(local->entry, body) && afxi_grad_width(local->entry, body) == 6) {
        turning(local, own, at);
        rates(local, own, at);
        return own;
    } else if (afxi_grad_solves(local->entry, body)) {
        leaves(local, layout->q + at, stage->q + at, own->q);
        rates(local, own, at);
    } else if (stage->model->kind[body] == AFX_BODY_KINEMATIC) {
        leaves(local, layout->q + at, stage->q + at, own->q);
        leaves(local, layout->rate + at, stage->v + at, own->rate);
    } else {
        leaves(local, layout->place + at, stage->q + at, own->q);
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

static const AfxiJointFrame *frame_of(const AfxiGradLocal *local, uint32_t joint) {
    return (const AfxiJointFrame *)local->model->joint_frames.items + local->model->joints[joint].frame;
}

/* A turn (part 0) or a shift (3) of a frame: of no size, but it can be differentiated by. */
static AfxiVar3 frame_moves(AfxiGradLocal *local, uint32_t joint, AfxiGradSide side, uint32_t part) {
    AfxiVar3 out;
    for (uint32_t k = 0; k < 3; k++) {
        out.x[k] = afxi_tape_leaf(local->tape, local->layout->frame + 12 * joint + 6 * side + part + k, 0);
    }
    return out;
}

AfxiVar3 afxi_grad_joint_point(AfxiGradLocal *local, uint32_t joint, AfxiGradSide side) {
    const AfxiJointFrame *frame = frame_of(local, joint);
    AfxiVar3 p = var3_number(side == AFXI_GRAD_BASE ? frame->point_b : frame->point_a);
    return local->layout->frames ? var3_add(local->tape, p, frame_moves(local, joint, side, 3)) : p;
}

void afxi_grad_joint_axes(AfxiGradLocal *local, uint32_t joint, AfxiGradSide side, AfxiVar3 out[3]) {
    const AfxiJointFrame *frame = frame_of(local, joint);
    AfxiVar3 w = local->layout->frames ? frame_moves(local, joint, side, 0) : var3_number(vec3(0, 0, 0));
    for (int k = 0; k < 3; k++) {
        AfxiVar3 axis = var3_number(mat3_column(side == AFXI_GRAD_BASE ? &frame->axes_b : &frame->axes_a, k));
        out[k] = local->layout->frames ? var3_add(local->tape, axis, var3_cross(local->tape, w, axis)) : axis;
    }
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
