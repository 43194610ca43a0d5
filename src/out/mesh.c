/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles of shapes. Round things are made from rings of points about z: a ring is a radius, a height and the slope
 * of the normal there. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/hull.h"
#include "out/geometry.h"

#define TURN 6.283185307179586476925286766559
#define SIDES 32u
#define RINGS 12u /* from a pole to the equator */
#define RINGS_MOST (2 * RINGS + 4)

static AfxStatus reserve(const AfxAllocator *allocator, AfxiDrawMesh *mesh, uint32_t vertices, uint32_t triangles,
                         bool normals) {
    *mesh = (AfxiDrawMesh){.vertex_count = vertices, .triangle_count = triangles};
    mesh->positions = afxi_allocate(allocator, 3 * (size_t)vertices * sizeof(float));
    mesh->normals = normals ? afxi_allocate(allocator, 3 * (size_t)vertices * sizeof(float)) : NULL;
    mesh->corners = afxi_allocate(allocator, 3 * (size_t)triangles * sizeof(uint32_t));
    if (!mesh->positions || (normals && !mesh->normals) || !mesh->corners) {
        afxi_shape_mesh_destroy(allocator, mesh);
        return AFX_E_MEMORY;
    }
    return AFX_OK;
}

void afxi_shape_mesh_destroy(const AfxAllocator *allocator, AfxiDrawMesh *mesh) {
    afxi_release(allocator, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(float));
    afxi_release(allocator, mesh->normals, 3 * (size_t)mesh->vertex_count * sizeof(float));
    afxi_release(allocator, mesh->corners, 3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
    *mesh = (AfxiDrawMesh){0};
}

/* A box with edges of length 1 about the origin: four corners for each face. */
static AfxStatus make_box(const AfxAllocator *allocator, AfxiDrawMesh *mesh) {
    AfxStatus status = reserve(allocator, mesh, 24, 12, true);
    for (uint32_t face = 0; face < 6 && status == AFX_OK; face++) {
        uint32_t axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        float side = face % 2 ? -1.0f : 1.0f;
        for (uint32_t k = 0; k < 4; k++) {
            float *at = &mesh->positions[3 * (4 * face + k)];
            at[axis] = 0.5f * side;
            at[u] = (k == 1 || k == 2 ? 0.5f : -0.5f) * side; /* the other way round on the other side */
            at[v] = k >= 2 ? 0.5f : -0.5f;
            mesh->normals[3 * (4 * face + k) + axis] = side;
        }
        const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
        for (uint32_t k = 0; k < 6; k++) {
            mesh->corners[6 * face + k] = 4 * face + corners[k];
        }
    }
    return status;
}

typedef struct Ring {
    double radius, height;
    double out, up; /* the normal */
} Ring;

/* Triangles on each of the SIDES between two rings: none between rings at one place, which make an edge. */
static uint32_t between(const Ring *a, const Ring *b) {
    bool edge = a->radius == b->radius && a->height == b->height;
    return edge ? 0 : (a->radius > 0) + (b->radius > 0);
}

/* The surface through rings from top to bottom. */
static AfxStatus make_rings(const AfxAllocator *allocator, const Ring *rings, uint32_t count, AfxiDrawMesh *mesh) {
    uint32_t triangles = 0, used = 0;
    for (uint32_t ring = 0; ring + 1 < count; ring++) {
        triangles += SIDES * between(&rings[ring], &rings[ring + 1]);
    }
    AfxStatus status = reserve(allocator, mesh, count * (SIDES + 1), triangles, true);
    if (status != AFX_OK) {
        return status;
    }
    mesh->sides = SIDES;
    for (uint32_t ring = 0; ring < count; ring++) {
        for (uint32_t k = 0; k <= SIDES; k++) {
            double angle = TURN * (k % SIDES) / SIDES, c = cos(angle), s = sin(angle);
            size_t at = 3 * ((size_t)ring * (SIDES + 1) + k);
            const double position[3] = {rings[ring].radius * c, rings[ring].radius * s, rings[ring].height};
            const double normal[3] = {rings[ring].out * c, rings[ring].out * s, rings[ring].up};
            for (int axis = 0; axis < 3; axis++) {
                mesh->positions[at + axis] = (float)position[axis];
                mesh->normals[at + axis] = (float)normal[axis];
            }
        }
    }
    for (uint32_t ring = 0; ring + 1 < count; ring++) {
        uint32_t each = between(&rings[ring], &rings[ring + 1]);
        for (uint32_t k = 0; k < SIDES && each > 0; k++) {
            uint32_t top = ring * (SIDES + 1) + k, bottom = top + SIDES + 1;
            const uint32_t upper[3] = {top, bottom, top + 1}, lower[3] = {top + 1, bottom, bottom + 1};
            if (rings[ring].radius > 0) {
                memcpy(&mesh->corners[3 * (size_t)used++], upper, sizeof upper);
            }
            if (rings[ring + 1].radius > 0) {
                memcpy(&mesh->corners[3 * (size_t)used++], lower, sizeof lower);
            }
        }
    }
    return AFX_OK;
}

/* Half balls of radius r above and below a cylinder of that length; a ball when it is 0. */
static AfxStatus make_capsule(const AfxAllocator *allocator, double radius, double length, AfxiDrawMesh *mesh) {
    Ring rings[RINGS_MOST];
    uint32_t count = 0;
    for (uint32_t half = 0; half < 2; half++) {
        double shift = half ? -0.5 * length : 0.5 * length;
        for (uint32_t k = half && length == 0 ? 1 : 0; k <= RINGS; k++) {
            uint32_t step = half ? RINGS + k : k;
            double c = step == RINGS ? 0 : cos(0.5 * TURN * step / (2 * RINGS));
            double s = step % (2 * RINGS) == 0 ? 0 : sin(0.5 * TURN * step / (2 * RINGS));
            rings[count++] = (Ring){radius * s, shift + radius * c, s, c};
        }
    }
    return make_rings(allocator, rings, count, mesh);
}

/* Radius 1 and length 1. */
static AfxStatus make_cylinder(const AfxAllocator *allocator, AfxiDrawMesh *mesh) {
    const Ring rings[6] = {{0, 0.5, 0, 1},  {1, 0.5, 0, 1},   {1, 0.5, 1, 0},
                           {1, -0.5, 1, 0}, {1, -0.5, 0, -1}, {0, -0.5, 0, -1}};
    return make_rings(allocator, rings, 6, mesh);
}

static AfxStatus make_faces(const AfxAllocator *allocator, const double *vertices, uint32_t vertex_count,
                            const uint32_t *triangles, uint32_t triangle_count, AfxiDrawMesh *mesh) {
    AfxStatus status = reserve(allocator, mesh, vertex_count, triangle_count, false);
    if (status == AFX_OK) {
        for (size_t k = 0; k < 3 * (size_t)vertex_count; k++) {
            mesh->positions[k] = (float)vertices[k];
        }
        memcpy(mesh->corners, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    }
    return status;
}

static AfxStatus make_hull(const AfxAllocator *allocator, const AfxShapeDef *shape, AfxiDrawMesh *mesh) {
    uint32_t count = shape->vertex_count, found = 0;
    size_t work_size = afxi_hull_workspace(count), list_size = 6 * (size_t)count * sizeof(uint32_t);
    if (work_size == SIZE_MAX || count > UINT32_MAX / 2) {
        return AFX_E_LIMIT;
    }
    void *work = afxi_allocate(allocator, work_size);
    uint32_t *list = afxi_allocate(allocator, list_size);
    AfxStatus status = AFX_E_MEMORY;
    if (work && list) {
        AfxiHullResult result = afxi_hull(shape->vertices, count, list, 2 * count, &found, work, work_size);
        status =
            result == AFXI_HULL_OK ? make_faces(allocator, shape->vertices, count, list, found, mesh) : AFX_E_INPUT;
    }
    afxi_release(allocator, work, work_size);
    afxi_release(allocator, list, list_size);
    return status;
}

/* A square of edge 1 that faces up. */
static AfxStatus make_square(const AfxAllocator *allocator, AfxiDrawMesh *mesh) {
    const double corners[12] = {-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    return make_faces(allocator, corners, 4, triangles, 2, mesh);
}

/* The surface of a height field: two triangles for each cell, as AfxShapeDef.heights has it. */
static AfxStatus make_heights(const AfxAllocator *allocator, const AfxShapeDef *shape, AfxiDrawMesh *mesh) {
    uint64_t columns = shape->columns, rows = shape->rows;
    if (columns < 2 || rows < 2 || columns > UINT32_MAX / 6 / rows) {
        return AFX_E_LIMIT;
    }
    AfxStatus status =
        reserve(allocator, mesh, (uint32_t)(columns * rows), (uint32_t)(2 * (columns - 1) * (rows - 1)), false);
    for (uint32_t r = 0; r < shape->rows && status == AFX_OK; r++) {
        for (uint32_t c = 0; c < shape->columns; c++) {
            uint32_t at = r * shape->columns + c, up = at + shape->columns;
            mesh->positions[3 * (size_t)at] = (float)(shape->half_extents.x * (2.0 * c / (double)(columns - 1) - 1));
            mesh->positions[3 * (size_t)at + 1] = (float)(shape->half_extents.y * (2.0 * r / (double)(rows - 1) - 1));
            mesh->positions[3 * (size_t)at + 2] = (float)shape->heights[at];
            if (r + 1 < shape->rows && c + 1 < shape->columns) {
                const uint32_t cell[6] = {at, at + 1, up + 1, at, up + 1, up};
                memcpy(&mesh->corners[6 * ((size_t)r * (size_t)(columns - 1) + c)], cell, sizeof cell);
            }
        }
    }
    return status;
}

AfxStatus afxi_shape_mesh(const AfxAllocator *allocator, const AfxShapeDef *shape, AfxiDrawMesh *out_mesh) {
    *out_mesh = (AfxiDrawMesh){0};
    switch (shape->kind) {
    case AFX_SHAPE_BOX:
        return make_box(allocator, out_mesh);
    case AFX_SHAPE_SPHERE:
    case AFX_SHAPE_ELLIPSOID:
        return make_capsule(allocator, 1, 0, out_mesh);
    case AFX_SHAPE_CAPSULE: {
        AfxStatus status = make_capsule(allocator, shape->radius, shape->length, out_mesh);
        out_mesh->capsule[0] = shape->radius;
        out_mesh->capsule[1] = shape->length;
        return status;
    }
    case AFX_SHAPE_CYLINDER:
        return make_cylinder(allocator, out_mesh);
    case AFX_SHAPE_CONVEX:
        return make_hull(allocator, shape, out_mesh);
    case AFX_SHAPE_MESH:
        return make_faces(allocator, shape->vertices, shape->vertex_count, shape->triangles, shape->triangle_count,
                          out_mesh);
    case AFX_SHAPE_PLANE:
        return make_square(allocator, out_mesh);
    case AFX_SHAPE_HEIGHT_FIELD:
        return make_heights(allocator, shape, out_mesh);
    }
    return AFX_E_INPUT;
}

void afxi_shape_mesh_scale(const AfxShapeDef *shape, double out_scale[3]) {
    AfxVec3 half = shape->half_extents;
    double r = shape->radius;
    const double none[3] = {1, 1, 1}, box[3] = {2 * half.x, 2 * half.y, 2 * half.z}, ball[3] = {r, r, r};
    const double ellipsoid[3] = {half.x, half.y, half.z}, cylinder[3] = {r, r, shape->length};
    const double *scale = shape->kind == AFX_SHAPE_BOX         ? box
                          : shape->kind == AFX_SHAPE_SPHERE    ? ball
                          : shape->kind == AFX_SHAPE_ELLIPSOID ? ellipsoid
                          : shape->kind == AFX_SHAPE_CYLINDER  ? cylinder
                                                               : none;
    memcpy(out_scale, scale, sizeof none);
}
