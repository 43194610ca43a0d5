/* SPDX-License-Identifier: Apache-2.0 */
/* The numeric factorisation, multifrontal: a front gathers its part of A and the update matrices of its children, is
 * factored, and hands an update matrix on. A front of sign -1 is turned over before, so that its pivots are positive:
 *     A11 = s L11 L11^T,  L21 = s A21 L11^-T,  A22 - s L21 L21^T.
 * The right-hand side goes along as a row of A21. */
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/task.h"
#include "sparse/kernel.h"
#include "sparse/numeric.h"
#include "sparse/validate.h"

void afxi_block_take(AfxiBlockFactor *factor, AfxiArena *arena, const AfxiBlockPlan *plan) {
    factor->value = afxi_arena_take(arena, plan->value_length, sizeof(double));
    factor->work = afxi_arena_take(arena, plan->work_length, sizeof(double));
    factor->kernel = afxi_block_kernel(0);
    factor->tasks = NULL;
    factor->threads = 1;
}

void afxi_block_clear(const AfxiBlockPlan *plan, AfxiBlockFactor *factor) {
    memset(factor->value, 0, plan->clear_length * sizeof(double));
}

void afxi_block_diagonal(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, double *out) {
    const AfxiBlockTree *tree = plan->tree;
    for (uint32_t k = 0; k < plan->count; k++) {
        const AfxiFront *front = &tree->front[tree->owner[k]];
        size_t next = (front->apart ? tree->column[k].leading : front->leading) + (size_t)1;
        const double *from =
            factor->value +
            (front->apart ? tree->column[k].at : front->panel + (tree->ordered[k] - front->first_row) * next);
        double *to = out + plan->first_row[plan->order[k]];
        for (uint32_t r = 0; r < tree->ordered[k + 1] - tree->ordered[k]; r++) {
            to[r] = from[r * next];
        }
    }
}

void afxi_gather_by_place(const AfxiBlockPlan *plan, const double *from, double *to) {
    const AfxiBlockTree *tree = plan->tree;
    for (uint32_t k = 0; k < plan->count; k++) {
        const double *own = from + plan->first_row[plan->order[k]];
        for (uint32_t r = tree->ordered[k]; r < tree->ordered[k + 1]; r++) {
            to[r] = *own++;
        }
    }
}

void afxi_scatter_by_place(const AfxiBlockPlan *plan, const double *from, double *to) {
    const AfxiBlockTree *tree = plan->tree;
    for (uint32_t k = 0; k < plan->count; k++) {
        double *own = to + plan->first_row[plan->order[k]];
        for (uint32_t r = tree->ordered[k]; r < tree->ordered[k + 1]; r++) {
            *own++ = from[r];
        }
    }
}

/* What all groups need. */
typedef struct Task {
    const AfxiBlockTree *tree;
    const AfxiBlockKernel *kernel;
    AfxiInput input;
    double *work;
    uint32_t group_start;
    AfxiPivot pivot[AFXI_GROUPS];
} Task;

/* The panel: A, the right-hand side, and what the children have for it. */
static void fill_panel(const Task *task, const AfxiFront *front, double *local) {
    const AfxiBlockTree *tree = task->tree;
    task->kernel->assemble->fill(&task->input, front, local);
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        task->kernel->assemble->add_pivots(child, tree->map + child->map_start, task->work + child->update, front,
                                           task->input.value + front->panel);
    }
}

/* Takes over what the children hand on beyond the pivots. */
static void add_rest(const Task *task, const AfxiFront *front) {
    const AfxiBlockTree *tree = task->tree;
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        task->kernel->assemble->add_rest(child, tree->map + child->map_start, task->work + child->update, front,
                                         task->work + front->update);
    }
}

static void turn_over(const AfxiFront *front, double *panel) {
    for (size_t k = 0; k < (size_t)front->width * front->leading; k++) {
        panel[k] = -panel[k];
    }
}

static void factor_front(const Task *task, const AfxiFront *front, double *local, AfxiPivot *pivot) {
    double *panel = task->input.value + front->panel;
    fill_panel(task, front, local);
    if (front->sign < 0) {
        turn_over(front, panel);
    }
    task->kernel->front->factor(front, panel, pivot);
    if (front->height) {
        task->kernel->front->update(front, panel, task->work + front->update);
        add_rest(task, front);
    }
}

/* Lanes that are empty repeat the first one, and write the same as it does. */
static void factor_batch(const Task *task, const AfxiJob *job, double *local, AfxiPivot *pivot) {
    const AfxiBatchKernel *kernel = task->kernel->batch;
    const AfxiFront *front[AFXI_BATCH];
    double *panel[AFXI_BATCH], *update[AFXI_BATCH];
    AfxiPivot lane[AFXI_BATCH];
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        bool empty = job->front[l] == AFXI_NO_FRONT;
        front[l] = &task->tree->front[job->front[empty ? 0 : l]];
        panel[l] = task->input.value + front[l]->panel;
        update[l] = task->work + front[l]->update;
        lane[l] = (AfxiPivot){INFINITY, UINT32_MAX, 0};
        lanes += !empty;
    }
    for (uint32_t l = 0; l < lanes; l++) {
        fill_panel(task, front[l], local);
    }
    kernel->load(front[0], panel, local);
    kernel->factor(front[0], local, lane);
    kernel->store(front[0], local, panel);
    if (front[0]->height) {
        kernel->update(front[0], local, update);
    }
    for (uint32_t l = 0; l < lanes; l++) {
        add_rest(task, front[l]);
        lane[l].row += front[l]->first_row;
        afxi_pivot_join(pivot, &lane[l]);
    }
}

static void factor_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    Task *task = context;
    const AfxiGroup *group = &task->tree->group[task->group_start + begin];
    double *local = task->work + group->local;
    AfxiPivot pivot = {INFINITY, UINT32_MAX, 0};
    (void)end;
    for (uint32_t j = group->job_start; j < group->job_end; j++) {
        const AfxiJob *job = &task->tree->job[j];
        if (j + 1 < group->job_end) {
            afxi_prefetch(task->tree, task->input.value, job + 1);
        }
        if (job->front[1] == AFXI_NO_FRONT) {
            factor_front(task, &task->tree->front[job->front[0]], local, &pivot);
        } else {
            factor_batch(task, job, local, &pivot);
        }
    }
    task->pivot[part] = pivot;
}

/* The caller's row of a row in elimination order. */
static uint32_t row_of(const AfxiBlockPlan *plan, uint32_t ordered) {
    const AfxiBlockTree *tree = plan->tree;
    uint32_t low = 0, high = plan->count;
    if (ordered >= plan->row_count) {
        return UINT32_MAX;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->ordered[middle] <= ordered) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return plan->first_row[plan->order[low]] + ordered - tree->ordered[low];
}

void afxi_block_factor(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, const double *scale, double epsilon,
                       const double *rhs, AfxiBlockReport *out) {
    const AfxiBlockTree *tree = plan->tree;
    Task task = {.tree = tree,
                 .kernel = factor->kernel,
                 .input = {.tree = tree, .value = factor->value, .epsilon = epsilon},
                 .work = factor->work};
    AfxiPivot pivot = {INFINITY, UINT32_MAX, 0};
    if (scale) {
        task.input.scale = factor->work + tree->scale;
        afxi_gather_by_place(plan, scale, factor->work + tree->scale);
    }
    if (rhs) {
        task.input.rhs = factor->work + tree->vector;
        afxi_gather_by_place(plan, rhs, factor->work + tree->vector);
    }
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        uint32_t groups = tree->stage[s].group_end - tree->stage[s].group_start;
        task.group_start = tree->stage[s].group_start;
        afxi_parallel_for(factor->tasks, factor->threads, groups, 1, factor_group, &task);
        for (uint32_t g = 0; g < groups; g++) {
            afxi_pivot_join(&pivot, &task.pivot[g]);
        }
    }
    *out = (AfxiBlockReport){pivot.smallest, row_of(plan, pivot.row), pivot.wrong};
    AFXI_VALIDATE(afxi_block_factor_validate(plan, factor, out));
}
