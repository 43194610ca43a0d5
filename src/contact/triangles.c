/* SPDX-License-Identifier: Apache-2.0 */
/* Triangle meshes: a copy with normals, neighbours, local thickness and a tree of boxes, split at the median of the
 * centroids along the longest side. When vertices move, the boxes follow and the structure stays. */
#include "contact/triangles.h"

#include "base/memory.h"
#include "contact/edges.h"
#include "contact/inner.h"
#include "contact/tree.h"

/* Triangles in a leaf, at most. */
#define LEAF 4

static void take_parts(AfxiTriangles *m, AfxiArena *arena) {
    size_t n = m->triangle_count;
    m->vertices = afxi_arena_take(arena, 3 * (size_t)m->vertex_count, sizeof *m->vertices);
    m->triangles = afxi_arena_take(arena, 3 * n, sizeof *m->triangles);
    m->across = afxi_arena_take(arena, 3 * n, sizeof *m->across);
    m->normals = afxi_arena_take(arena, 3 * n, sizeof *m->normals);
    m->outward = afxi_arena_take(arena, 9 * n, sizeof *m->outward);
    m->ridge = afxi_arena_take(arena, 3 * n, sizeof *m->ridge);
    m->thickness = afxi_arena_take(arena, n, sizeof *m->thickness);
    m->order = afxi_arena_take(arena, n, sizeof *m->order);
    m->nodes = afxi_arena_take(arena, 2 * n, sizeof *m->nodes);
}

static AfxVec3 corner(const AfxiTriangles *m, uint32_t t, uint32_t k) {
    return vec3_load(m->vertices + 3 * (size_t)m->triangles[3 * (size_t)t + k]);
}

/* Three times the centroid's coordinate: enough to compare. */
static double middle(const AfxiTriangles *m, uint32_t t, int axis) {
    return vec3_part(corner(m, t, 0), axis) + vec3_part(corner(m, t, 1), axis) + vec3_part(corner(m, t, 2), axis);
}

static void grow(AfxiTreeNode *box, AfxVec3 p) {
    for (int k = 0; k < 3; k++) {
        box->lower[k] = fmin(box->lower[k], vec3_part(p, k));
        box->upper[k] = fmax(box->upper[k], vec3_part(p, k));
    }
}

static void clear_box(AfxiTreeNode *box) {
    for (int k = 0; k < 3; k++) {
        box->lower[k] = INFINITY;
        box->upper[k] = -INFINITY;
    }
}

static int longest_side(const AfxiTriangles *m, uint32_t first, uint32_t count) {
    AfxiTreeNode box;
    clear_box(&box);
    for (uint32_t k = first; k < first + count; k++)
        grow(&box, vec3(middle(m, m->order[k], 0), middle(m, m->order[k], 1), middle(m, m->order[k], 2)));
    double x = box.upper[0] - box.lower[0], y = box.upper[1] - box.lower[1], z = box.upper[2] - box.lower[2];
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* Orders the part so that no centroid before its middle is beyond one after it (Hoare's selection). */
static void select_median(AfxiTriangles *m, uint32_t first, uint32_t count, int axis) {
    int64_t low = first, high = (int64_t)first + count - 1, want = (int64_t)first + count / 2;
    while (low < high) {
        double pivot = middle(m, m->order[(low + high) / 2], axis);
        int64_t i = low, j = high;
        while (i <= j) {
            while (middle(m, m->order[i], axis) < pivot)
                i++;
            while (middle(m, m->order[j], axis) > pivot)
                j--;
            if (i <= j) {
                uint32_t keep = m->order[i];
                m->order[i++] = m->order[j];
                m->order[j--] = keep;
            }
        }
        if (want <= j)
            high = j;
        else if (want >= i)
            low = i;
        else
            break;
    }
}

/* Nodes are worked off in the order in which they are made, so parents come before children. */
static void build_tree(AfxiTriangles *m) {
    for (uint32_t k = 0; k < m->triangle_count; k++)
        m->order[k] = k;
    m->nodes[0] = (AfxiTreeNode){.first = 0, .count = m->triangle_count};
    m->node_count = 1;
    for (uint32_t k = 0; k < m->node_count; k++) {
        AfxiTreeNode *node = m->nodes + k;
        uint32_t first = node->first, count = node->count;
        if (count <= LEAF)
            continue;
        select_median(m, first, count, longest_side(m, first, count));
        node->first = m->node_count;
        node->count = 0;
        m->nodes[m->node_count++] = (AfxiTreeNode){.first = first, .count = count / 2};
        m->nodes[m->node_count++] = (AfxiTreeNode){.first = first + count / 2, .count = count - count / 2};
    }
}

/* Normals first: a ridge is between two of them. */
static void measure_edges(AfxiTriangles *m) {
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        AfxVec3 a = corner(m, t, 0), n = vec3_cross(vec3_sub(corner(m, t, 1), a), vec3_sub(corner(m, t, 2), a));
        vec3_store(m->normals + 3 * (size_t)t, unit_or(n, vec3(0, 0, 0)));
    }
    for (uint32_t t = 0; t < m->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            size_t e = 3 * (size_t)t + k;
            AfxVec3 edge = vec3_sub(corner(m, t, (k + 1) % 3), corner(m, t, k));
            AfxVec3 out = unit_or(vec3_cross(edge, vec3_load(m->normals + 3 * (size_t)t)), vec3(0, 0, 0));
            vec3_store(m->outward + 3 * e, out);
            uint32_t other = m->across[e];
            m->ridge[e] = other == UINT32_MAX ? 1 : vec3_dot(vec3_load(m->normals + 3 * (size_t)other), out);
        }
}

static void refit(AfxiTriangles *m) {
    for (uint32_t k = m->node_count; k-- > 0;) {
        AfxiTreeNode *node = m->nodes + k;
        clear_box(node);
        for (uint32_t j = 0; j < node->count; j++)
            for (uint32_t c = 0; c < 3; c++)
                grow(node, corner(m, m->order[node->first + j], c));
        for (uint32_t j = 0; node->count == 0 && j < 2; j++) {
            grow(node, vec3_load(m->nodes[node->first + j].lower));
            grow(node, vec3_load(m->nodes[node->first + j].upper));
        }
    }
    measure_edges(m);
}

/* Where a ray from inside triangle t, straight inward, leaves through another one. */
static double measure_thickness(const AfxiTriangles *m, uint32_t t) {
    AfxVec3 d = vec3_scale(-1, vec3_load(m->normals + 3 * (size_t)t));
    AfxVec3 o = vec3_scale(1.0 / 3, vec3_add(corner(m, t, 0), vec3_add(corner(m, t, 1), corner(m, t, 2))));
    double nearest = INFINITY;
    AfxiTreeWalk walk = {.count = 1};
    while (walk.count > 0) {
        const AfxiTreeNode *node = m->nodes + walk.stack[--walk.count];
        if (!afxi_tree_ray(node, o, d, nearest))
            continue;
        if (node->count == 0) {
            afxi_tree_push(&walk, node);
            continue;
        }
        for (uint32_t k = 0; k < node->count; k++) {
            uint32_t other = m->order[node->first + k];
            AfxVec3 n = vec3_load(m->normals + 3 * (size_t)other), a = corner(m, other, 0);
            double facing = vec3_dot(n, d), s = vec3_dot(n, vec3_sub(a, o)) / facing;
            if (other == t || !(facing > 1e-6) || !(s > 0 && s < nearest))
                continue;
            AfxVec3 p = vec3_mad(o, s, d), b = corner(m, other, 1), c = corner(m, other, 2);
            if (vec3_dot(n, vec3_cross(vec3_sub(b, a), vec3_sub(p, a))) >= 0 &&
                vec3_dot(n, vec3_cross(vec3_sub(c, b), vec3_sub(p, b))) >= 0 &&
                vec3_dot(n, vec3_cross(vec3_sub(a, c), vec3_sub(p, c))) >= 0)
                nearest = s;
        }
    }
    return nearest;
}

static AfxStatus check(const double *vertices, uint32_t vertex_count, const uint32_t *triangles,
                       uint32_t triangle_count) {
    if (triangle_count == 0)
        return AFX_E_INPUT;
    if (triangle_count > UINT32_MAX / 16)
        return AFX_E_LIMIT;
    for (size_t k = 0; k < 3 * (size_t)vertex_count; k++)
        if (!isfinite(vertices[k]))
            return AFX_E_INPUT;
    for (size_t k = 0; k < 3 * (size_t)triangle_count; k++)
        if (triangles[k] >= vertex_count)
            return AFX_E_INPUT;
    return AFX_OK;
}

static AfxStatus allocate(const AfxAllocator *allocator, AfxiTriangles *m) {
    AfxiArena arena = {0};
    take_parts(m, &arena);
    if (arena.overflow)
        return AFX_E_LIMIT;
    unsigned char *base = afxi_allocate_aligned(allocator, arena.used, &m->block, &m->block_size);
    if (!base)
        return AFX_E_MEMORY;
    arena = (AfxiArena){.base = base};
    take_parts(m, &arena);
    return AFX_OK;
}

static AfxStatus find_neighbours(const AfxAllocator *allocator, AfxiTriangles *m) {
    size_t size = afxi_edges_workspace(m->triangle_count);
    uint32_t *work = size == SIZE_MAX ? NULL : afxi_allocate(allocator, size);
    if (!work)
        return size == SIZE_MAX ? AFX_E_LIMIT : AFX_E_MEMORY;
    afxi_edges(m->triangles, m->triangle_count, m->across, work);
    afxi_release(allocator, work, size);
    return AFX_OK;
}

AfxStatus afxi_triangles_create(const AfxAllocator *allocator, const double *vertices, uint32_t vertex_count,
                                const uint32_t *triangles, uint32_t triangle_count, AfxiTriangles *out_mesh) {
    AfxiTriangles *m = out_mesh;
    *m = (AfxiTriangles){.vertex_count = vertex_count, .triangle_count = triangle_count};
    AfxStatus status = check(vertices, vertex_count, triangles, triangle_count);
    if (!status)
        status = allocate(allocator, m);
    if (!status) {
        for (size_t k = 0; k < 3 * (size_t)vertex_count; k++)
            m->vertices[k] = vertices[k];
        for (size_t k = 0; k < 3 * (size_t)triangle_count; k++)
            m->triangles[k] = triangles[k];
        status = find_neighbours(allocator, m);
    }
    if (status) {
        afxi_triangles_destroy(allocator, m);
        return status;
    }
    build_tree(m);
    refit(m);
    for (uint32_t t = 0; t < triangle_count; t++)
        m->thickness[t] = measure_thickness(m, t);
    return AFX_OK;
}

void afxi_triangles_move(AfxiTriangles *mesh, const double *vertices) {
    for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++)
        mesh->vertices[k] = vertices[k];
    refit(mesh);
}

void afxi_triangles_destroy(const AfxAllocator *allocator, AfxiTriangles *mesh) {
    if (mesh && mesh->block)
        afxi_release(allocator, mesh->block, mesh->block_size);
    if (mesh)
        *mesh = (AfxiTriangles){0};
}
