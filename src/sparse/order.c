/* SPDX-License-Identifier: Apache-2.0 */
/* Minimum degree on the explicit elimination graph: eliminating a node joins its neighbours to a clique. The lists that
 * remain are the structure of the factor, so the symbolic phase is done on the way. Chains and trees cost O(n). */
#include "sparse/order.h"

#include <string.h>

#include "base/memory.h"

#define NONE UINT32_MAX

/* Nodes by degree, doubly linked; heads[d] is the first of degree d. */
typedef struct Queue {
    uint32_t *head, *next, *previous;
    uint32_t lowest;
} Queue;

static void queue_insert(Queue *queue, uint32_t node, uint32_t degree) {
    queue->previous[node] = NONE;
    queue->next[node] = queue->head[degree];
    if (queue->head[degree] != NONE) {
        queue->previous[queue->head[degree]] = node;
    }
    queue->head[degree] = node;
    queue->lowest = degree < queue->lowest ? degree : queue->lowest;
}

static void queue_remove(Queue *queue, uint32_t node, uint32_t degree) {
    if (queue->previous[node] != NONE) {
        queue->next[queue->previous[node]] = queue->next[node];
    } else {
        queue->head[degree] = queue->next[node];
    }
    if (queue->next[node] != NONE) {
        queue->previous[queue->next[node]] = queue->previous[node];
    }
}

static AfxStatus push(const AfxAllocator *allocator, AfxiElimination *e, uint32_t node, uint32_t neighbour) {
    void *list = e->list[node];
    AfxStatus status = afxi_array_reserve(allocator, &list, &e->capacity[node], e->length[node] + 1, sizeof(uint32_t));
    e->list[node] = list;
    if (status == AFX_OK) {
        e->list[node][e->length[node]++] = neighbour;
    }
    return status;
}

static AfxStatus fill_graph(const AfxAllocator *allocator, uint32_t edge_count, const uint32_t *edge,
                            AfxiElimination *e, uint32_t *mark) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < edge_count && status == AFX_OK; k++) {
        uint32_t a = edge[2 * k], b = edge[2 * k + 1];
        if (a != b) {
            status = push(allocator, e, a, b);
            status = status ? status : push(allocator, e, b, a);
        }
    }
    memset(mark, 0xff, e->count * sizeof *mark);
    for (uint32_t node = 0; node < e->count && status == AFX_OK; node++) { /* drop repeated edges */
        uint32_t kept = 0;
        for (uint32_t k = 0; k < e->length[node]; k++) {
            uint32_t other = e->list[node][k];
            if (mark[other] != node) {
                mark[other] = node;
                e->list[node][kept++] = other;
            }
        }
        e->length[node] = kept;
    }
    return status;
}

/* Joins the neighbours of `gone` at `node`, without gone and node themselves. */
static AfxStatus merge(const AfxAllocator *allocator, AfxiElimination *e, uint32_t node, uint32_t gone, uint32_t *mark,
                       uint32_t *stamp) {
    uint32_t kept = 0, tag = ++*stamp;
    mark[node] = tag;
    for (uint32_t k = 0; k < e->length[node]; k++) {
        uint32_t other = e->list[node][k];
        if (other != gone) {
            mark[other] = tag;
            e->list[node][kept++] = other;
        }
    }
    e->length[node] = kept;
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < e->length[gone] && status == AFX_OK; k++) {
        uint32_t other = e->list[gone][k];
        if (mark[other] != tag) {
            mark[other] = tag;
            status = push(allocator, e, node, other);
        }
    }
    return status;
}

static AfxStatus eliminate(const AfxAllocator *allocator, AfxiElimination *e, Queue *queue, uint32_t *mark) {
    uint32_t stamp = 0;
    AfxStatus status = AFX_OK;
    memset(mark, 0, e->count * sizeof *mark);
    queue->lowest = e->count;
    for (uint32_t node = e->count; node-- > 0;) {
        queue_insert(queue, node, e->length[node]);
    }
    for (uint32_t k = 0; k < e->count && status == AFX_OK; k++) {
        while (queue->head[queue->lowest] == NONE) {
            queue->lowest++;
        }
        uint32_t node = queue->head[queue->lowest];
        queue_remove(queue, node, queue->lowest);
        e->order[k] = node;
        for (uint32_t n = 0; n < e->length[node] && status == AFX_OK; n++) {
            uint32_t other = e->list[node][n];
            queue_remove(queue, other, e->length[other]);
            status = merge(allocator, e, other, node, mark, &stamp);
            queue_insert(queue, other, e->length[other]);
        }
    }
    return status;
}

AfxStatus afxi_minimum_degree(const AfxAllocator *allocator, uint32_t count, uint32_t edge_count, const uint32_t *edge,
                              AfxiElimination *out) {
    memset(out, 0, sizeof *out);
    out->count = count;
    size_t bytes = count * sizeof(uint32_t);
    uint32_t *work = count ? afxi_allocate(allocator, 4 * bytes + sizeof(uint32_t)) : NULL;
    out->order = count ? afxi_allocate(allocator, bytes) : NULL;
    out->list = count ? afxi_allocate(allocator, count * sizeof *out->list) : NULL;
    out->length = count ? afxi_allocate(allocator, bytes) : NULL;
    out->capacity = count ? afxi_allocate(allocator, bytes) : NULL;
    AfxStatus status = AFX_OK;
    if (count && (!work || !out->order || !out->list || !out->length || !out->capacity)) {
        status = AFX_E_MEMORY;
    }
    if (count && status == AFX_OK) {
        Queue queue = {work, work + count + 1, work + 2 * (size_t)count + 1, 0};
        uint32_t *mark = work + 3 * (size_t)count + 1;
        memset(queue.head, 0xff, (count + 1) * sizeof *queue.head);
        status = fill_graph(allocator, edge_count, edge, out, mark);
        status = status ? status : eliminate(allocator, out, &queue, mark);
    }
    afxi_release(allocator, work, 4 * bytes + sizeof(uint32_t));
    if (status != AFX_OK) {
        afxi_elimination_destroy(allocator, out);
    }
    return status;
}

void afxi_elimination_destroy(const AfxAllocator *allocator, AfxiElimination *e) {
    size_t bytes = e->count * sizeof(uint32_t);
    for (uint32_t node = 0; e->list && e->capacity && node < e->count; node++) {
        afxi_release(allocator, e->list[node], e->capacity[node] * sizeof(uint32_t));
    }
    afxi_release(allocator, e->order, bytes);
    afxi_release(allocator, e->list, e->count * sizeof *e->list);
    afxi_release(allocator, e->length, bytes);
    afxi_release(allocator, e->capacity, bytes);
    memset(e, 0, sizeof *e);
}
