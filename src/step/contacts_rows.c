/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the points of touch, and their laws (equations in contacts.h). */
#include <math.h>
#include <string.h>

#include "step/contacts.h"

/* Reviews of a stage; rounds of friction in which it may be given, and in all; exchanges that need not better it. */
#define REVIEWS_MOST 60u
#define ROUNDS_FREE 5u
#define ROUNDS_MOST 9u
#define ROUNDS_FEW 1u
#define EXCHANGES_FREE 1u
/* A link of a chain may pull with so many times its weight (PULL of it elsewhere). */
#define PULL_LINK 1e4
#define TRIES 3u
/* Of the largest force: with so much a point may pull. */
#define PULL_SHARE 1e-4
/* Share of its stiffness that friction keeps along the slip when it slides. */
#define SLIDING_SHARE 0.01
/* How far friction may be off before it is solved again. */
static const double friction_tolerance[] = {[AFX_FAST] = 0.05, [AFX_ACCURATE] = 1e-3};

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

/* p_a - p_b */
static AfxVec3 distance(const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 b = point->pair ? point_of(q_b, point->x_b) : vec3_load(point->x_b);
    return vec3_sub(point_of(q_a, point->x_a), b);
}

static AfxVec3 turned(const AfxiContactWork *work, const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 turn = turn_of(&place_of(work, point->body_a)->frame, q_a);
    return point->pair ? vec3_sub(turn, turn_of(&place_of(work, point->body_b)->frame, q_b)) : turn;
}

/* ---- what slip and turn are counted from ---- */

/* The world point x_b of a body that is not solved for, where it was at the beginning of the stage. */
static AfxVec3 carried_back(const AfxSim *sim, const AfxiPoint *point, AfxVec3 *out_turn) {
    uint32_t body = point->body_b;
    *out_turn = vec3(0, 0, 0);
    if (sim->model->kind[body] != AFX_BODY_KINEMATIC) {
        return vec3_load(point->x_b);
    }
    const double *now = sim->q + (size_t)12 * body, *before = sim->previous_q + (size_t)12 * body;
    AfxiMat3 a = mat3_load(now);
    AfxVec3 local = mat3_apply_transposed(&a, vec3_sub(vec3_load(point->x_b), vec3_load(now + 9)));
    double x[3];
    vec3_store(x, local);
    *out_turn = vec3_scale(-1, turn_of(&a, before));
    return point_of(before, x);
}

static void count_from(AfxSim *sim, const AfxiStagePlan *plan, AfxiPoint *point) {
    const AfxiContactWork *work = sim->contacts;
    double qhat[12], qv_a[12], qv_b[12];
    afxi_stage_past(sim, plan, point->body_a, qhat, qv_a);
    if (point->pair) {
        afxi_stage_past(sim, plan, point->body_b, qhat, qv_b);
    }
    AfxVec3 before = distance(point, qv_a, qv_b), spun = turned(work, point, qv_a, qv_b);
    if (!point->pair) {
        AfxVec3 turn, old = carried_back(sim, point, &turn);
        AfxVec3 moved = vec3_sub(vec3_load(point->x_b), old);
        before = vec3_add(before, vec3_scale(1 / work->slip_scale, moved));
        spun = vec3_add(spun, vec3_scale(1 / work->slip_scale, turn));
    }
    vec3_store(point->before, before);
    vec3_store(point->spun, spun);
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

/* Along the slip the force of sliding friction is limit + this (u - slid). */
static double along_slip(const AfxiContactWork *work, const AfxiPointMemory *memory) {
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
    gradient(&place_of(work, point->body_a)->frame, point->x_a, axis, turns, scale, side[0].g);
    if (point->pair) {
        gradient(&place_of(work, point->body_b)->frame, point->x_b, axis, turns, scale, side[1].g);
    } else if (!turns) {
        from = vec3_add(from, vec3_load(point->x_b));
    }
    side[0].target = vec3_dot(axis, kept) - scale * vec3_dot(axis, from);
    double stiffness[6] = {point->stiffness,   point->memory.slip, point->memory.slip,
                           point->memory.spin, point->memory.roll, point->memory.roll};
    if (r == 1 && point->memory.sliding) {
        stiffness[1] = along_slip(work, &point->memory);
        side[0].target += point->memory.limit / stiffness[1] - point->memory.slid;
    }
    /* the force of a row is k C times its gradient, which has the scale once more */
    return point->active ? stiffness[r] / scale : 0;
}

static void touch_row(const AfxiContactWork *work, const AfxiPoint *point, uint32_t r, AfxiTouchRow *out) {
    AfxiContactRow side[2];
    out->stiffness = afxi_contacts_row(work, point, r, side);
    memcpy(out->g, side[0].g, sizeof out->g);
    out->target = -side[0].target;
}

static void stiffen(AfxiContactWork *work, AfxiPoint *point) {
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

/* Room for so many bodies and rows; false when there is no memory. */
static bool reserve_touches(AfxiContactWork *work, uint32_t bodies, uint32_t rows) {
    AfxiTouches *touches = &work->touches;
    return afxi_array_reserve(&work->allocator, (void **)&touches->body, &work->touch_bodies_capacity, bodies,
                              sizeof *touches->body) == AFX_OK &&
           afxi_array_reserve(&work->allocator, (void **)&touches->image, &work->touch_images_capacity, rows,
                              12 * sizeof(double)) == AFX_OK &&
           afxi_array_reserve(&work->allocator, (void **)&touches->row, &work->touch_rows_capacity, rows,
                              sizeof *touches->row) == AFX_OK;
}

/* Gives every point that touches something not solved for its rows, body by body. */
static AfxStatus place_rows(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    uint32_t bodies = 0, rows = 0;
    forget_touches(sim);
    for (uint32_t k = 0; k < work->now.count; k++) {
        bodies += !work->now.point[k].pair;
        rows += work->now.point[k].pair ? 0 : work->now.point[k].row_count;
    }
    if (!reserve_touches(work, bodies, rows)) {
        return AFX_E_MEMORY;
    }
    AfxiTouches *touches = &work->touches;
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
    for (int k = 0; k < 2; k++) {
        work->review[k] = (AfxiReview){.least = UINT32_MAX, .exact = k == 0 || sim->def.accuracy == AFX_ACCURATE};
    }
    work->least_slip = vec3_length(gravity) * work->dt * work->dt;
    work->tolerance = fmax(1e-3 * vec3_length(gravity) * work->dt * work->dt, 1e-9 * sim->model->size);
    AfxStatus status = place_rows(sim);
    status = status ? status : afxi_contacts_plan(sim);
    for (uint32_t k = 0; status == AFX_OK && k < work->now.count; k++) {
        count_from(sim, plan, &work->now.point[k]);
        if (!work->now.point[k].pair) {
            stiffen(work, &work->now.point[k]);
        }
    }
    return status;
}

/* ---- the laws ---- */

/* Stiffness that friction of at most `limit` has where it has given way by `size`. */
static double yielding(double stiffness, double limit, double size) {
    return stiffness * size <= limit ? stiffness : limit / size;
}

/* The force of friction that the solve had, by the slip u along the tangents. */
static void friction_used(const AfxiContactWork *work, AfxiPoint *point, const double u[3]) {
    const AfxiPointMemory *memory = &point->memory;
    point->force[1] = -memory->slip * u[1];
    point->force[2] = -memory->slip * u[2];
    if (memory->sliding) {
        point->force[1] = -(memory->limit + along_slip(work, memory) * (u[1] - memory->slid));
    }
}

/* Friction of the point in the world, kept so that changed tangents do not matter. */
static void keep_force(AfxiPoint *point) {
    AfxVec3 force = vec3(0, 0, 0), moment = force;
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = vec3_load(point->axis + (size_t)3 * k);
        force = vec3_add(force, vec3_scale(k ? point->force[k] : 0, axis));
        moment = vec3_add(moment, vec3_scale(point->moment[k], axis));
    }
    vec3_store(point->friction_force, force);
    vec3_store(point->friction_moment, moment);
}

/* What a point did in the last solve: gap, slip and the forces it had. */
static void measure_point(AfxSim *sim, AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxiContactWork *work = sim->contacts;
    AfxVec3 apart = distance(point, q_a, q_b);
    AfxVec3 slip = vec3_scale(work->slip_scale, vec3_sub(apart, vec3_load(point->before)));
    point->gap = vec3_dot(vec3_load(point->axis), apart);
    slip = vec3_add(slip, vec3_load(point->memory.stretch));
    memset(point->force, 0, sizeof point->force);
    memset(point->moment, 0, sizeof point->moment);
    for (int k = 1; k < 3; k++) {
        point->slip[k] = vec3_dot(slip, vec3_load(point->axis + (size_t)3 * k));
    }
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 turn = vec3_scale(work->slip_scale, vec3_sub(turned(work, point, q_a, q_b), vec3_load(point->spun)));
        turn = vec3_add(turn, vec3_load(point->memory.turned));
        for (int k = 0; k < 3; k++) {
            point->turn[k] = vec3_dot(turn, vec3_load(point->axis + (size_t)3 * k));
            point->moment[k] = point->active ? -(k ? point->memory.roll : point->memory.spin) * point->turn[k] : 0;
        }
    }
    if (point->active) {
        point->force[0] = -point->stiffness * point->gap;
        friction_used(work, point, point->slip);
    }
    keep_force(point);
}

/* Whether a point pulls, or is pushed in without pushing back. */
static bool misplaced(const AfxiContactWork *work, const AfxiPoint *point) {
    double pull = fmax(point->pull, PULL_SHARE * work->largest / point->stiffness);
    double deep = work->tolerance;
    if (point->chained && !work->review[1].exact) { /* a link does not rest on one point: the next step will do */
        pull = fmax(pull, PULL_LINK * point->pull);
        deep = fmax(deep, point->slack);
    }
    return point->active ? point->gap > pull : point->gap < -deep;
}

/* Whether a misplaced point is to change sides now. */
static bool changes(const AfxiContactWork *work, const AfxiReview *review, const AfxiPoint *point) {
    bool only_closes = review->exchanges > EXCHANGES_FREE && !review->exact;
    return misplaced(work, point) && !(only_closes && point->active);
}

/* Principal pivoting, which ends for every definite system: all misplaced points change sides as long as they become
 * fewer, with a few tries to spare; then only the last of them does. Where that much is not asked for, after a few
 * exchanges points only close, and those that pull do so to the end of this step: that takes energy, and the next step
 * begins without them. True when a point changed sides. */
static bool exchange(AfxiContactWork *work, AfxiReview *review, bool chained, uint32_t bad, uint32_t last) {
    bool all = bad < review->least || !review->exact, any = false;
    review->exchanges++;
    if (bad < review->least) {
        review->least = bad;
        review->tries = TRIES;
    } else if (review->tries > 0) {
        review->tries--;
        all = true;
    }
    for (uint32_t k = all ? 0 : last; k <= last; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (point->chained == chained && point->row_count && !point->settled && changes(work, review, point)) {
            point->active = !point->active;
            point->changed = any = true;
            if (point->active && point->fresh) { /* friction waits until the normal forces are known */
                point->memory.slip = point->memory.roll = point->memory.spin = 0;
                point->memory.sliding = 0;
            }
        }
    }
    return any;
}

/* Puts a new stiffness in place; true when the moment differs too much from that of the solve. */
static bool yield_to(double *stiffness, double wanted, double size, double limit, double tolerance) {
    double off = fabs(*stiffness - wanted) * size;
    *stiffness = wanted;
    return off > tolerance * limit;
}

/* Friction of the next solve from the slip of this one; true when the force was too far off. It sticks, or it slides with
 * a force that is given. `safe`: it is a stiffness in both cases, which takes energy wherever the point goes. */
static bool review_friction(AfxiPoint *point, bool safe, double tolerance) {
    AfxiPointMemory *memory = &point->memory;
    const double *u = point->slip;
    double size = hypot(u[1], u[2]), limit = point->friction * fmax(0, point->force[0]);
    double law = yielding(point->stiffness, limit, size);
    bool waiting = point->friction > 0 && memory->slip == 0, back = memory->sliding && u[1] < 0;
    bool off = hypot(point->force[1] + law * u[1], point->force[2] + law * u[2]) > tolerance * limit;
    memory->slides = law < point->stiffness && limit > 0 && size > 0;
    memory->limit = limit;
    memory->slid = size;
    if (!off) {
        memory->slip = law;
        return false;
    }
    memory->sliding = memory->slides && !waiting && !back && !safe;
    memory->slip = waiting || back ? point->stiffness : law;
    if (memory->sliding) { /* the first tangent goes along the slip */
        AfxVec3 one = vec3_load(point->axis + 3), two = vec3_load(point->axis + 6);
        AfxVec3 along = vec3_add(vec3_scale(u[1] / size, one), vec3_scale(u[2] / size, two));
        vec3_store(point->axis + 3, along);
        vec3_store(point->axis + 6, vec3_cross(vec3_load(point->axis), along));
    }
    return true;
}

static bool review_turn(AfxiPoint *point, double tolerance) {
    double push = fmax(0, point->force[0]), roll = point->rolling * push, spin = point->torsion * push;
    const double *w = point->turn;
    double stiffness = point->turn_stiffness, rolled = hypot(w[1], w[2]);
    bool off = yield_to(&point->memory.roll, yielding(stiffness, roll, rolled), rolled, roll, tolerance);
    off |= yield_to(&point->memory.spin, yielding(stiffness, spin, fabs(w[0])), fabs(w[0]), spin, tolerance);
    return off;
}

/* Friction of all points, once the right ones touch. */
static bool review_all_friction(AfxSim *sim, AfxiReview *review, bool chained) {
    AfxiContactWork *work = sim->contacts;
    bool changed = false, safe = review->rounds >= (review->exact ? ROUNDS_FREE : 1);
    double tolerance = friction_tolerance[sim->def.accuracy] * (safe ? 4 : 1);
    if (review->rounds++ >= (review->exact ? ROUNDS_MOST : ROUNDS_FEW)) {
        return false;
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (point->chained != chained || !point->row_count || !point->active || point->settled) {
            continue;
        }
        bool off = review_friction(point, safe, tolerance);
        if (point->row_count > AFXI_POINT_ROWS) {
            off |= review_turn(point, tolerance);
        }
        point->changed |= off;
        changed |= off;
    }
    review->least = UINT32_MAX;
    return changed;
}

bool afxi_contacts_review(AfxSim *sim, bool chained, const double *next) {
    AfxiContactWork *work = sim->contacts;
    AfxiReview *review = &work->review[chained];
    const uint32_t *local = sim->model->graph.local;
    uint32_t bad = 0, last = 0;
    bool changed = false;
    work->largest = 0;
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (point->chained != chained || point->row_count == 0) {
            continue;
        }
        point->changed = false;
        point->settled = chained && sim->chains.piece[sim->model->chains.chain[point->chain].first_piece].accepted;
        if (point->settled) {
            continue;
        }
        const double *q_a = next + (size_t)12 * (chained ? point->body_a : local[point->body_a]);
        const double *q_b = point->pair ? next + (size_t)12 * local[point->body_b] : NULL;
        measure_point(sim, point, q_a, q_b);
        work->largest = fmax(work->largest, point->force[0]);
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        if (point->chained == chained && point->row_count && !point->settled && misplaced(work, point)) {
            bad++;
            last = k;
        }
    }
    if (++review->count > REVIEWS_MOST) {
        review->given_up = true;
        return false;
    }
    changed = bad && exchange(work, review, chained, bad, last);
    changed = changed || review_all_friction(sim, review, chained);
    for (uint32_t k = 0; changed && k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (point->chained == chained && !point->pair && point->row_count && !point->settled) {
            stiffen(work, point);
        }
    }
    return changed;
}

void afxi_contacts_finish(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    work->depth = 0;
    work->past_count = 0; /* room was made when the points were found */
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        work->depth = fmax(work->depth, -point->gap);
        if (!(point->force[0] > 0)) {
            continue;
        }
        AfxVec3 stretch = vec3_scale(-1 / point->stiffness, vec3_load(point->friction_force)), turn = vec3(0, 0, 0);
        if (point->turn_stiffness > 0) {
            turn = vec3_scale(-1 / point->turn_stiffness, vec3_load(point->friction_moment));
        }
        AfxiPointMemory *memory = &work->past[work->past_count++];
        *memory = point->memory;
        memory->sliding = memory->slides;
        vec3_store(memory->stretch, stretch);
        vec3_store(memory->turned, turn);
    }
    sim->state->contact_points = work->past_count;
}
