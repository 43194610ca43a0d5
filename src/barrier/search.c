/* SPDX-License-Identifier: Apache-2.0 */
/* The line search, all islands side by side. The path between two iterates means nothing, so that it may be any that
 * can be checked: bodies are moved along their step with their turns retracted, rows are restored there, and CCD goes
 * along the straight line of every vertex to that place. Where something is met, all of it is done again for less of
 * the step: restoring is of second order in it. Islands that come near each other on the way are one from then on. */
#include "barrier/search.h"

#include <string.h>

#include "barrier/bend.h"
#include "barrier/body.h"
#include "barrier/candidates.h"
#include "barrier/contacts.h"
#include "barrier/friction.h"
#include "barrier/hold.h"
#include "barrier/rows.h"
#include "barrier/system.h"
#include "base/forest.h"
#include "math/polar.h"

void afxi_barrier_rotations(AfxiBarrier *work, AfxiBarrierPlace place) {
    for (uint32_t k = 0; k < work->model->body_count; k++) {
        AfxiMat3 a = mat3_load(barrier_place(work, place, k)), *r = &work->rotation[place][k];
        bool elastic = work->slot[k] != UINT32_MAX && work->bodies[work->slot[k]].width == AFXI_BARRIER_WIDTH;
        *r = elastic ? afxi_rotation_part(&a, NULL) : a;
    }
}

void afxi_barrier_islands(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->parent[k] = k;
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t e = block->first_entry + 1; e < block->first_entry + block->entry_count; e++) {
            afxi_forest_join(work->parent, work->entries[block->first_entry].slot, work->entries[e].slot);
        }
    }
    for (uint32_t k = 1; !work->kinematic_now && k < work->body_count; k++) {
        afxi_forest_join(work->parent, 0, k); /* what is told to move goes as far as all others let it */
    }
}

static uint32_t root_of(AfxiBarrier *work, uint32_t slot) {
    return afxi_forest_root(work->parent, slot);
}

/* Joins two islands; true when their shares had been different or one was settled. */
static bool join(AfxiBarrier *work, uint32_t a, uint32_t b) {
    uint32_t x = root_of(work, a), y = root_of(work, b), low = x < y ? x : y;
    if (x == y) {
        return false;
    }
    bool changed = work->share[x] != work->share[y];
    double share = fmin(work->share[x], work->share[y]);
    bool settled = work->settled[x] && work->settled[y] && !changed;
    afxi_forest_join(work->parent, a, b);
    work->share[low] = share;
    work->settled[low] = settled;
    return changed;
}

/* ---- where a trial is ---- */

static void place_trial(AfxiBarrier *work) {
    size_t bytes = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double);
    double most = 1;
    memcpy(work->place[AFXI_TRIED], work->place[AFXI_NOW], bytes);
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        double share = work->share[root_of(work, k)];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body->body;
        most = fmin(most, share);
        afxi_barrier_retract(body, work->place[AFXI_NOW] + at, work->delta, share, work->place[AFXI_TRIED] + at);
    }
    for (uint32_t k = 0; !work->kinematic_now && k < work->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * work->model->kinematic[k].body;
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            double now = work->place[AFXI_NOW][at + e], end = work->kinematic[at + e];
            work->place[AFXI_TRIED][at + e] = most == 1 ? end : now + most * (end - now);
        }
    }
    afxi_barrier_rotations(work, AFXI_TRIED);
}

/* Moves all bodies of the trial by the solution of rows alone. */
static void correct(AfxiBarrier *work, const double *step) {
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        double *q = work->place[AFXI_TRIED] + (size_t)AFXI_AFFINE_WIDTH * body->body, from[AFXI_AFFINE_WIDTH];
        memcpy(from, q, sizeof from);
        afxi_barrier_retract(body, from, step, 1, q);
    }
    afxi_barrier_rotations(work, AFXI_TRIED);
}

/* What rows of the trial are off from their share of the way into row_value[1]; the largest comes back. */
static double restore_residual(AfxiBarrier *work) {
    double most = 0;
    afxi_barrier_rows_values(work, AFXI_TRIED, work->row_value[1]);
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        double left = 1 - work->share[root_of(work, work->entries[block->first_entry].slot)];
        for (uint32_t r = block->first_row; r < block->first_row + block->row_count; r++) {
            work->row_value[1][r] -= left * work->row_value[0][r];
            double size = fabs(work->row_value[1][r]);
            most = size <= most ? most : size;
        }
    }
    return most;
}

/* Brings the rows of a trial to where they should be, and contacts to the gaps that they should have: both to first
 * order, by solves with the factor of the step. What is left of rows comes back. */
static double restore(AfxiBarrier *work) {
    double enough = AFXI_BARRIER_RESTORED * work->size, before = INFINITY;
    double *x = work->correction;
    for (uint32_t n = 0;; n++) {
        memset(x, 0, work->unknown_count * sizeof *x);
        double off = work->row_count ? restore_residual(work) : 0;
        double bent = 0;
        if (work->contact_count && work->bends && n < AFXI_BEND_TIMES) {
            afxi_barrier_vertices(work, AFXI_TRIED, work->x[1]);
            bent = afxi_barrier_bend(work, x);
        }
        bool bends = bent > AFXI_BENT;
        if (!bends) {
            memset(x, 0, work->width_count * sizeof *x);
        }
        bool stalls = !(off < 0.5 * before); /* what brings gaps back moves rows too, by second order */
        if (n >= AFXI_BARRIER_RESTORES_MOST || (!bends && (off <= enough || (stalls && n > 2)))) {
            return off;
        }
        before = bends ? INFINITY : off;
        for (uint32_t r = 0; r < work->row_count; r++) {
            x[work->width_count + r] = -work->row_value[1][r];
        }
        afxi_barrier_system_solve(work, x);
        correct(work, x);
    }
}

/* ---- judging it ---- */

void afxi_barrier_energies(AfxiBarrier *work, int end) {
    AfxiBarrierPlace place = end ? AFXI_TRIED : AFXI_NOW;
    double *energy = work->energy[end], *size = work->energy_size[end];
    memset(energy, 0, work->body_count * sizeof *energy);
    memset(size, 0, work->body_count * sizeof *size);
    for (uint32_t k = 0; k < work->body_count; k++) {
        energy[k] = afxi_barrier_body_energy(work, &work->bodies[k], place, &size[k]);
    }
    afxi_barrier_rows_energy(work, place, energy, size);
    afxi_barrier_contacts_energy(work, end, energy, size);
    afxi_barrier_friction_energy(work, place, energy, size);
    afxi_barrier_holds_energy(work, place, energy, size);
}

/* Of islands, by their roots, with the slope of the step. */
static void gather_energies(AfxiBarrier *work) {
    for (int end = 0; end < 2; end++) {
        double *energy = work->energy[end], *size = work->energy_size[end];
        afxi_barrier_energies(work, end);
        for (uint32_t k = work->body_count; k-- > 0;) { /* roots have the smallest numbers */
            uint32_t root = root_of(work, k);
            if (root != k) {
                energy[root] += energy[k];
                size[root] += size[k];
            }
        }
    }
    memset(work->descent, 0, work->body_count * sizeof *work->descent);
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        for (uint32_t c = body->first; c < body->first + body->width; c++) {
            work->descent[root_of(work, k)] += work->gradient[c] * work->delta[c];
        }
    }
}

/* Whether an island may stop where it is tried. While rows have a way to go the energy need not fall. */
static bool is_downhill(const AfxiBarrier *work, uint32_t root, bool on_the_way) {
    double from = work->energy[0][root], to = work->energy[1][root];
    double rounding = AFXI_BARRIER_ROUNDING * (work->energy_size[0][root] + work->energy_size[1][root]);
    if (on_the_way) {
        return isfinite(to);
    }
    return to <= from + AFXI_BARRIER_ARMIJO * work->share[root] * fmin(0, work->descent[root]) + rounding;
}

static bool merge_near(AfxiBarrier *work) {
    uint32_t count;
    const AfxiPair *pairs = afxi_broad_pairs(work->broad, &count);
    bool changed = false;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t a = work->slot[work->surface.shapes[pairs[k].a].body];
        uint32_t b = work->slot[work->surface.shapes[pairs[k].b].body];
        if (a != UINT32_MAX && b != UINT32_MAX) {
            changed |= join(work, a, b);
        }
    }
    return changed;
}

/* Cuts the shares of islands that CCD stops; false: none was. */
static AfxStatus cut(AfxiBarrier *work, AfxiBarrierOutcome *out, bool *first, bool *out_any) {
    *out_any = false;
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->time[k] = 1;
    }
    AfxStatus status = afxi_barrier_ccd(work, *first);
    *first = false;
    for (uint32_t k = work->body_count; k-- > 0;) {
        uint32_t root = root_of(work, k);
        work->time[root] = fmin(work->time[root], work->time[k]);
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        if (work->parent[k] == k && work->time[k] < 1) {
            work->share[k] *= AFXI_CCD_USED * work->time[k];
            work->settled[k] = 0;
            out->cuts++;
            *out_any = true;
        }
    }
    return status;
}

/* Judges all islands that are not settled; true when all are. */
static bool judge(AfxiBarrier *work, bool on_the_way) {
    bool all = true;
    gather_energies(work);
    for (uint32_t k = 0; k < work->body_count; k++) {
        if (work->parent[k] != k || work->settled[k]) {
            continue;
        }
        work->settled[k] = is_downhill(work, k, on_the_way);
        if (!work->settled[k]) {
            work->share[k] *= 0.5;
            if (!(work->descent[k] < 0)) { /* where contacts were led to is uphill */
                work->share[k] = 0;
                work->plain = true;
            }
            all = false;
        }
    }
    return all;
}

/* Shares too small to mean anything are none. */
static void drop_small(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->body_count; k++) {
        if (work->parent[k] == k && work->share[k] < 1e-2 * AFXI_BARRIER_BLOCKED) {
            work->share[k] = 0;
        }
    }
}

static AfxStatus trial(AfxiBarrier *work, AfxiBarrierOutcome *out, bool *first, bool on_the_way, bool *out_fine) {
    bool is_cut = false;
    *out_fine = false;
    drop_small(work);
    place_trial(work);
    double off = restore(work);
    if (work->bends && !(off <= AFXI_BARRIER_MET * work->size)) { /* gaps cannot be brought back with rows */
        work->bends = false;
        place_trial(work);
        off = restore(work);
    }
    if (!(off <= fmax(AFXI_BARRIER_MET * work->size, 0.5 * work->row_most))) {
        for (uint32_t k = 0; k < work->body_count; k++) {
            work->share[k] *= 0.5;
            work->settled[k] = 0;
        }
        return AFX_OK;
    }
    afxi_barrier_vertices(work, AFXI_TRIED, work->x[1]);
    AfxStatus status = afxi_barrier_shapes(work);
    if (status != AFX_OK || merge_near(work)) {
        return status;
    }
    status = afxi_barrier_candidates(work);
    status = status ? status : cut(work, out, first, &is_cut);
    if (status == AFX_OK && !is_cut) {
        *out_fine = judge(work, on_the_way);
    }
    return status;
}

AfxStatus afxi_barrier_search(AfxiBarrier *work, AfxiBarrierOutcome *out) {
    bool fine = false, first = true,
         on_the_way = !work->kinematic_now || work->row_most > AFXI_BARRIER_MET * work->size;
    AfxStatus status = work->published ? AFX_OK : afxi_barrier_watch_step(work);
    afxi_barrier_friction_lead(work);
    work->bends = !work->published;
    work->plain = false;
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->share[k] = 1;
        work->settled[k] = 0;
    }
    for (uint32_t n = 0; status == AFX_OK && !fine && n < AFXI_BARRIER_TRIALS_MOST + work->body_count; n++) {
        if (n == AFXI_BARRIER_TRIALS_MOST) { /* what has not come down by now stays where it is */
            for (uint32_t k = 0; k < work->body_count; k++) {
                work->share[k] = work->settled[k] ? work->share[k] : 0;
            }
        }
        status = trial(work, out, &first, on_the_way, &fine);
        work->bends = !work->published && n + 1 < AFXI_BEND_TRIALS;
    }
    if (status != AFX_OK) {
        return status;
    }
    if (!fine) { /* stays */
        memcpy(work->place[AFXI_TRIED], work->place[AFXI_NOW],
               (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double));
        for (uint32_t k = 0; k < work->body_count; k++) {
            work->share[k] = 0;
        }
        afxi_barrier_rotations(work, AFXI_TRIED);
        afxi_barrier_vertices(work, AFXI_TRIED, work->x[1]);
        status = afxi_barrier_shapes(work);
        status = status ? status : afxi_barrier_candidates(work);
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->share[k] = work->share[root_of(work, k)];
    }
    double *place = work->place[AFXI_NOW];
    AfxiMat3 *rotation = work->rotation[AFXI_NOW];
    AfxVec3 *x = work->x[0];
    work->place[AFXI_NOW] = work->place[AFXI_TRIED];
    work->place[AFXI_TRIED] = place;
    work->rotation[AFXI_NOW] = work->rotation[AFXI_TRIED];
    work->rotation[AFXI_TRIED] = rotation;
    work->x[0] = work->x[1];
    work->x[1] = x;
    return status;
}
