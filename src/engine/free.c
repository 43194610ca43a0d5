/* SPDX-License-Identifier: Apache-2.0 */
/* The engine `free`: lists of bodies through the kernel of body/free_wide.c. */
#include "engine/free.h"

#include <string.h>

#include "base/task.h"
#include "engine/tuning.h"

/* rad: of the first solve, and of a later one on its estimated remaining error. */
static const struct {
    double first, later;
} tolerance[] = {
    [AFX_FAST] = {AFXI_FREE_FIRST_FAST, AFXI_FREE_LATER_FAST},
    [AFX_ACCURATE] = {AFXI_FREE_FIRST_ACCURATE, AFXI_FREE_LATER_ACCURATE},
    [AFX_CONVERGED] = {AFXI_FREE_FIRST_CONVERGED, AFXI_FREE_LATER_CONVERGED},
};

void afxi_free_take(AfxiFreeLot *lot, AfxiArena *arena, AfxiWorld *world, AfxiClassTable *table) {
    uint32_t bodies = world->model->dynamic_count;
    lot->world = world;
    lot->table = table;
    lot->variant = afxi_free_variant(world->def.lanes);
    lot->outcomes = afxi_arena_take(arena, afxi_part_count(bodies, AFXI_GRAIN), sizeof *lot->outcomes);
    lot->list = afxi_arena_take(arena, bodies, sizeof *lot->list);
}

void afxi_free_release(AfxiFreeLot *lot) {
    if (lot->world) {
        afxi_release(&lot->world->def.allocator, lot->forces, lot->forces_capacity * sizeof *lot->forces);
    }
}

typedef struct FreeTask {
    const AfxiFreeLot *lot;
    const AfxiFreeStage *stage;
} FreeTask;

static void free_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const FreeTask *task = context;
    AfxiFreeOutcome outcome = {.failed_body = UINT32_MAX};
    task->lot->variant.kernel(task->stage, begin, end, &outcome);
    task->lot->outcomes[part] = outcome;
}

static void merge(AfxiFreeOutcome *into, const AfxiFreeOutcome *from) {
    into->solves = from->solves > into->solves ? from->solves : into->solves;
    into->solves_total += from->solves_total;
    into->rotation_error = from->rotation_error > into->rotation_error ? from->rotation_error : into->rotation_error;
    into->capped |= from->capped;
    into->rescued |= from->rescued;
    into->failed_body = from->failed_body < into->failed_body ? from->failed_body : into->failed_body;
}

static void run_list(AfxiFreeLot *lot, AfxiFreeStage *stage, const uint32_t *bodies, uint32_t count,
                     const AfxiFreeForce *forces, AfxiFreeOutcome *out) {
    const AfxSimDef *def = &lot->world->def;
    stage->bodies = bodies;
    stage->forces = forces;
    FreeTask task = {lot, stage};
    afxi_parallel_for(&def->tasks, def->threads, count, AFXI_GRAIN, free_part, &task);
    for (uint32_t part = 0; part < afxi_part_count(count, AFXI_GRAIN); part++) {
        merge(out, &lot->outcomes[part]);
    }
}

static AfxiFreeStage make_stage(AfxiFreeLot *lot, const AfxiStagePlan *plan) {
    AfxiState *state = &lot->world->state;
    const double *gravity = afxi_world_param(lot->world, AFX_PARAM_GRAVITY, 0);
    const AfxSimDef *def = &lot->world->def;
    afxi_class_table_free(lot->table, lot->world, plan->weights.scale);
    return (AfxiFreeStage){
        .mode = plan->mode,
        .phase = plan->phase,
        .weights = plan->weights,
        .damped = lot->table->free_damped,
        .rods = lot->table->rods,
        .predict = plan->predict,
        .gravity = {gravity[0], gravity[1], gravity[2]},
        .class_of = lot->world->classes->of,
        .constants = lot->table->free,
        .q = state->q,
        .v = state->v,
        .x2 = state->x2,
        .x3 = state->x3,
        .gap = plan->has_gaps ? state->gap : NULL,
        .last_gap = state->last_gap,
        .previous_q = state->previous_q,
        .previous_v = state->previous_v,
        .solves = def->solves,
        .solves_most = AFXI_SOLVES_MOST,
        .tolerance_first = tolerance[def->accuracy].first,
        .tolerance = tolerance[def->accuracy].later,
    };
}

/* Bodies of a list that go by a plan and are not taken; with forces, these as well. */
static uint32_t select_bodies(AfxiFreeLot *lot, const AfxiPlans *plans, const AfxiStagePlan *plan,
                              const uint32_t *taken, const uint8_t *absent, const uint32_t *bodies, uint32_t count,
                              bool forced) {
    uint32_t chosen = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool own = (!taken || taken[bodies[k]] == UINT32_MAX) && (!absent || !absent[bodies[k]]) &&
                   afxi_pace_plan(plans, &lot->world->state, bodies[k]) == plan;
        if (own && forced) {
            lot->forces[chosen] = lot->world->forces[k];
        }
        if (own) {
            lot->list[chosen++] = bodies[k];
        }
    }
    return chosen;
}

AfxStatus afxi_free_reserve(AfxiFreeLot *lot) {
    return afxi_array_reserve(&lot->world->def.allocator, (void **)&lot->forces, &lot->forces_capacity,
                              lot->world->forced_count, sizeof *lot->forces);
}

void afxi_free_stage(AfxiFreeLot *lot, const AfxiPlans *plans, const uint32_t *taken, const uint8_t *absent,
                     AfxiFreeOutcome *out) {
    const AfxiWorld *world = lot->world;
    const AfxiPlanFamily *own = &plans->own, *turning = &plans->turning;
    const AfxiStagePlan *plan[6] = {&own->even,     &own->restarted,     &own->reduced_order,
                                    &turning->even, &turning->restarted, &turning->reduced_order};
    uint32_t solves_before = out->solves;
    out->solves = 0;
    if (!taken && !absent && !world->state.head->uneven) {
        AfxiFreeStage stage = make_stage(lot, afxi_pace_plan_of(plans, 0));
        run_list(lot, &stage, world->plain, world->plain_count, NULL, out);
        run_list(lot, &stage, world->forced, world->forced_count, world->forces, out);
        out->solves += solves_before;
        return;
    }
    for (int k = 0; k < 6; k++) {
        uint32_t count = select_bodies(lot, plans, plan[k], taken, absent, world->plain, world->plain_count, false);
        AfxiFreeStage stage;
        if (count) {
            stage = make_stage(lot, plan[k]);
            run_list(lot, &stage, lot->list, count, NULL, out);
        }
        count = select_bodies(lot, plans, plan[k], taken, absent, world->forced, world->forced_count, true);
        if (count) {
            stage = make_stage(lot, plan[k]);
            run_list(lot, &stage, lot->list, count, lot->forces, out);
        }
    }
    out->solves += solves_before;
}

typedef struct StartTask {
    const AfxiFreeLot *lot;
    const uint8_t *wanted;
    const uint32_t *bodies;
    const AfxiFreeForce *forces;
} StartTask;

static void start_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const StartTask *task = context;
    const AfxiWorld *world = task->lot->world;
    const AfxiState *state = &world->state;
    const double *gravity = afxi_world_param(world, AFX_PARAM_GRAVITY, 0);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t body = task->bodies[k];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
        if (!task->wanted[body]) {
            continue;
        }
        afxi_free_acceleration(afxi_world_class(world, body), state->q + at, state->v + at, gravity,
                               task->forces ? task->forces + k : NULL, state->x2 + at);
        if (state->head->integrator == AFX_ALPHA) {
            memcpy(state->x3 + at, state->x2 + at, AFXI_AFFINE_WIDTH * sizeof(double));
        }
    }
}

void afxi_free_start(AfxiFreeLot *lot, const uint8_t *wanted) {
    const AfxiWorld *world = lot->world;
    const AfxSimDef *def = &world->def;
    StartTask task = {lot, wanted, world->plain, NULL};
    afxi_parallel_for(&def->tasks, def->threads, world->plain_count, AFXI_GRAIN, start_part, &task);
    task = (StartTask){lot, wanted, world->forced, world->forces};
    afxi_parallel_for(&def->tasks, def->threads, world->forced_count, AFXI_GRAIN, start_part, &task);
}
