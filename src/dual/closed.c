/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of closed.h over all bodies and joints, in parts of a fixed size: what is combined is the largest of
 * numbers, so threads do not change a bit. */
#include "dual/closed.h"

#include "base/task.h"
#include "dual/climb_hub.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiClosedKernel, afxi_closed_bodies);
AFXI_BUILDS(const AfxiClosedJointKernel, afxi_closed_joints);

const AfxiClosedKernel *afxi_closed_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_closed_bodies, lanes);
}

const AfxiClosedJointKernel *afxi_closed_joint_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_closed_joints, lanes);
}

typedef struct Work {
    AfxiSystem *system;
    const uint32_t *bodies; /* list of a batch */
    uint32_t first;         /* joint that part 0 begins with */
    bool closed, springs, gaps;
} Work;

static void run(const AfxiSystem *system, uint32_t count, AfxiTask *task, Work *work) {
    afxi_parallel_for(system->factor.tasks, system->factor.threads, count, AFXI_GRAIN, task, work);
}

void afxi_closed_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiGraph *graph = system->graph;
    uint32_t bodies = graph->body_count, joints = graph->closed.joint_count;
    system->bodies_tally = afxi_arena_take(arena, afxi_part_count(bodies, AFXI_GRAIN), sizeof *system->bodies_tally);
    system->joints_tally = afxi_arena_take(arena, afxi_part_count(joints, AFXI_GRAIN), sizeof *system->joints_tally);
}

/* ---- bodies ---- */

static void prepare_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const Work *work = context;
    work->system->closed->prepare(work->system, work->bodies + begin, end - begin, work->closed);
}

void afxi_closed_prepare(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        const AfxiGraphBatch *batch = &graph->batch[k];
        Work work = {.system = system, .bodies = graph->alike + batch->first, .closed = batch->closed};
        if (!(batch->closed && system->climb.whole)) { /* else on the way to the roots */
            run(system, batch->count, prepare_part, &work);
        }
    }
    if (graph->hub_count) { /* their stiffness stays the bound */
        bool exact = system->bodies.exact;
        if (graph->climb.on) { /* else they go by gradients */
            afxi_hub_bounds(system);
        }
        Work work = {.system = system, .bodies = graph->hub};
        system->bodies.exact = false;
        run(system, graph->hub_count, prepare_part, &work);
        system->bodies.exact = exact;
    }
}

void afxi_closed_assemble(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        const AfxiGraphBatch *batch = &graph->batch[k];
        if (batch->closed) { /* bodies share blocks: one thread */
            system->closed->blocks(system, graph->alike + batch->first, batch->count);
        }
    }
}

static void primal_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Work *work = context;
    AfxiBodiesTally *tally = &work->system->bodies_tally[part];
    *tally = (AfxiBodiesTally){0};
    work->system->closed->primal(work->system, work->bodies + begin, end - begin, tally);
}

void afxi_closed_primal(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    AfxiBodiesTally total = {0};
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        const AfxiGraphBatch *batch = &graph->batch[k];
        if (!batch->closed) {
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
    work->system->closed_joints->values(work->system, work->first + begin, work->first + end, work->springs);
}

static void residual_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Work *work = context;
    AfxiJointsTally *tally = &work->system->joints_tally[part];
    *tally = (AfxiJointsTally){0};
    work->system->closed_joints->residual(work->system, work->first + begin, work->first + end, work->springs,
                                          work->gaps, tally);
}

void afxi_closed_values(AfxiSystem *system) {
    const AfxiClosed *closed = &system->graph->closed;
    Work balls = {.system = system}, springs = {.system = system, .first = closed->ball_count, .springs = true};
    run(system, closed->ball_count, values_part, &balls);
    run(system, closed->joint_count - closed->ball_count, values_part, &springs);
}

double afxi_closed_residual(AfxiSystem *system, bool gaps) {
    const AfxiClosed *closed = &system->graph->closed;
    double largest = 0;
    system->bodies.gap = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t count = k ? closed->joint_count - closed->ball_count : closed->ball_count;
        Work work = {.system = system, .first = k ? closed->ball_count : 0, .springs = k == 1, .gaps = gaps};
        run(system, count, residual_part, &work);
        for (uint32_t part = 0; part < afxi_part_count(count, AFXI_GRAIN); part++) {
            const AfxiJointsTally *own = &system->joints_tally[part];
            largest = own->residual > largest || own->residual != own->residual ? own->residual : largest;
            system->bodies.gap = own->gap > system->bodies.gap || own->gap != own->gap ? own->gap : system->bodies.gap;
        }
    }
    return largest;
}
