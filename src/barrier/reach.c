/* SPDX-License-Identifier: Apache-2.0 */
/* Who comes near whom. A shape is in a box c +- h of its body's frame, so that at q it is within
 *     A c + t  +-  |A| h,
 * and that moves by no more than |A'| h + |A' c + t'| a second. Boxes are made longer by what forces may add; where
 * that was not enough is seen when the step is done, and it is done again then. Whoever is handed over to the engines
 * that know of no contact so meets nothing along the straight lines from the beginning of the step to its end. */
#include "barrier/reach.h"

#include <math.h>
#include <string.h>

/* Centre and half extents of a shape at coordinates of its body. */
static void place_box(const AfxiBarrierBox *box, const double *q, double center[3], double half[3]) {
    for (int e = 0; e < 3; e++) {
        center[e] = q[9 + e] + q[e] * box->center.x + q[3 + e] * box->center.y + q[6 + e] * box->center.z;
        half[e] = fabs(q[e]) * box->half.x + fabs(q[3 + e]) * box->half.y + fabs(q[6 + e]) * box->half.z;
    }
}

/* The box of a shape in the step that begins. */
static void foresee(AfxiBarrier *work, uint32_t s, double more) {
    const AfxiState *state = &work->world->state;
    const AfxiBarrierBox *box = &work->box[s];
    size_t at = (size_t)AFXI_AFFINE_WIDTH * work->surface.shapes[s].body;
    double center[3], half[3], rate[3], turn[3], h = AFXI_REACH_AHEAD * state->head->dt;
    place_box(box, state->q + at, center, half);
    place_box(box, state->v + at, rate, turn);
    for (int e = 0; e < 3; e++) {
        double wide = half[e] + h * turn[e] + box->radius + more, way = h * rate[e];
        work->reach_lower[s][e] = center[e] - wide + fmin(way, 0);
        work->reach_upper[s][e] = center[e] + wide + fmax(way, 0);
    }
}

/* Makes the box of a shape as large as where the step has led; true: it was not. */
static bool extend(AfxiBarrier *work, uint32_t s) {
    const AfxiBarrierBox *box = &work->box[s];
    const double *q = work->world->state.q + (size_t)AFXI_AFFINE_WIDTH * work->surface.shapes[s].body;
    double center[3], half[3];
    bool left = false;
    place_box(box, q, center, half);
    for (int e = 0; e < 3; e++) {
        double wide = half[e] + box->radius + 0.5 * work->gap;
        double *lower = &work->reach_lower[s][e], *upper = &work->reach_upper[s][e];
        left |= center[e] - wide < *lower || center[e] + wide > *upper;
        *lower = fmin(*lower, center[e] - wide);
        *upper = fmax(*upper, center[e] + wide);
    }
    return left;
}

static bool moves(const AfxiBarrier *work, uint32_t s) {
    const AfxiSurfaceShape *shape = &work->surface.shapes[s];
    return !shape->plane && work->model->kind[shape->body] != AFX_BODY_FIXED;
}

/* Marks the component of a body; true: it was not marked. */
static bool mark(AfxiBarrier *work, uint32_t shape) {
    uint32_t root = work->model->root[work->surface.shapes[shape].body];
    bool fresh = root != UINT32_MAX && !work->reached_root[root];
    if (fresh) {
        work->reached_root[root] = 1;
    }
    return fresh;
}

/* Whether the box of a shape reaches down to a plane that stands still. */
static bool meets_plane(const AfxiBarrier *work, uint32_t s, uint32_t plane) {
    const AfxiSurfaceShape *shape = &work->surface.shapes[plane];
    const double *q = work->world->state.q + (size_t)AFXI_AFFINE_WIDTH * shape->body;
    AfxiMat3 a = mat3_load(q);
    AfxVec3 point = vec3_add(mat3_apply(&a, shape->point), vec3_load(q + 9)), n = mat3_apply(&a, shape->normal);
    const double normal[3] = {n.x, n.y, n.z};
    double height = -vec3_dot(n, point);
    for (int e = 0; e < 3; e++) {
        height += normal[e] * (normal[e] > 0 ? work->reach_lower[s][e] : work->reach_upper[s][e]);
    }
    return height < 0.5 * work->gap;
}

/* Whether two shapes touch at all, by what they are. */
static bool are_wanted(const AfxiBarrier *work, uint32_t a, uint32_t b) {
    const AfxiContacts *contacts = &work->model->contacts;
    const AfxiContactShape *x = &contacts->shapes[a], *y = &contacts->shapes[b];
    if (!((x->group & y->mask) || (y->group & x->mask))) {
        return false;
    }
    uint32_t low = x->body < y->body ? x->body : y->body, high = x->body < y->body ? y->body : x->body;
    uint32_t begin = 0, end = contacts->excluded_count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        const uint32_t *pair = contacts->excluded[middle];
        if (pair[0] < low || (pair[0] == low && pair[1] < high)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return !(begin < contacts->excluded_count && contacts->excluded[begin][0] == low &&
             contacts->excluded[begin][1] == high);
}

/* Marks what boxes lead near each other; *out_more: some was not marked. */
static AfxStatus mark_all(AfxiBarrier *work, bool *out_more) {
    const AfxiSurface *surface = &work->surface;
    AfxStatus status = afxi_broad_update(work->ahead, (const double(*)[3])work->reach_lower,
                                         (const double(*)[3])work->reach_upper, NULL, 1);
    uint32_t count;
    const AfxiPair *pairs = afxi_broad_pairs(work->ahead, &count);
    *out_more = false;
    for (uint32_t k = 0; status == AFX_OK && k < count; k++) {
        *out_more |= mark(work, pairs[k].a);
        *out_more |= mark(work, pairs[k].b);
    }
    for (uint32_t p = 0; status == AFX_OK && work->any_plane && p < surface->shape_count; p++) {
        for (uint32_t s = 0; surface->shapes[p].plane && s < surface->shape_count; s++) {
            if (moves(work, s) && meets_plane(work, s, p) && are_wanted(work, s, p)) {
                *out_more |= mark(work, s);
            }
        }
    }
    for (uint32_t k = 0; k < work->model->dynamic_count; k++) {
        uint32_t body = work->model->dynamic[k];
        work->reached[body] = work->published || work->reached_root[work->model->root[body]];
    }
    return status;
}

AfxStatus afxi_barrier_reach(AfxiBarrier *work) {
    const AfxiWorld *world = work->world;
    double dt = world->state.head->dt, pull = vec3_length(vec3_load(afxi_world_param(world, AFX_PARAM_GRAVITY, 0)));
    double more = 0.5 * work->gap + AFXI_REACH_FALL * dt * dt * pull;
    bool any;
    memset(work->reached_root, 0, work->model->body_count);
    for (uint32_t s = 0; s < work->surface.shape_count; s++) {
        if (!work->surface.shapes[s].plane) { /* planes have an empty box */
            foresee(work, s, more);
        }
    }
    return mark_all(work, &any);
}

AfxStatus afxi_barrier_reach_check(AfxiBarrier *work, bool *out_more) {
    bool left = false;
    *out_more = false;
    for (uint32_t s = 0; s < work->surface.shape_count && !work->published; s++) { /* which has all bodies anyway */
        left |= moves(work, s) && extend(work, s);
    }
    return left ? mark_all(work, out_more) : AFX_OK;
}
