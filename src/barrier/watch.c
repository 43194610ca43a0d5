/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier is far steeper than its tangent where a Newton step comes nearer, far flatter where it goes away, and has
 * none where it is not near yet. So the line that stands for it in the next iteration does not touch it at the gap d
 * that there is, but where the force F that the step leads to holds it: at g with f(g) = F, f = -kappa B'. To the
 * linear system the contact then pushes with f(g) + k (g - d), k = -f'(g): more or less than f(d), by a lead that
 * vanishes as both come together. That is Newton's method for gaps and forces side by side. */
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

/* Those with a force first. */
static int compare_forces(const void *x, const void *y) {
    const AfxiBarrierWatch *a = x, *b = y;
    int order = compare(&a->of, &b->of);
    return order ? order : a->force > b->force ? -1 : a->force < b->force;
}

void afxi_barrier_watch_clear(AfxiBarrier *work) {
    work->watch_count = 0;
    work->watch_sorted = 0;
}

AfxStatus afxi_barrier_watch(AfxiBarrier *work, const AfxiCandidate *candidate, double force) {
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&work->watch, &work->watch_capacity,
                                          work->watch_count + 1, sizeof *work->watch);
    if (status == AFX_OK) {
        work->watch[work->watch_count++] = (AfxiBarrierWatch){*candidate, force};
    }
    return status;
}

void afxi_barrier_watch_sort(AfxiBarrier *work) {
    uint32_t count = 0;
    if (work->watch_sorted == work->watch_count) {
        return;
    }
    qsort(work->watch, work->watch_count, sizeof *work->watch, compare_forces);
    for (uint32_t k = 0; k < work->watch_count; k++) {
        if (count == 0 || compare(&work->watch[count - 1].of, &work->watch[k].of) != 0) {
            work->watch[count++] = work->watch[k];
        }
    }
    work->watch_count = work->watch_sorted = count;
}

const AfxiBarrierWatch *afxi_barrier_watched(const AfxiBarrier *work, const AfxiCandidate *candidate) {
    return work->watch_count ? bsearch(candidate, work->watch, work->watch_count, sizeof *work->watch, compare) : NULL;
}

double afxi_barrier_low_gap(const AfxiBarrier *work, double d) {
    return fmin(AFXI_WATCH_AIM * work->gap, 0.5 * d);
}

double afxi_barrier_low_force(const AfxiBarrier *work, const AfxiBarrierContact *contact) {
    double b[3];
    afxi_barrier_function(afxi_barrier_low_gap(work, contact->gap), work->gap, b);
    return -contact->kappa * b[1];
}

void afxi_barrier_lead(const AfxiBarrier *work, double force, AfxiBarrierContact *contact) {
    double b[3], low = afxi_barrier_low_gap(work, contact->gap);
    if (!(contact->kappa > 0)) {
        return;
    }
    double at = force > 0 ? afxi_barrier_gap_of(force / contact->kappa, work->gap) : low;
    at = fmin(at,
              contact->gap < work->gap ? fmax(contact->gap, AFXI_WATCH_MOST * work->gap) : AFXI_WATCH_MOST * work->gap);
    afxi_barrier_function(at, work->gap, b);
    if (work->plain) { /* the secant, or the tangent: the step goes downhill */
        double secant = (-contact->kappa * b[1] - contact->force) / (contact->gap - at);
        contact->stiffness = contact->gap > at ? fmax(contact->stiffness, secant) : contact->stiffness;
        return;
    }
    contact->stiffness = contact->kappa * b[2];
    contact->lead = -contact->kappa * b[1] + contact->stiffness * (at - contact->gap) - contact->force;
}
