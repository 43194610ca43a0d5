/* SPDX-License-Identifier: Apache-2.0 */
/* What phase fitting adds to a step of BDF2 (docs/step.md, 2), written once more: what its formulas make of a body that
 * turns on evenly about its joint towards the ground. */
#include "dense_inner.h"

#include <math.h>
#include <string.h>

#define UNSTEADY 40.0
#define FEW 1e-4
#define MOST 2.3
#define MOST_ELASTIC 1.2
#define PULL 1.3

typedef struct Trees {
    uint32_t group[DENSE_BODIES_MOST];  /* bodies that anything holds together */
    uint32_t parent[DENSE_BODIES_MOST]; /* the body that it turns about; the world; itself: nothing holds it */
    uint32_t joint[DENSE_BODIES_MOST];
    uint32_t order[DENSE_BODIES_MOST], count;
    bool known[DENSE_BODIES_MOST], balls[DENSE_BODIES_MOST];
    double more[2][DENSE_BODIES_MOST][12], eased[DENSE_BODIES_MOST][9];
} Trees;

/* ---- one body ---- */

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The angular velocity in `rate`, or the angular acceleration in a second derivative. */
static void angular(const double *a, const double *rate, double out[3]) {
    double square = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        double part[3];
        cross(a + 3 * k, rate + 3 * k, part);
        square += dot(a + 3 * k, a + 3 * k);
        for (int e = 0; e < 3; e++) {
            out[e] += part[e];
        }
    }
    double sum[3] = {out[0], out[1], out[2]}; /* of a x (w x a) */
    for (int e = 0; e < 3; e++) {
        out[e] *= 1.5 / square;
    }
    for (int k = 0; k < 3; k++) { /* A is strained */
        double part[3], twice[3], w[3] = {sum[0] * 1.5 / square, sum[1] * 1.5 / square, sum[2] * 1.5 / square};
        cross(w, a + 3 * k, part);
        cross(a + 3 * k, part, twice);
        for (int e = 0; e < 3; e++) {
            out[e] -= 1.5 / square * twice[e];
        }
    }
    for (int e = 0; e < 3; e++) {
        out[e] += 1.5 / square * sum[e];
    }
}

/* out = w x (each column of a) */
static void spin(const double w[3], const double a[9], double out[9]) {
    for (int k = 0; k < 3; k++) {
        cross(w, a + 3 * k, out + 3 * k);
    }
}

/* Columns turned by the vector w, by Rodrigues' formula. */
static void turn(const double w[3], const double a[9], double out[9]) {
    double angle = sqrt(dot(w, w)), once[9], twice[9];
    double sine = angle > 0 ? sin(angle) / angle : 1, half = 0.5 * angle;
    double versine = angle > 0 ? 2 * sin(half) * sin(half) / (angle * angle) : 0.5;
    spin(w, a, once);
    spin(w, once, twice);
    for (int e = 0; e < 9; e++) {
        out[e] = a[e] + sine * once[e] + versine * twice[e];
    }
}

/* Less where the angular velocity changes. */
static double straightness(const double w[3], const double w1[3]) {
    double change[3] = {w[0] - w1[0], w[1] - w1[1], w[2] - w1[2]};
    return 1 / (1 + UNSTEADY * dot(change, change) / dot(w, w));
}

/* A body that turns evenly, after the time t. */
static void evenly(const double a[9], const double w[3], double t, double out[9]) {
    const double angle[3] = {t * w[0], t * w[1], t * w[2]};
    turn(angle, a, out);
}

/* What differences make of the velocity of a body that turns evenly to `a`, less the true one. */
static void misread(double h, const double a[9], const double w[3], double out[9]) {
    double one[9], other[9], rate[9];
    evenly(a, w, -h, one);
    evenly(a, w, -2 * h, other);
    spin(w, a, rate);
    for (int e = 0; e < 9; e++) {
        out[e] = (3 * a[e] - 4 * one[e] + other[e]) / (2 * h) - rate[e];
    }
}

/* qhat - a - h v and the like, of A: the method on places and velocities. */
static void combine(double h, const double *a, const double *v, const double *a1, const double *v1, double out[9]) {
    for (int e = 0; e < 9; e++) {
        out[e] = (4 * a[e] - a1[e]) / 3 + 2 * h / 3 * ((4 * v[e] - v1[e]) / 3);
    }
}

/* The sine of the angle by which qhat of a body that turns evenly is behind where it should be; and how long it is. */
static double lag(double h, const double w[3], double *out_cosine, double *out_length) {
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double a1[9], v[9], v1[9], off[9], hat[9], ahead[9], axis[3], far[3], from[3] = {0}, to[3] = {0},
                                                                          length = sqrt(dot(w, w));
    evenly(one, w, -h, a1);
    evenly(one, w, h, ahead);
    spin(w, one, v);
    spin(w, a1, v1);
    misread(h, one, w, off);
    for (int e = 0; e < 9; e++) {
        v[e] += off[e];
    }
    misread(h, a1, w, off);
    for (int e = 0; e < 9; e++) {
        v1[e] += off[e];
    }
    combine(h, one, v, a1, v1, hat);
    int least = fabs(w[0]) < fabs(w[1]) ? 0 : 1;
    const double unit[3] = {least == 0, least == 1, 0};
    cross(w, unit, far); /* square to w */
    for (int e = 0; e < 3; e++) {
        for (int k = 0; k < 3; k++) {
            from[e] += hat[3 * k + e] * far[k];
            to[e] += ahead[3 * k + e] * far[k];
        }
    }
    cross(from, to, axis);
    double size = sqrt(dot(from, from) * dot(to, to));
    *out_cosine = dot(from, to) / size;
    *out_length = sqrt(dot(from, from) / dot(to, to));
    return dot(axis, w) / (length * size);
}

/* What is missed of A by qhat and the known part of v. */
static void fit_body(const DenseReader *reader, uint32_t index, double hat[9], double past[9], double eased[9]) {
    const DenseHistory *history = reader->history;
    const double *a = history->q[0] + 12 * (size_t)index, *v = history->v[0] + 12 * (size_t)index;
    const double *a1 = history->q[1] + 12 * (size_t)index, *v1 = history->v[1] + 12 * (size_t)index;
    double h = history->dt, hv = 2 * h / 3, w[3], w1[3], cosine, length;
    angular(a, v, w);
    angular(a1, v1, w1);
    double angle = h * sqrt(dot(w, w));
    bool rigid = reader->dense->body[index].rigid;
    double most = rigid ? MOST : MOST_ELASTIC;
    if (!(angle > FEW && angle < most)) {
        return;
    }
    double read[9], read1[9], fitted[9], turned[9], ahead[9], before[9], rate[9];
    for (int e = 0; e < 9; e++) {
        read[e] = v[e] + history->gap[0][12 * (size_t)index + e];
        read1[e] = v1[e] + history->gap[1][12 * (size_t)index + e];
    }
    combine(h, a, read, a1, read1, fitted);
    double sine = lag(h, w, &cosine, &length);
    double share = straightness(w, w1);
    evenly(fitted, w, asin(share * sine) * h / angle, turned); /* by that angle about w */
    evenly(a, w, h, ahead);
    evenly(a, w, -h, before);
    spin(w, ahead, rate);
    for (int e = 0; e < 9; e++) {
        hat[e] = cosine > 0 ? turned[e] - fitted[e] : 0;
        eased[e] = cosine > 0 && rigid && length > PULL ? (1 - PULL / length) * turned[e] : 0;
        past[e] = share * (ahead[e] - hv * rate[e] - (4 * a[e] - before[e]) / 3);
    }
}

/* ---- trees ---- */

static void join(Trees *trees, uint32_t count, uint32_t a, uint32_t b) {
    uint32_t from = trees->group[a], to = trees->group[b];
    for (uint32_t k = 0; k < count; k++) {
        trees->group[k] = trees->group[k] == from ? to : trees->group[k];
    }
}

static bool is_tied(const DenseJoint *joint) {
    static const AfxJointKind points[] = {AFX_JOINT_FIXED, AFX_JOINT_REVOLUTE, AFX_JOINT_UNIVERSAL, AFX_JOINT_SPHERICAL,
                                          AFX_JOINT_REVOLUTE_POINTS};
    bool tied = false;
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
        tied |= joint->kind == points[k];
    }
    return tied;
}

static void find_groups(const DenseReader *reader, Trees *trees) {
    const Dense *dense = reader->dense;
    uint32_t size[DENSE_BODIES_MOST] = {0};
    for (uint32_t k = 0; k <= reader->world; k++) {
        trees->group[k] = k;
        trees->balls[k] = true;
    }
    for (uint32_t k = 0; k < dense->joint_count; k++) {
        const DenseJoint *joint = &dense->joint[k];
        if (is_tied(joint) && dense->body[joint->a].moves && dense->body[joint->b].moves) {
            join(trees, reader->world, joint->a, joint->b);
        }
    }
    for (uint32_t k = 0; k < dense->joint_count; k++) {
        const DenseJoint *joint = &dense->joint[k];
        bool both = dense->body[joint->a].moves && dense->body[joint->b].moves;
        trees->balls[trees->group[joint->a]] &= !both || !is_tied(joint) || joint->kind == AFX_JOINT_SPHERICAL;
    }
    for (uint32_t k = 0; k < reader->world; k++) {
        size[trees->group[k]] += dense->body[k].moves;
    }
    for (uint32_t k = 0; k < reader->world; k++) {
        trees->balls[k] &= size[k] > 1;
    }
}

static void place(Trees *trees, uint32_t body, uint32_t parent, uint32_t joint) {
    trees->known[body] = true;
    trees->parent[body] = parent;
    trees->joint[body] = joint;
    trees->order[trees->count++] = body;
}

/* All that hangs on the bodies from place `at` of the order on. */
static void place_outward(const DenseReader *reader, Trees *trees, uint32_t at) {
    const Dense *dense = reader->dense;
    for (; at < trees->count; at++) {
        for (uint32_t k = 0; k < dense->joint_count; k++) {
            const DenseJoint *joint = &dense->joint[k];
            uint32_t own = trees->order[at], other = joint->a == own ? joint->b : joint->a;
            bool here = (joint->a == own || joint->b == own) && is_tied(joint);
            if (here && dense->body[other].moves && !trees->known[other]) {
                place(trees, other, own, k);
            }
        }
    }
}

/* Bodies on joints with the ground first, then all that hangs on them, then what hangs on nothing. */
static void find_trees(const DenseReader *reader, Trees *trees) {
    const Dense *dense = reader->dense;
    for (uint32_t body = 0; body < reader->world; body++) {
        for (uint32_t k = 0; dense->body[body].moves && k < dense->joint_count && !trees->known[body]; k++) {
            const DenseJoint *joint = &dense->joint[k];
            uint32_t other = joint->a == body ? joint->b : joint->a;
            if ((joint->a == body || joint->b == body) && is_tied(joint) && !dense->body[other].moves) {
                place(trees, body, reader->world, k);
            }
        }
    }
    place_outward(reader, trees, 0);
    for (uint32_t body = 0; body < reader->world; body++) {
        if (dense->body[body].moves && !trees->known[body]) {
            place(trees, body, body, UINT32_MAX);
            place_outward(reader, trees, trees->count - 1);
        }
    }
}

/* A x + t */
static void point_at(const double q[12], const double x[3], double out[3]) {
    for (int e = 0; e < 3; e++) {
        out[e] = q[e] * x[0] + q[3 + e] * x[1] + q[6 + e] * x[2] + q[9 + e];
    }
}

static bool is_held(const DenseReader *reader, const Trees *trees, uint32_t body) {
    return trees->joint[body] != UINT32_MAX && afx_sim_joint_active(reader->sim, trees->joint[body]);
}

static uint32_t loose_root(const DenseReader *reader, const Trees *trees, uint32_t body) {
    while (body != reader->world && is_held(reader, trees, body)) {
        body = trees->parent[body];
    }
    return body;
}

/* A body goes with the point of its parent where its joint is. */
static void follow(const DenseReader *reader, Trees *trees, uint32_t body) {
    const DenseJoint *joint = &reader->dense->joint[trees->joint[body]];
    const double *x = joint->a == body ? joint->point_a : joint->point_b, *q = reader->history->q[0];
    uint32_t parent = trees->parent[body];
    for (int k = 0; k < 2; k++) {
        double own[3], target[3] = {0, 0, 0}, at[3], local[3];
        if (parent != reader->world) {
            point_at(q + 12 * (size_t)body, x, at);
            for (int e = 0; e < 3; e++) {
                at[e] -= q[12 * (size_t)parent + 9 + e];
            }
            for (int e = 0; e < 3; e++) {
                local[e] = dot(q + 12 * (size_t)parent + 3 * e, at);
            }
            point_at(trees->more[k][parent], local, target);
        }
        point_at(trees->more[k][body], x, own);
        for (int e = 0; e < 3; e++) {
            trees->more[k][body][9 + e] = target[e] - own[e];
        }
    }
}

/* What nothing holds to the ground keeps its momentum. */
static void balance(const DenseReader *reader, Trees *trees, uint32_t root) {
    for (int k = 0; k < 2; k++) {
        double sum[3] = {0, 0, 0}, mass = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t body = 0; body < reader->world; body++) {
                if (!reader->dense->body[body].moves || loose_root(reader, trees, body) != root) {
                    continue;
                }
                mass += pass ? 0 : reader->dense->body[body].mass;
                for (int e = 0; e < 3; e++) {
                    double *t = &trees->more[k][body][9 + e];
                    sum[e] += pass ? 0 : reader->dense->body[body].mass * *t;
                    *t -= pass ? sum[e] / mass : 0;
                }
            }
        }
    }
}

/* What velocities by differences have more than true ones, in qhat. */
static double gaps(const DenseReader *reader, uint32_t body, int e) {
    const DenseHistory *history = reader->history;
    double now = history->gap[0][12 * (size_t)body + e], last = history->gap[1][12 * (size_t)body + e];
    return 2 * history->dt / 9 * (4 * now - last);
}

void dense_fit_phase(DenseReader *reader) {
    static Trees trees;
    memset(&trees, 0, sizeof trees);
    find_groups(reader, &trees);
    find_trees(reader, &trees);
    for (uint32_t body = 0; body < reader->world; body++) {
        if (reader->dense->body[body].moves && !trees.balls[trees.group[body]]) {
            fit_body(reader, body, trees.more[0][body], trees.more[1][body], trees.eased[body]);
        }
    }
    for (uint32_t k = 0; k < trees.count; k++) {
        if (is_held(reader, &trees, trees.order[k])) {
            follow(reader, &trees, trees.order[k]);
        }
    }
    for (uint32_t k = 0; k < trees.count; k++) {
        uint32_t body = trees.order[k];
        if (loose_root(reader, &trees, body) == body) {
            balance(reader, &trees, body);
        }
    }
    for (uint32_t body = 0; body < reader->world; body++) {
        for (int e = 0; e < 12; e++) {
            reader->dense->body[body].hat[e] += trees.more[0][body][e] - (e < 9 ? trees.eased[body][e] : 0);
            reader->dense->body[body].past[e] += trees.more[1][body][e];
            reader->dense->body[body].hat[e] += gaps(reader, body, e);
        }
    }
}
