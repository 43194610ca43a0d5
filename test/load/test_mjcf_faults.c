/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF that is wrong: every fault is refused with its line and element, limits hold, memory may run out anywhere, and
 * damaged texts do no harm. */
#include <stdlib.h>

#include "support/allocator.h"
#include "xml_tests.h"

#define WORLD(inside) "<mujoco><worldbody>\n" inside "</worldbody></mujoco>"
#define BODY(inside) WORLD("<body name='b'><geom size='1'/>" inside "</body>")
#define AFTER(inside) \
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>\n" inside "</mujoco>"

static void faults_name_line_and_element(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *element, *says;
    } faults[] = {
        {"<robot/>", 1, "robot", "not mujoco"},
        {"<mujoco>\n<compiler angle='turn'/></mujoco>", 2, "compiler attribute \"angle\"", "not one of radian, degree"},
        {"<mujoco>\n<compiler coordinate='global'/></mujoco>", 2, "coordinate", "not one of local"},
        {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", 2, "eulerseq", "not three of"},
        {"<mujoco>\n<option gravity='0 0'/></mujoco>", 2, "option", "not 3 numbers"},
        {"<mujoco><default>\n<default/></default></mujoco>", 2, "default attribute \"class\"", "missing"},
        {"<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>", 2, "default",
         "such a class already"},
        {WORLD("<body childclass='none'/>"), 2, "body", "no class \"none\""},
        {BODY("<joint class='none'/>"), 2, "joint", "no class \"none\""},
        {WORLD("<body name='b'/><body name='b'/>"), 2, "body \"b\"", "taken already"},
        {WORLD("<body name='world'/>"), 2, "body \"world\"", "taken already"},
        {WORLD("<joint/>"), 2, "joint", "world cannot have a joint"},
        {WORLD("<body name='b'><joint/></body>"), 2, "body \"b\"", "has mass"},
        {WORLD("<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>"), 2, "body \"b\"",
         "more than the sum of the other two"},
        {WORLD("<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 -1'/></body>"), 2, "body \"b\"",
         "negative"},
        {WORLD("<inertial pos='0 0 0' mass='1'/>"), 2, "inertial", "outside a body"},
        {BODY("<inertial mass='1'/>"), 2, "inertial attribute \"pos\"", "missing"},
        {BODY("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'/>"), 2, "inertial",
         "beside an orientation"},
        {BODY("<joint axis='0 0 0'/>"), 2, "axis", "no direction"},
        {BODY("<joint range='2 1' limited='true'/>"), 2, "range", "not below its second"},
        {BODY("<joint damping='-1'/>"), 2, "joint", "negative"},
        {BODY("<joint type='screw'/>"), 2, "type", "not one of"},
        {BODY("<joint type='ball'/><joint/>"), 2, "joint", "ball joint turns already"},
        {BODY("<joint type='ball'/><joint type='slide'/><joint type='slide'/><joint type='slide'/><joint "
              "type='slide'/>"),
         2, "joint", "more than six"},
        {BODY("<joint/><body><freejoint/><geom size='1'/></body>"), 2, "freejoint", "alone in a child of the world"},
        {WORLD("<body><body mocap='true'/></body>"), 2, "body", "must be a child of the world"},
        {WORLD("<geom size='-1'/>"), 2, "size", "not positive"},
        {WORLD("<geom type='box' size='1 1'/>"), 2, "size", "too few"},
        {WORLD("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), 2, "fromto", "the same"},
        {WORLD("<geom type='sphere' size='1' fromto='0 0 0 0 0 1'/>"), 2, "fromto", "only capsule"},
        {WORLD("<geom type='mesh'/>"), 2, "mesh", "needs a mesh"},
        {WORLD("<geom type='mesh' mesh='none'/>"), 2, "mesh", "no mesh \"none\""},
        {WORLD("<geom type='hfield' hfield='none'/>"), 2, "hfield", "no such height field"},
        {WORLD("<geom size='1' mass='-1'/>"), 2, "mass", "negative"},
        {WORLD("<geom size='1' quat='0 0 0 0'/>"), 2, "quat", "length is zero"},
        {WORLD("<geom size='1' xyaxes='1 0 0 1 0 0'/>"), 2, "xyaxes", "parallel"},
        {WORLD("<geom size='1' zaxis='0 0 0'/>"), 2, "zaxis", "no direction"},
        {WORLD("<replicate/>"), 2, "replicate attribute \"count\"", "missing"},
        {WORLD("<replicate count='-1'/>"), 2, "count", "negative"},
        {WORLD("<attach model='none' prefix='x'/>"), 2, "attach", "no model \"none\""},
        {"<mujoco><asset>\n<mesh/></asset></mujoco>", 2, "mesh", "neither name nor file"},
        {"<mujoco><asset><mesh name='a' vertex='0 0 0'/>\n<mesh name='a'/></asset></mujoco>", 2, "mesh \"a\"", "taken"},
        {"<mujoco><asset>\n<mesh name='a' vertex='0 0'/></asset><worldbody><geom type='mesh' mesh='a'/></worldbody>"
         "</mujoco>",
         2, "vertex", "multiple of 3"},
        {"<mujoco><asset>\n<mesh name='a' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset><worldbody>"
         "<geom type='mesh' mesh='a'/></worldbody></mujoco>",
         2, "face", "not there"},
        {"<mujoco><asset>\n<mesh name='a' vertex='0 0 0 1 0 0 0 1 0'/></asset><worldbody><geom type='mesh' mesh='a'/>"
         "</worldbody></mujoco>",
         2, "mesh \"a\"", "fewer than four"},
        {AFTER("<equality><connect body1='x' anchor='0 0 0'/></equality>"), 2, "body1", "nothing of this name"},
        {AFTER("<equality><connect body1='b'/></equality>"), 2, "anchor", "missing"},
        {AFTER("<equality><weld/></equality>"), 2, "body1", "missing"},
        {AFTER("<equality><joint joint1='x'/></equality>"), 2, "joint1", "nothing of this name"},
        {AFTER("<tendon><fixed><joint joint='x'/></fixed></tendon>"), 2, "joint", "no joint of this name"},
        {AFTER("<tendon><fixed stiffness='-1'><joint joint='j'/></fixed></tendon>"), 2, "stiffness", "negative"},
        {AFTER("<tendon><spatial><site site='x'/></spatial></tendon>"), 2, "site", "no site of this name"},
        {AFTER("<actuator><motor joint='x'/></actuator>"), 2, "joint", "nothing of this name"},
        {AFTER("<actuator><motor joint='j' gear='a'/></actuator>"), 2, "gear", "finite numbers"},
        {AFTER("<actuator><position joint='j' kv='1' dampratio='1'/></actuator>"), 2, "dampratio", "both"},
        {AFTER("<actuator><position joint='j' kv='-1'/></actuator>"), 2, "kv", "negative"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
        AfxScene *scene = make_scene();
        AfxError error = {0};
        if (load_text(scene, faults[k].text, &def, &error) == AFX_OK) {
            print_error("%s loads\n", faults[k].text);
            fail();
        }
        assert_error(&error, AFX_E_INPUT, faults[k].line, faults[k].element, faults[k].says);
        assert_empty(scene);
        afx_scene_destroy(scene);
    }
}

static void limits_hold(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene = make_scene();
    AfxError error;
    def.items_most = 1000;
    /* copies of copies of nothing */
    assert_int_equal(
        load_text(scene, WORLD("<replicate count='1000'><replicate count='1000'/></replicate>"), &def, &error),
        AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 2, "", "copies");
    assert_int_equal(
        load_text(scene, WORLD("<replicate count='900'><geom size='1'/><geom size='1'/></replicate>"), &def, &error),
        AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 2, "", "it makes 2700 elements");
    char text[4000] = "<mujoco><worldbody>";
    for (int k = 0; k < 70; k++) {
        strcat(text, "<body>");
    }
    assert_int_equal(load_text(scene, text, &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "body", "nested too deeply");
    assert_empty(scene);
    afx_scene_destroy(scene);
}

/* All sorts of elements. */
static const char everything[] =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 -5'><flag contact='disable'/></option>"
    "<default><joint damping='1'/><geom size='.1'/><default class='c'><geom mass='2'/></default></default>"
    "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><material name='x'/></asset>"
    "<worldbody><site name='s0'/><geom type='box' size='1 1 1'/>"
    "<body name='a' childclass='c'><joint name='j1' axis='1 0 0' range='-1 1' armature='1'/><joint name='j2' axis='0 1 "
    "0'/>"
    "<geom type='mesh' mesh='m'/><site name='s1' pos='1 0 0'/>"
    "<body name='b' pos='1 0 0'><joint name='j3' axis='0 1 0' frictionloss='1' springdamper='1 1'/><joint name='j4' "
    "axis='0 1 0' pos='0 0 1'/><geom/><body name='f'><geom/></body></body></body>"
    "<replicate count='2' offset='0 5 0'><body name='r' gravcomp='.5'><joint name='k' type='slide'/><geom/></body>"
    "</replicate></worldbody>"
    "<tendon><fixed name='t' damping='1'><joint joint='j1' coef='1'/><joint joint='j3' coef='2'/></fixed>"
    "<spatial stiffness='1'><site site='s0'/><site site='s1'/></spatial></tendon>"
    "<equality><connect body1='b' anchor='0 0 1'/><joint joint1='j1' joint2='j2'/></equality>"
    "<actuator><motor joint='j1' gear='2'/><position tendon='t' kp='5'/><velocity joint='k'/></actuator>"
    "<sensor/></mujoco>";

/** Loads with the allocation of number `at` failing; true when it loads all the same. */
static bool load_with_failure(const char *path, const char *text, uint64_t at) {
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    scene_def.allocator = test_allocator(&counts);
    AfxScene *scene;
    AfxError error;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    assert_ok(afx_scene_create(&scene_def, &scene));
    counts.fail_at = counts.calls + at;
    AfxStatus status = path ? afx_scene_load(scene, path, &def, &error) : load_text(scene, text, &def, &error);
    assert_true(status == AFX_OK || status == AFX_E_MEMORY);
    assert_int_equal(error.status, status);
    if (status) {
        assert_empty(scene);
    }
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
    return status == AFX_OK;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    uint64_t at = 1;
    while (!load_with_failure(NULL, everything, at)) {
        at++;
    }
    assert_true(at > 30);
    /* once more with files: an include, a mesh that weighs, one that is a shape only, an attached model */
    char folder[256], path[400];
    make_folder(folder, sizeof folder);
    write_file(folder, "main.xml",
               "<mujoco><include file='assets.xml'/><worldbody><body><freejoint/><geom type='mesh' mesh='t'/>"
               "<geom type='mesh' mesh='u' mass='1'/></body><attach model='m' prefix='m'/></worldbody></mujoco>");
    write_file(folder, "assets.xml",
               "<x><asset><mesh file='t.obj'/><mesh file='u.obj' inertia='convex'/>"
               "<model name='m' file='part.xml'/></asset></x>");
    write_file(folder, "part.xml",
               "<mujoco><worldbody><body name='p'><joint/><geom size='1'/></body></worldbody></mujoco>");
    write_file(folder, "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write_file(folder, "u.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n");
    snprintf(path, sizeof path, "%s/main.xml", folder);
    for (at = 1; !load_with_failure(path, NULL, at); at++) {
    }
    assert_true(at > 20);
    remove_folder(folder);
}

static void damaged_texts_do_no_harm(void **state) {
    (void)state;
    static const char letters[] = "<>/='\"019-. eajs\n&x";
    size_t size = sizeof everything - 1;
    uint64_t seed = 11;
    uint32_t loaded = 0;
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    for (int round = 0; round < 3000; round++) {
        memcpy(copy, everything, size + 1);
        for (int k = 0; k < 1 + round % 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % size] = letters[(seed >> 20) % (sizeof letters - 1)];
        }
        AfxScene *scene = make_scene();
        AfxModel *model = NULL;
        AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
        AfxError error;
        def.items_most = 10000;
        AfxStatus status = afx_scene_load_text(scene, copy, size, NULL, &def, &error);
        assert_true(status == AFX_OK || (error.text[0] && error.cure[0]));
        if (status == AFX_OK && round % 10 == 0) {
            afx_model_create(scene, &model, &error);
            afx_model_destroy(model);
        }
        loaded += status == AFX_OK;
        afx_scene_destroy(scene);
    }
    free(copy);
    assert_true(loaded > 100); /* a changed digit or letter does no harm at all */
}

int run_mjcf_faults_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_name_line_and_element),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(damaged_texts_do_no_harm),
    };
    return cmocka_run_group_tests_name("mjcf faults", tests, NULL, NULL);
}
