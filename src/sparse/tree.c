/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts from supernodes: who is whose child, and the rows below in the numberings that the numeric phase reads. */
#include "sparse/tree.h"

#include <string.h>

#define NONE UINT32_MAX

AfxStatus afxi_arena_open(const AfxAllocator *allocator, AfxiArena *arena, AfxiRaw *out) {
    if (arena->overflow) {
        return AFX_E_LIMIT;
    }
    arena->base = afxi_allocate_aligned(allocator, arena->used, &out->raw, &out->size);
    arena->used = 0;
    return arena->base ? AFX_OK : AFX_E_MEMORY;
}

static void take(AfxiBlockTree *tree, AfxiArena *arena, size_t below) {
    size_t n = tree->count, m = tree->front_count, word = sizeof(uint32_t);
    tree->ordered = afxi_arena_take(arena, n + 1, word);
    tree->owner = afxi_arena_take(arena, n, word);
    tree->front = afxi_arena_take(arena, m, sizeof *tree->front);
    tree->column = afxi_arena_take(arena, n + 1, sizeof *tree->column);
    tree->below_block = afxi_arena_take(arena, below, word);
    tree->below_row = afxi_arena_take(arena, below, word);
    tree->run = afxi_arena_take(arena, below, sizeof *tree->run);
    tree->map = afxi_arena_take(arena, below + m, sizeof *tree->map); /* and the right-hand side of each front */
}

static void fill_front(const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic, AfxiBlockTree *tree, uint32_t k) {
    AfxiFront *front = &tree->front[k];
    uint32_t row = 0;
    front->width = symbolic->width[k];
    front->height = symbolic->height[k];
    front->parent = symbolic->parent[k];
    front->first_block = symbolic->first[k];
    front->block_count = symbolic->first[k + 1] - symbolic->first[k];
    front->first_row = tree->ordered[front->first_block];
    front->below_start = symbolic->start[k];
    front->below_count = symbolic->start[k + 1] - symbolic->start[k];
    front->sign = graph->sign ? graph->sign[symbolic->order[front->first_block]] : 1;
    for (uint32_t b = 0; b < front->block_count; b++) {
        tree->owner[front->first_block + b] = k;
    }
    for (uint32_t b = front->below_start; b < front->below_start + front->below_count; b++) {
        tree->below_block[b] = symbolic->row[b];
        tree->below_row[b] = row;
        row += tree->ordered[symbolic->row[b] + 1] - tree->ordered[symbolic->row[b]];
    }
}

AfxStatus afxi_tree_fronts(const AfxAllocator *allocator, const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic,
                           AfxiBlockTree *tree) {
    AfxiArena arena = {0};
    size_t below = symbolic->start[symbolic->count];
    tree->count = graph->count;
    tree->front_count = symbolic->count;
    take(tree, &arena, below);
    AfxStatus status = afxi_arena_open(allocator, &arena, &tree->fronts);
    if (status != AFX_OK) {
        return status;
    }
    take(tree, &arena, below);
    for (uint32_t k = 0; k < tree->count; k++) {
        tree->ordered[k] = tree->row_count;
        tree->row_count += graph->size[symbolic->order[k]];
    }
    tree->ordered[tree->count] = tree->row_count;
    for (uint32_t k = 0; k < tree->front_count; k++) {
        fill_front(graph, symbolic, tree, k);
        tree->front[k].first_child = NONE;
    }
    for (uint32_t k = tree->front_count; k-- > 0;) {
        AfxiFront *front = &tree->front[k];
        if (front->parent != NONE) {
            front->next_child = tree->front[front->parent].first_child;
            tree->front[front->parent].first_child = k;
        }
    }
    return AFX_OK;
}

/* Appends rows to the last of `count` runs where they follow it; `cut` begins a new one. */
static uint32_t extend(AfxiTreeRun *run, uint32_t count, uint32_t row, uint32_t length, bool cut) {
    if (count && !cut && run[count - 1].row + run[count - 1].length == row) {
        run[count - 1].length += length;
        return count;
    }
    run[count] = (AfxiTreeRun){row, length};
    return count + 1;
}

/* The rows below of a front, in the panel of its parent. */
static uint32_t map_rows(const AfxiBlockTree *tree, const AfxiFront *front, AfxiTreeRun *map) {
    const AfxiFront *parent = &tree->front[front->parent];
    uint32_t count = 0, at = parent->below_start;
    bool was_pivot = true;
    for (uint32_t b = front->below_start; b < front->below_start + front->below_count; b++) {
        uint32_t block = tree->below_block[b], rows = tree->ordered[block + 1] - tree->ordered[block];
        bool pivot = block < parent->first_block + parent->block_count;
        uint32_t row = tree->ordered[block] - parent->first_row;
        if (!pivot) {
            while (tree->below_block[at] < block) {
                at++;
            }
            row = parent->below + tree->below_row[at];
        }
        count = extend(map, count, row, rows, pivot != was_pivot);
        was_pivot = pivot;
    }
    map[count] = (AfxiTreeRun){parent->below + parent->height, 1};
    return count + 1;
}

void afxi_tree_shape(AfxiBlockTree *tree) {
    uint32_t runs = 0, maps = 0;
    for (uint32_t k = 0; k < tree->front_count; k++) {
        AfxiFront *front = &tree->front[k];
        front->below = (front->width + 3) / 4 * 4;
        front->update_leading = (front->height + 4) / 4 * 4;
        front->leading = front->below + front->update_leading;
    }
    for (uint32_t k = 0; k < tree->front_count; k++) {
        AfxiFront *front = &tree->front[k];
        front->run_start = runs;
        for (uint32_t b = front->below_start; b < front->below_start + front->below_count; b++) {
            uint32_t row = tree->ordered[tree->below_block[b]];
            front->run_count =
                extend(tree->run + runs, front->run_count, row, tree->ordered[tree->below_block[b] + 1] - row, false);
        }
        runs += front->run_count;
        front->map_start = maps;
        front->map_count = front->parent == NONE ? 0 : map_rows(tree, front, tree->map + maps);
        maps += front->map_count;
    }
}
