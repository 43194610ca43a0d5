/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method: H delta + J^T lambda = -g, J delta - compliance lambda = -C, then the line search; once it has
 * converged, friction takes the normal forces that came out (a lag), and it goes on until they stay. */
#include "barrier/newton.h"

#include <string.h>

#include "barrier/body.h"
#include "barrier/candidates.h"
#include "barrier/contacts.h"
#include "barrier/friction.h"
#include "barrier/hold.h"
#include "barrier/rows.h"
#include "barrier/search.h"
#include "barrier/system.h"
#include "barrier/watch.h"

#define BLOCK ((size_t)AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH)

/* Adds factor times what rows do to the gradients: of given multipliers; or of all to the symmetric parts of G. */
static void add_fixed(AfxiBarrier *work) {
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const AfxiBarrierBody *body = &work->bodies[work->entries[e].slot];
            for (uint32_t r = 0; r < block->row_count; r++) {
                const AfxiBarrierRow *row = &work->rows[block->first_row + r];
                const double *g = work->row_gradient + work->entries[e].gradient + (size_t)AFXI_BARRIER_WIDTH * r;
                for (uint32_t c = 0; !row->active && c < body->width; c++) {
                    work->gradient[body->first + c] += row->fixed * g[c];
                }
            }
        }
    }
}

/* The symmetric part of what rows add to G, for the second order of turns: it is in their strains. */
static void add_geometric(AfxiBarrier *work) {
    static const int at[6] = {0, 4, 8, 3, 6, 7};
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            double *own = work->turn_gradient + 9 * (size_t)work->entries[e].slot;
            for (uint32_t r = 0; r < block->row_count; r++) {
                const AfxiBarrierRow *row = &work->rows[block->first_row + r];
                const double *g = work->row_gradient + work->entries[e].gradient + (size_t)AFXI_BARRIER_WIDTH * r;
                double lambda = row->active ? row->multiplier : row->fixed;
                for (int k = 0; k < 6; k++) { /* off the diagonal both halves together: only their sum counts */
                    own[at[k]] += lambda * g[6 + k];
                }
            }
        }
    }
}

void afxi_barrier_gradients(AfxiBarrier *work) {
    memset(work->gradient, 0, work->unknown_count * sizeof(double));
    memset(work->delta, 0, work->unknown_count * sizeof(double));
    for (uint32_t k = 0; k < work->body_count; k++) {
        AfxiBarrierBody *body = &work->bodies[k];
        double strain[6];
        afxi_barrier_body_loads(work, body);
        afxi_barrier_body_gradient(work, body, work->turn_gradient + 9 * (size_t)k, work->gradient + body->first + 3,
                                   strain);
        for (uint32_t c = 6; c < body->width; c++) {
            work->gradient[body->first + c] = strain[c - 6];
        }
    }
    afxi_barrier_contacts_forces(work);
    afxi_barrier_friction_forces(work);
    afxi_barrier_holds_forces(work);
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        AfxiMat3 g = mat3_load(work->turn_gradient + 9 * (size_t)k);
        double local[AFXI_BARRIER_WIDTH];
        afxi_barrier_local(&g, vec3(0, 0, 0), local);
        for (uint32_t c = 0; c < body->width; c++) {
            work->gradient[body->first + c] += local[c];
        }
    }
    afxi_barrier_rows_linearise(work);
    add_fixed(work);
    add_geometric(work);
}

/* Exact rows where kinematic bodies have come to where they are told to be. */
static void told_rows(AfxiBarrier *work) {
    memcpy(work->place[AFXI_TRIED], work->place[AFXI_NOW],
           (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double));
    for (uint32_t k = 0; k < work->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * work->model->kinematic[k].body;
        memcpy(work->place[AFXI_TRIED] + at, work->kinematic + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
    afxi_barrier_rotations(work, AFXI_TRIED);
    afxi_barrier_rows_values(work, AFXI_TRIED, work->row_value[1]);
}

/* Bodies that something holds turn about what holds them: all of an island together keep their gaps and joints then. */
static void mark_bound(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->bodies[k].bound = false;
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            work->bodies[work->entries[e].slot].bound = true;
        }
    }
    for (uint32_t k = 0; k < 2 * work->contact_count; k++) {
        uint32_t slot = work->slot[work->contacts[k / 2].body[k % 2]];
        if (slot != UINT32_MAX) {
            work->bodies[slot].bound = true;
        }
    }
}

/* The Newton step into delta, new multipliers behind it. False: the matrix is not definite. */
static bool newton_step(AfxiBarrier *work) {
    afxi_barrier_gradients(work);
    for (uint32_t k = 0; k < work->body_count; k++) {
        afxi_barrier_body_hessian(work, &work->bodies[k], work->turn_gradient + 9 * (size_t)k,
                                  work->hessian + BLOCK * k);
    }
    afxi_barrier_contacts_stiffness(work);
    afxi_barrier_friction_stiffness(work);
    afxi_barrier_holds_stiffness(work);
    work->row_most = afxi_barrier_rows_values(work, AFXI_NOW, work->row_value[0]);
    bool told = !work->kinematic_now && work->row_count;
    if (told) {
        told_rows(work);
    }
    for (uint32_t k = 0; k < work->width_count; k++) {
        work->delta[k] = -work->gradient[k] - work->delta[k];
    }
    for (uint32_t r = 0; r < work->row_count; r++) {
        const AfxiBarrierRow *row = &work->rows[r];
        bool exact = row->compliance == 0;
        work->delta[work->width_count + r] = !row->active ? 0 : exact && told ? -work->row_value[1][r] : -row->value;
    }
    if (!afxi_barrier_system_factor(work)) {
        return false;
    }
    afxi_barrier_system_solve(work, work->delta);
    return true;
}

/* How far the step moves a point of a body at most, over what is enough; the largest of all bodies. */
static double step_size(const AfxiBarrier *work, double tolerance, uint32_t *out_body) {
    double most = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        const double *d = work->delta + body->first;
        double strain = 0;
        for (uint32_t c = 6; c < body->width; c++) {
            strain += fabs(d[c]);
        }
        double moved = vec3_length(vec3_load(d + 3)) + body->extent * (vec3_length(vec3_load(d)) + strain);
        double share = moved / (tolerance * body->extent);
        if (!(share <= most)) {
            most = share;
            *out_body = body->body;
        }
    }
    return most;
}

static void keep_multipliers(AfxiBarrier *work) {
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        double share = work->share[work->entries[block->first_entry].slot];
        for (uint32_t r = block->first_row; r < block->first_row + block->row_count; r++) {
            AfxiBarrierRow *row = &work->rows[r];
            double next = row->active ? work->delta[work->width_count + r] : row->fixed;
            row->multiplier += share * (next - row->multiplier);
        }
    }
}

/* One iteration. *out_size: its step over what is enough; *out_share: the least share that an island went. */
static AfxStatus iterate(AfxiBarrier *work, double tolerance, AfxiBarrierOutcome *out, double *out_size,
                         double *out_share) {
    AfxStatus status = afxi_barrier_system_pairs(work);
    status = status ? status : afxi_barrier_contacts(work, &out->gap);
    if (status != AFX_OK) {
        return status;
    }
    out->iterations++;
    mark_bound(work);
    if (!newton_step(work)) {
        return AFX_E_NUMERIC;
    }
    *out_size = step_size(work, tolerance, &out->body);
    if (!isfinite(*out_size)) {
        return AFX_E_NUMERIC;
    }
    afxi_barrier_islands(work);
    status = afxi_barrier_search(work, out);
    if (status != AFX_OK) {
        return status;
    }
    keep_multipliers(work);
    *out_share = 1;
    for (uint32_t k = 0; k < work->body_count; k++) {
        *out_share = fmin(*out_share, work->share[k]);
    }
    work->kinematic_now = work->kinematic_now || *out_share == 1;
    return AFX_OK;
}

static double tolerance_of(const AfxiBarrier *work) {
    static const double of[] = {[AFX_FAST] = AFXI_BARRIER_FAST,
                                [AFX_ACCURATE] = AFXI_BARRIER_ACCURATE,
                                [AFX_CONVERGED] = AFXI_BARRIER_CONVERGED};
    return of[work->world->def.accuracy] * work->world->state.head->dt;
}

/* How far forces are from what the last step led to, of the largest. */
static double forces_off(const AfxiBarrier *work) {
    double off = 0, most = 0;
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const AfxiBarrierContact *contact = &work->contacts[k];
        const AfxiBarrierWatch *watched = afxi_barrier_watched(work, &contact->of);
        off = fmax(off, fabs(contact->force - (watched ? fmax(0, watched->force) : 0)));
        most = fmax(most, contact->force);
    }
    return most > 0 ? off / most : 0;
}

/* Friction with the forces that there are now, where they have come near enough for that: true when they have changed
 * and may. */
static AfxStatus next_lag(AfxiBarrier *work, AfxiBarrierOutcome *out, bool done, uint32_t *lag, bool *out_changed) {
    double change = 0;
    *out_changed = false;
    AfxStatus status = afxi_barrier_contacts(work, &out->gap);
    if (status != AFX_OK || *lag + 1 >= work->lags_most + 1 ||
        (!done && (*lag > 0 || forces_off(work) > AFXI_FRICTION_LAG_AT))) {
        return status;
    }
    status = afxi_barrier_friction(work, &change);
    *out_changed = change > (*lag + 1 >= work->lags_most ? AFXI_FRICTION_WRONG : AFXI_FRICTION_ENOUGH);
    *lag += *out_changed;
    out->lags += *out_changed;
    return status;
}

/* What could not be done: the row that is furthest from where it is told to be, where there is one, and a body of it.
 */
static void tell_blocked(const AfxiBarrier *work, bool stuck, AfxiBarrierOutcome *out) {
    double most = AFXI_BARRIER_MET * work->size;
    out->blocked |= stuck;
    out->blocked_body = out->joint == UINT32_MAX ? out->body : out->blocked_body;
    for (uint32_t r = 0; r < work->row_count; r++) {
        if (fabs(work->row_value[0][r]) > most) {
            most = fabs(work->row_value[0][r]);
            out->blocked_body = work->bodies[work->rows[r].slot].body;
            out->joint = work->rows[r].joint;
            out->blocked = true;
        }
    }
}

/* Iterates. */
static AfxStatus converge(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    double tolerance = tolerance_of(work), size = 0, share = 0;
    uint32_t stuck = 0, begin = out->iterations, fixed = work->world->def.solves, lag = 0;
    for (;;) {
        AfxStatus status = iterate(work, tolerance, out, &size, &share);
        if (status != AFX_OK) {
            return status;
        }
        uint32_t changed = work->row_count ? afxi_barrier_rows_branches(work, work->settled) : 0;
        double off = work->row_count ? afxi_barrier_rows_values(work, AFXI_NOW, work->row_value[0]) : 0;
        out->violation = off;
        bool met = off <= AFXI_BARRIER_MET * work->size && work->kinematic_now && !changed;
        bool done = fixed ? out->iterations - begin >= fixed * (lag + 1) : met && share == 1 && size <= 1, lags = false;
        if (done || (!fixed && share == 1)) {
            status = next_lag(work, out, done, &lag, &lags);
        }
        if (status != AFX_OK || (done && !lags)) {
            return status;
        }
        stuck = share < AFXI_BARRIER_BLOCKED ? stuck + 1 : 0;
        if (stuck >= AFXI_BARRIER_BLOCKED_TIMES && met && size < 1e3) {
            return AFX_OK; /* rounding: it cannot come nearer */
        }
        if (stuck >= AFXI_BARRIER_BLOCKED_TIMES || out->iterations - begin >= AFXI_BARRIER_ITERATIONS_MOST) {
            tell_blocked(work, stuck > 0, out);
            return AFX_E_NUMERIC;
        }
    }
}

/* Watches what bodies would run into if nothing were in their way: the first step knows of it then. */
static AfxStatus look_ahead(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->model->body_count; k++) {
        double *to = work->place[AFXI_TRIED] + (size_t)AFXI_AFFINE_WIDTH * k;
        const double *end = work->slot[k] == UINT32_MAX ? work->kinematic + (size_t)AFXI_AFFINE_WIDTH * k
                                                        : work->bodies[work->slot[k]].target;
        memcpy(to, end, AFXI_AFFINE_WIDTH * sizeof *to); /* without loads: they are in what rests, too */
    }
    afxi_barrier_rotations(work, AFXI_TRIED);
    afxi_barrier_vertices(work, AFXI_TRIED, work->x[1]);
    AfxStatus status = afxi_barrier_shapes(work);
    status = status ? status : afxi_barrier_candidates(work);
    return status ? status : afxi_barrier_ccd(work, true);
}

AfxStatus afxi_barrier_solve(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    double change = 0;
    memcpy(work->place[AFXI_NOW], work->place[AFXI_BEGIN],
           (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double));
    afxi_barrier_rotations(work, AFXI_NOW);
    afxi_barrier_ways(work);
    afxi_barrier_watch_clear(work);
    work->plain = false;
    work->fresh = true;
    afxi_barrier_vertices(work, AFXI_NOW, work->x[0]);
    memcpy(work->x[1], work->x[0], work->surface.vertex_count * sizeof *work->x[0]);
    AfxStatus status = afxi_barrier_shapes(work);
    status = status ? status : afxi_barrier_candidates(work);
    status = status ? status : afxi_barrier_contacts(work, &out->gap);
    if (status == AFX_OK && !(out->gap > 0)) {
        out->intersects = true;
        for (uint32_t k = 0; k < work->contact_count; k++) {
            out->body = work->contacts[k].gap > 0 ? out->body : work->contacts[k].body[0];
        }
        return AFX_E_NUMERIC;
    }
    status = status ? status : afxi_barrier_friction(work, &change);
    status = status || work->published ? status : look_ahead(work);
    return status ? status : converge(work, out);
}
