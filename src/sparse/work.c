/* SPDX-License-Identifier: Apache-2.0 */
/* Where update matrices stand. One lives from its front to its parent's. Those that stay inside a group share the
 * group's own memory, those that are handed to a later stage share another region; both are simulated here once, with
 * a list of free holes, first fit. */
#include "sparse/work.h"

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
    uint32_t *stage, *group;  /* [fronts] stage, and number of the group in it */
    uint32_t *due, *next_due; /* [stages] fronts whose update is free after a stage, [fronts] */
    Holes inner, outer;
} Work;

static void take(Work *w, AfxiArena *arena, const AfxiBlockTree *tree) {
    size_t fronts = tree->front_count;
    w->stage = afxi_arena_take(arena, fronts, sizeof(uint32_t));
    w->group = afxi_arena_take(arena, fronts, sizeof(uint32_t));
    w->next_due = afxi_arena_take(arena, fronts, sizeof(uint32_t));
    w->due = afxi_arena_take(arena, tree->stage_count, sizeof(uint32_t));
    w->inner.hole = afxi_arena_take(arena, fronts + 2, sizeof(Hole));
    w->outer.hole = afxi_arena_take(arena, fronts + 2, sizeof(Hole));
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

/* Doubles of an update matrix, and a quad behind it, which adding may touch. */
static size_t update_length(const AfxiFront *front) {
    return ((size_t)front->update_leading * front->height + 4 + LINE - 1) / LINE * LINE;
}

static AfxStatus find_places(const AfxiBlockTree *tree, Work *w) {
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        w->due[s] = NONE;
        for (uint32_t g = tree->stage[s].group_start; g < tree->stage[s].group_end; g++) {
            for (uint32_t j = tree->group[g].job_start; j < tree->group[g].job_end; j++) {
                for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
                    w->stage[tree->job[j].front[l]] = s;
                    w->group[tree->job[j].front[l]] = g - tree->stage[s].group_start;
                }
            }
        }
    }
    for (uint32_t k = 0; k < tree->front_count; k++) {
        if (tree->front[k].height && tree->front[k].update_leading > SIZE_MAX / 64 / tree->front[k].height) {
            return AFX_E_LIMIT;
        }
    }
    return AFX_OK;
}

static bool stays_inside(const AfxiBlockTree *tree, const Work *w, uint32_t k) {
    uint32_t parent = tree->front[k].parent;
    return parent == NONE || w->stage[parent] == w->stage[k];
}

/* Memory for the update of a front of the running group; then that of its children is free, where it is the group's. */
static void run_front(const AfxiBlockTree *tree, Work *w, uint32_t k) {
    AfxiFront *front = &tree->front[k];
    if (front->height) {
        bool inside = stays_inside(tree, w, k);
        front->update = holes_take(inside ? &w->inner : &w->outer, update_length(front));
        if (!inside) {
            uint32_t *due = &w->due[w->stage[front->parent]];
            w->next_due[k] = *due;
            *due = k;
        }
    }
}

static void free_children(const AfxiBlockTree *tree, Work *w, uint32_t k) {
    for (uint32_t c = tree->front[k].first_child; c != NONE; c = tree->front[c].next_child) {
        if (stays_inside(tree, w, c)) {
            holes_give(&w->inner, tree->front[c].update, update_length(&tree->front[c]));
        }
    }
}

/* own[g]: doubles that the g-th groups of the stages need. */
static AfxStatus simulate(const AfxiBlockTree *tree, Work *w, size_t own[AFXI_GROUPS]) {
    w->inner.overflow = w->outer.overflow = false;
    holes_reset(&w->outer);
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        for (uint32_t g = tree->stage[s].group_start; g < tree->stage[s].group_end; g++) {
            size_t *room = &own[g - tree->stage[s].group_start];
            holes_reset(&w->inner);
            for (uint32_t j = tree->group[g].job_start; j < tree->group[g].job_end; j++) {
                const uint32_t *front = tree->job[j].front;
                for (uint32_t l = 0; l < AFXI_BATCH && front[l] != AFXI_NO_FRONT; l++) {
                    run_front(tree, w, front[l]);
                }
                for (uint32_t l = 0; l < AFXI_BATCH && front[l] != AFXI_NO_FRONT; l++) {
                    free_children(tree, w, front[l]);
                }
                if (w->inner.overflow || w->outer.overflow) {
                    return AFX_E_LIMIT;
                }
            }
            *room = w->inner.peak > *room ? w->inner.peak : *room;
        }
        for (uint32_t k = w->due[s]; k != NONE; k = w->next_due[k]) {
            holes_give(&w->outer, tree->front[k].update, update_length(&tree->front[k]));
        }
    }
    return AFX_OK;
}

/* A group's own vectors: x or the scale of a front or two; a batch side by side. */
static void measure_local(AfxiBlockTree *tree) {
    for (uint32_t j = 0; j < tree->job_count; j++) {
        const AfxiFront *front = &tree->front[tree->job[j].front[0]];
        size_t length = 2 * ((size_t)front->leading + 4);
        if (tree->job[j].front[1] != AFXI_NO_FRONT) {
            size_t side = AFXI_BATCH * (size_t)front->width * (front->width + front->height + 1);
            length = side > length ? side : length;
        }
        tree->local_length = length > tree->local_length ? length : tree->local_length;
    }
    tree->local_length = (tree->local_length + 4 + LINE - 1) / LINE * LINE;
}

/* Vectors, then what stages hand on, then per group its vectors and its updates. */
static AfxStatus lay_out(AfxiBlockTree *tree, Work *w, AfxiBlockPlan *plan) {
    size_t own[AFXI_GROUPS] = {0}, base[AFXI_GROUPS] = {0};
    AfxStatus status = simulate(tree, w, own);
    if (status != AFX_OK) {
        return status;
    }
    measure_local(tree);
    AfxiArena arena = {0};
    tree->vector = 0;
    afxi_arena_take(&arena, (size_t)tree->row_count + LINE, sizeof(double));
    tree->scale = arena.used / sizeof(double);
    afxi_arena_take(&arena, (size_t)tree->row_count + LINE, sizeof(double));
    size_t outer = arena.used / sizeof(double);
    afxi_arena_take(&arena, w->outer.peak, sizeof(double));
    uint32_t groups = 0;
    for (uint32_t s = 0; s < tree->stage_count; s++) {
        uint32_t first = tree->stage[s].group_start, count = tree->stage[s].group_end - first;
        for (; groups < count; groups++) {
            base[groups] = arena.used / sizeof(double);
            afxi_arena_take(&arena, tree->local_length, sizeof(double));
            afxi_arena_take(&arena, own[groups], sizeof(double));
        }
        for (uint32_t g = 0; g < count; g++) {
            tree->group[first + g].local = base[g];
        }
    }
    for (uint32_t k = 0; k < tree->front_count; k++) {
        tree->front[k].update += stays_inside(tree, w, k) ? base[w->group[k]] + tree->local_length : outer;
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
    status = find_places(tree, &w);
    status = status ? status : lay_out(tree, &w, plan);
    afxi_release(allocator, raw.raw, raw.size);
    return status;
}
