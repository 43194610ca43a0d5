/* SPDX-License-Identifier: Apache-2.0 */
/* Which points touch: boxes swept over the step, pairs of boxes, then the points where the shapes are expected to be at
 * the end of the stage. What moves far for its size is swept, so that it does not pass through. */
#include <math.h>
#include <string.h>

#include "collide/find.h"

#include "base/clock.h"
#include "collide/box.h"
#include "collide/place.h"
#include "collide/tuning.h"
#include "constraint/soft.h"
#include "contact/broad.h"
#include "contact/geometry.h"
#include "contact/sweep.h"
#include "math/polar.h"
#include "model/model.h"
#include "state/history.h"
#include "state/pace.h"
#include "state/phase.h"
#include "state/sleep.h"

/* ---- places ---- */

/* Whether a body moves in this stage, solved for or led. */
static bool is_moving(const AfxiCollide *collide, uint32_t body) {
    bool done = collide->absent && collide->absent[body];
    return collide->set.world->model->kind[body] == AFX_BODY_DYNAMIC && !done;
}

/* The rotation that a body takes if nothing turns it: what rolls must be found where the step will put it, or the
 * normal force gets a lever. In the metric of the mass, as for bodies without rows. */
static AfxiMat3 expected_frame(const AfxiCollide *collide, uint32_t body, const AfxiPlans *plans) {
    double qhat[AFXI_AFFINE_WIDTH], qv[AFXI_AFFINE_WIDTH], own[AFXI_PHASE_SIZE];
    if (!is_moving(collide, body)) {
        AfxiMat3 a = mat3_load(collide->set.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body);
        return afxi_rotation_part(&a, NULL);
    }
    const AfxiState *state = &collide->set.world->state;
    const AfxiStagePlan *plan = afxi_pace_plan(plans, state, body);
    afxi_stage_past_with(state, plan, body, afxi_phase_row_alone(collide->set.world, plan, body, own), qhat, qv);
    AfxiMat3 a = mat3_load(qhat);
    a = afxi_free_frame(afxi_world_class(collide->set.world, body), qhat, &a);
    return afxi_rotation_part(&a, NULL);
}

/* s, to the end of the stage: bodies after an impact may wait at the beginning of the step. */
static double time_ahead(const AfxiCollide *collide, uint32_t body, const AfxiPlans *plans) {
    return afxi_pace_plan(plans, &collide->set.world->state, body)->predict;
}

/* Where a body is expected at the end of the stage; NULL when there is no memory. */
static const AfxiBodyPlace *expect(AfxiCollide *collide, uint32_t body, const AfxiPlans *plans) {
    if (collide->set.place_of[body] != UINT32_MAX) {
        return &collide->set.place[collide->set.place_of[body]];
    }
    uint32_t count = collide->set.place_count + 1;
    if (afxi_array_reserve(&collide->set.world->def.allocator, (void **)&collide->set.place,
                           &collide->set.place_capacity, count, sizeof *collide->set.place) != AFX_OK ||
        afxi_array_reserve(&collide->set.world->def.allocator, (void **)&collide->set.placed,
                           &collide->set.placed_capacity, count, sizeof *collide->set.placed) != AFX_OK) {
        return NULL;
    }
    const double *q = collide->set.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                 *v = collide->set.world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    double step = is_moving(collide, body) ? time_ahead(collide, body, plans) : 0, ahead[AFXI_AFFINE_WIDTH];
    for (int e = 9; e < AFXI_AFFINE_WIDTH; e++) {
        ahead[e] = q[e] + step * v[e];
    }
    AfxiBodyPlace *place = &collide->set.place[collide->set.place_count];
    const double *result = afxi_collide_result(collide, body);
    AfxiMat3 a = mat3_load(result ? result : q);
    place->frame = result ? afxi_rotation_part(&a, NULL) : expected_frame(collide, body, plans);
    place->origin = vec3_load((result ? result : ahead) + 9);
    place->plan = !result && is_moving(collide, body) ? afxi_pace_plan(plans, &collide->set.world->state, body) : NULL;
    collide->set.placed[collide->set.place_count] = body;
    collide->set.place_of[body] = collide->set.place_count++;
    return place;
}

static void forget_places(AfxiCollide *collide) {
    for (uint32_t k = 0; k < collide->set.place_count; k++) {
        collide->set.place_of[collide->set.placed[k]] = UINT32_MAX;
    }
    collide->set.place_count = 0;
}

/* ---- points ---- */

static AfxVec3 way_of(const AfxiCollide *collide, uint32_t body, double dt) {
    const double *q = collide->set.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                 *v = collide->set.world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    switch (collide->set.world->model->kind[body]) {
    case AFX_BODY_DYNAMIC:
        if (!is_moving(collide, body)) {
            return vec3(0, 0, 0);
        }
        return afxi_collide_result(collide, body)
                   ? vec3_sub(vec3_load(afxi_collide_result(collide, body) + 9), vec3_load(q + 9))
                   : vec3_scale(dt, vec3_load(v + 9));
    case AFX_BODY_KINEMATIC:
        return vec3_sub(vec3_load(q + 9),
                        vec3_load(collide->set.world->state.previous_q + (size_t)AFXI_AFFINE_WIDTH * body + 9));
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
static uint32_t sweep_items(AfxiCollide *collide, uint32_t a, uint32_t b, const AfxiPlace place[2],
                            const AfxVec3 way[2], double inner, AfxiTouch *touch) {
    const AfxiGeometry *g_a = &collide->geometry[collide->set.world->model->contacts.shapes[a].geometry];
    const AfxiGeometry *g_b = &collide->geometry[collide->set.world->model->contacts.shapes[b].geometry];
    AfxiPlace from_a = moved_by(place[0], vec3_scale(-1, way[0])), from_b = moved_by(place[1], vec3_scale(-1, way[1]));
    double d_a[3], d_b[3], s, deepest = INFINITY;
    vec3_store(d_a, way[0]);
    vec3_store(d_b, way[1]);
    if (!afxi_sweep(g_a, &from_a, d_a, g_b, &from_b, d_b, AFXI_SWEEP_TARGET * inner, &s, touch)) {
        return 0;
    }
    AfxiTouch first = *touch;
    AfxVec3 rest_a = vec3_scale(1 - s, way[0]), rest_b = vec3_scale(1 - s, way[1]);
    AfxiPlace met_a = moved_by(from_a, vec3_scale(s, way[0])), met_b = moved_by(from_b, vec3_scale(s, way[1]));
    uint32_t count = afxi_touch(g_a, &met_a, g_b, &met_b, afxi_collide_reach(collide, a, b), touch);
    if (count == 0) {
        touch[count++] = first;
    }
    for (uint32_t k = 0; k < count; k++) {
        vec3_store(touch[k].point_a, vec3_add(vec3_load(touch[k].point_a), rest_a));
        vec3_store(touch[k].point_b, vec3_add(vec3_load(touch[k].point_b), rest_b));
        touch[k].gap += vec3_dot(vec3_load(touch[k].normal), vec3_sub(rest_a, rest_b));
        deepest = fmin(deepest, touch[k].gap);
    }
    return deepest < -AFXI_SWEEP_SHARE * inner ? count : 0;
}

/* How a body moves through the stage if nothing stops it. */
typedef struct Flight {
    AfxiBodyPlace now; /* where points are wanted: where it is expected, or where the last solve put it */
    double from[AFXI_AFFINE_WIDTH], to[AFXI_AFFINE_WIDTH];
} Flight;

static Flight flight_of(const AfxiCollide *collide, uint32_t body, double dt) {
    const AfxiWorld *world = collide->set.world;
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    bool carried = world->model->kind[body] == AFX_BODY_KINEMATIC;
    double step = is_moving(collide, body) ? dt : 0;
    Flight out = {.now = collide->set.place[collide->set.place_of[body]]};
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        double q = world->state.q[at + e];
        out.from[e] = carried ? world->state.previous_q[at + e] : q;
        out.to[e] = carried ? q : q + step * world->state.v[at + e];
    }
    return out;
}

static AfxiBodyPlace flown(const Flight *flight, double s) {
    double q[AFXI_AFFINE_WIDTH];
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        q[e] = flight->from[e] + s * (flight->to[e] - flight->from[e]);
    }
    AfxiMat3 a = mat3_load(q);
    return (AfxiBodyPlace){.frame = afxi_rotation_part(&a, NULL), .origin = vec3_load(q + 9)};
}

static AfxVec3 flown_way(const Flight *flight) {
    return vec3_sub(vec3_load(flight->to + 9), vec3_load(flight->from + 9));
}

/* How far two bodies come nearer to each other or apart in flight, without a Flight. */
static double flown_apart(const AfxiCollide *collide, uint32_t body_a, uint32_t body_b, double dt) {
    uint32_t body[2] = {body_a, body_b};
    AfxVec3 way[2];
    for (int k = 0; k < 2; k++) {
        way[k] = is_moving(collide, body[k])
                     ? vec3_scale(dt, vec3_load(collide->set.world->state.v + (size_t)AFXI_AFFINE_WIDTH * body[k] + 9))
                     : way_of(collide, body[k], dt);
    }
    return vec3_length(vec3_sub(way[0], way[1]));
}

/* When two items meet in flight, as they are turned at `turned` of it. */
static bool meet(const AfxiCollide *collide, const uint32_t item[2], const Flight flight[2], double turned,
                 double target, double *out_s, AfxiTouch *out) {
    const AfxiContacts *contacts = &collide->set.world->model->contacts;
    AfxiPlace from[2];
    double way[2][3];
    for (int k = 0; k < 2; k++) {
        AfxiBodyPlace place = flown(&flight[k], turned);
        from[k] = afxi_shape_on(collide, &contacts->shapes[item[k]], &place.frame, vec3_load(flight[k].from + 9));
        vec3_store(way[k], flown_way(&flight[k]));
    }
    return afxi_sweep(&collide->geometry[contacts->shapes[item[0]].geometry], &from[0], way[0],
                      &collide->geometry[contacts->shapes[item[1]].geometry], &from[1], way[1], target, out_s, out);
}

/* A point of a body that is at `met`, carried along to where it is at `place`. */
static AfxVec3 carried_to(const AfxiBodyPlace *met, const AfxiBodyPlace *place, const double point[3]) {
    AfxVec3 x = mat3_apply_transposed(&met->frame, vec3_sub(vec3_load(point), met->origin));
    return vec3_add(place->origin, mat3_apply(&place->frame, x));
}

/* Whether the middle of one item has come past that of the other, as they stood across the normal where they met. */
static bool have_passed(const AfxiPlace met[2], const AfxiPlace now[2], AfxVec3 n, double inner) {
    double before = vec3_dot(n, vec3_sub(vec3_load(met[0].t), vec3_load(met[1].t)));
    double after = vec3_dot(n, vec3_sub(vec3_load(now[0].t), vec3_load(now[1].t)));
    return before > inner && after < AFXI_SWEEP_PASSED * before;
}

/* Points where two items meet in flight, on the bodies as they are expected, or where the last solve put them: that
 * they strike each other is no matter of where it did. First as they are turned at the beginning or, if they miss each
 * other so, at the end; then as they are when they meet. None when they do not meet, or when they are now so near to
 * where they met, or on this side of it, that the nearest way out is the right one. */
static uint32_t sweep_flight(AfxiCollide *collide, const uint32_t item[2], const Flight flight[2], double inner,
                             AfxiTouch *touch) {
    const AfxiContactShape *shapes = collide->set.world->model->contacts.shapes;
    AfxiTouch first, later;
    double s, again, deepest = INFINITY;
    if (!meet(collide, item, flight, 0, AFXI_SWEEP_TARGET * inner, &s, &first) &&
        !meet(collide, item, flight, 1, AFXI_SWEEP_TARGET * inner, &s, &first)) {
        return 0;
    }
    if (meet(collide, item, flight, s, AFXI_SWEEP_TARGET * inner, &again, &later)) {
        s = again;
        first = later;
    }
    AfxiBodyPlace met[2] = {flown(&flight[0], s), flown(&flight[1], s)};
    AfxiPlace at[2] = {afxi_shape_on(collide, &shapes[item[0]], &met[0].frame, met[0].origin),
                       afxi_shape_on(collide, &shapes[item[1]], &met[1].frame, met[1].origin)};
    AfxiPlace now[2] = {afxi_shape_expected(collide, &shapes[item[0]]), afxi_shape_expected(collide, &shapes[item[1]])};
    bool passed = have_passed(at, now, vec3_load(first.normal), inner);
    uint32_t count =
        afxi_touch(&collide->geometry[shapes[item[0]].geometry], &at[0], &collide->geometry[shapes[item[1]].geometry],
                   &at[1], afxi_collide_reach(collide, item[0], item[1]), touch);
    if (count == 0) {
        touch[count++] = first;
    }
    for (uint32_t k = 0; k < count; k++) {
        AfxVec3 n = vec3_load(touch[k].normal),
                apart = vec3_sub(vec3_load(touch[k].point_a), vec3_load(touch[k].point_b));
        AfxVec3 p_a = carried_to(&met[0], &flight[0].now, touch[k].point_a);
        AfxVec3 p_b = carried_to(&met[1], &flight[1].now, touch[k].point_b);
        touch[k].gap += vec3_dot(n, vec3_sub(vec3_sub(p_a, p_b), apart));
        deepest = fmin(deepest, touch[k].gap);
        vec3_store(touch[k].point_a, p_a);
        vec3_store(touch[k].point_b, p_b);
    }
    return passed || deepest < -AFXI_SWEEP_SHARE * inner ? count : 0;
}

/* Points of two items; of what moves far for its size, where they meet on their way: in flight or, where a solve has
 * thrown one, on the way there. */
static uint32_t touch_items(AfxiCollide *collide, uint32_t a, uint32_t b, double dt, AfxiTouch *touch) {
    const AfxiContactShape *shape_a = &collide->set.world->model->contacts.shapes[a],
                           *shape_b = &collide->set.world->model->contacts.shapes[b];
    AfxiPlace place[2] = {afxi_shape_expected(collide, shape_a), afxi_shape_expected(collide, shape_b)};
    AfxVec3 way[2] = {way_of(collide, shape_a->body, dt), way_of(collide, shape_b->body, dt)};
    double inner = fmin(collide->box[collide->box_of[a]].inner, collide->box[collide->box_of[b]].inner);
    uint32_t count = 0;
    if (flown_apart(collide, shape_a->body, shape_b->body, dt) > AFXI_SWEEP_SHARE * inner) {
        Flight flight[2] = {flight_of(collide, shape_a->body, dt), flight_of(collide, shape_b->body, dt)};
        count = sweep_flight(collide, (uint32_t[2]){a, b}, flight, inner, touch);
    }
    if (!count && vec3_length(vec3_sub(way[0], way[1])) > AFXI_SWEEP_SHARE * inner) {
        count = sweep_items(collide, a, b, place, way, inner, touch);
    }
    return count ? count
                 : afxi_touch(&collide->geometry[shape_a->geometry], &place[0], &collide->geometry[shape_b->geometry],
                              &place[1], afxi_collide_reach(collide, a, b), touch);
}

static AfxVec3 any_normal(AfxVec3 n) {
    AfxVec3 other = fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    AfxVec3 t = vec3_cross(n, other);
    return vec3_scale(1 / vec3_length(t), t);
}

/* Velocity at the present of what will be at `arm` from the origin: of the place, not of the material point, which
 * rolls away from it. */
static AfxVec3 velocity_at(const AfxiCollide *collide, uint32_t body, AfxVec3 arm) {
    const double *q = collide->set.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                 *v = collide->set.world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(q), rate = mat3_load(v);
    if (collide->set.world->model->kind[body] == AFX_BODY_FIXED) {
        return vec3(0, 0, 0);
    }
    return vec3_add(mat3_apply(&rate, mat3_apply_transposed(&a, arm)), vec3_load(v + 9));
}

/* No stiffer than the step can tell from rigid: a body sinks in by 5e-4 of what its weight would move it in a step, and
 * solves stay well conditioned. How soft the body is, is its own affair: it gives way behind the point. */
static double body_stiffness(const AfxiCollide *collide, uint32_t body, double dt) {
    const AfxiBodyClass *class = afxi_world_class(collide->set.world, body);
    return AFXI_CONTACT_STIFFNESS * class->mass / (dt * dt);
}

/* `step`: s, of the whole step, so that all of its stages have the same springs. */
static void set_material(const AfxiCollide *collide, const AfxiContactShape *a, const AfxiContactShape *b, double step,
                         AfxiPoint *point) {
    point->materials = afxi_material_pair(a->material, b->material);
    const double *pair = afxi_world_param(collide->set.world, AFX_PARAM_MATERIAL_PAIR, point->materials);
    point->soft = afxi_soft_is(pair);
    point->friction = pair[AFXI_PAIR_FRICTION];
    point->restitution = pair[AFXI_PAIR_RESTITUTION];
    point->rolling = pair[AFXI_PAIR_ROLLING];
    point->torsion = pair[AFXI_PAIR_TORSIONAL];
    double k_a = body_stiffness(collide, point->body_a, step);
    double k_b = point->pair ? body_stiffness(collide, point->body_b, step) : k_a;
    point->stiffest = point->pair ? 0.5 * fmax(k_a, k_b) : k_a;
    bool rigid = point->soft || !(pair[AFXI_PAIR_STIFFNESS] > 0); /* soft ones: until the stage begins */
    point->stiffness = rigid ? point->stiffest : pair[AFXI_PAIR_STIFFNESS];
    double gravity = vec3_length(vec3_load(afxi_world_param(collide->set.world, AFX_PARAM_GRAVITY, 0)));
    double extent = collide->extent[point->body_a], square = point->dt * point->dt;
    double still = fmax(AFXI_PULL_WEIGHT * gravity, 1e-7 * extent / square);
    point->least_slip = gravity * square;
    point->tolerance = fmax(1e-3 * gravity * square, 1e-9 * extent);
    point->pull = afxi_world_class(collide->set.world, point->body_a)->mass * still / point->stiffness;
    bool turns = point->rolling > 0 || point->torsion > 0;
    point->volume = afxi_world_class(collide->set.world, point->body_a)->volume;
    double arm = cbrt(point->volume);
    point->row_count = turns ? AFXI_POINT_ROWS_ROLLING : AFXI_POINT_ROWS;
    point->stick = point->grip = AFXI_GRIP_SHARE * point->stiffness;
    point->turn_stiffness = turns ? point->grip * arm * arm : 0;
    point->margin = pair[AFXI_PAIR_MARGIN];
    point->round += point->margin;
    point->gap -= point->margin;
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
    bool again; /* the last look was in this stage: its points are gone on from */
} Cursor;

/* Memory of the same point in the last look of this stage, after whose solves it may push, or in the last step; or
 * NULL.
 */
static const AfxiPointMemory *recall(const AfxiCollide *collide, Cursor *cursor, uint32_t a, uint32_t b,
                                     uint32_t feature, bool *out_pushed) {
    int order = 1;
    *out_pushed = false;
    while (cursor->again && cursor->last < collide->set.last.count &&
           (order = compare(&collide->set.last.point[cursor->last].memory, a, b, feature)) < 0) {
        cursor->last++;
    }
    if (cursor->again && cursor->last < collide->set.last.count && order == 0) {
        *out_pushed = collide->set.last.point[cursor->last].tried.push > 0;
        return &collide->set.last.point[cursor->last].memory;
    }
    while (cursor->past < collide->set.past_count &&
           (order = compare(&collide->set.past[cursor->past], a, b, feature)) < 0) {
        cursor->past++;
    }
    *out_pushed = cursor->past < collide->set.past_count && order == 0;
    return *out_pushed ? &collide->set.past[cursor->past] : NULL;
}

/* Velocity that a mesh which deforms gives to a point p of one of its triangles; in the world. */
static AfxVec3 drift_of(const AfxiCollide *collide, const AfxiContactShape *shape, uint32_t triangle, AfxVec3 p) {
    const double *rate = collide->rates[shape->geometry];
    if (!rate) {
        return vec3(0, 0, 0);
    }
    const AfxiContactGeometry *source = &collide->set.world->model->contacts.geometries[shape->geometry];
    const double *vertices = collide->mesh[shape->geometry].vertices;
    const uint32_t *corner = source->triangles + 3 * (size_t)triangle;
    AfxiPlace place = afxi_shape_expected(collide, shape);
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

/* A pair of items that is looked at. */
typedef struct Look {
    AfxiPair pair;
    bool strained[2];   /* whether the strain of the body of each counts */
    AfxiMat3 strain[2]; /* S - I, as it is now */
    double dt, step;    /* s, ahead and of the whole step */
} Look;

static void load_strains(const AfxiCollide *collide, Look *look) {
    const uint32_t item[2] = {look->pair.a, look->pair.b};
    for (int k = 0; k < 2; k++) {
        uint32_t body = collide->set.world->model->contacts.shapes[item[k]].body;
        const double *result = afxi_collide_result(collide, body),
                     *q = result ? result : collide->set.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
        look->strained[k] = afxi_strain_of(collide, item[k], q, &look->strain[k]);
    }
}

/* What strain adds to the gap of a point that was found on rigid shapes. */
static double strain_gap(const AfxiCollide *collide, const Look *look, const AfxiPoint *point) {
    const AfxiContactShape *shapes = collide->set.world->model->contacts.shapes;
    const uint32_t item[2] = {look->pair.a, look->pair.b};
    AfxVec3 n = vec3_load(point->axis);
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t body = shapes[item[k]].body;
        bool first = body == point->body_a;
        if (look->strained[k]) {
            const AfxiMat3 *frame = &collide->set.place[collide->set.place_of[body]].frame;
            AfxVec3 shift = mat3_apply(&look->strain[k], vec3_load(first ? point->core_a : point->core_b));
            sum += (first ? 1 : -1) * vec3_dot(n, mat3_apply(frame, shift));
        }
    }
    return sum;
}

static void make_point(AfxiCollide *collide, const Look *look, const AfxiTouch *touch, const AfxiPointMemory *memory,
                       bool pushed, AfxiPoint *out) {
    const AfxiPair *pair = &look->pair;
    const AfxModel *model = collide->set.world->model;
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
    *out = (AfxiPoint){
        .body_a = a->body, .body_b = b->body, .gap = touch->gap, .pushed = pushed, .dt = look->dt, .run = UINT32_MAX};
    out->pair = model->kind[b->body] == AFX_BODY_DYNAMIC;
    const AfxiBodyPlace *place_a = &collide->set.place[collide->set.place_of[a->body]];
    const AfxiBodyPlace *place_b = &collide->set.place[collide->set.place_of[b->body]];
    AfxVec3 x_a = mat3_apply_transposed(&place_a->frame, vec3_sub(p_a, place_a->origin));
    AfxVec3 x_b = mat3_apply_transposed(&place_b->frame, vec3_sub(p_b, place_b->origin));
    AfxVec3 t = any_normal(n);
    if (memory && memory->sliding) { /* the first tangent goes along the slip */
        AfxVec3 stretch = vec3_load(memory->stretch), along = vec3_sub(stretch, vec3_scale(vec3_dot(n, stretch), n));
        double length = vec3_length(along);
        t = length > 0 && isfinite(length) ? vec3_scale(1 / length, along) : t;
    }
    vec3_store(out->axis, n);
    vec3_store(out->axis + 3, t);
    vec3_store(out->axis + 6, vec3_cross(n, t));
    vec3_store(out->x_a, x_a);
    double round_a = afxi_geometry_radius(&collide->geometry[a->geometry]);
    double round_b = out->pair ? afxi_geometry_radius(&collide->geometry[b->geometry]) : 0;
    vec3_store(out->core_a, vec3_add(x_a, vec3_scale(round_a, mat3_apply_transposed(&place_a->frame, n))));
    vec3_store(out->core_b, vec3_sub(x_b, vec3_scale(round_b, mat3_apply_transposed(&place_b->frame, n))));
    out->round = round_a + round_b;
    vec3_store(out->x_b, out->pair ? x_b : p_b);
    set_material(collide, a, b, look->step, out);
    out->slack = AFXI_LINK_SLACK *
                 fmin(collide->box[collide->box_of[pair->a]].inner, collide->box[collide->box_of[pair->b]].inner);
    AfxVec3 drift = drift_of(collide, b, touch->triangle, p_b);
    AfxVec3 speed_b = vec3_add(velocity_at(collide, b->body, vec3_sub(p_b, place_b->origin)), drift);
    vec3_store(out->drift, drift);
    out->approach = vec3_dot(n, vec3_sub(velocity_at(collide, a->body, vec3_sub(p_a, place_a->origin)), speed_b));
    vec3_store(out->carried, out->pair ? vec3(0, 0, 0) : speed_b);
    out->gap += strain_gap(collide, look, out);
    out->first_gap = out->gap;
    out->active = out->gap < 0 || out->pushed;
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

/* Points of the last look at a pair go on as they are. */
static AfxStatus keep_points(AfxiContactSet *set, Cursor *cursor, const AfxiPair *pair) {
    uint32_t first = cursor->last;
    while (first < set->last.count && compare(&set->last.point[first].memory, pair->a, pair->b, 0) < 0) {
        first++;
    }
    uint32_t end = first;
    while (end < set->last.count && set->last.point[end].memory.item_a == pair->a &&
           set->last.point[end].memory.item_b == pair->b) {
        end++;
    }
    cursor->last = end;
    AfxStatus status = afxi_array_reserve(&set->world->def.allocator, (void **)&set->now.point, &set->now.capacity,
                                          set->now.count + end - first, sizeof *set->now.point);
    if (status == AFX_OK && end > first) {
        memcpy(set->now.point + set->now.count, set->last.point + first, (end - first) * sizeof *set->now.point);
        set->now.count += end - first;
    }
    return status;
}

/* Of places beyond all numbers there is no normal. */
static bool are_sound(const AfxiTouch *touch, uint32_t count) {
    bool sound = true;
    for (uint32_t k = 0; k < count; k++) {
        AfxVec3 n = vec3_load(touch[k].normal);
        sound = sound && fabs(vec3_dot(n, n) - 1) < AFXI_NORMAL_OFF && isfinite(touch[k].gap);
    }
    return sound;
}

/* Looks at one pair. */
static AfxStatus look_at(AfxiCollide *collide, const AfxiPair *pair, const AfxiPlans *plans, Cursor *cursor) {
    const AfxiContactShape *shapes = collide->set.world->model->contacts.shapes;
    const double dt =
        fmax(time_ahead(collide, shapes[pair->a].body, plans), time_ahead(collide, shapes[pair->b].body, plans));
    AfxiContactSet *set = &collide->set;
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t found = touch_items(collide, pair->a, pair->b, dt, touch);
    double gentle = AFXI_IMPACT_LEAST * dt * vec3_length(vec3_load(afxi_world_param(set->world, AFX_PARAM_GRAVITY, 0)));
    AfxStatus status = afxi_array_reserve(&set->world->def.allocator, (void **)&set->now.point, &set->now.capacity,
                                          set->now.count + found, sizeof *set->now.point);
    status = status == AFX_OK && !are_sound(touch, found) ? AFX_E_NUMERIC : status;
    if (status != AFX_OK) {
        return status;
    }
    sort_touches(touch, found);
    Look look = {.pair = *pair, .dt = dt, .step = plans->step};
    if (found) {
        load_strains(collide, &look);
    }
    for (uint32_t t = 0; t < found; t++) {
        AfxiPoint *point = &set->now.point[set->now.count++];
        bool pushed;
        const AfxiPointMemory *memory = recall(collide, cursor, pair->a, pair->b, touch[t].feature, &pushed);
        make_point(collide, &look, &touch[t], memory, pushed, point);
        /* what starts without knowing of its contact, and for a method without history each new contact */
        bool starts = afxi_pace_starts(plans, &set->world->state, point->body_a) ||
                      (point->pair && afxi_pace_starts(plans, &set->world->state, point->body_b)) ||
                      (!afxi_integrator_has_history((AfxIntegrator)set->world->state.head->integrator) && !pushed);
        point->impact = point->active && (point->approach < -gentle || starts);
    }
    return AFX_OK;
}

/* Whether nothing can have changed between two shapes: one of them sleeps, and the other does or stands. */
static bool rests(const AfxiCollide *collide, const AfxiPair *pair) {
    const AfxiWorld *world = collide->set.world;
    const AfxiContactShape *shapes = world->model->contacts.shapes;
    const AfxiContactShape *own[2] = {&shapes[pair->a], &shapes[pair->b]};
    bool sleeps = false, moves = false;
    for (int k = 0; k < 2; k++) {
        bool asleep = afxi_is_asleep(&world->state, own[k]->body);
        sleeps |= asleep;
        moves |= !asleep &&
                 (world->model->kind[own[k]->body] == AFX_BODY_DYNAMIC || afxi_sleep_is_led(world, own[k]->body) ||
                  world->model->contacts.geometries[own[k]->geometry].frames);
    }
    return sleeps && !moves;
}

static bool looked_for(const AfxiCollide *collide, const AfxiPair *pair, const uint8_t *look) {
    const AfxiContactShape *shapes = collide->set.world->model->contacts.shapes;
    return !look || look[shapes[pair->a].body] || look[shapes[pair->b].body];
}

/* `again`: points of this stage are remembered. */
static AfxStatus find_points(AfxiCollide *collide, const AfxiPlans *plans, const uint8_t *look, bool again) {
    AfxiContactSet *set = &collide->set;
    uint32_t count;
    Cursor cursor = {0, 0, again};
    const AfxiPair *pair = afxi_clusters_pairs(collide->clusters, &count);
    forget_places(collide);
    AfxiPointList seen = set->now;
    set->now = set->last;
    set->last = seen;
    set->last.count = look || again ? set->last.count : 0;
    set->now.count = 0;
    bool sleepers = set->world->state.head->sleepers > 0;
    for (uint32_t k = 0; k < count; k++) {
        const AfxiContactShape *shapes = set->world->model->contacts.shapes;
        if (sleepers && rests(collide, &pair[k])) {
            continue;
        }
        if (!expect(collide, shapes[pair[k].a].body, plans) || !expect(collide, shapes[pair[k].b].body, plans)) {
            return AFX_E_MEMORY;
        }
        AfxStatus status = looked_for(collide, &pair[k], look) ? look_at(collide, &pair[k], plans, &cursor)
                                                               : keep_points(set, &cursor, &pair[k]);
        if (status != AFX_OK) {
            return status;
        }
    }
    return afxi_array_reserve(&set->world->def.allocator, (void **)&set->past, &set->past_capacity,
                              set->now.count + (sleepers ? set->past_count : 0), sizeof *set->past);
}

AfxStatus afxi_collide_find(AfxiCollide *collide, const AfxiPlans *plans, const uint8_t *look, bool again) {
    double begin = afxi_clock(), dt = plans->own.reduced_order.predict; /* the longest */
    AfxStatus status = afxi_collide_pairs(collide, dt, look);
    double middle = afxi_clock();
    collide->looks++;
    collide->seconds_broad += middle - begin;
    status = status ? status : find_points(collide, plans, look, again);
    collide->seconds_narrow += afxi_clock() - middle;
    return status;
}
