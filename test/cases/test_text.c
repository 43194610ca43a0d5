/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers out of text, and the name that was perhaps meant. */
#include "cases/cases.h"
#include "cases/text.h"
#include "tests.h"

#include <string.h>

static void test_numbers(void **state) {
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},    {"-1.5", -1.5},     {"1e9", 1e9},      {"+2", 2},
                {".5", 0.5}, {"1e-300", 1e-300}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    static const char *const bad[] = {"", " 1", "1 ", "1x", "abc", "nan", "NaN", "1e999", "-1e999", "--1", "1,5", "e5"};
    (void)state;
    for (size_t k = 0; k < sizeof(good) / sizeof(good[0]); ++k) {
        double value = 77;
        assert_true(afxi_case_number(good[k].text, &value));
        assert_true(value == good[k].value);
    }
    for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); ++k) {
        double value = 77;
        assert_false(afxi_case_number(bad[k], &value));
        assert_true(value == 77);
    }
}

static const char *nearest_of(const char *word, const char *const *candidates) {
    AfxiCaseNearest nearest = {.word = word};
    for (size_t k = 0; candidates[k]; ++k) {
        afxi_case_nearest_try(&nearest, candidates[k]);
    }
    return nearest.best;
}

static void test_nearest(void **state) {
    static const char *const names[] = {"threads", "time", "steps", "integrator", NULL};
    static const struct {
        const char *word, *best;
    } samples[] = {{"tim", "time"},       {"tiem", "time"},  {"integ", "integrator"},
                   {"thread", "threads"}, {"step", "steps"}, {"intergator", "integrator"}};
    (void)state;
    for (size_t k = 0; k < sizeof(samples) / sizeof(samples[0]); ++k) {
        assert_string_equal(nearest_of(samples[k].word, names), samples[k].best);
    }
    assert_null(nearest_of("", names));
    assert_null(nearest_of("zzzzzz", names));
}

static void test_long_words(void **state) {
    (void)state;
    char word[1000];
    memset(word, 'x', sizeof(word));
    word[sizeof(word) - 1] = '\0';
    assert_null(afxi_case_nearest(word));
}

static void test_nearest_case(void **state) {
    (void)state;
    assert_string_equal(afxi_case_nearest("t-handel"), "t-handle");
    assert_string_equal(afxi_case_nearest("spinningbox"), "spinning-box");
    assert_string_equal(afxi_case_nearest("tumble"), "tumbling");
    assert_null(afxi_case_nearest("pendulum-in-a-box"));
}

int run_text_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_nearest_case),
    };
    return cmocka_run_group_tests_name("cases/text", tests, NULL, NULL);
}
