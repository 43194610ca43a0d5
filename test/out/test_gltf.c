/* SPDX-License-Identifier: Apache-2.0 */
/* Animations: the .glb is taken apart by jansson and by the specification, and compared with the sim. */
#include <jansson.h>
#include <unistd.h>

#include "tests.h"

enum { STEPS = 40, EVERY = 6 }; /* frames, and steps for each: long enough for whole turns */

typedef struct Glb {
    unsigned char *data;
    size_t size;
    json_t *json;
    const unsigned char *binary;
    uint32_t binary_size;
} Glb;

static uint32_t u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void glb_open(Glb *glb, const char *path) {
    json_error_t error;
    glb->data = file_read(path, &glb->size);
    assert_non_null(glb->data);
    assert_memory_equal(glb->data, "glTF", 4);
    assert_int_equal(u32(glb->data + 4), 2);
    assert_int_equal(u32(glb->data + 8), glb->size);
    uint32_t json = u32(glb->data + 12);
    assert_memory_equal(glb->data + 16, "JSON", 4);
    assert_int_equal(json % 4, 0);
    glb->json = json_loadb((char *)glb->data + 20, json, 0, &error);
    if (!glb->json) {
        fail_msg("line %d: %s", error.line, error.text);
    }
    glb->binary_size = u32(glb->data + 20 + json);
    assert_memory_equal(glb->data + 24 + json, "BIN", 4);
    glb->binary = glb->data + 28 + json;
    assert_int_equal(28 + json + glb->binary_size, glb->size);
}

static void glb_close(Glb *glb) {
    json_decref(glb->json);
    free(glb->data);
}

static const json_t *member(const Glb *glb, const char *list, size_t k) {
    const json_t *item = json_array_get(json_object_get(glb->json, list), k);
    assert_non_null(item);
    return item;
}

static size_t integer(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (size_t)json_integer_value(value);
}

/* The numbers of an accessor; everything about its place is checked. */
static const unsigned char *accessor(const Glb *glb, size_t k, const char *type, size_t component, size_t *out_count) {
    const json_t *item = member(glb, "accessors", k), *view = member(glb, "bufferViews", integer(item, "bufferView"));
    size_t width = strcmp(type, "SCALAR") == 0 ? 1 : (size_t)(type[3] - '0');
    size_t offset = integer(item, "byteOffset");
    *out_count = integer(item, "count");
    assert_string_equal(json_string_value(json_object_get(item, "type")), type);
    assert_int_equal(integer(item, "componentType"), component);
    assert_int_equal((integer(view, "byteOffset") + offset) % 4, 0);
    assert_true(offset + *out_count * width * 4 <= integer(view, "byteLength"));
    assert_true(integer(view, "byteOffset") + integer(view, "byteLength") <= glb->binary_size);
    assert_true(*out_count > 0);
    return glb->binary + integer(view, "byteOffset") + offset;
}

static float number(const unsigned char *at, size_t k) {
    float value;
    memcpy(&value, at + 4 * k, 4);
    return value;
}

static void record(const char *path, AfxPose poses[STEPS + 1][WORLD_BODIES]) {
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_GLTF);
    def.path = path;
    def.title = "a \"title\"";
    def.every = EVERY;
    world_make(&world, NULL, NULL);
    assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
    assert_ok(afx_sim_poses(world.sim, poses[0]));
    for (int k = 1; k <= STEPS; k++) {
        for (int step = 0; step < EVERY; step++) {
            world_step(&world);
            assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
        }
        assert_ok(afx_sim_poses(world.sim, poses[k]));
    }
    assert_fine(afx_output_close(output, &error), &error);
    world_free(&world);
}

static void assert_pose(const json_t *node, AfxPose pose) {
    const double want[7] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.x,
                            pose.rotation.y, pose.rotation.z, pose.rotation.w};
    for (size_t k = 0; k < 7; k++) {
        const json_t *list = json_object_get(node, k < 3 ? "translation" : "rotation");
        assert_near(json_number_value(json_array_get(list, k < 3 ? k : k - 3)), want[k], 1e-6);
    }
}

static void test_scene(void **state) {
    (void)state;
    static AfxPose poses[STEPS + 1][WORLD_BODIES];
    Glb glb;
    record(scratch("a.glb"), poses);
    glb_open(&glb, scratch("a.glb"));
    const json_t *root = member(&glb, "nodes", 0);
    assert_int_equal(json_array_size(json_object_get(root, "children")), WORLD_BODIES);
    assert_string_equal(json_string_value(json_object_get(member(&glb, "scenes", 0), "name")), "a \"title\"");
    assert_int_equal(json_array_size(json_object_get(glb.json, "nodes")), 1 + 2 * WORLD_BODIES);
    for (size_t k = 0; k < WORLD_BODIES; k++) {
        const json_t *body = member(&glb, "nodes", 1 + k);
        assert_pose(body, poses[0][k]);
        const json_t *children = json_object_get(body, "children");
        assert_int_equal(json_array_size(children), 1);
        const json_t *worn = member(&glb, "nodes", (size_t)json_integer_value(json_array_get(children, 0)));
        const json_t *mesh = member(&glb, "meshes", integer(worn, "mesh"));
        const json_t *primitive = json_array_get(json_object_get(mesh, "primitives"), 0);
        size_t vertices, corners, materials = json_array_size(json_object_get(glb.json, "materials"));
        const json_t *attributes = json_object_get(primitive, "attributes");
        const json_t *positions = member(&glb, "accessors", integer(attributes, "POSITION"));
        const unsigned char *at = accessor(&glb, integer(attributes, "POSITION"), "VEC3", 5126, &vertices);
        for (size_t v = 0; v < 3 * vertices; v++) {
            assert_true((double)number(at, v) <=
                        json_number_value(json_array_get(json_object_get(positions, "max"), v % 3)));
            assert_true((double)number(at, v) >=
                        json_number_value(json_array_get(json_object_get(positions, "min"), v % 3)));
        }
        if (json_object_get(attributes, "NORMAL")) {
            size_t normals;
            at = accessor(&glb, integer(attributes, "NORMAL"), "VEC3", 5126, &normals);
            assert_int_equal(normals, vertices);
            for (size_t v = 0; v < normals; v++) {
                float x = number(at, 3 * v), y = number(at, 3 * v + 1), z = number(at, 3 * v + 2);
                assert_near((double)(x * x + y * y + z * z), 1, 1e-5);
            }
        }
        at = accessor(&glb, integer(primitive, "indices"), "SCALAR", 5125, &corners);
        assert_int_equal(corners % 3, 0);
        for (size_t c = 0; c < corners; c++) {
            assert_true(u32(at + 4 * c) < vertices);
        }
        assert_true(integer(primitive, "material") < materials);
    }
    glb_close(&glb);
}

static void test_animation(void **state) {
    (void)state;
    static AfxPose poses[STEPS + 1][WORLD_BODIES];
    Glb glb;
    record(scratch("a.glb"), poses);
    glb_open(&glb, scratch("a.glb"));
    assert_int_equal(access(scratch("a.glb.part"), F_OK), -1);
    const json_t *animation = member(&glb, "animations", 0), *channels = json_object_get(animation, "channels");
    assert_int_equal(json_array_size(channels), 2 * (WORLD_BODIES - 1)); /* all but the ground */
    for (size_t k = 0; k < json_array_size(channels); k++) {
        const json_t *channel = json_array_get(channels, k), *target = json_object_get(channel, "target");
        const json_t *sampler = json_array_get(json_object_get(animation, "samplers"), integer(channel, "sampler"));
        bool turns = strcmp(json_string_value(json_object_get(target, "path")), "rotation") == 0;
        size_t body = integer(target, "node") - 1, count;
        assert_true(body >= 1 && body < WORLD_BODIES);
        const unsigned char *times = accessor(&glb, integer(sampler, "input"), "SCALAR", 5126, &count);
        assert_int_equal(count, STEPS + 1);
        const unsigned char *track = accessor(&glb, integer(sampler, "output"), turns ? "VEC4" : "VEC3", 5126, &count);
        assert_int_equal(count, STEPS + 1);
        for (size_t frame = 0; frame <= STEPS; frame++) {
            AfxPose pose = poses[frame][body];
            assert_near((double)number(times, frame), 0.01 * EVERY * (double)frame, 1e-6);
            if (!turns) {
                assert_near((double)number(track, 3 * frame + 2), pose.position.z, 1e-6);
                continue;
            }
            double dot = (double)number(track, 4 * frame) * pose.rotation.x +
                         (double)number(track, 4 * frame + 1) * pose.rotation.y +
                         (double)number(track, 4 * frame + 2) * pose.rotation.z +
                         (double)number(track, 4 * frame + 3) * pose.rotation.w;
            assert_near(fabs(dot), 1, 1e-6); /* the same rotation */
            double along = 0;
            for (size_t c = 0; c < 4 && frame > 0; c++) {
                along += (double)number(track, 4 * frame + c) * (double)number(track, 4 * (frame - 1) + c);
            }
            assert_true(frame == 0 || along > 0); /* without a jump of sign */
        }
    }
    glb_close(&glb);
}

/* Times must rise also where single precision cannot tell them apart. */
static void test_times_rise(void **state) {
    (void)state;
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxSimDef sim = afx_default_sim();
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_GLTF);
    Glb glb;
    size_t count;
    def.path = scratch("t.glb");
    world_make(&world, NULL, &sim);
    for (int k = 0; k < 100; k++) { /* to 1 s, where steps of 1e-9 s vanish */
        world_step(&world);
    }
    assert_ok(afx_sim_set_dt(world.sim, 1e-9));
    assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
    for (int k = 0; k < 20; k++) {
        assert_ok(afx_step(world.sim, &world.report));
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
    }
    double time = afx_sim_time(world.sim);
    assert_fine(afx_output_close(output, &error), &error);
    glb_open(&glb, def.path);
    const json_t *sampler = json_array_get(json_object_get(member(&glb, "animations", 0), "samplers"), 0);
    const unsigned char *times = accessor(&glb, integer(sampler, "input"), "SCALAR", 5126, &count);
    assert_int_equal(count, 21);
    for (size_t k = 1; k < count; k++) {
        assert_true(number(times, k) > number(times, k - 1));
    }
    assert_near((double)number(times, 20), time, 1e-5);
    glb_close(&glb);
    world_free(&world);
}

/* Nothing that moves, or nothing at all to see. */
static void test_still(void **state) {
    (void)state;
    for (int shapes = 0; shapes < 2; shapes++) {
        AfxSceneDef scene_def = afx_default_scene();
        AfxSimDef sim_def = afx_default_sim();
        AfxOutputDef def = afx_default_output(AFX_OUTPUT_GLTF);
        AfxBodyDef body = afx_default_body();
        AfxShapeDef box = afx_default_box(1, 1, 1);
        AfxScene *scene = NULL;
        AfxModel *model = NULL;
        AfxSim *sim = NULL;
        AfxOutput *output = NULL;
        AfxBodyId id;
        AfxError error = {0};
        body.kind = AFX_BODY_FIXED;
        def.path = scratch("still.glb");
        assert_ok(afx_scene_create(&scene_def, &scene));
        assert_ok(afx_scene_add_body(scene, &body, &id));
        if (shapes) {
            assert_ok(afx_scene_add_shape(scene, id, &box));
        }
        assert_fine(afx_model_create(scene, &model, &error), &error);
        assert_ok(afx_sim_create(model, &sim_def, &sim));
        assert_fine(afx_output_create(&def, scene, sim, &output, &error), &error);
        assert_fine(afx_output_close(output, &error), &error);
        size_t size;
        unsigned char *data = file_read(def.path, &size);
        uint32_t length = u32(data + 12);
        json_error_t fault;
        json_t *json = json_loadb((char *)data + 20, length, 0, &fault);
        assert_non_null(json);
        assert_int_equal(u32(data + 8), size);
        assert_null(json_object_get(json, "animations"));
        assert_int_equal(json_array_size(json_object_get(json, "meshes")), shapes);
        assert_true(shapes || size == 20 + length);
        json_decref(json);
        free(data);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

int run_gltf_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scene, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_animation, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_times_rise, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_still, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("glTF", tests, NULL, NULL);
}
