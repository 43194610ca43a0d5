/* SPDX-License-Identifier: Apache-2.0 */
/* Where a candidate of the Newton loop may be shortened, between its solve and its judgement: so that bodies do not
 * pass through each other on the way, or leave what an energy is defined for. Without a filter candidates stay what
 * they are. */
#ifndef AFXI_SOLVE_FILTER_H
#define AFXI_SOLVE_FILTER_H

#include "base/memory.h"

struct AfxiRun;

/** The largest share in [0, 1] of the way from `from` to `to` that bodies[count] of an island may go: both [bodies of
 * the model][12], of which those of the island are set. At first they go out from the beginning of the stage, later
 * from the last candidate. Bodies that nothing holds or touches go their way in one solve, and are not asked for. */
typedef double AfxiFilterShare(void *context, const uint32_t *bodies, uint32_t count, const double *from,
                               const double *to);

typedef struct AfxiFilter {
    AfxiFilterShare *share;
    void *context;
    double *from, *to; /* [bodies of the model][12] */
    uint32_t *bodies;  /* [bodies of the model] of the present island */
    AfxAllocator allocator;
    void *raw;
    size_t raw_size;
} AfxiFilter;

/** NULL when there is no memory. */
AfxiFilter *afxi_filter_create(const AfxAllocator *allocator, uint32_t body_count, AfxiFilterShare *share,
                               void *context);
void afxi_filter_destroy(AfxiFilter *filter);

/** The bodies of island k of a run go out from where they were at the beginning of the stage. */
void afxi_filter_begin(const struct AfxiRun *run, uint32_t k);
/** Shortens the candidate of island k as its filter says, towards where its bodies were; true when it did. */
bool afxi_filter_apply(const struct AfxiRun *run, uint32_t k);
/** The next solve goes out from the candidate of island k. */
void afxi_filter_advance(const struct AfxiRun *run, uint32_t k);

#endif
