/* SPDX-License-Identifier: Apache-2.0 */
/* A height field is a mesh: two triangles for each cell of the grid, facing up. */
#include "contact/field.h"

#include "base/memory.h"
#include "contact/inner.h"
#include "contact/triangles.h"

AfxStatus afxi_triangles_create_field(const AfxAllocator *allocator, const double *heights, uint32_t columns,
                                      uint32_t rows, double half_x, double half_y, AfxiTriangles *out_mesh) {
    *out_mesh = (AfxiTriangles){0};
    if (columns < 2 || rows < 2 || !(half_x > 0 && half_y > 0 && isfinite(half_x) && isfinite(half_y)))
        return AFX_E_INPUT;
    if ((uint64_t)columns * rows > UINT32_MAX / 64)
        return AFX_E_LIMIT;
    size_t points = (size_t)columns * rows, cells = (size_t)(columns - 1) * (rows - 1);
    size_t vertex_size = 3 * points * sizeof(double), size = vertex_size + 6 * cells * sizeof(uint32_t);
    double *vertices = afxi_allocate(allocator, size);
    if (!vertices)
        return AFX_E_MEMORY;
    uint32_t *triangles = (uint32_t *)(void *)((unsigned char *)vertices + vertex_size);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) {
            size_t k = (size_t)r * columns + c;
            vec3_store(vertices + 3 * k,
                       vec3(half_x * (2.0 * c / (columns - 1) - 1), half_y * (2.0 * r / (rows - 1) - 1), heights[k]));
        }
    uint32_t *next = triangles;
    for (uint32_t r = 0; r + 1 < rows; r++)
        for (uint32_t c = 0; c + 1 < columns; c++) {
            uint32_t a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            const uint32_t corners[6] = {a, b, e, a, e, d};
            for (int k = 0; k < 6; k++)
                *next++ = corners[k];
        }
    AfxStatus status =
        afxi_triangles_create(allocator, vertices, (uint32_t)points, triangles, (uint32_t)(2 * cells), out_mesh);
    afxi_release(allocator, vertices, size);
    return status;
}
