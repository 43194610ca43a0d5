/* SPDX-License-Identifier: Apache-2.0 */
/* The compliant law (solve/residual_contact.c). Normal and places of a point were found where bodies were expected:
 * they vary with that (AfxiPointSlope), and through it with the state at the beginning of the stage. */
#include "grad/touch.h"

#include <math.h>

#include "constraint/soft.h"
#include "model/contacts.h"
#include "model/params.h"

static uint32_t pair_of(const AfxModel *model, const AfxiResidualPoint *point) {
    const AfxiContactShape *shapes = model->contacts.shapes;
    return afxi_material_pair(shapes[point->item_a].material, shapes[point->item_b].material);
}

const char *afxi_grad_touch_refused(const AfxModel *model, const double *params, const AfxiResidualPoint *point) {
    const double *pair = afxi_param_const(model, params, AFX_PARAM_MATERIAL_PAIR, pair_of(model, point));
    if (afxi_soft_is(pair)) {
        return "materials with damping or impedance are not differentiated";
    }
    if (pair[AFXI_PAIR_FRICTION_DAMPING] > 0 || pair[AFXI_PAIR_MARGIN] > 0) {
        return "materials with a friction damping or a margin are not differentiated";
    }
    return point->rest != 0 ? "what lay too deep comes out: that is not differentiated" : NULL;
}

uint32_t afxi_grad_touch_branch(const AfxiResidualPoint *point) {
    double force = vec3_length(vec3_load(point->force));
    return !(point->push > 0) ? 0 : force < (1 - 1e-6) * point->friction * point->push ? 1 : 2;
}

bool afxi_grad_touch_follows(const AfxiResidualPoint *before, const AfxiResidualPoint *point, double held[3]) {
    AfxVec3 left = vec3_scale(before->push > 0 ? -1 / before->grip : 0, vec3_load(before->force));
    AfxVec3 n = vec3_load(point->normal), laid = vec3_mad(left, -vec3_dot(n, left), n);
    vec3_store(held, left);
    return !(before->push > 0) ||
           vec3_length(vec3_sub(laid, vec3_load(point->stretch))) <= 1e-9 * vec3_length(left) + 1e-300;
}

/* value + slope . expect */
AfxiVar3 afxi_grad_varied(const AfxiGradTouch *touch, AfxVec3 value, const double slope[3][12]) {
    AfxiVar3 out = var3_number(value);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 12; k++) {
            out.x[c] = slope[c][k] != 0
                           ? afxi_tape_linear(touch->local->tape, 1, out.x[c], slope[c][k], touch->expect[k])
                           : out.x[c];
        }
    }
    return out;
}

/* R^T of a body where it was expected, turned by w, times the world vector u0 + du: R0^T (u0 + du + u0 x w). */
static AfxiVar3 seen_from(const AfxiGradTouch *touch, int side, AfxiVar3 u) {
    AfxiTape *tape = touch->local->tape;
    const double *frame = side ? touch->point->frame_b : touch->point->frame_a;
    AfxiVar axes[9];
    for (int k = 0; k < 9; k++) {
        axes[k] = afxi_number(frame[k]);
    }
    AfxVec3 at = vec3(u.x[0].value, u.x[1].value, u.x[2].value);
    u = var3_add(tape, u, var3_cross(tape, var3_number(at), var3_load(touch->expect + 6 * side)));
    return var3_apply_transposed(tape, axes, u);
}

/* A point of a body, and where its normal force acts, from where it is in the world. */
static void place_side(AfxiGradTouch *touch, int side, AfxiVar3 way) {
    AfxiTape *tape = touch->local->tape;
    const AfxiResidualPoint *point = touch->point;
    const double *frame = side ? point->frame_b : point->frame_a;
    AfxVec3 x = vec3_load(side ? point->x_b : point->x_a), core = vec3_load(side ? point->core_b : point->core_a);
    double round = vec3_length(vec3_sub(core, x)) * (side ? -1 : 1);
    AfxiMat3 r = mat3_load(frame);
    /* p - o, of which the change of p is known */
    AfxiVar3 arm = var3_add(tape, var3_number(mat3_apply(&r, x)),
                            var3_subtract(tape, way, var3_load(touch->expect + 6 * side + 3)));
    touch->x[side] = seen_from(touch, side, arm);
    touch->core[side] = var3_linear(tape, 1, touch->x[side], round, seen_from(touch, side, touch->normal));
    for (int k = 0; k < 9; k += 3) {
        AfxiVar3 column = var3_number(vec3_load(frame + k));
        var3_store(touch->frame[side] + k,
                   var3_add(tape, column, var3_cross(tape, var3_load(touch->expect + 6 * side), column)));
    }
}

void afxi_grad_touch_begin(AfxiGradLocal *local, uint32_t index, AfxiGradTouch *out) {
    const AfxiPointSlope *slope = &local->entry->slope[index];
    const AfxiResidualPoint *point = &local->entry->at.point[index];
    const uint32_t bodies[2] = {point->body_a, point->body_b};
    *out = (AfxiGradTouch){.local = local, .point = point, .pair = pair_of(local->model, point)};
    for (uint32_t k = 0; k < 12; k++) {
        bool moves = k < 6 || point->pair;
        out->expect[k] =
            moves ? afxi_tape_leaf(local->tape, local->layout->expect + 6 * bodies[k / 6] + k % 6, 0) : afxi_number(0);
    }
    out->body[0] = afxi_grad_body(local, bodies[0]);
    out->body[1] = point->pair ? afxi_grad_body(local, bodies[1]) : NULL;
    out->normal = afxi_grad_varied(out, vec3_load(point->normal), slope->normal);
    place_side(out, 0, afxi_grad_varied(out, vec3(0, 0, 0), slope->point_a));
    if (point->pair) {
        place_side(out, 1, afxi_grad_varied(out, vec3(0, 0, 0), slope->point_b));
    } else {
        out->x[1] = out->core[1] = afxi_grad_varied(out, vec3_load(point->core_b), slope->point_b);
    }
}

/* Stiffness of the normal: of the pair of materials, or as much for the mass of the body as the step can tell. */
static AfxiVar stiffness_of(const AfxiGradTouch *touch) {
    AfxiGradLocal *local = touch->local;
    const AfxiResidualPoint *point = touch->point;
    const double *given = afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_MATERIAL_PAIR, touch->pair);
    if (given[AFXI_PAIR_STIFFNESS] > 0) {
        return afxi_grad_param(local, AFX_PARAM_MATERIAL_PAIR, touch->pair, AFXI_PAIR_STIFFNESS);
    }
    AfxiVar mass = afxi_grad_param(local, AFX_PARAM_BODY_MASS, point->body_a, 0);
    if (point->pair) { /* half that of the heavier one */
        AfxiVar other = afxi_grad_param(local, AFX_PARAM_BODY_MASS, point->body_b, 0);
        mass = other.value > mass.value ? other : mass;
    }
    return afxi_scale(local->tape, point->stiffness / mass.value, mass);
}

AfxiVar3 afxi_grad_across(AfxiTape *tape, AfxiVar3 n, AfxiVar3 u) {
    return var3_subtract(tape, u, var3_times(tape, var3_dot(tape, n, u), n));
}

/* force -= f at the point x of a body */
static void push_at(AfxiTape *tape, AfxiGradBody *body, AfxiVar3 x, AfxiVar3 f) {
    for (int k = 0; k < 3; k++) {
        AfxiVar3 on = var3_times(tape, x.x[k], f);
        var3_store(body->force + 3 * k, var3_subtract(tape, var3_load(body->force + 3 * k), on));
    }
    var3_store(body->force + 9, var3_subtract(tape, var3_load(body->force + 9), f));
}

/* f at the point of a, and -f at that of b */
void afxi_grad_push_both(const AfxiGradTouch *touch, const AfxiVar3 x[2], AfxiVar3 f) {
    AfxiTape *tape = touch->local->tape;
    push_at(tape, touch->body[0], x[0], f);
    if (touch->body[1]) {
        push_at(tape, touch->body[1], x[1], var3_linear(tape, -1, f, 0, f));
    }
}

/* A moment on a, and its contrary on b: half m x r on each column. */
static void turn_both(const AfxiGradTouch *touch, AfxiVar3 moment) {
    AfxiTape *tape = touch->local->tape;
    for (int side = 0; side < 2 && touch->body[side]; side++) {
        AfxiVar *force = touch->body[side]->force;
        for (int k = 0; k < 9; k += 3) {
            AfxiVar3 on = var3_cross(tape, moment, var3_load(touch->frame[side] + k));
            var3_store(force + k, var3_linear(tape, 1, var3_load(force + k), side ? 0.5 : -0.5, on));
        }
    }
}

/* Minus a force of at most `limit` against u, by a spring below it. */
static AfxiVar3 braking(AfxiTape *tape, AfxiVar stiffness, AfxiVar limit, AfxiVar3 u) {
    double square = u.x[0].value * u.x[0].value + u.x[1].value * u.x[1].value + u.x[2].value * u.x[2].value;
    if (stiffness.value * sqrt(square) <= limit.value) {
        return var3_times(tape, stiffness, u);
    }
    AfxiVar size = afxi_tape_root(tape, var3_dot(tape, u, u));
    return var3_times(tape, afxi_divide(tape, limit, size), u);
}

static AfxiVar limit_of(const AfxiGradTouch *touch, uint32_t number, AfxiVar push) {
    return afxi_tape_multiply(touch->local->tape,
                              afxi_grad_param(touch->local, AFX_PARAM_MATERIAL_PAIR, touch->pair, number), push);
}

/* Friction against the slip; what it holds after it comes back. */
static AfxiVar3 rub(const AfxiGradTouch *touch, uint32_t index, AfxiVar push, AfxiVar grip) {
    AfxiTape *tape = touch->local->tape;
    const AfxiResidualPoint *point = touch->point;
    const double *before = touch->local->entry->held + 3 * (size_t)index;
    AfxiVar3 held;
    for (uint32_t c = 0; c < 3; c++) {
        held.x[c] = afxi_tape_leaf(tape, touch->local->layout->stretch + AFXI_GRAD_HELD * index + c, before[c]);
    }
    AfxiVar3 way = var3_linear(tape, point->dt, var3_position(tape, touch->body[0]->rate, touch->x[0]), -1,
                               var3_number(vec3_load(point->moved)));
    if (touch->body[1]) {
        way = var3_linear(tape, 1, way, -point->dt, var3_position(tape, touch->body[1]->rate, touch->x[1]));
    }
    AfxiVar3 u = afxi_grad_across(tape, touch->normal, var3_add(tape, way, held));
    AfxiVar3 force = braking(tape, grip, limit_of(touch, AFXI_PAIR_FRICTION, push), u);
    afxi_grad_push_both(touch, touch->x, var3_linear(tape, -1, force, 0, force));
    return var3_times(tape, afxi_tape_reciprocal(tape, grip), force);
}

/* Half the sum of r x a', of a body. */
static AfxiVar3 turn_rate(AfxiTape *tape, const AfxiVar frame[9], const AfxiVar rate[9]) {
    AfxiVar3 sum = var3_number(vec3(0, 0, 0));
    for (int k = 0; k < 9; k += 3) {
        sum = var3_add(tape, sum, var3_cross(tape, var3_load(frame + k), var3_load(rate + k)));
    }
    return var3_linear(tape, 0.5, sum, 0, sum);
}

/* Friction against rolling and spinning. */
static AfxiVar3 roll(const AfxiGradTouch *touch, uint32_t index, AfxiVar push, AfxiVar grip) {
    AfxiGradLocal *local = touch->local;
    AfxiTape *tape = local->tape;
    const AfxiResidualPoint *point = touch->point;
    AfxiVar volume = afxi_grad_param(local, AFX_PARAM_BODY_VOLUME, point->body_a, 0);
    double square = cbrt(volume.value) * cbrt(volume.value);
    AfxiVar arm = afxi_tape_function(tape, volume, square, 2 * square / (3 * volume.value));
    AfxiVar stiffness = afxi_tape_multiply(tape, grip, arm);
    AfxiVar3 turn = var3_linear(tape, point->dt, turn_rate(tape, touch->frame[0], touch->body[0]->rate), -1,
                                var3_number(vec3_load(point->rolled)));
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t slot = local->layout->stretch + AFXI_GRAD_HELD * index + 3 + c;
        turn.x[c] = afxi_add(tape, turn.x[c], afxi_tape_leaf(tape, slot, point->turned[c]));
    }
    if (touch->body[1]) {
        turn = var3_linear(tape, 1, turn, -point->dt, turn_rate(tape, touch->frame[1], touch->body[1]->rate));
    }
    AfxiVar3 rolled = afxi_grad_across(tape, touch->normal, turn), spun = var3_subtract(tape, turn, rolled);
    AfxiVar3 moment = var3_add(tape, braking(tape, stiffness, limit_of(touch, AFXI_PAIR_ROLLING, push), rolled),
                               braking(tape, stiffness, limit_of(touch, AFXI_PAIR_TORSIONAL, push), spun));
    turn_both(touch, var3_linear(tape, -1, moment, 0, moment));
    return var3_times(tape, afxi_tape_reciprocal(tape, stiffness), moment);
}

void afxi_grad_touch(AfxiGradLocal *local, uint32_t index, AfxiVar3 out_held[2]) {
    AfxiTape *tape = local->tape;
    const AfxiResidualPoint *point = &local->entry->at.point[index];
    AfxiGradTouch touch;
    out_held[0] = out_held[1] = var3_number(vec3(0, 0, 0));
    tape->volatile_numbers = true;
    if (afxi_grad_touch_branch(point) == 0) {
        return;
    }
    afxi_grad_touch_begin(local, index, &touch);
    AfxiVar3 apart = var3_position(tape, touch.body[0]->q, touch.core[0]);
    apart = var3_subtract(tape, apart,
                          touch.body[1] ? var3_position(tape, touch.body[1]->q, touch.core[1]) : touch.core[1]);
    AfxiVar gap = afxi_add(tape, var3_dot(tape, touch.normal, apart), afxi_number(-point->round));
    AfxiVar k = stiffness_of(&touch), grip = afxi_scale(tape, point->grip / point->stiffness, k);
    AfxiVar push = afxi_scale(tape, -1, afxi_tape_multiply(tape, k, gap));
    afxi_grad_push_both(&touch, touch.core, var3_times(tape, push, touch.normal));
    if (point->friction > 0) {
        out_held[0] = rub(&touch, index, push, grip);
    }
    if (point->rolling > 0 || point->torsion > 0) {
        out_held[1] = roll(&touch, index, push, grip);
    }
}
