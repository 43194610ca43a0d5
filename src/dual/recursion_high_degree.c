/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of one body that very many balls hold (high degree) in the elimination of recursion.h: linear in their number.
 *
 * In the high-degree body's axes a motion is a 3 x 4 matrix D = (beta, R^T delta_t), which moves the point x by D y, y
 * = (x, 1). Its inverse is X = L L^T, and D = D_0 - L xi. With Y_i = T_i^-1, the joints away from the root have
 *     lambda_i = Y_i (r_i - sign_i (L xi) y_i),   r_i = value_i + t_i + sign_i D_0 y_i,
 * so that xi is the solution of 12 equations, M xi = L^T b + A^T lambda, with
 *     M = I + L^T N L,   N = sum (y_i y_i^T) (x) Y_i,   b = sum sign_i y_i (x) Y_i r_i,
 * lambda those of the one joint towards the root, or with the ground, and A = sign (y^T (x) I) L its rows. Seen through
 * that joint, T = A M^-1 A^T and t = sign D_0 y - A M^-1 L^T b. */
#include "dual/recursion_high_degree.h"

#include <math.h>
#include <string.h>

#include "dual/apply.h"
#include "dual/recursion_message.h"
#include "dual/square.h"
#include "dual/tuning.h"

#define OWN 9 /* numbers of a joint: Y, r */

/* What is kept for the forward pass. */
typedef struct HighDegree {
    const AfxiRecursionJoint *joint; /* [count] the special one last */
    uint32_t body, count;            /* joints that are not special */
    bool special, ground;
    double *root;  /* [12][12] L */
    double *lower; /* [12][12] of M */
    double *first; /* [12] M^-1 L^T b */
    double *image; /* [3][12] M^-1 A^T */
    double *rest;  /* [9] T, t of the special joint */
    double *own;   /* [count][OWN] */
} HighDegree;

static bool is_ground(const AfxiSystem *system, const AfxiRecursionJoint *joint) {
    return joint->other[0] >= system->graph->body_count;
}

/* A forest holds a tree to the ground by one joint at most. */
static HighDegree high_degree_of(const AfxiSystem *system, const AfxiRecursionJob *job) {
    const AfxiRecursionJoint *joint = system->graph->recursion.joint + job->first_joint;
    double *to = system->recursion.forward + job->forward;
    HighDegree high_degree = {.joint = joint, .body = job->body[0], .count = job->children, .special = job->rooted};
    for (uint32_t k = 0; k < job->children; k++) {
        high_degree.ground |= is_ground(system, &joint[k]);
    }
    high_degree.special |= high_degree.ground;
    high_degree.root = to;
    high_degree.lower = to + 144;
    high_degree.first = to + 288;
    high_degree.image = to + 300;
    high_degree.rest = to + 336;
    high_degree.own = to + 345;
    return high_degree;
}

static const AfxiLever *lever_of(const AfxiSystem *system, const AfxiRecursionJoint *joint) {
    return &system->graph->closed_form.lever[joint->place[0]];
}

/* R^T v and R v */
static void turn_back(const AfxiMat3 *r, const double v[3], double out[3]) {
    vec3_store(out, mat3_apply_transposed(r, vec3_load(v)));
}

static void turn_on(const AfxiMat3 *r, const double v[3], double out[3]) {
    vec3_store(out, mat3_apply(r, vec3_load(v)));
}

/* D y */
static void move_point(const double d[AFXI_AFFINE_WIDTH], const double x[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = d[k] * x[0] + d[3 + k] * x[1] + d[6 + k] * x[2] + d[9 + k];
    }
}

static void start_of(const AfxiSystem *system, uint32_t body, double out[AFXI_AFFINE_WIDTH]) {
    const double *start = system->recursion.base + AFXI_AFFINE_WIDTH * (size_t)body;
    memcpy(out, start, 9 * sizeof *out);
    turn_back(&system->bodies.frame[body], start + 9, out + 9);
}

/* Value of a joint at the frames, in the axes of the high-degree body. */
static void value_of(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJoint *joint,
                     double out[3]) {
    const AfxiMat3 *r = &system->bodies.frame[high_degree->body];
    const double *t = &system->bodies.origin[high_degree->body].x;
    const AfxiLever *lever = lever_of(system, joint);
    if (!system->recursion.whole) {
        turn_back(r, system->value + joint->row[0], out);
        return;
    }
    const double *message = afxi_recursion_message(system, joint->message[0]);
    double end[3];
    for (int k = 0; k < 3; k++) {
        end[k] = message[AFXI_RECURSION_LANES * (AFXI_RECURSION_END + k)] - t[k];
    }
    turn_back(r, end, out);
    for (int k = 0; k < 3; k++) {
        out[k] = lever->sign * (lever->point[k] - out[k]);
    }
}

/* T and t of what stands beyond a joint, turned into the axes of the high-degree body. */
static void beyond(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJoint *joint,
                   AfxiMat3 *out_t, double gap[3]) {
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *message = afxi_recursion_message(system, joint->message[0]);
    AfxiMat3 other, t, half;
    double own[3];
    for (int k = 0; k < 9; k++) {
        other.m[k] = system->recursion.whole ? message[AFXI_RECURSION_LANES * (AFXI_RECURSION_FRAME + k)]
                                             : system->bodies.frame[joint->other[0]].m[k];
        t.m[k] = message[AFXI_RECURSION_LANES * (AFXI_RECURSION_POINT + at[k])];
        own[k % 3] = message[AFXI_RECURSION_LANES * (AFXI_RECURSION_GAP + k % 3)];
    }
    AfxiMat3 turn = mat3_multiply_tn(&system->bodies.frame[high_degree->body], &other), forward = mat3_transpose(&turn);
    half = mat3_multiply(&turn, &t);
    *out_t = mat3_multiply(&half, &forward);
    turn_on(&turn, own, gap);
}

/* Inverse of a symmetric definite matrix as xx, yy, zz, xy, xz, yz. */
static void invert(const AfxiMat3 *m, double out[6]) {
    const double *a = m->m;
    double d0 = 1 / a[0], l10 = a[1] * d0, l20 = a[2] * d0, d1 = 1 / (a[4] - l10 * a[1]), rest = a[5] - l20 * a[1];
    double l21 = rest * d1, d2 = 1 / (a[8] - l20 * a[2] - l21 * rest), c = l10 * l21 - l20;
    out[2] = d2;
    out[5] = -l21 * d2;
    out[4] = c * d2;
    out[1] = d1 - l21 * out[5];
    out[3] = -l10 * d1 - l21 * out[4];
    out[0] = d0 + l10 * l10 * d1 + c * out[4];
}

static void apply(const double y[6], const double v[3], double out[3]) {
    vec3_store(out, sym3_apply(y, vec3_load(v)));
}

/* N as [c >= d][6], and b. */
typedef struct Sums {
    double n[10][6], b[AFXI_AFFINE_WIDTH], largest;
} Sums;

static void add_joint(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJoint *joint,
                      const double start[AFXI_AFFINE_WIDTH], double *own, Sums *sums) {
    const AfxiLever *lever = lever_of(system, joint);
    const double y[4] = {lever->point[0], lever->point[1], lever->point[2], 1};
    double gap[3], value[3], moved[3], push[3];
    AfxiMat3 t;
    if (!system->active[joint->row[0]]) {
        memset(own, 0, OWN * sizeof *own);
        return;
    }
    beyond(system, high_degree, joint, &t, gap);
    value_of(system, high_degree, joint, value);
    move_point(start, lever->point, moved);
    invert(&t, own);
    for (int k = 0; k < 3; k++) {
        own[6 + k] = value[k] + gap[k] + lever->sign * moved[k];
        sums->largest = fmax(sums->largest, fabs(own[6 + k]));
    }
    apply(own, own + 6, push);
    for (int c = 0, at = 0; c < 4; c++) {
        for (int d = 0; d <= c; d++, at++) {
            double weight = y[c] * y[d];
            for (int k = 0; k < 6; k++) {
                sums->n[at][k] += weight * own[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            sums->b[3 * c + k] += lever->sign * y[c] * push[k];
        }
    }
}

/* M = I + L^T N L and its Cholesky factor, L^T b. */
static void factor(const HighDegree *high_degree, const Sums *sums) {
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double product[AFXI_AFFINE_WIDTH][AFXI_AFFINE_WIDTH], *m = high_degree->lower;
    for (int i = 0; i < AFXI_AFFINE_WIDTH; i++) {
        for (int j = 0; j < AFXI_AFFINE_WIDTH; j++) { /* N L */
            product[i][j] = 0;
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                int c = i / 3 > k / 3 ? i / 3 : k / 3, d = i / 3 + k / 3 - c;
                product[i][j] +=
                    sums->n[c * (c + 1) / 2 + d][at[i % 3][k % 3]] * high_degree->root[AFXI_AFFINE_WIDTH * k + j];
            }
        }
    }
    for (int i = 0; i < AFXI_AFFINE_WIDTH; i++) {
        high_degree->first[i] = 0;
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            high_degree->first[i] += high_degree->root[AFXI_AFFINE_WIDTH * k + i] * sums->b[k];
        }
        for (int j = 0; j <= i; j++) {
            double sum = i == j;
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                sum += high_degree->root[AFXI_AFFINE_WIDTH * k + i] * product[k][j];
            }
            m[AFXI_AFFINE_WIDTH * i + j] = sum;
        }
    }
    afxi_square_factor(m, AFXI_AFFINE_WIDTH, 0);
}

/* T and t, or the right-hand side of the ground, of the special joint. */
static void look_through(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJoint *joint,
                         const double start[AFXI_AFFINE_WIDTH]) {
    const AfxiLever *lever = lever_of(system, joint);
    const double y[4] = {lever->point[0], lever->point[1], lever->point[2], 1};
    double row[3][AFXI_AFFINE_WIDTH], moved[3], value[3] = {0, 0, 0};
    move_point(start, lever->point, moved);
    if (high_degree->ground) {
        value_of(system, high_degree, joint, value);
    }
    for (int k = 0; k < 3; k++) {
        double *image = high_degree->image + AFXI_AFFINE_WIDTH * (size_t)k;
        high_degree->rest[6 + k] = value[k] + lever->sign * moved[k];
        for (int m = 0; m < AFXI_AFFINE_WIDTH; m++) {
            row[k][m] = 0;
            for (int c = 0; c < 4; c++) {
                row[k][m] += lever->sign * y[c] * high_degree->root[AFXI_AFFINE_WIDTH * (3 * c + k) + m];
            }
        }
        memcpy(image, row[k], sizeof row[k]);
        afxi_square_solve(high_degree->lower, AFXI_AFFINE_WIDTH, image);
        high_degree->rest[6 + k] -= afxi_dual_dot(row[k], high_degree->first);
    }
    static const int from[6] = {0, 1, 2, 1, 2, 2}, to[6] = {0, 1, 2, 0, 0, 1};
    for (int k = 0; k < 6; k++) {
        high_degree->rest[k] = afxi_dual_dot(row[from[k]], high_degree->image + AFXI_AFFINE_WIDTH * (size_t)to[k]);
    }
}

void afxi_recursion_backward_high_degree(const AfxiSystem *system, const AfxiRecursionJob *job) {
    HighDegree high_degree = high_degree_of(system, job);
    Sums sums = {0};
    double start[AFXI_AFFINE_WIDTH], *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message);
    const AfxiRecursionJoint *special = job->rooted ? &high_degree.joint[job->children] : NULL;
    for (int j = 0; j < AFXI_AFFINE_WIDTH; j++) {
        double unit[AFXI_AFFINE_WIDTH] = {0};
        unit[j] = 1;
        afxi_dual_root_apply(&system->inverse[high_degree.body].blocks, unit,
                             high_degree.root + AFXI_AFFINE_WIDTH * (size_t)j);
    }
    start_of(system, high_degree.body, start);
    for (uint32_t k = 0; k < high_degree.count; k++) {
        if (is_ground(system, &high_degree.joint[k])) {
            special = &high_degree.joint[k];
        } else {
            add_joint(system, &high_degree, &high_degree.joint[k], start, high_degree.own + OWN * (size_t)k, &sums);
        }
    }
    factor(&high_degree, &sums);
    afxi_square_solve(high_degree.lower, AFXI_AFFINE_WIDTH, high_degree.first);
    message[AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST] = sums.largest;
    if (special) {
        look_through(system, &high_degree, special, start);
    }
    if (job->rooted) {
        for (int k = 0; k < 9; k++) {
            message[AFXI_RECURSION_LANES * (k < 6 ? AFXI_RECURSION_POINT + k : AFXI_RECURSION_GAP + k - 6)] =
                high_degree.rest[k];
        }
        if (system->recursion.whole) {
            afxi_recursion_pose(system, high_degree.body, lever_of(system, special)->point,
                                system->recursion.motion->qv + AFXI_AFFINE_WIDTH * (size_t)high_degree.body,
                                -0.5 * system->recursion.per_h, message);
        }
    }
}

/* ---- and back ---- */

/* Multipliers of the special joint, in the axes of the high-degree body. */
static void special_force(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJob *job,
                          const AfxiRecursionJoint *joint, double out[3]) {
    double world[3];
    if (!system->active[joint->row[0]]) {
        out[0] = out[1] = out[2] = 0;
    } else if (high_degree->ground) {
        const double *t = high_degree->rest;
        AfxiMat3 full = {{t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}};
        double inverse[6];
        invert(&full, inverse);
        apply(inverse, high_degree->rest + 6, out);
    } else {
        const double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message);
        for (int k = 0; k < 3; k++) {
            world[k] = system->recursion.whole ? message[AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + k)]
                                               : system->lambda[joint->row[0] + k];
        }
        turn_back(&system->bodies.frame[high_degree->body], world, out);
    }
}

/* The result of the high-degree body from its motion D. */
static void place(const AfxiSystem *system, uint32_t body, const double d[AFXI_AFFINE_WIDTH]) {
    const AfxiMat3 *r = &system->bodies.frame[body];
    const double *t = &system->bodies.origin[body].x;
    double *delta = system->delta + AFXI_AFFINE_WIDTH * (size_t)body,
           *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)body;
    memcpy(delta, d, 9 * sizeof *d);
    turn_on(r, d + 9, delta + 9);
    for (int c = 0; c < 4; c++) {
        turn_on(r, d + 3 * c, next + 3 * c);
        for (int k = 0; k < 3; k++) {
            next[3 * c + k] += c < 3 ? r->m[3 * c + k] : t[k];
        }
    }
}

/* The bound of one joint of a high-degree body with multipliers lambda. */
static double bound_of(const AfxiLever *lever, const double lambda[3]) {
    return (fabs(lambda[0]) + fabs(lambda[1]) + fabs(lambda[2])) * vec3_length(vec3_load(lever->point));
}

/* How good the result of a high-degree body is. */
static void judge(const AfxiSystem *system, uint32_t body, AfxiBodiesTally *tally) {
    const AfxiGraph *graph = system->graph;
    const AfxiBodiesWork *work = &system->bodies;
    const double *c = system->inverse[body].blocks.c, *next = work->next + AFXI_AFFINE_WIDTH * (size_t)body;
    double s[9] = {0}, gamma = 0, sum = 0, least = c[0] + c[1];
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const AfxiLever *lever = &graph->closed_form.lever[x];
        const double *lambda = system->lambda + graph->closed_form.first_row[x];
        double f[3];
        turn_back(&work->frame[body], lambda, f);
        for (int k = 0; k < 9; k++) {
            s[k] += lever->sign * f[k % 3] * lever->point[k / 3];
        }
        gamma += bound_of(lever, lambda);
    }
    double trace = s[0] + s[4] + s[8], inertia[3] = {c[1] + c[2], c[0] + c[2], c[0] + c[1]};
    const double stiffness[6] = {s[0] - trace,        s[4] - trace,        s[8] - trace,
                                 0.5 * (s[1] + s[3]), 0.5 * (s[2] + s[6]), 0.5 * (s[5] + s[7])};
    AfxiMat3 beta = mat3_load(system->delta + AFXI_AFFINE_WIDTH * (size_t)body);
    AfxVec3 w = mat3_axial(&beta);
    for (int k = 0; k < 3; k++) {
        inertia[k] += work->held[body];
        least = fmin(least, inertia[k]);
    }
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum += AFXI_FINITE_REACH * next[k];
    }
    work->turn[body] = vec3_length(w);
    work->gamma_next[body] = gamma;
    AfxiBodiesTally own = {.turn = work->turn[body],
                           .error = work->turn[body] + afxi_turn_error(w, inertia, work->gamma[body], stiffness),
                           .jump = gamma > 2 * (work->gamma[body] + least),
                           .infinite = !isfinite(sum)};
    afxi_tally_join(tally, &own);
}

/* What a whole stage leaves for the bodies beyond a joint: its multipliers, and where it is now. */
static void hand_on(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJoint *joint,
                    const double world[3]) {
    const double *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)high_degree->body;
    double *message = afxi_recursion_message(system, joint->message[0]), at[3];
    move_point(next, lever_of(system, joint)->point, at);
    for (int k = 0; k < 3; k++) {
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + k)] = world[k];
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + 3 + k)] = 0;
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_AT + k)] = at[k];
    }
}

/* How far the joint towards the root is off. */
static void check_root(const AfxiSystem *system, const HighDegree *high_degree, const AfxiRecursionJob *job,
                       AfxiRecursionTally *out) {
    const AfxiRecursionJoint *joint = &high_degree->joint[job->children];
    const double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message);
    double at[3];
    move_point(system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)high_degree->body, lever_of(system, joint)->point, at);
    for (int k = 0; k < 3; k++) {
        double gap = fabs(at[k] - message[AFXI_RECURSION_LANES * (AFXI_RECURSION_AT + k)]);
        out->reach = fmax(out->reach, fabs(at[k]));
        if (system->active[joint->row[0]] && !(gap <= out->gap)) {
            out->gap = gap;
        }
    }
}

void afxi_recursion_forward_high_degree(const AfxiSystem *system, const AfxiRecursionJob *job,
                                        AfxiRecursionTally *out) {
    HighDegree high_degree = high_degree_of(system, job);
    const AfxiMat3 *r = &system->bodies.frame[high_degree.body];
    double xi[AFXI_AFFINE_WIDTH], d[AFXI_AFFINE_WIDTH], moved[AFXI_AFFINE_WIDTH], force[3] = {0, 0, 0}, world[3];
    const AfxiRecursionJoint *special = job->rooted ? &high_degree.joint[job->children] : NULL;
    for (uint32_t k = 0; k < high_degree.count && high_degree.ground; k++) {
        special = is_ground(system, &high_degree.joint[k]) ? &high_degree.joint[k] : special;
    }
    if (special) {
        special_force(system, &high_degree, job, special, force);
    }
    for (int m = 0; m < AFXI_AFFINE_WIDTH; m++) {
        xi[m] = high_degree.first[m];
        for (int k = 0; special && k < 3; k++) {
            xi[m] += high_degree.image[AFXI_AFFINE_WIDTH * k + m] * force[k];
        }
    }
    start_of(system, high_degree.body, d);
    for (int m = 0; m < AFXI_AFFINE_WIDTH; m++) {
        moved[m] = afxi_dual_dot(high_degree.root + AFXI_AFFINE_WIDTH * (size_t)m, xi);
        d[m] -= moved[m];
    }
    if (system->recursion.whole) {
        place(system, high_degree.body, d);
    }
    for (uint32_t k = 0; k < high_degree.count + job->rooted; k++) {
        const AfxiRecursionJoint *joint = &high_degree.joint[k];
        const AfxiLever *lever = lever_of(system, joint);
        const double *own = high_degree.own + OWN * (size_t)k;
        double rest[3], local[3];
        if (joint == special) {
            memcpy(local, force, sizeof local);
        } else {
            move_point(moved, lever->point, rest);
            for (int e = 0; e < 3; e++) {
                rest[e] = own[6 + e] - lever->sign * rest[e];
            }
            apply(own, rest, local);
        }
        turn_on(r, local, world);
        for (int e = 0; e < 3; e++) {
            bool active = system->active[joint->row[0] + (uint32_t)e];
            world[e] = active ? world[e] : system->fixed[joint->row[0] + (uint32_t)e];
            system->lambda[joint->row[0] + (uint32_t)e] = world[e];
        }
        if (system->recursion.whole && k < high_degree.count) {
            hand_on(system, &high_degree, joint, world);
        }
    }
    if (system->recursion.whole) {
        judge(system, high_degree.body, &out->bodies);
        if (job->rooted) {
            check_root(system, &high_degree, job, out);
        }
    }
}

/* ---- by themselves ---- */

void afxi_high_degree_bounds(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->high_degree_count; k++) {
        uint32_t body = graph->high_degree[k];
        double sum = 0;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            sum += bound_of(&graph->closed_form.lever[x], system->bodies.load + graph->closed_form.first_row[x]);
        }
        system->bodies.gamma[body] = sum;
    }
}

void afxi_high_degree_primal(const AfxiSystem *system, AfxiBodiesTally *tally) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->high_degree_count; k++) {
        uint32_t body = graph->high_degree[k];
        const AfxiMat3 *r = &system->bodies.frame[body];
        const double *start = system->start + AFXI_AFFINE_WIDTH * (size_t)body;
        double load[AFXI_AFFINE_WIDTH] = {0}, d[AFXI_AFFINE_WIDTH], moved[AFXI_AFFINE_WIDTH];
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiLever *lever = &graph->closed_form.lever[x];
            double f[3];
            turn_back(r, system->lambda + graph->closed_form.first_row[x], f);
            for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
                load[e] += lever->sign * f[e % 3] * (e < 9 ? lever->point[e / 3] : 1);
            }
        }
        afxi_body_apply(&system->inverse[body], load, moved);
        memcpy(d, start, 9 * sizeof *d);
        turn_back(r, start + 9, d + 9);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            d[e] -= moved[e];
        }
        place(system, body, d);
        judge(system, body, tally);
    }
}
