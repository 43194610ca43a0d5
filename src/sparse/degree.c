/* SPDX-License-Identifier: Apache-2.0 */
/* Approximate minimum degree (Amestoy, Davis, Duff 1996) on a graph that is given as cliques. The cliques are the first
 * elements of the quotient graph, so there are no edges: a variable (block) lists the elements it is in, an element
 * lists its variables. Eliminating p joins its elements to one, L_p; a variable i of it is left with the degree
 *     d_i <= |L_p \ i| + sum over its other elements e of |L_e \ L_p|,
 * counted in rows. Elements inside L_p are absorbed, variables with equal lists become one, and a variable that is in
 * L_p alone is eliminated with p. A variable in one element only goes first whatever its degree: it causes no fill, so
 * trees have none. Lists never grow, so memory is linear. */
#include "sparse/degree.h"

#include "base/memory.h"
#include "sparse/quotient.h"
#include "sparse/tree.h"
#include "sparse/tuning.h"

#define NONE UINT32_MAX

/* A variable and all that are one with it go. */
static void emit(AfxiQuotient *q, uint32_t i) {
    q->rows_left -= q->variable[i].weight;
    q->variable[i].weight = 0;
    for (; i != NONE; i = q->variable[i].more) {
        q->order[q->ordered++] = i;
    }
}

static void kill_element(AfxiQuotient *q, uint32_t e) {
    q->element[e].rows = 0;
    q->element[e].members = 0;
    q->pool[q->element[e].at - 2] = NONE;
}

/* Joins the elements of p to one, without p; it takes the name of the first of them. NONE when nothing is left. */
static uint32_t join(AfxiQuotient *q, uint32_t p) {
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
            afxi_quotient_compact(q);
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
static void count_outside(AfxiQuotient *q, uint32_t name) {
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
static void update_variable(AfxiQuotient *q, uint32_t i, uint32_t name) {
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
    q->variable[i].hash = hash % AFXI_QUOTIENT_BUCKETS;
    uint64_t most = (uint64_t)q->rows_left - q->variable[i].weight,
             grown = (uint64_t)q->variable[i].degree + q->element[name].rows - q->variable[i].weight;
    degree = degree < most ? degree : most;
    q->variable[i].degree = (uint32_t)(degree < grown ? degree : grown);
}

static bool same_elements(const AfxiQuotient *q, uint32_t i, uint32_t j) {
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
static void unite(AfxiQuotient *q, uint32_t name) {
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

static void eliminate(AfxiQuotient *q, uint32_t p) {
    afxi_quotient_dequeue(q, p);
    uint32_t name = join(q, p);
    emit(q, p);
    if (name == NONE) {
        return;
    }
    count_outside(q, name);
    uint32_t *member = q->pool + q->element[name].at, kept = 0;
    for (uint32_t m = 0; m < q->element[name].members; m++) {
        uint32_t i = member[m];
        afxi_quotient_dequeue(q, i);
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
        afxi_quotient_enqueue(q, i);
    }
}

AfxStatus afxi_order_degree(const AfxAllocator *allocator, const AfxiBlockGraph *graph, uint32_t *order) {
    AfxiQuotient q;
    AfxStatus status = afxi_quotient_create(allocator, graph, &q);
    if (status != AFX_OK) {
        return status;
    }
    q.order = order;
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
    afxi_release(allocator, q.raw, q.raw_size);
    return AFX_OK;
}
