/* SPDX-License-Identifier: Apache-2.0 */
/* The parallel for: every index once, in parts that depend on the grain alone, on every backend. */
#include <stdatomic.h>

#include "base/task.h"
#include "tests.h"

#define MOST 5000

/* What a run did. Nothing here asserts: that must not happen on another thread. */
typedef struct Record {
    atomic_uchar hits[MOST];         /* per index */
    atomic_uchar parts[MOST];        /* per part */
    uint32_t begin[MOST], end[MOST]; /* per part, written by that part alone */
    atomic_uint outside;
    uint32_t count;
} Record;

static void record_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    Record *record = context;
    if (part >= MOST || begin > end || end > record->count) {
        atomic_fetch_add(&record->outside, 1);
        return;
    }
    atomic_fetch_add(&record->parts[part], 1);
    record->begin[part] = begin;
    record->end[part] = end;
    for (uint32_t k = begin; k < end; k++) {
        atomic_fetch_add(&record->hits[k], 1);
    }
}

/* The user's threads: one thread, from the last part to the first. */
typedef struct Backwards {
    uint32_t calls, parts;
} Backwards;

static void run_backwards(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context) {
    Backwards *backwards = user;
    backwards->calls++;
    backwards->parts = count;
    for (uint32_t k = count; k-- > 0;) {
        call(context, k);
    }
}

static void check(const AfxTasks *tasks, uint32_t threads, uint32_t count, uint32_t grain) {
    static Record record;
    memset(&record, 0, sizeof record);
    record.count = count;
    afxi_parallel_for(tasks, threads, count, grain, record_part, &record);
    uint32_t parts = afxi_part_count(count, grain);
    assert_int_equal(parts, (count + (uint64_t)grain - 1) / grain);
    assert_int_equal(record.outside, 0);
    for (uint32_t k = 0; k < MOST; k++) {
        assert_int_equal(record.hits[k], k < count);
        assert_int_equal(record.parts[k], k < parts);
    }
    for (uint32_t part = 0; part < parts; part++) { /* the partition is fixed */
        assert_int_equal(record.begin[part], (uint64_t)part * grain);
        assert_int_equal(record.end[part], part + 1 < parts ? (part + 1) * grain : count);
    }
}

static const uint32_t counts[] = {0, 1, 2, 3, 7, 63, 64, 65, 997, 1000, 1024, MOST};
static const uint32_t grains[] = {1, 2, 3, 7, 64, 100, 999, 1000, 1024, MOST, MOST + 1, UINT32_MAX};

static void check_all(const AfxTasks *tasks, uint32_t threads) {
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++) {
            check(tasks, threads, counts[c], grains[g]);
        }
    }
}

static void serially_every_index_comes_once(void **state) {
    (void)state;
    check_all(NULL, 0);
    check_all(NULL, 1);
}

static void on_the_library_s_threads_every_index_comes_once(void **state) {
    (void)state;
    AfxTasks none = {0};
    check_all(NULL, 2);
    check_all(&none, 3);
    check_all(NULL, 7);
}

static void on_the_user_s_threads_every_index_comes_once(void **state) {
    (void)state;
    Backwards backwards = {0};
    AfxTasks tasks = {run_backwards, &backwards};
    check_all(&tasks, 2);
    check_all(&tasks, 100);
    assert_true(backwards.calls > 0);
    backwards = (Backwards){0};
    check(&tasks, 4, 1000, 100);
    assert_int_equal(backwards.calls, 1);
    assert_int_equal(backwards.parts, 10);
}

static void one_thread_or_one_part_needs_no_backend(void **state) {
    (void)state;
    Backwards backwards = {0};
    AfxTasks tasks = {run_backwards, &backwards};
    check(&tasks, 1, 1000, 10);
    check(&tasks, 4, 1000, 1000);
    check(&tasks, 4, 0, 1000);
    assert_int_equal(backwards.calls, 0);
}

static void one_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    uint64_t *sum = context;
    sum[part] = (uint64_t)end - begin;
    sum[8] = end > sum[8] ? end : sum[8];
}

/* begin + grain would leave 32 bits in the last part. */
static void the_largest_count_does_not_wrap(void **state) {
    (void)state;
    uint64_t sum[9] = {0}, total = 0;
    assert_int_equal(afxi_part_count(UINT32_MAX, 1), UINT32_MAX);
    assert_int_equal(afxi_part_count(UINT32_MAX, UINT32_C(1) << 30), 4);
    afxi_parallel_for(NULL, 1, UINT32_MAX, UINT32_C(1) << 30, one_part, sum);
    for (int k = 0; k < 8; k++) {
        total += sum[k];
    }
    assert_true(total == UINT32_MAX && sum[8] == UINT32_MAX);
}

int run_task_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serially_every_index_comes_once),
        cmocka_unit_test(on_the_library_s_threads_every_index_comes_once),
        cmocka_unit_test(on_the_user_s_threads_every_index_comes_once),
        cmocka_unit_test(one_thread_or_one_part_needs_no_backend),
        cmocka_unit_test(the_largest_count_does_not_wrap),
    };
    return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
