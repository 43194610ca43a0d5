/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts and holds. With g the gap and u the slip that a point has gathered,
 *     N = k max(0, -g - rest),   F = -k_t u while |k_t u| <= mu N, else mu N against u,
 * and likewise moments against rolling and spinning. Forces are those that the stage was solved with; whether they are
 * those of the law is judged apart. A hold pulls by -k (p - target) - c p'. */
#include "solve/residual_contact.h"

#include <math.h>

#include "joint/row.h"
#include "solve/equation.h"
#include "solve/residual.h"
#include "solve/residual_inner.h"

static AfxVec3 place(const double *q, const double x[3]) {
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, vec3_load(x)), vec3_load(q + 9));
}

/* Gradient of n . (A x + t). */
static void point_gradient(const double x[3], AfxVec3 n, double out[AFXI_AFFINE_WIDTH]) {
    for (int k = 0; k < 4; k++) {
        vec3_store(out + 3 * k, vec3_scale(k < 3 ? x[k] : 1, n));
    }
}

/* Gradient of the turn of A away from the rotation r, half the sum of r_k x a_k, about an axis. */
static void turn_gradient(const double r[9], AfxVec3 axis, double out[AFXI_AFFINE_WIDTH]) {
    for (int k = 0; k < 3; k++) {
        vec3_store(out + 3 * k, vec3_scale(0.5, vec3_cross(axis, vec3_load(r + 3 * k))));
    }
    vec3_store(out + 9, vec3(0, 0, 0));
}

/* What rounding of coordinates does to a spring of this stiffness at a point. */
static void add_floor(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index, double stiffness,
                      const double x[3]) {
    if (afxi_residual_solves(stage, index)) {
        double lever = vec3_length(vec3_load(x)),
               far = lever + vec3_length(vec3_load(stage->q + (size_t)AFXI_AFFINE_WIDTH * index + 9));
        body[index].floor_t += AFXI_RESIDUAL_ROUNDING * stiffness * far;
        body[index].floor_a += AFXI_RESIDUAL_ROUNDING * stiffness * far * lever;
    }
}

void afxi_residual_holds(const AfxiResidualStage *stage, AfxiResidualBody *body) {
    for (uint32_t k = 0; k < stage->hold_count; k++) {
        const AfxiResidualHold *hold = &stage->hold[k];
        double rate[AFXI_AFFINE_WIDTH], gradient[AFXI_AFFINE_WIDTH];
        afxi_residual_rate(stage, hold->body, rate);
        AfxVec3 off =
            vec3_sub(place(stage->q + (size_t)AFXI_AFFINE_WIDTH * hold->body, hold->point), vec3_load(hold->target));
        AfxVec3 pull = vec3_scale(hold->stiffness, off);
        pull = vec3_mad(pull, hold->damping, place(rate, hold->point)); /* minus the force */
        point_gradient(hold->point, pull, gradient);
        afxi_residual_add(stage, body, hold->body, 1, gradient);
        double damper = hold->damping / stage->scale[hold->body].h_rate;
        add_floor(stage, body, hold->body, hold->stiffness + damper, hold->point);
    }
}

void afxi_residual_contacts(const AfxiResidualStage *stage, AfxiResidualBody *body) {
    for (uint32_t k = 0; k < stage->point_count; k++) {
        const AfxiResidualPoint *point = &stage->point[k];
        const uint32_t bodies[2] = {point->body_a, point->body_b};
        AfxVec3 push = vec3_scale(point->push, vec3_load(point->normal));
        for (int side = 0; side < (point->pair ? 2 : 1); side++) {
            const double *core = side ? point->core_b : point->core_a, *x = side ? point->x_b : point->x_a;
            double gradient[AFXI_AFFINE_WIDTH], sign = side ? 1 : -1;
            point_gradient(core, push, gradient);
            afxi_residual_add(stage, body, bodies[side], sign, gradient);
            point_gradient(x, vec3_load(point->force), gradient);
            afxi_residual_add(stage, body, bodies[side], sign, gradient);
            turn_gradient(side ? point->frame_b : point->frame_a, vec3_load(point->moment), gradient);
            afxi_residual_add(stage, body, bodies[side], sign, gradient);
            add_floor(stage, body, bodies[side], point->stiffness, core);
        }
    }
}

static AfxVec3 turn_rate(const double r[9], const double rate[AFXI_AFFINE_WIDTH]) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        sum = vec3_add(sum, vec3_cross(vec3_load(r + 3 * k), vec3_load(rate + 3 * k)));
    }
    return vec3_scale(0.5, sum);
}

/* Force of at most `limit` against u, by a spring below it. */
static AfxVec3 braking(double stiffness, double limit, AfxVec3 u) {
    double size = vec3_length(u), force = fmin(stiffness * size, limit);
    return vec3_scale(size > 0 ? -force / size : 0, u);
}

static AfxVec3 across(AfxVec3 n, AfxVec3 u) {
    return vec3_mad(u, -vec3_dot(n, u), n);
}

void afxi_residual_contact_laws(const AfxiResidualStage *stage, const AfxiResidualBody *body, AfxResidual *out) {
    for (uint32_t k = 0; k < stage->point_count; k++) {
        const AfxiResidualPoint *point = &stage->point[k];
        AfxVec3 n = vec3_load(point->normal), b = vec3_load(point->core_b), slip, turn;
        double rate_a[AFXI_AFFINE_WIDTH], rate_b[AFXI_AFFINE_WIDTH];
        afxi_residual_rate(stage, point->body_a, rate_a);
        slip = vec3_sub(vec3_scale(point->dt, place(rate_a, point->x_a)), vec3_load(point->moved));
        turn = vec3_sub(vec3_scale(point->dt, turn_rate(point->frame_a, rate_a)), vec3_load(point->rolled));
        if (point->pair) {
            b = place(stage->q + (size_t)AFXI_AFFINE_WIDTH * point->body_b, point->core_b);
            afxi_residual_rate(stage, point->body_b, rate_b);
            slip = vec3_mad(slip, -point->dt, place(rate_b, point->x_b));
            turn = vec3_mad(turn, -point->dt, turn_rate(point->frame_b, rate_b));
        }
        AfxVec3 apart = vec3_sub(place(stage->q + (size_t)AFXI_AFFINE_WIDTH * point->body_a, point->core_a), b);
        double gap = vec3_dot(n, apart) - point->round, push = point->stiffness * fmax(0, -gap - point->rest);
        double scale = afxi_residual_scale(stage, body, point->body_a, false);
        double torque = afxi_residual_scale(stage, body, point->body_a, true);
        scale = scale > 0 ? scale : 1;
        afxi_residual_law(out, fabs(push - point->push) / scale, AFX_ELEMENT_CONTACT, point->body_a);
        slip = vec3_add(across(n, slip), vec3_load(point->stretch));
        AfxVec3 friction = braking(point->grip, point->friction * push, slip);
        friction = vec3_sub(friction, vec3_load(point->force));
        afxi_residual_friction(out, vec3_length(friction) / scale, point->body_a);
        turn = vec3_add(turn, vec3_load(point->turned));
        AfxVec3 roll = across(n, turn), spin = vec3_sub(turn, roll);
        AfxVec3 moment = vec3_add(braking(point->turn_stiffness, point->rolling * push, roll),
                                  braking(point->turn_stiffness, point->torsion * push, spin));
        moment = vec3_sub(moment, vec3_load(point->moment));
        afxi_residual_friction(out, vec3_length(moment) / (torque > 0 ? torque : 1), point->body_a);
    }
}
