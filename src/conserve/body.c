/* SPDX-License-Identifier: Apache-2.0 */
/* One rigid body through a sub-step, in the axes of R_0: w = R_0^T c, J = diag(s_2 + s_3, ...), s the second moments.
 *
 *     midpoint   torque h = cay(w) J (2 w/h - Omega_0) - J Omega_0,   Omega_1 = 2 w/h - Omega_0
 *     RATTLE     torque h²/2 = m(w) - h J Omega_0,  m = sum s_k e_k x cay(w) e_k  (Moser and Veselov)
 *                J Omega_1 = -sum s_k e_k x cay(w)^T e_k / h + torque_1 h/2 */
#include "conserve/body.h"

#include <math.h>
#include <string.h>

#include "math/polar.h"

AfxiMat3 afxi_cayley(AfxVec3 c) {
    AfxiMat3 skew = mat3_skew(c), square = mat3_multiply(&skew, &skew), out = mat3_identity();
    double scale = 1 / (1 + 0.25 * vec3_dot(c, c));
    for (int e = 0; e < 9; e++) {
        out.m[e] += scale * (skew.m[e] + 0.5 * square.m[e]);
    }
    return out;
}

/* (I - [c]/2)^-1 x */
static AfxVec3 unwind(AfxVec3 c, AfxVec3 x) {
    AfxVec3 sum = vec3_add(vec3_mad(x, 0.5, vec3_cross(c, x)), vec3_scale(0.25 * vec3_dot(c, x), c));
    return vec3_scale(1 / (1 + 0.25 * vec3_dot(c, c)), sum);
}

/* Half the turn of c. */
static AfxVec3 half_turn(AfxVec3 c) {
    return vec3_scale(1 / (1 + sqrt(1 + 0.25 * vec3_dot(c, c))), c);
}

static AfxVec3 inertia_of(const AfxiBodyClass *class) {
    return vec3(class->s[1] + class->s[2], class->s[0] + class->s[2], class->s[0] + class->s[1]);
}

/* Second moments of these moments of inertia. */
static AfxVec3 moments_of(AfxVec3 inertia) {
    double half = 0.5 * (inertia.x + inertia.y + inertia.z);
    return vec3(half - inertia.x, half - inertia.y, half - inertia.z);
}

static AfxVec3 times(AfxVec3 a, AfxVec3 b) {
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static AfxVec3 over(AfxVec3 a, AfxVec3 b) {
    return vec3(a.x / b.x, a.y / b.y, a.z / b.z);
}

/* One Newton step towards the nearest rotation: a product of rotations stays one to rounding. */
static AfxiMat3 polish(const AfxiMat3 *r) {
    AfxiMat3 square = mat3_multiply_tn(r, r);
    for (int e = 0; e < 9; e++) {
        square.m[e] = 1.5 * (e % 4 == 0) - 0.5 * square.m[e];
    }
    return mat3_multiply(r, &square);
}

static AfxVec3 spin_of(const AfxiMat3 *r, const double *rate) {
    AfxVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        sum = vec3_mad(sum, 0.5, vec3_cross(mat3_column(r, k), vec3_load(rate + 3 * k)));
    }
    return sum;
}

void afxi_conserve_load(AfxiConserve *work, AfxiConserveBody *body) {
    const AfxiState *state = &work->world->state;
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body->body;
    bool fresh = !state->head->has_history || (state->head->uneven && state->pace[body->body] & AFXI_PACE_RESTART);
    body->r = mat3_load(state->q + at);
    if (fresh) {
        body->r = afxi_rotation_part(&body->r, NULL);
    }
    body->t = vec3_load(state->q + at + 9);
    body->v = vec3_load(state->v + at + 9);
    body->w = spin_of(&body->r, state->v + at);
    body->dw = fresh ? vec3(0, 0, 0) : vec3_load(state->x2 + at);
    body->dv = fresh ? vec3(0, 0, 0) : vec3_load(state->x2 + at + 9);
}

void afxi_conserve_place(const AfxiConserveBody *body, const double *change, double *out) {
    AfxiMat3 r = body->r;
    AfxVec3 t = body->t;
    if (change) {
        AfxiMat3 turn = afxi_cayley(vec3_load(change + 3));
        r = mat3_multiply(&turn, &body->r);
        t = vec3_add(t, vec3_load(change));
    }
    memcpy(out, r.m, sizeof r.m);
    vec3_store(out + 9, t);
}

void afxi_conserve_rates(const AfxiConserveBody *body, double *out_rate, double *out_bias) {
    for (int k = 0; k < 3; k++) {
        AfxVec3 rate = vec3_cross(body->w, mat3_column(&body->r, k));
        vec3_store(out_rate + 3 * k, rate);
        vec3_store(out_bias + 3 * k, vec3_cross(body->w, rate));
    }
    vec3_store(out_rate + 9, body->v);
    vec3_store(out_bias + 9, vec3(0, 0, 0));
}

/* Gravity and wrenches, on a mean A for points and a rotation for what turns with the body. */
static void add_loads(const AfxiConserve *work, const AfxiConserveBody *body, const AfxiMat3 *a, const AfxiMat3 *r,
                      double *out) {
    const AfxiWorld *world = work->world;
    const AfxiBodyClass *class = afxi_world_class(world, body->body);
    AfxVec3 gravity = vec3_load(afxi_world_param(world, AFX_PARAM_GRAVITY, 0));
    AfxVec3 force = vec3_scale(class->gravity * class->mass, gravity), torque = {0, 0, 0};
    uint32_t slot = world->force_slot[body->body];
    if (slot != UINT32_MAX) {
        const AfxiFreeForce *load = &world->forces[slot];
        force = vec3_add(force, vec3_load(load->force));
        if (load->more != 0) {
            force = vec3_add(force, mat3_apply(r, vec3_load(load->body_force)));
            torque = vec3_load(load->torque);
            for (int k = 0; k < 3; k++) {
                AfxVec3 turned = mat3_apply(r, vec3_load(load->body + 3 * k));
                torque = vec3_add(torque, vec3_cross(mat3_column(a, k), vec3_load(load->world + 3 * k)));
                torque = vec3_add(torque, vec3_cross(mat3_column(r, k), turned));
            }
        }
    }
    vec3_store(out, force);
    vec3_store(out + 3, torque);
}

void afxi_conserve_loads(const AfxiConserve *work, const AfxiConserveBody *body, double *out) {
    add_loads(work, body, &body->r, &body->r, out);
}

void afxi_conserve_forces(const AfxiConserve *work, const AfxiConserveBody *body, double *out) {
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    add_loads(work, body, &body->r, &body->r, out);
    AfxVec3 spin = mat3_apply_transposed(&body->r, body->w), momentum = times(inertia_of(class), spin);
    AfxVec3 torque = vec3_sub(vec3_scale(-class->angular_damping, momentum), vec3_cross(spin, momentum));
    vec3_store(out, vec3_mad(vec3_load(out), -class->linear_damping * class->mass, body->v));
    vec3_store(out + 3, vec3_add(vec3_load(out + 3), mat3_apply(&body->r, torque)));
}

/* Torque in the axes of R_0 that turns the body by w, without what it takes at rest. */
static AfxVec3 torque_midpoint(AfxVec3 inertia, AfxVec3 spin, AfxVec3 w, double h) {
    AfxVec3 momentum = times(inertia, vec3_sub(vec3_scale(2 / h, w), spin));
    AfxiMat3 turn = afxi_cayley(w);
    return vec3_scale(1 / h, vec3_sub(mat3_apply(&turn, momentum), times(inertia, spin)));
}

static AfxVec3 torque_rattle(AfxVec3 inertia, AfxVec3 spin, AfxVec3 w, double h) {
    AfxiMat3 turn = afxi_cayley(w);
    AfxVec3 sum = vec3_scale(-h, times(inertia, spin)), s = moments_of(inertia);
    for (int k = 0; k < 3; k++) {
        AfxVec3 unit = vec3(k == 0, k == 1, k == 2);
        sum = vec3_mad(sum, (&s.x)[k], vec3_cross(unit, mat3_column(&turn, k)));
    }
    return vec3_scale(2 / (h * h), sum);
}

void afxi_conserve_imbalance(const AfxiConserve *work, const AfxiConserveBody *body, double h, const double *change,
                             double *out) {
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    AfxVec3 d = vec3_load(change), c = vec3_load(change + 3), spin = mat3_apply_transposed(&body->r, body->w);
    AfxVec3 w = mat3_apply_transposed(&body->r, c), torque;
    if (work->rattle) {
        add_loads(work, body, &body->r, &body->r, out);
        torque = torque_rattle(inertia_of(class), spin, w, h);
    } else {
        AfxiMat3 turn = afxi_cayley(half_turn(c)), half = mat3_multiply(&turn, &body->r), mean;
        double end[AFXI_AFFINE_WIDTH];
        afxi_conserve_place(body, change, end);
        for (int e = 0; e < 9; e++) {
            mean.m[e] = 0.5 * (body->r.m[e] + end[e]);
        }
        add_loads(work, body, &mean, &half, out);
        AfxVec3 drag = mat3_apply(&half, times(inertia_of(class), vec3_scale(-class->angular_damping / h, w)));
        vec3_store(out, vec3_mad(vec3_load(out), -class->linear_damping * class->mass / h, d));
        vec3_store(out + 3, vec3_add(vec3_load(out + 3), drag));
        torque = torque_midpoint(inertia_of(class), spin, w, h);
    }
    vec3_store(out, vec3_mad(vec3_load(out), -2 * class->mass / (h * h), vec3_mad(d, -h, body->v)));
    vec3_store(out + 3, vec3_sub(vec3_load(out + 3), mat3_apply(&body->r, torque)));
}

/* ---- derivatives ---- */

/* x = R diag(d) R^T as xx, yy, zz, xy, xz, yz */
static void turn_diagonal(const AfxiMat3 *r, AfxVec3 d, double out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        out[e] = r->m[row[e]] * d.x * r->m[column[e]] + r->m[3 + row[e]] * d.y * r->m[3 + column[e]] +
                 r->m[6 + row[e]] * d.z * r->m[6 + column[e]];
    }
}

/* Derivative of torque_midpoint or torque_rattle by w, along x. */
static AfxVec3 torque_change(const AfxiConserve *work, AfxVec3 inertia, AfxVec3 spin, AfxVec3 w, double h, AfxVec3 x) {
    AfxVec3 sum = {0, 0, 0}, s = moments_of(inertia);
    AfxiMat3 turn = afxi_cayley(w);
    if (work->rattle) {
        for (int k = 0; k < 3; k++) {
            AfxVec3 unit = vec3(k == 0, k == 1, k == 2);
            AfxVec3 moved = unwind(w, vec3_scale(0.5, vec3_cross(x, vec3_add(unit, mat3_column(&turn, k)))));
            sum = vec3_mad(sum, (&s.x)[k], vec3_cross(unit, moved));
        }
        return vec3_scale(2 / (h * h), sum);
    }
    AfxVec3 momentum = times(inertia, vec3_sub(vec3_scale(2 / h, w), spin));
    AfxVec3 turned = vec3_add(momentum, mat3_apply(&turn, momentum));
    AfxVec3 more = mat3_apply(&turn, times(inertia, vec3_scale(2 / h, x)));
    return vec3_scale(1 / h, vec3_add(more, unwind(w, vec3_scale(0.5, vec3_cross(x, turned)))));
}

static AfxiMat3 inverse_of(const AfxiMat3 *a) {
    AfxVec3 x = mat3_column(a, 0), y = mat3_column(a, 1), z = mat3_column(a, 2);
    double scale = 1 / mat3_determinant(a);
    AfxiMat3 rows = mat3_from_columns(vec3_scale(scale, vec3_cross(y, z)), vec3_scale(scale, vec3_cross(z, x)),
                                      vec3_scale(scale, vec3_cross(x, y)));
    return mat3_transpose(&rows);
}

void afxi_conserve_inverse(const AfxiConserve *work, AfxiConserveBody *body, double h, const double *change) {
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    AfxVec3 inertia = inertia_of(class), spin = mat3_apply_transposed(&body->r, body->w);
    AfxVec3 inverse = over(vec3(1, 1, 1), inertia);
    if (h == 0) {
        body->translation = 1 / class->mass;
        turn_diagonal(&body->r, inverse, body->rotation);
        return;
    }
    AfxVec3 c = vec3_load(change + 3), w = mat3_apply_transposed(&body->r, c);
    AfxiMat3 turn = afxi_cayley(half_turn(c)), half = mat3_multiply(&turn, &body->r), derivative;
    double drag = work->rattle ? 0 : class->linear_damping * h, slow = work->rattle ? 0 : class->angular_damping * h;
    body->translation = h * h / ((2 + drag) * class->mass);
    turn_diagonal(&half, vec3_scale(h * h / (2 + slow), inverse), body->rotation);
    for (int k = 0; k < 3; k++) {
        AfxVec3 unit = vec3(k == 0, k == 1, k == 2), x = torque_change(work, inertia, spin, w, h, unit);
        vec3_store(derivative.m + 3 * k, vec3_mad(x, slow / (h * h), times(inertia, unit)));
    }
    AfxiMat3 local = inverse_of(&derivative), back = mat3_transpose(&body->r), left = mat3_multiply(&body->r, &local);
    body->newton = mat3_multiply(&left, &back);
}

/* ---- the end of a sub-step ---- */

void afxi_conserve_move(const AfxiConserve *work, AfxiConserveBody *body, double h, const double *change) {
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    AfxVec3 d = vec3_load(change), c = vec3_load(change + 3), w = mat3_apply_transposed(&body->r, c), spin;
    AfxiMat3 turn = afxi_cayley(c), r = mat3_multiply(&turn, &body->r);
    if (work->rattle) {
        AfxiMat3 local = afxi_cayley(vec3_scale(-1, w));
        AfxVec3 sum = {0, 0, 0}, s = moments_of(inertia_of(class));
        for (int k = 0; k < 3; k++) {
            AfxVec3 unit = vec3(k == 0, k == 1, k == 2);
            sum = vec3_mad(sum, -(&s.x)[k] / h, vec3_cross(unit, mat3_column(&local, k)));
        }
        spin = over(sum, inertia_of(class));
        body->v = vec3_scale(1 / h, d);
    } else {
        spin = vec3_sub(vec3_scale(2 / h, w), mat3_apply_transposed(&body->r, body->w));
        body->v = vec3_sub(vec3_scale(2 / h, d), body->v);
    }
    body->r = polish(&r);
    body->t = vec3_add(body->t, d);
    body->w = mat3_apply(&body->r, spin);
}

void afxi_conserve_push(const AfxiConserve *work, AfxiConserveBody *body, double scale, const double *impulse) {
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    AfxVec3 local = mat3_apply_transposed(&body->r, vec3_load(impulse + 3));
    body->v = vec3_mad(body->v, scale / class->mass, vec3_load(impulse));
    body->w = vec3_mad(body->w, scale, mat3_apply(&body->r, over(local, inertia_of(class))));
}

void afxi_conserve_shift(AfxiConserveBody *body, const double *x) {
    AfxiMat3 turn = afxi_cayley(sym3_apply(body->rotation, vec3_load(x + 3))), r = mat3_multiply(&turn, &body->r);
    body->t = vec3_mad(body->t, body->translation, vec3_load(x));
    body->r = polish(&r);
}
