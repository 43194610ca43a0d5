/* SPDX-License-Identifier: Apache-2.0 */
/* Markers, coordinates, reactions and energy with variables, as step/query.c and constraint/reaction.c have them. */
#include "grad/quantity.h"

#include <math.h>

#include "grad/row.h"
#include "joint/axis.h"
#include "model/params.h"

bool afxi_grad_quantity_exists(const AfxModel *model, AfxQuantity quantity) {
    static const uint32_t components[] = {
#define SIZE(kind, name, size) [kind] = (size),
        AFX_QUANTITY_TABLE(SIZE)
#undef SIZE
    };
    const uint32_t count[] = {
        [AFX_QUANTITY_MARKER] = model->marker_count,   [AFX_QUANTITY_MARKER_VELOCITY] = model->marker_count,
        [AFX_QUANTITY_JOINT] = model->shown.joints,    [AFX_QUANTITY_RATE] = model->shown.joints,
        [AFX_QUANTITY_REACTION] = model->shown.joints, [AFX_QUANTITY_EFFORT] = model->drive_count,
        [AFX_QUANTITY_SPRING] = model->spring_count,   [AFX_QUANTITY_ENERGY] = 1};
    if ((int)quantity.kind < 0 || quantity.kind >= AFX_QUANTITY_KIND_COUNT || quantity.index >= count[quantity.kind]) {
        return false;
    }
    if (quantity.kind == AFX_QUANTITY_JOINT || quantity.kind == AFX_QUANTITY_RATE) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)model->joints[quantity.index].kind);
        return afxi_axis_exists(kind, quantity.component);
    }
    return quantity.component < components[quantity.kind];
}

static AfxiVar marker(AfxiGradLocal *local, uint32_t index, uint32_t component, bool velocity) {
    const AfxiFrame *frame = afxi_model_frame(local->model, local->model->marker_body[index]);
    AfxiGradBody *body = afxi_grad_body(local, local->model->marker_body[index]);
    AfxiVar axes[9];
    AfxiVar3 point;
    for (int k = 0; k < 9; k++) {
        axes[k] = afxi_number(frame->axes.m[k]);
    }
    for (uint32_t c = 0; c < 3; c++) {
        point.x[c] = afxi_grad_param(local, AFX_PARAM_MARKER_POINT, index, c);
    }
    point = var3_subtract(local->tape, point, var3_number(frame->center));
    point = var3_apply_transposed(local->tape, axes, point);
    return var3_position(local->tape, velocity ? body->rate : body->q, point).x[component];
}

/* ---- reactions ---- */

/* Force and torque in the world. */
typedef struct Reaction {
    AfxiVar3 force, torque;
} Reaction;

static void add_row(AfxiGradLocal *local, uint32_t joint, AfxiRowSpec row, AfxiVar lambda, const AfxiVar axes[9],
                    Reaction *sum) {
    AfxiTape *tape = local->tape;
    const AfxiJoint *source = &local->model->joints[joint];
    const AfxiGradBody *a = afxi_grad_body(local, source->follower), *b = afxi_grad_body(local, source->base);
    AfxiVar3 none = var3_number(vec3(0, 0, 0));
    AfxiVar by = afxi_scale(tape, -1, lambda);
    if (row.type == AFXI_ROW_POINT || row.type == AFXI_ROW_TIP) {
        AfxiVar3 push = none;
        push.x[row.i] = by;
        sum->force = var3_add(tape, sum->force, push);
        if (row.type == AFXI_ROW_TIP) {
            sum->torque = var3_add(tape, sum->torque, var3_cross(tape, var3_load(axes), push));
        }
    } else if (row.type == AFXI_ROW_DISTANCE) {
        AfxiVar3 from = var3_position(tape, b->q, afxi_grad_joint_point(local, joint, AFXI_GRAD_BASE));
        AfxiVar3 to = var3_position(tape, a->q, afxi_grad_joint_point(local, joint, AFXI_GRAD_FOLLOWER));
        AfxiVar3 d = var3_subtract(tape, to, from);
        by = afxi_divide(tape, by, afxi_grad_param(local, AFX_PARAM_JOINT_LENGTH, joint, 0));
        sum->force = var3_add(tape, sum->force, var3_times(tape, by, d));
    } else if (row.type == AFXI_ROW_DIRECTION) { /* about the axis square to both directions */
        AfxiVar3 of_a[3], of_b[3];
        afxi_grad_joint_axes(local, joint, AFXI_GRAD_FOLLOWER, of_a);
        afxi_grad_joint_axes(local, joint, AFXI_GRAD_BASE, of_b);
        AfxiVar3 u = var3_apply(tape, a->q, of_a[row.i]), v = var3_apply(tape, b->q, of_b[row.j]);
        by = afxi_scale(tape, row.sign, by);
        sum->torque = var3_add(tape, sum->torque, var3_times(tape, by, var3_cross(tape, u, v)));
    } else if (row.reaction < 3) {
        sum->force = var3_add(tape, sum->force, var3_times(tape, by, var3_load(axes + 3 * row.reaction)));
    } else {
        sum->torque = var3_add(tape, sum->torque, var3_times(tape, by, var3_load(axes + 3 * (row.reaction - 3))));
    }
}

static AfxiVar reaction(AfxiGradLocal *local, uint32_t joint, uint32_t component) {
    AfxiTape *tape = local->tape;
    const AfxiJoint *source = &local->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    Reaction sum = {var3_number(vec3(0, 0, 0)), var3_number(vec3(0, 0, 0))};
    AfxiVar axes[9], fixed[9];
    AfxiVar3 own[3];
    afxi_grad_joint_axes(local, joint, AFXI_GRAD_BASE, own);
    for (int k = 0; k < 3; k++) {
        var3_store(fixed + 3 * k, own[k]);
    }
    var9_multiply(tape, afxi_grad_body(local, source->base)->turn, fixed, false, axes);
    if (source->row == UINT32_MAX) {
        return afxi_number(0);
    }
    for (uint32_t r = 0; r < kind->row_count; r++) {
        AfxiVar lambda = afxi_grad_lambda(local, source->row + r);
        add_row(local, joint, kind->rows[r], afxi_scale(tape, source->reversed ? -1 : 1, lambda), axes, &sum);
    }
    if (source->kind == AFX_JOINT_SCREW) {
        AfxiVar by =
            afxi_scale(tape, source->reversed ? -1 : 1, afxi_grad_lambda(local, source->row + kind->row_count));
        AfxiVar turn = afxi_tape_multiply(tape, by, afxi_grad_param(local, AFX_PARAM_JOINT_PITCH, joint, 0));
        sum.force = var3_subtract(tape, sum.force, var3_times(tape, by, var3_load(axes)));
        sum.torque = var3_add(tape, sum.torque, var3_times(tape, turn, var3_load(axes)));
    }
    return var3_dot(tape, var3_load(axes + 3 * (component % 3)), component < 3 ? sum.force : sum.torque);
}

/* ---- energy ---- */

/* V (mu |S - I|² + lambda/2 tr(S - I)²) */
static AfxiVar elastic_energy(AfxiGradLocal *local, AfxiGradBody *body) {
    AfxiTape *tape = local->tape;
    if (!isfinite(*afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_BODY_YOUNG, body->body))) {
        return afxi_number(0);
    }
    AfxiVar volume = afxi_grad_param(local, AFX_PARAM_BODY_VOLUME, body->body, 0);
    AfxiVar young = afxi_grad_param(local, AFX_PARAM_BODY_YOUNG, body->body, 0);
    AfxiVar nu = afxi_grad_param(local, AFX_PARAM_BODY_POISSON, body->body, 0), s[9], square = afxi_number(0);
    AfxiVar twice = afxi_divide(tape, afxi_tape_multiply(tape, young, volume), afxi_add(tape, nu, afxi_number(1)));
    AfxiVar bulk = afxi_divide(tape, nu, afxi_tape_linear(tape, -2, nu, 1, afxi_number(1)));
    var9_multiply(tape, body->turn, body->q, true, s);
    AfxiVar trace = afxi_add(tape, afxi_add(tape, s[0], s[4]), afxi_add(tape, s[8], afxi_number(-3)));
    for (int k = 0; k < 9; k++) {
        AfxiVar strain = k % 4 == 0 ? afxi_add(tape, s[k], afxi_number(-1)) : s[k];
        square = afxi_add(tape, square, afxi_tape_multiply(tape, strain, strain));
    }
    bulk = afxi_tape_multiply(tape, bulk, afxi_tape_multiply(tape, trace, trace));
    return afxi_scale(tape, 0.5, afxi_tape_multiply(tape, twice, afxi_add(tape, square, bulk)));
}

static AfxiVar kinetic_energy(AfxiGradLocal *local, const AfxiGradBody *body) {
    AfxiTape *tape = local->tape;
    AfxiVar sum = afxi_number(0);
    for (uint32_t k = 0; k < 4; k++) {
        AfxiVar mass = k < 3 ? afxi_grad_param(local, AFX_PARAM_BODY_SECOND_MOMENTS, body->body, k)
                             : afxi_grad_param(local, AFX_PARAM_BODY_MASS, body->body, 0);
        AfxiVar3 rate = var3_load(body->rate + 3 * (size_t)k);
        sum = afxi_tape_linear(tape, 1, sum, 0.5, afxi_tape_multiply(tape, mass, var3_dot(tape, rate, rate)));
    }
    return sum;
}

static AfxiVar potential_energy(AfxiGradLocal *local, const AfxiGradBody *body) {
    AfxiTape *tape = local->tape;
    AfxiVar weight = afxi_tape_multiply(tape, afxi_grad_param(local, AFX_PARAM_BODY_MASS, body->body, 0),
                                        afxi_grad_param(local, AFX_PARAM_BODY_GRAVITY, body->body, 0));
    AfxiVar3 gravity;
    for (uint32_t k = 0; k < 3; k++) {
        gravity.x[k] = afxi_grad_param(local, AFX_PARAM_GRAVITY, 0, k);
    }
    AfxiVar fall = var3_dot(tape, gravity, var3_load(body->q + 9));
    return afxi_scale(tape, -1, afxi_tape_multiply(tape, weight, fall));
}

/* Body by body. */
static double energy(AfxiGradLocal *local, uint32_t component, AfxiGradTerms *out) {
    double sum = 0;
    for (uint32_t k = 0; k < local->model->dynamic_count; k++) {
        afxi_grad_begin(local);
        AfxiGradBody *body = afxi_grad_body(local, local->model->dynamic[k]);
        AfxiVar part = afxi_number(0);
        if (component < 2) {
            part = kinetic_energy(local, body);
        }
        if (component == 0 || component == 2) {
            part = afxi_add(local->tape, part, potential_energy(local, body));
        }
        if (component == 0 || component == 3) {
            part = afxi_add(local->tape, part, elastic_energy(local, body));
        }
        sum += part.value;
        if (out) {
            afxi_grad_terms_of(out, local->tape, 0, part);
        }
    }
    return sum;
}

/* The multiplier of a row that may not be there. */
static AfxiVar multiplier(AfxiGradLocal *local, uint32_t row, double sign) {
    return row == UINT32_MAX ? afxi_number(0) : afxi_scale(local->tape, sign, afxi_grad_lambda(local, row));
}

double afxi_grad_quantity(AfxiGradLocal *local, AfxQuantity quantity, AfxiGradTerms *out) {
    AfxiVar y = afxi_number(0);
    afxi_grad_begin(local);
    switch (quantity.kind) {
    case AFX_QUANTITY_MARKER:
    case AFX_QUANTITY_MARKER_VELOCITY:
        y = marker(local, quantity.index, quantity.component, quantity.kind == AFX_QUANTITY_MARKER_VELOCITY);
        break;
    case AFX_QUANTITY_JOINT:
        y = afxi_grad_axis(local, quantity.index, quantity.component);
        break;
    case AFX_QUANTITY_RATE:
        y = afxi_grad_rate(local, afxi_grad_axis(local, quantity.index, quantity.component));
        break;
    case AFX_QUANTITY_REACTION:
        y = reaction(local, quantity.index, quantity.component);
        break;
    case AFX_QUANTITY_EFFORT:
        y = multiplier(local, local->model->drives[quantity.index].row, -1);
        break;
    case AFX_QUANTITY_SPRING:
        y = multiplier(local, local->model->springs[quantity.index].row, 1);
        break;
    case AFX_QUANTITY_ENERGY:
        return energy(local, quantity.component, out);
    case AFX_QUANTITY_KIND_COUNT:
        break;
    }
    if (out) {
        afxi_grad_terms_of(out, local->tape, 0, y);
    }
    return y.value;
}
