/* SPDX-License-Identifier: Apache-2.0 */
/* A hold has the energy K/2 |p - T|² of its point p = A x + t: K and T as everywhere (constraint/hold.h). What its
 * force makes of turns is in turn_gradient, as of all forces. */
#include "barrier/hold.h"

#include "barrier/push.h"
#include "constraint/hold.h"

static uint32_t count_of(const AfxiBarrier *work) {
    return work->world->holds ? work->world->holds->count : 0;
}

/* A hold of a body that is solved for, or NULL. */
static AfxiHold *hold_at(const AfxiBarrier *work, uint32_t k) {
    AfxiHold *hold = &work->world->holds->hold[k];
    return work->slot[hold->body] == UINT32_MAX ? NULL : hold;
}

static AfxVec3 stretch_of(const AfxiBarrier *work, const AfxiHold *hold, AfxiBarrierPlace place) {
    return vec3_sub(hold->rest, afxi_barrier_point(work, place, hold->body, hold->point));
}

void afxi_barrier_holds_begin(AfxiBarrier *work, bool whole) {
    for (uint32_t k = 0; k < count_of(work); k++) {
        AfxiHold *hold = hold_at(work, k);
        if (hold) {
            afxi_hold_rest(work->world, work->bodies[work->slot[hold->body]].plan, work->end, whole, hold);
        }
    }
}

void afxi_barrier_holds_energy(const AfxiBarrier *work, AfxiBarrierPlace place, double *energy, double *size) {
    for (uint32_t k = 0; k < count_of(work); k++) {
        const AfxiHold *hold = hold_at(work, k);
        if (!hold) {
            continue;
        }
        AfxVec3 stretch = stretch_of(work, hold, place);
        double own = 0.5 * hold->pull * vec3_dot(stretch, stretch);
        energy[work->slot[hold->body]] += own;
        size[work->slot[hold->body]] += own;
    }
}

void afxi_barrier_holds_forces(AfxiBarrier *work) {
    for (uint32_t k = 0; k < count_of(work); k++) {
        const AfxiHold *hold = hold_at(work, k);
        if (hold) {
            afxi_barrier_force(work, hold->body, hold->point, vec3_scale(hold->pull, stretch_of(work, hold, AFXI_NOW)));
        }
    }
}

void afxi_barrier_holds_stiffness(AfxiBarrier *work) {
    for (uint32_t k = 0; k < 3 * count_of(work); k++) {
        const AfxiHold *hold = hold_at(work, k / 3);
        AfxVec3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        if (hold) {
            afxi_barrier_stiffen(work, hold->body, hold->point, axis, hold->pull);
        }
    }
}
