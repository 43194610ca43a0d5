/* SPDX-License-Identifier: Apache-2.0 */
/* Every way a shape's definition can be wrong. */
#include "tests.h"

/** A body "wheel" refuses the shape with this text, and has none afterwards; so does an unnamed body. */
#define assert_refused(def, text) assert_refused_at((def), AFX_E_INPUT, (text))

static void assert_refused_at(AfxShapeDef def, AfxStatus status, const char *text) {
    AfxScene *scene = make_scene();
    AfxBodyId wheel = add_body(scene, "wheel"), unnamed = add_body(scene, NULL);
    AfxShapeDef good = afx_default_sphere(1);
    if (afx_scene_add_shape(scene, wheel, &def) != status) {
        fail_msg("not refused: %s", text);
    }
    assert_error(scene, status, "shape #0 of body \"wheel\"", text);
    assert_ok(afx_scene_add_shape(scene, unnamed, &good));
    assert_int_equal(afx_scene_add_shape(scene, unnamed, &def), status);
    assert_error(scene, status, "shape #1 of body #1", text);
    assert_int_equal(afx_scene_shape_count(scene, wheel), 0);
    assert_int_equal(afx_scene_shape_count(scene, unnamed), 1);
    afx_scene_destroy(scene);
}

static void common_values_are_checked(void **state) {
    (void)state;
    AfxShapeDef d = afx_default_box(1, 1, 1), good = d;
    d.kind = (AfxShapeKind)9;
    assert_refused(d, "its kind is not one of");
    d = good;
    d.pose.position.x = INFINITY;
    assert_refused(d, "its position is not finite");
    d = good;
    d.pose.rotation.w = 0;
    assert_refused(d, "length zero");
    d.pose.rotation.w = 0.9;
    assert_refused(d, "not a unit quaternion");
    d = good;
    d.density = 0;
    assert_refused(d, "its density is not positive");
    d.density = -1;
    assert_refused(d, "its density is not positive");
    d.density = NAN;
    assert_refused(d, "its density is not finite");
    d = good;
    d.mass = -1;
    assert_refused(d, "its mass is negative");
    d.mass = INFINITY;
    assert_refused(d, "its mass is not finite");
}

static void sizes_are_positive(void **state) {
    (void)state;
    static const double wrong[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        const char *fault = k < 2 ? "not positive" : "not finite";
        double x = wrong[k];
        AfxShapeDef defs[] = {
            afx_default_box(x, 1, 1),       afx_default_box(1, x, 1),      afx_default_box(1, 1, x),
            afx_default_sphere(x),          afx_default_capsule(x, 1),     afx_default_capsule(1, x),
            afx_default_cylinder(x, 1),     afx_default_cylinder(1, x),    afx_default_ellipsoid(x, 1, 1),
            afx_default_ellipsoid(1, x, 1), afx_default_ellipsoid(1, 1, x)};
        for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
            assert_refused(defs[i], fault);
        }
    }
    assert_refused(afx_default_capsule(-1, 1), "its radius is not positive");
    assert_refused(afx_default_cylinder(1, -1), "its length is not positive");
    assert_refused(afx_default_box(-1, 1, 1), "its half extents are not positive");
}

static void extremes_are_errors_and_not_infinities(void **state) {
    (void)state;
    static const double sizes[] = {1e200, 1e-200};
    double vertices[24];
    for (int k = 0; k < 2; k++) {
        const char *fault = k ? "too small" : "too large";
        double x = sizes[k];
        box_vertices(vertices, x, x, x);
        AfxShapeDef defs[] = {afx_default_box(x, x, x),
                              afx_default_box(1, 1, x),
                              afx_default_sphere(x),
                              afx_default_capsule(x, x),
                              afx_default_cylinder(x, 1),
                              afx_default_ellipsoid(x, x, x),
                              afx_default_mesh(vertices, 8, box_triangles, 12),
                              afx_default_convex(vertices, 8)};
        for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
            assert_refused(defs[i], fault);
            defs[i].mass = 1;
            assert_refused(defs[i], fault);
        }
    }
    AfxShapeDef d = afx_default_sphere(1);
    d.density = 1e303;
    assert_refused(d, "too large");
    d.density = 1e-312;
    assert_refused(d, "too small");
    d = afx_default_sphere(1);
    d.pose.position.x = 1e160; /* its moment about the body's origin */
    assert_refused(d, "too large");
}

static void meshes_are_closed(void **state) {
    (void)state;
    double vertices[24];
    uint32_t triangles[36];
    box_vertices(vertices, 1, 1, 1);
    memcpy(triangles, box_triangles, sizeof triangles);
    AfxShapeDef d = afx_default_mesh(vertices, 8, triangles, 12);
    d.triangle_count = 11;
    assert_refused(d, "has an edge that is not shared");
    assert_refused(d, "triangle #");
    d.triangle_count = 0;
    assert_refused(d, "no volume");
    d.triangle_count = 12;
    triangles[3 * 7 + 1] = 8;
    assert_refused(d, "triangle #7 names a vertex that is not there");
    triangles[3 * 7 + 1] = triangles[3 * 7];
    assert_refused(d, "triangle #7 names a vertex twice");
    memcpy(triangles, box_triangles, sizeof triangles);
    triangles[3 * 7] = box_triangles[3 * 7 + 1]; /* turned against its neighbours */
    triangles[3 * 7 + 1] = box_triangles[3 * 7];
    assert_refused(d, "has an edge that is not shared");
    memcpy(triangles, box_triangles, sizeof triangles);
    vertices[3 * 5 + 2] = NAN;
    assert_refused(d, "vertex #5 is not finite");
    vertices[3 * 5 + 2] = -INFINITY;
    assert_refused(afx_default_convex(vertices, 8), "vertex #5 is not finite");
    box_vertices(vertices, 1, 1, 0);
    assert_refused(d, "enclose no volume");
    assert_refused(afx_default_convex(vertices, 8), "lie in one plane");
    box_vertices(vertices, 1, 1, 1);
    assert_refused(afx_default_convex(vertices, 3), "fewer than four");
    assert_refused(afx_default_convex(vertices, 0), "fewer than four");
    d.vertices = NULL;
    assert_refused_at(d, AFX_E_ARGUMENT, "vertices is NULL");
    assert_refused_at(afx_default_convex(NULL, 8), AFX_E_ARGUMENT, "vertices is NULL");
    d.vertices = vertices;
    d.triangles = NULL;
    assert_refused_at(d, AFX_E_ARGUMENT, "triangles is NULL");
}

int run_shape_check_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_values_are_checked),
        cmocka_unit_test(sizes_are_positive),
        cmocka_unit_test(extremes_are_errors_and_not_infinities),
        cmocka_unit_test(meshes_are_closed),
    };
    return cmocka_run_group_tests_name("shape_check", tests, NULL, NULL);
}
