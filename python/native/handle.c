/* SPDX-License-Identifier: Apache-2.0 */
/* Counted memory and counted handles. Python's collector finalises what hangs together in any order, and numpy views
 * outlive the objects they came from; so who frees a model is counted here, atomically, and not left to that order. */
#include "native.h"

#include <stdatomic.h>
#include <stdlib.h>

struct AfxiPyCounter {
    AfxAllocator base;
    _Atomic int64_t blocks, bytes;
};

struct AfxiPyModel {
    AfxModel *model;
    AfxAllocator allocator;
    _Atomic uint32_t owners;
};

struct AfxiPySim {
    AfxSim *sim;
    AfxiPyModel *model;
    AfxAllocator allocator;
};

static void *counted(void *user, void *ptr, size_t old_size, size_t new_size) {
    AfxiPyCounter *counter = user;
    void *block = counter->base.reallocate(counter->base.user, ptr, old_size, new_size);
    if (new_size > 0 && !block) {
        return NULL;
    }
    atomic_fetch_add(&counter->blocks, (new_size > 0) - (ptr != NULL));
    atomic_fetch_add(&counter->bytes, (int64_t)new_size - (ptr ? (int64_t)old_size : 0));
    return block;
}

AfxiPyCounter *afxi_py_counter_create(void) {
    AfxiPyCounter *counter = malloc(sizeof *counter);
    if (counter) {
        counter->base = afx_default_allocator();
        atomic_init(&counter->blocks, 0);
        atomic_init(&counter->bytes, 0);
    }
    return counter;
}

AfxAllocator afxi_py_allocator(AfxiPyCounter *counter) {
    return (AfxAllocator){.reallocate = counted, .user = counter};
}

AfxiPyMemory afxi_py_memory(const AfxiPyCounter *counter) {
    return (AfxiPyMemory){.blocks = atomic_load(&counter->blocks), .bytes = atomic_load(&counter->bytes)};
}

AfxStatus afxi_py_model_create(const AfxScene *scene, const AfxModelDef *def, AfxAllocator allocator,
                               AfxiPyModel **out_model, AfxError *out_error) {
    *out_model = NULL;
    AfxModel *model = NULL;
    AfxStatus status = afx_model_create_with(scene, def, &model, out_error);
    if (status != AFX_OK) {
        return status;
    }
    AfxiPyModel *handle = allocator.reallocate(allocator.user, NULL, 0, sizeof *handle);
    if (!handle) {
        afx_model_destroy(model);
        return AFX_E_MEMORY;
    }
    handle->model = model;
    handle->allocator = allocator;
    atomic_init(&handle->owners, 1);
    *out_model = handle;
    return AFX_OK;
}

const AfxModel *afxi_py_model(const AfxiPyModel *model) {
    return model->model;
}

void afxi_py_model_drop(AfxiPyModel *model) {
    if (model && atomic_fetch_sub(&model->owners, 1) == 1) {
        afx_model_destroy(model->model);
        model->allocator.reallocate(model->allocator.user, model, sizeof *model, 0);
    }
}

AfxStatus afxi_py_sim_create(AfxiPyModel *model, const AfxSimDef *def, AfxiPySim **out_sim) {
    *out_sim = NULL;
    AfxSim *sim = NULL;
    AfxStatus status = afx_sim_create(model->model, def, &sim);
    if (status != AFX_OK) {
        return status;
    }
    AfxiPySim *handle = def->allocator.reallocate(def->allocator.user, NULL, 0, sizeof *handle);
    if (!handle) {
        afx_sim_destroy(sim);
        return AFX_E_MEMORY;
    }
    atomic_fetch_add(&model->owners, 1);
    *handle = (AfxiPySim){.sim = sim, .model = model, .allocator = def->allocator};
    *out_sim = handle;
    return AFX_OK;
}

AfxSim *afxi_py_sim(const AfxiPySim *sim) {
    return sim->sim;
}

void afxi_py_sim_drop(AfxiPySim *sim) {
    if (sim) {
        afx_sim_destroy(sim->sim);
        afxi_py_model_drop(sim->model);
        sim->allocator.reallocate(sim->allocator.user, sim, sizeof *sim, 0);
    }
}
