/* SPDX-License-Identifier: Apache-2.0 */
/* What elements add to the equations, with variables: bodies, wrenches, blocks of rows, ball chains, holds. */
#include "grad/equations.h"

#include <math.h>
#include <string.h>

#include "grad/row.h"
#include "grad/touch.h"
#include "model/params.h"

static void put(AfxiGradEquations *out, uint32_t equation, AfxiVar y) {
    if (out->status == AFX_OK) {
        out->status = afxi_array_reserve(out->allocator, (void **)&out->result, &out->result_capacity,
                                         out->result_count + 1, sizeof *out->result);
    }
    if (out->status == AFX_OK) {
        out->result[out->result_count++] = (AfxiProgramResult){equation, y};
    }
}

/* Torque and force that the element puts on a rigid body; at a start in its own axes. */
static void put_turning(AfxiGradEquations *out, const AfxiGradBody *body) {
    AfxiTape *tape = out->local.tape;
    uint32_t at = AFXI_AFFINE_WIDTH * body->body;
    AfxiVar3 torque = var3_number(vec3(0, 0, 0));
    for (int k = 0; k < 9; k += 3) {
        torque = var3_add(tape, torque, var3_cross(tape, var3_load(body->turn + k), var3_load(body->force + k)));
    }
    if (out->local.entry->start) {
        torque = var3_apply_transposed(tape, body->turn, torque);
    }
    for (uint32_t e = 0; e < 3; e++) {
        put(out, at + e, torque.x[e]);
        put(out, at + 3 + e, body->force[9 + e]);
    }
}

/* What the element on the tape puts on its bodies. */
void afxi_grad_put_forces(AfxiGradEquations *out) {
    for (uint32_t k = 0; k < out->local.count; k++) {
        const AfxiGradBody *body = &out->local.body[k];
        if (!afxi_grad_solves(out->local.entry, body->body)) {
            continue;
        }
        if (afxi_grad_width(out->local.entry, body->body) == 6) {
            put_turning(out, body);
            continue;
        }
        for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            put(out, AFXI_AFFINE_WIDTH * body->body + e, body->force[e]);
        }
    }
}

/* ---- bodies ---- */

/* R (2 mu V (S - I) + lambda V tr(S - I) I) = 2 mu V (A - R) + lambda V tr(S - I) R, where A = R S. In the trace R does
 * not vary: A . dR = 0, since S is symmetric. */
static void add_elastic(AfxiGradLocal *local, AfxiGradBody *body) {
    AfxiTape *tape = local->tape;
    AfxiVar volume = afxi_grad_param(local, AFX_PARAM_BODY_VOLUME, body->body, 0);
    AfxiVar young = afxi_grad_param(local, AFX_PARAM_BODY_YOUNG, body->body, 0);
    AfxiVar nu = afxi_grad_param(local, AFX_PARAM_BODY_POISSON, body->body, 0), trace = afxi_number(-3);
    AfxiVar shear = afxi_divide(tape, young, afxi_add(tape, afxi_number(1), nu));
    shear = afxi_tape_multiply(tape, shear, volume); /* 2 mu V */
    AfxiVar bulk = afxi_divide(tape, nu, afxi_tape_linear(tape, -2, nu, 1, afxi_number(1)));
    bulk = afxi_tape_multiply(tape, bulk, shear);
    for (int k = 0; k < 9; k++) {
        AfxiVar still = afxi_tape_still(tape, body->turn[k]);
        trace = afxi_add(tape, trace, afxi_tape_multiply(tape, still, body->q[k]));
    }
    AfxiVar more = afxi_subtract(tape, afxi_tape_multiply(tape, bulk, trace), shear);
    for (int k = 0; k < 9; k++) {
        AfxiVar force =
            afxi_add(tape, afxi_tape_multiply(tape, shear, body->q[k]), afxi_tape_multiply(tape, more, body->turn[k]));
        body->force[k] = afxi_add(tape, body->force[k], force);
    }
}

static AfxiVar mass_of(AfxiGradLocal *local, uint32_t body, uint32_t e) {
    return e < 9 ? afxi_grad_param(local, AFX_PARAM_BODY_SECOND_MOMENTS, body, e / 3)
                 : afxi_grad_param(local, AFX_PARAM_BODY_MASS, body, 0);
}

/* M q'' + D M q' - weight */
static void add_inertia(AfxiGradLocal *local, AfxiGradBody *body, const AfxiVar acceleration[AFXI_AFFINE_WIDTH]) {
    AfxiTape *tape = local->tape;
    AfxiVar fall = afxi_grad_param(local, AFX_PARAM_BODY_GRAVITY, body->body, 0);
    AfxiVar drag[2] = {afxi_grad_param(local, AFX_PARAM_BODY_ANGULAR_DAMPING, body->body, 0),
                       afxi_grad_param(local, AFX_PARAM_BODY_LINEAR_DAMPING, body->body, 0)};
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        AfxiVar sum = afxi_add(tape, acceleration[e], afxi_tape_multiply(tape, drag[e >= 9], body->rate[e]));
        if (e >= 9) {
            AfxiVar g = afxi_grad_param(local, AFX_PARAM_GRAVITY, 0, e - 9);
            sum = afxi_subtract(tape, sum, afxi_tape_multiply(tape, fall, g));
        }
        body->force[e] = afxi_add(tape, body->force[e], afxi_tape_multiply(tape, mass_of(local, body->body, e), sum));
    }
}

/* A'' = R (W² + skew(alpha)), W the spin in the body's axes. */
void afxi_grad_accelerations(AfxiGradLocal *local, AfxiGradBody *body, AfxiVar out[AFXI_AFFINE_WIDTH]) {
    AfxiTape *tape = local->tape;
    uint32_t at = AFXI_AFFINE_WIDTH * body->body;
    AfxiVar rate[9], w[9], inner[9], unknown[6], zero = afxi_number(0);
    for (uint32_t k = 0; k < 6; k++) {
        unknown[k] = afxi_tape_leaf(tape, local->layout->q + at + k, local->entry->at.q[at + k]);
    }
    var9_multiply(tape, body->turn, body->rate, true, rate);
    AfxiVar3 spin = {{afxi_tape_linear(tape, 0.5, rate[5], -0.5, rate[7]),
                      afxi_tape_linear(tape, 0.5, rate[6], -0.5, rate[2]),
                      afxi_tape_linear(tape, 0.5, rate[1], -0.5, rate[3])}};
    for (int k = 0; k < 3; k++) {
        AfxiVar3 unit = {{zero, zero, zero}}, once;
        unit.x[k] = afxi_number(1);
        once = var3_cross(tape, spin, unit);
        var3_store(w + 3 * k, var3_cross(tape, spin, once));
        var3_store(inner + 3 * k, var3_add(tape, var3_load(w + 3 * k), var3_cross(tape, var3_load(unknown), unit)));
    }
    var9_multiply(tape, body->turn, inner, false, out);
    for (int k = 0; k < 3; k++) {
        out[9 + k] = unknown[3 + k];
    }
}

static void add_run_time_wrench(AfxiGradLocal *local, AfxiGradBody *body);

void afxi_grad_put_body(AfxiGradEquations *out, uint32_t index) {
    AfxiGradLocal *local = &out->local;
    AfxiVar second[AFXI_AFFINE_WIDTH];
    uint32_t at = AFXI_AFFINE_WIDTH * index;
    AfxiGradBody *body = afxi_grad_body(local, index);
    if (local->entry->start) {
        afxi_grad_accelerations(local, body, second);
        for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            afxi_grad_terms_of(&out->outcome, local->tape, at + e, second[e]);
        }
    } else {
        AfxiVar per = afxi_grad_per(local, index, false);
        for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            AfxiVar hat = afxi_tape_leaf(local->tape, local->layout->qhat + at + e, local->entry->at.qhat[at + e]);
            second[e] = afxi_tape_multiply(local->tape, per, afxi_subtract(local->tape, body->q[e], hat));
        }
    }
    add_inertia(local, body, second);
    if (!local->entry->start && afxi_grad_width(local->entry, index) != 6) {
        add_elastic(local, body);
    }
    if (local->entry->at.body_wrenches) {
        add_run_time_wrench(local, body);
    }
    afxi_grad_put_forces(out);
}

/* ---- wrenches ---- */

/* -f of a force at a point and a torque, which acts on A as half its skew matrix times the rotation. */
static void add_wrench(AfxiGradLocal *local, AfxiGradBody *body, AfxiVar3 x, AfxiVar3 force, AfxiVar3 torque) {
    AfxiTape *tape = local->tape;
    for (int k = 0; k < 3; k++) {
        AfxiVar3 turning = var3_cross(tape, torque, var3_load(body->turn + 3 * k));
        AfxiVar3 on = var3_linear(tape, -0.5, turning, -1, var3_times(tape, x.x[k], force));
        var3_store(body->force + 3 * k, var3_add(tape, var3_load(body->force + 3 * k), on));
    }
    var3_store(body->force + 9, var3_subtract(tape, var3_load(body->force + 9), force));
}

void afxi_grad_put_wrench(AfxiGradEquations *out, uint32_t index) {
    AfxiGradLocal *local = &out->local;
    const AfxiFrame *frame = afxi_model_frame(local->model, local->model->wrench_body[index]);
    AfxiVar axes[9];
    AfxiVar3 point, sum[2], center = var3_number(frame->center);
    AfxiGradBody *body = afxi_grad_body(local, local->model->wrench_body[index]);
    for (uint32_t k = 0; k < 9; k++) {
        axes[k] = afxi_number(frame->axes.m[k]);
    }
    for (uint32_t c = 0; c < 3; c++) {
        point.x[c] = afxi_grad_param(local, AFX_PARAM_WRENCH_POINT, index, c);
    }
    for (uint32_t c = 0; c < 6; c++) {
        uint32_t slot = local->layout->signal + 6 * index + c;
        sum[c / 3].x[c % 3] = afxi_add(local->tape, afxi_grad_param(local, AFX_PARAM_WRENCH, index, c),
                                       afxi_tape_leaf(local->tape, slot, out->input[slot]));
    }
    point = var3_apply_transposed(local->tape, axes, var3_subtract(local->tape, point, center));
    for (int k = 0; k < 2 && local->model->wrench_frame[index] == AFX_FRAME_BODY; k++) {
        sum[k] = var3_apply(local->tape, body->turn, var3_apply_transposed(local->tape, axes, sum[k]));
    }
    add_wrench(local, body, point, sum[0], sum[1]);
    afxi_grad_put_forces(out);
}

static void add_run_time_wrench(AfxiGradLocal *local, AfxiGradBody *body) {
    const AfxWrench *wrench = &local->entry->at.body_wrenches[body->body];
    const double value[6] = {wrench->force.x,  wrench->force.y,  wrench->force.z,
                             wrench->torque.x, wrench->torque.y, wrench->torque.z};
    AfxiVar3 part[2];
    for (uint32_t c = 0; c < 6; c++) {
        part[c / 3].x[c % 3] = afxi_tape_leaf(local->tape, local->layout->wrench + 6 * body->body + c, value[c]);
    }
    add_wrench(local, body, var3_number(vec3(0, 0, 0)), part[0], part[1]);
}

/* A held point: stiffness (p - target) + damping p' on the body, as F has it. */
void afxi_grad_put_hold(AfxiGradEquations *out, const AfxiResidualHold *hold) {
    AfxiGradLocal *local = &out->local;
    AfxiTape *tape = local->tape;
    AfxiVar3 x = var3_number(vec3_load(hold->point)), target = var3_number(vec3_load(hold->target));
    AfxiGradBody *body = afxi_grad_body(local, hold->body);
    tape->volatile_numbers = true;
    AfxiVar3 off = var3_subtract(tape, var3_position(tape, body->q, x), target);
    AfxiVar3 force = var3_linear(tape, hold->stiffness, off, hold->damping, var3_position(tape, body->rate, x));
    for (int k = 0; k < 3; k++) {
        AfxiVar3 on = var3_times(tape, x.x[k], force);
        var3_store(body->force + 3 * k, var3_add(tape, var3_load(body->force + 3 * k), on));
    }
    var3_store(body->force + 9, var3_add(tape, var3_load(body->force + 9), force));
    afxi_grad_put_forces(out);
}

void afxi_grad_put_point(AfxiGradEquations *out, uint32_t index) {
    AfxiVar3 held[2];
    afxi_grad_touch(&out->local, index, held);
    for (uint32_t c = 0; c < AFXI_GRAD_HELD; c++) {
        afxi_grad_terms_of(&out->memory, out->local.tape, AFXI_GRAD_HELD * index + c, held[c / 3].x[c % 3]);
    }
    afxi_grad_put_forces(out);
}

/* ---- rows ---- */

static bool any_solved(const AfxiGradEquations *out) {
    for (uint32_t k = 0; k < out->local.count; k++) {
        if (afxi_grad_solves(out->local.entry, out->local.body[k].body)) {
            return true;
        }
    }
    return false;
}

/* Bodies that rows of a block may touch, before all else on the tape. */
static void put_joint_bodies(AfxiGradLocal *local, uint32_t joint) {
    afxi_grad_body(local, local->model->joints[joint].follower);
    afxi_grad_body(local, local->model->joints[joint].base);
}

static void put_bodies(AfxiGradLocal *local, const AfxiGraphBlock *block) {
    const AfxModel *model = local->model;
    if (block->type == AFXI_BLOCK_JOINT) {
        put_joint_bodies(local, block->index);
    } else if (block->type == AFXI_BLOCK_SPRING) {
        afxi_grad_body(local, model->springs[block->index].body_a);
        afxi_grad_body(local, model->springs[block->index].body_b);
    } else if (block->type == AFXI_BLOCK_COUPLING) {
        for (uint32_t term = 0; term < model->couplings[block->index].term_count; term++) {
            put_joint_bodies(local, model->couplings[block->index].joint[term]);
        }
    }
}

/* A block of rows: what they put on its bodies, and their equations. */
void afxi_grad_put_block(AfxiGradEquations *out, const AfxiGraph *graph, const AfxiGraphBlock *block) {
    AfxiGradLocal *local = &out->local;
    uint32_t rows = AFXI_AFFINE_WIDTH * local->layout->bodies + graph->first_row;
    put_bodies(local, block);
    if (!any_solved(out)) {
        return;
    }
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        AfxiVar lambda = afxi_grad_lambda(local, graph->first_row + row), value = afxi_grad_row(local, graph, row);
        if (graph->row[row].source == AFXI_SOURCE_ROTATIONAL_SPRING) {
            afxi_grad_spring_push(local, block->index, graph->row[row].index, lambda);
        } else {
            afxi_grad_push(local, lambda, value);
        }
        AfxiVar equation = local->entry->jump    ? afxi_grad_jump_row(local, graph, row, value, lambda)
                           : local->entry->start ? afxi_grad_start_row(local, graph, row, value, lambda)
                                                 : afxi_grad_stage_row(local, graph, row, value, lambda);
        put(out, rows + row, equation);
    }
    afxi_grad_put_forces(out);
}

/* A joint of a ball chain: three rows of its own. */
void afxi_grad_put_slot(AfxiGradEquations *out, uint32_t slot) {
    AfxiGradLocal *local = &out->local;
    uint32_t joint = local->model->chains.slot_joint[slot], first = local->model->row_count + 3 * slot;
    uint32_t rows = AFXI_AFFINE_WIDTH * local->layout->bodies;
    if (joint == UINT32_MAX) {
        return;
    }
    double sign = local->model->joints[joint].reversed ? -1 : 1;
    put_joint_bodies(local, joint);
    if (!any_solved(out)) {
        return;
    }
    for (uint32_t r = 0; r < 3; r++) {
        AfxiVar lambda = afxi_grad_lambda(local, first + r), value = afxi_grad_joint_row(local, joint, r);
        afxi_grad_push(local, afxi_scale(local->tape, sign, lambda), value);
        bool active = local->entry->at.joint_active[joint], start = local->entry->start;
        put(out, rows + first + r, !active ? lambda : start ? afxi_grad_row_acceleration(local, value) : value);
    }
    afxi_grad_put_forces(out);
}
