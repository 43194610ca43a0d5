/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing a sim: one block for state and workspace. */
#include "step/sim.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/task.h"

#define STATE_MAGIC UINT64_C(0x31656d7473786661) /* layout version of the state block */
#define THREADS_MOST 1024u

AfxSimDef afx_default_sim(void) {
    return (AfxSimDef){
        .cookie = AFXI_COOKIE,
        .allocator = afx_default_allocator(),
        .dt = 0.01,
        .integrator = AFX_BDF2,
        .rho = 0.8,
    };
}

static void layout(AfxSim *sim, AfxiArena *arena) {
    const AfxModel *model = sim->model;
    size_t n = model->body_count, numbers = 12 * n;
    bool alpha = sim->def.integrator == AFX_ALPHA;
    sim->state = afxi_arena_take(arena, 1, sizeof *sim->state);
    sim->q = afxi_arena_take(arena, numbers, sizeof *sim->q);
    sim->v = afxi_arena_take(arena, numbers, sizeof *sim->v);
    sim->x2 = afxi_arena_take(arena, numbers, sizeof *sim->x2);
    sim->x3 = afxi_arena_take(arena, numbers, sizeof *sim->x3);
    sim->targets = afxi_arena_take(arena, model->kinematic_count, sizeof *sim->targets);
    sim->state_size = arena->used;
    sim->previous_q = alpha ? afxi_arena_take(arena, numbers, sizeof *sim->q) : sim->x2;
    sim->previous_v = alpha ? afxi_arena_take(arena, numbers, sizeof *sim->v) : sim->x3;
    sim->plain = afxi_arena_take(arena, model->dynamic_count, sizeof *sim->plain);
    sim->forced = afxi_arena_take(arena, model->dynamic_count, sizeof *sim->forced);
    sim->outcomes = afxi_arena_take(arena, afxi_part_count(model->dynamic_count, AFXI_GRAIN), sizeof *sim->outcomes);
    sim->constants =
        afxi_arena_take(arena, (size_t)model->classes.intern.count * AFXI_FREE_SIZE, sizeof *sim->constants);
}

static bool valid(const AfxSimDef *def) {
    return isfinite(def->dt) && def->dt >= 1e-12 && def->dt <= 1e6 && (int)def->integrator >= 0 &&
           def->integrator <= AFX_SDIRK2 && def->rho >= 0 && def->rho <= 1 && (int)def->accuracy >= 0 &&
           def->accuracy <= AFX_ACCURATE && def->threads <= THREADS_MOST && def->allocator.reallocate;
}

static void set_start(AfxSim *sim) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->body_count; k++) {
        AfxTwist twist = model->start_twist[k];
        if (model->kind[k] == AFX_BODY_FIXED) {
            twist = (AfxTwist){{0, 0, 0}, {0, 0, 0}};
        }
        size_t at = (size_t)12 * k;
        afxi_raw_from_pose(afxi_model_frame(model, k), model->start_pose[k], twist, sim->q + at, sim->v + at);
    }
    afxi_input_kinematic(sim, 0, true);
    memcpy(sim->previous_q, sim->q, (size_t)12 * model->body_count * sizeof *sim->q);
    memcpy(sim->previous_v, sim->v, (size_t)12 * model->body_count * sizeof *sim->v);
}

static AfxStatus sim_fill(AfxSim *sim) {
    AfxiArena arena = {0};
    layout(sim, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&sim->def.allocator, arena.used, &sim->raw, &sim->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(sim, &arena);
    *sim->state = (AfxiStateHead){
        .magic = STATE_MAGIC,
        .model_hash = sim->model->hash,
        .integrator = (uint32_t)sim->def.integrator,
        .rho = sim->def.rho,
        .dt = sim->def.dt,
    };
    sim->params = sim->model->params;
    sim->classes = &sim->model->classes;
    set_start(sim);
    return afxi_input_forces(sim);
}

AfxStatus afx_sim_create(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim) {
    if (!model || !def || !out_sim) {
        return AFX_E_ARGUMENT;
    }
    *out_sim = NULL;
    if (def->cookie != AFXI_COOKIE) {
        return AFX_E_VERSION;
    }
    AfxiFreeVariant variant = afxi_free_variant(def->lanes);
    if (!valid(def) || !variant.kernel) {
        return AFX_E_ARGUMENT;
    }
    AfxSim *sim = afxi_allocate(&def->allocator, sizeof *sim);
    if (!sim) {
        return AFX_E_MEMORY;
    }
    sim->model = model;
    sim->def = *def;
    sim->variant = variant;
    AfxStatus status = sim_fill(sim);
    if (status != AFX_OK) {
        afx_sim_destroy(sim);
        return status;
    }
    *out_sim = sim;
    return AFX_OK;
}

void afx_sim_destroy(AfxSim *sim) {
    if (!sim) {
        return;
    }
    AfxAllocator allocator = sim->def.allocator;
    afxi_release(&allocator, sim->forces, sim->force_bytes);
    afxi_release(&allocator, sim->body_wrenches, sim->body_wrench_bytes);
    afxi_release(&allocator, sim->own.raw, sim->own.raw_size);
    afxi_release(&allocator, sim->raw, sim->raw_size);
    afxi_release(&allocator, sim, sizeof *sim);
}

const AfxModel *afx_sim_model(const AfxSim *sim) {
    return sim ? sim->model : NULL;
}

double afx_sim_time(const AfxSim *sim) {
    return sim ? sim->state->base_time + (double)sim->state->base_steps * sim->state->dt : 0;
}

double afx_sim_dt(const AfxSim *sim) {
    return sim ? sim->state->dt : 0;
}

AfxStatus afx_sim_set_dt(AfxSim *sim, double dt) {
    if (!sim || !isfinite(dt) || dt < 1e-12 || dt > 1e6) {
        return AFX_E_ARGUMENT;
    }
    sim->state->base_time = afx_sim_time(sim);
    sim->state->base_steps = 0;
    sim->state->dt = dt;
    afxi_history_drop(sim);
    return AFX_OK;
}

uint32_t afx_sim_lanes(const AfxSim *sim) {
    return sim ? sim->variant.lanes : 0;
}

const char *afx_sim_instruction_set(const AfxSim *sim) {
    return sim ? sim->variant.instruction_set : "none";
}

uint32_t afx_sim_threads(const AfxSim *sim) {
    return sim && sim->def.threads > 1 ? sim->def.threads : 1;
}

void afxi_history_drop(AfxSim *sim) {
    sim->state->has_history = 0;
}

size_t afx_sim_snapshot_size(const AfxSim *sim) {
    return sim ? sim->state_size : 0;
}

AfxStatus afx_sim_snapshot(const AfxSim *sim, void *buffer, size_t size) {
    if (!sim || !buffer || size < sim->state_size) {
        return AFX_E_ARGUMENT;
    }
    memcpy(buffer, sim->state, sim->state_size);
    return AFX_OK;
}

AfxStatus afx_sim_restore(AfxSim *sim, const void *buffer, size_t size) {
    if (!sim || !buffer || size < sizeof(AfxiStateHead)) {
        return AFX_E_ARGUMENT;
    }
    AfxiStateHead head;
    memcpy(&head, buffer, sizeof head);
    if (head.magic != STATE_MAGIC || head.model_hash != sim->model->hash ||
        head.integrator != (uint32_t)sim->def.integrator || size < sim->state_size || !(head.dt >= 1e-12) ||
        !(head.dt <= 1e6) || !(head.rho >= 0) || !(head.rho <= 1) || !isfinite(head.base_time)) {
        return AFX_E_VERSION;
    }
    memcpy(sim->state, buffer, sim->state_size);
    return AFX_OK;
}
