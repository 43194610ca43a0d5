/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump at the end of a step, or of a part of it: of runs in which contact points bounce, or a limit was
 * met. The step has stopped what strikes, as far as it came within it; the law of impacts (impact_law.c) tells from the
 * velocities before it what the rates of all that touches are after it, and these the velocities of the step's end are
 * given: what gravity, joints and drives did in it stays.
 *
 * The history of all these bodies no longer fits, and the next limit may be met in the next step already: they go by
 * BDF1. */
#include "solve/impact.h"

#include <math.h>
#include <string.h>

#include "constraint/bounce.h"
#include "constraint/drive.h"
#include "constraint/tuning.h"
#include "solve/impact_law.h"
#include "solve/tuning.h"
#include "state/pace.h"

/* ---- what struck ---- */

/* Whether the drive of a row is a limit that was met in this part of the step. */
static bool struck(const AfxiWorld *world, uint32_t drive) {
    return world->branch_part[drive] == AFXI_BRANCH_FREE && afxi_impact_limit(world, drive);
}

static bool limits_struck(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    bool any = false;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t drive = graph->row[graph->drive_row[k]].index;
        bool met = struck(impact->world, drive);
        afxi_trace_limit(met ? impact->world->trace : NULL, impact->world->model->drives[drive].joint);
        any |= met;
    }
    return any;
}

static bool points_strike(const AfxiImpact *impact) {
    const AfxiActiveSet *active = &impact->run->island[0].active;
    bool any = false;
    for (uint32_t k = 0; impact->set && k < active->count; k++) {
        const AfxiPoint *point = &impact->set->now.point[active->point[k]];
        bool strikes = afxi_bounce_strikes(impact->set, point);
        if (strikes) {
            afxi_trace_bounce(impact->world->trace, point->body_a);
        }
        any |= strikes;
    }
    return any;
}

/* ---- velocities before ---- */

/* Times from the beginning of the part to the first blow that each body gets, s, or 0; [bodies], where the stage that
 * is over kept errors. */
static double *load_times(const AfxiImpact *impact) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    const AfxiActiveSet *active = &impact->run->island[0].active;
    double *time = impact->run->lot->error, speed;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        time[k] = INFINITY;
    }
    for (uint32_t k = 0; impact->set && k < active->count; k++) {
        const AfxiPoint *point = &impact->set->now.point[active->point[k]];
        if (afxi_bounce_strikes(impact->set, point)) {
            double own = impact->length - point->dt + afxi_bounce_touch(impact->set, point, &speed);
            double *a = &time[graph->local[point->body_a]], *b = point->pair ? &time[graph->local[point->body_b]] : a;
            *a = fmin(*a, own);
            *b = fmin(*b, own);
        }
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        time[k] = isinf(time[k]) ? 0 : time[k];
    }
    return time;
}

/* Velocity of a body just before the impact: that of the beginning, with what gravity has added; its angular momentum
 * is what it was while the body has turned. */
static void load_before(const AfxiImpact *impact, uint32_t k, double time) {
    const AfxiRows *rows = &impact->run->lot->rows;
    AfxiState *state = &impact->world->state;
    uint32_t body = rows->graph->body[k];
    const AfxiBodyClass *class = afxi_world_class(impact->world, body);
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    const AfxiMat3 *r = &rows->frame[k];
    AfxVec3 momentum = vec3(0, 0, 0), gravity = vec3_load(afxi_world_param(impact->world, AFX_PARAM_GRAVITY, 0));
    for (int c = 0; c < 3; c++) {
        AfxVec3 own = vec3_cross(vec3_load(state->previous_q + at + 3 * c), vec3_load(state->previous_v + at + 3 * c));
        momentum = vec3_mad(momentum, class->s[c], own);
    }
    AfxiMat3 rate = afxi_impact_spin(class, r, mat3_apply_transposed(r, momentum));
    memcpy(state->v + at, rate.m, sizeof rate.m);
    vec3_store(state->v + at + 9, vec3_mad(vec3_load(state->previous_v + at + 9), class->gravity * time, gravity));
}

/* ---- velocities after ---- */

/* What slides goes on falling after the impact. Of bodies with joints this is not known, and left out. */
static void add_gravity(const AfxiImpact *impact, AfxiPoint *point, const double *time) {
    AfxVec3 gravity = vec3_load(afxi_world_param(impact->world, AFX_PARAM_GRAVITY, 0));
    double rest = impact->length - time[impact->run->lot->rows.graph->local[point->body_a]];
    for (int r = 1; r < 3 && !point->pair; r++) {
        double along = vec3_dot(gravity, vec3_load(point->axis + (size_t)3 * r));
        point->jump[r] += afxi_world_class(impact->world, point->body_a)->gravity * rest * along;
    }
}

/* Velocities `end` of the bodies, which the step came to, with the rates that the law has given. */
static void take_over(const AfxiImpact *impact, const double *end, const double *time) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    const AfxiActiveSet *active = &impact->run->island[0].active;
    for (uint32_t k = 0; impact->set && !graph->joint_rows && k < active->count; k++) {
        add_gravity(impact, &impact->set->now.point[active->point[k]], time);
    }
    double most = afxi_impact_kinetic(impact);
    afxi_impact_bring_back(impact, end);
    most += afxi_impact_kinetic(impact);
    afxi_impact_meet(impact, true);
    if (!afxi_impact_sound(impact, most)) { /* rates where nothing can move: the step has stopped what struck */
        afxi_impact_bring_back(impact, end);
        impact->tally->unsound = true;
    }
}

/* Limits that are left again, faster than `least`: of those that came at their end. Whether others leave, the next step
 * says. */
static void leave_limits(const AfxiImpact *impact, double least) {
    const AfxiGraph *graph = impact->run->lot->rows.graph;
    AfxiWorld *world = impact->world;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t drive = graph->row[graph->drive_row[k]].index;
        if (afxi_impact_limit(world, drive) && afxi_impact_side(world, drive) * world->limit_rate[drive] > least) {
            world->state.drive_branch[drive] = AFXI_BRANCH_FREE;
        }
    }
}

static bool impact_run(AfxiSolver *solver, AfxiRun *run, double length) {
    const AfxiImpactWatch *watch = solver->impact_watch;
    AfxiImpactTally tally = {.fitted = watch ? watch->fitted : NULL};
    AfxiImpact impact = {.run = run,
                         .world = solver->world,
                         .set = solver->collide ? solver->set : NULL,
                         .length = length,
                         .tally = &tally};
    const AfxiGraph *graph = run->lot->rows.graph;
    if (graph->pooled || !run->accepted[0]) { /* balls alone, which nothing touches */
        return false;
    }
    bool limits = limits_struck(&impact), points = points_strike(&impact);
    if (!limits && !points) {
        return false;
    }
    double *end = run->lot->target; /* of the stage that is over */
    for (uint32_t k = 0; k < graph->body_count; k++) {
        afxi_lot_rigid(run->lot, k);
    }
    afxi_impact_keep(&impact, end);
    const double *time = load_times(&impact);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        load_before(&impact, k, time[k]);
    }
    double least = fmax(AFXI_STILL, afxi_impact_law(&impact));
    take_over(&impact, end, time);
    if (watch) {
        watch->saw(watch->context, &(AfxiImpactSeen){.body = graph->body,
                                                     .body_count = graph->body_count,
                                                     .end = end,
                                                     .time = time,
                                                     .length = length,
                                                     .jointed = graph->joint_rows > 0,
                                                     .tally = &tally});
    }
    leave_limits(&impact, least);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        afxi_pace_reduce(&solver->world->state, graph->body[k], AFXI_IMPACT_STEPS);
    }
    return true;
}

bool afxi_impacts(AfxiSolver *solver, double length) {
    bool any = false;
    for (uint32_t k = 0; k < solver->world->model->graph_count; k++) {
        any |= impact_run(solver, &solver->run[k], length);
    }
    for (uint32_t k = 0; k < solver->island_count; k++) {
        any |= impact_run(solver, solver->island[k], length);
    }
    return any;
}
