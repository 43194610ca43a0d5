/* SPDX-License-Identifier: Apache-2.0 */
/* Real model files (../shared/data): each URDF and MJCF file loads, or is refused with its place, the cause and a cure;
 * so are the JSON files, which are of other programs. None takes more memory and allocations than its size and that of
 * its meshes explain, nor more processor time than docs/formats.md promises. What loads is saved and loads again as the
 * same model. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "xml_tests.h"

#define FOLDER "../shared/data"
#define FILES_MOST 2000u
#define MEMORY_MOST ((size_t)256 * 1024 * 1024)
#define ALLOCATIONS_MOST 200000u
#define SECONDS_MOST 2.0 /* of processor time, for files of ... */
#define SMALL_FILE 1000000
#define SAVED_MOST ((size_t)4 * 1024 * 1024)

static char *paths[FILES_MOST];
static uint32_t path_count;

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static int take_path(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info;
    (void)where;
    if (kind == FTW_F && path_count < FILES_MOST &&
        (ends_with(path, ".json") || ends_with(path, ".urdf") || ends_with(path, ".sdf") || ends_with(path, ".xml") ||
         ends_with(path, ".mjcf"))) {
        paths[path_count++] = strdup(path);
    }
    return 0;
}

/** A refusal says where, what and what to do; and it is the file that is wrong, not the call or the machine. */
static bool is_clear(const AfxError *error) {
    return (error->status == AFX_E_INPUT || error->status == AFX_E_LIMIT) && error->file[0] && error->element[0] &&
           error->text[0] && error->cure[0];
}

/** Saves a scene and reads it again: the same model. */
static bool comes_back(const AfxScene *scene, const char *folder) {
    char path[400];
    AfxLoadDef def = afx_default_load();
    AfxModel *first = NULL, *second = NULL;
    AfxScene *again = make_scene();
    AfxError error;
    snprintf(path, sizeof path, "%s/scene.json", folder);
    if (afx_model_create(scene, &first, &error) != AFX_OK) { /* some are made to be refused by MuJoCo's compiler */
        afx_scene_destroy(again);
        return error.text[0] && error.cure[0];
    }
    bool same = afx_scene_save(scene, path, &error) == AFX_OK && afx_scene_load(again, path, &def, &error) == AFX_OK &&
                afx_model_create(again, &second, &error) == AFX_OK && afx_model_hash(first) == afx_model_hash(second);
    afx_model_destroy(first);
    afx_model_destroy(second);
    afx_scene_destroy(again);
    return same;
}

/** Loads one file; false after what is wrong was printed. */
static bool try_file(const char *path, const char *folder, bool *out_loaded) {
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    AfxLoadDef def = afx_default_load();
    AfxScene *scene;
    AfxError error = {0};
    scene_def.allocator = test_allocator(&counts);
    assert_ok(afx_scene_create(&scene_def, &scene));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    clock_t before = clock();
    AfxStatus status = afx_scene_load(scene, path, &def, &error);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    bool good = (status == AFX_OK || is_clear(&error)) && counts.peak < MEMORY_MOST && counts.calls < ALLOCATIONS_MOST;
    good = good && (seconds < SECONDS_MOST || info.st_size >= SMALL_FILE);
    bool small = counts.peak < SAVED_MOST; /* large meshes take long as JSON */
    good = good && (status != AFX_OK || !small || comes_back(scene, folder));
    if (!good) {
        print_error("%s: %s, %.2f s, %zu MB, %lu allocations; %s:%d %s: %s (%s)\n", path, afx_status_name(status),
                    seconds, counts.peak >> 20, (unsigned long)counts.calls, error.file, error.line, error.element,
                    error.text, error.cure);
    }
    afx_scene_destroy(scene);
    *out_loaded = status == AFX_OK;
    return good && counts.live == 0;
}

static void real_files_load_or_say_why_not(void **state) {
    (void)state;
    struct stat info;
    if (stat(FOLDER, &info) != 0) {
        print_message("SKIP: " FOLDER " is not there\n");
        return;
    }
    uint32_t loaded = 0, bad = 0, foreign = 0;
    char folder[256];
    make_folder(folder, sizeof folder);
    path_count = 0;
    assert_int_equal(nftw(FOLDER, take_path, 16, FTW_PHYS), 0);
    for (uint32_t k = 0; k < path_count; k++) {
        bool one = false;
        bad += !try_file(paths[k], folder, &one);
        loaded += one;
        foreign += ends_with(paths[k], ".json");
        free(paths[k]);
    }
    print_message("%u of %u files load\n", loaded, path_count);
    assert_int_equal(bad, 0);
    assert_true(path_count == 0 || loaded > (path_count - foreign) / 2);
    remove_folder(folder);
}

int run_corpus_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_load_or_say_why_not),
    };
    return cmocka_run_group_tests_name("real files", tests, NULL, NULL);
}
