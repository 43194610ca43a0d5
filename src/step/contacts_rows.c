/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the points of touch (equations in contacts.h). */
#include <math.h>
#include <string.h>

#include "step/contacts.h"
#include "step/holds.h"

/* Share of its stiffness that friction keeps along the slip when it slides. */
#define SLIDING_SHARE 0.01

static AfxVec3 point_of(const double q[12], const double x[3]) {
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, vec3_load(x)), vec3_load(q + 9));
}

/* sum of r_k x a_k / 2: the turn of A away from r, for small ones. */
static AfxVec3 turn_of(const AfxiMat3 *r, const double q[12]) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        sum = vec3_add(sum, vec3_cross(mat3_column(r, k), vec3_load(q + 3 * k)));
    }
    return vec3_scale(0.5, sum);
}

static const AfxiBodyPlace *place_of(const AfxiContactWork *work, uint32_t body) {
    return &work->place[work->place_of[body]];
}

double afxi_point_gap(const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 b = point->pair ? point_of(q_b, point->core_b) : vec3_load(point->x_b);
    return vec3_dot(vec3_load(point->axis), vec3_sub(point_of(q_a, point->core_a), b)) - point->round;
}

AfxVec3 afxi_point_distance(const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 b = point->pair ? point_of(q_b, point->x_b) : vec3_load(point->x_b);
    return vec3_sub(point_of(q_a, point->x_a), b);
}

AfxVec3 afxi_point_turn(const AfxiContactWork *work, const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 turn = turn_of(&place_of(work, point->body_a)->frame, q_a);
    return point->pair ? vec3_sub(turn, turn_of(&place_of(work, point->body_b)->frame, q_b)) : turn;
}

/* ---- what slip and turn are counted from ---- */

/* The world point x_b of a body that is not solved for, where it was at the beginning of the stage. */
static AfxVec3 carried_back(const AfxSim *sim, const AfxiPoint *point, AfxVec3 *out_turn) {
    uint32_t body = point->body_b;
    *out_turn = vec3(0, 0, 0);
    AfxVec3 drifted = vec3_scale(sim->contacts->dt, vec3_load(point->drift));
    if (sim->model->kind[body] != AFX_BODY_KINEMATIC) {
        return vec3_sub(vec3_load(point->x_b), drifted);
    }
    const double *now = sim->q + (size_t)12 * body, *before = sim->previous_q + (size_t)12 * body;
    AfxiMat3 a = mat3_load(now);
    AfxVec3 local = mat3_apply_transposed(&a, vec3_sub(vec3_load(point->x_b), vec3_load(now + 9)));
    double x[3];
    vec3_store(x, local);
    *out_turn = vec3_scale(-1, turn_of(&a, before));
    return vec3_sub(point_of(before, x), drifted);
}

static void count_from(AfxSim *sim, const AfxiStagePlan *plan, AfxiPoint *point) {
    const AfxiContactWork *work = sim->contacts;
    double qhat[12], qv_a[12], qv_b[12];
    afxi_stage_past(sim, plan, point->body_a, qhat, qv_a);
    if (point->pair) {
        afxi_stage_past(sim, plan, point->body_b, qhat, qv_b);
    }
    AfxVec3 before = afxi_point_distance(point, qv_a, qv_b), spun = afxi_point_turn(work, point, qv_a, qv_b);
    if (!point->pair) {
        AfxVec3 turn, old = carried_back(sim, point, &turn);
        AfxVec3 moved = vec3_sub(vec3_load(point->x_b), old);
        before = vec3_add(before, vec3_scale(1 / work->slip_scale, moved));
        spun = vec3_add(spun, vec3_scale(1 / work->slip_scale, turn));
    }
    vec3_store(point->before, before);
    vec3_store(point->spun, spun);
}

/* Of what a point lies deeper than its load explains, this share comes out in a step: a spring that did it at once
 * would throw the body. */
#define RECOVERY 0.2

/* How deep the material points were that will touch. Where a surface turns while another slides over it, this is not
 * how deep the bodies lay in each other, which bounds it. */
static double depth_of_points(const AfxSim *sim, const AfxiPoint *point) {
    const double *q_a = sim->q + (size_t)12 * point->body_a, *q_b = sim->q + (size_t)12 * point->body_b;
    AfxVec3 turn, carried = vec3(0, 0, 0);
    if (!point->pair) {
        carried = vec3_sub(vec3_load(point->x_b), carried_back(sim, point, &turn));
    }
    return -afxi_point_gap(point, q_a, q_b) - vec3_dot(vec3_load(point->axis), carried);
}

/* Rests of the points [begin, end) of two items. */
static void set_rests(AfxSim *sim, uint32_t begin, uint32_t end) {
    AfxiContactWork *work = sim->contacts;
    double before = -1;
    for (uint32_t k = begin; k < end; k++) {
        AfxiPoint *point = &work->now.point[k];
        double held = point->memory.push / point->stiffness, depth = depth_of_points(sim, point);
        point->rest = 0;
        if (point->chained) { /* neighbours hold it, and it weighs little */
            continue;
        }
        if (depth - held > work->tolerance && before < 0) {
            before = afxi_contacts_depth_before(sim, point->memory.item_a, point->memory.item_b, sim->q);
        }
        double excess = fmin(depth, fmax(before, 0)) - held;
        point->rest = excess > work->tolerance ? (1 - RECOVERY) * excess : 0;
        point->active = point->first_gap + point->rest < 0 || point->pushed;
    }
}

/* ---- rows in a body's own block ---- */

/* Gradient on A and t of a body: of its point along the axis, or of its turn about it. */
static void gradient(const AfxiMat3 *frame, const double x[3], AfxVec3 axis, bool turns, double scale, double out[12]) {
    for (int k = 0; k < 3; k++) {
        AfxVec3 on = turns ? vec3_scale(0.5, vec3_cross(axis, mat3_column(frame, k))) : vec3_scale(x[k], axis);
        vec3_store(out + 3 * k, vec3_scale(scale, on));
    }
    vec3_store(out + 9, vec3_scale(turns ? 0 : scale, axis));
}

double afxi_point_along_slip(const AfxiContactWork *work, const AfxiPointMemory *memory) {
    return SLIDING_SHARE * memory->limit / fmax(memory->slid, work->least_slip);
}

double afxi_contacts_row(const AfxiContactWork *work, const AfxiPoint *point, uint32_t r, AfxiContactRow side[2]) {
    AfxVec3 axis = vec3_load(point->axis + (size_t)3 * (r % 3)), from = vec3(0, 0, 0), kept = from;
    double scale = r == 0 ? 1 : work->slip_scale; /* the gap is what it is, all else counts from velocities */
    bool turns = r >= 3;
    if (turns) {
        from = vec3_load(point->spun);
        kept = vec3_load(point->memory.turned);
    } else if (r > 0) {
        from = vec3_load(point->before);
        kept = vec3_load(point->memory.stretch);
    }
    gradient(&place_of(work, point->body_a)->frame, r == 0 ? point->core_a : point->x_a, axis, turns, scale, side[0].g);
    if (point->pair) {
        gradient(&place_of(work, point->body_b)->frame, r == 0 ? point->core_b : point->x_b, axis, turns, scale,
                 side[1].g);
    } else if (!turns) {
        from = vec3_add(from, vec3_load(point->x_b));
    }
    side[0].target = vec3_dot(axis, kept) - scale * vec3_dot(axis, from) - (r == 0 ? point->round - point->rest : 0);
    double stiffness[6] = {point->stiffness,   point->memory.slip, point->memory.slip,
                           point->memory.spin, point->memory.roll, point->memory.roll};
    if (r == 1 && point->memory.sliding && point->memory.limit > 0) {
        stiffness[1] = afxi_point_along_slip(work, &point->memory);
        side[0].target += point->memory.limit / stiffness[1] - point->memory.slid;
    }
    /* the force of a row is k C times its gradient, which has the scale once more */
    return r > 0 || point->active ? stiffness[r] / scale : 0; /* friction goes by its limit */
}

static void touch_row(const AfxiContactWork *work, const AfxiPoint *point, uint32_t r, AfxiTouchRow *out) {
    AfxiContactRow side[2];
    out->stiffness = afxi_contacts_row(work, point, r, side);
    memcpy(out->g, side[0].g, sizeof out->g);
    out->target = -side[0].target;
    out->turns = false;
}

void afxi_point_stiffen(AfxiContactWork *work, AfxiPoint *point) {
    for (uint32_t r = 0; r < point->row_count; r++) {
        touch_row(work, point, r, &work->touches.row[point->row + r]);
    }
}

static uint32_t *touch_slot(const AfxSim *sim, const AfxiPoint *point) {
    const AfxiContactWork *work = sim->contacts;
    return point->chained ? &work->link_touch[work->link_of[point->body_a]]
                          : &work->touch_of[sim->model->graph.local[point->body_a]];
}

static void forget_touches(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    for (uint32_t k = 0; k < work->touches.body_count; k++) {
        uint32_t body = work->touches.body[k].body, local = sim->model->graph.local[body];
        if (local != UINT32_MAX) {
            work->touch_of[local] = UINT32_MAX;
        } else {
            work->link_touch[work->link_of[body]] = UINT32_MAX;
        }
    }
    work->touches.body_count = work->touches.row_count = 0;
}

bool afxi_contacts_reserve(AfxiContactWork *work, uint32_t bodies, uint32_t rows) {
    AfxiTouches *touches = &work->touches;
    return afxi_array_reserve(&work->allocator, (void **)&touches->body, &work->touch_bodies_capacity, bodies,
                              sizeof *touches->body) == AFX_OK &&
           afxi_array_reserve(&work->allocator, (void **)&touches->image, &work->touch_images_capacity, rows,
                              12 * sizeof(double)) == AFX_OK &&
           afxi_array_reserve(&work->allocator, (void **)&touches->row, &work->touch_rows_capacity, rows,
                              sizeof *touches->row) == AFX_OK;
}

/* Held points come first in their bodies' rows: there is always room for them. */
static void place_holds(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    AfxiTouches *touches = &work->touches;
    for (uint32_t k = 0; sim->holds && k < sim->holds->count; k++) {
        const AfxiHold *hold = &sim->holds->hold[k];
        if (hold->path != AFXI_HOLD_FREE) {
            uint32_t *slot =
                hold->path == AFXI_HOLD_LINK ? &work->link_touch[hold->place] : &work->touch_of[hold->place];
            *slot = touches->body_count;
            touches->body[touches->body_count++] = (AfxiTouchBody){.body = hold->body, .row_count = AFXI_HOLD_ROWS};
        }
    }
}

/* Gives every point that touches something not solved for its rows, body by body. */
static AfxStatus place_rows(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    uint32_t bodies = sim->holds ? sim->holds->count : 0, rows = AFXI_HOLD_ROWS * bodies, held = 0;
    forget_touches(sim);
    for (uint32_t k = 0; k < work->now.count; k++) {
        bodies += !work->now.point[k].pair;
        rows += work->now.point[k].pair ? 0 : work->now.point[k].row_count;
    }
    if (!afxi_contacts_reserve(work, bodies, rows)) {
        return AFX_E_MEMORY;
    }
    AfxiTouches *touches = &work->touches;
    place_holds(sim);
    for (uint32_t k = 0; k < work->now.count; k++) { /* count per body */
        AfxiPoint *point = &work->now.point[k];
        if (point->pair) {
            continue;
        }
        uint32_t *slot = touch_slot(sim, point);
        if (*slot == UINT32_MAX) {
            *slot = touches->body_count++;
            touches->body[*slot] = (AfxiTouchBody){.body = point->body_a};
        }
        AfxiTouchBody *own = &touches->body[*slot];
        if (own->row_count + point->row_count > AFXI_TOUCH_ROWS_MOST) {
            point->row_count = 0; /* a body that touches so much is held by the other points */
        }
        point->row = own->row_count;
        own->row_count += point->row_count;
    }
    for (uint32_t k = 0; k < touches->body_count; k++) {
        touches->body[k].first_row = touches->row_count;
        touches->row_count += touches->body[k].row_count;
    }
    for (uint32_t k = 0; sim->holds && k < sim->holds->count; k++) { /* in the order of place_holds */
        if (sim->holds->hold[k].path != AFXI_HOLD_FREE) {
            sim->holds->hold[k].row = touches->row + touches->body[held++].first_row;
        }
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (!point->pair) {
            point->row += touches->body[*touch_slot(sim, point)].first_row;
        }
    }
    return AFX_OK;
}

AfxStatus afxi_contacts_begin(AfxSim *sim, const AfxiStagePlan *plan) {
    AfxiContactWork *work = sim->contacts;
    AfxVec3 gravity = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0));
    work->slip_scale = work->dt * plan->weights.per_h_rate;
    afxi_contacts_law_begin(sim);
    work->unseen = 0;
    work->least_slip = vec3_length(gravity) * work->dt * work->dt;
    work->tolerance = fmax(1e-3 * vec3_length(gravity) * work->dt * work->dt, 1e-9 * sim->model->size);
    AfxStatus status = place_rows(sim);
    status = status ? status : afxi_contacts_plan(sim);
    for (uint32_t begin = 0, end; status == AFX_OK && begin < work->now.count; begin = end) {
        const AfxiPointMemory *first = &work->now.point[begin].memory;
        for (end = begin; end < work->now.count && work->now.point[end].memory.item_a == first->item_a &&
                          work->now.point[end].memory.item_b == first->item_b;) {
            end++;
        }
        set_rests(sim, begin, end);
    }
    for (uint32_t k = 0; status == AFX_OK && k < work->now.count; k++) {
        count_from(sim, plan, &work->now.point[k]);
        if (!work->now.point[k].pair) {
            afxi_point_stiffen(work, &work->now.point[k]);
        }
    }
    return status;
}
