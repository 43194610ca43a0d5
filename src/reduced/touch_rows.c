/* SPDX-License-Identifier: Apache-2.0 */
/* A contact point is a spring along its normal and one of friction across (constraint/contact.h). In joint coordinates,
 * with the gradient g of a row's rate by u, q = q* + b u and the slip dt times the rate, it adds
 *     F g to the forces,  b² k g g^T (gap) or b dt k g g^T (slip, turn) to the matrix M + b D + b² K.
 * A point of one body against what is not solved for couples degrees of freedom on one way to the root, where the
 * factor has its entries already; points between two bodies join their ways (joined.h). */
#include "reduced/touch.h"

#include <math.h>
#include <string.h>

#include "constraint/tuning.h"
#include "reduced/spatial.h"

uint32_t afxi_reduced_touch_dof(const AfxiReduced *work, uint32_t body) {
    uint32_t place = work->tree.place[body], node = AFXI_TREE_NONE;
    node = place == AFXI_TREE_NONE ? AFXI_TREE_NONE : work->tree.carried[place].node;
    while (node != AFXI_TREE_NONE && work->tree.node[node].dof_count == 0) {
        node = work->tree.node[node].parent;
    }
    return node == AFXI_TREE_NONE ? AFXI_TREE_NONE : work->tree.node[node].dof + work->tree.node[node].dof_count - 1;
}

/* ---- at a state ---- */

static AfxVec3 rate_of(const double *v, const double x[3]) {
    AfxVec3 sum = vec3_load(v + 9);
    for (int k = 0; k < 3; k++) {
        sum = vec3_mad(sum, x[k], vec3_load(v + 3 * k));
    }
    return sum;
}

static AfxVec3 spin_of(const double *q, const double *v) {
    AfxiMat3 a = mat3_load(q), rate = mat3_load(v), back = mat3_transpose(&a), spin = mat3_multiply(&rate, &back);
    return mat3_axial(&spin);
}

static void copy_raw(const AfxiReduced *work, const double *from, double *to, uint32_t carried) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * work->tree.carried[carried].body;
    memcpy(to + at, from + at, AFXI_AFFINE_WIDTH * sizeof *to);
}

/* What slip is counted from, so that it is what the velocities make of it: b and the step's weights are linear. */
static void count_from(AfxiReduced *work, uint32_t index, double b) {
    const AfxiReducedTouch *touch = &work->touch;
    AfxiPoint *point = &afxi_touch_set(work)->now.point[index];
    const double *q[2] = {afxi_touch_raw(touch->collide->result, point->body_a),
                          afxi_touch_raw(touch->collide->result, point->body_b)};
    const double *v[2] = {afxi_touch_raw(touch->v, point->body_a), afxi_touch_raw(touch->v, point->body_b)};
    AfxVec3 other = point->pair ? rate_of(v[1], point->x_b) : touch->point[index].velocity;
    AfxVec3 rate = vec3_sub(rate_of(v[0], point->x_a), other);
    point->slip_scale = touch->length / b;
    vec3_store(point->before, vec3_mad(afxi_point_distance(point, q[0], q[1]), -b, rate));
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 turning = point->pair ? spin_of(q[1], v[1]) : touch->point[index].turning;
        turning = vec3_sub(spin_of(q[0], v[0]), turning);
        vec3_store(point->spun, vec3_mad(afxi_point_turn(afxi_touch_set(work), point, q[0], q[1]), -b, turning));
    }
}

void afxi_reduced_touch_place(AfxiReduced *work, double b) {
    AfxiReducedTouch *touch = &work->touch;
    for (uint32_t k = 0; k < touch->body_count; k++) {
        afxi_tree_body_raw(&work->work, touch->body[k], touch->collide->result, touch->v);
        copy_raw(work, touch->collide->result, touch->frame, touch->body[k]);
    }
    for (uint32_t k = 0; k < touch->active.count; k++) {
        count_from(work, k, b);
    }
    touch->active.started = false;
}

/* Bodies with points where a solve puts them, from their frames on along the change of velocities; how far the furthest
 * turns comes back. */
static double shift_points(AfxiReduced *work, double b) {
    AfxiReducedTouch *touch = &work->touch;
    double most = 0;
    for (uint32_t k = 0; k < touch->body_count; k++) {
        const AfxiCarried *carried = &work->tree.carried[touch->body[k]];
        AfxiSpatial motion = {{0, 0, 0}, {0, 0, 0}};
        for (uint32_t d = afxi_reduced_touch_dof(work, carried->body); d != AFXI_TREE_NONE;
             d = work->tree.dof[d].parent) {
            motion.w = vec3_mad(motion.w, work->du[d], work->work.axis[d].w);
            motion.v = vec3_mad(motion.v, work->du[d], work->work.axis[d].v);
        }
        if (carried->node == AFXI_TREE_NONE) {
            continue;
        }
        size_t at = (size_t)AFXI_AFFINE_WIDTH * carried->body;
        motion = afxi_tree_body_motion(&work->work, touch->body[k], &motion);
        for (int c = 0; c < 4; c++) {
            AfxVec3 from = vec3_load(touch->frame + at + 3 * c), rate = c < 3 ? vec3_cross(motion.w, from) : motion.v;
            vec3_store(touch->collide->result + at + 3 * c, vec3_mad(from, b, rate));
        }
        most = fmax(most, b * vec3_length(motion.w));
    }
    return most;
}

bool afxi_reduced_touch_settle(AfxiReduced *work, double b) {
    AfxiReducedTouch *touch = &work->touch;
    bool moving = shift_points(work, b) > AFXI_REDUCED_TURNED;
    bool again = afxi_activeset_update(afxi_touch_set(work), &touch->active, moving);
    touch->rough = touch->rough || touch->active.given_up;
    return again;
}

bool afxi_reduced_touch_open(const AfxiReduced *work) {
    const AfxiActiveSet *active = &work->touch.active;
    return active->count && active->changed && !active->given_up;
}

/* ---- forces and matrix ---- */

/* A row of a point: along or about a direction, at a place of each body. */
typedef struct Row {
    AfxVec3 axis, place[2];
    bool turns;
} Row;

static AfxVec3 place_on(const AfxiReduced *work, uint32_t body, const double x[3]) {
    const double *q = afxi_touch_raw(work->touch.frame, body);
    AfxVec3 sum = vec3_load(q + 9);
    for (int k = 0; k < 3; k++) {
        sum = vec3_mad(sum, x[k], vec3_load(q + 3 * k));
    }
    return sum;
}

static Row row_of(const AfxiReduced *work, const AfxiPoint *point, uint32_t r) {
    Row row = {.axis = vec3_load(point->axis + (size_t)3 * (r % 3)), .turns = r >= 3};
    row.place[0] = place_on(work, point->body_a, r == 0 ? point->core_a : point->x_a);
    if (point->pair) {
        row.place[1] = place_on(work, point->body_b, r == 0 ? point->core_b : point->x_b);
    }
    return row;
}

/* Adds `sign` times the gradient of a row on one body, in the order of the path. */
static void add_gradient(const AfxiReduced *work, uint32_t body, AfxVec3 place, const Row *row, double sign,
                         uint32_t count, double *out) {
    uint32_t dof = afxi_reduced_touch_dof(work, body), at = count;
    if (dof == AFXI_TREE_NONE) {
        return;
    }
    AfxVec3 reference = work->work.reference[work->tree.node[work->tree.dof[dof].node].first], none = {0, 0, 0};
    AfxiSpatial wrench =
        row->turns ? spatial(row->axis, none) : spatial(vec3_cross(vec3_sub(place, reference), row->axis), row->axis);
    for (; dof != AFXI_TREE_NONE; dof = work->tree.dof[dof].parent) {
        while (work->touch.path[--at] != dof) {
        }
        out[at] += sign * spatial_dot(work->work.axis[dof], wrench);
    }
}

/* The degrees of freedom that move a point, rising: their number. */
static uint32_t list_path(const AfxiReduced *work, const AfxiPoint *point) {
    uint32_t a = afxi_reduced_touch_dof(work, point->body_a),
             b = point->pair ? afxi_reduced_touch_dof(work, point->body_b) : AFXI_TREE_NONE, count = 0;
    uint32_t *path = work->touch.path;
    while (a != AFXI_TREE_NONE || b != AFXI_TREE_NONE) {
        bool first = b == AFXI_TREE_NONE || (a != AFXI_TREE_NONE && a >= b), both = a == b;
        path[count++] = first ? a : b;
        a = first ? work->tree.dof[a].parent : a;
        b = !first || both ? work->tree.dof[b].parent : b;
    }
    for (uint32_t k = 0; k < count / 2; k++) {
        uint32_t other = path[k];
        path[k] = path[count - 1 - k];
        path[count - 1 - k] = other;
    }
    return count;
}

static void set_gradient(const AfxiReduced *work, const AfxiPoint *point, uint32_t r, uint32_t count) {
    double *g = work->touch.gradient;
    Row row = row_of(work, point, r);
    memset(g, 0, count * sizeof *g);
    add_gradient(work, point->body_a, row.place[0], &row, 1, count, g);
    if (point->pair) {
        add_gradient(work, point->body_b, row.place[1], &row, -1, count, g);
    }
}

void afxi_reduced_touch_forces(AfxiReduced *work) {
    AfxiReducedTouch *touch = &work->touch;
    for (uint32_t k = 0; k < touch->active.count; k++) {
        const AfxiPoint *point = &afxi_touch_set(work)->now.point[k];
        AfxiPointState at;
        if (!point->row_count) {
            continue;
        }
        afxi_point_measure(afxi_touch_set(work), point, afxi_touch_raw(touch->frame, point->body_a),
                           point->pair ? afxi_touch_raw(touch->frame, point->body_b) : NULL, &at);
        uint32_t count = list_path(work, point);
        for (uint32_t r = 0; r < point->row_count; r++) {
            AfxVec3 axis = vec3_load(point->axis + (size_t)3 * (r % 3));
            double force = r == 0 ? at.push : vec3_dot(axis, vec3_load(r < 3 ? at.friction : at.moment));
            if (force != 0) {
                set_gradient(work, point, r, count);
                for (uint32_t e = 0; e < count; e++) {
                    work->tau[touch->path[e]] += force * touch->gradient[e];
                }
            }
        }
    }
}

static void add_square(AfxiReduced *work, double weight, uint32_t count) {
    const uint32_t *path = work->touch.path;
    const double *g = work->touch.gradient;
    for (uint32_t i = 0; i < count; i++) {
        double by = weight * g[i];
        for (uint32_t j = 0; j <= i; j++) {
            work->mass_now[afxi_packed_place(work->rows_now, path[i], path[j])] += by * g[j];
        }
    }
}

static void fill(AfxiReduced *work) {
    afxi_joined_fill(&work->touch.joined, &work->rows, work->mass);
    work->rows_now = &work->touch.joined.rows;
    work->mass_now = work->touch.joined.matrix;
}

uint32_t afxi_reduced_touch_gradient(const AfxiReduced *work, const AfxiPoint *point, uint32_t r) {
    uint32_t count = list_path(work, point);
    set_gradient(work, point, r, count);
    return count;
}

bool afxi_reduced_touch_own_matrix(AfxiReduced *work) {
    fill(work);
    return work->work.kernels->factor(work->rows_now, work->mass_now) != 0;
}

bool afxi_reduced_touch_jump_matrix(AfxiReduced *work) {
    fill(work);
    for (uint32_t k = 0; k < work->touch.active.count; k++) {
        const AfxiPoint *point = &afxi_touch_set(work)->now.point[k];
        double stiffness = AFXI_BOUNCE_STIFFNESS * afxi_world_class(work->world, point->body_a)->mass;
        for (uint32_t r = 0; r < 3 && point->row_count; r++) {
            if (!isnan(point->jump[r])) {
                add_square(work, stiffness, afxi_reduced_touch_gradient(work, point, r));
            }
        }
    }
    return work->work.kernels->factor(work->rows_now, work->mass_now) != 0;
}

void afxi_reduced_touch_matrix(AfxiReduced *work, double b) {
    AfxiReducedTouch *touch = &work->touch;
    fill(work);
    for (uint32_t k = 0; k < touch->active.count; k++) {
        const AfxiPoint *point = &afxi_touch_set(work)->now.point[k];
        uint32_t count = point->row_count ? list_path(work, point) : 0;
        for (uint32_t r = 0; r < point->row_count; r++) {
            double stiffness = afxi_point_stiffness(point, r);
            if (stiffness > 0) {
                set_gradient(work, point, r, count);
                add_square(work, b * (r ? touch->length : b) * stiffness, count);
            }
        }
    }
}

/* ---- what they gave ---- */

bool afxi_reduced_touch_wrench(const AfxiReduced *work, uint32_t index, AfxVec3 *out_point, AfxWrench *out_wrench) {
    const AfxiPoint *point = &afxi_touch_set(work)->now.point[index];
    AfxiMat3 r;
    AfxVec3 t;
    uint32_t place = work->tree.place[point->body_a];
    if (!(point->force > 0) || place == AFXI_TREE_NONE) {
        return false;
    }
    afxi_tree_body(&work->work, place, &r, &t);
    *out_point = vec3_add(t, mat3_apply(&r, vec3_load(point->x_a)));
    out_wrench->force = vec3_mad(vec3_load(point->at.friction), point->force, vec3_load(point->axis));
    out_wrench->torque = vec3_load(point->at.moment);
    return true;
}

static void give(const AfxiReduced *work, uint32_t body, AfxVec3 point, const AfxWrench *wrench, double sign,
                 double *tau) {
    uint32_t place = work->tree.place[body];
    uint32_t node = place == AFXI_TREE_NONE ? AFXI_TREE_NONE : work->tree.carried[place].node;
    if (node != AFXI_TREE_NONE) {
        AfxVec3 arm = vec3_sub(point, work->work.reference[work->tree.node[node].first]);
        AfxVec3 force = vec3_scale(sign, wrench->force);
        AfxiSpatial own = spatial(vec3_mad(vec3_cross(arm, force), sign, wrench->torque), force);
        afxi_tree_add_wrench(&work->work, node, &own, tau);
    }
}

void afxi_reduced_touch_give(const AfxiReduced *work, double *tau) {
    for (uint32_t k = 0; k < afxi_touch_set(work)->now.count; k++) {
        const AfxiPoint *point = &afxi_touch_set(work)->now.point[k];
        AfxVec3 at;
        AfxWrench wrench;
        if (afxi_reduced_touch_wrench(work, k, &at, &wrench)) {
            give(work, point->body_a, at, &wrench, 1, tau);
            if (point->pair) {
                give(work, point->body_b, at, &wrench, -1, tau);
            }
        }
    }
}
