/* SPDX-License-Identifier: Apache-2.0 */
/* Which points touch: boxes swept over the step, pairs of boxes, then the points where the shapes are expected to be at
 * the end of the stage. What moves far for its size is swept, so that it does not pass through. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/task.h"
#include "math/polar.h"
#include "step/contacts.h"

/* Points are looked for within this share of a shape's way, and of its inner radius. */
#define MARGIN_WAY 0.1
#define MARGIN_SIZE 1e-3
/* A shape that moves by more than this share of its inner radius relative to another is swept. */
#define SWEEP_SHARE 0.5
#define SWEEP_TARGET 1e-3
/* Slower approach than this share of g dt is no shock. */
#define GENTLE 0.5
/* Share of a body's weight with which a point may pull. */
#define PULL 1e-3
#define STIFFNESS_STEP 2e3
/* Of it, for friction that holds: softer, so that what sticks and what slides are not told apart by rounding. */
#define GRIP 0.005

/* ---- boxes ---- */

static void extend(const AfxiItemBox *box, const double q[12], double lower[3], double upper[3]) {
    for (int i = 0; i < 3; i++) {
        double middle = q[9 + i], half = 0;
        for (int k = 0; k < 3; k++) {
            middle += q[3 * k + i] * box->center[k];
            half += fabs(q[3 * k + i]) * box->half[k];
        }
        lower[i] = fmin(lower[i], middle - half);
        upper[i] = fmax(upper[i], middle + half);
    }
}

/* Where a solve put a body, or NULL. */
static const double *result_of(const AfxSim *sim, uint32_t body) {
    const AfxiContactWork *work = sim->contacts;
    uint32_t local = work->warm ? sim->model->graph.local[body] : UINT32_MAX;
    return local == UINT32_MAX ? NULL : work->result + (size_t)12 * local;
}

/* Where the bodies are, and will be by their velocities and by the last solve; how far their middle goes comes back. */
static double sweep_box(const AfxSim *sim, uint32_t body, const AfxiItemBox *box, double dt, double lower[3],
                        double upper[3]) {
    const double *q = sim->q + (size_t)12 * body, *v = sim->v + (size_t)12 * body;
    double ahead[12], way = 0;
    const double *other = ahead;
    for (int i = 0; i < 3; i++) {
        lower[i] = box->unbounded ? -INFINITY : INFINITY;
        upper[i] = -lower[i];
    }
    if (box->unbounded) {
        return 0;
    }
    extend(box, q, lower, upper);
    if (sim->model->kind[body] == AFX_BODY_FIXED) {
        return 0;
    }
    if (sim->model->kind[body] == AFX_BODY_KINEMATIC) {
        other = sim->previous_q + (size_t)12 * body;
    } else {
        for (int e = 0; e < 12; e++) {
            ahead[e] = q[e] + dt * v[e];
        }
    }
    extend(box, other, lower, upper);
    if (result_of(sim, body)) {
        extend(box, result_of(sim, body), lower, upper);
    }
    for (int i = 0; i < 3; i++) {
        way += (other[9 + i] - q[9 + i]) * (other[9 + i] - q[9 + i]);
    }
    return sqrt(way);
}

typedef struct BoxTask {
    const AfxSim *sim;
    double dt, pad;
} BoxTask;

static void box_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const BoxTask *task = context;
    const AfxSim *sim = task->sim;
    AfxiContactWork *work = sim->contacts;
    (void)part;
    for (uint32_t k = begin; k < end; k++) {
        const AfxiItemBox *box = &work->box[work->box_of[k]];
        double way = sweep_box(sim, sim->model->contacts.shapes[k].body, box, task->dt, work->lower[k], work->upper[k]);
        double pad = task->pad + MARGIN_WAY * way + MARGIN_SIZE * (isfinite(box->inner) ? box->inner : 0);
        work->pad[k] = pad;
        for (int i = 0; i < 3; i++) {
            work->lower[k][i] -= pad;
            work->upper[k][i] += pad;
        }
    }
}

/* ---- places ---- */

/* The rotation that a body takes if nothing turns it: what rolls must be found where the step will put it, or the
 * normal force gets a lever. In the metric of the mass, as for bodies without rows. */
static AfxiMat3 expected_frame(const AfxSim *sim, uint32_t body, const AfxiStagePlan *plan) {
    double qhat[12], qv[12];
    if (sim->model->kind[body] != AFX_BODY_DYNAMIC) {
        AfxiMat3 a = mat3_load(sim->q + (size_t)12 * body);
        return afxi_rotation_part(&a, NULL);
    }
    afxi_stage_past(sim, plan, body, qhat, qv);
    AfxiMat3 a = mat3_load(qhat);
    a = afxi_free_frame(afxi_sim_class(sim, body), qhat, &a);
    return afxi_rotation_part(&a, NULL);
}

/* Where a body is expected at the end of the stage; NULL when there is no memory. */
static const AfxiBodyPlace *expect(AfxSim *sim, uint32_t body, const AfxiStagePlan *plan) {
    AfxiContactWork *work = sim->contacts;
    if (work->place_of[body] != UINT32_MAX) {
        return &work->place[work->place_of[body]];
    }
    uint32_t count = work->place_count + 1;
    if (afxi_array_reserve(&work->allocator, (void **)&work->place, &work->place_capacity, count,
                           sizeof *work->place) != AFX_OK ||
        afxi_array_reserve(&work->allocator, (void **)&work->placed, &work->placed_capacity, count,
                           sizeof *work->placed) != AFX_OK) {
        return NULL;
    }
    const double *q = sim->q + (size_t)12 * body, *v = sim->v + (size_t)12 * body;
    double step = sim->model->kind[body] == AFX_BODY_DYNAMIC ? plan->predict : 0, ahead[12];
    for (int e = 9; e < 12; e++) {
        ahead[e] = q[e] + step * v[e];
    }
    AfxiBodyPlace *place = &work->place[work->place_count];
    const double *result = result_of(sim, body);
    AfxiMat3 a = mat3_load(result ? result : q);
    place->frame = result ? afxi_rotation_part(&a, NULL) : expected_frame(sim, body, plan);
    place->origin = vec3_load((result ? result : ahead) + 9);
    work->placed[work->place_count] = body;
    work->place_of[body] = work->place_count++;
    return place;
}

static void forget_places(AfxiContactWork *work) {
    for (uint32_t k = 0; k < work->place_count; k++) {
        work->place_of[work->placed[k]] = UINT32_MAX;
    }
    work->place_count = 0;
}

/* ---- points ---- */

static AfxVec3 way_of(const AfxSim *sim, uint32_t body, double dt) {
    const double *q = sim->q + (size_t)12 * body, *v = sim->v + (size_t)12 * body;
    switch (sim->model->kind[body]) {
    case AFX_BODY_DYNAMIC:
        return result_of(sim, body) ? vec3_sub(vec3_load(result_of(sim, body) + 9), vec3_load(q + 9))
                                    : vec3_scale(dt, vec3_load(v + 9));
    case AFX_BODY_KINEMATIC:
        return vec3_sub(vec3_load(q + 9), vec3_load(sim->previous_q + (size_t)12 * body + 9));
    default:
        return vec3(0, 0, 0);
    }
}

static AfxiPlace moved_by(AfxiPlace place, AfxVec3 way) {
    vec3_store(place.t, vec3_add(vec3_load(place.t), way));
    return place;
}

/* Points where two items meet on their way, carried on to its end; none when they do not, or not so far before it that
 * the nearest way out might be the wrong one. */
static uint32_t sweep_items(AfxSim *sim, uint32_t a, uint32_t b, const AfxiPlace place[2], const AfxVec3 way[2],
                            double inner, AfxiTouch *touch) {
    const AfxiContactWork *work = sim->contacts;
    const AfxiGeometry *g_a = &work->geometry[sim->model->contacts.shapes[a].geometry];
    const AfxiGeometry *g_b = &work->geometry[sim->model->contacts.shapes[b].geometry];
    AfxiPlace from_a = moved_by(place[0], vec3_scale(-1, way[0])), from_b = moved_by(place[1], vec3_scale(-1, way[1]));
    double d_a[3], d_b[3], s, deepest = INFINITY;
    vec3_store(d_a, way[0]);
    vec3_store(d_b, way[1]);
    if (!afxi_sweep(g_a, &from_a, d_a, g_b, &from_b, d_b, SWEEP_TARGET * inner, &s, touch)) {
        return 0;
    }
    AfxiTouch first = *touch;
    AfxVec3 rest_a = vec3_scale(1 - s, way[0]), rest_b = vec3_scale(1 - s, way[1]);
    AfxiPlace met_a = moved_by(from_a, vec3_scale(s, way[0])), met_b = moved_by(from_b, vec3_scale(s, way[1]));
    uint32_t count = afxi_touch(g_a, &met_a, g_b, &met_b, work->pad[a] + work->pad[b], touch);
    if (count == 0) {
        touch[count++] = first;
    }
    for (uint32_t k = 0; k < count; k++) {
        vec3_store(touch[k].point_a, vec3_add(vec3_load(touch[k].point_a), rest_a));
        vec3_store(touch[k].point_b, vec3_add(vec3_load(touch[k].point_b), rest_b));
        touch[k].gap += vec3_dot(vec3_load(touch[k].normal), vec3_sub(rest_a, rest_b));
        deepest = fmin(deepest, touch[k].gap);
    }
    return deepest < -SWEEP_SHARE * inner ? count : 0;
}

/* Points of two items; of what moves far for its size, where they meet on their way. */
static uint32_t touch_items(AfxSim *sim, uint32_t a, uint32_t b, double dt, AfxiTouch *touch) {
    AfxiContactWork *work = sim->contacts;
    const AfxiContactShape *shape_a = &sim->model->contacts.shapes[a], *shape_b = &sim->model->contacts.shapes[b];
    AfxiPlace place[2] = {afxi_shape_expected(sim, shape_a), afxi_shape_expected(sim, shape_b)};
    AfxVec3 way[2] = {way_of(sim, shape_a->body, dt), way_of(sim, shape_b->body, dt)};
    double inner = fmin(work->box[work->box_of[a]].inner, work->box[work->box_of[b]].inner);
    if (vec3_length(vec3_sub(way[0], way[1])) > SWEEP_SHARE * inner) {
        uint32_t count = sweep_items(sim, a, b, place, way, inner, touch);
        if (count) {
            return count;
        }
    }
    return afxi_touch(&work->geometry[shape_a->geometry], &place[0], &work->geometry[shape_b->geometry], &place[1],
                      work->pad[a] + work->pad[b], touch);
}

static AfxVec3 any_normal(AfxVec3 n) {
    AfxVec3 other = fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    AfxVec3 t = vec3_cross(n, other);
    return vec3_scale(1 / vec3_length(t), t);
}

/* Velocity at the present of what will be at `arm` from the origin: of the place, not of the material point, which
 * rolls away from it. */
static AfxVec3 velocity_at(const AfxSim *sim, uint32_t body, AfxVec3 arm) {
    const double *q = sim->q + (size_t)12 * body, *v = sim->v + (size_t)12 * body;
    AfxiMat3 a = mat3_load(q), rate = mat3_load(v);
    if (sim->model->kind[body] == AFX_BODY_FIXED) {
        return vec3(0, 0, 0);
    }
    return vec3_add(mat3_apply(&rate, mat3_apply_transposed(&a, arm)), vec3_load(v + 9));
}

/* No stiffer than the step can tell from rigid: a body sinks in by 5e-4 of what its weight would move it in a step, and
 * solves stay well conditioned. How soft the body is, is its own affair: it gives way behind the point. */
static double body_stiffness(const AfxSim *sim, uint32_t body) {
    const AfxiBodyClass *class = afxi_sim_class(sim, body);
    double dt = sim->contacts->dt;
    return STIFFNESS_STEP * class->mass / (dt * dt);
}

static void set_material(const AfxSim *sim, const AfxiContactShape *a, const AfxiContactShape *b, AfxiPoint *point) {
    const double *pair = afxi_param_const(sim->model, sim->params, AFX_PARAM_MATERIAL_PAIR,
                                          afxi_material_pair(a->material, b->material));
    point->friction = pair[AFXI_PAIR_FRICTION];
    point->restitution = pair[AFXI_PAIR_RESTITUTION];
    point->rolling = pair[AFXI_PAIR_ROLLING];
    point->torsion = pair[AFXI_PAIR_TORSIONAL];
    point->stiffness = pair[AFXI_PAIR_STIFFNESS];
    if (!(point->stiffness > 0)) {
        double k_a = body_stiffness(sim, point->body_a), k_b = point->pair ? body_stiffness(sim, point->body_b) : k_a;
        point->stiffness = point->pair ? 0.5 * fmax(k_a, k_b) : k_a;
    }
    AfxVec3 gravity = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0));
    double still = fmax(PULL * vec3_length(gravity), 1e-7 * sim->model->size / (sim->contacts->dt * sim->contacts->dt));
    point->pull = afxi_sim_class(sim, point->body_a)->mass * still / point->stiffness;
    bool turns = point->rolling > 0 || point->torsion > 0;
    point->volume = afxi_sim_class(sim, point->body_a)->volume;
    double arm = cbrt(point->volume);
    point->row_count = turns ? AFXI_POINT_ROWS_ROLLING : AFXI_POINT_ROWS;
    point->grip = GRIP * point->stiffness;
    point->turn_stiffness = turns ? point->grip * arm * arm : 0;
}

/* Whether a point comes before (item a, item b, feature), is that, or comes after. */
static int compare(const AfxiPointMemory *memory, uint32_t a, uint32_t b, uint32_t feature) {
    if (memory->item_a != a) {
        return memory->item_a < a ? -1 : 1;
    }
    if (memory->item_b != b) {
        return memory->item_b < b ? -1 : 1;
    }
    return memory->feature < feature ? -1 : memory->feature > feature;
}

/* How far the points of the last step and of the last look have been gone through. Points come in their order. */
typedef struct Cursor {
    uint32_t past, last;
} Cursor;

/* Memory of the same point in the last look of this stage, after whose solves it may push, or in the last step; or
 * NULL.
 */
static const AfxiPointMemory *recall(const AfxiContactWork *work, Cursor *cursor, uint32_t a, uint32_t b,
                                     uint32_t feature, bool *out_pushed) {
    int order = 1;
    *out_pushed = false;
    while (cursor->last < work->last.count &&
           (order = compare(&work->last.point[cursor->last].memory, a, b, feature)) < 0) {
        cursor->last++;
    }
    if (cursor->last < work->last.count && order == 0) {
        *out_pushed = work->last.point[cursor->last].tried.push > 0;
        return &work->last.point[cursor->last].memory;
    }
    while (cursor->past < work->past_count && (order = compare(&work->past[cursor->past], a, b, feature)) < 0) {
        cursor->past++;
    }
    *out_pushed = cursor->past < work->past_count && order == 0;
    return *out_pushed ? &work->past[cursor->past] : NULL;
}

/* Share of its inner radius by which a link of a chain may sink in for a step. */
#define SLACK 0.01

/* Velocity that a mesh which deforms gives to a point p of one of its triangles; in the world. */
static AfxVec3 drift_of(const AfxSim *sim, const AfxiContactShape *shape, uint32_t triangle, AfxVec3 p) {
    const AfxiContactWork *work = sim->contacts;
    const double *rate = work->rates[shape->geometry];
    if (!rate) {
        return vec3(0, 0, 0);
    }
    const AfxiContactGeometry *source = &sim->model->contacts.geometries[shape->geometry];
    const double *vertices = work->mesh[shape->geometry].vertices;
    const uint32_t *corner = source->triangles + 3 * (size_t)triangle;
    AfxiPlace place = afxi_shape_expected(sim, shape);
    AfxiMat3 r = mat3_load(place.r);
    AfxVec3 x = mat3_apply_transposed(&r, vec3_sub(p, vec3_load(place.t))), sum = vec3(0, 0, 0);
    AfxVec3 v[3];
    for (int k = 0; k < 3; k++) {
        v[k] = vec3_sub(vec3_load(vertices + 3 * (size_t)corner[k]), x);
    }
    AfxVec3 n = vec3_cross(vec3_sub(v[1], v[0]), vec3_sub(v[2], v[0]));
    double area = vec3_dot(n, n);
    for (int k = 0; k < 3 && area > 0; k++) { /* shares of the corners by areas */
        double share = vec3_dot(n, vec3_cross(v[(k + 1) % 3], v[(k + 2) % 3])) / area;
        sum = vec3_add(sum, vec3_scale(share, vec3_load(rate + 3 * (size_t)corner[k])));
    }
    return mat3_apply(&r, sum);
}

static void make_point(AfxSim *sim, const AfxiPair *pair, const AfxiTouch *touch, const AfxiPointMemory *memory,
                       bool pushed, AfxiPoint *out) {
    const AfxiContactWork *work = sim->contacts;
    const AfxModel *model = sim->model;
    const AfxiContactShape *a = &model->contacts.shapes[pair->a], *b = &model->contacts.shapes[pair->b];
    AfxVec3 n = vec3_load(touch->normal), p_a = vec3_load(touch->point_a), p_b = vec3_load(touch->point_b);
    if (model->kind[a->body] != AFX_BODY_DYNAMIC) { /* a is the one that is solved for */
        const AfxiContactShape *shape = a;
        AfxVec3 p = p_a;
        a = b;
        b = shape;
        p_a = p_b;
        p_b = p;
        n = vec3_scale(-1, n);
    }
    *out = (AfxiPoint){.body_a = a->body, .body_b = b->body, .gap = touch->gap, .pushed = pushed};
    out->pair = model->kind[b->body] == AFX_BODY_DYNAMIC;
    out->chained = model->graph.local[a->body] == UINT32_MAX;
    out->chain = out->chained ? work->chain_of[work->link_of[a->body]] : UINT32_MAX;
    const AfxiBodyPlace *place_a = &work->place[work->place_of[a->body]];
    const AfxiBodyPlace *place_b = &work->place[work->place_of[b->body]];
    AfxVec3 x_a = mat3_apply_transposed(&place_a->frame, vec3_sub(p_a, place_a->origin));
    AfxVec3 x_b = mat3_apply_transposed(&place_b->frame, vec3_sub(p_b, place_b->origin));
    AfxVec3 t = any_normal(n);
    if (memory && memory->sliding) { /* the first tangent goes along the slip */
        AfxVec3 stretch = vec3_load(memory->stretch), along = vec3_sub(stretch, vec3_scale(vec3_dot(n, stretch), n));
        double length = vec3_length(along);
        t = length > 0 ? vec3_scale(1 / length, along) : t;
    }
    vec3_store(out->axis, n);
    vec3_store(out->axis + 3, t);
    vec3_store(out->axis + 6, vec3_cross(n, t));
    vec3_store(out->x_a, x_a);
    double round_a = afxi_geometry_radius(&work->geometry[a->geometry]);
    double round_b = out->pair ? afxi_geometry_radius(&work->geometry[b->geometry]) : 0;
    vec3_store(out->core_a, vec3_add(x_a, vec3_scale(round_a, mat3_apply_transposed(&place_a->frame, n))));
    vec3_store(out->core_b, vec3_sub(x_b, vec3_scale(round_b, mat3_apply_transposed(&place_b->frame, n))));
    out->round = round_a + round_b;
    vec3_store(out->x_b, out->pair ? x_b : p_b);
    set_material(sim, a, b, out);
    out->slack = SLACK * fmin(work->box[work->box_of[pair->a]].inner, work->box[work->box_of[pair->b]].inner);
    AfxVec3 drift = drift_of(sim, b, touch->triangle, p_b);
    AfxVec3 speed_b = vec3_add(velocity_at(sim, b->body, vec3_sub(p_b, place_b->origin)), drift);
    vec3_store(out->drift, drift);
    out->approach = vec3_dot(n, vec3_sub(velocity_at(sim, a->body, vec3_sub(p_a, place_a->origin)), speed_b));
    out->carried = out->pair ? 0 : vec3_dot(n, speed_b);
    out->first_gap = touch->gap;
    out->active = touch->gap < 0 || out->pushed;
    out->fresh = !memory;
    if (memory) {
        out->memory = *memory;
        AfxVec3 stretch = vec3_load(memory->stretch);
        vec3_store(out->memory.stretch, vec3_sub(stretch, vec3_scale(vec3_dot(n, stretch), n)));
    }
    if (!out->active) {
        AfxiPointMemory *own = &out->memory;
        own->limit = own->limit_roll = own->limit_spin = own->slip = own->roll = own->spin = 0;
        own->sliding = 0;
    }
    out->memory.item_a = pair->a;
    out->memory.item_b = pair->b;
    out->memory.feature = touch->feature;
}

static void sort_touches(AfxiTouch *touch, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        AfxiTouch own = touch[i];
        uint32_t k = i;
        for (; k > 0 && touch[k - 1].feature > own.feature; k--) {
            touch[k] = touch[k - 1];
        }
        touch[k] = own;
    }
}

static AfxStatus find_points(AfxSim *sim, const AfxiStagePlan *plan) {
    double dt = plan->predict;
    AfxiContactWork *work = sim->contacts;
    uint32_t count;
    Cursor cursor = {0, 0};
    const AfxiPair *pair = afxi_broad_pairs(work->broad, &count);
    AfxVec3 gravity = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0));
    double gentle = GENTLE * vec3_length(gravity) * dt;
    forget_places(work);
    AfxiPointList seen = work->now;
    work->now = work->last;
    work->last = seen;
    work->last.count = work->warm ? work->last.count : 0;
    work->now.count = 0;
    work->impact = false;
    for (uint32_t k = 0; k < count; k++) {
        AfxiTouch touch[AFXI_TOUCH_MAX];
        if (!expect(sim, sim->model->contacts.shapes[pair[k].a].body, plan) ||
            !expect(sim, sim->model->contacts.shapes[pair[k].b].body, plan)) {
            return AFX_E_MEMORY;
        }
        uint32_t found = touch_items(sim, pair[k].a, pair[k].b, dt, touch), wanted = work->now.count + found;
        if (afxi_array_reserve(&work->allocator, (void **)&work->now.point, &work->now.capacity, wanted,
                               sizeof *work->now.point) != AFX_OK) {
            return AFX_E_MEMORY;
        }
        sort_touches(touch, found);
        for (uint32_t t = 0; t < found; t++) {
            AfxiPoint *point = &work->now.point[work->now.count++];
            bool pushed;
            const AfxiPointMemory *memory = recall(work, &cursor, pair[k].a, pair[k].b, touch[t].feature, &pushed);
            make_point(sim, &pair[k], &touch[t], memory, pushed, point);
            work->impact |= point->active && (point->approach < -gentle || !sim->state->has_history);
        }
    }
    return afxi_array_reserve(&work->allocator, (void **)&work->past, &work->past_capacity, work->now.count,
                              sizeof *work->past);
}

AfxStatus afxi_contacts_find(AfxSim *sim, const AfxiStagePlan *plan) {
    AfxiContactWork *work = sim->contacts;
    double begin = afxi_clock(), dt = plan->predict;
    AfxVec3 gravity = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0));
    BoxTask task = {sim, dt, vec3_length(gravity) * dt * dt};
    work->dt = dt;
    afxi_parallel_for(&sim->def.tasks, sim->def.threads, sim->model->contacts.shape_count, AFXI_GRAIN, box_part, &task);
    AfxStatus status = afxi_broad_update(work->broad, (const double(*)[3])work->lower, (const double(*)[3])work->upper,
                                         &sim->def.tasks, sim->def.threads);
    double middle = afxi_clock();
    work->seconds_broad += middle - begin;
    status = status ? status : find_points(sim, plan);
    work->seconds_narrow += afxi_clock() - middle;
    return status;
}
