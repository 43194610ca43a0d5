/* SPDX-License-Identifier: Apache-2.0 */
/* Triangle meshes. */
#ifndef AFXI_CONTACT_TRIANGLES_H
#define AFXI_CONTACT_TRIANGLES_H

#include "contact/geometry.h"

/** A copy of the triangles with their tree. AFX_E_INPUT for no triangles, numbers out of range or not finite. */
AfxStatus afxi_triangles_create(const AfxAllocator *allocator, const double *vertices, uint32_t vertex_count,
                                const uint32_t *triangles, uint32_t triangle_count, AfxiTriangles *out_mesh);
/** New places of all vertices [3 * vertex_count]: normals and the boxes of the tree follow, its structure stays. */
void afxi_triangles_move(AfxiTriangles *mesh, const double *vertices);
void afxi_triangles_destroy(const AfxAllocator *allocator, AfxiTriangles *mesh);

#endif
