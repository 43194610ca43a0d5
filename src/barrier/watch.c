/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier is far steeper than its tangent: where a Newton step runs through one (or through a surface that was not
 * near at all), the next one takes the secant from the gap d to a low gap d*,
 *     k = (f(d*) - f(d)) / (d - d*),      f = -kappa B',
 * for its stiffness. That is more than the tangent, so that the step still goes downhill. */
#include "barrier/watch.h"

#include <stdlib.h>

#include "barrier/energy.h"
#include "base/memory.h"

static int compare(const void *x, const void *y) {
    const AfxiCandidate *a = x, *b = y;
    if (a->stencil != b->stencil) {
        return a->stencil < b->stencil ? -1 : 1;
    }
    for (int k = 0; k < 4; k++) {
        if (a->v[k] != b->v[k]) {
            return a->v[k] < b->v[k] ? -1 : 1;
        }
    }
    return a->shape[1] < b->shape[1] ? -1 : a->shape[1] > b->shape[1];
}

void afxi_barrier_watch_clear(AfxiBarrier *work) {
    work->watch_count = 0;
    work->watch_sorted = 0;
}

AfxStatus afxi_barrier_watch(AfxiBarrier *work, const AfxiCandidate *candidate) {
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&work->watch, &work->watch_capacity,
                                          work->watch_count + 1, sizeof *work->watch);
    if (status == AFX_OK) {
        work->watch[work->watch_count++] = *candidate;
    }
    return status;
}

void afxi_barrier_watch_sort(AfxiBarrier *work) {
    if (work->watch_sorted != work->watch_count) {
        qsort(work->watch, work->watch_count, sizeof *work->watch, compare);
        work->watch_sorted = work->watch_count;
    }
}

bool afxi_barrier_is_watched(const AfxiBarrier *work, const AfxiCandidate *candidate) {
    return work->watch_count && bsearch(candidate, work->watch, work->watch_count, sizeof *work->watch, compare);
}

double afxi_barrier_low_gap(const AfxiBarrier *work, double d) {
    return fmin(AFXI_WATCH_AIM * work->gap, 0.5 * d);
}

double afxi_barrier_secant(const AfxiBarrier *work, double kappa, double d) {
    double low = afxi_barrier_low_gap(work, d), at[3], below[3];
    afxi_barrier_function(d, work->gap, at);
    afxi_barrier_function(low, work->gap, below);
    return kappa * (at[1] - below[1]) / (d - low);
}
