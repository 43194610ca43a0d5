/* SPDX-License-Identifier: Apache-2.0 */
/* When each front is done. For threads the tree is cut into parts of about equal work: a front joins the part of its
 * children as long as that stays small, else it begins a part of the next stage. Parts of one stage do not touch each
 * other. A part is cut into chunks that fit a cache, in the same way, and these are done children first, so that update
 * matrices are used soon. Inside a chunk fronts are done by levels, and small ones of the same shape on one level in
 * batches. Nothing here depends on the number of threads. */
#include "sparse/schedule.h"

#include <string.h>

#include "sparse/relax.h"
#include "sparse/tree.h"
#include "sparse/tuning.h"

#define NONE UINT32_MAX

/* Subtrees of the tree that are done together. */
typedef struct Cut {
    uint32_t *stage; /* [fronts] subtrees of a later stage hold those of earlier ones below them */
    uint32_t *piece; /* [fronts] which subtree, or bundle of small ones */
    double *size;    /* [fronts] of what is below a front in its subtree */
    uint32_t count;  /* pieces */
} Cut;

typedef struct Work {
    Cut part, chunk;
    uint32_t *level;          /* [fronts] */
    uint32_t *sorted, *spare; /* [fronts] */
    uint32_t *key;            /* [fronts] */
    uint32_t *bucket;         /* [buckets + 1] */
    size_t buckets;
} Work;

static void take(Work *w, AfxiArena *arena, size_t fronts) {
    uint32_t **array[] = {&w->part.stage, &w->part.piece, &w->chunk.stage, &w->chunk.piece,
                          &w->level,      &w->sorted,     &w->spare,       &w->key};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        *array[k] = afxi_arena_take(arena, fronts, sizeof(uint32_t));
    }
    w->part.size = afxi_arena_take(arena, fronts, sizeof(double));
    w->chunk.size = afxi_arena_take(arena, fronts, sizeof(double));
    w->bucket = afxi_arena_take(arena, w->buckets + 1, sizeof(uint32_t));
}

static double doubles(const AfxiFront *front) {
    return front->width * ((double)front->width + front->height) + (double)front->height * front->height;
}

/* Whether two fronts, parent and child, may be in one piece: only inside one piece of `outer`, where that is given. */
static bool may_join(const Cut *outer, uint32_t a, uint32_t b) {
    return !outer || outer->piece[a] == outer->piece[b];
}

/* Whether front k is the root of its piece. */
static bool is_root(const AfxiBlockTree *tree, const Cut *cut, const Cut *outer, uint32_t k) {
    uint32_t parent = tree->front[k].parent;
    return parent == NONE || cut->stage[parent] != cut->stage[k] || !may_join(outer, k, parent);
}

/* cut->size holds the size of each front, and then that of what is below it in its piece. */
static void cut_stages(const AfxiBlockTree *tree, Cut *cut, const Cut *outer, double most) {
    for (uint32_t k = 0; k < tree->front_count; k++) {
        const AfxiFront *front = &tree->front[k];
        double size = cut->size[k];
        uint32_t stage = 0;
        for (uint32_t c = front->first_child; c != NONE; c = tree->front[c].next_child) {
            stage = may_join(outer, k, c) && cut->stage[c] > stage ? cut->stage[c] : stage;
        }
        for (uint32_t c = front->first_child; c != NONE; c = tree->front[c].next_child) {
            size += may_join(outer, k, c) && cut->stage[c] == stage ? cut->size[c] : 0;
        }
        bool fits = size <= most || size == cut->size[k];
        cut->stage[k] = fits ? stage : stage + 1;
        cut->size[k] = fits ? size : cut->size[k];
    }
}

/* Numbers the pieces in the order of their roots, children first; small ones that follow each other become one. */
static void number_pieces(const AfxiBlockTree *tree, Cut *cut, const Cut *outer, double most) {
    double filled = 0;
    uint32_t last = NONE;
    for (uint32_t k = 0; k < tree->front_count; k++) {
        if (is_root(tree, cut, outer, k)) {
            bool joins = last != NONE && cut->stage[k] == cut->stage[last] && may_join(outer, k, last) &&
                         filled + cut->size[k] <= most;
            filled = joins ? filled + cut->size[k] : cut->size[k];
            cut->count += !joins;
            cut->piece[k] = cut->count - 1;
            last = k;
        }
    }
    for (uint32_t k = tree->front_count; k-- > 0;) {
        if (!is_root(tree, cut, outer, k)) {
            cut->piece[k] = cut->piece[tree->front[k].parent];
        }
    }
}

static void cut_tree(const AfxiBlockTree *tree, Work *w) {
    double total = 0;
    for (uint32_t k = 0; k < tree->front_count; k++) {
        const AfxiFront *front = &tree->front[k];
        w->part.size[k] = afxi_front_cycles(front->width, front->height);
        w->chunk.size[k] = doubles(front);
        total += w->part.size[k];
    }
    double most = total > AFXI_THREAD_PARTS * (double)AFXI_THREAD_CYCLES_LEAST ? total / AFXI_THREAD_PARTS
                                                                               : AFXI_THREAD_CYCLES_LEAST;
    cut_stages(tree, &w->part, NULL, most);
    number_pieces(tree, &w->part, NULL, most);
    cut_stages(tree, &w->chunk, &w->part, AFXI_CHUNK_MOST);
    number_pieces(tree, &w->chunk, &w->part, AFXI_CHUNK_MOST);
    for (uint32_t k = 0; k < tree->front_count; k++) {
        uint32_t parent = tree->front[k].parent;
        if (parent != NONE && w->chunk.piece[parent] == w->chunk.piece[k] && w->level[parent] <= w->level[k]) {
            w->level[parent] = w->level[k] + 1;
        }
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

static bool small(const AfxiFront *front) {
    return front->sign > 0 && afxi_front_small(front->width, front->height);
}

static bool same_shape(const AfxiBlockTree *tree, const Work *w, uint32_t a, uint32_t b) {
    const AfxiFront *x = &tree->front[a], *y = &tree->front[b];
    return small(x) && small(y) && w->chunk.piece[a] == w->chunk.piece[b] && w->level[a] == w->level[b] &&
           x->width == y->width && x->height == y->height;
}

/* By stage, chunk, level, shape. */
static void sort_fronts(const AfxiBlockTree *tree, Work *w) {
    uint32_t n = tree->front_count;
    for (uint32_t k = 0; k < n; k++) {
        w->sorted[k] = k;
        w->key[k] = small(&tree->front[k]) ? tree->front[k].height * (AFXI_BATCH_WIDTH + 1) + tree->front[k].width : 0;
    }
    sort_by(w, n, w->key);
    sort_by(w, n, w->level);
    sort_by(w, n, w->chunk.piece);
    sort_by(w, n, w->part.stage);
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
        at += lanes;
    }
}

static double job_cycles(const AfxiBlockTree *tree, const AfxiJob *job) {
    const AfxiFront *front = &tree->front[job->front[0]];
    return afxi_front_cycles(front->width, front->height) * (job->front[1] == AFXI_NO_FRONT ? 1 : 2);
}

/* Groups of about equal work, made of whole parts, for the jobs [begin, end) of one stage. */
static void make_groups(AfxiBlockTree *tree, const Work *w, uint32_t begin, uint32_t end) {
    double total = 0, done = 0;
    for (uint32_t j = begin; j < end; j++) {
        total += job_cycles(tree, &tree->job[j]);
    }
    uint32_t groups = total < AFXI_THREAD_CYCLES_LEAST * (double)AFXI_GROUPS
                          ? (uint32_t)(total / AFXI_THREAD_CYCLES_LEAST)
                          : AFXI_GROUPS;
    groups = groups ? groups : 1;
    AfxiStage *stage = &tree->stage[tree->stage_count++];
    stage->group_start = tree->group_count;
    for (uint32_t j = begin, made = 0; j < end; made++) {
        AfxiGroup *group = &tree->group[tree->group_count++];
        group->job_start = j;
        do {
            uint32_t part = w->part.piece[tree->job[j].front[0]];
            for (; j < end && w->part.piece[tree->job[j].front[0]] == part; j++) {
                done += job_cycles(tree, &tree->job[j]);
            }
        } while (j < end && (made + 1 == groups || done < total * (made + 1) / groups));
        group->job_end = j;
    }
    stage->group_end = tree->group_count;
}

static void take_schedule(AfxiBlockTree *tree, AfxiArena *arena, const Work *w) {
    tree->job = afxi_arena_take(arena, tree->front_count, sizeof *tree->job);
    tree->group = afxi_arena_take(arena, w->part.count, sizeof *tree->group);
    tree->stage = afxi_arena_take(arena, w->part.count, sizeof *tree->stage);
}

static AfxStatus fill(const AfxAllocator *allocator, AfxiBlockTree *tree, Work *w) {
    AfxiArena arena = {0};
    cut_tree(tree, w);
    sort_fronts(tree, w);
    take_schedule(tree, &arena, w);
    AfxStatus status = afxi_arena_open(allocator, &arena, &tree->schedule);
    if (status != AFX_OK) {
        return status;
    }
    take_schedule(tree, &arena, w);
    make_jobs(tree, w);
    for (uint32_t begin = 0, end = 0; begin < tree->job_count; begin = end) {
        uint32_t stage = w->part.stage[tree->job[begin].front[0]];
        while (end < tree->job_count && w->part.stage[tree->job[end].front[0]] == stage) {
            end++;
        }
        make_groups(tree, w, begin, end);
    }
    return AFX_OK;
}

AfxStatus afxi_tree_schedule(const AfxAllocator *allocator, AfxiBlockTree *tree) {
    size_t shapes = (AFXI_BATCH_ROWS + 1) * (AFXI_BATCH_WIDTH + 1);
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
