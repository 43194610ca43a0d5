/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes and bodies: defaults, definitions in and out, ids, motions. */
#include "tests.h"

#include "base/status.h"
#include "scene/scene.h"

static void defaults_are_as_documented(void **state) {
    (void)state;
    AfxSceneDef scene = afx_default_scene();
    assert_int_equal(scene.cookie, AFXI_COOKIE);
    assert_vec3(scene.gravity, 0, 0, -9.81, 0);
    AfxBodyDef body = afx_default_body();
    assert_int_equal(body.cookie, AFXI_COOKIE);
    assert_null(body.name);
    assert_int_equal(body.kind, AFX_BODY_DYNAMIC);
    assert_int_equal(body.mass_source, AFX_MASS_FROM_SHAPES);
    assert_true(body.young == 1e9 && body.poisson == 0.3 && body.gravity && body.pose.rotation.w == 1);
    AfxShapeDef box = afx_default_box(1, 2, 3);
    assert_vec3(box.half_extents, 0.5, 1, 1.5, 0);
    assert_true(box.density == 1000 && box.mass == 0 && box.cookie == AFXI_COOKIE);
}

static void a_scene_is_refused_without_its_parts(void **state) {
    (void)state;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = (AfxScene *)&def;
    assert_int_equal(afx_scene_create(NULL, &scene), AFX_E_ARGUMENT);
    assert_null(scene);
    assert_int_equal(afx_scene_create(&def, NULL), AFX_E_ARGUMENT);
    def.cookie++;
    assert_int_equal(afx_scene_create(&def, &scene), AFX_E_VERSION);
    def = afx_default_scene();
    def.gravity.y = NAN;
    assert_int_equal(afx_scene_create(&def, &scene), AFX_E_INPUT);
    def = afx_default_scene();
    def.allocator.reallocate = NULL;
    assert_int_equal(afx_scene_create(&def, &scene), AFX_E_ARGUMENT);
    assert_null(scene);
    afx_scene_destroy(NULL);
}

static void gravity_is_read_and_set(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    assert_int_equal(afx_scene_error(scene)->status, AFX_OK);
    assert_ok(afx_scene_set_gravity(scene, (AfxVec3){1, 2, 3}));
    assert_vec3(afx_scene_gravity(scene), 1, 2, 3, 0);
    assert_int_equal(afx_scene_set_gravity(scene, (AfxVec3){1, INFINITY, 3}), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "scene", "gravity is not finite");
    assert_vec3(afx_scene_gravity(scene), 1, 2, 3, 0);
    afx_scene_destroy(scene);
}

static AfxBodyDef rich_body(void) {
    AfxBodyDef d = afx_default_body();
    d.name = "rich";
    d.pose = (AfxPose){{1, 2, 3}, {0.6, 0, 0.8, 0}};
    d.linear_velocity = (AfxVec3){4, 5, 6};
    d.angular_velocity = (AfxVec3){7, 8, 9};
    d.mass_source = AFX_MASS_GIVEN;
    d.mass = 10;
    d.center = (AfxVec3){0.1, 0.2, 0.3};
    double inertia[6] = {3, 4, 5, 0.1, 0.2, 0.3};
    memcpy(d.inertia, inertia, sizeof inertia);
    d.young = INFINITY;
    d.poisson = -0.25;
    d.gravity = false;
    d.linear_damping = 0.5;
    d.angular_damping = 0.75;
    return d;
}

static void assert_same_body(const AfxBodyDef *a, const AfxBodyDef *b) {
    assert_string_equal(a->name ? a->name : "", b->name ? b->name : "");
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(&a->pose, &b->pose, sizeof a->pose);
    assert_memory_equal(&a->linear_velocity, &b->linear_velocity, sizeof(AfxVec3));
    assert_memory_equal(&a->angular_velocity, &b->angular_velocity, sizeof(AfxVec3));
    assert_int_equal(a->mass_source, b->mass_source);
    assert_true(a->mass == b->mass && a->young == b->young && a->poisson == b->poisson && a->gravity == b->gravity);
    assert_memory_equal(&a->center, &b->center, sizeof(AfxVec3));
    assert_memory_equal(a->inertia, b->inertia, sizeof a->inertia);
    assert_true(a->linear_damping == b->linear_damping && a->angular_damping == b->angular_damping);
}

static void a_definition_comes_back_as_it_went_in(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyDef in = rich_body(), out;
    AfxBodyId first = add_body(scene, NULL), id;
    assert_ok(afx_scene_add_body(scene, &in, &id));
    assert_ok(afx_scene_get_body(scene, id, &out));
    assert_same_body(&in, &out);
    assert_ptr_not_equal(in.name, out.name);
    assert_ok(afx_scene_get_body(scene, first, &out));
    assert_null(out.name);
    AfxBodyDef plain = afx_default_body();
    assert_same_body(&plain, &out);
    in.name = "set";
    assert_ok(afx_scene_set_body(scene, first, &in));
    assert_ok(afx_scene_get_body(scene, first, &out));
    assert_same_body(&in, &out);
    assert_ok(afx_scene_set_body(scene, first, &out)); /* a definition that points into the scene */
    assert_ok(afx_scene_get_body(scene, first, &out));
    assert_same_body(&in, &out);
    assert_int_equal(afx_scene_body_count(scene), 2);
    afx_scene_destroy(scene);
}

static void setting_a_body_keeps_what_is_attached(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "a");
    AfxShapeDef box = afx_default_box(1, 1, 1);
    AfxMarkerId marker;
    assert_ok(afx_scene_add_shape(scene, id, &box));
    assert_ok(afx_scene_add_marker(scene, id, "m", (AfxVec3){1, 0, 0}, &marker));
    AfxBodyDef def = afx_default_body();
    def.mass = 2;
    assert_ok(afx_scene_set_body(scene, id, &def));
    AfxMass mass;
    assert_ok(afx_scene_body_mass(scene, id, &mass));
    assert_near(mass.mass, 2, 1e-15);
    assert_near(mass.inertia[0], 2.0 / 6, 1e-15);
    assert_int_equal(afx_scene_shape_count(scene, id), 1);
    assert_int_equal(afx_scene_marker_count(scene), 1);
    afx_scene_destroy(scene);
}

static void a_failed_set_changes_nothing(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyDef in = rich_body(), out;
    AfxBodyId id;
    assert_ok(afx_scene_add_body(scene, &in, &id));
    AfxBodyDef bad = afx_default_body();
    bad.name = "other";
    bad.mass = -1;
    assert_int_equal(afx_scene_set_body(scene, id, &bad), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"rich\"", "its mass is negative");
    assert_ok(afx_scene_get_body(scene, id, &out));
    assert_same_body(&in, &out);
    afx_scene_destroy(scene);
}

static void rotations_near_unit_length_are_made_unit(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyDef in = afx_default_body(), out;
    in.pose.rotation = (AfxQuat){0.6 * 1.0009, 0, 0.8 * 1.0009, 0};
    AfxBodyId id;
    assert_ok(afx_scene_add_body(scene, &in, &id));
    assert_ok(afx_scene_get_body(scene, id, &out));
    assert_near(out.pose.rotation.w, 0.6, 1e-15);
    assert_near(out.pose.rotation.y, 0.8, 1e-15);
    for (int k = 0; k < 1000; k++) { /* and once they are, they keep their bits */
        double a = 0.37 * k, b = 0.11 * k * k;
        in.pose.rotation = (AfxQuat){cos(a) * cos(b), sin(a) * cos(b), sin(b) * cos(a + b), sin(b) * sin(a + b)};
        assert_ok(afx_scene_set_body(scene, id, &in));
        assert_ok(afx_scene_get_body(scene, id, &in));
        assert_ok(afx_scene_set_body(scene, id, &in));
        assert_ok(afx_scene_get_body(scene, id, &out));
        assert_memory_equal(&in.pose, &out.pose, sizeof in.pose);
    }
    afx_scene_destroy(scene);
}

static void ids_of_other_scenes_are_refused(void **state) {
    (void)state;
    AfxScene *scene = make_scene(), *other = make_scene();
    AfxBodyId id = add_body(scene, "a"), foreign = add_body(other, "b");
    assert_int_not_equal(id.scene, 0);
    assert_int_not_equal(id.scene, foreign.scene);
    AfxBodyId wrong[] = {foreign, {0, 0}, {1, id.scene}, {1u << 31, id.scene}, {0, id.scene + 1}};
    AfxShapeDef box = afx_default_box(1, 1, 1), shape;
    AfxWrenchDef wrench = afx_default_wrench();
    AfxBodyDef def = afx_default_body();
    AfxMass mass;
    AfxMarkerId marker;
    AfxWrenchId wrench_id;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        wrench.body = wrong[k];
        assert_null(afx_scene_body_name(scene, wrong[k]));
        assert_int_equal(afx_scene_get_body(scene, wrong[k], &def), AFX_E_ARGUMENT);
        assert_int_equal(afx_scene_set_body(scene, wrong[k], &def), AFX_E_ARGUMENT);
        assert_int_equal(afx_scene_add_shape(scene, wrong[k], &box), AFX_E_ARGUMENT);
        assert_int_equal(afx_scene_shape_count(scene, wrong[k]), 0);
        assert_int_equal(afx_scene_get_shape(scene, wrong[k], 0, &shape), AFX_E_ARGUMENT);
        assert_int_equal(afx_scene_body_mass(scene, wrong[k], &mass), AFX_E_ARGUMENT);
        assert_int_equal(afx_scene_add_marker(scene, wrong[k], "m", (AfxVec3){0, 0, 0}, &marker), AFX_E_ARGUMENT);
        assert_int_equal(afx_scene_add_wrench(scene, &wrench, &wrench_id), AFX_E_ARGUMENT);
        char element[32];
        snprintf(element, sizeof element, "body #%u", (unsigned)wrong[k].index);
        assert_error(scene, AFX_E_ARGUMENT, element, "stale");
    }
    assert_int_equal(afx_scene_marker_count(scene) + afx_scene_wrench_count(scene), 0);
    afx_scene_destroy(scene);
    afx_scene_destroy(other);
}

static void ids_of_a_dead_scene_are_stale_in_the_next(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) { /* the next scene often sits at the same address */
        AfxScene *scene = make_scene();
        AfxBodyId old = add_body(scene, NULL);
        afx_scene_destroy(scene);
        scene = make_scene();
        AfxBodyId id = add_body(scene, NULL);
        assert_int_not_equal(old.scene, id.scene);
        assert_null(afx_scene_body_name(scene, old));
        afx_scene_destroy(scene);
    }
}

static void null_arguments_are_refused(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "a");
    AfxBodyDef def = afx_default_body();
    AfxMass mass;
    assert_int_equal(afx_scene_add_body(NULL, &def, &id), AFX_E_ARGUMENT);
    id = afx_scene_body(scene, 0);
    assert_int_equal(afx_scene_add_body(scene, &def, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "body #1", "out_body is NULL");
    AfxBodyId none;
    assert_int_equal(afx_scene_add_body(scene, NULL, &none), AFX_E_ARGUMENT);
    assert_int_equal(none.scene, 0);
    assert_int_equal(afx_scene_set_body(scene, id, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_set_body(NULL, id, &def), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_body(scene, id, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_body(NULL, id, &def), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_shape(scene, id, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "shape #0 of body \"a\"", "def is NULL");
    assert_int_equal(afx_scene_body_mass(scene, id, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_body_mass(NULL, id, &mass), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_set_gravity(NULL, (AfxVec3){0, 0, 0}), AFX_E_ARGUMENT);
    assert_null(afx_scene_error(NULL));
    assert_null(afx_scene_body_name(NULL, id));
    assert_int_equal(afx_scene_body_count(NULL) + afx_scene_shape_count(NULL, id) + afx_scene_marker_count(NULL) +
                         afx_scene_wrench_count(NULL),
                     0);
    assert_int_equal(afx_scene_body(scene, 1).scene, 0);
    assert_int_equal(afx_scene_body(NULL, 0).scene, 0);
    assert_int_equal(afx_scene_body_count(scene), 1);
    afx_scene_destroy(scene);
}

static void motions_are_copied_and_follow_their_bodies(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId ids[5];
    for (int k = 0; k < 5; k++) {
        double times[] = {0, 1, 2}, values[] = {k, k + 0.5, k};
        AfxBodyDef def = afx_default_body();
        def.kind = AFX_BODY_KINEMATIC;
        def.motion.translation[1] =
            (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 3};
        def.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 1, k, 0}};
        def.motion.axis = (AfxVec3){0, 3e200, 4e200};
        assert_ok(afx_scene_add_body(scene, &def, &ids[k]));
        values[1] = times[1] = NAN;
    }
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, ids[4], &def)); /* its tables are the scene's own */
    assert_ok(afx_scene_set_body(scene, ids[4], &def));
    AfxBodyDef still = afx_default_body();
    assert_ok(afx_scene_set_body(scene, ids[1], &still)); /* no longer kinematic: its motion goes */
    assert_int_equal(scene->motion_count, 4);
    for (int k = 0; k < 5; k++) {
        assert_ok(afx_scene_get_body(scene, ids[k], &def));
        double value;
        assert_ok(afx_signal_evaluate(&def.motion.translation[1], 1, &value, NULL, NULL));
        assert_near(value, k == 1 ? 0 : k + 0.5, 1e-15);
        assert_true(def.motion.angle.coefficients[2] == (k == 1 ? 0 : k));
        assert_vec3(def.motion.axis, 0, k == 1 ? 0 : 0.6, k == 1 ? 1 : 0.8, 1e-15);
        if (k != 1) {
            assert_true(scene->bodies[k].motion < scene->motion_count);
            assert_int_equal(scene->motions[scene->bodies[k].motion].body, k);
        }
    }
    still.kind = AFX_BODY_KINEMATIC;
    still.motion.axis.z = 0; /* it does not turn: any axis will do */
    assert_ok(afx_scene_set_body(scene, ids[1], &still));
    assert_int_equal(scene->motion_count, 5);
    assert_int_equal(scene->motions[scene->bodies[1].motion].body, 1);
    assert_vec3(scene->motions[scene->bodies[1].motion].motion.axis, 0, 0, 1, 0);
    afx_scene_destroy(scene);
}

static void all_bodies_are_made_rigid(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyDef body = rich_body(), found;
    AfxBodyId soft, hard;
    body.young = 1e5;
    assert_ok(afx_scene_add_body(scene, &body, &soft));
    body = afx_default_body();
    body.kind = AFX_BODY_FIXED;
    assert_ok(afx_scene_add_body(scene, &body, &hard));
    assert_ok(afx_scene_make_rigid(scene));
    for (uint32_t k = 0; k < 2; k++) {
        assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, k), &found));
        assert_true(isinf(found.young) && found.young > 0);
    }
    assert_ok(afx_scene_get_body(scene, soft, &found));
    assert_string_equal(found.name, "rich");
    assert_vec3(found.linear_velocity, 4, 5, 6, 0);
    assert_int_equal(afx_scene_make_rigid(NULL), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

int run_body_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(a_scene_is_refused_without_its_parts),
        cmocka_unit_test(gravity_is_read_and_set),
        cmocka_unit_test(a_definition_comes_back_as_it_went_in),
        cmocka_unit_test(setting_a_body_keeps_what_is_attached),
        cmocka_unit_test(a_failed_set_changes_nothing),
        cmocka_unit_test(rotations_near_unit_length_are_made_unit),
        cmocka_unit_test(ids_of_other_scenes_are_refused),
        cmocka_unit_test(ids_of_a_dead_scene_are_stale_in_the_next),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(motions_are_copied_and_follow_their_bodies),
        cmocka_unit_test(all_bodies_are_made_rigid),
    };
    return cmocka_run_group_tests_name("body", tests, NULL, NULL);
}
