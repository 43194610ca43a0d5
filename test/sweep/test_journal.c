/* SPDX-License-Identifier: Apache-2.0 */
/* Journals that were cut off or damaged at any place. */
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/journal.h"
#include "sweep/message.h"
#include "tests.h"

#define STUDY                                                                                                       \
    "{\"affix_sweep\": 1, \"scene\": \"pendulum\", \"run\": {\"steps\": 4}, \"vary\": [{\"param\": \"gravity.z\", " \
    "\"values\": [-1, -2, -3]}], \"record\": [\"energy\"], \"series\": {\"what\": [\"time\"], \"every\": 2}}"

static char folder[] = "/tmp/affix-journal-XXXXXX";
static char path[200];

static int make(void **state) {
    char sub[100];
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(sub, sizeof sub, "%s/journal", folder);
    snprintf(path, sizeof path, "%s/rank-00000.journal", sub);
    return mkdir(sub, 0777);
}

static int clean(void **state) {
    char sub[200];
    (void)state;
    snprintf(sub, sizeof sub, "%s/journal", folder);
    return unlink(path) || rmdir(sub) || rmdir(folder);
}

static size_t write_runs(const AfxiStudy *study, uint64_t first, uint64_t count) {
    AfxiJournal journal;
    double values[4] = {1, 2, 3, 4}, series[3] = {0, 0.5, 1};
    struct stat info;
    assert_int_equal(afxi_journal_open(study, folder, 0, &journal, NULL), AFX_OK);
    for (uint64_t k = first; k < first + count; k++) {
        AfxiResult result = {.steps = k, .hash = 77 + k, .values = values, .series = series};
        snprintf(result.reason, sizeof result.reason, "%s", k % 2 ? "because" : "");
        assert_true(afxi_journal_add(&journal, study, k, (const double[]){-1.0 - (double)k}, &result));
    }
    assert_int_equal(afxi_journal_close(&journal, false, NULL), AFX_OK);
    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
}

static uint64_t read_runs(const AfxiStudy *study, AfxStatus *out_status) {
    AfxiJournals journals;
    AfxError error = {0};
    uint64_t count = 0;
    *out_status = afxi_journals_open(study, folder, AFXI_JOURNAL_ALL, &journals, &error);
    size_t offset = 0;
    for (const AfxiEntry *entry; *out_status == AFX_OK && (entry = afxi_journal_next(&journals.maps[0], &offset));) {
        assert_int_equal(entry->run, count);
        assert_int_equal(entry->hash, 77 + count);
        assert_true(afxi_entry_point(entry)[0] == -1.0 - (double)count);
        assert_true(afxi_entry_values(&journals, entry)[3] == 4 && afxi_entry_series(&journals, entry)[2] == 1);
        assert_true(entry->text == (count % 2 ? 7 : 0));
        assert_memory_equal(afxi_entry_text(&journals, entry), "because", entry->text);
        count++;
    }
    afxi_journals_close(&journals);
    return count;
}

static void test_cut_off_anywhere(void **state) {
    (void)state;
    AfxiStudy *study = open_study(STUDY);
    AfxStatus status;
    size_t size = write_runs(study, 0, 3);
    assert_int_equal(read_runs(study, &status), 3);
    assert_int_equal(write_runs(study, 3, 2) > size, 1);
    assert_int_equal(read_runs(study, &status), 5);
    size_t whole = write_runs(study, 5, 0);
    uint64_t before = 5;
    for (size_t length = whole; length-- > 0;) {
        assert_int_equal(truncate(path, (off_t)length), 0);
        uint64_t count = read_runs(study, &status);
        assert_int_equal(status, AFX_OK);
        assert_true(count == before || count + 1 == before);
        before = count;
        if (length == size - 3) { /* and it goes on from there */
            assert_int_equal(count, 2);
            assert_int_equal(write_runs(study, 2, 1), size);
            assert_int_equal(read_runs(study, &status), 3);
            assert_int_equal(truncate(path, (off_t)length), 0);
        }
    }
    assert_int_equal(before, 0);
    afxi_study_close(study);
}

static void test_damaged_anywhere(void **state) {
    (void)state;
    AfxiStudy *study = open_study(STUDY);
    AfxStatus status;
    size_t size = write_runs(study, 0, 3);
    for (size_t at = 0; at < size; at++) {
        FILE *file = fopen(path, "r+");
        assert_non_null(file);
        fseek(file, (long)at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, (long)at, SEEK_SET);
        fputc(byte ^ 0x41, file);
        fclose(file);
        uint64_t count = read_runs(study, &status);
        assert_true(status == AFX_OK ? count < 3 : status == AFX_E_INPUT && at < 56);
        file = fopen(path, "r+");
        fseek(file, (long)at, SEEK_SET);
        fputc(byte, file);
        fclose(file);
    }
    assert_int_equal(read_runs(study, &status), 3);
    AfxiStudy *other = open_study("{\"affix_sweep\": 1, \"scene\": \"pendulum\", \"run\": {\"steps\": 5}, \"vary\": "
                                  "[{\"param\": \"gravity.z\", \"values\": [-1, -2, -3]}], \"record\": [\"energy\"]}");
    read_runs(other, &status);
    assert_int_equal(status, AFX_E_VERSION);
    afxi_study_close(other);
    afxi_study_close(study);
}

static void test_messages(void **state) {
    (void)state;
    AfxiSweepMessage *block = afxi_sweep_message_create(AFXI_MESSAGE_BLOCK, 3, 2);
    size_t size = afxi_sweep_message_size(block);
    assert_true(afxi_sweep_message_sound(block, size));
    assert_false(afxi_sweep_message_sound(block, size - 1));
    assert_false(afxi_sweep_message_sound(block, 3));
    block->count = UINT64_MAX / 24;
    assert_false(afxi_sweep_message_sound(block, size));
    block->kind = 99;
    assert_false(afxi_sweep_message_sound(block, size));
    free(block);
}

int run_journal_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_off_anywhere),
        cmocka_unit_test(test_damaged_anywhere),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests_name("journals", tests, make, clean);
}
