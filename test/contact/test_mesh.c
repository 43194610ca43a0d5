/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes: a box made of triangles touches as the box does, flat ground made of triangles as a plane does. */
#include "contact/edges.h"
#include "contact/field.h"
#include "contact/geometry.h"
#include "contact/triangles.h"
#include "tests.h"

#include <string.h>

static void test_box_of_triangles(void **state) {
    (void)state;
    AfxiTriangles mesh = mesh_of_box(1, 3);
    AfxiGeometry triangles = geometry_of(&mesh), box = box_of(1, 1, 1);
    for (uint32_t t = 0; t < mesh.triangle_count; t++)
        assert_near(mesh.thickness[t], 2, 1e-12);
    for (int kind = AFXI_GEOMETRY_SPHERE; kind <= AFXI_GEOMETRY_CONVEX; kind++) {
        uint64_t seed = (uint64_t)kind;
        uint32_t touching = 0;
        for (int k = 0; k < 400; k++) {
            Shape shape;
            AfxiTouch want[AFXI_TOUCH_MAX], got[AFXI_TOUCH_MAX];
            random_shape(&seed, (AfxiGeometryKind)kind, 0.4, &shape);
            AfxiPlace pa = random_place(&seed, 1.5), pb = random_place(&seed, 0.1);
            uint32_t nw = afxi_touch(&shape.g, &pa, &box, &pb, 0.1, want);
            uint32_t ng = afxi_touch(&shape.g, &pa, &triangles, &pb, 0.1, got);
            double gap = nw > 0 ? deepest_of(want, nw)->gap : 1;
            if (nw == 0 || gap > -0.1) /* deeper, other ways out are as good */
                assert_int_equal(nw > 0, ng > 0);
            if (nw > 0 && gap > 1e-6) {
                assert_near(deepest_of(got, ng)->gap, gap, 1e-9);
                assert_vec3(vec3_load(deepest_of(got, ng)->normal), vec3_load(deepest_of(want, nw)->normal), 1e-5);
                touching++;
            } else if (nw > 0 && gap > -0.02) {
                assert_true(deepest_of(got, ng)->gap <= gap + 1e-9);
                assert_true(deepest_of(got, ng)->gap > gap - 0.02);
                touching++;
            }
            drop_shape(&shape);
        }
        assert_true(touching > 20);
    }
    drop_mesh(&mesh);
}

static double flat(double x, double y) {
    (void)x;
    (void)y;
    return 0;
}

static double hollow(double x, double y) {
    return 0.5 * x * x + 0.25 * y * y;
}

/* No edge between triangles of one plane is felt: all normals are the plane's, and the gap is right. */
static void test_inner_edges(void **state) {
    (void)state;
    AfxiTriangles mesh = field_of(flat);
    AfxiGeometry ground = geometry_of(&mesh);
    AfxiPlace floor = place_at(0, 0, 0);
    ground.kind = AFXI_GEOMETRY_HEIGHT_FIELD;
    uint64_t seed = 12;
    for (int k = 0; k < 1200; k++) {
        Shape shape;
        AfxiTouch points[AFXI_TOUCH_MAX];
        random_shape(&seed, (AfxiGeometryKind)(AFXI_GEOMETRY_SPHERE + k % 6), 0.2, &shape);
        AfxiPlace at = random_place(&seed, 0.5);
        if (k % 5 == 0) /* upright, on lines of the grid */
            at = place_at(0.1 * (int)(4 * random_unit(&seed)), 0.1 * (int)(4 * random_unit(&seed)), 0);
        double want = 0.03 * random_unit(&seed) - 0.02;
        at.t[2] += want + reach_of(&shape.g, &at, vec3(0, 0, -1));
        uint32_t count = afxi_touch(&shape.g, &at, &ground, &floor, 0.02, points);
        assert_true(count > 0);
        assert_near(deepest_of(points, count)->gap, want, 1e-11);
        for (uint32_t j = 0; j < count; j++) {
            assert_vec3(vec3_load(points[j].normal), vec3(0, 0, 1), 1e-12);
            assert_near(points[j].point_b[2], 0, 1e-12);
            assert_true(holds(&shape.g, &at, vec3_load(points[j].point_a), 1e-7));
        }
        drop_shape(&shape);
    }
    drop_mesh(&mesh);
}

/* A box on fine flat ground has many points; those that are kept hold it at all four corners. */
static void test_spread(void **state) {
    (void)state;
    AfxiTriangles mesh = field_of(flat);
    AfxiGeometry ground = geometry_of(&mesh), box = box_of(0.33, 0.27, 0.1);
    AfxiPlace floor = place_at(0, 0, 0), at = place_at(0.013, 0.021, 0.0999);
    AfxiTouch points[AFXI_TOUCH_MAX];
    uint32_t count = afxi_touch(&box, &at, &ground, &floor, 0.01, points);
    assert_int_equal(count, AFXI_TOUCH_MAX);
    for (int k = 0; k < 4; k++) {
        AfxVec3 corner = vec3(at.t[0] + (k & 1 ? 0.33 : -0.33), at.t[1] + (k & 2 ? 0.27 : -0.27), 0);
        double nearest = INFINITY;
        for (uint32_t j = 0; j < count; j++)
            nearest = fmin(nearest, vec3_length(vec3_sub(vec3_load(points[j].point_b), corner)));
        assert_true(nearest < 0.08);
        for (uint32_t j = 0; j < count; j++)
            for (uint32_t i = 0; i < j; i++)
                assert_true(vec3_length(vec3_sub(vec3_load(points[j].point_b), vec3_load(points[i].point_b))) > 0.03);
    }
    drop_mesh(&mesh);
}

/* Triangles beside a ridge have edges without one: a ball that rolls over these feels nothing of them. */
static void test_beside_ridge(void **state) {
    (void)state;
    AfxiTriangles mesh = mesh_of_box(1, 3);
    AfxiGeometry triangles = geometry_of(&mesh);
    AfxiPlace still = place_at(0, 0, 0);
    uint64_t seed = 3;
    for (int k = 0; k < 600; k++) {
        AfxiGeometry shape = k % 2 ? sphere_of(0.3) : capsule_of(0.3, 0.001);
        AfxVec3 d = random_vec3(&seed, 0.995);
        AfxiPlace at = place_at(d.x, d.y, 1.3 + (k % 2 ? 0 : 0.001) + 0.05 * random_unit(&seed));
        AfxiTouch points[AFXI_TOUCH_MAX];
        uint32_t count = afxi_touch(&shape, &at, &triangles, &still, 0.1, points);
        assert_true(count > 0);
        for (uint32_t j = 0; j < count; j++)
            assert_vec3(vec3_load(points[j].normal), vec3(0, 0, 1), 1e-9);
    }
    drop_mesh(&mesh);
}

static double hill(double x, double y) {
    return -0.5 * x * x - 0.25 * y * y;
}

/* The flat side of a mesh on the round top of another. */
static void test_mesh_on_hill(void **state) {
    (void)state;
    AfxiTriangles field = field_of(hill), small = mesh_of_box(0.3, 3);
    AfxiGeometry ground = geometry_of(&field), box = geometry_of(&small);
    AfxiPlace floor = place_at(0, 0, 0);
    AfxiTouch points[AFXI_TOUCH_MAX];
    for (int k = 0; k < 5; k++) {
        double gap = 0.002 * (k - 2);
        AfxiPlace at = place_at(0.03, 0.02, 0.3 + gap);
        uint32_t count = afxi_touch(&box, &at, &ground, &floor, 0.01, points);
        assert_true(count > 0);
        const AfxiTouch *p = deepest_of(points, count);
        assert_near(p->gap, gap, 1e-3);
        assert_true(p->normal[2] > 0.99);
        assert_vec3(vec3_load(p->point_b), vec3(0, 0, 0), 0.15);
    }
    drop_mesh(&field);
    drop_mesh(&small);
}

/* A ball in a bowl: its distance from the triangles, computed for each of them by sampling. */
static void test_bowl(void **state) {
    (void)state;
    AfxiTriangles mesh = field_of(hollow);
    AfxiGeometry ground = geometry_of(&mesh), ball = sphere_of(0.1);
    AfxiPlace floor = place_at(0, 0, 0);
    uint64_t seed = 7;
    for (int k = 0; k < 60; k++) {
        AfxVec3 c = random_vec3(&seed, 0.8);
        c.z = hollow(c.x, c.y) + 0.08 + 0.05 * random_unit(&seed);
        AfxiPlace at = place_at(c.x, c.y, c.z);
        AfxiTouch points[AFXI_TOUCH_MAX];
        double want = INFINITY;
        for (uint32_t t = 0; t < mesh.triangle_count; t++) {
            AfxVec3 v[3];
            for (int j = 0; j < 3; j++)
                v[j] = vec3_load(mesh.vertices + 3 * (size_t)mesh.triangles[3 * (size_t)t + (size_t)j]);
            for (int i = 0; i <= 20; i++)
                for (int j = 0; i + j <= 20; j++) {
                    AfxVec3 p =
                        vec3_mad(vec3_mad(vec3_scale((20 - i - j) / 20.0, v[0]), i / 20.0, v[1]), j / 20.0, v[2]);
                    want = fmin(want, vec3_length(vec3_sub(p, c)));
                }
        }
        uint32_t count = afxi_touch(&ball, &at, &ground, &floor, 0.05, points);
        assert_true(count > 0);
        double gap = deepest_of(points, count)->gap + 0.1;
        assert_true(gap <= want + 1e-12 && gap > want - 1e-3);
    }
    drop_mesh(&mesh);
}

/* One-sided: a ball that is half through is pushed out on top; one under a closed thin plate is not pulled up. */
static void test_sides(void **state) {
    (void)state;
    AfxiTriangles field = field_of(flat);
    AfxiGeometry ground = geometry_of(&field), ball = sphere_of(0.05);
    AfxiPlace floor = place_at(0, 0, 0), at = place_at(0.03, 0.01, -0.02);
    AfxiTouch points[AFXI_TOUCH_MAX];
    uint32_t count = afxi_touch(&ball, &at, &ground, &floor, 0.01, points);
    assert_true(count >= 1);
    assert_near(deepest_of(points, count)->gap, -0.07, 1e-14);
    assert_vec3(vec3_load(deepest_of(points, count)->normal), vec3(0, 0, 1), 1e-14);
    drop_mesh(&field);
    double v[24];
    static const uint32_t t[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int k = 0; k < 8; k++)
        vec3_store(v + 3 * (size_t)k, vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 0.01 : -0.01));
    AfxAllocator allocator = afx_default_allocator();
    AfxiTriangles plate;
    assert_ok(afxi_triangles_create(&allocator, v, 8, t, 12, &plate));
    AfxiGeometry thin = geometry_of(&plate);
    at = place_at(0.3, 0.2, -0.058); /* from below, 2 mm deep */
    count = afxi_touch(&ball, &at, &thin, &floor, 0.01, points);
    assert_true(count >= 1);
    for (uint32_t k = 0; k < count; k++)
        assert_vec3(vec3_load(points[k].normal), vec3(0, 0, -1), 1e-14);
    assert_near(deepest_of(points, count)->gap, -0.002, 1e-14);
    drop_mesh(&plate);
}

/* Vertices that move: the same touches as with a mesh made anew. */
static void test_moving_vertices(void **state) {
    (void)state;
    AfxiTriangles mesh = field_of(flat), want = field_of(hollow);
    afxi_triangles_move(&mesh, want.vertices);
    AfxiGeometry moved = geometry_of(&mesh), fresh = geometry_of(&want);
    AfxiPlace floor = place_at(0, 0, 0);
    uint64_t seed = 9;
    for (int k = 0; k < 100; k++) {
        AfxiGeometry box = box_of(0.1, 0.05, 0.08);
        AfxiPlace at = random_place(&seed, 0.7);
        at.t[2] = hollow(at.t[0], at.t[1]) + 0.05;
        AfxiTouch a[AFXI_TOUCH_MAX], b[AFXI_TOUCH_MAX];
        uint32_t na = afxi_touch(&box, &at, &moved, &floor, 0.02, a),
                 nb = afxi_touch(&box, &at, &fresh, &floor, 0.02, b);
        assert_true(na > 0 && nb > 0);
        assert_near(deepest_of(a, na)->gap, deepest_of(b, nb)->gap, 1e-12);
    }
    drop_mesh(&mesh);
    drop_mesh(&want);
}

/* Two boxes of triangles against two boxes; and a box of triangles on flat triangles. */
static void test_meshes(void **state) {
    (void)state;
    AfxiTriangles small = mesh_of_box(0.2, 2), large = mesh_of_box(0.5, 3), field = field_of(flat);
    AfxiGeometry a = geometry_of(&small), b = geometry_of(&large), ground = geometry_of(&field);
    AfxiGeometry box_a = box_of(0.2, 0.2, 0.2), box_b = box_of(0.5, 0.5, 0.5);
    AfxiPlace floor = place_at(0, 0, 0);
    AfxiTouch got[AFXI_TOUCH_MAX], want[AFXI_TOUCH_MAX];
    uint64_t seed = 21;
    for (int k = 0; k < 150; k++) {
        AfxiPlace pa = random_place(&seed, 0.8), pb = random_place(&seed, 0.05);
        uint32_t nw = afxi_touch(&box_a, &pa, &box_b, &pb, 0.05, want), ng = afxi_touch(&a, &pa, &b, &pb, 0.05, got);
        double gap = nw > 0 ? deepest_of(want, nw)->gap : 1;
        if (nw == 0 || gap > -0.1)
            assert_int_equal(nw > 0, ng > 0);
        if (nw > 0 && gap > 0)
            assert_near(deepest_of(got, ng)->gap, gap, 1e-9);
    }
    for (int k = 0; k < 60; k++) {
        AfxiPlace at = k % 4 ? random_place(&seed, 0.4) : place_at(0.1 * (k % 3), 0.033 * k / 4, 0);
        double depth = 0.03 * random_unit(&seed) - 0.02;
        at.t[2] += depth + reach_of(&box_a, &at, vec3(0, 0, -1));
        uint32_t count = afxi_touch(&a, &at, &ground, &floor, 0.02, got);
        assert_true(count > 0);
        assert_near(deepest_of(got, count)->gap, depth, 1e-11);
        for (uint32_t j = 0; j < count; j++)
            assert_vec3(vec3_load(got[j].normal), vec3(0, 0, 1), 1e-12);
    }
    drop_mesh(&small);
    drop_mesh(&large);
    drop_mesh(&field);
}

static void test_refused(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiTriangles mesh;
    double v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t t[3] = {0, 1, 3};
    assert_int_equal(afxi_triangles_create(&allocator, v, 3, t, 1, &mesh), AFX_E_INPUT);
    assert_int_equal(afxi_triangles_create(&allocator, v, 3, t, 0, &mesh), AFX_E_INPUT);
    t[2] = 2;
    v[4] = INFINITY;
    assert_int_equal(afxi_triangles_create(&allocator, v, 3, t, 1, &mesh), AFX_E_INPUT);
    assert_int_equal(afxi_triangles_create_field(&allocator, v, 1, 3, 1, 1, &mesh), AFX_E_INPUT);
    /* without area: kept, never touched */
    v[4] = 0;
    v[6] = 2;
    v[7] = 0;
    assert_ok(afxi_triangles_create(&allocator, v, 3, t, 1, &mesh));
    AfxiGeometry line = geometry_of(&mesh), ball = sphere_of(1);
    AfxiPlace place = place_at(0, 0, 0);
    AfxiTouch points[AFXI_TOUCH_MAX];
    assert_int_equal(afxi_touch(&ball, &place, &line, &place, 1, points), 0);
    drop_mesh(&mesh);
}

/* Edges of a file that was made so that a hash without a key puts them into one slot. */
static void test_edges_meet(void **state) {
    (void)state;
    enum { COUNT = 1000, SLOTS = 8192 };
    static uint32_t triangles[3 * COUNT], across[3 * COUNT], work[SLOTS];
    uint32_t from = 0, to = 0, run = 0, longest = 0;
    for (uint32_t t = 0; t < COUNT; t++) {
        do {
            to = to + 1 < 8000 ? to + 1 : (from++, from + 1);
        } while (((((uint64_t)from << 32 | to) * 0x9E3779B97F4A7C15u) >> 20) & (SLOTS - 1));
        const uint32_t corners[3] = {from, to, 8000 + t};
        memcpy(triangles + 3 * t, corners, sizeof corners);
    }
    assert_int_equal(afxi_edges_workspace(COUNT), sizeof work);
    afxi_edges(triangles, COUNT, across, work);
    for (uint32_t k = 0; k < SLOTS; k++) {
        run = work[k] != UINT32_MAX ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 200); /* 3,000 edges in 8,192 slots: 30 or so */
}

int run_mesh_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_of_triangles),
        cmocka_unit_test(test_inner_edges),
        cmocka_unit_test(test_bowl),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_moving_vertices),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_beside_ridge),
        cmocka_unit_test(test_mesh_on_hill),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_edges_meet),
    };
    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
