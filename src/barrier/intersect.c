/* SPDX-License-Identifier: Apache-2.0 */
/* A segment p q goes through a triangle a b c when p and q lie on different sides of its plane, and the line p q on the
 * same side of all three sides: signs of volumes of tetrahedra. Pairs of shapes come from boxes sorted along x. */
#include "barrier/intersect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- plain geometry ---- */

/* Six times the volume of the tetrahedron a b c d. */
static double volume(AfxVec3 a, AfxVec3 b, AfxVec3 c, AfxVec3 d) {
    AfxVec3 u = vec3_sub(a, d), v = vec3_sub(b, d), w = vec3_sub(c, d);
    return u.x * (v.y * w.z - v.z * w.y) - u.y * (v.x * w.z - v.z * w.x) + u.z * (v.x * w.y - v.y * w.x);
}

bool afxi_segment_pierces(AfxVec3 p, AfxVec3 q, AfxVec3 a, AfxVec3 b, AfxVec3 c) {
    double above = volume(a, b, c, p), below = volume(a, b, c, q);
    if (above * below >= 0) {
        return false;
    }
    double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

/* By trying both ends of one segment and the foot on the other, in turn: distances are convex along each. */
static double segment_segment(AfxVec3 p, AfxVec3 q, AfxVec3 a, AfxVec3 b) {
    AfxVec3 u = vec3_sub(q, p), v = vec3_sub(b, a), w = vec3_sub(p, a);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), uw = vec3_dot(u, w), vw = vec3_dot(v, w);
    double det = uu * vv - uv * uv, best = INFINITY;
    double start[3] = {0, 1, det > 0 ? (uv * vw - vv * uw) / det : 0};
    for (int k = 0; k < 3; k++) {
        double s = fmin(1, fmax(0, start[k])), t = 0;
        for (int turn = 0; turn < 4; turn++) {
            t = vv > 0 ? fmin(1, fmax(0, (s * uv + vw) / vv)) : 0;
            s = uu > 0 ? fmin(1, fmax(0, (t * uv - uw) / uu)) : 0;
        }
        AfxVec3 d = vec3_sub(vec3_mad(w, s, u), vec3_scale(t, v));
        best = fmin(best, vec3_length(d));
    }
    return best;
}

/* Distance from the plane where the foot is inside; infinite elsewhere: then a side is nearer. */
static double point_face(AfxVec3 p, AfxVec3 a, AfxVec3 b, AfxVec3 c) {
    AfxVec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double size = vec3_length(n);
    AfxVec3 tip = vec3_add(p, n);
    double u = volume(p, tip, a, b), v = volume(p, tip, b, c), w = volume(p, tip, c, a);
    bool inside = (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
    return inside && size > 0 ? fabs(vec3_dot(n, vec3_sub(p, a))) / size : INFINITY;
}

double afxi_segment_triangle(AfxVec3 p, AfxVec3 q, AfxVec3 a, AfxVec3 b, AfxVec3 c) {
    if (afxi_segment_pierces(p, q, a, b, c)) {
        return 0;
    }
    double best = fmin(point_face(p, a, b, c), point_face(q, a, b, c));
    best = fmin(best, segment_segment(p, q, a, b));
    best = fmin(best, segment_segment(p, q, b, c));
    return fmin(best, segment_segment(p, q, c, a));
}

/* ---- shapes ---- */

typedef struct Scan {
    AfxiBarrier *work;
    AfxVec3 *x;          /* [vertices] in the present state */
    double (*box)[2][3]; /* [shapes] */
    AfxOverlap *found;
    uint32_t found_count, found_capacity;
    AfxStatus status;
} Scan;

/* The segment that a shape with a radius is around: of a sphere both ends are one. */
static void core_of(const Scan *scan, const AfxiSurfaceShape *shape, AfxVec3 *p, AfxVec3 *q) {
    *p = scan->x[shape->first_vertex];
    *q = scan->x[shape->first_vertex + shape->vertex_count - 1];
}

static void span_of(const AfxVec3 *x, int count, double out[2][3]) {
    for (int e = 0; e < 3; e++) {
        out[0][e] = INFINITY;
        out[1][e] = -INFINITY;
        for (int k = 0; k < count; k++) {
            out[0][e] = fmin(out[0][e], (&x[k].x)[e]);
            out[1][e] = fmax(out[1][e], (&x[k].x)[e]);
        }
    }
}

static bool apart(double a[2][3], double b[2][3], double by) {
    for (int e = 0; e < 3; e++) {
        if (a[0][e] > b[1][e] + by || b[0][e] > a[1][e] + by) {
            return true;
        }
    }
    return false;
}

static void corners_of(const Scan *scan, uint32_t triangle, AfxVec3 out[3]) {
    const uint32_t *v = scan->work->surface.triangles[triangle];
    for (int k = 0; k < 3; k++) {
        out[k] = scan->x[v[k]];
    }
}

/* Sides of triangles of a through triangles of b. */
static bool pierces(const Scan *scan, uint32_t a, uint32_t b) {
    const AfxiSurfaceShape *from = &scan->work->surface.shapes[a], *through = &scan->work->surface.shapes[b];
    double own[2][3], other[2][3];
    for (uint32_t i = from->first_triangle; i < from->first_triangle + from->triangle_count; i++) {
        AfxVec3 s[3], t[3];
        corners_of(scan, i, s);
        span_of(s, 3, own);
        for (uint32_t j = through->first_triangle;
             !apart(own, scan->box[b], 0) && j < through->first_triangle + through->triangle_count; j++) {
            corners_of(scan, j, t);
            span_of(t, 3, other);
            for (int k = 0; !apart(own, other, 0) && k < 3; k++) {
                if (afxi_segment_pierces(s[k], s[(k + 1) % 3], t[0], t[1], t[2])) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* How deep two shapes lie in each other where a distance tells; 0 where they only intersect; negative: they do not. */
static double depth_of(const Scan *scan, uint32_t a, uint32_t b) {
    const AfxiSurfaceShape *one = &scan->work->surface.shapes[a], *two = &scan->work->surface.shapes[b];
    AfxVec3 p, q, r, s, t[3];
    double radius = one->radius + two->radius, nearest = INFINITY, own[2][3], other[2][3];
    if (one->triangle_count && two->triangle_count) {
        return pierces(scan, a, b) || pierces(scan, b, a) ? 0 : -1;
    }
    if (!one->triangle_count && !two->triangle_count) {
        core_of(scan, one, &p, &q);
        core_of(scan, two, &r, &s);
        return radius - segment_segment(p, q, r, s);
    }
    if (one->triangle_count) {
        return depth_of(scan, b, a);
    }
    core_of(scan, one, &p, &q);
    AfxVec3 ends[2] = {p, q};
    span_of(ends, 2, own);
    for (uint32_t j = two->first_triangle; j < two->first_triangle + two->triangle_count; j++) {
        corners_of(scan, j, t);
        span_of(t, 3, other);
        if (!apart(own, other, radius)) {
            nearest = fmin(nearest, afxi_segment_triangle(p, q, t[0], t[1], t[2]));
        }
    }
    return radius - nearest;
}

static double depth_below(const Scan *scan, uint32_t shape, uint32_t plane) {
    const AfxiSurfaceShape *own = &scan->work->surface.shapes[shape], *ground = &scan->work->surface.shapes[plane];
    const double *q = scan->work->world->state.q + (size_t)AFXI_AFFINE_WIDTH * ground->body;
    AfxiMat3 a = mat3_load(q);
    AfxVec3 n = mat3_apply(&a, ground->normal), point = vec3_add(mat3_apply(&a, ground->point), vec3_load(q + 9));
    double least = INFINITY;
    for (uint32_t k = own->first_vertex; k < own->first_vertex + own->vertex_count; k++) {
        least = fmin(least, vec3_dot(n, vec3_sub(scan->x[k], point)));
    }
    return own->radius - least;
}

/* Whether two shapes may touch at all. */
static bool may_touch(const Scan *scan, uint32_t a, uint32_t b) {
    const AfxiContacts *contacts = &scan->work->model->contacts;
    const AfxiContactShape *p = &contacts->shapes[a], *q = &contacts->shapes[b];
    const uint8_t *kind = scan->work->model->kind;
    if (p->body == q->body || (kind[p->body] != AFX_BODY_DYNAMIC && kind[q->body] != AFX_BODY_DYNAMIC) ||
        !((p->group & q->mask) || (q->group & p->mask))) {
        return false;
    }
    uint32_t low = p->body < q->body ? p->body : q->body, high = p->body < q->body ? q->body : p->body;
    for (uint32_t k = 0; k < contacts->excluded_count; k++) {
        if (contacts->excluded[k][0] == low && contacts->excluded[k][1] == high) {
            return false;
        }
    }
    return true;
}

static void test_pair(Scan *scan, uint32_t a, uint32_t b) {
    const AfxiSurfaceShape *shapes = scan->work->surface.shapes;
    if (scan->status != AFX_OK || apart(scan->box[a], scan->box[b], 0) || !may_touch(scan, a, b)) {
        return;
    }
    double depth = shapes[a].plane   ? depth_below(scan, b, a)
                   : shapes[b].plane ? depth_below(scan, a, b)
                                     : depth_of(scan, a, b);
    bool meshes = shapes[a].triangle_count && shapes[b].triangle_count;
    if (!(meshes ? depth >= 0 : depth > 0)) {
        return;
    }
    scan->status = afxi_array_reserve(&scan->work->allocator, (void **)&scan->found, &scan->found_capacity,
                                      scan->found_count + 1, sizeof *scan->found);
    if (scan->status == AFX_OK) {
        uint32_t x = shapes[a].body, y = shapes[b].body;
        scan->found[scan->found_count++] = (AfxOverlap){x < y ? x : y, x < y ? y : x, depth};
    }
}

/* ---- all of them ---- */

static void place(Scan *scan) {
    const AfxiSurface *surface = &scan->work->surface;
    for (uint32_t k = 0; k < surface->vertex_count; k++) {
        const double *q = scan->work->world->state.q + (size_t)AFXI_AFFINE_WIDTH * surface->vertices[k].body;
        AfxiMat3 a = mat3_load(q);
        scan->x[k] = vec3_add(mat3_apply(&a, surface->vertices[k].x), vec3_load(q + 9));
    }
    for (uint32_t s = 0; s < surface->shape_count; s++) {
        const AfxiSurfaceShape *shape = &surface->shapes[s];
        span_of(scan->x + shape->first_vertex, (int)shape->vertex_count, scan->box[s]);
        for (int e = 0; e < 3; e++) {
            scan->box[s][0][e] = shape->plane ? -INFINITY : scan->box[s][0][e] - shape->radius;
            scan->box[s][1][e] = shape->plane ? INFINITY : scan->box[s][1][e] + shape->radius;
        }
    }
}

/* Key and shape, to be sorted by the key. */
typedef struct Key {
    double least;
    uint32_t shape;
} Key;

static int compare_keys(const void *a, const void *b) {
    const Key *p = a, *q = b;
    return p->least < q->least ? -1 : p->least > q->least ? 1 : p->shape < q->shape ? -1 : p->shape > q->shape;
}

static int compare_found(const void *a, const void *b) {
    const AfxOverlap *p = a, *q = b;
    if (p->body_a != q->body_a) {
        return p->body_a < q->body_a ? -1 : 1;
    }
    if (p->body_b != q->body_b) {
        return p->body_b < q->body_b ? -1 : 1;
    }
    return p->depth > q->depth ? -1 : p->depth < q->depth;
}

static void sweep(Scan *scan, Key *keys) {
    uint32_t count = scan->work->surface.shape_count;
    for (uint32_t k = 0; k < count; k++) {
        keys[k] = (Key){scan->box[k][0][0], k};
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count && keys[j].least <= scan->box[keys[i].shape][1][0]; j++) {
            test_pair(scan, keys[i].shape, keys[j].shape);
        }
    }
}

AfxStatus afxi_barrier_intersections(AfxiBarrier *work, AfxOverlap *out, uint32_t capacity, uint32_t *out_count) {
    uint32_t shapes = work->surface.shape_count;
    size_t vertex_bytes = (work->surface.vertex_count + 1) * sizeof(AfxVec3);
    Scan scan = {.work = work};
    Key *keys = afxi_allocate(&work->allocator, (shapes + 1) * sizeof *keys);
    scan.x = afxi_allocate(&work->allocator, vertex_bytes);
    scan.box = afxi_allocate(&work->allocator, (shapes + 1) * sizeof *scan.box);
    scan.status = keys && scan.x && scan.box ? AFX_OK : AFX_E_MEMORY;
    *out_count = 0;
    if (scan.status == AFX_OK) {
        place(&scan);
        sweep(&scan, keys);
    }
    if (scan.status == AFX_OK && scan.found_count) {
        qsort(scan.found, scan.found_count, sizeof *scan.found, compare_found);
    }
    for (uint32_t k = 0; scan.status == AFX_OK && k < scan.found_count; k++) { /* each pair once, its deepest */
        const AfxOverlap *own = &scan.found[k], *last = k ? own - 1 : NULL;
        if (last && last->body_a == own->body_a && last->body_b == own->body_b) {
            continue;
        }
        if (*out_count < capacity) {
            out[*out_count] = *own;
        }
        ++*out_count;
    }
    afxi_release(&work->allocator, scan.found, scan.found_capacity * sizeof *scan.found);
    afxi_release(&work->allocator, scan.box, (shapes + 1) * sizeof *scan.box);
    afxi_release(&work->allocator, scan.x, vertex_bytes);
    afxi_release(&work->allocator, keys, (shapes + 1) * sizeof *keys);
    return scan.status;
}
