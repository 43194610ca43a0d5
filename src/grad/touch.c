/* SPDX-License-Identifier: Apache-2.0 */
/* The compliant law (solve/residual_contact.c) of a point that is fixed in a body and meets a plane that stays where it
 * is: the normal is a number, and the gap is linear in q. */
#include "grad/touch.h"

#include <math.h>

#include "constraint/soft.h"
#include "model/contacts.h"
#include "model/params.h"

/* The shape of a point that belongs to a body. */
static const AfxiContactShape *shape_of(const AfxModel *model, const AfxiResidualPoint *point, uint32_t body) {
    const AfxiContactShape *a = &model->contacts.shapes[point->item_a], *b = &model->contacts.shapes[point->item_b];
    return a->body == body ? a : b;
}

static AfxShapeKind kind_of(const AfxModel *model, const AfxiContactShape *shape) {
    return model->contacts.geometries[shape->geometry].kind;
}

const char *afxi_grad_touch_refused(const AfxModel *model, const AfxiResidualPoint *point) {
    const AfxiContactShape *own = shape_of(model, point, point->body_a), *other = shape_of(model, point, point->body_b);
    if (point->pair || model->kind[point->body_b] != AFX_BODY_FIXED || kind_of(model, other) != AFX_SHAPE_PLANE) {
        return "contact is differentiated with fixed planes only";
    }
    uint32_t pair = afxi_material_pair(own->material, other->material);
    if (afxi_soft_is(afxi_param_const(model, model->params, AFX_PARAM_MATERIAL_PAIR, pair))) {
        return "materials with damping or impedance are not differentiated";
    }
    if (point->rolling > 0 || point->torsion > 0) {
        return "rolling and torsional friction of contacts are not differentiated";
    }
    AfxShapeKind kind = kind_of(model, own);
    if (kind == AFX_SHAPE_BOX || kind == AFX_SHAPE_CONVEX || kind == AFX_SHAPE_MESH) {
        return point->rest != 0 ? "what lay too deep comes out: that is not differentiated" : NULL;
    }
    bool ball = kind == AFX_SHAPE_SPHERE || kind == AFX_SHAPE_CAPSULE;
    if (!ball || point->friction > 0) { /* the point moves over the body, which the arm of friction follows */
        return "contact of round shapes is differentiated where it has no friction";
    }
    return point->rest != 0 ? "what lay too deep comes out: that is not differentiated" : NULL;
}

uint32_t afxi_grad_touch_branch(const AfxiResidualPoint *point) {
    double force = vec3_length(vec3_load(point->force));
    return !(point->push > 0) ? 0 : force < (1 - 1e-6) * point->friction * point->push ? 1 : 2;
}

bool afxi_grad_touch_follows(const AfxiResidualPoint *before, const AfxiResidualPoint *point) {
    AfxVec3 left = vec3_scale(-1 / before->grip, vec3_load(before->force)), held = vec3_load(point->stretch);
    return !(before->push > 0) || vec3_length(vec3_sub(left, held)) <= 1e-9 * vec3_length(left) + 1e-300;
}

/* Stiffness of the normal: of the pair of materials, or as much for the mass of the body as the step can tell. */
static AfxiVar stiffness_of(AfxiGradLocal *local, const AfxiResidualPoint *point, uint32_t pair) {
    const double *given = afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_MATERIAL_PAIR, pair);
    if (given[AFXI_PAIR_STIFFNESS] > 0) {
        return afxi_grad_param(local, AFX_PARAM_MATERIAL_PAIR, pair, AFXI_PAIR_STIFFNESS);
    }
    AfxiVar mass = afxi_grad_param(local, AFX_PARAM_BODY_MASS, point->body_a, 0);
    return afxi_scale(local->tape, point->stiffness / mass.value, mass);
}

static AfxiVar3 across(AfxiTape *tape, AfxiVar3 n, AfxiVar3 u) {
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

/* -F of friction: the spring below the cone, and on it the cone against what the spring would be. */
static AfxiVar3 friction_of(AfxiGradLocal *local, uint32_t pair, AfxiVar push, AfxiVar grip, AfxiVar3 u) {
    AfxiTape *tape = local->tape;
    AfxiVar limit =
        afxi_tape_multiply(tape, afxi_grad_param(local, AFX_PARAM_MATERIAL_PAIR, pair, AFXI_PAIR_FRICTION), push);
    double square = u.x[0].value * u.x[0].value + u.x[1].value * u.x[1].value + u.x[2].value * u.x[2].value;
    if (grip.value * sqrt(square) <= limit.value) {
        return var3_times(tape, grip, u);
    }
    AfxiVar size = afxi_tape_root(tape, var3_dot(tape, u, u));
    return var3_times(tape, afxi_divide(tape, limit, size), u);
}

void afxi_grad_touch(AfxiGradLocal *local, uint32_t index, AfxiVar3 *out_stretch) {
    AfxiTape *tape = local->tape;
    const AfxiResidualPoint *point = &local->entry->at.point[index];
    uint32_t pair = afxi_material_pair(local->model->contacts.shapes[point->item_a].material,
                                       local->model->contacts.shapes[point->item_b].material);
    AfxiGradBody *body = afxi_grad_body(local, point->body_a);
    AfxiVar3 n = var3_number(vec3_load(point->normal)), core = var3_number(vec3_load(point->core_a));
    AfxiVar3 x = var3_number(vec3_load(point->x_a)), held;
    *out_stretch = var3_number(vec3(0, 0, 0));
    tape->volatile_numbers = true;
    if (afxi_grad_touch_branch(point) == 0) {
        return;
    }
    AfxiVar3 apart = var3_subtract(tape, var3_position(tape, body->q, core), var3_number(vec3_load(point->core_b)));
    AfxiVar gap = afxi_add(tape, var3_dot(tape, n, apart), afxi_number(-point->round));
    AfxiVar k = stiffness_of(local, point, pair);
    AfxiVar push = afxi_scale(tape, -1, afxi_tape_multiply(tape, k, gap));
    push_at(tape, body, core, var3_times(tape, push, n));
    if (!(point->friction > 0)) {
        return;
    }
    for (uint32_t c = 0; c < 3; c++) {
        held.x[c] = afxi_tape_leaf(tape, local->layout->stretch + 3 * index + c, point->stretch[c]);
    }
    AfxiVar3 way =
        var3_linear(tape, point->dt, var3_position(tape, body->rate, x), -1, var3_number(vec3_load(point->moved)));
    AfxiVar3 u = var3_add(tape, across(tape, n, way), held);
    AfxiVar grip = afxi_scale(tape, point->grip / point->stiffness, k);
    AfxiVar3 force = friction_of(local, pair, push, grip, u);
    push_at(tape, body, x, var3_linear(tape, -1, force, 0, force));
    *out_stretch = var3_times(tape, afxi_tape_reciprocal(tape, grip), force);
}
