/* SPDX-License-Identifier: Apache-2.0 */
/* Rows at the level of accelerations. For a joint with axes e_k on the base, d the offset of the follower's point from
 * the base's, and c a locked direction of rotation:
 *
 *     locked translation  e.d" + 2 e'.d' + e".d = 0,   force e on the follower
 *     locked rotation     c.(w_a' - w_b') + c'.(w_a - w_b) = 0,   torque c; c is an axis of the base, or x_b x y_a
 *     distance            d.d" + d'.d' = 0,   force d
 *     screw               a translation along x less pitch times a rotation about x */
#include "support/joint_reference.h"

#include <string.h>

enum { ROWS_PER_JOINT = 6, ROWS = REFERENCE_JOINTS * ROWS_PER_JOINT, BODY_NUMBERS = 6 };

/* One row: coefficients of (acceleration, spin rate) on follower and base, and what stands against them. */
typedef struct Row {
    int joint;
    AfxVec3 linear[2], angular[2]; /* follower, base */
    double rest;
    AfxVec3 force, torque; /* on the follower, world axes, per unit multiplier */
} Row;

/* A frame fixed in a body, or in the world. */
typedef struct Place {
    AfxVec3 arm, p, v, bias, w; /* from the centre; position, velocity, p" without accelerations, spin */
    AfxQuat q;
} Place;

static Place place_of(const JointReference *r, int body, AfxPose frame) {
    if (body < 0) {
        return (Place){.p = frame.position, .q = frame.rotation};
    }
    const ReferenceBody *b = &r->bodies[body];
    Place place = {.q = q_multiply(b->q, frame.rotation), .w = b->w};
    place.arm = q_rotate(b->q, v3_sub(frame.position, b->center));
    place.p = v3_add(b->x, place.arm);
    place.v = v3_add(b->v, v3_cross(b->w, place.arm));
    place.bias = v3_cross(b->w, v3_cross(b->w, place.arm));
    return place;
}

static AfxVec3 axis_of(const Place *place, int k) {
    return q_rotate(place->q, v3(k == 0, k == 1, k == 2));
}

/* n . (relative acceleration of the two points), with n on the follower; the base feels it at the follower's point. */
static Row force_row(int joint, const Place *a, const Place *b, AfxVec3 n) {
    AfxVec3 from_base = v3_add(b->arm, v3_sub(a->p, b->p));
    return (Row){.joint = joint,
                 .linear = {n, v3_scale(-1, n)},
                 .angular = {v3_cross(a->arm, n), v3_scale(-1, v3_cross(from_base, n))},
                 .rest = v3_dot(n, v3_sub(a->bias, b->bias)),
                 .force = n};
}

static Row slide_row(int joint, const Place *a, const Place *b, int k) {
    AfxVec3 e = axis_of(b, k), rate = v3_cross(b->w, e), d = v3_sub(a->p, b->p), slip = v3_sub(a->v, b->v);
    Row row = force_row(joint, a, b, e);
    row.rest += 2 * v3_dot(rate, slip) + v3_dot(v3_cross(b->w, rate), d);
    return row;
}

static Row rod_row(int joint, const Place *a, const Place *b) {
    AfxVec3 d = v3_sub(a->p, b->p), slip = v3_sub(a->v, b->v);
    Row row = force_row(joint, a, b, d);
    row.rest += v3_dot(slip, slip);
    return row;
}

static Row turn_row(int joint, const Place *a, const Place *b, AfxVec3 c, AfxVec3 rate) {
    return (Row){
        .joint = joint, .angular = {c, v3_scale(-1, c)}, .rest = v3_dot(rate, v3_sub(a->w, b->w)), .torque = c};
}

static Row screw_row(int joint, const Place *a, const Place *b, double pitch) {
    AfxVec3 e = axis_of(b, 0);
    Row row = slide_row(joint, a, b, 0), turn = turn_row(joint, a, b, e, v3_cross(b->w, e));
    for (int side = 0; side < 2; side++) {
        row.angular[side] = v3_sub(row.angular[side], v3_scale(pitch, turn.angular[side]));
    }
    row.rest -= pitch * turn.rest;
    row.torque = v3_scale(-pitch, e);
    return row;
}

/* The three letters of a free-axes string as flags. */
static void free_axes(const char *text, bool out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = strchr(text, "xyz"[k]) != NULL;
    }
}

static int rotation_rows(int joint, const Place *a, const Place *b, const bool free[3], Row *rows) {
    int count = 0, freedoms = free[0] + free[1] + free[2];
    if (freedoms == 2) { /* universal: x of the base, y of the follower */
        AfxVec3 x = axis_of(b, 0), y = axis_of(a, 1);
        AfxVec3 rate = v3_add(v3_cross(v3_cross(b->w, x), y), v3_cross(x, v3_cross(a->w, y)));
        rows[count++] = turn_row(joint, a, b, v3_cross(x, y), rate);
        return count;
    }
    for (int k = 0; k < 3; k++) {
        if (!free[k]) {
            AfxVec3 e = axis_of(b, k);
            rows[count++] = turn_row(joint, a, b, e, v3_cross(b->w, e));
        }
    }
    return count;
}

static const char *const translations[] = {
#define TRANSLATIONS(kind, name, translations, rotations) translations,
    AFX_JOINT_TABLE(TRANSLATIONS)
#undef TRANSLATIONS
};
static const char *const rotations[] = {
#define ROTATIONS(kind, name, translations, rotations) rotations,
    AFX_JOINT_TABLE(ROTATIONS)
#undef ROTATIONS
};

static int rows_of(const JointReference *r, int joint, Row *rows) {
    const ReferenceJoint *j = &r->joints[joint];
    Place a = place_of(r, j->follower, j->follower_frame), b = place_of(r, j->base, j->base_frame);
    bool slides[3], turns[3];
    int count = 0;
    free_axes(translations[j->kind], slides);
    free_axes(rotations[j->kind], turns);
    if (afx_joint_has_length(j->kind)) {
        rows[count++] = rod_row(joint, &a, &b);
        if (j->kind != AFX_JOINT_DISTANCE) {
            rows[count++] = slide_row(joint, &a, &b, 0);
        }
        return count + (j->kind == AFX_JOINT_REVOLUTE_REVOLUTE ? rotation_rows(joint, &a, &b, turns, rows + count) : 0);
    }
    for (int k = 0; k < 3; k++) {
        if (!slides[k]) {
            rows[count++] = slide_row(joint, &a, &b, k);
        }
    }
    if (j->kind == AFX_JOINT_SCREW) {
        rows[count++] = screw_row(joint, &a, &b, j->pitch);
    }
    return count + rotation_rows(joint, &a, &b, turns, rows + count);
}

/* ---- one dense solve ---- */

static AfxVec3 tensor_divide(const double t[6], AfxVec3 b) {
    AfxVec3 c0 = v3(t[0], t[3], t[4]), c1 = v3(t[3], t[1], t[5]), c2 = v3(t[4], t[5], t[2]);
    double det = v3_dot(c0, v3_cross(c1, c2));
    return v3(v3_dot(b, v3_cross(c1, c2)) / det, v3_dot(c0, v3_cross(b, c2)) / det, v3_dot(c0, v3_cross(c1, b)) / det);
}

static AfxVec3 divide_by_inertia(const ReferenceBody *b, AfxVec3 torque) {
    return q_rotate(b->q, tensor_divide(b->inertia, q_rotate(q_conjugate(b->q), torque)));
}

/* Gauss with row exchange; a and b are overwritten. */
static void dense_solve(int n, double a[ROWS][ROWS], double *b) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

static int body_of(const JointReference *r, const Row *row, int side) {
    return side == 0 ? r->joints[row->joint].follower : r->joints[row->joint].base;
}

/* row . (accelerations of the bodies) */
static double row_dot(const JointReference *r, const Row *row, const AfxVec3 *linear, const AfxVec3 *angular) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int body = body_of(r, row, side);
        if (body >= 0) {
            sum += v3_dot(row->linear[side], linear[body]) + v3_dot(row->angular[side], angular[body]);
        }
    }
    return sum;
}

/* linear, angular += factor * M^-1 row^T */
static void row_push(const JointReference *r, const Row *row, double factor, AfxVec3 *linear, AfxVec3 *angular) {
    for (int side = 0; side < 2; side++) {
        int body = body_of(r, row, side);
        if (body >= 0 && r->bodies[body].free) {
            const ReferenceBody *b = &r->bodies[body];
            linear[body] = v3_add(linear[body], v3_scale(factor / b->mass, row->linear[side]));
            angular[body] = v3_add(angular[body], v3_scale(factor, divide_by_inertia(b, row->angular[side])));
        }
    }
}

static void free_accelerations(const JointReference *r, AfxVec3 *linear, AfxVec3 *angular) {
    for (int k = 0; k < r->body_count; k++) {
        const ReferenceBody *b = &r->bodies[k];
        AfxVec3 momentum = q_rotate(b->q, tensor_apply(b->inertia, q_rotate(q_conjugate(b->q), b->w)));
        linear[k] = b->free ? r->gravity : v3(0, 0, 0);
        angular[k] = b->free ? divide_by_inertia(b, v3_cross(momentum, b->w)) : v3(0, 0, 0);
    }
}

static void collect_reactions(JointReference *r, const Row *rows, int count, const double *lambda) {
    AfxVec3 force[REFERENCE_JOINTS] = {{0}}, torque[REFERENCE_JOINTS] = {{0}};
    for (int k = 0; k < count; k++) {
        int j = rows[k].joint;
        force[j] = v3_add(force[j], v3_scale(lambda[k], rows[k].force));
        torque[j] = v3_add(torque[j], v3_scale(lambda[k], rows[k].torque));
    }
    for (int j = 0; j < r->joint_count; j++) {
        Place base = place_of(r, r->joints[j].base, r->joints[j].base_frame);
        AfxQuat back = q_conjugate(base.q);
        r->joints[j].reaction = (AfxWrench){q_rotate(back, force[j]), q_rotate(back, torque[j])};
    }
}

void joint_reference_solve(JointReference *r) {
    Row rows[ROWS];
    AfxVec3 linear[REFERENCE_BODIES], angular[REFERENCE_BODIES];
    double matrix[ROWS][ROWS], lambda[ROWS];
    int count = 0;
    for (int j = 0; j < r->joint_count; j++) {
        count += rows_of(r, j, rows + count);
    }
    free_accelerations(r, linear, angular);
    for (int i = 0; i < count; i++) {
        AfxVec3 push[REFERENCE_BODIES] = {{0}}, twist[REFERENCE_BODIES] = {{0}};
        lambda[i] = -rows[i].rest - row_dot(r, &rows[i], linear, angular);
        row_push(r, &rows[i], 1, push, twist);
        for (int k = 0; k < count; k++) {
            matrix[k][i] = row_dot(r, &rows[k], push, twist);
        }
    }
    dense_solve(count, matrix, lambda);
    for (int i = 0; i < count; i++) {
        row_push(r, &rows[i], lambda[i], linear, angular);
    }
    for (int k = 0; k < r->body_count; k++) {
        r->bodies[k].acceleration = linear[k];
        r->bodies[k].spin_rate = angular[k];
    }
    collect_reactions(r, rows, count, lambda);
}

/* ---- time ---- */

static AfxQuat quat_rate(AfxQuat q, AfxVec3 w) {
    AfxQuat p = q_multiply((AfxQuat){0, w.x, w.y, w.z}, q);
    return (AfxQuat){0.5 * p.w, 0.5 * p.x, 0.5 * p.y, 0.5 * p.z};
}

static AfxQuat quat_mad(AfxQuat q, double s, AfxQuat r) {
    return (AfxQuat){q.w + s * r.w, q.x + s * r.x, q.y + s * r.y, q.z + s * r.z};
}

/* to = from + h * (rates at `at`), all bodies; `at` must be solved. */
static void move(JointReference *to, const JointReference *from, double h, const JointReference *at) {
    for (int k = 0; k < to->body_count; k++) {
        const ReferenceBody *f = &from->bodies[k], *r = &at->bodies[k];
        ReferenceBody *t = &to->bodies[k];
        t->x = v3_add(f->x, v3_scale(h, r->v));
        t->v = v3_add(f->v, v3_scale(h, r->acceleration));
        t->w = v3_add(f->w, v3_scale(h, r->spin_rate));
        t->q = quat_mad(f->q, h, quat_rate(r->q, r->w));
    }
}

static void step_once(JointReference *r, double h) {
    JointReference start = *r, stage = *r;
    static const double ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    for (int k = 0; k < 4; k++) {
        if (k > 0) {
            JointReference last = stage;
            move(&stage, &start, ahead[k] * h, &last);
        }
        joint_reference_solve(&stage);
        JointReference sum = *r;
        move(r, &sum, weight[k] * h, &stage);
    }
    for (int k = 0; k < r->body_count; k++) {
        AfxQuat *q = &r->bodies[k].q;
        double n = 1 / sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
        *q = (AfxQuat){n * q->w, n * q->x, n * q->y, n * q->z};
    }
}

void joint_reference_run(JointReference *r, double duration, double step) {
    int count = (int)ceil(duration / step - 1e-9);
    for (int n = 0; n < count; n++) {
        step_once(r, duration / count);
    }
    joint_reference_solve(r);
}

/* ---- in and out ---- */

static int index_of(AfxBodyId body) {
    return body.index == afx_world().index && body.scene == afx_world().scene ? -1 : (int)body.index;
}

static ReferenceBody body_make(const AfxBodyDef *def) {
    ReferenceBody body = {.free = def->kind == AFX_BODY_DYNAMIC, .mass = def->mass, .center = def->center};
    AfxVec3 arm = q_rotate(def->pose.rotation, def->center);
    memcpy(body.inertia, def->inertia, sizeof body.inertia);
    body.q = def->pose.rotation;
    body.w = def->angular_velocity;
    body.x = v3_add(def->pose.position, arm);
    body.v = v3_add(def->linear_velocity, v3_cross(body.w, arm));
    return body;
}

JointReference joint_reference_make(const AfxScene *scene) {
    JointReference r = {.gravity = afx_scene_gravity(scene)};
    r.body_count = (int)afx_scene_body_count(scene);
    r.joint_count = (int)afx_scene_joint_count(scene);
    for (int k = 0; k < r.body_count; k++) {
        AfxBodyDef def;
        afx_scene_get_body(scene, afx_scene_body(scene, (uint32_t)k), &def);
        r.bodies[k] = body_make(&def);
    }
    for (int k = 0; k < r.joint_count; k++) {
        AfxJointDef def;
        afx_scene_get_joint(scene, afx_scene_joint(scene, (uint32_t)k), &def);
        r.joints[k] = (ReferenceJoint){.kind = def.kind,
                                       .pitch = def.pitch,
                                       .base = index_of(def.base),
                                       .follower = index_of(def.follower),
                                       .base_frame = def.base_frame,
                                       .follower_frame = def.follower_frame};
    }
    joint_reference_solve(&r);
    return r;
}

AfxPose joint_reference_pose(const JointReference *r, int body) {
    const ReferenceBody *b = &r->bodies[body];
    return (AfxPose){v3_sub(b->x, q_rotate(b->q, b->center)), b->q};
}

AfxTwist joint_reference_twist(const JointReference *r, int body) {
    const ReferenceBody *b = &r->bodies[body];
    return (AfxTwist){v3_sub(b->v, v3_cross(b->w, q_rotate(b->q, b->center))), b->w};
}

double joint_reference_energy(const JointReference *r) {
    double sum = 0;
    for (int k = 0; k < r->body_count; k++) {
        const ReferenceBody *b = &r->bodies[k];
        AfxVec3 spin = q_rotate(q_conjugate(b->q), b->w);
        if (b->free) {
            sum += 0.5 * b->mass * v3_dot(b->v, b->v) + 0.5 * v3_dot(spin, tensor_apply(b->inertia, spin)) -
                   b->mass * v3_dot(r->gravity, b->x);
        }
    }
    return sum;
}
