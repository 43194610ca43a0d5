/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of the status table, the version, and errors that are cut to fit. */
#include <stdio.h>

#include "base/clock.h"
#include "base/status.h"
#include "tests.h"

static void every_status_has_its_name_and_text(void **state) {
    (void)state;
    int count = 0;
#define CHECK(name, value, text)                          \
    assert_int_equal(name, value);                        \
    assert_string_equal(afx_status_name(name), #name);    \
    assert_string_equal(afx_status_text(name), text);     \
    assert_true(afx_status_text(name)[0] != 0);           \
    assert_true((value) == 0 ? count == 0 : (value) < 0); \
    count++;
    AFX_STATUS_TABLE(CHECK)
#undef CHECK
    assert_true(count >= 8);
}

static void an_unknown_status_has_a_name_too(void **state) {
    (void)state;
    static const int unknown[] = {1, -100, 1000000};
    for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++) {
        volatile int value = unknown[k];
        assert_string_equal(afx_status_name((AfxStatus)value), "AFX_UNKNOWN");
        assert_string_equal(afx_status_text((AfxStatus)value), "not a status of this library");
    }
}

static void the_version_is_that_of_the_header(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", AFX_VERSION_MAJOR, AFX_VERSION_MINOR, AFX_VERSION_PATCH);
    assert_string_equal(afx_version(), text);
}

static void an_error_carries_what_it_is_given(void **state) {
    (void)state;
    AfxError error;
    memset(&error, 0x55, sizeof error);
    assert_int_equal(afxi_error(&error, AFX_E_INPUT, "body \"100%s\"", "text %d", "cure %n"), AFX_E_INPUT);
    assert_int_equal(error.status, AFX_E_INPUT);
    assert_int_equal(error.line, 0);
    assert_string_equal(error.file, "");
    assert_string_equal(error.element, "body \"100%s\""); /* never taken as a format */
    assert_string_equal(error.text, "text %d");
    assert_string_equal(error.cure, "cure %n");
    assert_int_equal(afxi_error_at(&error, AFX_E_LIMIT, "t", "c", "joint %d of %s", 7, "arm"), AFX_E_LIMIT);
    assert_int_equal(error.status, AFX_E_LIMIT);
    assert_string_equal(error.element, "joint 7 of arm");
    assert_string_equal(error.text, "t");
    assert_string_equal(error.cure, "c");
}

static void an_error_may_go_nowhere(void **state) {
    (void)state;
    assert_int_equal(afxi_error(NULL, AFX_E_MEMORY, "a", "b", "c"), AFX_E_MEMORY);
    assert_int_equal(afxi_error_at(NULL, AFX_OK, "b", "c", "%d", 1), AFX_OK);
}

/* `got` is the beginning of `whole`, cut at size - 1 characters. */
static void assert_cut(const char *got, const char *whole, size_t size) {
    size_t length = strlen(whole) < size - 1 ? strlen(whole) : size - 1;
    assert_int_equal(strlen(got), length);
    assert_memory_equal(got, whole, length);
}

static void long_texts_are_cut_and_ended(void **state) {
    (void)state;
    char whole[301];
    for (size_t length = 0; length <= 300; length++) {
        for (size_t k = 0; k < length; k++) {
            whole[k] = (char)('a' + k % 26);
        }
        whole[length] = 0;
        AfxError error;
        memset(&error, 0x55, sizeof error);
        afxi_error(&error, AFX_E_INPUT, whole, whole, whole);
        assert_cut(error.element, whole, sizeof error.element);
        assert_cut(error.text, whole, sizeof error.text);
        assert_cut(error.cure, whole, sizeof error.cure);
        afxi_error_at(&error, AFX_E_INPUT, "", "", "%s%s", whole, whole);
        assert_true(strlen(error.element) <= sizeof error.element - 1);
    }
}

static void the_clock_does_not_go_back(void **state) {
    (void)state;
    double last = afxi_clock();
    for (int k = 0; k < 1000; k++) {
        double now = afxi_clock();
        assert_true(now >= last);
        last = now;
    }
}

int run_status_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_name_and_text),
        cmocka_unit_test(an_unknown_status_has_a_name_too),
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(an_error_carries_what_it_is_given),
        cmocka_unit_test(an_error_may_go_nowhere),
        cmocka_unit_test(long_texts_are_cut_and_ended),
        cmocka_unit_test(the_clock_does_not_go_back),
    };
    return cmocka_run_group_tests_name("status, errors, clock", tests, NULL, NULL);
}
