/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump (solve/impact.c), where all that strikes does so in one pass and nothing slides: rates of what
 * strikes are known then, -e times those before, or 0. Two projections in the metric of the mass,
 *     fit      v before the impact, as joints allow it: M (v1 - v) + J^T p = 0, J v1 = 0,
 *     bounce   v at the end of the step, with these rates: M (v+ - v) + J^T p = 0, J v+ = 0, N v+ = -e N v1.
 * Rates of contact points are met by stiff springs, as the impact has them. Unknowns of a body are its angular velocity
 * in its own axes, and t'. */
#include <math.h>

#include "constraint/tuning.h"
#include "grad/equations.h"
#include "grad/touch.h"
#include "joint/law.h"
#include "model/contacts.h"
#include "model/params.h"

/* A' = R skew(w) */
static void turning(AfxiTape *tape, const AfxiVar turn[9], AfxiVar3 w, AfxiVar out[9]) {
    for (int k = 0; k < 3; k++) {
        AfxiVar3 unit = var3_number(vec3(k == 0, k == 1, k == 2));
        var3_store(out + 3 * k, var3_apply(tape, turn, var3_cross(tape, w, unit)));
    }
}

/* Velocities of a body after the jump. */
static void after(AfxiGradLocal *local, const AfxiGradBody *body, AfxiVar out[AFXI_AFFINE_WIDTH]) {
    uint32_t at = AFXI_AFFINE_WIDTH * body->body;
    AfxiVar unknown[6];
    for (uint32_t k = 0; k < 6; k++) {
        unknown[k] = afxi_tape_leaf(local->tape, local->layout->q + at + k, local->entry->at.q[at + k]);
    }
    turning(local->tape, body->turn, var3_load(unknown), out);
    var3_store(out + 9, var3_load(unknown + 3));
}

/* What the entry has besides: q at the beginning of the step, or velocities that were fitted. */
static void other(AfxiGradLocal *local, uint32_t body, AfxiVar out[AFXI_AFFINE_WIDTH]) {
    uint32_t at = AFXI_AFFINE_WIDTH * body;
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        out[e] = afxi_tape_leaf(local->tape, local->layout->rate + at + e, local->entry->at.v[at + e]);
    }
}

static AfxiVar3 gravity_of(AfxiGradLocal *local) {
    AfxiVar3 out;
    for (uint32_t c = 0; c < 3; c++) {
        out.x[c] = afxi_grad_param(local, AFX_PARAM_GRAVITY, 0, c);
    }
    return out;
}

/* ---- when something strikes ---- */

/* Velocity at the beginning of the step of what is expected at `arm` from the origin of a body. */
static AfxiVar3 velocity_at(AfxiGradLocal *local, const AfxiGradBody *body, AfxiVar3 arm) {
    AfxiVar q[AFXI_AFFINE_WIDTH];
    other(local, body->body, q);
    return var3_position(local->tape, body->rate, var3_apply_transposed(local->tape, q, arm));
}

/* p - o of a body, p of which the change is known. */
static AfxiVar3 arm_of(const AfxiGradTouch *touch, int side, AfxiVar3 way) {
    const AfxiResidualPoint *point = touch->point;
    AfxiMat3 r = mat3_load(side ? point->frame_b : point->frame_a);
    AfxVec3 arm = mat3_apply(&r, vec3_load(side ? point->x_b : point->x_a));
    AfxiTape *tape = touch->local->tape;
    return var3_add(tape, var3_number(arm), var3_subtract(tape, way, var3_load(touch->expect + 6 * side + 3)));
}

/* afxi_bounce_touch: s from the beginning of the step to the touch. */
static AfxiVar touch_time(AfxiGradLocal *local, uint32_t index) {
    AfxiTape *tape = local->tape;
    const AfxiPointSlope *slope = &local->entry->slope[index];
    AfxiGradTouch touch;
    afxi_grad_touch_begin(local, index, &touch);
    double dt = touch.point->dt;
    AfxiVar3 way_a = afxi_grad_varied(&touch, vec3(0, 0, 0), slope->point_a), gravity = gravity_of(local);
    AfxiVar3 way_b = afxi_grad_varied(&touch, vec3(0, 0, 0), slope->point_b);
    AfxiVar3 speed = velocity_at(local, touch.body[0], arm_of(&touch, 0, way_a));
    speed = var3_subtract(tape, speed,
                          touch.body[1] ? velocity_at(local, touch.body[1], arm_of(&touch, 1, way_b))
                                        : var3_number(vec3_load(local->entry->carried + 3 * (size_t)index)));
    AfxiVar approach = var3_dot(tape, touch.normal, speed);
    AfxiVar gap = var3_dot(tape, touch.normal, var3_subtract(tape, way_a, way_b));
    gap = afxi_add(tape, gap, afxi_number(local->entry->first_gap[index]));
    AfxiVar pull = touch.body[1] ? afxi_number(0) : afxi_scale(tape, -1, var3_dot(tape, gravity, touch.normal));
    AfxiVar way = afxi_tape_linear(tape, 1, gap, -dt, approach);
    if (!(way.value > 0)) {
        return afxi_number(0);
    }
    AfxiVar square =
        afxi_tape_linear(tape, 1, afxi_tape_multiply(tape, approach, approach), 2, afxi_tape_multiply(tape, pull, way));
    AfxiVar last = square.value > 0 ? afxi_tape_root(tape, square) : afxi_number(0);
    AfxiVar sum = afxi_subtract(tape, last, approach);
    AfxiVar time = afxi_scale(tape, 2, afxi_divide(tape, way, sum));
    return time.value < dt ? time : afxi_number(dt);
}

/* ---- bodies ---- */

/* The velocity just before the impact: that of the beginning, with what gravity has added; its angular momentum is what
 * it was while the body has turned. */
static void before(AfxiGradLocal *local, AfxiGradBody *body, AfxiVar out[AFXI_AFFINE_WIDTH]) {
    AfxiTape *tape = local->tape;
    uint32_t index = body->body, blow = local->entry->first_blow[index];
    AfxiVar q[AFXI_AFFINE_WIDTH], s[3], sum = afxi_number(0);
    AfxiVar3 momentum = var3_number(vec3(0, 0, 0));
    AfxiVar time = blow ? touch_time(local, blow - 1) : afxi_number(0);
    body = afxi_grad_body(local, index);
    other(local, index, q);
    for (uint32_t k = 0; k < 3; k++) {
        s[k] = afxi_grad_param(local, AFX_PARAM_BODY_SECOND_MOMENTS, index, k);
        sum = afxi_add(tape, sum, s[k]);
        AfxiVar3 own = var3_cross(tape, var3_load(q + 3 * k), var3_load(body->rate + 3 * k));
        momentum = var3_add(tape, momentum, var3_times(tape, s[k], own));
    }
    AfxiVar3 spin = var3_apply_transposed(tape, body->turn, momentum);
    AfxiVar fall = afxi_tape_multiply(tape, afxi_grad_param(local, AFX_PARAM_BODY_GRAVITY, index, 0), time);
    for (uint32_t k = 0; k < 3; k++) {
        spin.x[k] = afxi_divide(tape, spin.x[k], afxi_subtract(tape, sum, s[k]));
        AfxiVar g = afxi_grad_param(local, AFX_PARAM_GRAVITY, 0, k);
        out[9 + k] = afxi_add(tape, body->rate[9 + k], afxi_tape_multiply(tape, fall, g));
    }
    turning(tape, body->turn, spin, out);
}

/* The velocity at the end of the step, of a body that does not change its shape. */
static void ended(AfxiGradLocal *local, const AfxiGradBody *body, AfxiVar out[AFXI_AFFINE_WIDTH]) {
    AfxiTape *tape = local->tape;
    AfxiVar rate[9];
    var9_multiply(tape, body->turn, body->rate, true, rate);
    AfxiVar3 spin = {{afxi_tape_linear(tape, 0.5, rate[5], -0.5, rate[7]),
                      afxi_tape_linear(tape, 0.5, rate[6], -0.5, rate[2]),
                      afxi_tape_linear(tape, 0.5, rate[1], -0.5, rate[3])}};
    turning(tape, body->turn, spin, out);
    var3_store(out + 9, var3_load(body->rate + 9));
}

void afxi_grad_put_jump_body(AfxiGradEquations *out, uint32_t index) {
    AfxiGradLocal *local = &out->local;
    AfxiVar plus[AFXI_AFFINE_WIDTH], base[AFXI_AFFINE_WIDTH];
    AfxiGradBody *body = afxi_grad_body(local, index);
    after(local, body, plus);
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        afxi_grad_terms_of(&out->outcome, local->tape, AFXI_AFFINE_WIDTH * index + e, plus[e]);
    }
    (local->entry->jump == AFXI_GRAD_FIT ? before(local, body, base) : ended(local, body, base));
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        AfxiVar mass = e < 9 ? afxi_grad_param(local, AFX_PARAM_BODY_SECOND_MOMENTS, index, e / 3)
                             : afxi_grad_param(local, AFX_PARAM_BODY_MASS, index, 0);
        body->force[e] = afxi_tape_multiply(local->tape, mass, afxi_subtract(local->tape, plus[e], base[e]));
    }
    afxi_grad_put_forces(out);
}

/* ---- rows ---- */

/* The rate of x with velocities after the jump, or with those that were fitted. */
static AfxiVar rate_of(AfxiGradLocal *local, AfxiVar x, bool fitted) {
    AfxiVar wrt[AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)], dot[AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)];
    uint32_t count = 0;
    for (uint32_t k = 0; k < local->count; k++) {
        const AfxiGradBody *body = &local->body[k];
        AfxiVar own[AFXI_AFFINE_WIDTH];
        bool solved = body->body != AFXI_WORLD && afxi_grad_solves(local->entry, body->body);
        if (solved) {
            (fitted ? other(local, body->body, own) : after(local, body, own));
        }
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            if (!afxi_is_number(body->q[e])) {
                wrt[count] = body->q[e];
                dot[count++] = solved ? own[e] : body->rate[e];
            }
        }
    }
    return afxi_tape_rate(local->tape, x, wrt, dot, count);
}

static AfxiVar drive_row(AfxiGradLocal *local, uint32_t drive, AfxiVar x, AfxiVar lambda) {
    AfxDriveKind kind = (AfxDriveKind)local->model->drives[drive].kind;
    uint8_t mark = local->entry->jump == AFXI_GRAD_BOUNCE ? local->entry->limit_mark[drive] : 0;
    if (afxi_law_exact(kind)) {
        return afxi_subtract(local->tape, rate_of(local, x, false), afxi_grad_target(local, drive, 1));
    }
    if (kind != AFX_DRIVE_LIMIT || !(mark & AFXI_GRAD_STRUCK)) {
        return lambda;
    }
    AfxiVar rate = rate_of(local, x, false);
    if (mark & AFXI_GRAD_BOUNCES) {
        AfxiVar e = afxi_grad_param(local, AFX_PARAM_DRIVE, drive, AFXI_DRIVE_RESTITUTION);
        rate = afxi_add(local->tape, rate, afxi_tape_multiply(local->tape, e, rate_of(local, x, true)));
    }
    return rate;
}

AfxiVar afxi_grad_jump_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row, AfxiVar x, AfxiVar lambda) {
    const AfxiGraphRow *source = &graph->row[row];
    const AfxiGraphBlock *block = &graph->block[source->block];
    if (block->type == AFXI_BLOCK_JOINT && !local->entry->at.joint_active[block->index]) {
        return lambda;
    }
    const double *numbers;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_DRIVE:
        return drive_row(local, source->index, x, lambda);
    case AFXI_SOURCE_COUPLING:
        numbers = afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_COUPLING, source->index);
        return numbers[AFX_COUPLING_TERMS + 1] > 0 ? lambda : rate_of(local, x, false);
    case AFXI_SOURCE_SPRING:
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        return lambda;
    case AFXI_SOURCE_JOINT:
    case AFXI_SOURCE_SCREW:
    case AFXI_SOURCE_CONTACT:
        break;
    }
    return rate_of(local, x, false);
}

/* ---- points ---- */

/* Velocity of a's point less that of b's. */
static AfxiVar3 apart_rate(const AfxiGradTouch *touch, const AfxiVar3 x[2], bool fitted, AfxVec3 carried) {
    AfxiGradLocal *local = touch->local;
    AfxiVar3 rate[2] = {var3_number(carried), var3_number(carried)};
    for (int side = 0; side < 2 && touch->body[side]; side++) {
        AfxiVar own[AFXI_AFFINE_WIDTH];
        (fitted ? other(local, touch->body[side]->body, own) : after(local, touch->body[side], own));
        rate[side] = var3_position(local->tape, own, x[side]);
    }
    return var3_subtract(local->tape, rate[0], rate[1]);
}

void afxi_grad_put_strike(AfxiGradEquations *out, uint32_t index) {
    AfxiGradLocal *local = &out->local;
    AfxiTape *tape = local->tape;
    uint8_t mark = local->entry->point_mark[index];
    AfxVec3 carried = vec3_load(local->entry->carried + 3 * (size_t)index);
    AfxiGradTouch touch;
    afxi_grad_touch_begin(local, index, &touch);
    AfxiVar stiffness =
        afxi_scale(tape, -AFXI_BOUNCE_STIFFNESS, afxi_grad_param(local, AFX_PARAM_BODY_MASS, touch.point->body_a, 0));
    AfxiVar off = var3_dot(tape, touch.normal, apart_rate(&touch, touch.core, false, carried));
    if (mark & AFXI_GRAD_BOUNCES) {
        AfxiVar e = afxi_grad_param(local, AFX_PARAM_MATERIAL_PAIR, touch.pair, AFXI_PAIR_RESTITUTION);
        AfxiVar was = var3_dot(tape, touch.normal, apart_rate(&touch, touch.core, true, carried));
        off = afxi_add(tape, off, afxi_tape_multiply(tape, e, was));
    }
    afxi_grad_push_both(&touch, touch.core, var3_times(tape, afxi_tape_multiply(tape, stiffness, off), touch.normal));
    if (mark & AFXI_GRAD_STICKS) {
        AfxiVar fall = afxi_grad_param(local, AFX_PARAM_BODY_GRAVITY, touch.point->body_a, 0);
        AfxiVar3 slip = apart_rate(&touch, touch.x, false, carried), gravity = gravity_of(local);
        fall = afxi_scale(tape, local->entry->falls_on[index], fall);
        slip = afxi_grad_across(tape, touch.normal, var3_subtract(tape, slip, var3_times(tape, fall, gravity)));
        afxi_grad_push_both(&touch, touch.x, var3_times(tape, stiffness, slip));
    }
    afxi_grad_put_forces(out);
}
