/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes of shapes: closed, facing outward, of the right volume and extent. */
#include "out/geometry.h"
#include "tests.h"

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0.1, 0.1, 0.1};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

/* Volume by the theorem of Gauss; the sum of the area vectors is 0 when the mesh is closed. */
static double volume(const AfxiDrawMesh *mesh, const double scale[3], double out_open[3]) {
    double sum = 0;
    memset(out_open, 0, 3 * sizeof(double));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], n[3];
        for (int c = 0; c < 3; c++) {
            assert_true(mesh->corners[3 * t + c] < mesh->vertex_count);
            for (int k = 0; k < 3; k++) {
                p[c][k] = scale[k] * (double)mesh->positions[3 * (size_t)mesh->corners[3 * t + c] + k];
            }
        }
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            n[k] = (p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) - (p[1][v] - p[0][v]) * (p[2][u] - p[0][u]);
            out_open[k] += n[k];
        }
        sum += (n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2]) / 6;
    }
    return sum;
}

static void check(const AfxShapeDef *shape, double want, double tolerance) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiDrawMesh mesh;
    double scale[3], open[3];
    assert_ok(afxi_shape_mesh(&allocator, shape, &mesh));
    afxi_shape_mesh_scale(shape, scale);
    assert_near(volume(&mesh, scale, open), want, tolerance * want);
    for (int k = 0; k < 3; k++) {
        assert_near(open[k], 0, 1e-6);
    }
    for (uint32_t t = 0; t < mesh.triangle_count && mesh.normals; t++) { /* normals look the way the triangle does */
        double p[3][3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                p[c][k] = (double)mesh.positions[3 * (size_t)mesh.corners[3 * t + c] + k];
            }
        }
        for (int c = 0; c < 3; c++) {
            const float *n = &mesh.normals[3 * (size_t)mesh.corners[3 * t + c]];
            double dot = 0, length = 0;
            for (int k = 0; k < 3; k++) {
                int u = (k + 1) % 3, v = (k + 2) % 3;
                dot += (double)n[k] *
                       ((p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) - (p[1][v] - p[0][v]) * (p[2][u] - p[0][u]));
                length += (double)n[k] * (double)n[k];
            }
            assert_true(dot > 0);
            assert_near(length, 1, 1e-6);
        }
    }
    afxi_shape_mesh_destroy(&allocator, &mesh);
}

static void test_volumes(void **state) {
    (void)state;
    const double pi = 3.14159265358979323846;
    AfxShapeDef box = afx_default_box(1, 2, 3), ball = afx_default_sphere(2), capsule = afx_default_capsule(0.5, 3);
    AfxShapeDef cylinder = afx_default_cylinder(0.5, 2), egg = afx_default_ellipsoid(1, 2, 3);
    AfxShapeDef hull = afx_default_convex(corners, 5), mesh = afx_default_mesh(corners, 4, faces, 4);
    check(&box, 6, 1e-6);
    check(&ball, 4.0 / 3 * pi * 8, 0.02); /* a polyhedron inside */
    check(&capsule, pi * 0.25 * 3 + 4.0 / 3 * pi * 0.125, 0.02);
    check(&cylinder, pi * 0.25 * 2, 0.02);
    check(&egg, 4.0 / 3 * pi * 6, 0.02);
    check(&hull, 1, 1e-6);
    check(&mesh, 1, 1e-6);
}

static void test_shared(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    World world;
    AfxiSceneGeometry geometry;
    world_make(&world, NULL, NULL);
    assert_ok(afxi_geometry_create(&allocator, world.scene, &geometry));
    assert_int_equal(geometry.worn_count, WORLD_BODIES); /* each body has one shape */
    assert_int_equal(geometry.mesh_count, 7); /* box, rod, ball and egg, other capsule, cylinder, hull, mesh */
    assert_int_equal(geometry.worn[0].mesh, geometry.worn[3].mesh);
    assert_int_equal(geometry.worn[1].mesh, geometry.worn[2].mesh);
    assert_int_equal(geometry.worn[0].colour, 0);
    assert_near(geometry.worn[0].scale[2], 0.1, 1e-15);
    assert_near(geometry.worn[4].pose.position.x, 0.01, 0);
    afxi_geometry_destroy(&geometry);
    world_free(&world);
}

/* A body without shapes is drawn as the box of its inertia: 2 kg, 1 x 2 x 3 m. */
static void test_bare(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxiSceneGeometry geometry;
    body.mass_source = AFX_MASS_GIVEN;
    body.mass = 2;
    body.center = (AfxVec3){0.5, 0, 0};
    body.inertia[0] = 2.0 / 12 * (4 + 9);
    body.inertia[1] = 2.0 / 12 * (1 + 9);
    body.inertia[2] = 2.0 / 12 * (1 + 4);
    assert_ok(afx_scene_create(&def, &scene));
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afxi_geometry_create(&allocator, scene, &geometry));
    assert_int_equal(geometry.worn_count, 1);
    for (int k = 0; k < 3; k++) {
        assert_near(geometry.worn[0].scale[k], k + 1, 1e-12);
    }
    assert_near(geometry.worn[0].pose.position.x, 0.5, 1e-12);
    assert_int_equal(geometry.worn[0].colour, 1);
    afxi_geometry_destroy(&geometry);
    /* Where shapes are for looks, it is not seen, and colours of shapes are entered once each. */
    AfxShapeDef ball = afx_default_sphere(1);
    double rgb[3];
    ball.visual = true;
    ball.color = AFX_COLOR(51, 0, 255);
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    assert_ok(afxi_geometry_create(&allocator, scene, &geometry));
    assert_int_equal(geometry.worn_count, 2);
    assert_int_equal(geometry.worn[0].body, 1);
    assert_int_equal(geometry.worn[0].colour, AFXI_COLOURS);
    assert_int_equal(geometry.worn[1].colour, AFXI_COLOURS);
    assert_int_equal(afxi_geometry_colours(&geometry), AFXI_COLOURS + 1);
    afxi_geometry_colour(&geometry, AFXI_COLOURS, rgb);
    assert_near(rgb[0], 0.2, 1e-15);
    assert_near(rgb[1], 0, 0);
    assert_near(rgb[2], 1, 0);
    afxi_geometry_destroy(&geometry);
    afx_scene_destroy(scene);
}

/* Ground: a plane as a square ten times the size of the scene, a height field with its cells cut as contact cuts them;
 * and visual shapes in place of the others. */
static void test_ground(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxiSceneGeometry geometry;
    const double heights[6] = {0, 1, 2, 3, 4, 5};
    AfxShapeDef plane = afx_default_plane(), field = afx_default_height_field(4, 6, heights, 3, 2);
    AfxShapeDef box = afx_default_box(1, 1, 1), ball = afx_default_sphere(1);
    ball.visual = true;
    assert_ok(afx_scene_create(&def, &scene));
    body.kind = AFX_BODY_FIXED;
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afx_scene_add_shape(scene, id, &plane));
    assert_ok(afx_scene_add_shape(scene, id, &field));
    body.kind = AFX_BODY_DYNAMIC;
    body.pose.position = (AfxVec3){3, 0, 4};
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afx_scene_add_shape(scene, id, &box));
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    assert_ok(afxi_geometry_create(&allocator, scene, &geometry));
    assert_int_equal(geometry.worn_count, 3);
    assert_near(geometry.worn[0].scale[0], 50, 1e-12);
    assert_near(geometry.worn[0].scale[1], 50, 1e-12);
    assert_int_equal(geometry.meshes[geometry.worn[0].mesh].triangle_count, 2);
    const AfxiDrawMesh *mesh = &geometry.meshes[geometry.worn[1].mesh];
    const uint32_t first[6] = {0, 1, 4, 0, 4, 3};
    assert_int_equal(mesh->vertex_count, 6);
    assert_int_equal(mesh->triangle_count, 4);
    assert_memory_equal(mesh->corners, first, sizeof first);
    const float want[2][3] = {{-2, -3, 0}, {2, 3, 5}};
    assert_memory_equal(mesh->positions, want[0], sizeof want[0]);
    assert_memory_equal(mesh->positions + 15, want[1], sizeof want[1]);
    assert_near(geometry.worn[2].scale[0], 1, 0); /* the ball of radius 1, not the box */
    assert_int_equal(geometry.meshes[geometry.worn[2].mesh].triangle_count > 12, 1);
    afxi_geometry_destroy(&geometry);
    afx_scene_destroy(scene);
}

int run_mesh_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_ground),
    };
    return cmocka_run_group_tests_name("meshes", tests, NULL, NULL);
}
