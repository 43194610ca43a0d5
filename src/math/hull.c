/* SPDX-License-Identifier: Apache-2.0 */
/* Quickhull (Barber, Dobkin and Huhdanpaa 1996): every point outside the hull waits in the list of one face that it
 * sees; the farthest of a list replaces the faces it sees by a cone over their border, the horizon.
 *
 * What makes it safe is exact arithmetic instead of tolerances: each axis is mapped to the integers 0 .. 2^29 (an
 * affine map keeps hulls), where the sign of n . (p - v) is computed without rounding. A face counts as seen only if
 * the sign is positive, so the seen faces are always a disk, its border one simple loop, and no new face is degenerate,
 * whatever points coincide or lie in one plane. (Faces in one plane with p could count as seen too, and corners that
 * end up inside a flat side would go; but then each point of a rim would build its whole flat side anew.) Only points
 * more than AFXI_HULL_HEIGHT grid units outside are inserted, so that noise in a flat side does not become faces. */
#include "math/hull.h"

#include <math.h>
#include <string.h>

#include "math/tuning.h"

#define NONE UINT32_MAX
#define GRID_BITS 29

typedef struct Face {
    int64_t normal[3]; /* outward, unnormalised: at most 2^59 */
    double length;     /* of the normal */
    uint32_t v[3];
    uint32_t across[3]; /* the face on the other side of edge v[k], v[k + 1] */
    uint32_t waiting;   /* first point of its list, or NONE */
    uint32_t below;     /* in the stack of pending faces, if pending: it may be removed, even reused, while there */
    uint32_t next_free; /* in the stack of free ones, if not alive */
    bool alive, seen, pending;
} Face;

typedef struct HorizonEdge {
    uint32_t from, to, outer; /* as directed in the seen face; the face beyond it */
} HorizonEdge;

typedef struct Hull {
    uint32_t count;
    Face *faces;          /* [2 * count] */
    int32_t (*grid)[3];   /* [count] */
    HorizonEdge *horizon; /* [count] */
    uint32_t *next;       /* [count]: next point of the same list */
    uint32_t *starting;   /* [count]: the new face whose horizon edge starts at a point */
    uint32_t *seen;       /* [2 * count] */
    uint32_t seen_count, horizon_count;
    uint32_t used, free, pending; /* faces ever used; tops of the two stacks */
} Hull;

size_t afxi_hull_workspace(uint32_t count) {
    size_t each = 2 * sizeof(Face) + sizeof(int32_t[3]) + sizeof(HorizonEdge) + 4 * sizeof(uint32_t);
    /* Face numbers up to 2 * count must stay below NONE. */
    return count >= NONE / 2 || count > SIZE_MAX / each ? SIZE_MAX : count * each;
}

static Hull carve(uint32_t count, void *workspace) {
    Hull h = {.count = count, .free = NONE, .pending = NONE};
    h.faces = workspace;
    h.grid = (int32_t(*)[3])(void *)(h.faces + 2 * (size_t)count);
    h.horizon = (HorizonEdge *)(void *)(h.grid + count);
    h.next = (uint32_t *)(void *)(h.horizon + count);
    h.starting = h.next + count;
    h.seen = h.starting + count;
    return h;
}

/* Maps the points to the grid; also refuses what is flat along an axis. */
static AfxiHullResult to_grid(const double *points, Hull *h) {
    double low[3], extent[3];
    for (size_t axis = 0; axis < 3; axis++) {
        double high = -INFINITY;
        low[axis] = INFINITY;
        for (size_t p = 0; p < h->count; p++) {
            double x = points[3 * p + axis];
            if (!isfinite(x))
                return AFXI_HULL_NOT_FINITE;
            low[axis] = fmin(low[axis], x);
            high = fmax(high, x);
        }
        extent[axis] = 0.5 * high - 0.5 * low[axis]; /* halves cannot overflow */
    }
    double longest = fmax(extent[0], fmax(extent[1], extent[2]));
    if (!(fmin(extent[0], fmin(extent[1], extent[2])) > AFXI_HULL_EXTENT * longest))
        return AFXI_HULL_DEGENERATE;
    /* By a power of two, so that points which are in line in round numbers stay in line. */
    int exponent[3];
    for (size_t axis = 0; axis < 3; axis++)
        frexp(extent[axis], &exponent[axis]);
    for (size_t p = 0; p < h->count; p++)
        for (size_t axis = 0; axis < 3; axis++) {
            double x = ldexp(0.5 * points[3 * p + axis] - 0.5 * low[axis], GRID_BITS - exponent[axis]);
            h->grid[p][axis] = (int32_t)floor(x + 0.5);
        }
    return AFXI_HULL_OK;
}

/* The normal (b - a) x (c - a), exactly. */
static void normal_of(const Hull *h, uint32_t a, uint32_t b, uint32_t c, int64_t out[3]) {
    int64_t u[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (int64_t)h->grid[b][k] - h->grid[a][k];
        w[k] = (int64_t)h->grid[c][k] - h->grid[a][k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = u[i] * w[j] - u[j] * w[i];
    }
}

static double length_of(const int64_t n[3]) {
    double x = (double)n[0], y = (double)n[1], z = (double)n[2];
    return sqrt(x * x + y * y + z * z);
}

/* normal . (p - v): rounded, but with the exact sign. The factors have 60 and 30 bits, so the sum is carried in two
 * words, high * 2^32 + low. */
static double side_of(const Hull *h, const int64_t normal[3], uint32_t v, uint32_t p) {
    const int64_t word = (int64_t)1 << 32;
    int64_t high = 0, low = 0;
    for (int k = 0; k < 3; k++) {
        int64_t d = (int64_t)h->grid[p][k] - h->grid[v][k];
        high += normal[k] / word * d;
        low += normal[k] % word * d;
    }
    high += low / word;
    low %= word;
    return (double)high * (double)word + (double)low;
}

/* How far point p stands out of the face, in grid units. */
static double height(const Hull *h, const Face *f, uint32_t p) {
    return side_of(h, f->normal, f->v[0], p) / f->length;
}

/* A new face, not linked to its neighbours yet. */
static uint32_t make_face(Hull *h, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t id = h->free;
    if (id != NONE) {
        h->free = h->faces[id].next_free;
    } else {
        id = h->used++;
        h->faces[id].pending = false;
    }
    Face *f = h->faces + id;
    normal_of(h, a, b, c, f->normal);
    f->length = length_of(f->normal);
    f->v[0] = a;
    f->v[1] = b;
    f->v[2] = c;
    f->waiting = NONE;
    f->alive = true;
    f->seen = false;
    return id;
}

static void add_waiting(Hull *h, uint32_t face, uint32_t point) {
    Face *f = h->faces + face;
    h->next[point] = f->waiting;
    f->waiting = point;
    if (f->pending)
        return;
    f->pending = true;
    f->below = h->pending;
    h->pending = face;
}

/* Puts the point in the list of the candidate face that it stands out of most; drops it if it does of none. */
static void assign(Hull *h, uint32_t point, const uint32_t *candidates, uint32_t candidate_count) {
    double most = 0;
    uint32_t best = NONE;
    for (uint32_t k = 0; k < candidate_count; k++) {
        double out = height(h, h->faces + candidates[k], point);
        if (out > most) {
            most = out;
            best = candidates[k];
        }
    }
    if (best != NONE)
        add_waiting(h, best, point);
}

/* Four points that span a tetrahedron of some thickness; false if there are none. */
static bool first_corners(const Hull *h, uint32_t out[4]) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    for (uint32_t p = 1; p < h->count; p++) {
        a = h->grid[p][0] < h->grid[a][0] ? p : a;
        b = h->grid[p][0] > h->grid[b][0] ? p : b;
    }
    int64_t n[3];
    double widest = 0, highest = 0, apart = (double)(h->grid[b][0] - h->grid[a][0]); /* or more; never 0 */
    for (uint32_t p = 0; p < h->count; p++) {
        normal_of(h, a, b, p, n);
        double wide = length_of(n) / apart;
        c = wide > widest ? p : c;
        widest = fmax(widest, wide);
    }
    normal_of(h, a, b, c, n);
    if (widest < AFXI_HULL_THICKNESS)
        return false;
    for (uint32_t p = 0; p < h->count; p++) {
        double high = fabs(side_of(h, n, a, p)) / length_of(n);
        d = high > highest ? p : d;
        highest = fmax(highest, high);
    }
    bool above = side_of(h, n, a, d) > 0;
    out[0] = a;
    out[1] = above ? c : b;
    out[2] = above ? b : c;
    out[3] = d;
    return highest >= AFXI_HULL_THICKNESS;
}

/* Starts the hull with a tetrahedron and hands the other points to its faces. */
static bool start(Hull *h) {
    static const uint32_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint32_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    static const uint32_t all[4] = {0, 1, 2, 3};
    uint32_t v[4];
    if (!first_corners(h, v))
        return false;
    for (uint32_t f = 0; f < 4; f++) {
        make_face(h, v[corner[f][0]], v[corner[f][1]], v[corner[f][2]]);
        memcpy(h->faces[f].across, across[f], sizeof across[f]);
    }
    for (uint32_t p = 0; p < h->count; p++)
        assign(h, p, all, 4);
    return true;
}

/* Collects the faces that point p sees, from one of them on, and the horizon around them. */
static void look(Hull *h, uint32_t first, uint32_t p) {
    h->horizon_count = 0;
    h->seen_count = 1;
    h->seen[0] = first;
    h->faces[first].seen = true;
    for (uint32_t i = 0; i < h->seen_count; i++) {
        const Face *f = h->faces + h->seen[i];
        for (int k = 0; k < 3; k++) {
            uint32_t outer = f->across[k];
            Face *g = h->faces + outer;
            if (g->seen)
                continue;
            if (side_of(h, g->normal, g->v[0], p) > 0) {
                g->seen = true;
                h->seen[h->seen_count++] = outer;
            } else {
                h->horizon[h->horizon_count++] = (HorizonEdge){f->v[k], f->v[(k + 1) % 3], outer};
            }
        }
    }
}

/* Removes the seen faces. Returns the points of all their lists as one list. */
static uint32_t remove_seen(Hull *h) {
    uint32_t orphans = NONE;
    for (uint32_t i = 0; i < h->seen_count; i++) {
        Face *f = h->faces + h->seen[i];
        for (uint32_t p = f->waiting, after; p != NONE; p = after) {
            after = h->next[p];
            h->next[p] = orphans;
            orphans = p;
        }
        f->waiting = NONE;
        f->alive = false;
        f->next_free = h->free;
        h->free = h->seen[i];
    }
    return orphans;
}

/* Closes the hull by the cone from the horizon to p. The new faces' numbers are left in h->seen. */
static void build_cone(Hull *h, uint32_t p) {
    for (uint32_t i = 0; i < h->horizon_count; i++) {
        const HorizonEdge *e = h->horizon + i;
        uint32_t id = make_face(h, e->from, e->to, p);
        Face *outer = h->faces + e->outer;
        int k = outer->v[0] == e->to ? 0 : outer->v[1] == e->to ? 1 : 2;
        outer->across[k] = id;
        h->faces[id].across[0] = e->outer;
        h->starting[e->from] = id;
        h->seen[i] = id;
    }
    for (uint32_t i = 0; i < h->horizon_count; i++) {
        uint32_t id = h->seen[i], after = h->starting[h->faces[id].v[1]];
        h->faces[id].across[1] = after;
        h->faces[after].across[2] = id;
    }
}

/* Makes p, which stands out of the face, a corner of the hull. */
static void insert(Hull *h, uint32_t face, uint32_t p) {
    look(h, face, p);
    uint32_t orphans = remove_seen(h);
    build_cone(h, p);
    for (uint32_t q = orphans, after; q != NONE; q = after) {
        after = h->next[q];
        assign(h, q, h->seen, h->horizon_count); /* p is among them, and goes: it is a corner now */
    }
}

static void grow(Hull *h) {
    while (h->pending != NONE) {
        uint32_t id = h->pending, farthest = NONE;
        Face *f = h->faces + id;
        h->pending = f->below;
        f->pending = false;
        double highest = 0;
        for (uint32_t q = f->waiting; q != NONE; q = h->next[q]) {
            double high = height(h, f, q);
            farthest = high > highest ? q : farthest;
            highest = fmax(highest, high);
        }
        if (highest > AFXI_HULL_HEIGHT) /* else they wait on, for the face may yet be removed */
            insert(h, id, farthest);
    }
}

AfxiHullResult afxi_hull(const double *points, uint32_t count, uint32_t *out_triangles, uint32_t capacity_triangles,
                         uint32_t *out_triangle_count, void *workspace, size_t workspace_size) {
    size_t bytes = afxi_hull_workspace(count);
    *out_triangle_count = 0;
    if (bytes == SIZE_MAX || workspace_size < bytes)
        return AFXI_HULL_CAPACITY;
    if (count < 4)
        return AFXI_HULL_DEGENERATE;
    Hull h = carve(count, workspace);
    AfxiHullResult result = to_grid(points, &h);
    if (result != AFXI_HULL_OK)
        return result;
    if (!start(&h))
        return AFXI_HULL_DEGENERATE;
    grow(&h);
    uint32_t triangles = 0;
    for (uint32_t f = 0; f < h.used; f++) {
        if (!h.faces[f].alive)
            continue;
        if (triangles < capacity_triangles)
            memcpy(out_triangles + 3 * (size_t)triangles, h.faces[f].v, sizeof h.faces[f].v);
        triangles++;
    }
    *out_triangle_count = triangles;
    return triangles <= capacity_triangles ? AFXI_HULL_OK : AFXI_HULL_CAPACITY;
}
