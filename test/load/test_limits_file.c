/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a load opens: inside the folder of the first file by real path, regular, within the limits. */
#define _XOPEN_SOURCE 700
#include "tests.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/load.h"
#include "support/allocator.h"

/** A folder with in/a.txt, in/deep/b.txt, out/c.txt and links between them. */
typedef struct Place {
    char top[256];
    char in[300], a[320], b[320], c[320];
    char link_in[320], link_out[320], link_folder[360];
} Place;

static Place make_place(void) {
    Place place;
    char folder[320];
    make_folder(place.top, sizeof place.top);
    snprintf(place.in, sizeof place.in, "%s/in", place.top);
    snprintf(place.a, sizeof place.a, "%s/a.txt", place.in);
    snprintf(place.b, sizeof place.b, "%s/deep/b.txt", place.in);
    snprintf(place.c, sizeof place.c, "%s/out/c.txt", place.top);
    snprintf(place.link_in, sizeof place.link_in, "%s/link-in.txt", place.in);
    snprintf(place.link_out, sizeof place.link_out, "%s/link-out.txt", place.in);
    snprintf(place.link_folder, sizeof place.link_folder, "%s/link-folder/c.txt", place.in);
    assert_int_equal(mkdir(place.in, 0700), 0);
    snprintf(folder, sizeof folder, "%s/deep", place.in);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(folder, sizeof folder, "%s/out", place.top);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_file(place.in, "a.txt", "first");
    write_file(place.in, "deep/b.txt", "second");
    write_file(place.top, "out/c.txt", "third");
    assert_int_equal(symlink("deep/b.txt", place.link_in), 0);
    assert_int_equal(symlink("../out/c.txt", place.link_out), 0);
    snprintf(folder, sizeof folder, "%s/link-folder", place.in);
    assert_int_equal(symlink("../out", folder), 0);
    return place;
}

static AfxiLoad begin(const AfxLoadDef *def, const char *first) {
    AfxiLoad load = {.def = def, .allocator = afx_default_allocator()};
    assert_true(afxi_load_root(&load, first, true));
    return load;
}

/** Whether `path` is read, asked for by line 7 of `from`; its text then. */
static bool reads(AfxiLoad *load, const char *path, const char *from, const char *want) {
    AfxiText text;
    memset(&load->error, 0, sizeof load->error);
    bool done = afxi_load_read(load, path, from, 7, &text);
    assert_int_equal(done, load->error.status == AFX_OK);
    assert_int_equal(done, text.data != NULL);
    if (done) {
        assert_string_equal(text.data, want);
        assert_int_equal(text.size, strlen(want));
    }
    afxi_load_release(load, &text);
    afxi_load_forget(load);
    return done;
}

static void files_of_the_first_folder_only(void **state) {
    (void)state;
    Place place = make_place();
    AfxLoadDef def = afx_default_load();
    AfxiLoad load = begin(&def, place.a);
    assert_true(reads(&load, place.a, place.a, "first"));
    assert_true(reads(&load, place.b, place.a, "second"));
    assert_true(reads(&load, place.link_in, place.a, "second"));
    const char *outside[] = {place.c, place.link_out, place.link_folder, "/dev/null"};
    for (int k = 0; k < 4; k++) {
        assert_false(reads(&load, outside[k], place.a, ""));
        assert_error(&load.error, AFX_E_INPUT, 7, "file \"", "outside the folder");
        assert_non_null(strstr(load.error.file, "in/a.txt"));
        assert_false(afxi_load_exists(&load, outside[k]));
    }
    assert_true(afxi_load_exists(&load, place.b));
    assert_false(afxi_load_exists(&load, place.in));
    char path[600];
    snprintf(path, sizeof path, "%s/deep/../../out/c.txt", place.in);
    assert_false(reads(&load, path, place.a, ""));
    snprintf(path, sizeof path, "%s/../in/deep/b.txt", place.in);
    assert_true(reads(&load, path, place.a, "second"));
    remove_folder(place.top);
}

/* The folder "in" is not the beginning of the folder "inside". */
static void a_folder_whose_name_begins_alike_is_another(void **state) {
    (void)state;
    Place place = make_place();
    AfxLoadDef def = afx_default_load();
    AfxiLoad load = begin(&def, place.a);
    char folder[320], path[360];
    snprintf(folder, sizeof folder, "%s/inside", place.top);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_file(folder, "d.txt", "fourth");
    snprintf(path, sizeof path, "%s/d.txt", folder);
    assert_false(reads(&load, path, place.a, ""));
    remove_folder(place.top);
}

static void a_caller_may_allow_more(void **state) {
    (void)state;
    Place place = make_place();
    AfxLoadDef def = afx_default_load();
    def.allow_outside = true;
    AfxiLoad load = begin(&def, place.a);
    assert_true(reads(&load, place.link_out, place.a, "third"));
    assert_true(reads(&load, place.c, place.a, "third"));
    char folder[300], package[320];
    snprintf(folder, sizeof folder, "%s/out", place.top);
    snprintf(package, sizeof package, "parts=%s", folder);
    const char *paths[] = {folder, package};
    for (int k = 0; k < 2; k++) {
        def = afx_default_load();
        def.package_paths = &paths[k];
        def.package_count = 1;
        load = begin(&def, place.a);
        assert_true(reads(&load, place.c, place.a, "third"));
        assert_true(reads(&load, place.link_out, place.a, "third"));
    }
    def = afx_default_load(); /* the first file itself may lie anywhere, also behind a link */
    load = begin(&def, place.link_out);
    assert_true(reads(&load, place.link_out, NULL, "third"));
    remove_folder(place.top);
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    Place place = make_place();
    AfxLoadDef def = afx_default_load();
    def.allow_outside = true;
    AfxiLoad load = begin(&def, place.a);
    char path[360];
    snprintf(path, sizeof path, "%s/pipe", place.in);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(reads(&load, path, place.a, "")); /* and does not wait for a writer */
    assert_error(&load.error, AFX_E_INPUT, 7, "pipe", "not a regular file");
    assert_false(reads(&load, place.in, place.a, ""));
    assert_error(&load.error, AFX_E_INPUT, 7, "in\"", "not a regular file");
    assert_false(reads(&load, "/dev/zero", place.a, ""));
    assert_error(&load.error, AFX_E_INPUT, 7, "/dev/zero", "not a regular file");
    snprintf(path, sizeof path, "%s/nothing", place.in);
    assert_false(reads(&load, path, place.a, ""));
    assert_error(&load.error, AFX_E_INPUT, 7, "nothing", "cannot be opened");
    remove_folder(place.top);
}

static void sizes_are_limited_together(void **state) {
    (void)state;
    Place place = make_place();
    AfxLoadDef def = afx_default_load();
    def.bytes_most = 11; /* "first" and "second" */
    AfxiLoad load = begin(&def, place.a);
    assert_true(reads(&load, place.a, place.a, "first"));
    assert_true(reads(&load, place.b, place.a, "second"));
    assert_false(reads(&load, place.a, place.a, ""));
    assert_error(&load.error, AFX_E_LIMIT, 7, "a.txt", "limit of 11 bytes");
    AfxiText text;
    load = begin(&def, place.a);
    assert_true(afxi_load_copy(&load, "elevenbytes", 11, &text));
    afxi_load_release(&load, &text);
    load = begin(&def, place.a);
    assert_false(afxi_load_copy(&load, "twelve bytes", 12, &text));
    def.bytes_most = 1000000;
    load = begin(&def, place.a);
    load.files = AFXI_FILES_MOST - 1;
    assert_true(reads(&load, place.a, place.a, "first"));
    assert_false(reads(&load, place.a, place.a, ""));
    assert_int_equal(load.error.status, AFX_E_LIMIT);
    remove_folder(place.top);
}

static void names_are_relative_to_the_file_that_has_them(void **state) {
    (void)state;
    AfxLoadDef def = afx_default_load();
    AfxiLoad load = {.def = &def};
    char path[24];
    assert_true(afxi_load_path(&load, "scene/arm.json", "parts/x.stl", path, sizeof path));
    assert_string_equal(path, "scene/parts/x.stl");
    assert_true(afxi_load_path(&load, "arm.json", "x.stl", path, sizeof path));
    assert_string_equal(path, "x.stl");
    assert_true(afxi_load_path(&load, "scene/arm.json", "/x.stl", path, sizeof path));
    assert_string_equal(path, "/x.stl");
    assert_false(afxi_load_path(&load, "scene/arm.json", "a-name-that-is-long", path, sizeof path));
    assert_error(&load.error, AFX_E_INPUT, 0, "a-name-that-is-long", "too long");
}

/* A long path keeps its end. */
static void errors_fit(void **state) {
    (void)state;
    AfxiLoad load = {0};
    char path[500];
    memset(path, 'p', sizeof path);
    memcpy(path + sizeof path - 10, "/end.json", 10);
    assert_false(afxi_load_error(&load, AFX_E_INPUT, path, 3, "e", "first", "c"));
    assert_int_equal(strlen(load.error.file), sizeof load.error.file - 1);
    assert_non_null(strstr(load.error.file, "pp/end.json"));
    assert_int_equal(strncmp(load.error.file, "...p", 4), 0);
    assert_false(afxi_load_error(&load, AFX_E_LIMIT, path, 4, "e", "second", "c"));
    assert_string_equal(load.error.text, "first");
}

static void a_format_is_told_by_ending_or_beginning(void **state) {
    (void)state;
    static const struct {
        const char *path, *text;
        AfxFormat format;
    } cases[] = {
        {"a.json", "<robot/>", AFX_FORMAT_JSON},
        {"a.URDF", "", AFX_FORMAT_URDF},
        {"a.mjcf", "", AFX_FORMAT_MJCF},
        {"a.xml", "<robot name='x'/>", AFX_FORMAT_URDF},
        {"a.xml", "\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <robot> --><!DOCTYPE x>\n<mujoco>", AFX_FORMAT_MJCF},
        {"a.xml", "<robots/>", AFX_FORMAT_AUTO},
        {"a.xml", "<mujoco", AFX_FORMAT_MJCF},
        {"a.xml", "<!-- never closed", AFX_FORMAT_AUTO},
        {"a.xml", "<", AFX_FORMAT_AUTO},
        {"a", " \n{}", AFX_FORMAT_JSON},
        {"a.png", "\x89PNG", AFX_FORMAT_AUTO},
        {"json", "", AFX_FORMAT_AUTO},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        AfxiText text = {(char *)(uintptr_t)cases[k].text, strlen(cases[k].text), 0};
        assert_int_equal(afxi_load_format(cases[k].path, &text), cases[k].format);
    }
}

typedef struct Told {
    int count;
    char last[200];
    int line;
} Told;

static void take_notice(void *user, const AfxNotice *notice) {
    Told *told = user;
    told->count++;
    told->line = notice->line;
    snprintf(told->last, sizeof told->last, "%s: %s: %s", notice->file, notice->element, notice->text);
}

static void a_notice_is_told_once(void **state) {
    (void)state;
    Told told = {0};
    TestAllocator counts = {0};
    AfxLoadDef def = afx_default_load();
    def.notice = take_notice;
    def.notice_user = &told;
    AfxiLoad load = {.def = &def, .allocator = test_allocator(&counts)};
    for (int line = 1; line <= 3; line++) {
        assert_true(afxi_load_notice(&load, AFX_NOTICE_IGNORED, "f", line, "joint \"a\" attribute \"b\"", "not used"));
    }
    assert_int_equal(told.count, 1);
    assert_int_equal(told.line, 1);
    assert_string_equal(told.last, "f: joint \"a\" attribute \"b\": not used");
    assert_true(afxi_load_notice(&load, AFX_NOTICE_IGNORED, "g", 4, "joint \"a\" attribute \"b\"", "not used"));
    assert_true(afxi_load_notice(&load, AFX_NOTICE_IGNORED, "f", 5, "joint \"a\" attribute \"c\"", "not used"));
    assert_true(afxi_load_notice(&load, AFX_NOTICE_CHANGED, "f", 6, "joint \"a\" attribute \"b\"", "not used"));
    assert_int_equal(told.count, 4);
    for (int k = 0; k < 5000; k++) { /* a file with many does not drown everything else */
        char element[32];
        snprintf(element, sizeof element, "e%d", k);
        assert_true(afxi_load_notice(&load, AFX_NOTICE_IGNORED, "f", k, element, "not used"));
    }
    assert_int_equal(told.count, 1001);
    assert_non_null(strstr(told.last, "not listed"));
    afxi_load_forget(&load);
    assert_int_equal(counts.live, 0);
    load = (AfxiLoad){.def = &def, .allocator = test_allocator(&counts)};
    counts.fail_at = counts.calls + 1;
    assert_false(afxi_load_notice(&load, AFX_NOTICE_IGNORED, "f", 1, "e", "not used"));
    assert_int_equal(load.error.status, AFX_E_MEMORY);
    def.strict = true;
    load = (AfxiLoad){.def = &def, .allocator = test_allocator(&counts)};
    assert_false(afxi_load_notice(&load, AFX_NOTICE_IGNORED, "f", 9, "e", "not used"));
    assert_error(&load.error, AFX_E_INPUT, 9, "e", "not used");
}

static void nesting_and_counts_are_limited(void **state) {
    (void)state;
    AfxLoadDef def = afx_default_load();
    def.depth_most = 2;
    def.items_most = 5;
    AfxiLoad load = {.def = &def};
    assert_true(afxi_load_enter(&load, "f", 1));
    assert_true(afxi_load_enter(&load, "f", 1));
    assert_false(afxi_load_enter(&load, "f", 8));
    assert_error(&load.error, AFX_E_LIMIT, 8, "include", "2 deep");
    load = (AfxiLoad){.def = &def};
    assert_true(afxi_load_enter(&load, "f", 1));
    afxi_load_leave(&load);
    assert_int_equal(load.depth, 0);
    assert_true(afxi_load_items(&load, 5, "bodies", "f", 1));
    assert_false(afxi_load_items(&load, 6, "bodies", "f", 2));
    assert_error(&load.error, AFX_E_LIMIT, 2, "scene", "6 bodies");
}

static void misuse_is_refused(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load(), zero = {0};
    AfxError error;
    assert_int_equal(afx_scene_load(NULL, "x", &def, &error), AFX_E_ARGUMENT);
    assert_int_equal(error.status, AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_load(scene, NULL, &def, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_load(scene, "x", NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_load(scene, "x", &zero, NULL), AFX_E_VERSION);
    assert_int_equal(afx_scene_load_text(scene, NULL, 0, NULL, &def, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_load_text(scene, "{}", 2, NULL, &def, &error), AFX_E_ARGUMENT);
    assert_non_null(strstr(error.text, "format"));
    def.format = (AfxFormat)9;
    assert_int_equal(afx_scene_load(scene, "x", &def, NULL), AFX_E_ARGUMENT);
    def = afx_default_load();
    assert_int_equal(afx_scene_load(scene, "no-such-folder/x.json", &def, &error), AFX_E_INPUT);
    assert_string_equal(error.file, "no-such-folder/x.json");
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_int_equal(afx_scene_load(scene, "x", &def, &error), AFX_E_ARGUMENT);
    assert_non_null(strstr(error.text, "not empty"));
    assert_int_equal(afx_scene_body_count(scene), 1); /* what was there is not touched */
    afx_scene_destroy(scene);
}

int run_limits_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_first_folder_only),
        cmocka_unit_test(a_folder_whose_name_begins_alike_is_another),
        cmocka_unit_test(a_caller_may_allow_more),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(sizes_are_limited_together),
        cmocka_unit_test(names_are_relative_to_the_file_that_has_them),
        cmocka_unit_test(errors_fit),
        cmocka_unit_test(a_format_is_told_by_ending_or_beginning),
        cmocka_unit_test(a_notice_is_told_once),
        cmocka_unit_test(nesting_and_counts_are_limited),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests_name("limits: files", tests, NULL, NULL);
}
