/* SPDX-License-Identifier: Apache-2.0 */
/* What a batched job of recursion.h reads of its bodies and springs in every step, put together in the order of jobs
 * and lane by lane, so that a step reads it in one stream. It changes with the time step, parameters and forces only.
 */
#include "dual/recursion_pack.h"

#include <string.h>

#include "joint/rotational_spring.h"

static void put(double *to, uint32_t first, uint32_t count, uint32_t lane, const double *from) {
    for (uint32_t k = 0; k < count; k++) {
        to[AFXI_RECURSION_LANES * (first + k) + lane] = from[k];
    }
}

static void pack_body(const AfxiSystem *system, uint32_t body, uint32_t lane, double *to) {
    const AfxiBodiesWork *bodies = &system->bodies;
    const double *from = bodies->constants + (size_t)AFXI_CHAIN_SIZE * bodies->class_of[system->graph->body[body]];
    put(to, AFXI_PACK_C, 3, lane, from + AFXI_CHAIN_C);
    put(to, AFXI_PACK_COMPLIANCE, 1, lane, from + AFXI_CHAIN_COMPLIANCE);
    put(to, AFXI_PACK_DIAGONAL, 6, lane, from + AFXI_CHAIN_DIAGONAL);
    put(to, AFXI_PACK_TRANSLATION, 1, lane, from + AFXI_CHAIN_TRANSLATION);
    put(to, AFXI_PACK_GRAVITY, 1, lane, from + AFXI_CHAIN_GRAVITY);
    put(to, AFXI_PACK_INERTIA, 1, lane, from + AFXI_CHAIN_INERTIA);
    put(to, AFXI_PACK_HELD, 1, lane, bodies->held + body);
}

static void pack_springs(const AfxiSystem *system, const AfxiRecursionJob *job, double *to) {
    const AfxiRecursionJoint *joint = system->graph->recursion.joint + job->first_joint;
    for (uint32_t k = 0; k < job->children; k++) {
        for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
            put(to, AFXI_RECURSION_PACK + AFXI_ROTATIONAL_SPRING_USED * k, AFXI_ROTATIONAL_SPRING_USED, l,
                system->recursion.springs + (size_t)AFXI_ROTATIONAL_SPRING_CONSTANTS * joint[k].rotational_spring[l]);
        }
    }
}

/* The forces of a job; true where that is not all that acts on its bodies. */
static bool pack_forces(const AfxiSystem *system, const AfxiRecursionJob *job, double *to) {
    static const AfxiFreeForce none;
    const AfxiBodiesWork *bodies = &system->bodies;
    bool more = false;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        uint32_t message = bodies->forces ? bodies->force_slot[system->graph->body[job->body[l]]] : UINT32_MAX;
        const AfxiFreeForce *force = message == UINT32_MAX ? &none : &bodies->forces[message];
        put(to, AFXI_PACK_FORCE, 3, l, force->force);
        more |= force->more > 0;
    }
    return more;
}

void afxi_recursion_pack(AfxiSystem *system) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    AfxiRecursionWork *work = &system->recursion;
    for (uint32_t k = 0; !(work->packed && work->packed_forces) && k < recursion->job_count; k++) {
        const AfxiRecursionJob *job = &recursion->job[k];
        double *to = work->pack + job->pack;
        if (!job->batched) {
            continue;
        }
        for (uint32_t l = 0; !work->packed && l < AFXI_RECURSION_LANES; l++) {
            pack_body(system, job->body[l], l, to);
        }
        if (!work->packed) {
            pack_springs(system, job, to);
        }
        if (!work->packed_forces) {
            work->wrenched[k] = pack_forces(system, job, to);
        }
    }
    work->packed = work->packed_forces = true;
}
