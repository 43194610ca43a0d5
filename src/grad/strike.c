/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts that a sim shows: entries of velocities that jump, or why they have no derivative. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "constraint/bounce.h"
#include "grad/record.h"
#include "joint/law.h"
#include "solve/impact_law.h"
#include "step/sim.h"

/* Why an impact has no derivative; NULL: it has one. */
static const char *jump_refused(const AfxSim *sim, const AfxiImpactSeen *seen) {
    const AfxiImpactTally *tally = seen->tally;
    if (sim->world.state.head->integrator == AFX_SDIRK2) {
        return "velocities that jump in a step of two stages are not differentiated: take bdf2 or alpha";
    }
    if (seen->length < 0.999 * sim->world.state.head->dt) {
        return "velocities that jump in a part of a step are not differentiated: take a smaller dt";
    }
    if (sim->weights) {
        return "velocities that jump are not differentiated with weights of multipliers";
    }
    if (tally->passes > 1 || tally->revised || tally->unsound) {
        return "an impact that goes through bodies in several passes is not differentiated";
    }
    return tally->slid ? "friction that slides in an impact is not differentiated" : NULL;
}

/* Whether gravity acts along the surface of a point: what sticks goes on falling after the impact. */
static bool is_tilted(const AfxSim *sim, const AfxiPoint *point) {
    AfxVec3 g = vec3_load(afxi_world_param(&sim->world, AFX_PARAM_GRAVITY, 0)), n = vec3_load(point->axis);
    return vec3_length(vec3_mad(g, -vec3_dot(g, n), n)) > 1e-12 * vec3_length(g);
}

static AfxVec3 rate_at(const double *v, const double x[3]) {
    AfxiMat3 a = mat3_load(v);
    return vec3_add(mat3_apply(&a, vec3_load(x)), vec3_load(v + 9));
}

/* How a point that was struck goes on. */
static uint8_t mark_of(const AfxiGradRecord *record, const AfxiPoint *point) {
    const double *v = record->impacts.fitted;
    AfxVec3 rate = rate_at(v + (size_t)AFXI_AFFINE_WIDTH * point->body_a, point->core_a);
    rate = vec3_sub(rate, point->pair ? rate_at(v + (size_t)AFXI_AFFINE_WIDTH * point->body_b, point->core_b)
                                      : vec3_load(point->carried));
    double after = afxi_bounce_after(record->sim->solver.set, point, -vec3_dot(vec3_load(point->axis), rate));
    return (uint8_t)(AFXI_GRAD_STRUCK | (after > 0 ? AFXI_GRAD_BOUNCES : 0) |
                     (point->friction > 0 ? AFXI_GRAD_STICKS : 0));
}

/* Arrays of a jump; points are those of the stage before it that were struck. */
typedef struct JumpArrays {
    double *unknown, *lambda, *end, *carried, *first_gap, *falls_on;
    AfxiScale *scale;
    uint8_t *absent, *plan_of, *limit_mark, *point_mark;
    uint32_t *first_blow;
    AfxiResidualPoint *point;
    AfxiPointSlope *slope;
    uint32_t count;
    bool bounces; /* something goes on with restitution */
} JumpArrays;

static void take_jump(const AfxModel *model, AfxiArena *arena, uint32_t points, JumpArrays *out) {
    size_t wide = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    out->unknown = afxi_arena_take(arena, wide, sizeof(double));
    out->end = afxi_arena_take(arena, wide, sizeof(double));
    out->lambda = afxi_arena_take(arena, model->row_count + 3 * (size_t)model->chains.slot_count, sizeof(double));
    out->carried = afxi_arena_take(arena, 3 * (size_t)points, sizeof(double));
    out->first_gap = afxi_arena_take(arena, points, sizeof(double));
    out->falls_on = afxi_arena_take(arena, points, sizeof(double));
    out->scale = afxi_arena_take(arena, model->body_count, sizeof *out->scale);
    out->first_blow = afxi_arena_take(arena, model->body_count, sizeof *out->first_blow);
    out->point = afxi_arena_take(arena, points, sizeof *out->point);
    out->slope = afxi_arena_take(arena, points, sizeof *out->slope);
    out->absent = afxi_arena_take(arena, model->body_count, 1);
    out->plan_of = afxi_arena_take(arena, model->body_count, 1);
    out->limit_mark = afxi_arena_take(arena, model->drive_count, 1);
    out->point_mark = afxi_arena_take(arena, points, 1);
}

/* Whether a body moves in the impact: the world, and bodies that are told how to move, do not. */
static bool takes_part(const JumpArrays *out, uint32_t body) {
    return body != AFXI_WORLD && !out->absent[body];
}

/* Which bodies, and limits of theirs, have a part in it. */
static void fill_jump(const AfxSim *sim, const AfxiImpactSeen *seen, JumpArrays *out) {
    const AfxModel *model = sim->model;
    const AfxiState *state = &sim->world.state;
    memcpy(out->end, state->v, AFXI_AFFINE_WIDTH * (size_t)model->body_count * sizeof(double));
    memset(out->absent, 1, model->body_count);
    for (uint32_t k = 0; k < seen->body_count; k++) {
        out->absent[seen->body[k]] = 0;
        out->scale[seen->body[k]] = (AfxiScale){1, 1};
        memcpy(out->end + (size_t)AFXI_AFFINE_WIDTH * seen->body[k], seen->end + (size_t)AFXI_AFFINE_WIDTH * k,
               AFXI_AFFINE_WIDTH * sizeof(double));
    }
    for (uint32_t k = 0; k < model->body_count; k++) {
        if (out->absent[k]) {
            memcpy(out->unknown + (size_t)AFXI_AFFINE_WIDTH * k, state->q + (size_t)AFXI_AFFINE_WIDTH * k,
                   AFXI_AFFINE_WIDTH * sizeof(double));
        }
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const AfxiJoint *joint = &model->joints[model->drives[k].joint];
        bool own = takes_part(out, joint->follower) || takes_part(out, joint->base);
        bool came = own && model->drives[k].kind == AFX_DRIVE_LIMIT && state->drive_branch[k] != AFXI_BRANCH_FREE &&
                    sim->world.limit_came[k];
        bool bounces = came && afxi_world_param(&sim->world, AFX_PARAM_DRIVE, k)[AFXI_DRIVE_RESTITUTION] > 0;
        out->limit_mark[k] = (uint8_t)((came ? AFXI_GRAD_STRUCK : 0) | (bounces ? AFXI_GRAD_BOUNCES : 0));
        out->bounces |= bounces;
    }
}

/* A body's first blow is that of the point which is met first. */
static void note_blow(const AfxSim *sim, const AfxiImpactSeen *seen, const AfxiPoint *point, JumpArrays *out) {
    double speed, time = afxi_bounce_touch(sim->solver.set, point, &speed);
    bool strikes = afxi_bounce_strikes(sim->solver.set, point);
    for (uint32_t k = 0; strikes && k < seen->body_count; k++) {
        bool own = seen->body[k] == point->body_a || (point->pair && seen->body[k] == point->body_b);
        if (own && time <= seen->time[k]) {
            out->first_blow[seen->body[k]] = out->count + 1;
        }
    }
    for (uint32_t k = 0; k < seen->body_count && !point->pair && !seen->jointed; k++) {
        if (seen->body[k] == point->body_a) {
            out->falls_on[out->count] = seen->length - seen->time[k];
        }
    }
}

/* Points of the last stage that were struck; a reason comes back where one has no derivative. */
static const char *fill_points(AfxiGradRecord *record, const AfxiGradEntry *stage, const AfxiImpactSeen *seen,
                               JumpArrays *out) {
    const AfxSim *sim = record->sim;
    for (uint32_t k = 0; k < stage->at.point_count; k++) {
        const AfxiPoint *point = &sim->solver.set->now.point[stage->at.point[k].index];
        bool blow = afxi_bounce_strikes(sim->solver.set, point);
        if (out->absent[point->body_a] || !(point->struck || blow)) {
            continue;
        }
        if (!point->struck || !stage->slope[k].known) {
            return "points that strike, and of which another was struck before, are not differentiated";
        }
        if (point->friction > 0 && !point->pair && !seen->jointed && is_tilted(sim, point)) {
            return "friction of an impact on a slope is not differentiated";
        }
        out->point[out->count] = stage->at.point[k];
        out->slope[out->count] = stage->slope[k];
        out->point_mark[out->count] = mark_of(record, point);
        out->bounces |= (out->point_mark[out->count] & AFXI_GRAD_BOUNCES) != 0;
        out->first_gap[out->count] = point->first_gap;
        memcpy(out->carried + 3 * (size_t)out->count, point->carried, sizeof point->carried);
        note_blow(sim, seen, point, out);
        out->count++;
    }
    return NULL;
}

/* Velocities before the impact where something goes on with restitution, then those after it. */
static void keep_jump(AfxiGradRecord *record, const JumpArrays *own) {
    const AfxSim *sim = record->sim;
    const AfxiState *state = &sim->world.state;
    AfxiGradEntry entry = {.start = true,
                           .dt = state->head->dt,
                           .fraction = 1,
                           .plan_of = own->plan_of,
                           .limit_mark = own->limit_mark,
                           .point_mark = own->point_mark,
                           .first_blow = own->first_blow,
                           .carried = own->carried,
                           .first_gap = own->first_gap,
                           .falls_on = own->falls_on,
                           .slope = own->slope,
                           .past = {state->q, own->end}};
    entry.at = (AfxiResidualStage){.model = sim->model,
                                   .params = sim->world.params,
                                   .scale = own->scale,
                                   .absent = own->absent,
                                   .q = own->unknown,
                                   .qhat = state->q,
                                   .lambda = own->lambda,
                                   .angle = state->angle,
                                   .joint_active = state->joint_active,
                                   .branch = state->drive_branch,
                                   .target = sim->world.drive_target,
                                   .force_time = sim->world.force_time,
                                   .point = own->point,
                                   .point_count = own->count};
    if (own->bounces) {
        entry.jump = AFXI_GRAD_FIT;
        entry.at.qv = state->previous_v;
        entry.at.v = state->previous_q;
        afxi_grad_record_keep(record, &entry);
    }
    entry.jump = AFXI_GRAD_BOUNCE;
    entry.at.qv = own->end;
    entry.at.v = own->bounces ? record->impacts.fitted : own->end;
    afxi_grad_record_keep(record, &entry);
    record->branches++;
}

/* The stage that solved for a body last; NULL: none of this step. */
static const AfxiGradEntry *last_stage(const AfxiGradRecord *record, uint32_t body) {
    for (uint32_t k = record->entry_count; k-- > record->step[record->step_count] && k >= record->base;) {
        const AfxiGradEntry *entry = afxi_grad_entry(record, k);
        if (!entry->start && !entry->at.absent[body]) {
            return entry;
        }
    }
    return NULL;
}

void afxi_grad_record_impact(void *context, const AfxiImpactSeen *seen) {
    AfxiGradRecord *record = context;
    const AfxSim *sim = record->sim;
    if (sim->watch != &record->watch || record->status != AFX_OK) {
        return;
    }
    const AfxiGradEntry *stage = last_stage(record, seen->body[0]);
    const char *reason = stage ? jump_refused(sim, seen) : "an impact without a stage";
    AfxiArena arena = {0};
    JumpArrays own = {0};
    void *raw = NULL;
    size_t raw_size = 0;
    take_jump(sim->model, &arena, stage ? stage->at.point_count : 0, &own);
    arena.base = reason ? NULL : afxi_allocate_aligned(&record->sim->def.allocator, arena.used + 1, &raw, &raw_size);
    arena.used = 0;
    if (arena.base) {
        take_jump(sim->model, &arena, stage->at.point_count, &own);
        fill_jump(sim, seen, &own);
        reason = fill_points(record, stage, seen, &own);
        if (!reason) {
            keep_jump(record, &own);
        }
        afxi_release(&record->sim->def.allocator, raw, raw_size);
    } else if (!reason) {
        record->status = AFX_E_MEMORY;
    }
    record->jumped = reason ? reason : record->jumped;
}
