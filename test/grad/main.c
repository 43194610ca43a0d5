/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of gradients. */
#include "tests.h"

int main(void) {
    return run_case_tests();
}
