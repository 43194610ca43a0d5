/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is killed leaves the write that it was at cut in two, at the end of a page of the file: the kernel
 * looks for signals between them. Here a process ends at every one of its writes in turn, with the write not begun or
 * cut, and its trajectory is taken up again. */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "out/redo.h"
#include "tests.h"

enum { PAGE = 4096, MARK = 33, BEYOND = 7, BEYOND_LONG = 40, CHUNK = 3 };

long syscall(long number, ...);

static long left = -1; /* writes until the end; negative: there is none */
static bool torn;      /* the last write is begun */

/* Takes the place of the C library's. */
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    if (left == 0) {
        size_t first = PAGE - (size_t)at % PAGE;
        if (torn && first < size) {
            syscall(SYS_pwrite64, file, data, first, at);
        }
        _exit(3);
    }
    left -= left > 0;
    return syscall(SYS_pwrite64, file, data, size, at);
}

static AfxOutputDef definition(void) {
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
    def.path = scratch("torn.h5");
    def.what = "all";
    def.chunk = CHUNK;
    return def;
}

static void steps(World *world, AfxOutput *output, int count) {
    AfxError error = {0};
    for (int k = 0; k < count; k++) {
        world_step(world);
        assert_fine(afx_output_step(output, world->sim, &world->report, &error), &error);
    }
}

/* In a process that ends at its write `end` after the mark; false when it had fewer. */
static bool run_until(long end) {
    pid_t child = fork();
    if (child == 0) {
        World world;
        AfxOutput *output = NULL;
        AfxError error = {0};
        const void *mark;
        size_t size;
        AfxOutputDef def = definition();
        world_make(&world, NULL, NULL);
        assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
        steps(&world, output, MARK);
        assert_fine(afx_output_mark(output, &mark, &size, &error), &error);
        file_write(scratch("mark"), mark, size);
        left = end;
        steps(&world, output, getenv("AFFIX_TEST_LONG") ? BEYOND_LONG : BEYOND);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3));
    return WEXITSTATUS(status) == 3;
}

/* The frames up to the mark are those of `whole`, and the run goes on. */
static void resume(long end, const World *at_mark, const AfxTable *whole) {
    static const char *const columns[] = {"time", "body:arm", "joint:elbow", "energy"};
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxTable *table = NULL;
    AfxOutputDef def = definition();
    size_t size;
    unsigned char *mark = file_read(scratch("mark"), &size);
    if (afx_output_resume(&def, at_mark->scene, at_mark->sim, mark, size, &output, &error) != AFX_OK) {
        fail_msg("write %ld%s: %s: %s", end, torn ? ", torn" : "", error.file, error.text);
    }
    assert_fine(afx_output_close(output, &error), &error);
    free(mark);
    assert_fine(afx_table_read(def.path, COUNT(columns), columns, NULL, &table, &error), &error);
    assert_int_equal(afx_table_row_count(table), MARK + 1);
    for (uint32_t k = 0; k < afx_table_column_count(table); k++) {
        assert_memory_equal(afx_table_column(table, k), afx_table_column(whole, k), (MARK + 1) * sizeof(double));
    }
    afx_table_destroy(table);
}

static void test_torn(void **state) {
    (void)state;
    static const char *const columns[] = {"time", "body:arm", "joint:elbow", "energy"};
    World world;
    AfxTable *whole = NULL;
    AfxError error = {0};
    long tries = 0;
    bool all = getenv("AFFIX_TEST_LONG") != NULL;
    world_make(&world, NULL, NULL);
    for (int k = 0; k < MARK; k++) {
        world_step(&world);
    }
    assert_false(run_until(-1));
    assert_fine(afx_table_read(scratch("torn.h5"), COUNT(columns), columns, NULL, &whole, &error), &error);
    for (int cut = 0; cut < 2; cut++) {
        torn = cut;
        for (long end = cut; run_until(end); end += all ? 1 : 2, tries++) { /* else each write one way or the other */
            resume(end, &world, whole);
        }
    }
    assert_true(tries > (all ? 200 : 100));
    afx_table_destroy(whole);
    world_free(&world);
}

/* The file beside: a write is done again until it is struck out, and only when it is whole. */
static void test_redo(void **state) {
    (void)state;
    char redo[300], file[300], data[5000];
    size_t size;
    snprintf(redo, sizeof redo, "%s", scratch("f.redo"));
    snprintf(file, sizeof file, "%s", scratch("f"));
    memset(data, 'n', sizeof data);
    assert_true(afxi_redo_needed(4000, 97) && !afxi_redo_needed(4000, 96) && !afxi_redo_needed(8192, 4096));
    assert_int_equal(afxi_redo_apply(redo, file), 0); /* there is none */
    for (int kind = 0; kind < 4; kind++) {            /* whole, struck out, cut short, one byte wrong */
        int beside = afxi_redo_open(redo);
        assert_true(beside >= 0);
        file_write(file, "ooooooooo", 9);
        assert_int_equal(afxi_redo_put(beside, 4, data, sizeof data), 0);
        if (kind == 1) {
            assert_int_equal(afxi_redo_strike(beside), 0);
        }
        close(beside);
        unsigned char *held = file_read(redo, &size);
        held[size - 1] ^= kind == 3;
        file_write(redo, held, kind == 2 ? size - 1 : size);
        free(held);
        assert_int_equal(afxi_redo_apply(redo, file), 0);
        unsigned char *found = file_read(file, &size);
        assert_int_equal(size, kind == 0 ? 4 + sizeof data : 9);
        assert_memory_equal(found, kind == 0 ? "oooonnnnn" : "ooooooooo", 9);
        free(found);
    }
    file_write(redo, data, 20); /* less than a head */
    assert_int_equal(afxi_redo_apply(redo, file), 0);
}

int run_torn_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_redo, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_torn, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("torn", tests, NULL, NULL);
}
