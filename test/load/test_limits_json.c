/* SPDX-License-Identifier: Apache-2.0 */
/* Small files that would become large: refused before they do. */
#include "tests.h"

#include <stdlib.h>

#include <jansson.h>

#include "support/allocator.h"

/** Loads under limits and an allocator that counts; the peak of memory in *out_peak (may be NULL). */
static AfxStatus load_limited(const char *text, size_t size, const AfxLoadDef *def, AfxError *error, size_t *out_peak) {
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    scene_def.allocator = test_allocator(&counts);
    assert_ok(afx_scene_create(&scene_def, &scene));
    AfxStatus status = afx_scene_load_text(scene, text, size, NULL, def, error);
    if (status) {
        assert_empty(scene);
    }
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
    if (out_peak) {
        *out_peak = counts.peak;
    }
    return status;
}

static void instances_are_counted_before_they_are_made(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bombs[] = {
        {"\"bodies\": [{\"repeat\": {\"count\": 1000001}}]", "1000001 bodies"},
        {"\"bodies\": [{\"repeat\": {\"count\": [4000000000, 4000000000, 4000000000]}}]", "bodies"},
        {"\"bodies\": [{\"repeat\": {\"count\": 1e300}}]", "bodies"},
        {"\"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}, {\"kind\": \"sphere\", \"radius\": 1}], "
         "\"repeat\": "
         "{\"count\": 600000}}]",
         "1200000 shapes"},
        {"\"bodies\": [{\"repeat\": {\"count\": 600000, \"joint\": {\"kind\": \"fixed\", \"drives\": [{}, {}]}}}]",
         "1200000 drives"},
        {"\"groups\": [{\"repeat\": {\"count\": 4000}, \"bodies\": [{\"repeat\": {\"count\": 4000}}]}]",
         "16000000 bodies"},
        {"\"groups\": [{\"repeat\": {\"count\": 4000}, \"groups\": [{\"repeat\": {\"count\": 4000}}]}]", "instances"},
        {"\"groups\": [{\"repeat\": {\"count\": 4294967295}, \"groups\": [{\"repeat\": {\"count\": 4294967295}, "
         "\"groups\": "
         "[{\"repeat\": {\"count\": 4294967295}, \"bodies\": [{}]}]}]}]",
         "bodies"},
        {"\"groups\": [{\"repeat\": {\"count\": 2147483648}, \"groups\": [{\"repeat\": {\"count\": 2147483648}, "
         "\"groups\": "
         "[{\"repeat\": {\"count\": 4}, \"bodies\": [{}]}]}]}]", /* 2^64 bodies */
         "bodies"},
        {"\"groups\": [{\"repeat\": {\"count\": 1000001}}]", "instances"},
        {"\"groups\": [{\"repeat\": {\"count\": 500001}, \"markers\": [{}, {}]}]", "1000002 markers"},
        {"\"groups\": [{\"repeat\": {\"count\": 500001}, \"joints\": [{\"cross\": {}}]}]", "1000002 joints"},
    };
    AfxLoadDef def = afx_default_load();
    def.format = AFX_FORMAT_JSON;
    for (size_t k = 0; k < sizeof bombs / sizeof bombs[0]; k++) {
        char text[600];
        AfxError error;
        size_t peak;
        int length = snprintf(text, sizeof text, "{\"affix_scene\": 1, %s}", bombs[k].text);
        AfxStatus status = load_limited(text, (size_t)length, &def, &error, &peak);
        if (status != AFX_E_LIMIT) {
            print_error("%s\n%s\n", text, error.text);
        }
        assert_int_equal(status, AFX_E_LIMIT);
        assert_error(&error, AFX_E_LIMIT, 1, "scene", bombs[k].says);
        assert_true(peak < 100000);
    }
}

static void limits_are_exact(void **state) {
    (void)state;
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    def.items_most = 10;
    const char *ten = "{\"affix_scene\": 1, \"bodies\": [{\"repeat\": {\"count\": 9}}, {}]}";
    const char *eleven = "{\"affix_scene\": 1, \"bodies\": [{\"repeat\": {\"count\": 10}}, {}]}";
    assert_loads(load_limited(ten, strlen(ten), &def, &error, NULL), &error);
    assert_int_equal(load_limited(eleven, strlen(eleven), &def, &error, NULL), AFX_E_LIMIT);
    def = afx_default_load();
    def.format = AFX_FORMAT_JSON;
    def.bytes_most = strlen(ten);
    assert_loads(load_limited(ten, strlen(ten), &def, &error, NULL), &error);
    def.bytes_most--;
    assert_int_equal(load_limited(ten, strlen(ten), &def, &error, NULL), AFX_E_LIMIT);
    def = afx_default_load();
    def.format = AFX_FORMAT_JSON;
    def.depth_most = 4; /* the scene, its bodies, a body, its instances */
    assert_loads(load_limited(ten, strlen(ten), &def, &error, NULL), &error);
    def.depth_most--;
    assert_int_equal(load_limited(ten, strlen(ten), &def, &error, NULL), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "file", "nested too deep");
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH + 1);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    assert_int_equal(load_limited(text, 2 * DEPTH, &def, &error, NULL), AFX_E_LIMIT);
    def.depth_most = UINT32_MAX; /* then the parser's own limit holds */
    assert_int_equal(load_limited(text, 2 * DEPTH, &def, &error, NULL), AFX_E_INPUT);
    free(text);
}

/* A text of empty objects takes a hundred times its size: that is seen before it is parsed. */
static void values_that_take_too_much_memory_are_refused(void **state) {
    (void)state;
    enum { OBJECTS = 100000 };
    size_t size = 3 * OBJECTS + 1;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t k = 0; k < OBJECTS; k++) {
        memcpy(text + 3 * k, k ? ",{}" : "[{}", 3);
    }
    text[size - 1] = ']';
    AfxLoadDef def = afx_default_load();
    AfxError error;
    size_t peak;
    def.format = AFX_FORMAT_JSON;
    assert_int_equal(load_limited(text, size, &def, &error, NULL), AFX_E_INPUT); /* parsed, and found to be no scene */
    def.bytes_most = size;
    assert_int_equal(load_limited(text, size, &def, &error, &peak), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "file", "too much memory");
    free(text);
}

/* Files in files: a scene that waits counts too. */
static void scenes_that_wait_are_counted(void **state) {
    (void)state;
    char folder[256], path[300];
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/a.json", folder);
    write_file(folder, "b.json", "{\"affix_scene\": 1, \"bodies\": [{\"repeat\": {\"count\": 60}}]}");
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.items_most = 100;
    static const struct {
        const char *text;
        AfxStatus status;
    } tries[] = {
        {"{\"affix_scene\": 1, \"groups\": [{\"file\": \"b.json\"}]}", AFX_OK},
        {"{\"affix_scene\": 1, \"bodies\": [{\"repeat\": {\"count\": 40}}], \"groups\": [{\"file\": \"b.json\"}]}",
         AFX_OK},
        {"{\"affix_scene\": 1, \"bodies\": [{\"repeat\": {\"count\": 41}}], \"groups\": [{\"file\": \"b.json\"}]}",
         AFX_E_LIMIT},
        {"{\"affix_scene\": 1, \"groups\": [{\"repeat\": {\"count\": 2}, \"file\": \"b.json\"}]}", AFX_E_LIMIT},
        {"{\"affix_scene\": 1, \"groups\": [{\"file\": \"b.json\"}, {\"file\": \"b.json\"}]}", AFX_E_LIMIT},
    };
    for (size_t k = 0; k < sizeof tries / sizeof tries[0]; k++) {
        write_file(folder, "a.json", tries[k].text);
        assert_int_equal(afx_scene_load(scene, path, &def, &error), tries[k].status);
        if (k == 2) { /* not read first and then found to be too much */
            assert_non_null(strstr(error.file, "b.json"));
        }
        afx_scene_clear(scene);
    }
    afx_scene_destroy(scene);
    remove_folder(folder);
}

/* ---- the parser's own memory ---- */

static size_t fail_at, calls; /* of jansson's, which takes one pair of functions for the whole program */

static void *counted_malloc(size_t size) {
    return ++calls == fail_at ? NULL : malloc(size);
}

static void the_parser_may_run_out_of_memory(void **state) {
    (void)state;
    const char *text = "{\"affix_scene\": 1, \"gravity\": [0, 0, -1], \"bodies\": [{\"name\": \"a\", \"mass\": 1.5}, "
                       "{\"gravity\": true}]}";
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    json_set_alloc_funcs(counted_malloc, free);
    size_t failures = 0;
    for (fail_at = 1;; fail_at++, failures++) {
        calls = 0;
        AfxStatus status = load_limited(text, strlen(text), &def, &error, NULL);
        if (status == AFX_OK && calls < fail_at) {
            break;
        }
        /* of a text without memory for it, jansson says that it is no text */
        assert_true(status == AFX_E_MEMORY || status == AFX_E_INPUT);
        assert_true(failures < 1000);
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(failures > 10);
}

int run_limits_json_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_counted_before_they_are_made),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(values_that_take_too_much_memory_are_refused),
        cmocka_unit_test(scenes_that_wait_are_counted),
        cmocka_unit_test(the_parser_may_run_out_of_memory),
    };
    return cmocka_run_group_tests_name("limits: JSON", tests, NULL, NULL);
}
