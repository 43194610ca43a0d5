/* SPDX-License-Identifier: Apache-2.0 */
/* The surfaces of a model's shapes as vertices, edges and triangles with a radius: a sphere is a vertex, a capsule an
 * edge, a cylinder a prism; boxes, hulls and meshes have no radius. The ground plane stays what it is. */
#ifndef AFXI_BARRIER_SURFACE_H
#define AFXI_BARRIER_SURFACE_H

#include "model/model.h"

typedef struct AfxiSurfaceShape {
    uint32_t body;
    uint32_t first_vertex, vertex_count, first_edge, edge_count, first_triangle, triangle_count;
    double radius;
    double share;       /* largest weight of a vertex or edge */
    bool plane, moving; /* a plane has neither vertices nor edges; moving: solved for */
    AfxVec3 point;      /* of a plane, in the frame of its body */
    AfxVec3 normal;
    double extent; /* largest distance of a point of it from the body's centre, without the radius */
} AfxiSurfaceShape;

typedef struct AfxiSurfaceVertex {
    AfxVec3 x; /* in the principal frame of its body */
    double weight;
    uint32_t shape, body;
} AfxiSurfaceVertex;

typedef struct AfxiSurfaceEdge {
    uint32_t v[2];
    double weight;
    bool loose; /* of no triangle */
} AfxiSurfaceEdge;

typedef struct AfxiSurface {
    uint32_t shape_count, vertex_count, edge_count, triangle_count;
    AfxiSurfaceShape *shapes; /* [shape_count] those of AfxiContacts, in their order */
    AfxiSurfaceVertex *vertices;
    AfxiSurfaceEdge *edges;
    uint32_t (*triangles)[3]; /* of vertices */
    uint32_t shape_capacity, vertex_capacity, edge_capacity, triangle_capacity;
    double size; /* m: largest extent of a body that moves, twice */
} AfxiSurface;

/** Builds the surfaces of all shapes that can touch. AFX_E_MEMORY; what was taken is left to afxi_surface_destroy. */
AfxStatus afxi_surface_create(const AfxAllocator *allocator, const AfxModel *model, AfxiSurface *out);
void afxi_surface_destroy(const AfxAllocator *allocator, AfxiSurface *surface);

#endif
