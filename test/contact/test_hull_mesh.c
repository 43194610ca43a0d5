/* SPDX-License-Identifier: Apache-2.0 */
/* Convex polyhedra from points: faces joined, topology closed; and what creation does without memory. */
#include "contact/field.h"
#include "contact/geometry.h"
#include "contact/hull_mesh.h"
#include "contact/triangles.h"
#include "support/allocator.h"
#include "tests.h"

/* Every edge has its reverse in another face, all vertices are behind all faces, and Euler's formula holds. */
static void assert_polyhedron(const AfxiHullMesh *h, double size) {
    uint32_t edges = h->face_start[h->face_count];
    assert_int_equal((int)(h->vertex_count + h->face_count) - (int)(edges / 2), 2);
    for (uint32_t f = 0; f < h->face_count; f++) {
        const double *plane = h->planes + 4 * (size_t)f;
        assert_near(vec3_length(vec3_load(plane)), 1, 1e-14);
        for (uint32_t v = 0; v < h->vertex_count; v++)
            assert_true(vec3_dot(vec3_load(plane), vec3_load(h->vertices + 3 * (size_t)v)) <= plane[3] + 1e-6 * size);
        for (uint32_t k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
            uint32_t from = h->face_corners[k],
                     to = h->face_corners[k + 1 < h->face_start[f + 1] ? k + 1 : h->face_start[f]];
            uint32_t found = 0;
            for (uint32_t j = h->vertex_start[to]; j < h->vertex_start[to + 1]; j++)
                found += h->vertex_next[j] == from;
            assert_int_equal(found, 1);
            AfxVec3 p = vec3_load(h->vertices + 3 * (size_t)from);
            assert_near(vec3_dot(vec3_load(plane), p), plane[3], 1e-6 * size);
        }
    }
    for (uint32_t v = 0; v < h->vertex_count; v++)
        for (uint32_t j = h->vertex_start[v]; j < h->vertex_start[v + 1]; j++) {
            uint32_t f = h->vertex_faces[j], has = 0;
            for (uint32_t k = h->face_start[f]; k < h->face_start[f + 1]; k++)
                has += h->face_corners[k] == v;
            assert_int_equal(has, 1);
        }
}

static AfxStatus wrap(const double *points, uint32_t count, AfxiHullMesh *out) {
    AfxAllocator allocator = afx_default_allocator();
    return afxi_hull_mesh_create(&allocator, points, count, out);
}

static void unwrap(AfxiHullMesh *hull) {
    AfxAllocator allocator = afx_default_allocator();
    afxi_hull_mesh_destroy(&allocator, hull);
}

/* A grid of points on and in a box: 6 faces of 4 corners, and nothing of the points between. */
static void test_grid(void **state) {
    (void)state;
    enum { N = 5 };
    double points[3 * N * N * N];
    for (int k = 0; k < N * N * N; k++)
        vec3_store(points + 3 * (size_t)k, vec3(k % N, 2 * (k / N % N), 0.1 * (k / N / N)));
    AfxiHullMesh hull;
    assert_ok(wrap(points, N * N * N, &hull));
    assert_int_equal(hull.face_count, 6);
    assert_int_equal(hull.vertex_count, 8);
    assert_polyhedron(&hull, 8);
    unwrap(&hull);
}

/* A prism over an n-gon has two n-gons and n quadrilaterals, however it is turned. */
static void test_prism(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (uint32_t n = 3; n < 50; n++) {
        double points[300];
        AfxiPlace place = random_place(&seed, 1);
        AfxiMat3 r = mat3_load(place.r);
        for (uint32_t k = 0; k < 2 * n; k++) {
            double angle = 6.2831853071795865 * (k % n) / n;
            AfxVec3 p = vec3(cos(angle), sin(angle), k < n ? -0.3 : 0.3);
            vec3_store(points + 3 * (size_t)k, mat3_apply(&r, p));
        }
        AfxiHullMesh hull;
        assert_ok(wrap(points, 2 * n, &hull));
        assert_int_equal(hull.face_count, n + 2);
        assert_int_equal(hull.vertex_count, 2 * n);
        assert_polyhedron(&hull, 1);
        unwrap(&hull);
    }
}

/* Large enough to be climbed instead of scanned; a box and a sphere rest on it as on what it stands for. */
static void test_many_vertices(void **state) {
    (void)state;
    enum { N = 600 };
    double points[3 * N];
    for (int k = 0; k < N; k++) {
        double z = 1 - (2 * k + 1.0) / N, rho = sqrt(1 - z * z), angle = 2.39996322972865332 * k;
        vec3_store(points + 3 * (size_t)k, vec3(rho * cos(angle), rho * sin(angle), z));
    }
    AfxiHullMesh hull;
    assert_ok(wrap(points, N, &hull));
    assert_int_equal(hull.vertex_count, N);
    assert_polyhedron(&hull, 1);
    AfxiGeometry convex = {.kind = AFXI_GEOMETRY_CONVEX, .hull = &hull}, box = box_of(0.3, 0.4, 0.5);
    uint64_t seed = 2;
    for (int k = 0; k < 200; k++) {
        AfxiTouch touch[AFXI_TOUCH_MAX];
        AfxiPlace pa = random_place(&seed, 1.2), pb = random_place(&seed, 0.1);
        uint32_t count = afxi_touch(&box, &pa, &convex, &pb, 1, touch);
        assert_true(count > 0);
        const AfxiTouch *p = deepest_of(touch, count);
        assert_near(apart_along(&box, &pa, &convex, &pb, vec3_load(p->normal)), p->gap, 1e-9);
        assert_true(p->gap > search_distance(&box, &pa, &convex, &pb) - 1e-9);
    }
    unwrap(&hull);
}

static void test_refused(void **state) {
    (void)state;
    double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.5, 0};
    AfxiHullMesh hull;
    assert_int_equal(wrap(points, 5, &hull), AFX_E_INPUT); /* flat */
    assert_int_equal(wrap(points, 3, &hull), AFX_E_INPUT);
    points[14] = NAN;
    assert_int_equal(wrap(points, 5, &hull), AFX_E_INPUT);
    unwrap(&hull); /* a failed one is empty */
}

static void test_no_memory(void **state) {
    (void)state;
    uint64_t seed = 1;
    double points[60];
    for (int k = 0; k < 60; k++)
        points[k] = random_unit(&seed);
    uint32_t triangles[3] = {0, 1, 2};
    for (uint64_t fail = 1;; fail++) {
        TestAllocator counts = {.fail_at = fail};
        AfxAllocator allocator = test_allocator(&counts);
        AfxiHullMesh hull;
        AfxiTriangles mesh, field;
        AfxStatus status = afxi_hull_mesh_create(&allocator, points, 20, &hull);
        AfxStatus second = afxi_triangles_create(&allocator, points, 20, triangles, 1, &mesh);
        AfxStatus third = afxi_triangles_create_field(&allocator, points, 5, 4, 1, 1, &field);
        bool all = !status && !second && !third;
        assert_true(all || status == AFX_E_MEMORY || second == AFX_E_MEMORY || third == AFX_E_MEMORY);
        assert_int_equal(all, counts.calls < fail);
        afxi_hull_mesh_destroy(&allocator, &hull);
        afxi_triangles_destroy(&allocator, &mesh);
        afxi_triangles_destroy(&allocator, &field);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
        if (all)
            break;
    }
}

int run_hull_mesh_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),    cmocka_unit_test(test_prism),     cmocka_unit_test(test_many_vertices),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("hull mesh", tests, NULL, NULL);
}
