/* SPDX-License-Identifier: Apache-2.0 */
/* AFXI_ASSERT both ways, whatever this build has: off it evaluates nothing, on it ends the process and names the place.
 */
#undef AFXI_ASSERTIONS
#include "base/assert.h"
#include "tests.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls;

static int count_call(int value) {
    ++calls;
    return value;
}

static void off_evaluates_nothing(void **state) {
    (void)state;
    calls = 0;
    AFXI_ASSERT(count_call(0));
    assert_int_equal(calls, 0);
}

#undef AFXI_ASSERT
#undef AFXI_VALIDATE
#undef AFXI_BASE_ASSERT_H
#define AFXI_ASSERTIONS 1
#include "base/assert.h"

static void on_lets_what_holds_pass(void **state) {
    (void)state;
    calls = 0;
    AFXI_ASSERT(count_call(1));
    assert_int_equal(calls, 1);
}

/* In a child with the write end of a pipe as its stderr. */
static _Noreturn void break_it(int writing) {
    dup2(writing, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL); /* cmocka has a handler of its own */
    AFXI_ASSERT(calls == 777);
    _exit(0);
}

static void on_aborts_with_place_and_condition(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        break_it(ends[1]);
    close(ends[1]);
    char text[512] = "";
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length + 1 < sizeof text; length += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], text + length, sizeof text - 1 - length);
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "test_assert.c:"));
    assert_non_null(strstr(text, "\"calls == 777\" does not hold"));
}

int run_assert_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_evaluates_nothing),
        cmocka_unit_test(on_lets_what_holds_pass),
        cmocka_unit_test(on_aborts_with_place_and_condition),
    };
    return cmocka_run_group_tests_name("assert", tests, NULL, NULL);
}
