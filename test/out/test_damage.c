/* SPDX-License-Identifier: Apache-2.0 */
/* Trajectories with damaged bytes: reading them and going on from them never crashes, and damage to numbers is seen. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

enum { TRIES = 80, TRIES_LONG = 5000 };

static const char *const names[] = {"time", "energy", "body:arm", "joint:shoulder", "flags"};

/* A trajectory that is not closed, and a mark. */
static void make(void) {
    pid_t child = fork();
    if (child == 0) {
        World world;
        AfxOutput *output = NULL;
        AfxError error = {0};
        const void *mark;
        size_t size;
        AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
        def.path = scratch("a.h5");
        def.chunk = 4;
        world_make(&world, NULL, NULL);
        assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
        for (int k = 0; k < 30; k++) {
            world_step(&world);
            assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
        }
        assert_fine(afx_output_mark(output, &mark, &size, &error), &error);
        file_write(scratch("mark"), mark, size);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Reads and resumes a trajectory in a process of its own; 0 when both were refused, 1 when one went well. */
static int try_file(const World *world) {
    pid_t child = fork();
    if (child == 0) {
        AfxTable *table = NULL;
        AfxOutput *output = NULL;
        AfxError error = {0};
        size_t size;
        alarm(20);
        unsigned char *mark = file_read(scratch("mark"), &size);
        AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
        def.path = scratch("d.h5");
        def.chunk = 4;
        AfxStatus status = afx_table_read(def.path, COUNT(names), names, NULL, &table, &error);
        int fine = status == AFX_OK;
        afx_table_destroy(table);
        status = afx_output_resume(&def, world->scene, world->sim, mark, size, &output, &error);
        fine |= status == AFX_OK;
        afx_output_close(output, NULL);
        free(mark);
        _exit(fine);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status)) {
        fail_msg("ended by signal %d", WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}

static void test_bytes(void **state) {
    (void)state;
    World world;
    size_t size;
    uint64_t random = 12;
    int refused = 0, tries = getenv("AFFIX_TEST_LONG") ? TRIES_LONG : TRIES;
    make();
    world_make(&world, NULL, NULL);
    unsigned char *data = file_read(scratch("a.h5"), &size);
    file_write(scratch("d.h5"), data, size);
    assert_int_equal(try_file(&world), 1);
    for (int k = 0; k < tries; k++) {
        unsigned char *copy = malloc(size);
        memcpy(copy, data, size);
        size_t at = random_bits(&random) % size;
        size_t length = 1 + random_bits(&random) % (k % 3 == 0 ? 64 : 2);
        for (size_t j = at; j < at + length && j < size; j++) {
            copy[j] = (unsigned char)random_bits(&random);
        }
        file_write(scratch("d.h5"), copy, k % 5 == 4 ? at : size);
        refused += try_file(&world) == 0;
        free(copy);
    }
    assert_true(refused > tries / 8); /* HDF5 has checksums for its own structures, chunks have theirs */
    free(data);
    world_free(&world);
}

/* HDF5 keeps texts of any length in a heap without a checksum, and does not return from some that are damaged. Nothing
 * there is needed, so that such files are as good as others. */
static void test_heap(void **state) {
    (void)state;
    World world;
    size_t size, heap = 0;
    make();
    world_make(&world, NULL, NULL);
    unsigned char *data = file_read(scratch("a.h5"), &size);
    while (heap + 4 < size && memcmp(data + heap, "GCOL", 4) != 0) {
        heap++;
    }
    assert_true(heap + 256 < size);
    for (size_t at = heap + 8; at < heap + 256; at += 8) {
        unsigned char before[8];
        memcpy(before, data + at, 8);
        memset(data + at, at % 16 == 0 ? 0 : 0xff, 8);
        file_write(scratch("d.h5"), data, size);
        assert_int_equal(try_file(&world), 1);
        memcpy(data + at, before, 8);
    }
    free(data);
    world_free(&world);
}

int run_damage_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bytes, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_heap, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
