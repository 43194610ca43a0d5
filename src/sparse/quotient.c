/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, beginning and queues of the quotient graph. */
#include "sparse/quotient.h"

#include <string.h>

#include "base/memory.h"
#include "sparse/tuning.h"

#define NONE UINT32_MAX

static void take(AfxiQuotient *q, AfxiArena *arena, size_t entries) {
    size_t n = q->count, m = q->element_count, word = sizeof(uint32_t);
    q->variable = afxi_arena_take(arena, n, sizeof *q->variable);
    q->element = afxi_arena_take(arena, m, sizeof *q->element);
    q->list = afxi_arena_take(arena, entries, word);
    /* What is alive never exceeds what was there at first; a new list needs room beside it before the old ones go. */
    q->pool_size = entries + entries / 4 + 2 * m + n + 2;
    q->pool = afxi_arena_take(arena, q->pool_size, word);
    q->bucket = afxi_arena_take(arena, AFXI_QUOTIENT_BUCKETS, word);
    q->head = afxi_arena_take(arena, q->queues, word);
    q->tail = afxi_arena_take(arena, q->queues, word);
}

void afxi_quotient_enqueue(AfxiQuotient *q, uint32_t i) {
    uint32_t last = q->queues - 1, degree = q->variable[i].degree < last ? q->variable[i].degree : last;
    uint32_t d = q->variable[i].key = q->variable[i].length > 1 ? degree : 0;
    if (d == 0) { /* behind all others */
        q->variable[i].next = NONE;
        q->variable[i].previous = q->tail[d];
        if (q->tail[d] == NONE) {
            q->head[d] = i;
        } else {
            q->variable[q->tail[d]].next = i;
        }
        q->tail[d] = i;
    } else { /* in front */
        q->variable[i].previous = NONE;
        q->variable[i].next = q->head[d];
        if (q->head[d] == NONE) {
            q->tail[d] = i;
        } else {
            q->variable[q->head[d]].previous = i;
        }
        q->head[d] = i;
    }
    q->lowest = d < q->lowest ? d : q->lowest;
}

void afxi_quotient_dequeue(AfxiQuotient *q, uint32_t i) {
    uint32_t d = q->variable[i].key, next = q->variable[i].next, previous = q->variable[i].previous;
    if (previous == NONE) {
        q->head[d] = next;
    } else {
        q->variable[previous].next = next;
    }
    if (next == NONE) {
        q->tail[d] = previous;
    } else {
        q->variable[next].previous = previous;
    }
}

void afxi_quotient_compact(AfxiQuotient *q) {
    size_t to = 0;
    for (size_t from = 0; from < q->pool_used;) {
        uint32_t e = q->pool[from], room = q->pool[from + 1];
        if (e != NONE) {
            uint32_t length = q->element[e].members;
            memmove(q->pool + to + 2, q->pool + from + 2, length * sizeof *q->pool);
            q->pool[to] = e;
            q->pool[to + 1] = length;
            q->element[e].at = to + 2;
            to += 2 + (size_t)length;
        }
        from += 2 + (size_t)room;
    }
    q->pool_used = to;
}

static void fill_elements(AfxiQuotient *q, const AfxiBlockGraph *graph) {
    for (uint32_t e = 0; e < q->element_count; e++) {
        uint32_t kept = 0;
        q->pool[q->pool_used] = e;
        q->element[e].at = q->pool_used + 2;
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            uint32_t i = graph->member[k];
            if (q->variable[i].mark != e + 1) { /* a repeated member */
                q->variable[i].mark = e + 1;
                q->pool[q->element[e].at + kept++] = i;
                q->variable[i].length++;
            }
        }
        q->pool[q->pool_used + 1] = q->element[e].members = kept;
        q->pool_used += 2 + kept;
    }
}

/* Lists of the variables from those of the elements; variables in very many elements are put aside. */
static void fill_variables(AfxiQuotient *q, const AfxiBlockGraph *graph) {
    uint64_t dense = 16;
    while (dense * dense < (uint64_t)AFXI_DENSE_FACTOR * AFXI_DENSE_FACTOR * q->count) {
        dense *= 2;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        q->variable[i].start = at;
        at += q->variable[i].length;
        q->variable[i].weight = q->variable[i].length > dense ? 0 : graph->size[i];
        q->rows_left += q->variable[i].weight;
        q->variable[i].length = 0;
        q->variable[i].more = NONE;
        q->variable[i].last = q->variable[i].weight ? i : NONE;
        q->variable[i].mark = 0;
    }
    for (uint32_t e = 0; e < q->element_count; e++) {
        uint32_t kept = 0, *member = q->pool + q->element[e].at;
        for (uint32_t k = 0; k < q->element[e].members; k++) {
            uint32_t i = member[k];
            if (q->variable[i].weight) {
                member[kept++] = i;
            }
        }
        q->element[e].members = kept > 1 ? kept : 0; /* one variable alone is no element */
        for (uint32_t k = 0; k < q->element[e].members; k++) {
            uint32_t i = member[k];
            q->list[q->variable[i].start + q->variable[i].length++] = e;
            q->element[e].rows += q->variable[i].weight;
        }
    }
}

static void fill_queue(AfxiQuotient *q) {
    memset(q->head, 0xff, q->queues * sizeof *q->head);
    memset(q->tail, 0xff, q->queues * sizeof *q->tail);
    memset(q->bucket, 0xff, AFXI_QUOTIENT_BUCKETS * sizeof *q->bucket);
    q->lowest = q->queues - 1;
    for (uint32_t i = 0; i < q->count; i++) {
        uint64_t degree = 0;
        for (uint32_t k = 0; q->variable[i].weight && k < q->variable[i].length; k++) {
            degree += q->element[q->list[q->variable[i].start + k]].rows - q->variable[i].weight;
        }
        uint32_t most = q->rows_left - q->variable[i].weight;
        q->variable[i].degree = degree < most ? (uint32_t)degree : most;
        if (q->variable[i].weight) {
            afxi_quotient_enqueue(q, i);
        }
    }
}

AfxStatus afxi_quotient_create(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiQuotient *out) {
    size_t rows = 0, entries = graph->clique_count ? graph->clique_start[graph->clique_count] : 0;
    memset(out, 0, sizeof *out);
    out->count = graph->count;
    out->element_count = graph->clique_count;
    for (uint32_t k = 0; k < graph->count; k++) {
        rows += graph->size[k];
    }
    size_t most = (size_t)AFXI_QUEUES_PER_VARIABLE * graph->count;
    out->queues = (uint32_t)(rows < most ? rows : most) + 1;
    AfxiArena arena = {0};
    take(out, &arena, entries);
    if (arena.overflow || rows >= NONE) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(allocator, arena.used, &out->raw, &out->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(out, &arena, entries);
    fill_elements(out, graph);
    fill_variables(out, graph);
    fill_queue(out);
    return AFX_OK;
}
