/* SPDX-License-Identifier: Apache-2.0 */
/* URDF: what each element becomes in the scene, what is told, and what is refused with its line. */
#include "xml_tests.h"

static AfxJointDef joint_of(const AfxScene *scene, const char *name) {
    AfxJointId id;
    AfxJointDef def;
    assert_ok(afx_scene_find_joint(scene, name, &id));
    assert_ok(afx_scene_get_joint(scene, id, &def));
    return def;
}

/** The drive "NAME what", whose kind is as given. */
static AfxDriveDef drive_of(const AfxScene *scene, const char *name, AfxDriveKind kind) {
    for (uint32_t k = 0; k < afx_scene_drive_count(scene); k++) {
        AfxDriveDef def;
        assert_ok(afx_scene_get_drive(scene, k, &def));
        if (strcmp(def.name, name) == 0) {
            assert_int_equal(def.kind, kind);
            return def;
        }
    }
    print_error("there is no drive %s\n", name);
    fail();
    return afx_default_drive(kind);
}

/* ---- joints ---- */

static void every_kind_of_joint(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, &told);
    AfxScene *scene = load_good(
        "<robot name='r'>\n" LINK("base") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK("f")
            JOINT("r", "revolute", "base", "a",
                  "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 1 0'/>"
                  "<limit lower='-1' upper='2' effort='5' velocity='3'/><dynamics damping='0.5' friction='0.25'/>")
                JOINT("c", "continuous", "a", "b", "<axis xyz='0 0 1'/>")
                    JOINT("p", "prismatic", "a", "c", "<axis xyz='0 0 1'/><limit effort='0' velocity='1' upper='0.5'/>")
                        JOINT("f", "floating", "base", "d", "") JOINT("g", "planar", "base", "e", "<axis xyz='0 0 1'/>")
                            JOINT("x", "fixed", "e", "f", "<origin xyz='0 0 1'/>") "</robot>",
        &def);
    assert_int_equal(joint_of(scene, "r").kind, AFX_JOINT_REVOLUTE);
    assert_int_equal(joint_of(scene, "c").kind, AFX_JOINT_REVOLUTE);
    assert_int_equal(joint_of(scene, "p").kind, AFX_JOINT_PRISMATIC);
    assert_int_equal(joint_of(scene, "f").kind, AFX_JOINT_FREE);
    assert_int_equal(joint_of(scene, "g").kind, AFX_JOINT_PLANAR);
    assert_int_equal(afx_scene_joint_count(scene), 5);
    assert_int_equal(afx_scene_body_count(scene), 6);
    AfxJointDef r = joint_of(scene, "r");
    assert_vec3(r.base_frame.position, 1, 2, 3, 0);
    /* x of the joint is y of the child, which is -x of the base */
    AfxVec3 axis = afx_quat_rotate(r.base_frame.rotation, (AfxVec3){1, 0, 0});
    assert_vec3(axis, -1, 0, 0, 1e-15);
    axis = afx_quat_rotate(joint_of(scene, "g").base_frame.rotation, (AfxVec3){0, 0, 1});
    assert_vec3(axis, 0, 0, 1, 1e-15);
    AfxDriveDef limit = drive_of(scene, "r limit", AFX_DRIVE_LIMIT);
    assert_near(limit.lower, -1, 0);
    assert_near(limit.upper, 2, 0);
    AfxDriveDef motor = drive_of(scene, "r motor", AFX_DRIVE_FORCE);
    assert_near(motor.effort, 5, 0);
    assert_true(motor.from_input);
    assert_near(drive_of(scene, "r damper", AFX_DRIVE_SPRING).damping, 0.5, 0);
    assert_near(drive_of(scene, "r friction", AFX_DRIVE_FRICTION).effort, 0.25, 0);
    limit = drive_of(scene, "p limit", AFX_DRIVE_LIMIT);
    assert_near(limit.lower, 0, 0);
    assert_near(limit.upper, 0.5, 0);
    assert_int_equal(afx_scene_drive_count(scene), 5);
    /* one notice, though two elements have the attribute: neither has a name */
    assert_string_equal(told.text, "0 9 limit attribute \"velocity\": no drive limits the speed of a joint\n");
    afx_scene_destroy(scene);
}

#define BALL(name) \
    "<link name='" name "'>" INERTIAL "<collision><geometry><sphere radius='.1'/></geometry></collision></link>\n"
#define AT(x) "<origin xyz='" x " 0 0'/><axis xyz='0 0 1'/>"

/* Two of three links on one base overlap as they are drawn: they pass through each other, the others touch. */
static void links_that_overlap_do_not_touch(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, &told);
    AfxScene *scene =
        load_good("<robot name='r'>" LINK("base") BALL("a") BALL("b") BALL("c")
                      JOINT("j", "continuous", "base", "a", AT("1")) JOINT("k", "continuous", "base", "b", AT("1.15"))
                          JOINT("l", "continuous", "base", "c", AT("1.4")) "</robot>",
                  &def);
    AfxBodyId a, b, first, second;
    assert_int_equal(afx_scene_exclusion_count(scene), 1);
    assert_ok(afx_scene_get_exclusion(scene, 0, &first, &second));
    assert_ok(afx_scene_find_body(scene, "a", &a));
    assert_ok(afx_scene_find_body(scene, "b", &b));
    assert_int_equal(first.index + second.index, a.index + b.index);
    assert_int_equal(first.index == a.index || second.index == a.index, 1);
    assert_string_equal(told.text,
                        "1 1 robot \"r\": 1 pairs of links that overlap as they are drawn do not touch each other\n");
    afx_scene_destroy(scene);
}

/* A joint without an axis turns about x, as the format says. */
static void the_default_axis_is_x(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
    AfxScene *scene =
        load_good("<robot name='r'>" LINK("base") LINK("a") JOINT("c", "continuous", "base", "a", "") "</robot>", &def);
    AfxVec3 axis = afx_quat_rotate(joint_of(scene, "c").base_frame.rotation, (AfxVec3){1, 0, 0});
    assert_vec3(axis, 1, 0, 0, 1e-15);
    afx_scene_destroy(scene);
}

static void planar_axes_turn_as_little_as_they_can(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
    AfxScene *scene = load_good("<robot name='r'>" LINK("base") LINK("a")
                                    JOINT("g", "planar", "base", "a", "<axis xyz='0.6 0 0.8'/>") "</robot>",
                                &def);
    AfxQuat turn = joint_of(scene, "g").follower_frame.rotation;
    AfxVec3 x = afx_quat_rotate(turn, (AfxVec3){1, 0, 0}), y = afx_quat_rotate(turn, (AfxVec3){0, 1, 0});
    AfxVec3 z = afx_quat_rotate(turn, (AfxVec3){0, 0, 1});
    assert_vec3(x, 0.8, 0, -0.6, 1e-15);
    assert_vec3(y, 0, 1, 0, 1e-15);
    assert_vec3(z, 0.6, 0, 0.8, 1e-15);
    afx_scene_destroy(scene);
}

static void a_mimic_is_a_coupling_and_starts_in_step(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
    AfxScene *scene = load_good(
        "<robot name='r'>" LINK("base") LINK("a") LINK("b") LINK("c")
            JOINT("slave", "continuous", "base", "b", "<mimic joint='master' multiplier='-2' offset='0.5'/>")
                JOINT("master", "revolute", "base", "a", "<limit lower='0.25' upper='1' effort='0' velocity='0'/>")
                    JOINT("still", "continuous", "base", "c", "<mimic joint='weld' offset='0.75'/>") LINK("d")
                        JOINT("weld", "fixed", "base", "d", "") "</robot>",
        &def);
    AfxCouplingDef coupling;
    assert_int_equal(afx_scene_coupling_count(scene), 2);
    assert_ok(afx_scene_get_coupling(scene, 0, &coupling));
    assert_int_equal(coupling.term_count, 2);
    assert_near(coupling.factor[0], 1, 0);
    assert_near(coupling.factor[1], 2, 0);
    assert_near(coupling.constant, 0.5, 0);
    AfxModel *model;
    AfxSim *sim;
    AfxSimDef sim_def = afx_default_sim();
    assert_ok(afx_scene_set_contact(scene, false)); /* only joints are looked at */
    assert_ok(afx_model_create(scene, &model, NULL));
    assert_ok(afx_sim_create(model, &sim_def, &sim));
    double want[3] = {0, 0.25, 0.75}, value; /* in the order of the file: 0.5 - 2 * 0.25 = 0 */
    for (uint32_t k = 0; k < 3; k++) {
        assert_ok(afx_sim_joint_coordinate(sim, k, 0, &value, NULL));
        assert_near(value, want[k], 1e-14);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* ---- bodies ---- */

static void fixed_links_are_merged_exactly(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
    AfxScene *scene = load_good(PAIR, &def);
    AfxBodyId body;
    AfxMass mass;
    const char *name;
    AfxVec3 point;
    assert_int_equal(afx_scene_body_count(scene), 2);
    assert_ok(afx_scene_find_body(scene, "a", &body));
    assert_ok(afx_scene_body_mass(scene, body, &mass));
    /* b's centre is at (0, 4, 0) of a; about z a quarter turn swaps xx and yy and turns (xy, xz, yz) to (-xy, -yz, xz).
     * The reduced mass 3/4 at a distance of 4 adds 12 to xx and zz. */
    assert_near(mass.mass, 4, 1e-15);
    assert_vec3(mass.center, 0, 3, 0, 1e-15);
    const double want[6] = {0.1 + 0.5 + 12, 0.2 + 0.4, 0.25 + 0.6 + 12, 0.01 - 0.02, -0.04, 0.03};
    for (int k = 0; k < 6; k++) {
        assert_near(mass.inertia[k], want[k], 1e-14);
    }
    assert_int_equal(afx_scene_marker_count(scene), 2);
    assert_ok(afx_scene_get_marker(scene, 1, &name, &body, &point));
    assert_string_equal(name, "tool");
    assert_vec3(point, 0, 3, 2, 1e-15);
    afx_scene_destroy(scene);
    def.keep_fixed = true;
    scene = load_good(PAIR, &def);
    assert_int_equal(afx_scene_body_count(scene), 3); /* the tool has no mass and is no body */
    assert_int_equal(joint_of(scene, "w").kind, AFX_JOINT_FIXED);
    assert_ok(afx_scene_get_marker(scene, 0, &name, &body, &point));
    assert_string_equal(afx_scene_body_name(scene, body), "b");
    assert_vec3(point, 0, 0, 2, 1e-15);
    afx_scene_destroy(scene);
}

static void the_base_is_fixed_or_free(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, NULL);
    AfxBodyDef body;
    AfxBodyId id;
    AfxScene *scene = load_good(PAIR, &def);
    assert_ok(afx_scene_find_body(scene, "base", &id));
    assert_ok(afx_scene_get_body(scene, id, &body));
    assert_int_equal(body.kind, AFX_BODY_FIXED);
    afx_scene_destroy(scene);
    def.fixed_base = false;
    scene = load_good(PAIR, &def);
    assert_ok(afx_scene_find_body(scene, "base", &id));
    assert_ok(afx_scene_get_body(scene, id, &body));
    assert_int_equal(body.kind, AFX_BODY_DYNAMIC);
    assert_near(body.mass, 2, 0);
    assert_true(isinf(body.young));
    afx_scene_destroy(scene);
}

static void an_inertia_of_no_body_is_mended_and_told(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, &told);
    const char *text = "<robot name='r'>" LINK(
        "base") "\n<link name='a'><inertial><mass value='1'/>"
                "<inertia ixx='1' iyy='2' izz='5' ixy='0' ixz='0' iyz='0'/></inertial></link>" JOINT(
                    "j", "continuous", "base", "a", "") "</robot>";
    AfxScene *scene = load_good(text, &def);
    AfxBodyId id;
    AfxMass mass;
    assert_ok(afx_scene_find_body(scene, "a", &id));
    assert_ok(afx_scene_body_mass(scene, id, &mass));
    /* second moments 3, 2, -1 become 3, 2, 0 */
    assert_near(mass.inertia[0], 2, 1e-14);
    assert_near(mass.inertia[1], 3, 1e-14);
    assert_near(mass.inertia[2], 5, 1e-14);
    assert_int_equal(told.count[AFX_NOTICE_CHANGED], 1);
    assert_non_null(strstr(told.text, "1 3 link \"a\": its principal inertias 1, 2, 5 are those of no body"));
    afx_scene_destroy(scene);
    AfxError error;
    scene = make_scene();
    def.strict = true;
    assert_int_equal(load_text(scene, text, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 3, "link \"a\"", "of no body");
    assert_empty(scene);
    afx_scene_destroy(scene);
}

/* ---- shapes ---- */

static void collisions_touch_and_visuals_are_drawn(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, &told);
    AfxScene *scene =
        load_good("<robot name='r'>" LINK(
                      "base") "<link name='a'>" INERTIAL "<visual><geometry><box size='9 9 9'/></geometry></visual>\n"
                              "<collision><origin xyz='1 0 0'/><geometry><box size='1 2 3'/></geometry></collision>"
                              "<collision><geometry><cylinder radius='0.5' length='4'/></geometry></collision></link>"
                              "<link name='b'>" INERTIAL "<visual><geometry><sphere radius='2'/></geometry>\n"
                              "<material name='red'><color rgba='1 0 0 1'/></material></visual></link>" JOINT(
                                  "j", "continuous", "base", "a", "")
                                  JOINT("w", "fixed", "a", "b", "<origin xyz='0 3 0'/>") "</robot>",
                  &def);
    AfxBodyId id;
    AfxShapeDef shape;
    assert_ok(afx_scene_find_body(scene, "a", &id));
    assert_int_equal(afx_scene_shape_count(scene, id), 4);
    assert_ok(afx_scene_get_shape(scene, id, 0, &shape));
    assert_true(shape.visual);
    assert_vec3(shape.half_extents, 4.5, 4.5, 4.5, 0);
    assert_ok(afx_scene_get_shape(scene, id, 1, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_BOX);
    assert_false(shape.visual);
    assert_vec3(shape.half_extents, 0.5, 1, 1.5, 0);
    assert_vec3(shape.pose.position, 1, 0, 0, 0);
    assert_ok(afx_scene_get_shape(scene, id, 2, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_CYLINDER);
    assert_near(shape.length, 4, 0);
    assert_false(shape.visual);
    assert_ok(afx_scene_get_shape(scene, id, 3, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_SPHERE);
    assert_true(shape.visual);
    assert_vec3(shape.pose.position, 0, 3, 0, 0);
    AfxJointDef joint;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 0), &joint));
    assert_false(joint.contact); /* neighbours do not touch */
    assert_int_equal(shape.color, AFX_COLOR(255, 0, 0));
    assert_int_equal(told.count[AFX_NOTICE_IGNORED], 0);
    afx_scene_destroy(scene);
}

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
#define MESH_LINK(file)                                                                                      \
    "<link name='a'>" INERTIAL "<collision><geometry>\n<mesh filename='" file "' scale='2 2 2'/></geometry>" \
    "</collision></link>" JOINT("j", "continuous", "base", "a", "") "</robot>"

/** Loads folder/robot.urdf whose link a has a mesh; returns the number of shapes and the first. */
static uint32_t load_mesh(const char *folder, const char *mesh, const AfxLoadDef *def, AfxShapeDef *shape,
                          double *volume) {
    char text[1200], path[400];
    AfxError error;
    AfxBodyId id;
    AfxScene *scene = make_scene();
    snprintf(text, sizeof text, "<robot name='r'>" LINK("base") MESH_LINK("%s"), mesh);
    write_file(folder, "robot.urdf", text);
    snprintf(path, sizeof path, "%s/robot.urdf", folder);
    assert_loads(afx_scene_load(scene, path, def, &error), &error);
    assert_ok(afx_scene_find_body(scene, "a", &id));
    uint32_t count = afx_scene_shape_count(scene, id);
    if (count) {
        AfxMass mass;
        assert_ok(afx_scene_get_shape(scene, id, 0, shape));
        assert_ok(afx_scene_body_mass(scene, id, &mass));
        *volume = mass.volume;
    }
    afx_scene_destroy(scene);
    return count;
}

static void meshes_are_found_closed_or_told(void **state) {
    (void)state;
    char folder[256], entry[400], sub[300];
    AfxShapeDef shape;
    double volume = 0;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_URDF, &told);
    make_folder(folder, sizeof folder);
    write_file(folder, "closed.obj", TETRAHEDRON "f 1 4 3\n");
    write_file(folder, "open.obj", TETRAHEDRON);
    write_file(folder, "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
    assert_int_equal(load_mesh(folder, "closed.obj", &def, &shape, &volume), 1);
    assert_int_equal(shape.kind, AFX_SHAPE_MESH);
    assert_near(volume, 8.0 / 6, 1e-14);
    assert_string_equal(told.text, "");
    assert_int_equal(load_mesh(folder, "open.obj", &def, &shape, &volume), 1);
    assert_int_equal(shape.kind, AFX_SHAPE_CONVEX);
    assert_near(volume, 8.0 / 6, 1e-14);
    assert_non_null(strstr(told.text, "1 3 mesh \"open.obj\": it is not closed"));
    assert_int_equal(load_mesh(folder, "flat.obj", &def, &shape, &volume), 0);
    assert_non_null(strstr(told.text, "0 3 mesh \"flat.obj\": it is flat"));
    assert_int_equal(load_mesh(folder, "none.stl", &def, &shape, &volume), 0);
    assert_non_null(strstr(told.text, "2 3 mesh \"none.stl\": there is no such file"));
    assert_int_equal(load_mesh(folder, "x.dae", &def, &shape, &volume), 0);
    assert_non_null(strstr(told.text, "0 3 mesh \"x.dae\": only OBJ and STL"));
    /* packages: by name, in a folder of packages, and upward from the file */
    snprintf(entry, sizeof entry, "pack=%s", folder);
    const char *const by_name[] = {entry}, *const in_folder[] = {sub};
    snprintf(sub, sizeof sub, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    assert_int_equal(load_mesh(folder, "package://pack/closed.obj", &def, &shape, &volume), 0);
    def.package_paths = by_name;
    def.package_count = 1;
    assert_int_equal(load_mesh(folder, "package://pack/closed.obj", &def, &shape, &volume), 1);
    char uri[500];
    snprintf(uri, sizeof uri, "package:/%s/closed.obj", strrchr(folder, '/'));
    def.package_paths = in_folder;
    assert_int_equal(load_mesh(folder, uri, &def, &shape, &volume), 1);
    def.package_count = 0;
    assert_int_equal(load_mesh(folder, uri, &def, &shape, &volume), 1);
    def.meshes = false;
    assert_int_equal(load_mesh(folder, "closed.obj", &def, &shape, &volume), 0);
    remove_folder(folder);
}

int run_urdf_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_joint),
        cmocka_unit_test(links_that_overlap_do_not_touch),
        cmocka_unit_test(the_default_axis_is_x),
        cmocka_unit_test(planar_axes_turn_as_little_as_they_can),
        cmocka_unit_test(a_mimic_is_a_coupling_and_starts_in_step),
        cmocka_unit_test(fixed_links_are_merged_exactly),
        cmocka_unit_test(the_base_is_fixed_or_free),
        cmocka_unit_test(an_inertia_of_no_body_is_mended_and_told),
        cmocka_unit_test(collisions_touch_and_visuals_are_drawn),
        cmocka_unit_test(meshes_are_found_closed_or_told),
    };
    return cmocka_run_group_tests_name("urdf", tests, NULL, NULL);
}
