/* SPDX-License-Identifier: Apache-2.0 */
/* "name=value": what is right is stored, what is wrong is refused with case, parameter and what is allowed. */
#include "cases/cases.h"
#include "tests.h"

#include <string.h>

static AfxStatus read_one(const char *name, const char *text, AfxiCaseArguments *out_args, AfxError *out_error) {
    const AfxiCase *from = afxi_case_find(name);
    assert_non_null(from);
    return afxi_case_arguments(from, 1, &text, out_args, out_error);
}

/* The text is refused, and element, text and cure of the error have these words in them. */
static void refused(const char *name, const char *text, const char *element, const char *problem, const char *cure) {
    AfxiCaseArguments args;
    AfxError error;
    assert_int_equal(read_one(name, text, &args, &error), AFX_E_INPUT);
    assert_int_equal(error.status, AFX_E_INPUT);
    assert_non_null(strstr(error.element, name));
    assert_non_null(strstr(error.element, element));
    assert_non_null(strstr(error.text, problem));
    assert_non_null(strstr(error.cure, cure));
    assert_int_equal(read_one(name, text, &args, NULL), AFX_E_INPUT);
}

static void test_table_is_sound(void **state) {
    (void)state;
    assert_true(afxi_case_count() >= 4);
    assert_null(afxi_case_at(afxi_case_count()));
    assert_null(afxi_case_find("no-such-case"));
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
        AfxiCaseArguments args;
        AfxError error;
        assert_ptr_equal(afxi_case_find(from->name), from);
        assert_true(from->dt > 0 && from->time > 0);
        assert_true(from->summary[0] != '\0' && strchr(from->summary, '\n') == NULL);
        assert_true(from->parameter_count <= AFXI_CASE_PARAMETER_LIMIT);
        assert_int_equal(afxi_case_arguments(from, 0, NULL, &args, &error), AFX_OK);
        assert_ptr_equal(args.from, from);
        for (uint32_t p = 0; p < from->parameter_count; ++p) {
            const AfxiCaseParameter *parameter = &from->parameters[p];
            assert_true(parameter->name[0] != '\0' && parameter->help[0] != '\0');
            assert_true(parameter->kind == AFXI_CASE_CHOICE ? parameter->choices[0] != NULL
                                                            : parameter->min <= parameter->max);
        }
    }
}

static void test_good_values(void **state) {
    (void)state;
    static const char *const texts[] = {"n=1e3", "gravity=0", "young=inf"};
    AfxiCaseArguments args;
    AfxError error;
    assert_int_equal(afxi_case_arguments(afxi_case_find("tumbling"), 3, texts, &args, &error), AFX_OK);
    assert_int_equal(error.status, AFX_OK);
    assert_true(args.values[0] == 1000);
    assert_true(args.values[4] == 0);
    assert_true(isinf(args.values[5]));
    assert_int_equal(read_one("spinning-box", "shape=box", &args, &error), AFX_OK);
    assert_true(args.values[0] == 1);
    assert_int_equal(read_one("spinning-box", "speed=-3.5", &args, NULL), AFX_OK);
    assert_true(args.values[1] == -3.5);
}

static void test_bad_values(void **state) {
    (void)state;
    refused("t-handle", "omega=fast", "omega", "not a number", "-10000 to 10000");
    refused("t-handle", "omega=", "omega", "not a number", "default 15");
    refused("t-handle", "omega=nan", "omega", "not a number", "");
    refused("t-handle", "omega=inf", "omega", "out of range", "-10000 to 10000");
    refused("t-handle", "omega=10001", "omega", "10001", "-10000 to 10000");
    refused("t-handle", "young=0", "young", "out of range", "1000 to inf");
    refused("tumbling", "n=2.5", "n", "not an integer", "integer, 1 to");
    refused("tumbling", "n=0", "n", "out of range", "1 to");
    refused("tumbling", "seed=-1", "seed", "out of range", "0 to");
    refused("spinning-box", "shape=ball", "shape", "ball", "cube|box");
    refused("spinning-box", "shape=", "shape", "choices", "cube|box");
}

static void test_bad_names(void **state) {
    (void)state;
    refused("t-handle", "omga=1", "t-handle", "omga", "did you mean omega");
    refused("t-handle", "zzz=1", "t-handle", "zzz", "omega, kick, young");
    refused("t-handle", "omega", "t-handle", "not name=value", "name=value");
    refused("t-handle", "=1", "t-handle", "not name=value", "");
    refused("t-handle", "", "t-handle", "not name=value", "");
}

static void test_given_twice(void **state) {
    (void)state;
    static const char *const texts[] = {"omega=1", "omega=2"};
    AfxiCaseArguments args;
    AfxError error;
    assert_int_equal(afxi_case_arguments(afxi_case_find("t-handle"), 2, texts, &args, &error), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "second time"));
}

static void test_absurd_length(void **state) {
    (void)state;
    char text[2000];
    AfxiCaseArguments args;
    AfxError error;
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(read_one("t-handle", text, &args, &error), AFX_E_INPUT);
    text[1000] = '=';
    assert_int_equal(read_one("t-handle", text, &args, &error), AFX_E_INPUT);
    memcpy(text, "omega=", 6);
    assert_int_equal(read_one("t-handle", text, &args, &error), AFX_E_INPUT);
    assert_non_null(strstr(error.element, "omega"));
}

int run_argument_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sound), cmocka_unit_test(test_good_values), cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_names),      cmocka_unit_test(test_given_twice), cmocka_unit_test(test_absurd_length),
    };
    return cmocka_run_group_tests_name("cases/arguments", tests, NULL, NULL);
}
