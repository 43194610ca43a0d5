/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against shapes on bodies: what callers lay out, body by body, in any frames that they place. */
#ifndef AFXI_COLLIDE_CAST_H
#define AFXI_COLLIDE_CAST_H

#include "affix/ray.h"
#include "collide/collide.h"
#include "math/vec3.h"

/** A shape on a body. */
typedef struct AfxiCastItem {
    uint32_t body, shape, geometry;
    AfxiMat3 turn; /* of the shape in the body's frame */
    AfxVec3 shift;
    AfxVec3 center; /* of a ball around it, in the body's frame, and its radius; INFINITY: it has no bounds */
    double radius;
} AfxiCastItem;

/** Where a body is: p = A x + t; A^-1 and t. */
typedef struct AfxiCastFrame {
    AfxiMat3 inverse;
    AfxVec3 origin;
} AfxiCastFrame;

typedef struct AfxiCast {
    AfxAllocator allocator;
    uint32_t bodies, item_count, item_capacity, geometry_count;
    AfxiCastItem *items;         /* [item_count] */
    AfxiCastFrame *frames;       /* [bodies] */
    uint32_t *made;              /* [geometry_count] 1: it is */
    AfxiGeometry *geometries;    /* [geometry_count] */
    AfxiHullMesh *hulls;         /* [geometry_count] */
    AfxiTriangles *meshes;       /* [geometry_count] */
    AfxiContactGeometry *moving; /* [geometry_count] those with vertex frames, which are its own; else zeros */
} AfxiCast;

/** Room for bodies and geometries; destroy it even after a failure. */
AfxStatus afxi_cast_reserve(AfxiCast *cast, const AfxAllocator *allocator, uint32_t bodies, uint32_t geometries);
void afxi_cast_destroy(AfxiCast *cast);
/** Adds a shape to a body; its geometry `at` is made from `source` the first time. */
AfxStatus afxi_cast_add(AfxiCast *cast, uint32_t body, uint32_t shape, uint32_t at, const AfxiContactGeometry *source,
                        const AfxiMat3 *turn, AfxVec3 shift);
/** Puts a body where p = a x + origin. */
void afxi_cast_place(AfxiCast *cast, uint32_t body, const AfxiMat3 *a, AfxVec3 origin);
/** Puts vertices that move with time where they are then. */
void afxi_cast_move(AfxiCast *cast, double time);
/** What a ray meets first. */
void afxi_cast_ray(const AfxiCast *cast, const AfxRay *ray, AfxRayHit *out_hit);

#endif
