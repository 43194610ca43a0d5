/* SPDX-License-Identifier: Apache-2.0 */
/* A convex polyhedron from points. */
#ifndef AFXI_CONTACT_HULL_MESH_H
#define AFXI_CONTACT_HULL_MESH_H

#include "contact/geometry.h"

/** The hull of points [3 * count]. AFX_E_INPUT when they are flat or not finite. */
AfxStatus afxi_hull_mesh_create(const AfxAllocator *allocator, const double *points, uint32_t count,
                                AfxiHullMesh *out_hull);
void afxi_hull_mesh_destroy(const AfxAllocator *allocator, AfxiHullMesh *hull);

#endif
