/* SPDX-License-Identifier: Apache-2.0 */
/* SDF: poses relative to frames, nested and included models, joints with what acts on them, against closed forms and
 * the same mechanism as MJCF; faults, memory, damaged texts. */
#include <stdlib.h>
#include <unistd.h>

#include "support/allocator.h"
#include "xml_tests.h"

#define INERTIA                                                                                                     \
    "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>" \
    "</inertia></inertial>"
#define SDF(inside) "<sdf version='1.9'>" inside "</sdf>"
#define MODEL(inside) SDF("<model name='m'>" inside "</model>")
#define BODY(name, more) "<link name='" name "'>" more INERTIA "</link>\n"
#define TIE(name, type, parent, child, more) \
    "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child "</child>" more "</joint>\n"

static AfxPose pose_of(const AfxScene *scene, const char *name) {
    AfxBodyId id;
    AfxBodyDef def;
    assert_ok(afx_scene_find_body(scene, name, &id));
    assert_ok(afx_scene_get_body(scene, id, &def));
    return def.pose;
}

static void poses_are_relative_to_frames(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_SDF, &told);
    AfxScene *scene = load_good(
        SDF("<world name='w'><gravity>0 0 -5</gravity><model name='m'><pose>1 0 0 0 0 1.5707963267948966</pose>"
            "<frame name='f' attached_to='a'><pose degrees='true'>0 1 0 90 0 0</pose></frame>" BODY(
                "a", "<pose>0 2 0 0 0 0</pose>") BODY("b", "<pose relative_to='f'>0 1 0 0 0 0</pose>")
                BODY("c", "<pose relative_to='j'/>") TIE("j", "ball", "a", "b", "<pose>0 0 3 0 0 0</pose>")
                    TIE("k", "fixed", "a", "c", "") "<model name='n'><pose relative_to='b'>0 0 1 0 0 0</pose>" BODY(
                        "a", "") "</model></model></world>"),
        &def);
    /* the model is turned by a quarter about z: its y is -x of the world */
    assert_vec3(pose_of(scene, "m::a").position, 1 - 2, 0, 0, 1e-14);
    /* f is 1 further along y and turned about x: its y is the model's z */
    assert_vec3(pose_of(scene, "m::b").position, 1 - 3, 0, 1, 1e-14);
    /* the joint is 3 along z of b, which is -y of the model, x of the world */
    assert_vec3(pose_of(scene, "m::c").position, 1 - 3 + 3, 0, 1, 1e-14);
    assert_vec3(pose_of(scene, "m::n::a").position, 1 - 3 + 1, 0, 1, 1e-14);
    assert_vec3(afx_scene_gravity(scene), 0, 0, -5, 0);
    assert_int_equal(afx_scene_joint_count(scene), 2);
    assert_int_equal(told.count[0] + told.count[1] + told.count[2], 0);
    afx_scene_destroy(scene);
}

static void run_both(const char *sdf, const char *mjcf, double out[2][2]) {
    const char *texts[2] = {sdf, mjcf};
    for (int k = 0; k < 2; k++) {
        AfxLoadDef def = text_def(k ? AFX_FORMAT_MJCF : AFX_FORMAT_SDF, NULL);
        AfxScene *scene = load_good(texts[k], &def);
        AfxModel *model;
        AfxSim *sim;
        AfxError error;
        AfxSimDef sim_def = afx_default_sim();
        sim_def.dt = 1e-3;
        assert_ok(afx_model_create(scene, &model, &error));
        assert_ok(afx_sim_create(model, &sim_def, &sim));
        for (int step = 0; step < 700; step++) {
            assert_ok(afx_step(sim, NULL));
        }
        for (uint32_t j = 0; j < 2; j++) {
            assert_ok(afx_sim_joint_coordinate(sim, j, 0, &out[k][j], NULL));
        }
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* Two links on hinges, with a limit, a damper, a spring and friction. */
static void joints_move_as_those_of_mjcf(void **state) {
    (void)state;
    double q[2][2];
    run_both(
        MODEL("<link name='a'><inertial><pose>.5 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy>"
              "<izz>.25</izz></inertia></inertial></link>"
              "<link name='b'><pose>1 0 0 0 0 0</pose><inertial><pose>.3 0 .1 0 0 0</pose><mass>1</mass><inertia>"
              "<ixx>.05</ixx><iyy>.06</iyy><izz>.07</izz></inertia></inertial></link>" TIE(
                  "j", "revolute", "world", "a",
                  "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>.4</upper><effort>5</effort></limit>"
                  "<dynamics><damping>.3</damping><friction>.2</friction></dynamics></axis>")
                  TIE("k", "continuous", "a", "b",
                      "<pose>0 0 0 0 0 .5</pose><axis><xyz expressed_in='__model__'>0 2 0</xyz><dynamics><damping>.1"
                      "</damping><spring_stiffness>3</spring_stiffness><spring_reference>.2</spring_reference>"
                      "</dynamics></axis>")),
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody><body name='a'>"
        "<joint name='j' axis='0 1 0' range='-1 .4' damping='.3' frictionloss='.2'/>"
        "<inertial pos='.5 0 0' mass='2' diaginertia='.1 .2 .25'/><body name='b' pos='1 0 0'>"
        "<joint name='k' axis='0 1 0' damping='.1' stiffness='3' springref='.2'/>"
        "<inertial pos='.3 0 .1' mass='1' diaginertia='.05 .06 .07'/></body></body></worldbody></mujoco>",
        q);
    assert_true(q[0][0] > 0.1 && fabs(q[0][1]) > 0.01);
    assert_near(q[0][0], q[1][0], 1e-9);
    assert_near(q[0][1], q[1][1], 1e-9);
}

static void shapes_and_surfaces_are_read(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_SDF, &told);
    AfxScene *scene = load_good(
        SDF("<world name='w'><model name='g'><static>true</static><link name='l'><collision name='c'><geometry><plane>"
            "<normal>0 1 0</normal></plane></geometry></collision></link></model>"
            "<model name='m'>" BODY(
                "a", "<collision name='c'><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>"
                     "<surface><friction><ode><mu>.3</mu></ode></friction></surface></collision>"
                     "<visual name='v'><geometry><sphere><radius>.5</radius></sphere></geometry>"
                     "<material><diffuse>1 0 0 1</diffuse></material></visual>") "</model>"
                                                                                 "<light name='sun' "
                                                                                 "type='directional'/></world>"),
        &def);
    AfxShapeDef shape;
    AfxMaterialDef material;
    AfxBodyId ground, body;
    AfxBodyDef body_def;
    assert_ok(afx_scene_find_body(scene, "g::l", &ground));
    assert_ok(afx_scene_find_body(scene, "m::a", &body));
    assert_ok(afx_scene_get_body(scene, ground, &body_def));
    assert_int_equal(body_def.kind, AFX_BODY_FIXED);
    assert_ok(afx_scene_get_shape(scene, ground, 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_PLANE);
    assert_vec3(afx_quat_rotate(shape.pose.rotation, (AfxVec3){0, 0, 1}), 0, 1, 0, 1e-15);
    assert_ok(afx_scene_get_shape(scene, body, 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_BOX);
    assert_near(shape.pose.position.z, 1, 0);
    assert_ok(afx_scene_get_material(scene, shape.material, &material));
    assert_near(material.friction, 0.3, 0);
    assert_ok(afx_scene_get_shape(scene, body, 1, &shape));
    assert_true(shape.visual && shape.color == AFX_COLOR(255, 0, 0));
    assert_int_equal(told.count[AFX_NOTICE_IGNORED], 1);
    assert_non_null(strstr(told.text, "light"));
    afx_scene_destroy(scene);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void models_are_included_from_files(void **state) {
    (void)state;
    char folder[] = "/tmp/affix-sdf-XXXXXX", part[100], whole[100];
    AfxLoadDef def = afx_default_load();
    AfxError error;
    AfxScene *scene = make_scene();
    assert_non_null(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/part.sdf", folder);
    snprintf(whole, sizeof whole, "%s/whole.sdf", folder);
    write_text(part, MODEL("<pose>9 9 9 0 0 0</pose>" BODY("a", "<pose>0 0 1 0 0 0</pose>")));
    write_text(whole, SDF("<world name='w'><include><uri>part.sdf</uri><name>p</name><pose>1 0 0 0 0 0</pose></include>"
                          "<include><uri>part.sdf</uri><name>q</name><static>true</static></include></world>"));
    assert_loads(afx_scene_load(scene, whole, &def, &error), &error);
    assert_vec3(pose_of(scene, "p::a").position, 1, 0, 1, 0); /* the include's pose in place of the model's */
    assert_vec3(pose_of(scene, "q::a").position, 9, 9, 10, 0);
    remove(part);
    remove(whole);
    rmdir(folder);
    afx_scene_destroy(scene);
}

static void faults_name_line_and_element(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *element, *says;
    } faults[] = {
        {"<robot/>", "robot", "not sdf"},
        {SDF(""), "sdf", "no link"},
        {MODEL(BODY("a", "") BODY("a", "")), "link", "taken already"},
        {MODEL("<link/>"), "link attribute \"name\"", "missing"},
        {MODEL(BODY("a", "<pose relative_to='x'>0 0 0 0 0 0</pose>")), "pose", "no link, joint, frame or model \"x\""},
        {MODEL(BODY("a", "<pose relative_to='b'>0 0 0 0 0 0</pose>")
                   BODY("b", "<pose relative_to='a'>0 0 0 0 0 0</pose>")),
         "link", "depends on itself"},
        {MODEL(BODY("a", "<pose>0 0 0</pose>")), "link", "not 6 to 7 numbers"},
        {MODEL(BODY("a", "") TIE("j", "revolute", "world", "a", "")), "joint", "no axis"},
        {MODEL(BODY("a", "") TIE("j", "hinge", "world", "a", "")), "joint", "not one of"},
        {MODEL(BODY("a", "") TIE("j", "ball", "a", "a", "")), "joint", "one body"},
        {MODEL(BODY("a", "")
                   TIE("j", "universal", "world", "a", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>")),
         "joint", "not square"},
        {MODEL(BODY("a", "") TIE("j", "revolute", "world", "a",
                                 "<axis><xyz>1 0 0</xyz><limit><lower>1</lower><upper>0</upper></limit></axis>")),
         "limit", "above upper"},
        {MODEL("<link name='a'><inertial><mass>0</mass></inertial></link>"), "inertial", "not positive"},
        {MODEL("<include><uri>model://nowhere</uri></include>"), "include", "no such model"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        AfxLoadDef def = text_def(AFX_FORMAT_SDF, NULL);
        AfxScene *scene = make_scene();
        AfxError error;
        assert_true(load_text(scene, faults[k].text, &def, &error) != AFX_OK);
        if (!strstr(error.element, faults[k].element) || !strstr(error.text, faults[k].says) || !error.cure[0]) {
            fail_msg("%s: %s: %s (%s)", faults[k].text, error.element, error.text, error.cure);
        }
        assert_empty(scene);
        afx_scene_destroy(scene);
    }
}

#define RICH                                                                                                        \
    MODEL("<frame name='f'><pose>1 0 0 0 0 0</pose></frame>" BODY(                                                  \
        "a", "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry><surface><friction><ode><mu>2"  \
             "</mu></ode></friction></surface></collision>") BODY("b", "<pose relative_to='f'>0 0 1 0 0 0</pose>")  \
              TIE("j", "universal", "a", "b",                                                                       \
                  "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit></axis>" \
                  "<axis2><xyz>0 1 0</xyz><dynamics><damping>1</damping><friction>1</friction></dynamics></axis2>"))

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    bool done = false;
    for (uint64_t at = 1; !done && at < 1000; at++) {
        TestAllocator counts = {0};
        AfxSceneDef scene_def = afx_default_scene();
        scene_def.allocator = test_allocator(&counts);
        AfxScene *scene;
        AfxError error;
        AfxLoadDef def = text_def(AFX_FORMAT_SDF, NULL);
        assert_ok(afx_scene_create(&scene_def, &scene));
        counts.fail_at = counts.calls + at;
        AfxStatus status = load_text(scene, RICH, &def, &error);
        done = status == AFX_OK;
        assert_true(done || status == AFX_E_MEMORY);
        afx_scene_destroy(scene);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    assert_true(done);
}

static void damaged_texts_do_no_harm(void **state) {
    (void)state;
    static const char letters[] = "<>/='\"01-. eabj\n&x";
    size_t size = strlen(RICH);
    uint64_t seed = 7;
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    for (int round = 0; round < 2000; round++) {
        memcpy(copy, RICH, size + 1);
        for (int k = 0; k < 1 + round % 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % size] = letters[(seed >> 20) % (sizeof letters - 1)];
        }
        AfxScene *scene = make_scene();
        AfxLoadDef def = text_def(AFX_FORMAT_SDF, NULL);
        AfxError error;
        AfxStatus status = afx_scene_load_text(scene, copy, size, NULL, &def, &error);
        assert_true(status == AFX_OK || (error.text[0] && error.cure[0]));
        afx_scene_destroy(scene);
    }
    free(copy);
}

int run_sdf_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_relative_to_frames), cmocka_unit_test(joints_move_as_those_of_mjcf),
        cmocka_unit_test(shapes_and_surfaces_are_read), cmocka_unit_test(models_are_included_from_files),
        cmocka_unit_test(faults_name_line_and_element), cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(damaged_texts_do_no_harm),
    };
    return cmocka_run_group_tests_name("sdf", tests, NULL, NULL);
}
