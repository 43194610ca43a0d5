/* SPDX-License-Identifier: Apache-2.0 */
/* A height field is a mesh. */
#ifndef AFXI_CONTACT_FIELD_H
#define AFXI_CONTACT_FIELD_H

#include "contact/geometry.h"

/** Heights [rows * columns] of a grid around the origin, row by row: columns along x from -half_x to half_x, rows along
 * y. Solid below. */
AfxStatus afxi_triangles_create_field(const AfxAllocator *allocator, const double *heights, uint32_t columns,
                                      uint32_t rows, double half_x, double half_y, AfxiTriangles *out_mesh);

#endif
