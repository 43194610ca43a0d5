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
/* Cuts that leave less than this of a step are none. */
#define WHOLE 0.999

/* How far friction may be off before it is solved again. */
static const double friction_tolerance[] = {[AFX_FAST] = 0.05, [AFX_ACCURATE] = 1e-3};

/* ---- islands ---- */

/* Islands of bodies that joints or points hold together; links of chains go by their chain. */
static void find_islands(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    const AfxiGraph *graph = &sim->model->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        work->island[k] = k;
    }
    for (uint32_t b = 0; b < graph->joint_blocks; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        for (uint32_t e = 1; e < block->entry_count; e++) {
            afxi_forest_join(work->island, graph->entry[block->first_entry].body,
                             graph->entry[block->first_entry + e].body);
        }
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        if (point->pair) {
            afxi_forest_join(work->island, graph->local[point->body_a], graph->local[point->body_b]);
        }
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        point->island = point->chained ? point->chain : afxi_forest_root(work->island, graph->local[point->body_a]);
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
    double pull = fmax(point->pull, PULL_SHARE * work->largest / point->stiffness), deep = work->tolerance;
    if (point->chained && sim->def.accuracy == AFX_FAST) { /* the next step will do */
        pull = fmax(pull, PULL_LINK * point->pull);
        deep = fmax(deep, point->slack);
    }
    return point->active ? point->tried.gap > pull : point->tried.gap < -deep;
}

static bool open_point(const AfxiPoint *point, bool chained) {
    return point->chained == chained && point->row_count && !point->settled;
}

/* Square of how far a point's friction is off, and of its limit; true when it drives what it should brake. */
static bool friction_off(const AfxiPoint *point, double *off, double *limit) {
    const AfxiPointState *tried = &point->tried;
    AfxVec3 used = vec3_load(tried->friction), miss = vec3_sub(used, friction_at(point, tried->slip));
    double most = point->memory.limit, arm = cbrt(point->volume);
    *off += vec3_dot(miss, miss);
    *limit += most * most;
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 rest = vec3_sub(vec3_load(tried->moment), moment_at(point, tried->turn));
        *off += vec3_dot(rest, rest) / (arm * arm);
        *limit += fmax(point->memory.limit_roll, point->memory.limit_spin) / (arm * arm);
    }
    return vec3_dot(used, vec3_load(tried->slip)) > 0;
}

/* Whether the points of an island touch and slide as the solve had them. Friction is judged over all of them. */
static bool review_points(AfxSim *sim, bool chained) {
    AfxiContactWork *work = sim->contacts;
    double tolerance = friction_tolerance[sim->def.accuracy];
    bool changed = false;
    work->misplaced = false;
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        if (open_point(point, chained)) {
            work->low[point->island] = work->high[point->island] = 0;
        }
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (open_point(point, chained)) {
            bool drives = friction_off(point, &work->low[point->island], &work->high[point->island]);
            bool wrong = misplaced(sim, point);
            work->misplaced |= wrong;
            point->changed = wrong || drives;
        }
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (open_point(point, chained)) {
            point->changed |= work->low[point->island] > tolerance * tolerance * work->high[point->island];
            changed |= point->changed;
        }
    }
    return changed;
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

/* Cuts the step of every island where the function is least; by halving, all islands at once. */
static void cut_steps(AfxiContactWork *work, bool chained, uint32_t islands) {
    for (uint32_t k = 0; k < islands; k++) {
        work->cut[k] = 1;
        work->low[k] = 0;
        work->slope[k] = 0;
    }
    for (int round = 0; round <= HALVINGS; round++) {
        bool any = false;
        for (uint32_t k = 0; k < work->now.count; k++) {
            const AfxiPoint *point = &work->now.point[k];
            if (open_point(point, chained)) {
                work->slope[point->island] += slope(work, point, work->cut[point->island]);
            }
        }
        for (uint32_t k = 0; k < islands; k++) {
            if (round == 0) { /* the whole step, where that still goes down */
                work->high[k] = work->slope[k] > 0 ? 1 : -1;
            } else if (work->high[k] >= 0) {
                *(work->slope[k] > 0 ? &work->high[k] : &work->low[k]) = work->cut[k];
            }
            if (work->high[k] >= 0) {
                work->cut[k] = 0.5 * (work->low[k] + work->high[k]);
                any |= work->high[k] - work->low[k] > 1e-4;
            }
            work->slope[k] = 0;
        }
        if (!any) {
            break;
        }
    }
}

/* ---- review ---- */

/* Limits of friction by the normal forces of the last solve; true when one has changed much. */
static bool follow_limits(AfxSim *sim, AfxiReview *review, bool chained) {
    AfxiContactWork *work = sim->contacts;
    bool links = chained && sim->def.accuracy == AFX_FAST;
    if (review->rounds++ >= (links ? ROUNDS_LINKS : ROUNDS_MOST)) {
        return false;
    }
    double off = 0, all = 0;
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (!open_point(point, chained) || (links && point->fresh)) {
            continue;
        }
        double push = point->active ? fmax(0, point->tried.push) : 0, limit = point->friction * push;
        double change = limit - point->memory.limit, used = vec3_length(vec3_load(point->tried.friction));
        if (used >= 0.9 * fmin(limit, point->memory.limit)) { /* what sticks well below it does not mind */
            off += change * change;
        }
        all += limit * limit;
        point->memory.limit = limit;
        point->memory.limit_roll = point->rolling * push;
        point->memory.limit_spin = point->torsion * push;
        point->changed = point->active;
    }
    double tolerance = friction_tolerance[sim->def.accuracy];
    return off > tolerance * tolerance * all;
}

/* What the solve gave counts: forces for who asks, and for the next step. */
static void keep_tried(AfxiPoint *point) {
    point->at = point->tried;
    point->gap = point->tried.gap - point->rest;
    point->force = point->tried.push;
}

bool afxi_contacts_review(AfxSim *sim, bool chained, const double *next, bool moving) {
    AfxiContactWork *work = sim->contacts;
    AfxiReview *review = &work->review[chained];
    const uint32_t *local = sim->model->graph.local;
    uint32_t islands = chained ? sim->model->chains.chain_count : sim->model->graph.body_count;
    bool changed = false, any = false;
    work->largest = 0;
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        point->changed = false;
        if (point->chained != chained || point->row_count == 0) {
            continue;
        }
        point->settled = chained && sim->chains.piece[sim->model->chains.chain[point->chain].first_piece].accepted;
        if (!point->settled) {
            const double *q_a = next + (size_t)12 * (chained ? point->body_a : local[point->body_a]);
            measure(sim, point, q_a, point->pair ? next + (size_t)12 * local[point->body_b] : NULL);
            work->largest = fmax(work->largest, point->tried.push);
            any = true;
        }
    }
    if (!any || review->count++ >= REVIEWS_MOST) {
        review->given_up |= any;
        for (uint32_t k = 0; any && k < work->now.count; k++) {
            AfxiPoint *point = &work->now.point[k];
            if (open_point(point, chained)) {
                review->sunk |= !point->active && point->tried.gap < -fmax(point->slack, work->tolerance);
                keep_tried(point);
            }
        }
        return false;
    }
    changed = review_points(sim, chained);
    bool followed = false, again = changed;
    if (moving && !work->misplaced) { /* friction can wait for the next frames, but goes by these forces */
        follow_limits(sim, review, chained);
        review->rounds--;
        changed = followed = true;
        again = false;
    } else if (!changed) {
        again = changed = followed = follow_limits(sim, review, chained);
    }
    bool first = !review->started || followed; /* nothing to cut: another function */
    review->started = true;
    if (changed && !first) {
        cut_steps(work, chained, islands);
    }
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        if (!open_point(point, chained)) {
            continue;
        }
        if (!changed || first || work->cut[point->island] >= WHOLE) {
            keep_tried(point);
        } else {
            point->at = blend(&point->at, &point->tried, work->cut[point->island]);
            point->changed = true;
        }
        if (changed) {
            set_mode(point, !work->misplaced && !followed);
            if (!point->pair) {
                afxi_point_stiffen(work, point);
            }
        }
    }
    return again;
}

void afxi_contacts_finish(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    work->depth = 0;
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
