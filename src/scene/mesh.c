/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of shapes with arrays: copied; meshes proved closed (or hulled) and integrated once at density 1. A closed
 * mesh that is inside out is turned, so that every triangle of a solid is counter-clockwise seen from outside. A mesh
 * that encloses no solid is kept as it is, without mass, where it does not have to weigh anything. */
#include "scene/mesh.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "math/hull.h"
#include "math/inertia.h"
#include "scene/check.h"
#include "scene/store.h"

static AfxStatus fail_item(const AfxiErrorPlace *place, const char *item, uint32_t number, const char *fault,
                           const char *cure) {
    char text[160];
    snprintf(text, sizeof text, "%s #%u %s", item, (unsigned)number, fault);
    return afxi_fail(place, AFX_E_INPUT, text, cure);
}

static AfxStatus fail_mesh(const AfxiErrorPlace *place, AfxiMeshResult result) {
    switch (result.code) {
    case AFXI_MESH_INDEX:
        return fail_item(place, "triangle", result.triangle, "names a vertex that is not there",
                         "vertex numbers count from 0 and stay below vertex_count");
    case AFXI_MESH_REPEATED:
        return fail_item(place, "triangle", result.triangle, "names a vertex twice", "leave such triangles out");
    case AFXI_MESH_NOT_CLOSED:
        return fail_item(place, "triangle", result.triangle,
                         "has an edge that is not shared with exactly one other triangle running the other way",
                         "close the mesh, merge equal vertices and turn all triangles alike; or use a convex shape");
    case AFXI_MESH_NOT_FINITE:
        return afxi_fail(place, AFX_E_INPUT, "its mass, volume or inertia is too large for double precision",
                         "check the units: kg and m");
    case AFXI_MESH_INCONSISTENT:
        return afxi_fail(place, AFX_E_INPUT, "its triangles enclose no solid: parts of it are inside out or cross",
                         "turn all parts outward and keep them apart; or use a convex shape");
    default:
        return afxi_fail(place, AFX_E_INPUT, "its triangles enclose no volume",
                         "give a mesh around a solid; or a body with given mass");
    }
}

static AfxStatus check_frames(const AfxiErrorPlace *place, const AfxShapeDef *def) {
    if (def->kind != AFX_SHAPE_MESH) {
        return afxi_fail(place, AFX_E_INPUT, "vertex frames are for meshes", "use a mesh, or leave the frames out");
    }
    if (!(def->frame_rate > 0 && isfinite(def->frame_rate)) || def->frame_count == 0) {
        return afxi_fail(place, AFX_E_INPUT,
                         def->frame_count ? "its frame rate is not positive" : "its number of frames is zero",
                         "give frames per second above 0, and at least one frame");
    }
    size_t frame = 3 * (size_t)def->vertex_count;
    if (frame && def->frame_count > SIZE_MAX / sizeof(double) / frame) {
        return afxi_fail_memory(place, AFX_E_LIMIT);
    }
    for (size_t k = 0; k < def->frame_count * frame; k++) {
        if (!isfinite(def->vertex_frames[k])) {
            return fail_item(place, "vertex frame", (uint32_t)(k / frame), "is not finite", "give finite numbers");
        }
    }
    return AFX_OK;
}

static AfxStatus check_arrays(const AfxiErrorPlace *place, const AfxShapeDef *def) {
    if (!def->vertices) {
        return afxi_fail_null(place, "def->vertices");
    }
    if (def->kind == AFX_SHAPE_MESH && !def->triangles) {
        return afxi_fail_null(place, "def->triangles");
    }
    for (size_t k = 0; k < 3 * (size_t)def->vertex_count; k++) {
        if (!isfinite(def->vertices[k])) {
            return fail_item(place, "vertex", (uint32_t)(k / 3), "is not finite", "give finite numbers");
        }
    }
    return def->vertex_frames ? check_frames(place, def) : AFX_OK;
}

/** Every triangle has three vertices of the mesh. */
static AfxStatus check_triangles(const AfxiErrorPlace *place, const AfxShapeDef *def) {
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        const uint32_t *v = def->triangles + 3 * (size_t)t;
        if (v[0] >= def->vertex_count || v[1] >= def->vertex_count || v[2] >= def->vertex_count) {
            return fail_mesh(place, (AfxiMeshResult){AFXI_MESH_INDEX, t});
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return fail_mesh(place, (AfxiMeshResult){AFXI_MESH_REPEATED, t});
        }
    }
    return def->triangle_count ? AFX_OK : fail_mesh(place, (AfxiMeshResult){AFXI_MESH_NO_VOLUME, 0});
}

/** Whether a mesh is closed, in *out_closed; an error when it is not and must be. */
static AfxStatus check_closed(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def, bool must,
                              bool *out_closed) {
    size_t size = afxi_mesh_closed_workspace(def->triangle_count);
    if (size == SIZE_MAX) {
        return afxi_fail_memory(place, AFX_E_LIMIT);
    }
    void *workspace = afxi_allocate(&scene->allocator, size);
    if (!workspace) {
        return afxi_fail_memory(place, AFX_E_MEMORY);
    }
    AfxiMeshResult result = {AFXI_MESH_OK, 0};
    result.code =
        afxi_mesh_closed(def->triangles, def->triangle_count, def->vertex_count, workspace, size, &result.triangle);
    afxi_release(&scene->allocator, workspace, size);
    *out_closed = result.code == AFXI_MESH_OK;
    return *out_closed || !must ? AFX_OK : fail_mesh(place, result);
}

/** Turns all triangles of a closed mesh that is inside out. */
static void face_outward(AfxiSceneMesh *mesh) {
    AfxVec3 origin = vec3_load(mesh->vertices + 3 * (size_t)mesh->triangles[0]);
    double six_volume = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        AfxVec3 a = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)v[0]), origin);
        AfxVec3 b = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)v[1]), origin);
        AfxVec3 c = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)v[2]), origin);
        six_volume += vec3_dot(a, vec3_cross(b, c));
    }
    for (size_t t = 0; six_volume < 0 && t < mesh->triangle_count; t++) {
        uint32_t *v = mesh->triangles + 3 * t, kept = v[1];
        v[1] = v[2];
        v[2] = kept;
    }
}

static AfxStatus fail_hull(const AfxiErrorPlace *place, AfxiHullResult result) {
    if (result == AFXI_HULL_DEGENERATE) {
        return afxi_fail(place, AFX_E_INPUT, "its points are fewer than four, or lie in one plane",
                         "give points around a solid");
    }
    return afxi_fail(place, AFX_E_INPUT, "its points have no hull that can be computed",
                     "check them for numbers that are out of range");
}

/** The hull's triangles, in a block of their own size. */
static AfxStatus make_hull(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def,
                           AfxiSceneMesh *mesh) {
    uint32_t capacity = 2 * def->vertex_count, count = 0;
    size_t work_size = afxi_hull_workspace(def->vertex_count), size = 3 * (size_t)capacity * sizeof(uint32_t);
    if (work_size == SIZE_MAX || work_size > SIZE_MAX - size) {
        return afxi_fail_memory(place, AFX_E_LIMIT);
    }
    unsigned char *block = afxi_allocate(&scene->allocator, work_size + size);
    if (!block) {
        return afxi_fail_memory(place, AFX_E_MEMORY);
    }
    uint32_t *triangles = (uint32_t *)(void *)(block + work_size);
    AfxStatus status = AFX_OK;
    AfxiHullResult result = afxi_hull(def->vertices, def->vertex_count, triangles, capacity, &count, block, work_size);
    if (result != AFXI_HULL_OK) {
        status = fail_hull(place, result);
    } else {
        mesh->triangles = afxi_duplicate(&scene->allocator, triangles, 3 * (size_t)count * sizeof *triangles);
        mesh->triangle_count = count;
        status = mesh->triangles ? AFX_OK : afxi_fail_memory(place, AFX_E_MEMORY);
    }
    afxi_release(&scene->allocator, block, work_size + size);
    return status;
}

static AfxStatus make_triangles(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def,
                                AfxiSceneMesh *mesh) {
    if (def->kind == AFX_SHAPE_CONVEX) {
        return make_hull(scene, place, def, mesh);
    }
    mesh->triangles =
        afxi_duplicate(&scene->allocator, def->triangles, 3 * (size_t)def->triangle_count * sizeof *def->triangles);
    mesh->triangle_count = def->triangle_count;
    return mesh->triangles ? AFX_OK : afxi_fail_memory(place, AFX_E_MEMORY);
}

/** Turns a closed mesh outward and weighs it; an error when it is no solid and must be one. */
static AfxStatus weigh(const AfxiErrorPlace *place, bool must, AfxiSceneMesh *mesh) {
    face_outward(mesh); /* before weighing: a mesh read back weighs the same to the last bit */
    AfxiMeshResult result =
        afxi_mass_mesh(mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count, 1, &mesh->unit);
    mesh->solid = result.code == AFXI_MESH_OK;
    return mesh->solid || !must ? AFX_OK : fail_mesh(place, result);
}

static AfxStatus copy_frames(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def,
                             AfxiSceneMesh *mesh) {
    size_t size = def->frame_count * (3 * (size_t)def->vertex_count) * sizeof *mesh->frames;
    mesh->frames = afxi_duplicate(&scene->allocator, def->vertex_frames, size);
    mesh->frame_count = def->frame_count;
    mesh->frame_rate = def->frame_rate;
    mesh->loop = def->loop;
    return mesh->frames ? AFX_OK : afxi_fail_memory(place, AFX_E_MEMORY);
}

static AfxStatus make_height_field(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def,
                                   AfxiSceneMesh *mesh) {
    if (!def->heights) {
        return afxi_fail_null(place, "def->heights");
    }
    if (def->columns < 2 || def->rows < 2) {
        return afxi_fail(place, AFX_E_INPUT, "it has fewer than two columns or rows", "give at least two of each");
    }
    size_t count = (size_t)def->columns * def->rows;
    if (def->rows > SIZE_MAX / sizeof(double) / def->columns) {
        return afxi_fail_memory(place, AFX_E_LIMIT);
    }
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(def->heights[k])) {
            char text[80];
            snprintf(text, sizeof text, "the height of column #%u, row #%u is not finite", (unsigned)(k % def->columns),
                     (unsigned)(k / def->columns));
            return afxi_fail(place, AFX_E_INPUT, text, "give finite numbers");
        }
    }
    mesh->heights = afxi_duplicate(&scene->allocator, def->heights, count * sizeof *mesh->heights);
    mesh->columns = def->columns;
    mesh->rows = def->rows;
    return mesh->heights ? AFX_OK : afxi_fail_memory(place, AFX_E_MEMORY);
}

static AfxStatus make_mesh(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def, bool solid,
                           AfxiSceneMesh *mesh) {
    bool convex = def->kind == AFX_SHAPE_CONVEX, closed = true;
    AfxStatus status = check_arrays(place, def);
    if (!status && convex && def->vertex_count < 4) {
        status = fail_hull(place, AFXI_HULL_DEGENERATE);
    }
    status = status || convex ? status : check_triangles(place, def);
    status = status || convex ? status : check_closed(scene, place, def, solid, &closed);
    if (status) {
        return status;
    }
    mesh->vertex_count = def->vertex_count;
    mesh->vertices =
        afxi_duplicate(&scene->allocator, def->vertices, 3 * (size_t)def->vertex_count * sizeof *def->vertices);
    status = mesh->vertices ? make_triangles(scene, place, def, mesh) : afxi_fail_memory(place, AFX_E_MEMORY);
    status = status || !closed ? status : weigh(place, solid || convex, mesh);
    return status || !def->vertex_frames ? status : copy_frames(scene, place, def, mesh);
}

AfxStatus afxi_mesh_make(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def, bool solid,
                         AfxiSceneMesh *out_mesh) {
    AfxiSceneMesh mesh = {0};
    AfxStatus status = def->kind == AFX_SHAPE_HEIGHT_FIELD ? make_height_field(scene, place, def, &mesh)
                                                           : make_mesh(scene, place, def, solid, &mesh);
    if (status) {
        afxi_mesh_free(scene, &mesh);
        return status;
    }
    *out_mesh = mesh;
    return AFX_OK;
}

void afxi_mesh_free(const AfxScene *scene, AfxiSceneMesh *mesh) {
    const AfxAllocator *allocator = &scene->allocator;
    size_t vertices = 3 * (size_t)mesh->vertex_count;
    afxi_release(allocator, mesh->vertices, vertices * sizeof *mesh->vertices);
    afxi_release(allocator, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    afxi_release(allocator, mesh->heights, (size_t)mesh->columns * mesh->rows * sizeof *mesh->heights);
    afxi_release(allocator, mesh->frames, mesh->frame_count * vertices * sizeof *mesh->frames);
    *mesh = (AfxiSceneMesh){0};
}
