/* SPDX-License-Identifier: Apache-2.0 */
/* Scene files as whole runs: parameters and what is made of them, how they are run, cameras, colours; and back again
 * when they are saved. */
#include "tests.h"

#include <stdlib.h>
#include <unistd.h>

/** Loads a text with parameters; out_run may be NULL. */
static AfxStatus load_with(AfxScene **out_scene, const char *text, uint32_t count, const char *const *parameters,
                           AfxRunDef *out_run, AfxError *error) {
    AfxSceneDef def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    assert_ok(afx_scene_create(&def, out_scene));
    load.format = AFX_FORMAT_JSON;
    load.parameters = parameters;
    load.parameter_count = count;
    load.run = out_run;
    return afx_scene_load_text(*out_scene, text, strlen(text), NULL, &load, error);
}

static const char rods[] =
    "{\"affix_scene\": 1, \"about\": \"rods\", \"parameters\": {\"length\": {\"value\": 2, \"min\": 0.5, \"max\": 4, "
    "\"about\": \"m\"}, \"n\": 3, \"half\": \"= length / 2\"},\n"
    "\"run\": {\"dt\": 0.004, \"time\": \"=length\", \"integrator\": \"alpha\", \"rho\": 0.5, \"every\": 2, "
    "\"outputs\": [\"a.h5\"], \"record\": [\"poses\", \"energy\"], \"set\": {\"gravity.z\": -1.5}},\n"
    "\"bodies\": [{\"name\": \"rod\", \"shapes\": [{\"kind\": \"box\", \"size\": [\"=length\", 0.1, \"=1e-1 * "
    "half\"]}],"
    "\"repeat\": {\"count\": \"=n\", \"step\": {\"position\": [\"=-length\", 0, 0]}}},"
    "{\"name\": \"hand\", \"kind\": \"kinematic\", \"motion\": {\"angle\": {\"formula\": \"half * t^2\"}}}]}";

static void numbers_are_made_of_parameters(void **state) {
    (void)state;
    static const char *const given[] = {"n=5", "length=1", "length=3"};
    AfxScene *scene;
    AfxRunDef run;
    AfxError error = {0};
    AfxShapeDef shape;
    AfxBodyDef body;
    assert_ok(load_with(&scene, rods, 3, given, &run, &error));
    assert_int_equal(afx_scene_body_count(scene), 6);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 4), 0, &shape));
    assert_vec3_at(shape.half_extents, 1.5, 0.05, 0.075, 1e-16, __FILE__, __LINE__);
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 4), &body));
    assert_vec3_at(body.pose.position, -12, 0, 0, 1e-15, __FILE__, __LINE__);
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 5), &body));
    assert_string_equal(body.motion.angle.formula, "(1.5) * t^2");
    assert_int_equal(run.parameter_count, 3);
    assert_string_equal(run.parameters[0].name, "length");
    assert_string_equal(run.parameters[0].about, "m");
    assert_near(run.parameters[0].value, 3, 0);
    assert_near(run.parameters[0].max, 4, 0);
    assert_near(run.parameters[2].value, 1.5, 0);
    assert_near(run.time, 3, 0);
    afx_scene_destroy(scene);
}

static void exponents_are_no_names(void **state) {
    (void)state;
    AfxScene *scene;
    AfxError error = {0};
    assert_ok(load_with(&scene,
                        "{\"affix_scene\": 1, \"parameters\": {\"e\": 2, \"E5\": 7}, \"gravity\": [\"=1e-1*e\", "
                        "\"=2E5\", \"=E5-e\"]}",
                        0, NULL, NULL, &error));
    assert_vec3_at(afx_scene_gravity(scene), 0.2, 2e5, 5, 1e-15, __FILE__, __LINE__);
    afx_scene_destroy(scene);
}

static void a_file_says_how_it_is_run(void **state) {
    (void)state;
    AfxScene *scene;
    AfxRunDef run;
    AfxError error = {0};
    assert_ok(load_with(&scene, rods, 0, NULL, &run, &error));
    assert_near(run.sim.dt, 0.004, 0);
    assert_int_equal(run.sim.integrator, AFX_ALPHA);
    assert_near(run.sim.rho, 0.5, 0);
    assert_int_equal(run.every, 2);
    assert_int_equal(run.output_count, 1);
    assert_string_equal(run.outputs[0], "a.h5");
    assert_string_equal(run.record, "poses,energy");
    assert_string_equal(run.set, "gravity.z=-1.5");
    assert_string_equal(run.about, "rods");
    afx_scene_destroy(scene);
    assert_ok(load_with(&scene, "{\"affix_scene\": 1, \"units\": {\"time\": \"ms\"}, \"run\": {\"dt\": 5}}", 0, NULL,
                        &run, &error));
    assert_near(run.sim.dt, 0.005, 1e-18);
    assert_near(run.time, 1, 0);
    afx_scene_destroy(scene);
}

static const char looks[] =
    "{\"affix_scene\": 1, \"units\": {\"angle\": \"deg\"}, \"run\": {\"dt\": 0.01, \"time\": 3, \"accuracy\": "
    "\"converged\", \"solver\": \"dense\", \"limits\": {\"flops\": 3e7, \"bytes\": 1e6}, \"sleep\": "
    "{\"speed\": 0.02, \"time\": 0.25}, \"rigid\": true, \"columns\": "
    "[\"time\", \"energy\"], \"set\": "
    "{\"gravity.x\": 0.1}},"
    "\"cameras\": [{\"name\": \"side\", \"position\": [0, -3, 0], \"field_of_view\": 45, \"follow\": \"a\"}],"
    "\"materials\": {\"brass\": {\"color\": \"#b5a642\"}}, \"bodies\": [{\"name\": \"a\", \"color\": \"#010203\","
    "\"shapes\": [{\"kind\": \"cylinder\", \"radius\": 1, \"length\": 2, \"along\": [0, 2, 0]},"
    "{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"brass\"}, {\"kind\": \"sphere\", \"radius\": 2, \"color\": "
    "\"#ffffff\", \"visual\": true}]}]}";

static void check_looks(AfxScene *scene, const AfxRunDef *run) {
    static const uint32_t colors[] = {AFX_COLOR(1, 2, 3), AFX_COLOR(0xb5, 0xa6, 0x42), AFX_COLOR(255, 255, 255)};
    AfxShapeDef shape;
    for (uint32_t k = 0; k < 3; k++) {
        assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), k, &shape));
        assert_int_equal(shape.color, colors[k]);
    }
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_vec3_at(afx_quat_rotate(shape.pose.rotation, (AfxVec3){0, 0, 1}), 0, 1, 0, 1e-15, __FILE__, __LINE__);
    assert_int_equal(run->camera_count, 1);
    assert_string_equal(run->cameras[0].name, "side");
    assert_string_equal(run->cameras[0].follow, "a");
    assert_near(run->cameras[0].position.y, -3, 0);
    assert_near(run->cameras[0].field_of_view, 0.78539816339744831, 1e-15);
    assert_int_equal(run->sim.accuracy, AFX_CONVERGED);
    assert_int_equal(run->model.solver, AFX_SOLVER_DENSE);
    assert_true(run->rigid);
    AfxBodyDef body;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &body));
    assert_true(isinf(body.young));
    assert_string_equal(run->columns, "time,energy");
}

static void a_run_is_saved_with_its_scene(void **state) {
    (void)state;
    char path[] = "/tmp/affix-run-XXXXXX";
    int fd = mkstemp(path);
    AfxScene *scene, *again;
    AfxRunDef run, back;
    AfxError error = {0};
    AfxSceneDef def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxModel *model, *other;
    assert_true(fd >= 0);
    close(fd);
    assert_ok(load_with(&scene, looks, 0, NULL, &run, &error));
    check_looks(scene, &run);
    assert_ok(afx_scene_save_run(scene, &run, path, &error));
    assert_ok(afx_scene_create(&def, &again));
    load.run = &back;
    assert_ok(afx_scene_load(again, path, &load, &error));
    check_looks(again, &back);
    assert_near(back.time, 3, 0);
    assert_near(back.sim.dt, 0.01, 0);
    assert_near(run.sim.flops_most, 3e7, 0);
    assert_near(back.sim.flops_most, 3e7, 0);
    assert_near(back.sim.bytes_most, 1e6, 0);
    assert_near(run.sim.sleep_speed, 0.02, 0);
    assert_near(back.sim.sleep_speed, 0.02, 0);
    assert_near(back.sim.sleep_time, 0.25, 0);
    assert_string_equal(back.set, run.set);
    assert_ok(afx_model_create(scene, &model, &error));
    assert_ok(afx_model_create(again, &other, &error));
    assert_true(afx_model_hash(model) == afx_model_hash(other));
    afx_model_destroy(other);
    afx_model_destroy(model);
    afx_scene_destroy(again);
    afx_scene_destroy(scene);
    unlink(path);
}

/** Colours are for the eye: a model does not see them. */
static void colours_change_no_model(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"affix_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}], \"repeat\": "
        "{\"count\": 2, "
        "\"step\": {\"position\": [3, 0, 0]}}}]}",
        "{\"affix_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, \"color\": "
        "\"#ff0000\"}]}, "
        "{\"position\": [3, 0, 0], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, \"color\": \"#00ff00\"}]}]}"};
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        AfxScene *scene;
        AfxModel *model;
        AfxError error = {0};
        assert_ok(load_with(&scene, texts[k], 0, NULL, NULL, &error));
        assert_ok(afx_model_create(scene, &model, &error));
        hash[k] = afx_model_hash(model);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
    assert_true(hash[0] == hash[1]);
}

static void shapes_point_where_they_are_told(void **state) {
    (void)state;
    static const AfxVec3 ways[] = {{1, 0, 0}, {0, -2, 0}, {0, 0, -3}, {0, 0, 1}, {1, -2, -2}};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        char text[300];
        AfxScene *scene;
        AfxError error = {0};
        AfxShapeDef shape;
        double length = sqrt(ways[k].x * ways[k].x + ways[k].y * ways[k].y + ways[k].z * ways[k].z);
        snprintf(
            text, sizeof text,
            "{\"affix_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"capsule\", \"radius\": 1, \"length\": 2, "
            "\"along\": [%g, %g, %g]}]}]}",
            ways[k].x, ways[k].y, ways[k].z);
        assert_ok(load_with(&scene, text, 0, NULL, NULL, &error));
        assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
        AfxVec3 axis = afx_quat_rotate(shape.pose.rotation, (AfxVec3){0, 0, 1});
        assert_vec3_at(axis, ways[k].x / length, ways[k].y / length, ways[k].z / length, 1e-15, __FILE__, __LINE__);
        afx_scene_destroy(scene);
    }
}

static void wrong_runs_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *keys, *parameter, *element, *text;
    } wrong[] = {
        {"\"parameters\": {\"a\": 1}", "b=2", "parameter b", "there is no such parameter"},
        {"\"gravity\": [0, 0, 0]", "b=2", "parameter b", "there is no such parameter"},
        {"\"parameters\": {\"a\": {\"value\": 1, \"max\": 2}}", "a=3", "parameters.a", "the parameter a is 3"},
        {"\"parameters\": {\"a\": {\"value\": 1, \"min\": 2}}", NULL, "parameters.a", "the parameter a is 1"},
        {"\"parameters\": {\"a\": 1}", "a=x", "a=x", ""},
        {"\"parameters\": {\"a\": 1}", "a", "a", "has no value"},
        {"\"parameters\": {\"a\": 1}, \"gravity\": [0, 0, \"= a * t\"]", NULL, "gravity[2]",
         "this number cannot depend on the time t"},
        {"\"parameters\": {\"a\": 0}, \"gravity\": [0, 0, \"= 1 / a\"]", NULL, "gravity[2]",
         "this formula does not come to a finite number"},
        {"\"parameters\": {\"a\": \"=b\", \"b\": 1}", NULL, "parameters.a", ""},
        {"\"gravity\": [0, 0, \"=1\"]", NULL, "gravity[2]", "this is not a number"},
        {"\"run\": {\"outputs\": [\"../x.h5\"]}", NULL, "run.outputs[0]", "this is no name of an output"},
        {"\"run\": {\"outputs\": [\"x.h5\", \"y.h5\"]}", NULL, "run.outputs[1]", "there are two outputs of this kind"},
        {"\"run\": {\"rho\": 0.5}", NULL, "run.rho", "rho is a number from 0 to 1 of the integrator alpha"},
        {"\"run\": {\"limits\": {\"flops\": 0}}", NULL, "run.limits.flops", "a limit is a number above 0"},
        {"\"run\": {\"sleep\": {\"speed\": 0}}", NULL, "run.sleep.speed", "a speed of sleep is a number above 0"},
        {"\"run\": {\"sleep\": {\"time\": 1}}", NULL, "run.sleep", "sleep needs a speed"},
        {"\"run\": {\"limits\": {\"flop\": 1}}", NULL, "run.limits.flop", "there is no key \"flop\" here"},
        {"\"run\": {\"integrater\": \"bdf1\"}", NULL, "run.integrater", "there is no key \"integrater\" here"},
        {"\"cameras\": [{\"position\": [0, 0, 0]}]", NULL, "cameras[0]", "this camera is where it looks"},
        {"\"cameras\": [{\"position\": [1, 0, 0], \"follow\": \"x\"}]", NULL, "cameras[0].follow",
         "there is no body \"x\""},
        {"\"textures\": {\"a\": {\"file\": \"../x.png\"}}", NULL, "", ""},
        {"\"textures\": {\"a\": {}}", NULL, "textures.a", "a texture has a file, a checker or data, one of them"},
        {"\"textures\": {\"a\": {\"data\": \"?\"}}", NULL, "textures.a.data", "this is not base64"},
        {"\"textures\": {\"a\": {\"data\": \"AAAA\"}}", NULL, "texture #0", "it is no PNG or JPEG file"},
        {"\"bodies\": [{\"texture\": \"b\"}]", NULL, "bodies[0].texture", "there is no such texture"},
        {"\"materials\": {\"m\": {\"texture\": \"b\"}}", NULL, "materials.m.texture", "there is no such texture"},
        {"\"groups\": [{\"parameters\": {}}]", NULL, "groups[0].parameters",
         "parameters are those of a file, and there is none"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[400];
        AfxScene *scene;
        AfxRunDef run;
        AfxError error = {0};
        snprintf(text, sizeof text, "{\"affix_scene\": 1, %s}", wrong[k].keys);
        assert_int_equal(load_with(&scene, text, wrong[k].parameter != NULL, &wrong[k].parameter, &run, &error),
                         AFX_E_INPUT);
        if (wrong[k].element[0]) {
            assert_string_equal(error.element, wrong[k].element);
        }
        if (wrong[k].text[0]) {
            assert_string_equal(error.text, wrong[k].text);
        }
        assert_near(run.sim.dt, 0.001, 0);
        assert_int_equal(run.parameter_count + run.camera_count + run.output_count, 0);
        afx_scene_destroy(scene);
    }
}

static void textures_are_files_patterns_or_text(void **state) {
    (void)state;
    static const char text[] =
        "{\"affix_scene\": 1, \"textures\": {\"board\": {\"checker\": [\"#ffffff\", \"#102030\"], \"tile\": 0.5},"
        "\"same\": {\"checker\": [\"#ffffff\", \"#102030\"]}}, \"materials\": {\"tiles\": {\"texture\": \"board\"}},"
        "\"bodies\": [{\"texture\": \"same\", \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}, {\"kind\": "
        "\"sphere\", \"radius\": 1, \"material\": \"tiles\"}]}, {\"shapes\": [{\"kind\": \"sphere\", \"radius\": "
        "1}]}]}";
    char path[] = "/tmp/affix-texture-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    AfxScene *scene, *again;
    AfxSceneDef scene_def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxError error = {0};
    AfxTextureDef first, second;
    AfxShapeDef shape;
    assert_ok(load_with(&scene, text, 0, NULL, NULL, &error));
    assert_ok(afx_scene_save(scene, path, &error));
    load.format = AFX_FORMAT_JSON;
    assert_ok(afx_scene_create(&scene_def, &again));
    assert_ok(afx_scene_load(again, path, &load, &error));
    for (int pass = 0; pass < 2; pass++) { /* as written, and as saved */
        const AfxScene *one = pass ? again : scene;
        assert_int_equal(afx_scene_texture_count(one), 2);
        assert_ok(afx_scene_get_shape(one, afx_scene_body(one, 0), 0, &shape));
        assert_true(shape.texture.scene && shape.texture.index == 1);
        assert_ok(afx_scene_get_shape(one, afx_scene_body(one, 0), 1, &shape));
        assert_true(shape.texture.scene && shape.texture.index == 0);
        assert_ok(afx_scene_get_shape(one, afx_scene_body(one, 1), 0, &shape));
        assert_int_equal(shape.texture.scene, 0);
        assert_ok(afx_scene_get_texture(one, afx_scene_texture(one, 0), &first));
        assert_near(first.tile, 0.5, 0);
    }
    assert_ok(afx_scene_get_texture(scene, afx_scene_texture(scene, 0), &second));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    afx_scene_destroy(scene);
    afx_scene_destroy(again);
    unlink(path);
}

static void groups_give_their_files_parameters(void **state) {
    (void)state;
    char folder[] = "/tmp/affix-run-XXXXXX", part[64], whole[64];
    AfxSceneDef def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxScene *scene;
    AfxError error = {0};
    AfxShapeDef shape;
    AfxRunDef run;
    assert_non_null(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/part.json", folder);
    snprintf(whole, sizeof whole, "%s/whole.json", folder);
    FILE *file = fopen(part, "w");
    fputs("{\"affix_scene\": 1, \"parameters\": {\"r\": {\"value\": 1, \"max\": 3}}, \"run\": {\"dt\": 9},"
          "\"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": \"=r\"}]}]}",
          file);
    fclose(file);
    file = fopen(whole, "w");
    fputs("{\"affix_scene\": 1, \"parameters\": {\"size\": 1}, \"groups\": [{\"file\": \"part.json\"},"
          "{\"file\": \"part.json\", \"position\": [9, 0, 0], \"parameters\": {\"r\": \"=2 * size\"}}]}",
          file);
    fclose(file);
    load.run = &run;
    for (int trial = 0; trial < 2; trial++) {
        static const char *const given = "size=1.25";
        load.parameters = &given;
        load.parameter_count = (uint32_t)trial;
        assert_ok(afx_scene_create(&def, &scene));
        assert_ok(afx_scene_load(scene, whole, &load, &error));
        assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
        assert_near(shape.radius, 1, 0);
        assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 1), 0, &shape));
        assert_near(shape.radius, trial ? 2.5 : 2, 0);
        assert_near(run.sim.dt, 0.001, 0); /* a file in a file is not run */
        assert_int_equal(run.parameter_count, 1);
        afx_scene_destroy(scene);
    }
    static const char *const much = "size=2";
    load.parameters = &much;
    assert_ok(afx_scene_create(&def, &scene));
    assert_int_equal(afx_scene_load(scene, whole, &load, &error), AFX_E_INPUT);
    assert_string_equal(error.element, "parameters.r");
    afx_scene_destroy(scene);
    unlink(part);
    unlink(whole);
    rmdir(folder);
}

int run_run_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_made_of_parameters),
        cmocka_unit_test(a_file_says_how_it_is_run),
        cmocka_unit_test(a_run_is_saved_with_its_scene),
        cmocka_unit_test(colours_change_no_model),
        cmocka_unit_test(shapes_point_where_they_are_told),
        cmocka_unit_test(wrong_runs_are_refused),
        cmocka_unit_test(textures_are_files_patterns_or_text),
        cmocka_unit_test(groups_give_their_files_parameters),
        cmocka_unit_test(exponents_are_no_names),
    };
    return cmocka_run_group_tests_name("load run file", tests, NULL, NULL);
}
