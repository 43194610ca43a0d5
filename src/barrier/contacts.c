/* SPDX-License-Identifier: Apache-2.0 */
/* A contact of the points x_a = A_a y_a + t_a and x_b has d = |x_a - x_b| - radii and the energy kappa w e B(d). Its
 * nearest points stay what they are to first order, so that
 *     gradient  kappa w e B' n  at y_a, its opposite at y_b,      Hessian  kappa w e B'' n n^T, of rank 1.
 * e fades contacts of edges out that are nearly parallel: c = |u x v|² over that of the edges at rest. Its gradient is
 * exact, of its Hessian nothing is taken. */
#include "barrier/contacts.h"

#include <string.h>

#include "barrier/candidates.h"
#include "barrier/ccd.h"
#include "barrier/energy.h"
#include "barrier/push.h"
#include "barrier/watch.h"
#include "base/memory.h"

double afxi_barrier_kappa(const AfxiBarrier *work, uint32_t a, uint32_t b) {
    double inverse = 0, factor = 1, product = 1, way = work->reach[a] + work->reach[b];
    const uint32_t body[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        uint32_t slot = work->slot[body[k]];
        if (slot != UINT32_MAX) {
            inverse += 1 / work->bodies[slot].c_t;
            product /= work->bodies[slot].c_t;
            factor = fmax(factor, work->bodies[slot].stiffness);
        }
    }
    bool both = work->slot[a] != UINT32_MAX && work->slot[b] != UINT32_MAX;
    way += vec3_length(vec3_sub(work->way[a], work->way[b]));
    double impact = way / (AFXI_BARRIER_IMPACT * work->gap) / (both ? sqrt(product) : product);
    impact = work->published ? 0 : fmin(impact, AFXI_BARRIER_STIFFEST / inverse);
    return AFXI_BARRIER_STIFFNESS * fmax(factor / inverse, impact);
}

/* What the mollifier compares with: the edges at rest. */
static double fade_scale(const AfxiBarrier *work, const AfxiCandidate *candidate, AfxVec3 edge[2]) {
    const AfxiSurfaceVertex *v = work->surface.vertices;
    edge[0] = vec3_sub(v[candidate->v[1]].x, v[candidate->v[0]].x);
    edge[1] = vec3_sub(v[candidate->v[3]].x, v[candidate->v[2]].x);
    return AFXI_MOLLIFIER * vec3_dot(edge[0], edge[0]) * vec3_dot(edge[1], edge[1]);
}

static double cross_square(const AfxVec3 x[4]) {
    AfxVec3 n = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[3], x[2]));
    return vec3_dot(n, n);
}

/* Distance of a candidate, its normal and the weights of its corners. */
static double distance_of(const AfxiBarrier *work, const AfxiCandidate *candidate, int end, AfxVec3 x[4],
                          double weight[4], AfxVec3 *n) {
    afxi_candidate_corners(work, candidate, end, x);
    if (candidate->stencil == AFXI_STENCIL_POINT_PLANE) {
        const AfxiSurfaceShape *plane = &work->surface.shapes[candidate->shape[1]];
        AfxiMat3 a = mat3_load(barrier_place(work, AFXI_BEGIN, plane->body));
        *n = mat3_apply(&a, plane->normal);
        weight[0] = 1;
        return afxi_candidate_height(work, candidate, end);
    }
    AfxVec3 r = afxi_stencil_nearest((AfxiStencil)candidate->stencil, x, weight);
    double length = vec3_length(r);
    *n = length > 0 ? vec3_scale(1 / length, r) : vec3(0, 0, 0);
    return length - afxi_candidate_radius(work, candidate);
}

static double energy_of(const AfxiBarrier *work, const AfxiCandidate *candidate, int end) {
    AfxVec3 x[4], n, edge[2];
    double weight[4], b[3], fade[2] = {1, 0};
    double d = distance_of(work, candidate, end, x, weight, &n);
    if (!(d < work->gap)) {
        return 0;
    }
    afxi_barrier_function(d, work->gap, b);
    if (candidate->stencil == AFXI_STENCIL_EDGES) {
        afxi_mollifier(cross_square(x), fade_scale(work, candidate, edge), fade);
    }
    double kappa = afxi_barrier_kappa(work, work->surface.shapes[candidate->shape[0]].body,
                                      work->surface.shapes[candidate->shape[1]].body);
    return kappa * candidate->weight * fade[0] * b[0];
}

void afxi_barrier_contacts_energy(const AfxiBarrier *work, int end, double *energy, double *size) {
    for (uint32_t k = 0; k < work->candidate_count; k++) {
        const AfxiCandidate *candidate = &work->candidates[k];
        double own = energy_of(work, candidate, end);
        uint32_t slot = afxi_barrier_slot(work, work->surface.shapes[candidate->shape[0]].body,
                                          work->surface.shapes[candidate->shape[1]].body);
        energy[slot] += own;
        size[slot] += own;
    }
}

static double distance_now(const AfxiBarrier *work, const AfxiCandidate *candidate) {
    AfxVec3 x[4], n;
    double weight[4];
    return distance_of(work, candidate, 0, x, weight, &n);
}

/* How much of their straight lines candidates may go, from one on up to another. */
static double time_of(const AfxiBarrier *work, uint32_t begin, uint32_t end) {
    double time = 1;
    for (uint32_t k = begin; k < end; k++) {
        const AfxiCandidate *candidate = &work->candidates[k];
        AfxVec3 x[4], p[4];
        if (candidate->stencil == AFXI_STENCIL_POINT_PLANE) {
            time = fmin(time, afxi_ccd_plane(afxi_candidate_height(work, candidate, 0),
                                             afxi_candidate_height(work, candidate, 1), work->gap));
            continue;
        }
        afxi_candidate_corners(work, candidate, 0, x);
        afxi_candidate_corners(work, candidate, 1, p);
        for (int c = 0; c < afxi_stencil_count((AfxiStencil)candidate->stencil); c++) {
            p[c] = vec3_sub(p[c], x[c]);
        }
        time = fmin(time,
                    afxi_ccd((AfxiStencil)candidate->stencil, x, p, afxi_candidate_radius(work, candidate), work->gap));
    }
    return time;
}

/* Of two shapes only how they move by each other counts, and any such motion between two places may be checked: what is
 * straight in the world, or in the frame of one of their bodies. All that they have must go the same way, so that what
 * may meet is looked for in that frame, too. Bodies that turn together stand still there. */
static AfxStatus time_in_frames(AfxiBarrier *work, const uint32_t shape[2], double *time) {
    AfxStatus status = AFX_OK;
    uint32_t count = work->candidate_count;
    for (int side = 0; side < 2 && *time < 1 && status == AFX_OK; side++) {
        status = afxi_barrier_pair_in(work, shape, work->surface.shapes[shape[side]].body);
        *time = status == AFX_OK ? fmax(*time, time_of(work, count, work->candidate_count)) : *time;
        work->candidate_count = count;
    }
    AfxStatus back = afxi_barrier_pair_in(work, shape, UINT32_MAX);
    return status ? status : back;
}

static bool is_of(const AfxiCandidate *candidate, const uint32_t shape[2]) {
    return (candidate->shape[0] == shape[0] && candidate->shape[1] == shape[1]) ||
           (candidate->shape[0] == shape[1] && candidate->shape[1] == shape[0]);
}

/* Watches what candidates meet that are not near. */
static AfxStatus watch_met(AfxiBarrier *work, uint32_t begin, uint32_t end) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = begin; status == AFX_OK && k < end; k++) {
        if (distance_now(work, &work->candidates[k]) >= work->gap && time_of(work, k, k + 1) < 1) {
            status = afxi_barrier_watch(work, &work->candidates[k], -1);
        }
    }
    return status;
}

AfxStatus afxi_barrier_ccd(AfxiBarrier *work, bool watch) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0, end; status == AFX_OK && k < work->candidate_count; k = end) {
        const uint32_t shape[2] = {work->candidates[k].shape[0], work->candidates[k].shape[1]};
        bool flat = work->candidates[k].stencil == AFXI_STENCIL_POINT_PLANE;
        for (end = k + 1; end < work->candidate_count && is_of(&work->candidates[end], shape);) {
            end++;
        }
        double time = time_of(work, k, end);
        if (time < 1 && !flat && !work->published) {
            status = time_in_frames(work, shape, &time);
        }
        for (int side = 0; side < 2 && time < 1; side++) {
            uint32_t slot = work->slot[work->surface.shapes[shape[side]].body];
            if (slot != UINT32_MAX) {
                work->time[slot] = fmin(work->time[slot], time);
            }
        }
        if (status == AFX_OK && watch && time < 1 && !work->published) {
            status = watch_met(work, k, end);
        }
    }
    return status;
}

/* ---- contacts at the iterate ---- */

static AfxVec3 mean_of(const AfxiBarrier *work, const AfxiCandidate *candidate, const double *weight, int begin,
                       int end) {
    AfxVec3 y = {0, 0, 0};
    for (int k = begin; k < end; k++) {
        y = vec3_mad(y, weight[k], work->surface.vertices[candidate->v[k]].x);
    }
    return y;
}

static void fill_contact(const AfxiBarrier *work, const AfxiCandidate *candidate, double d, const AfxVec3 x[4],
                         const double weight[4], AfxVec3 n, AfxiBarrierContact *out) {
    AfxiStencil stencil = (AfxiStencil)candidate->stencil;
    int first = afxi_stencil_first(stencil), count = afxi_stencil_count(stencil);
    double b[3], fade[2] = {1, 0};
    *out = (AfxiBarrierContact){.n = n, .gap = d, .feature = candidate->feature, .of = *candidate};
    for (int side = 0; side < 2; side++) {
        out->shape[side] = candidate->shape[side];
        out->body[side] = work->surface.shapes[candidate->shape[side]].body;
    }
    out->y[0] = mean_of(work, candidate, weight, 0, first);
    out->y[1] = mean_of(work, candidate, weight, first, count);
    double kappa = candidate->weight * afxi_barrier_kappa(work, out->body[0], out->body[1]);
    afxi_barrier_function(d, work->gap, b);
    if (stencil == AFXI_STENCIL_EDGES) {
        afxi_mollifier(cross_square(x), fade_scale(work, candidate, out->edge), fade);
        out->fade = kappa * b[0] * fade[1];
    }
    out->kappa = kappa * fade[0];
    out->force = -kappa * fade[0] * b[1];
    out->stiffness = kappa * fade[0] * b[2];
}

static AfxStatus add_contact(AfxiBarrier *work, const AfxiCandidate *candidate, const AfxiBarrierWatch *watched,
                             double *gap) {
    AfxVec3 x[4], n;
    double weight[4], d = distance_of(work, candidate, 0, x, weight, &n);
    *gap = fmin(*gap, d);
    if (!(d < work->gap) && !watched) {
        return AFX_OK;
    }
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&work->contacts, &work->contact_capacity,
                                          work->contact_count + 1, sizeof *work->contacts);
    if (status != AFX_OK) {
        return status;
    }
    AfxiBarrierContact *contact = &work->contacts[work->contact_count];
    fill_contact(work, candidate, d, x, weight, n, contact);
    if (d > 0 && watched) {
        afxi_barrier_lead(work, watched->force, contact);
    }
    work->contact_count += contact->stiffness > 0; /* parallel edges have nothing to say */
    return AFX_OK;
}

AfxStatus afxi_barrier_contacts(AfxiBarrier *work, double *out_gap) {
    AfxStatus status = AFX_OK;
    *out_gap = INFINITY;
    work->contact_count = 0;
    afxi_barrier_watch_sort(work);
    for (uint32_t k = 0; status == AFX_OK && k < work->candidate_count; k++) {
        status = add_contact(work, &work->candidates[k], afxi_barrier_watched(work, &work->candidates[k]), out_gap);
    }
    for (uint32_t k = 0; status == AFX_OK && k < work->watch_count; k++) { /* those that are not near yet */
        AfxVec3 x[4], n;
        double weight[4], d = distance_of(work, &work->watch[k].of, 0, x, weight, &n);
        if (!(d < work->gap)) {
            status = add_contact(work, &work->watch[k].of, &work->watch[k], out_gap);
        }
    }
    return status;
}

double afxi_candidate_signed(const AfxiBarrier *work, const AfxiCandidate *candidate, AfxVec3 normal) {
    AfxVec3 x[4], n;
    double weight[4], d = distance_of(work, candidate, 1, x, weight, &n), radius;
    if (vec3_dot(n, normal) >= 0) {
        return d;
    }
    radius = afxi_candidate_radius(work, candidate);
    return -(d + radius) - radius;
}

/* ---- gradients and matrix ---- */

/* The gradient of the mollifier: dc/du = 2 (|v|² u - (u . v) v), on A of the body of u. */
static void add_fade(AfxiBarrier *work, const AfxiBarrierContact *contact) {
    AfxVec3 e[2];
    for (int k = 0; k < 2; k++) {
        AfxiMat3 a = mat3_load(barrier_place(work, AFXI_NOW, contact->body[k]));
        e[k] = mat3_apply(&a, contact->edge[k]);
    }
    for (int k = 0; k < 2; k++) {
        uint32_t slot = work->slot[contact->body[k]];
        AfxVec3 u = e[k], v = e[1 - k], y = contact->edge[k];
        AfxVec3 n = vec3_mad(vec3_scale(vec3_dot(v, v), u), -vec3_dot(u, v), v);
        if (slot == UINT32_MAX) {
            continue;
        }
        AfxiMat3 a = mat3_load(barrier_place(work, AFXI_NOW, contact->body[k]));
        AfxVec3 m = vec3_scale(2 * contact->fade, mat3_apply_transposed(&a, n));
        double *g = work->turn_gradient + 9 * (size_t)slot;
        const double weight[3] = {y.x, y.y, y.z};
        for (int c = 0; c < 3; c++) {
            vec3_store(g + 3 * c, vec3_mad(vec3_load(g + 3 * c), weight[c], m));
        }
    }
}

void afxi_barrier_contacts_forces(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const AfxiBarrierContact *contact = &work->contacts[k];
        AfxVec3 force = vec3_scale(contact->force, contact->n);
        afxi_barrier_force(work, contact->body[0], contact->y[0], force);
        afxi_barrier_force(work, contact->body[1], contact->y[1], vec3_scale(-1, force));
        if (contact->fade != 0) {
            add_fade(work, contact);
        }
    }
}

void afxi_barrier_contacts_stiffness(AfxiBarrier *work) {
    for (uint32_t k = 0; k < work->contact_count; k++) {
        const AfxiBarrierContact *contact = &work->contacts[k];
        afxi_barrier_stiffness(work, contact->body, contact->y, contact->n, contact->stiffness, contact->lead);
    }
}
