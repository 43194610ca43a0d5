/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/load. */
#include "tests.h"

int main(void) {
    int failed = 0;
    failed += run_limits_file_tests();
    return failed;
}
