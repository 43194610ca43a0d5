/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots and steps that are made again. */
#include "grad/replay.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "state/input.h"
#include "step/sim.h"

static const AfxAllocator *allocator_of(const AfxiGradReplay *replay) {
    return &replay->record->sim->def.allocator;
}

/* ---- input ---- */

/* Parts of what users tell a sim before a step, as they stand in it. */
static uint32_t parts_of(AfxSim *sim, void *at[4], size_t size[4]) {
    const AfxModel *model = sim->model;
    const AfxiState *state = &sim->world.state;
    at[0] = state->drive_input;
    size[0] = 4 * (size_t)model->drive_count * sizeof(double);
    at[1] = state->targets;
    size[1] = model->kinematic_count * sizeof *state->targets;
    at[2] = state->activation;
    size[2] = model->robot.active ? 2 * (size_t)model->robot.control_count * sizeof(double) : 0;
    at[3] = sim->world.body_wrenches;
    size[3] = sim->world.body_wrenches ? model->body_count * sizeof(AfxWrench) : 0;
    return 4;
}

static void tell(AfxSim *sim, unsigned char *block, bool back) {
    void *at[4];
    size_t size[4];
    uint32_t count = parts_of(sim, at, size);
    for (uint32_t k = 0; k < count; k++) {
        if (size[k]) {
            memcpy(back ? at[k] : (void *)block, back ? (const void *)block : at[k], size[k]);
        }
        block += size[k];
    }
    if (back && size[3]) {
        afxi_input_forces(&sim->world);
    }
}

static size_t told_size(AfxSim *sim) {
    void *at[4];
    size_t size[4], sum = 0;
    uint32_t count = parts_of(sim, at, size);
    for (uint32_t k = 0; k < count; k++) {
        sum += size[k];
    }
    return sum ? sum : 1;
}

static uint64_t fingerprint(const AfxSim *sim) {
    const AfxiState *state = &sim->world.state;
    size_t bytes = AFXI_AFFINE_WIDTH * (size_t)sim->model->body_count * sizeof(double);
    return afxi_hash(afxi_hash(AFXI_HASH_START, state->q, bytes), state->v, bytes);
}

/* ---- snapshots ---- */

static void release_snapshot(AfxiGradReplay *replay, AfxiGradSnapshot *snapshot) {
    afxi_release(allocator_of(replay), snapshot->block, snapshot->size);
    snapshot->block = NULL;
}

static AfxStatus take_snapshot(const AfxiGradReplay *replay, AfxiGradSnapshot *out) {
    const AfxSim *sim = replay->record->sim;
    *out = (AfxiGradSnapshot){.step = replay->record->step_count, .size = afx_sim_snapshot_size(sim)};
    out->block = afxi_allocate(allocator_of(replay), out->size);
    return out->block ? afx_sim_snapshot(sim, out->block, out->size) : AFX_E_MEMORY;
}

/* Every second one goes, and the others are twice as far apart. */
static void thin_out(AfxiGradReplay *replay) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < replay->count; k++) {
        if (k % 2) {
            release_snapshot(replay, &replay->snapshot[k]);
        } else {
            replay->snapshot[kept++] = replay->snapshot[k];
        }
    }
    replay->count = kept;
    replay->interval *= 2;
}

void afxi_grad_replay_open(AfxiGradReplay *replay) {
    replay->interval = replay->keep;
    replay->most = replay->most < 2 ? 2 : replay->most;
    replay->record->forgets = replay->keep != 0;
}

void afxi_grad_replay_close(AfxiGradReplay *replay) {
    if (!replay->record) {
        return;
    }
    for (uint32_t k = 0; k < replay->count; k++) {
        release_snapshot(replay, &replay->snapshot[k]);
    }
    afxi_release(allocator_of(replay), replay->snapshot, replay->capacity * sizeof *replay->snapshot);
    afxi_release(allocator_of(replay), replay->told, replay->told_capacity * replay->told_size);
    afxi_release(allocator_of(replay), replay->hash, replay->hash_capacity * sizeof *replay->hash);
}

AfxStatus afxi_grad_replay_before(AfxiGradReplay *replay) {
    AfxiGradRecord *record = replay->record;
    const uint32_t step = record->step_count;
    size_t size = told_size(record->sim);
    AfxStatus status = AFX_OK;
    if (!replay->keep) {
        return AFX_OK;
    }
    if (replay->told_size && replay->told_size != size) {
        return AFX_E_LIMIT; /* wrenches of bodies began or ended */
    }
    replay->told_size = size;
    if (step % replay->interval == 0) {
        if (replay->count == replay->most) {
            thin_out(replay);
        }
        if (step % replay->interval == 0) {
            status = afxi_array_reserve(allocator_of(replay), (void **)&replay->snapshot, &replay->capacity,
                                        replay->count + 1, sizeof *replay->snapshot);
            status = status == AFX_OK ? take_snapshot(replay, &replay->snapshot[replay->count]) : status;
            replay->count += status == AFX_OK;
        }
    }
    if (step % replay->keep == 0) {
        afxi_grad_record_drop(record, record->entry_count);
    }
    status = status == AFX_OK ? afxi_array_reserve(allocator_of(replay), (void **)&replay->told, &replay->told_capacity,
                                                   step + 1, size)
                              : status;
    status = status == AFX_OK ? afxi_array_reserve(allocator_of(replay), (void **)&replay->hash, &replay->hash_capacity,
                                                   step + 1, sizeof *replay->hash)
                              : status;
    if (status == AFX_OK) {
        tell(record->sim, replay->told + size * step, false);
    }
    return status;
}

void afxi_grad_replay_after(AfxiGradReplay *replay) {
    if (replay->keep) {
        replay->hash[replay->record->step_count - 1] = fingerprint(replay->record->sim);
    }
}

/* ---- steps that are made again ---- */

/* A pass over all steps, and what it has put aside of the sim. */
typedef struct Visit {
    AfxiGradReplay *replay;
    AfxiGradVisit *visit;
    void *context;
    AfxiGradWay way;
    uint32_t total; /* steps */
    struct AfxiVerify *verify;
    const struct AfxiStageWatch *watch;
} Visit;

static AfxStatus go_back_to(Visit *visit, const AfxiGradSnapshot *snapshot) {
    AfxiGradRecord *record = visit->replay->record;
    record->step_count = (uint32_t)snapshot->step;
    afxi_grad_record_drop(record, record->step[record->step_count]);
    return afx_sim_restore(record->sim, snapshot->block, snapshot->size);
}

/* One step as it was told and came out; recorded, or not looked at. */
static AfxStatus step_again(Visit *visit, bool recorded) {
    AfxiGradReplay *replay = visit->replay;
    AfxiGradRecord *record = replay->record;
    AfxSim *sim = record->sim;
    uint32_t step = record->step_count;
    tell(sim, replay->told + replay->told_size * step, true);
    sim->verify = recorded ? visit->verify : NULL;
    sim->watch = recorded ? visit->watch : NULL;
    if (recorded) {
        afxi_grad_record_begin(record);
    }
    AfxStatus status = afx_step(sim, NULL);
    if (recorded) {
        AfxStatus kept = afxi_grad_record_end(record, status == AFX_OK);
        status = status == AFX_OK ? kept : status;
    } else {
        record->step_count++;
        afxi_grad_record_drop(record, record->step[record->step_count]);
    }
    return status == AFX_OK && replay->hash[step] != fingerprint(sim) ? AFX_E_VERSION : status;
}

/* Steps from where a snapshot was taken to `end`: in one piece where that is short enough, else by halves. */
static AfxStatus visit_range(Visit *visit, const AfxiGradSnapshot *from, uint32_t end) {
    AfxiGradReplay *replay = visit->replay;
    AfxiGradRecord *record = replay->record;
    uint32_t first = (uint32_t)from->step, middle = first + (end - first) / 2;
    AfxiGradSnapshot half = {0};
    AfxStatus status = go_back_to(visit, from);
    if (end - first <= (visit->way == AFXI_GRAD_END ? 1 : replay->keep)) {
        while (status == AFX_OK && record->step_count < end) {
            status = step_again(visit, true);
        }
        return status == AFX_OK ? visit->visit(visit->context, first, end) : status;
    }
    middle = visit->way == AFXI_GRAD_END ? end - 1 : middle;
    if (visit->way == AFXI_GRAD_FORTH) {
        status = status == AFX_OK ? visit_range(visit, from, middle) : status;
    }
    while (visit->way != AFXI_GRAD_FORTH && status == AFX_OK && record->step_count < middle) {
        status = step_again(visit, false);
    }
    status = status == AFX_OK ? take_snapshot(replay, &half) : status;
    status = status == AFX_OK ? visit_range(visit, &half, end) : status;
    release_snapshot(replay, &half);
    if (visit->way == AFXI_GRAD_BACK) {
        status = status == AFX_OK ? visit_range(visit, from, middle) : status;
    }
    return status;
}

static AfxStatus visit_all(Visit *visit) {
    AfxiGradReplay *replay = visit->replay;
    AfxStatus status = AFX_OK;
    uint32_t count = visit->way == AFXI_GRAD_END && replay->count ? 1 : replay->count;
    for (uint32_t n = 0; n < count && status == AFX_OK; n++) {
        uint32_t k = visit->way == AFXI_GRAD_FORTH ? n : replay->count - 1 - n;
        uint32_t end = k + 1 < replay->count ? (uint32_t)replay->snapshot[k + 1].step : visit->total;
        if (end > replay->snapshot[k].step) {
            status = visit_range(visit, &replay->snapshot[k], end);
        }
    }
    return status;
}

AfxStatus afxi_grad_replay_visit(AfxiGradReplay *replay, AfxiGradWay way, AfxiGradVisit *visit, void *context) {
    AfxiGradRecord *record = replay->record;
    AfxSim *sim = record->sim;
    if (!replay->keep || record->step_count <= replay->keep) {
        return visit(context, way == AFXI_GRAD_END ? record->step_count - 1 : 0, record->step_count);
    }
    Visit own = {replay, visit, context, way, record->step_count, sim->verify, sim->watch};
    AfxiGradSnapshot now = {0};
    struct AfxiBook *book = sim->book;
    AfxiTrace *trace = sim->world.trace;
    unsigned char *told = afxi_allocate(allocator_of(replay), replay->told_size);
    uint64_t branches = record->branches;
    AfxStatus status = told ? take_snapshot(replay, &now) : AFX_E_MEMORY;
    if (status == AFX_OK) {
        tell(sim, told, false);
        sim->book = NULL;
        sim->world.trace = NULL;
        status = visit_all(&own);
        sim->verify = own.verify;
        sim->watch = own.watch;
        sim->book = book;
        sim->world.trace = trace;
        record->step_count = own.total;
        afxi_grad_record_drop(record, record->step[own.total]);
        AfxStatus restored = afx_sim_restore(sim, now.block, now.size);
        status = status == AFX_OK ? restored : status;
        tell(sim, told, true);
        record->branches = branches;
    }
    release_snapshot(replay, &now);
    afxi_release(allocator_of(replay), told, replay->told_size);
    return status;
}
