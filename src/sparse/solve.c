/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution: L y = b from the leaves up, where a front hands what it contributes to the rows below to its parent, as
 * in the factorisation; then L^T x = D y from the roots down. */
#include "sparse/solve.h"

#include "base/task.h"
#include "sparse/factor.h"
#include "sparse/kernel.h"
#include "sparse/numeric.h"

typedef struct Task {
    const AfxiBlockTree *tree;
    const AfxiBlockFactor *factor;
    double *x;    /* in elimination order */
    bool carried; /* y stands in the panels, in the row of the right-hand side */
    uint32_t group_start;
} Task;

/* The fronts of a job; how many there are. */
static uint32_t list_fronts(const AfxiBlockTree *tree, const AfxiJob *job, const AfxiFront *front[AFXI_BATCH]) {
    uint32_t count = 0;
    while (count < AFXI_BATCH && job->front[count] != AFXI_NO_FRONT) {
        front[count] = &tree->front[job->front[count]];
        count++;
    }
    return count;
}

static void forward_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Task *task = context;
    const AfxiBlockTree *tree = task->tree;
    const AfxiBlockFactor *factor = task->factor;
    const AfxiGroup *group = &tree->group[task->group_start + begin];
    const AfxiFront *front[AFXI_BATCH];
    (void)part;
    (void)end;
    for (uint32_t j = group->job_start; j < group->job_end; j++) {
        if (j + 1 < group->job_end) {
            afxi_prefetch(tree, factor->value, &tree->job[j + 1]);
        }
        uint32_t count = list_fronts(tree, &tree->job[j], front);
        for (uint32_t k = 0; k < count; k += 2) { /* two at a time */
            factor->kernel->solve->forward(tree, front + k, count - k < 2 ? 1 : 2, factor->value, task->x, factor->work,
                                           factor->work + group->local);
        }
    }
}

static void backward_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Task *task = context;
    const AfxiBlockTree *tree = task->tree;
    const AfxiBlockFactor *factor = task->factor;
    const AfxiGroup *group = &tree->group[task->group_start + begin];
    const AfxiFront *front[AFXI_BATCH];
    (void)part;
    (void)end;
    for (uint32_t j = group->job_end; j-- > group->job_start;) {
        if (j > group->job_start) {
            afxi_prefetch(tree, factor->value, &tree->job[j - 1]);
        }
        uint32_t count = list_fronts(tree, &tree->job[j], front);
        for (uint32_t k = 0; k < count; k += 2) {
            factor->kernel->solve->backward(tree, front + k, count - k < 2 ? 1 : 2, factor->value, task->carried,
                                            task->x, factor->work + group->local);
        }
    }
}

static void run_stage(Task *task, uint32_t stage, AfxiTask *run) {
    const AfxiStage *own = &task->tree->stage[stage];
    task->group_start = own->group_start;
    afxi_parallel_for(task->factor->tasks, task->factor->threads, own->group_end - own->group_start, 1, run, task);
}

void afxi_block_back(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, double *x) {
    Task task = {.tree = plan->tree, .factor = factor, .x = factor->work + plan->tree->vector, .carried = true};
    for (uint32_t s = plan->tree->stage_count; s-- > 0;) {
        run_stage(&task, s, backward_group);
    }
    afxi_scatter_by_place(plan, task.x, x);
}

void afxi_block_solve(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, double *x) {
    Task task = {.tree = plan->tree, .factor = factor, .x = factor->work + plan->tree->vector};
    afxi_gather_by_place(plan, x, task.x);
    for (uint32_t s = 0; s < plan->tree->stage_count; s++) {
        run_stage(&task, s, forward_group);
    }
    for (uint32_t s = plan->tree->stage_count; s-- > 0;) {
        run_stage(&task, s, backward_group);
    }
    afxi_scatter_by_place(plan, task.x, x);
}
