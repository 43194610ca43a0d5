/* SPDX-License-Identifier: Apache-2.0 */
/* Copies what the watch of a sim is shown. */
#include "grad/record.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "constraint/drive.h"
#include "grad/past.h"
#include "grad/touch.h"
#include "math/polar.h"
#include "state/input.h"
#include "step/sim.h"

static const AfxAllocator *allocator_of(const AfxiGradRecord *record) {
    return &record->sim->def.allocator;
}

static void release_entry(AfxiGradRecord *record, AfxiGradEntry *entry) {
    if (entry) {
        afxi_release(allocator_of(record), entry->raw, entry->raw_size);
        afxi_release(allocator_of(record), entry, sizeof *entry);
    }
}

/* Drops entries from `count` on. */
static void truncate(AfxiGradRecord *record, uint32_t count) {
    while (record->entry_count > count) {
        release_entry(record, afxi_grad_entry(record, --record->entry_count));
    }
}

void afxi_grad_record_drop(AfxiGradRecord *record, uint32_t base) {
    truncate(record, record->base);
    record->base = record->entry_count = base;
}

/* A new entry at the end, empty; NULL: out of memory. */
static AfxiGradEntry *append(AfxiGradRecord *record) {
    AfxStatus status = afxi_array_reserve(allocator_of(record), (void **)&record->entry, &record->entry_capacity,
                                          record->entry_count - record->base + 1, sizeof(AfxiGradEntry *));
    AfxiGradEntry *entry = status == AFX_OK ? afxi_allocate(allocator_of(record), sizeof *entry) : NULL;
    if (!entry) {
        record->status = AFX_E_MEMORY;
        return NULL;
    }
    record->entry[record->entry_count++ - record->base] = entry;
    return entry;
}

/* ---- copies ---- */

/* Two passes over one block: sizes, then copies. */
static const void *copied(AfxiArena *arena, const void *from, size_t count, size_t size) {
    void *to = from && count ? afxi_arena_take(arena, count, size) : NULL;
    if (to) {
        memcpy(to, from, count * size);
    }
    return from && count ? (to ? to : from) : NULL;
}

static void copy_stage(const AfxModel *model, AfxiArena *arena, const AfxiGradEntry *from, AfxiGradEntry *to) {
    size_t wide = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    size_t rows = model->row_count + 3 * (size_t)model->chains.slot_count;
    const AfxiResidualStage *at = &from->at;
    *to = *from;
    for (int k = 0; k < AFXI_GRAD_PARTS; k++) {
        to->past[k] = copied(arena, from->past[k], wide, sizeof(double));
    }
    to->second = copied(arena, from->second, wide, sizeof(double));
    to->target_second = copied(arena, from->target_second, model->drive_count, sizeof(double));
    to->plan_of = (uint8_t *)copied(arena, from->plan_of, model->body_count, 1);
    to->at.scale = copied(arena, at->scale, model->body_count, sizeof *at->scale);
    to->at.absent = copied(arena, at->absent, model->body_count, 1);
    to->at.q = copied(arena, at->q, wide, sizeof(double));
    to->at.qhat = copied(arena, at->qhat, wide, sizeof(double));
    to->at.qv = copied(arena, at->qv, wide, sizeof(double));
    to->at.v = copied(arena, at->v, wide, sizeof(double));
    to->at.lambda = copied(arena, at->lambda, rows, sizeof(double));
    to->at.angle = copied(arena, at->angle, model->angle_count, sizeof(double));
    to->at.joint_active = copied(arena, at->joint_active, model->joint_count, 1);
    to->at.branch = copied(arena, at->branch, model->drive_count, 1);
    to->at.target = copied(arena, at->target, 2 * (size_t)model->drive_count, sizeof(double));
    to->at.friction_limit = copied(arena, at->friction_limit, model->drive_count, sizeof(double));
    to->at.body_wrenches = copied(arena, at->body_wrenches, model->body_count, sizeof *at->body_wrenches);
    to->at.hold = copied(arena, at->hold, at->hold_count, sizeof *at->hold);
    to->at.point = copied(arena, at->point, at->point_count, sizeof *at->point);
    to->look_of = (uint8_t *)copied(arena, from->look_of, model->body_count, 1);
    to->slope = copied(arena, from->slope, at->point_count, sizeof *from->slope);
    to->limit_mark = copied(arena, from->limit_mark, model->drive_count, 1);
    to->point_mark = copied(arena, from->point_mark, at->point_count, 1);
    to->first_blow = copied(arena, from->first_blow, model->body_count, sizeof *from->first_blow);
    to->carried = copied(arena, from->carried, 3 * (size_t)at->point_count, sizeof(double));
    to->first_gap = copied(arena, from->first_gap, at->point_count, sizeof(double));
    to->falls_on = copied(arena, from->falls_on, at->point_count, sizeof(double));
    to->held = afxi_arena_take(arena, 3 * (size_t)at->point_count, sizeof(double));
    to->stretch = afxi_arena_take(arena, AFXI_GRAD_HELD * (size_t)at->point_count, sizeof(double));
    to->source = afxi_arena_take(arena, at->point_count, sizeof(double *));
    to->at.known = NULL;
}

/* The friction spring that a point goes on from, in the entries before; NULL: it is new, or from before recording. */
static double *source_of(AfxiGradRecord *record, uint32_t last, const AfxiResidualPoint *point, double held[3]) {
    for (uint32_t k = last; k-- > record->base;) {
        const AfxiGradEntry *entry = afxi_grad_entry(record, k);
        bool there = !entry->start && !entry->at.absent[point->body_a];
        for (uint32_t p = 0; there && p < entry->at.point_count; p++) {
            const AfxiResidualPoint *old = &entry->at.point[p];
            if (old->item_a == point->item_a && old->item_b == point->item_b && old->feature == point->feature) {
                record->branches += afxi_grad_touch_branch(old) != afxi_grad_touch_branch(point);
                if (record->touching == UINT32_MAX && !afxi_grad_touch_follows(old, point, held)) {
                    record->touching = point->body_a;
                    record->reason = "friction has another past than the steps before it";
                }
                return entry->stretch + AFXI_GRAD_HELD * (size_t)p;
            }
        }
        if (there) {
            break;
        }
    }
    record->branches++;
    return NULL;
}

void afxi_grad_record_keep(AfxiGradRecord *record, const AfxiGradEntry *seen) {
    const AfxModel *model = record->sim->model;
    AfxiArena arena = {0};
    AfxiGradEntry sized, *entry = append(record);
    if (!entry) {
        return;
    }
    copy_stage(model, &arena, seen, &sized);
    void *raw = NULL;
    size_t raw_size = 0;
    arena.base = afxi_allocate_aligned(allocator_of(record), arena.used + 1, &raw, &raw_size);
    arena.used = 0;
    if (!arena.base) {
        record->status = AFX_E_MEMORY;
        truncate(record, record->entry_count - 1);
        return;
    }
    copy_stage(model, &arena, seen, entry);
    entry->raw = raw;
    entry->raw_size = raw_size;
    for (uint32_t k = 0; k < entry->at.point_count && !entry->start; k++) {
        double *held = entry->held + 3 * (size_t)k;
        memcpy(held, entry->at.point[k].stretch, 3 * sizeof *held);
        entry->source[k] = source_of(record, record->entry_count - 1, &entry->at.point[k], held);
    }
}

/* ---- what the sim shows ---- */

static void watch_advance(void *context, bool whole) {
    AfxiGradRecord *record = context;
    uint32_t begin = record->step[record->step_count];
    truncate(record, whole ? begin : record->whole);
    record->whole = whole ? begin : record->whole;
}

/* The place of a body's plan among those of an entry. */
static uint8_t plan_place(AfxiGradEntry *entry, const AfxiStagePlan *plan, AfxStatus *status) {
    for (uint32_t k = 0; k < entry->plan_count; k++) {
        if (afxi_grad_same_plan(&entry->plan[k], plan)) {
            return (uint8_t)k;
        }
    }
    if (entry->plan_count == AFXI_GRAD_PLANS) {
        *status = AFX_E_LIMIT;
        return 0;
    }
    entry->plan[entry->plan_count] = *plan;
    return (uint8_t)entry->plan_count++;
}

/* Why a point of a stage has no derivative; NULL: it has one. */
static const char *refused(const AfxiGradRecord *record, const AfxiStageSeen *seen, uint32_t k) {
    const AfxModel *model = record->sim->model;
    const AfxiResidualPoint *point = &seen->stage->point[k];
    bool rubs = point->friction > 0 || point->rolling > 0 || point->torsion > 0;
    const uint32_t bodies[2] = {point->body_a, point->body_b};
    for (int side = 0; side < 2; side++) {
        if (model->kind[bodies[side]] == AFX_BODY_DYNAMIC && !seen->look[bodies[side]]) {
            return "points of contact were looked for twice in a step: take a smaller dt";
        }
    }
    if (!seen->slope[k].known) {
        return "features of shapes that touch change here, or are met on a long way: take a smaller dt";
    }
    if (record->sim->world.state.head->integrator == AFX_SDIRK2 && rubs) {
        return "friction of contacts is not differentiated with sdirk2: take bdf2 or alpha";
    }
    if (record->forgets && rubs) {
        return "friction of contacts is differentiated with all steps kept: set keep to 0";
    }
    return afxi_grad_touch_refused(model, record->sim->world.params, point);
}

/* Notes why points have no derivative; false: there is no room for them, and the stage cannot be kept. */
static bool check_points(AfxiGradRecord *record, const AfxiStageSeen *seen) {
    if (seen->stage->point_count && !seen->slope) {
        record->status = AFX_E_MEMORY;
        return false;
    }
    if (seen->stage->point_count > AFXI_GRAD_POINTS) { /* places of elements: those that do not push have one too */
        record->touching = seen->stage->point[AFXI_GRAD_POINTS].body_a;
        record->reason = "there are more than 256 points of contact, near ones included: take fewer bodies";
        return false;
    }
    for (uint32_t k = 0; k < seen->stage->point_count; k++) {
        const AfxiResidualPoint *point = &seen->stage->point[k];
        const char *reason = point->push > 0 ? refused(record, seen, k) : NULL;
        if (reason) {
            record->touching = point->body_a;
            record->reason = reason;
        }
    }
    return true;
}

static void watch_stage(void *context, const AfxiStageSeen *seen) {
    AfxiGradRecord *record = context;
    const AfxModel *model = record->sim->model;
    AfxiGradEntry entry;
    memset(&entry, 0, sizeof entry);
    entry.at = *seen->stage;
    entry.slope = seen->slope;
    entry.dt = seen->dt;
    entry.fraction = seen->fraction;
    memcpy(entry.past, seen->past, sizeof entry.past);
    size_t bytes = model->body_count ? 2 * (size_t)model->body_count : 1;
    entry.plan_of = afxi_allocate(allocator_of(record), bytes);
    if (!entry.plan_of) {
        record->status = AFX_E_MEMORY;
        return;
    }
    entry.look_of = entry.plan_of + model->body_count;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        if (!seen->stage->absent[body]) {
            entry.plan_of[body] = plan_place(&entry, seen->plan[body], &record->status);
        }
        if (!seen->stage->absent[body] && seen->stage->point_count && seen->look[body]) {
            entry.look_of[body] = (uint8_t)(1 + plan_place(&entry, seen->look[body], &record->status));
        }
    }
    if (check_points(record, seen) && record->status == AFX_OK) {
        afxi_grad_record_keep(record, &entry);
    }
    afxi_release(allocator_of(record), entry.plan_of, bytes);
    record->whole = seen->fraction >= 1 && seen->dt >= record->sim->world.state.head->dt * 0.999 ? record->entry_count
                                                                                                 : record->whole;
}

/* Arrays of a start that the sim does not have. */
typedef struct StartArrays {
    double *second, *unknown, *lambda, *target_second;
    AfxiScale *scale;
    uint8_t *absent, *plan_of;
} StartArrays;

static void take_start(const AfxModel *model, AfxiArena *arena, StartArrays *out) {
    size_t wide = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    out->second = afxi_arena_take(arena, wide, sizeof(double));
    out->unknown = afxi_arena_take(arena, wide, sizeof(double));
    out->lambda = afxi_arena_take(arena, model->row_count + 3 * (size_t)model->chains.slot_count, sizeof(double));
    out->target_second = afxi_arena_take(arena, model->drive_count, sizeof(double));
    out->scale = afxi_arena_take(arena, model->body_count, sizeof *out->scale);
    out->absent = afxi_arena_take(arena, model->body_count, 1);
    out->plan_of = afxi_arena_take(arena, model->body_count, 1);
}

/* Accelerations and multipliers of a start are unknowns that come in linearly: they are found again from 0. */
static void fill_start(const AfxSim *sim, const uint8_t *wanted, StartArrays *out) {
    const AfxModel *model = sim->model;
    const AfxiState *state = &sim->world.state;
    for (uint32_t k = 0; k < model->body_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * k;
        out->absent[k] = !wanted[k];
        out->scale[k] = (AfxiScale){1, 1};
        if (model->kind[k] != AFX_BODY_DYNAMIC || !wanted[k]) {
            memcpy(out->unknown + at, state->q + at, AFXI_AFFINE_WIDTH * sizeof(double));
        }
        if (model->kind[k] == AFX_BODY_KINEMATIC) {
            afxi_input_acceleration(&sim->world, k, out->second + at);
        }
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        out->target_second[k] = afxi_drive_acceleration(&sim->world, k);
    }
}

static void watch_start(void *context, const uint8_t *wanted, double dt) {
    AfxiGradRecord *record = context;
    const AfxSim *sim = record->sim;
    const AfxiState *state = &sim->world.state;
    AfxiArena arena = {0};
    StartArrays own;
    void *raw = NULL;
    size_t raw_size = 0;
    take_start(sim->model, &arena, &own);
    arena.base = afxi_allocate_aligned(allocator_of(record), arena.used + 1, &raw, &raw_size);
    arena.used = 0;
    if (!arena.base) {
        record->status = AFX_E_MEMORY;
        return;
    }
    take_start(sim->model, &arena, &own);
    fill_start(sim, wanted, &own);
    AfxiGradEntry entry = {.start = true,
                           .both = state->head->integrator == AFX_ALPHA,
                           .dt = dt,
                           .second = own.second,
                           .target_second = own.target_second,
                           .plan_of = own.plan_of,
                           .past = {state->q, state->v}};
    entry.at = (AfxiResidualStage){.model = sim->model,
                                   .params = sim->world.params,
                                   .scale = own.scale,
                                   .absent = own.absent,
                                   .q = own.unknown,
                                   .qhat = state->q,
                                   .qv = state->v,
                                   .v = state->v,
                                   .lambda = own.lambda,
                                   .angle = state->angle,
                                   .joint_active = state->joint_active,
                                   .branch = state->drive_branch,
                                   .target = sim->world.drive_target,
                                   .body_wrenches = sim->world.body_wrenches,
                                   .force_time = sim->world.force_time};
    afxi_grad_record_keep(record, &entry);
    afxi_release(allocator_of(record), raw, raw_size);
}

/* ---- a record ---- */

static size_t fitted_size(const AfxiGradRecord *record) {
    return (AFXI_AFFINE_WIDTH * (size_t)record->sim->model->body_count + 1) * sizeof(double);
}

AfxStatus afxi_grad_record_open(AfxiGradRecord *record) {
    AfxStatus status = afxi_array_reserve(allocator_of(record), (void **)&record->step, &record->step_capacity, 1,
                                          sizeof *record->step);
    if (status != AFX_OK) {
        return status;
    }
    record->step[0] = 0;
    record->watch = (AfxiStageWatch){record, watch_advance, watch_start, watch_stage};
    record->impacts =
        (AfxiImpactWatch){record, afxi_allocate(allocator_of(record), fitted_size(record)), afxi_grad_record_impact};
    if (!record->impacts.fitted) {
        return AFX_E_MEMORY;
    }
    record->sim->solver.impact_watch = &record->impacts;
    return afxi_verify_watch(record->sim, &record->watch);
}

void afxi_grad_record_close(AfxiGradRecord *record) {
    afxi_grad_record_drop(record, 0);
    afxi_release(allocator_of(record), record->entry, record->entry_capacity * sizeof(AfxiGradEntry *));
    afxi_release(allocator_of(record), record->step, record->step_capacity * sizeof *record->step);
    afxi_release(allocator_of(record), record->impacts.fitted, fitted_size(record));
    if (record->sim->solver.impact_watch == &record->impacts) {
        record->sim->solver.impact_watch = NULL;
    }
    if (record->sim->watch == &record->watch) {
        afxi_verify_watch(record->sim, NULL);
    }
}

void afxi_grad_record_begin(AfxiGradRecord *record) {
    record->status = afxi_array_reserve(allocator_of(record), (void **)&record->step, &record->step_capacity,
                                        record->step_count + 2, sizeof *record->step);
    record->whole = record->entry_count;
    record->jumped = NULL;
    record->touching = UINT32_MAX;
}

/* Drives whose branch is another than at the last stage. */
static void count_branches(AfxiGradRecord *record) {
    const AfxiGradEntry *last = NULL;
    uint32_t first = record->step_count ? record->step[record->step_count - 1] : 0;
    for (uint32_t k = first > record->base ? first : record->base; k < record->entry_count; k++) {
        const AfxiGradEntry *entry = afxi_grad_entry(record, k);
        for (uint32_t d = 0;
             last && !entry->start && k >= record->step[record->step_count] && d < record->sim->model->drive_count;
             d++) {
            record->branches += last->at.branch[d] != entry->at.branch[d];
        }
        last = entry->start ? last : entry;
    }
}

AfxStatus afxi_grad_record_end(AfxiGradRecord *record, bool fine) {
    if (!fine || record->status != AFX_OK) {
        truncate(record, record->step[record->step_count]);
        return record->status;
    }
    count_branches(record);
    record->step[++record->step_count] = record->entry_count;
    return AFX_OK;
}
