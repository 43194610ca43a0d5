/* SPDX-License-Identifier: Apache-2.0 */
/* Friction mu lambda f(|u|) of the slip
 *     u = P_n [(x_a - x_b) - (x_a - x_b at the beginning of the step) + r],
 * r what the vertex or edge remembers of the body that it touches: the slip after the last step, at most that at which
 * friction is all there. So what sticks hangs on a spring that is never reset, and does not creep. lambda, n and the
 * two points are those of the last lag.
 *
 * What slides has no stiffness along its slip, what sticks a great one, over a slip that is far shorter than a Newton
 * step: with the Hessian of f, steps run through where a slip ends and back. So the share p of Coulomb's force goes by
 * Newton's method beside the slip: w p = u, w = s/f' (Chan, Golub and Mulet 1999, for the same energy in images), which
 * has the stiffness  mu lambda/w (I - w'(p u^T + u p^T)/2s)  across n, never negative while |p| <= 1, and is the
 * Hessian where p has come to u/w. */
#include "barrier/friction.h"

#include <string.h>

#include "barrier/energy.h"
#include "barrier/push.h"
#include "base/memory.h"

static AfxVec3 slip_of(const AfxiBarrier *work, const AfxiBarrierFriction *friction, AfxiBarrierPlace place) {
    AfxVec3 r = vec3_sub(afxi_barrier_point(work, place, friction->body[0], friction->y[0]),
                         afxi_barrier_point(work, place, friction->body[1], friction->y[1]));
    r = vec3_add(r, friction->offset);
    return vec3_mad(r, -vec3_dot(r, friction->n), friction->n);
}

void afxi_barrier_friction_energy(const AfxiBarrier *work, AfxiBarrierPlace place, double *energy, double *size) {
    for (uint32_t k = 0; k < work->friction_count; k++) {
        const AfxiBarrierFriction *friction = &work->friction[k];
        double f[3];
        afxi_friction_function(vec3_length(slip_of(work, friction, place)), work->slip, f);
        uint32_t slot = afxi_barrier_slot(work, friction->body[0], friction->body[1]);
        energy[slot] += friction->limit * f[0];
        size[slot] += friction->limit * f[0];
    }
}

void afxi_barrier_friction_forces(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->friction_count; k++) {
        const AfxiBarrierFriction *friction = &work->friction[k];
        AfxVec3 u = slip_of(work, friction, AFXI_NOW);
        double f[3];
        afxi_friction_function(vec3_length(u), work->slip, f);
        AfxVec3 force = vec3_scale(-friction->limit * f[1], u);
        afxi_barrier_force(work, friction->body[0], friction->y[0], force);
        afxi_barrier_force(work, friction->body[1], friction->y[1], vec3_scale(-1, force));
    }
}

/* w' of w = s/f', the slip over its share of Coulomb's force. */
static double bend_of(const AfxiBarrier *work, double s) {
    double x = s / work->slip;
    return x >= 1 ? 1 : 1 / ((2 - x) * (2 - x));
}

void afxi_barrier_friction_lead(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->friction_count; k++) {
        AfxiBarrierFriction *friction = &work->friction[k];
        AfxVec3 u = slip_of(work, friction, AFXI_NOW), step = {0, 0, 0};
        double f[3], s = vec3_length(u);
        for (int side = 0; side < 2; side++) {
            step = vec3_mad(step, side ? -1 : 1, afxi_barrier_motion(work, friction->body[side], friction->y[side]));
        }
        step = vec3_mad(step, -vec3_dot(step, friction->n), friction->n);
        afxi_friction_function(s, work->slip, f);
        double along = s > 0 ? bend_of(work, s) * vec3_dot(u, step) / s : 0;
        AfxVec3 share = vec3_scale(f[1], vec3_mad(vec3_add(u, step), -along, friction->share));
        double length = vec3_length(share);
        friction->share = length > 1 ? vec3_scale(1 / length, share) : share;
    }
}

void afxi_barrier_friction_stiffness(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->friction_count; k++) {
        const AfxiBarrierFriction *friction = &work->friction[k];
        AfxVec3 u = slip_of(work, friction, AFXI_NOW), n = friction->n, along;
        double f[3], s = vec3_length(u);
        afxi_friction_function(s, work->slip, f);
        if (s > 0) {
            along = vec3_scale(1 / s, u);
        } else {
            along = vec3_cross(n, fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0));
            along = vec3_scale(1 / vec3_length(along), along);
        }
        AfxVec3 across = vec3_cross(n, along);
        AfxVec3 share = work->published ? vec3_scale(f[1], u) : friction->share;
        double bend = bend_of(work, s), most = friction->limit * f[1];
        double xx = 1 - bend * vec3_dot(share, along), xy = -0.5 * bend * vec3_dot(share, across);
        double half = 0.5 * (xx - 1), root = sqrt(half * half + xy * xy), angle = 0.5 * atan2(2 * xy, xx - 1);
        AfxVec3 first = vec3_mad(vec3_scale(cos(angle), along), sin(angle), across);
        afxi_barrier_stiffness(work, friction->body, friction->y, first, most * fmax(0, 1 + half + root), 0);
        afxi_barrier_stiffness(work, friction->body, friction->y, vec3_cross(n, first), most * fmax(0, 1 + half - root),
                               0);
    }
}

/* ---- lags ---- */

static double coefficient_of(const AfxiBarrier *work, const AfxiBarrierContact *contact) {
    const AfxiContactShape *shapes = work->model->contacts.shapes;
    uint32_t pair = afxi_material_pair(shapes[contact->shape[0]].material, shapes[contact->shape[1]].material);
    return afxi_world_param(work->world, AFX_PARAM_MATERIAL_PAIR, pair)[AFXI_PAIR_FRICTION];
}

/* What a feature remembers of a body; zero: nothing. */
static AfxVec3 slip_before(const AfxiBarrier *work, uint32_t feature, uint32_t body) {
    const AfxiBarrierMemory *memory = work->memory + (size_t)AFXI_BARRIER_PARTNERS * feature;
    for (uint32_t k = 0; k < AFXI_BARRIER_PARTNERS; k++) {
        AfxVec3 slip = vec3_load(memory[k].slip);
        if (memory[k].partner == body + 1 && vec3_finite(slip) && !work->published) {
            return slip;
        }
    }
    return vec3(0, 0, 0);
}

AfxStatus afxi_barrier_friction(AfxiBarrier *work, double *out_change) {
    uint32_t features = work->surface.vertex_count + work->surface.edge_count;
    double most = 0, change = 0;
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&work->friction, &work->friction_capacity,
                                          work->contact_count + 1, sizeof *work->friction);
    if (status != AFX_OK) {
        return status;
    }
    memcpy(work->feature_force[1], work->feature_force[0], features * sizeof(double));
    memset(work->feature_force[0], 0, features * sizeof(double));
    work->friction_count = 0;
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const AfxiBarrierContact *contact = &work->contacts[k];
        double mu = coefficient_of(work, contact);
        if (!(mu * contact->force > 0)) {
            continue;
        }
        AfxiBarrierFriction *friction = &work->friction[work->friction_count++];
        *friction = (AfxiBarrierFriction){.feature = contact->feature, .n = contact->n, .limit = mu * contact->force};
        memcpy(friction->body, contact->body, sizeof contact->body);
        memcpy(friction->y, contact->y, sizeof contact->y);
        AfxVec3 begin = vec3_sub(afxi_barrier_point(work, AFXI_BEGIN, contact->body[0], contact->y[0]),
                                 afxi_barrier_point(work, AFXI_BEGIN, contact->body[1], contact->y[1]));
        friction->offset = vec3_sub(slip_before(work, contact->feature, contact->body[1]), begin);
        double f[3];
        AfxVec3 u = slip_of(work, friction, AFXI_NOW);
        afxi_friction_function(vec3_length(u), work->slip, f);
        friction->share = vec3_scale(f[1], u);
        work->feature_force[0][contact->feature] += contact->force;
    }
    for (uint32_t k = 0; k < features; k++) {
        most = fmax(most, work->feature_force[0][k]);
        change = fmax(change, fabs(work->feature_force[0][k] - work->feature_force[1][k]));
    }
    *out_change = most > 0 ? change / most : 0;
    return AFX_OK;
}

void afxi_barrier_remember(AfxiBarrier *work) {
    uint32_t features = work->surface.vertex_count + work->surface.edge_count;
    memset(work->memory, 0, (size_t)AFXI_BARRIER_PARTNERS * features * sizeof *work->memory);
    memset(work->feature_force[1], 0, features * sizeof(double)); /* the strongest so far */
    for (uint32_t k = 0; k < work->friction_count; k++) {
        const AfxiBarrierFriction *friction = &work->friction[k];
        AfxiBarrierMemory *memory = work->memory + (size_t)AFXI_BARRIER_PARTNERS * friction->feature, *to = NULL;
        uint32_t partner = friction->body[1] + 1;
        for (uint32_t p = 0; p < AFXI_BARRIER_PARTNERS && !to; p++) {
            to = memory[p].partner == partner || memory[p].partner == 0 ? &memory[p] : NULL;
        }
        if (!to || (to->partner == partner && friction->limit <= work->feature_force[1][friction->feature])) {
            continue;
        }
        AfxVec3 u = slip_of(work, friction, AFXI_NOW);
        double s = vec3_length(u);
        vec3_store(to->slip, s > work->slip ? vec3_scale(work->slip / s, u) : u);
        to->partner = partner;
        work->feature_force[1][friction->feature] = friction->limit;
    }
}
