/* SPDX-License-Identifier: Apache-2.0 */
/* Markers and wrenches: in and out, and what is refused. */
#include "tests.h"

static void markers_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId a = add_body(scene, "a"), b = add_body(scene, "tip"), body;
    AfxMarkerId first, second;
    AfxVec3 point;
    const char *name;
    assert_ok(afx_scene_add_marker(scene, b, "tip", (AfxVec3){1, 2, 3}, &first)); /* bodies have names of their own */
    assert_ok(afx_scene_add_marker(scene, a, "tail", (AfxVec3){4, 5, 6}, &second));
    assert_int_equal(afx_scene_marker_count(scene), 2);
    assert_int_equal(second.index, 1);
    assert_int_equal(second.scene, a.scene);
    assert_ok(afx_scene_get_marker(scene, 0, &name, &body, &point));
    assert_string_equal(name, "tip");
    assert_int_equal(body.index, b.index);
    assert_int_equal(body.scene, b.scene);
    assert_vec3(point, 1, 2, 3, 0);
    assert_ok(afx_scene_get_marker(scene, 1, NULL, &body, &point));
    assert_vec3(point, 4, 5, 6, 0);
    assert_int_equal(afx_scene_get_marker(scene, 2, &name, &body, &point), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "marker #2", "no such marker");
    assert_int_equal(afx_scene_get_marker(scene, 0, &name, NULL, &point), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_marker(scene, 0, &name, &body, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_marker(NULL, 0, &name, &body, &point), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

static void markers_are_checked(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "a");
    AfxVec3 zero = {0, 0, 0};
    AfxMarkerId marker;
    char name[257];
    memset(name, 'm', sizeof name);
    name[256] = '\0';
    assert_ok(afx_scene_add_marker(scene, id, "tip", zero, &marker));
    assert_int_equal(afx_scene_add_marker(scene, id, "tip", zero, &marker), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "marker \"tip\"", "marker #0 is called \"tip\" already");
    assert_int_equal(marker.scene, 0);
    assert_int_equal(afx_scene_add_marker(scene, id, "nan", (AfxVec3){0, NAN, 0}, &marker), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "marker \"nan\"", "its point is not finite");
    assert_int_equal(afx_scene_add_marker(scene, id, "", zero, &marker), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "marker #1", "its name is empty");
    assert_int_equal(afx_scene_add_marker(scene, id, name, zero, &marker), AFX_E_INPUT);
    assert_int_equal(afx_scene_add_marker(scene, id, NULL, zero, &marker), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "marker #1", "name is NULL");
    assert_int_equal(afx_scene_add_marker(scene, id, "x", zero, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_marker(NULL, id, "x", zero, &marker), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_marker_count(scene), 1);
    afx_scene_destroy(scene);
}

static void wrenches_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    add_body(scene, "a");
    AfxWrenchDef in = afx_default_wrench(), out;
    AfxWrenchId id;
    in.body = add_body(scene, "b");
    in.frame = AFX_FRAME_BODY;
    in.point = (AfxVec3){1, 2, 3};
    in.force = (AfxVec3){4, 5, 6};
    in.torque = (AfxVec3){7, 8, 9};
    assert_ok(afx_scene_add_wrench(scene, &in, &id));
    assert_int_equal(afx_scene_wrench_count(scene), 1);
    assert_int_equal(id.index, 0);
    assert_int_equal(id.scene, in.body.scene);
    assert_ok(afx_scene_get_wrench(scene, 0, &out));
    assert_int_equal(out.cookie, in.cookie);
    assert_int_equal(out.body.index, 1);
    assert_int_equal(out.body.scene, in.body.scene);
    assert_int_equal(out.frame, AFX_FRAME_BODY);
    assert_vec3(out.point, 1, 2, 3, 0);
    assert_vec3(out.force, 4, 5, 6, 0);
    assert_vec3(out.torque, 7, 8, 9, 0);
    assert_int_equal(afx_scene_get_wrench(scene, 1, &out), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "wrench #1", "no such wrench");
    assert_int_equal(afx_scene_get_wrench(scene, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_wrench(NULL, 0, &out), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

static void wrenches_are_checked(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxWrenchDef good = afx_default_wrench(), d;
    AfxWrenchId id;
    assert_int_equal(afx_scene_add_wrench(scene, &good, &id), AFX_E_ARGUMENT); /* the default names no body */
    good.body = add_body(scene, "a");
    d = good;
    d.frame = (AfxFrame)2;
    assert_int_equal(afx_scene_add_wrench(scene, &d, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "wrench #0", "its frame is not one of");
    d = good;
    d.point.x = NAN;
    assert_int_equal(afx_scene_add_wrench(scene, &d, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "wrench #0", "its point is not finite");
    d = good;
    d.force.y = INFINITY;
    assert_int_equal(afx_scene_add_wrench(scene, &d, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "wrench #0", "its force is not finite");
    d = good;
    d.torque.z = NAN;
    assert_int_equal(afx_scene_add_wrench(scene, &d, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "wrench #0", "its torque is not finite");
    assert_int_equal(id.scene, 0);
    assert_int_equal(afx_scene_add_wrench(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_wrench(scene, &good, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_wrench(NULL, &good, &id), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_wrench_count(scene), 0);
    afx_scene_destroy(scene);
}

int run_attach_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_come_back),
        cmocka_unit_test(markers_are_checked),
        cmocka_unit_test(wrenches_come_back),
        cmocka_unit_test(wrenches_are_checked),
    };
    return cmocka_run_group_tests_name("attach", tests, NULL, NULL);
}
