/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution: L y = b from the leaves up, where a front hands what it contributes to the rows below to its parent, as
 * in the factorisation; then L^T x = D y from the roots down. */
#include <string.h>

#include "base/task.h"
#include "sparse/kernel.h"
#include "sparse/numeric.h"

typedef struct Task {
    const AfxiBlockTree *tree;
    const AfxiBlockFactor *factor;
    double *x;    /* in elimination order */
    bool carried; /* y stands in the panels, in the row of the right-hand side */
    uint32_t group_start;
} Task;

/* Where the rows below begin, in a local vector. */
static uint32_t below_of(const AfxiFront *front) {
    return front->step == 1 ? front->below : front->width;
}

/* One lane: x of the pivots and what the children hand on, into local. */
static void forward_gather(const Task *task, const AfxiFront *front, double *local) {
    const AfxiBlockTree *tree = task->tree;
    size_t step = front->step;
    uint32_t below = below_of(front), length = front->step == 1 ? front->leading : front->width + front->height;
    for (uint32_t r = 0; r < length; r++) {
        local[r * step] = r < front->width ? task->x[front->first_row + r] : 0;
    }
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        const double *from = task->factor->work + child->update;
        for (uint32_t k = child->map_start; k + 1 < child->map_start + child->map_count; k++) {
            uint32_t row = tree->map[k].row;
            double *to = local + (row < front->width ? row : row - front->below + below) * step;
            for (uint32_t r = 0; r < tree->map[k].length; r++) {
                to[r * step] += *from++;
            }
        }
    }
}

/* One lane: y of the pivots, times their sign, and what goes to the parent. */
static void forward_scatter(const Task *task, const AfxiFront *front, const double *local) {
    size_t step = front->step;
    double *update = task->factor->work + front->update;
    for (uint32_t r = 0; r < front->width; r++) {
        task->x[front->first_row + r] = front->sign * local[r * step];
    }
    for (uint32_t r = 0; r < front->height; r++) {
        update[r] = local[(below_of(front) + r) * step];
    }
}

static void forward_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Task *task = context;
    (void)part;
    (void)end;
    const AfxiGroup *group = &task->tree->group[task->group_start + begin];
    double *local = task->factor->work + group->local;
    for (uint32_t j = group->job_start; j < group->job_end; j++) {
        const AfxiJob *job = &task->tree->job[j];
        const AfxiFront *first = &task->tree->front[job->front[0]];
        const double *panel = task->factor->value + first->panel;
        for (uint32_t l = 0; l < first->step; l++) {
            uint32_t k = job->front[l] == AFXI_NO_FRONT ? job->front[0] : job->front[l];
            forward_gather(task, &task->tree->front[k], local + l);
        }
        if (first->step == 1) {
            task->factor->kernel->front->forward(first, panel, local);
        } else {
            task->factor->kernel->batch->forward(first, panel, local);
        }
        for (uint32_t l = 0; l < first->step && job->front[l] != AFXI_NO_FRONT; l++) {
            forward_scatter(task, &task->tree->front[job->front[l]], local + l);
        }
    }
}

/* One lane: D y of the pivots and x of the rows below, into local. */
static void backward_gather(const Task *task, const AfxiFront *front, uint32_t lane, double *local) {
    const AfxiBlockTree *tree = task->tree;
    size_t step = front->step, leading = front->step == 1 ? front->leading : front->width + front->height + 1;
    const double *carried = task->factor->value + front->panel + (below_of(front) + front->height) * step + lane;
    double *to = local + below_of(front) * step;
    for (uint32_t r = 0; r < front->width; r++) {
        local[r * step] = task->carried ? carried[r * leading * step] : task->x[front->first_row + r];
    }
    for (uint32_t r = front->width; r < below_of(front); r++) {
        local[r * step] = 0;
    }
    for (uint32_t k = front->run_start; k < front->run_start + front->run_count; k++) {
        for (uint32_t r = 0; r < tree->run[k].length; r++, to += step) {
            *to = task->x[tree->run[k].row + r];
        }
    }
    for (size_t r = front->below + front->height; front->step == 1 && r < leading; r++) {
        local[r] = 0;
    }
}

static void backward_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Task *task = context;
    (void)part;
    (void)end;
    const AfxiGroup *group = &task->tree->group[task->group_start + begin];
    double *local = task->factor->work + group->local;
    for (uint32_t j = group->job_end; j-- > group->job_start;) {
        const AfxiJob *job = &task->tree->job[j];
        const AfxiFront *first = &task->tree->front[job->front[0]];
        const double *panel = task->factor->value + first->panel;
        for (uint32_t l = 0; l < first->step; l++) {
            uint32_t k = job->front[l] == AFXI_NO_FRONT ? job->front[0] : job->front[l];
            backward_gather(task, &task->tree->front[k], l, local + l);
        }
        if (first->step == 1) {
            task->factor->kernel->front->backward(first, panel, local);
        } else {
            task->factor->kernel->batch->backward(first, panel, local);
        }
        for (uint32_t l = 0; l < first->step && job->front[l] != AFXI_NO_FRONT; l++) {
            const AfxiFront *front = &task->tree->front[job->front[l]];
            for (uint32_t r = 0; r < front->width; r++) {
                task->x[front->first_row + r] = local[l + r * (size_t)front->step];
            }
        }
    }
}

static void run_backward(Task *task) {
    const AfxiBlockFactor *factor = task->factor;
    for (uint32_t s = task->tree->stage_count; s-- > 0;) {
        const AfxiStage *stage = &task->tree->stage[s];
        task->group_start = stage->group_start;
        afxi_parallel_for(factor->tasks, factor->threads, stage->group_end - stage->group_start, 1, backward_group,
                          task);
    }
}

void afxi_block_back(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, double *x) {
    Task task = {.tree = plan->tree, .factor = factor, .x = factor->work + plan->tree->vector, .carried = true};
    run_backward(&task);
    afxi_scatter_by_place(plan, task.x, x);
}

void afxi_block_solve(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, double *x) {
    Task task = {.tree = plan->tree, .factor = factor, .x = factor->work + plan->tree->vector};
    afxi_gather_by_place(plan, x, task.x);
    for (uint32_t s = 0; s < plan->tree->stage_count; s++) {
        const AfxiStage *stage = &plan->tree->stage[s];
        task.group_start = stage->group_start;
        afxi_parallel_for(factor->tasks, factor->threads, stage->group_end - stage->group_start, 1, forward_group,
                          &task);
    }
    run_backward(&task);
    afxi_scatter_by_place(plan, task.x, x);
}
