/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: definitions in and out, mass properties against closed forms, composed bodies. */
#include "tests.h"

#include "scene/mass.h"
#include "scene/scene.h"

#define PI 3.14159265358979323846

/** The mass of a body that has just this shape. */
static AfxMass mass_of(const AfxShapeDef *def) {
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, NULL);
    AfxMass mass;
    assert_ok(afx_scene_add_shape(scene, id, def));
    assert_ok(afx_scene_body_mass(scene, id, &mass));
    afx_scene_destroy(scene);
    return mass;
}

static void simple_shapes_have_their_closed_forms(void **state) {
    (void)state;
    AfxShapeDef box = afx_default_box(1, 2, 3);
    AfxMass m = mass_of(&box);
    assert_near(m.mass, 6000, 1e-11);
    assert_near(m.volume, 6, 1e-14);
    assert_inertia(m.inertia, 500 * 13, 500 * 10, 500 * 5, 0, 0, 0, 1e-11);

    AfxShapeDef ball = afx_default_sphere(0.5);
    ball.mass = 3;
    ball.density = 0; /* replaced */
    m = mass_of(&ball);
    assert_near(m.mass, 3, 0);
    assert_near(m.volume, PI / 6, 1e-15);
    assert_inertia(m.inertia, 0.3, 0.3, 0.3, 0, 0, 0, 1e-15);

    AfxShapeDef cylinder = afx_default_cylinder(0.5, 2);
    cylinder.density = 2;
    m = mass_of(&cylinder);
    assert_near(m.mass, PI, 1e-14);
    assert_inertia(m.inertia, PI * (0.25 / 4 + 4.0 / 12), PI * (0.25 / 4 + 4.0 / 12), PI * 0.125, 0, 0, 0, 1e-14);

    AfxShapeDef ellipsoid = afx_default_ellipsoid(1, 2, 3);
    ellipsoid.mass = 5;
    m = mass_of(&ellipsoid);
    assert_inertia(m.inertia, 13, 10, 5, 0, 0, 0, 1e-14);
    assert_near(m.volume, 8 * PI, 1e-13);
}

/* Independent of the formula: a cylinder and two half balls put together by parallel axes. */
static void a_capsule_is_a_cylinder_and_two_half_balls(void **state) {
    (void)state;
    double r = 0.3, l = 1.2, half = 0.5 * 4 / 3 * PI * r * r * r, tube = PI * r * r * l;
    AfxShapeDef capsule = afx_default_capsule(r, l);
    capsule.density = 1;
    AfxMass m = mass_of(&capsule);
    double own = 0.4 * half * r * r - half * (3 * r / 8) * (3 * r / 8), arm = l / 2 + 3 * r / 8;
    double across = tube * (r * r / 4 + l * l / 12) + 2 * (own + half * arm * arm);
    double along = tube * r * r / 2 + 2 * 0.4 * half * r * r;
    assert_near(m.mass, tube + 2 * half, 1e-15);
    assert_inertia(m.inertia, across, across, along, 0, 0, 0, 1e-15);
}

static void meshes_and_hulls_agree_with_the_box(void **state) {
    (void)state;
    double vertices[27];
    box_vertices(vertices, 0.5, 1, 1.5);
    memset(vertices + 24, 0, 3 * sizeof *vertices); /* a point inside, for the hull only */
    uint32_t inward[36];
    for (int k = 0; k < 36; k++) {
        inward[k] = box_triangles[k - k % 3 + (3 - k % 3) % 3];
    }
    AfxShapeDef defs[] = {afx_default_mesh(vertices, 8, box_triangles, 12), afx_default_mesh(vertices, 8, inward, 12),
                          afx_default_convex(vertices, 9), afx_default_box(1, 2, 3)};
    AfxPose pose = {{3, -2, 1}, afx_quat_from_axis_angle((AfxVec3){1, 2, -1}, 0.7)};
    AfxMass want = {0};
    for (int k = 3; k >= 0; k--) {
        defs[k].pose = pose;
        defs[k].mass = 12;
        AfxMass m = mass_of(&defs[k]);
        want = k == 3 ? m : want;
        assert_near(m.mass, 12, 0);
        assert_near(m.volume, 6, 1e-13);
        assert_vec3(m.center, 3, -2, 1, 1e-14);
        for (int i = 0; i < 6; i++) {
            assert_near(m.inertia[i], want.inertia[i], 1e-13);
        }
    }
    assert_near(want.inertia[0] + want.inertia[1] + want.inertia[2], 28, 1e-13);
    assert_true(fabs(want.inertia[3]) > 0.1);
}

static double six_volumes(const AfxShapeDef *d) {
    double sum = 0;
    for (uint32_t t = 0; t < d->triangle_count; t++) {
        const double *a = d->vertices + 3 * d->triangles[3 * t], *b = d->vertices + 3 * d->triangles[3 * t + 1],
                     *c = d->vertices + 3 * d->triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum;
}

static void stored_triangles_face_outward(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, NULL);
    double vertices[24];
    box_vertices(vertices, 1, 1, 1);
    for (int k = 0; k < 24; k += 3) { /* mirrored: the same triangles now face inward */
        vertices[k] = -vertices[k];
    }
    AfxShapeDef mesh = afx_default_mesh(vertices, 8, box_triangles, 12), hull = afx_default_convex(vertices, 8), out;
    assert_near(six_volumes(&mesh), -48, 1e-12);
    assert_ok(afx_scene_add_shape(scene, id, &mesh));
    assert_ok(afx_scene_add_shape(scene, id, &hull));
    for (uint32_t k = 0; k < 2; k++) {
        assert_ok(afx_scene_get_shape(scene, id, k, &out));
        assert_int_equal(out.triangle_count, 12);
        assert_near(six_volumes(&out), 48, 1e-12);
    }
    afx_scene_destroy(scene);
}

static void definitions_come_back_as_they_went_in(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId other = add_body(scene, "other"), id = add_body(scene, "a");
    double vertices[24];
    box_vertices(vertices, 1, 2, 3);
    AfxShapeDef defs[] = {afx_default_box(1, 2, 3),
                          afx_default_sphere(0.25),
                          afx_default_capsule(0.5, 2),
                          afx_default_cylinder(0.75, 3),
                          afx_default_ellipsoid(3, 2, 1),
                          afx_default_convex(vertices, 8),
                          afx_default_mesh(vertices, 8, box_triangles, 12)};
    for (uint32_t k = 0; k < 7; k++) {
        defs[k].pose = (AfxPose){{k, 2, 3}, {0.6, 0, 0, 0.8}};
        defs[k].density = 100 + k;
        defs[k].mass = k % 2;
        assert_ok(afx_scene_add_shape(scene, id, &defs[k]));
        if (k == 4) { /* from here on the body's shapes are not one after the other */
            assert_ok(afx_scene_add_shape(scene, other, &defs[0]));
        }
        for (uint32_t i = 0; i <= k; i++) {
            AfxShapeDef out;
            assert_ok(afx_scene_get_shape(scene, id, i, &out));
            assert_int_equal(out.kind, defs[i].kind);
            assert_memory_equal(&out.pose, &defs[i].pose, sizeof out.pose);
            assert_true(out.density == defs[i].density && out.mass == defs[i].mass);
            assert_memory_equal(&out.half_extents, &defs[i].half_extents, sizeof out.half_extents);
            assert_true(out.radius == defs[i].radius && out.length == defs[i].length);
            assert_int_equal(out.vertex_count, defs[i].vertex_count);
            assert_int_equal(out.triangle_count, i >= 5 ? 12 : 0);
            if (i >= 5) {
                assert_memory_equal(out.vertices, vertices, sizeof vertices);
                assert_ptr_not_equal(out.vertices, vertices);
            }
            if (i == 6) {
                assert_memory_equal(out.triangles, box_triangles, sizeof box_triangles);
            }
        }
    }
    AfxShapeDef out;
    assert_int_equal(afx_scene_shape_count(scene, id), 7);
    assert_int_equal(afx_scene_shape_count(scene, other), 1);
    assert_int_equal(afx_scene_get_shape(scene, id, 7, &out), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "shape #7 of body \"a\"", "no such shape");
    assert_int_equal(afx_scene_get_shape(scene, id, 0, NULL), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

static void a_dumbbell_composes_by_parallel_axes(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "dumbbell");
    AfxShapeDef ball = afx_default_sphere(0.1), bar = afx_default_cylinder(0.02, 1);
    ball.mass = 3;
    ball.pose.position = (AfxVec3){0, 0, 0.5};
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    ball.mass = 1;
    ball.pose.position = (AfxVec3){0, 0, -0.5};
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    bar.mass = 2;
    assert_ok(afx_scene_add_shape(scene, id, &bar));
    AfxMass m;
    assert_ok(afx_scene_body_mass(scene, id, &m));
    double z = (3 * 0.5 - 1 * 0.5) / 6;
    assert_near(m.mass, 6, 1e-15);
    assert_vec3(m.center, 0, 0, z, 1e-16);
    double across =
        0.4 * 4 * 0.01 + 3 * (0.5 - z) * (0.5 - z) + (0.5 + z) * (0.5 + z) + 2 * (0.0004 / 4 + 1.0 / 12) + 2 * z * z;
    assert_inertia(m.inertia, across, across, 0.4 * 4 * 0.01 + 2 * 0.0004 / 2, 0, 0, 0, 1e-15);
    assert_near(m.volume, 2 * 4.0 / 3 * PI * 0.001 + PI * 0.0004, 1e-16);

    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, id, &def));
    def.mass = 12; /* rescales the sum */
    assert_ok(afx_scene_set_body(scene, id, &def));
    AfxMass twice;
    assert_ok(afx_scene_body_mass(scene, id, &twice));
    assert_near(twice.mass, 12, 0);
    assert_near(twice.inertia[0], 2 * across, 1e-14);
    assert_vec3(twice.center, 0, 0, z, 1e-16);
    assert_near(twice.volume, m.volume, 0);
    afx_scene_destroy(scene);
}

static void a_turned_shape_turns_its_inertia(void **state) {
    (void)state;
    AfxShapeDef rod = afx_default_box(0.2, 0.3, 2);
    rod.mass = 6;
    rod.pose = (AfxPose){{5, 6, 7}, afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, PI / 2)}; /* z to x, x to -z */
    AfxMass m = mass_of(&rod);
    assert_vec3(m.center, 5, 6, 7, 1e-15);
    assert_inertia(m.inertia, 0.5 * (0.04 + 0.09), 0.5 * (0.04 + 4), 0.5 * (0.09 + 4), 0, 0, 0, 1e-15);
}

static void given_mass_makes_shapes_geometry_only(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyDef def = afx_default_body();
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = 2;
    def.center = (AfxVec3){1, 2, 3};
    double inertia[6] = {3, 4, 5, 0.1, 0.2, 0.3};
    memcpy(def.inertia, inertia, sizeof inertia);
    AfxBodyId id;
    AfxMass m;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    assert_ok(afx_scene_body_mass(scene, id, &m));
    assert_true(m.volume == 0);
    AfxShapeDef box = afx_default_box(1, 2, 3);
    assert_ok(afx_scene_add_shape(scene, id, &box));
    assert_ok(afx_scene_add_shape(scene, id, &box));
    assert_ok(afx_scene_body_mass(scene, id, &m));
    assert_true(m.mass == 2 && m.center.x == 1 && m.center.y == 2 && m.center.z == 3);
    assert_memory_equal(m.inertia, inertia, sizeof inertia);
    assert_near(m.volume, 12, 1e-14);
    afx_scene_destroy(scene);
}

static void only_dynamic_bodies_need_mass(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "wheel"), unnamed = add_body(scene, NULL);
    AfxMass m;
    assert_int_equal(afx_scene_body_mass(scene, id, &m), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"wheel\"", "has no mass");
    assert_string_equal(afx_scene_error(scene)->cure,
                        "add a shape that is not visual, or give mass, center and inertia");
    AfxError error;
    assert_int_equal(afxi_scene_body_mass(scene, unnamed.index, &m, &error), AFX_E_INPUT);
    assert_string_equal(error.element, "body #1");
    assert_int_equal(afxi_scene_body_mass(scene, unnamed.index, &m, NULL), AFX_E_INPUT);
    AfxBodyDef def = afx_default_body();
    for (int k = 0; k < 4; k++) {
        def.kind = k % 2 ? AFX_BODY_FIXED : AFX_BODY_KINEMATIC;
        def.mass_source = k / 2 ? AFX_MASS_GIVEN : AFX_MASS_FROM_SHAPES;
        assert_ok(afx_scene_set_body(scene, id, &def));
        assert_ok(afx_scene_body_mass(scene, id, &m));
        assert_true(m.mass == 0 && m.volume == 0 && m.inertia[0] == 0);
    }
    afx_scene_destroy(scene);
}

/* Each shape is in range by itself; together, or rescaled, they are not. */
static void sums_out_of_range_are_errors(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "far"), tiny = add_body(scene, "tiny");
    AfxShapeDef ball = afx_default_sphere(1);
    ball.mass = 0.9e300;
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    AfxMass m;
    assert_int_equal(afx_scene_body_mass(scene, id, &m), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"far\"", "too large");
    AfxShapeDef grain = afx_default_sphere(1e-20);
    grain.mass = 1;
    assert_ok(afx_scene_add_shape(scene, tiny, &grain));
    AfxBodyDef def = afx_default_body();
    def.name = "tiny";
    def.mass = 1e-280;
    assert_ok(afx_scene_set_body(scene, tiny, &def));
    assert_int_equal(afx_scene_body_mass(scene, tiny, &m), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"tiny\"", "too small");
    afx_scene_destroy(scene);
}

int run_shape_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_shapes_have_their_closed_forms),
        cmocka_unit_test(a_capsule_is_a_cylinder_and_two_half_balls),
        cmocka_unit_test(meshes_and_hulls_agree_with_the_box),
        cmocka_unit_test(stored_triangles_face_outward),
        cmocka_unit_test(definitions_come_back_as_they_went_in),
        cmocka_unit_test(a_dumbbell_composes_by_parallel_axes),
        cmocka_unit_test(a_turned_shape_turns_its_inertia),
        cmocka_unit_test(given_mass_makes_shapes_geometry_only),
        cmocka_unit_test(only_dynamic_bodies_need_mass),
        cmocka_unit_test(sums_out_of_range_are_errors),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
