/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's law of impacts, after a step that has stopped bodies at their barriers: with v- the speed at which two
 * points came together at the beginning, they leave each other with at least -e v-. Velocities change by the least
 * change in the metric of the masses that does it, with joints held and no contact coming nearer than it did: stiff
 * rank-1 terms in the matrix of the step, of contacts that push. Together several impacts may ask for more than there
 * is: then the change is shortened, island by island, to the energy that the bodies came with or would have had without
 * contact, whichever is more.
 *
 * A kinematic body does work in the world, but none in its own frame: there its impulses meet a surface at rest. So an
 * island that touches such bodies needs to keep that bound in one of their frames or in the world's. */
#include "barrier/bounce.h"

#include <string.h>

#include "barrier/body.h"
#include "barrier/contacts.h"
#include "barrier/push.h"
#include "barrier/rows.h"
#include "barrier/search.h"
#include "barrier/system.h"
#include "barrier/watch.h"
#include "base/forest.h"

#define BLOCK ((size_t)AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH)

/* Speed at which the two points of a contact leave each other, of velocities [bodies][12]. */
static double speed_of(const AfxiBarrierContact *contact, const double *v) {
    double speed = 0;
    for (int side = 0; side < 2; side++) {
        const double *own = v + (size_t)AFXI_AFFINE_WIDTH * contact->body[side];
        AfxiMat3 rate = mat3_load(own);
        AfxVec3 point = vec3_add(mat3_apply(&rate, contact->y[side]), vec3_load(own + 9));
        speed += (side ? -1 : 1) * vec3_dot(contact->n, point);
    }
    return speed;
}

/* How much faster a contact is to leave than it does, 0: it may not come nearer. rate keeps it; true: some is > 0. */
static bool set_needs(AfxiBarrier *work, const double *before) {
    const AfxiState *state = &work->world->state;
    const AfxiContactShape *shapes = work->model->contacts.shapes;
    double least = AFXI_BARRIER_BOUNCE * vec3_length(vec3_load(afxi_world_param(work->world, AFX_PARAM_GRAVITY, 0)));
    bool any = false;
    for (uint32_t k = 0; k < work->contact_count; k++) {
        AfxiBarrierContact *contact = &work->contacts[k];
        uint32_t pair = afxi_material_pair(shapes[contact->shape[0]].material, shapes[contact->shape[1]].material);
        double e = afxi_world_param(work->world, AFX_PARAM_MATERIAL_PAIR, pair)[AFXI_PAIR_RESTITUTION];
        double came = speed_of(contact, before), goes = speed_of(contact, state->v);
        bool bounces = contact->force > 0 && e > 0 && came < -least * state->head->dt;
        contact->rate = bounces ? fmax(0, -e * came - goes) : 0;
        contact->lead = contact->rate > 0 ? 1 : 0; /* whether it pushes */
        any = any || contact->rate > 0;
    }
    return any;
}

/* Changes of velocities into delta, with the contacts that push. */
static AfxStatus solve(AfxiBarrier *work) {
    static const double none[9] = {0};
    AfxStatus status = afxi_barrier_system_pairs(work);
    if (status != AFX_OK) {
        return status;
    }
    memset(work->delta, 0, work->unknown_count * sizeof(double));
    for (uint32_t k = 0; k < work->body_count; k++) {
        afxi_barrier_body_hessian(work, &work->bodies[k], none, work->hessian + BLOCK * k);
    }
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const AfxiBarrierContact *contact = &work->contacts[k];
        double stiff = AFXI_BARRIER_BOUNCE_STIFF * afxi_barrier_kappa(work, contact->body[0], contact->body[1]);
        if (contact->lead > 0) {
            afxi_barrier_stiffness(work, contact->body, contact->y, contact->n, stiff, stiff * contact->rate);
        }
    }
    for (uint32_t k = 0; k < work->width_count; k++) {
        work->delta[k] = -work->delta[k];
    }
    if (!afxi_barrier_system_factor(work)) {
        return AFX_E_NUMERIC;
    }
    afxi_barrier_system_solve(work, work->delta);
    return AFX_OK;
}

/* Contacts that pull let go, those that come nearer push: true when some changed. */
static bool change_active(AfxiBarrier *work) {
    double most = 0;
    bool changed = false;
    for (uint32_t k = 0; k < work->contact_count; k++) {
        most = fmax(most, work->contacts[k].rate);
    }
    for (uint32_t k = 0; k < work->contact_count; k++) {
        AfxiBarrierContact *contact = &work->contacts[k];
        double left = 0;
        for (int side = 0; side < 2; side++) {
            left += (side ? -1 : 1) *
                    vec3_dot(contact->n, afxi_barrier_motion(work, contact->body[side], contact->y[side]));
        }
        bool pushes = contact->lead > 0, wants = left < contact->rate - (pushes ? 0 : AFXI_BARRIER_BOUNCE_OFF * most);
        if (pushes != wants && contact->force > 0) {
            contact->lead = wants ? 1 : 0;
            changed = true;
        }
    }
    return changed;
}

/* The velocity of a body that changes by its part of delta. */
static void change_of(const AfxiBarrier *work, uint32_t k, double out[AFXI_AFFINE_WIDTH]) {
    const AfxiBarrierBody *body = &work->bodies[k];
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        AfxVec3 y = {e / 3 == 0, e / 3 == 1, e / 3 == 2}, zero = {0, 0, 0};
        AfxVec3 at = afxi_barrier_motion(work, body->body, e < 9 ? y : zero);
        AfxVec3 own = e < 9 ? vec3_sub(at, vec3_load(work->delta + body->first + 3)) : at;
        out[e] = (&own.x)[e % 3];
    }
}

/* The velocity of a body that a kinematic one would carry along; UINT32_MAX: the world, which stands still. */
static void carried_by(const AfxiBarrier *work, uint32_t kinematic, uint32_t body, double out[AFXI_AFFINE_WIDTH]) {
    memset(out, 0, AFXI_AFFINE_WIDTH * sizeof *out);
    if (kinematic == UINT32_MAX) {
        return;
    }
    const double *q = barrier_place(work, AFXI_NOW, kinematic), *own = barrier_place(work, AFXI_NOW, body);
    const double *v = work->world->state.v + (size_t)AFXI_AFFINE_WIDTH * kinematic;
    AfxiMat3 turn = mat3_load(q), rate = mat3_load(v);
    for (int c = 0; c < 4; c++) { /* dx/dt = A' A^T (x - t) + t', A of a kinematic body is a rotation */
        AfxVec3 x = vec3_load(own + 3 * c);
        x = c < 3 ? x : vec3_sub(x, vec3_load(q + 9));
        x = mat3_apply(&rate, mat3_apply_transposed(&turn, x));
        vec3_store(out + 3 * c, c < 3 ? x : vec3_add(x, vec3_load(v + 9)));
    }
}

/* Energies of an island in a frame, J: without contact, of the velocity, of its product with the change, of the change;
 * and the energy that the bodies came with. */
enum { FREELY, NOW, PRODUCT, CHANGE, CAME, ENERGIES };

static void add_energies(const AfxiBarrier *work, uint32_t k, const double *before, uint32_t frame,
                         double sum[ENERGIES]) {
    const AfxiBarrierBody *body = &work->bodies[k];
    const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
    const double *v = work->world->state.v + (size_t)AFXI_AFFINE_WIDTH * body->body;
    const double *old = before + (size_t)AFXI_AFFINE_WIDTH * body->body;
    double change[AFXI_AFFINE_WIDTH], carried[AFXI_AFFINE_WIDTH], h = barrier_h_rate(body);
    change_of(work, k, change);
    carried_by(work, frame, body->body, carried);
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        double m = e < 9 ? class->s[e / 3] : class->mass;
        double came = old[e] - carried[e], now = v[e] - carried[e];
        double freely = came + (e < 9 ? 0 : h * body->force[e - 9] / class->mass);
        sum[FREELY] += 0.5 * m * freely * freely;
        sum[NOW] += 0.5 * m * now * now;
        sum[PRODUCT] += m * now * change[e];
        sum[CHANGE] += 0.5 * m * change[e] * change[e];
        sum[CAME] += 0.5 * m * came * came;
    }
}

/* The largest share of a change of which the energy is not more than it may be. */
static double share_of(const double sum[ENERGIES]) {
    double most = fmax(sum[FREELY], sum[CAME]), room = fmax(0, most - sum[NOW]);
    if (sum[NOW] + sum[PRODUCT] + sum[CHANGE] <= fmax(most, sum[NOW]) || !(sum[CHANGE] > 0)) {
        return 1;
    }
    double half = 0.5 * sum[PRODUCT] / sum[CHANGE];
    return fmax(0, fmin(1, sqrt(half * half + room / sum[CHANGE]) - half));
}

/* Marks the islands that a kinematic body touches or is jointed to, by their roots; false: there are none, or it stands
 * still. */
static bool mark_moved(AfxiBarrier *work, uint32_t kinematic) {
    static const double still[AFXI_AFFINE_WIDTH];
    const double *v = work->world->state.v + (size_t)AFXI_AFFINE_WIDTH * kinematic;
    bool any = false;
    memset(work->settled, 0, work->body_count);
    if (memcmp(v, still, sizeof still) == 0) {
        return false;
    }
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const uint32_t *body = work->contacts[k].body;
        uint32_t slot = body[0] == kinematic   ? work->slot[body[1]]
                        : body[1] == kinematic ? work->slot[body[0]]
                                               : UINT32_MAX;
        if (slot != UINT32_MAX) {
            work->settled[afxi_forest_root(work->parent, slot)] = any = true;
        }
    }
    for (uint32_t r = 0; r < work->row_count; r++) {
        const AfxiBarrierRow *row = &work->rows[r];
        const AfxiJoint *joint = row->joint == UINT32_MAX ? NULL : &work->model->joints[row->joint];
        if (joint && (joint->base == kinematic || joint->follower == kinematic)) {
            work->settled[afxi_forest_root(work->parent, row->slot)] = any = true;
        }
    }
    return any;
}

/* Raises the shares of marked islands, by their roots, to what the energy in a frame allows. */
static void raise_shares(AfxiBarrier *work, const double *before, uint32_t frame) {
    double *sums[ENERGIES] = {work->energy[0], work->energy[1], work->descent, work->time, work->energy_size[0]};
    for (int e = 0; e < ENERGIES; e++) {
        memset(sums[e], 0, work->body_count * sizeof(double));
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        double own[ENERGIES] = {0};
        uint32_t root = afxi_forest_root(work->parent, k);
        if (work->settled[root]) {
            add_energies(work, k, before, frame, own);
        }
        for (int e = 0; e < ENERGIES; e++) {
            sums[e][root] += own[e];
        }
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        double sum[ENERGIES];
        for (int e = 0; e < ENERGIES; e++) {
            sum[e] = sums[e][k];
        }
        if (work->parent[k] == k && work->settled[k]) {
            work->share[k] = fmax(work->share[k], share_of(sum));
        }
    }
}

static void apply(AfxiBarrier *work, const double *before) {
    for (uint32_t k = 0; k < work->contact_count; k++) {
        uint32_t a = work->slot[work->contacts[k].body[0]], b = work->slot[work->contacts[k].body[1]];
        if (a != UINT32_MAX && b != UINT32_MAX) {
            afxi_forest_join(work->parent, a, b);
        }
    }
    memset(work->share, 0, work->body_count * sizeof *work->share);
    memset(work->settled, 1, work->body_count);
    raise_shares(work, before, UINT32_MAX);
    for (uint32_t k = 0; k < work->model->kinematic_count; k++) {
        if (mark_moved(work, work->model->kinematic[k].body)) {
            raise_shares(work, before, work->model->kinematic[k].body);
        }
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        double change[AFXI_AFFINE_WIDTH], share = work->share[afxi_forest_root(work->parent, k)];
        double *v = work->world->state.v + (size_t)AFXI_AFFINE_WIDTH * work->bodies[k].body;
        change_of(work, k, change);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            v[e] += share * change[e];
        }
    }
}

AfxStatus afxi_barrier_bounce(AfxiBarrier *work, const double *before) {
    AfxStatus status = AFX_OK;
    if (!set_needs(work, before)) {
        return AFX_OK;
    }
    afxi_barrier_watch_clear(work);
    afxi_barrier_rows_linearise(work);
    afxi_barrier_islands(work);
    uint32_t round = 0;
    do {
        status = solve(work);
    } while (status == AFX_OK && ++round < AFXI_BARRIER_BOUNCE_ROUNDS && change_active(work));
    if (status == AFX_OK) {
        apply(work, before);
    }
    return status;
}
