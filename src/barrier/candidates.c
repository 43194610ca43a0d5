/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes whose swept boxes meet are looked at in the box that both have in common (the overlap boxes of ABD, section
 * 6): only primitives that reach into it are compared with each other. What is compared: vertices with triangles, edges
 * with edges; vertices with edges that no triangle has (capsules); vertices with vertices where both are alone
 * (spheres); vertices with planes. */
#include "barrier/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef AfxiBarrierSwept Box;

static AfxVec3 vertex_at(const AfxiBarrier *work, AfxiBarrierPlace place, uint32_t v) {
    const AfxiSurfaceVertex *vertex = &work->surface.vertices[v];
    const double *q = barrier_place(work, place, vertex->body);
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, vertex->x), vec3_load(q + 9));
}

void afxi_barrier_vertices(AfxiBarrier *work, AfxiBarrierPlace place, AfxVec3 *out) {
    for (uint32_t s = 0; s < work->surface.shape_count; s++) {
        const AfxiSurfaceShape *shape = &work->surface.shapes[s];
        for (uint32_t k = shape->first_vertex; !work->idle[s] && k < shape->first_vertex + shape->vertex_count; k++) {
            out[k] = vertex_at(work, place, k);
        }
    }
}

/* The box that a vertex sweeps. */
static Box swept(const AfxiBarrier *work, uint32_t v) {
    const double *from = &work->x[0][v].x, *to = &work->x[1][v].x;
    Box box;
    for (int e = 0; e < 3; e++) {
        box.lower[e] = from[e] < to[e] ? from[e] : to[e];
        box.upper[e] = from[e] < to[e] ? to[e] : from[e];
    }
    return box;
}

/* Makes a box large enough for another. */
static void hold(Box *box, const Box *other) {
    for (int e = 0; e < 3; e++) {
        box->lower[e] = other->lower[e] < box->lower[e] ? other->lower[e] : box->lower[e];
        box->upper[e] = other->upper[e] > box->upper[e] ? other->upper[e] : box->upper[e];
    }
}

/* All six are compared: which of them fails first cannot be foreseen. */
static bool overlap(const Box *a, const Box *b) {
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) & (a->lower[1] <= b->upper[1]) &
           (b->lower[1] <= a->upper[1]) & (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* The boxes of a shape and of its vertices, from where these are now and where they are tried. */
static void put_box(AfxiBarrier *work, uint32_t s) {
    const AfxiSurfaceShape *shape = &work->surface.shapes[s];
    double wider = shape->radius + 0.5 * work->gap;
    double all = work->idle[s] ? -INFINITY : INFINITY; /* what is not near has an empty box, a plane has all */
    Box box = {{-all, -all, -all}, {all, all, all}};
    for (uint32_t k = 0; !shape->plane && !work->idle[s] && k < shape->vertex_count; k++) {
        Box *own = &work->swept[0][shape->first_vertex + k];
        *own = swept(work, shape->first_vertex + k);
        box = k ? box : *own;
        hold(&box, own);
    }
    for (int e = 0; e < 3; e++) {
        work->lower[s][e] = box.lower[e] - wider;
        work->upper[s][e] = box.upper[e] + wider;
    }
    work->boxed[s] = false;
}

/* The boxes of its edges and triangles, where a pair asks for them. */
static void put_boxes(AfxiBarrier *work, uint32_t s) {
    const AfxiSurface *surface = &work->surface;
    const AfxiSurfaceShape *shape = &surface->shapes[s];
    for (uint32_t k = shape->first_edge; !work->boxed[s] && k < shape->first_edge + shape->edge_count; k++) {
        const uint32_t *v = surface->edges[k].v;
        work->swept[1][k] = work->swept[0][v[0]];
        hold(&work->swept[1][k], &work->swept[0][v[1]]);
    }
    for (uint32_t k = shape->first_triangle; !work->boxed[s] && k < shape->first_triangle + shape->triangle_count;
         k++) {
        const uint32_t *v = surface->triangles[k];
        work->swept[2][k] = work->swept[0][v[0]];
        hold(&work->swept[2][k], &work->swept[0][v[1]]);
        hold(&work->swept[2][k], &work->swept[0][v[2]]);
    }
    work->boxed[s] = true;
}

AfxStatus afxi_barrier_shapes(AfxiBarrier *work) {
    for (uint32_t s = 0; s < work->surface.shape_count; s++) {
        put_box(work, s);
    }
    return afxi_broad_update(work->broad, (const double(*)[3])work->lower, (const double(*)[3])work->upper, NULL, 1);
}

/* ---- primitives ---- */

static AfxStatus add_candidate(AfxiBarrier *work, AfxiCandidate candidate) {
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&work->candidates, &work->candidate_capacity,
                                          work->candidate_count + 1, sizeof *work->candidates);
    if (status == AFX_OK) {
        work->candidates[work->candidate_count++] = candidate;
    }
    return status;
}

static int by_key(const void *x, const void *y) {
    const AfxiBarrierNear *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : (a->of < b->of ? -1 : a->of > b->of);
}

/* Lists come by number, so that short ones are sorted by moving the few that are out of order. */
static void sort_near(AfxiBarrierNearList *list) {
    if (list->count > AFXI_NEAR_SHORT) {
        qsort(list->near, list->count, sizeof *list->near, by_key);
        return;
    }
    for (uint32_t k = 1; k < list->count; k++) {
        AfxiBarrierNear own = list->near[k];
        uint32_t at = k;
        for (; at > 0 && own.key < list->near[at - 1].key; at--) {
            list->near[at] = list->near[at - 1];
        }
        list->near[at] = own;
    }
}

/* Vertices, edges or triangles (what = 0, 1, 2) of a shape that reach into a box, sorted along an axis of it. */
static AfxStatus list_near(AfxiBarrier *work, AfxiBarrierNearList *list, int what, const AfxiSurfaceShape *shape,
                           const Box *box, int axis) {
    const AfxiSurface *surface = &work->surface;
    const uint32_t first[3] = {shape->first_vertex, shape->first_edge, shape->first_triangle};
    const uint32_t count[3] = {shape->vertex_count, shape->edge_count, shape->triangle_count};
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&list->near, &list->capacity, count[what] + 1,
                                          sizeof *list->near);
    list->box = work->swept[what];
    list->count = 0;
    list->longest = 0;
    for (uint32_t k = first[what]; status == AFX_OK && k < first[what] + count[what]; k++) {
        const Box *own = &work->swept[what][k];
        if (overlap(own, box) && (what > 0 || surface->vertices[k].weight > 0)) {
            list->near[list->count++] = (AfxiBarrierNear){own->lower[axis], k};
            list->longest = fmax(list->longest, own->upper[axis] - own->lower[axis]);
        }
    }
    if (what > 0) { /* vertices are not searched */
        sort_near(list);
    }
    return status;
}

/* The first of a list that may reach beyond `from` along its axis. */
static uint32_t begin_of(const AfxiBarrierNearList *list, double from) {
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->near[middle].key < from - list->longest) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Goes on to the next of a list whose box is nearer than `reach` to that of one; false: there is none. */
static bool next_near(const AfxiBarrierNearList *list, const Box *one, int axis, double reach, uint32_t *at) {
    for (; *at < list->count && list->near[*at].key <= one->upper[axis] + reach; ++*at) {
        const Box *other = &list->box[list->near[*at].of];
        if ((other->lower[0] <= one->upper[0] + reach) & (one->lower[0] - reach <= other->upper[0]) &
            (other->lower[1] <= one->upper[1] + reach) & (one->lower[1] - reach <= other->upper[1]) &
            (other->lower[2] <= one->upper[2] + reach) & (one->lower[2] - reach <= other->upper[2])) {
            return true;
        }
    }
    return false;
}

/* Vertices of one shape against triangles or loose edges of the other. */
static AfxStatus add_vertex(AfxiBarrier *work, uint32_t v, const uint32_t shape[2], const AfxiBarrierNearList *other,
                            int axis, double reach) {
    const AfxiSurface *surface = &work->surface;
    AfxStatus status = AFX_OK;
    const Box *one = &work->swept[0][v];
    AfxiCandidate candidate = {
        .v = {v}, .shape = {shape[0], shape[1]}, .feature = v, .weight = surface->vertices[v].weight};
    uint32_t at = begin_of(&other[2], one->lower[axis] - reach);
    for (; status == AFX_OK && next_near(&other[2], one, axis, reach, &at); at++) {
        candidate.stencil = AFXI_STENCIL_POINT_TRIANGLE;
        memcpy(candidate.v + 1, surface->triangles[other[2].near[at].of], 3 * sizeof(uint32_t));
        status = add_candidate(work, candidate);
    }
    at = begin_of(&other[1], one->lower[axis] - reach);
    for (; status == AFX_OK && next_near(&other[1], one, axis, reach, &at); at++) {
        const AfxiSurfaceEdge *edge = &surface->edges[other[1].near[at].of];
        if (edge->loose) {
            candidate.stencil = AFXI_STENCIL_POINT_EDGE;
            memcpy(candidate.v + 1, edge->v, sizeof edge->v);
            status = add_candidate(work, candidate);
        }
    }
    return status;
}

static AfxStatus add_edges(AfxiBarrier *work, const uint32_t shape[2], int axis, double reach) {
    const AfxiSurface *surface = &work->surface;
    const AfxiBarrierNearList *first = &work->near[0][1], *second = &work->near[1][1];
    AfxStatus status = AFX_OK;
    for (uint32_t i = 0; i < first->count; i++) {
        uint32_t e = first->near[i].of;
        const Box *one = &first->box[e];
        const AfxiSurfaceEdge *a = &surface->edges[e];
        uint32_t at = begin_of(second, one->lower[axis] - reach);
        for (; status == AFX_OK && next_near(second, one, axis, reach, &at); at++) {
            const AfxiSurfaceEdge *b = &surface->edges[second->near[at].of];
            status = add_candidate(work, (AfxiCandidate){.stencil = AFXI_STENCIL_EDGES,
                                                         .v = {a->v[0], a->v[1], b->v[0], b->v[1]},
                                                         .shape = {shape[0], shape[1]},
                                                         .feature = surface->vertex_count + e,
                                                         .weight = 0.5 * (a->weight + b->weight)});
        }
    }
    return status;
}

/* A plane is the second side. */
static AfxStatus add_plane(AfxiBarrier *work, uint32_t s, uint32_t plane) {
    const AfxiSurfaceShape *shape = &work->surface.shapes[s];
    AfxStatus status = AFX_OK;
    for (uint32_t v = shape->first_vertex; status == AFX_OK && v < shape->first_vertex + shape->vertex_count; v++) {
        AfxiCandidate candidate = {.stencil = AFXI_STENCIL_POINT_PLANE,
                                   .v = {v},
                                   .shape = {s, plane},
                                   .feature = v,
                                   .weight = work->surface.vertices[v].weight};
        bool near = afxi_candidate_height(work, &candidate, 0) < work->gap ||
                    afxi_candidate_height(work, &candidate, 1) < work->gap;
        if (near && candidate.weight > 0) {
            status = add_candidate(work, candidate);
        }
    }
    return status;
}

static bool is_alone(const AfxiSurfaceShape *shape) {
    return shape->vertex_count == 1;
}

static AfxStatus add_pair(AfxiBarrier *work, uint32_t a, uint32_t b) {
    const AfxiSurfaceShape *shape[2] = {&work->surface.shapes[a], &work->surface.shapes[b]};
    if (shape[0]->plane || shape[1]->plane) {
        return shape[0]->plane && shape[1]->plane ? AFX_OK
               : shape[0]->plane                  ? add_plane(work, b, a)
                                                  : add_plane(work, a, b);
    }
    double reach = shape[0]->radius + shape[1]->radius + work->gap;
    Box box;
    for (int e = 0; e < 3; e++) { /* what both boxes have in common, with what they were made wider by */
        double more = fmax(shape[0]->radius, shape[1]->radius) + work->gap;
        box.lower[e] = fmax(work->lower[a][e], work->lower[b][e]) - more;
        box.upper[e] = fmin(work->upper[a][e], work->upper[b][e]) + more;
    }
    uint32_t ab[2] = {a, b}, ba[2] = {b, a};
    int axis = 0;
    for (int e = 1; e < 3; e++) {
        axis = box.upper[e] - box.lower[e] > box.upper[axis] - box.lower[axis] ? e : axis;
    }
    AfxStatus status = AFX_OK;
    put_boxes(work, a);
    put_boxes(work, b);
    for (int side = 0; side < 2; side++) {
        for (int what = 0; status == AFX_OK && what < 3; what++) {
            status = list_near(work, &work->near[side][what], what, shape[side], &box, axis);
        }
    }
    for (int side = 0; side < 2; side++) {
        const AfxiBarrierNearList *vertices = &work->near[side][0];
        for (uint32_t k = 0; status == AFX_OK && k < vertices->count; k++) {
            status = add_vertex(work, vertices->near[k].of, side ? ba : ab, work->near[1 - side], axis, reach);
        }
    }
    if (status == AFX_OK && is_alone(shape[0]) && is_alone(shape[1])) {
        uint32_t v = shape[0]->first_vertex;
        return add_candidate(work, (AfxiCandidate){.stencil = AFXI_STENCIL_POINTS,
                                                   .v = {v, shape[1]->first_vertex},
                                                   .shape = {a, b},
                                                   .feature = v,
                                                   .weight = 1});
    }
    return status ? status : add_edges(work, ab, axis, reach);
}

AfxStatus afxi_barrier_candidates(AfxiBarrier *work) {
    uint32_t count;
    const AfxiPair *pairs = afxi_broad_pairs(work->broad, &count);
    AfxStatus status = AFX_OK;
    work->candidate_count = 0;
    for (uint32_t k = 0; status == AFX_OK && k < count; k++) {
        status = add_pair(work, pairs[k].a, pairs[k].b);
    }
    return status;
}

/* Vertices and box of a shape at both ends of a step, in the frame of a body; UINT32_MAX: in the world. */
static void put_shape(AfxiBarrier *work, uint32_t s, uint32_t body) {
    const AfxiSurfaceShape *shape = &work->surface.shapes[s];
    for (int end = 0; end < 2; end++) {
        AfxiBarrierPlace place = end ? AFXI_TRIED : AFXI_NOW;
        for (uint32_t v = shape->first_vertex; v < shape->first_vertex + shape->vertex_count; v++) {
            AfxVec3 x = vertex_at(work, place, v);
            if (body != UINT32_MAX) {
                x = vec3_sub(x, vec3_load(barrier_place(work, place, body) + 9));
                x = mat3_apply_transposed(&work->rotation[place][body], x);
            }
            work->x[end][v] = x;
        }
    }
    put_box(work, s);
}

AfxStatus afxi_barrier_pair_in(AfxiBarrier *work, const uint32_t shape[2], uint32_t body) {
    put_shape(work, shape[0], body);
    put_shape(work, shape[1], body);
    return body == UINT32_MAX ? AFX_OK : add_pair(work, shape[0], shape[1]);
}

/* ---- one candidate ---- */

void afxi_candidate_corners(const AfxiBarrier *work, const AfxiCandidate *candidate, int end, AfxVec3 out[4]) {
    int count = afxi_stencil_count((AfxiStencil)candidate->stencil);
    for (int k = 0; k < count; k++) {
        out[k] = work->x[end][candidate->v[k]];
    }
}

double afxi_candidate_radius(const AfxiBarrier *work, const AfxiCandidate *candidate) {
    return work->surface.shapes[candidate->shape[0]].radius + work->surface.shapes[candidate->shape[1]].radius;
}

double afxi_candidate_height(const AfxiBarrier *work, const AfxiCandidate *candidate, int end) {
    const AfxiSurfaceShape *plane = &work->surface.shapes[candidate->shape[1]];
    const double *q = barrier_place(work, AFXI_BEGIN, plane->body); /* planes stand still */
    AfxiMat3 a = mat3_load(q);
    AfxVec3 point = vec3_add(mat3_apply(&a, plane->point), vec3_load(q + 9)), n = mat3_apply(&a, plane->normal);
    return vec3_dot(n, vec3_sub(work->x[end][candidate->v[0]], point)) -
           work->surface.shapes[candidate->shape[0]].radius;
}
