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
/* Chains of variables that might be one; few enough to stay in the cache. */
#define BUCKETS 2048u

typedef struct Variable {
    uint32_t weight;        /* rows; 0: eliminated, or part of another */
    uint32_t start, length; /* its elements, in list */
    uint32_t degree;
    uint32_t key;            /* where it is in the queue: 0, or the degree */
    uint32_t next, previous; /* in the queue; next also in hash chains */
    uint32_t more, last;     /* chain of the variables that are one with this; last NONE: put aside */
    uint32_t hash;
    uint32_t mark;
} Variable;

typedef struct Element {
    size_t at;              /* where its variables begin, in pool */
    uint32_t members, rows; /* how many there are; rows of what is alive of them; 0: dead */
    uint32_t outside, seen; /* |L_e \ L_p|, and for which p that was counted */
} Element;

typedef struct Quotient {
    uint32_t count, element_count;
    Variable *variable; /* [count] */
    Element *element;   /* [element_count] */
    uint32_t *list;     /* elements of the variables */
    uint32_t *pool; /* [pool_size] variables of the elements; before each stand the element (NONE: dead) and its room */
    size_t pool_size, pool_used;
    uint32_t *head, *tail; /* [queues] */
    uint32_t *bucket;      /* [BUCKETS] heads of hash chains */
    uint32_t queues, lowest;
    uint32_t stamp, rows_left, ordered;
    uint32_t *order;
} Quotient;

static void take(Quotient *q, AfxiArena *arena, size_t entries) {
    size_t n = q->count, m = q->element_count, word = sizeof(uint32_t);
    q->variable = afxi_arena_take(arena, n, sizeof *q->variable);
    q->element = afxi_arena_take(arena, m, sizeof *q->element);
    q->list = afxi_arena_take(arena, entries, word);
    /* What is alive never exceeds what was there at first; a new list needs room beside it before the old ones go. */
    q->pool_size = entries + entries / 4 + 2 * m + n + 2;
    q->pool = afxi_arena_take(arena, q->pool_size, word);
    q->bucket = afxi_arena_take(arena, BUCKETS, word);
    q->head = afxi_arena_take(arena, q->queues, word);
    q->tail = afxi_arena_take(arena, q->queues, word);
}

static void enqueue(Quotient *q, uint32_t i) {
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

static void dequeue(Quotient *q, uint32_t i) {
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

/* A variable and all that are one with it go. */
static void emit(Quotient *q, uint32_t i) {
    q->rows_left -= q->variable[i].weight;
    q->variable[i].weight = 0;
    for (; i != NONE; i = q->variable[i].more) {
        q->order[q->ordered++] = i;
    }
}

static void fill_elements(Quotient *q, const AfxiBlockGraph *graph) {
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
static void fill_variables(Quotient *q, const AfxiBlockGraph *graph) {
    uint64_t dense = 16;
    while (dense * dense < (uint64_t)DENSE_FACTOR * DENSE_FACTOR * q->count) {
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

static void fill_queue(Quotient *q) {
    memset(q->head, 0xff, q->queues * sizeof *q->head);
    memset(q->tail, 0xff, q->queues * sizeof *q->tail);
    memset(q->bucket, 0xff, BUCKETS * sizeof *q->bucket);
    q->lowest = q->queues - 1;
    for (uint32_t i = 0; i < q->count; i++) {
        uint64_t degree = 0;
        for (uint32_t k = 0; q->variable[i].weight && k < q->variable[i].length; k++) {
            degree += q->element[q->list[q->variable[i].start + k]].rows - q->variable[i].weight;
        }
        uint32_t most = q->rows_left - q->variable[i].weight;
        q->variable[i].degree = degree < most ? (uint32_t)degree : most;
        if (q->variable[i].weight) {
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

static void kill_element(Quotient *q, uint32_t e) {
    q->element[e].rows = 0;
    q->element[e].members = 0;
    q->pool[q->element[e].at - 2] = NONE;
}

/* Joins the elements of p to one, without p; it takes the name of the first of them. NONE when nothing is left. */
static uint32_t join(Quotient *q, uint32_t p) {
    const uint32_t *own = q->list + q->variable[p].start;
    uint32_t most = 0, tag = ++q->stamp, kept = 0, rows = 0;
    for (uint32_t k = 0; k < q->variable[p].length; k++) {
        most += q->element[own[k]].members;
    }
    if (q->variable[p].length == 0) {
        return NONE;
    }
    size_t at = q->element[own[0]].at;
    if (q->variable[p].length > 1) {
        most = most < q->count ? most : q->count;
        if (q->pool_size - q->pool_used < (size_t)most + 2) {
            compact(q);
        }
        at = q->pool_used + 2;
    }
    for (uint32_t k = 0; k < q->variable[p].length; k++) {
        uint32_t e = own[k];
        const uint32_t *member = q->pool + q->element[e].at;
        for (uint32_t m = 0; m < q->element[e].members; m++) {
            uint32_t i = member[m];
            if (i != p && q->variable[i].weight && q->variable[i].mark != tag) {
                q->variable[i].mark = tag;
                q->pool[at + kept++] = i;
                rows += q->variable[i].weight;
            }
        }
    }
    uint32_t name = own[0];
    if (q->variable[p].length > 1) {
        for (uint32_t k = 0; k < q->variable[p].length; k++) {
            kill_element(q, own[k]);
        }
        q->pool[at - 2] = name;
        q->pool[at - 1] = kept;
        q->pool_used = at + kept;
        q->element[name].at = at;
    }
    q->element[name].members = kept;
    q->element[name].rows = rows;
    q->element[name].seen = tag;
    return name;
}

/* outside[e] <- |L_e \ L_p| for the elements that meet L_p. */
static void count_outside(Quotient *q, uint32_t name) {
    uint32_t tag = q->stamp;
    for (uint32_t m = 0; m < q->element[name].members; m++) {
        uint32_t i = q->pool[q->element[name].at + m];
        for (uint32_t k = 0; k < q->variable[i].length; k++) {
            uint32_t e = q->list[q->variable[i].start + k];
            if (e != name && q->element[e].rows) {
                q->element[e].outside =
                    (q->element[e].seen == tag ? q->element[e].outside : q->element[e].rows) - q->variable[i].weight;
                q->element[e].seen = tag;
            }
        }
    }
}

/* Drops dead and absorbed elements from the list of i, puts L_p into it and bounds its degree. */
static void update_variable(Quotient *q, uint32_t i, uint32_t name) {
    uint32_t *own = q->list + q->variable[i].start, kept = 1, hash = name, first = 0;
    uint64_t degree = q->element[name].rows - q->variable[i].weight;
    for (uint32_t k = 0; k < q->variable[i].length; k++) {
        uint32_t e = own[k];
        if (e == name || q->element[e].rows == 0) {
            continue;
        }
        if (q->element[e].outside == 0) {
            kill_element(q, e);
            continue;
        }
        degree += q->element[e].outside;
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
    q->variable[i].length = kept;
    q->variable[i].hash = hash % BUCKETS;
    uint64_t most = (uint64_t)q->rows_left - q->variable[i].weight,
             grown = (uint64_t)q->variable[i].degree + q->element[name].rows - q->variable[i].weight;
    degree = degree < most ? degree : most;
    q->variable[i].degree = (uint32_t)(degree < grown ? degree : grown);
}

static bool same_elements(const Quotient *q, uint32_t i, uint32_t j) {
    const uint32_t *own = q->list + q->variable[i].start, *other = q->list + q->variable[j].start;
    uint32_t tag = q->stamp;
    if (q->variable[i].length != q->variable[j].length) {
        return false;
    }
    for (uint32_t k = 0; k < q->variable[i].length; k++) {
        q->element[own[k]].seen = tag;
    }
    for (uint32_t k = 0; k < q->variable[j].length; k++) {
        if (q->element[other[k]].seen != tag) {
            return false;
        }
    }
    return true;
}

/* Variables of L_p with the same lists become one. */
static void unite(Quotient *q, uint32_t name) {
    const uint32_t *member = q->pool + q->element[name].at;
    for (uint32_t m = 0; m < q->element[name].members; m++) {
        uint32_t i = member[m], *bucket = &q->bucket[q->variable[i].hash], j = *bucket;
        if (!q->variable[i].weight) {
            continue;
        }
        for (; j != NONE; j = q->variable[j].next) {
            q->stamp++;
            if (same_elements(q, i, j)) {
                break;
            }
        }
        if (j == NONE) {
            q->variable[i].next = *bucket;
            *bucket = i;
            continue;
        }
        q->variable[j].weight += q->variable[i].weight;
        q->variable[j].degree -=
            q->variable[i].weight < q->variable[j].degree ? q->variable[i].weight : q->variable[j].degree;
        q->variable[i].weight = 0;
        q->variable[q->variable[j].last].more = i;
        q->variable[j].last = q->variable[i].last;
    }
    for (uint32_t m = 0; m < q->element[name].members; m++) {
        q->bucket[q->variable[member[m]].hash] = NONE;
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
    uint32_t *member = q->pool + q->element[name].at, kept = 0;
    for (uint32_t m = 0; m < q->element[name].members; m++) {
        uint32_t i = member[m];
        dequeue(q, i);
        update_variable(q, i, name);
        if (q->variable[i].length == 1) { /* in L_p alone */
            q->element[name].rows -= q->variable[i].weight;
            emit(q, i);
        } else {
            member[kept++] = i;
        }
    }
    q->element[name].members = kept;
    if (kept > 1) {
        unite(q, name);
    }
    kept = 0;
    for (uint32_t m = 0; m < q->element[name].members; m++) {
        if (q->variable[member[m]].weight) {
            member[kept++] = member[m];
        }
    }
    q->element[name].members = kept;
    if (kept <= 1) { /* one variable alone is no element */
        kill_element(q, name);
    }
    for (uint32_t m = 0; m < kept; m++) {
        uint32_t i = member[m], most = q->rows_left - q->variable[i].weight;
        if (kept == 1) {
            q->list[q->variable[i].start] = q->list[q->variable[i].start + --q->variable[i].length];
        }
        q->variable[i].degree = q->variable[i].degree < most ? q->variable[i].degree : most;
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
        if (q.variable[k].last == NONE) {
            order[q.ordered++] = k;
        }
    }
    afxi_release(allocator, raw, raw_size);
    return AFX_OK;
}
