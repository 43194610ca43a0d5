/* SPDX-License-Identifier: Apache-2.0 */
/* A convex polyhedron from points: the hull's triangles, those in one plane joined to polygons, and for each vertex its
 * faces and neighbours. */
#include "contact/hull_mesh.h"

#include "base/memory.h"
#include "contact/edges.h"
#include "contact/inner.h"
#include "contact/tuning.h"
#include "math/hull.h"

#define NONE UINT32_MAX

/* What the making needs, in one block that is gone afterwards. */
typedef struct Making {
    uint32_t count, triangle_count, face_count, corner_count;
    const double *points;
    double extent;
    uint32_t *triangles; /* [6 * count] */
    uint32_t *across;    /* [6 * count] */
    uint32_t *by_area;   /* [2 * count] */
    double *area;        /* [2 * count] */
    uint32_t *face_of;   /* [2 * count] */
    uint32_t *stack;     /* [2 * count] */
    uint32_t *corners;   /* [6 * count]: of the faces, one after another */
    uint32_t *start;     /* [2 * count + 1] */
    double *planes;      /* [8 * count] */
    uint32_t *number;    /* [count]: of a point as a vertex of the result */
    void *hull_work;
    size_t hull_size;
    void *edge_work;
    size_t edge_size;
} Making;

static void lay_out(Making *m, AfxiArena *arena) {
    size_t n = m->count;
    m->triangles = afxi_arena_take(arena, 6 * n, sizeof *m->triangles);
    m->across = afxi_arena_take(arena, 6 * n, sizeof *m->across);
    m->by_area = afxi_arena_take(arena, 2 * n, sizeof *m->by_area);
    m->area = afxi_arena_take(arena, 2 * n, sizeof *m->area);
    m->face_of = afxi_arena_take(arena, 2 * n, sizeof *m->face_of);
    m->stack = afxi_arena_take(arena, 2 * n, sizeof *m->stack);
    m->corners = afxi_arena_take(arena, 6 * n, sizeof *m->corners);
    m->start = afxi_arena_take(arena, 2 * n + 1, sizeof *m->start);
    m->planes = afxi_arena_take(arena, 8 * n, sizeof *m->planes);
    m->number = afxi_arena_take(arena, n, sizeof *m->number);
    m->hull_size = afxi_hull_workspace(m->count);
    m->hull_work = afxi_arena_take(arena, 1, m->hull_size);
    m->edge_size = afxi_edges_workspace(2 * m->count);
    m->edge_work = afxi_arena_take(arena, 1, m->edge_size);
}

static AfxVec3 corner(const Making *m, uint32_t triangle, uint32_t k) {
    return vec3_load(m->points + 3 * (size_t)m->triangles[3 * (size_t)triangle + k]);
}

static AfxVec3 area_of(const Making *m, uint32_t t) {
    AfxVec3 a = corner(m, t, 0);
    return vec3_cross(vec3_sub(corner(m, t, 1), a), vec3_sub(corner(m, t, 2), a));
}

/* Largest first, by a heap in place: the library's qsort may allocate. */
static void sort_by_area(Making *m) {
    uint32_t n = m->triangle_count;
    for (uint32_t k = 0; k < n; k++) {
        m->area[k] = vec3_length(area_of(m, k));
        m->by_area[k] = k;
    }
    for (uint32_t start = n / 2, end = n; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            uint32_t keep = m->by_area[0];
            m->by_area[0] = m->by_area[end];
            m->by_area[end] = keep;
        }
        uint32_t at = start, item = m->by_area[at];
        for (uint32_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
            if (child + 1 < end && m->area[m->by_area[child + 1]] < m->area[m->by_area[child]])
                child++;
            if (m->area[m->by_area[child]] >= m->area[item])
                break;
            m->by_area[at] = m->by_area[child];
            at = child;
        }
        m->by_area[at] = item;
    }
}

static bool in_plane(const Making *m, uint32_t t, const double plane[4]) {
    for (uint32_t k = 0; k < 3; k++)
        if (fabs(vec3_dot(vec3_load(plane), corner(m, t, k)) - plane[3]) > AFXI_HULL_FLAT * m->extent)
            return false;
    return vec3_dot(area_of(m, t), vec3_load(plane)) >= 0;
}

/* Follows the border of a face from one of its edges; false when it is no simple loop of all border edges. */
static bool follow(Making *m, uint32_t face, uint32_t triangle, uint32_t k, uint32_t border_edges) {
    uint32_t first_t = triangle, first_k = k, first = m->start[face];
    do {
        if (m->corner_count - first == border_edges)
            return false;
        m->corners[m->corner_count++] = m->triangles[3 * (size_t)triangle + k];
        k = (k + 1) % 3;
        /* Around the edge's end, through triangles of the face. */
        for (uint32_t guard = 0; guard <= m->triangle_count; guard++) {
            uint32_t other = m->across[3 * (size_t)triangle + k];
            if (m->face_of[other] != face)
                break;
            uint32_t at = m->triangles[3 * (size_t)triangle + k], j = 0;
            while (m->triangles[3 * (size_t)other + j] != at)
                j++;
            triangle = other;
            k = j;
        }
    } while (triangle != first_t || k != first_k);
    return m->corner_count - first == border_edges && border_edges >= 3;
}

/* Joins what lies in the seed's plane. */
static void make_face(Making *m, uint32_t seed) {
    uint32_t face = m->face_count, depth = 1, members = 1, border = 0, at = seed, at_k = 0;
    double *plane = m->planes + 4 * (size_t)face;
    AfxVec3 n = unit_or(area_of(m, seed), vec3(0, 0, 1));
    vec3_store(plane, n);
    plane[3] = vec3_dot(n, corner(m, seed, 0));
    m->stack[0] = seed;
    m->face_of[seed] = face;
    for (uint32_t i = 0; i < depth; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t other = m->across[3 * (size_t)m->stack[i] + k];
            if (m->face_of[other] != NONE || !in_plane(m, other, plane))
                continue;
            m->face_of[other] = face;
            m->stack[depth++] = other;
        }
    members = depth;
    for (uint32_t i = 0; i < members; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (m->face_of[m->across[3 * (size_t)m->stack[i] + k]] != face) {
                border++;
                at = m->stack[i];
                at_k = k;
            }
    m->start[face] = m->corner_count;
    if (border == 0 || !follow(m, face, at, at_k, border)) { /* not a disk: the seed alone */
        m->corner_count = m->start[face];
        for (uint32_t i = 1; i < members; i++)
            m->face_of[m->stack[i]] = NONE;
        for (uint32_t k = 0; k < 3; k++)
            m->corners[m->corner_count++] = m->triangles[3 * (size_t)seed + k];
    }
    m->face_count++;
    m->start[m->face_count] = m->corner_count;
}

/* Takes out corners that lie on an edge between two faces: only those two have them. */
static void drop_corners_in_line(Making *m) {
    for (uint32_t k = 0; k < m->count; k++)
        m->number[k] = 0;
    for (uint32_t k = 0; k < m->corner_count; k++)
        m->number[m->corners[k]]++;
    for (uint32_t f = 0; f < m->face_count; f++) {
        uint32_t left = 0;
        for (uint32_t k = m->start[f]; k < m->start[f + 1]; k++)
            left += m->number[m->corners[k]] != 2;
        for (uint32_t k = m->start[f]; left < 3 && k < m->start[f + 1]; k++)
            m->number[m->corners[k]] = 3; /* a sliver keeps its corners */
    }
    uint32_t kept = 0;
    for (uint32_t f = 0, from = 0; f < m->face_count; f++) {
        uint32_t to = m->start[f + 1];
        for (uint32_t k = from; k < to; k++)
            if (m->number[m->corners[k]] != 2)
                m->corners[kept++] = m->corners[k];
        from = to;
        m->start[f + 1] = kept;
    }
    m->corner_count = kept;
}

static AfxStatus make_faces(Making *m) {
    AfxiHullResult result =
        afxi_hull(m->points, m->count, m->triangles, 2 * m->count, &m->triangle_count, m->hull_work, m->hull_size);
    if (result != AFXI_HULL_OK)
        return AFX_E_INPUT;
    AfxVec3 low = vec3_load(m->points), high = low;
    for (uint32_t k = 1; k < m->count; k++) {
        AfxVec3 p = vec3_load(m->points + 3 * (size_t)k);
        low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    m->extent = vec3_length(vec3_sub(high, low));
    afxi_edges(m->triangles, m->triangle_count, m->across, m->edge_work);
    sort_by_area(m);
    for (uint32_t k = 0; k < m->triangle_count; k++)
        m->face_of[k] = NONE;
    for (uint32_t k = 0; k < m->triangle_count; k++)
        if (m->face_of[m->by_area[k]] == NONE)
            make_face(m, m->by_area[k]);
    drop_corners_in_line(m);
    return AFX_OK;
}

/* The arrays of the result. */
typedef struct Parts {
    double *vertices, *planes;
    uint32_t *face_start, *face_corners, *vertex_start, *vertex_faces, *vertex_next;
} Parts;

static Parts take_parts(const AfxiHullMesh *hull, uint32_t corners, AfxiArena *arena) {
    Parts p;
    p.vertices = afxi_arena_take(arena, 3 * (size_t)hull->vertex_count, sizeof *p.vertices);
    p.planes = afxi_arena_take(arena, 4 * (size_t)hull->face_count, sizeof *p.planes);
    p.face_start = afxi_arena_take(arena, (size_t)hull->face_count + 1, sizeof *p.face_start);
    p.face_corners = afxi_arena_take(arena, corners, sizeof *p.face_corners);
    p.vertex_start = afxi_arena_take(arena, (size_t)hull->vertex_count + 2, sizeof *p.vertex_start);
    p.vertex_faces = afxi_arena_take(arena, corners, sizeof *p.vertex_faces);
    p.vertex_next = afxi_arena_take(arena, corners, sizeof *p.vertex_next);
    return p;
}

/* Numbers the points that are corners of faces, in their order. */
static uint32_t number_vertices(Making *m) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < m->count; k++)
        m->number[k] = NONE;
    for (uint32_t k = 0; k < m->corner_count; k++)
        m->number[m->corners[k]] = 0;
    for (uint32_t k = 0; k < m->count; k++)
        if (m->number[k] != NONE)
            m->number[k] = count++;
    return count;
}

static void fill(const Making *m, const Parts *p, AfxiHullMesh *hull) {
    for (uint32_t k = 0; k < m->count; k++)
        if (m->number[k] != NONE)
            vec3_store(p->vertices + 3 * (size_t)m->number[k], vec3_load(m->points + 3 * (size_t)k));
    for (uint32_t k = 0; k < 4 * m->face_count; k++)
        p->planes[k] = m->planes[k];
    for (uint32_t k = 0; k <= m->face_count; k++)
        p->face_start[k] = m->start[k];
    /* vertex_start is counted one place further, so that filling in leaves the starts. */
    for (uint32_t k = 0; k < m->corner_count; k++) {
        p->face_corners[k] = m->number[m->corners[k]];
        p->vertex_start[p->face_corners[k] + 2]++;
    }
    for (uint32_t v = 0; v < hull->vertex_count; v++)
        p->vertex_start[v + 2] += p->vertex_start[v + 1];
    for (uint32_t f = 0; f < m->face_count; f++)
        for (uint32_t k = m->start[f]; k < m->start[f + 1]; k++) {
            uint32_t at = p->vertex_start[p->face_corners[k] + 1]++;
            p->vertex_faces[at] = f;
            p->vertex_next[at] = p->face_corners[k + 1 < m->start[f + 1] ? k + 1 : m->start[f]];
        }
    AfxVec3 center = vec3(0, 0, 0);
    for (uint32_t v = 0; v < hull->vertex_count; v++)
        center = vec3_mad(center, 1.0 / hull->vertex_count, vec3_load(p->vertices + 3 * (size_t)v));
    vec3_store(hull->center, center);
    for (uint32_t v = 0; v < hull->vertex_count; v++)
        hull->radius = fmax(hull->radius, vec3_length(vec3_sub(vec3_load(p->vertices + 3 * (size_t)v), center)));
}

static AfxStatus finish(const AfxAllocator *allocator, Making *m, AfxiHullMesh *hull) {
    AfxiArena count = {0};
    hull->vertex_count = number_vertices(m);
    hull->face_count = m->face_count;
    take_parts(hull, m->corner_count, &count);
    unsigned char *base =
        count.overflow ? NULL : afxi_allocate_aligned(allocator, count.used, &hull->block, &hull->block_size);
    if (!base)
        return count.overflow ? AFX_E_LIMIT : AFX_E_MEMORY;
    AfxiArena arena = {.base = base};
    Parts p = take_parts(hull, m->corner_count, &arena);
    fill(m, &p, hull);
    hull->vertices = p.vertices;
    hull->planes = p.planes;
    hull->face_start = p.face_start;
    hull->face_corners = p.face_corners;
    hull->vertex_start = p.vertex_start;
    hull->vertex_faces = p.vertex_faces;
    hull->vertex_next = p.vertex_next;
    return AFX_OK;
}

AfxStatus afxi_hull_mesh_create(const AfxAllocator *allocator, const double *points, uint32_t count,
                                AfxiHullMesh *out_hull) {
    *out_hull = (AfxiHullMesh){0};
    if (count < 4)
        return AFX_E_INPUT;
    Making m = {.count = count, .points = points};
    AfxiArena arena = {0};
    if (count > UINT32_MAX / 8)
        return AFX_E_LIMIT;
    lay_out(&m, &arena);
    if (arena.overflow)
        return AFX_E_LIMIT;
    void *raw;
    size_t raw_size;
    unsigned char *base = afxi_allocate_aligned(allocator, arena.used, &raw, &raw_size);
    if (!base)
        return AFX_E_MEMORY;
    arena = (AfxiArena){.base = base};
    lay_out(&m, &arena);
    AfxStatus status = make_faces(&m);
    if (!status)
        status = finish(allocator, &m, out_hull);
    afxi_release(allocator, raw, raw_size);
    return status;
}

void afxi_hull_mesh_destroy(const AfxAllocator *allocator, AfxiHullMesh *hull) {
    if (hull && hull->block)
        afxi_release(allocator, hull->block, hull->block_size);
    if (hull)
        *hull = (AfxiHullMesh){0};
}
