/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading again: the same model, and the same file once more. */
#define _XOPEN_SOURCE 700
#include "support/small.h"
#include "tests.h"

#include <dirent.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/cases.h"
#include "support/allocator.h"

static uint64_t hash_of(const AfxScene *scene) {
    AfxModel *model = NULL;
    AfxError error;
    if (afx_model_create(scene, &model, &error)) {
        print_error("%s: %s\n", error.element, error.text);
        fail();
    }
    uint64_t hash = afx_model_hash(model);
    afx_model_destroy(model);
    return hash;
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/** Files in a folder. */
static int count_files(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count - 2;
}

static void same_names(const AfxScene *a, const AfxScene *b) {
    assert_int_equal(afx_scene_body_count(a), afx_scene_body_count(b));
    for (uint32_t k = 0; k < afx_scene_body_count(a); k++) {
        assert_string_equal(afx_scene_body_name(a, afx_scene_body(a, k)), afx_scene_body_name(b, afx_scene_body(b, k)));
    }
    assert_int_equal(afx_scene_joint_count(a), afx_scene_joint_count(b));
    for (uint32_t k = 0; k < afx_scene_joint_count(a); k++) {
        assert_string_equal(afx_scene_joint_name(a, afx_scene_joint(a, k)),
                            afx_scene_joint_name(b, afx_scene_joint(b, k)));
    }
    assert_int_equal(afx_scene_drive_count(a), afx_scene_drive_count(b));
    for (uint32_t k = 0; k < afx_scene_drive_count(a); k++) {
        AfxDriveDef da, db;
        assert_ok(afx_scene_get_drive(a, k, &da));
        assert_ok(afx_scene_get_drive(b, k, &db));
        assert_string_equal(da.name ? da.name : "", db.name ? db.name : "");
    }
    assert_int_equal(afx_scene_marker_count(a), afx_scene_marker_count(b));
}

/** Saves, loads, compares hashes and names; saves again and compares the files. */
static void round_trip(const AfxScene *scene, const char *folder) {
    char path[300], again[300];
    snprintf(path, sizeof path, "%s/scene.json", folder);
    snprintf(again, sizeof again, "%s/again.json", folder);
    AfxError error;
    assert_loads(afx_scene_save(scene, path, &error), &error);
    AfxScene *copy = make_scene();
    AfxLoadDef def = afx_default_load();
    assert_loads(afx_scene_load(copy, path, &def, &error), &error);
    assert_int_equal(error.status, AFX_OK);
    assert_true(hash_of(copy) == hash_of(scene));
    same_names(scene, copy);
    assert_ok(afx_scene_save(copy, again, NULL));
    char *first = read_all(path), *second = read_all(again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    afx_scene_destroy(copy);
}

static void every_case_comes_back(void **state) {
    (void)state;
    char folder[256];
    make_folder(folder, sizeof folder);
    for (uint32_t k = 0; k < afxi_case_count(); k++) {
        AfxiCaseArguments arguments;
        AfxSceneDef def = afx_default_scene();
        AfxScene *scene = NULL;
        AfxError error;
        print_message("%s\n", afxi_case_at(k)->name);
        const char *small = small_case(afxi_case_at(k)->name);
        assert_ok(afxi_case_arguments(afxi_case_at(k), small ? 1 : 0, &small, &arguments, &error));
        assert_ok(afxi_case_build(&arguments, &def, &scene, &error));
        round_trip(scene, folder);
        afx_scene_destroy(scene);
    }
    assert_int_equal(count_files(folder), 2); /* nothing else was left behind */
    remove_folder(folder);
}

static void everything_comes_back(void **state) {
    (void)state;
    char folder[256];
    make_folder(folder, sizeof folder);
    AfxScene *scene = make_scene();
    round_trip(scene, folder); /* empty */
    assert_ok(build_rich(scene));
    round_trip(scene, folder);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

static void numbers_come_back_to_the_last_bit(void **state) {
    (void)state;
    char folder[256];
    make_folder(folder, sizeof folder);
    AfxScene *scene = make_scene();
    uint64_t random = 88172645463325252u;
    for (int k = 0; k < 200; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) { /* any bits that are a finite number, those too small to be normal among them */
            do {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                uint64_t bits = k % 5 ? random : random & 0x800fffffffffffffu;
                memcpy(&x[i], &bits, sizeof bits);
            } while (!isfinite(x[i]));
        }
        AfxBodyDef def = afx_default_body();
        AfxBodyId id;
        def.kind = AFX_BODY_FIXED;
        def.linear_velocity = (AfxVec3){x[0], x[1], x[2]};
        assert_ok(afx_scene_add_body(scene, &def, &id));
    }
    round_trip(scene, folder);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

/* Programs may set a locale whose numbers have commas. */
static void the_locale_does_not_matter(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    char folder[256];
    make_folder(folder, sizeof folder);
    bool found = false;
    for (int k = 0; k < 4 && !found; k++) {
        found = setlocale(LC_ALL, names[k]) != NULL;
    }
    AfxScene *scene = make_scene();
    assert_ok(build_rich(scene));
    round_trip(scene, folder);
    afx_scene_destroy(scene);
    setlocale(LC_ALL, "C");
    remove_folder(folder);
}

static void a_failed_save_leaves_the_old_file(void **state) {
    (void)state;
    char folder[256], path[600];
    make_folder(folder, sizeof folder);
    AfxScene *scene = make_scene();
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    AfxError error;
    def.name = "not UTF-8: \xff";
    assert_ok(afx_scene_add_body(scene, &def, &id));
    write_file(folder, "scene.json", "old");
    snprintf(path, sizeof path, "%s/scene.json", folder);
    assert_int_equal(afx_scene_save(scene, path, &error), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "UTF-8"));
    char *text = read_all(path);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(count_files(folder), 1);
    afx_scene_clear(scene);
    assert_ok(afx_scene_save(scene, path, &error));
    text = read_all(path);
    assert_non_null(strstr(text, "\"affix_scene\": 1"));
    free(text);
    snprintf(path, sizeof path, "%s/none/scene.json", folder);
    assert_int_equal(afx_scene_save(scene, path, &error), AFX_E_SYSTEM);
    assert_non_null(strstr(error.file, "none/scene.json"));
    assert_int_equal(afx_scene_save(scene, folder, &error), AFX_E_INPUT); /* a folder */
    assert_int_equal(afx_scene_save(scene, "/dev/null", &error), AFX_E_INPUT);
    assert_int_equal(afx_scene_save(NULL, path, &error), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_save(scene, NULL, NULL), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
    assert_int_equal(count_files(folder), 1);
    remove_folder(folder);
}

/* Every allocation of loading a saved rich scene, and of saving it, fails in turn. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    char folder[256], path[300];
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    AfxScene *scene = make_scene();
    assert_ok(build_rich(scene));
    assert_ok(afx_scene_save(scene, path, NULL));
    afx_scene_destroy(scene);
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    AfxError error;
    scene_def.allocator = test_allocator(&counts);
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_true(load_without_memory(scene, &counts, path) > 100);
    counts.fail_at = counts.calls + 1;
    assert_int_equal(afx_scene_save(scene, path, &error), AFX_E_MEMORY);
    counts.fail_at = 0;
    assert_ok(afx_scene_save(scene, path, &error));
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
    remove_folder(folder);
}

int run_save_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_comes_back),
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(numbers_come_back_to_the_last_bit),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(a_failed_save_leaves_the_old_file),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("save", tests, NULL, NULL);
}
