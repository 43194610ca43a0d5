/* SPDX-License-Identifier: Apache-2.0 */
/* Points held in the world: their rows (equations in state/holds.h). */
#include "constraint/hold.h"

#include <math.h>
#include <string.h>

#include "constraint/tuning.h"
#include "state/history.h"

static AfxVec3 point_at(const AfxiHold *hold, const double q[AFXI_AFFINE_WIDTH]) {
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, hold->point), vec3_load(q + 9));
}

static void place_rows(const AfxiHold *hold) {
    double x[3], rest[3];
    vec3_store(x, hold->point);
    vec3_store(rest, hold->rest);
    for (int axis = 0; axis < 3; axis++) {
        AfxiWoodburyRow *row = &hold->row[axis];
        *row = (AfxiWoodburyRow){.target = rest[axis], .stiffness = hold->pull};
        for (int k = 0; k < 4; k++) {
            row->g[3 * k + axis] = k < 3 ? x[k] : 1;
        }
    }
}

static void resist_turn(const AfxiHold *hold, int row, AfxVec3 axis, double stiffness) {
    AfxiWoodburyRow *own = &hold->row[3 + row];
    *own = (AfxiWoodburyRow){.stiffness = stiffness > 0 ? stiffness : 0, .turns = true};
    vec3_store(own->g, axis);
}

/* Any unit vector across the unit vector a. */
static AfxVec3 across(AfxVec3 a) {
    AfxVec3 other = fabs(a.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0), out = vec3_cross(a, other);
    return vec3_scale(1 / vec3_length(out), out);
}

/* The positive part of G for a pull (world) on the body at q. Eigenvectors: across f and x, and in their plane across
 * the bisector; along that G is not positive. */
static void resist_turns(const AfxiHold *hold, const double q[AFXI_AFFINE_WIDTH], AfxVec3 pull) {
    AfxiMat3 a = mat3_load(q);
    AfxVec3 f = mat3_apply_transposed(&a, pull);
    double size = vec3_length(f) * vec3_length(hold->point), along = vec3_dot(f, hold->point);
    AfxVec3 u = vec3_scale(1 / vec3_length(f), f), y = vec3_scale(1 / vec3_length(hold->point), hold->point);
    AfxVec3 middle = vec3_add(u, y), normal = vec3_cross(u, y);
    double sine = vec3_length(normal), half = vec3_length(middle);
    if (!(size > 0) || !(half > 1e-4)) { /* no lever, or pushed straight in */
        resist_turn(hold, 0, vec3(1, 0, 0), 0);
        resist_turn(hold, 1, vec3(0, 1, 0), 0);
        return;
    }
    middle = vec3_scale(1 / half, middle);
    normal = sine > 1e-6 ? vec3_scale(1 / sine, normal) : across(middle);
    resist_turn(hold, 0, normal, along);
    resist_turn(hold, 1, vec3_cross(normal, middle), 0.5 * (size + along));
}

void afxi_hold_follow(AfxiHold *hold, const double q[AFXI_AFFINE_WIDTH]) {
    resist_turns(hold, q, vec3_scale(-hold->pull, vec3_sub(point_at(hold, q), hold->rest)));
}

void afxi_hold_rest(const AfxiWorld *world, const AfxiStagePlan *plan, double fraction, bool whole, AfxiHold *hold) {
    bool there = fraction >= 1 || (whole && hold->fresh);
    AfxVec3 target = there ? hold->target : vec3_mad(hold->from, fraction, vec3_sub(hold->target, hold->from));
    const AfxiStageWeights *w = &plan->weights;
    double per_move = afxi_world_class(world, hold->body)->mass * w->per_h_squared;
    double most = AFXI_HOLD_STIFFEST * per_move, damper = fmin(hold->damping * w->per_h_rate, most);
    double qhat[AFXI_AFFINE_WIDTH], qv[AFXI_AFFINE_WIDTH];
    afxi_stage_past(world, plan, hold->body, qhat, qv);
    hold->pull = fmin(hold->stiffness, most) + damper;
    hold->rest = target;
    if (damper > 0) {
        hold->rest = vec3_mad(target, damper / hold->pull, vec3_sub(point_at(hold, qv), target));
    }
}

/* The pull that the first solve reckons with is what would move the body alone. */
void afxi_hold_begin(const AfxiWorld *world, const AfxiStagePlan *plan, double fraction, bool whole, AfxiHold *hold) {
    double per_move = afxi_world_class(world, hold->body)->mass * plan->weights.per_h_squared;
    double expected[AFXI_AFFINE_WIDTH];
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * hold->body + e;
        expected[e] = world->state.q[at] + plan->predict * world->state.v[at];
    }
    afxi_hold_rest(world, plan, fraction, whole, hold);
    double pull = hold->pull / (1 + hold->pull / per_move);
    place_rows(hold);
    resist_turns(hold, expected, vec3_scale(-pull, vec3_sub(point_at(hold, expected), hold->rest)));
}

void afxi_holds_start(AfxiWorld *world) {
    for (uint32_t k = 0; world->holds && k < world->holds->count; k++) {
        AfxiHold *hold = &world->holds->hold[k];
        hold->from = hold->fresh ? point_at(hold, world->state.q + (size_t)AFXI_AFFINE_WIDTH * hold->body) : hold->from;
    }
}

void afxi_holds_finish(AfxiWorld *world) {
    for (uint32_t k = 0; world->holds && k < world->holds->count; k++) {
        AfxiHold *hold = &world->holds->hold[k];
        AfxVec3 stretch = vec3_sub(hold->rest, point_at(hold, world->state.q + (size_t)AFXI_AFFINE_WIDTH * hold->body));
        hold->force = vec3_scale(hold->pull, stretch);
        hold->from = hold->target;
        hold->fresh = false;
    }
}
