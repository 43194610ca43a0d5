/* SPDX-License-Identifier: Apache-2.0 */
/* The quotient graph of a graph that is given as cliques, while it is eliminated (degree.c): variables are blocks,
 * elements are cliques, of the beginning or left by eliminations. */
#ifndef AFXI_SPARSE_QUOTIENT_H
#define AFXI_SPARSE_QUOTIENT_H

#include "sparse/block.h"
#include "sparse/tuning.h"

typedef struct AfxiVariable {
    uint32_t weight;        /* rows; 0: eliminated, or part of another */
    uint32_t start, length; /* its elements, in list */
    uint32_t degree;
    uint32_t key;            /* where it is in the queue: 0, or the degree */
    uint32_t next, previous; /* in the queue; next also in hash chains */
    uint32_t more, last;     /* chain of the variables that are one with this; last NONE: put aside */
    uint32_t hash;
    uint32_t mark;
} AfxiVariable;

typedef struct AfxiElement {
    size_t at;              /* where its variables begin, in pool */
    uint32_t members, rows; /* how many there are; rows of what is alive of them; 0: dead */
    uint32_t outside, seen; /* |L_e \ L_p|, and for which p that was counted */
} AfxiElement;

typedef struct AfxiQuotient {
    uint32_t count, element_count;
    AfxiVariable *variable; /* [count] */
    AfxiElement *element;   /* [element_count] */
    uint32_t *list;         /* elements of the variables */
    uint32_t *pool; /* [pool_size] variables of the elements; before each stand the element (NONE: dead) and its room */
    size_t pool_size, pool_used;
    uint32_t *head, *tail; /* [queues] */
    uint32_t *bucket;      /* [AFXI_QUOTIENT_BUCKETS] heads of hash chains */
    uint32_t queues, lowest;
    uint32_t stamp, rows_left, ordered;
    uint32_t *order; /* [count] the caller's */
    void *raw;
    size_t raw_size;
} AfxiQuotient;

/** Makes the quotient graph of the cliques and queues all variables; out->raw is to be released. */
AfxStatus afxi_quotient_create(const AfxAllocator *allocator, const AfxiBlockGraph *graph, AfxiQuotient *out);
/** Into its queue: those that cause no fill go first, first come first served, so that trees are peeled from all sides;
 * of the others of one degree the latest goes first. */
void afxi_quotient_enqueue(AfxiQuotient *q, uint32_t i);
void afxi_quotient_dequeue(AfxiQuotient *q, uint32_t i);
/** Moves the lists that are alive to the beginning of the pool. */
void afxi_quotient_compact(AfxiQuotient *q);

#endif
