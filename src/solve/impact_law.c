/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts go through bodies in passes. In each, all points and limits that approach leave with e times their speed,
 *     J_i v+ = -e_i J_i v   with impulses p_i >= 0 (those that would pull are let go),
 * and in the next one those that approach now, until none does: a ball that strikes a row of others gives its speed to
 * the last one. The kinetic energy changes by 1/2 sum p_i (J_i v+ + J_i v) = 1/2 sum (1 - e_i) p_i J_i v <= 0 in every
 * pass, whatever strikes and however it is jointed: joints do no work. (B. Smith, D. Kaufman, E. Vouga, R. Tamstorf, E.
 * Grinspun: Reflections on simultaneous impact, ACM Trans. Graph. 31(4), 2012.)
 *
 * Friction of a pass sticks, or slides with mu times the normal impulse; where that would make energy, as Newton's law
 * of restitution may with friction, the pass goes without. */
#include "solve/impact_law.h"

#include <math.h>
#include <string.h>

#include "constraint/bounce.h"
#include "constraint/reaction.h"
#include "constraint/tuning.h"
#include "joint/axis.h"
#include "solve/tuning.h"

static AfxiPoint *point_at(const AfxiImpact *impact, uint32_t k) {
    return &impact->set->now.point[impact->run->island[0].active.point[k]];
}

static uint32_t point_count(const AfxiImpact *impact) {
    return impact->set ? impact->run->island[0].active.count : 0;
}

static bool touches(const AfxiPoint *point) {
    return point->row_count && (point->force > 0 || point->gap <= point->tolerance);
}

bool afxi_impact_limit(const AfxiWorld *world, uint32_t drive) {
    return world->model->drives[drive].kind == AFX_DRIVE_LIMIT && world->state.drive_branch[drive] != AFXI_BRANCH_FREE;
}

/* The way out of a limit that is met. */
double afxi_impact_side(const AfxiWorld *world, uint32_t drive) {
    return world->state.drive_branch[drive] == AFXI_BRANCH_LOW ? 1 : -1;
}

static double limit_speed(const AfxiRows *rows, uint32_t drive) {
    static const double still[AFXI_AFFINE_WIDTH];
    const AfxiWorld *world = rows->world;
    uint32_t joint = world->model->drives[drive].joint;
    const AfxiJoint *source = &world->model->joints[joint];
    AfxiPairState state = afxi_joint_state(world, joint);
    state.a_a = state.r_a; /* the rows of an impact know no strain: with it, what they have stopped seemed to come on */
    state.a_b = state.r_b;
    AfxiAxisSpec axis = afxi_row_axis(rows, joint, world->model->drives[drive].axis, &state);
    uint32_t ends[2] = {source->follower, source->base};
    const double *rate[2];
    for (int k = 0; k < 2; k++) {
        rate[k] = ends[k] == AFXI_WORLD ? still : world->state.v + (size_t)AFXI_AFFINE_WIDTH * ends[k];
    }
    return afxi_axis_rate(axis, afxi_world_joint_frame(world, joint), &state, rate[0], rate[1]);
}

bool afxi_impact_limits(const AfxiRows *rows, double least, bool restitution) {
    const AfxiGraph *graph = rows->graph;
    AfxiWorld *world = rows->world;
    bool any = false;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t drive = graph->row[graph->drive_row[k]].index;
        double side = afxi_impact_side(world, drive),
               rate = afxi_impact_limit(world, drive) ? side * limit_speed(rows, drive) : 0;
        world->limit_rate[drive] = NAN;
        if (rate < -least) {
            double e = afxi_world_param(world, AFX_PARAM_DRIVE, drive)[AFXI_DRIVE_RESTITUTION];
            world->limit_rate[drive] = restitution ? -side * e * rate : 0;
            world->limit_came[drive] = 1;
            any = true;
        }
    }
    return any;
}

/* ---- velocities ---- */

void afxi_impact_keep(const AfxiImpact *impact, double *to) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        memcpy(to + (size_t)AFXI_AFFINE_WIDTH * k, impact->world->state.v + (size_t)AFXI_AFFINE_WIDTH * graph->body[k],
               AFXI_AFFINE_WIDTH * sizeof *to);
    }
}

void afxi_impact_bring_back(const AfxiImpact *impact, const double *from) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        memcpy(impact->world->state.v + (size_t)AFXI_AFFINE_WIDTH * graph->body[k],
               from + (size_t)AFXI_AFFINE_WIDTH * k, AFXI_AFFINE_WIDTH * sizeof *from);
    }
}

double afxi_impact_kinetic(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    double sum = 0;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const AfxiBodyClass *class = afxi_world_class(impact->world, graph->body[k]);
        const double *v = impact->world->state.v + (size_t)AFXI_AFFINE_WIDTH * graph->body[k];
        for (int c = 0; c < 4; c++) {
            AfxVec3 rate = vec3_load(v + 3 * c);
            sum += 0.5 * (c < 3 ? class->s[c] : class->mass) * vec3_dot(rate, rate);
        }
    }
    return sum;
}

AfxiMat3 afxi_impact_spin(const AfxiBodyClass *class, const AfxiMat3 *r, AfxVec3 local) {
    double sum = class->s[0] + class->s[1] + class->s[2];
    AfxiMat3 skew =
        mat3_skew(vec3(local.x / (sum - class->s[0]), local.y / (sum - class->s[1]), local.z / (sum - class->s[2])));
    return mat3_multiply(r, &skew);
}

/* Gives a body the impulse p at the point x of it. */
static void push(const AfxiImpact *impact, uint32_t body, const double x[3], AfxVec3 p) {
    const AfxiRows *rows = &impact->run->lot->rows;
    const AfxiBodyClass *class = afxi_world_class(impact->world, body);
    const AfxiMat3 *r = &rows->frame[rows->graph->local[body]];
    double *v = impact->world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 rate = afxi_impact_spin(class, r, vec3_cross(vec3_load(x), mat3_apply_transposed(r, p)));
    for (int e = 0; e < 9; e++) {
        v[e] += rate.m[e];
    }
    vec3_store(v + 9, vec3_mad(vec3_load(v + 9), 1 / class->mass, p));
}

/* Whether something that moves as it is told has a part in the impact, and may do work in it. */
static bool is_led(const AfxiImpact *impact) {
    const AfxModel *model = impact->world->model;
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    bool led = model->kinematic_count > 0;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        AfxDriveKind kind = model->drives[graph->row[graph->drive_row[k]].index].kind;
        led |= kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY;
    }
    for (uint32_t k = 0; k < point_count(impact); k++) { /* surfaces that deform */
        AfxVec3 drift = vec3_load(point_at(impact, k)->drift);
        led |= vec3_dot(drift, drift) > 0;
    }
    return led;
}

bool afxi_impact_sound(const AfxiImpact *impact, double most) {
    double kinetic = afxi_impact_kinetic(impact);
    return kinetic <= (1 + AFXI_IMPACT_ROUNDING) * most || (isfinite(kinetic) && is_led(impact));
}

/* ---- one pass ---- */

void afxi_impact_meet(const AfxiImpact *impact, bool again) {
    impact->run->engine->between->project(impact->run->data, &(AfxiJump){.set = impact->set,
                                                                         .point = impact->run->island[0].active.point,
                                                                         .point_count = point_count(impact),
                                                                         .again = again});
}

static void leave_free(AfxiPoint *point) {
    point->jump[0] = point->jump[1] = point->jump[2] = NAN;
}

static void free_all(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    for (uint32_t k = 0; k < point_count(impact); k++) {
        leave_free(point_at(impact, k));
    }
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        impact->world->limit_rate[graph->row[graph->drive_row[k]].index] = NAN;
    }
}

/* What approaches, at the present velocities, leaves with e times its speed; false: nothing does. `restitution`: else
 * it stops. */
static bool choose(const AfxiImpact *impact, double least, bool restitution) {
    bool any = false;
    free_all(impact);
    for (uint32_t k = 0; k < point_count(impact); k++) {
        AfxiPoint *point = point_at(impact, k);
        double rate = touches(point) ? afxi_bounce_rate(impact->set, point, 0) : 0;
        if (rate < -least) {
            point->jump[0] = restitution ? afxi_bounce_after(impact->set, point, -rate) : 0;
            any = point->struck = true;
        }
    }
    return afxi_impact_limits(&impact->run->lot->rows, least, restitution) || any;
}

/* Lets go what pulls, after velocities have met the rates; false: nothing does. */
static bool let_go(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    const double *lambda = afxi_lot_multipliers(impact->run->lot);
    AfxiWorld *world = impact->world;
    double largest = 0;
    bool any = false;
    for (int round = 0; round < 2; round++) { /* the largest push, then who pulls for its size */
        for (uint32_t k = 0; k < point_count(impact); k++) {
            AfxiPoint *point = point_at(impact, k);
            double impulse = afxi_bounce_impulse(impact->set, point, 0);
            largest = fmax(largest, impulse);
            if (round && impulse < -AFXI_IMPACT_PULL * largest) {
                leave_free(point);
                any = true;
            }
        }
    }
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t row = graph->drive_row[k], drive = graph->row[row].index;
        if (!isnan(world->limit_rate[drive]) && afxi_impact_side(world, drive) * lambda[row] > 0) {
            world->limit_rate[drive] = NAN;
            any = true;
        }
    }
    return any;
}

/* Whether a rate that the pass gives is not 0. */
static bool bounces(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    bool any = false;
    for (uint32_t k = 0; k < point_count(impact); k++) {
        any |= point_at(impact, k)->jump[0] > 0;
    }
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        any |= fabs(impact->world->limit_rate[graph->row[graph->drive_row[k]].index]) > 0;
    }
    return any;
}

/* In a pass in which nothing bounces: what approaches at its result, and would not bounce, stops in it too; false:
 * nothing does. The result is then the point of the cone J v >= 0 nearest to v, which has less energy. */
static bool take_in(const AfxiImpact *impact, double least) {
    const AfxiRows *rows = &impact->run->lot->rows;
    AfxiWorld *world = impact->world;
    bool any = false;
    for (uint32_t k = 0; k < point_count(impact); k++) {
        AfxiPoint *point = point_at(impact, k);
        if (isnan(point->jump[0]) && touches(point) && !(point->restitution > 0) &&
            afxi_bounce_rate(impact->set, point, 0) < -least) {
            point->jump[0] = 0;
            any = point->struck = true;
        }
    }
    for (uint32_t k = 0; k < rows->graph->drive_count; k++) {
        uint32_t drive = rows->graph->row[rows->graph->drive_row[k]].index;
        if (isnan(world->limit_rate[drive]) && afxi_impact_limit(world, drive) &&
            !(afxi_world_param(world, AFX_PARAM_DRIVE, drive)[AFXI_DRIVE_RESTITUTION] > 0) &&
            afxi_impact_side(world, drive) * limit_speed(rows, drive) < -least) {
            world->limit_rate[drive] = 0;
            world->limit_came[drive] = 1;
            any = true;
        }
    }
    return any;
}

/* What a meeting of the rates asks for: those that pull are let go and, where nothing bounces, those that now approach
 * are taken in. */
static bool revise(const AfxiImpact *impact, double least, bool bouncing) {
    bool pulls = let_go(impact);
    return (!bouncing && take_in(impact, least)) || pulls;
}

/* From the velocities `before` to those that meet all rates without pulling. */
static void meet_pushing(const AfxiImpact *impact, const double *before, double least, bool bouncing) {
    for (uint32_t k = 0; k < AFXI_IMPACT_RELEASES_MOST; k++) {
        afxi_impact_bring_back(impact, before);
        afxi_impact_meet(impact, true);
        if (!revise(impact, least, bouncing)) {
            return;
        }
        impact->tally->revised = true;
    }
}

/* ---- friction ---- */

/* Every point that was pushed sticks; false: none has friction. */
static bool stick_all(const AfxiImpact *impact) {
    bool any = false;
    for (uint32_t k = 0; k < point_count(impact); k++) {
        AfxiPoint *point = point_at(impact, k);
        bool sticks = point->friction > 0 && afxi_bounce_impulse(impact->set, point, 0) > 0;
        point->jump[1] = point->jump[2] = sticks ? 0 : NAN;
        point->slide[0] = point->slide[1] = 0;
        any |= sticks;
    }
    return any;
}

/* Friction of points against the limits that their pushes give: those that are above it slide; false: all together
 * are as near to them as they need to be. */
static bool slide_some(const AfxiImpact *impact) {
    double off = 0, limits = 0;
    for (uint32_t k = 0; k < point_count(impact); k++) {
        AfxiPoint *point = point_at(impact, k);
        double limit = point->friction * fmax(0, afxi_bounce_impulse(impact->set, point, 0));
        double p[2] = {afxi_bounce_impulse(impact->set, point, 1), afxi_bounce_impulse(impact->set, point, 2)};
        bool slides = isnan(point->jump[1]);
        memcpy(p, slides ? point->slide : p, sizeof p);
        limits += limit * limit;
        off += afxi_bounce_slide(point, p, limit);
    }
    return off > AFXI_IMPACT_FRICTION * AFXI_IMPACT_FRICTION * limits;
}

static void push_slides(const AfxiImpact *impact) {
    for (uint32_t k = 0; k < point_count(impact); k++) {
        const AfxiPoint *point = point_at(impact, k);
        if (isnan(point->jump[1]) && (point->slide[0] != 0 || point->slide[1] != 0)) {
            AfxVec3 p = vec3_scale(point->slide[0], vec3_load(point->axis + 3));
            p = vec3_mad(p, point->slide[1], vec3_load(point->axis + 6));
            push(impact, point->body_a, point->x_a, p);
            if (point->pair) {
                push(impact, point->body_b, point->x_b, vec3_scale(-1, p));
            }
        }
    }
}

/* The pass again from `before`, with friction; what it came to without stays where friction would make energy. */
static void rub(const AfxiImpact *impact, const double *before, double *smooth, double least, bool bouncing) {
    if (!stick_all(impact)) {
        return;
    }
    afxi_impact_keep(impact, smooth);
    afxi_impact_bring_back(impact, before);
    double most = afxi_impact_kinetic(impact);
    for (uint32_t k = 0; k < AFXI_IMPACT_ROUNDS_MOST; k++) {
        afxi_impact_bring_back(impact, before);
        push_slides(impact);
        afxi_impact_meet(impact, true);
        bool slides = slide_some(impact);
        if (!(!bouncing && revise(impact, least, false)) && !slides) {
            break;
        }
    }
    for (uint32_t k = 0; k < point_count(impact); k++) {
        const AfxiPoint *point = point_at(impact, k);
        impact->tally->slid |= isnan(point->jump[1]) && (point->slide[0] != 0 || point->slide[1] != 0);
    }
    if (!(afxi_impact_kinetic(impact) <= most)) {
        afxi_impact_bring_back(impact, smooth);
        impact->tally->slid = true;
    }
}

/* ---- all passes ---- */

/* Speeds below this are rounding. */
static double least_speed(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    double mass = 0;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        mass += afxi_world_class(impact->world, graph->body[k])->mass;
    }
    return AFXI_IMPACT_STILL * sqrt(2 * afxi_impact_kinetic(impact) / mass);
}

/* Points and limits that an impact went through keep what they have now; what approaches even so stops. A limit that
 * has not come at its end was held there by the step, or brought by a force that presses it, and has the rate that the
 * step has given it: the one that it had before is over. */
static void keep_rates(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    free_all(impact);
    for (uint32_t k = 0; k < point_count(impact); k++) {
        AfxiPoint *point = point_at(impact, k);
        for (int r = 0; r < 3 && point->struck; r++) {
            double rate = afxi_bounce_rate(impact->set, point, r);
            point->jump[r] = r == 0 ? fmax(0, rate) : point->friction > 0 ? rate : NAN;
        }
    }
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t drive = graph->row[graph->drive_row[k]].index;
        if (afxi_impact_limit(impact->world, drive) && impact->world->limit_came[drive]) {
            double side = afxi_impact_side(impact->world, drive);
            impact->world->limit_rate[drive] = side * fmax(0, side * limit_speed(&impact->run->lot->rows, drive));
        }
    }
}

double afxi_impact_law(const AfxiImpact *impact) {
    AfxiLot *lot = impact->run->lot;
    double *smooth = lot->qhat; /* of the stage that is over: lots that have points have it */
    for (uint32_t k = 0; k < point_count(impact); k++) {
        point_at(impact, k)->struck = false;
    }
    for (uint32_t k = 0; k < lot->rows.graph->drive_count; k++) {
        impact->world->limit_came[lot->rows.graph->row[lot->rows.graph->drive_row[k]].index] = 0;
    }
    free_all(impact);
    afxi_impact_meet(impact, false); /* velocities that fit the joints */
    for (uint32_t k = 0; impact->tally->fitted && k < lot->rows.graph->body_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k];
        memcpy(impact->tally->fitted + at, impact->world->state.v + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
    double least = least_speed(impact);
    for (uint32_t k = 0; k < AFXI_IMPACT_PASSES_MOST; k++) {
        if (!choose(impact, least, k < AFXI_IMPACT_PASSES_BOUNCING)) {
            break;
        }
        afxi_impact_keep(impact, impact->world->jump_from);
        bool bouncing = bounces(impact);
        impact->tally->passes++;
        double most = afxi_impact_kinetic(impact);
        meet_pushing(impact, impact->world->jump_from, least, bouncing);
        rub(impact, impact->world->jump_from, smooth, least, bouncing);
        if (!afxi_impact_sound(impact, most)) {
            afxi_impact_bring_back(impact, impact->world->jump_from);
            impact->tally->unsound = true;
            break;
        }
    }
    keep_rates(impact);
    return least;
}
