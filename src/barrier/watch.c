/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier is far steeper than its tangent: where a Newton step runs through one (or through a surface that was not
 * near at all), the next one takes the secant from the gap d to a low gap d*,
 *     k = (f(d*) - f(d)) / (d - d*),      f = -kappa B',
 * for its stiffness. That is more than the tangent, so that the step still goes downhill.
 * Surfaces that slide and turn bend away from the gaps that a step was to leave, by second order, which is far more
 * than a small gap: they are brought back by solves with the same factor, as rows are. */
#include "barrier/watch.h"

#include <stdlib.h>
#include <string.h>

#include "barrier/candidates.h"
#include "barrier/contacts.h"
#include "barrier/energy.h"
#include "base/forest.h"
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

static double low_gap(const AfxiBarrier *work, double d) {
    return fmin(AFXI_WATCH_AIM * work->gap, 0.5 * d);
}

double afxi_barrier_secant(const AfxiBarrier *work, double kappa, double d) {
    double low = low_gap(work, d), at[3], below[3];
    afxi_barrier_function(d, work->gap, at);
    afxi_barrier_function(low, work->gap, below);
    return kappa * (at[1] - below[1]) / (d - low);
}

static double rate_of(const AfxiBarrier *work, const AfxiBarrierContact *contact) {
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        uint32_t slot = work->slot[contact->body[side]];
        double g[AFXI_BARRIER_WIDTH];
        if (slot == UINT32_MAX) {
            continue;
        }
        const AfxiBarrierBody *body = &work->bodies[slot];
        afxi_contact_gradient(work, body->body, contact->y[side], vec3_scale(side ? -1 : 1, contact->n), g);
        for (uint32_t c = 0; c < body->width; c++) {
            rate += g[c] * work->delta[body->first + c];
        }
    }
    return rate;
}

AfxStatus afxi_barrier_watch_step(AfxiBarrier *work) {
    AfxStatus status = AFX_OK;
    afxi_barrier_watch_clear(work);
    for (uint32_t k = 0; status == AFX_OK && k < work->contact_count; k++) {
        AfxiBarrierContact *contact = &work->contacts[k];
        contact->rate = rate_of(work, contact);
        if (contact->gap + contact->rate < low_gap(work, contact->gap)) {
            status = afxi_barrier_watch(work, &contact->of);
        }
    }
    return status;
}

static void push(const AfxiBarrier *work, const AfxiBarrierContact *contact, double force, double *x) {
    for (int side = 0; side < 2; side++) {
        uint32_t slot = work->slot[contact->body[side]];
        double g[AFXI_BARRIER_WIDTH];
        if (slot == UINT32_MAX) {
            continue;
        }
        const AfxiBarrierBody *body = &work->bodies[slot];
        afxi_contact_gradient(work, body->body, contact->y[side], vec3_scale(side ? -force : force, contact->n), g);
        for (uint32_t c = 0; c < body->width; c++) {
            x[body->first + c] += g[c];
        }
    }
}

double afxi_barrier_bend(const AfxiBarrier *work, double *x) {
    double worst = 0;
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const AfxiBarrierContact *contact = &work->contacts[k];
        uint32_t slot = afxi_barrier_slot(work, contact->body[0], contact->body[1]);
        double share = work->share[afxi_forest_root(work->parent, slot)];
        double want = fmin(work->gap, fmax(contact->gap + share * contact->rate, AFXI_BEND_LEFT * contact->gap));
        double got = afxi_candidate_signed(work, &contact->of, contact->n);
        if (got < want && share > 0) {
            worst = fmax(worst, (want - got) / want);
            push(work, contact, contact->stiffness * (want - got), x);
        }
    }
    return worst;
}
