/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of contact points that jump, in terms of velocities: stiff springs of rate, so that many points of one body
 * share what they do. */
#include "constraint/bounce.h"

#include <math.h>
#include <string.h>

#include "constraint/tuning.h"

static AfxVec3 gravity_of(const AfxiContactSet *set) {
    return vec3_load(afxi_world_param(set->world, AFX_PARAM_GRAVITY, 0));
}

double afxi_bounce_after(const AfxiContactSet *set, const AfxiPoint *point, double speed) {
    double after = point->restitution * speed;
    return after > AFXI_BOUNCE_LEAST * vec3_length(gravity_of(set)) * point->dt ? after : 0;
}

/* From the beginning of the step to the touch, gravity adds its share to the speed. */
double afxi_bounce_touch(const AfxiContactSet *set, const AfxiPoint *point, double *out_speed) {
    double pull = point->pair ? 0 : -vec3_dot(gravity_of(set), vec3_load(point->axis));
    double way = fmax(0, point->first_gap - point->dt * point->approach); /* gap at the beginning of the step */
    double begin = -point->approach, square = begin * begin + 2 * pull * way;
    *out_speed = sqrt(fmax(0, square));
    double sum = begin + *out_speed; /* way over the mean of both */
    return sum > 0 ? fmin(point->dt, 2 * way / sum) : 0;
}

bool afxi_bounce_strikes(const AfxiContactSet *set, const AfxiPoint *point) {
    double speed;
    if (point->chained || !point->row_count || !(point->restitution > 0) || !(point->force > 0) ||
        !(point->approach < 0)) {
        return false;
    }
    afxi_bounce_touch(set, point, &speed);
    return afxi_bounce_after(set, point, speed) > 0;
}

/* ---- rates ---- */

static AfxVec3 rate_of(const double *v, const double x[3]) {
    AfxVec3 sum = vec3_load(v + 9);
    for (int k = 0; k < 3; k++) {
        sum = vec3_mad(sum, x[k], vec3_load(v + 3 * k));
    }
    return sum;
}

double afxi_bounce_rate(const AfxiContactSet *set, const AfxiPoint *point, int r) {
    const double *v = set->world->state.v;
    AfxVec3 a = rate_of(v + (size_t)AFXI_AFFINE_WIDTH * point->body_a, r ? point->x_a : point->core_a);
    AfxVec3 b = point->pair ? rate_of(v + (size_t)AFXI_AFFINE_WIDTH * point->body_b, r ? point->x_b : point->core_b)
                            : vec3_load(point->carried);
    return vec3_dot(vec3_load(point->axis + (size_t)3 * r), vec3_sub(a, b));
}

static double stiffness_of(const AfxiContactSet *set, const AfxiPoint *point) {
    return AFXI_BOUNCE_STIFFNESS * afxi_world_class(set->world, point->body_a)->mass;
}

double afxi_bounce_impulse(const AfxiContactSet *set, const AfxiPoint *point, int r) {
    return isnan(point->jump[r]) ? 0 : stiffness_of(set, point) * (point->jump[r] - afxi_bounce_rate(set, point, r));
}

double afxi_bounce_slide(AfxiPoint *point, const double p[2], double limit) {
    bool slides = isnan(point->jump[1]);
    double size = hypot(p[0], p[1]), change = slides ? size - limit : fmax(0, size - limit);
    if (!(size > 0)) {
        return 0;
    }
    if (change != 0) {
        point->jump[1] = point->jump[2] = NAN;
        point->slide[0] = p[0] * limit / size;
        point->slide[1] = p[1] * limit / size;
    }
    return change * change;
}

/* ---- rows ---- */

/* What gradients of row r are multiplied by (contact.c). */
static double scale_of(const AfxiPoint *point, int r) {
    return r ? point->slip_scale : 1;
}

/* Where b is not solved for: a stiff row in the block of a. What b moves along the axis is part of the rate. */
static void bounce_touch(AfxiContactSet *set, const AfxiRows *rows, const AfxiPoint *point, int r) {
    uint32_t body = rows->graph->local[point->body_a];
    AfxiContactRow side[2];
    AfxiWoodburyRow *row = &set->woodbury.row[point->row + (uint32_t)r];
    double at[AFXI_AFFINE_WIDTH], carried = vec3_dot(vec3_load(point->axis + (size_t)3 * r), vec3_load(point->carried));
    afxi_contacts_row(set, point, (uint32_t)r, side);
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        row->g[e] = side[0].g[e] / scale_of(point, r);
    }
    memcpy(at, rows->frame[body].m, 9 * sizeof *at);
    vec3_store(at + 9, rows->origin[body]);
    row->target = 0;
    row->target = afxi_woodbury_value(row, at) + point->jump[r] + carried;
    row->turns = false;
    row->stiffness = stiffness_of(set, point);
}

static void bounce_pair(const AfxiContactSet *set, AfxiRows *rows, const AfxiPoint *point, int r) {
    uint32_t row = point->row + (uint32_t)r;
    double scale = scale_of(point, r);
    rows->active[row] = 1;
    rows->value[row] = -scale * point->jump[r];
    rows->compliance[row] = scale * scale / stiffness_of(set, point);
    afxi_contacts_gradient(set, rows, point, (uint32_t)r);
}

void afxi_bounce_rows(AfxiContactSet *set, AfxiRows *rows, bool pairs, const uint32_t *point, uint32_t count) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t own = set->woodbury_of[graph->body[k]];
        for (uint32_t r = 0; own != UINT32_MAX && r < set->woodbury.body[own].row_count; r++) {
            set->woodbury.row[set->woodbury.body[own].first_row + r].stiffness = 0;
        }
    }
    if (pairs) {
        afxi_contacts_clear(rows);
    }
    for (uint32_t k = 0; k < count; k++) {
        const AfxiPoint *own = &set->now.point[point[k]];
        for (int r = 0; r < 3 && own->row_count; r++) {
            if (isnan(own->jump[r])) {
                continue;
            }
            if (own->pair) {
                bounce_pair(set, rows, own, r);
            } else {
                bounce_touch(set, rows, own, r);
            }
        }
    }
}
