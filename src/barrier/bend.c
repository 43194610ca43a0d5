/* SPDX-License-Identifier: Apache-2.0 */
/* How gaps change along a Newton step. Surfaces that slide and turn bend away from the gaps that a step was to leave,
 * by second order, which is far more than a small gap: they are brought back by solves with the same factor, as rows
 * are.
 */
#include "barrier/bend.h"

#include "barrier/contacts.h"
#include "barrier/push.h"
#include "barrier/watch.h"
#include "base/forest.h"

static double rate_of(const AfxiBarrier *work, const AfxiBarrierContact *contact) {
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        double moved = vec3_dot(contact->n, afxi_barrier_motion(work, contact->body[side], contact->y[side]));
        rate += side ? -moved : moved;
    }
    return rate;
}

AfxStatus afxi_barrier_watch_step(AfxiBarrier *work) {
    AfxStatus status = AFX_OK;
    afxi_barrier_watch_clear(work);
    for (uint32_t k = 0; status == AFX_OK && k < work->contact_count; k++) {
        AfxiBarrierContact *contact = &work->contacts[k];
        contact->rate = rate_of(work, contact);
        double force = contact->force + contact->lead - contact->stiffness * contact->rate;
        if (contact->gap + contact->rate < afxi_barrier_low_gap(work, contact->gap)) { /* it runs through */
            force = fmax(force, afxi_barrier_low_force(work, contact));
        }
        if (force > 0) {
            status = afxi_barrier_watch(work, &contact->of, force);
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
        double want =
            fmin(work->gap, fmax(contact->gap + share * contact->rate, AFXI_BEND_LEFT * fmin(contact->gap, work->gap)));
        double got = afxi_candidate_signed(work, &contact->of, contact->n);
        if (got < want && share > 0) {
            worst = fmax(worst, (want - got) / want);
            push(work, contact, contact->stiffness * (want - got), x);
        }
    }
    return worst;
}
