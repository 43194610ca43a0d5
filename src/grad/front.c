/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of fronts: from supernodes to places of all entries. */
#include "grad/front.h"

#include <string.h>

#include "math/variant.h"

#define NONE UINT32_MAX

AFXI_BUILDS(const AfxiGradKernel, afxi_grad_kernel);

void afxi_grad_columns_release(const AfxAllocator *allocator, AfxiGradColumns *columns) {
    afxi_release(allocator, columns->start, columns->start_capacity * sizeof *columns->start);
    afxi_release(allocator, columns->row, columns->row_capacity * sizeof *columns->row);
    afxi_release(allocator, columns->value, columns->value_capacity * sizeof *columns->value);
    *columns = (AfxiGradColumns){0};
}

AfxStatus afxi_grad_columns_reserve(const AfxAllocator *allocator, AfxiGradColumns *columns, uint32_t n,
                                    uint32_t entries) {
    AfxStatus status = afxi_array_reserve(allocator, (void **)&columns->start, &columns->start_capacity, n + 1,
                                          sizeof *columns->start);
    if (status == AFX_OK) {
        status = afxi_array_reserve(allocator, (void **)&columns->row, &columns->row_capacity, entries,
                                    sizeof *columns->row);
    }
    if (status == AFX_OK) {
        status = afxi_array_reserve(allocator, (void **)&columns->value, &columns->value_capacity, entries,
                                    sizeof *columns->value);
    }
    return status;
}

void afxi_grad_factor_release(AfxiGradFactor *factor) {
    const AfxAllocator *allocator = factor->allocator;
    afxi_release(allocator, factor->raw, factor->raw_size);
    afxi_release(allocator, factor->numbers, factor->numbers_size);
    *factor = (AfxiGradFactor){.allocator = allocator};
}

/* An aligned block for an arena that has counted. */
static AfxStatus open(const AfxAllocator *allocator, AfxiArena *arena, void **raw, size_t *size) {
    arena->base = arena->overflow ? NULL : afxi_allocate_aligned(allocator, arena->used + 1, raw, size);
    arena->used = 0;
    return arena->base ? AFX_OK : AFX_E_MEMORY;
}

static uint32_t round_up(uint32_t rows) {
    return (rows + 3u) & ~3u;
}

/* Where unknowns are: `at` [n] of each, `begin` [blocks + 1] of blocks by place. */
static void number(AfxiGradFactor *factor, const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic,
                   const uint32_t *unknown, uint32_t *first, uint32_t *at, uint32_t *begin) {
    uint32_t position = 0;
    first[0] = 0;
    for (uint32_t b = 0; b < graph->count; b++) {
        first[b + 1] = first[b] + graph->size[b];
    }
    for (uint32_t place = 0; place < graph->count; place++) {
        uint32_t block = symbolic->order[place];
        begin[place] = position;
        for (uint32_t k = first[block]; k < first[block + 1]; k++) {
            factor->order[position] = unknown[k];
            at[unknown[k]] = position++;
        }
    }
    begin[graph->count] = position;
}

/* Shapes, rows below and children; `local` [n] is work: where a position stands in a front. */
static void shape(AfxiGradFactor *factor, const AfxiSymbolic *symbolic, const uint32_t *begin, uint32_t *local) {
    uint32_t index = 0;
    for (uint32_t f = 0; f < factor->count; f++) {
        AfxiGradFront *front = &factor->front[f];
        *front = (AfxiGradFront){.first = begin[symbolic->first[f]],
                                 .index = index,
                                 .first_child = NONE,
                                 .next_child = NONE,
                                 .width = symbolic->width[f],
                                 .height = symbolic->height[f]};
        for (uint32_t k = symbolic->start[f]; k < symbolic->start[f + 1]; k++) {
            for (uint32_t p = begin[symbolic->row[k]]; p < begin[symbolic->row[k] + 1]; p++) {
                factor->index[index++] = p;
            }
        }
        front->below = round_up(front->width);
        front->beside = round_up(front->height);
    }
    for (uint32_t f = factor->count; f-- > 0;) { /* so that first children come first */
        AfxiGradFront *front = &factor->front[f];
        uint32_t parent = symbolic->parent[f];
        if (parent == NONE) {
            continue;
        }
        AfxiGradFront *own = &factor->front[parent];
        front->next_child = own->first_child;
        own->first_child = f;
        for (uint32_t k = 0; k < own->height; k++) {
            local[factor->index[own->index + k]] = k;
        }
        for (uint32_t k = 0; k < front->height; k++) {
            uint32_t p = factor->index[front->index + k];
            bool pivot = p < own->first + own->width;
            factor->map[front->index + k] = pivot ? p - own->first : local[p];
            front->carried += pivot;
        }
    }
}

/* Where fronts stand; those of work lie on two stacks, children on the other one than their parents. */
static void lay_out(AfxiGradFactor *factor, const AfxiSymbolic *symbolic, uint32_t *depth, size_t *out_work) {
    size_t top[2] = {0, 0}, most[2] = {0, 0};
    factor->value_length = 0;
    for (uint32_t f = factor->count; f-- > 0;) {
        depth[f] = symbolic->parent[f] == NONE ? 0 : depth[symbolic->parent[f]] + 1;
    }
    for (uint32_t f = 0; f < factor->count; f++) {
        AfxiGradFront *front = &factor->front[f];
        size_t *own = &top[depth[f] & 1u], *other = &top[(depth[f] + 1) & 1u];
        front->column = factor->value_length;
        front->across = front->column + (size_t)front->width * (front->below + front->beside);
        factor->value_length = front->across + (size_t)front->width * front->beside;
        for (uint32_t child = front->first_child; child != NONE; child = factor->front[child].next_child) {
            *other -= (size_t)factor->front[child].height * factor->front[child].beside;
        }
        front->update = *own;
        *own += (size_t)front->height * front->beside;
        most[depth[f] & 1u] = *own > most[depth[f] & 1u] ? *own : most[depth[f] & 1u];
    }
    for (uint32_t f = 0; f < factor->count; f++) {
        factor->front[f].update += depth[f] & 1u ? most[0] : 0;
    }
    *out_work = most[0] + most[1];
}

/* Where an entry of two positions goes, with where those of the front of the earlier one stand in `local`. */
static size_t place_of(const AfxiGradFront *front, const uint32_t *local, uint32_t row, uint32_t column) {
    uint32_t end = front->first + front->width;
    if (column >= end) {
        return front->across + (size_t)(row - front->first) * front->beside + local[column];
    }
    return front->column + (size_t)(column - front->first) * (front->below + front->beside) +
           (row < end ? row - front->first : front->below + local[row]);
}

/* Spots by front: counted, then filled; `owner` [n] is the front of a position, `column` [spots] the columns. */
static void find_spots(AfxiGradFactor *factor, const AfxiGradColumns *matrix, const uint32_t *at, uint32_t *owner,
                       uint32_t *next, uint32_t *local) {
    uint32_t entries = matrix->start[factor->n], count = 0;
    memset(next, 0, ((size_t)factor->count + 1) * sizeof *next);
    for (uint32_t f = 0; f < factor->count; f++) {
        for (uint32_t k = 0; k < factor->front[f].width; k++) {
            owner[factor->front[f].first + k] = f;
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < factor->n; c++) {
            for (uint32_t p = matrix->start[c]; p <= matrix->start[c + 1]; p++) { /* the last one: the diagonal */
                bool diagonal = p == matrix->start[c + 1];
                uint32_t row = diagonal ? at[c] : at[matrix->row[p]], column = at[c];
                uint32_t f = owner[row < column ? row : column];
                if (pass == 0) {
                    next[f]++;
                } else {
                    factor->spot[next[f]++] = (AfxiGradSpot){diagonal ? entries + c : p, ((size_t)row << 32) | column};
                }
            }
        }
        for (uint32_t f = 0; f < factor->count && pass == 0; f++) {
            factor->front[f].entry = count;
            factor->front[f].entries = next[f];
            count += next[f];
            next[f] = factor->front[f].entry;
        }
    }
    for (uint32_t f = 0; f < factor->count; f++) {
        const AfxiGradFront *front = &factor->front[f];
        for (uint32_t k = 0; k < front->height; k++) {
            local[factor->index[front->index + k]] = k;
        }
        for (uint32_t k = front->entry; k < front->entry + front->entries; k++) {
            size_t both = factor->spot[k].at;
            factor->spot[k].at = place_of(front, local, (uint32_t)(both >> 32), (uint32_t)both);
        }
    }
}

static void take(AfxiGradFactor *factor, AfxiArena *arena, uint32_t rows) {
    factor->order = afxi_arena_take(arena, factor->n, sizeof *factor->order);
    factor->front = afxi_arena_take(arena, factor->count, sizeof *factor->front);
    factor->index = afxi_arena_take(arena, rows, sizeof *factor->index);
    factor->map = afxi_arena_take(arena, rows, sizeof *factor->map);
    factor->spot = afxi_arena_take(arena, factor->spot_count, sizeof *factor->spot);
    factor->swap = afxi_arena_take(arena, factor->n, sizeof *factor->swap);
}

static void take_numbers(AfxiGradFactor *factor, AfxiArena *arena, size_t work) {
    factor->value = afxi_arena_take(arena, factor->value_length + 4, sizeof(double));
    factor->work = afxi_arena_take(arena, work + 4, sizeof(double));
    factor->vector = afxi_arena_take(arena, 3 * ((size_t)factor->n + 4), sizeof(double));
}

static AfxStatus build(AfxiGradFactor *factor, const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic,
                       const uint32_t *unknown, const AfxiGradColumns *matrix) {
    AfxiArena arena = {0}, numbers = {0}, scratch = {0};
    void *raw = NULL;
    size_t raw_size = 0, work = 0;
    uint32_t rows = 0, *at = NULL, *begin = NULL, *owner = NULL, *local = NULL, *first = NULL;
    for (uint32_t f = 0; f < symbolic->count; f++) {
        rows += symbolic->height[f];
    }
    AfxStatus status = AFX_OK;
    for (int pass = 0; pass < 2 && status == AFX_OK; pass++) {
        take(factor, &arena, rows);
        at = afxi_arena_take(&scratch, factor->n, sizeof *at);
        begin = afxi_arena_take(&scratch, (size_t)graph->count + 1, sizeof *begin);
        first = afxi_arena_take(&scratch, (size_t)graph->count + 1, sizeof *first);
        owner = afxi_arena_take(&scratch, factor->n, sizeof *owner);
        local = afxi_arena_take(&scratch, (size_t)factor->n + factor->count + 1, sizeof *local);
        if (pass == 0) {
            status = open(factor->allocator, &arena, &factor->raw, &factor->raw_size);
            status = status == AFX_OK ? open(factor->allocator, &scratch, &raw, &raw_size) : status;
        }
    }
    if (status == AFX_OK) {
        number(factor, graph, symbolic, unknown, first, at, begin);
        shape(factor, symbolic, begin, local);
        lay_out(factor, symbolic, owner, &work);
        find_spots(factor, matrix, at, owner, local + factor->n, local);
    }
    for (int pass = 0; pass < 2 && status == AFX_OK; pass++) {
        take_numbers(factor, &numbers, work);
        status = pass == 0 ? open(factor->allocator, &numbers, &factor->numbers, &factor->numbers_size) : status;
    }
    afxi_release(factor->allocator, raw, raw_size);
    return status;
}

AfxStatus afxi_grad_factor_plan(AfxiGradFactor *factor, const AfxiBlockGraph *graph, const uint32_t *order,
                                const uint32_t *unknown, const AfxiGradColumns *matrix, uint32_t n) {
    AfxiSymbolic symbolic = {0};
    afxi_grad_factor_release(factor);
    AfxStatus status = graph->count ? afxi_symbolic_create(factor->allocator, graph, order, true, &symbolic) : AFX_OK;
    factor->n = n;
    factor->count = symbolic.count;
    factor->spot_count = matrix->start[n] + n;
    factor->kernel = AFXI_BUILD_OF(afxi_grad_kernel, 0);
    status = status == AFX_OK && graph->count ? build(factor, graph, &symbolic, unknown, matrix) : status;
    afxi_symbolic_destroy(factor->allocator, &symbolic);
    if (status != AFX_OK) {
        afxi_grad_factor_release(factor);
    }
    return status;
}
