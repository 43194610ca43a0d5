/* SPDX-License-Identifier: Apache-2.0 */
/* See rigid.h. */
#include "papers/rigid.h"

#include <stdlib.h>

#include "papers/papers.h"

#define NEWTON_MOST 30u
#define NEWTON_SMALL 1e-12

static AfxVec3 inertia_times(const Rigid *body, AfxVec3 w) {
    const double *s = body->s;
    return vec3((s[1] + s[2]) * w.x, (s[0] + s[2]) * w.y, (s[0] + s[1]) * w.z);
}

static AfxVec3 inertia_divide(const Rigid *body, AfxVec3 w) {
    const double *s = body->s;
    return vec3(w.x / (s[1] + s[2]), w.y / (s[0] + s[2]), w.z / (s[0] + s[1]));
}

static AfxVec3 world_omega(const Rigid *body) {
    return mat3_apply(&body->r, body->omega);
}

/* Gaussian elimination with row pivots; b becomes the solution. */
static void eliminate(int count, double a[9][9], double *b) {
    for (int k = 0; k < count; ++k) {
        int best = k;
        for (int i = k + 1; i < count; ++i) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        for (int j = 0; j < count && best != k; ++j) {
            double kept = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = kept;
        }
        double kept = b[k];
        b[k] = b[best];
        b[best] = kept;
        for (int i = k + 1; i < count; ++i) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < count; ++j) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = count - 1; k >= 0; --k) {
        for (int j = k + 1; j < count; ++j) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

/* ---- implicit Euler ---- */

static double entry(AfxVec3 a, int k) {
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static void set_block(double a[9][9], int row, int column, const AfxiMat3 *block, double sign) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a[row + i][column + j] = sign * block->m[3 * j + i];
        }
    }
}

/* One Newton step; its size in radians and metres comes back. With δ the turn of the body,
 *     moment  sum s_k a^_k x a_k / h² + (R p) x λ,  its change  sum s_k ((a^_k . a_k) δ - a_k (a^_k . δ)) / h² + ...
 * and the sign of λ such that it pulls the body's point. */
static double newton(Rigid *body, const AfxiMat3 *r_hat, AfxVec3 t_hat, double h, AfxVec3 *lambda) {
    double a[9][9] = {{0}}, b[9] = {0};
    double per_h2 = 1 / (h * h);
    AfxVec3 arm = mat3_apply(&body->r, body->point), moment = vec3_cross(arm, *lambda);
    for (int k = 0; k < 3; ++k) {
        AfxVec3 axis = mat3_column(&body->r, k), hat = mat3_column(r_hat, k);
        double weight = body->s[k] * per_h2, both = vec3_dot(axis, hat);
        moment = vec3_mad(moment, weight, vec3_cross(hat, axis));
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                a[i][j] += weight * ((i == j ? both : 0) - entry(axis, i) * entry(hat, j));
            }
        }
    }
    AfxVec3 force = vec3_scale(body->mass * per_h2, vec3_sub(body->t, t_hat));
    force = vec3_add(vec3_mad(force, -body->mass, body->gravity), *lambda);
    for (int k = 0; k < 3; ++k) {
        a[3 + k][3 + k] = body->mass * per_h2;
        b[k] = -entry(moment, k);
        b[3 + k] = -entry(force, k);
    }
    if (body->held) {
        AfxiMat3 turn = mat3_skew(arm), pull = mat3_skew(*lambda), both = mat3_multiply(&pull, &turn),
                 unit = mat3_identity();
        for (int i = 0; i < 3; ++i) { /* d((δ x arm) x λ) = [λ]x [arm]x δ */
            for (int j = 0; j < 3; ++j) {
                a[i][j] += both.m[3 * j + i];
            }
        }
        AfxVec3 off = vec3_sub(vec3_add(arm, body->t), body->anchor);
        set_block(a, 0, 6, &turn, 1);
        set_block(a, 3, 6, &unit, 1);
        set_block(a, 6, 0, &turn, -1);
        set_block(a, 6, 3, &unit, 1);
        for (int k = 0; k < 3; ++k) {
            b[6 + k] = -entry(off, k);
        }
    }
    eliminate(body->held ? 9 : 6, a, b);
    AfxVec3 turn = vec3_load(b), shift = vec3_load(b + 3);
    AfxiMat3 by = afxi_mat3_rotation(turn);
    body->r = mat3_multiply(&by, &body->r);
    body->t = vec3_add(body->t, shift);
    *lambda = body->held ? vec3_add(*lambda, vec3_load(b + 6)) : *lambda;
    return vec3_length(turn) + vec3_length(shift);
}

static void implicit_step(Rigid *body, double h) {
    AfxiMat3 before = body->r, hat;
    AfxVec3 t_before = body->t, t_hat = vec3_mad(body->t, h, body->velocity), lambda = {0, 0, 0};
    for (int k = 0; k < 9; ++k) {
        hat.m[k] = before.m[k] + h * body->rate.m[k];
    }
    double change = 1;
    for (body->iterations = 0; body->iterations < NEWTON_MOST && change > NEWTON_SMALL; ++body->iterations) {
        change = newton(body, &hat, t_hat, h, &lambda);
    }
    for (int k = 0; k < 9; ++k) {
        body->rate.m[k] = (body->r.m[k] - before.m[k]) / h;
    }
    body->velocity = vec3_scale(1 / h, vec3_sub(body->t, t_before));
    AfxiMat3 spin = mat3_multiply_tn(&body->r, &body->rate);
    body->omega = mat3_axial(&spin);
}

/* ---- semi-implicit Euler ---- */

/* Impulse on the held point that stops it: (1/m - [p]x I^-1 [p]x) impulse = -velocity, in principal axes. */
static void stop_point(Rigid *body) {
    double a[9][9] = {{0}}, b[9];
    AfxVec3 velocity = mat3_apply_transposed(&body->r, body->velocity);
    AfxVec3 speed = vec3_add(velocity, vec3_cross(body->omega, body->point));
    for (int k = 0; k < 3; ++k) {
        AfxVec3 unit = {k == 0, k == 1, k == 2};
        AfxVec3 answer = vec3_cross(inertia_divide(body, vec3_cross(body->point, unit)), body->point);
        answer = vec3_mad(answer, 1 / body->mass, unit);
        for (int i = 0; i < 3; ++i) {
            a[i][k] = entry(answer, i);
        }
        b[k] = -entry(speed, k);
    }
    eliminate(3, a, b);
    AfxVec3 impulse = vec3_load(b);
    body->omega = vec3_add(body->omega, inertia_divide(body, vec3_cross(body->point, impulse)));
    body->velocity = vec3_mad(body->velocity, 1 / body->mass, mat3_apply(&body->r, impulse));
}

static void explicit_step(Rigid *body, double h) {
    AfxVec3 torque = vec3_cross(inertia_times(body, body->omega), body->omega);
    body->omega = vec3_mad(body->omega, h, inertia_divide(body, torque));
    body->velocity = vec3_mad(body->velocity, h, body->gravity);
    if (body->held) {
        stop_point(body);
    }
    AfxiMat3 turn = afxi_mat3_rotation(vec3_scale(h, body->omega));
    body->r = mat3_multiply(&body->r, &turn);
    body->t = vec3_mad(body->t, h, body->velocity);
    body->iterations = 1;
}

/* ---- Runge-Kutta ---- */

typedef struct Rates {
    AfxiMat3 r;
    AfxVec3 omega;
} Rates;

/* About the held point: s_k + m p_k p_k are the second moments there when p is a principal direction of them; in
 * general the tensor is used. */
static Rates rates_of(const Rigid *body, const AfxiMat3 *r, AfxVec3 w) {
    Rates rates;
    AfxiMat3 spin = mat3_skew(w);
    rates.r = mat3_multiply(r, &spin);
    AfxVec3 c = body->held ? vec3_scale(-1, body->point) : vec3(0, 0, 0); /* centre of mass from the point */
    AfxVec3 pull = mat3_apply_transposed(r, vec3_scale(body->mass, body->gravity));
    double a[9][9] = {{0}}, b[9];
    AfxVec3 about = inertia_times(body, w); /* plus m c x (w x c) */
    about = vec3_mad(about, body->mass, vec3_cross(c, vec3_cross(w, c)));
    AfxVec3 torque = vec3_cross(about, w);
    torque = body->held ? vec3_add(torque, vec3_cross(c, pull)) : torque;
    for (int k = 0; k < 3; ++k) {
        AfxVec3 unit = {k == 0, k == 1, k == 2};
        AfxVec3 column = vec3_mad(inertia_times(body, unit), body->mass, vec3_cross(c, vec3_cross(unit, c)));
        for (int i = 0; i < 3; ++i) {
            a[i][k] = entry(column, i);
        }
        b[k] = entry(torque, k);
    }
    eliminate(3, a, b);
    rates.omega = vec3_load(b);
    return rates;
}

static void rk4_step(Rigid *body, double h) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    AfxiMat3 r = body->r, r_sum = r;
    AfxVec3 w = body->omega, w_sum = w;
    Rates rates = {0};
    for (int k = 0; k < 4; ++k) {
        AfxiMat3 stage = r;
        for (int m = 0; m < 9; ++m) {
            stage.m[m] += h * at[k] * rates.r.m[m];
        }
        rates = rates_of(body, &stage, vec3_mad(w, h * at[k], rates.omega));
        for (int m = 0; m < 9; ++m) {
            r_sum.m[m] += h * weight[k] * rates.r.m[m];
        }
        w_sum = vec3_mad(w_sum, h * weight[k], rates.omega);
    }
    body->r = r_sum;
    body->omega = w_sum;
    if (body->held) {
        body->t = vec3_sub(body->anchor, mat3_apply(&body->r, body->point));
        AfxVec3 arm = vec3_sub(body->t, body->anchor);
        body->velocity = vec3_cross(world_omega(body), arm);
    } else {
        body->t = vec3_mad(vec3_mad(body->t, h, body->velocity), 0.5 * h * h, body->gravity);
        body->velocity = vec3_mad(body->velocity, h, body->gravity);
    }
    body->iterations = 1;
}

void rigid_step(Rigid *body, RigidMethod method, double h) {
    switch (method) {
    case RIGID_IMPLICIT:
        implicit_step(body, h);
        break;
    case RIGID_EXPLICIT:
        explicit_step(body, h);
        break;
    case RIGID_RK4:
        rk4_step(body, h);
        break;
    }
}

double rigid_energy(const Rigid *body) {
    return 0.5 * body->mass * vec3_dot(body->velocity, body->velocity) +
           0.5 * vec3_dot(body->omega, inertia_times(body, body->omega)) -
           body->mass * vec3_dot(body->gravity, body->t);
}

AfxVec3 rigid_momentum(const Rigid *body) {
    AfxVec3 own = mat3_apply(&body->r, inertia_times(body, body->omega));
    return vec3_mad(own, body->mass, vec3_cross(body->t, body->velocity));
}

double rigid_gap(const Rigid *body) {
    return body->held ? vec3_length(vec3_sub(vec3_add(mat3_apply(&body->r, body->point), body->t), body->anchor)) : 0;
}

/* ---- from a scene ---- */

static bool same(AfxBodyId a, AfxBodyId b) {
    return a.index == b.index && a.scene == b.scene;
}

static AfxVec3 to_principal(const AfxPose *frame, AfxVec3 point) {
    AfxiMat3 axes = mat3_from_quat(frame->rotation);
    return mat3_apply_transposed(&axes, vec3_sub(point, frame->position));
}

Rigid rigid_of_scene(const AfxScene *scene, uint32_t index) {
    Rigid body = {.gravity = afx_scene_gravity(scene)};
    AfxBodyId id = afx_scene_body(scene, index);
    AfxBodyDef def;
    AfxMass mass;
    AfxModel *model = NULL;
    AfxPose frame;
    papers_check(afx_scene_get_body(scene, id, &def), "body");
    papers_check(afx_scene_body_mass(scene, id, &mass), "mass");
    papers_check(afx_model_create(scene, &model, NULL), "model");
    papers_check(afx_model_body_frame(model, index, &frame), "frame");
    afx_model_destroy(model);
    const double *i = mass.inertia;
    AfxiMat3 tensor = {{i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}};
    AfxiMat3 axes = mat3_from_quat(frame.rotation), pose = mat3_from_quat(def.pose.rotation);
    AfxiMat3 turned = mat3_multiply(&tensor, &axes), moments = mat3_multiply_tn(&axes, &turned);
    double trace = moments.m[0] + moments.m[4] + moments.m[8];
    for (int k = 0; k < 3; ++k) {
        body.s[k] = 0.5 * trace - moments.m[4 * k];
    }
    body.mass = mass.mass;
    body.r = mat3_multiply(&pose, &axes);
    AfxVec3 centre = mat3_apply(&pose, frame.position);
    body.t = vec3_add(def.pose.position, centre);
    body.omega = mat3_apply_transposed(&body.r, def.angular_velocity);
    body.velocity = vec3_add(def.linear_velocity, vec3_cross(def.angular_velocity, centre));
    AfxiMat3 spin = mat3_skew(def.angular_velocity);
    body.rate = mat3_multiply(&spin, &body.r);
    for (uint32_t k = 0; k < afx_scene_joint_count(scene); ++k) {
        AfxJointDef joint;
        papers_check(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint), "joint");
        if (same(joint.follower, id) && same(joint.base, afx_world())) {
            body.held = true;
            body.point = to_principal(&frame, joint.follower_frame.position);
            body.anchor = joint.base_frame.position;
        }
    }
    return body;
}
