/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: structure, escapes, numbers that read back. The program is no library: its source is included. */
#include "cli/json.c"

#include "tests.h"

#include <float.h>
#include <string.h>

static char *buffer;
static size_t buffer_size;

static CliJson begin(uint32_t break_depth) {
    FILE *file = open_memstream(&buffer, &buffer_size);
    assert_non_null(file);
    return cli_json_begin(file, break_depth);
}

static void end(CliJson *json, const char *want) {
    cli_json_end(json);
    fclose(json->file);
    assert_string_equal(buffer, want);
    free(buffer);
}

static void test_structure(void **state) {
    (void)state;
    CliJson json = begin(1);
    cli_json_object(&json, NULL);
    cli_json_integer(&json, "a", UINT64_MAX);
    cli_json_numbers(&json, "b", (const double[]){1, 0.5, -3}, 3);
    cli_json_object(&json, "c");
    cli_json_close(&json);
    cli_json_array(&json, "d");
    cli_json_boolean(&json, NULL, true);
    cli_json_object(&json, NULL);
    cli_json_boolean(&json, "e", false);
    cli_json_close(&json);
    cli_json_close(&json);
    cli_json_close(&json);
    end(&json, "{\n  \"a\": 18446744073709551615,\n  \"b\": [1, 0.5, -3],\n  \"c\": {},\n"
               "  \"d\": [true, {\"e\": false}]\n}\n");
}

static void writes_text(const char *text, const char *want) {
    char line[120];
    CliJson json = begin(0);
    cli_json_text(&json, NULL, text);
    snprintf(line, sizeof(line), "%s\n", want);
    end(&json, line);
}

static void test_escapes(void **state) {
    (void)state;
    writes_text("", "\"\"");
    writes_text("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    writes_text("\n\t\r\x01\x1f\x7f", "\"\\n\\t\\u000d\\u0001\\u001f\x7f\"");
    writes_text("m² ⠉ 𝄞", "\"m² ⠉ 𝄞\"");
}

/* Not UTF-8: stray bytes, overlong forms, surrogates, beyond U+10FFFF, cut short. */
static void test_bad_utf8(void **state) {
    (void)state;
    writes_text("\xff", "\"\\ufffd\"");
    writes_text("a\x80z", "\"a\\ufffdz\"");
    writes_text("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    writes_text("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"");
    writes_text("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    writes_text("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    writes_text("\xe2\x82", "\"\\ufffd\\ufffd\"");
    writes_text("\xf0", "\"\\ufffd\"");
}

static void writes_number(double value, const char *want) {
    char line[60];
    CliJson json = begin(0);
    cli_json_number(&json, NULL, value);
    snprintf(line, sizeof(line), "%s\n", want);
    end(&json, line);
}

static void test_numbers(void **state) {
    (void)state;
    writes_number(0, "0");
    writes_number(0.1, "0.1");
    writes_number(-1e-300, "-1e-300");
    writes_number(1.0 / 3, "0.3333333333333333");
    writes_number(0.1 + 0.2, "0.30000000000000004");
    writes_number(DBL_MAX, "1.7976931348623157e+308");
    writes_number(NAN, "null");
    writes_number(INFINITY, "null");
    writes_number(-INFINITY, "null");
}

int run_json_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_bad_utf8),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests_name("cli/json", tests, NULL, NULL);
}
