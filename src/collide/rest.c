/* SPDX-License-Identifier: Apache-2.0 */
/* The law of a point over a stage, where it depends on how deep the point lies at its beginning. */
#include "collide/rest.h"

#include <math.h>

#include "collide/place.h"
#include "collide/tuning.h"
#include "constraint/soft.h"

/* How deep a point may lie without force at the end of the stage, of an excess at its beginning. What is pushed out
 * keeps its speed, since contacts do not pull: at most what gravity takes away again on the rest of the way out. */
static double rest_of(const AfxiPoint *point, double excess) {
    double fall = fmax(point->least_slip, AFXI_RECOVERY_ACCELERATION * point->dt * point->dt);
    double way = sqrt(fall * fall + 2 * fall * excess) - fall; /* (way / dt)² = 2 g (excess - way) */
    return way < AFXI_RECOVERY * excess ? excess - way : (1 - AFXI_RECOVERY) * excess;
}

/* Friction that creeps: the spring that sticks in series with a damper, F = -(u + what it held)/(1/grip + dt/c). */
static void let_creep(const AfxiContactSet *set, AfxiPoint *point, double depth) {
    const double *pair = afxi_world_param(set->world, AFX_PARAM_MATERIAL_PAIR, point->materials);
    double damping = afxi_soft_friction_damping(pair, depth);
    point->creep = damping > 0 ? point->dt / damping : 0; /* points that a solve gave up begin a stage again */
    point->grip = point->stick / (1 + point->stick * point->creep);
}

/* The law of a point whose material is soft, over this stage. How it comes out is the material's affair too. */
static void soften(const AfxiContactSet *set, AfxiPoint *point, double depth) {
    const double *pair = afxi_world_param(set->world, AFX_PARAM_MATERIAL_PAIR, point->materials);
    AfxiSoft line = afxi_soft_line(pair, depth, point->dt, point->stiffest);
    point->stiffness = line.stiffness;
    point->rest = line.rest;
    point->pull = fmin(point->pull, point->tolerance);
    point->active = point->first_gap + point->rest < 0 || point->pushed;
}

/* The gap that a point is expected to have, for the first guess of whether it pushes. The one that it was found with is
 * that of rigid shapes; strain by the weight of a pile is as large as the depths of its points, and what rests would be
 * guessed wrong in every step. After a look at results, `pushed` knows better, and gaps are those of the results. */
static double expected_gap(const AfxiCollide *collide, const AfxiPoint *point, double depth) {
    bool again = collide->warm[point->body_a] || (point->pair && collide->warm[point->body_b]);
    return again ? point->first_gap : point->dt * point->approach - depth;
}

void afxi_collide_rests(AfxiCollide *collide, uint32_t begin, uint32_t end) {
    AfxiContactSet *set = &collide->set;
    double before = -1;
    for (uint32_t k = begin; k < end; k++) {
        AfxiPoint *point = &set->now.point[k];
        double held = point->memory.push / point->stiffness, depth = afxi_point_depth_before(set, point);
        point->rest = 0;
        let_creep(set, point, depth);
        if (point->soft) {
            soften(set, point, depth);
            continue;
        }
        if (point->chained) { /* neighbours hold it, and it weighs little */
            continue;
        }
        if (depth - held > point->tolerance && before < 0) {
            const AfxiPointMemory *items = &point->memory;
            const double *q = set->world->state.q;
            before = afxi_depth_before(collide, items->item_a, items->item_b, point->margin, q) +
                     afxi_strain_before(collide, items->item_a, items->item_b, q);
        }
        double excess = fmin(depth, fmax(before, 0)) - held;
        point->rest = excess > point->tolerance ? rest_of(point, excess) : 0;
        point->active = expected_gap(collide, point, depth) + point->rest < 0 || point->pushed;
    }
}
