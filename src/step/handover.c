/* SPDX-License-Identifier: Apache-2.0 */
/* A step with barrier contact. Components that can meet nothing in it (barrier/reach.h) go through the engines and
 * integrators of sims without contact, with the same bits; then those that are near something are solved together. If
 * it shows that others have come near, all is put back, and the step is done again with these. */
#include "step/handover.h"

#include "barrier/barrier.h"
#include "barrier/make.h"
#include "barrier/step.h"
#include "base/clock.h"
#include "step/partner.h"

/* What came of the part with barriers. */
typedef struct Handover {
    AfxiBarrier *work;
    AfxiBarrierOutcome out;
} Handover;

static void book(const Handover *handover, AfxiProgress *progress) {
    const AfxiBarrierOutcome *out = &handover->out;
    AfxStepReport *report = &progress->report;
    report->solves = out->iterations > report->solves ? out->iterations : report->solves;
    progress->free.solves_total += (uint64_t)out->iterations * handover->work->body_count;
    report->residual = fmax(report->residual, out->violation);
    report->contacts = out->contacts;
    report->gap_least = out->gap;
    report->ccd_cuts = out->cuts;
    report->lags = out->lags;
    report->flags |= out->substepped ? AFX_STEP_SUBSTEPPED : 0;
    report->flags |= out->blocked ? AFX_STEP_BLOCKED : 0;
    report->flags |= out->intersects ? AFX_STEP_INTERSECTS : 0;
    report->joint = out->blocked ? out->joint : report->joint;
}

/* Bodies that were done in parts restart their method. */
static void note_parts(AfxSim *sim, const AfxiBarrier *work, AfxiProgress *progress) {
    for (uint32_t k = 0; progress->whole && k < sim->model->body_count; k++) {
        sim->late[k] = 0;
    }
    progress->whole = false;
    for (uint32_t k = 0; k < work->body_count; k++) {
        sim->late[work->bodies[k].body] = 1;
    }
}

static AfxStatus solve(void *data, AfxiProgress *progress) {
    Handover *handover = data;
    AfxiBarrier *work = handover->work;
    AfxStatus status = afxi_barrier_solve_near(work, &handover->out);
    book(handover, progress);
    if (handover->out.again) {
        return AFX_E_NUMERIC;
    }
    if (status != AFX_OK) {
        progress->lost_body = handover->out.body;
    } else if (handover->out.substepped) {
        note_parts(work->owner, work, progress);
    }
    afxi_progress_book(progress, AFX_STAGE_JOINTS);
    return status;
}

static AfxStatus step(void *data, AfxStepReport *report) {
    Handover handover = {.work = data};
    AfxiPartner partner = {.data = &handover, .own = handover.work->reached, .solve = solve};
    double mark = afxi_clock();
    AfxStatus status = afxi_barrier_begin(handover.work, &handover.out);
    if (status != AFX_OK) {
        report->flags |= handover.out.intersects ? AFX_STEP_INTERSECTS : 0;
        report->body = handover.out.body;
        report->gap_least = handover.out.gap;
        return status;
    }
    AfxStepReport told;
    do { /* every time more bodies are near */
        told = *report;
        told.stage_seconds[AFX_STAGE_CONTACT] += afxi_clock() - mark;
        handover.out.again = false;
        status = afxi_step_with(handover.work->owner, &partner, &told);
    } while (handover.out.again);
    *report = told;
    return status;
}

const AfxiFormulationKind afxi_formulation_barrier = {
    .name = "barrier",
    .can = AFXI_FORMULATION_HOLDS | AFXI_FORMULATION_WRENCHES | AFXI_FORMULATION_SWITCHES,
    .refuse = afxi_barrier_refuse_def,
    .state_size = afxi_barrier_state_size,
    .create = afxi_barrier_create,
    .destroy = afxi_barrier_destroy,
    .refresh = afxi_barrier_refresh,
    .step = step,
    .reaction = afxi_barrier_reaction,
    .intersections = afxi_barrier_find_intersections,
    .contact_count = afxi_barrier_contact_count,
    .contact = afxi_barrier_contact,
};
