/* SPDX-License-Identifier: Apache-2.0 */
/* When each front is done. The tree is cut into parts that fit a cache: a front joins the part of its children as long
 * as that stays small, else it begins a part of the next stage. Parts of one stage do not touch each other. Inside a
 * part, fronts are done by levels, and small ones of the same shape on one level in batches. Nothing here depends on
 * the number of threads. */
#include <string.h>

#include "sparse/tree.h"

#define NONE UINT32_MAX
/* Doubles in the panels and updates of a part. */
#define PART_MOST 24000
/* Shapes that are batched: larger ones fill the lanes by themselves. */
#define BATCH_WIDTH 24
#define BATCH_ROWS 48
/* Clock cycles that are worth a thread. */
#define GROUP_LEAST 100000

typedef struct Work {
    uint32_t *stage, *part, *level; /* [fronts] */
    uint32_t *sorted, *spare;       /* [fronts] */
    double *size;                   /* [fronts] of the part's subtree at a front; then cycles of a part */
    uint32_t *bucket;               /* [buckets + 1] */
    size_t buckets;
    uint32_t part_count, stage_count;
} Work;

static void take(Work *w, AfxiArena *arena, size_t fronts) {
    uint32_t **array[] = {&w->stage, &w->part, &w->level, &w->sorted, &w->spare};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        *array[k] = afxi_arena_take(arena, fronts, sizeof(uint32_t));
    }
    w->size = afxi_arena_take(arena, fronts, sizeof(double));
    w->bucket = afxi_arena_take(arena, w->buckets + 1, sizeof(uint32_t));
}

static double doubles(const AfxiFront *front) {
    return front->width * ((double)front->width + front->height) + (double)front->height * front->height;
}

static void cut_stages(const AfxiBlockTree *tree, Work *w) {
    for (uint32_t k = 0; k < tree->front_count; k++) {
        const AfxiFront *front = &tree->front[k];
        double own = doubles(front), size = own;
        uint32_t stage = 0;
        for (uint32_t c = front->first_child; c != NONE; c = tree->front[c].next_child) {
            stage = w->stage[c] > stage ? w->stage[c] : stage;
        }
        for (uint32_t c = front->first_child; c != NONE; c = tree->front[c].next_child) {
            size += w->stage[c] == stage ? w->size[c] : 0;
        }
        bool fits = size <= PART_MOST || size == own;
        w->stage[k] = fits ? stage : stage + 1;
        w->size[k] = fits ? size : own;
        w->stage_count = w->stage[k] + 1 > w->stage_count ? w->stage[k] + 1 : w->stage_count;
    }
}

/* Stable: sorted <- sorted by key[front] < buckets. */
static void sort_by(Work *w, uint32_t fronts, const uint32_t *key) {
    memset(w->bucket, 0, (w->buckets + 1) * sizeof *w->bucket);
    for (uint32_t k = 0; k < fronts; k++) {
        w->bucket[key[k] + 1]++;
    }
    for (size_t b = 0; b < w->buckets; b++) {
        w->bucket[b + 1] += w->bucket[b];
    }
    for (uint32_t k = 0; k < fronts; k++) {
        uint32_t front = w->sorted[k];
        w->spare[w->bucket[key[front]]++] = front;
    }
    uint32_t *swap = w->sorted;
    w->sorted = w->spare;
    w->spare = swap;
}

/* Numbers the parts: subtrees of a stage, small ones together. */
static void cut_parts(const AfxiBlockTree *tree, Work *w) {
    double filled = 0;
    uint32_t stage = NONE;
    for (uint32_t k = 0; k < tree->front_count; k++) {
        w->sorted[k] = k;
    }
    sort_by(w, tree->front_count, w->stage);
    for (uint32_t at = 0; at < tree->front_count; at++) {
        uint32_t k = w->sorted[at], parent = tree->front[k].parent;
        if (parent != NONE && w->stage[parent] == w->stage[k]) {
            continue; /* no root of a part */
        }
        if (w->stage[k] != stage || filled + w->size[k] > PART_MOST) {
            w->part_count++;
            filled = 0;
        }
        stage = w->stage[k];
        filled += w->size[k];
        w->part[k] = w->part_count - 1;
    }
    for (uint32_t k = tree->front_count; k-- > 0;) {
        uint32_t parent = tree->front[k].parent;
        if (parent != NONE && w->stage[parent] == w->stage[k]) {
            w->part[k] = w->part[parent];
        }
    }
    for (uint32_t k = 0; k < tree->front_count; k++) {
        uint32_t parent = tree->front[k].parent;
        if (parent != NONE && w->part[parent] == w->part[k] && w->level[parent] <= w->level[k]) {
            w->level[parent] = w->level[k] + 1;
        }
    }
}

static bool small(const AfxiFront *front) {
    return front->sign > 0 && front->width <= BATCH_WIDTH && front->width + front->height <= BATCH_ROWS;
}

static bool same_shape(const AfxiBlockTree *tree, const Work *w, uint32_t a, uint32_t b) {
    const AfxiFront *x = &tree->front[a], *y = &tree->front[b];
    return small(x) && small(y) && w->part[a] == w->part[b] && w->level[a] == w->level[b] && x->width == y->width &&
           x->height == y->height;
}

/* By part, level, shape. The keys of shape go through size[], which is free again. */
static void sort_fronts(const AfxiBlockTree *tree, Work *w) {
    uint32_t n = tree->front_count, *key = (uint32_t *)w->size;
    for (uint32_t k = 0; k < n; k++) {
        w->sorted[k] = k;
        key[k] = small(&tree->front[k]) ? tree->front[k].height * (BATCH_WIDTH + 1) + tree->front[k].width : 0;
    }
    sort_by(w, n, key);
    sort_by(w, n, w->level);
    sort_by(w, n, w->part);
}

static void make_jobs(AfxiBlockTree *tree, const Work *w) {
    for (uint32_t at = 0; at < tree->front_count;) {
        AfxiJob *job = &tree->job[tree->job_count++];
        uint32_t lanes = 1;
        memset(job, 0xff, sizeof *job);
        job->front[0] = w->sorted[at];
        while (lanes < AFXI_BATCH && at + lanes < tree->front_count &&
               same_shape(tree, w, w->sorted[at], w->sorted[at + lanes])) {
            job->front[lanes] = w->sorted[at + lanes];
            lanes++;
        }
        for (uint32_t l = 0; l < lanes && lanes > 1; l++) {
            tree->front[job->front[l]].step = AFXI_BATCH;
        }
        at += lanes;
    }
}

static double job_cycles(const AfxiBlockTree *tree, const AfxiJob *job) {
    const AfxiFront *front = &tree->front[job->front[0]];
    return afxi_front_cycles(front->width, front->height) * (front->step == 1 ? 1 : 2);
}

/* Groups of about equal work, made of whole parts, for the jobs [begin, end) of one stage. */
static void make_groups(AfxiBlockTree *tree, const Work *w, uint32_t begin, uint32_t end) {
    double total = 0, done = 0;
    for (uint32_t j = begin; j < end; j++) {
        total += job_cycles(tree, &tree->job[j]);
    }
    uint32_t groups = total < GROUP_LEAST * (double)AFXI_GROUPS ? (uint32_t)(total / GROUP_LEAST) : AFXI_GROUPS;
    groups = groups ? groups : 1;
    AfxiStage *stage = &tree->stage[tree->stage_count++];
    stage->group_start = tree->group_count;
    for (uint32_t j = begin, made = 0; j < end; made++) {
        AfxiGroup *group = &tree->group[tree->group_count++];
        group->job_start = j;
        do {
            uint32_t part = w->part[tree->job[j].front[0]];
            for (; j < end && w->part[tree->job[j].front[0]] == part; j++) {
                done += job_cycles(tree, &tree->job[j]);
            }
        } while (j < end && (made + 1 == groups || done < total * (made + 1) / groups));
        group->job_end = j;
    }
    stage->group_end = tree->group_count;
}

static void take_schedule(AfxiBlockTree *tree, AfxiArena *arena, const Work *w) {
    tree->job = afxi_arena_take(arena, tree->front_count, sizeof *tree->job);
    tree->group = afxi_arena_take(arena, w->part_count, sizeof *tree->group);
    tree->stage = afxi_arena_take(arena, w->stage_count, sizeof *tree->stage);
}

static AfxStatus fill(const AfxAllocator *allocator, AfxiBlockTree *tree, Work *w) {
    AfxiArena arena = {0};
    cut_stages(tree, w);
    cut_parts(tree, w);
    sort_fronts(tree, w);
    take_schedule(tree, &arena, w);
    AfxStatus status = afxi_arena_open(allocator, &arena, &tree->schedule);
    if (status != AFX_OK) {
        return status;
    }
    take_schedule(tree, &arena, w);
    make_jobs(tree, w);
    for (uint32_t begin = 0, end = 0; begin < tree->job_count; begin = end) {
        uint32_t stage = w->stage[tree->job[begin].front[0]];
        while (end < tree->job_count && w->stage[tree->job[end].front[0]] == stage) {
            end++;
        }
        make_groups(tree, w, begin, end);
    }
    return AFX_OK;
}

AfxStatus afxi_tree_schedule(const AfxAllocator *allocator, AfxiBlockTree *tree) {
    size_t shapes = (BATCH_ROWS + 1) * (BATCH_WIDTH + 1);
    Work w = {.buckets = tree->front_count > shapes ? tree->front_count : shapes};
    AfxiArena arena = {0};
    AfxiRaw raw;
    take(&w, &arena, tree->front_count);
    AfxStatus status = afxi_arena_open(allocator, &arena, &raw);
    if (status == AFX_OK) {
        take(&w, &arena, tree->front_count);
        status = fill(allocator, tree, &w);
        afxi_release(allocator, raw.raw, raw.size);
    }
    return status;
}
