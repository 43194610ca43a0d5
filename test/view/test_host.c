/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are ours. */
#include "view/host.h"

#include <unistd.h>

#include "tests.h"

static bool ours(const char *listens, int port, const char *header) {
    AfxiHost host;
    afxi_host_set(&host, listens, port);
    return afxi_host_is_ours(&host, header);
}

static void test_loopback(void **state) {
    (void)state;
    static const char *const fine[] = {"localhost:8080", "LocalHost:8080", "127.0.0.1:8080", "[::1]:8080"};
    static const char *const bad[] = {"",
                                      ":",
                                      ":8080",
                                      "localhost",
                                      "localhost:",
                                      "localhost:80",
                                      "localhost:08080x",
                                      "localhost:8080 ",
                                      "localhost:8080:8080",
                                      "localhost:80808080",
                                      "localhostile:8080",
                                      "localhost.:8080",
                                      "evil.example:8080",
                                      "localhost.evil.example:8080",
                                      "192.168.0.7:8080",
                                      "[::1",
                                      "[::1]x:8080",
                                      "::1:8080",
                                      "[::2]:8080"};
    static const char *const listens[] = {"127.0.0.1", "localhost", "::1"};
    for (size_t l = 0; l < COUNT(listens); l++) {
        for (size_t k = 0; k < COUNT(fine); k++) {
            assert_true(ours(listens[l], 8080, fine[k]));
        }
        for (size_t k = 0; k < COUNT(bad); k++) {
            if (ours(listens[l], 8080, bad[k])) {
                fail_msg("%s was taken for ours", bad[k]);
            }
        }
    }
    assert_true(ours("127.0.0.1", 80, "localhost")); /* where the port goes without saying */
    char longest[400];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_false(ours("127.0.0.1", 80, longest));
}

static void test_open(void **state) {
    (void)state;
    char own[200] = "";
    assert_int_equal(gethostname(own, sizeof own - 8), 0);
    strcat(own, ":90");
    assert_true(ours("0.0.0.0", 90, own));
    assert_true(ours("0.0.0.0", 90, "192.168.0.7:90"));
    assert_true(ours("0.0.0.0", 90, "[fe80::7]:90"));
    assert_true(ours("robot.lan", 90, "Robot.lan:90"));
    assert_false(ours("robot.lan", 90, "robot.lan.evil.example:90"));
    assert_false(ours("0.0.0.0", 90, "evil.example:90"));
    assert_false(ours("0.0.0.0", 90, "192.168.0.7:91"));
    assert_false(ours("0.0.0.0", 90, "192.168.0.7.evil.example:90"));
    assert_false(ours("0.0.0.0", 90, "[fe80::7]evil.example:90"));
}

int run_host_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loopback), cmocka_unit_test(test_open)};
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
