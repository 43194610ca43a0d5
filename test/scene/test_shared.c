/* SPDX-License-Identifier: Apache-2.0 */
/* What many bodies, shapes and joints have in common is kept once, and each is still its own: changing one leaves the
 * others alone, and what follows a valid one is checked as if it stood alone. */
#include "tests.h"

#include "scene/scene.h"

enum { LINKS = 50 };

/* A chain of equal links along x; ids of its bodies come back. */
static void add_links(AfxScene *scene, AfxBodyId ids[LINKS]) {
    AfxShapeDef rod = afx_default_capsule(0.01, 0.1);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxJointId unused;
    rod.pose.rotation = (AfxQuat){0.6, 0, 0.8, 0};
    joint.base_frame.position.x = 0.05;
    joint.follower_frame.position.x = -0.05;
    for (int k = 0; k < LINKS; k++) {
        AfxBodyDef body = afx_default_body();
        body.pose.position.x = 0.1 * k;
        assert_ok(afx_scene_add_body(scene, &body, &ids[k]));
        assert_ok(afx_scene_add_shape(scene, ids[k], &rod));
        joint.base = k ? ids[k - 1] : afx_world();
        joint.follower = ids[k];
        assert_ok(afx_scene_add_joint(scene, &joint, &unused));
    }
}

static void equal_links_share_what_they_are(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId ids[LINKS];
    add_links(scene, ids);
    assert_int_equal(scene->matters.count, 1);
    assert_int_equal(scene->shapes.count, 1);
    assert_int_equal(scene->fits.count, 1);
    assert_int_equal(scene->use_count, LINKS);
    assert_int_equal(scene->twist_count, 0);
    for (uint32_t k = 0; k < LINKS; k++) {
        AfxBodyDef body;
        AfxShapeDef shape;
        AfxJointDef joint;
        AfxMass mass;
        double pi = acos(-1), volume = pi * 1e-4 * 0.1 + 4 * pi / 3 * 1e-6;
        assert_ok(afx_scene_get_body(scene, ids[k], &body));
        assert_ok(afx_scene_get_shape(scene, ids[k], 0, &shape));
        assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint));
        assert_ok(afx_scene_body_mass(scene, ids[k], &mass));
        assert_vec3(body.pose.position, 0.1 * k, 0, 0, 0);
        assert_true(shape.radius == 0.01 && shape.length == 0.1 && shape.pose.rotation.y == 0.8);
        assert_vec3(joint.follower_frame.position, -0.05, 0, 0, 0);
        assert_int_equal(joint.base.index, k ? k - 1 : UINT32_MAX);
        assert_int_equal(afx_scene_shape_count(scene, ids[k]), 1);
        assert_near(mass.mass, 1000 * volume, 1e-12);
    }
    afx_scene_clear(scene);
    add_links(scene, ids);
    assert_int_equal(scene->matters.count, 1);
    afx_scene_destroy(scene);
}

static void one_that_changes_leaves_the_others_alone(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId ids[LINKS];
    add_links(scene, ids);
    AfxBodyDef body;
    assert_ok(afx_scene_get_body(scene, ids[7], &body));
    body.young = 5e6;
    body.linear_velocity.y = 3;
    assert_ok(afx_scene_set_body(scene, ids[7], &body));
    assert_ok(afx_scene_get_body(scene, ids[9], &body));
    body.angular_velocity.z = 2;
    assert_ok(afx_scene_set_body(scene, ids[9], &body));
    AfxShapeDef more = afx_default_sphere(0.2);
    assert_ok(afx_scene_add_shape(scene, ids[3], &more));
    for (uint32_t k = 0; k < LINKS; k++) {
        assert_ok(afx_scene_get_body(scene, ids[k], &body));
        assert_true(body.young == (k == 7 ? 5e6 : 1e9));
        assert_vec3(body.linear_velocity, 0, k == 7 ? 3 : 0, 0, 0);
        assert_vec3(body.angular_velocity, 0, 0, k == 9 ? 2 : 0, 0);
        assert_int_equal(afx_scene_shape_count(scene, ids[k]), k == 3 ? 2 : 1);
    }
    AfxShapeDef last;
    assert_ok(afx_scene_get_shape(scene, ids[3], 1, &last));
    assert_true(last.kind == AFX_SHAPE_SPHERE && last.radius == 0.2);
    assert_int_equal(scene->twist_count, 2);
    assert_ok(afx_scene_get_body(scene, ids[7], &body)); /* at rest again, in the place it had */
    body.linear_velocity.y = 0;
    assert_ok(afx_scene_set_body(scene, ids[7], &body));
    assert_ok(afx_scene_get_body(scene, ids[7], &body));
    assert_vec3(body.linear_velocity, 0, 0, 0, 0);
    assert_int_equal(scene->twist_count, 2);
    afx_scene_destroy(scene);
}

/* Checks are left out for what equals the one before, and for nothing else. */
static void what_differs_from_the_last_one_is_checked(void **state) {
    (void)state;
    AfxScene *scene = make_scene(), *other = make_scene();
    AfxBodyId ids[LINKS], id;
    AfxJointId unused;
    add_links(scene, ids);
    AfxBodyDef body = afx_default_body();
    body.pose.rotation = (AfxQuat){0, 0, 0, 0};
    assert_int_equal(afx_scene_add_body(scene, &body, &id), AFX_E_INPUT);
    body = afx_default_body();
    body.poisson = 0.6;
    assert_int_equal(afx_scene_add_body(scene, &body, &id), AFX_E_INPUT);
    AfxShapeDef rod = afx_default_capsule(0.01, 0.1);
    rod.pose.rotation = (AfxQuat){0.6, 0, 0.8, 0};
    rod.density = -1;
    assert_int_equal(afx_scene_add_shape(scene, ids[0], &rod), AFX_E_INPUT);
    rod.density = 1000;
    rod.material = afx_scene_material(other, 0);
    assert_int_equal(afx_scene_add_shape(scene, ids[0], &rod), AFX_E_ARGUMENT);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    joint.base_frame.position.x = 0.05;
    joint.follower_frame.position.x = -0.05;
    joint.base = ids[4];
    joint.follower = ids[4];
    assert_int_equal(afx_scene_add_joint(scene, &joint, &unused), AFX_E_INPUT);
    joint.follower = ids[5];
    joint.spring.rest = (AfxQuat){0, 0, 0, 0};
    assert_int_equal(afx_scene_add_joint(scene, &joint, &unused), AFX_E_INPUT);
    joint.spring.rest = (AfxQuat){1, 0, 0, 0};
    joint.kind = AFX_JOINT_DISTANCE; /* fitted as the last one, but without a length */
    assert_int_equal(afx_scene_add_joint(scene, &joint, &unused), AFX_E_INPUT);
    joint.kind = AFX_JOINT_SPHERICAL;
    assert_ok(afx_scene_add_joint(scene, &joint, &unused));
    assert_int_equal(scene->joint_count, LINKS + 1);
    assert_int_equal(scene->use_count, LINKS);
    assert_int_equal(scene->body_count, LINKS);
    afx_scene_destroy(scene);
    afx_scene_destroy(other);
}

int run_shared_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_links_share_what_they_are),
        cmocka_unit_test(one_that_changes_leaves_the_others_alone),
        cmocka_unit_test(what_differs_from_the_last_one_is_checked),
    };
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
