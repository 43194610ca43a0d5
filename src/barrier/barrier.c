/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of the table of formulations. */
#include "barrier/barrier.h"

#include "barrier/intersect.h"
#include "barrier/make.h"
#include "barrier/push.h"
#include "barrier/refuse.h"
#include "barrier/step.h"
#include "base/memory.h"
#include "base/status.h"
#include "constraint/reaction.h"

static void destroy(void *data) {
    AfxiBarrier *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_barrier_release(work);
        afxi_release(&allocator, work, sizeof *work);
    }
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiBarrier *work = afxi_allocate(&def->allocator, sizeof *work);
    (void)owner;
    *out_work = NULL;
    AfxStatus status = AFX_E_MEMORY;
    if (work) {
        *work = (AfxiBarrier){.allocator = def->allocator, .world = world, .model = world->model};
        status = afxi_barrier_make(work);
    }
    if (status != AFX_OK) {
        destroy(work);
        return afxi_error(def->error, status, "contact", afx_status_text(status),
                          "use a smaller scene or free some memory");
    }
    *out_work = work;
    return AFX_OK;
}

static AfxStatus refuse(const AfxModel *model, const AfxSimDef *def) {
    return afxi_barrier_refuse(model, model->params, def->integrator, def->error);
}

static AfxStatus step(void *data, AfxStepReport *report) {
    return afxi_barrier_step(data, report);
}

static void refresh(void *data) {
    AfxiBarrier *work = data;
    work->checked = false;
    work->contact_count = 0;
    afxi_broad_reset(work->broad);
}

static void tell_reaction(const void *data, uint32_t joint, AfxWrench *out_reaction) {
    const AfxiBarrier *work = data;
    afxi_joint_reaction(work->world, work->world->state.lambda, joint, out_reaction);
}

static AfxStatus intersections(void *data, AfxOverlap *out, uint32_t capacity, uint32_t *out_count) {
    return afxi_barrier_intersections(data, out, capacity, out_count);
}

static uint32_t count_contacts(const void *data) {
    return ((const AfxiBarrier *)data)->contact_count;
}

static void tell_contact(const void *data, uint32_t index, AfxContact *out) {
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

const AfxiFormulationKind afxi_formulation_barrier = {
    .name = "barrier",
    .can = AFXI_FORMULATION_HOLDS | AFXI_FORMULATION_WRENCHES | AFXI_FORMULATION_SWITCHES,
    .refuse = refuse,
    .state_size = afxi_barrier_state_size,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .step = step,
    .reaction = tell_reaction,
    .intersections = intersections,
    .contact_count = count_contacts,
    .contact = tell_contact,
};
