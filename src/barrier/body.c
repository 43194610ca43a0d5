/* SPDX-License-Identifier: Apache-2.0 */
/* With B = R^T A, R the rotation part of A, a body has the energy
 *     1/2 sum_k c_k |a_k - a^_k|² + 1/2 c_t |t - t^|² + V (mu |B - I|² + lambda/2 tr(B - I)²) - F : A - f . t.
 * Turned by A exp[w] its elastic energy stays what it is, so that in w it has no second order; of the rest, with the
 * gradient N on A and G = A^T N, the second order of exp[w] adds sym G - tr G I to the stiffness of the turn. What is
 * not definite of that, with inertia, is lifted. */
#include "barrier/body.h"

#include <string.h>

#include "barrier/orthogonality.h"
#include "math/eigen.h"
#include "math/polar.h"

/* Rows and columns of strains xx, yy, zz, xy, xz, yz. */
static const int strain_row[6] = {0, 1, 2, 0, 0, 1}, strain_column[6] = {0, 1, 2, 1, 2, 2};

void afxi_barrier_local(const AfxiMat3 *g, AfxVec3 f, double out[AFXI_BARRIER_WIDTH]) {
    vec3_store(out, vec3_scale(2, mat3_axial(g)));
    vec3_store(out + 3, f);
    for (int k = 0; k < 6; k++) {
        int i = strain_row[k], j = strain_column[k];
        out[6 + k] = i == j ? g->m[4 * i] : g->m[3 * j + i] + g->m[3 * i + j];
    }
}

/* The direction A' by unknown k, in the body's axes: a skew matrix, or a symmetric one. */
AfxiMat3 afxi_barrier_direction(int k) {
    AfxiMat3 out = {{0}};
    if (k < 3) {
        return mat3_skew(vec3(k == 0, k == 1, k == 2));
    }
    out.m[3 * strain_column[k - 3] + strain_row[k - 3]] = 1;
    out.m[3 * strain_row[k - 3] + strain_column[k - 3]] = 1;
    return out;
}

/* Where a point comes that sets off with v while everything turns by w: v + (1 - cos)/w² w x v + (w - sin)/w³ w x (w x
 * v).
 */
static AfxVec3 along_screw(AfxVec3 w, AfxVec3 v) {
    double square = vec3_dot(w, w), angle = sqrt(square);
    double first = angle > 1e-4 ? (1 - cos(angle)) / square : 0.5 - square / 24;
    double second = angle > 1e-2 ? (angle - sin(angle)) / (square * angle) : 1.0 / 6 - square / 120;
    AfxVec3 across = vec3_cross(w, v);
    return vec3_mad(vec3_mad(v, first, across), second, vec3_cross(w, across));
}

/* The published update: straight, A' = A + A (w x + s), t' = t + x. */
static void go_straight(const double *from, const double *d, double share, double *to) {
    AfxiMat3 a = mat3_load(from), step = {{0}};
    for (int k = 0; k < 9; k++) {
        AfxiMat3 own = afxi_barrier_direction(k);
        for (int e = 0; e < 9; e++) {
            step.m[e] += d[k < 3 ? k : k + 3] * own.m[e];
        }
    }
    step = mat3_multiply(&a, &step);
    for (int e = 0; e < 9; e++) {
        to[e] = from[e] + share * step.m[e];
    }
    for (int e = 0; e < 3; e++) {
        to[9 + e] = from[9 + e] + share * d[3 + e];
    }
}

void afxi_barrier_retract(const AfxiBarrierBody *body, const double *from, const double *delta, double share,
                          double *to) {
    const double *d = delta + body->first;
    if (body->straight) {
        go_straight(from, d, share, to);
        return;
    }
    AfxiMat3 a = mat3_load(from), turn = afxi_mat3_rotation(vec3_scale(share, vec3_load(d)));
    a = mat3_multiply(&a, &turn);
    if (body->width == AFXI_BARRIER_WIDTH) {
        AfxiMat3 strain = mat3_identity();
        for (int k = 0; k < 6; k++) {
            int i = strain_row[k], j = strain_column[k];
            strain.m[3 * j + i] += share * d[6 + k];
            strain.m[3 * i + j] += i == j ? 0 : share * d[6 + k];
        }
        a = mat3_multiply(&a, &strain);
    } else { /* one Newton step towards the nearest rotation: it stays one to rounding */
        AfxiMat3 square = mat3_multiply_tn(&a, &a);
        for (int e = 0; e < 9; e++) {
            square.m[e] = 1.5 * (e % 4 == 0) - 0.5 * square.m[e];
        }
        a = mat3_multiply(&a, &square);
    }
    AfxVec3 shift = vec3_scale(share, vec3_load(d + 3));
    if (body->bound) {
        AfxiMat3 old = mat3_load(from);
        shift = along_screw(mat3_apply(&old, vec3_scale(share, vec3_load(d))), shift);
    }
    memcpy(to, a.m, sizeof a.m);
    vec3_store(to + 9, vec3_add(vec3_load(from + 9), shift));
}

void afxi_barrier_body_begin(AfxiBarrier *work, AfxiBarrierBody *body) {
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    AfxiScale scale = body->plan->weights.scale;
    double drag = scale.h_squared / scale.h_rate;
    double w_a = 1 / (1 + class->angular_damping * drag), w_t = 1 / (1 + class->linear_damping * drag);
    for (int k = 0; k < 3; k++) {
        body->c[k] = class->s[k] / (scale.h_squared * w_a);
    }
    body->c_t = class->mass / (scale.h_squared * w_t);
    double shear = class->young / (2 * (1 + class->poisson));
    bool rigid = body->width != AFXI_BARRIER_WIDTH;
    body->straight = work->published;
    body->k = work->published ? class->volume * class->young : 0;
    body->mu = rigid ? 0 : class->volume * shear;
    body->la = rigid ? 0 : 2 * body->mu * class->poisson / (1 - 2 * class->poisson);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        double w = k < 9 ? w_a : w_t;
        body->target[k] = w * body->qhat[k] + (1 - w) * body->qv[k];
    }
}

void afxi_barrier_body_loads(AfxiBarrier *work, AfxiBarrierBody *body) {
    const AfxiWorld *world = work->world;
    const AfxiBodyClass *class = afxi_world_class(world, body->body);
    AfxVec3 gravity = vec3_load(afxi_world_param(world, AFX_PARAM_GRAVITY, 0)), more;
    uint32_t slot = world->force_slot[body->body];
    memset(body->force_a, 0, sizeof body->force_a);
    vec3_store(body->force, vec3_scale(class->gravity * class->mass, gravity));
    if (slot != UINT32_MAX) {
        const AfxiMat3 *r = &work->rotation[AFXI_NOW][body->body];
        AfxiMat3 on_a = afxi_free_forces(&world->forces[slot], r, &more);
        on_a = mat3_multiply(r, &on_a);
        memcpy(body->force_a, on_a.m, sizeof on_a.m);
        vec3_store(body->force, vec3_add(vec3_load(body->force), more));
    }
}

void afxi_barrier_ways(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->model->body_count; k++) {
        uint32_t slot = work->slot[k];
        const double *from = barrier_place(work, AFXI_BEGIN, k);
        const double *to = work->kinematic + (size_t)AFXI_AFFINE_WIDTH * k;
        double turned = 0, extent = 0;
        AfxVec3 more = {0, 0, 0};
        if (slot != UINT32_MAX) {
            AfxiBarrierBody *body = &work->bodies[slot];
            afxi_barrier_body_loads(work, body);
            more = vec3_scale(1 / body->c_t, vec3_load(body->force));
            to = body->target;
            extent = body->extent;
        }
        for (int e = 0; e < 9; e++) {
            turned += (to[e] - from[e]) * (to[e] - from[e]);
        }
        work->reach[k] = extent * sqrt(0.5 * turned);
        work->way[k] = vec3_add(vec3_sub(vec3_load(to + 9), vec3_load(from + 9)), more);
    }
}

/* Strain B - I of an elastic body, and its trace. */
static AfxiMat3 strain_of(const AfxiBarrier *work, const AfxiBarrierBody *body, AfxiBarrierPlace place,
                          double *out_trace) {
    AfxiMat3 a = mat3_load(barrier_place(work, place, body->body));
    AfxiMat3 b = mat3_multiply_tn(&work->rotation[place][body->body], &a);
    for (int k = 0; k < 3; k++) {
        b.m[4 * k] -= 1;
    }
    *out_trace = b.m[0] + b.m[4] + b.m[8];
    return b;
}

double afxi_barrier_body_energy(const AfxiBarrier *work, const AfxiBarrierBody *body, AfxiBarrierPlace place,
                                double *size) {
    const double *q = barrier_place(work, place, body->body), *begin = barrier_place(work, AFXI_BEGIN, body->body);
    double inertia = 0, loads = 0, elastic = 0, load_size = 0;
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        double off = q[k] - body->target[k], c = k < 9 ? body->c[k / 3] : body->c_t;
        double force = k < 9 ? body->force_a[k] : body->force[k - 9];
        inertia += 0.5 * c * off * off;
        loads -= force * (q[k] - begin[k]); /* from where the step begins: far from the origin too */
        load_size += fabs(force * (q[k] - begin[k]));
    }
    if (body->width == AFXI_BARRIER_WIDTH) {
        double trace;
        AfxiMat3 strain = strain_of(work, body, place, &trace);
        for (int e = 0; e < 9; e++) {
            elastic += body->mu * strain.m[e] * strain.m[e];
        }
        elastic += 0.5 * body->la * trace * trace;
    }
    if (body->straight) {
        elastic = afxi_orthogonality(body->k, q, NULL, NULL);
    }
    double rounded = AFXI_BARRIER_PLACE * (vec3_length(vec3_load(q + 9)) + body->extent);
    *size += inertia + elastic + load_size + body->c_t * rounded * rounded; /* what rounding of its place makes */
    return inertia + elastic + loads;
}

void afxi_barrier_body_gradient(const AfxiBarrier *work, const AfxiBarrierBody *body, double g[9], double f[3],
                                double out_strain[6]) {
    const double *q = barrier_place(work, AFXI_NOW, body->body);
    AfxiMat3 a = mat3_load(q), n;
    for (int k = 0; k < 9; k++) {
        n.m[k] = body->c[k / 3] * (q[k] - body->target[k]) - body->force_a[k];
    }
    AfxiMat3 own = mat3_multiply_tn(&a, &n);
    memcpy(g, own.m, sizeof own.m);
    for (int k = 0; k < 3; k++) {
        f[k] = body->c_t * (q[9 + k] - body->target[9 + k]) - body->force[k];
    }
    memset(out_strain, 0, 6 * sizeof *out_strain);
    if (body->straight) {
        afxi_orthogonality(body->k, q, out_strain, NULL);
    } else if (body->width == AFXI_BARRIER_WIDTH) {
        double trace, local[AFXI_BARRIER_WIDTH];
        AfxiMat3 strain = strain_of(work, body, AFXI_NOW, &trace), stress, pulled;
        AfxiMat3 b = mat3_multiply_tn(&work->rotation[AFXI_NOW][body->body], &a);
        for (int e = 0; e < 9; e++) {
            stress.m[e] = 2 * body->mu * strain.m[e] + (e % 4 == 0 ? body->la * trace : 0);
        }
        pulled = mat3_multiply_tn(&b, &stress);
        afxi_barrier_local(&pulled, vec3(0, 0, 0), local);
        memcpy(out_strain, local + 6, 6 * sizeof *out_strain);
    }
}

/* Lifts the turn's 3x3 block to what is definite. */
static void lift(double *h, double inertia) {
    double packed[6], value[3], least = AFXI_BARRIER_DEFINITE * inertia;
    AfxiMat3 vectors;
    for (int k = 0; k < 6; k++) {
        packed[k] = h[AFXI_BARRIER_WIDTH * strain_column[k] + strain_row[k]];
    }
    afxi_eigen_sym3(packed, value, &vectors);
    if (value[0] >= least && value[1] >= least && value[2] >= least) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                sum += fmax(value[k], least) * vectors.m[3 * k + i] * vectors.m[3 * k + j];
            }
            h[AFXI_BARRIER_WIDTH * j + i] = sum;
        }
    }
}

void afxi_barrier_body_hessian(const AfxiBarrier *work, const AfxiBarrierBody *body, const double g[9],
                               double h[AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH]) {
    AfxiMat3 a = mat3_load(barrier_place(work, AFXI_NOW, body->body)), metric = mat3_multiply_tn(&a, &a);
    int count = body->width == AFXI_BARRIER_WIDTH ? 9 : 3;
    memset(h, 0, AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH * sizeof *h);
    for (int i = 0; i < count; i++) {
        AfxiMat3 d = afxi_barrier_direction(i), m = mat3_multiply(&metric, &d);
        for (int j = 0; j < count; j++) {
            AfxiMat3 other = afxi_barrier_direction(j);
            double sum = 0;
            for (int e = 0; e < 9; e++) {
                sum += body->c[e / 3] * m.m[e] * other.m[e];
            }
            h[AFXI_BARRIER_WIDTH * (i < 3 ? i : i + 3) + (j < 3 ? j : j + 3)] = sum;
        }
    }
    for (int i = 0; body->straight && i < 3; i++) {
        h[(AFXI_BARRIER_WIDTH + 1) * (3 + i)] = body->c_t;
    }
    if (body->straight) { /* coordinates go straight: nothing of second order but in the energy */
        afxi_orthogonality(body->k, barrier_place(work, AFXI_NOW, body->body), NULL, h);
        return;
    }
    double inertia = (h[0] + h[13] + h[26]) / 3, trace = g[0] + g[4] + g[8];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            h[AFXI_BARRIER_WIDTH * j + i] += 0.5 * (g[3 * j + i] + g[3 * i + j]) - (i == j ? trace : 0);
        }
        h[(AFXI_BARRIER_WIDTH + 1) * (3 + i)] = body->c_t;
    }
    lift(h, inertia);
    for (int k = 0; count == 9 && k < 6; k++) {
        h[(AFXI_BARRIER_WIDTH + 1) * (6 + k)] += (k < 3 ? 2 : 4) * body->mu;
        for (int m = 0; k < 3 && m < 3; m++) {
            h[AFXI_BARRIER_WIDTH * (6 + k) + 6 + m] += body->la;
        }
    }
}
