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
        const AfxiFront *front = &tree->front[tree->owner[k]];
        uint32_t rows = tree->ordered[k + 1] - tree->ordered[k], first = tree->ordered[k] - front->first_row;
        const double *from = factor->value + tree->column[k].at;
        size_t next = (size_t)tree->column[k].leading + 1;
        if (!front->apart) {
            next = ((size_t)front->leading + 1) * front->step;
            from = factor->value + front->panel + first * next;
        }
        for (uint32_t r = 0; r < rows; r++) {
            out[plan->first_row[plan->order[k]] + r] = from[r * next];
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

/* A diagonal entry of scaled A, turned over with its front: rows of scale 0 become rows of the identity. */
static double diagonal_entry(const Task *task, const AfxiFront *front, double value, uint32_t row) {
    if (task->scale && task->scale[row] == 0) {
        return front->sign;
    }
    return value + front->sign * task->epsilon;
}

/* A that stands apart into a cleared panel, scaled. */
static void add_columns(const Task *task, const AfxiFront *front, double *panel) {
    const AfxiBlockTree *tree = task->tree;
    uint32_t at = 0;
    for (uint32_t k = front->first_block; k < front->first_block + front->block_count; k++) {
        const AfxiColumn *column = &tree->column[k];
        uint32_t columns = tree->ordered[k + 1] - tree->ordered[k];
        for (uint32_t c = 0; c < columns; c++, at++) {
            const double *from = task->factor->value + column->at + (size_t)c * column->leading;
            double *to = panel + (size_t)at * front->leading;
            double own = task->scale ? task->scale[tree->ordered[k] + c] : 1;
            for (uint32_t s = column->span_start; s < column[1].span_start; s++) {
                AfxiSpan span = tree->span[s];
                for (uint32_t r = 0; r < span.length; r++) {
                    to[span.row + r] = task->scale ? from[r] * (own * task->scale[span.ordered + r]) : from[r];
                }
                from += span.length;
            }
            to[at] = diagonal_entry(task, front, to[at], front->first_row + at);
        }
    }
}

/* local [rows of the panel] <- a vector in elimination order, for one lane of `step`. */
void afxi_gather_front(const AfxiBlockTree *tree, const AfxiFront *front, const double *vector, double *local) {
    uint32_t step = front->step;
    for (uint32_t r = 0; r < front->width; r++) {
        local[r * step] = vector[front->first_row + r];
    }
    afxi_gather_below(tree, front, vector, local);
}

void afxi_gather_below(const AfxiBlockTree *tree, const AfxiFront *front, const double *vector, double *local) {
    uint32_t step = front->step;
    double *to = local + (size_t)front->below * step;
    for (uint32_t k = front->run_start; k < front->run_start + front->run_count; k++) {
        for (uint32_t r = 0; r < tree->run[k].length; r++, to += step) {
            *to = vector[tree->run[k].row + r];
        }
    }
}

/* A that stands in the panel of a front on its own, scaled. */
static void scale_front(const Task *task, const AfxiFront *front, double *panel, double *local) {
    if (task->scale) {
        afxi_gather_front(task->tree, front, task->scale, local);
    }
    for (uint32_t c = 0; c < front->width; c++) {
        double *column = panel + (size_t)c * front->leading;
        if (task->scale) {
            for (uint32_t r = c; r < front->width; r++) {
                column[r] *= local[r] * local[c];
            }
            for (uint32_t r = front->below; r < front->below + front->height; r++) {
                column[r] *= local[r] * local[c];
            }
        }
        column[c] = diagonal_entry(task, front, column[c], front->first_row + c);
    }
}

static void set_rhs(const Task *task, const AfxiFront *front, double *panel) {
    double *to = panel + ((size_t)front->below + front->height) * front->step;
    for (uint32_t c = 0; c < front->width; c++) {
        to[(size_t)c * front->leading * front->step] = task->rhs ? task->rhs[front->first_row + c] : 0;
    }
}

static void add_children(const Task *task, const AfxiFront *front, double *panel, double *update) {
    const AfxiBlockTree *tree = task->tree;
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        task->factor->kernel->front->add_child(child, tree->map + child->map_start, task->factor->work + child->update,
                                               front, panel, update);
    }
}

/* The lower half of an update matrix, with the row of the right-hand side. */
static void clear_update(const AfxiFront *front, double *update) {
    for (uint32_t c = 0; c < front->height; c++) {
        size_t first = c & ~3u, rows = front->update_leading - first;
        memset(update + ((size_t)c * front->update_leading + first) * front->step, 0,
               rows * front->step * sizeof(double));
    }
}

static void turn_over(const AfxiFront *front, double *panel) {
    for (size_t k = 0; k < (size_t)front->width * front->leading; k++) {
        panel[k] = -panel[k];
    }
}

static void factor_front(const Task *task, const AfxiFront *front, double *local, AfxiPivot *pivot) {
    const AfxiFrontKernel *kernel = task->factor->kernel->front;
    double *panel = task->factor->value + front->panel, *update = task->factor->work + front->update;
    bool fresh = front->first_child == AFXI_NO_FRONT;
    if (front->apart) {
        memset(panel, 0, (size_t)front->width * front->leading * sizeof(double));
        add_columns(task, front, panel);
    } else {
        scale_front(task, front, panel, local);
    }
    set_rhs(task, front, panel);
    if (!fresh) {
        clear_update(front, update);
        add_children(task, front, panel, update);
    }
    if (front->sign < 0) {
        turn_over(front, panel);
    }
    kernel->factor(front, panel, pivot);
    if (front->height) {
        kernel->update(front, panel, update, fresh);
    }
}

/* A of a batch, scaled, and the right-hand side; empty lanes become identities. */
static void fill_batch(const Task *task, const AfxiJob *job, double *local) {
    const AfxiFront *first = &task->tree->front[job->front[0]];
    double *panel = task->factor->value + first->panel;
    for (uint32_t l = 0; task->scale && l < AFXI_BATCH; l++) {
        uint32_t k = job->front[l] == AFXI_NO_FRONT ? job->front[0] : job->front[l];
        afxi_gather_front(task->tree, &task->tree->front[k], task->scale, local + l);
    }
    if (task->scale) {
        task->factor->kernel->batch->scale(first, panel, local);
    }
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        const AfxiFront *front = job->front[l] == AFXI_NO_FRONT ? NULL : &task->tree->front[job->front[l]];
        for (uint32_t c = 0; c < first->width; c++) {
            double *entry = panel + l + ((size_t)c * first->leading + c) * AFXI_BATCH;
            *entry = front ? diagonal_entry(task, front, *entry, front->first_row + c) : 1;
        }
        if (front) {
            set_rhs(task, front, panel + l);
        }
    }
}

static void factor_batch(const Task *task, const AfxiJob *job, double *local, AfxiPivot *pivot) {
    const AfxiFront *first = &task->tree->front[job->front[0]];
    const AfxiBatchKernel *kernel = task->factor->kernel->batch;
    double *panel = task->factor->value + first->panel, *update = task->factor->work + first->update;
    AfxiPivot lanes[AFXI_BATCH];
    bool fresh = true;
    fill_batch(task, job, local);
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        lanes[l] = (AfxiPivot){INFINITY, UINT32_MAX, 0};
        fresh &= job->front[l] == AFXI_NO_FRONT || task->tree->front[job->front[l]].first_child == AFXI_NO_FRONT;
    }
    if (!fresh) {
        memset(update, 0, (size_t)first->height * first->update_leading * AFXI_BATCH * sizeof(double));
        for (uint32_t l = 0; l < AFXI_BATCH && job->front[l] != AFXI_NO_FRONT; l++) {
            add_children(task, &task->tree->front[job->front[l]], panel + l, update + l);
        }
    }
    kernel->factor(first, panel, lanes);
    if (first->height) {
        kernel->update(first, panel, update, fresh);
    }
    for (uint32_t l = 0; l < AFXI_BATCH && job->front[l] != AFXI_NO_FRONT; l++) {
        lanes[l].row += task->tree->front[job->front[l]].first_row;
        afxi_pivot_join(pivot, &lanes[l]);
    }
}

static void factor_group(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    Task *task = context;
    (void)end;
    const AfxiGroup *group = &task->tree->group[task->group_start + begin];
    double *local = task->factor->work + group->local;
    AfxiPivot pivot = {INFINITY, UINT32_MAX, 0};
    for (uint32_t j = group->job_start; j < group->job_end; j++) {
        const AfxiJob *job = &task->tree->job[j];
        const AfxiFront *front = &task->tree->front[job->front[0]];
        if (front->step == 1) {
            factor_front(task, front, local, &pivot);
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
