/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of contact points (equations in contact.h). */
#include "constraint/contact.h"

#include <math.h>
#include <string.h>

#include "constraint/tuning.h"
#include "state/history.h"

static AfxVec3 point_of(const double q[AFXI_AFFINE_WIDTH], const double x[3]) {
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, vec3_load(x)), vec3_load(q + 9));
}

/* sum of r_k x a_k / 2: the turn of A away from r, for small ones. */
static AfxVec3 turn_of(const AfxiMat3 *r, const double q[AFXI_AFFINE_WIDTH]) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        sum = vec3_add(sum, vec3_cross(mat3_column(r, k), vec3_load(q + 3 * k)));
    }
    return vec3_scale(0.5, sum);
}

static const AfxiBodyPlace *place_of(const AfxiContactSet *set, uint32_t body) {
    return &set->place[set->place_of[body]];
}

double afxi_point_gap(const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 b = point->pair ? point_of(q_b, point->core_b) : vec3_load(point->x_b);
    return vec3_dot(vec3_load(point->axis), vec3_sub(point_of(q_a, point->core_a), b)) - point->round;
}

AfxVec3 afxi_point_distance(const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 b = point->pair ? point_of(q_b, point->x_b) : vec3_load(point->x_b);
    return vec3_sub(point_of(q_a, point->x_a), b);
}

AfxVec3 afxi_point_turn(const AfxiContactSet *set, const AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxVec3 turn = turn_of(&place_of(set, point->body_a)->frame, q_a);
    return point->pair ? vec3_sub(turn, turn_of(&place_of(set, point->body_b)->frame, q_b)) : turn;
}

/* ---- what slip and turn are counted from ---- */

/* The world point x_b of a body that is not solved for, where it was at the beginning of the stage. */
static AfxVec3 carried_back(const AfxiContactSet *set, const AfxiPoint *point, AfxVec3 *out_turn) {
    const AfxiState *state = &set->world->state;
    uint32_t body = point->body_b;
    *out_turn = vec3(0, 0, 0);
    AfxVec3 drifted = vec3_scale(point->dt, vec3_load(point->drift));
    if (set->world->model->kind[body] != AFX_BODY_KINEMATIC) {
        return vec3_sub(vec3_load(point->x_b), drifted);
    }
    const double *now = state->q + (size_t)AFXI_AFFINE_WIDTH * body,
                 *before = state->previous_q + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(now);
    AfxVec3 local = mat3_apply_transposed(&a, vec3_sub(vec3_load(point->x_b), vec3_load(now + 9)));
    double x[3];
    vec3_store(x, local);
    *out_turn = vec3_scale(-1, turn_of(&a, before));
    return vec3_sub(point_of(before, x), drifted);
}

AfxVec3 afxi_point_carried(const AfxiContactSet *set, const AfxiPoint *point, AfxVec3 *out_turn) {
    AfxVec3 old = carried_back(set, point, out_turn);
    return vec3_sub(vec3_load(point->x_b), old);
}

void afxi_point_count_from(AfxiContactSet *set, const AfxiStagePlan *plan, AfxiPoint *point) {
    double qhat[AFXI_AFFINE_WIDTH], qv_a[AFXI_AFFINE_WIDTH], qv_b[AFXI_AFFINE_WIDTH];
    point->slip_scale = point->dt * plan->weights.per_h_rate;
    afxi_stage_past(set->world, plan, point->body_a, qhat, qv_a);
    if (point->pair) {
        afxi_stage_past(set->world, plan, point->body_b, qhat, qv_b);
    }
    AfxVec3 before = afxi_point_distance(point, qv_a, qv_b), spun = afxi_point_turn(set, point, qv_a, qv_b);
    if (!point->pair) {
        AfxVec3 turn, moved = afxi_point_carried(set, point, &turn);
        before = vec3_add(before, vec3_scale(1 / point->slip_scale, moved));
        spun = vec3_add(spun, vec3_scale(1 / point->slip_scale, turn));
    }
    vec3_store(point->before, before);
    vec3_store(point->spun, spun);
}

/* Where a surface turns while another slides over it, this is not how deep the bodies lay in each other, which bounds
 * it. */
double afxi_point_depth_before(const AfxiContactSet *set, const AfxiPoint *point) {
    const AfxiState *state = &set->world->state;
    const double *q_a = state->q + (size_t)AFXI_AFFINE_WIDTH * point->body_a,
                 *q_b = state->q + (size_t)AFXI_AFFINE_WIDTH * point->body_b;
    AfxVec3 turn, carried = vec3(0, 0, 0);
    if (!point->pair) {
        carried = afxi_point_carried(set, point, &turn);
    }
    return -afxi_point_gap(point, q_a, q_b) - vec3_dot(vec3_load(point->axis), carried);
}

/* ---- rows in a body's own block ---- */

/* Gradient on A and t of a body: of its point along the axis, or of its turn about it. */
static void point_gradient(const AfxiMat3 *frame, const double x[3], AfxVec3 axis, bool turns, double scale,
                           double out[AFXI_AFFINE_WIDTH]) {
    for (int k = 0; k < 3; k++) {
        AfxVec3 on = turns ? vec3_scale(0.5, vec3_cross(axis, mat3_column(frame, k))) : vec3_scale(x[k], axis);
        vec3_store(out + 3 * k, vec3_scale(scale, on));
    }
    vec3_store(out + 9, vec3_scale(turns ? 0 : scale, axis));
}

/* Length over h of the rates that row r counts from: the gap is what it is, all else counts from velocities. */
static double row_scale(const AfxiPoint *point, uint32_t r) {
    return r == 0 ? 1 : point->slip_scale;
}

static bool slides(const AfxiPoint *point) {
    return point->memory.sliding && point->memory.limit > 0;
}

double afxi_point_along_slip(const AfxiPoint *point) {
    return AFXI_SLIDING_SHARE * point->memory.limit / fmax(point->memory.slid, point->least_slip);
}

double afxi_point_stiffness(const AfxiPoint *point, uint32_t r) {
    const double stiffness[6] = {point->active ? point->stiffness : 0, /* friction goes by its limit */
                                 point->memory.slip,
                                 point->memory.slip,
                                 point->memory.spin,
                                 point->memory.roll,
                                 point->memory.roll};
    return r == 1 && slides(point) ? afxi_point_along_slip(point) : stiffness[r];
}

double afxi_contacts_row(const AfxiContactSet *set, const AfxiPoint *point, uint32_t r, AfxiContactRow side[2]) {
    AfxVec3 axis = vec3_load(point->axis + (size_t)3 * (r % 3)), from = vec3(0, 0, 0), kept = from;
    double scale = row_scale(point, r);
    bool turns = r >= 3;
    if (turns) {
        from = vec3_load(point->spun);
        kept = vec3_load(point->memory.turned);
    } else if (r > 0) {
        from = vec3_load(point->before);
        kept = vec3_load(point->memory.stretch);
    }
    point_gradient(&place_of(set, point->body_a)->frame, r == 0 ? point->core_a : point->x_a, axis, turns, scale,
                   side[0].g);
    if (point->pair) {
        point_gradient(&place_of(set, point->body_b)->frame, r == 0 ? point->core_b : point->x_b, axis, turns, scale,
                       side[1].g);
    } else if (!turns) {
        from = vec3_add(from, vec3_load(point->x_b));
    }
    side[0].target = vec3_dot(axis, kept) - scale * vec3_dot(axis, from) - (r == 0 ? point->round - point->rest : 0);
    double stiffness = afxi_point_stiffness(point, r);
    if (r == 1 && slides(point)) {
        side[0].target += point->memory.limit / stiffness - point->memory.slid;
    }
    /* the force of a row is k C times its gradient, which has the scale once more */
    return stiffness / scale;
}

static void woodbury_row(const AfxiContactSet *set, const AfxiPoint *point, uint32_t r, AfxiWoodburyRow *out) {
    AfxiContactRow side[2];
    out->stiffness = afxi_contacts_row(set, point, r, side);
    memcpy(out->g, side[0].g, sizeof out->g);
    out->target = -side[0].target;
    out->turns = false;
}

/* First row of a point that may be other in more than its stiffness since its rows were made at the same frames: of
 * friction that slides, or did, tangents and the force at no slip are others. */
static uint32_t first_other(const AfxiPoint *point) {
    return point->slid_before || slides(point) ? 1 : point->row_count;
}

/* Rows from `first` on; of those before only the stiffness. */
static void stiffen(AfxiContactSet *set, AfxiPoint *point, uint32_t first) {
    AfxiWoodburyBody *body = &set->woodbury.body[set->woodbury_of[point->body_a]];
    for (uint32_t r = 0; r < first; r++) {
        AfxiWoodburyRow *row = &set->woodbury.row[point->row + r];
        double stiffness = afxi_point_stiffness(point, r) / row_scale(point, r);
        body->changed = body->changed || row->stiffness != stiffness;
        row->stiffness = stiffness;
    }
    for (uint32_t r = first; r < point->row_count; r++) {
        AfxiWoodburyRow *row = &set->woodbury.row[point->row + r], before = *row;
        woodbury_row(set, point, r, row);
        /* the first time there is nothing before: the body counts as changed until its rows are first used */
        body->changed = body->changed || row->stiffness != before.stiffness || row->target != before.target ||
                        memcmp(row->g, before.g, sizeof row->g) != 0;
    }
    point->slid_before = slides(point);
}

void afxi_point_stiffen(AfxiContactSet *set, AfxiPoint *point) {
    stiffen(set, point, 0);
}

void afxi_point_stiffen_again(AfxiContactSet *set, AfxiPoint *point) {
    stiffen(set, point, first_other(point));
}

/* ---- which rows ---- */

static void forget_touches(AfxiContactSet *set) {
    for (uint32_t k = 0; k < set->woodbury.body_count; k++) {
        set->woodbury_of[set->woodbury.body[k].body] = UINT32_MAX;
    }
    set->woodbury.body_count = set->woodbury.row_count = 0;
}

bool afxi_contacts_reserve(AfxiContactSet *set, uint32_t bodies, uint32_t rows) {
    AfxiWoodburySet *woodbury = &set->woodbury;
    const AfxAllocator *allocator = &set->world->def.allocator;
    return afxi_array_reserve(allocator, (void **)&woodbury->body, &set->woodbury_bodies_capacity, bodies,
                              sizeof *woodbury->body) == AFX_OK &&
           afxi_array_reserve(allocator, (void **)&woodbury->image, &set->woodbury_images_capacity, rows,
                              AFXI_AFFINE_WIDTH * sizeof(double)) == AFX_OK &&
           afxi_array_reserve(allocator, (void **)&woodbury->row, &set->woodbury_rows_capacity, rows,
                              sizeof *woodbury->row) == AFX_OK;
}

static AfxiWoodburyBody *touched_body(AfxiContactSet *set, uint32_t body) {
    AfxiWoodburySet *woodbury = &set->woodbury;
    if (set->woodbury_of[body] == UINT32_MAX) {
        set->woodbury_of[body] = woodbury->body_count++;
        woodbury->body[set->woodbury_of[body]] = (AfxiWoodburyBody){.body = body, .changed = true};
    }
    return &woodbury->body[set->woodbury_of[body]];
}

AfxStatus afxi_contacts_place_rows(AfxiContactSet *set) {
    const AfxiHolds *holds = set->world->holds;
    uint32_t held = holds ? holds->count : 0, bodies = held, rows = AFXI_HOLD_ROWS * held;
    AfxiWoodburySet *woodbury = &set->woodbury;
    forget_touches(set);
    set->dropped = 0;
    for (uint32_t k = 0; k < set->now.count; k++) {
        bodies += !set->now.point[k].pair;
        rows += set->now.point[k].pair ? 0 : set->now.point[k].row_count;
    }
    if (!afxi_contacts_reserve(set, bodies, rows)) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < held; k++) { /* there is always room for them */
        touched_body(set, holds->hold[k].body)->row_count = AFXI_HOLD_ROWS;
    }
    for (uint32_t k = 0; k < set->now.count; k++) { /* count per body */
        AfxiPoint *point = &set->now.point[k];
        if (point->pair) {
            continue;
        }
        AfxiWoodburyBody *own = touched_body(set, point->body_a);
        if (own->row_count + point->row_count > AFXI_WOODBURY_ROWS_MOST) {
            point->row_count = 0; /* a body that touches so much is held by the other points */
            set->dropped++;
        }
        point->row = own->row_count;
        own->row_count += point->row_count;
    }
    for (uint32_t k = 0; k < woodbury->body_count; k++) {
        woodbury->body[k].first_row = woodbury->row_count;
        woodbury->row_count += woodbury->body[k].row_count;
    }
    for (uint32_t k = 0; k < held; k++) {
        AfxiHold *hold = &set->world->holds->hold[k];
        hold->row = woodbury->row + woodbury->body[set->woodbury_of[hold->body]].first_row;
    }
    for (uint32_t k = 0; k < set->now.count; k++) {
        AfxiPoint *point = &set->now.point[k];
        point->row += point->pair ? 0 : woodbury->body[set->woodbury_of[point->body_a]].first_row;
    }
    return AFX_OK;
}

/* ---- rows between solved bodies ---- */

static void local_gradient(const AfxiMat3 *frame, const double world[AFXI_AFFINE_WIDTH], double sign,
                           double out[AFXI_AFFINE_WIDTH]) {
    for (int k = 0; k < 3; k++) {
        vec3_store(out + 3 * k, vec3_scale(sign, mat3_apply_transposed(frame, vec3_load(world + 3 * k))));
    }
    vec3_store(out + 9, vec3_scale(sign, vec3_load(world + 9)));
}

void afxi_contacts_clear(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    size_t first = graph->jacobian_length;
    for (uint32_t block = graph->joint_blocks; block < graph->block_count; block++) {
        size_t own = graph->entry[graph->block[block].first_entry].jacobian;
        first = own < first ? own : first;
    }
    for (uint32_t row = graph->joint_rows; row < graph->row_count; row++) {
        rows->active[row] = 0;
        rows->fixed[row] = rows->value[row] = rows->compliance[row] = 0;
    }
    memset(rows->jacobian + first, 0, (graph->jacobian_length - first) * sizeof(double));
}

/* Puts the gradient of row r of a point in its place; what the row measures at the present frames comes back. */
static double place_gradient(AfxiRows *rows, const AfxiPoint *point, uint32_t r, const AfxiContactRow side[2]) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[point->row].block];
    const AfxiGraphEntry *entry = &graph->entry[block->first_entry];
    double value = side[0].target;
    for (int s = 0; s < 2; s++) {
        uint32_t body = entry[s].dof.index;
        double sign = s ? -1 : 1, at = vec3_dot(vec3_load(side[s].g + 9), rows->origin[body]);
        local_gradient(&rows->frame[body], side[s].g, sign,
                       rows->jacobian + entry[s].jacobian + AFXI_AFFINE_WIDTH * (point->row + r - block->first_row));
        for (int e = 0; e < 9; e++) {
            at += side[s].g[e] * rows->frame[body].m[e];
        }
        value += sign * at;
    }
    return value;
}

double afxi_contacts_gradient(const AfxiContactSet *set, AfxiRows *rows, const AfxiPoint *point, uint32_t r) {
    AfxiContactRow side[2];
    afxi_contacts_row(set, point, r, side);
    return place_gradient(rows, point, r, side);
}

static void set_compliance(AfxiRows *rows, uint32_t row, double stiffness) {
    rows->active[row] = stiffness > 0;
    rows->compliance[row] = stiffness > 0 ? 1 / stiffness : 0;
}

/* Rows from `first` on; of those before only the compliance. */
static void linearise(const AfxiContactSet *set, AfxiRows *rows, AfxiPoint *point, uint32_t first) {
    for (uint32_t r = 0; r < first; r++) {
        set_compliance(rows, point->row + r, afxi_point_stiffness(point, r) / row_scale(point, r));
    }
    for (uint32_t r = first; r < point->row_count; r++) {
        AfxiContactRow side[2];
        double stiffness = afxi_contacts_row(set, point, r, side);
        rows->value[point->row + r] = place_gradient(rows, point, r, side);
        set_compliance(rows, point->row + r, stiffness);
    }
    point->slid_before = slides(point);
}

void afxi_contacts_linearise_point(const AfxiContactSet *set, AfxiRows *rows, AfxiPoint *point) {
    linearise(set, rows, point, 0);
}

void afxi_contacts_follow_point(const AfxiContactSet *set, AfxiRows *rows, AfxiPoint *point) {
    linearise(set, rows, point, first_other(point));
}

/* ---- memory ---- */

void afxi_contacts_take(AfxiContactSet *set, AfxiArena *arena, AfxiWorld *world) {
    set->world = world;
    set->woodbury_of = afxi_arena_take(arena, world->model->body_count, sizeof *set->woodbury_of);
    set->place_of = afxi_arena_take(arena, world->model->body_count, sizeof *set->place_of);
    if (arena->base) {
        memset(set->woodbury_of, 0xff, world->model->body_count * sizeof *set->woodbury_of);
        memset(set->place_of, 0xff, world->model->body_count * sizeof *set->place_of);
    }
}

AfxStatus afxi_contacts_keep_past(AfxiContactSet *set) {
    AfxStatus status = afxi_array_reserve(&set->world->def.allocator, (void **)&set->kept, &set->kept_capacity,
                                          set->past_count, sizeof *set->kept);
    if (status == AFX_OK) {
        set->kept_count = set->past_count;
    }
    if (status == AFX_OK && set->kept_count) {
        memcpy(set->kept, set->past, set->kept_count * sizeof *set->kept);
    }
    return status;
}

void afxi_contacts_bring_back_past(AfxiContactSet *set) {
    set->past_count = set->kept_count; /* there was room for so many before */
    if (set->kept_count) {
        memcpy(set->past, set->kept, set->kept_count * sizeof *set->kept);
    }
    set->world->state.head->contact_points = set->past_count;
}

void afxi_contacts_release(AfxiContactSet *set) {
    const AfxAllocator *allocator = &set->world->def.allocator;
    afxi_release(allocator, set->kept, set->kept_capacity * sizeof *set->kept);
    afxi_release(allocator, set->past, set->past_capacity * sizeof *set->past);
    afxi_release(allocator, set->now.point, set->now.capacity * sizeof *set->now.point);
    afxi_release(allocator, set->last.point, set->last.capacity * sizeof *set->last.point);
    afxi_release(allocator, set->woodbury.body, set->woodbury_bodies_capacity * sizeof *set->woodbury.body);
    afxi_release(allocator, set->woodbury.row, set->woodbury_rows_capacity * sizeof *set->woodbury.row);
    afxi_release(allocator, set->woodbury.image, set->woodbury_images_capacity * AFXI_AFFINE_WIDTH * sizeof(double));
    afxi_release(allocator, set->place, set->place_capacity * sizeof *set->place);
    afxi_release(allocator, set->placed, set->placed_capacity * sizeof *set->placed);
}
