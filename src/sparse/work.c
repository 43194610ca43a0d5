/* SPDX-License-Identifier: Apache-2.0 */
/* Where update matrices stand. One lives from its front to its parent's. Those that stay inside a group share the
 * group's own memory, those that are handed to a later stage share another region; both are simulated here once, with
 * a list of free holes, first fit. */
#include <string.h>

#include "sparse/tree.h"

#define NONE UINT32_MAX
#define LINE (AFXI_ALIGNMENT / sizeof(double))

typedef struct Hole {
    size_t at, length;
} Hole;

/* Free parts of an endless memory, rising, never touching; the last one has no end. */
typedef struct Holes {
    Hole *hole;
    uint32_t count;
    size_t peak;
    bool overflow;
} Holes;

typedef struct Work {
    uint32_t *job_of;         /* [fronts] */
    uint32_t *stage_of;       /* [jobs] */
    uint32_t *group_of;       /* [jobs] number in its stage */
    uint32_t *waiting;        /* [jobs] fronts whose update is still needed */
    uint32_t *last;           /* [jobs] stage in which the last one is used */
    uint32_t *due, *next_due; /* [stages] jobs to be freed after a stage, [jobs] */
    size_t *at, *length;      /* [jobs] */
    Holes inner, outer;
} Work;

static void take(Work *w, AfxiArena *arena, const AfxiBlockTree *tree) {
    size_t jobs = tree->job_count;
    w->job_of = afxi_arena_take(arena, tree->front_count, sizeof(uint32_t));
    uint32_t **array[] = {&w->stage_of, &w->group_of, &w->waiting, &w->last, &w->next_due};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        *array[k] = afxi_arena_take(arena, jobs, sizeof(uint32_t));
    }
    w->due = afxi_arena_take(arena, tree->stage_count, sizeof(uint32_t));
    w->at = afxi_arena_take(arena, jobs, sizeof(size_t));
    w->length = afxi_arena_take(arena, jobs, sizeof(size_t));
    w->inner.hole = afxi_arena_take(arena, jobs + 2, sizeof(Hole));
    w->outer.hole = afxi_arena_take(arena, jobs + 2, sizeof(Hole));
}

static void holes_reset(Holes *holes) {
    holes->hole[0] = (Hole){0, SIZE_MAX / 2};
    holes->count = 1;
    holes->peak = 0;
}

static size_t holes_take(Holes *holes, size_t length) {
    uint32_t k = 0;
    while (k + 1 < holes->count && holes->hole[k].length < length) {
        k++;
    }
    Hole *hole = &holes->hole[k];
    size_t at = hole->at;
    if (hole->length < length) {
        holes->overflow = true;
        return 0;
    }
    hole->at += length;
    hole->length -= length;
    if (hole->length == 0) {
        memmove(hole, hole + 1, (holes->count - k - 1) * sizeof *hole);
        holes->count--;
    }
    holes->peak = at + length > holes->peak ? at + length : holes->peak;
    return at;
}

static void holes_give(Holes *holes, size_t at, size_t length) {
    uint32_t k = 0;
    while (holes->hole[k].at < at) {
        k++;
    }
    bool joins_last = k > 0 && holes->hole[k - 1].at + holes->hole[k - 1].length == at;
    bool joins_next = at + length == holes->hole[k].at;
    if (joins_last && joins_next) {
        holes->hole[k - 1].length += length + holes->hole[k].length;
        memmove(holes->hole + k, holes->hole + k + 1, (holes->count - k - 1) * sizeof(Hole));
        holes->count--;
    } else if (joins_last) {
        holes->hole[k - 1].length += length;
    } else if (joins_next) {
        holes->hole[k].at = at;
        holes->hole[k].length += length;
    } else {
        memmove(holes->hole + k + 1, holes->hole + k, (holes->count - k) * sizeof(Hole));
        holes->hole[k] = (Hole){at, length};
        holes->count++;
    }
}

static AfxStatus measure_jobs(const AfxiBlockTree *tree, Work *w) {
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        for (uint32_t g = tree->stage[s].group_start; g < tree->stage[s].group_end; g++) {
            for (uint32_t j = tree->group[g].job_start; j < tree->group[g].job_end; j++) {
                w->stage_of[j] = s;
                w->group_of[j] = g - tree->stage[s].group_start;
                for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
                    w->job_of[tree->job[j].front[l]] = j;
                }
            }
        }
        w->due[s] = NONE;
    }
    for (uint32_t k = 0; k < tree->front_count; k++) {
        const AfxiFront *front = &tree->front[k];
        uint32_t j = w->job_of[k];
        if (front->parent != NONE) {
            uint32_t stage = w->stage_of[w->job_of[front->parent]];
            w->waiting[j]++;
            w->last[j] = stage > w->last[j] ? stage : w->last[j];
        }
        uint64_t column = (uint64_t)front->update_leading * front->step;
        if (front->height && column > SIZE_MAX / 64 / front->height) {
            return AFX_E_LIMIT;
        }
        w->length[j] = (size_t)((column * front->height + LINE - 1) / LINE * LINE);
    }
    return AFX_OK;
}

static bool stays_inside(const Work *w, uint32_t job) {
    return w->last[job] == w->stage_of[job];
}

/* Memory for the update of a job of the running group; then that of its children is free, where it is the group's. */
static void run_job(const AfxiBlockTree *tree, Work *w, uint32_t j) {
    if (w->waiting[j] && w->length[j]) {
        Holes *holes = stays_inside(w, j) ? &w->inner : &w->outer;
        w->at[j] = holes_take(holes, w->length[j]);
        if (holes == &w->outer) {
            w->next_due[j] = w->due[w->last[j]];
            w->due[w->last[j]] = j;
        }
    }
    for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
        for (uint32_t c = tree->front[tree->job[j].front[l]].first_child; c != NONE; c = tree->front[c].next_child) {
            uint32_t child = w->job_of[c];
            if (--w->waiting[child] == 0 && stays_inside(w, child) && w->length[child]) {
                holes_give(&w->inner, w->at[child], w->length[child]);
            }
        }
    }
}

/* own[g]: doubles that the g-th groups of the stages need. */
static void simulate(const AfxiBlockTree *tree, Work *w, size_t own[AFXI_GROUPS]) {
    holes_reset(&w->outer);
    w->inner.overflow = w->outer.overflow = false;
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        for (uint32_t g = tree->stage[s].group_start; g < tree->stage[s].group_end; g++) {
            size_t *room = &own[g - tree->stage[s].group_start];
            holes_reset(&w->inner);
            for (uint32_t j = tree->group[g].job_start; j < tree->group[g].job_end; j++) {
                run_job(tree, w, j);
            }
            *room = w->inner.peak > *room ? w->inner.peak : *room;
        }
        if (w->inner.overflow || w->outer.overflow) {
            return;
        }
        for (uint32_t j = w->due[s]; j != NONE; j = w->next_due[j]) {
            holes_give(&w->outer, w->at[j], w->length[j]);
        }
    }
}

/* Vectors, then what stages hand on, then per group its vectors and its updates. */
static AfxStatus lay_out(AfxiBlockTree *tree, Work *w, AfxiBlockPlan *plan) {
    size_t own[AFXI_GROUPS] = {0}, base[AFXI_GROUPS] = {0};
    uint32_t groups = 0;
    simulate(tree, w, own);
    if (w->inner.overflow || w->outer.overflow) {
        return AFX_E_LIMIT;
    }
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        uint32_t count = tree->stage[s].group_end - tree->stage[s].group_start;
        groups = count > groups ? count : groups;
    }
    AfxiArena arena = {0};
    tree->vector = 0;
    afxi_arena_take(&arena, (size_t)tree->row_count + LINE, sizeof(double));
    tree->scale = arena.used / sizeof(double);
    afxi_arena_take(&arena, (size_t)tree->row_count + LINE, sizeof(double));
    size_t outer = arena.used / sizeof(double);
    afxi_arena_take(&arena, w->outer.peak, sizeof(double));
    for (uint32_t k = 0; k < tree->front_count; k++) {
        size_t length = (size_t)tree->front[k].leading * tree->front[k].step * 2;
        tree->local_length = length > tree->local_length ? length : tree->local_length;
    }
    for (uint32_t g = 0; g < groups; g++) {
        base[g] = arena.used / sizeof(double);
        afxi_arena_take(&arena, tree->local_length, sizeof(double));
        afxi_arena_take(&arena, own[g], sizeof(double));
    }
    size_t vectors = (tree->local_length + LINE - 1) / LINE * LINE;
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        for (uint32_t g = tree->stage[s].group_start; g < tree->stage[s].group_end; g++) {
            tree->group[g].local = base[g - tree->stage[s].group_start];
        }
    }
    for (uint32_t j = 0; j < tree->job_count; j++) {
        size_t at = w->at[j] + (stays_inside(w, j) ? base[w->group_of[j]] + vectors : outer);
        for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
            tree->front[tree->job[j].front[l]].update = at + l;
        }
    }
    plan->work_length = arena.used / sizeof(double);
    return arena.overflow ? AFX_E_LIMIT : AFX_OK;
}

AfxStatus afxi_tree_work(const AfxAllocator *allocator, AfxiBlockTree *tree, AfxiBlockPlan *plan) {
    Work w;
    AfxiArena arena = {0};
    AfxiRaw raw;
    take(&w, &arena, tree);
    AfxStatus status = afxi_arena_open(allocator, &arena, &raw);
    if (status != AFX_OK) {
        return status;
    }
    take(&w, &arena, tree);
    status = measure_jobs(tree, &w);
    status = status ? status : lay_out(tree, &w, plan);
    afxi_release(allocator, raw.raw, raw.size);
    return status;
}
