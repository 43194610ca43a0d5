/* SPDX-License-Identifier: Apache-2.0 */
/* Shortening candidates: q = from + share (to - from), all twelve coordinates of all bodies of an island by the same
 * share, so that a direction of descent stays one. Frames then follow, as they do from any candidate.
 *
 * What moves a frame only, and no candidate (a free body that turns far in one step, engine/lot.c), and what looks for
 * the length of a step of the active set (activeset.c) is not this: the first goes by each body alone, the second by
 * forces and not by places. */
#include "solve/filter.h"

#include <string.h>

#include "solve/newton.h"

static void take(AfxiFilter *filter, AfxiArena *arena, uint32_t body_count) {
    filter->from = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * (size_t)body_count, sizeof *filter->from);
    filter->to = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * (size_t)body_count, sizeof *filter->to);
    filter->bodies = afxi_arena_take(arena, body_count, sizeof *filter->bodies);
}

AfxiFilter *afxi_filter_create(const AfxAllocator *allocator, uint32_t body_count, AfxiFilterShare *share,
                               void *context) {
    AfxiFilter *filter = afxi_allocate(allocator, sizeof *filter);
    AfxiArena arena = {0};
    if (!filter) {
        return NULL;
    }
    *filter = (AfxiFilter){.share = share, .context = context, .allocator = *allocator};
    take(filter, &arena, body_count);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &filter->raw, &filter->raw_size);
    if (!arena.base) {
        afxi_release(allocator, filter, sizeof *filter);
        return NULL;
    }
    arena.used = 0;
    take(filter, &arena, body_count);
    return filter;
}

void afxi_filter_destroy(AfxiFilter *filter) {
    if (filter) {
        AfxAllocator allocator = filter->allocator;
        afxi_release(&allocator, filter->raw, filter->raw_size);
        afxi_release(&allocator, filter, sizeof *filter);
    }
}

/* Bodies of island k, into filter->bodies. */
static uint32_t list_bodies(const AfxiRun *run, uint32_t k) {
    uint32_t *bodies = run->filter->bodies, count = 0;
    if (run->chains) {
        const AfxiChains *chains = &run->chains->world->model->chains;
        for (uint32_t n = 0; n < chains->chain[k].link_count; n++) {
            bodies[count++] = chains->link[chains->chain[k].first_link + n].body;
        }
        return count;
    }
    const AfxiGraph *graph = run->lot->rows.graph;
    for (uint32_t b = graph->part[k].first_body; b < graph->part[k + 1].first_body; b++) {
        bodies[count++] = graph->body[b];
    }
    return count;
}

/* Where the candidate of the n-th body of island k stands. */
static double *candidate(const AfxiRun *run, uint32_t k, uint32_t n) {
    if (run->chains) {
        return run->chains->stage.next + (size_t)AFXI_AFFINE_WIDTH * run->filter->bodies[n];
    }
    return run->lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * (run->lot->rows.graph->part[k].first_body + n);
}

void afxi_filter_begin(const AfxiRun *run, uint32_t k) {
    AfxiFilter *filter = run->filter;
    const AfxiWorld *world = run->lot ? run->lot->rows.world : run->chains->world;
    uint32_t count = filter ? list_bodies(run, k) : 0;
    for (uint32_t n = 0; n < count; n++) { /* links that are solved in place are there until their first solve */
        size_t at = (size_t)AFXI_AFFINE_WIDTH * filter->bodies[n];
        memcpy(filter->from + at, world->state.q + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

bool afxi_filter_apply(const AfxiRun *run, uint32_t k) {
    AfxiFilter *filter = run->filter;
    uint32_t count = filter ? list_bodies(run, k) : 0;
    for (uint32_t n = 0; n < count; n++) {
        memcpy(filter->to + (size_t)AFXI_AFFINE_WIDTH * filter->bodies[n], candidate(run, k, n),
               AFXI_AFFINE_WIDTH * sizeof(double));
    }
    double share = count ? filter->share(filter->context, filter->bodies, count, filter->from, filter->to) : 1;
    for (uint32_t n = 0; share < 1 && n < count; n++) {
        const double *from = filter->from + (size_t)AFXI_AFFINE_WIDTH * filter->bodies[n];
        double *to = candidate(run, k, n);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            to[e] = from[e] + share * (to[e] - from[e]);
        }
    }
    return share < 1;
}

void afxi_filter_advance(const AfxiRun *run, uint32_t k) {
    AfxiFilter *filter = run->filter;
    uint32_t count = filter ? list_bodies(run, k) : 0;
    for (uint32_t n = 0; n < count; n++) {
        memcpy(filter->from + (size_t)AFXI_AFFINE_WIDTH * filter->bodies[n], candidate(run, k, n),
               AFXI_AFFINE_WIDTH * sizeof(double));
    }
}
