/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at every allocation of every loader, one after the other: each failure says so, leaves the scene
 * empty and nothing behind. And calls that no caller should make: they are refused and do no harm. */
#include <stdlib.h>

#include "xml_tests.h"

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
#define FACET(a, b, c) "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
#define STL                                                                                                        \
    "solid t\n" FACET("0 0 0", "0 1 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 0 1") FACET("1 0 0", "0 1 0", "0 0 1") \
        FACET("0 0 0", "0 0 1", "0 1 0") "endsolid t\n"
#define MESH(kind, file) "<" kind "><geometry><mesh filename='" file "'/></geometry></" kind ">"

/** Files of every format that name each other, with all that loaders allocate for. */
static void write_files(const char *folder) {
    write_file(folder, "closed.obj", TETRAHEDRON "f 1 4 3\n");
    write_file(folder, "open.obj", TETRAHEDRON);
    write_file(folder, "solid.stl", STL);
    write_file(folder, "robot.urdf",
               "<robot name='r'><link name='base'>" INERTIAL MESH("visual", "closed.obj") MESH("collision", "open.obj")
                   MESH("collision", "solid.stl") "</link>" LINK("a") LINK("b") "<link name='tool'/>" JOINT(
                       "j", "revolute", "base", "a",
                       "<limit lower='-1' upper='1' effort='5' velocity='1'/><dynamics damping='1' friction='1'/>")
                       JOINT("k", "continuous", "a", "b", "<mimic joint='j' multiplier='2'/>")
                           JOINT("f", "fixed", "b", "tool", "") "<gazebo/></robot>");
    write_file(
        folder, "assets.xml",
        "<x><asset><mesh file='closed.obj'/><mesh name='o' file='open.obj' inertia='convex'/><mesh name='v' "
        "vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 2 3'/>"
        "<model name='leg' file='leg.xml'/></asset><default><geom friction='.5'/><default class='c'><position "
        "kp='5' dampratio='1'/></default></default></x>");
    write_file(folder, "leg.xml",
               "<mujoco><worldbody><body name='p'><joint name='q'/><geom size='1'/></body></worldbody><actuator><motor "
               "joint='q'/></actuator></mujoco>");
    write_file(folder, "world.xml",
               "<mujoco><include file='assets.xml'/><worldbody><geom type='hfield' hfield='h'/><geom name='floor' "
               "type='plane' size='1 1 1'/><body name='a'><freejoint/><geom name='g' type='mesh' mesh='closed'/><geom "
               "type='mesh' mesh='o'/><geom type='mesh' mesh='v' contype='0' conaffinity='0'/><site name='s'/><body "
               "name='b'><joint name='j' armature='1' range='0 1' springdamper='1 1'/><geom size='.1'/><site name='t'/>"
               "</body></body><replicate count='3' offset='1 0 0'><body name='r' gravcomp='1'><joint name='k' "
               "type='slide'/><geom size='.1'/></body></replicate><attach model='leg' prefix='l'/></worldbody><contact>"
               "<pair geom1='floor' geom2='g' friction='2'/><exclude body1='a' body2='b'/></contact><equality><joint "
               "joint1='j'/></equality><tendon><fixed name='sum' damping='1'><joint joint='j' coef='1'/><joint "
               "joint='k0' coef='2'/></fixed><spatial stiffness='1'><site site='s'/><site site='t'/></spatial></tendon>"
               "<actuator><position class='c' joint='j'/><motor joint='k'/></actuator><sensor/></mujoco>");
    write_file(
        folder, "scene.json",
        "{\"affix_scene\": 1, \"materials\": {\"rubber\": {\"friction\": 1}, \"plain\": {\"density\": 5}}, "
        "\"material_pairs\": [{\"materials\": [\"rubber\", null], \"friction\": 0.2}], \"bodies\": ["
        "{\"name\": \"m\", \"kind\": \"kinematic\", \"motion\": {\"translation\": [{\"table\": {\"times\": [0, 1, 2], "
        "\"values\": [0, 1, 0]}}, 0, 0]}, \"repeat\": {\"count\": 2}, \"shapes\": [{\"kind\": \"mesh\", \"file\": "
        "\"closed.obj\"}]}, {\"name\": \"c\", \"material\": \"rubber\", \"shapes\": [{\"kind\": \"convex\", "
        "\"file\": \"solid.stl\"}, {\"kind\": \"convex\", \"vertices\": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]}]}, "
        "{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"height-field\", \"size\": [1, 1], \"heights\": [[0, 1], "
        "[1, 0]]}]}], \"groups\": [{\"name\": \"robot\", \"file\": \"robot.urdf\", \"repeat\": {\"count\": 2, "
        "\"step\": {\"position\": [5, 0, 0]}}}, {\"name\": \"world\", \"file\": \"world.xml\"}, {\"file\": "
        "\"robot.urdf\"}], \"joints\": [{\"name\": \"hinge\", \"kind\": \"revolute\", \"base\": \"world\", "
        "\"follower\": \"c\", \"drives\": [{\"kind\": \"position\", \"target\": {\"table\": {\"times\": [0, 1], "
        "\"values\": [0, 1]}}}]}], \"markers\": [{\"name\": \"tip\", \"body\": \"c\"}], \"exclusions\": [[\"m.0\", "
        "\"c\"]]}");
}

static void every_allocation_of_every_format_may_fail(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t least; /* allocations */
    } files[] = {{"robot.urdf", 30}, {"world.xml", 60}, {"scene.json", 200}};
    char folder[256], path[400];
    make_folder(folder, sizeof folder);
    write_files(folder);
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        TestAllocator counts = {0};
        AfxSceneDef def = afx_default_scene();
        AfxScene *scene;
        def.allocator = test_allocator(&counts);
        assert_ok(afx_scene_create(&def, &scene));
        snprintf(path, sizeof path, "%s/%s", folder, files[k].name);
        uint64_t failures = load_without_memory(scene, &counts, path);
        print_message("%s: %lu allocations\n", files[k].name, (unsigned long)failures);
        assert_true(failures > files[k].least);
        assert_true(afx_scene_body_count(scene) > 0);
        afx_scene_destroy(scene);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    remove_folder(folder);
}

/** A call that is refused, by whatever, and leaves the scene as it was. */
static void refuse(AfxStatus status, const AfxScene *scene) {
    assert_true(status < 0);
    assert_empty(scene);
}

static void limits_of_zero_and_odd_texts_do_no_harm(void **state) {
    (void)state;
    static const char *const texts[] = {"",   " ",  "{",    "<",        "<mujoco", "<robot/>",
                                        "{}", "[]", "null", "\xff\xfe", "<!--"};
    AfxScene *scene = make_scene();
    for (AfxFormat format = AFX_FORMAT_JSON; format <= AFX_FORMAT_MJCF; format++) {
        AfxLoadDef def = text_def(format, NULL);
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            refuse(afx_scene_load_text(scene, texts[k], strlen(texts[k]), NULL, &def, NULL), scene);
            refuse(afx_scene_load_text(scene, texts[k], strlen(texts[k]), "", &def, NULL), scene);
            refuse(afx_scene_load_text(scene, texts[k], 0, "a/b/c", &def, NULL), scene);
        }
        refuse(afx_scene_load_text(scene, "\0\0\0\0", 4, NULL, &def, NULL), scene);
        const char *good = format == AFX_FORMAT_JSON   ? "{\"affix_scene\": 1, \"bodies\": [{\"kind\": \"fixed\"}]}"
                           : format == AFX_FORMAT_URDF ? "<robot name='r'><link name='a'/></robot>"
                                                       : "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>";
        def.items_most = 0;
        refuse(load_text(scene, good, &def, NULL), scene);
        def = text_def(format, NULL);
        def.depth_most = 0;
        refuse(load_text(scene, good, &def, NULL), scene);
        def = text_def(format, NULL);
        def.bytes_most = 0;
        refuse(load_text(scene, good, &def, NULL), scene);
        def = text_def(format, NULL);
        assert_ok(load_text(scene, good, &def, NULL));
        afx_scene_clear(scene);
    }
    afx_scene_destroy(scene);
}

static void package_folders_may_be_odd(void **state) {
    (void)state;
    static const char text[] = "<robot name='r'><link name='a'>" MESH("visual", "package://x/y.stl") "</link></robot>";
    static const char *const odd[] = {NULL, "", "=", "x=", "x", "=x", "x=/none", "x=/dev/null"};
    char folder[256], path[400];
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    def.package_paths = odd;
    def.package_count = sizeof odd / sizeof odd[0];
    make_folder(folder, sizeof folder);
    write_file(folder, "robot.urdf", text);
    snprintf(path, sizeof path, "%s/robot.urdf", folder);
    assert_ok(afx_scene_load(scene, path, &def, NULL)); /* the mesh is nowhere, and can be done without */
    assert_int_equal(afx_scene_body_count(scene), 1);
    afx_scene_clear(scene);
    def.package_paths = NULL;
    refuse(afx_scene_load(scene, path, &def, NULL), scene);
    refuse(afx_scene_load(scene, "", &def, NULL), scene);
    def = afx_default_load();
    refuse(afx_scene_load(scene, "", &def, NULL), scene);
    refuse(afx_scene_load(scene, folder, &def, NULL), scene);
    assert_true(afx_scene_save(scene, "", NULL) < 0);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_every_format_may_fail),
        cmocka_unit_test(limits_of_zero_and_odd_texts_do_no_harm),
        cmocka_unit_test(package_folders_may_be_odd),
    };
    return cmocka_run_group_tests_name("memory and misuse", tests, NULL, NULL);
}
