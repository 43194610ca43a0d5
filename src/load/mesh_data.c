/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of mesh files share: growing arrays within the limits, equal vertices made one (vertices of an STL
 * file come three for each triangle; they are compared bit by bit), scale, and whether the scene can take a mesh as a
 * solid. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/mesh_file.h"
#include "math/hull.h"
#include "math/inertia.h"

void afxi_mesh_free_data(AfxiLoad *load, AfxiMeshData *mesh) {
    afxi_release(&load->allocator, mesh->vertices, mesh->vertex_capacity * sizeof *mesh->vertices);
    afxi_release(&load->allocator, mesh->triangles, mesh->triangle_capacity * sizeof *mesh->triangles);
    *mesh = (AfxiMeshData){0};
}

void afxi_mesh_scale(AfxiMeshData *mesh, AfxVec3 scale) {
    for (size_t k = 0; k < mesh->vertex_count; k++) {
        mesh->vertices[3 * k] *= scale.x;
        mesh->vertices[3 * k + 1] *= scale.y;
        mesh->vertices[3 * k + 2] *= scale.z;
    }
    if ((scale.x < 0) ^ (scale.y < 0) ^ (scale.z < 0)) {
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            uint32_t *v = mesh->triangles + 3 * t, kept = v[1];
            v[1] = v[2];
            v[2] = kept;
        }
    }
}

/* ---- arrays ---- */

/** Room for three more numbers of an array; the limit is items_most vertices or triangles. */
static bool reserve(AfxiLoad *load, void **array, uint32_t *capacity, uint32_t count, size_t item_size,
                    const char *what, const char *file, int line) {
    if (count >= load->def->items_most || count >= UINT32_MAX / 3 - 1) {
        char text[80];
        snprintf(text, sizeof text, "the mesh has too many %s", what);
        return afxi_load_error(load, AFX_E_LIMIT, file, line, "mesh", text,
                               "simplify it, or raise AfxLoadDef.items_most (--limit-items)");
    }
    AfxStatus status = afxi_array_reserve(&load->allocator, array, capacity, 3 * (count + 1), item_size);
    return status == AFX_OK || afxi_load_error(load, status, file, line, "mesh", afx_status_text(status),
                                               "free memory, or simplify the mesh");
}

bool afxi_mesh_add_vertex(AfxiLoad *load, AfxiMeshData *mesh, const double point[3], const char *file, int line) {
    void *array = mesh->vertices;
    bool good = reserve(load, &array, &mesh->vertex_capacity, mesh->vertex_count, sizeof *mesh->vertices, "vertices",
                        file, line);
    mesh->vertices = array;
    if (good) {
        memcpy(mesh->vertices + 3 * (size_t)mesh->vertex_count++, point, 3 * sizeof *point);
    }
    return good;
}

bool afxi_mesh_add_triangle(AfxiLoad *load, AfxiMeshData *mesh, uint32_t a, uint32_t b, uint32_t c, const char *file,
                            int line) {
    void *array = mesh->triangles;
    bool good = reserve(load, &array, &mesh->triangle_capacity, mesh->triangle_count, sizeof *mesh->triangles,
                        "triangles", file, line);
    mesh->triangles = array;
    if (good) {
        uint32_t *v = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
        v[0] = a;
        v[1] = b;
        v[2] = c;
    }
    return good;
}

/* ---- equal vertices ---- */

static int compare_points(const double *a, const double *b) {
    for (int j = 0; j < 3; j++) {
        if (a[j] != b[j]) {
            return a[j] < b[j] ? -1 : 1;
        }
    }
    return 0;
}

/** Sorts vertex numbers by place, equal ones by number: merging runs of 1, 2, 4 ... between the two halves of `order`.
 * Returns the half that is sorted. A hash would be faster, but a file can be made to defeat it. */
static uint32_t *sort_vertices(const AfxiMeshData *mesh, uint32_t *order) {
    uint32_t count = mesh->vertex_count, *from = order, *to = order + count;
    for (uint32_t k = 0; k < count; k++) {
        from[k] = k;
    }
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = start + 2 * run < count ? start + 2 * run : count;
            size_t a = start, b = middle;
            for (size_t k = start; k < end; k++) {
                bool second = a == middle || (b < end && compare_points(mesh->vertices + 3 * (size_t)from[b],
                                                                        mesh->vertices + 3 * (size_t)from[a]) < 0);
                to[k] = second ? from[b++] : from[a++];
            }
        }
        uint32_t *kept = from;
        from = to;
        to = kept;
    }
    return from;
}

/** target[k]: the first vertex at the place of k, then its new number. */
static void weld(AfxiMeshData *mesh, uint32_t *order, uint32_t *target) {
    const uint32_t *sorted = sort_vertices(mesh, order);
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        bool same = k > 0 && compare_points(mesh->vertices + 3 * (size_t)sorted[k - 1],
                                            mesh->vertices + 3 * (size_t)sorted[k]) == 0;
        target[sorted[k]] = same ? target[sorted[k - 1]] : sorted[k];
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        if (target[k] == k) {
            memmove(mesh->vertices + 3 * (size_t)kept, mesh->vertices + 3 * (size_t)k, 3 * sizeof *mesh->vertices);
            target[k] = kept++;
        } else {
            target[k] = target[target[k]]; /* an earlier one, renumbered already */
        }
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
        mesh->triangles[k] = target[mesh->triangles[k]];
    }
    mesh->vertex_count = kept;
}

bool afxi_mesh_weld(AfxiLoad *load, AfxiMeshData *mesh, const char *file) {
    size_t size = 3 * (size_t)mesh->vertex_count * sizeof(uint32_t);
    if (size == 0) {
        return true;
    }
    uint32_t *block = afxi_allocate(&load->allocator, size);
    if (!block) {
        return afxi_load_memory_error(load, file, 0);
    }
    weld(mesh, block, block + 2 * (size_t)mesh->vertex_count);
    afxi_release(&load->allocator, block, size);
    return true;
}

/* ---- use ---- */

/** Whether every edge is shared and the inside is a solid. */
static AfxiMeshUse solid_or_convex(const AfxiMeshData *mesh, void *workspace, size_t size) {
    uint32_t bad;
    AfxMass mass;
    bool solid =
        mesh->triangle_count > 0 &&
        afxi_mesh_closed(mesh->triangles, mesh->triangle_count, mesh->vertex_count, workspace, size, &bad) ==
            AFXI_MESH_OK &&
        afxi_mass_mesh(mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count, 1, &mass).code ==
            AFXI_MESH_OK;
    return solid ? AFXI_MESH_USE_SOLID : AFXI_MESH_USE_CONVEX;
}

static AfxiMeshUse convex_or_none(const AfxiMeshData *mesh, uint32_t *triangles, void *workspace, size_t size) {
    uint32_t count = 0;
    AfxMass mass;
    bool convex = afxi_hull(mesh->vertices, mesh->vertex_count, triangles, 2 * mesh->vertex_count, &count, workspace,
                            size) == AFXI_HULL_OK &&
                  afxi_mass_mesh(mesh->vertices, mesh->vertex_count, triangles, count, 1, &mass).code == AFXI_MESH_OK;
    return convex ? AFXI_MESH_USE_CONVEX : AFXI_MESH_USE_NONE;
}

bool afxi_mesh_is_sound(const AfxiMeshData *mesh) {
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *v = mesh->triangles + 3 * k;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || v[0] >= mesh->vertex_count || v[1] >= mesh->vertex_count ||
            v[2] >= mesh->vertex_count) {
            return false;
        }
    }
    return mesh->triangle_count > 0;
}

bool afxi_mesh_use(AfxiLoad *load, const AfxiMeshData *mesh, const char *file, AfxiMeshUse *out_use) {
    *out_use = AFXI_MESH_USE_NONE;
    if (mesh->vertex_count < 4) {
        return true;
    }
    size_t closed_size = afxi_mesh_closed_workspace(mesh->triangle_count);
    size_t hull_size = afxi_hull_workspace(mesh->vertex_count),
           size = 6 * (size_t)mesh->vertex_count * sizeof(uint32_t);
    if (closed_size == SIZE_MAX || hull_size > SIZE_MAX / 2 || size > SIZE_MAX / 2) {
        return true;
    }
    size_t room = hull_size + size > closed_size ? hull_size + size : closed_size;
    unsigned char *block = afxi_allocate(&load->allocator, room);
    if (!block) {
        return afxi_load_memory_error(load, file, 0);
    }
    *out_use = solid_or_convex(mesh, block, room);
    if (*out_use == AFXI_MESH_USE_CONVEX) {
        *out_use = convex_or_none(mesh, (uint32_t *)(void *)(block + hull_size), block, hull_size);
    }
    afxi_release(&load->allocator, block, room);
    return true;
}
