/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's and Euler's equations of one rigid body by classical Runge-Kutta. */
#include "support/rigid_reference.h"

AfxQuat q_multiply(AfxQuat a, AfxQuat b) {
    return (AfxQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

AfxVec3 q_rotate(AfxQuat q, AfxVec3 v) {
    AfxVec3 u = v3(q.x, q.y, q.z), t = v3_scale(2, v3_cross(u, v));
    return v3_add(v, v3_add(v3_scale(q.w, t), v3_cross(u, t)));
}

AfxQuat q_about(AfxVec3 axis, double angle) {
    double s = sin(angle / 2) / v3_norm(axis);
    return (AfxQuat){cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

double q_distance(AfxQuat a, AfxQuat b) {
    AfxQuat d = q_multiply(q_conjugate(a), b);
    return 2 * atan2(v3_norm(v3(d.x, d.y, d.z)), fabs(d.w));
}

AfxVec3 tensor_apply(const double t[6], AfxVec3 v) {
    return v3(t[0] * v.x + t[3] * v.y + t[4] * v.z, t[3] * v.x + t[1] * v.y + t[5] * v.z,
              t[4] * v.x + t[5] * v.y + t[2] * v.z);
}

void tensor_turn(const double tensor[6], AfxQuat q, double out[6]) {
    AfxVec3 column[3];
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = v3(k == 0, k == 1, k == 2);
        column[k] = q_rotate(q, tensor_apply(tensor, q_rotate(q_conjugate(q), axis)));
    }
    out[0] = column[0].x;
    out[1] = column[1].y;
    out[2] = column[2].z;
    out[3] = column[0].y;
    out[4] = column[0].z;
    out[5] = column[1].z;
}

/* The solution x of T x = b, by Cramer's rule. */
static AfxVec3 tensor_solve(const double t[6], AfxVec3 b) {
    AfxVec3 c0 = v3(t[0], t[3], t[4]), c1 = v3(t[3], t[1], t[5]), c2 = v3(t[4], t[5], t[2]);
    double det = v3_dot(c0, v3_cross(c1, c2));
    return v3(v3_dot(b, v3_cross(c1, c2)) / det, v3_dot(c0, v3_cross(b, c2)) / det, v3_dot(c0, v3_cross(c1, b)) / det);
}

typedef struct Rate {
    AfxVec3 position, velocity;
    AfxQuat rotation;
    AfxVec3 momentum;
} Rate;

static Rate rate_of(const RigidReference *b) {
    AfxQuat q = b->rotation, back = q_conjugate(q);
    AfxVec3 spin = tensor_solve(b->inertia, b->momentum);
    AfxVec3 world_force = q_rotate(back, b->world_force); /* both forces in body axes from here on */
    AfxVec3 arm = v3_sub(b->held_point, b->center), swing = q_rotate(q, v3_cross(spin, arm));
    AfxVec3 stretch = v3_sub(b->held_target, v3_add(b->position, q_rotate(q, arm)));
    AfxVec3 pull = v3_sub(v3_scale(b->spring, stretch), v3_scale(b->damper, v3_add(b->velocity, swing)));
    pull = q_rotate(back, pull);
    AfxVec3 force = v3_add(v3_add(world_force, pull), b->body_force);
    AfxVec3 torque = v3_add(b->body_torque, q_rotate(back, b->world_torque));
    torque = v3_add(torque, v3_cross(v3_sub(b->world_point, b->center), world_force));
    torque = v3_add(torque, v3_cross(v3_sub(b->body_point, b->center), b->body_force));
    torque = v3_add(torque, v3_cross(arm, pull));
    torque = v3_sub(torque, v3_scale(b->angular_damping, b->momentum));
    AfxVec3 acceleration = v3_add(b->gravity, v3_scale(1 / b->mass, q_rotate(q, force)));
    AfxQuat turn = q_multiply(q, (AfxQuat){0, spin.x / 2, spin.y / 2, spin.z / 2});
    return (Rate){.position = b->velocity,
                  .velocity = v3_sub(acceleration, v3_scale(b->linear_damping, b->velocity)),
                  .rotation = turn,
                  .momentum = v3_add(torque, v3_cross(b->momentum, spin))};
}

static void advance(RigidReference *b, const Rate *r, double h) {
    b->position = v3_add(b->position, v3_scale(h, r->position));
    b->velocity = v3_add(b->velocity, v3_scale(h, r->velocity));
    b->momentum = v3_add(b->momentum, v3_scale(h, r->momentum));
    b->rotation.w += h * r->rotation.w;
    b->rotation.x += h * r->rotation.x;
    b->rotation.y += h * r->rotation.y;
    b->rotation.z += h * r->rotation.z;
}

static void normalise(AfxQuat *q) {
    double s = 1 / sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
    *q = (AfxQuat){s * q->w, s * q->x, s * q->y, s * q->z};
}

void rigid_reference_run(RigidReference *body, double duration, double step) {
    int count = (int)ceil(duration / step - 1e-9);
    double h = duration / count;
    for (int n = 0; n < count; n++) {
        RigidReference b = *body;
        Rate k1 = rate_of(&b);
        advance(&b, &k1, h / 2);
        Rate k2 = rate_of(&b);
        b = *body;
        advance(&b, &k2, h / 2);
        Rate k3 = rate_of(&b);
        b = *body;
        advance(&b, &k3, h);
        Rate k4 = rate_of(&b);
        advance(body, &k1, h / 6);
        advance(body, &k2, h / 3);
        advance(body, &k3, h / 3);
        advance(body, &k4, h / 6);
        normalise(&body->rotation);
    }
}

RigidReference rigid_reference_make(const AfxBodyDef *def, AfxVec3 gravity) {
    RigidReference b = {.mass = def->mass,
                        .center = def->center,
                        .gravity = def->gravity ? gravity : v3(0, 0, 0),
                        .linear_damping = def->linear_damping,
                        .angular_damping = def->angular_damping,
                        .rotation = def->pose.rotation};
    for (int k = 0; k < 6; k++) {
        b.inertia[k] = def->inertia[k];
    }
    AfxVec3 arm = q_rotate(b.rotation, b.center), spin = q_rotate(q_conjugate(b.rotation), def->angular_velocity);
    b.position = v3_add(def->pose.position, arm);
    b.velocity = v3_add(def->linear_velocity, v3_cross(def->angular_velocity, arm));
    b.momentum = tensor_apply(b.inertia, spin);
    return b;
}

void rigid_reference_load(RigidReference *body, const AfxWrenchDef *w) {
    if (w->frame == AFX_FRAME_WORLD) {
        body->world_force = w->force;
        body->world_point = w->point;
        body->world_torque = v3_add(body->world_torque, w->torque);
    } else {
        body->body_force = w->force;
        body->body_point = w->point;
        body->body_torque = v3_add(body->body_torque, w->torque);
    }
}

AfxVec3 rigid_reference_spin(const RigidReference *body) {
    return tensor_solve(body->inertia, body->momentum);
}

AfxPose rigid_reference_pose(const RigidReference *body) {
    return (AfxPose){v3_sub(body->position, q_rotate(body->rotation, body->center)), body->rotation};
}

AfxTwist rigid_reference_twist(const RigidReference *body) {
    AfxVec3 spin = q_rotate(body->rotation, rigid_reference_spin(body));
    AfxVec3 arm = q_rotate(body->rotation, body->center);
    return (AfxTwist){v3_sub(body->velocity, v3_cross(spin, arm)), spin};
}
