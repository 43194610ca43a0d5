/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle is asked: the state at the beginning of a stage, kept aside; then the result with its multipliers,
 * holds and points of contact. */
#include "step/verify.h"
#include "step/rotor.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "collide/vary.h"
#include "constraint/tuning.h"
#include "joint/law.h"
#include "solve/partition.h"
#include "solve/residual.h"
#include "solve/residual_phase.h"

struct AfxiVerify {
    double *past[6];            /* q, v, x2, x3, gaps of v and x3 [bodies][12] at the beginning of the stage */
    double *qhat, *qv;          /* [bodies][12] */
    double *more[2];            /* [bodies][12] of these, what fits them to turning bodies */
    double *ease;               /* [bodies][9] */
    AfxiResidualPhase *way;     /* [bodies] */
    double *friction_limit;     /* [drives] by the reactions of the last stage */
    AfxiScale *scale;           /* [bodies] */
    AfxiResidualBody *body;     /* [bodies] */
    const AfxiStagePlan **plan; /* [bodies] */
    AfxiResidualHold hold[AFX_HOLDS_MOST];
    AfxiResidualPoint *point;   /* [point_capacity] */
    AfxiPointSlope *slope;      /* [slope_capacity] for a watch */
    const AfxiStagePlan **look; /* [bodies] */
    uint32_t point_capacity, slope_capacity;
    bool silent; /* stages are shown to the watch, but not judged */
    AfxResidual result;
    AfxResidual whole; /* of the step without those that are done in parts */
    void *raw;
    size_t raw_size;
};

static void take(AfxiVerify *verify, const AfxModel *model, AfxiArena *arena) {
    size_t numbers = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    for (int k = 0; k < 6; k++) {
        verify->past[k] = afxi_arena_take(arena, numbers, sizeof(double));
    }
    verify->qhat = afxi_arena_take(arena, numbers, sizeof(double));
    verify->qv = afxi_arena_take(arena, numbers, sizeof(double));
    for (int k = 0; k < 2; k++) {
        verify->more[k] = afxi_arena_take(arena, numbers, sizeof(double));
    }
    verify->ease = afxi_arena_take(arena, 9 * (size_t)model->body_count, sizeof(double));
    verify->way = afxi_arena_take(arena, model->body_count, sizeof *verify->way);
    verify->friction_limit = afxi_arena_take(arena, model->drive_count, sizeof(double));
    verify->scale = afxi_arena_take(arena, model->body_count, sizeof *verify->scale);
    verify->body = afxi_arena_take(arena, model->body_count, sizeof *verify->body);
    verify->plan = afxi_arena_take(arena, model->body_count, sizeof *verify->plan);
    verify->look = afxi_arena_take(arena, model->body_count, sizeof *verify->look);
}

static const AfxResidual nothing = {.body = UINT32_MAX,
                                    .constraint_index = UINT32_MAX,
                                    .law_index = UINT32_MAX,
                                    .friction_body = UINT32_MAX,
                                    .complete = true};

AfxStatus afx_sim_set_verify(AfxSim *sim, bool on) {
    if (!sim || (on && !sim_can(sim, AFXI_FORMULATION_VERIFIED))) {
        return AFX_E_ARGUMENT;
    }
    if (!on || sim->verify) {
        if (!on) {
            afxi_verify_destroy(sim);
        } else {
            sim->verify->silent = false;
        }
        return AFX_OK;
    }
    const AfxAllocator *allocator = &sim->def.allocator;
    AfxiVerify *verify = afxi_allocate(allocator, sizeof *verify);
    AfxiArena arena = {0};
    if (!verify) {
        return AFX_E_MEMORY;
    }
    *verify = (AfxiVerify){.result = nothing};
    take(verify, sim->model, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &verify->raw, &verify->raw_size);
    if (!arena.base) {
        afxi_release(allocator, verify, sizeof *verify);
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(verify, sim->model, &arena);
    sim->verify = verify;
    return AFX_OK;
}

AfxStatus afxi_verify_watch(AfxSim *sim, const AfxiStageWatch *watch) {
    bool judged = sim->verify && !sim->verify->silent;
    sim->watch = watch;
    if (judged) {
        return AFX_OK;
    }
    AfxStatus status = afx_sim_set_verify(sim, watch != NULL);
    if (sim->verify) {
        sim->verify->silent = true;
    }
    sim->watch = status == AFX_OK ? watch : NULL;
    return status;
}

void afxi_verify_destroy(AfxSim *sim) {
    AfxiVerify *verify = sim->verify;
    if (verify) {
        afxi_release(&sim->def.allocator, verify->point, verify->point_capacity * sizeof *verify->point);
        afxi_release(&sim->def.allocator, verify->slope, verify->slope_capacity * sizeof *verify->slope);
        afxi_release(&sim->def.allocator, verify->raw, verify->raw_size);
        afxi_release(&sim->def.allocator, verify, sizeof *verify);
        sim->verify = NULL;
    }
}

/* What users know for an element of a rotor: its block, rail and coupling are those of a coordinate of a joint. */
static void name_shown(const AfxModel *model, AfxElement *element, uint32_t *index) {
    bool rail = *element == AFX_ELEMENT_JOINT && *index != UINT32_MAX && *index >= model->shown.joints;
    bool tie = *element == AFX_ELEMENT_COUPLING && *index != UINT32_MAX && *index >= model->shown.couplings;
    if (rail || tie) {
        uint32_t coupling = rail ? model->rotors[*index - model->shown.joints].coupling : *index;
        *element = AFX_ELEMENT_JOINT;
        *index = model->couplings[coupling].joint[0];
    } else if (*element == AFX_ELEMENT_BODY) {
        *index = afxi_rotor_body(model, *index);
    }
}

AfxStatus afx_sim_residual(const AfxSim *sim, AfxResidual *out_residual) {
    if (!sim || !out_residual || !sim->verify || sim->verify->silent) {
        return AFX_E_ARGUMENT;
    }
    *out_residual = sim->verify->result;
    out_residual->body = afxi_rotor_body(sim->model, out_residual->body);
    name_shown(sim->model, &out_residual->constraint_element, &out_residual->constraint_index);
    name_shown(sim->model, &out_residual->law_element, &out_residual->law_index);
    return AFX_OK;
}

void afxi_verify_begin(AfxSim *sim, const AfxiStageDef *def, bool first) {
    AfxiVerify *verify = sim->verify;
    const AfxiState *state = &sim->world.state;
    const double *from[6] = {state->q, state->v, state->x2, state->x3, state->gap, state->last_gap};
    if (first) {
        verify->whole = def->whole ? nothing : verify->whole;
        verify->result = verify->whole;
    }
    for (int k = 0; k < 6 && from[k]; k++) {
        memcpy(verify->past[k], from[k], AFXI_AFFINE_WIDTH * (size_t)sim->model->body_count * sizeof(double));
    }
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const double *numbers = afxi_world_param(&sim->world, AFX_PARAM_DRIVE, k);
        double share = numbers[AFXI_DRIVE_COEFFICIENT] * numbers[AFXI_DRIVE_RADIUS];
        AfxWrench reaction = {{0, 0, 0}, {0, 0, 0}};
        if (share > 0) {
            afx_sim_joint_reaction(sim, sim->model->drives[k].joint, &reaction);
        }
        verify->friction_limit[k] = numbers[AFXI_DRIVE_EFFORT] + share * vec3_length(reaction.force);
    }
}

/* The plan that a body was solved by. */
static const AfxiStagePlan *plan_of(const AfxSim *sim, const AfxiStageDef *def, uint32_t body) {
    const AfxiSolver *solver = &sim->solver;
    const AfxiChains *chains = &sim->model->chains;
    const AfxiRun *run = afxi_partition_run(solver, body);
    if (!run) {
        return afxi_pace_plan(&def->plans, &sim->world.state, body);
    }
    return run->chains ? solver->plans[solver->chain_plan[chains->chain_of[chains->link_of[body]]]] : &run->plan;
}

/* The weights of the method over what the stage started from; history that it does not weigh may be anything. */
static void combine(const AfxiVerify *verify, uint32_t body, const double weight[4], double *out) {
    for (size_t at = (size_t)AFXI_AFFINE_WIDTH * body; at < (size_t)AFXI_AFFINE_WIDTH * body + AFXI_AFFINE_WIDTH;
         at++) {
        out[at] = 0;
        for (int part = 0; part < 4; part++) {
            out[at] += weight[part] != 0 ? weight[part] * verify->past[part][at] : 0;
        }
    }
}

/* Fits what was weighed to bodies that turn. */
static void fit(AfxSim *sim) {
    AfxiVerify *verify = sim->verify;
    const AfxiResidualPast past = {.model = sim->model,
                                   .params = sim->world.params,
                                   .past = (const double *const *)verify->past,
                                   .joint_active = sim->world.state.joint_active,
                                   .way = verify->way,
                                   .more = {verify->more[0], verify->more[1]},
                                   .ease = verify->ease};
    afxi_residual_phase(&past);
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * sim->model->dynamic[k];
        for (int e = 0; e < AFXI_AFFINE_WIDTH && !sim->solver.absent[sim->model->dynamic[k]]; e++) {
            verify->qhat[at + e] += verify->more[0][at + e];
            verify->qv[at + e] += verify->more[1][at + e];
        }
    }
}

/* Weighs the past of bodies that took part; whether there are any comes back. */
static bool gather_past(AfxSim *sim, const AfxiStageDef *def) {
    AfxiVerify *verify = sim->verify;
    bool any = false;
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        if (!sim->solver.absent[body]) {
            const AfxiStagePlan *plan = plan_of(sim, def, body);
            const AfxiStageWeights *weights = &plan->weights;
            combine(verify, body, weights->qhat, verify->qhat);
            combine(verify, body, weights->qv, verify->qv);
            verify->scale[body] = weights->scale;
            verify->plan[body] = plan;
            verify->way[body] = (AfxiResidualPhase){plan->phase, plan->predict, *weights};
            any = true;
        } else {
            verify->way[body].phase = AFXI_PHASE_NONE;
        }
    }
    if (any) {
        fit(sim);
    }
    return any;
}

static uint32_t gather_holds(AfxSim *sim, const AfxiStageDef *def) {
    const AfxiHolds *holds = sim->world.holds;
    uint32_t count = 0;
    for (uint32_t k = 0; holds && k < holds->count; k++) {
        const AfxiHold *hold = &holds->hold[k];
        if (sim->solver.absent[hold->body]) {
            continue;
        }
        bool there = def->fraction >= 1 || (def->whole && hold->fresh);
        AfxVec3 way = vec3_sub(hold->target, hold->from);
        AfxiResidualHold *out = &sim->verify->hold[count++];
        const AfxiScale *scale = &sim->verify->scale[hold->body];
        double most = AFXI_HOLD_STIFFEST * afxi_world_class(&sim->world, hold->body)->mass / scale->h_squared;
        *out = (AfxiResidualHold){.body = hold->body,
                                  .stiffness = fmin(hold->stiffness, most),
                                  .damping = fmin(hold->damping, most * scale->h_rate)};
        vec3_store(out->point, hold->point);
        vec3_store(out->target, there ? hold->target : vec3_mad(hold->from, def->fraction, way));
    }
    return count;
}

/* How the surface of a body that is not solved for moves during the stage where the point is. */
static void surface_of(const AfxSim *sim, const AfxiPoint *point, AfxiResidualPoint *out) {
    double dt = out->dt;
    vec3_store(out->moved, vec3_scale(dt, vec3_load(point->drift)));
    if (sim->model->kind[point->body_b] != AFX_BODY_KINEMATIC) {
        return;
    }
    const AfxiState *state = &sim->world.state;
    const double *now = state->q + (size_t)AFXI_AFFINE_WIDTH * point->body_b,
                 *before = state->previous_q + (size_t)AFXI_AFFINE_WIDTH * point->body_b;
    AfxiMat3 a = mat3_load(now), old = mat3_load(before);
    AfxVec3 x = mat3_apply_transposed(&a, vec3_sub(vec3_load(point->x_b), vec3_load(now + 9)));
    AfxVec3 was = vec3_add(mat3_apply(&old, x), vec3_load(before + 9)), turn = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        turn = vec3_add(turn, vec3_cross(mat3_column(&old, k), mat3_column(&a, k)));
    }
    vec3_store(out->moved, vec3_add(vec3_load(out->moved), vec3_sub(vec3_load(point->x_b), was)));
    vec3_store(out->rolled, vec3_scale(0.5, turn));
}

static void frame_of(const AfxSim *sim, uint32_t body, double out[9]) {
    const AfxiContactSet *set = sim->solver.set;
    memcpy(out, set->place[set->place_of[body]].frame.m, 9 * sizeof *out);
}

static void gather_point(const AfxSim *sim, uint32_t index, AfxiResidualPoint *out) {
    const AfxiPoint *point = &sim->solver.set->now.point[index];
    const AfxiPointMemory *memory = &point->memory;
    bool turns = point->row_count > AFXI_POINT_ROWS;
    *out = (AfxiResidualPoint){
        .body_a = point->body_a,
        .body_b = point->body_b,
        .item_a = memory->item_a,
        .item_b = memory->item_b,
        .feature = memory->feature,
        .index = index,
        .pair = point->pair,
        .round = point->round,
        .rest = point->rest,
        .dt = point->dt,
        .stiffness = point->stiffness,
        .grip = point->grip,
        .turn_stiffness = turns ? point->turn_stiffness : 0,
        .friction = point->friction,
        .rolling = turns ? point->rolling : 0,
        .torsion = turns ? point->torsion : 0,
        .push = point->tried.push,
    };
    memcpy(out->normal, point->axis, sizeof out->normal);
    memcpy(out->core_a, point->core_a, sizeof out->core_a);
    memcpy(out->core_b, point->pair ? point->core_b : point->x_b, sizeof out->core_b);
    memcpy(out->x_a, point->x_a, sizeof out->x_a);
    memcpy(out->x_b, point->x_b, sizeof out->x_b);
    memcpy(out->stretch, memory->stretch, sizeof out->stretch);
    memcpy(out->turned, memory->turned, sizeof out->turned);
    memcpy(out->force, point->tried.friction, sizeof out->force);
    memcpy(out->moment, point->tried.moment, sizeof out->moment);
    frame_of(sim, point->body_a, out->frame_a);
    if (point->pair) {
        frame_of(sim, point->body_b, out->frame_b);
    } else {
        surface_of(sim, point, out);
    }
}

static uint32_t gather_points(AfxSim *sim) {
    AfxiVerify *verify = sim->verify;
    uint32_t count = 0, all = sim->solver.set ? sim->solver.set->now.count : 0;
    if (afxi_array_reserve(&sim->def.allocator, (void **)&verify->point, &verify->point_capacity, all,
                           sizeof *verify->point) != AFX_OK) {
        verify->result.complete = false;
        return 0;
    }
    for (uint32_t k = 0; k < all; k++) {
        const AfxiPoint *point = &sim->solver.set->now.point[k];
        if (point->row_count && !sim->solver.absent[point->body_a]) {
            gather_point(sim, k, &verify->point[count++]);
        }
    }
    return count;
}

/* How points change with where their bodies were expected. */
static bool gather_slopes(AfxSim *sim, uint32_t count) {
    AfxiVerify *verify = sim->verify;
    const AfxiContactSet *set = sim->solver.set;
    if (afxi_array_reserve(&sim->def.allocator, (void **)&verify->slope, &verify->slope_capacity, count,
                           sizeof *verify->slope) != AFX_OK) {
        return false;
    }
    for (uint32_t k = 0; k < sim->model->body_count; k++) {
        verify->look[k] = NULL;
    }
    for (uint32_t k = 0; k < count; k++) {
        const AfxiPoint *point = &set->now.point[verify->point[k].index];
        verify->look[point->body_a] = set->place[set->place_of[point->body_a]].plan;
        verify->look[point->body_b] = set->place[set->place_of[point->body_b]].plan;
        verify->slope[k].known = afxi_collide_vary(sim->solver.collide, point, &verify->slope[k]);
    }
    return true;
}

void afxi_verify_end(AfxSim *sim, const AfxiStageDef *def) {
    AfxiVerify *verify = sim->verify;
    const AfxiState *state = &sim->world.state;
    if (!gather_past(sim, def) && sim->model->dynamic_count) {
        return;
    }
    AfxiResidualStage stage = {
        .model = sim->model,
        .params = sim->world.params,
        .scale = verify->scale,
        .absent = sim->solver.absent,
        .q = state->q,
        .qhat = verify->qhat,
        .qv = verify->qv,
        .v = state->v,
        .lambda = state->lambda,
        .angle = state->angle,
        .joint_active = state->joint_active,
        .branch = state->drive_branch,
        .target = sim->world.drive_target,
        .friction_limit = verify->friction_limit,
        .body_wrenches = sim->world.body_wrenches,
        .force_time = sim->world.force_time,
        .hold = verify->hold,
        .hold_count = gather_holds(sim, def),
        .point_count = gather_points(sim),
    };
    stage.point = verify->point;
    if (!verify->silent) {
        afxi_residual_evaluate(&stage, verify->body, &verify->result);
    }
    if (sim->watch) {
        bool gaps = state->gap != NULL;
        const double *const past[6] = {verify->past[0],
                                       verify->past[1],
                                       verify->past[2],
                                       verify->past[3],
                                       gaps ? verify->past[4] : NULL,
                                       gaps ? verify->past[5] : NULL};
        bool known = gather_slopes(sim, stage.point_count);
        const AfxiStageSeen seen = {.stage = &stage,
                                    .past = past,
                                    .plan = verify->plan,
                                    .look = verify->look,
                                    .slope = known ? verify->slope : NULL,
                                    .fraction = def->fraction,
                                    .dt = def->plans.step};
        sim->watch->stage(sim->watch->context, &seen);
    }
    if (def->whole) {
        verify->whole = verify->result;
    }
}
