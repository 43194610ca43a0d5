/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as CSV, and columns read back from CSV and from trajectories. */
#include <unistd.h>

#include "tests.h"

#define COLUMNS "time,energy,body:fore.arm.z,joint:shoulder,residual"

static void record(AfxOutputKind kind, const char *path, const char *what, uint32_t steps) {
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxOutputDef def = afx_default_output(kind);
    def.path = path;
    def.what = what;
    def.chunk = 8;
    world_make(&world, NULL, NULL);
    assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
    for (uint32_t k = 0; k < steps; k++) {
        world_step(&world);
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
    }
    assert_fine(afx_output_close(output, &error), &error);
    world_free(&world);
}

static AfxTable *read_table(const char *path, uint32_t count, const char *const *names) {
    AfxTable *table = NULL;
    AfxError error = {0};
    assert_fine(afx_table_read(path, count, names, NULL, &table, &error), &error);
    return table;
}

/* The same run as a table and as a trajectory gives the same bits under the same names. */
static void test_agree(void **state) {
    (void)state;
    static const char *const names[] = {"residual", "joint:shoulder", "time", "energy", "body:fore.arm.z"};
    record(AFX_OUTPUT_CSV, scratch("a.csv"), COLUMNS, 30);
    record(AFX_OUTPUT_HDF5, scratch("a.h5"), "all", 30);
    AfxTable *csv = read_table(scratch("a.csv"), COUNT(names), names);
    AfxTable *h5 = read_table(scratch("a.h5"), COUNT(names), names);
    assert_int_equal(afx_table_column_count(csv), 1 + 3 + 1 + 4 + 1);
    assert_int_equal(afx_table_column_count(h5), afx_table_column_count(csv));
    assert_int_equal(afx_table_row_count(csv), 31);
    assert_int_equal(afx_table_row_count(h5), 31);
    for (uint32_t k = 0; k < afx_table_column_count(csv); k++) {
        assert_string_equal(afx_table_name(csv, k), afx_table_name(h5, k));
        assert_memory_equal(afx_table_column(csv, k), afx_table_column(h5, k), 31 * sizeof(double));
    }
    assert_null(afx_table_name(csv, 10));
    assert_null(afx_table_column(csv, 10));
    assert_same(afx_table_column(csv, 4)[30], 30 * 0.01);
    afx_table_destroy(csv);
    afx_table_destroy(h5);
}

static void test_first_line(void **state) {
    (void)state;
    record(AFX_OUTPUT_CSV, scratch("a.csv"), "step,joint:elbow,body:arm.qw", 1);
    size_t size;
    unsigned char *text = file_read(scratch("a.csv"), &size);
    assert_memory_equal(text, "step,joint:elbow,body:arm.qw\n0,", 31);
    assert_non_null(strstr((char *)text, "\n1,"));
    assert_int_equal(text[size - 1], '\n');
    free(text);
}

static void test_quotes(void **state) {
    (void)state;
    static const char text[] = "\"a,\"\"b\"\"\",plain,\"two\nlines\"\r\n1,2.5,3\r\n-inf,,\"4\"\r\n5";
    static const char *const names[] = {"plain", "a,\"b\"", "two\nlines"};
    file_write(scratch("q.csv"), text, sizeof text - 1);
    AfxTable *table = read_table(scratch("q.csv"), COUNT(names), names);
    assert_true(afx_table_row_count(table) == 3);
    const double *plain = afx_table_column(table, 0), *a = afx_table_column(table, 1),
                 *two = afx_table_column(table, 2);
    assert_same(plain[0], 2.5);
    assert_true(isnan(plain[1]) && isnan(plain[2]));
    assert_same(a[0], 1);
    assert_same(a[1], -INFINITY);
    assert_same(a[2], 5);
    assert_same(two[1], 4);
    assert_true(isnan(two[2]));
    afx_table_destroy(table);
}

static void assert_refused(const char *path, const char *name, AfxStatus want, const char *text) {
    AfxTable *table = NULL;
    AfxError error = {0};
    AfxStatus status = afx_table_read(path, 1, &name, NULL, &table, &error);
    if (status != want || !strstr(error.text, text) || table) {
        fail_msg("%s, %s: %s: %s: %s (wanted \"%s\")", path, name, afx_status_name(status), error.file, error.text,
                 text);
    }
}

static void test_refused(void **state) {
    (void)state;
    record(AFX_OUTPUT_CSV, scratch("a.csv"), "time", 1);
    record(AFX_OUTPUT_HDF5, scratch("a.h5"), "poses", 1);
    file_write(scratch("empty"), "", 0);
    file_write(scratch("short.h5"), "\x89HDF\r\n\x1a\n", 8);
    assert_refused(scratch("none"), "time", AFX_E_SYSTEM, "cannot be opened");
    assert_refused(scratch(""), "time", AFX_E_INPUT, "not a regular file");
    assert_refused(scratch("empty"), "time", AFX_E_INPUT, "is empty");
    assert_refused(scratch("a.csv"), "energy", AFX_E_INPUT, "has no column \"energy\"");
    assert_refused(scratch("a.csv"), "tim", AFX_E_INPUT, "has no column");
    assert_refused(scratch("a.h5"), "energy", AFX_E_INPUT, "holds no energy");
    assert_refused(scratch("a.h5"), "body:leg.x", AFX_E_INPUT, "no such body");
    assert_refused(scratch("short.h5"), "time", AFX_E_SYSTEM, "cannot be opened");
}

int run_table_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_agree, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_first_line, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_quotes, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_refused, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
