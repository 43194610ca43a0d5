/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF in several files and in copies: includes, attached models, replicate, mesh files. */
#include <sys/stat.h>

#include "xml_tests.h"

static AfxStatus load_file(AfxScene *scene, const char *folder, const char *name, const AfxLoadDef *def,
                           AfxError *error) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return afx_scene_load(scene, path, def, error);
}

static AfxScene *load_good_file(const char *folder, const char *name, const AfxLoadDef *def) {
    AfxScene *scene = make_scene();
    AfxError error;
    assert_loads(load_file(scene, folder, name, def, &error), &error);
    return scene;
}

static AfxVec3 place_of(const AfxScene *scene, const char *name) {
    AfxBodyId id;
    AfxBodyDef def;
    assert_ok(afx_scene_find_body(scene, name, &id));
    assert_ok(afx_scene_get_body(scene, id, &def));
    return def.pose.position;
}

static void included_elements_stand_where_the_include_stood(void **state) {
    (void)state;
    char folder[256];
    AfxLoadDef def = afx_default_load();
    make_folder(folder, sizeof folder);
    write_file(folder, "main.xml",
               "<mujoco><include file='top.xml'/><worldbody><body name='a' pos='1 0 0'>"
               "<include file='inside.xml'/><geom size='1'/></body></worldbody>"
               "<include file='empty.xml'/></mujoco>");
    write_file(folder, "top.xml", "<mujoco><default><geom density='2'/></default><include file='more.xml'/></mujoco>");
    write_file(folder, "more.xml", "<mujocoinclude><option gravity='0 0 -1'/></mujocoinclude>");
    write_file(folder, "inside.xml",
               "<x><joint name='j'/><body name='b' pos='1 0 0'><joint/><geom size='1'/></body></x>");
    write_file(folder, "empty.xml", "<x/>");
    AfxScene *scene = load_good_file(folder, "main.xml", &def);
    AfxVec3 at = place_of(scene, "b"), gravity = afx_scene_gravity(scene);
    AfxMass mass;
    assert_vec3(at, 2, 0, 0, 0);
    assert_vec3(gravity, 0, 0, -1, 0);
    assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, 0), &mass));
    assert_near(mass.mass, 2 * 4 * 3.14159265358979323846 / 3, 1e-12);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

static void includes_that_fail_name_who_asked(void **state) {
    (void)state;
    char folder[256];
    AfxLoadDef def = afx_default_load();
    AfxError error;
    AfxScene *scene = make_scene();
    make_folder(folder, sizeof folder);
    write_file(folder, "none.xml", "<mujoco>\n<include file='there is none.xml'/></mujoco>");
    assert_true(load_file(scene, folder, "none.xml", &def, &error) != AFX_OK);
    assert_error(&error, AFX_E_INPUT, 2, "there is none.xml", "cannot be opened");
    write_file(folder, "self.xml", "<mujoco>\n\n<include file='self.xml'/></mujoco>");
    assert_true(load_file(scene, folder, "self.xml", &def, &error) != AFX_OK);
    assert_error(&error, AFX_E_INPUT, 3, "include", "includes itself");
    write_file(folder, "a.xml", "<mujoco><include file='b.xml'/></mujoco>");
    write_file(folder, "b.xml", "<x>\n<include file='a.xml'/></x>");
    assert_true(load_file(scene, folder, "a.xml", &def, &error) != AFX_OK);
    assert_error(&error, AFX_E_INPUT, 2, "include", "includes itself");
    assert_non_null(strstr(error.file, "b.xml"));
    write_file(folder, "bad.xml", "<mujoco><include file='wrong.xml'/></mujoco>");
    write_file(folder, "wrong.xml", "<x>\n<worldbody></x>");
    assert_true(load_file(scene, folder, "bad.xml", &def, &error) != AFX_OK);
    assert_error(&error, AFX_E_INPUT, 2, "worldbody", "mismatched tag");
    assert_non_null(strstr(error.file, "wrong.xml"));
    assert_empty(scene);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

static void replicate_steps_on_from_copy_to_copy(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene =
        load_good("<mujoco><worldbody><frame pos='2 0 1'><replicate count='2' offset='1 0 0' euler='0 0 90' sep='-'>"
                  "<body name='a' pos='0 0 1'><joint name='j' type='slide'/><geom size='.1'/><replicate count='11' "
                  "offset='0 1 0'>"
                  "<site name='s'/></replicate></body></replicate></frame></worldbody>"
                  "<actuator><motor name='m' joint='j'/></actuator></mujoco>",
                  &def);
    AfxVec3 at = place_of(scene, "a-0");
    assert_vec3(at, 2, 0, 2, 1e-15);
    at = place_of(scene, "a-1");
    assert_vec3(at, 3, 0, 2, 1e-15);
    /* the second copy is turned: its y is -x of the world */
    AfxBodyDef body;
    AfxBodyId id;
    assert_ok(afx_scene_find_body(scene, "a-1", &id));
    assert_ok(afx_scene_get_body(scene, id, &body));
    AfxVec3 y = afx_quat_rotate(body.pose.rotation, (AfxVec3){0, 1, 0});
    assert_vec3(y, -1, 0, 0, 1e-15);
    /* copies inside copies: as many digits as the count has, the inner number first */
    const char *name;
    AfxVec3 point;
    assert_int_equal(afx_scene_marker_count(scene), 22);
    assert_ok(afx_scene_get_marker(scene, 21, &name, &id, &point));
    assert_string_equal(name, "s10-1");
    assert_vec3(point, 0, 10, 0, 1e-14);
    /* an actuator of a copied joint is copied with it */
    AfxDriveDef drive;
    assert_int_equal(afx_scene_drive_count(scene), 2);
    assert_ok(afx_scene_get_drive(scene, 1, &drive));
    assert_string_equal(drive.name, "m-1");
    afx_scene_destroy(scene);
}

static void models_are_attached_with_their_own_settings(void **state) {
    (void)state;
    char folder[256];
    AfxLoadDef def = afx_default_load();
    make_folder(folder, sizeof folder);
    write_file(folder, "arm.xml",
               "<mujoco model='robot'><compiler angle='radian'/><default><geom size='.1' mass='3'/>"
               "<default class='big'><geom mass='5'/></default></default>"
               "<worldbody><geom type='box' size='1 1 1'/><frame name='f' pos='0 0 2'><body name='arm' pos='1 0 0' "
               "childclass='big'><joint name='j' range='-1 1'/><geom/></body></frame><body name='other'><joint "
               "name='k'/><geom/></body></worldbody>"
               "<actuator><motor name='m' joint='j'/><motor name='n' joint='k'/></actuator></mujoco>");
    write_file(folder, "main.xml",
               "<mujoco><asset><model name='x' file='arm.xml'/></asset><worldbody>"
               "<frame pos='0 0 1'><attach model='x' body='arm' prefix='l_'/></frame>"
               "<replicate count='2' offset='0 5 0'><attach model='x' frame='f' prefix='r_'/></replicate>"
               "</worldbody></mujoco>");
    AfxScene *scene = load_good_file(folder, "main.xml", &def);
    AfxVec3 at = place_of(scene, "l_arm");
    assert_vec3(at, 1, 0, 1, 1e-15);
    at = place_of(scene, "r_arm1");
    assert_vec3(at, 1, 5, 2, 1e-15);
    assert_int_equal(afx_scene_body_count(scene), 3);
    AfxMass mass;
    AfxDriveDef drive;
    assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, 2), &mass));
    assert_near(mass.mass, 5, 1e-14);
    uint32_t motors = 0;
    for (uint32_t k = 0; k < afx_scene_drive_count(scene); k++) {
        assert_ok(afx_scene_get_drive(scene, k, &drive));
        motors += drive.kind == AFX_DRIVE_FORCE;
        if (drive.kind == AFX_DRIVE_LIMIT) {
            assert_near(drive.upper, 1, 0); /* radian, as its own file says */
        }
    }
    assert_int_equal(motors, 3); /* of j three times, of k never: it was not attached */
    afx_scene_destroy(scene);
    AfxError error;
    scene = make_scene();
    write_file(folder, "loop.xml",
               "<mujoco><worldbody><frame name='f'>\n<attach frame='f' prefix='x'/></frame>"
               "</worldbody></mujoco>");
    assert_int_equal(load_file(scene, folder, "loop.xml", &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, error.line, "", "nested too deeply");
    write_file(folder, "wrong.xml",
               "<mujoco><asset><model name='x' file='arm.xml'/></asset><worldbody>\n"
               "<attach model='x' body='none' prefix='x'/></worldbody></mujoco>");
    assert_int_equal(load_file(scene, folder, "wrong.xml", &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "attach", "no body \"none\"");
    afx_scene_destroy(scene);
    remove_folder(folder);
}

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
#define MODEL(compiler, mesh, body)                                                                       \
    "<mujoco><compiler " compiler "/><asset>\n<mesh " mesh "/></asset><worldbody><body><freejoint/>" body \
    "<geom type='mesh' mesh='t' contype='0' conaffinity='0'/></body></worldbody></mujoco>"
#define GIVEN_MASS "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

static void mesh_files_are_found_needed_or_told(void **state) {
    (void)state;
    char folder[256];
    Told told = {0};
    AfxLoadDef def = afx_default_load();
    AfxMass mass;
    AfxError error;
    def.notice = tell;
    def.notice_user = &told;
    make_folder(folder, sizeof folder);
    write_file(folder, "t.obj", TETRAHEDRON "f 1 4 3\n");
    write_file(folder, "open.obj", TETRAHEDRON);
    write_file(folder, "main.xml", MODEL("", "file='t.obj'", ""));
    AfxScene *scene = load_good_file(folder, "main.xml", &def);
    assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, 0), &mass));
    assert_near(mass.mass, 1000.0 / 6, 1e-10);
    assert_vec3(mass.center, 0.25, 0.25, 0.25, 1e-12);
    AfxShapeDef shape;
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_MESH);
    afx_scene_destroy(scene);
    assert_string_equal(told.text, "");
    write_file(folder, "main.xml", MODEL("", "name='t' file='open.obj'", GIVEN_MASS));
    scene = load_good_file(folder, "main.xml", &def);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_MESH); /* open, but only drawn */
    assert_true(shape.visual);
    afx_scene_destroy(scene);
    assert_string_equal(told.text, "");
    /* a file that is not there can be done without, but not where mass hangs on it */
    write_file(folder, "main.xml", MODEL("meshdir='none'", "file='t.obj'", GIVEN_MASS));
    scene = load_good_file(folder, "main.xml", &def);
    assert_int_equal(afx_scene_shape_count(scene, afx_scene_body(scene, 0)), 0);
    assert_non_null(strstr(told.text, "2 2 mesh: its file is not where files may be read"));
    afx_scene_destroy(scene);
    scene = make_scene();
    write_file(folder, "main.xml", MODEL("meshdir='none'", "file='t.obj'", ""));
    assert_int_equal(load_file(scene, folder, "main.xml", &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "mesh", "its file is not where files may be read");
    write_file(folder, "main.xml", MODEL("", "name='t' builtin='sphere' params='1'", ""));
    assert_int_equal(load_file(scene, folder, "main.xml", &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "mesh \"t\"", "builtin meshes are not made");
    write_file(folder, "main.xml", MODEL("", "name='t' file='x.msh'", GIVEN_MASS));
    assert_loads(load_file(scene, folder, "main.xml", &def, &error), &error);
    assert_non_null(strstr(told.text, "0 2 mesh \"t\": only OBJ and STL files are read"));
    afx_scene_destroy(scene);
    def.meshes = false;
    write_file(folder, "main.xml", MODEL("", "file='t.obj'", GIVEN_MASS));
    scene = load_good_file(folder, "main.xml", &def);
    assert_int_equal(afx_scene_shape_count(scene, afx_scene_body(scene, 0)), 0);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

static void meshes_of_included_files_may_be_beside_them(void **state) {
    (void)state;
    char folder[256], inner[300];
    AfxLoadDef def = afx_default_load();
    AfxShapeDef shape;
    make_folder(folder, sizeof folder);
    snprintf(inner, sizeof inner, "%s/hand", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    write_file(inner, "t.obj", TETRAHEDRON "f 1 4 3\n");
    write_file(inner, "hand.xml", "<x><asset><mesh file='t.obj'/></asset></x>");
    write_file(folder, "main.xml",
               "<mujoco><include file='hand/hand.xml'/><worldbody><geom type='mesh' mesh='t'/></worldbody></mujoco>");
    def.strict = true;
    AfxScene *scene = load_good_file(folder, "main.xml", &def);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_int_equal(shape.vertex_count, 4);
    afx_scene_destroy(scene);
    /* one of the main file's folder goes first */
    write_file(folder, "t.obj", TETRAHEDRON "f 1 4 3\nv 2 2 2\n");
    scene = load_good_file(folder, "main.xml", &def);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_int_equal(shape.vertex_count, 5);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

int run_mjcf_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(included_elements_stand_where_the_include_stood),
        cmocka_unit_test(includes_that_fail_name_who_asked),
        cmocka_unit_test(replicate_steps_on_from_copy_to_copy),
        cmocka_unit_test(models_are_attached_with_their_own_settings),
        cmocka_unit_test(mesh_files_are_found_needed_or_told),
        cmocka_unit_test(meshes_of_included_files_may_be_beside_them),
    };
    return cmocka_run_group_tests_name("mjcf files", tests, NULL, NULL);
}
