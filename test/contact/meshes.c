/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes for the tests. */
#include "contact/field.h"
#include "contact/triangles.h"
#include "tests.h"

#include <stdlib.h>

#define FIELD 21

AfxiTriangles mesh_of_box(double half, uint32_t n) {
    uint32_t side = n + 1, count = 6 * side * side, next = 0;
    double *v = calloc(3 * (size_t)count, sizeof *v);
    uint32_t *t = calloc(36 * (size_t)n * n, sizeof *t), *number = calloc(count, sizeof *number), used = 0;
    for (uint32_t f = 0; f < 6; f++) {
        uint32_t k = f / 2, first = f * side * side;
        for (uint32_t i = 0; i < side * side; i++) {
            double p[3], a = half * (2.0 * (i % side) / n - 1), b = half * (2.0 * (i / side) / n - 1);
            p[k] = f & 1 ? half : -half;
            p[(k + 1) % 3] = f & 1 ? a : b;
            p[(k + 2) % 3] = f & 1 ? b : a;
            uint32_t at = 0; /* shared with the other sides */
            while (at < used && vec3_length(vec3_sub(vec3_load(v + 3 * (size_t)at), vec3_load(p))) > 1e-9)
                at++;
            used = at == used ? used + 1 : used;
            vec3_store(v + 3 * (size_t)at, vec3_load(p));
            number[first + i] = at;
        }
        for (uint32_t c = 0; c < n * n; c++) {
            uint32_t i = first + c / n * side + c % n;
            const uint32_t corners[6] = {i, i + 1, i + side + 1, i, i + side + 1, i + side};
            for (int j = 0; j < 6; j++)
                t[next++] = number[corners[j]];
        }
    }
    AfxAllocator allocator = afx_default_allocator();
    AfxiTriangles mesh;
    assert_ok(afxi_triangles_create(&allocator, v, used, t, next / 3, &mesh));
    free(v);
    free(t);
    free(number);
    return mesh;
}

AfxiTriangles field_of(double (*height)(double x, double y)) {
    double heights[FIELD * FIELD];
    for (int k = 0; k < FIELD * FIELD; k++)
        heights[k] = height(k % FIELD / 10.0 - 1, k / FIELD / 10.0 - 1);
    AfxAllocator allocator = afx_default_allocator();
    AfxiTriangles mesh;
    assert_ok(afxi_triangles_create_field(&allocator, heights, FIELD, FIELD, 1, 1, &mesh));
    return mesh;
}

void drop_mesh(AfxiTriangles *mesh) {
    AfxAllocator allocator = afx_default_allocator();
    afxi_triangles_destroy(&allocator, mesh);
}

AfxiGeometry geometry_of(const AfxiTriangles *mesh) {
    return (AfxiGeometry){.kind = AFXI_GEOMETRY_MESH, .mesh = mesh};
}
