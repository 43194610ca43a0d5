/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of JSON. */
#include <math.h>
#include <string.h>

#include "out/text.h"
#include "tests.h"

static void check(const char *text, const char *want) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiBytes bytes = afxi_bytes_begin(&allocator);
    afxi_text_string(&bytes, text);
    assert_int_equal(bytes.status, AFX_OK);
    assert_int_equal(bytes.size, strlen(want));
    assert_memory_equal(bytes.data, want, bytes.size);
    afxi_bytes_destroy(&bytes);
}

static void test_strings(void **state) {
    (void)state;
    check(NULL, "\"\"");
    check("a link", "\"a link\"");
    check("a \"b\" \\ \n", "\"a \\u0022b\\u0022 \\u005c \\u000a\"");
    check("</script>", "\"\\u003c/script>\""); /* would end the data of a page */
    check("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\x97", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\x97\"");
    check("\xff \xc3", "\"? ?\"");                /* no UTF-8, and one that is cut off */
    check("\xc0\x80 \xed\xa0\x80", "\"?? ???\""); /* overlong, and half of a pair */
}

int run_text_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strings)};
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
