/* SPDX-License-Identifier: Apache-2.0 */
/* URDF that is wrong: every fault is refused with its line and element, limits hold, memory may run out anywhere, and
 * damaged texts do no harm. */
#include <stdlib.h>

#include "support/allocator.h"
#include "xml_tests.h"

static void faults_name_line_and_element(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *element, *says;
    } faults[] = {
        {"<robot name='r'>", 1, "robot", "no element found"},
        {"<mujoco/>", 1, "mujoco", "not robot"},
        {"<robot name='r'/>", 1, "robot \"r\"", "no link"},
        {"<robot>\n<link/></robot>", 2, "link attribute \"name\"", "missing"},
        {"<robot>" LINK("a") LINK("a") "</robot>", 2, "link \"a\"", "taken already"},
        {"<robot>" LINK("a") LINK("b") "</robot>", 2, "link \"b\"", "no child"},
        {"<robot>" LINK("a") JOINT("j", "fixed", "a", "b", "") "</robot>", 2, "child", "no link \"b\""},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "hinge", "a", "b", "") "</robot>", 3, "joint \"j\"", "not one of"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "") "</robot>", 3, "joint \"j\"", "no limit"},
        {"<robot>" LINK("a") LINK("b")
             JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='0' effort='1' velocity='1'/>") "</robot>",
         3, "limit", "above upper"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>") "</robot>", 3, "axis",
         "no direction"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0'/>") "</robot>", 3, "axis",
         "\"0 0\" is not 3 numbers"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<origin xyz='0 0 1e400'/>") "</robot>", 3,
         "origin", "finite"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "a", "b", "") "</robot>",
         4, "joint \"k\"", "child of joint \"j\" already"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "") "</robot>",
         1, "robot", "no root"},
        {"<robot>" LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "c", "b", "")
             JOINT("k", "fixed", "b", "c", "") "</robot>",
         2, "link", "own descendants"},
        {"<robot>" LINK("a") "<link name='b'/>\n" JOINT("j", "continuous", "a", "b", "") "</robot>", 2, "link \"b\"",
         "has mass"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='x'/>") "</robot>", 3, "mimic",
         "no joint \"x\""},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='j'/>") "</robot>", 3, "mimic",
         "circle"},
        {"<robot><link name='a'><inertial><mass value='-1'/>"
         "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
         1, "mass", "negative"},
        {"<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1'/></inertial></link></robot>", 1,
         "inertia attribute \"iyy\"", "missing"},
        {"<robot><link name='a'><collision><geometry><box size='1 1 -1'/></geometry></collision></link></robot>", 1,
         "body \"a\"", "not positive"},
        {"<robot><link name='a'><collision><geometry><cone/></geometry></collision></link></robot>", 1, "geometry",
         "no box"},
        {"<!DOCTYPE robot [<!ENTITY x 'y'>]>\n<robot/>", 1, "x", "declares an entity"},
        {"<!DOCTYPE robot SYSTEM 'x.dtd'>\n<robot>&y;</robot>", 2, "y", "outside the document"},
        {"<a>\xff</a>", 1, "a", "not well-formed"},
        {"", 1, "file", "no element found"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
        AfxScene *scene = make_scene();
        AfxError error;
        assert_true(load_text(scene, faults[k].text, &def, &error) != AFX_OK);
        assert_error(&error, AFX_E_INPUT, faults[k].line, faults[k].element, faults[k].says);
        assert_empty(scene);
        afx_scene_destroy(scene);
    }
}

static void depth_and_count_are_limited(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxError error;
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
    char text[2000] = "<robot>";
    for (int k = 0; k < 70; k++) {
        strcat(text, "<gazebo>");
    }
    assert_int_equal(load_text(scene, text, &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "gazebo", "nested too deeply");
    def.items_most = 10;
    assert_int_equal(load_text(scene, PAIR, &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 2, "inertial", "too many elements");
    afx_scene_destroy(scene);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    const char *text = "<robot name='r'>" LINK("base")
        LINK("a") "<link name='b'>" INERTIAL
                  "<collision><geometry><box size='1 1 1'/></geometry></collision></link><link name='c'/>" JOINT(
                      "j", "revolute", "base", "a",
                      "<limit lower='-1' upper='1' effort='5' velocity='3'/>"
                      "<dynamics damping='1' friction='1'/>") JOINT("k", "continuous", "a", "b", "<mimic joint='j'/>")
                      JOINT("l", "fixed", "b", "c", "") "<gazebo/></robot>";
    bool done = false;
    for (uint64_t at = 1; !done && at < 1000; at++) {
        TestAllocator counts = {0};
        AfxSceneDef scene_def = afx_default_scene();
        scene_def.allocator = test_allocator(&counts);
        AfxScene *scene;
        AfxError error;
        AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
        assert_ok(afx_scene_create(&scene_def, &scene));
        counts.fail_at = counts.calls + at;
        AfxStatus status = load_text(scene, text, &def, &error);
        done = status == AFX_OK;
        assert_true(done || status == AFX_E_MEMORY);
        assert_int_equal(error.status, status);
        if (!done) {
            assert_empty(scene);
        }
        afx_scene_destroy(scene);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    assert_true(done);
}

/** Damaged texts: any answer will do, but for a crash or a leak. */
static void damaged_texts_do_no_harm(void **state) {
    (void)state;
    static const char letters[] = "<>/='\"01-. eabj\n&x";
    const char *text = PAIR;
    size_t size = strlen(text);
    uint64_t seed = 7;
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    for (int round = 0; round < 2000; round++) {
        memcpy(copy, text, size + 1);
        for (int k = 0; k < 1 + round % 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % size] = letters[(seed >> 20) % (sizeof letters - 1)];
        }
        AfxScene *scene = make_scene();
        AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
        AfxError error;
        AfxStatus status = afx_scene_load_text(scene, copy, size, NULL, &def, &error);
        assert_true(status == AFX_OK || (error.text[0] && error.cure[0]));
        afx_scene_destroy(scene);
    }
    free(copy);
}

int run_urdf_faults_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_name_line_and_element),
        cmocka_unit_test(depth_and_count_are_limited),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(damaged_texts_do_no_harm),
    };
    return cmocka_run_group_tests_name("urdf faults", tests, NULL, NULL);
}
