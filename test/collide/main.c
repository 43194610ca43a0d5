/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(void) {
    int failures = 0;
    failures += run_span_tests();
    failures += run_stale_tests();
    return failures;
}
