/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a solve agrees with the laws of contact, and what to solve next.
 *
 * While the limits of friction stand still, a stage with contacts is the minimum of a convex function: that of the
 * joints and bodies, which the solver minimises over the joints' rows, plus k/2 max(0, -gap)² of every point, plus a
 * friction that is quadratic in the slip up to its limit and linear beyond. Each solve is a Newton step: the points
 * that overlap are springs, the others are not there. The steps are cut short where the function has its minimum along
 * them, so that they cannot go round in circles. Along a step everything is linear: gaps, slips, and the forces that
 * the rest of the system answers with, which at the end of a solve are those of its springs. So the slope of the
 * function needs nothing but these numbers of the points, and no state is ever mixed: slope(s) = sum over points of
 * (F(s) - law(x(s))) . dx. Islands, which do not touch each other, have each its own cut. When the right points touch
 * and slide, the limits of friction follow the normal forces, and so on until they agree. */
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "step/contacts.h"

/* Solves for the points of a stage, and how often limits may follow: `fast` links of chains, all others. */
#define REVIEWS_MOST 24u
#define ROUNDS_LINKS 1u
#define ROUNDS_MOST 4u
#define HALVINGS 40
/* Of the largest force: with so much a point may pull; and so many times its weight a link of a chain. */
#define PULL_SHARE 1e-4
#define PULL_LINK 1e4
/* Share of the points that push which may be on the wrong side while bodies turn so far that frames must follow. */
#define FEW 0.05
/* Cuts that leave less than this of a step are none. */
#define WHOLE 0.999

/* How far friction may be off before it is solved again. */
static const double friction_tolerance[] = {[AFX_FAST] = 0.05, [AFX_ACCURATE] = 1e-3};

/* ---- islands ---- */

/* Islands of bodies that joints or points hold together; links of chains go by their chain. */
static void find_islands(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    const AfxiGraph *graph = &sim->model->graph;
    afxi_graph_join(graph, graph->joint_blocks, work->island_of);
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        if (point->pair) {
            afxi_forest_join(work->island_of, graph->local[point->body_a], graph->local[point->body_b]);
        }
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        point->island = point->chained ? graph->body_count + point->chain
                                       : afxi_forest_root(work->island_of, graph->local[point->body_a]);
        work->island[point->island] = (AfxiIsland){0};
    }
}

void afxi_contacts_law_begin(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    find_islands(sim);
    for (int k = 0; k < 2; k++) {
        work->review[k] = (AfxiReview){0};
    }
}

void afxi_contacts_moved(AfxSim *sim, bool chained) {
    if (sim->contacts) {
        sim->contacts->review[chained].started = false;
    }
}

/* ---- laws ---- */

/* Stiffness that friction of at most `limit` has where it has given way by `size`. */
static double yielding(double stiffness, double limit, double size) {
    return !(limit > 0) ? 0 : stiffness * size <= limit ? stiffness : limit / size;
}

static double push_at(const AfxiPoint *point, double gap) {
    return point->stiffness * fmax(0, -gap);
}

static AfxVec3 friction_at(const AfxiPoint *point, const double slip[3]) {
    AfxVec3 u = vec3_load(slip);
    return vec3_scale(-yielding(point->grip, point->memory.limit, vec3_length(u)), u);
}

/* Against turning: about the normal and across it apart. */
static AfxVec3 moment_at(const AfxiPoint *point, const double turn[3]) {
    AfxVec3 n = vec3_load(point->axis), w = vec3_load(turn), spin = vec3_scale(vec3_dot(n, w), n);
    AfxVec3 roll = vec3_sub(w, spin);
    double k = point->turn_stiffness, by_roll = point->memory.limit_roll, by_spin = point->memory.limit_spin;
    return vec3_add(vec3_scale(-yielding(k, by_roll, vec3_length(roll)), roll),
                    vec3_scale(-yielding(k, by_spin, vec3_length(spin)), spin));
}

/* How the next solve takes the point, by where it is. `given`: sliding friction is a force, which is Newton's step;
 * else a stiffness, which goes slower but nowhere else while the points that touch still change. */
static void set_mode(AfxiPoint *point, bool given) {
    const AfxiPointState *at = &point->at;
    AfxiPointMemory *memory = &point->memory;
    AfxVec3 n = vec3_load(point->axis), u = vec3_load(at->slip), w = vec3_load(at->turn);
    double size = vec3_length(u), spun = fabs(vec3_dot(n, w));
    double rolled = vec3_length(vec3_sub(w, vec3_scale(vec3_dot(n, w), n)));
    point->active = at->gap < 0;
    memory->slip = yielding(point->grip, memory->limit, size);
    memory->sliding = given && memory->limit > 0 && memory->slip < point->grip;
    memory->slid = size;
    if (memory->sliding) { /* the first tangent goes along the slip */
        AfxVec3 along = vec3_scale(1 / size, u);
        vec3_store(point->axis + 3, along);
        vec3_store(point->axis + 6, vec3_cross(n, along));
    }
    memory->roll = yielding(point->turn_stiffness, memory->limit_roll, rolled);
    memory->spin = yielding(point->turn_stiffness, memory->limit_spin, spun);
}

/* ---- what a solve did ---- */

/* Forces of the springs that the solve had. */
static void forces_of(const AfxiContactWork *work, const AfxiPoint *point, AfxiPointState *out) {
    const AfxiPointMemory *memory = &point->memory;
    AfxVec3 slip = vec3_load(out->slip), turn = vec3_load(out->turn), friction = vec3(0, 0, 0), moment = friction;
    out->push = point->active ? -point->stiffness * out->gap : 0;
    if (memory->limit > 0 || memory->limit_roll > 0 || memory->limit_spin > 0) {
        for (int k = 0; k < 3; k++) {
            AfxVec3 axis = vec3_load(point->axis + (size_t)3 * k);
            double u = vec3_dot(axis, slip), force = -memory->slip * u;
            if (k == 1 && memory->sliding) {
                force = -(memory->limit + afxi_point_along_slip(work, memory) * (u - memory->slid));
            }
            friction = vec3_add(friction, vec3_scale(k ? force : 0, axis));
            moment = vec3_add(moment, vec3_scale(-(k ? memory->roll : memory->spin) * vec3_dot(axis, turn), axis));
        }
    }
    vec3_store(out->friction, friction);
    vec3_store(out->moment, point->row_count > AFXI_POINT_ROWS ? moment : vec3(0, 0, 0));
}

static void measure(AfxSim *sim, AfxiPoint *point, const double *q_a, const double *q_b) {
    AfxiContactWork *work = sim->contacts;
    AfxiPointState *tried = &point->tried;
    AfxVec3 n = vec3_load(point->axis), apart = afxi_point_distance(point, q_a, q_b);
    AfxVec3 slip = vec3_scale(work->slip_scale, vec3_sub(apart, vec3_load(point->before))), turn = vec3(0, 0, 0);
    tried->gap = afxi_point_gap(point, q_a, q_b) + point->rest;
    slip = vec3_add(vec3_sub(slip, vec3_scale(vec3_dot(n, slip), n)), vec3_load(point->memory.stretch));
    if (point->row_count > AFXI_POINT_ROWS) {
        turn = vec3_sub(afxi_point_turn(work, point, q_a, q_b), vec3_load(point->spun));
        turn = vec3_add(vec3_scale(work->slip_scale, turn), vec3_load(point->memory.turned));
    }
    vec3_store(tried->slip, slip);
    vec3_store(tried->turn, turn);
    forces_of(work, point, tried);
}

/* Whether a point pulls, or is pushed in without pushing back. */
static bool misplaced(const AfxSim *sim, const AfxiPoint *point) {
    const AfxiContactWork *work = sim->contacts;
    double largest = work->island[point->island].largest;
    double pull = fmax(point->pull, PULL_SHARE * largest / point->stiffness), deep = work->tolerance;
    if (point->chained && sim->def.accuracy == AFX_FAST) { /* the next step will do */
        pull = fmax(pull, PULL_LINK * point->pull);
        deep = fmax(deep, point->slack);
    }
    return point->active ? point->tried.gap > pull : point->tried.gap < -deep;
}

static bool open_point(const AfxiPoint *point, bool chained) {
    return point->chained == chained && point->row_count && !point->settled;
}

/* Adds to how far the island's friction is off, and to its limits. */
static void add_friction(const AfxiPoint *point, AfxiIsland *island) {
    const AfxiPointState *tried = &point->tried;
    AfxVec3 used = vec3_load(tried->friction), miss = vec3_sub(used, friction_at(point, tried->slip));
    double most = point->memory.limit, arm = cbrt(point->volume);
    island->off += vec3_dot(miss, miss);
    island->limit += most * most;
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 rest = vec3_sub(vec3_load(tried->moment), moment_at(point, tried->turn));
        island->off += vec3_dot(rest, rest) / (arm * arm);
        island->limit += fmax(point->memory.limit_roll, point->memory.limit_spin) / (arm * arm);
    }
    island->drives |= vec3_dot(used, vec3_load(tried->slip)) > 0;
}

/* Whether the points of an island touch and slide as the solve had them. Friction is judged over all of them. */
static void review_islands(AfxSim *sim, bool chained) {
    AfxiContactWork *work = sim->contacts;
    double tolerance = friction_tolerance[sim->def.accuracy];
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        if (open_point(point, chained)) {
            AfxiIsland *island = &work->island[point->island];
            island->wrong += misplaced(sim, point);
            island->pushing += point->tried.push > 0;
            add_friction(point, island);
        }
    }
    for (uint32_t k = 0; k < work->listed_count; k++) {
        AfxiIsland *island = &work->island[work->listed[k]];
        bool off = island->off > tolerance * tolerance * island->limit;
        island->misplaced = island->wrong > (island->moving ? FEW * island->pushing : 0);
        island->changed = island->wrong || island->drives || off;
    }
}

/* ---- cutting a step ---- */

static AfxVec3 blend3(const double a[3], const double b[3], double s) {
    return vec3_add(vec3_scale(1 - s, vec3_load(a)), vec3_scale(s, vec3_load(b)));
}

static AfxiPointState blend(const AfxiPointState *a, const AfxiPointState *b, double s) {
    AfxiPointState out = {(1 - s) * a->gap + s * b->gap, (1 - s) * a->push + s * b->push, {0}, {0}, {0}, {0}};
    vec3_store(out.slip, blend3(a->slip, b->slip, s));
    vec3_store(out.friction, blend3(a->friction, b->friction, s));
    vec3_store(out.turn, blend3(a->turn, b->turn, s));
    vec3_store(out.moment, blend3(a->moment, b->moment, s));
    return out;
}

/* The point's part of the slope at s of the step from `at` to `tried`. */
static double slope(const AfxiContactWork *work, const AfxiPoint *point, double s) {
    AfxiPointState state = blend(&point->at, &point->tried, s);
    AfxVec3 du = vec3_sub(vec3_load(point->tried.slip), vec3_load(point->at.slip));
    AfxVec3 off = vec3_sub(vec3_load(state.friction), friction_at(point, state.slip));
    double sum = (state.push - push_at(point, state.gap)) * (point->tried.gap - point->at.gap);
    sum += vec3_dot(off, du) / work->slip_scale;
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 dw = vec3_sub(vec3_load(point->tried.turn), vec3_load(point->at.turn));
        AfxVec3 rest = vec3_sub(vec3_load(state.moment), moment_at(point, state.turn));
        sum += vec3_dot(rest, dw) / work->slip_scale;
    }
    return sum;
}

/* Cuts the steps of islands that change where the function is least; by halving, all islands at once. */
static void cut_steps(AfxiContactWork *work, bool chained) {
    for (uint32_t k = 0; k < work->listed_count; k++) {
        AfxiIsland *island = &work->island[work->listed[k]];
        island->cut = 1;
        island->low = island->slope = 0;
    }
    for (int round = 0; round <= HALVINGS; round++) {
        bool any = false;
        for (uint32_t k = 0; k < work->now.count; k++) {
            const AfxiPoint *point = &work->now.point[k];
            AfxiIsland *island = &work->island[point->island];
            if (open_point(point, chained) && island->changed && !island->followed) {
                island->slope += slope(work, point, island->cut);
            }
        }
        for (uint32_t k = 0; k < work->listed_count; k++) {
            AfxiIsland *island = &work->island[work->listed[k]];
            if (round == 0) { /* the whole step, where that still goes down */
                island->high = island->slope > 0 ? 1 : -1;
            } else if (island->high >= 0) {
                *(island->slope > 0 ? &island->high : &island->low) = island->cut;
            }
            if (island->high >= 0) {
                island->cut = 0.5 * (island->low + island->high);
                any |= island->high - island->low > 1e-4;
            }
            island->slope = 0;
        }
        if (!any) {
            break;
        }
    }
}

/* ---- review ---- */

/* The limit of a point's friction by the normal force of the last solve; a link of a `fast` chain that has just come to
 * touch has none yet. */
static double limit_now(const AfxSim *sim, const AfxiPoint *point, double lever) {
    bool waits = point->chained && sim->def.accuracy == AFX_FAST && point->fresh;
    return waits || !point->active ? 0 : lever * fmax(0, point->tried.push);
}

/* Whether limits of friction, by the normal forces of the last solve, are others than it had, island by island. */
static void compare_limits(AfxSim *sim, bool chained) {
    AfxiContactWork *work = sim->contacts;
    uint32_t most = chained && sim->def.accuracy == AFX_FAST ? ROUNDS_LINKS : ROUNDS_MOST;
    double tolerance = friction_tolerance[sim->def.accuracy];
    for (uint32_t k = 0; k < work->listed_count; k++) {
        work->island[work->listed[k]].off = work->island[work->listed[k]].limit = 0;
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        if (open_point(point, chained)) {
            AfxiIsland *island = &work->island[point->island];
            double limit = limit_now(sim, point, point->friction), change = limit - point->memory.limit;
            double used = vec3_length(vec3_load(point->tried.friction));
            if (used >= 0.9 * fmin(limit, point->memory.limit)) { /* what sticks well below it does not mind */
                island->off += change * change;
            }
            island->limit += limit * limit;
        }
    }
    for (uint32_t k = 0; k < work->listed_count; k++) {
        AfxiIsland *island = &work->island[work->listed[k]];
        if (island->moving && !island->misplaced) { /* friction waits for the next frames, but goes by these forces */
            island->followed = island->rounds++ < most;
            island->changed |= island->followed;
        } else if (!island->changed && island->rounds++ < most) {
            island->followed = island->changed = island->off > tolerance * tolerance * island->limit;
        }
    }
}

/* What the solve gave counts: forces for who asks, and for the next step. */
static void keep_tried(AfxiPoint *point) {
    point->at = point->tried;
    point->gap = point->tried.gap - point->rest;
    point->force = point->tried.push;
}

/* Measures all points and lists their islands; false when there is none. */
static bool measure_points(AfxSim *sim, bool chained, const double *next) {
    AfxiContactWork *work = sim->contacts;
    const uint32_t *local = sim->model->graph.local;
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiIsland *island = &work->island[work->now.point[k].island];
        *island = (AfxiIsland){.rounds = island->rounds};
    }
    work->listed_count = 0;
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (point->chained != chained || point->row_count == 0) {
            continue;
        }
        point->settled = chained && sim->chains.piece[sim->model->chains.chain[point->chain].first_piece].accepted;
        if (!point->settled) {
            AfxiIsland *island = &work->island[point->island];
            const double *q_a = next + (size_t)12 * (chained ? point->body_a : local[point->body_a]);
            measure(sim, point, q_a, point->pair ? next + (size_t)12 * local[point->body_b] : NULL);
            if (!island->listed) {
                island->listed = true;
                work->listed[work->listed_count++] = point->island;
            }
            island->largest = fmax(island->largest, point->tried.push);
        }
    }
    return work->listed_count > 0;
}

/* The last solve is taken as it is. */
static void give_up(AfxiContactWork *work, bool chained) {
    AfxiReview *review = &work->review[chained];
    review->given_up = true;
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (open_point(point, chained)) {
            review->sunk |= !point->active && point->tried.gap < -fmax(point->slack, work->tolerance);
            keep_tried(point);
        }
    }
}

/* Where the point is now, and what the next solve makes of it. */
static void go_on(AfxSim *sim, AfxiPoint *point, bool first) {
    AfxiContactWork *work = sim->contacts;
    const AfxiIsland *island = &work->island[point->island];
    if (!island->changed || first || island->followed || island->cut >= WHOLE) {
        keep_tried(point);
    } else {
        point->at = blend(&point->at, &point->tried, island->cut);
    }
    if (island->followed) {
        point->memory.limit = limit_now(sim, point, point->friction);
        point->memory.limit_roll = limit_now(sim, point, point->rolling);
        point->memory.limit_spin = limit_now(sim, point, point->torsion);
    }
    if (island->changed) {
        set_mode(point, !island->misplaced && !island->followed);
        if (!point->pair) {
            afxi_point_stiffen(work, point);
        }
    }
}

bool afxi_contacts_review(AfxSim *sim, bool chained, const double *next, double turn_most) {
    AfxiContactWork *work = sim->contacts;
    AfxiReview *review = &work->review[chained];
    bool first = !review->started, again = false;
    if (!measure_points(sim, chained, next)) {
        return false;
    }
    if (review->count++ >= REVIEWS_MOST) {
        give_up(work, chained);
        return false;
    }
    for (uint32_t k = 0; !chained && k < sim->model->graph.body_count; k++) {
        work->island[afxi_forest_root(work->island_of, k)].moving |= sim->jointed.turn[k] > turn_most;
    }
    review_islands(sim, chained);
    compare_limits(sim, chained);
    review->started = true;
    if (!first) { /* else there is nothing to cut */
        cut_steps(work, chained);
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        if (open_point(&work->now.point[k], chained)) {
            go_on(sim, &work->now.point[k], first);
        }
    }
    for (uint32_t k = 0; k < work->listed_count; k++) {
        const AfxiIsland *island = &work->island[work->listed[k]];
        again |= island->changed && !(island->moving && !island->misplaced);
    }
    return again;
}

void afxi_contacts_finish(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    work->depth = work->unseen;
    work->past_count = 0; /* room was made when the points were found */
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        work->depth = fmax(work->depth, -point->gap);
        if (!(point->force > 0)) {
            continue;
        }
        AfxiPointMemory *memory = &work->past[work->past_count++];
        AfxVec3 turned = vec3(0, 0, 0);
        if (point->turn_stiffness > 0) {
            turned = vec3_scale(-1 / point->turn_stiffness, vec3_load(point->at.moment));
        }
        point->memory.limit = point->friction * point->force;
        point->memory.limit_roll = point->rolling * point->force;
        point->memory.limit_spin = point->torsion * point->force;
        set_mode(point, true);
        point->memory.push = point->force;
        *memory = point->memory;
        vec3_store(memory->stretch, vec3_scale(-1 / point->grip, vec3_load(point->at.friction)));
        vec3_store(memory->turned, turned);
    }
    sim->state->contact_points = work->past_count;
}
