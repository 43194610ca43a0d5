/* SPDX-License-Identifier: Apache-2.0 */
/* Approximate minimum degree (Amestoy, Davis, Duff 1996) on a graph that is given as cliques. The cliques are the first
 * elements of the quotient graph, so there are no edges: a variable (block) lists the elements it is in, an element
 * lists its variables. Eliminating p joins its elements to one, L_p; a variable i of it is left with the degree
 *     d_i <= |L_p \ i| + sum over its other elements e of |L_e \ L_p|,
 * counted in rows. Elements inside L_p are absorbed, variables with equal lists become one, and a variable that is in
 * L_p alone is eliminated with p. A variable in one element only goes first whatever its degree: it causes no fill, so
 * trees have none. Lists never grow, so memory is linear. Ties go to the variable that has waited longest, which makes
 * the tree of elimination flat. */
#include <string.h>

#include "base/memory.h"
#include "sparse/order.h"

#define NONE UINT32_MAX
/* A variable in more elements than this times the root of their number is eliminated last. */
#define DENSE_FACTOR 10
/* Queues of degrees, at most this many for each variable: larger degrees share the last one. */
#define QUEUES_PER_VARIABLE 32

typedef struct Quotient {
    uint32_t count, element_count;
    /* variables */
    uint32_t *weight;          /* [count] rows; 0: eliminated, or part of another */
    uint32_t *list;            /* elements of the variables */
    uint32_t *start, *length;  /* [count] into list */
    uint32_t *degree;          /* [count] */
    uint32_t *key;             /* [count] where it is in the queue: 0, or the degree */
    uint32_t *next, *previous; /* [count] in the queue; next also in hash chains */
    uint32_t *more, *last;     /* [count] chain of the variables that are one with this; last NONE: put aside */
    uint32_t *hash;            /* [count] */
    /* elements */
    uint32_t *pool; /* [pool_size] variables; before each list stand the element (NONE: dead) and its room */
    size_t pool_size, pool_used;
    size_t *at;               /* [element_count] where its list begins */
    uint32_t *members, *rows; /* [element_count] length of the list; rows of what is alive in it; 0: dead */
    uint32_t *outside, *seen; /* [element_count] |L_e \ L_p|, and for which p that was counted */
    /* queue by degree */
    uint32_t *head, *tail; /* [queues] */
    uint32_t queues, lowest;
    uint32_t *mark;   /* [count] */
    uint32_t *bucket; /* [count] heads of hash chains */
    uint32_t stamp, rows_left, ordered;
    uint32_t *order;
} Quotient;

static void take(Quotient *q, AfxiArena *arena, size_t entries) {
    size_t n = q->count, m = q->element_count, word = sizeof(uint32_t);
    uint32_t **by_variable[] = {&q->weight,   &q->key,  &q->start, &q->length, &q->degree, &q->next,
                                &q->previous, &q->more, &q->last,  &q->hash,   &q->mark,   &q->bucket};
    for (size_t k = 0; k < sizeof by_variable / sizeof *by_variable; k++) {
        *by_variable[k] = afxi_arena_take(arena, n, word);
    }
    uint32_t **by_element[] = {&q->members, &q->rows, &q->outside, &q->seen};
    for (size_t k = 0; k < sizeof by_element / sizeof *by_element; k++) {
        *by_element[k] = afxi_arena_take(arena, m, word);
    }
    q->at = afxi_arena_take(arena, m, sizeof *q->at);
    q->list = afxi_arena_take(arena, entries, word);
    /* What is alive never exceeds what was there at first; a new list needs room beside it before the old ones go. */
    q->pool_size = entries + entries / 4 + 2 * m + n + 2;
    q->pool = afxi_arena_take(arena, q->pool_size, word);
    q->head = afxi_arena_take(arena, q->queues, word);
    q->tail = afxi_arena_take(arena, q->queues, word);
}

static void enqueue(Quotient *q, uint32_t i) {
    uint32_t last = q->queues - 1, degree = q->degree[i] < last ? q->degree[i] : last;
    uint32_t d = q->key[i] = q->length[i] > 1 ? degree : 0;
    q->next[i] = NONE;
    q->previous[i] = q->tail[d];
    if (q->tail[d] == NONE) {
        q->head[d] = i;
    } else {
        q->next[q->tail[d]] = i;
    }
    q->tail[d] = i;
    q->lowest = d < q->lowest ? d : q->lowest;
}

static void dequeue(Quotient *q, uint32_t i) {
    uint32_t d = q->key[i], next = q->next[i], previous = q->previous[i];
    if (previous == NONE) {
        q->head[d] = next;
    } else {
        q->next[previous] = next;
    }
    if (next == NONE) {
        q->tail[d] = previous;
    } else {
        q->previous[next] = previous;
    }
}

/* A variable and all that are one with it go. */
static void emit(Quotient *q, uint32_t i) {
    q->rows_left -= q->weight[i];
    q->weight[i] = 0;
    for (; i != NONE; i = q->more[i]) {
        q->order[q->ordered++] = i;
    }
}

static void fill_elements(Quotient *q, const AfxiBlockGraph *graph) {
    for (uint32_t e = 0; e < q->element_count; e++) {
        uint32_t kept = 0;
        q->pool[q->pool_used] = e;
        q->at[e] = q->pool_used + 2;
        for (uint32_t k = graph->clique_start[e]; k < graph->clique_start[e + 1]; k++) {
            uint32_t i = graph->member[k];
            if (q->mark[i] != e + 1) { /* a repeated member */
                q->mark[i] = e + 1;
                q->pool[q->at[e] + kept++] = i;
                q->length[i]++;
            }
        }
        q->pool[q->pool_used + 1] = q->members[e] = kept;
        q->pool_used += 2 + kept;
    }
}

/* Lists of the variables from those of the elements; variables in very many elements are put aside. */
static void fill_variables(Quotient *q, const AfxiBlockGraph *graph) {
    uint64_t dense = 16;
    while (dense * dense < (uint64_t)DENSE_FACTOR * DENSE_FACTOR * q->count) {
        dense *= 2;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        q->start[i] = at;
        at += q->length[i];
        q->weight[i] = q->length[i] > dense ? 0 : graph->size[i];
        q->rows_left += q->weight[i];
        q->length[i] = 0;
        q->more[i] = NONE;
        q->last[i] = q->weight[i] ? i : NONE;
        q->mark[i] = 0;
        q->bucket[i] = NONE;
    }
    for (uint32_t e = 0; e < q->element_count; e++) {
        uint32_t kept = 0, *member = q->pool + q->at[e];
        for (uint32_t k = 0; k < q->members[e]; k++) {
            uint32_t i = member[k];
            if (q->weight[i]) {
                member[kept++] = i;
            }
        }
        q->members[e] = kept > 1 ? kept : 0; /* one variable alone is no element */
        for (uint32_t k = 0; k < q->members[e]; k++) {
            uint32_t i = member[k];
            q->list[q->start[i] + q->length[i]++] = e;
            q->rows[e] += q->weight[i];
        }
    }
}

static void fill_queue(Quotient *q) {
    memset(q->head, 0xff, q->queues * sizeof *q->head);
    memset(q->tail, 0xff, q->queues * sizeof *q->tail);
    q->lowest = q->queues - 1;
    for (uint32_t i = 0; i < q->count; i++) {
        uint64_t degree = 0;
        for (uint32_t k = 0; q->weight[i] && k < q->length[i]; k++) {
            degree += q->rows[q->list[q->start[i] + k]] - q->weight[i];
        }
        uint32_t most = q->rows_left - q->weight[i];
        q->degree[i] = degree < most ? (uint32_t)degree : most;
        if (q->weight[i]) {
            enqueue(q, i);
        }
    }
}

/* Moves the lists that are alive to the beginning of the pool. */
static void compact(Quotient *q) {
    size_t to = 0;
    for (size_t from = 0; from < q->pool_used;) {
        uint32_t e = q->pool[from], room = q->pool[from + 1];
        if (e != NONE) {
            uint32_t length = q->members[e];
            memmove(q->pool + to + 2, q->pool + from + 2, length * sizeof *q->pool);
            q->pool[to] = e;
            q->pool[to + 1] = length;
            q->at[e] = to + 2;
            to += 2 + (size_t)length;
        }
        from += 2 + (size_t)room;
    }
    q->pool_used = to;
}

static void kill_element(Quotient *q, uint32_t e) {
    q->rows[e] = 0;
    q->members[e] = 0;
    q->pool[q->at[e] - 2] = NONE;
}

/* Joins the elements of p to one, without p; it takes the name of the first of them. NONE when nothing is left. */
static uint32_t join(Quotient *q, uint32_t p) {
    const uint32_t *own = q->list + q->start[p];
    uint32_t most = 0, tag = ++q->stamp, kept = 0, rows = 0;
    for (uint32_t k = 0; k < q->length[p]; k++) {
        most += q->members[own[k]];
    }
    if (q->length[p] == 0) {
        return NONE;
    }
    size_t at = q->at[own[0]];
    if (q->length[p] > 1) {
        most = most < q->count ? most : q->count;
        if (q->pool_size - q->pool_used < (size_t)most + 2) {
            compact(q);
        }
        at = q->pool_used + 2;
    }
    for (uint32_t k = 0; k < q->length[p]; k++) {
        uint32_t e = own[k];
        const uint32_t *member = q->pool + q->at[e];
        for (uint32_t m = 0; m < q->members[e]; m++) {
            uint32_t i = member[m];
            if (i != p && q->weight[i] && q->mark[i] != tag) {
                q->mark[i] = tag;
                q->pool[at + kept++] = i;
                rows += q->weight[i];
            }
        }
    }
    uint32_t name = own[0];
    if (q->length[p] > 1) {
        for (uint32_t k = 0; k < q->length[p]; k++) {
            kill_element(q, own[k]);
        }
        q->pool[at - 2] = name;
        q->pool[at - 1] = kept;
        q->pool_used = at + kept;
        q->at[name] = at;
    }
    q->members[name] = kept;
    q->rows[name] = rows;
    q->seen[name] = tag;
    return name;
}

/* outside[e] <- |L_e \ L_p| for the elements that meet L_p. */
static void count_outside(Quotient *q, uint32_t name) {
    uint32_t tag = q->stamp;
    for (uint32_t m = 0; m < q->members[name]; m++) {
        uint32_t i = q->pool[q->at[name] + m];
        for (uint32_t k = 0; k < q->length[i]; k++) {
            uint32_t e = q->list[q->start[i] + k];
            if (e != name && q->rows[e]) {
                q->outside[e] = (q->seen[e] == tag ? q->outside[e] : q->rows[e]) - q->weight[i];
                q->seen[e] = tag;
            }
        }
    }
}

/* Drops dead and absorbed elements from the list of i, puts L_p into it and bounds its degree. */
static void update_variable(Quotient *q, uint32_t i, uint32_t name) {
    uint32_t *own = q->list + q->start[i], kept = 1, hash = name, first = 0;
    uint64_t degree = q->rows[name] - q->weight[i];
    for (uint32_t k = 0; k < q->length[i]; k++) {
        uint32_t e = own[k];
        if (e == name || q->rows[e] == 0) {
            continue;
        }
        if (q->outside[e] == 0) {
            kill_element(q, e);
            continue;
        }
        degree += q->outside[e];
        hash += e;
        if (kept <= k) {
            own[kept++] = e;
        } else { /* the place of the first one is for L_p: it had not been freed yet */
            first = e + 1;
        }
    }
    if (first) {
        own[kept++] = first - 1;
    }
    own[0] = name;
    q->length[i] = kept;
    q->hash[i] = hash % q->count;
    uint64_t most = (uint64_t)q->rows_left - q->weight[i],
             grown = (uint64_t)q->degree[i] + q->rows[name] - q->weight[i];
    degree = degree < most ? degree : most;
    q->degree[i] = (uint32_t)(degree < grown ? degree : grown);
}

static bool same_elements(const Quotient *q, uint32_t i, uint32_t j) {
    const uint32_t *own = q->list + q->start[i], *other = q->list + q->start[j];
    uint32_t tag = q->stamp;
    if (q->length[i] != q->length[j]) {
        return false;
    }
    for (uint32_t k = 0; k < q->length[i]; k++) {
        q->seen[own[k]] = tag;
    }
    for (uint32_t k = 0; k < q->length[j]; k++) {
        if (q->seen[other[k]] != tag) {
            return false;
        }
    }
    return true;
}

/* Variables of L_p with the same lists become one. */
static void unite(Quotient *q, uint32_t name) {
    const uint32_t *member = q->pool + q->at[name];
    for (uint32_t m = 0; m < q->members[name]; m++) {
        uint32_t i = member[m], *bucket = &q->bucket[q->hash[i]], j = *bucket;
        if (!q->weight[i]) {
            continue;
        }
        for (; j != NONE; j = q->next[j]) {
            q->stamp++;
            if (same_elements(q, i, j)) {
                break;
            }
        }
        if (j == NONE) {
            q->next[i] = *bucket;
            *bucket = i;
            continue;
        }
        q->weight[j] += q->weight[i];
        q->degree[j] -= q->weight[i] < q->degree[j] ? q->weight[i] : q->degree[j];
        q->weight[i] = 0;
        q->more[q->last[j]] = i;
        q->last[j] = q->last[i];
    }
    for (uint32_t m = 0; m < q->members[name]; m++) {
        q->bucket[q->hash[member[m]]] = NONE;
    }
}

static void eliminate(Quotient *q, uint32_t p) {
    dequeue(q, p);
    uint32_t name = join(q, p);
    emit(q, p);
    if (name == NONE) {
        return;
    }
    count_outside(q, name);
    uint32_t *member = q->pool + q->at[name], kept = 0;
    for (uint32_t m = 0; m < q->members[name]; m++) {
        uint32_t i = member[m];
        dequeue(q, i);
        update_variable(q, i, name);
        if (q->length[i] == 1) { /* in L_p alone */
            q->rows[name] -= q->weight[i];
            emit(q, i);
        } else {
            member[kept++] = i;
        }
    }
    q->members[name] = kept;
    unite(q, name);
    kept = 0;
    for (uint32_t m = 0; m < q->members[name]; m++) {
        if (q->weight[member[m]]) {
            member[kept++] = member[m];
        }
    }
    q->members[name] = kept;
    if (kept <= 1) { /* one variable alone is no element */
        kill_element(q, name);
    }
    for (uint32_t m = 0; m < kept; m++) {
        uint32_t i = member[m], most = q->rows_left - q->weight[i];
        if (kept == 1) {
            q->list[q->start[i]] = q->list[q->start[i] + --q->length[i]];
        }
        q->degree[i] = q->degree[i] < most ? q->degree[i] : most;
        enqueue(q, i);
    }
}

AfxStatus afxi_order_degree(const AfxAllocator *allocator, const AfxiBlockGraph *graph, uint32_t *order) {
    Quotient q = {.count = graph->count, .element_count = graph->clique_count, .order = order};
    size_t rows = 0, entries = graph->clique_count ? graph->clique_start[graph->clique_count] : 0, raw_size;
    for (uint32_t k = 0; k < graph->count; k++) {
        rows += graph->size[k];
    }
    size_t most = (size_t)QUEUES_PER_VARIABLE * graph->count;
    q.queues = (uint32_t)(rows < most ? rows : most) + 1;
    AfxiArena arena = {0};
    void *raw;
    take(&q, &arena, entries);
    if (arena.overflow || rows >= NONE) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(allocator, arena.used, &raw, &raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(&q, &arena, entries);
    fill_elements(&q, graph);
    fill_variables(&q, graph);
    fill_queue(&q);
    while (q.rows_left) {
        while (q.head[q.lowest] == NONE) {
            q.lowest++;
        }
        eliminate(&q, q.head[q.lowest]);
    }
    for (uint32_t k = 0; k < graph->count; k++) { /* what was put aside */
        if (q.last[k] == NONE) {
            order[q.ordered++] = k;
        }
    }
    afxi_release(allocator, raw, raw_size);
    return AFX_OK;
}
