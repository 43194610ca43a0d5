/* SPDX-License-Identifier: Apache-2.0 */
/* Where A and L stand. A front that A fills well holds A in its panel, where L takes its place. Where L is much fuller
 * than A, A stands apart, in columns of blocks that hold nothing else: less to clear and to read. Everything that holds
 * A comes first; all of it follows the order in which fronts are done. */
#include "sparse/values.h"

#include "sparse/symbolic.h"
#include "sparse/tree.h"
#include "sparse/tuning.h"

#define NONE UINT32_MAX

typedef struct Work {
    uint32_t *start;  /* [blocks + 1] into clique */
    uint32_t *clique; /* cliques of each block */
    uint32_t *mark;   /* [blocks] */
    uint32_t *found;  /* [blocks] */
    uint32_t *length; /* [blocks] blocks of A in a column, the diagonal one included */
} Work;

static void take(Work *w, AfxiArena *arena, const AfxiBlockGraph *graph) {
    size_t entries = graph->clique_count ? graph->clique_start[graph->clique_count] : 0;
    w->start = afxi_arena_take(arena, (size_t)graph->count + 1, sizeof(uint32_t));
    w->clique = afxi_arena_take(arena, entries, sizeof(uint32_t));
    w->mark = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    w->found = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
    w->length = afxi_arena_take(arena, graph->count, sizeof(uint32_t));
}

/* Cliques of each block, by counting. */
static void fill_cliques(Work *w, const AfxiBlockGraph *graph) {
    uint32_t entries = graph->clique_count ? graph->clique_start[graph->clique_count] : 0;
    for (uint32_t k = 0; k < entries; k++) {
        w->start[graph->member[k]]++;
    }
    for (uint32_t k = 0, sum = 0; k <= graph->count; k++) {
        sum += k < graph->count ? w->start[k] : 0;
        w->start[k] = sum;
    }
    for (uint32_t e = graph->clique_count; e-- > 0;) {
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            w->clique[--w->start[graph->member[k]]] = e;
        }
    }
}

/* found <- the places of the blocks of A in the column of place j, rising, itself first. */
static uint32_t find_column(Work *w, const AfxiBlockGraph *graph, const AfxiBlockPlan *plan, uint32_t j) {
    uint32_t count = 1, block = plan->order[j];
    w->found[0] = j;
    for (uint32_t c = w->start[block]; c < w->start[block + 1]; c++) {
        uint32_t e = w->clique[c];
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            uint32_t place = plan->place[graph->member[k]];
            if (place > j && w->mark[place] != j + 1) {
                w->mark[place] = j + 1;
                w->found[count++] = place;
            }
        }
    }
    afxi_sort(w->found, count);
    return count;
}

static uint32_t rows_of(const AfxiBlockTree *tree, uint32_t place) {
    return tree->ordered[place + 1] - tree->ordered[place];
}

/* Rows and blocks of A in the columns of a front, and whether that is enough for it to stand in the panel. */
static void measure_front(Work *w, const AfxiBlockGraph *graph, const AfxiBlockPlan *plan, AfxiBlockTree *tree,
                          AfxiFront *front) {
    double filled = 0;
    for (uint32_t j = front->first_block; j < front->first_block + front->block_count; j++) {
        uint32_t rows = 0;
        w->length[j] = find_column(w, graph, plan, j);
        for (uint32_t k = 0; k < w->length[j]; k++) {
            rows += rows_of(tree, w->found[k]);
        }
        tree->column[j].leading = rows;
        filled += (double)rows * rows_of(tree, j);
    }
    front->apart = filled < AFXI_APART_BELOW * front->width * front->leading;
}

/* The row of block `place` in the panel of a front that holds it. */
static uint32_t row_in_front(const AfxiBlockTree *tree, const AfxiFront *front, uint32_t place) {
    if (place < front->first_block + front->block_count) {
        return tree->ordered[place] - front->first_row;
    }
    uint32_t low = front->below_start, high = front->below_start + front->below_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->below_block[middle] <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low < high && tree->below_block[low] == place ? front->below + tree->below_row[low] : NONE;
}

/* Entries and spans of a column that stands apart. */
static void fill_column(Work *w, const AfxiBlockGraph *graph, const AfxiBlockPlan *plan, AfxiBlockTree *tree,
                        uint32_t j, uint32_t *entries, uint32_t *spans) {
    const AfxiFront *front = &tree->front[tree->owner[j]];
    uint32_t count = find_column(w, graph, plan, j), row = 0, first = *spans;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t place = w->found[k], rows = rows_of(tree, place);
        uint32_t local = row_in_front(tree, front, place), ordered = tree->ordered[place];
        tree->entry[(*entries)++] = (AfxiTreeEntry){place, row};
        row += rows;
        AfxiSpan *last = *spans > first ? &tree->span[*spans - 1] : NULL;
        if (last && k > 1 && last->row + last->length == local && last->ordered + last->length == ordered) {
            last->length += rows; /* the diagonal block stays a span of its own */
        } else {
            tree->span[(*spans)++] = (AfxiSpan){local, ordered, rows};
        }
    }
}

static void take_columns(AfxiBlockTree *tree, AfxiArena *arena, size_t entries) {
    tree->entry = afxi_arena_take(arena, entries, sizeof *tree->entry);
    tree->span = afxi_arena_take(arena, entries, sizeof *tree->span);
}

static AfxStatus fill_columns(Work *w, const AfxiBlockGraph *graph, AfxiBlockTree *tree, AfxiBlockPlan *plan) {
    uint64_t total = 0;
    uint32_t entries = 0, spans = 0;
    for (uint32_t k = 0; k < tree->front_count; k++) {
        AfxiFront *front = &tree->front[k];
        measure_front(w, graph, plan, tree, front);
        for (uint32_t j = front->first_block; front->apart && j < front->first_block + front->block_count; j++) {
            total += w->length[j];
        }
    }
    if (total > NONE) {
        return AFX_E_LIMIT;
    }
    AfxiArena arena = {0};
    take_columns(tree, &arena, (size_t)total);
    AfxStatus status = afxi_arena_open(&plan->allocator, &arena, &tree->entries);
    if (status != AFX_OK) {
        return status;
    }
    take_columns(tree, &arena, (size_t)total);
    for (uint32_t j = 0; j < tree->count; j++) {
        w->mark[j] = 0;
    }
    for (uint32_t j = 0; j < tree->count; j++) {
        tree->column[j].entry_start = entries;
        tree->column[j].span_start = spans;
        if (tree->front[tree->owner[j]].apart) {
            fill_column(w, graph, plan, tree, j, &entries, &spans);
        }
    }
    tree->column[tree->count].entry_start = entries;
    tree->column[tree->count].span_start = spans;
    return AFX_OK;
}

/* Takes room for a panel, and a quad behind it, which adding may touch. */
static void place_panel(AfxiFront *front, AfxiArena *arena) {
    front->panel = arena->used / sizeof(double);
    if (front->leading > SIZE_MAX / 16 / front->width) {
        arena->overflow = true;
        return;
    }
    afxi_arena_take(arena, (size_t)front->leading * front->width + 4, sizeof(double));
}

/* The columns of A of a front, without gaps. */
static void place_columns(AfxiBlockTree *tree, const AfxiFront *front, AfxiArena *arena) {
    size_t length = 0, base = arena->used / sizeof(double);
    for (uint32_t b = front->first_block; b < front->first_block + front->block_count; b++) {
        tree->column[b].at = base + length;
        length += (size_t)tree->column[b].leading * rows_of(tree, b);
    }
    afxi_arena_take(arena, length + 4, sizeof(double));
}

static void place_values(AfxiBlockTree *tree, AfxiBlockPlan *plan, AfxiArena *arena) {
    for (uint32_t j = 0; j < tree->job_count; j++) {
        for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
            AfxiFront *front = &tree->front[tree->job[j].front[l]];
            if (front->apart) {
                place_columns(tree, front, arena);
            } else {
                place_panel(front, arena);
            }
        }
    }
    plan->clear_length = arena->used / sizeof(double);
    for (uint32_t j = 0; j < tree->job_count; j++) {
        for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
            AfxiFront *front = &tree->front[tree->job[j].front[l]];
            if (front->apart) {
                place_panel(front, arena);
            }
        }
    }
    plan->value_length = arena->used / sizeof(double);
}

AfxStatus afxi_tree_values(const AfxiBlockGraph *graph, AfxiBlockTree *tree, AfxiBlockPlan *plan) {
    Work w;
    AfxiArena arena = {0};
    AfxiRaw raw;
    take(&w, &arena, graph);
    AfxStatus status = afxi_arena_open(&plan->allocator, &arena, &raw);
    if (status != AFX_OK) {
        return status;
    }
    take(&w, &arena, graph);
    fill_cliques(&w, graph);
    status = fill_columns(&w, graph, tree, plan);
    afxi_release(&plan->allocator, raw.raw, raw.size);
    if (status != AFX_OK) {
        return status;
    }
    AfxiArena values = {0};
    place_values(tree, plan, &values);
    return values.overflow ? AFX_E_LIMIT : AFX_OK;
}

/* Where block (row, column), by place, stands among the columns that stand apart; NULL when it does not. */
static const AfxiTreeEntry *find_entry(const AfxiBlockTree *tree, uint32_t row, uint32_t column) {
    uint32_t low = tree->column[column].entry_start, high = tree->column[column + 1].entry_start;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->entry[middle].place <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return tree->entry[low].place == row ? &tree->entry[low] : NULL;
}

bool afxi_block_spot(const AfxiBlockPlan *plan, uint32_t i, uint32_t j, AfxiBlockSpot *out) {
    const AfxiBlockTree *tree = plan->tree;
    bool turned = plan->place[i] < plan->place[j];
    uint32_t row = plan->place[turned ? j : i], column = plan->place[turned ? i : j];
    const AfxiFront *front = &tree->front[tree->owner[column]];
    uint32_t leading = front->apart ? tree->column[column].leading : front->leading;
    if (front->apart) {
        const AfxiTreeEntry *entry = find_entry(tree, row, column);
        if (!entry) {
            return false;
        }
        out->at = tree->column[column].at + entry->row;
    } else {
        uint32_t at = row_in_front(tree, front, row);
        if (at == NONE) {
            return false;
        }
        out->at = front->panel + (tree->ordered[column] - front->first_row) * (size_t)leading + at;
    }
    out->row_step = turned ? leading : 1;
    out->column_step = turned ? 1 : leading;
    return true;
}
