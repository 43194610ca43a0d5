/* SPDX-License-Identifier: Apache-2.0 */
/* Contact in scene JSON and MJCF: what comes out of a file, errors that name the place, and scenes that are saved. */
#include "xml_tests.h"

#define HEAD "{\"affix_scene\": 1, "

/** The scene JSON fails at this element with this text. */
static void fails(const char *text, const char *element, const char *what) {
    AfxScene *scene = make_scene();
    AfxLoadDef def = text_def(AFX_FORMAT_JSON, NULL);
    AfxError error;
    assert_int_not_equal(load_text(scene, text, &def, &error), AFX_OK);
    assert_error(&error, error.status, 1, element, what);
    assert_empty(scene);
    assert_int_equal(afx_scene_material_count(scene), 1);
    assert_true(afx_scene_contact(scene));
    afx_scene_destroy(scene);
}

static AfxMaterialDef get_material(const AfxScene *scene, AfxMaterialId id) {
    AfxMaterialDef def;
    assert_ok(afx_scene_get_material(scene, id, &def));
    return def;
}

static AfxShapeDef get_shape(const AfxScene *scene, const char *body, uint32_t k) {
    AfxBodyId id;
    AfxShapeDef shape;
    assert_ok(afx_scene_find_body(scene, body, &id));
    assert_ok(afx_scene_get_shape(scene, id, k, &shape));
    return shape;
}

static void json_says_what_touches(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        HEAD "\"units\": {\"length\": \"mm\", \"time\": \"ms\"}, \"contact\": false,"
             "\"default_material\": {\"name\": \"plain\", \"friction\": 0.4},"
             "\"materials\": {\"water\": {\"density\": 999}, \"rubber\": {\"density\": 1100, \"friction\": 0.9,"
             "\"rolling_friction\": 2, \"torsional_friction\": 3, \"stiffness\": 5, \"restitution\": 0.5}},"
             "\"material_pairs\": [{\"materials\": [null, \"rubber\"], \"restitution\": 0.25}],"
             "\"bodies\": [{\"name\": \"ground\", \"kind\": \"fixed\", \"shapes\": [{\"kind\": \"plane\"},"
             "{\"kind\": \"height-field\", \"size\": [1000, 500], \"heights\": [[0, 1, 2], [3, 4, 5]]},"
             "{\"kind\": \"mesh\", \"vertices\": [0,0,0, 1,0,0, 0,1,0], \"triangles\": [0,1,2], \"vertex_frames\":"
             "{\"rate\": 0.025, \"frames\": [[0,0,0, 1,0,0, 0,1,0], [[0,0,9], [1,0,0], [0,1,0]]]}}]},"
             "{\"name\": \"a\", \"material\": \"rubber\", \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1},"
             "{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"water\", \"contact_group\": 6},"
             "{\"kind\": \"sphere\", \"radius\": 1, \"visual\": true, \"contact_mask\": 0}]},"
             "{\"name\": \"b\", \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, \"mass\": 2}]}],"
             "\"joints\": [{\"kind\": \"fixed\", \"base\": \"a\", \"follower\": \"b\", \"contact\": true}],"
             "\"exclusions\": [[\"ground\", 2]]}");
    assert_false(afx_scene_contact(scene));
    assert_int_equal(afx_scene_material_count(scene), 2);
    AfxMaterialId rubber, x, y;
    AfxMaterialDef def = get_material(scene, afx_scene_material(scene, 0));
    assert_string_equal(def.name, "plain");
    assert_near(def.friction, 0.4, 0);
    assert_ok(afx_scene_find_material(scene, "rubber", &rubber));
    def = get_material(scene, rubber);
    assert_near(def.friction, 0.9, 0);
    assert_near(def.restitution, 0.5, 0);
    assert_near(def.rolling_friction, 2e-3, 1e-18);
    assert_near(def.torsional_friction, 3e-3, 1e-18);
    assert_near(def.stiffness, 5000, 1e-12);
    assert_int_equal(afx_scene_material_pair_count(scene), 1);
    assert_ok(afx_scene_get_material_pair(scene, 0, &x, &y, &def));
    assert_int_equal(x.index, 0);
    assert_int_equal(y.index, rubber.index);
    assert_near(def.friction, 0.6, 1e-15); /* as combined */
    assert_near(def.restitution, 0.25, 0);
    AfxShapeDef shape = get_shape(scene, "ground", 0);
    assert_int_equal(shape.kind, AFX_SHAPE_PLANE);
    shape = get_shape(scene, "ground", 1);
    assert_near(shape.half_extents.x, 0.5, 1e-15);
    assert_near(shape.half_extents.y, 0.25, 1e-15);
    assert_int_equal(shape.columns, 3);
    assert_near(shape.heights[5], 5e-3, 1e-18);
    shape = get_shape(scene, "ground", 2);
    assert_int_equal(shape.frame_count, 2);
    assert_near(shape.frame_rate, 25, 1e-12);
    assert_near(shape.vertex_frames[11], 9e-3, 1e-17);
    assert_false(shape.loop);
    shape = get_shape(scene, "a", 0); /* the body's material */
    assert_int_equal(shape.material.index, rubber.index);
    assert_near(shape.density, 1100, 0);
    shape = get_shape(scene, "a", 1); /* its own, which says nothing of contact */
    assert_int_equal(shape.material.index, 0);
    assert_int_equal(shape.contact_group, 6);
    assert_int_equal(shape.contact_mask, 1);
    shape = get_shape(scene, "a", 2);
    assert_true(shape.visual);
    assert_int_equal(shape.contact_mask, 0);
    AfxJointDef joint;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 0), &joint));
    assert_true(joint.contact);
    AfxBodyId a, b;
    assert_int_equal(afx_scene_exclusion_count(scene), 1);
    assert_ok(afx_scene_get_exclusion(scene, 0, &a, &b));
    assert_int_equal(a.index, 0);
    assert_int_equal(b.index, 2);
    afx_scene_destroy(scene);
}

static void errors_name_the_place(void **state) {
    (void)state;
    fails(HEAD "\"contact\": 3}", "contact", "neither true nor false");
    fails(HEAD "\"materials\": {\"a\": {\"friction\": -1}}}", "material \"a\"", "its friction is negative");
    fails(HEAD "\"contact\": false, \"materials\": {\"a\": {\"friction\": \"low\"}}}", "materials.a.friction",
          "not a number");
    fails(HEAD "\"materials\": {\"\": {\"friction\": 1}}}", "materials", "is empty");
    fails(HEAD "\"material_pairs\": [{\"materials\": [null, \"x\"]}]}", "material_pairs[0].materials[1]",
          "no such material");
    fails(HEAD "\"material_pairs\": [{\"materials\": [null]}]}", "material_pairs[0].materials", "not two materials");
    fails(HEAD "\"exclusions\": [[\"a\", \"b\"]]}", "exclusions[0][0]", "there is no body \"a\"");
    fails(HEAD "\"exclusions\": [3]}", "exclusions[0]", "not two bodies");
    fails(HEAD "\"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": \"plane\"}]}]}", "shape #0 of body \"a\"",
          "cannot have a plane");
    fails(HEAD "\"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"height-field\", \"size\": [1, 1],"
               "\"heights\": [[1, 2], [3]]}]}]}",
          "bodies[0].shapes[0].heights[1]", "not an array of 2 numbers");
    fails(HEAD "\"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"height-field\", \"size\": [1, 1],"
               "\"heights\": [1, 2]}]}]}",
          "bodies[0].shapes[0].heights", "not an array of rows");
    fails(HEAD "\"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"mesh\", \"vertices\": [0,0,0,1,0,0,0,1,0],"
               "\"triangles\": [0,1,2], \"vertex_frames\": {\"rate\": 1, \"frames\": [[0,0,0]]}}]}]}",
          "bodies[0].shapes[0].vertex_frames.frames[0]", "another number of vertices");
    fails(HEAD "\"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, \"contact_mask\": 4294967296}]}]}",
          "bodies[0].shapes[0].contact_mask", "whole number from 0 to 4294967295");
    fails(HEAD "\"materials\": {\"a\": {\"density\": 2}}, \"bodies\": [{\"shapes\": [{\"kind\": \"sphere\","
               "\"radius\": 1, \"mass\": 1, \"material\": \"a\"}]}]}",
          "bodies[0].shapes[0].mass", "both a mass and a density");
}

/* Two copies of a file, in a file with a material of the same name and other numbers. */
static void materials_of_files_are_shared(void **state) {
    (void)state;
    char folder[256], path[400];
    make_folder(folder, sizeof folder);
    write_file(folder, "part.json",
               HEAD "\"materials\": {\"ice\": {\"friction\": 0.1}, \"felt\": {\"friction\": 0.7}},"
                    "\"material_pairs\": [{\"materials\": [\"ice\", \"felt\"], \"friction\": 0.3}],"
                    "\"default_material\": {\"friction\": 0.2}, \"bodies\": ["
                    "{\"name\": \"a\", \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"ice\"},"
                    "{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"felt\"},"
                    "{\"kind\": \"sphere\", \"radius\": 1}]}, {\"name\": \"b\", \"kind\": \"fixed\"}],"
                    "\"exclusions\": [[\"a\", \"b\"]]}");
    write_file(folder, "main.json",
               HEAD "\"materials\": {\"ice\": {\"friction\": 0.05}, \"felt\": {\"friction\": 0.7}}, \"groups\": ["
                    "{\"name\": \"g\", \"file\": \"part.json\", \"repeat\": {\"count\": 3}},"
                    "{\"name\": \"h\", \"file\": \"part.json\"}]}");
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    snprintf(path, sizeof path, "%s/main.json", folder);
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    assert_int_equal(afx_scene_material_count(scene), 5); /* default, ice, felt; the part's default, the part's ice */
    static const char *const bodies[] = {"g.0/a", "g.2/a", "h/a"};
    for (int k = 0; k < 3; k++) {
        AfxMaterialId ice = get_shape(scene, bodies[k], 0).material, felt = get_shape(scene, bodies[k], 1).material;
        AfxMaterialId first = get_shape(scene, bodies[k], 2).material;
        assert_near(get_material(scene, ice).friction, 0.1, 0);
        assert_null(get_material(scene, ice).name);
        assert_string_equal(get_material(scene, felt).name, "felt");
        assert_near(get_material(scene, first).friction, 0.2, 0);
        assert_int_not_equal(first.index, 0);
        assert_int_equal(ice.index, get_shape(scene, "g.1/a", 0).material.index);
    }
    AfxMaterialId x, y;
    AfxMaterialDef pair;
    assert_int_equal(afx_scene_material_pair_count(scene), 1);
    assert_ok(afx_scene_get_material_pair(scene, 0, &x, &y, &pair));
    assert_int_equal(x.index, 2);
    assert_near(pair.friction, 0.3, 0);
    assert_int_equal(afx_scene_exclusion_count(scene), 4);
    AfxBodyId a, b;
    assert_ok(afx_scene_get_exclusion(scene, 3, &a, &b));
    assert_string_equal(afx_scene_body_name(scene, a), "h/a");
    assert_string_equal(afx_scene_body_name(scene, b), "h/b");
    afx_scene_destroy(scene);
    remove_folder(folder);
}

/* ---- MJCF ---- */

#define MODEL(inner) "<mujoco>" inner "</mujoco>"

static void mjcf_geoms_have_bits_and_surfaces(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    AfxScene *scene = load_good(
        MODEL("<worldbody><geom type='plane' size='0 0 1' pos='0 0 2'/>"
              "<body name='a'><freejoint/><geom size='1' contype='2' conaffinity='5'/>"
              "<geom size='1' friction='.5 .01 .002' condim='6'/><geom size='1' friction='.5 .01 .002' condim='6'/>"
              "<geom size='1' condim='1'/><geom size='1' friction='.25' priority='1'/></body></worldbody>"),
        &def);
    assert_string_equal(told.text, "");
    AfxShapeDef plane = get_shape(scene, "world", 0);
    assert_int_equal(plane.kind, AFX_SHAPE_PLANE);
    assert_near(plane.pose.position.z, 2, 0);
    assert_int_equal(plane.material.index, 0);
    assert_near(get_material(scene, plane.material).friction, 1, 0); /* MuJoCo's default */
    assert_near(get_material(scene, plane.material).rolling_friction, 0, 0);
    AfxShapeDef shape = get_shape(scene, "a", 0);
    assert_int_equal(shape.contact_group, 2);
    assert_int_equal(shape.contact_mask, 5);
    assert_int_equal(afx_scene_material_count(scene), 5); /* what moves is pushed otherwise than what stands */
    AfxMaterialDef six = get_material(scene, get_shape(scene, "a", 1).material);
    assert_near(six.friction, 0.5, 0);
    assert_near(six.torsional_friction, 0.01, 0);
    assert_near(six.rolling_friction, 0.002, 0);
    assert_int_equal(get_shape(scene, "a", 2).material.index, get_shape(scene, "a", 1).material.index);
    assert_near(get_material(scene, get_shape(scene, "a", 3).material).friction, 0, 0);
    /* between two: the larger of each, or the one of higher priority */
    const struct {
        uint32_t a, b;
        double friction, torsional;
    } want[] = {{0, 2, 1, 0.01}, {0, 3, 1, 0}, {2, 3, 1, 0.01}, {0, 4, 0.25, 0}, {2, 4, 0.25, 0}};
    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
        bool found = false;
        for (uint32_t i = 0; i < afx_scene_material_pair_count(scene); i++) {
            AfxMaterialId a, b;
            AfxMaterialDef pair;
            assert_ok(afx_scene_get_material_pair(scene, i, &a, &b, &pair));
            if (a.index == want[k].a && b.index == want[k].b) {
                found = true;
                assert_near(pair.friction, want[k].friction, 0);
                assert_near(pair.torsional_friction, want[k].torsional, 0);
            }
        }
        assert_true(found);
    }
    afx_scene_destroy(scene);
}

/* The first row of the text is the one at the far end; 2 .. 10 becomes 0 .. 4. */
static void mjcf_height_fields(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    AfxScene *scene = load_good(
        MODEL("<asset><hfield name='h' size='3 2 4 1' nrow='2' ncol='3' elevation='2 4 6 8 10 2'/>"
              "<hfield name='flat' size='1 1 1 1' nrow='9' ncol='9'/>"
              "<hfield name='f' size='1 1 1 1' file='x.png'/></asset><worldbody><geom type='hfield' hfield='h'/>"
              "<geom type='hfield' hfield='flat'/><geom type='hfield' hfield='f'/></worldbody>"),
        &def);
    AfxShapeDef shape = get_shape(scene, "world", 0);
    const double want[6] = {3, 4, 0, 0, 1, 2};
    assert_int_equal(shape.kind, AFX_SHAPE_HEIGHT_FIELD);
    assert_int_equal(shape.columns, 3);
    assert_int_equal(shape.rows, 2);
    assert_near(shape.half_extents.x, 3, 0);
    assert_near(shape.half_extents.y, 2, 0);
    for (int k = 0; k < 6; k++) {
        assert_near(shape.heights[k], want[k], 1e-15);
    }
    shape = get_shape(scene, "world", 1);
    assert_near(shape.heights[3], 0, 0);
    AfxBodyId world;
    assert_ok(afx_scene_find_body(scene, "world", &world));
    assert_int_equal(afx_scene_shape_count(scene, world), 3);
    assert_non_null(strstr(told.text, "it cannot be read: the field is flat"));
    afx_scene_destroy(scene);
    AfxError error;
    scene = make_scene();
    assert_int_equal(load_text(scene,
                               MODEL("<asset><hfield name='h' size='3 2 4 1' nrow='2' ncol='3' elevation='2 4 6'/>"
                                     "</asset><worldbody><geom type='hfield' hfield='h'/></worldbody>"),
                               &def, &error),
                     AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 1, "hfield \"h\" attribute \"elevation\"", "nrow times ncol");
    afx_scene_destroy(scene);
}

static void excluded(const AfxScene *scene, uint32_t index, const char *first, const char *second) {
    AfxBodyId a, b;
    assert_ok(afx_scene_get_exclusion(scene, index, &a, &b));
    assert_string_equal(afx_scene_body_name(scene, a), first);
    assert_string_equal(afx_scene_body_name(scene, b), second);
}

static void mjcf_bodies_are_excluded(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    AfxScene *scene = load_good(
        MODEL("<worldbody><geom type='plane' size='1 1 1'/><body name='base' pos='0 0 1'><geom size='.1'/>"
              "<body name='arm' pos='0 0 1'><joint/><geom size='.1'/><body name='tip'><joint/><joint axis='1 0 1'/>"
              "<geom size='.1'/></body></body></body><body name='ball'><freejoint/><geom size='.1'/></body></worldbody>"
              "<contact><exclude body1='base' body2='arm'/><exclude name='x' body1='ball' body2='arm'/></contact>"
              "<equality><connect body1='ball' body2='tip' anchor='0 0 0'/></equality>"),
        &def);
    /* what stands still and is excluded is a fixed body of its own, so that the plane is not excluded with it */
    assert_near(get_shape(scene, "base", 0).radius, 0.1, 0);
    assert_near(get_shape(scene, "base", 0).pose.position.z, 0, 0);
    AfxBodyId base;
    AfxBodyDef body;
    assert_ok(afx_scene_find_body(scene, "base", &base));
    assert_ok(afx_scene_get_body(scene, base, &body));
    assert_int_equal(body.kind, AFX_BODY_FIXED);
    assert_near(body.pose.position.z, 1, 0);
    assert_int_equal(afx_scene_exclusion_count(scene), 3);
    excluded(scene, 0, "base", "arm");
    excluded(scene, 1, "ball", "arm");
    excluded(scene, 2, "arm", "tip"); /* skew hinges have a body between them */
    uint32_t joints = afx_scene_joint_count(scene);
    AfxJointDef joint;
    for (uint32_t k = 0; k < joints; k++) {
        assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint));
        assert_int_equal(joint.contact, k + 1 == joints); /* the equality, which is not in the tree */
    }
    afx_scene_destroy(scene);
    scene = load_good(MODEL("<option><flag contact='disable' filterparent='disable'/></option><worldbody><body>"
                            "<joint/><geom size='1'/></body></worldbody>"),
                      &def);
    assert_false(afx_scene_contact(scene));
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 0), &joint));
    assert_true(joint.contact);
    afx_scene_destroy(scene);
    AfxError error;
    scene = make_scene();
    assert_int_equal(load_text(scene, MODEL("<contact><exclude body1='a' body2='b'/></contact>"), &def, &error),
                     AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 1, "exclude attribute \"body1\"", "there is no body \"a\"");
    afx_scene_destroy(scene);
}

static bool match(const AfxShapeDef *a, const AfxShapeDef *b) {
    return (a->contact_group & b->contact_mask) || (b->contact_group & a->contact_mask);
}

static void mjcf_pairs_touch_by_name(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    AfxScene *scene = load_good(
        MODEL("<default><geom contype='0' conaffinity='0'/><pair condim='4'/></default><worldbody>"
              "<geom name='floor' type='plane' size='1 1 1'/>"
              "<body name='a'><freejoint/><geom name='a' size='1'/></body>"
              "<body name='b'><freejoint/><geom name='b' size='1'/></body>"
              "<body name='c'><freejoint/><geom name='c' size='1'/></body></worldbody>"
              "<contact><pair geom1='floor' geom2='a' friction='.3 .3 .02'/><pair geom1='a' geom2='b'/></contact>"),
        &def);
    AfxShapeDef floor = get_shape(scene, "world", 0), a = get_shape(scene, "a", 0), b = get_shape(scene, "b", 0);
    AfxShapeDef c = get_shape(scene, "c", 0);
    assert_true(c.visual && !floor.visual && !a.visual && !b.visual);
    assert_true(match(&floor, &a) && match(&a, &b) && !match(&floor, &b));
    assert_int_not_equal(a.material.index, floor.material.index);
    bool found = false;
    for (uint32_t k = 0; k < afx_scene_material_pair_count(scene); k++) {
        AfxMaterialId x, y;
        AfxMaterialDef pair;
        assert_ok(afx_scene_get_material_pair(scene, k, &x, &y, &pair));
        if (x.index + y.index == a.material.index + floor.material.index && x.index != y.index) {
            found = true;
            assert_near(pair.friction, 0.3, 0);
            assert_near(pair.torsional_friction, 0.02, 0);
            assert_near(pair.rolling_friction, 0, 0);
        }
    }
    assert_true(found);
    assert_string_equal(told.text, "");
    afx_scene_destroy(scene);
}

int run_contact_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_says_what_touches),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(materials_of_files_are_shared),
        cmocka_unit_test(mjcf_geoms_have_bits_and_surfaces),
        cmocka_unit_test(mjcf_height_fields),
        cmocka_unit_test(mjcf_bodies_are_excluded),
        cmocka_unit_test(mjcf_pairs_touch_by_name),
    };
    return cmocka_run_group_tests_name("contact_file", tests, NULL, NULL);
}
