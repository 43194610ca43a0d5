/* SPDX-License-Identifier: Apache-2.0 */
/* What the table of formulations asks of barrier contact; its entry is in step/handover.c. */
#include "barrier/barrier.h"

#include "barrier/intersect.h"
#include "barrier/make.h"
#include "barrier/push.h"
#include "barrier/refuse.h"
#include "base/memory.h"
#include "base/status.h"
#include "constraint/reaction.h"

void afxi_barrier_destroy(void *data) {
    AfxiBarrier *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_barrier_release(work);
        afxi_release(&allocator, work, sizeof *work);
    }
}

AfxStatus afxi_barrier_create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiBarrier *work = afxi_allocate(&def->allocator, sizeof *work);
    *out_work = NULL;
    AfxStatus status = AFX_E_MEMORY;
    if (work) {
        *work = (AfxiBarrier){.allocator = def->allocator,
                              .world = world,
                              .model = world->model,
                              .owner = owner,
                              .published = def->formulation == AFX_ABD_IPC};
        status = afxi_barrier_make(work);
    }
    if (status != AFX_OK) {
        afxi_barrier_destroy(work);
        return afxi_error(def->error, status, "contact", afx_status_text(status),
                          "use a smaller scene or free some memory");
    }
    *out_work = work;
    return AFX_OK;
}

AfxStatus afxi_barrier_refuse_def(const AfxModel *model, const AfxSimDef *def) {
    AfxStatus status = def->formulation == AFX_ABD_IPC ? afxi_barrier_refuse_rigid(model, def) : AFX_OK;
    return status ? status : afxi_barrier_refuse(model, model->params, def->integrator, def->error);
}

void afxi_barrier_refresh(void *data) {
    AfxiBarrier *work = data;
    work->checked = work->forgotten = false;
    work->contact_count = 0;
    afxi_broad_reset(work->broad);
    afxi_broad_reset(work->ahead);
}

void afxi_barrier_reaction(const void *data, uint32_t joint, AfxWrench *out_reaction) {
    const AfxiBarrier *work = data;
    afxi_joint_reaction(work->world, work->world->state.lambda, joint, out_reaction);
}

AfxStatus afxi_barrier_find_intersections(void *data, AfxOverlap *out, uint32_t capacity, uint32_t *out_count) {
    return afxi_barrier_intersections(data, out, capacity, out_count);
}

uint32_t afxi_barrier_contact_count(const void *data) {
    return ((const AfxiBarrier *)data)->contact_count;
}

void afxi_barrier_contact(const void *data, uint32_t index, AfxContact *out) {
    const AfxiBarrier *work = data;
    const AfxiBarrierContact *source = &work->contacts[index];
    int a = work->slot[source->body[0]] == UINT32_MAX;
    AfxVec3 n = vec3_scale(a ? -1 : 1, source->n);
    *out = (AfxContact){.body_a = source->body[a],
                        .body_b = source->body[1 - a],
                        .shape_a = source->shape[a],
                        .shape_b = source->shape[1 - a],
                        .point = afxi_barrier_point(work, AFXI_NOW, source->body[a], source->y[a]),
                        .normal = n,
                        .depth = -source->gap,
                        .force = source->force};
}
