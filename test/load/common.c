/* SPDX-License-Identifier: Apache-2.0 */
/* Folders, files and scenes for tests. */
#define _XOPEN_SOURCE 700
#include "tests.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

void make_folder(char *out, size_t size) {
    const char *top = getenv("TMPDIR");
    snprintf(out, size, "%s/affix-load-XXXXXX", top && top[0] ? top : "/tmp");
    assert_non_null(mkdtemp(out));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void remove_folder(const char *folder) {
    assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void write_file(const char *folder, const char *name, const char *text) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

AfxScene *load_json(const char *text) {
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    assert_loads(afx_scene_load_text(scene, text, strlen(text), NULL, &def, &error), &error);
    return scene;
}

uint64_t load_without_memory(AfxScene *scene, TestAllocator *counts, const char *path) {
    AfxLoadDef def = afx_default_load();
    size_t empty = counts->live;
    for (uint64_t k = 1;; k++) {
        AfxError error;
        counts->calls = 0;
        counts->fail_at = k;
        counts->fail_on = k % 2;
        AfxStatus status = afx_scene_load(scene, path, &def, &error);
        if (status == AFX_OK) {
            return k - 1;
        }
        if (status != AFX_E_MEMORY) {
            print_error("%s:%d %s: %s\n", error.file, error.line, error.element, error.text);
        }
        assert_int_equal(status, AFX_E_MEMORY);
        assert_non_null(strstr(error.text, "memory"));
        assert_true(error.cure[0]);
        assert_empty(scene);
        assert_int_equal(counts->live, empty);
    }
}
