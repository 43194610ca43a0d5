/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of closed_form.h over all bodies and joints, in parts of a fixed size: what is combined is the largest of
 * numbers, so threads do not change a bit. */
#include "dual/closed_form.h"

#include "base/task.h"
#include "dual/recursion_high_degree.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiClosedFormKernel, afxi_closed_form_bodies);
AFXI_BUILDS(const AfxiClosedFormJointKernel, afxi_closed_form_joints);

const AfxiClosedFormKernel *afxi_closed_form_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_closed_form_bodies, lanes);
}

const AfxiClosedFormJointKernel *afxi_closed_form_joint_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_closed_form_joints, lanes);
}

typedef struct Work {
    AfxiSystem *system;
    const uint32_t *bodies; /* list of a batch */
    uint32_t first;         /* joint that part 0 begins with */
    bool closed_form, springs, gaps;
} Work;

static void run(const AfxiSystem *system, uint32_t count, AfxiTask *task, Work *work) {
    afxi_parallel_for(system->factor.tasks, system->factor.threads, count, AFXI_GRAIN, task, work);
}

void afxi_closed_form_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiGraph *graph = system->graph;
    uint32_t bodies = graph->body_count, joints = graph->closed_form.joint_count;
    system->bodies_tally = afxi_arena_take(arena, afxi_part_count(bodies, AFXI_GRAIN), sizeof *system->bodies_tally);
    system->joints_tally = afxi_arena_take(arena, afxi_part_count(joints, AFXI_GRAIN), sizeof *system->joints_tally);
}

/* ---- bodies ---- */

static void prepare_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const Work *work = context;
    work->system->closed_form->prepare(work->system, work->bodies + begin, end - begin, work->closed_form);
}

void afxi_closed_form_prepare(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        const AfxiGraphBatch *batch = &graph->batch[k];
        Work work = {.system = system, .bodies = graph->alike + batch->first, .closed_form = batch->closed_form};
        if (!(batch->closed_form && system->recursion.whole)) { /* else in the backward pass */
            run(system, batch->count, prepare_part, &work);
        }
    }
    if (graph->high_degree_count) { /* their stiffness stays the bound */
        bool exact = system->bodies.exact;
        if (graph->recursion.on) { /* else they go by gradients */
            afxi_high_degree_bounds(system);
        }
        Work work = {.system = system, .bodies = graph->high_degree};
        system->bodies.exact = false;
        run(system, graph->high_degree_count, prepare_part, &work);
        system->bodies.exact = exact;
    }
}

void afxi_closed_form_assemble(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        const AfxiGraphBatch *batch = &graph->batch[k];
        if (batch->closed_form) { /* bodies share blocks: one thread */
            system->closed_form->blocks(system, graph->alike + batch->first, batch->count);
        }
    }
}

static void primal_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Work *work = context;
    AfxiBodiesTally *tally = &work->system->bodies_tally[part];
    *tally = (AfxiBodiesTally){0};
    work->system->closed_form->primal(work->system, work->bodies + begin, end - begin, tally);
}

void afxi_closed_form_primal(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    AfxiBodiesTally total = {0};
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        const AfxiGraphBatch *batch = &graph->batch[k];
        if (!batch->closed_form) {
            continue;
        }
        Work work = {.system = system, .bodies = graph->alike + batch->first};
        run(system, batch->count, primal_part, &work);
        for (uint32_t part = 0; part < afxi_part_count(batch->count, AFXI_GRAIN); part++) {
            afxi_tally_join(&total, &system->bodies_tally[part]);
        }
    }
    system->bodies.tally = total;
}

/* ---- joints ---- */

static void values_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const Work *work = context;
    work->system->closed_form_joints->values(work->system, work->first + begin, work->first + end, work->springs);
}

static void residual_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Work *work = context;
    AfxiJointsTally *tally = &work->system->joints_tally[part];
    *tally = (AfxiJointsTally){0};
    work->system->closed_form_joints->residual(work->system, work->first + begin, work->first + end, work->springs,
                                               work->gaps, tally);
}

void afxi_closed_form_values(AfxiSystem *system) {
    const AfxiClosedForm *closed_form = &system->graph->closed_form;
    Work balls = {.system = system}, springs = {.system = system, .first = closed_form->ball_count, .springs = true};
    run(system, closed_form->ball_count, values_part, &balls);
    run(system, closed_form->joint_count - closed_form->ball_count, values_part, &springs);
}

double afxi_closed_form_residual(AfxiSystem *system, bool gaps) {
    const AfxiClosedForm *closed_form = &system->graph->closed_form;
    double largest = 0;
    system->bodies.gap = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t count = k ? closed_form->joint_count - closed_form->ball_count : closed_form->ball_count;
        Work work = {.system = system, .first = k ? closed_form->ball_count : 0, .springs = k == 1, .gaps = gaps};
        run(system, count, residual_part, &work);
        for (uint32_t part = 0; part < afxi_part_count(count, AFXI_GRAIN); part++) {
            const AfxiJointsTally *own = &system->joints_tally[part];
            largest = own->residual > largest || own->residual != own->residual ? own->residual : largest;
            system->bodies.gap = own->gap > system->bodies.gap || own->gap != own->gap ? own->gap : system->bodies.gap;
        }
    }
    return largest;
}
