/* SPDX-License-Identifier: Apache-2.0 */
/* A sim's parameters: the model's until the first is set, then a copy with classes and constants of its own. */
#include "step/own.h"

#include <string.h>

#include "base/memory.h"
#include "model/params.h"
#include "state/input.h"
#include "state/sleep.h"
#include "step/sim.h"

static void layout(AfxiOwn *own, const AfxModel *model, AfxiArena *arena) {
    uint32_t n = model->body_count;
    own->params = afxi_arena_take(arena, model->param_length, sizeof *own->params);
    own->classes.of = afxi_arena_take(arena, n, sizeof *own->classes.of);
    afxi_intern_take(&own->classes.intern, arena, n, sizeof(AfxiBodyClass));
    afxi_class_table_take(&own->table, arena, n);
}

static AfxStatus own_create(AfxSim *sim) {
    AfxiOwn own = {0};
    AfxiArena arena = {0};
    layout(&own, sim->model, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&sim->def.allocator, arena.used, &own.raw, &own.raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(&own, sim->model, &arena);
    memcpy(own.params, sim->model->params, sim->model->param_length * sizeof *own.params);
    sim->own = own;
    sim->world.params = sim->own.params;
    sim->world.classes = &sim->own.classes;
    sim->own.table.generation = sim->solver.table.generation;
    sim->solver.table = sim->own.table;
    sim->classes_stale = true;
    return AFX_OK;
}

void afxi_classes_refresh(AfxSim *sim) {
    if (sim->classes_stale) {
        afxi_classes_build(sim->model, sim->own.params, &sim->own.classes);
        sim->classes_stale = false;
        sim->world.classes_version++;
        sim->formulation->refresh(sim->work);
    }
}

static bool in_range(const AfxSim *sim, AfxParamKind kind, uint32_t index) {
    return sim && (int)kind >= 0 && kind < AFX_PARAM_KIND_COUNT && index < afxi_param_shown(sim->model, kind);
}

AfxStatus afx_sim_set_param(AfxSim *sim, AfxParamKind kind, uint32_t index, const double *values) {
    if (!in_range(sim, kind, index) || !values || !afxi_param_valid(sim->model, kind, index, values)) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = sim->own.params ? AFX_OK : own_create(sim);
    if (status != AFX_OK) {
        return status;
    }
    AfxParamInfo info;
    afx_model_param_info(sim->model, kind, &info);
    double *own = afxi_param(sim->model, sim->own.params, kind, index);
    if (memcmp(own, values, info.size * sizeof *values) != 0) { /* of a wrench it is known whom it concerns */
        bool wrench = kind == AFX_PARAM_WRENCH || kind == AFX_PARAM_WRENCH_POINT;
        afxi_sleep_wake(&sim->world.state, sim->model, wrench ? sim->model->wrench_body[index] : UINT32_MAX);
    }
    memcpy(own, values, info.size * sizeof *values);
    if (kind == AFX_PARAM_WRENCH || kind == AFX_PARAM_WRENCH_POINT) {
        afxi_input_forces(&sim->world);
    }
    sim->world.params_version++;
    sim->breakable |= kind == AFX_PARAM_JOINT_BREAK;
    sim->world.springs_version += kind == AFX_PARAM_JOINT_SPRING;
    sim->classes_stale |= kind >= AFX_PARAM_BODY_MASS && kind <= AFX_PARAM_BODY_GRAVITY;
    sim->classes_stale |= kind == AFX_PARAM_JOINT_ARMATURE;
    return AFX_OK;
}

AfxStatus afx_sim_param(const AfxSim *sim, AfxParamKind kind, uint32_t index, double *out_values) {
    if (!in_range(sim, kind, index) || !out_values) {
        return AFX_E_ARGUMENT;
    }
    AfxParamInfo info;
    afx_model_param_info(sim->model, kind, &info);
    memcpy(out_values, afxi_param_const(sim->model, sim->world.params, kind, index), info.size * sizeof *out_values);
    return AFX_OK;
}
