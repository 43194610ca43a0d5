/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks and files that are complete or not there. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/file.h"
#include "tests.h"

static void test_sink(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiSink sink;
    int fd = open(scratch("a"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(afxi_sink_open(&allocator, fd, 0, &sink));
    char *want = malloc(400000);
    size_t used = 0;
    for (int k = 0; k < 3000; k++) { /* pieces below and above the buffer's size */
        char piece[200];
        memset(piece, 'a' + k % 26, sizeof piece);
        size_t size = k % 199;
        afxi_sink_write(&sink, piece, size);
        memcpy(want + used, piece, size);
        used += size;
    }
    afxi_sink_write(&sink, want, 70000);
    memcpy(want + used, want, 70000);
    used += 70000;
    afxi_sink_print(&sink, "%d|", 42);
    afxi_sink_number(&sink, 0.1, 17);
    memcpy(want + used, "42|0.10000000000000001", 22);
    used += 22;
    assert_int_equal(sink.size, used);
    assert_true(afxi_sink_close(&sink, true));
    size_t size;
    unsigned char *got = file_read(scratch("a"), &size);
    assert_int_equal(size, used);
    assert_memory_equal(got, want, used);
    free(got);
    free(want);
}

static void test_full(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiSink sink;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) {
        print_message("SKIP: no /dev/full\n");
        return;
    }
    char block[1000] = {0};
    assert_true(afxi_sink_open(&allocator, fd, 0, &sink));
    for (int k = 0; k < 100; k++) {
        afxi_sink_write(&sink, block, sizeof block);
    }
    assert_int_equal(sink.error, ENOSPC);
    assert_false(afxi_sink_close(&sink, false));
}

static AfxStatus replace_with(const char *text, const char *previous, AfxError *error) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiReplace replace;
    AfxStatus status = afxi_replace_open(&allocator, scratch("f"), &replace, error);
    if (status == AFX_OK) {
        afxi_sink_text(&replace.sink, text);
        status = afxi_replace_commit(&replace, previous, error);
    }
    return status;
}

static void assert_holds(const char *name, const char *text) {
    size_t size;
    unsigned char *data = file_read(scratch(name), &size);
    if (!text) {
        assert_null(data);
        return;
    }
    assert_non_null(data);
    assert_string_equal((char *)data, text);
    free(data);
}

static void test_replace(void **state) {
    (void)state;
    AfxError error;
    AfxAllocator allocator = afx_default_allocator();
    assert_ok(replace_with("one", scratch("f.1"), &error)); /* nothing to keep */
    assert_holds("f", "one");
    assert_holds("f.1", NULL);
    assert_ok(replace_with("two", scratch("f.1"), &error));
    assert_holds("f", "two");
    assert_holds("f.1", "one");
    assert_ok(replace_with("three", NULL, &error));
    assert_holds("f", "three");
    assert_holds("f.1", "one");
    AfxiReplace replace;
    assert_ok(afxi_replace_open(&allocator, scratch("f"), &replace, &error));
    afxi_sink_text(&replace.sink, "half");
    afxi_replace_abandon(&replace);
    assert_holds("f", "three");
    assert_holds("f.new", NULL);
}

static void test_refused(void **state) {
    (void)state;
    AfxError error;
    AfxAllocator allocator = afx_default_allocator();
    AfxiReplace replace;
    char path[400];
    snprintf(path, sizeof path, "%s/none/f", scratch(""));
    assert_int_equal(afxi_replace_open(&allocator, path, &replace, &error), AFX_E_SYSTEM);
    assert_non_null(strstr(error.file, "/none/f"));
    assert_non_null(strstr(error.text, "cannot be made"));
    assert_int_equal(afxi_replace_open(&allocator, scratch(""), &replace, &error), AFX_E_SYSTEM);
    assert_string_equal(error.text, "is a folder");
    assert_int_equal(afxi_replace_open(&allocator, "/dev/null", &replace, &error), AFX_E_SYSTEM);
    assert_string_equal(error.text, "is not a regular file");
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void test_long_path(void **state) {
    (void)state;
    AfxError error;
    char path[1000];
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 7, "end.h5", 7);
    afxi_file_error(&error, AFX_E_SYSTEM, path, "text", "cure");
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_memory_equal(error.file, "...", 3);
    assert_string_equal(error.file + strlen(error.file) - 6, "end.h5");
}

int run_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sink, scratch_setup, scratch_teardown),
        cmocka_unit_test(test_full),
        cmocka_unit_test_setup_teardown(test_replace, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test(test_long_path),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
