/* SPDX-License-Identifier: Apache-2.0 */
/* The numeric factorisation, multifrontal: a front gathers its part of A and the update matrices of its children, is
 * factored, and hands an update matrix on. A front of sign -1 is turned over before, so that its pivots are positive:
 *     A11 = s L11 L11^T,  L21 = s A21 L11^-T,  A22 - s L21 L21^T.
 * The right-hand side goes along as a row of A21. */
#include <math.h>
#include <string.h>

#include "base/task.h"
#include "sparse/kernel.h"
#include "sparse/numeric.h"

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
        const double *from = factor->value + tree->column[k].at;
        double *to = out + plan->first_row[plan->order[k]];
        for (uint32_t r = 0; r < tree->ordered[k + 1] - tree->ordered[k]; r++) {
            to[r] = from[r * ((size_t)tree->column[k].leading + 1)];
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
    const AfxiBlockPlan *plan;
    const AfxiBlockTree *tree;
    AfxiBlockFactor *factor;
    const double *scale, *rhs; /* in elimination order, or NULL */
    double epsilon;
    uint32_t group_start;
    AfxiPivot pivot[AFXI_GROUPS];
} Task;

/* A of one column into a cleared one, scaled. */
static void add_column(const Task *task, const AfxiColumn *column, const double *from, double own, double *to) {
    const AfxiSpan *end = task->tree->span + column[1].span_start;
    for (const AfxiSpan *span = task->tree->span + column->span_start; span < end; span++) {
        double *target = to + span->row;
        if (task->scale) {
            const double *scale = task->scale + span->ordered;
            for (uint32_t r = 0; r < span->length; r++) {
                target[r] = from[r] * (own * scale[r]);
            }
        } else {
            for (uint32_t r = 0; r < span->length; r++) {
                target[r] = from[r];
            }
        }
        from += span->length;
    }
}

/* The panel before its children come: A, scaled, and the right-hand side. */
static void fill_panel(const Task *task, const AfxiFront *front, double *panel) {
    const AfxiBlockTree *tree = task->tree;
    uint32_t at = front->first_row, leading = front->leading;
    double *to = panel, *rhs = panel + front->below + front->height;
    memset(panel, 0, (size_t)front->width * leading * sizeof(double));
    for (uint32_t k = front->first_block; k < front->first_block + front->block_count; k++) {
        const AfxiColumn *column = &tree->column[k];
        const double *from = task->factor->value + column->at;
        for (; at < tree->ordered[k + 1]; at++, from += column->leading, to += leading, rhs += leading) {
            double *diagonal = to + (at - front->first_row), own = task->scale ? task->scale[at] : 1;
            add_column(task, column, from, own, to);
            *diagonal = own == 0 ? front->sign : *diagonal + front->sign * task->epsilon;
            *rhs = task->rhs ? task->rhs[at] : 0;
        }
    }
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        task->factor->kernel->front->add_pivots(child, tree->map + child->map_start, task->factor->work + child->update,
                                                front, panel);
    }
}

/* Takes over what the children hand on beyond the pivots. */
static void add_rest(const Task *task, const AfxiFront *front) {
    const AfxiBlockTree *tree = task->tree;
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        task->factor->kernel->front->add_rest(child, tree->map + child->map_start, task->factor->work + child->update,
                                              front, task->factor->work + front->update);
    }
}

static void turn_over(const AfxiFront *front, double *panel) {
    for (size_t k = 0; k < (size_t)front->width * front->leading; k++) {
        panel[k] = -panel[k];
    }
}

static void factor_front(const Task *task, const AfxiFront *front, AfxiPivot *pivot) {
    const AfxiFrontKernel *kernel = task->factor->kernel->front;
    double *panel = task->factor->value + front->panel;
    fill_panel(task, front, panel);
    if (front->sign < 0) {
        turn_over(front, panel);
    }
    kernel->factor(front, panel, pivot);
    if (front->height) {
        kernel->update(front, panel, task->factor->work + front->update);
        add_rest(task, front);
    }
}

/* Brings the panels of a batch together; empty lanes become identities. */
static void fill_batch(const Task *task, const AfxiJob *job, double *local) {
    const AfxiFront *first = &task->tree->front[job->front[0]];
    size_t length = (size_t)first->width * first->leading;
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        double *panel = local + l * length;
        if (job->front[l] != AFXI_NO_FRONT) {
            fill_panel(task, &task->tree->front[job->front[l]], panel);
            continue;
        }
        memset(panel, 0, length * sizeof(double));
        for (uint32_t c = 0; c < first->width; c++) {
            panel[c * ((size_t)first->leading + 1)] = 1;
        }
    }
    task->factor->kernel->batch->load(first, local, task->factor->value + first->panel);
}

static void factor_batch(const Task *task, const AfxiJob *job, double *local, AfxiPivot *pivot) {
    const AfxiFront *first = &task->tree->front[job->front[0]];
    const AfxiBatchKernel *kernel = task->factor->kernel->batch;
    double *panel = task->factor->value + first->panel, *update[AFXI_BATCH];
    AfxiPivot lanes[AFXI_BATCH];
    fill_batch(task, job, local);
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        lanes[l] = (AfxiPivot){INFINITY, UINT32_MAX, 0};
        update[l] =
            job->front[l] == AFXI_NO_FRONT ? local : task->factor->work + task->tree->front[job->front[l]].update;
    }
    kernel->factor(first, panel, lanes);
    if (first->height) {
        kernel->update(first, panel, update);
    }
    for (uint32_t l = 0; l < AFXI_BATCH && job->front[l] != AFXI_NO_FRONT; l++) {
        const AfxiFront *front = &task->tree->front[job->front[l]];
        add_rest(task, front);
        lanes[l].row += front->first_row;
        afxi_pivot_join(pivot, &lanes[l]);
    }
}

static void factor_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    Task *task = context;
    (void)end;
    const AfxiGroup *group = &task->tree->group[task->group_start + begin];
    AfxiPivot pivot = {INFINITY, UINT32_MAX, 0};
    for (uint32_t j = group->job_start; j < group->job_end; j++) {
        const AfxiJob *job = &task->tree->job[j];
        const AfxiFront *front = &task->tree->front[job->front[0]];
        if (front->step == 1) {
            factor_front(task, front, &pivot);
        } else {
            factor_batch(task, job, task->factor->work + group->local, &pivot);
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
    Task task = {.plan = plan, .tree = tree, .factor = factor, .epsilon = epsilon};
    AfxiPivot pivot = {INFINITY, UINT32_MAX, 0};
    if (scale) {
        task.scale = factor->work + tree->scale;
        afxi_gather_by_place(plan, scale, factor->work + tree->scale);
    }
    if (rhs) {
        task.rhs = factor->work + tree->vector;
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
}
