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
 * (F(s) - law(x(s))) . dx. Each island has its own cut. When the right points touch
 * and slide, the limits of friction follow the normal forces, and so on until they agree. */
#include "solve/activeset.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "solve/tuning.h"
#include "state/sleep.h"

static const double friction_tolerance[] = {[AFX_FAST] = AFXI_FRICTION_TOLERANCE_FAST,
                                            [AFX_ACCURATE] = AFXI_FRICTION_TOLERANCE_ACCURATE,
                                            [AFX_CONVERGED] = AFXI_FRICTION_TOLERANCE_CONVERGED};

static bool exact(const AfxiContactSet *set) {
    return set->world->def.accuracy == AFX_CONVERGED;
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
    /* the first tangent goes along the slip, unless that is no more than what rounding left of a large distance, or
       beyond all numbers */
    if (memory->sliding && isfinite(size) && fabs(vec3_dot(n, u)) <= AFXI_SLIP_OFF * size) {
        AfxVec3 along = vec3_scale(1 / size, u);
        vec3_store(point->axis + 3, along);
        vec3_store(point->axis + 6, vec3_cross(n, along));
    }
    memory->roll = yielding(point->turn_stiffness, memory->limit_roll, rolled);
    memory->spin = yielding(point->turn_stiffness, memory->limit_spin, spun);
}

/* ---- what a solve did ---- */

/* Forces of the springs that the solve had. */
static void forces_of(const AfxiPoint *point, AfxiPointState *out) {
    const AfxiPointMemory *memory = &point->memory;
    AfxVec3 slip = vec3_load(out->slip), turn = vec3_load(out->turn), friction = vec3(0, 0, 0), moment = friction;
    out->push = point->active ? -point->stiffness * out->gap : 0;
    if (memory->limit > 0 || memory->limit_roll > 0 || memory->limit_spin > 0) {
        for (int k = 0; k < 3; k++) {
            AfxVec3 axis = vec3_load(point->axis + (size_t)3 * k);
            double u = vec3_dot(axis, slip), force = -memory->slip * u;
            if (k == 1 && memory->sliding) {
                force = -(memory->limit + afxi_point_along_slip(point) * (u - memory->slid));
            }
            friction = vec3_add(friction, vec3_scale(k ? force : 0, axis));
            moment = vec3_add(moment, vec3_scale(-(k ? memory->roll : memory->spin) * vec3_dot(axis, turn), axis));
        }
    }
    vec3_store(out->friction, friction);
    vec3_store(out->moment, point->row_count > AFXI_POINT_ROWS ? moment : vec3(0, 0, 0));
}

void afxi_point_measure(const AfxiContactSet *set, const AfxiPoint *point, const double *q_a, const double *q_b,
                        AfxiPointState *out) {
    AfxVec3 n = vec3_load(point->axis), apart = afxi_point_distance(point, q_a, q_b);
    AfxVec3 slip = vec3_scale(point->slip_scale, vec3_sub(apart, vec3_load(point->before))), turn = vec3(0, 0, 0);
    out->gap = afxi_point_gap(point, q_a, q_b) + point->rest;
    slip = vec3_add(vec3_sub(slip, vec3_scale(vec3_dot(n, slip), n)), vec3_load(point->memory.stretch));
    if (point->row_count > AFXI_POINT_ROWS) {
        turn = vec3_sub(afxi_point_turn(set, point, q_a, q_b), vec3_load(point->spun));
        turn = vec3_add(vec3_scale(point->slip_scale, turn), vec3_load(point->memory.turned));
    }
    vec3_store(out->slip, slip);
    vec3_store(out->turn, turn);
    forces_of(point, out);
}

static AfxiPoint *point_at(AfxiContactSet *set, const AfxiActiveSet *active, uint32_t k) {
    return &set->now.point[active->point[k]];
}

/* Measures all points of the island at its result; false when there is none with rows. */
static bool measure_points(AfxiContactSet *set, AfxiActiveSet *active) {
    bool any = false;
    active->largest = 0;
    for (uint32_t k = 0; k < active->count; k++) {
        AfxiPoint *point = point_at(set, active, k);
        if (point->row_count) {
            const uint32_t *local = active->local;
            const double *q_a =
                active->next + (size_t)AFXI_AFFINE_WIDTH * (local ? local[point->body_a] : point->body_a);
            const double *q_b =
                active->next + (size_t)AFXI_AFFINE_WIDTH * (local ? local[point->body_b] : point->body_b);
            afxi_point_measure(set, point, q_a, point->pair ? q_b : NULL, &point->tried);
            active->largest = fmax(active->largest, point->tried.push);
            any = true;
        }
    }
    return any;
}

/* Whether a point pulls, or is pushed in without pushing back. */
static bool misplaced(const AfxiActiveSet *active, const AfxiPoint *point) {
    double pull = fmax(point->pull, AFXI_PULL_SHARE * active->largest / point->stiffness), deep = point->tolerance;
    deep *= active->fast ? AFXI_DEEP_FAST : 1;
    if (active->patient) { /* the next step will do */
        pull = fmax(pull, AFXI_PULL_LINK * point->pull);
        deep = fmax(deep, point->slack);
    }
    return point->active ? point->tried.gap > pull : point->tried.gap < -deep;
}

/* Adds to how far the island's friction is off, and to its limits. */
static void add_friction(const AfxiPoint *point, AfxiActiveSet *active) {
    const AfxiPointState *tried = &point->tried;
    AfxVec3 used = vec3_load(tried->friction), slip = vec3_load(tried->slip);
    AfxVec3 miss = vec3_sub(used, friction_at(point, tried->slip));
    double most = point->memory.limit, arm = cbrt(point->volume);
    active->off += vec3_dot(miss, miss);
    active->limit += most * most;
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 rest = vec3_sub(vec3_load(tried->moment), moment_at(point, tried->turn));
        active->off += vec3_dot(rest, rest) / (arm * arm);
        double turns = fmax(point->memory.limit_roll, point->memory.limit_spin) / arm;
        active->limit += turns * turns;
    }
    active->drives |= vec3_dot(used, slip) > AFXI_DRIVES_LEAST * point->friction * active->largest * vec3_length(slip);
}

/* Whether the points of the island touch and slide as the solve had them. Friction is judged over all of them. */
static void update_points(AfxiContactSet *set, AfxiActiveSet *active) {
    double tolerance = friction_tolerance[set->world->def.accuracy];
    uint32_t pushing = 0;
    active->wrong = 0;
    active->off = active->limit = 0;
    active->drives = false;
    for (uint32_t k = 0; k < active->count; k++) {
        const AfxiPoint *point = point_at(set, active, k);
        if (point->row_count) {
            active->wrong += misplaced(active, point);
            pushing += point->tried.push > 0;
            add_friction(point, active);
        }
    }
    bool off = active->off > tolerance * tolerance * active->limit;
    active->misplaced = active->wrong > (active->moving ? AFXI_WRONG_SIDE_SHARE * pushing : 0);
    active->changed = active->wrong || active->drives || off;
    active->followed = false;
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
static double slope_of(const AfxiPoint *point, double s) {
    AfxiPointState state = blend(&point->at, &point->tried, s);
    AfxVec3 du = vec3_sub(vec3_load(point->tried.slip), vec3_load(point->at.slip));
    AfxVec3 off = vec3_sub(vec3_load(state.friction), friction_at(point, state.slip));
    double sum = (state.push - push_at(point, state.gap)) * (point->tried.gap - point->at.gap);
    sum += vec3_dot(off, du) / point->slip_scale;
    if (point->row_count > AFXI_POINT_ROWS) {
        AfxVec3 dw = vec3_sub(vec3_load(point->tried.turn), vec3_load(point->at.turn));
        AfxVec3 rest = vec3_sub(vec3_load(state.moment), moment_at(point, state.turn));
        sum += vec3_dot(rest, dw) / point->slip_scale;
    }
    return sum;
}

static double slope(AfxiContactSet *set, const AfxiActiveSet *active, double s) {
    double sum = 0;
    for (uint32_t k = 0; k < active->count; k++) {
        const AfxiPoint *point = point_at(set, active, k);
        sum += point->row_count ? slope_of(point, s) : 0;
    }
    return sum;
}

/* The share of the step at which the function is least, by halving; the whole step, where that still goes down. */
static double cut_step(AfxiContactSet *set, const AfxiActiveSet *active) {
    double low = 0, high = 1;
    if (!(slope(set, active, 1) > 0)) {
        return 1;
    }
    double cut = 0.5;
    for (int round = 0; round < AFXI_SEARCH_HALVINGS && high - low > AFXI_SEARCH_WIDTH; round++) {
        *(slope(set, active, cut) > 0 ? &high : &low) = cut;
        cut = 0.5 * (low + high);
    }
    return cut;
}

/* ---- review ---- */

/* The limit of a point's friction by the normal force of the last solve; a link of a `fast` chain that has just come to
 * touch has none yet. */
static double limit_now(const AfxiActiveSet *active, const AfxiPoint *point, double lever) {
    bool patient = active->patient && point->fresh;
    return patient || !point->active ? 0 : lever * fmax(0, point->tried.push);
}

/* With `converged`, limits of friction do not simply follow the normal forces: where stones wedge, that comes nearer by
 * next to nothing a round. The next ones are those of the last two rounds, g, mixed so that what they lack, r = g -
 * limit, would be least if it were linear (Anderson's method): g - mix (g - g'), mix = r.(r - r') / |r - r'|². */
static void mix_rounds(AfxiContactSet *set, AfxiActiveSet *active) {
    double along = 0, square = 0;
    for (uint32_t k = 0; k < active->count; k++) {
        AfxiPoint *point = point_at(set, active, k);
        double lag = point->row_count ? limit_now(active, point, point->friction) - point->memory.limit : 0;
        double change = lag - point->lag;
        along += lag * change;
        square += change * change;
        point->lag = lag;
    }
    bool again = active->rounds > AFXI_ROUNDS_MOST && exact(set) && square > 0;
    active->mix = again ? fmax(-AFXI_MIX_MOST, fmin(AFXI_MIX_MOST, along / square)) : 0;
}

/* Adds what a limit of friction, or of a moment over the size of the body, is off by, where it acts. */
static void compare(double limit, double had, double used, double *off, double *limits) {
    if (used >= AFXI_FRICTION_NEAR_LIMIT * fmin(limit, had)) { /* what sticks well below it does not mind */
        *off += (limit - had) * (limit - had);
    }
    *limits += limit * limit;
}

/* The same of rolling and spinning. */
static void compare_turns(const AfxiActiveSet *active, const AfxiPoint *point, double *off, double *limits) {
    double per = 1 / cbrt(point->volume);
    AfxVec3 n = vec3_load(point->axis), moment = vec3_load(point->tried.moment);
    AfxVec3 spin = vec3_scale(vec3_dot(n, moment), n);
    compare(per * limit_now(active, point, point->rolling), per * point->memory.limit_roll,
            per * vec3_length(vec3_sub(moment, spin)), off, limits);
    compare(per * limit_now(active, point, point->torsion), per * point->memory.limit_spin, per * vec3_length(spin),
            off, limits);
}

/* Whether friction is left as it is until the frames have followed: bodies turned far, and the right points touch. Not
 * where a step has gone so far that friction drives, since only at the same frames it can be cut: a ball that rolls
 * from its impact on went to and fro between slips of either sign, its frame with it, until it was given up. */
static bool waits(const AfxiActiveSet *active, bool first) {
    return active->moving && !active->misplaced && (first || !active->drives);
}

/* Whether limits of friction, by the normal forces of the last solve, are others than it had. */
static void compare_limits(AfxiContactSet *set, AfxiActiveSet *active, bool first) {
    uint32_t most = active->patient ? AFXI_ROUNDS_LINKS : exact(set) ? AFXI_ROUNDS_CONVERGED : AFXI_ROUNDS_MOST;
    double tolerance = friction_tolerance[set->world->def.accuracy], off = 0, limits = 0;
    for (uint32_t k = 0; k < active->count; k++) {
        const AfxiPoint *point = point_at(set, active, k);
        if (point->row_count) {
            compare(limit_now(active, point, point->friction), point->memory.limit,
                    vec3_length(vec3_load(point->tried.friction)), &off, &limits);
        }
        if (point->row_count > AFXI_POINT_ROWS &&
            exact(set)) { /* else they follow with friction, or in the next step */
            compare_turns(active, point, &off, &limits);
        }
    }
    if (waits(active, first)) { /* friction waits for the next frames, but goes by these forces */
        active->followed = active->rounds++ < most;
        active->changed |= active->followed;
    } else if (!active->changed && active->rounds++ < most) {
        active->followed = active->changed = off > tolerance * tolerance * limits;
    } else if (!active->changed && exact(set)) {
        active->given_up = off > tolerance * tolerance * limits;
    }
}

/* What the solve gave counts: forces for who asks, and for the next step. */
static void keep_tried(AfxiPoint *point) {
    point->at = point->tried;
    point->gap = point->tried.gap - point->rest;
    point->force = point->tried.push;
}

/* The last solve is taken as it is. */
static void give_up(AfxiContactSet *set, AfxiActiveSet *active) {
    active->given_up = true;
    for (uint32_t k = 0; k < active->count; k++) {
        AfxiPoint *point = point_at(set, active, k);
        if (point->row_count) {
            active->penetrating |= !point->active && point->tried.gap < -fmax(point->slack, point->tolerance);
            keep_tried(point);
        }
    }
}

/* Where the point is now, and what the next solve makes of it. */
static void go_on(AfxiContactSet *set, const AfxiActiveSet *active, AfxiPoint *point, bool first, double cut) {
    if (!active->changed || first || active->followed || cut >= AFXI_WHOLE_STEP) {
        keep_tried(point);
    } else {
        point->at = blend(&point->at, &point->tried, cut);
    }
    if (active->followed) {
        double limit = limit_now(active, point, point->friction);
        point->memory.limit = active->mix == 0 ? limit : fmax(0, limit - active->mix * (limit - point->followed));
        point->followed = limit;
        point->memory.limit_roll = limit_now(active, point, point->rolling);
        point->memory.limit_spin = limit_now(active, point, point->torsion);
    }
    if (active->changed) {
        bool was_active = point->active, was_sliding = point->memory.sliding;
        set_mode(point, !active->misplaced && !active->followed);
        afxi_trace_contact(set->world->trace, point->active != was_active, point->memory.sliding != was_sliding);
        if (!point->pair) {
            afxi_point_stiffen_again(set, point);
        }
    }
}

bool afxi_activeset_update(AfxiContactSet *set, AfxiActiveSet *active, bool moving) {
    bool first = !active->started;
    double cut = 1;
    if (!measure_points(set, active)) {
        return false;
    }
    if (active->solves++ >= (exact(set) ? AFXI_ACTIVESET_SOLVES_CONVERGED : AFXI_ACTIVESET_SOLVES_MOST)) {
        give_up(set, active);
        return false;
    }
    active->moving = moving;
    active->fast = set->world->def.accuracy == AFX_FAST && !active->patient;
    active->mix = 0;
    update_points(set, active);
    compare_limits(set, active, first);
    active->started = true;
    if (active->followed && exact(set)) {
        mix_rounds(set, active);
    }
    if (!first && active->changed && !active->followed) { /* else there is nothing to cut */
        cut = cut_step(set, active);
    }
    for (uint32_t k = 0; k < active->count; k++) {
        AfxiPoint *point = point_at(set, active, k);
        if (point->row_count) {
            go_on(set, active, point, first, cut);
        }
    }
    return active->changed && !waits(active, first);
}

/* What points of sleepers remember goes to the end of `past`, where room was made when the points were found; the
 * first of them comes back. */
static uint32_t set_sleepers_apart(AfxiContactSet *set) {
    const AfxiWorld *world = set->world;
    const AfxiContactShape *shapes = world->model->contacts.shapes;
    uint32_t first = set->past_capacity;
    for (uint32_t k = world->state.head->sleepers ? set->past_count : 0; k-- > 0;) {
        const AfxiPointMemory *own = &set->past[k];
        if (afxi_is_asleep(&world->state, shapes[own->item_a].body) ||
            afxi_is_asleep(&world->state, shapes[own->item_b].body)) {
            set->past[--first] = *own;
        }
    }
    return first;
}

static bool comes_before(const AfxiPointMemory *a, const AfxiPointMemory *b) {
    return a->item_a < b->item_a || (a->item_a == b->item_a && a->item_b < b->item_b);
}

double afxi_contacts_finish(AfxiContactSet *set) {
    double depth = 0;
    uint32_t apart = set_sleepers_apart(set);
    set->past_count = 0; /* room was made when the points were found */
    for (uint32_t k = 0; k < set->now.count; k++) {
        AfxiPoint *point = &set->now.point[k];
        depth = fmax(depth, -point->gap - point->margin);
        if (!(point->force > 0)) {
            continue;
        }
        while (apart < set->past_capacity && comes_before(&set->past[apart], &point->memory)) {
            set->past[set->past_count++] = set->past[apart++];
        }
        AfxiPointMemory *memory = &set->past[set->past_count++];
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
        double held = 1 / point->grip - point->creep; /* what the damper let go is gone */
        vec3_store(memory->stretch, vec3_scale(-held, vec3_load(point->at.friction)));
        vec3_store(memory->turned, turned);
    }
    while (apart < set->past_capacity) {
        set->past[set->past_count++] = set->past[apart++];
    }
    set->world->state.head->contact_points = set->past_count;
    return depth;
}
