/* SPDX-License-Identifier: Apache-2.0 */
/* One triangle of a mesh against a convex shape. */
#ifndef AFXI_CONTACT_TRIANGLE_H
#define AFXI_CONTACT_TRIANGLE_H

#include "contact/inner.h"

/** A triangle as a flat hull, so that it goes where convex shapes go. */
typedef struct AfxiTriangleShape {
    AfxiGeometry g;
    AfxiHullMesh hull;
    double vertices[9], planes[8];
} AfxiTriangleShape;

/** Fills the shape; it points into itself and stays where it is. The corners are placed by `place`. */
void afxi_triangle_shape(const AfxiTriangles *mesh, uint32_t triangle, const AfxiPlace *place, AfxiTriangleShape *out);

/** Touches of the convex shape pair->a (placed in the mesh's frame) with a triangle of pair->b; at most 9. *out_spare:
 * a neighbour should have better ones; these count only if no triangle has any. */
uint32_t afxi_touch_triangle(const AfxiPlacedPair *pair, uint32_t triangle, AfxiTouch out[AFXI_TOUCH_MAX],
                             bool *out_spare);

/** Is a touch with the normal n of this triangle's (from it outward) its own, and not a neighbour's? No on an edge
 * without a ridge: what rolls over the joint of nearly coplanar triangles must not feel it. */
bool afxi_triangle_owns(const AfxiTriangles *mesh, uint32_t triangle, AfxVec3 n);

#endif
